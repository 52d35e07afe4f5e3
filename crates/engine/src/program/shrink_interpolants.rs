//! Interpolants without what they need not say.
//!
//! An interpolant that was found by cases repeats them, although some few of its atoms may say all that matters. So each
//! is replaced by literals that follow from it, as far as these suffice for the next one; what remains is a smaller
//! sequence of interpolants of the same parts, made of the same atoms.

use super::path::conjuncts;
use super::relax::predicates::{atoms_of, is_atom};
use bolide_base::Budget;
use bolide_smt::{Answer, Solver};
use bolide_term::{Store, Term};

/// Interpolants with more atoms than this are only searched for conjuncts that are not needed.
const MAX_ATOMS: usize = 40;

/// Interpolants between the parts that follow from the given ones and are shorter where these are not conjunctions of
/// literals.
pub fn shrink_interpolants(
    store: &mut Store,
    parts: &[Term],
    interpolants: &[Term],
    budget: &Budget,
) -> Vec<Term> {
    let mut out = interpolants.to_vec();
    if interpolants.iter().all(|&t| is_cube(store, t)) {
        return out;
    }
    // From the end: what is needed of one depends on what is needed of the next.
    for n in (0..out.len()).rev() {
        let next = out.get(n + 1).copied().unwrap_or_else(|| store.fls());
        if let Some(shorter) = needed(store, out[n], parts[n + 1], next, budget) {
            out[n] = shorter;
        }
    }
    out
}

/// A conjunction of what follows from a fact, literals if possible, with which a part implies the next fact.
fn needed(store: &mut Store, fact: Term, part: Term, next: Term, budget: &Budget) -> Option<Term> {
    let mut step = Solver::default();
    step.assert(part);
    let denied = store.not(next);
    step.assert(denied);
    let mut core = |store: &mut Store, from: &[Term]| {
        (step.check_unconfirmed(store, from, budget) == Answer::Unsat).then(|| step.core().to_vec())
    };
    let literals = implied_literals(store, fact, budget);
    let mut kept = match core(store, &literals) {
        Some(literals) => literals,
        None => {
            let all = conjuncts(store, fact);
            core(store, &all)?
        }
    };
    let mut n = 0;
    while n < kept.len() {
        let mut without = kept.clone();
        without.remove(n);
        match core(store, &without) {
            Some(fewer) => kept = fewer,
            None => n += 1,
        }
    }
    kept.sort_unstable();
    Some(store.and(&kept))
}

/// The literals over a fact's atoms that follow from it.
fn implied_literals(store: &mut Store, fact: Term, budget: &Budget) -> Vec<Term> {
    let atoms = atoms_of(store, fact);
    if atoms.len() > MAX_ATOMS {
        return Vec::new();
    }
    let mut solver = Solver::default();
    solver.assert(fact);
    let mut out = Vec::new();
    for atom in atoms {
        let denied = store.not(atom);
        if solver.check_unconfirmed(store, &[denied], budget) == Answer::Unsat {
            out.push(atom);
        } else if solver.check_unconfirmed(store, &[atom], budget) == Answer::Unsat {
            out.push(denied);
        }
    }
    out
}

/// Is it a conjunction of literals?
fn is_cube(store: &Store, t: Term) -> bool {
    conjuncts(store, t).iter().all(|&c| is_atom(store, store.literal(c).0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_term::Sort;

    #[test]
    fn cases_that_say_one_thing() {
        let mut s = Store::new();
        let (x, y, zero) = (s.var("x", Sort::INT), s.var("y", Sort::INT), s.int(0));
        let (a, b, c) = (s.le(x, y), s.le(zero, y), s.le(y, zero));
        let (with_b, with_c) = (s.and(&[a, b]), s.and(&[a, c]));
        let by_cases = s.or(&[with_b, with_c]);
        let last = s.lt(y, x);
        let parts = [by_cases, last];
        assert_eq!(shrink_interpolants(&mut s, &parts, &[by_cases], &Budget::unlimited()), vec![a]);
        // What is a conjunction of literals already stays.
        assert_eq!(shrink_interpolants(&mut s, &parts, &[with_b], &Budget::unlimited()), vec![with_b]);
    }
}
