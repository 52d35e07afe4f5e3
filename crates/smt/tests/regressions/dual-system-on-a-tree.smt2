; The weakest interpolants of two branches did not contradict each other.
(set-info :status unsat)
(set-option :produce-interpolants true)
(declare-fun x () Int)
(assert (! (= x 0) :named A0))
(assert (! (= x 3) :named A1))
(assert (! true :named A2))
(check-sat)
(get-interpolants A0 (A1) A2)
