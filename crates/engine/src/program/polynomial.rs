//! Polynomial equations that sampled states suggest.
//!
//! A loop that adds a counter up computes a polynomial in its number of rounds. Its equations are linear in the monomials of the variables,
//! so they are found as affine equations are: by the null space of the values that the monomials had (Sharma, Gupta, Hariharan, Aiken,
//! Liang and Nori, *A Data Driven Approach for Algebraic Loop Invariants*, ESOP 2013). Whether they are inductive is for others to say.

use super::conjecture::equalities;
use bolide_base::Rational;
use bolide_model::Program;
use bolide_term::{Linear, Op, Store, Term};

/// At most so many monomials.
const MOST_MONOMIALS: usize = 60;
/// At most so many equations of one location.
const MOST_EQUATIONS: usize = 10;
/// Larger coefficients are a coincidence.
const MAX_COEFFICIENT: i64 = 1000;

/// Are there products of variables in a program?
pub fn has_products(store: &Store, program: &Program) -> bool {
    let terms = program.main().edges.iter().filter_map(|e| e.step()).flat_map(|s| s.terms());
    let is_product = |t: Term| {
        store.op(t) == Op::Mul && store.args(t).iter().filter(|&&a| store.as_num(a).is_none()).count() > 1
    };
    store.post_order(terms).any(is_product)
}

/// A monomial: the numbers of its variables, in order.
type Monomial = Vec<usize>;

/// Equations of a degree above one that hold of all states, with whole coefficients: those of the first of some degrees of which there are any. There must be so many times as many states as monomials.
pub fn equations_of_degree(
    store: &mut Store,
    variables: &[Term],
    states: &[Vec<Rational>],
    degrees: &[usize],
    times: usize,
) -> Vec<Linear> {
    let independent = independent(variables.len(), states);
    let most = MOST_MONOMIALS.min(states.len() / times);
    let fits = |degree: &&usize| count(independent.len(), **degree) <= most;
    for &degree in degrees.iter().filter(fits) {
        let monomials = monomials(&independent, degree);
        let value = |state: &Vec<Rational>, m: &Monomial| {
            m.iter().fold(Rational::ONE, |product, &v| product * &state[v])
        };
        let points: Vec<Vec<Rational>> =
            states.iter().map(|s| monomials.iter().map(|m| value(s, m)).collect()).collect();
        let found = equalities(&points);
        if !found.is_empty() {
            return selected(store, variables, &monomials, &found);
        }
    }
    Vec::new()
}

/// The variables that are no affine functions of the ones before them.
fn independent(count: usize, states: &[Vec<Rational>]) -> Vec<usize> {
    // The last variable of an equation depends on those before it.
    let dependent: Vec<usize> =
        equalities(states).iter().filter_map(|e| e.iter().rposition(|c| !c.is_zero())).collect();
    (0..count).filter(|v| !dependent.contains(&(v + 1))).collect()
}

/// The number of monomials in so many variables up to a degree.
fn count(variables: usize, degree: usize) -> usize {
    (1..=degree).fold(1, |n, d| n * (variables + d) / d)
}

/// The monomials up to a degree but for the constant, those of a low degree first.
fn monomials(variables: &[usize], degree: usize) -> Vec<Monomial> {
    let mut all: Vec<Monomial> = Vec::new();
    let mut last: Vec<Monomial> = vec![Vec::new()];
    for _ in 0..degree {
        let longer = |m: &Monomial| -> Vec<Monomial> {
            let from = m.last().copied().unwrap_or(0);
            variables.iter().filter(|&&v| v >= from).map(|&v| [m.as_slice(), &[v]].concat()).collect()
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Does one monomial divide another one?
fn divides(a: &Monomial, b: &Monomial) -> bool {
    let mut rest = b.iter();
    a.iter().all(|v| rest.any(|w| w == v))
}

/// The equations of a degree above one that are not mere multiples of others, as far as leading monomials tell.
fn selected(
    store: &mut Store,
    variables: &[Term],
    monomials: &[Monomial],
    found: &[Vec<Rational>],
) -> Vec<Linear> {
    let mut leading: Vec<&Monomial> = Vec::new();
    let mut out = Vec::new();
    for equation in found {
        let Some(last) = equation.iter().rposition(|c| !c.is_zero()).filter(|&n| n > 0) else { continue };
        let lead = &monomials[last - 1];
        if lead.len() < 2 || leading.iter().any(|m| divides(m, lead)) {
            continue;
        }
        leading.push(lead);
        let scale = equation.iter().fold(Rational::ONE, |scale, c| scale.lcm(&c.denom()));
        let coefficient = |c: &Rational| c.clone() * &scale;
        let is_small = |c: &Rational| coefficient(c).abs().to_i64().is_some_and(|k| k <= MAX_COEFFICIENT);
        if !equation[1..].iter().all(is_small) {
            continue;
        }
        let mut form = Linear::constant(coefficient(&equation[0]));
        for (m, c) in monomials.iter().zip(&equation[1..]).filter(|(_, c)| !c.is_zero()) {
            let factors: Vec<Term> = m.iter().map(|&v| variables[v]).collect();
            let term = Linear { constant: Rational::ZERO, terms: vec![(store.mul(&factors), Rational::ONE)] };
            form.add_scaled(&term, &coefficient(c));
        }
        out.push(form);
        if out.len() == MOST_EQUATIONS {
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_term::Sort;

    #[test]
    fn squares_and_cubes_of_a_counter_are_found_by_equations_of_degree_two() {
        let mut store = Store::new();
        let variables = ["n", "y", "x"].map(|name| store.var(name, Sort::INT));
        let states: Vec<Vec<Rational>> =
            (0..60i64).map(|n| vec![n.into(), (3 * n * n + 3 * n + 1).into(), (n * n * n).into()]).collect();
        let found = equations_of_degree(&mut store, &variables, &states, &[4], 1);
        let [n, y, x] = variables;
        let square = store.mul(&[n, n]);
        let of = |form: &Linear, t: Term| {
            form.terms.iter().find(|p| p.0 == t).map_or(Rational::ZERO, |p| p.1.clone())
        };
        assert!(
            found.iter().any(|f| !of(f, square).is_zero() && of(f, y) * &Rational::from(-3) == of(f, square))
        );
        // The cube is in the product of the other two.
        assert!(found.iter().any(|f| !of(f, x).is_zero()));
    }
}
