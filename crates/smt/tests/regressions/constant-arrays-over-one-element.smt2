; An uninterpreted sort may have one element only, which a write covers.
(set-info :status sat)
(declare-sort U 0)
(declare-fun p () Bool)
(declare-fun u () U)
(assert (= (store ((as const (Array U Bool)) (not p)) u p) ((as const (Array U Bool)) true)))
(check-sat)
