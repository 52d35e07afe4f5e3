; A product of sums is a sum of products.
(set-info :status unsat)
(declare-fun x () Int)
(declare-fun y () Int)
(assert (= (* (+ x 1) (- y 2)) (+ (* x y) (* (- 2) x) y)))
(check-sat)
