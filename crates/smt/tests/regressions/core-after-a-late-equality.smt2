; A failed assumption was missing: the theory was taken back while the search relied on its explanations.
(set-info :status unsat)
(declare-fun x00 () Int)
(declare-fun x01 () Int)
(declare-fun x03 () Int)
(declare-fun f0 (Int Int) Bool)
(declare-fun f1 (Int Int) Bool)
(check-sat-assuming ((f0 (* 5 x03) (- 2 x00)) (not (and (f1 (* (- 3) x00) (+ (+ 2 x01) x03 x01)) (f0 (* 5 x03) (- 2 (+ 2 x01))))) (f1 (* (- 3) x00) (+ x00 x03 x01)) (= x00 (+ 2 x01))))
