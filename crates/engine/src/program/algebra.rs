//! Equations that are inductive by algebra alone.
//!
//! Whether a polynomial equation is kept by an edge is a matter of substitution and of the division of polynomials by what is known before it: no search takes
//! part, and wraps of machine integers are no cases, as long as equations are modulo their size (Müller-Olm and Seidl, *Analysis of Modular Arithmetic*, TOPLAS 2007).
//! What cannot be shown in this way is dropped, until the rest is inductive. The solver knows the same rules, so that it confirms what is kept.

use super::conjecture::Facts;
use bolide_base::{Budget, IdVec};
use bolide_model::Program;
use bolide_proof::ideal::{self, Zero};
use bolide_proof::residue;
use bolide_term::{Op, Store, Substitution, Term};
use std::collections::VecDeque;

/// Conditions in an equation are told apart in so many cases.
const MOST_CASES: usize = 24;
/// So many equations are premises.
const MOST_PREMISES: usize = 60;

/// Drops equations until the rest follows from itself; false if the budget ran out before.
pub fn keep_inductive(store: &mut Store, program: &Program, guesses: &mut Facts, budget: &Budget) -> bool {
    let procedure = program.main();
    let outgoing = procedure.outgoing();
    let mut work: VecDeque<_> = procedure.edges.ids().collect();
    let mut queued: IdVec<_, bool> = procedure.edges.iter().map(|_| true).collect();
    while let Some(e) = work.pop_front() {
        queued[e] = false;
        let edge = &procedure.edges[e];
        if guesses[edge.to].is_empty() {
            continue;
        }
        let Some(step) = edge.step() else { return false };
        let mut subst = Substitution::new();
        step.assigns.iter().for_each(|&(v, t)| subst.insert(program.vars[v].term, t));
        let before = [store.conjuncts(step.guard), guesses[edge.from].clone()].concat();
        let after: Vec<Term> = guesses[edge.to].iter().map(|&g| subst.apply(store, g)).collect();
        let mut kept = Vec::with_capacity(after.len());
        for goal in after {
            if budget.poll().is_err() {
                return false;
            }
            kept.push(goal == store.tru() || follows(store, &before, goal));
        }
        if kept.contains(&false) {
            let mut keep = kept.iter();
            guesses[edge.to].retain(|_| keep.next() == Some(&true));
            for &next in &outgoing[edge.to] {
                if !std::mem::replace(&mut queued[next], true) {
                    work.push_back(next);
                }
            }
        }
    }
    true
}

/// Does an equation follow from others by algebra, whatever the conditions in it?
fn follows(store: &mut Store, before: &[Term], goal: Term) -> bool {
    let Some(goal) = Zero::of(store, goal) else { return false };
    let mut known: Vec<Zero> =
        before.iter().filter_map(|&t| Zero::of(store, t)).take(MOST_PREMISES).collect();
    let atoms = known.iter().chain([&goal]).flat_map(|z| z.polynomial.keys().flatten().copied());
    let quotients: Vec<Term> = store.post_order(atoms).filter(|&t| store.op(t) == Op::Div).collect();
    for t in quotients.into_iter().take(MOST_PREMISES) {
        known.extend(ideal::quotient(store, t));
    }
    let mut open: Vec<(Zero, Vec<Zero>)> = vec![(goal, known)];
    let mut cases = 0;
    while let Some((goal, known)) = open.pop() {
        cases += 1;
        if cases > MOST_CASES {
            return false;
        }
        if goal.polynomial.is_empty() || ideal::premises(store, &known, &goal).is_some() {
            continue;
        }
        let Some(choice) = residue::choice(store, &goal.polynomial) else { return false };
        let condition = store.arg(choice, 0);
        for (holds, branch) in [(true, 1), (false, 2)] {
            let chosen = residue::chosen(store, &goal.polynomial, condition, branch, &goal.modulus);
            let Some(polynomial) = chosen else { return false };
            let literal = if holds { condition } else { store.not(condition) };
            let mut known = known.clone();
            known.extend(store.conjuncts(literal).into_iter().filter_map(|t| Zero::of(store, t)));
            open.push((Zero { polynomial, ..goal.clone() }, known));
        }
    }
    true
}
