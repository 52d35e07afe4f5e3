; All elements of an index sort are written; reading at every term of the sort made ever more terms of it.
(set-info :status sat)
(declare-sort U0 0)
(declare-fun u10 () U0)
(declare-fun u11 () U0)
(declare-fun u12 () U0)
(assert (not (= u10 u11)))
(assert (= (store (store ((as const (Array U0 U0)) u10) u12 u11) u11 u11) ((as const (Array U0 U0)) u11)))
(check-sat)
