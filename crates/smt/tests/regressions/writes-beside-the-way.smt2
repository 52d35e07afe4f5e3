; Writes cover all indices of an array, but not all of them lie between the two constant arrays.
(set-info :status unsat)

(declare-fun s20_0 () (Array (_ BitVec 1) (_ BitVec 1)))
(declare-fun s21_1 () (Array (_ BitVec 1) (_ BitVec 1)))
(declare-fun s22_1 () (Array (_ BitVec 1) (_ BitVec 1)))
(assert (! (= s20_0 ((as const (Array (_ BitVec 1) (_ BitVec 1))) #b1)) :named A0))
(assert (! (and (= s21_1 (store s20_0 #b0 #b0)) (= s22_1 (store s20_0 #b1 #b0))) :named A1))
(assert (! (= ((as const (Array (_ BitVec 1) (_ BitVec 1))) #b0) s22_1) :named A2))
(check-sat)

