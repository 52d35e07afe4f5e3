//! Constructors for bitwise operators.

use crate::{Op, Store, Term};

impl Store {
    /// `(bvnot a)`.
    pub fn bv_not(&mut self, a: Term) -> Term {
        let sort = self.sort_of(a);
        match self.op(a) {
            Op::BvNot => self.arg(a, 0),
            _ => self.bv_fold(Op::BvNot, sort, &[a]).unwrap_or_else(|| self.intern(Op::BvNot, sort, &[a])),
        }
    }

    /// `(bvand a b)`.
    pub fn bv_and(&mut self, a: Term, b: Term) -> Term {
        self.bv_chain(Op::BvAnd, a, b)
    }

    /// `(bvor a b)`.
    pub fn bv_or(&mut self, a: Term, b: Term) -> Term {
        self.bv_chain(Op::BvOr, a, b)
    }

    /// `(bvxor a b)`; complements are moved outside.
    pub fn bv_xor(&mut self, a: Term, b: Term) -> Term {
        let ((a, flip_a), (b, flip_b)) = (self.bv_literal(a), self.bv_literal(b));
        let t = self.bv_chain(Op::BvXor, a, b);
        if flip_a == flip_b { t } else { self.bv_not(t) }
    }

    /// `(bvnand a b)`, as a complement.
    pub fn bv_nand(&mut self, a: Term, b: Term) -> Term {
        let t = self.bv_and(a, b);
        self.bv_not(t)
    }

    /// `(bvnor a b)`, as a complement.
    pub fn bv_nor(&mut self, a: Term, b: Term) -> Term {
        let t = self.bv_or(a, b);
        self.bv_not(t)
    }

    /// `(bvxnor a b)`, as a complement.
    pub fn bv_xnor(&mut self, a: Term, b: Term) -> Term {
        let t = self.bv_xor(a, b);
        self.bv_not(t)
    }

    /// The term without its complement, and whether there was one.
    fn bv_literal(&self, a: Term) -> (Term, bool) {
        match self.op(a) {
            Op::BvNot => (self.arg(a, 0), true),
            _ => (a, false),
        }
    }

    /// `bvand` or `bvor` of terms without constants: idempotence, absorption, complements.
    pub(super) fn bv_join_lattice(&mut self, op: Op, x: Term, y: Term) -> Term {
        if x == y {
            return x;
        }
        let dual = if op == Op::BvAnd { Op::BvOr } else { Op::BvAnd };
        for (x, y) in [(x, y), (y, x)] {
            if self.bv_other(op, y, x).is_some() {
                return y;
            }
            if self.bv_other(dual, y, x).is_some() {
                return x;
            }
        }
        if self.bv_opposites(Op::BvNot, x, y) {
            let w = self.width(x);
            return if op == Op::BvAnd { self.bv_zero(w) } else { self.bv_ones(w) };
        }
        self.bv_commutative(op, x, y)
    }

    /// `bvxor` of terms without constants and complements.
    pub(super) fn bv_join_xor(&mut self, x: Term, y: Term) -> Term {
        if x == y {
            let w = self.width(x);
            return self.bv_zero(w);
        }
        for (x, y) in [(x, y), (y, x)] {
            if let Some(rest) = self.bv_other(Op::BvXor, y, x) {
                return rest;
            }
        }
        self.bv_commutative(Op::BvXor, x, y)
    }
}
