//! The strongest inductive invariant among conjunctions of candidates (Flanagan and Leino's Houdini).
//!
//! Candidates are facts that might hold at a location, from wherever: the proof of a similar program, an interval
//! analysis. Those that do not hold at the entry or that an edge does not keep are dropped until the rest is inductive.

use super::Invariant;
use super::path::ranges;
use bolide_base::{Budget, IdVec};
use bolide_model::{LocId, Program};
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Store, Substitution, Term};
use rustc_hash::FxHashSet;

/// Candidates, by location of the entry procedure.
pub type Candidates = IdVec<LocId, Vec<Term>>;

/// Drops candidates until the rest is inductive; `None` if the budget runs out or a query has no answer.
pub fn houdini(
    store: &mut Store,
    program: &Program,
    mut candidates: Candidates,
    budget: &Budget,
) -> Option<Invariant> {
    let procedure = program.main();
    candidates[procedure.entry].clear();
    let ranges = ranges(store, program);
    let outgoing = procedure.outgoing();
    let mut work: Vec<_> = procedure.edges.ids().rev().collect();
    let mut waiting: FxHashSet<_> = work.iter().copied().collect();
    while let Some(id) = work.pop() {
        waiting.remove(&id);
        let edge = &procedure.edges[id];
        let step = edge.step()?;
        if candidates[edge.to].is_empty() || step.guard == store.fls() {
            continue;
        }
        let mut subst = Substitution::new();
        for &(v, t) in &step.assigns {
            subst.insert(program.vars[v].term, t);
        }
        let goals: Vec<Term> = candidates[edge.to].iter().map(|&c| subst.apply(store, c)).collect();
        let mut premises = candidates[edge.from].clone();
        premises.push(step.guard);
        let kept = entailed(store, &premises, &goals, &ranges, budget)?;
        if kept.iter().all(|&k| k) {
            continue;
        }
        let mut kept = kept.into_iter();
        candidates[edge.to].retain(|_| kept.next() == Some(true));
        for &e in &outgoing[edge.to] {
            if waiting.insert(e) {
                work.push(e);
            }
        }
    }
    let formulas = candidates.iter_enumerated().map(|(l, facts)| (l, store.and(facts))).collect();
    Some(Invariant { formulas })
}

/// Which of some formulas follow from all premises together; those that a countermodel refutes are left out at once.
fn entailed(
    store: &mut Store,
    premises: &[Term],
    goals: &[Term],
    ranges: &[Term],
    budget: &Budget,
) -> Option<Vec<bool>> {
    let mut solver = Solver::default();
    premises.iter().for_each(|&p| solver.assert(p));
    let terms = premises.iter().chain(goals).copied();
    let symbols: FxHashSet<_> = store.symbols(terms).into_iter().collect();
    for &r in ranges {
        if store.symbols([r]).iter().any(|f| symbols.contains(f)) {
            solver.assert(r);
        }
    }
    let mut kept = vec![true; goals.len()];
    loop {
        let open: Vec<Term> = goals.iter().zip(&kept).filter(|(_, k)| **k).map(|(&g, _)| g).collect();
        let all = store.and(&open);
        let denied = store.not(all);
        match solver.check_assuming(store, &[denied], budget) {
            Answer::Unsat => return Some(kept),
            Answer::Unknown(_) => return None,
            Answer::Sat => {
                let model = solver.model()?;
                let mut evaluator = Evaluator::new(store, model);
                let before = kept.iter().filter(|k| **k).count();
                for (goal, kept) in goals.iter().zip(&mut kept) {
                    *kept &= evaluator.holds(*goal) == Ok(true);
                }
                if kept.iter().filter(|k| **k).count() == before {
                    return None;
                }
            }
        }
    }
}
