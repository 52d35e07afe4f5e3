; The values of terms of which nothing is known but that they differ must not meet when a constructor is put around one.
(set-info :status sat)
(declare-datatypes ((L 0) (T 0)) (((nil) (cons (hd Bool) (tl L))) ((leaf (val Bool)) (node (lt T) (rt T)) (many (all L)))))
(declare-fun l () L)
(declare-fun t () T)
(assert (distinct (many l) t))
(check-sat)
