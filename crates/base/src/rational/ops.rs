//! The field operations, by value and by reference.
//!
//! Sums and products of fractions in lowest terms follow Knuth (The Art of Computer Programming, 4.5.1): common
//! factors are removed before multiplying, so the operands of every greatest common divisor are single words.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::Repr::{Big, Small};
use super::{Rational, UNIT, gcd_u64};

impl Rational {
    /// Adds `a * b` to this.
    #[inline]
    pub fn add_mul(&mut self, a: &Rational, b: &Rational) {
        if let (Small(s, UNIT), Small(x, UNIT), Small(y, UNIT)) = (&self.0, &a.0, &b.0)
            && let Some(sum) = x.checked_mul(*y).and_then(|p| p.checked_add(*s))
            && sum != i64::MIN
        {
            *self = Self::small(sum, 1);
        } else {
            *self = add(self, &mul(a, b));
        }
    }

    /// Subtracts `a * b` from this.
    #[inline]
    pub fn sub_mul(&mut self, a: &Rational, b: &Rational) {
        if let (Small(s, UNIT), Small(x, UNIT), Small(y, UNIT)) = (&self.0, &a.0, &b.0)
            && let Some(difference) = x.checked_mul(*y).and_then(|p| s.checked_sub(p))
            && difference != i64::MIN
        {
            *self = Self::small(difference, 1);
        } else {
            *self = sub(self, &mul(a, b));
        }
    }

    /// Flips the sign in place.
    #[inline]
    pub fn negate(&mut self) {
        *self = -std::mem::take(self);
    }
}

#[inline]
fn add(x: &Rational, y: &Rational) -> Rational {
    match (&x.0, &y.0) {
        (Small(a, UNIT), Small(c, UNIT)) => Rational::from_coprime(i128::from(*a) + i128::from(*c), 1),
        (Small(a, b), Small(c, d)) => add_fractions((*a, b.get()), (i128::from(*c), d.get())),
        _ => Rational::from_big(x.to_rbig() + y.to_rbig()),
    }
}

#[inline]
fn sub(x: &Rational, y: &Rational) -> Rational {
    match (&x.0, &y.0) {
        (Small(a, UNIT), Small(c, UNIT)) => Rational::from_coprime(i128::from(*a) - i128::from(*c), 1),
        (Small(a, b), Small(c, d)) => add_fractions((*a, b.get()), (-i128::from(*c), d.get())),
        _ => Rational::from_big(x.to_rbig() - y.to_rbig()),
    }
}

fn add_fractions((a, b): (i64, i64), (c, d): (i128, i64)) -> Rational {
    let (a, b, d) = (i128::from(a), i128::from(b), i128::from(d));
    let g = gcd_u64(b as u64, d as u64);
    if g == 1 {
        return Rational::from_coprime(a * d + c * b, b * d);
    }
    let wide_g = i128::from(g);
    let sum = a * (d / wide_g) + c * (b / wide_g);
    let common = i128::from(gcd_u64((sum % wide_g).unsigned_abs() as u64, g));
    Rational::from_coprime(sum / common, b / wide_g * (d / common))
}

#[inline]
fn mul(x: &Rational, y: &Rational) -> Rational {
    match (&x.0, &y.0) {
        (Small(a, UNIT), Small(c, UNIT)) => Rational::from_coprime(i128::from(*a) * i128::from(*c), 1),
        (Small(a, b), Small(c, d)) => mul_fractions((*a, b.get()), (*c, d.get())),
        _ => Rational::from_big(x.to_rbig() * y.to_rbig()),
    }
}

fn mul_fractions((a, b): (i64, i64), (c, d): (i64, i64)) -> Rational {
    let left = gcd_u64(a.unsigned_abs(), d.unsigned_abs()) as i64;
    let right = gcd_u64(c.unsigned_abs(), b.unsigned_abs()) as i64;
    Rational::from_coprime(
        i128::from(a / left) * i128::from(c / right),
        i128::from(b / right) * i128::from(d / left),
    )
}

/// Division by zero panics, as it does on machine integers.
#[inline]
fn div(x: &Rational, y: &Rational) -> Rational {
    mul(x, &y.recip())
}

macro_rules! binary_operator {
    ($trait:ident, $method:ident, $assign_trait:ident, $assign_method:ident, $function:ident) => {
        impl $trait<&Rational> for &Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, rhs: &Rational) -> Rational {
                $function(self, rhs)
            }
        }
        impl $trait<Rational> for &Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, rhs: Rational) -> Rational {
                $function(self, &rhs)
            }
        }
        impl $trait<&Rational> for Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, rhs: &Rational) -> Rational {
                $function(&self, rhs)
            }
        }
        impl $trait<Rational> for Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, rhs: Rational) -> Rational {
                $function(&self, &rhs)
            }
        }
        impl $assign_trait<&Rational> for Rational {
            #[inline]
            fn $assign_method(&mut self, rhs: &Rational) {
                *self = $function(self, rhs);
            }
        }
        impl $assign_trait<Rational> for Rational {
            #[inline]
            fn $assign_method(&mut self, rhs: Rational) {
                *self = $function(self, &rhs);
            }
        }
    };
}

binary_operator!(Add, add, AddAssign, add_assign, add);
binary_operator!(Sub, sub, SubAssign, sub_assign, sub);
binary_operator!(Mul, mul, MulAssign, mul_assign, mul);
binary_operator!(Div, div, DivAssign, div_assign, div);

impl Neg for Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        match self.0 {
            Small(num, den) => Rational(Small(-num, den)),
            Big(big) => Rational::from_big(-*big),
        }
    }
}

impl Neg for &Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        match &self.0 {
            Small(num, den) => Rational(Small(-num, *den)),
            Big(big) => Rational::from_big(-big.as_ref().clone()),
        }
    }
}

impl Sum for Rational {
    fn sum<I: Iterator<Item = Rational>>(iter: I) -> Rational {
        iter.fold(Rational::ZERO, |total, x| total + x)
    }
}

impl<'a> Sum<&'a Rational> for Rational {
    fn sum<I: Iterator<Item = &'a Rational>>(iter: I) -> Rational {
        iter.fold(Rational::ZERO, |total, x| total + x)
    }
}
