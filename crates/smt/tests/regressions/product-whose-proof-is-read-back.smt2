; The rows of a product were chosen by the order in which gates were made, which is another one when a proof is read:
; "the clause is not an instance of its axiom".
(set-info :status unsat)
(declare-fun x () (_ FloatingPoint 4 4))
(declare-fun y () (_ FloatingPoint 4 4))
(declare-fun z () (_ FloatingPoint 3 4))
(assert (fp.isNaN x))
(assert (fp.geq y (fp.fma RTP y x y)))
(assert (or (fp.geq x (fp.sqrt RTP x)) (fp.eq z (fp #b0 #b000 #b010))))
(check-sat)
