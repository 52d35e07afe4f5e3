//! Checking of evidence about programs with fresh solvers.

use super::art::Unwinding;
use super::path::Ranges;
use super::{Invariant, ProgramClaim, ProgramVerdict};
use crate::{Checked, Reason, ReasonCode, Verdict};
use bolide_base::{Budget, IdVec};
use bolide_model::{Bias, EdgeId, LocId, Program};
use bolide_smt::{Answer, Solver};
use bolide_term::{Store, Term};
use rustc_hash::FxHashMap;
use std::fmt;

/// What is wrong with an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvariantFlaw {
    /// It does not hold where execution starts.
    Entry,
    /// An edge leads out of it.
    Edge(EdgeId),
    /// It allows an error location.
    Error(LocId),
    /// The solver could not tell.
    Undecided(Reason),
}

impl fmt::Display for InvariantFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvariantFlaw::Entry => f.write_str("the invariant does not hold at the entry"),
            InvariantFlaw::Edge(e) => write!(f, "edge {e} leads out of the invariant"),
            InvariantFlaw::Error(l) => write!(f, "the invariant allows the error at {l}"),
            InvariantFlaw::Undecided(why) => write!(f, "the invariant could not be checked: {why}"),
        }
    }
}

impl From<InvariantFlaw> for Reason {
    fn from(flaw: InvariantFlaw) -> Reason {
        let text = flaw.to_string();
        match flaw {
            InvariantFlaw::Undecided(reason) => reason.with_text(text),
            _ => Reason::new(ReasonCode::ProofRejected, text),
        }
    }
}

/// Checks that an invariant holds at the entry, is kept by every edge, and excludes all errors.
pub fn check_invariant(
    store: &mut Store,
    program: &Program,
    invariant: Invariant,
    budget: &Budget,
) -> Result<Checked<Invariant>, InvariantFlaw> {
    let at: FxHashMap<LocId, Term> = invariant.formulas.iter().copied().collect();
    let procedure = program.main();
    let of = |store: &Store, l: LocId| at.get(&l).copied().unwrap_or(store.fls());
    let ranges = Ranges::new(store, program);
    let entails = |store: &mut Store, premises: &[Term], goal: Term| {
        if goal == store.tru() || premises.contains(&store.fls()) {
            return Ok(true);
        }
        let mut solver = Solver::default();
        let mut query = premises.to_vec();
        query.push(store.not(goal));
        query.extend(ranges.of(store, &query));
        query.iter().for_each(|&t| solver.assert(t));
        match solver.check(store, budget) {
            Answer::Unsat => Ok(true),
            Answer::Sat => Ok(false),
            Answer::Unknown(reason) => Err(InvariantFlaw::Undecided(reason.into())),
        }
    };
    let entry = of(store, procedure.entry);
    if !entails(store, &[], entry)? {
        return Err(InvariantFlaw::Entry);
    }
    for (l, location) in procedure.locations.iter_enumerated() {
        let formula = of(store, l);
        let no = store.fls();
        if location.error.is_some() && !entails(store, &[formula], no)? {
            return Err(InvariantFlaw::Error(l));
        }
    }
    for (id, edge) in procedure.edges.iter_enumerated() {
        let Some(step) = edge.step() else {
            let reason = Reason::new(ReasonCode::Inapplicable, "the program has calls");
            return Err(InvariantFlaw::Undecided(reason));
        };
        let before = of(store, edge.from);
        if before == store.fls() {
            continue;
        }
        let mut subst = bolide_term::Substitution::new();
        for &(v, t) in &step.assigns {
            subst.insert(program.vars[v].term, t);
        }
        let after = of(store, edge.to);
        let after = subst.apply(store, after);
        if !entails(store, &[before, step.guard], after)? {
            return Err(InvariantFlaw::Edge(id));
        }
    }
    Ok(Checked::new(invariant))
}

/// The claim when all leaves of an unwinding are covered: its labels are the invariant. Locations from which no error can be
/// reached have not been unwound.
pub(super) fn conclude(
    store: &mut Store,
    program: &Program,
    tree: &Unwinding,
    is_harmless: &IdVec<LocId, bool>,
) -> ProgramClaim {
    let under = program.main().edges.iter().flat_map(|e| &e.approximations).find(|a| a.bias == Bias::Under);
    if let Some(a) = under {
        return Verdict::Unknown(partly_represented(&a.what));
    }
    let mut formulas = Vec::new();
    for location in program.main().locations.ids() {
        if is_harmless[location] {
            formulas.push((location, store.tru()));
            continue;
        }
        let mut labels = Vec::new();
        for &v in tree.at(location) {
            if tree.covering_ancestor(v).is_none() && !tree.is_unreachable(store, v) {
                labels.push(store.and(&tree.node(v).label));
            }
        }
        let formula = store.or(&labels);
        if formula != store.fls() {
            formulas.push((location, formula));
        }
    }
    Verdict::Safe(Invariant { formulas })
}

/// The verdict that a claim is, once its invariant has been checked.
pub(super) fn checked(
    store: &mut Store,
    program: &Program,
    claim: ProgramClaim,
    budget: &Budget,
) -> ProgramVerdict {
    match claim {
        Verdict::Safe(invariant) => match check_invariant(store, program, invariant, budget) {
            Ok(invariant) => Verdict::Safe(invariant),
            Err(flaw) => Verdict::Unknown(flaw.into()),
        },
        Verdict::Unsafe(trace) => Verdict::Unsafe(trace),
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
    }
}

/// The reason if an under-approximation stands in the way of a proof.
pub(crate) fn partly_represented(what: &str) -> Reason {
    Reason::new(ReasonCode::Unsupported, format!("the program is only partly represented: {what}"))
}
