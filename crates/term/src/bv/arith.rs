//! Constructors for arithmetic modulo `2^width`.

use crate::{Op, Store, Term};

impl Store {
    /// `(bvneg a)`.
    pub fn bv_neg(&mut self, a: Term) -> Term {
        let sort = self.sort_of(a);
        if let Some(t) = self.bv_fold(Op::BvNeg, sort, &[a]) {
            return t;
        }
        if let Some((k, rest)) = self.bv_const_and_rest(Op::BvAdd, a) {
            let (k, rest) = (self.bv_neg_const(k), self.bv_neg_plain(rest));
            return self.bv_add(k, rest);
        }
        self.bv_neg_plain(a)
    }

    /// Negation of a constant, which is a constant.
    fn bv_neg_const(&mut self, k: Term) -> Term {
        let sort = self.sort_of(k);
        self.bv_fold(Op::BvNeg, sort, &[k]).unwrap_or(k)
    }

    /// Negation of a term that is no constant.
    fn bv_neg_plain(&mut self, a: Term) -> Term {
        let sort = self.sort_of(a);
        if let Some((k, rest)) = self.bv_const_and_rest(Op::BvMul, a) {
            let k = self.bv_neg_const(k);
            return self.bv_scale(k, rest);
        }
        match self.op(a) {
            Op::BvNeg => self.arg(a, 0),
            Op::BvNot => {
                let (x, w) = (self.arg(a, 0), self.width(a));
                let one = self.bv_u64(w, 1);
                self.bv_add(one, x)
            }
            _ => self.intern(Op::BvNeg, sort, &[a]),
        }
    }

    /// `(bvadd a b)`.
    pub fn bv_add(&mut self, a: Term, b: Term) -> Term {
        self.bv_chain(Op::BvAdd, a, b)
    }

    /// `(bvsub a b)`, as the sum with a negation.
    pub fn bv_sub(&mut self, a: Term, b: Term) -> Term {
        let n = self.bv_neg(b);
        self.bv_add(a, n)
    }

    /// `bvadd` of terms without constants: opposites cancel.
    pub(super) fn bv_join_add(&mut self, x: Term, y: Term) -> Term {
        let w = self.width(x);
        if x == y {
            let one = self.bv_u64(w, 1);
            return self.bv_shl(x, one);
        }
        if self.bv_opposites(Op::BvNeg, x, y) {
            return self.bv_zero(w);
        }
        if self.bv_opposites(Op::BvNot, x, y) {
            return self.bv_ones(w);
        }
        for (x, y) in [(x, y), (y, x)] {
            // x + (y - x) and (-x) + (x + y)
            if self.op(y) == Op::BvAdd {
                let (p, q) = (self.arg(y, 0), self.arg(y, 1));
                if self.bv_opposites(Op::BvNeg, x, p) {
                    return q;
                }
                if self.bv_opposites(Op::BvNeg, x, q) {
                    return p;
                }
            }
        }
        self.bv_commutative(Op::BvAdd, x, y)
    }

    /// `(bvmul a b)`; negations are moved outside.
    pub fn bv_mul(&mut self, a: Term, b: Term) -> Term {
        self.bv_chain(Op::BvMul, a, b)
    }

    /// `bvmul` of terms without constants.
    pub(super) fn bv_join_mul(&mut self, x: Term, y: Term) -> Term {
        let strip = |s: &Store, t: Term| if s.op(t) == Op::BvNeg { (s.arg(t, 0), true) } else { (t, false) };
        let ((x, minus_x), (y, minus_y)) = (strip(self, x), strip(self, y));
        let product = self.bv_commutative(Op::BvMul, x, y);
        if minus_x == minus_y { product } else { self.bv_neg_plain(product) }
    }

    /// A constant times a term that is neither constant nor a constant multiple.
    pub(super) fn bv_scale(&mut self, k: Term, t: Term) -> Term {
        let (k, t) = if self.op(t) == Op::BvNeg { (self.bv_neg_const(k), self.arg(t, 0)) } else { (k, t) };
        if self.is_bv_zero(k) {
            k
        } else if self.is_bv_one(k) {
            t
        } else if let Some(n) = self.bv_log2(k) {
            self.bv_shl_by(t, n)
        } else if self.is_bv_ones(k) {
            let sort = self.sort_of(t);
            self.intern(Op::BvNeg, sort, &[t])
        } else {
            self.bv_commutative(Op::BvMul, k, t)
        }
    }

    /// `(bvudiv a b)`; division by zero gives all ones.
    pub fn bv_udiv(&mut self, a: Term, b: Term) -> Term {
        let (sort, w) = (self.sort_of(a), self.width(a));
        if let Some(t) = self.bv_fold(Op::BvUdiv, sort, &[a, b]) {
            return t;
        }
        if self.is_bv_zero(b) {
            return self.bv_ones(w);
        }
        if let Some(n) = self.bv_log2(b) {
            return self.bv_lshr_by(a, n);
        }
        if a == b {
            let (zero, one, ones) = (self.bv_zero(w), self.bv_u64(w, 1), self.bv_ones(w));
            let by_zero = self.eq(b, zero);
            return self.ite(by_zero, ones, one);
        }
        self.intern(Op::BvUdiv, sort, &[a, b])
    }

    /// `(bvurem a b)`; the remainder of a division by zero is the dividend.
    pub fn bv_urem(&mut self, a: Term, b: Term) -> Term {
        let (sort, w) = (self.sort_of(a), self.width(a));
        if let Some(t) = self.bv_fold(Op::BvUrem, sort, &[a, b]) {
            return t;
        }
        if self.is_bv_zero(b) || self.is_bv_zero(a) {
            return a;
        }
        if a == b {
            return self.bv_zero(w);
        }
        match self.bv_log2(b) {
            Some(0) => self.bv_zero(w),
            Some(n) => {
                let low = self.bv_extract(n - 1, 0, a);
                self.bv_zero_extend(w - n, low)
            }
            None => self.intern(Op::BvUrem, sort, &[a, b]),
        }
    }

    /// The sign bit.
    pub(super) fn bv_sign(&mut self, a: Term) -> Term {
        let w = self.width(a);
        self.bv_bit(w - 1, a)
    }

    /// The magnitude of a two's complement number; the smallest number is its own magnitude.
    fn bv_magnitude(&mut self, a: Term) -> Term {
        let (sign, n) = (self.bv_sign(a), self.bv_neg(a));
        self.ite(sign, n, a)
    }

    /// `(bvsdiv a b)`: division rounding towards zero, through magnitudes.
    pub fn bv_sdiv(&mut self, a: Term, b: Term) -> Term {
        let (sign_a, sign_b) = (self.bv_sign(a), self.bv_sign(b));
        let (abs_a, abs_b) = (self.bv_magnitude(a), self.bv_magnitude(b));
        let q = self.bv_udiv(abs_a, abs_b);
        let minus_q = self.bv_neg(q);
        let same = self.iff(sign_a, sign_b);
        self.ite(same, q, minus_q)
    }

    /// `(bvsrem a b)`: remainder with the sign of the dividend, through magnitudes.
    pub fn bv_srem(&mut self, a: Term, b: Term) -> Term {
        let sign_a = self.bv_sign(a);
        let (abs_a, abs_b) = (self.bv_magnitude(a), self.bv_magnitude(b));
        let r = self.bv_urem(abs_a, abs_b);
        let minus_r = self.bv_neg(r);
        self.ite(sign_a, minus_r, r)
    }

    /// `(bvsmod a b)`: remainder with the sign of the divisor, through magnitudes.
    pub fn bv_smod(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        let (sign_a, sign_b) = (self.bv_sign(a), self.bv_sign(b));
        let r = self.bv_srem(a, b);
        let shifted = self.bv_add(r, b);
        let zero = self.bv_zero(w);
        let (same, exact) = (self.iff(sign_a, sign_b), self.eq(r, zero));
        let keep = self.or(&[same, exact]);
        self.ite(keep, r, shifted)
    }
}
