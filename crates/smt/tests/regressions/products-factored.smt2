; A product of two variables that are to be found.
(set-info :status sat)
(declare-fun x () Int)
(declare-fun y () Int)
(assert (and (= (* x y) 391) (> x 1) (> y x)))
(check-sat)
