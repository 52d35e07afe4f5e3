//! Constructors that take bit-vectors apart and put them together.

use crate::{Op, Sort, Store, Term};
use dashu_int::ops::BitTest;

/// Bit selection follows at most this many nodes, so that asking for all bits of a long concatenation one
/// by one does not take quadratic time.
const BIT_PATH_LIMIT: usize = 64;

impl Store {
    /// `(concat a b)`, `a` being the high part. The widths must add up to less than `2^32`.
    pub fn bv_concat(&mut self, a: Term, b: Term) -> Term {
        if let Some(t) = self.bv_glue(a, b) {
            return t;
        }
        // a . (b1 . b2) with a and b1 glued, or (a1 . a2) . b with a2 and b glued.
        if self.op(b) == Op::Concat
            && let Some(high) = self.bv_glue(a, self.arg(b, 0))
        {
            return self.bv_concat_node(high, self.arg(b, 1));
        }
        if self.op(a) == Op::Concat
            && let Some(low) = self.bv_glue(self.arg(a, 1), b)
        {
            return self.bv_concat_node(self.arg(a, 0), low);
        }
        self.bv_concat_node(a, b)
    }

    fn bv_concat_node(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a).checked_add(self.width(b)).expect("a width below 2^32");
        let sort = self.bv_sort(width);
        self.intern(Op::Concat, sort, &[a, b])
    }

    /// Two constants, or two adjacent slices of one term, as one term.
    fn bv_glue(&mut self, a: Term, b: Term) -> Option<Term> {
        match (self.op(a), self.op(b)) {
            (Op::BvConst(_), Op::BvConst(_)) => {
                let width = self.width(a).checked_add(self.width(b)).expect("a width below 2^32");
                let sort = self.bv_sort(width);
                self.bv_fold(Op::Concat, sort, &[a, b])
            }
            (Op::Extract { hi, lo }, Op::Extract { hi: next, lo: last })
                if lo == next + 1 && self.arg(a, 0) == self.arg(b, 0) =>
            {
                let x = self.arg(a, 0);
                Some(self.bv_slice(hi, last, x))
            }
            _ => None,
        }
    }

    /// `((_ extract hi lo) a)` with `lo <= hi` and `hi` below the width.
    pub fn bv_extract(&mut self, hi: u32, lo: u32, a: Term) -> Term {
        debug_assert!(lo <= hi && hi < self.width(a), "bits {hi} to {lo} of {}", self.width(a));
        let (hi, lo, a) = self.bv_narrow(hi, lo, a);
        if self.op(a) == Op::Concat {
            // The slice has bits of both parts.
            let (high, low) = (self.arg(a, 0), self.arg(a, 1));
            let border = self.width(low);
            let high = self.bv_slice(hi - border, 0, high);
            let low = self.bv_slice(border - 1, lo, low);
            return self.bv_concat(high, low);
        }
        self.bv_slice(hi, lo, a)
    }

    /// Follows a slice into the one term below slices and concatenations that has all its bits.
    fn bv_narrow(&self, mut hi: u32, mut lo: u32, mut a: Term) -> (u32, u32, Term) {
        loop {
            match self.op(a) {
                Op::Extract { lo: below, .. } => {
                    (hi, lo, a) = (hi + below, lo + below, self.arg(a, 0));
                }
                Op::Concat => {
                    let border = self.width(self.arg(a, 1));
                    if hi < border {
                        a = self.arg(a, 1);
                    } else if lo >= border {
                        (hi, lo, a) = (hi - border, lo - border, self.arg(a, 0));
                    } else {
                        return (hi, lo, a);
                    }
                }
                _ => return (hi, lo, a),
            }
        }
    }

    /// A slice that is not distributed over concatenation.
    fn bv_slice(&mut self, hi: u32, lo: u32, a: Term) -> Term {
        let (hi, lo, a) = self.bv_narrow(hi, lo, a);
        if let Op::SignExtend(_) = self.op(a) {
            // Every bit from the sign on is a copy of the sign.
            let x = self.arg(a, 0);
            let sign = self.width(x) - 1;
            let (to, from, x) = self.bv_narrow(hi.min(sign), lo.min(sign), x);
            let kept = self.bv_slice_node(to, from, x);
            return self.bv_sign_extend(hi - lo - (to - from), kept);
        }
        self.bv_slice_node(hi, lo, a)
    }

    fn bv_slice_node(&mut self, hi: u32, lo: u32, a: Term) -> Term {
        if lo == 0 && hi + 1 == self.width(a) {
            return a;
        }
        let (op, sort) = (Op::Extract { hi, lo }, self.bv_sort(hi - lo + 1));
        self.bv_fold(op, sort, &[a]).unwrap_or_else(|| self.intern(op, sort, &[a]))
    }

    /// `((_ sign_extend n) a)`. The width of the result must be less than `2^32`.
    pub fn bv_sign_extend(&mut self, n: u32, a: Term) -> Term {
        if n == 0 {
            return a;
        }
        let width = self.width(a).checked_add(n).expect("a width below 2^32");
        let sort = self.bv_sort(width);
        if let Some(t) = self.bv_fold(Op::SignExtend(n), sort, &[a]) {
            return t;
        }
        match self.op(a) {
            Op::SignExtend(m) => {
                let x = self.arg(a, 0);
                self.intern(Op::SignExtend(n + m), sort, &[x])
            }
            Op::Concat if self.is_bv_zero(self.arg(a, 0)) => self.bv_zero_extend(n, a),
            _ => self.intern(Op::SignExtend(n), sort, &[a]),
        }
    }

    /// `((_ zero_extend n) a)`, as a concatenation. The width of the result must be less than `2^32`.
    pub fn bv_zero_extend(&mut self, n: u32, a: Term) -> Term {
        if n == 0 {
            return a;
        }
        let zeros = self.bv_zero(n);
        self.bv_concat(zeros, a)
    }

    /// `((_ repeat n) a)` with a positive `n`, as concatenations of doubled parts.
    pub fn bv_repeat(&mut self, n: u32, a: Term) -> Term {
        debug_assert!(n > 0, "at least one copy");
        let mut copies = a;
        // The binary digits of n below the first, each doubling what is there.
        for digit in (0..n.max(1).ilog2()).rev() {
            copies = self.bv_concat(copies, copies);
            if n >> digit & 1 == 1 {
                copies = self.bv_concat(copies, a);
            }
        }
        copies
    }

    /// `((_ rotate_left n) a)`, as a concatenation of slices.
    pub fn bv_rotate_left(&mut self, n: u32, a: Term) -> Term {
        let w = self.width(a);
        let n = n % w;
        if n == 0 {
            return a;
        }
        let (high, low) = (self.bv_extract(w - 1 - n, 0, a), self.bv_extract(w - 1, w - n, a));
        self.bv_concat(high, low)
    }

    /// `((_ rotate_right n) a)`, as a concatenation of slices.
    pub fn bv_rotate_right(&mut self, n: u32, a: Term) -> Term {
        let w = self.width(a);
        self.bv_rotate_left(w - n % w, a)
    }

    /// The Boolean value of bit number `i`, which must be below the width. Slices, constants and complements
    /// are looked through; one bitwise operator or choice becomes its Boolean counterpart.
    pub fn bv_bit(&mut self, i: u32, a: Term) -> Term {
        debug_assert!(i < self.width(a), "bit {i} of {}", self.width(a));
        let (i, a, flip) = self.bv_bit_path(i, a);
        let (p, q) = match self.op(a) {
            Op::BvAnd | Op::BvOr | Op::BvXor => (self.arg(a, 0), self.arg(a, 1)),
            Op::Ite => (self.arg(a, 1), self.arg(a, 2)),
            _ => return self.bv_bit_literal(i, a, flip),
        };
        let (p, q) = (self.bv_plain_bit(i, p), self.bv_plain_bit(i, q));
        let t = match self.op(a) {
            Op::BvAnd => self.and(&[p, q]),
            Op::BvOr => self.or(&[p, q]),
            Op::BvXor => self.xor(p, q),
            _ => self.ite(self.arg(a, 0), p, q),
        };
        if flip { self.not(t) } else { t }
    }

    /// A bit found by looking through slices and complements only.
    fn bv_plain_bit(&mut self, i: u32, a: Term) -> Term {
        let (i, a, flip) = self.bv_bit_path(i, a);
        self.bv_bit_literal(i, a, flip)
    }

    /// The bit of the innermost term that decides a bit, and whether it is complemented on the way.
    fn bv_bit_path(&self, mut i: u32, mut a: Term) -> (u32, Term, bool) {
        let mut flip = false;
        for _ in 0..BIT_PATH_LIMIT {
            match self.op(a) {
                Op::Extract { lo, .. } => i += lo,
                Op::SignExtend(_) => i = i.min(self.width(self.arg(a, 0)) - 1),
                Op::BvNot => flip = !flip,
                Op::Concat => {
                    let border = self.width(self.arg(a, 1));
                    if i < border {
                        a = self.arg(a, 1);
                    } else {
                        (i, a) = (i - border, self.arg(a, 0));
                    }
                    continue;
                }
                _ => break,
            }
            a = self.arg(a, 0);
        }
        (i, a, flip)
    }

    /// The bit of a term as it stands, complemented if `flip`.
    fn bv_bit_literal(&mut self, i: u32, a: Term, flip: bool) -> Term {
        let bit = match self.bv_value(a) {
            Some(v) => self.bool(v.bit(i as usize)),
            None => self.intern(Op::Bit(i), Sort::BOOL, &[a]),
        };
        if flip { self.not(bit) } else { bit }
    }
}
