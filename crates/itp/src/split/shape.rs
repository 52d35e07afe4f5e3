//! The shapes of arithmetic atoms that the split prover reasons about.

use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term};

/// An inequality between at most two base terms: the sum of the signed terms is at most `bound`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Octagonal {
    /// One or two different base terms; the flag says that the term counts positively.
    pub terms: Vec<(Term, bool)>,
    /// The bound.
    pub bound: Rational,
}

/// The inequality `l <= 0` with unit coefficients, if it has one or two base terms of equal weight.
pub(super) fn octagonal(l: &Linear) -> Option<Octagonal> {
    let (_, first) = l.terms.first()?;
    let weight = first.abs();
    if l.terms.len() > 2 || l.terms.iter().any(|(_, c)| c.abs() != weight) {
        return None;
    }
    let bound = -(&l.constant / &weight);
    Some(Octagonal { terms: l.terms.iter().map(|(t, c)| (*t, c.is_positive())).collect(), bound })
}

/// A sum of terms with coprime whole coefficients, and the positive number by which it has to be multiplied to give the
/// original.
pub(super) fn primitive(l: &Linear) -> (Linear, Rational) {
    let divisor = l.terms.iter().fold(Rational::ZERO, |g, (_, c)| g.gcd(c));
    if divisor.is_zero() {
        return (l.clone(), Rational::ONE);
    }
    let mut out = l.clone();
    out.scale(&divisor.recip());
    (out, divisor)
}

/// The difference of the two sides of an arithmetic atom (`<=` or `=`), and the sort of the sides.
pub(super) fn difference(store: &Store, atom: Term) -> Option<(Linear, Sort)> {
    if !matches!(store.op(atom), Op::Le | Op::Eq) {
        return None;
    }
    let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
    let sort = store.sort_of(a);
    sort.is_arith().then(|| (store.linear_difference(a, b), sort))
}

/// Is the term a connective, rather than an atom?
pub(super) fn is_connective(store: &Store, t: Term) -> bool {
    match store.op(t) {
        Op::True | Op::False | Op::Not | Op::And | Op::Or => true,
        Op::Ite => store.sort_of(t) == Sort::BOOL,
        Op::Eq => store.sort_of(store.arg(t, 0)) == Sort::BOOL,
        _ => false,
    }
}
