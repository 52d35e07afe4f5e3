//! Constructors for shifts. A shift by a constant is a concatenation of a slice with the bits that come in.

use crate::{Op, Store, Term};

impl Store {
    /// `(bvshl a b)`.
    pub fn bv_shl(&mut self, a: Term, b: Term) -> Term {
        self.bv_shift(Op::BvShl, a, b, Store::bv_shl_by)
    }

    /// `(bvlshr a b)`.
    pub fn bv_lshr(&mut self, a: Term, b: Term) -> Term {
        self.bv_shift(Op::BvLshr, a, b, Store::bv_lshr_by)
    }

    /// `(bvashr a b)`.
    pub fn bv_ashr(&mut self, a: Term, b: Term) -> Term {
        self.bv_shift(Op::BvAshr, a, b, Store::bv_ashr_by)
    }

    fn bv_shift(&mut self, op: Op, a: Term, b: Term, by: fn(&mut Store, Term, u32) -> Term) -> Term {
        let sort = self.sort_of(a);
        debug_assert_eq!(sort, self.sort_of(b), "operands of one width");
        if let Some(t) = self.bv_fold(op, sort, &[a, b]) {
            return t;
        }
        if let Some(amount) = self.bv_value(b) {
            // Amounts that no u32 holds are out of range like every other one from the width on.
            return by(self, a, u32::try_from(&amount).unwrap_or(u32::MAX));
        }
        if self.is_bv_zero(a) || (op == Op::BvAshr && self.is_bv_ones(a)) {
            return a;
        }
        self.intern(op, sort, &[a, b])
    }

    /// Shift left by a number.
    pub(super) fn bv_shl_by(&mut self, a: Term, n: u32) -> Term {
        let w = self.width(a);
        if n == 0 {
            return a;
        }
        if n >= w {
            return self.bv_zero(w);
        }
        let (kept, zeros) = (self.bv_extract(w - 1 - n, 0, a), self.bv_zero(n));
        self.bv_concat(kept, zeros)
    }

    /// Logical shift right by a number.
    pub(super) fn bv_lshr_by(&mut self, a: Term, n: u32) -> Term {
        let w = self.width(a);
        if n >= w {
            return self.bv_zero(w);
        }
        let kept = self.bv_extract(w - 1, n, a);
        self.bv_zero_extend(n, kept)
    }

    /// Arithmetic shift right by a number.
    fn bv_ashr_by(&mut self, a: Term, n: u32) -> Term {
        let n = n.min(self.width(a) - 1);
        let kept = self.bv_extract(self.width(a) - 1, n, a);
        self.bv_sign_extend(n, kept)
    }
}
