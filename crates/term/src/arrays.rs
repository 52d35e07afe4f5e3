//! Constructors for arrays.

use crate::{Op, Sort, Store, Term};

impl Store {
    /// `(select a i)`; reads over writes and constant arrays are resolved where the indices decide it.
    pub fn select(&mut self, a: Term, i: Term) -> Term {
        let (index, element) = self.array_sorts(self.sort_of(a)).expect("an array term");
        debug_assert_eq!(index, self.sort_of(i));
        let mut a = a;
        loop {
            match self.op(a) {
                Op::Store if self.arg(a, 1) == i => return self.arg(a, 2),
                Op::Store if self.surely_distinct(self.arg(a, 1), i) => a = self.arg(a, 0),
                Op::ConstArray => return self.arg(a, 0),
                _ => return self.intern(Op::Select, element, &[a, i]),
            }
        }
    }

    /// `(store a i v)`; a write of what was read, and a write over a write at the same index, vanish.
    pub fn store(&mut self, a: Term, i: Term, v: Term) -> Term {
        let sort = self.sort_of(a);
        if self.op(v) == Op::Select && self.args(v) == [a, i] {
            return a;
        }
        if self.op(a) == Op::ConstArray && self.arg(a, 0) == v {
            return a;
        }
        let a = if self.op(a) == Op::Store && self.arg(a, 1) == i { self.arg(a, 0) } else { a };
        self.intern(Op::Store, sort, &[a, i, v])
    }

    /// The array of the given sort that holds `v` everywhere.
    pub fn const_array(&mut self, sort: Sort, v: Term) -> Term {
        debug_assert_eq!(self.array_sorts(sort).map(|s| s.1), Some(self.sort_of(v)));
        self.intern(Op::ConstArray, sort, &[v])
    }

    /// Do two terms differ in every model, by inspection? For sums, if they differ by a constant.
    fn surely_distinct(&mut self, a: Term, b: Term) -> bool {
        self.eq(a, b) == self.fls()
    }
}
