; A program path as named parts: x starts at 0, is increased twice, and is then found negative.
; The path is infeasible; the interpolants say why, one fact about each point on it.
(set-option :produce-interpolants true)
(set-logic QF_LIA)
(declare-fun x0 () Int)
(declare-fun x1 () Int)
(declare-fun x2 () Int)
(assert (! (= x0 0) :named start))
(assert (! (= x1 (+ x0 1)) :named first))
(assert (! (= x2 (+ x1 1)) :named second))
(assert (! (< x2 0) :named error))
(check-sat)
(get-interpolants start first second error)
