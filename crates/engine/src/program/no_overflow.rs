//! Machine integers by way of mathematical ones.
//!
//! Most programs never overflow, but that is often harder to see than the property itself: a counter that runs along
//! with another one has no bound of its own. So a program is decided first under the assumption that nothing wraps. An
//! error found there is an error of the program. A proof found there is about fewer executions, but its facts are
//! candidates, as they are and with their equations modulo the sizes of machine integers: those that are inductive for the program itself
//! are added to it, and more often than not they are the proof already.

use super::conjecture::{Facts, keep_inductive};
use super::modular;
use super::path::{Ranges, conjuncts};
use super::{Invariant, ProgramVerdict, check_invariant};
use crate::{Checked, Verdict};
use bolide_base::{Budget, Stats};
use bolide_model::program::pass::bounds;
use bolide_model::{Action, LocId, Program};
use bolide_term::{Store, Term};
use rustc_hash::FxHashMap;

/// So many steps for each edge go to the program itself once it has a proof without wraps: where wraps do not matter the
/// same search succeeds again, and where edges are many that is less work than to find out what of the proof is inductive.
const AGAIN: u64 = 40;

/// An engine on programs.
pub type Run<'a> = dyn FnMut(&mut Store, &Program, &Budget, &mut Stats) -> ProgramVerdict + 'a;

/// A verdict on a program, or a trace of the same program without wraps.
pub enum Found {
    /// About the program.
    Program(ProgramVerdict),
    /// A trace of the program without wraps.
    NoOverflow(bolide_model::Trace),
}

/// Does the assumption that nothing wraps make a difference, and can it be used?
pub fn is_useful(program: &Program, no_overflow: &Program) -> bool {
    !program.main().has_calls() && !no_overflow.main().has_calls() && !same_edges(program, no_overflow)
}

/// Decides a program by way of the same program under the assumption that nothing wraps.
pub fn solve(
    store: &mut Store,
    program: &Program,
    no_overflow: &Program,
    run: &mut Run<'_>,
    budget: &Budget,
    stats: &mut Stats,
) -> Found {
    match run(store, no_overflow, budget, stats) {
        Verdict::Unsafe(trace) => Found::NoOverflow(trace),
        Verdict::Unknown(reason) => Found::Program(Verdict::Unknown(reason)),
        Verdict::Safe(proof) => {
            stats.count("proofs without wraps", 1);
            let steps = AGAIN * program.main().edges.len() as u64;
            let again = run(store, program, &budget.clone().with_steps(steps), stats);
            if again.is_known() {
                return Found::Program(again);
            }
            Found::Program(with_candidates(store, program, no_overflow, &proof, run, budget, stats))
        }
    }
}

/// Did the assumption change nothing?
fn same_edges(a: &Program, b: &Program) -> bool {
    let (a, b) = (&a.main().edges, &b.main().edges);
    a.len() == b.len()
        && a.iter().zip(b.iter()).all(|(e, f)| match (e.step(), f.step()) {
            (Some(s), Some(t)) => s.guard == t.guard && s.assigns == t.assigns,
            _ => false,
        })
}

/// Goes on with what holds of the proof.
fn with_candidates(
    store: &mut Store,
    program: &Program,
    no_overflow: &Program,
    proof: &Invariant,
    run: &mut Run<'_>,
    budget: &Budget,
    stats: &mut Stats,
) -> ProgramVerdict {
    let ranges = Ranges::new(store, program);
    let Some(mut facts) = candidates(store, program, no_overflow, proof, budget) else {
        return run(store, program, budget, stats);
    };
    facts[program.main().entry].clear();
    if !keep_inductive(store, program, &mut facts, &ranges, budget) {
        return run(store, program, budget, stats);
    }
    let formulas = facts.iter_enumerated().map(|(l, facts)| (l, store.and(facts))).collect();
    let known = Invariant { formulas };
    let excluded = unreachable(store, program, &known, budget);
    if let Some(invariant) = excluded {
        return Verdict::Safe(invariant);
    }
    let stronger = strengthen(store, program, &known);
    match run(store, &stronger, budget, stats) {
        Verdict::Safe(found) => {
            let mut at: FxHashMap<LocId, Term> = found.into_inner().formulas.into_iter().collect();
            let mut formulas = Vec::new();
            for &(l, fact) in &known.formulas {
                let own = at.remove(&l).unwrap_or(store.fls());
                formulas.push((l, store.and(&[fact, own])));
            }
            let invariant = Invariant { formulas };
            match check_invariant(store, program, invariant, budget) {
                Ok(invariant) => Verdict::Safe(invariant),
                Err(flaw) => Verdict::Unknown(flaw.into()),
            }
        }
        other => other,
    }
}

/// Facts of the proof and bounds of the variables, wherever they might hold: at locations that come from the same text.
fn candidates(
    store: &mut Store,
    program: &Program,
    no_overflow: &Program,
    proof: &Invariant,
    budget: &Budget,
) -> Option<Facts> {
    let mut by_span: FxHashMap<(usize, usize), Vec<Term>> = FxHashMap::default();
    let key = |p: &Program, l: LocId| {
        let span = p.main().locations[l].span;
        (span.start as usize, span.end as usize)
    };
    let assumed = bounds(store, no_overflow, budget).ok()?;
    for &(l, formula) in &proof.formulas {
        let facts = by_span.entry(key(no_overflow, l)).or_default();
        facts.extend(conjuncts(store, formula));
        facts.extend(assumed[l].iter().flatten());
    }
    let sizes = modular::sizes(store, program);
    for facts in by_span.values_mut().filter(|_| !sizes.is_empty()) {
        let weaker = modular::weakened(store, facts, &sizes);
        facts.extend(weaker);
    }
    let own = bounds(store, program, budget).ok()?;
    let mut out = Facts::new();
    for l in program.main().locations.ids() {
        let shared = by_span.get(&key(program, l)).into_iter().flatten();
        let mut facts: Vec<Term> = shared.chain(own[l].iter().flatten()).copied().collect();
        facts.sort_unstable();
        facts.dedup();
        facts.retain(|&f| f != store.tru());
        out.push(facts);
    }
    Some(out)
}

/// The invariant with error locations excluded, if it excludes them.
fn unreachable(
    store: &mut Store,
    program: &Program,
    known: &Invariant,
    budget: &Budget,
) -> Option<Checked<Invariant>> {
    let no = store.fls();
    let error = |l: LocId| program.main().locations[l].error.is_some();
    let formulas = known.formulas.iter().map(|&(l, f)| (l, if error(l) { no } else { f })).collect();
    check_invariant(store, program, Invariant { formulas }, budget).ok()
}

/// The program with an invariant assumed before every edge.
fn strengthen(store: &mut Store, program: &Program, known: &Invariant) -> Program {
    let at: FxHashMap<LocId, Term> = known.formulas.iter().copied().collect();
    let mut stronger = program.clone();
    let main = stronger.entry;
    for edge in stronger.procs[main].edges.iter_mut() {
        if let (Action::Step(step), Some(&fact)) = (&mut edge.action, at.get(&edge.from)) {
            step.guard = store.and(&[step.guard, fact]);
        }
    }
    stronger
}
