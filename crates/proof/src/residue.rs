//! Remainders of polynomials: arithmetic in the ring of the integers modulo a numeral.
//!
//! Machine integers are right modulo `2^n` whether they wrap or not. A wrap is a remainder, or a choice between values that are a multiple of `2^n` apart; under
//! a remainder by `2^n` neither makes a difference, so both are left out, and what remains is a polynomial with coefficients modulo `2^n` (Müller-Olm and Seidl,
//! *Analysis of Modular Arithmetic*, TOPLAS 2007).

use crate::Literal;
use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Polynomials with more monomials are left alone.
const MOST_MONOMIALS: usize = 200;
/// So are those of a higher degree.
const HIGHEST_DEGREE: usize = 12;
/// So are those that are made of more terms.
const MOST_TERMS: usize = 2_000;

/// A polynomial: the coefficient of each product of terms, which are in order. No coefficient is zero.
pub type Polynomial = BTreeMap<Vec<Term>, Rational>;

/// The dividend and the divisor of a remainder by a numeral above one.
pub fn remainder(store: &Store, t: Term) -> Option<(Term, Rational)> {
    let divisor = (store.op(t) == Op::Mod).then(|| store.as_num(store.arg(t, 1)).cloned()).flatten()?;
    (divisor > Rational::ONE).then(|| (store.arg(t, 0), divisor))
}

/// A polynomial that an integer term equals modulo a numeral, or as it is if that is zero; nothing if it is too long.
pub fn polynomial(store: &Store, root: Term, modulus: &Rational) -> Option<Polynomial> {
    let mut known: FxHashMap<Term, Polynomial> = FxHashMap::default();
    let mut open = vec![root];
    while let Some(&t) = open.last() {
        if known.contains_key(&t) {
            open.pop();
            continue;
        }
        let operands = operands(store, t, modulus);
        let before = open.len();
        open.extend(operands.iter().filter(|o| !known.contains_key(o)));
        if open.len() > before {
            continue;
        }
        open.pop();
        if known.len() > MOST_TERMS {
            return None;
        }
        let of = |n: usize| &known[&operands[n]];
        let value = match store.op(t) {
            Op::Num(n) => constant(store.num_value(n)),
            Op::Add => {
                let mut sum = Polynomial::new();
                (0..operands.len()).for_each(|n| add(&mut sum, of(n)));
                sum
            }
            Op::Mul => {
                let mut product = constant(&Rational::ONE);
                for n in 0..operands.len() {
                    product = multiply(&product, of(n), modulus)?;
                }
                product
            }
            Op::Mod if !operands.is_empty() => of(0).clone(),
            Op::Ite if of(0) == of(1) => of(0).clone(),
            _ => Polynomial::from([(vec![t], Rational::ONE)]),
        };
        let value = reduced(value, modulus);
        if value.len() > MOST_MONOMIALS {
            return None;
        }
        known.insert(t, value);
    }
    known.remove(&root)
}

/// Is a term, wraps aside, made of products of terms?
pub fn has_products(store: &Store, root: Term) -> bool {
    let mut open = vec![root];
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    while let Some(t) = open.pop() {
        if store.op(t) == Op::Mul && store.as_num(store.arg(t, 0)).is_none() {
            return true;
        }
        if seen.len() > MOST_TERMS {
            return false;
        }
        // Which divisor a remainder is by does not matter here.
        let parts = match store.op(t) {
            Op::Add | Op::Mul => store.args(t),
            Op::Ite => &store.args(t)[1..],
            Op::Mod => &store.args(t)[..1],
            _ => &[],
        };
        open.extend(parts.iter().filter(|&&p| seen.insert(p)));
    }
    false
}

/// The parts of a term of which it is a polynomial modulo a numeral.
fn operands(store: &Store, t: Term, modulus: &Rational) -> Vec<Term> {
    match store.op(t) {
        Op::Add | Op::Mul => store.args(t).to_vec(),
        Op::Ite => store.args(t)[1..].to_vec(),
        Op::Mod => match remainder(store, t) {
            Some((dividend, divisor)) if divisor.checked_div(modulus).is_some_and(|q| q.is_integer()) => {
                vec![dividend]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

pub(crate) fn constant(value: &Rational) -> Polynomial {
    Polynomial::from([(Vec::new(), value.clone())])
}

pub(crate) fn add(sum: &mut Polynomial, other: &Polynomial) {
    for (monomial, c) in other {
        *sum.entry(monomial.clone()).or_default() += c;
    }
}

pub(crate) fn multiply(a: &Polynomial, b: &Polynomial, modulus: &Rational) -> Option<Polynomial> {
    let mut product = Polynomial::new();
    for (m, c) in a {
        for (n, d) in b {
            let mut monomial = [m.as_slice(), n].concat();
            monomial.sort_unstable();
            if monomial.len() > HIGHEST_DEGREE {
                return None;
            }
            *product.entry(monomial).or_default() += c * d;
        }
        if product.len() > MOST_MONOMIALS {
            return None;
        }
    }
    Some(reduced(product, modulus))
}

/// The same with coefficients next to zero.
pub(crate) fn reduced(mut p: Polynomial, modulus: &Rational) -> Polynomial {
    p.retain(|_, c| {
        if let Some(residue) = c.rem_euclid(modulus) {
            *c = if &residue + &residue > *modulus { residue - modulus } else { residue };
        }
        !c.is_zero()
    });
    p
}

/// A polynomial as a term.
pub fn term(store: &mut Store, p: &Polynomial) -> Term {
    let mut sum = Linear::default();
    for (monomial, c) in p {
        if monomial.is_empty() {
            sum.constant += c;
            continue;
        }
        let product = store.mul(monomial);
        sum.add_scaled(&Linear { constant: Rational::ZERO, terms: vec![(product, Rational::ONE)] }, c);
    }
    store.from_linear(&sum, Sort::INT)
}

/// A remainder is that of a polynomial without the wraps within. Other choices in it are made: there is a clause for either value of the condition of the last
/// one, which decides all with the same condition.
pub(crate) fn residue(store: &mut Store, t: Term) -> Vec<Vec<Literal>> {
    let Some((dividend, divisor)) = remainder(store, t) else { return Vec::new() };
    let Some(p) = polynomial(store, dividend, &divisor) else { return Vec::new() };
    let by = store.arg(t, 1);
    let same = |store: &mut Store, p: &Polynomial, premise: Option<Literal>| {
        let p = term(store, p);
        let rest = store.modulo(p, by);
        (rest != t).then(|| {
            let e = store.arith_eq(t, rest);
            premise.into_iter().chain([Literal::of(store, e)]).collect()
        })
    };
    let Some(choice) = choice(store, &p) else { return same(store, &p, None).into_iter().collect() };
    let condition = Literal::of(store, store.arg(choice, 0));
    let mut clauses = Vec::new();
    for (premise, branch) in [(!condition, 1), (condition, 2)] {
        let Some(p) = chosen(store, &p, store.arg(choice, 0), branch, &divisor) else { return Vec::new() };
        clauses.extend(same(store, &p, Some(premise)));
    }
    clauses
}

/// The last choice in a polynomial.
pub fn choice(store: &Store, p: &Polynomial) -> Option<Term> {
    p.keys().flatten().copied().filter(|&f| store.op(f) == Op::Ite).max()
}

/// A polynomial in which every choice with a condition is one of its branches.
pub fn chosen(
    store: &Store,
    p: &Polynomial,
    condition: Term,
    branch: usize,
    modulus: &Rational,
) -> Option<Polynomial> {
    let mut sum = Polynomial::new();
    for (monomial, c) in p {
        let mut product = constant(c);
        for &f in monomial {
            let is_choice = store.op(f) == Op::Ite && store.arg(f, 0) == condition;
            let factor = match is_choice {
                true => polynomial(store, store.arg(f, branch), modulus)?,
                false => Polynomial::from([(vec![f], Rational::ONE)]),
            };
            product = multiply(&product, &factor, modulus)?;
        }
        add(&mut sum, &product);
    }
    let sum = reduced(sum, modulus);
    (sum.len() <= MOST_MONOMIALS).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axiom, AxiomSchemes};
    use bolide_term::{Evaluator, Model, Value};

    #[test]
    fn the_clauses_are_true() {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.var(name, Sort::INT));
        let (eight, sixteen, six) = (store.int(8), store.int(16), store.int(6));
        let product = store.mul(&[x, y]);
        let sum = store.add(&[x, y, y]);
        let (wrapped, other) = (store.modulo(product, sixteen), store.modulo(sum, six));
        let beyond = store.add(&[sum, eight]);
        let positive = store.le(eight, product);
        let by_choice = store.ite(positive, beyond, sum);
        let other_way = store.ite(positive, y, product);
        let parts = [wrapped, other, by_choice, other_way, x];
        let mut dividends = Vec::new();
        for a in parts {
            for b in parts {
                let (square, sum) = (store.mul(&[a, b]), store.add(&[a, b]));
                dividends.extend([square, store.mul(&[sum, b]), store.add(&[square, a])]);
            }
        }
        let remainders: Vec<Term> =
            dividends.iter().flat_map(|&d| [eight, six, sixteen].map(|n| store.modulo(d, n))).collect();
        let mut schemes = AxiomSchemes::new();
        let axioms = remainders.into_iter().map(Axiom::Residue);
        let clauses: Vec<Vec<Literal>> = axioms.flat_map(|a| schemes.clauses(&mut store, a)).collect();
        assert!(clauses.len() > 60, "{}", clauses.len());
        for n in 0..19 * 19 {
            let mut model = Model::default();
            for (t, v) in [(x, n % 19 - 9), (y, n / 19 - 9)] {
                model.set(store.as_var(t).unwrap(), Value::Num(Rational::from(v)));
            }
            let mut evaluator = Evaluator::new(&store, &model);
            for clause in &clauses {
                assert!(
                    clause.iter().any(|l| evaluator.holds(l.atom()) == Ok(l.is_positive())),
                    "{clause:?}"
                );
            }
        }
    }

    #[test]
    fn wraps_are_left_out() {
        let mut store = Store::new();
        let [x, y, size] = [store.var("x", Sort::INT), store.var("y", Sort::INT), store.int(256)];
        let sum = store.add(&[x, y]);
        let less = store.sub(sum, size);
        let fits = store.lt(sum, size);
        let wrapped = store.ite(fits, sum, less);
        let product = store.mul(&[wrapped, wrapped]);
        let found = polynomial(&store, product, &Rational::from(256)).unwrap();
        let expected = [(vec![x, x], 1), (vec![x, y], 2), (vec![y, y], 1)];
        assert_eq!(found, expected.into_iter().map(|(m, c)| (m, Rational::from(c))).collect());
    }
}
