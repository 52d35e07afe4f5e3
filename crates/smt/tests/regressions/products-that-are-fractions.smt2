; A square root that is a fraction.
(set-info :status sat)
(declare-fun x () Real)
(assert (and (= (* x x) 2.25) (> x 0.0)))
(check-sat)
