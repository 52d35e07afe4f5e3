//! Literals: a non-zero integer as in DIMACS, so that they cross to CaDiCaL without translation.

use std::fmt;
use std::num::NonZeroI32;
use std::ops::Not;

/// A literal: a variable (numbered from 1) or its negation.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Ord, PartialOrd)]
#[repr(transparent)]
pub struct Lit(NonZeroI32);

impl Lit {
    /// The literal with this DIMACS number; `None` for 0 and for the one number that has no negation.
    pub const fn new(dimacs: i32) -> Option<Lit> {
        match NonZeroI32::new(dimacs) {
            Some(number) if dimacs != i32::MIN => Some(Lit(number)),
            _ => None,
        }
    }

    /// The DIMACS number: positive for a variable, negative for its negation.
    pub const fn dimacs(self) -> i32 {
        self.0.get()
    }

    /// The variable's number, from 1.
    pub const fn var(self) -> u32 {
        self.0.get().unsigned_abs()
    }

    /// Whether this is the variable itself rather than its negation.
    pub const fn is_positive(self) -> bool {
        self.0.get() > 0
    }

    /// The variable of this literal as a positive literal.
    pub const fn positive(self) -> Lit {
        Lit(self.0.abs())
    }

    /// A dense index for tables over literals: the two literals of variable `v` have codes `2v` and `2v + 1`.
    pub const fn code(self) -> usize {
        self.var() as usize * 2 + !self.is_positive() as usize
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The literals of a clause that CaDiCaL hands out, which never contains 0.
pub(crate) fn from_dimacs(lits: &[i32]) -> impl Iterator<Item = Lit> + '_ {
    lits.iter().filter_map(|&lit| Lit::new(lit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        assert_eq!(Lit::new(0), None);
        assert_eq!(Lit::new(i32::MIN), None);
        for dimacs in [1, -1, 7, -7, i32::MAX, -i32::MAX] {
            let lit = Lit::new(dimacs).unwrap();
            assert_eq!(lit.dimacs(), dimacs);
            assert_eq!((!lit).dimacs(), -dimacs);
            assert_eq!(!!lit, lit);
            assert_eq!(lit.is_positive(), dimacs > 0);
            assert_eq!(lit.positive().dimacs(), dimacs.abs());
            assert_eq!(lit.code() ^ 1, (!lit).code());
        }
        assert_eq!(size_of::<Option<Lit>>(), 4);
    }
}
