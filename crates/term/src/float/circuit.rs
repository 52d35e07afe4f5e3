//! The circuits of floating-point operators, as terms over bit-vectors.
//!
//! Operands are unpacked (sign, exponent, significand with a leading one, class), results are rounded and packed by one piece of
//! circuit that all operators share. Exponents are signed words wide enough for everything that an operator does with them, so
//! nothing wraps. A significand of zero is not normal: whoever uses it chooses the result for zero apart.
//!
//! **The circuit depends on the operator and its operands only**, so that it can be part of a proof step.

use super::{FloatFormat, RoundingMode};
use crate::{Store, Term};
use dashu_int::UBig;

/// A number taken apart. `significand * 2^(exponent - places)` with as many places as the significand has bits but one.
#[derive(Copy, Clone)]
pub(super) struct Unpacked {
    /// Truth values.
    pub negative: Term,
    pub nan: Term,
    pub infinite: Term,
    pub zero: Term,
    /// A signed word.
    pub exponent: Term,
    /// A word whose top bit is set unless the number is zero, infinite or NaN.
    pub significand: Term,
}

/// Makes circuits for one format.
pub(super) struct Circuit<'a> {
    pub store: &'a mut Store,
    pub format: FloatFormat,
    /// The width of the words that exponents are computed in.
    pub exponent_width: u32,
}

impl<'a> Circuit<'a> {
    /// Circuits for a format whose exponents are computed in words that hold sums of a few of them and `extra` more.
    pub(super) fn new(store: &'a mut Store, format: FloatFormat, extra: u32) -> Circuit<'a> {
        let range = (format.bias() as u64 + 1) * 4 + u64::from(format.significand) * 2 + u64::from(extra);
        Circuit { store, format, exponent_width: 64 - range.leading_zeros() + 2 }
    }

    /// The same for results of another format.
    pub(super) fn in_format(&mut self, format: FloatFormat) -> Circuit<'_> {
        Circuit { store: self.store, format, exponent_width: self.exponent_width }
    }

    /// A constant exponent.
    pub(super) fn exponent(&mut self, value: i64) -> Term {
        let w = self.exponent_width;
        let k = self.store.bv_u64(w, value.unsigned_abs());
        if value < 0 { self.store.bv_neg(k) } else { k }
    }

    /// A word, as an exponent.
    pub(super) fn widen(&mut self, word: Term) -> Term {
        let w = self.store.width(word);
        match self.exponent_width.checked_sub(w) {
            Some(more) => self.store.bv_zero_extend(more, word),
            None => self.store.bv_extract(self.exponent_width - 1, 0, word),
        }
    }

    pub(super) fn is_zero(&mut self, word: Term) -> Term {
        let zero = self.store.bv_zero(self.store.width(word));
        self.store.eq(word, zero)
    }

    pub(super) fn any(&mut self, word: Term) -> Term {
        let none = self.is_zero(word);
        self.store.not(none)
    }

    /// A truth value as a word of one bit.
    pub(super) fn as_word(&mut self, truth: Term) -> Term {
        let (one, zero) = (self.store.bv_u64(1, 1), self.store.bv_zero(1));
        self.store.ite(truth, one, zero)
    }

    /// Zeros after a word.
    pub(super) fn pad(&mut self, word: Term, zeros: u32) -> Term {
        if zeros == 0 {
            return word;
        }
        let low = self.store.bv_zero(zeros);
        self.store.bv_concat(word, low)
    }

    /// The word with one bit after it.
    pub(super) fn append(&mut self, word: Term, bit: Term) -> Term {
        let low = self.as_word(bit);
        self.store.bv_concat(word, low)
    }

    /// The sign, the exponent field and the fraction of a number.
    fn fields(&mut self, bits: Term) -> (Term, Term, Term) {
        let (w, stored) = (self.format.width(), self.format.significand - 1);
        let negative = self.store.bv_bit(w - 1, bits);
        let field = self.store.bv_extract(w - 2, stored, bits);
        let fraction = self.store.bv_extract(stored - 1, 0, bits);
        (negative, field, fraction)
    }

    /// Takes a number apart; a subnormal number gets a leading one.
    pub(super) fn unpack(&mut self, bits: Term) -> Unpacked {
        let raw = self.unpack_unaligned(bits);
        let (shifted, by) = self.normalise(raw.significand);
        let by = self.widen(by);
        let exponent = self.store.bv_sub(raw.exponent, by);
        // Normal numbers are not shifted: only the others have a hidden bit that is not set.
        Unpacked { exponent, significand: shifted, ..raw }
    }

    /// Takes a number apart, as it is stored: the top bit of the significand of a subnormal number is not set.
    pub(super) fn unpack_unaligned(&mut self, bits: Term) -> Unpacked {
        let (negative, field, fraction) = self.fields(bits);
        let ones = self.store.bv_ones(self.format.exponent);
        let special = self.store.eq(field, ones);
        let (small, whole) = (self.is_zero(field), self.is_zero(fraction));
        let (normal, broken) = (self.store.not(small), self.store.not(whole));
        let nan = self.store.and(&[special, broken]);
        let infinite = self.store.and(&[special, whole]);
        let zero = self.store.and(&[small, whole]);
        let hidden = self.as_word(normal);
        let significand = self.store.bv_concat(hidden, fraction);
        let (wide, least) = (self.widen(field), self.exponent(1));
        let effective = self.store.ite(small, least, wide);
        let bias = self.exponent(self.format.bias());
        let exponent = self.store.bv_sub(effective, bias);
        Unpacked { negative, nan, infinite, zero, exponent, significand }
    }

    /// Shifts a word left until its top bit is set, if any is; and by how much.
    pub(super) fn normalise(&mut self, word: Term) -> (Term, Term) {
        let w = self.store.width(word);
        let stages = 32 - (w - 1).leading_zeros();
        let (mut word, mut count) = (word, None);
        for stage in (0..stages).rev() {
            let by = 1 << stage;
            let high = self.store.bv_extract(w - 1, w - by, word);
            let clear = self.is_zero(high);
            let low = self.store.bv_extract(w - 1 - by, 0, word);
            let moved = self.pad(low, by);
            word = self.store.ite(clear, moved, word);
            let bit = self.as_word(clear);
            count = Some(match count {
                None => bit,
                Some(high) => self.store.bv_concat(high, bit),
            });
        }
        let count = count.unwrap_or_else(|| self.store.bv_zero(1));
        (word, count)
    }

    /// Shifts a word right; the last bit of the result is also set if any bit that was shifted out is. The amount is not negative.
    pub(super) fn shift_right_sticky(&mut self, word: Term, amount: Term) -> Term {
        let w = self.store.width(word);
        let stages = 32 - (w - 1).leading_zeros().min(31);
        let amount_width = self.store.width(amount);
        let (mut word, mut lost) = (word, self.store.fls());
        for stage in 0..stages.min(amount_width) {
            let by = 1u32 << stage;
            let on = self.store.bv_bit(stage, amount);
            let (moved, out) = if by >= w {
                (self.store.bv_zero(w), word)
            } else {
                let kept = self.store.bv_extract(w - 1, by, word);
                (self.store.bv_zero_extend(by, kept), self.store.bv_extract(by - 1, 0, word))
            };
            let any = self.any(out);
            let now = self.store.and(&[on, any]);
            lost = self.store.or(&[lost, now]);
            word = self.store.ite(on, moved, word);
        }
        if stages < amount_width {
            let high = self.store.bv_extract(amount_width - 1, stages, amount);
            let far = self.any(high);
            let any = self.any(word);
            let now = self.store.and(&[far, any]);
            lost = self.store.or(&[lost, now]);
            let zero = self.store.bv_zero(w);
            word = self.store.ite(far, zero, word);
        }
        let last = self.store.bv_bit(0, word);
        let last = self.store.or(&[last, lost]);
        if w == 1 {
            return self.as_word(last);
        }
        let high = self.store.bv_extract(w - 1, 1, word);
        self.append(high, last)
    }

    pub(super) fn is_mode(&mut self, mode: Term, which: RoundingMode) -> Term {
        let constant = self.store.rounding_mode(which);
        self.store.eq(mode, constant)
    }

    /// Is a magnitude that was cut off rounded up?
    pub(super) fn rounds_up(
        &mut self,
        mode: Term,
        negative: Term,
        odd: Term,
        half: Term,
        rest: Term,
    ) -> Term {
        let uneven = self.store.or(&[rest, odd]);
        let even_up = self.store.and(&[half, uneven]);
        let inexact = self.store.or(&[half, rest]);
        let positive = self.store.not(negative);
        let (up, down) = (self.store.and(&[positive, inexact]), self.store.and(&[negative, inexact]));
        let none = self.store.fls();
        let mut out = none;
        let cases = [
            (RoundingMode::Negative, down),
            (RoundingMode::Positive, up),
            (RoundingMode::NearestAway, half),
            (RoundingMode::NearestEven, even_up),
        ];
        for (which, value) in cases {
            let here = self.is_mode(mode, which);
            out = self.store.ite(here, value, out);
        }
        out
    }

    fn constant(&mut self, bits: UBig) -> Term {
        self.store.bv_const(self.format.width(), bits)
    }

    pub(super) fn nan(&mut self) -> Term {
        self.constant(self.format.nan())
    }

    /// The constant that one of two patterns of bits is, by a sign.
    pub(super) fn signed_constant(
        &mut self,
        negative: Term,
        bits: impl Fn(FloatFormat, bool) -> UBig,
    ) -> Term {
        let (minus, plus) = (self.constant(bits(self.format, true)), self.constant(bits(self.format, false)));
        self.store.ite(negative, minus, plus)
    }

    /// Rounds `significand * 2^(exponent - places)` and packs it. The top bit of the significand is set, and the last bit may
    /// stand for more that follows; there are at least two more bits than the format has.
    pub(super) fn round(&mut self, mode: Term, negative: Term, exponent: Term, significand: Term) -> Term {
        // Below the least normal exponent the number is shifted right, and stored as of that exponent.
        let least = self.exponent(self.format.least_exponent());
        let below = self.store.bv_slt(exponent, least);
        let distance = self.store.bv_sub(least, exponent);
        let none = self.exponent(0);
        let amount = self.store.ite(below, distance, none);
        let shifted = self.shift_right_sticky(significand, amount);
        let exponent = self.store.ite(below, least, exponent);
        self.finish(mode, negative, exponent, shifted)
    }

    /// Rounds and packs a number whose exponent is not below the least normal one. Only at that exponent may the top bit of the
    /// significand not be set.
    pub(super) fn finish(&mut self, mode: Term, negative: Term, exponent: Term, significand: Term) -> Term {
        let (s, w) = (self.format.significand, self.store.width(significand));
        debug_assert!(w >= s + 2, "a place for half and one for the rest");
        let kept = self.store.bv_extract(w - 1, w - s, significand);
        let half = self.store.bv_bit(w - s - 1, significand);
        let rest = self.store.bv_extract(w - s - 2, 0, significand);
        let rest = self.any(rest);
        let odd = self.store.bv_bit(0, kept);
        let up = self.rounds_up(mode, negative, odd, half, rest);
        // The hidden bit is added to an exponent that is one too small.
        let offset = self.exponent(self.format.bias() - 1);
        let field = self.store.bv_add(exponent, offset);
        let high = self.pad(field, s - 1);
        let total = self.store.width(high);
        let low = self.store.bv_zero_extend(total - s, kept);
        let magnitude = self.store.bv_add(high, low);
        let one = self.as_word(up);
        let one = self.store.bv_zero_extend(total - 1, one);
        let magnitude = self.store.bv_add(magnitude, one);
        let infinity = self.store.bv_const(total, self.format.infinity(false));
        let too_large = self.store.bv_uge(magnitude, infinity);
        let body = self.store.bv_extract(self.format.width() - 2, 0, magnitude);
        let sign = self.as_word(negative);
        let packed = self.store.bv_concat(sign, body);
        let overflow = self.overflow(mode, negative);
        self.store.ite(too_large, overflow, packed)
    }

    fn overflow(&mut self, mode: Term, negative: Term) -> Term {
        let infinite = self.signed_constant(negative, FloatFormat::infinity);
        let greatest = self.signed_constant(negative, FloatFormat::greatest);
        let positive = self.store.not(negative);
        let up = self.is_mode(mode, RoundingMode::Positive);
        let down = self.is_mode(mode, RoundingMode::Negative);
        let to_zero = self.is_mode(mode, RoundingMode::Zero);
        let (a, b) = (self.store.and(&[up, negative]), self.store.and(&[down, positive]));
        let finite = self.store.or(&[to_zero, a, b]);
        self.store.ite(finite, greatest, infinite)
    }

    /// Chooses the first case whose condition holds.
    pub(super) fn cases(&mut self, cases: &[(Term, Term)], otherwise: Term) -> Term {
        cases.iter().rev().fold(otherwise, |out, &(c, value)| self.store.ite(c, value, out))
    }
}
