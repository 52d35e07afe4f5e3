//! Products of terms, by facts of linear arithmetic about them.
//!
//! A product of sums is a sum of monomials. The sign of a product of two terms follows from the signs of both; of
//! `(x - a) * (y - b)`, multiplied out, that is the plane that touches `x * y` at `(a, b)` (McCormick; incremental
//! linearisation: Cimatti, Griggio, Irfan, Roveri and Sebastiani, 2018). A quotient times its divisor, with the remainder,
//! is the dividend.

use crate::Literal;
use bolide_base::Rational;
use bolide_term::{Linear, Op, Store, Term};

/// Products with more monomials are not multiplied out.
const MOST_MONOMIALS: usize = 100;

/// The factors of a product that is not linear.
pub(crate) fn factors(store: &Store, p: Term) -> Option<Vec<Term>> {
    let is_product = store.op(p) == Op::Mul && store.as_num(store.arg(p, 0)).is_none();
    is_product.then(|| store.args(p).to_vec())
}

/// A product of sums as a sum of products; `None` if that would be very long.
fn multiplied_out(store: &mut Store, factors: &[Term]) -> Option<Term> {
    let one = store.num(Rational::ONE, store.sort_of(*factors.first()?));
    let mut monomials = vec![(one, Rational::ONE)];
    for &f in factors {
        let Linear { constant, terms } = store.linear(f);
        if monomials.len() * (terms.len() + 1) > MOST_MONOMIALS {
            return None;
        }
        let mut longer = Vec::with_capacity(monomials.len() * (terms.len() + 1));
        for (m, c) in &monomials {
            for (t, d) in &terms {
                longer.push((store.mul(&[*m, *t]), c * d));
            }
            if !constant.is_zero() {
                longer.push((*m, c * &constant));
            }
        }
        monomials = longer;
    }
    let summands: Vec<Term> = monomials.into_iter().map(|(m, c)| store.scale(&c, m)).collect();
    Some(store.add(&summands))
}

/// A product some factor of which is a sum equals the sum of the products.
pub(crate) fn expansion(store: &mut Store, p: Term) -> Vec<Vec<Literal>> {
    let Some(factors) = factors(store, p) else { return Vec::new() };
    if factors.iter().all(|&f| store.is_base(f)) {
        return Vec::new();
    }
    let Some(sum) = multiplied_out(store, &factors) else { return Vec::new() };
    let e = store.arith_eq(p, sum);
    vec![vec![Literal::of(store, e)]]
}

/// The sign of a product, multiplied out, follows from those of its first factor and of the product of the others.
pub(crate) fn signs(store: &mut Store, p: Term) -> Vec<Vec<Literal>> {
    let Some(factors) = factors(store, p) else { return Vec::new() };
    let Some(product) = multiplied_out(store, &factors) else { return Vec::new() };
    let (u, v) = (factors[0], store.mul(&factors[1..]));
    let zero = store.num(Rational::ZERO, store.sort_of(p));
    let mut clauses = Vec::new();
    for (u_positive, v_positive) in [(true, true), (false, false), (true, false), (false, true)] {
        for strict in [false, true] {
            let mut sign = |t: Term, positive: bool| {
                let (low, high) = if positive { (zero, t) } else { (t, zero) };
                let atom = if strict { store.lt(low, high) } else { store.le(low, high) };
                Literal::of(store, atom)
            };
            let (x, y, xy) =
                (sign(u, u_positive), sign(v, v_positive), sign(product, u_positive == v_positive));
            clauses.push(vec![!x, !y, xy]);
        }
    }
    clauses
}

/// What a quotient or a remainder by a divisor that is no numeral is, unless that is zero.
pub(crate) fn division(store: &mut Store, t: Term) -> Vec<Vec<Literal>> {
    if !matches!(store.op(t), Op::Div | Op::Mod | Op::RealDiv) || store.as_num(store.arg(t, 1)).is_some() {
        return Vec::new();
    }
    let (x, y) = (store.arg(t, 0), store.arg(t, 1));
    let zero = store.num(Rational::ZERO, store.sort_of(y));
    let is_zero = store.arith_eq(y, zero);
    let is_zero = Literal::of(store, is_zero);
    if store.op(t) == Op::RealDiv {
        let product = store.mul(&[y, t]);
        let whole = store.arith_eq(product, x);
        return vec![vec![is_zero, Literal::of(store, whole)]];
    }
    let (quotient, rest) = (store.div(x, y), store.modulo(x, y));
    let product = store.mul(&[y, quotient]);
    let sum = store.add(&[product, rest]);
    let minus_y = store.neg(y);
    let facts = [
        store.arith_eq(sum, x),
        store.le(zero, rest),
        store.lt(rest, y),
        store.lt(rest, minus_y),
        store.lt(zero, y),
        store.lt(y, zero),
    ];
    let [whole, not_negative, below, below_minus, positive, negative] =
        facts.map(|fact| Literal::of(store, fact));
    vec![
        vec![is_zero, whole],
        vec![is_zero, not_negative],
        vec![!positive, below],
        vec![!negative, below_minus],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axiom, AxiomSchemes};
    use bolide_term::{Evaluator, Model, Sort, Value};

    /// The clauses of all schemes hold for all small values of their variables.
    #[test]
    fn the_clauses_are_true() {
        let mut store = Store::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| store.var(name, Sort::INT));
        let (two, three) = (store.int(2), store.int(3));
        let (above, below) = (store.add(&[x, two]), store.sub(y, three));
        let twice = store.scale(&Rational::from(2), above);
        let sum = store.add(&[twice, z]);
        let products = [
            store.mul(&[x, y]),
            store.mul(&[x, x]),
            store.mul(&[above, below]),
            store.mul(&[sum, below]),
            store.mul(&[x, y, z]),
            store.mul(&[above, y, below]),
            store.mul(&[sum, sum]),
        ];
        let divisions = [store.div(x, y), store.modulo(x, y), store.div(sum, below), store.modulo(z, above)];
        let axioms: Vec<Axiom> = products
            .into_iter()
            .flat_map(|p| [Axiom::Product(p), Axiom::Expansion(p)])
            .chain(divisions.into_iter().map(Axiom::Division))
            .collect();
        let mut schemes = AxiomSchemes::new();
        let clauses: Vec<Vec<Literal>> =
            axioms.into_iter().flat_map(|a| schemes.clauses(&mut store, a)).collect();
        assert!(clauses.len() > 60);
        let (mut held, mut open) = (0, 0);
        for n in 0..9 * 9 * 9 {
            let mut model = Model::default();
            for (t, v) in [(x, n % 9 - 4), (y, n / 9 % 9 - 4), (z, n / 81 - 4)] {
                model.set(store.as_var(t).unwrap(), Value::Num(Rational::from(v)));
            }
            let mut evaluator = Evaluator::new(&store, &model);
            for clause in &clauses {
                // Divisions by zero have no value; then the clause must be true without them.
                let truth =
                    |l: &Literal, e: &mut Evaluator<'_>| e.holds(l.atom()).map(|v| v == l.is_positive());
                let values: Vec<_> = clause.iter().map(|l| truth(l, &mut evaluator)).collect();
                match values.contains(&Ok(true)) {
                    true => held += 1,
                    false => {
                        assert!(values.iter().any(Result::is_err), "{clause:?} for {n}");
                        open += 1;
                    }
                }
            }
        }
        assert!(held > 20 * open);
    }
}
