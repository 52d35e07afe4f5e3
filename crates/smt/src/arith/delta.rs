//! Numbers with an infinitesimal part.
//!
//! A strict bound `x > c` is the weak bound `x >= c + δ` for a positive `δ` that is smaller than every rational
//! (Dutertre and de Moura, "A Fast Linear-Arithmetic Solver for DPLL(T)", 2006).

use std::ops::{Add, Neg, Sub};

use bolide_base::Rational;

/// The number `real + infinitesimal * δ`, ordered lexicographically.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Delta {
    /// The rational part.
    pub real: Rational,
    /// The factor of `δ`.
    pub infinitesimal: Rational,
}

impl Delta {
    /// The rational `real`.
    pub const fn exact(real: Rational) -> Self {
        Self { real, infinitesimal: Rational::ZERO }
    }

    /// The number just above `real`.
    pub const fn above(real: Rational) -> Self {
        Self { real, infinitesimal: Rational::ONE }
    }

    /// The number just below `real`.
    pub const fn below(real: Rational) -> Self {
        Self { real, infinitesimal: Rational::MINUS_ONE }
    }

    /// Whether this is the rational `c` itself.
    pub fn is_exactly(&self, c: &Rational) -> bool {
        self.infinitesimal.is_zero() && self.real == *c
    }

    /// Whether this is an integer.
    pub fn is_integer(&self) -> bool {
        self.infinitesimal.is_zero() && self.real.is_integer()
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.infinitesimal.is_zero() && self.real.is_zero()
    }

    /// The greatest integer that is at most this.
    pub fn floor(&self) -> Rational {
        if self.infinitesimal.is_negative() && self.real.is_integer() {
            &self.real - Rational::ONE
        } else {
            self.real.floor()
        }
    }

    /// The least integer that is at least this.
    pub fn ceil(&self) -> Rational {
        if self.infinitesimal.is_positive() && self.real.is_integer() {
            &self.real + Rational::ONE
        } else {
            self.real.ceil()
        }
    }

    /// Adds `factor * other` to this.
    #[inline]
    pub fn add_mul(&mut self, factor: &Rational, other: &Delta) {
        self.real.add_mul(factor, &other.real);
        if !other.infinitesimal.is_zero() {
            self.infinitesimal.add_mul(factor, &other.infinitesimal);
        }
    }

    /// This times `factor`.
    pub fn scaled(&self, factor: &Rational) -> Delta {
        Delta { real: &self.real * factor, infinitesimal: &self.infinitesimal * factor }
    }

    /// The rational that this becomes when `δ` takes the value `epsilon`.
    pub fn at(&self, epsilon: &Rational) -> Rational {
        let mut value = self.real.clone();
        value.add_mul(&self.infinitesimal, epsilon);
        value
    }
}

impl Add for &Delta {
    type Output = Delta;
    fn add(self, rhs: &Delta) -> Delta {
        Delta { real: &self.real + &rhs.real, infinitesimal: &self.infinitesimal + &rhs.infinitesimal }
    }
}

impl Sub for &Delta {
    type Output = Delta;
    fn sub(self, rhs: &Delta) -> Delta {
        Delta { real: &self.real - &rhs.real, infinitesimal: &self.infinitesimal - &rhs.infinitesimal }
    }
}

impl Neg for &Delta {
    type Output = Delta;
    fn neg(self) -> Delta {
        Delta { real: -&self.real, infinitesimal: -&self.infinitesimal }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_sees_the_infinitesimal() {
        let r = |n: i64| Rational::from(n);
        assert_eq!((Delta::below(r(3)).floor(), Delta::below(r(3)).ceil()), (r(2), r(3)));
        assert_eq!((Delta::above(r(3)).floor(), Delta::above(r(3)).ceil()), (r(3), r(4)));
        assert_eq!(Delta::exact(Rational::new(-1, 2)).floor(), r(-1));
        assert!(Delta::below(r(3)) < Delta::exact(r(3)) && Delta::exact(r(3)) < Delta::above(r(3)));
    }
}
