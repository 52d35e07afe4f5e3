; The bounds of a product follow from those of its factors.
(set-info :status unsat)
(declare-fun x () Int)
(declare-fun y () Int)
(assert (and (<= 0 x 999) (<= 0 y 999) (> (* x y) 998001)))
(check-sat)
