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

/// The symbol for an index at which two arrays differ, if they do.
pub const ARRAY_DIFF: &str = "@diff";
/// The symbol for the element that an array holds almost everywhere.
pub const ARRAY_DEFAULT: &str = "@default";

/// Terms that only the decision procedure makes.
impl Store {
    /// `(select a i)` without simplification, for axioms about reads.
    pub fn raw_select(&mut self, a: Term, i: Term) -> Term {
        let (_, element) = self.array_sorts(self.sort_of(a)).expect("an array term");
        self.intern(Op::Select, element, &[a, i])
    }

    /// An index at which two arrays of the same sort differ, unless they are equal.
    pub fn array_diff(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort_of(a);
        let (index, _) = self.array_sorts(sort).expect("an array term");
        let f = self.func(ARRAY_DIFF, &[sort, sort], index);
        self.apply(f, &[a, b])
    }

    /// The element that an array holds almost everywhere.
    pub fn array_default(&mut self, a: Term) -> Term {
        let sort = self.sort_of(a);
        let (_, element) = self.array_sorts(sort).expect("an array term");
        let f = self.func(ARRAY_DEFAULT, &[sort], element);
        self.apply(f, &[a])
    }

    /// Is this a term made by [`Store::array_diff`]?
    pub fn is_array_diff(&self, t: Term) -> bool {
        matches!(self.op(t), Op::Apply(f) if &*self.decl(f).name == ARRAY_DIFF)
    }

    /// The array of which a term is the default element.
    pub fn as_array_default(&self, t: Term) -> Option<Term> {
        let Op::Apply(f) = self.op(t) else { return None };
        let (decl, &[array]) = (self.decl(f), self.args(t)) else { return None };
        let sorts = self.array_sorts(self.sort_of(array));
        let is_default =
            &*decl.name == ARRAY_DEFAULT && sorts.is_some_and(|(_, element)| element == decl.result);
        is_default.then_some(array)
    }

    /// The equation `t = value` that defines a term: like [`Store::eq`], but a choice between values is not
    /// resolved into its condition, since that would define nothing.
    pub fn definition(&mut self, t: Term, value: Term) -> Term {
        let sort = self.sort_of(t);
        if t == value {
            self.tru()
        } else if sort == Sort::BOOL {
            self.iff(t, value)
        } else if sort.is_arith() {
            self.arith_eq(t, value)
        } else if self.is_value(t) && self.is_value(value) {
            self.fls()
        } else {
            self.intern(Op::Eq, Sort::BOOL, &[t.min(value), t.max(value)])
        }
    }
}
