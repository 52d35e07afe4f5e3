; Constant arrays whose indices are few: equal only if the writes cover all of them.
(set-info :status unsat)
(define-sort A () (Array (_ BitVec 2) (_ BitVec 2)))
(assert (= ((as const A) #b01) (store ((as const A) #b00) #b00 #b01)))
(check-sat)
