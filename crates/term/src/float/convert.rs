//! Circuits of comparisons and conversions.

use super::FloatFormat;
use super::circuit::Circuit;
use crate::Term;

impl Circuit<'_> {
    /// Is one number less than another, or equal if that is allowed? Never about NaN; zeros are equal.
    pub(super) fn less(&mut self, x: Term, y: Term, or_equal: bool) -> Term {
        let (w, infinity) = (self.format.width(), self.format.infinity(false));
        let (sx, sy) = (self.store.bv_bit(w - 1, x), self.store.bv_bit(w - 1, y));
        let (mx, my) = (self.store.bv_extract(w - 2, 0, x), self.store.bv_extract(w - 2, 0, y));
        let infinity = self.store.bv_const(w - 1, infinity);
        let (px, py) = (self.store.bv_ule(mx, infinity), self.store.bv_ule(my, infinity));
        let both = self.store.bv_or(mx, my);
        let zeros = self.is_zero(both);
        let (up, down) = match or_equal {
            true => (self.store.bv_ule(mx, my), self.store.bv_ule(my, mx)),
            false => (self.store.bv_ult(mx, my), self.store.bv_ult(my, mx)),
        };
        let (nsx, nsy) = (self.store.not(sx), self.store.not(sy));
        let same_sign = self.store.ite(sx, down, up);
        let opposite = self.store.and(&[sx, nsy]);
        let agree = self.store.iff(nsx, nsy);
        let ordered = self.store.ite(agree, same_sign, opposite);
        let ordered = if or_equal {
            self.store.or(&[zeros, ordered])
        } else {
            let apart = self.store.not(zeros);
            self.store.and(&[apart, ordered])
        };
        self.store.and(&[px, py, ordered])
    }

    /// The bits of a number from bits of which any that denote NaN may be.
    pub(super) fn canonical(&mut self, bits: Term) -> Term {
        let w = self.format.width();
        let magnitude = self.store.bv_extract(w - 2, 0, bits);
        let infinity = self.store.bv_const(w - 1, self.format.infinity(false));
        let number = self.store.bv_ule(magnitude, infinity);
        let nan = self.nan();
        self.store.ite(number, bits, nan)
    }

    /// The nearest integer, as a number of the same format.
    pub(super) fn round_to_integral(&mut self, mode: Term, x: Term) -> Term {
        let s = self.format.significand;
        let a = self.unpack_unaligned(x);
        // Shifted so that the last of the upper `s` bits has the weight one. Beyond `s + 1` places all is rest.
        let last = self.exponent(i64::from(s) - 1);
        let whole = self.store.bv_sle(last, a.exponent);
        let distance = self.store.bv_sub(last, a.exponent);
        let none = self.exponent(0);
        let amount = self.store.ite(whole, none, distance);
        let wide = self.pad(a.significand, 2);
        let shifted = self.shift_right_sticky(wide, amount);
        let kept = self.store.bv_extract(s + 1, 2, shifted);
        let (odd, half, rest) =
            (self.store.bv_bit(0, kept), self.store.bv_bit(1, shifted), self.store.bv_bit(0, shifted));
        let up = self.rounds_up(mode, a.negative, odd, half, rest);
        let one = self.as_word(up);
        let (kept, one) = (self.store.bv_zero_extend(1, kept), self.store.bv_zero_extend(s, one));
        let integer = self.store.bv_add(kept, one);
        let nothing = self.is_zero(integer);
        let (significand, by) = self.normalise(integer);
        let by = self.widen(by);
        let top = self.exponent(i64::from(s));
        let exponent = self.store.bv_sub(top, by);
        let significand = self.pad(significand, 1);
        // A tiny format may not have this integer: then it is rounded as any other result.
        let packed = self.round(mode, a.negative, exponent, significand);
        let zero = self.signed_constant(a.negative, FloatFormat::zero);
        let special = self.store.or(&[a.nan, a.infinite, whole]);
        self.cases(&[(special, x), (nothing, zero)], packed)
    }

    /// A number in another format.
    pub(super) fn convert_format(&mut self, mode: Term, x: Term, to: FloatFormat) -> Term {
        let a = self.unpack(x);
        let missing = (to.significand + 2).saturating_sub(self.format.significand);
        let significand = self.pad(a.significand, missing);
        let mut target = self.in_format(to);
        let rounded = target.round(mode, a.negative, a.exponent, significand);
        let quiet = target.nan();
        let infinity = target.signed_constant(a.negative, FloatFormat::infinity);
        let zero = target.signed_constant(a.negative, FloatFormat::zero);
        target.cases(&[(a.nan, quiet), (a.infinite, infinity), (a.zero, zero)], rounded)
    }

    /// The number that a word denotes, rounded.
    pub(super) fn of_word(&mut self, mode: Term, word: Term, signed: bool) -> Term {
        let w = self.store.width(word);
        let negative = if signed { self.store.bv_bit(w - 1, word) } else { self.store.fls() };
        let minus = self.store.bv_neg(word);
        let magnitude = self.store.ite(negative, minus, word);
        let nothing = self.is_zero(magnitude);
        let (significand, by) = self.normalise(magnitude);
        let by = self.widen(by);
        let top = self.exponent(i64::from(w) - 1);
        let exponent = self.store.bv_sub(top, by);
        let significand = self.pad(significand, (self.format.significand + 2).saturating_sub(w));
        let rounded = self.round(mode, negative, exponent, significand);
        let no = self.store.fls();
        let zero = self.signed_constant(no, FloatFormat::zero);
        self.store.ite(nothing, zero, rounded)
    }

    /// A number rounded to an integer, as a word; zero if its magnitude is not below `2^width`, if it is infinite or NaN.
    pub(super) fn round_to_word(&mut self, mode: Term, x: Term, width: u32) -> Term {
        let s = self.format.significand;
        let a = self.unpack_unaligned(x);
        // Below one quarter the exponent does not matter.
        let (least, limit) = (self.exponent(-2), self.exponent(width.into()));
        let tiny = self.store.bv_slt(a.exponent, least);
        let large = self.store.bv_sle(limit, a.exponent);
        let small = self.store.not(large);
        let distance = self.store.bv_sub(a.exponent, least);
        let none = self.exponent(0);
        let amount = self.store.ite(tiny, none, distance);
        // The places after the point are those of the significand and two more; one bit more before it is for a carry.
        let total = width + 1 + s + 1;
        let wide = self.store.bv_zero_extend(total - s, a.significand);
        let amount = match total.checked_sub(self.exponent_width) {
            Some(more) => self.store.bv_zero_extend(more, amount),
            None => self.store.bv_extract(total - 1, 0, amount),
        };
        let shifted = self.store.bv_shl(wide, amount);
        let kept = self.store.bv_extract(total - 1, s + 1, shifted);
        let half = self.store.bv_bit(s, shifted);
        let rest = self.store.bv_extract(s - 1, 0, shifted);
        let rest = self.any(rest);
        let odd = self.store.bv_bit(0, kept);
        let up = self.rounds_up(mode, a.negative, odd, half, rest);
        let one = self.as_word(up);
        let one = self.store.bv_zero_extend(width, one);
        let integer = self.store.bv_add(kept, one);
        let integer = self.store.bv_extract(width - 1, 0, integer);
        let minus = self.store.bv_neg(integer);
        let signed = self.store.ite(a.negative, minus, integer);
        let (number, finite) = (self.store.not(a.nan), self.store.not(a.infinite));
        let fits = self.store.and(&[number, finite, small]);
        let zero = self.store.bv_zero(width);
        self.store.ite(fits, signed, zero)
    }
}
