//! The ways through the body of a loop.

use super::Body;
use crate::isolate::isolate;
use bolide_term::{Op, Sort, Store, Substitution, Term};
use rustc_hash::FxHashSet;

/// A body with more ways is left alone.
const MOST_PATHS: usize = 12;
/// So many definitions are looked for.
const MOST_DEFINITIONS: usize = 100;

/// One way through a body: numbers are chosen by no condition.
#[derive(Clone, Debug)]
pub struct Path {
    /// What happens on it.
    pub body: Body,
    /// Choices that its guard defines, with their values, in the order in which they were replaced: a value may contain choices that
    /// were replaced later.
    pub defined: Vec<(Term, Term)>,
}

/// The ways through a body, which together say what it says; none if they are too many.
pub fn paths(store: &mut Store, body: Body) -> Vec<Path> {
    let state: FxHashSet<Term> = body.state.iter().copied().collect();
    let mut open = vec![Path { body, defined: Vec::new() }];
    let mut done = Vec::new();
    while let Some(mut path) = open.pop() {
        if open.len() + done.len() >= MOST_PATHS {
            return Vec::new();
        }
        define(store, &state, &mut path);
        if path.body.guard == store.fls() {
            continue;
        }
        if let Some(choice) = condition(store, &path.body) {
            let [c, a, b] = [0, 1, 2].map(|n| store.arg(choice, n));
            let otherwise = store.not(c);
            open.extend(
                [(otherwise, b), (c, a)].map(|(c, value)| replaced(store, &path, &[c], &[(choice, value)])),
            );
        } else if let Some(cases) = cases(store, &state, &path.body) {
            let whole = store.or(&cases);
            let yes = store.tru();
            for &case in cases.iter().rev() {
                open.push(replaced(store, &path, &[case], &[(whole, yes)]));
            }
        } else {
            done.push(path);
        }
    }
    done
}

/// Replaces choices that a conjunct of the guard defines.
fn define(store: &mut Store, state: &FxHashSet<Term>, path: &mut Path) {
    for _ in 0..MOST_DEFINITIONS {
        let is_choice = |store: &Store, v: Term| store.as_var(v).is_some() && !state.contains(&v);
        let conjuncts = store.conjuncts(path.body.guard);
        let Some((v, t)) = conjuncts.into_iter().find_map(|c| isolate(store, c, &is_choice)) else { return };
        *path = replaced(store, path, &[], &[(v, t)]);
        path.defined.push((v, t));
    }
}

/// A choice between numbers, or other values, by a condition that may change from round to round.
fn condition(store: &Store, body: &Body) -> Option<Term> {
    let is_kept: FxHashSet<Term> =
        body.state.iter().zip(&body.next).filter(|(v, next)| v == next).map(|(&v, _)| v).collect();
    let moves = |t: Term| store.post_order([t]).any(|p| body.state.contains(&p) && !is_kept.contains(&p));
    let is_choice = |t: &Term| store.op(*t) == Op::Ite && store.sort_of(*t) != Sort::BOOL;
    let terms = body.next.iter().copied().chain([body.guard]);
    let choices: Vec<Term> = store.post_order(terms).filter(is_choice).collect();
    // What is chosen on the outside often leaves out what is chosen within.
    choices.into_iter().rev().find(|&t| moves(t))
}

/// The cases of a disjunction in the guard that defines choices.
fn cases(store: &Store, state: &FxHashSet<Term>, body: &Body) -> Option<Vec<Term>> {
    let is_choice = |t: Term| store.as_var(t).is_some() && !state.contains(&t);
    let defines = |t: Term| store.op(t) == Op::Eq && store.post_order([t]).any(is_choice);
    let disjunction = |c: &Term| store.op(*c) == Op::Or && store.post_order([*c]).any(defines);
    let found = store.conjuncts(body.guard).into_iter().find(disjunction)?;
    Some(store.args(found).to_vec())
}

/// A path with more conditions, and with terms replaced.
fn replaced(store: &mut Store, path: &Path, conditions: &[Term], by: &[(Term, Term)]) -> Path {
    let mut subst = Substitution::new();
    by.iter().for_each(|&(from, to)| subst.insert(from, to));
    let guard = subst.apply(store, path.body.guard);
    let guard = store.and(&[conditions, &[guard]].concat());
    let next = path.body.next.iter().map(|&t| subst.apply(store, t)).collect();
    Path { body: Body { state: path.body.state.clone(), guard, next }, defined: path.defined.clone() }
}
