//! Equations modulo the sizes of machine integers.
//!
//! Sums and products of machine integers are right modulo `2^n` whether they wrap or not. So an equation that holds as long as nothing wraps
//! mostly holds modulo `2^n` where something does, and between values of one type that is as good as the equation.

use super::sample::step_terms;
use bolide_base::Rational;
use bolide_model::Program;
use bolide_term::{Linear, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Only so many sizes are tried.
const MOST_SIZES: usize = 2;

/// The sizes of machine integers that may wrap in a program, the largest first.
pub fn sizes(store: &Store, program: &Program) -> Vec<Rational> {
    let mut found = BTreeSet::new();
    for t in store.post_order(step_terms(program)) {
        let Some(number) = store.as_num(t) else { continue };
        found.extend([8, 16, 32, 64].into_iter().filter(|&bits| number.abs() == Rational::pow2(bits)));
    }
    found.into_iter().rev().take(MOST_SIZES).map(Rational::pow2).collect()
}

/// That a linear form is zero modulo a size.
pub fn vanishes(store: &mut Store, form: &Linear, size: &Rational) -> Term {
    let value = store.from_linear(form, Sort::INT);
    let (size, zero) = (store.num(size.clone(), Sort::INT), store.int(0));
    let rest = store.modulo(value, size);
    store.eq(rest, zero)
}

/// The equations in some facts modulo the sizes: those that stand there, alone or in a clause, and those that are two bounds.
pub fn weakened(store: &mut Store, facts: &[Term], sizes: &[Rational]) -> Vec<Term> {
    let mut equations: Vec<(Vec<Term>, Linear)> = Vec::new();
    let mut bounds: FxHashMap<Vec<Term>, Vec<Linear>> = FxHashMap::default();
    for &fact in facts {
        let literals: Vec<Term> = match store.op(fact) {
            Op::Or => store.args(fact).to_vec(),
            _ => vec![fact],
        };
        for (n, &literal) in literals.iter().enumerate() {
            let (atom, is_positive) = store.literal(literal);
            let op = store.op(atom);
            if !matches!(op, Op::Eq | Op::Le) || store.sort_of(store.arg(atom, 0)) != Sort::INT {
                continue;
            }
            let mut form = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
            let mut rest = literals.clone();
            rest.remove(n);
            if op == Op::Eq {
                equations.extend(is_positive.then_some((rest, form)));
                continue;
            }
            if !is_positive {
                form.scale(&Rational::MINUS_ONE);
                form.constant += &Rational::ONE;
            }
            rest.sort_unstable();
            let others = bounds.entry(rest.clone()).or_default();
            let meets = |other: &Linear| {
                let mut sum = other.clone();
                sum.add_scaled(&form, &Rational::ONE);
                sum.is_constant() && sum.constant.is_zero()
            };
            if others.iter().any(meets) {
                equations.push((rest, form.clone()));
            }
            others.push(form);
        }
    }
    let mut out = Vec::new();
    for (rest, form) in equations {
        if form.terms.iter().any(|(_, c)| !c.is_integer()) || !form.constant.is_integer() {
            continue;
        }
        for size in sizes {
            let mut clause = rest.clone();
            clause.push(vanishes(store, &form, size));
            out.push(store.or(&clause));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_meet_are_equations() {
        let mut store = Store::new();
        let (x, y, k) = (store.var("x", Sort::INT), store.var("y", Sort::INT), store.var("k", Sort::INT));
        let (low, high, far) = (store.le(x, y), store.le(y, x), store.le(k, x));
        let one_way = store.or(&[far, low]);
        let other_way = store.or(&[far, high]);
        let size = Rational::pow2(32);
        let found = weakened(&mut store, &[one_way, other_way], std::slice::from_ref(&size));
        let difference = store.linear_difference(y, x);
        let vanishes = vanishes(&mut store, &difference, &size);
        assert_eq!(found.len(), 1);
        let expected = store.or(&[far, vanishes]);
        let same = found[0] == expected || store.args(found[0]).contains(&far);
        assert!(same);
    }
}
