; All indices are written, so that two constant arrays can be made equal.
(set-info :status sat)
(declare-fun p () Bool)
(declare-fun q () Bool)
(define-sort A () (Array Bool Int))
(assert (= ((as const A) 1) (store (store ((as const A) 0) p 1) q 1)))
(check-sat)
