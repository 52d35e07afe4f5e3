; Two terms of different parts had to differ and moved together without end.
(set-info :status sat)
(declare-fun x () Real)
(declare-fun y () Real)
(declare-fun f (Real) Bool)
(assert (f x))
(assert (distinct (+ y x 3.0) x))
(assert (not (f (- x y y))))
(check-sat)
