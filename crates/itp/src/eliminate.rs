//! Interpolants by elimination, where none can be read off the refutation.
//!
//! What a subtree says about the symbols that it shares with the rest is an interpolant, if the other symbols can be
//! eliminated. Here they are eliminated by solving equations for them, which is what program paths are made of: an old
//! version of an array is defined by the version before it. What still mentions other symbols after that is left out.
//! The result may be too weak, so it is handed out only after it was verified. If the subtrees do not give
//! interpolants, for a sequence the rests are tried instead, from the end.

use crate::{Tree, verify};
use bolide_base::{Budget, Rational};
use bolide_term::{Func, Linear, Op, Sort, Store, Substitution, Term};
use rustc_hash::FxHashSet;

/// Verified interpolants by elimination, if there are any.
pub(crate) fn interpolate(
    store: &mut Store,
    parts: &[Term],
    tree: &Tree,
    budget: &Budget,
) -> Option<Vec<Term>> {
    let symbols: Vec<FxHashSet<Func>> =
        parts.iter().map(|&p| store.symbols([p]).into_iter().collect()).collect();
    let mut from_subtrees: Vec<Term> = Vec::with_capacity(parts.len());
    let all_but_root = &parts[..parts.len().saturating_sub(1)];
    for (n, &part) in all_but_root.iter().enumerate() {
        let mut formulas: Vec<Term> = tree.children(n).into_iter().map(|c| from_subtrees[c]).collect();
        formulas.push(part);
        let outside = union(&symbols, |p| !tree.contains(n, p));
        let said = project(store, &formulas, &outside);
        from_subtrees.push(said);
    }
    if verify(store, parts, tree, &from_subtrees, budget).is_ok() {
        return Some(from_subtrees);
    }
    if *tree != Tree::sequence(parts.len()) {
        return None;
    }
    let mut from_rests: Vec<Term> = Vec::with_capacity(parts.len());
    let mut rest: Vec<Term> = Vec::new();
    for n in (1..parts.len()).rev() {
        rest.push(parts[n]);
        let before = union(&symbols, |p| p < n);
        let said = project(store, &rest, &before);
        rest = vec![said];
        from_rests.push(store.not(said));
    }
    from_rests.reverse();
    verify(store, parts, tree, &from_rests, budget).is_ok().then_some(from_rests)
}

fn union(symbols: &[FxHashSet<Func>], wanted: impl Fn(usize) -> bool) -> FxHashSet<Func> {
    let chosen = symbols.iter().enumerate().filter(|(p, _)| wanted(*p));
    chosen.flat_map(|(_, s)| s.iter().copied()).collect()
}

/// What the conjunction of some formulas says about these symbols, as far as equations give it away.
fn project(store: &mut Store, formulas: &[Term], keep: &FxHashSet<Func>) -> Term {
    let mut conjuncts: Vec<Term> = formulas.iter().flat_map(|&f| store.conjuncts(f)).collect();
    while let Some((n, x, definition)) = find_definition(store, &conjuncts, keep) {
        conjuncts.swap_remove(n);
        let mut subst = Substitution::new();
        subst.insert(x, definition);
        let old = std::mem::take(&mut conjuncts);
        for c in old {
            let c = subst.apply(store, c);
            conjuncts.extend(store.conjuncts(c));
        }
    }
    let mut facts: Vec<Term> = Vec::new();
    for c in conjuncts {
        if is_over(store, c, keep) {
            facts.push(c);
        } else {
            if let Some(e) = written_element(store, c)
                && is_over(store, e, keep)
            {
                facts.push(e);
            }
        }
    }
    store.and(&facts)
}

fn is_over(store: &Store, t: Term, keep: &FxHashSet<Func>) -> bool {
    store.symbols([t]).iter().all(|f| keep.contains(f))
}

/// `b = store(a, i, v)` says at least that `b` holds `v` at `i`.
fn written_element(store: &mut Store, c: Term) -> Option<Term> {
    if store.op(c) != Op::Eq {
        return None;
    }
    for (array, write) in [(store.arg(c, 0), store.arg(c, 1)), (store.arg(c, 1), store.arg(c, 0))] {
        if store.op(write) == Op::Store {
            let (i, v) = (store.arg(write, 1), store.arg(write, 2));
            let read = store.select(array, i);
            return Some(store.eq(read, v));
        }
    }
    None
}

/// A conjunct that defines a variable which is not to be kept, with the variable and its definition.
fn find_definition(
    store: &mut Store,
    conjuncts: &[Term],
    keep: &FxHashSet<Func>,
) -> Option<(usize, Term, Term)> {
    for (n, &c) in conjuncts.iter().enumerate() {
        let (atom, positive) = store.literal(c);
        let superfluous = |store: &Store, t: Term| store.as_var(t).is_some_and(|f| !keep.contains(&f));
        if superfluous(store, atom) {
            return Some((n, atom, store.bool(positive)));
        }
        if !positive || store.op(atom) != Op::Eq {
            continue;
        }
        let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
        if !store.sort_of(a).is_arith() {
            for (x, definition) in [(a, b), (b, a)] {
                if superfluous(store, x) && !store.post_order([definition]).any(|t| t == x) {
                    return Some((n, x, definition));
                }
            }
            continue;
        }
        let sort = store.sort_of(a);
        let difference = store.linear_difference(a, b);
        for (k, (x, c)) in difference.terms.iter().enumerate() {
            let solvable = sort == Sort::REAL || c.abs().is_one();
            if !solvable || !superfluous(store, *x) {
                continue;
            }
            let mut rest = difference.clone();
            rest.terms.remove(k);
            let others: Vec<Term> = rest.terms.iter().map(|&(t, _)| t).collect();
            if store.post_order(others).any(|t| t == *x) {
                continue;
            }
            let mut definition = Linear::default();
            definition.add_scaled(&rest, &-(Rational::ONE / c));
            let x = *x;
            return Some((n, x, store.from_linear(&definition, sort)));
        }
    }
    None
}
