//! Machine arithmetic over mathematical integers, exactly.
//!
//! Values are integers; an operation wraps only where the intervals of its operands cannot exclude it. Bit operations
//! work on infinite two's complement, where `a & c` for a constant `c >= 0` is a sum over the runs of ones in `c`, and
//! the others follow: `a & -c = a - (a & (c-1))`, `a | b = a + b - (a & b)`, `a ^ b = a + b - 2 (a & b)`.

use super::{Encoder, Ints};
use crate::c::hir::BinOp;
use crate::c::types::IntType;
use bolide_base::Rational;
use bolide_model::program::pass::Interval;
use bolide_term::Term;

/// An integer term and where its values lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Num {
    pub term: Term,
    pub range: Interval,
    /// The values are multiples of `2^zeros`.
    zeros: u32,
}

/// How many low bits are zero at most, as far as it is counted.
const MOST_ZEROS: u32 = 126;

impl Num {
    pub(super) fn new(term: Term, range: Interval) -> Num {
        Num { term, range, zeros: 0 }
    }

    fn is_constant(&self) -> Option<i128> {
        if self.range.low == self.range.high { self.range.low } else { None }
    }

    fn at_least(&self, bound: i128) -> bool {
        self.range.low.is_some_and(|l| l >= bound)
    }

    /// A number such that all values are in `0..2^length`, if there is one.
    fn length(&self) -> Option<u32> {
        self.range.high.filter(|_| self.at_least(0)).map(|h| 128 - h.leading_zeros())
    }
}

impl Encoder<'_> {
    pub(super) fn number(&mut self, value: i128) -> Num {
        Num {
            term: self.int(value),
            range: Interval::point(value),
            zeros: value.trailing_zeros().min(MOST_ZEROS),
        }
    }

    fn sum(&mut self, a: Num, b: Num) -> Num {
        let zeros = a.zeros.min(b.zeros);
        Num { term: self.store.add(&[a.term, b.term]), range: a.range.add(&b.range), zeros }
    }

    fn times(&mut self, a: Num, k: i128) -> Num {
        let factor = Rational::from(bolide_base::IBig::from(k));
        let zeros = (a.zeros + k.trailing_zeros()).min(MOST_ZEROS);
        Num { term: self.store.scale(&factor, a.term), range: a.range.scale(k), zeros }
    }

    fn minus(&mut self, a: Num, b: Num) -> Num {
        let b = self.times(b, -1);
        self.sum(a, b)
    }

    /// Division by a positive constant, rounding down.
    pub(super) fn floor_div(&mut self, a: Num, k: i128) -> Num {
        if let Some(q) = a.range.period(k) {
            return self.number(q);
        }
        let d = self.int(k);
        let zeros = if k & (k - 1) == 0 { a.zeros.saturating_sub(k.trailing_zeros()) } else { 0 };
        Num { term: self.store.div(a.term, d), range: a.range.div(k), zeros }
    }

    /// The remainder of that division.
    pub(super) fn modulo(&mut self, a: Num, k: i128) -> Num {
        if let Some(q) = a.range.period(k) {
            let shift = self.number(-q * k);
            return self.sum(a, shift);
        }
        let d = self.int(k);
        let zeros = a.zeros.min(k.trailing_zeros());
        Num { term: self.store.modulo(a.term, d), range: Interval::new(0, k - 1), zeros }
    }

    /// The value converted to an integer type.
    pub(super) fn wrap(&mut self, a: Num, ty: IntType) -> Num {
        let (low, high) = ty.range();
        let is_kept = self.ints == Ints::Unbounded || ty == IntType::WIDE;
        if is_kept || a.range.within(&Interval::new(low, high)) {
            return a;
        }
        let size = 1i128 << ty.bits;
        if !ty.signed {
            return self.modulo(a, size);
        }
        let half = self.number(size / 2);
        let shifted = self.sum(a, half);
        let rest = self.modulo(shifted, size);
        self.minus(rest, half)
    }

    pub(super) fn negate(&mut self, a: Num, ty: IntType) -> Num {
        let n = self.times(a, -1);
        self.wrap(n, ty)
    }

    pub(super) fn complement(&mut self, a: Num, ty: IntType) -> Num {
        let all = self.number(if ty.signed { -1 } else { ty.range().1 });
        self.minus(all, a)
    }

    /// An operator on values of a type.
    pub(super) fn operate(&mut self, op: BinOp, a: Num, b: Num, ty: IntType) -> Num {
        let exact = match op {
            BinOp::Add => self.sum(a, b),
            BinOp::Sub => self.minus(a, b),
            BinOp::Mul => match (a.is_constant(), b.is_constant()) {
                (Some(k), _) => self.times(b, k),
                (_, Some(k)) => self.times(a, k),
                _ => {
                    let zeros = (a.zeros + b.zeros).min(MOST_ZEROS);
                    Num { term: self.store.mul(&[a.term, b.term]), range: a.range.mul(&b.range), zeros }
                }
            },
            BinOp::Div => self.quotient(a, b),
            BinOp::Rem => self.remainder(a, b),
            BinOp::Shl => self.shift(a, b, ty, |this, a, k| this.times(a, 1 << k)),
            BinOp::Shr => self.shift(a, b, ty, |this, a, k| this.floor_div(a, 1 << k)),
            BinOp::And => self.conjunction(a, b, ty),
            BinOp::Or => {
                let (both, and) = (self.sum(a, b), self.conjunction(a, b, ty));
                let out = self.minus(both, and);
                self.bounded_bits(out, a, b, ty)
            }
            BinOp::Xor => {
                let (both, and) = (self.sum(a, b), self.conjunction(a, b, ty));
                let twice = self.times(and, 2);
                let out = self.minus(both, twice);
                self.bounded_bits(out, a, b, ty)
            }
        };
        self.wrap(exact, ty)
    }

    /// `|` and `^` of values of a type stay in it; of small non-negative values they stay below the next power of two.
    fn bounded_bits(&self, out: Num, a: Num, b: Num, ty: IntType) -> Num {
        let mut range = Interval::new(ty.range().0, ty.range().1);
        if a.at_least(0)
            && b.at_least(0)
            && let (Some(x), Some(y)) = (a.range.high, b.range.high)
        {
            range = Interval::new(0, next_mask(x.max(y)));
        }
        Num { range: out.range.meet(&range).unwrap_or(range), ..out }
    }

    /// The absolute value.
    fn magnitude(&mut self, a: Num) -> Num {
        if a.at_least(0) {
            return a;
        }
        let negated = a.range.scale(-1);
        let high = a.range.high.zip(negated.high).map(|(x, y)| x.max(y));
        Num { term: self.store.abs(a.term), range: Interval { low: Some(0), high }, zeros: a.zeros }
    }

    /// A divisor that is never zero: execution does not get here with zero.
    fn nonzero(&mut self, b: Num) -> Num {
        if b.at_least(1) || b.range.high.is_some_and(|h| h < 0) {
            return b;
        }
        let (zero, one) = (self.int(0), self.int(1));
        let is_zero = self.store.eq(b.term, zero);
        Num::new(self.store.ite(is_zero, one, b.term), b.range)
    }

    /// The term, negated under a condition.
    fn signed(&mut self, magnitude: Num, negative: Term) -> Num {
        if negative == self.store.fls() {
            return magnitude;
        }
        let minus = self.times(magnitude, -1);
        let term = self.store.ite(negative, minus.term, magnitude.term);
        Num { term, range: minus.range.join(&magnitude.range), zeros: magnitude.zeros }
    }

    fn is_negative(&mut self, a: Num) -> Term {
        if a.at_least(0) {
            return self.store.fls();
        }
        let zero = self.int(0);
        self.store.lt(a.term, zero)
    }

    /// Division that truncates.
    fn quotient(&mut self, a: Num, b: Num) -> Num {
        let b = self.nonzero(b);
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let magnitude = match y.is_constant() {
            Some(k) if k > 0 => self.floor_div(x, k),
            _ => {
                let high = x.range.high;
                Num::new(self.store.div(x.term, y.term), Interval { low: Some(0), high })
            }
        };
        let (na, nb) = (self.is_negative(a), self.is_negative(b));
        let negative = self.store.xor(na, nb);
        self.signed(magnitude, negative)
    }

    /// The remainder with the sign of the dividend.
    fn remainder(&mut self, a: Num, b: Num) -> Num {
        let b = self.nonzero(b);
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let magnitude = match y.is_constant() {
            Some(k) if k > 0 => self.modulo(x, k),
            _ => {
                let high = y.range.high.map(|h| (h - 1).max(0));
                Num::new(self.store.modulo(x.term, y.term), Interval { low: Some(0), high })
            }
        };
        let negative = self.is_negative(a);
        self.signed(magnitude, negative)
    }

    /// A shift, by cases on the amount where it is not constant. The amount counts modulo the width.
    fn shift(&mut self, a: Num, by: Num, ty: IntType, one: impl Fn(&mut Self, Num, u32) -> Num) -> Num {
        let width = i128::from(ty.bits);
        let by = self.modulo(by, width);
        if let Some(k) = by.is_constant() {
            return one(self, a, k as u32);
        }
        let (low, high) = (by.range.low.unwrap_or(0), by.range.high.unwrap_or(width - 1).min(width - 1));
        let mut out = one(self, a, high as u32);
        out = self.wrap(out, ty);
        for k in (low..high).rev() {
            let shifted = one(self, a, k as u32);
            let shifted = self.wrap(shifted, ty);
            let amount = self.int(k);
            let here = self.store.eq(by.term, amount);
            let term = self.store.ite(here, shifted.term, out.term);
            out = Num { term, range: out.range.join(&shifted.range), zeros: out.zeros.min(shifted.zeros) };
        }
        out
    }

    fn conjunction(&mut self, a: Num, b: Num, ty: IntType) -> Num {
        match (a.is_constant(), b.is_constant()) {
            (Some(x), Some(y)) => self.number(x & y),
            _ if disjoint(a, b) || disjoint(b, a) => self.number(0),
            (Some(c), _) => self.masked(b, c),
            (_, Some(c)) => self.masked(a, c),
            _ => self.bitwise_and(a, b, ty),
        }
    }

    /// `a & c` for a constant.
    fn masked(&mut self, a: Num, c: i128) -> Num {
        if c < 0 {
            let rest = self.masked(a, !c);
            let out = self.minus(a, rest);
            let low = if a.at_least(0) { Some(0) } else { out.range.low };
            return Num { range: Interval { low, high: a.range.high }, ..out };
        }
        // Only the bits that can be set are looked at.
        let possible = a.length().map_or(-1, |n| (1i128 << n.min(126)) - 1) & (-1 << a.zeros);
        if c & possible == possible {
            return a;
        }
        let c = c & possible;
        let mut out = self.number(0);
        let mut from = 0;
        while from < 127 && c >> from != 0 {
            if c >> from & 1 == 0 {
                from += 1;
                continue;
            }
            let run = (!(c >> from)).trailing_zeros();
            let shifted = self.floor_div(a, 1 << from);
            let bits = self.modulo(shifted, 1 << run);
            let part = self.times(bits, 1 << from);
            out = self.sum(out, part);
            from += run;
        }
        out
    }

    /// Is bit `i` of a value set?
    fn bit(&mut self, a: Num, i: u32) -> Term {
        let shifted = self.floor_div(a, 1 << i);
        let bit = self.modulo(shifted, 2);
        let one = self.int(1);
        self.store.eq(bit.term, one)
    }

    /// `a & b` bit by bit.
    fn bitwise_and(&mut self, a: Num, b: Num, ty: IntType) -> Num {
        let top = ty.bits - u32::from(ty.signed);
        let length = |n: &Num| n.length().map_or(top, |l| l.min(top));
        let nonnegative = a.at_least(0) || b.at_least(0);
        let bits = match (a.at_least(0), b.at_least(0)) {
            (true, true) => length(&a).min(length(&b)),
            (true, false) => length(&a),
            (false, true) => length(&b),
            (false, false) => top,
        };
        let zero = self.int(0);
        let mut parts = Vec::with_capacity(bits as usize + 1);
        let zeros = a.zeros.max(b.zeros).min(bits);
        for i in zeros..bits {
            let (x, y) = (self.bit(a, i), self.bit(b, i));
            let both = self.store.and(&[x, y]);
            let weight = self.int(1 << i);
            parts.push(self.store.ite(both, weight, zero));
        }
        let mut range = Interval::new(0, (1 << bits) - 1);
        if !nonnegative {
            let (x, y) = (self.is_negative(a), self.is_negative(b));
            let both = self.store.and(&[x, y]);
            let weight = self.int(-(1 << top));
            parts.push(self.store.ite(both, weight, zero));
            range.low = Some(-(1 << top));
        }
        Num { term: self.store.add(&parts), range, zeros }
    }
}

/// Do the bits of the first value all lie below the bits of the second?
fn disjoint(a: Num, b: Num) -> bool {
    a.length().is_some_and(|l| l <= b.zeros)
}

/// The least `2^n - 1` that is not below a non-negative value.
fn next_mask(v: i128) -> i128 {
    let bits = 128 - v.leading_zeros();
    (1 << bits.min(126)) - 1
}
