//! The value of every floating-point operator, by exact arithmetic on big integers and one rounding at the end.
//!
//! This is the definition that models are evaluated with and constants are folded with. It shares nothing with the circuits.

use super::{FloatFormat, FloatOp, RoundingMode};
use bolide_base::Rational;
use dashu_int::ops::{BitTest, DivRem};
use dashu_int::{IBig, UBig};
use std::cmp::Ordering;

/// What bits denote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Nan,
    /// Infinity, negative or not.
    Infinite(bool),
    Finite(Finite),
}

/// `digits * 2^exponent`, negated if the flag is set; zero has a sign, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Finite {
    pub negative: bool,
    pub digits: UBig,
    pub exponent: i64,
}

impl Finite {
    fn is_zero(&self) -> bool {
        self.digits.is_zero()
    }

    /// As an integer multiple of `2^exponent`, which is at most its own exponent.
    fn scaled(&self, exponent: i64) -> IBig {
        let magnitude = IBig::from(self.digits.clone() << (self.exponent - exponent) as usize);
        if self.negative { -magnitude } else { magnitude }
    }

    /// The number as a rational.
    pub(super) fn rational(&self) -> Rational {
        let magnitude = Rational::from(self.digits.clone());
        let scale = Rational::pow2(self.exponent.unsigned_abs() as u32);
        let value = if self.exponent < 0 {
            magnitude.checked_div(&scale).expect("not zero")
        } else {
            magnitude * scale
        };
        if self.negative { -value } else { value }
    }
}

impl FloatFormat {
    /// What these bits denote.
    pub(super) fn unpack(self, bits: &UBig) -> Number {
        let stored = self.significand as usize - 1;
        let negative = bits.bit(self.width() as usize - 1);
        let mut fraction = bits.clone();
        fraction.clear_high_bits(stored);
        let mut field = bits.clone() >> stored;
        field.clear_high_bits(self.exponent as usize);
        if field == UBig::ones(self.exponent as usize) {
            return if fraction.is_zero() { Number::Infinite(negative) } else { Number::Nan };
        }
        let field = i64::try_from(&field).expect("an exponent of few bits");
        let digits = if field == 0 { fraction } else { fraction | UBig::ONE << stored };
        let exponent = field.max(1) - self.bias() - stored as i64;
        Number::Finite(Finite { negative, digits, exponent })
    }

    /// The bits of `(digits + something in [0, 1)) * 2^exponent`, rounded; `more` says whether that something is not zero.
    pub(super) fn round(self, mode: RoundingMode, number: &Finite, more: bool) -> UBig {
        let Finite { negative, digits, exponent } = number;
        if digits.is_zero() && !more {
            return self.zero(*negative);
        }
        let top = digits.bit_len() as i64 + exponent - 1;
        // The exponent of the last place.
        let last = (top.max(self.least_exponent())) - (i64::from(self.significand) - 1);
        let cut = last - exponent;
        let mut kept =
            if cut <= 0 { digits.clone() << (-cut) as usize } else { digits.clone() >> cut as usize };
        if cut > 0 {
            let half = digits.bit(cut as usize - 1);
            let rest = more || digits.trailing_zeros().is_some_and(|z| (z as i64) < cut - 1);
            if mode.rounds_up(*negative, kept.bit(0), half, rest) {
                kept += UBig::ONE;
            }
        } else {
            // Callers ask for a place more than the format has if they leave anything out.
            debug_assert!(!more, "a number that is not exact has digits enough");
        }
        // The hidden bit adds one to the exponent, if it is there; so does a carry into the next power of two.
        let field = last + self.bias() + i64::from(self.significand) - 1;
        let stored = self.significand as usize - 1;
        let magnitude = (UBig::from(field as u64 - 1) << stored) + kept;
        if magnitude >= self.infinity(false) {
            return if mode.overflows(*negative) {
                self.infinity(*negative)
            } else {
                self.greatest(*negative)
            };
        }
        self.signed(*negative, magnitude)
    }

    /// The bits of a rational number, rounded.
    pub fn of_rational(self, mode: RoundingMode, value: &Rational) -> UBig {
        let (negative, denominator) = (value.is_negative(), value.denom_ubig());
        let numerator: UBig = value.abs().numer_ibig().try_into().unwrap_or(UBig::ZERO);
        let quotient = self.quotient(negative, (numerator, 0), (denominator, 0));
        self.round(mode, &quotient.0, quotient.1)
    }

    /// The quotient of two magnitudes with more places than the format has, and whether there is a rest.
    fn quotient(self, negative: bool, a: (UBig, i64), b: (UBig, i64)) -> (Finite, bool) {
        let places = self.significand as usize + 3;
        let shift = (b.0.bit_len() + places).saturating_sub(a.0.bit_len());
        let (digits, rest) = (a.0 << shift).div_rem(b.0);
        (Finite { negative, digits, exponent: a.1 - b.1 - shift as i64 }, !rest.is_zero())
    }

    /// The sum of two finite numbers, exactly; `mode` decides the sign of zero.
    fn sum(mode: RoundingMode, a: &Finite, b: &Finite) -> Finite {
        let exponent = a.exponent.min(b.exponent);
        let sum = a.scaled(exponent) + b.scaled(exponent);
        let negative = match sum.cmp(&IBig::ZERO) {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal if a.negative == b.negative => a.negative,
            Ordering::Equal => mode == RoundingMode::Negative,
        };
        let magnitude = if sum < IBig::ZERO { -sum } else { sum };
        Finite { negative, digits: magnitude.try_into().unwrap_or(UBig::ZERO), exponent }
    }

    fn add(self, mode: RoundingMode, a: Number, b: Number) -> UBig {
        match (a, b) {
            (Number::Nan, _) | (_, Number::Nan) => self.nan(),
            (Number::Infinite(m), Number::Infinite(n)) if m != n => self.nan(),
            (Number::Infinite(n), _) | (_, Number::Infinite(n)) => self.infinity(n),
            (Number::Finite(a), Number::Finite(b)) => self.round(mode, &Self::sum(mode, &a, &b), false),
        }
    }

    /// The product as an exact number.
    fn product(a: &Number, b: &Number) -> Number {
        match (a, b) {
            (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
            (Number::Finite(a), Number::Finite(b)) => Number::Finite(Finite {
                negative: a.negative != b.negative,
                digits: &a.digits * &b.digits,
                exponent: a.exponent + b.exponent,
            }),
            (Number::Infinite(m), Number::Infinite(n)) => Number::Infinite(m != n),
            (Number::Infinite(n), Number::Finite(x)) | (Number::Finite(x), Number::Infinite(n)) => {
                if x.is_zero() { Number::Nan } else { Number::Infinite(x.negative != *n) }
            }
        }
    }

    fn pack(self, mode: RoundingMode, number: &Number) -> UBig {
        match number {
            Number::Nan => self.nan(),
            Number::Infinite(n) => self.infinity(*n),
            Number::Finite(x) => self.round(mode, x, false),
        }
    }

    fn divide(self, mode: RoundingMode, a: Number, b: Number) -> UBig {
        match (a, b) {
            (Number::Nan, _) | (_, Number::Nan) | (Number::Infinite(_), Number::Infinite(_)) => self.nan(),
            (Number::Infinite(n), Number::Finite(x)) => self.infinity(n != x.negative),
            (Number::Finite(x), Number::Infinite(n)) => self.zero(n != x.negative),
            (Number::Finite(a), Number::Finite(b)) => {
                let negative = a.negative != b.negative;
                match (a.is_zero(), b.is_zero()) {
                    (true, true) => self.nan(),
                    (true, false) => self.zero(negative),
                    (false, true) => self.infinity(negative),
                    (false, false) => {
                        let (q, more) =
                            self.quotient(negative, (a.digits, a.exponent), (b.digits, b.exponent));
                        self.round(mode, &q, more)
                    }
                }
            }
        }
    }

    fn square_root(self, mode: RoundingMode, a: Number) -> UBig {
        match a {
            Number::Nan | Number::Infinite(true) => self.nan(),
            Number::Infinite(false) => self.infinity(false),
            Number::Finite(x) if x.is_zero() => self.zero(x.negative),
            Number::Finite(x) if x.negative => self.nan(),
            Number::Finite(x) => {
                let places = 2 * (self.significand as usize + 3);
                let shift = places.saturating_sub(x.digits.bit_len()) as i64;
                let shift = shift + (x.exponent - shift).rem_euclid(2);
                let digits = x.digits << shift as usize;
                let root = integer_root(&digits);
                let more = &root * &root != digits;
                let exponent = (x.exponent - shift) / 2;
                self.round(mode, &Finite { negative: false, digits: root, exponent }, more)
            }
        }
    }

    /// `x - y * n`, `n` being the integer nearest to `x / y`, even in a tie.
    fn remainder(self, a: Number, b: Number) -> UBig {
        match (a, b) {
            (Number::Nan | Number::Infinite(_), _) | (_, Number::Nan) => self.nan(),
            (Number::Finite(x), Number::Infinite(_)) => self.round(RoundingMode::Zero, &x, false),
            (Number::Finite(_), Number::Finite(y)) if y.is_zero() => self.nan(),
            (Number::Finite(x), Number::Finite(y)) => {
                let exponent = x.exponent.min(y.exponent);
                let magnitude = |f: &Finite| f.digits.clone() << (f.exponent - exponent) as usize;
                let (x_digits, y_digits) = (magnitude(&x), magnitude(&y));
                let (quotient, rest) = x_digits.div_rem(y_digits.clone());
                let twice = rest.clone() << 1usize;
                let up = twice > y_digits || twice == y_digits && quotient.bit(0);
                let (digits, negative) = if up { (y_digits - rest, !x.negative) } else { (rest, x.negative) };
                let negative = if digits.is_zero() { x.negative } else { negative };
                self.round(RoundingMode::Zero, &Finite { negative, digits, exponent }, false)
            }
        }
    }

    fn integral(self, mode: RoundingMode, bits: &UBig) -> UBig {
        match self.unpack(bits) {
            Number::Finite(x) if x.exponent < 0 => {
                let digits = rounded_integer(mode, &x);
                // A tiny format may not have this integer.
                self.round(mode, &Finite { negative: x.negative, digits, exponent: 0 }, false)
            }
            _ => self.canonical(bits.clone()),
        }
    }

    /// Is one number less than another, or equal? Nothing is about NaN, and zeros are equal.
    fn compare(self, a: &UBig, b: &UBig) -> Option<Ordering> {
        let order = |n: bool| if n { Ordering::Less } else { Ordering::Greater };
        match (self.unpack(a), self.unpack(b)) {
            (Number::Nan, _) | (_, Number::Nan) => None,
            (Number::Infinite(m), Number::Infinite(n)) => Some(n.cmp(&m)),
            (Number::Infinite(n), _) => Some(order(n)),
            (_, Number::Infinite(n)) => Some(order(!n)),
            (Number::Finite(a), Number::Finite(b)) => {
                let exponent = a.exponent.min(b.exponent);
                Some(a.scaled(exponent).cmp(&b.scaled(exponent)))
            }
        }
    }

    /// The real number that bits denote; none for NaN and infinities.
    pub fn to_rational(self, bits: &UBig) -> Option<Rational> {
        match self.unpack(bits) {
            Number::Finite(x) => Some(x.rational()),
            _ => None,
        }
    }
}

/// The greatest natural number whose square is not greater.
fn integer_root(n: &UBig) -> UBig {
    let mut root = UBig::ONE << n.bit_len().div_ceil(2);
    loop {
        // Newton's method from above goes down until it has arrived.
        let next = (&root + n / &root) >> 1usize;
        if next >= root {
            return root;
        }
        root = next;
    }
}

/// The magnitude of a number, rounded to an integer.
fn rounded_integer(mode: RoundingMode, x: &Finite) -> UBig {
    if x.exponent >= 0 {
        return x.digits.clone() << x.exponent as usize;
    }
    let cut = x.exponent.unsigned_abs() as usize;
    let kept = x.digits.clone() >> cut;
    let half = x.digits.bit(cut - 1);
    let rest = x.digits.trailing_zeros().is_some_and(|z| z < cut - 1);
    if mode.rounds_up(x.negative, kept.bit(0), half, rest) { kept + UBig::ONE } else { kept }
}

/// The result of an operator: bits, or a truth value.
pub(super) enum Outcome {
    Bits(UBig),
    Truth(bool),
}

/// What an operator works on.
pub(super) struct Operands<'a> {
    /// The rounding mode, where there is one.
    pub mode: RoundingMode,
    /// The format of the floating operands; that of the result where they are words.
    pub format: FloatFormat,
    /// The format of the result if that is a floating number.
    pub result: Option<FloatFormat>,
    /// The width of the operand if that is a word, of the result if that is one.
    pub width: u32,
    /// Bits of the operands.
    pub args: &'a [&'a UBig],
}

/// The value of an operator.
pub(super) fn evaluate(op: FloatOp, of: &Operands<'_>) -> Outcome {
    let (mode, format) = (of.mode, of.format);
    let number = |i: usize| format.unpack(of.args[i]);
    let result = of.result.unwrap_or(format);
    Outcome::Bits(match op {
        FloatOp::Bits => of.args[0].clone(),
        FloatOp::FromBits => format.canonical(of.args[0].clone()),
        FloatOp::Add => format.add(mode, number(0), number(1)),
        FloatOp::Mul => format.pack(mode, &FloatFormat::product(&number(0), &number(1))),
        FloatOp::Div => format.divide(mode, number(0), number(1)),
        FloatOp::Fma => {
            let (product, addend) = (FloatFormat::product(&number(0), &number(1)), number(2));
            format.add(mode, product, addend)
        }
        FloatOp::Sqrt => format.square_root(mode, number(0)),
        FloatOp::Rem => format.remainder(number(0), number(1)),
        FloatOp::RoundToIntegral => format.integral(mode, of.args[0]),
        FloatOp::ToFloat => result.pack(mode, &number(0)),
        FloatOp::FromUnsigned => {
            let digits = of.args[0].clone();
            result.round(mode, &Finite { negative: false, digits, exponent: 0 }, false)
        }
        FloatOp::FromSigned => {
            let negative = of.args[0].bit(of.width as usize - 1);
            let digits =
                if negative { (UBig::ONE << of.width as usize) - of.args[0] } else { of.args[0].clone() };
            result.round(mode, &Finite { negative, digits, exponent: 0 }, false)
        }
        FloatOp::ToUnsigned | FloatOp::ToSigned => match number(0) {
            Number::Finite(x) if fits(&x, of.width) => {
                let mut magnitude = rounded_integer(mode, &x);
                magnitude.clear_high_bits(of.width as usize);
                if x.negative && !magnitude.is_zero() {
                    (UBig::ONE << of.width as usize) - magnitude
                } else {
                    magnitude
                }
            }
            _ => UBig::ZERO,
        },
        FloatOp::Lt => return Outcome::Truth(format.compare(of.args[0], of.args[1]) == Some(Ordering::Less)),
        FloatOp::Le => {
            let order = format.compare(of.args[0], of.args[1]);
            return Outcome::Truth(matches!(order, Some(Ordering::Less | Ordering::Equal)));
        }
    })
}

/// Is a magnitude below `2^width`?
fn fits(x: &Finite, width: u32) -> bool {
    x.digits.bit_len() as i64 + x.exponent <= i64::from(width)
}
