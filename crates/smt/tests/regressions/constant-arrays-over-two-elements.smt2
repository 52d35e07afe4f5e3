; Two elements are known to differ, and one write does not cover them.
(set-info :status unsat)
(declare-sort U 0)
(declare-fun u () U)
(declare-fun v () U)
(declare-fun w () U)
(assert (distinct u v))
(assert (= (store ((as const (Array U Int)) 0) w 1) ((as const (Array U Int)) 1)))
(check-sat)
