//! Theory lemmas with their certificates.
//!
//! A lemma is a clause; its certificate says why the *negations* of its literals, the conflict, cannot hold
//! together. Numbers such as `usize` are positions in the clause.

use bolide_base::Rational;
use bolide_term::Term;

/// An equality over the integers used by [`Lemma::Divisibility`]: one equality literal of the conflict, or two
/// opposite inequalities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EqualityPremise {
    /// Position of an equality, or of the upper bound `p <= c`.
    pub first: usize,
    /// Position of the lower bound `p >= c`, if the premise is two inequalities.
    pub second: Option<usize>,
    /// The multiplier of the equality, of any sign.
    pub coeff: Rational,
}

/// Why a clause is valid in the theories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lemma {
    /// The conflict's inequalities, integer ones strengthened, multiplied by these coefficients (one per
    /// literal; negative or zero only where the literal is an equality) sum up to a contradiction.
    Farkas(Vec<Rational>),
    /// The clause holds an equality `p = q`; the other literals of the conflict give `p <= q` with the first
    /// and `p >= q` with the second coefficients (zero at the position of the equality itself).
    TightBounds {
        /// Position of the equality.
        equality: usize,
        /// Coefficients that prove `p <= q`.
        upper: Vec<Rational>,
        /// Coefficients that prove `p >= q`.
        lower: Vec<Rational>,
    },
    /// A combination of integer equalities whose variables all have coefficients divisible by the modulus,
    /// but not its constant.
    Divisibility {
        /// The equalities with their multipliers.
        premises: Vec<EqualityPremise>,
        /// The modulus.
        modulus: Rational,
    },
    /// The conflict holds the equalities between neighbours of `path`, in this order (a Boolean term is equal to
    /// `true` or `false` as its literal says), and either denies that the ends are equal (the clause's last
    /// literal) or the ends are different values (then there is no such literal).
    Transitivity(Vec<Term>),
    /// Arguments of two applications of the same operator are pairwise equal (literals in the order of the
    /// arguments, left out where the arguments are the same term), but the applications are not (last literal).
    Congruence(Term, Term),
}
