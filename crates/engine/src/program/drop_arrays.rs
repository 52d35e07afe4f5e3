//! Paths with fewer conjuncts that are infeasible still.
//!
//! The split prover looks for what every part of a path says in a language, so what a path says about the contents of
//! arrays is expensive even where it does not matter. Conjuncts about scalars are kept, needed or not: they are what
//! interpolants generalise from.

use super::path::conjuncts;
use bolide_base::{Budget, Rational};
use bolide_smt::{Answer, Solver};
use bolide_term::{Func, Op, Store, Term};
use rustc_hash::FxHashSet;

/// Weaker versions of parts that contradict each other, the weakest first, that still do; the parts themselves if none
/// of them does.
pub fn without_arrays(store: &mut Store, parts: Vec<Term>, budget: &Budget) -> Vec<Vec<Term>> {
    let split: Vec<Vec<Term>> = parts.iter().map(|&p| conjuncts(store, p)).collect();
    let scalar = split.iter().map(|part| part.iter().copied().filter(|&t| !has_arrays(store, t)).collect());
    let scalar: Vec<Vec<Term>> = scalar.collect();
    if scalar == split {
        return vec![parts];
    }
    let live = without_idle_arrays(store, &split);
    let mut out = Vec::new();
    if let Some(scalar) = if_unsat(store, &scalar, budget) {
        out.push(scalar);
    }
    if live != scalar || out.is_empty() {
        out.push(if_unsat(store, &live, budget).unwrap_or(parts));
    }
    out
}

/// The conjunctions, if they contradict each other.
fn if_unsat(store: &mut Store, parts: &[Vec<Term>], budget: &Budget) -> Option<Vec<Term>> {
    let parts: Vec<Term> = parts.iter().map(|p| store.and(p)).collect();
    let mut solver = Solver::default();
    parts.iter().for_each(|&t| solver.assert(t));
    (solver.check_unconfirmed(store, &[], budget) == Answer::Unsat).then_some(parts)
}

fn has_arrays(store: &Store, t: Term) -> bool {
    store.post_order([t]).any(|u| store.array_sorts(store.sort_of(u)).is_some())
}

/// Leaves out that elements of arrays are values of their types, and definitions of arrays that nothing reads.
fn without_idle_arrays(store: &Store, parts: &[Vec<Term>]) -> Vec<Vec<Term>> {
    let mut read: FxHashSet<Func> = FxHashSet::default();
    let mut out = Vec::with_capacity(parts.len());
    // A definition comes before what it defines is read, in its own part or in a later one.
    for part in parts.iter().rev() {
        let (definitions, others): (Vec<Term>, Vec<Term>) =
            part.iter().partition(|&&t| defined_array(store, t).is_some());
        let mut kept: Vec<Term> = others.into_iter().filter(|&t| !is_range_of_element(store, t)).collect();
        read.extend(store.symbols(kept.iter().copied()));
        let mut waiting = definitions;
        loop {
            let (now, later): (Vec<Term>, Vec<Term>) = waiting
                .into_iter()
                .partition(|&t| defined_array(store, t).is_some_and(|f| read.contains(&f)));
            read.extend(store.symbols(now.iter().copied()));
            kept.extend(&now);
            waiting = later;
            if now.is_empty() {
                break;
            }
        }
        kept.sort_unstable();
        out.push(kept);
    }
    out.reverse();
    out
}

/// The array that an equality gives a value to: of two versions the later one.
fn defined_array(store: &Store, t: Term) -> Option<Func> {
    if store.op(t) != Op::Eq || store.array_sorts(store.sort_of(store.arg(t, 0))).is_none() {
        return None;
    }
    let sides = [store.arg(t, 0), store.arg(t, 1)];
    match sides.map(|s| store.as_var(s)) {
        [Some(a), Some(b)] => Some(a.max(b)),
        [a, b] => a.or(b),
    }
}

/// Is it a bound on one array element by a limit of a machine type?
pub fn is_range_of_element(store: &Store, t: Term) -> bool {
    let (atom, _) = store.literal(t);
    if store.op(atom) != Op::Le {
        return false;
    }
    let bound = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
    let is_element = |t: Term| store.op(t) == Op::Select;
    match &bound.terms[..] {
        [(term, _)] if is_element(*term) => is_limit(&bound.constant),
        _ => false,
    }
}

/// Is a number next to a power of two from 2^7 on, or to the negation of one?
fn is_limit(c: &Rational) -> bool {
    let Some(c) = c.abs().to_i64() else { return true };
    (c - 1..=c + 1).any(|n| n >= 128 && n & (n - 1) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_term::Sort;

    #[test]
    fn arrays_go_where_they_do_not_matter() {
        let mut s = Store::new();
        let sort = s.array_sort(Sort::INT, Sort::INT);
        let (a, b) = (s.var("a", sort), s.var("a#1", sort));
        let (i, j, zero, big) = (s.var("i", Sort::INT), s.var("j", Sort::INT), s.int(0), s.int(127));
        let write = s.store(a, i, zero);
        let definition = s.eq(b, write);
        let (element, of_b) = (s.select(a, i), s.select(b, j));
        let range = s.le(element, big);
        let (low, high) = (s.le(i, zero), s.gt(i, zero));
        let first = s.and(&[definition, range, low]);
        let budget = Budget::unlimited();
        assert_eq!(without_arrays(&mut s, vec![first, high], &budget), vec![vec![low, high]]);
        // What is read later stays, but not the range.
        let is_zero = s.eq(of_b, zero);
        let differs = s.not(is_zero);
        let same = s.eq(i, j);
        let second = s.and(&[differs, same]);
        let without_range = s.and(&[definition, low]);
        assert_eq!(without_arrays(&mut s, vec![first, second], &budget), vec![vec![without_range, second]]);
        assert_eq!(without_arrays(&mut s, vec![low, high], &budget), vec![vec![low, high]]);
    }
}
