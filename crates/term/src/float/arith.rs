//! Circuits of the arithmetic operators.

use super::circuit::{Circuit, Unpacked};
use super::{FloatFormat, RoundingMode};
use crate::Term;

impl Circuit<'_> {
    /// The sum of two numbers.
    pub(super) fn add(&mut self, mode: Term, x: Term, y: Term) -> Term {
        let (a, b) = (self.unpack_unaligned(x), self.unpack_unaligned(y));
        // The operand of the greater magnitude comes first; magnitudes are compared as they are stored.
        let top = self.format.width() - 2;
        let (mx, my) = (self.store.bv_extract(top, 0, x), self.store.bv_extract(top, 0, y));
        let swap = self.store.bv_ult(mx, my);
        let large = self.choose(swap, &b, &a);
        let small = self.choose(swap, &a, &b);
        let distance = self.store.bv_sub(large.exponent, small.exponent);
        // Three more places: if bits get lost, the result is shifted left by at most one.
        let (wide, narrow) = (self.pad(large.significand, 3), self.pad(small.significand, 3));
        let narrow = self.shift_right_sticky(narrow, distance);
        let (wide, narrow) = (self.store.bv_zero_extend(1, wide), self.store.bv_zero_extend(1, narrow));
        let opposite = self.store.xor(a.negative, b.negative);
        let minus = self.store.bv_neg(narrow);
        let second = self.store.ite(opposite, minus, narrow);
        let sum = self.store.bv_add(wide, second);
        let nothing = self.is_zero(sum);
        // Shifted left, but not below the least exponent.
        let one = self.exponent(1);
        let raised = self.store.bv_add(large.exponent, one);
        let least = self.exponent(self.format.least_exponent());
        let room = self.store.bv_sub(raised, least);
        let (sum, by) = self.normalise_at_most(sum, room);
        let exponent = self.store.bv_sub(raised, by);
        let rounded = self.finish(mode, large.negative, exponent, sum);
        // A sum of zero is negative if both are, or if that is how it is rounded.
        let down = self.is_mode(mode, RoundingMode::Negative);
        let sign = self.store.ite(opposite, down, a.negative);
        let zero = self.signed_constant(sign, FloatFormat::zero);
        let clash = self.store.and(&[a.infinite, b.infinite, opposite]);
        let nan = self.store.or(&[a.nan, b.nan, clash]);
        let quiet = self.nan();
        self.cases(&[(nan, quiet), (a.infinite, x), (b.infinite, y), (nothing, zero)], rounded)
    }

    fn choose(&mut self, c: Term, a: &Unpacked, b: &Unpacked) -> Unpacked {
        Unpacked {
            negative: self.store.ite(c, a.negative, b.negative),
            nan: self.store.ite(c, a.nan, b.nan),
            infinite: self.store.ite(c, a.infinite, b.infinite),
            zero: self.store.ite(c, a.zero, b.zero),
            exponent: self.store.ite(c, a.exponent, b.exponent),
            significand: self.store.ite(c, a.significand, b.significand),
        }
    }

    /// Shifts a word left until its top bit is set, but not by more than `room`, which is not negative; and by how much.
    fn normalise_at_most(&mut self, word: Term, room: Term) -> (Term, Term) {
        let w = self.store.width(word);
        let stages = 32 - (w - 1).leading_zeros();
        let (mut word, mut left) = (word, room);
        for stage in (0..stages).rev() {
            let by = 1 << stage;
            let high = self.store.bv_extract(w - 1, w - by, word);
            let clear = self.is_zero(high);
            let step = self.exponent(by.into());
            let enough = self.store.bv_ule(step, left);
            let on = self.store.and(&[clear, enough]);
            let low = self.store.bv_extract(w - 1 - by, 0, word);
            let moved = self.pad(low, by);
            word = self.store.ite(on, moved, word);
            let rest = self.store.bv_sub(left, step);
            left = self.store.ite(on, rest, left);
        }
        (word, self.store.bv_sub(room, left))
    }

    /// The exact product of two significands and its exponent, the top bit being set.
    fn product(&mut self, a: &Unpacked, b: &Unpacked) -> (Term, Term) {
        let s = self.format.significand;
        let (x, y) =
            (self.store.bv_zero_extend(s, a.significand), self.store.bv_zero_extend(s, b.significand));
        let product = self.store.bv_mul(x, y);
        let exponent = self.store.bv_add(a.exponent, b.exponent);
        // The product of two numbers from one to two is less than four.
        let carried = self.store.bv_bit(2 * s - 1, product);
        let low = self.store.bv_extract(2 * s - 2, 0, product);
        let moved = self.pad(low, 1);
        let significand = self.store.ite(carried, product, moved);
        let one = self.exponent(1);
        let raised = self.store.bv_add(exponent, one);
        (significand, self.store.ite(carried, raised, exponent))
    }

    /// The product of two numbers.
    pub(super) fn mul(&mut self, mode: Term, x: Term, y: Term) -> Term {
        let (a, b) = (self.unpack(x), self.unpack(y));
        let negative = self.store.xor(a.negative, b.negative);
        let (significand, exponent) = self.product(&a, &b);
        let rounded = self.round(mode, negative, exponent, significand);
        let (nan, infinite, zero) = self.product_classes(&a, &b);
        let (quiet, infinity) = (self.nan(), self.signed_constant(negative, FloatFormat::infinity));
        let nothing = self.signed_constant(negative, FloatFormat::zero);
        self.cases(&[(nan, quiet), (infinite, infinity), (zero, nothing)], rounded)
    }

    /// Is a product NaN, infinite, zero? The first that holds counts.
    fn product_classes(&mut self, a: &Unpacked, b: &Unpacked) -> (Term, Term, Term) {
        let (p, q) = (self.store.and(&[a.infinite, b.zero]), self.store.and(&[a.zero, b.infinite]));
        let nan = self.store.or(&[a.nan, b.nan, p, q]);
        let infinite = self.store.or(&[a.infinite, b.infinite]);
        let zero = self.store.or(&[a.zero, b.zero]);
        (nan, infinite, zero)
    }

    /// The quotient of two numbers, digit by digit.
    pub(super) fn div(&mut self, mode: Term, x: Term, y: Term) -> Term {
        let (a, b) = (self.unpack(x), self.unpack(y));
        let s = self.format.significand;
        let negative = self.store.xor(a.negative, b.negative);
        let divisor = self.store.bv_zero_extend(2, b.significand);
        let mut rest = self.store.bv_zero_extend(2, a.significand);
        // One digit before the point, so many after it that two are left after a shift by one.
        let mut digits: Option<Term> = None;
        for _ in 0..s + 3 {
            let fits = self.store.bv_ule(divisor, rest);
            let difference = self.store.bv_sub(rest, divisor);
            rest = self.store.ite(fits, difference, rest);
            let low = self.store.bv_extract(s, 0, rest);
            rest = self.pad(low, 1);
            let digit = self.as_word(fits);
            digits = Some(match digits {
                None => digit,
                Some(high) => self.store.bv_concat(high, digit),
            });
        }
        let digits = digits.expect("at least one digit");
        let more = self.any(rest);
        let digits = self.append(digits, more);
        // The quotient is at least one half.
        let w = s + 4;
        let whole = self.store.bv_bit(w - 1, digits);
        let low = self.store.bv_extract(w - 2, 0, digits);
        let moved = self.pad(low, 1);
        let significand = self.store.ite(whole, digits, moved);
        let exponent = self.store.bv_sub(a.exponent, b.exponent);
        let one = self.exponent(1);
        let lowered = self.store.bv_sub(exponent, one);
        let exponent = self.store.ite(whole, exponent, lowered);
        let rounded = self.round(mode, negative, exponent, significand);
        let (p, q) = (self.store.and(&[a.infinite, b.infinite]), self.store.and(&[a.zero, b.zero]));
        let nan = self.store.or(&[a.nan, b.nan, p, q]);
        let infinite = self.store.or(&[a.infinite, b.zero]);
        let zero = self.store.or(&[a.zero, b.infinite]);
        let (quiet, infinity) = (self.nan(), self.signed_constant(negative, FloatFormat::infinity));
        let nothing = self.signed_constant(negative, FloatFormat::zero);
        self.cases(&[(nan, quiet), (infinite, infinity), (zero, nothing)], rounded)
    }

    /// `x * y + z` with one rounding.
    pub(super) fn fma(&mut self, mode: Term, x: Term, y: Term, z: Term) -> Term {
        let s = self.format.significand;
        let (a, b, c) = (self.unpack(x), self.unpack(y), self.unpack(z));
        let negative = self.store.xor(a.negative, b.negative);
        let (product, exponent) = self.product(&a, &b);
        let (nan, infinite, zero) = self.product_classes(&a, &b);
        // Both in words of one width, zero having a significand of zero and an exponent below all others.
        let nothing = self.store.bv_zero(2 * s + 3);
        let lowest = -3 * self.format.bias() - 3 * i64::from(s) - 8;
        let lowest = self.exponent(lowest);
        let wide = self.pad(product, 3);
        let p_significand = self.store.ite(zero, nothing, wide);
        let p_exponent = self.store.ite(zero, lowest, exponent);
        let wide = self.pad(c.significand, s + 3);
        let c_significand = self.store.ite(c.zero, nothing, wide);
        let c_exponent = self.store.ite(c.zero, lowest, c.exponent);
        let higher = self.store.bv_slt(p_exponent, c_exponent);
        let equal = self.store.eq(p_exponent, c_exponent);
        let longer = self.store.bv_ult(p_significand, c_significand);
        let longer = self.store.and(&[equal, longer]);
        let swap = self.store.or(&[higher, longer]);
        let large = self.store.ite(swap, c_significand, p_significand);
        let small = self.store.ite(swap, p_significand, c_significand);
        let (e, f) =
            (self.store.ite(swap, c_exponent, p_exponent), self.store.ite(swap, p_exponent, c_exponent));
        let sign = self.store.ite(swap, c.negative, negative);
        let distance = self.store.bv_sub(e, f);
        let small = self.shift_right_sticky(small, distance);
        let (large, small) = (self.store.bv_zero_extend(1, large), self.store.bv_zero_extend(1, small));
        let opposite = self.store.xor(negative, c.negative);
        let minus = self.store.bv_neg(small);
        let second = self.store.ite(opposite, minus, small);
        let sum = self.store.bv_add(large, second);
        let none = self.is_zero(sum);
        let one = self.exponent(1);
        let raised = self.store.bv_add(e, one);
        let (sum, by) = self.normalise(sum);
        let by = self.widen(by);
        let exponent = self.store.bv_sub(raised, by);
        let rounded = self.round(mode, sign, exponent, sum);
        let down = self.is_mode(mode, RoundingMode::Negative);
        let zero_sign = self.store.ite(opposite, down, negative);
        let no_sum = self.signed_constant(zero_sign, FloatFormat::zero);
        let clash = self.store.and(&[infinite, c.infinite, opposite]);
        let nan = self.store.or(&[nan, c.nan, clash]);
        let (quiet, infinity) = (self.nan(), self.signed_constant(negative, FloatFormat::infinity));
        self.cases(&[(nan, quiet), (infinite, infinity), (c.infinite, z), (none, no_sum)], rounded)
    }

    /// The square root, digit by digit.
    pub(super) fn sqrt(&mut self, mode: Term, x: Term) -> Term {
        let a = self.unpack(x);
        let s = self.format.significand;
        // An odd exponent lends one place to the significand: below, a number from one to four with an even exponent.
        let odd = self.store.bv_bit(0, a.exponent);
        let (even, shifted) = (self.store.bv_zero_extend(1, a.significand), self.pad(a.significand, 1));
        let radicand = self.store.ite(odd, shifted, even);
        let places = s + 2;
        // Pairs of digits, the first one before the point; the last place of an odd width is padded.
        let radicand = self.pad(radicand, 2 * places - (s + 1));
        let w = s + 5;
        let (mut rest, mut root) = (self.store.bv_zero(w), self.store.bv_zero(w));
        for i in 0..places {
            let at = 2 * (places - i) - 1;
            let pair = self.store.bv_extract(at, at - 1, radicand);
            let low = self.store.bv_extract(w - 3, 0, rest);
            let grown = self.store.bv_concat(low, pair);
            let tail = self.store.bv_extract(w - 3, 0, root);
            let one = self.store.bv_u64(2, 1);
            let trial = self.store.bv_concat(tail, one);
            let fits = self.store.bv_ule(trial, grown);
            let difference = self.store.bv_sub(grown, trial);
            rest = self.store.ite(fits, difference, grown);
            let short = self.store.bv_extract(w - 2, 0, root);
            root = self.append(short, fits);
        }
        let more = self.any(rest);
        let digits = self.store.bv_extract(places - 1, 0, root);
        let significand = self.append(digits, more);
        let one = self.exponent(1);
        let exponent = self.store.bv_ashr(a.exponent, one);
        let no = self.store.fls();
        let rounded = self.round(mode, no, exponent, significand);
        let positive = self.store.not(a.zero);
        let below = self.store.and(&[a.negative, positive]);
        let nan = self.store.or(&[a.nan, below]);
        let quiet = self.nan();
        let same = self.store.or(&[a.zero, a.infinite]);
        self.cases(&[(nan, quiet), (same, x)], rounded)
    }

    /// `x - y * n`, `n` being the integer nearest to `x / y`, by long division with a step for each exponent.
    pub(super) fn rem(&mut self, x: Term, y: Term) -> Term {
        let (a, b) = (self.unpack(x), self.unpack(y));
        let s = self.format.significand;
        let distance = self.store.bv_sub(a.exponent, b.exponent);
        let divisor = self.store.bv_zero_extend(1, b.significand);
        let mut rest = self.store.bv_zero_extend(1, a.significand);
        let mut odd = self.store.fls();
        let most = 2 * self.format.bias() - 1 + i64::from(s) - 1;
        for i in (0..=most).rev() {
            // Step `i` is taken if the distance is at least `i`; the first one taken does not shift.
            let k = self.exponent(i);
            let active = self.store.bv_sle(k, distance);
            let first = self.store.eq(k, distance);
            let low = self.store.bv_extract(s - 1, 0, rest);
            let twice = self.pad(low, 1);
            let shifted = self.store.ite(first, rest, twice);
            let fits = self.store.bv_ule(divisor, shifted);
            let difference = self.store.bv_sub(shifted, divisor);
            let next = self.store.ite(fits, difference, shifted);
            rest = self.store.ite(active, next, rest);
            let set = self.store.and(&[active, fits]);
            let keep = self.store.not(active);
            let keep = self.store.and(&[keep, odd]);
            odd = self.store.or(&[set, keep]);
        }
        // In units of half a place of the divisor: the rest, or the dividend if it has the next lower exponent.
        let minus_one = self.exponent(-1);
        let lower = self.store.eq(distance, minus_one);
        let (doubled, dividend) = (self.pad(rest, 1), self.store.bv_zero_extend(2, a.significand));
        let rest = self.store.ite(lower, dividend, doubled);
        let half = self.store.bv_zero_extend(2, b.significand);
        let (tie, above) = (self.store.eq(rest, half), self.store.bv_ult(half, rest));
        let tie_up = self.store.and(&[tie, odd]);
        let up = self.store.or(&[above, tie_up]);
        let whole = self.pad(b.significand, 1);
        let whole = self.store.bv_zero_extend(1, whole);
        let complement = self.store.bv_sub(whole, rest);
        let rest = self.store.ite(up, complement, rest);
        let negative = self.store.xor(a.negative, up);
        let none = self.is_zero(rest);
        let (significand, by) = self.normalise(rest);
        let by = self.widen(by);
        // The top bit of the rest stands for the exponent of the divisor and one more.
        let one = self.exponent(1);
        let exponent = self.store.bv_add(b.exponent, one);
        let exponent = self.store.bv_sub(exponent, by);
        let mode = self.store.rounding_mode(RoundingMode::Zero);
        let rounded = self.round(mode, negative, exponent, significand);
        let nothing = self.signed_constant(a.negative, FloatFormat::zero);
        let far = self.store.bv_slt(distance, minus_one);
        let nan = self.store.or(&[a.nan, b.nan, a.infinite, b.zero]);
        let same = self.store.or(&[b.infinite, a.zero, far]);
        let quiet = self.nan();
        self.cases(&[(nan, quiet), (same, x), (none, nothing)], rounded)
    }
}
