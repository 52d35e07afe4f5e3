//! From a circuit as it was given to a smaller one for the engines, and the way back.

use super::correspond::{self, correspondences};
use bolide_base::{Budget, Stats};
use bolide_model::circuit::back::BackMap;
use bolide_model::circuit::pass::{reduce, substitute};
use bolide_model::circuit::{Circuit, Formula, Trace};
use std::time::Instant;

/// Correspondence is not looked for in circuits with more nodes than this.
const MAX_NODES: usize = 400_000;
/// The steps that correspondence gets at most.
const MOST_STEPS: u64 = 3_000_000;

/// A reduced circuit, and how it came about.
pub struct Preprocessed {
    /// What engines work on.
    pub circuit: Circuit,
    /// The circuits before each reduction, and the ways back to them.
    stages: Vec<(Circuit, BackMap)>,
}

impl Preprocessed {
    /// Removes latches that never change and what is outside of the cone of influence.
    pub fn reduced(circuit: &Circuit) -> Preprocessed {
        let mut this = Preprocessed { circuit: circuit.clone(), stages: Vec::new() };
        this.apply(reduce);
        this
    }

    /// Merges, on top of that, signals that are always equal.
    pub fn merged(circuit: &Circuit, budget: &Budget, stats: &mut Stats) -> Preprocessed {
        let mut this = Preprocessed::reduced(circuit);
        if this.circuit.aig.len() > MAX_NODES || this.is_decided() {
            return this;
        }
        let start = Instant::now();
        let limits = correspond::Limits::default();
        // Without equalities the circuit stays as it is.
        let limited = budget.clone().with_steps(MOST_STEPS);
        let equalities = correspondences(&this.circuit, limits, &limited).unwrap_or_default();
        stats.count("corresponding signals", equalities.len() as u64);
        if !equalities.is_empty() {
            this.apply(|circuit| substitute(circuit, equalities));
        }
        stats.time("correspondence", start.elapsed());
        this
    }

    fn apply(&mut self, pass: impl FnOnce(&Circuit) -> (Circuit, BackMap)) {
        let (after, back) = pass(&self.circuit);
        let before = std::mem::replace(&mut self.circuit, after);
        self.stages.push((before, back));
    }

    /// Are all properties constant?
    fn is_decided(&self) -> bool {
        self.circuit.bads.iter().all(|bad| bad.is_constant())
    }

    /// The run of the circuit as it was given that a run of the reduced one stands for.
    pub fn trace(&self, trace: Trace) -> Trace {
        self.stages.iter().rev().fold(trace, |trace, (before, back)| back.trace(before, &trace))
    }

    /// The invariant of the circuit as it was given that one of the reduced circuit stands for.
    pub fn invariant(&self, invariant: Formula) -> Formula {
        self.stages.iter().rev().fold(invariant, |formula, (before, back)| back.invariant(before, &formula))
    }
}
