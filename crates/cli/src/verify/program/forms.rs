//! Proofs about a program in another form than the one it was prepared in.

use super::{Engine, Prepared, Round};
use crate::arguments::Ints;
use bolide_base::{Budget, Stats};
use bolide_cert::program::{ABSTRACTION, INLINE_LIMIT, RECURSION, SUMMARIES, write_by_position};
use bolide_engine::Verdict;
use bolide_engine::horn::Solution;
use bolide_engine::program::unwrapped::{self, Found};
use bolide_model::Program;
use bolide_model::pass::{self, Abstraction, Blocks, EntryValues, OfProcedure};
use bolide_term::Store;
use std::sync::Arc;
use std::time::Duration;

/// The time for a program that allows more, if there is no limit.
const ABSTRACT_TIME: Duration = Duration::from_secs(60);
/// Programs with more edges are not made to allow more.
pub(super) const ABSTRACT_EDGES: usize = 500;

/// A program that allows more, as it is and without wraps.
pub(super) struct Abstracted {
    pub(super) abstraction: Abstraction,
    pub(super) program: Program,
    pub(super) unwrapped: Program,
}

/// The form of a program that a proof is about.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// As Horn clauses with summaries of procedures.
    Summaries,
    /// With recursion followed to a depth.
    Bounded(usize),
    /// Allowing more.
    Abstract(Abstraction),
}

impl Form {
    /// The certificate's option for it.
    pub(super) fn option(self) -> (String, String) {
        match self {
            Form::Summaries => (RECURSION.into(), SUMMARIES.into()),
            Form::Bounded(depth) => (RECURSION.into(), depth.to_string()),
            Form::Abstract(abstraction) => (ABSTRACTION.into(), abstraction.name().into()),
        }
    }
}

/// The evidence for `safe` about a program in another form.
#[derive(Clone)]
pub(super) struct OtherProof {
    pub(super) form: Form,
    /// The section of the certificate.
    pub(super) invariant: String,
    /// What it says about the procedures that are called.
    pub(super) procedures: Option<Arc<Procedures>>,
}

/// What a solution of the clauses of a program says about its procedures.
pub(super) struct Procedures {
    /// The program with variables for the values at the entries of procedures.
    pub(super) entry: EntryValues,
    /// What is said of each.
    pub(super) said: Vec<OfProcedure>,
}

impl Procedures {
    pub(super) fn new(store: &mut Store, program: &Program, solution: &Solution) -> Procedures {
        let entry = pass::remember_entry(store, program.clone());
        let Solution { horn, map, interpretation } = solution;
        let said = pass::Solution { horn, map, interpretation }.procedures(store, program, &entry);
        Procedures { entry, said }
    }
}

impl Round<'_> {
    /// Programs that allow more.
    pub(super) fn abstractions(
        &self,
        store: &mut Store,
        program: &Program,
        budget: &Budget,
    ) -> Vec<Abstracted> {
        let blocks = match self.blocks() {
            Blocks::Large => Blocks::Unsplit,
            other => other,
        };
        let prepared = match self.options.ints {
            Ints::Machine => pass::prepare_both(store, program, blocks, INLINE_LIMIT, budget)
                .map(|((program, _), (unwrapped, _))| (program, Some(unwrapped))),
            Ints::Unbounded => pass::prepare_blocks(store, program, blocks, INLINE_LIMIT, budget)
                .map(|(program, _)| (program, None)),
        };
        let Ok((program, unwrapped)) = prepared else { return Vec::new() };
        let others: Vec<&Program> = unwrapped.iter().collect();
        let abstract_by = |abstraction: Abstraction| {
            let mut programs = abstraction.apply(store, &program, &others)?.into_iter();
            let program = programs.next()?;
            let unwrapped = programs.next().unwrap_or_else(|| program.clone());
            Some(Abstracted { abstraction, program, unwrapped })
        };
        Abstraction::ALL.into_iter().filter_map(abstract_by).collect()
    }
}

/// The part of the time of an engine for a program that allows more.
fn share(abstraction: Abstraction) -> u32 {
    match abstraction {
        Abstraction::CellsAndConstants => 3,
        Abstraction::Cells => 4,
        Abstraction::Constants => 8,
    }
}

/// The time for the program itself before programs that allow more are tried.
pub(super) fn first_attempt(budget: &Budget) -> Duration {
    budget.remaining().map_or(ABSTRACT_TIME, |left| left / 6)
}

/// Is there a verdict?
pub(super) fn is_known(found: &Found) -> bool {
    match found {
        Found::Program(verdict) => verdict.is_known(),
        Found::Unwrapped(_) => true,
    }
}

/// Is there a proof of a program that allows more?
pub(super) fn by_abstraction(
    store: &mut Store,
    task: &Prepared,
    engine: Engine,
    run: &unwrapped::Run<'_>,
    budget: &Budget,
    stats: &mut Stats,
) -> bool {
    for Abstracted { abstraction, program, unwrapped } in &task.abstracted {
        let time = budget.remaining().map_or(ABSTRACT_TIME, |left| left / share(*abstraction));
        let found = unwrapped::solve(store, program, unwrapped, run, &budget.child(time), stats);
        if let Found::Program(Verdict::Safe(invariant)) = found
            && let Some(text) = write_by_position(store, program, &invariant.formulas)
        {
            task.keep_proof(engine, Form::Abstract(*abstraction), Some(text), None);
            return true;
        }
    }
    false
}
