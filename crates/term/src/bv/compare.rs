//! Constructors for comparisons, equality and overflow predicates.

use crate::{Op, Sort, Store, Term};
use dashu_int::UBig;

impl Store {
    /// `(bvule a b)`.
    pub fn bv_ule(&mut self, a: Term, b: Term) -> Term {
        self.bv_le(Op::BvUle, a, b)
    }

    /// `(bvult a b)`, as the negated converse.
    pub fn bv_ult(&mut self, a: Term, b: Term) -> Term {
        let le = self.bv_ule(b, a);
        self.not(le)
    }

    /// `(bvugt a b)`.
    pub fn bv_ugt(&mut self, a: Term, b: Term) -> Term {
        self.bv_ult(b, a)
    }

    /// `(bvuge a b)`.
    pub fn bv_uge(&mut self, a: Term, b: Term) -> Term {
        self.bv_ule(b, a)
    }

    /// `(bvsle a b)`.
    pub fn bv_sle(&mut self, a: Term, b: Term) -> Term {
        self.bv_le(Op::BvSle, a, b)
    }

    /// `(bvslt a b)`, as the negated converse.
    pub fn bv_slt(&mut self, a: Term, b: Term) -> Term {
        let le = self.bv_sle(b, a);
        self.not(le)
    }

    /// `(bvsgt a b)`.
    pub fn bv_sgt(&mut self, a: Term, b: Term) -> Term {
        self.bv_slt(b, a)
    }

    /// `(bvsge a b)`.
    pub fn bv_sge(&mut self, a: Term, b: Term) -> Term {
        self.bv_sle(b, a)
    }

    /// `a <= b` in one of the two orders, in normal form: no extension on both sides, a constant on the
    /// right, and an equation if one side is next to the end of the order.
    fn bv_le(&mut self, op: Op, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort_of(a), self.sort_of(b), "operands of one width");
        if let Some(t) = self.bv_fold(op, Sort::BOOL, &[a, b]) {
            return t;
        }
        let (op, a, b) = self.bv_strip_extensions(op, a, b);
        if !self.is_bv_const(a) {
            return self.bv_le_right(op, a, b);
        }
        // k <= b is not (b <= k - 1), unless k is the least value.
        let (least, _) = self.bv_ends(op, self.width(a));
        if a == least {
            return self.tru();
        }
        let before = self.bv_offset(a, false);
        let le = self.bv_le_right(op, b, before);
        self.not(le)
    }

    /// `a <= b` for a term `a` that is not a constant.
    fn bv_le_right(&mut self, op: Op, a: Term, b: Term) -> Term {
        if a == b {
            return self.tru();
        }
        let (least, greatest) = self.bv_ends(op, self.width(a));
        if b == greatest {
            return self.tru();
        }
        if b == least {
            return self.eq(a, least);
        }
        if self.is_bv_const(b) && self.bv_offset(b, true) == greatest {
            let e = self.eq(a, greatest);
            return self.not(e);
        }
        self.intern(op, Sort::BOOL, &[a, b])
    }

    /// Least and greatest word of an order.
    fn bv_ends(&mut self, op: Op, width: u32) -> (Term, Term) {
        if op == Op::BvUle {
            return (self.bv_zero(width), self.bv_ones(width));
        }
        let least = self.bv_const(width, UBig::ONE << (width as usize - 1));
        (least, self.bv_not(least))
    }

    /// The constant after or before a constant.
    fn bv_offset(&mut self, k: Term, after: bool) -> Term {
        let w = self.width(k);
        let step = if after { self.bv_u64(w, 1) } else { self.bv_ones(w) };
        self.bv_add(k, step)
    }

    /// Both sides without an extension that they share; the comparison of zero extensions is unsigned.
    fn bv_strip_extensions(&mut self, mut op: Op, mut a: Term, mut b: Term) -> (Op, Term, Term) {
        loop {
            match (self.op(a), self.op(b)) {
                (Op::SignExtend(m), Op::SignExtend(n)) if m == n => {}
                (Op::Concat, Op::Concat)
                    if self.arg(a, 0) == self.arg(b, 0) && self.is_bv_zero(self.arg(a, 0)) =>
                {
                    (op, a, b) = (Op::BvUle, self.arg(a, 1), self.arg(b, 1));
                    continue;
                }
                _ => return (op, a, b),
            }
            (a, b) = (self.arg(a, 0), self.arg(b, 0));
        }
    }

    /// Equality of two bit-vectors of one width. Operators that are one-to-one are inverted as long as the
    /// other side is a constant or has the same root.
    pub fn bv_eq(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort_of(a), self.sort_of(b), "operands of one width");
        let (mut a, mut b) = (a, b);
        loop {
            if a == b {
                return self.tru();
            }
            if let Some(e) = self.float_bits_eq(a, b) {
                return e;
            }
            if self.is_bv_const(a) {
                (a, b) = (b, a);
            }
            if self.is_bv_const(a) {
                return self.fls();
            }
            let step = if self.is_bv_const(b) { self.bv_solve(a, b) } else { self.bv_cancel(a, b) };
            match step {
                Solved::Equation(x, y) => (a, b) = (x, y),
                Solved::False => return self.fls(),
                Solved::No => return self.intern(Op::Eq, Sort::BOOL, &[a.min(b), a.max(b)]),
            }
        }
    }

    /// `t = k` with the root of `t` inverted.
    fn bv_solve(&mut self, t: Term, k: Term) -> Solved {
        match self.op(t) {
            Op::BvNot => Solved::Equation(self.arg(t, 0), self.bv_not(k)),
            Op::BvNeg => Solved::Equation(self.arg(t, 0), self.bv_neg(k)),
            Op::BvAdd => match self.bv_const_and_rest(Op::BvAdd, t) {
                Some((c, rest)) => Solved::Equation(rest, self.bv_sub(k, c)),
                None => Solved::No,
            },
            Op::BvXor => match self.bv_const_and_rest(Op::BvXor, t) {
                Some((c, rest)) => Solved::Equation(rest, self.bv_xor(k, c)),
                None => Solved::No,
            },
            Op::SignExtend(n) => {
                let x = self.arg(t, 0);
                let low = self.bv_extract(self.width(x) - 1, 0, k);
                let fits = self.bv_sign_extend(n, low) == k;
                if fits { Solved::Equation(x, low) } else { Solved::False }
            }
            Op::Concat => {
                let (x, y) = (self.arg(t, 0), self.arg(t, 1));
                let border = self.width(y);
                let (high, low) =
                    (self.bv_extract(self.width(t) - 1, border, k), self.bv_extract(border - 1, 0, k));
                match (self.is_bv_const(x), self.is_bv_const(y)) {
                    (true, _) if x == high => Solved::Equation(y, low),
                    (_, true) if y == low => Solved::Equation(x, high),
                    (false, false) => Solved::No,
                    _ => Solved::False,
                }
            }
            _ => Solved::No,
        }
    }

    /// `a = b` without what the two sides share; neither side is a constant.
    fn bv_cancel(&mut self, a: Term, b: Term) -> Solved {
        let zero = self.bv_zero(self.width(a));
        for (a, b) in [(a, b), (b, a)] {
            for op in [Op::BvAdd, Op::BvXor] {
                if let Some(rest) = self.bv_other(op, a, b) {
                    return Solved::Equation(rest, zero);
                }
            }
        }
        match (self.op(a), self.op(b)) {
            (Op::BvNot, Op::BvNot) | (Op::BvNeg, Op::BvNeg) => {
                Solved::Equation(self.arg(a, 0), self.arg(b, 0))
            }
            (Op::SignExtend(m), Op::SignExtend(n)) if m == n => {
                Solved::Equation(self.arg(a, 0), self.arg(b, 0))
            }
            (op @ (Op::BvAdd | Op::BvXor), other) if op == other => {
                let shared = self.args(a).iter().find_map(|&x| Some((x, self.bv_other(op, b, x)?)));
                match shared.and_then(|(x, y)| Some((self.bv_other(op, a, x)?, y))) {
                    Some((x, y)) => Solved::Equation(x, y),
                    None => Solved::No,
                }
            }
            (Op::Concat, Op::Concat) => {
                let ((p, x), (q, y)) = ((self.arg(a, 0), self.arg(a, 1)), (self.arg(b, 0), self.arg(b, 1)));
                if p == q {
                    Solved::Equation(x, y)
                } else if x == y {
                    Solved::Equation(p, q)
                } else if self.bv_distinct_consts(p, q) || self.bv_distinct_consts(x, y) {
                    Solved::False
                } else {
                    Solved::No
                }
            }
            _ => Solved::No,
        }
    }

    /// Are these different constants of one width?
    fn bv_distinct_consts(&self, a: Term, b: Term) -> bool {
        a != b && self.is_bv_const(a) && self.is_bv_const(b) && self.sort_of(a) == self.sort_of(b)
    }

    /// `(bvcomp a b)`: the single bit that says whether two bit-vectors are equal.
    pub fn bv_comp(&mut self, a: Term, b: Term) -> Term {
        let (equal, one, zero) = (self.eq(a, b), self.bv_u64(1, 1), self.bv_zero(1));
        self.ite(equal, one, zero)
    }

    /// `(bvnego a)`: does negation overflow, that is, is this the least signed number?
    pub fn bv_nego(&mut self, a: Term) -> Term {
        let (least, _) = self.bv_ends(Op::BvSle, self.width(a));
        self.eq(a, least)
    }

    /// `(bvuaddo a b)`: does unsigned addition overflow?
    pub fn bv_uaddo(&mut self, a: Term, b: Term) -> Term {
        let sum = self.bv_add(a, b);
        self.bv_ult(sum, a)
    }

    /// `(bvsaddo a b)`: does signed addition overflow? Operands of one sign, a sum of the other.
    pub fn bv_saddo(&mut self, a: Term, b: Term) -> Term {
        let sum = self.bv_add(a, b);
        let (sign_a, sign_b, sign) = (self.bv_sign(a), self.bv_sign(b), self.bv_sign(sum));
        let (same, changed) = (self.iff(sign_a, sign_b), self.xor(sign_a, sign));
        self.and(&[same, changed])
    }

    /// `(bvusubo a b)`: does unsigned subtraction overflow?
    pub fn bv_usubo(&mut self, a: Term, b: Term) -> Term {
        self.bv_ult(a, b)
    }

    /// `(bvssubo a b)`: does signed subtraction overflow? Operands of two signs, a difference not of the first.
    pub fn bv_ssubo(&mut self, a: Term, b: Term) -> Term {
        let difference = self.bv_sub(a, b);
        let (sign_a, sign_b, sign) = (self.bv_sign(a), self.bv_sign(b), self.bv_sign(difference));
        let (differ, changed) = (self.xor(sign_a, sign_b), self.xor(sign_a, sign));
        self.and(&[differ, changed])
    }

    /// `(bvumulo a b)`: does unsigned multiplication overflow? By the high half of the full product.
    pub fn bv_umulo(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        let (a, b) = (self.bv_zero_extend(w, a), self.bv_zero_extend(w, b));
        let product = self.bv_mul(a, b);
        let high = self.bv_extract(2 * w - 1, w, product);
        let zero = self.bv_zero(w);
        let fits = self.eq(high, zero);
        self.not(fits)
    }

    /// `(bvsmulo a b)`: does signed multiplication overflow? The full product is then no sign extension.
    pub fn bv_smulo(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a);
        let (a, b) = (self.bv_sign_extend(w, a), self.bv_sign_extend(w, b));
        let product = self.bv_mul(a, b);
        let high = self.bv_extract(2 * w - 1, w, product);
        let sign = self.bv_extract(w - 1, w - 1, product);
        let signs = self.bv_sign_extend(w - 1, sign);
        let fits = self.eq(high, signs);
        self.not(fits)
    }

    /// `(bvsdivo a b)`: does signed division overflow, that is, is the least number divided by -1?
    pub fn bv_sdivo(&mut self, a: Term, b: Term) -> Term {
        let ones = self.bv_ones(self.width(b));
        let (least, minus_one) = (self.bv_nego(a), self.eq(b, ones));
        self.and(&[least, minus_one])
    }
}

/// What became of an equation.
enum Solved {
    /// An equivalent equation between smaller terms.
    Equation(Term, Term),
    /// It cannot hold.
    False,
    /// It stays as it is.
    No,
}
