; Dividend, divisor, quotient and remainder.
(set-info :status unsat)
(declare-fun x () Int)
(declare-fun y () Int)
(assert (and (< y 0) (not (= x (+ (* y (div x y)) (mod x y))))))
(check-sat)
