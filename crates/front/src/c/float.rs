//! IEEE 754 arithmetic on bit patterns: binary32 for `float`, binary64 for `double`, rounding to nearest, ties to even,
//! every operation in the format of its type (`FLT_EVAL_METHOD` 0).
//!
//! What C or IEEE 754 leaves open is not guessed: the value of a conversion to an integer that is out of range, the sign
//! of a NaN, which of two zeros is the smaller one. `long double` has no format here: the 80 bits of the x87 cannot be
//! computed with 64.

use super::hir::{BinOp, CmpOp, Math};
use bolide_base::Rational;

/// A format of floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// binary32
    Single,
    /// binary64
    Double,
}

/// Bits of the significand that are stored.
const SINGLE_BITS: u32 = f32::MANTISSA_DIGITS - 1;
const DOUBLE_BITS: u32 = f64::MANTISSA_DIGITS - 1;

impl Format {
    /// The format of a floating type of so many bytes; none for `long double`.
    pub fn of(bytes: u32) -> Option<Format> {
        match bytes {
            4 => Some(Format::Single),
            8 => Some(Format::Double),
            _ => None,
        }
    }

    /// Bits of the significand, the leading one included.
    pub fn precision(self) -> u32 {
        match self {
            Format::Single => SINGLE_BITS + 1,
            Format::Double => DOUBLE_BITS + 1,
        }
    }

    /// The exponent of the least positive number, a power of two.
    pub fn least_exponent(self) -> i32 {
        match self {
            Format::Single => f32::MIN_EXP - f32::MANTISSA_DIGITS as i32,
            Format::Double => f64::MIN_EXP - f64::MANTISSA_DIGITS as i32,
        }
    }

    /// The least power of two, as its exponent, that is beyond all finite numbers.
    pub fn overflow_exponent(self) -> i32 {
        match self {
            Format::Single => f32::MAX_EXP,
            Format::Double => f64::MAX_EXP,
        }
    }

    /// The number with a pattern; exact, since every number of a format is one of the widest.
    pub fn value(self, pattern: i128) -> f64 {
        match self {
            Format::Single => f64::from(f32::from_bits(pattern as u32)),
            Format::Double => f64::from_bits(pattern as u64),
        }
    }

    /// The pattern of the nearest number.
    pub fn pattern(self, value: f64) -> i128 {
        match self {
            Format::Single => i128::from((value as f32).to_bits()),
            Format::Double => i128::from(value.to_bits()),
        }
    }

    /// The nearest number of the format.
    pub fn round(self, value: f64) -> f64 {
        self.value(self.pattern(value))
    }

    /// The pattern without its sign.
    fn magnitude(self, pattern: i128) -> i128 {
        pattern & !self.sign_bit()
    }

    /// The pattern of -0.
    pub fn sign_bit(self) -> i128 {
        match self {
            Format::Single => 1 << 31,
            Format::Double => 1 << 63,
        }
    }

    fn infinity(self) -> i128 {
        self.pattern(f64::INFINITY)
    }

    fn is_nan(self, pattern: i128) -> bool {
        self.magnitude(pattern) > self.infinity()
    }

    /// The nearest number to an integer.
    pub fn from_int(self, value: i128) -> f64 {
        match self {
            Format::Single => f64::from(value as f32),
            Format::Double => value as f64,
        }
    }

    /// The nearest number to a rational number.
    pub fn from_rational(self, value: &Rational) -> i128 {
        let sign = if value.is_negative() { self.sign_bit() } else { 0 };
        let value = value.abs();
        if value.is_zero() {
            return 0;
        }
        // An integer of about 90 bits times a power of two, and a last bit that says whether something was cut off.
        let shift = 90 + value.denom().bit_size() as i64 - value.numer().bit_size() as i64;
        let scaled = value * two_to(shift);
        let whole = scaled.floor();
        let digits = whole.to_ibig().and_then(|n| u128::try_from(n).ok()).unwrap_or(0);
        let digits = digits << 1 | u128::from(whole != scaled);
        sign | self.assemble(digits, (-shift - 1).clamp(-1 << 20, 1 << 20) as i32)
    }

    /// The pattern of the nearest number to `digits * 2^exponent`.
    fn assemble(self, digits: u128, exponent: i32) -> i128 {
        if digits == 0 {
            return 0;
        }
        let least = self.least_exponent();
        let length = 128 - digits.leading_zeros() as i32;
        // The last place of the result; a number that is too small for the precision has fewer digits.
        let place = (exponent + length - self.precision() as i32).max(least);
        if place > self.overflow_exponent() {
            return self.infinity();
        }
        let shift = place - exponent;
        let rounded = match shift {
            i32::MIN..=0 => digits << -shift,
            1..=127 => {
                let (whole, rest, half) =
                    (digits >> shift, digits & ((1 << shift) - 1), 1u128 << (shift - 1));
                whole + u128::from(rest > half || (rest == half && whole & 1 == 1))
            }
            _ => 0,
        };
        // A carry into the exponent is what it should be.
        let pattern = (i128::from(place - least) << (self.precision() - 1)) + rounded as i128;
        pattern.min(self.infinity())
    }

    /// The pattern of a number written in C without its suffix: decimal, or hexadecimal without `0x`.
    pub fn parse(self, text: &str, hexadecimal: bool) -> Option<i128> {
        match (self, hexadecimal) {
            (Format::Single, false) => text.parse::<f32>().ok().map(|v| i128::from(v.to_bits())),
            (Format::Double, false) => text.parse::<f64>().ok().map(|v| i128::from(v.to_bits())),
            (_, true) => self.parse_hexadecimal(&text.to_ascii_lowercase()),
        }
    }

    /// A text such as `1.8p3`.
    fn parse_hexadecimal(self, text: &str) -> Option<i128> {
        /// Beyond this an exponent makes no difference.
        const FAR: i64 = 1 << 20;
        let (mantissa, exponent) = text.split_once('p')?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut exponent: i64 = exponent.parse::<i64>().ok()?.clamp(-FAR, FAR) - 4 * fraction.len() as i64;
        let mut digits = 0u128;
        for d in whole.chars().chain(fraction.chars()) {
            let d = u128::from(d.to_digit(16)?);
            if digits >> 120 == 0 {
                digits = digits << 4 | d;
            } else {
                // Far behind the last place; that it is not zero can decide a tie.
                digits |= u128::from(d != 0);
                exponent += 4;
            }
        }
        Some(self.assemble(digits, exponent.clamp(-2 * FAR, 2 * FAR) as i32))
    }

    /// The integer that a number converts to if it fits a type with this range.
    pub fn to_int(self, pattern: i128, range: (i128, i128)) -> Option<i128> {
        let truncated = self.value(pattern).trunc();
        // Beyond this the conversion of Rust would saturate; no type is that wide.
        let fits = truncated.abs() < 1e38;
        Some(truncated as i128).filter(|v| fits && (range.0..=range.1).contains(v))
    }

    /// The number with the other sign; a NaN, too.
    pub fn negate(self, pattern: i128) -> i128 {
        pattern ^ self.sign_bit()
    }

    /// A number in another format. Of a NaN the sign and the first bits stay, as x86 has it.
    pub fn convert(self, pattern: i128, to: Format) -> i128 {
        if self == to {
            return pattern;
        }
        if !self.is_nan(pattern) {
            return to.pattern(self.value(pattern));
        }
        let payload = pattern & ((1 << (self.precision() - 1)) - 1);
        let payload = match to {
            Format::Double => payload << 29,
            Format::Single => payload >> 29,
        };
        let sign = if pattern & self.sign_bit() == 0 { 0 } else { to.sign_bit() };
        to.pattern(f64::NAN) | payload | sign
    }

    /// `+`, `-`, `*` and `/`; others do not exist.
    pub fn operate(self, op: BinOp, a: i128, b: i128) -> Option<i128> {
        let value = match self {
            Format::Single => {
                let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                f64::from(match op {
                    BinOp::Add => x + y,
                    BinOp::Sub => x - y,
                    BinOp::Mul => x * y,
                    BinOp::Div => x / y,
                    _ => return None,
                })
            }
            Format::Double => {
                let (x, y) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
                match op {
                    BinOp::Add => x + y,
                    BinOp::Sub => x - y,
                    BinOp::Mul => x * y,
                    BinOp::Div => x / y,
                    _ => return None,
                }
            }
        };
        Some(if value.is_nan() { self.nan_of(&[a, b]) } else { self.pattern(value) })
    }

    /// A comparison; with a NaN only `!=` holds.
    pub fn compare(self, op: CmpOp, a: i128, b: i128) -> bool {
        let (x, y) = (self.value(a), self.value(b));
        match op {
            CmpOp::Lt => x < y,
            CmpOp::Le => x <= y,
            CmpOp::Eq => x == y,
            CmpOp::Ne => x != y,
        }
    }

    /// Is a number different from zero? A NaN is.
    pub fn is_true(self, pattern: i128) -> bool {
        self.value(pattern) != 0.0
    }

    /// A function of the library, or what is not specified about its result.
    pub fn call(self, function: Math, a: i128, b: i128) -> Result<i128, &'static str> {
        const NAN_SIGN: &str = "the sign of a NaN is not specified";
        let (x, y) = (self.value(a), self.value(b));
        let magnitude = self.magnitude(a);
        let single = |f: fn(f32) -> f32, d: fn(f64) -> f64| match self {
            Format::Single => f64::from(f(f32::from_bits(a as u32))),
            Format::Double => d(x),
        };
        let value = match function {
            Math::Abs => return Ok(magnitude),
            Math::CopySign if y.is_nan() => return Err(NAN_SIGN),
            Math::CopySign => return Ok(magnitude | (b & self.sign_bit())),
            Math::SignBit if x.is_nan() => return Err(NAN_SIGN),
            Math::SignBit => return Ok(i128::from(a != magnitude)),
            Math::IsNan => return Ok(x.is_nan().into()),
            Math::IsInf => return Ok(x.is_infinite().into()),
            Math::InfinitySign => {
                return Ok(if x.is_infinite() { x.signum() as i128 } else { 0 });
            }
            Math::IsFinite => return Ok(x.is_finite().into()),
            Math::Classify => return Ok(self.class(a)),
            Math::Sqrt => single(f32::sqrt, f64::sqrt),
            Math::Floor => x.floor(),
            Math::Ceil => x.ceil(),
            Math::Trunc => x.trunc(),
            Math::Round => x.round(),
            Math::Rint => x.round_ties_even(),
            Math::Mod => match self {
                Format::Single => f64::from(f32::from_bits(a as u32) % f32::from_bits(b as u32)),
                Format::Double => x % y,
            },
            Math::Min | Math::Max if x == y && a != b => {
                return Err("which of two zeros is the smaller one is not specified");
            }
            // A NaN is missing data.
            Math::Min | Math::Max if x.is_nan() => y,
            Math::Min | Math::Max if y.is_nan() => x,
            Math::Min => {
                if x < y {
                    x
                } else {
                    y
                }
            }
            Math::Max => {
                if x > y {
                    x
                } else {
                    y
                }
            }
        };
        let operands: &[i128] = if function.is_binary() { &[a, b] } else { &[a] };
        Ok(if value.is_nan() { self.nan_of(operands) } else { self.pattern(value) })
    }

    /// The NaN that an operation gives, as x86 has it: the first operand that is one, made quiet, or else the one with a sign.
    fn nan_of(self, operands: &[i128]) -> i128 {
        let quiet = self.pattern(f64::NAN);
        match operands.iter().find(|&&p| self.is_nan(p)) {
            Some(p) => p | quiet,
            None => quiet | self.sign_bit(),
        }
    }

    /// The class of a number as glibc numbers them.
    fn class(self, pattern: i128) -> i128 {
        let magnitude = self.magnitude(pattern);
        let normal = 1i128 << (self.precision() - 1);
        match magnitude {
            0 => 2,
            m if m > self.infinity() => 0,
            m if m == self.infinity() => 1,
            m if m < normal => 3,
            _ => 4,
        }
    }

    /// The shortest decimal text that stands for no other number of the format.
    pub fn show(self, pattern: i128) -> String {
        match self {
            Format::Single => format!("{:?}", f32::from_bits(pattern as u32)),
            Format::Double => format!("{:?}", f64::from_bits(pattern as u64)),
        }
    }

    /// The number as a constant expression of C, exactly.
    pub fn to_c(self, pattern: i128) -> String {
        let suffix = if self == Format::Single { "f" } else { "" };
        let sign = if pattern & self.sign_bit() == 0 { "" } else { "-" };
        let magnitude = self.magnitude(pattern);
        if self.is_nan(pattern) {
            return format!("__builtin_nan{suffix}(\"\")");
        }
        if magnitude == self.infinity() {
            return format!("{sign}__builtin_inf{suffix}()");
        }
        let (normal, stored) = (1i128 << (self.precision() - 1), self.precision() - 1);
        let (digits, exponent) = match magnitude >> stored {
            0 => (magnitude, self.least_exponent()),
            field => (magnitude % normal + normal, self.least_exponent() + field as i32 - 1),
        };
        let zeros = if digits == 0 { 0 } else { digits.trailing_zeros() };
        let exponent = if digits == 0 { 0 } else { exponent + zeros as i32 };
        format!("{sign}{:#x}p{exponent}{suffix}", digits >> zeros)
    }
}

/// A power of two.
pub fn two_to(exponent: i64) -> Rational {
    let power = Rational::pow2(u32::try_from(exponent.unsigned_abs()).unwrap_or(u32::MAX));
    if exponent >= 0 { power } else { power.recip() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_base::IBig;

    /// A small deterministic generator of random numbers.
    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    #[test]
    fn hexadecimal_texts_round_trip() {
        let mut state = 0x1234_5678_9abc_def1;
        for n in 0..4000 {
            let bits = random(&mut state);
            for (format, pattern) in
                [(Format::Double, i128::from(bits)), (Format::Single, i128::from(bits as u32))]
            {
                if !format.value(pattern).is_finite() {
                    continue;
                }
                let text = format.to_c(pattern);
                let plain = text.trim_start_matches('-').trim_end_matches('f').trim_start_matches("0x");
                let read = format.parse(plain, true).expect(plain);
                assert_eq!(read, format.magnitude(pattern), "{n}: {text}");
            }
        }
        assert_eq!(Format::Single.parse("1.8p3", true), Some(Format::Single.pattern(12.0)));
        assert_eq!(Format::Single.parse("1.000001p0", true), Some(Format::Single.pattern(1.0)));
        assert_eq!(
            Format::Single.parse("1.00000100000000000000000000000000000001p0", true),
            Some(0x3f80_0001)
        );
        assert_eq!(Format::Single.parse("1p99999999", true), Some(Format::Single.infinity()));
        assert_eq!(Format::Double.parse("1p-1075", true), Some(0));
        assert_eq!(Format::Double.parse("1.8p-1075", true), Some(1));
    }

    #[test]
    fn rational_numbers_are_rounded_to_nearest() {
        let mut state = 0x0123_4567_89ab_cdef;
        for _ in 0..2000 {
            let bits = random(&mut state);
            let v = f64::from_bits(bits);
            if !v.is_finite() || v == 0.0 {
                continue;
            }
            let (digits, exponent) = parts(v);
            let exact = Rational::from(IBig::from(digits)) * two_to(exponent);
            assert_eq!(Format::Double.from_rational(&exact), i128::from(v.to_bits()), "{v:?}");
            assert_eq!(Format::Single.from_rational(&exact), i128::from((v as f32).to_bits()), "{v:?}");
        }
        for (n, d) in [(1, 10), (1, 3), (-2, 3), (123_456_789, 1000), (16_777_217, 1), (1, i64::MAX)] {
            let exact = Rational::from(n) / Rational::from(d);
            assert_eq!(Format::Double.from_rational(&exact), i128::from((n as f64 / d as f64).to_bits()));
        }
    }

    /// A finite number as an integer times a power of two.
    fn parts(v: f64) -> (i64, i64) {
        let bits = v.to_bits();
        let field = (bits >> 52 & 0x7ff) as i64;
        let digits = (bits & ((1 << 52) - 1)) as i64 + if field == 0 { 0 } else { 1 << 52 };
        let signed = if v < 0.0 { -digits } else { digits };
        (signed, field.max(1) - 1075)
    }

    #[test]
    fn what_is_not_specified_is_not_guessed() {
        let f = Format::Double;
        let of = |v: f64| f.pattern(v);
        assert!(f.call(Math::Max, of(0.0), of(-0.0)).is_err());
        assert!(f.call(Math::SignBit, of(f64::NAN), 0).is_err());
        assert_eq!(f.call(Math::Max, of(f64::NAN), of(1.0)), Ok(of(1.0)));
        assert_eq!(f.call(Math::SignBit, of(-0.0), 0), Ok(1));
        assert_eq!(f.to_int(of(3e9), (-1 << 31, (1 << 31) - 1)), None);
        assert_eq!(f.to_int(of(-0.9), (0, 255)), Some(0));
        assert_eq!(f.to_int(of(f64::NAN), (0, 255)), Some(0).filter(|_| false));
        assert_eq!(Format::Single.from_int((1 << 24) + 1), 16_777_216.0);
    }
    #[test]
    fn conversions_keep_what_a_nan_says() {
        let (single, double) = (Format::Single, Format::Double);
        for (from, to) in [
            (0x7fc0_0000, 0x7ff8 << 48),
            (0x7f80_0001, 0x7ff8_0000_2000_0000),
            (0xffc0_1234, 0xfff8_0246_8000_0000),
        ] {
            assert_eq!(single.convert(from, double), to, "{from:x}");
            assert_eq!(double.convert(to, single), from | 1 << 22, "{to:x}");
        }
        assert_eq!(double.convert(0x7ff0_0000_0000_0001, single), 0x7fc0_0000);
        assert_eq!(double.convert(0x7ff4_0000_0000_0001, double), 0x7ff4_0000_0000_0001);
        let payload = 0x7ff8_0000_0000_0005;
        assert_eq!(double.call(Math::Mod, double.pattern(1.0), payload), Ok(payload));
    }
}
