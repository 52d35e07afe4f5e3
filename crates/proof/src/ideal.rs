//! Equations that follow from others by multiplying them with terms and adding them up.
//!
//! An equation between integers says that a polynomial is zero, and one about a remainder by a numeral that a polynomial is zero modulo that. A polynomial
//! that is a sum of multiples of others is zero where they are: it is in their ideal. The multiples are found by division with a rest (Buchberger 1965), without
//! a Gröbner basis: if the rest is not zero, nothing is said.

use crate::Literal;
use crate::residue::{Polynomial, add, constant, multiply, polynomial, reduced, remainder};
use bolide_base::Rational;
use bolide_term::{Op, Sort, Store, Term};

/// So many steps of a division.
const MOST_STEPS: usize = 60;
/// Remainders by smaller numerals are terms like others.
const LEAST_MODULUS: i64 = 1 << 8;
/// The ways to choose the monomial that the others replace.
const ORDERS: usize = 3;

/// An equation: a polynomial is zero, modulo a numeral or, if that is zero, as it is.
#[derive(Clone, Debug)]
pub struct Zero {
    /// The equation.
    pub atom: Term,
    /// The polynomial.
    pub polynomial: Polynomial,
    /// The numeral.
    pub modulus: Rational,
}

impl Zero {
    /// What an equation between integers says; nothing if it is another atom, or too long.
    pub fn of(store: &Store, atom: Term) -> Option<Zero> {
        if store.op(atom) != Op::Eq || store.sort_of(store.arg(atom, 0)) != Sort::INT {
            return None;
        }
        let difference = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
        if let [(t, c)] = difference.terms.as_slice()
            && c.abs().is_one()
            && let Some((dividend, modulus)) = remainder(store, *t)
            && modulus >= Rational::from(LEAST_MODULUS)
        {
            let rest = -(&difference.constant / c);
            if !rest.is_integer() || rest.is_negative() || rest >= modulus {
                return None;
            }
            let mut polynomial = polynomial(store, dividend, &modulus)?;
            add(&mut polynomial, &constant(&-rest));
            return Some(Zero { atom, polynomial: reduced(polynomial, &modulus), modulus });
        }
        Zero::modulo(store, atom, &Rational::ZERO)
    }

    /// What an equation between integers says modulo a numeral: wraps by that are left out.
    fn modulo(store: &Store, atom: Term, modulus: &Rational) -> Option<Zero> {
        let difference = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
        // Multiples by a fraction are no multiples of the numeral.
        let mut coefficients = difference.terms.iter().map(|(_, c)| c).chain([&difference.constant]);
        if !coefficients.all(Rational::is_integer) {
            return None;
        }
        let mut sum = constant(&difference.constant);
        for (t, c) in &difference.terms {
            let part = polynomial(store, *t, modulus)?;
            add(&mut sum, &multiply(&part, &constant(c), modulus)?);
        }
        Some(Zero { atom, polynomial: reduced(sum, modulus), modulus: modulus.clone() })
    }

    /// Does it say something about products of terms?
    pub fn is_nonlinear(&self) -> bool {
        self.polynomial.keys().any(|m| m.len() > 1)
    }

    /// Does it say something modulo a numeral?
    fn suits(&self, modulus: &Rational) -> bool {
        self.modulus == *modulus || self.modulus.checked_div(modulus).is_some_and(|q| q.is_integer())
    }

    /// A monomial with a coefficient of one or minus one: a variable that occurs nowhere else in it, or one of the highest degree.
    fn leading(&self, store: &Store, order: usize) -> Option<&Vec<Term>> {
        let p = &self.polynomial;
        let is_unit = |(m, c): &(&Vec<Term>, &Rational)| !m.is_empty() && c.abs().is_one();
        // What is defined by others is the dividend, not the quotient.
        let is_free = |m: &&Vec<Term>| {
            m.len() == 1
                && !matches!(store.op(m[0]), Op::Div | Op::Mod)
                && p.keys().filter(|other| other.contains(&m[0])).count() == 1
        };
        let mut units = p.iter().filter(is_unit).map(|(m, _)| m);
        let alone = match order {
            0 => units.clone().rfind(is_free),
            1 => units.clone().find(is_free),
            _ => None,
        };
        alone.or_else(|| units.clone().max_by_key(|m| (m.len(), *m))).or_else(|| units.next())
    }
}

/// The premises, in the order of their atoms, from which a conclusion follows; nothing if the division leaves a rest.
pub fn premises(store: &Store, known: &[Zero], conclusion: &Zero) -> Option<Vec<Term>> {
    let under = |z: &Zero| match z.modulus.is_zero() && !conclusion.modulus.is_zero() {
        true => Zero::modulo(store, z.atom, &conclusion.modulus),
        false => Some(z.clone()).filter(|z| z.suits(&conclusion.modulus)),
    };
    let mut known: Vec<Zero> = known.iter().filter(|z| z.atom != conclusion.atom).filter_map(under).collect();
    known.sort_by_key(|z| z.atom);
    (0..ORDERS).find_map(|order| divided(store, &known, conclusion, order))
}

fn divided(store: &Store, known: &[Zero], conclusion: &Zero, order: usize) -> Option<Vec<Term>> {
    let by: Vec<(&Zero, &Vec<Term>)> =
        known.iter().filter_map(|z| Some((z, z.leading(store, order)?))).collect();
    let mut rest = conclusion.polynomial.clone();
    let mut used: Vec<Term> = Vec::new();
    for _ in 0..MOST_STEPS {
        let step = rest.iter().rev().find_map(|(m, c)| {
            by.iter().find_map(|(zero, leading)| Some((*zero, *leading, without(m, leading)?, c.clone())))
        });
        let Some((zero, leading, monomial, c)) = step else { break };
        let factor = Polynomial::from([(monomial, -(c / &zero.polynomial[leading]))]);
        add(&mut rest, &multiply(&zero.polynomial, &factor, &conclusion.modulus)?);
        rest = reduced(rest, &conclusion.modulus);
        if !used.contains(&zero.atom) {
            used.push(zero.atom);
        }
    }
    used.sort_unstable();
    rest.is_empty().then_some(used)
}

/// A monomial divided by another one.
fn without(m: &[Term], by: &[Term]) -> Option<Vec<Term>> {
    let mut rest = m.to_vec();
    for f in by {
        let at = rest.iter().position(|t| t == f)?;
        rest.remove(at);
    }
    Some(rest)
}

/// That a dividend is the divisor, a small numeral, times this quotient, and the remainder.
pub fn quotient(store: &mut Store, t: Term) -> Option<Zero> {
    let (dividend, by) = (store.arg(t, 0), store.arg(t, 1));
    let is_small = store.as_num(by).is_some_and(|k| *k < Rational::from(LEAST_MODULUS));
    if store.op(t) != Op::Div || !is_small {
        return None;
    }
    let rest = store.modulo(dividend, by);
    let multiple = store.mul(&[by, t]);
    let whole = store.add(&[multiple, rest]);
    let equation = store.arith_eq(dividend, whole);
    Zero::of(store, equation)
}

/// The term that names the clause by which a conclusion follows from premises.
pub fn implication(store: &mut Store, premises: &[Term], conclusion: Term) -> Term {
    let mut literals: Vec<Term> = premises.iter().map(|&p| store.not(p)).collect();
    literals.push(conclusion);
    store.nested_or(&literals)
}

/// A disjunction of an equation and of negated ones from which it follows.
pub(crate) fn membership(store: &Store, disjunction: Term) -> Vec<Vec<Literal>> {
    if store.op(disjunction) != Op::Or {
        return Vec::new();
    }
    let literals: Vec<Literal> = store.args(disjunction).iter().map(|&l| Literal::of(store, l)).collect();
    let mut known = Vec::new();
    let mut conclusion = None;
    for l in &literals {
        let Some(zero) = Zero::of(store, l.atom()) else { return Vec::new() };
        match l.is_positive() {
            false => known.push(zero),
            true if conclusion.is_none() => conclusion = Some(zero),
            true => return Vec::new(),
        }
    }
    match conclusion.and_then(|c| premises(store, &known, &c)) {
        Some(_) => vec![literals],
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The equation that a sum is zero modulo 2^16.
    fn zero(store: &mut Store, parts: &[Term]) -> Term {
        let (size, zero) = (store.int(1 << 16), store.int(0));
        let sum = store.add(parts);
        let rest = store.modulo(sum, size);
        store.arith_eq(rest, zero)
    }

    #[test]
    fn multiples_by_terms_are_found_modulo_a_power_of_two() {
        let mut store = Store::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| store.var(name, Sort::INT));
        // x z - x - y + 1 = 0, and the same a round later: x' = x z + 1, y' = y z.
        let one = store.int(1);
        let round = |store: &mut Store, x: Term, y: Term| {
            let product = store.mul(&[x, z]);
            let (x, y) = (store.neg(x), store.neg(y));
            zero(store, &[product, x, y, one])
        };
        let before = round(&mut store, x, y);
        let (xz, yz) = (store.mul(&[x, z]), store.mul(&[y, z]));
        let next = store.add(&[xz, one]);
        let after = round(&mut store, next, yz);
        let premise = Zero::of(&store, before).unwrap();
        let conclusion = Zero::of(&store, after).unwrap();
        assert_eq!(premises(&store, &[premise], &conclusion), Some(vec![before]));
        let clause = implication(&mut store, &[before], after);
        assert_eq!(membership(&store, clause).len(), 1);
        let wrong = round(&mut store, xz, yz);
        let clause = implication(&mut store, &[before], wrong);
        assert!(membership(&store, clause).is_empty());
    }
}
