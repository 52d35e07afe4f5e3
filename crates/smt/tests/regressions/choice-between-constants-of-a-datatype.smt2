; The equalities that define a choice between two values of a datatype were unknown to the congruence closure: in the
; model that was found the choice was something else, and the answer was unknown.
(set-info :status sat)
(declare-datatypes ((Colour 0)) (((red) (green) (blue))))
(declare-fun n () Int)
(declare-fun c () Colour)
(assert (not (= (ite (<= n 0) blue red) c)))
(check-sat)
