//! Associative and commutative operators: the constants of a chain are joined in its outermost node.
//!
//! `k1 + (k2 + x)` is `(k1 + k2) + x` and `(k1 + x) + (k2 + y)` is `(k1 + k2) + (x + y)`; the same holds for
//! the other operators. What is left without constants is joined by the operator's own identities.

use crate::{Op, Store, Term};

impl Store {
    /// `bvand`, `bvor`, `bvxor`, `bvadd` or `bvmul` of two terms of one width.
    pub(super) fn bv_chain(&mut self, op: Op, a: Term, b: Term) -> Term {
        let sort = self.sort_of(a);
        debug_assert_eq!(sort, self.sort_of(b), "operands of one width");
        if let Some(t) = self.bv_fold(op, sort, &[a, b]) {
            return t;
        }
        let ((ka, ra), (kb, rb)) = (self.bv_split(op, a), self.bv_split(op, b));
        let constant = match (ka, kb) {
            (Some(k), Some(l)) => self.bv_fold(op, sort, &[k, l]),
            (k, l) => k.or(l),
        };
        let rest = match (ra, rb) {
            (Some(x), Some(y)) => Some(self.bv_join(op, x, y)),
            (x, y) => x.or(y),
        };
        match (constant, rest) {
            (Some(k), Some(t)) => self.bv_with_const(op, k, t),
            (k, t) => k.or(t).unwrap_or(a),
        }
    }

    /// The constant of a chain and what it is joined with; one of the two may be absent.
    fn bv_split(&self, op: Op, t: Term) -> (Option<Term>, Option<Term>) {
        if self.is_bv_const(t) {
            return (Some(t), None);
        }
        match self.bv_const_and_rest(op, t) {
            Some((k, rest)) => (Some(k), Some(rest)),
            None => (None, Some(t)),
        }
    }

    /// The constant and the other argument of a node with operator `op` that has a constant argument.
    pub(super) fn bv_const_and_rest(&self, op: Op, t: Term) -> Option<(Term, Term)> {
        if self.op(t) != op {
            return None;
        }
        let (a, b) = (self.arg(t, 0), self.arg(t, 1));
        match (self.is_bv_const(a), self.is_bv_const(b)) {
            (true, _) => Some((a, b)),
            (_, true) => Some((b, a)),
            _ => None,
        }
    }

    /// Joins two terms neither of which is a constant or has one in its outermost node.
    fn bv_join(&mut self, op: Op, x: Term, y: Term) -> Term {
        match op {
            Op::BvXor => self.bv_join_xor(x, y),
            Op::BvAdd => self.bv_join_add(x, y),
            Op::BvMul => self.bv_join_mul(x, y),
            _ => self.bv_join_lattice(op, x, y),
        }
    }

    /// Joins a constant with a term that has no constant of the same chain in its outermost node.
    fn bv_with_const(&mut self, op: Op, k: Term, t: Term) -> Term {
        let sort = self.sort_of(k);
        if let Some(folded) = self.bv_fold(op, sort, &[k, t]) {
            return folded;
        }
        let (zero, ones) = (self.is_bv_zero(k), self.is_bv_ones(k));
        match op {
            Op::BvAnd if zero => k,
            Op::BvAnd if ones => t,
            Op::BvOr if zero => t,
            Op::BvOr if ones => k,
            Op::BvXor | Op::BvAdd if zero => t,
            Op::BvXor if ones => self.bv_not(t),
            Op::BvMul => self.bv_scale(k, t),
            _ => self.bv_commutative(op, k, t),
        }
    }
}
