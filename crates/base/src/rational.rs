//! Exact rational numbers with a machine-word fast path.
//!
//! Nearly all numbers in a verification task fit in two machine words. Those are kept in place and computed with in
//! 128 bits; the rest lives in a boxed big rational. The representation is unique, so equality and hashing are
//! structural.

mod ops;
#[cfg(test)]
mod tests;
mod text;

pub use text::ParseRationalError;

use std::cmp::Ordering;
use std::num::NonZeroI64;

use dashu_base::{Abs, BitTest, Gcd};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// An exact rational number, 16 bytes wide.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

/// Invariants: fractions are in lowest terms with a positive denominator; `Small` never holds `i64::MIN`, so that
/// negation and reciprocals stay small; `Big` holds exactly the values that `Small` cannot.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64, NonZeroI64),
    Big(Box<RBig>),
}

use Repr::{Big, Small};

const UNIT: NonZeroI64 = NonZeroI64::new(1).unwrap();

impl Rational {
    /// 0
    pub const ZERO: Rational = Rational(Small(0, UNIT));
    /// 1
    pub const ONE: Rational = Rational(Small(1, UNIT));
    /// -1
    pub const MINUS_ONE: Rational = Rational(Small(-1, UNIT));

    /// The fraction `num / den`.
    ///
    /// # Panics
    /// If `den` is zero.
    pub fn new(num: i64, den: i64) -> Self {
        assert!(den != 0, "division by zero");
        let (num, den) =
            if den < 0 { (-i128::from(num), -i128::from(den)) } else { (num.into(), den.into()) };
        // Neither magnitude exceeds 2^63, so the greatest common divisor fits in a u64.
        let g = i128::from(gcd_u64(num.unsigned_abs() as u64, den.unsigned_abs() as u64));
        Self::from_coprime(num / g, den / g)
    }

    /// The value of a big rational.
    pub fn from_big(value: RBig) -> Self {
        let small = i64::try_from(value.numerator()).ok().zip(i64::try_from(value.denominator()).ok());
        match small {
            Some((num, den)) if num != i64::MIN => Self::small(num, den),
            _ => Self(Big(Box::new(value))),
        }
    }

    /// 2 to the power `n`.
    pub fn pow2(n: u32) -> Self {
        if n < 63 { Self::from(1i64 << n) } else { Self::from(IBig::ONE << n as usize) }
    }

    /// A fraction in lowest terms with `num` above `i64::MIN` and `den` positive.
    #[inline]
    fn small(num: i64, den: i64) -> Self {
        debug_assert!(num != i64::MIN && den > 0);
        Self(Small(num, NonZeroI64::new(den).unwrap_or(UNIT)))
    }

    /// A fraction in lowest terms with a positive denominator.
    #[inline]
    fn from_coprime(num: i128, den: i128) -> Self {
        match (i64::try_from(num), i64::try_from(den)) {
            (Ok(num), Ok(den)) if num != i64::MIN => Self::small(num, den),
            _ => Self::from_big(RBig::from_parts(num.into(), den.unsigned_abs().into())),
        }
    }

    /// The value as a big rational.
    pub fn to_rbig(&self) -> RBig {
        match &self.0 {
            Small(num, den) => RBig::from_parts((*num).into(), den.get().unsigned_abs().into()),
            Big(big) => big.as_ref().clone(),
        }
    }

    /// The value as a big integer, if it is an integer.
    pub fn to_ibig(&self) -> Option<IBig> {
        self.is_integer().then(|| self.numer_ibig())
    }

    /// The numerator of the fraction in lowest terms.
    pub fn numer_ibig(&self) -> IBig {
        match &self.0 {
            Small(num, _) => (*num).into(),
            Big(big) => big.numerator().clone(),
        }
    }

    /// The positive denominator of the fraction in lowest terms.
    pub fn denom_ubig(&self) -> UBig {
        match &self.0 {
            Small(_, den) => den.get().unsigned_abs().into(),
            Big(big) => big.denominator().clone(),
        }
    }

    /// The numerator of the fraction in lowest terms.
    pub fn numer(&self) -> Rational {
        match &self.0 {
            Small(num, _) => Self::small(*num, 1),
            Big(big) => Self::from(big.numerator().clone()),
        }
    }

    /// The positive denominator of the fraction in lowest terms.
    pub fn denom(&self) -> Rational {
        match &self.0 {
            Small(_, den) => Self::small(den.get(), 1),
            Big(big) => Self::from(IBig::from(big.denominator().clone())),
        }
    }

    /// Whether this is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }

    /// Whether this is 1.
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1, UNIT))
    }

    /// Whether this is -1.
    #[inline]
    pub fn is_minus_one(&self) -> bool {
        matches!(self.0, Small(-1, UNIT))
    }

    /// Whether this is an integer.
    #[inline]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, den) => *den == UNIT,
            Big(big) => big.is_int(),
        }
    }

    /// Whether this is below 0.
    #[inline]
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// Whether this is above 0.
    #[inline]
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// -1, 0 or 1, as this is negative, zero or positive.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Small(num, _) => num.signum() as i32,
            // Zero is small.
            Big(big) if *big.numerator() < IBig::ZERO => -1,
            Big(_) => 1,
        }
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Rational {
        match &self.0 {
            Small(num, den) => Self(Small(num.abs(), *den)),
            Big(big) => Self::from_big(big.as_ref().clone().abs()),
        }
    }

    /// The greatest integer that is at most this.
    #[must_use]
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Small(num, den) => Self::small(num.div_euclid(den.get()), 1),
            Big(big) => Self::from(big.floor()),
        }
    }

    /// The least integer that is at least this.
    #[must_use]
    pub fn ceil(&self) -> Rational {
        -(-self).floor()
    }

    /// This minus its floor: in `0..1`.
    #[must_use]
    pub fn fract(&self) -> Rational {
        match &self.0 {
            Small(num, den) => Self::small(num.rem_euclid(den.get()), den.get()),
            Big(_) => self - self.floor(),
        }
    }

    /// 1 divided by this.
    ///
    /// # Panics
    /// If this is zero.
    #[must_use]
    pub fn recip(&self) -> Rational {
        match &self.0 {
            Small(0, _) => panic!("division by zero"),
            Small(num, den) => Self::small(den.get() * num.signum(), num.abs()),
            Big(big) => {
                let (num, den) = big.as_ref().clone().into_parts();
                Self::from_big(RBig::from_parts_signed(den.into(), num))
            }
        }
    }

    /// This divided by `divisor`, unless that is zero.
    pub fn checked_div(&self, divisor: &Rational) -> Option<Rational> {
        (!divisor.is_zero()).then(|| self / divisor)
    }

    /// The integer quotient `q` for which `self - divisor * q` lies in `0..|divisor|`, as `div` of SMT-LIB;
    /// nothing if `divisor` is zero.
    pub fn div_euclid(&self, divisor: &Rational) -> Option<Rational> {
        if let (Small(a, UNIT), Small(b, UNIT)) = (&self.0, &divisor.0) {
            return (*b != 0).then(|| Self::small(a.div_euclid(*b), 1));
        }
        let quotient = self.checked_div(divisor)?;
        Some(if divisor.is_negative() { quotient.ceil() } else { quotient.floor() })
    }

    /// The remainder of [`div_euclid`](Self::div_euclid), never negative, as `mod` of SMT-LIB; nothing if
    /// `divisor` is zero.
    pub fn rem_euclid(&self, divisor: &Rational) -> Option<Rational> {
        if let (Small(a, UNIT), Small(b, UNIT)) = (&self.0, &divisor.0) {
            return (*b != 0).then(|| Self::small(a.rem_euclid(*b), 1));
        }
        Some(self - divisor * self.div_euclid(divisor)?)
    }

    /// The greatest rational of which both are integer multiples: on integers the greatest common divisor. Never
    /// negative, and zero only if both are zero.
    #[must_use]
    pub fn gcd(&self, other: &Rational) -> Rational {
        if let (Small(a, UNIT), Small(b, UNIT)) = (&self.0, &other.0) {
            return Self::small(gcd_u64(a.unsigned_abs(), b.unsigned_abs()) as i64, 1);
        }
        if self.is_zero() {
            return other.abs();
        }
        if other.is_zero() {
            return self.abs();
        }
        let (a, b) = (self.denom_ubig(), other.denom_ubig());
        let denominators = &a * (&b / (&a).gcd(&b));
        let numerators = self.numer_ibig().gcd(other.numer_ibig());
        Self::from_big(RBig::from_parts(numerators.into(), denominators))
    }

    /// The least positive common integer multiple of both: on integers the least common multiple. Zero if either is.
    #[must_use]
    pub fn lcm(&self, other: &Rational) -> Rational {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        (self / self.gcd(other) * other).abs()
    }

    /// The value as a machine integer, if it is one.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Small(num, UNIT) => Some(*num),
            Small(..) => None,
            Big(big) => big.is_int().then(|| i64::try_from(big.numerator()).ok()).flatten(),
        }
    }

    /// The nearest floating-point number, or one of its neighbours.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Small(num, den) => *num as f64 / den.get() as f64,
            Big(big) => big.to_f64().value(),
        }
    }

    /// The number with the smallest denominator between two different ones.
    pub fn simplest_between(low: &Rational, high: &Rational) -> Rational {
        Rational::from_big(RBig::simplest_in(low.to_rbig(), high.to_rbig()))
    }

    /// The number of bits of numerator and denominator together.
    pub fn bit_size(&self) -> usize {
        match &self.0 {
            Small(num, den) => {
                (128 - num.unsigned_abs().leading_zeros() - den.get().leading_zeros()) as usize
            }
            Big(big) => big.numerator().bit_len() + big.denominator().bit_len(),
        }
    }

    /// The lowest `width` bits of an integer in two's complement, least significant first; nothing for a fraction.
    pub fn to_bits_le(&self, width: usize) -> Option<Vec<bool>> {
        match &self.0 {
            Small(num, UNIT) => Some((0..width).map(|i| num >> i.min(63) & 1 == 1).collect()),
            Small(..) => None,
            Big(big) => big.is_int().then(|| (0..width).map(|i| big.numerator().bit(i)).collect()),
        }
    }

    /// The natural number with these bits, least significant first.
    pub fn from_bits_le(bits: &[bool]) -> Self {
        let bytes: Vec<u8> = bits
            .chunks(8)
            .map(|byte| byte.iter().enumerate().fold(0, |acc, (i, &bit)| acc | u8::from(bit) << i))
            .collect();
        Self::from(UBig::from_le_bytes(&bytes))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a, b), Small(c, d)) if b == d => a.cmp(c),
            (Small(a, b), Small(c, d)) => {
                (i128::from(*a) * i128::from(d.get())).cmp(&(i128::from(*c) * i128::from(b.get())))
            }
            (Big(a), Big(b)) => a.cmp(b),
            (Big(a), Small(..)) => a.as_ref().cmp(&other.to_rbig()),
            (Small(..), Big(b)) => self.to_rbig().cmp(b),
        }
    }
}

impl PartialOrd for Rational {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Default for Rational {
    fn default() -> Self {
        Self::ZERO
    }
}

impl From<i64> for Rational {
    #[inline]
    fn from(value: i64) -> Self {
        Self::from_coprime(value.into(), 1)
    }
}

macro_rules! from_machine_integers {
    ($($t:ty)*) => {$(
        impl From<$t> for Rational {
            #[inline]
            fn from(value: $t) -> Self {
                i64::try_from(value).map_or_else(|_| Self::from(IBig::from(value)), Self::from)
            }
        }
    )*};
}
from_machine_integers!(i32 u32 u64 usize i128 u128);

impl From<IBig> for Rational {
    fn from(value: IBig) -> Self {
        Self::from_big(RBig::from(value))
    }
}

impl From<UBig> for Rational {
    fn from(value: UBig) -> Self {
        Self::from_big(RBig::from(value))
    }
}

impl From<RBig> for Rational {
    fn from(value: RBig) -> Self {
        Self::from_big(value)
    }
}

/// Stein's binary algorithm; `gcd(a, 0) = a`.
fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    if a == 1 || b == 1 {
        return 1;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
    }
    a << shift
}
