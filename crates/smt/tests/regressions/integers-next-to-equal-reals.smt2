; Two reals are equal, and only one of them is an integer: the integers below them are unbounded, their difference is not.
(set-info :status unsat)
(declare-fun r10 () Real)
(declare-fun r11 () Real)
(declare-fun b21 () (_ BitVec 4))
(declare-fun a51 () (Array (_ BitVec 4) Real))
(assert (not (is_int (+ (select a51 #b0000) (* r10 5.0) (- r11)))))
(assert (= b21 #b0000))
(assert (is_int (+ (select a51 b21) (* r10 5.0) (- r11))))

(check-sat)
