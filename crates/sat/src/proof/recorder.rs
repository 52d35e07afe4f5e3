//! Writes down what CaDiCaL's proof tracer reports.

use super::{Origin, ResolutionProof, StepId, StepKind};
use crate::lit::from_dimacs;
use cadical_sys::ProofTracer;
use std::cell::RefCell;
use std::rc::Rc;

/// A proof under construction.
#[derive(Default)]
pub(crate) struct Recorder {
    proof: ResolutionProof,
    /// The step of each clause, by the number that CaDiCaL gave it and never gives again.
    step_of: Vec<Option<StepId>>,
    /// Of the original clause that CaDiCaL will report next.
    origin: Option<Origin>,
}

impl Recorder {
    pub(crate) fn proof(&self) -> &ResolutionProof {
        &self.proof
    }

    /// Announces the origin of the next original clause.
    pub(crate) fn expect(&mut self, origin: Origin) {
        self.origin = Some(origin);
    }

    fn push(&mut self, clause: i64, kind: StepKind, lits: &[i32], antecedents: &[i64]) {
        // An antecedent that was never reported would leave a hole, which the reader of the proof finds.
        let steps = antecedents.iter().filter_map(|&antecedent| step(&self.step_of, antecedent));
        let step = self.proof.push(kind, from_dimacs(lits), steps);
        let Ok(clause) = usize::try_from(clause) else { return };
        if self.step_of.len() <= clause {
            self.step_of.resize((clause + 1).next_power_of_two(), None);
        }
        self.step_of[clause] = Some(step);
    }
}

fn step(step_of: &[Option<StepId>], clause: i64) -> Option<StepId> {
    *step_of.get(usize::try_from(clause).ok()?)?
}

/// What CaDiCaL holds of the recorder. Borrows it only for events that come while clauses are added or a query runs.
pub(crate) struct Tape(pub(crate) Rc<RefCell<Recorder>>);

impl ProofTracer for Tape {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        // A restored clause was reported before, under the same number.
        if restored {
            return;
        }
        let mut recorder = self.0.borrow_mut();
        if let Some(origin) = recorder.origin.take() {
            recorder.push(id, StepKind::Original(origin), clause, &[]);
        }
    }

    fn add_derived_clause(&mut self, id: i64, _: bool, _: i32, clause: &[i32], antecedents: &[i64]) {
        self.0.borrow_mut().push(id, StepKind::Derived, clause, antecedents);
    }

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        let clash = matches!(clause, [first, second] if *first == -*second);
        let kind = if clash && antecedents.is_empty() { StepKind::Tautology } else { StepKind::Derived };
        self.0.borrow_mut().push(id, kind, clause, antecedents);
    }

    fn conclude_unsat(&mut self, _: i32, clauses: &[i64]) {
        let mut recorder = self.0.borrow_mut();
        recorder.proof.conclusion = clauses.last().and_then(|&clause| step(&recorder.step_of, clause));
    }

    fn solve_query(&mut self) {
        self.0.borrow_mut().proof.conclusion = None;
    }

    fn delete_clause(&mut self, _: i64, _: bool, _: &[i32]) {}
    fn weaken_minus(&mut self, _: i64, _: &[i32]) {}
    fn strengthen(&mut self, _: i64) {}
    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}
    fn add_assumption(&mut self, _: i32) {}
    fn add_constraint(&mut self, _: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn conclude_sat(&mut self, _: i32, _: &[i32]) {}
    fn conclude_unknown(&mut self, _: &[i32]) {}
}
