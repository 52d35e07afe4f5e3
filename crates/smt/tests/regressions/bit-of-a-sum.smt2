; The sign of a sum was taken as a free Boolean.
(set-info :status sat)
(declare-fun b () (_ BitVec 4))
(assert (bvsaddo #b0001 b))
(check-sat)
