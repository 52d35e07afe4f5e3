//! k-induction (Sheeran, Singh and Stålmarck, FMCAD 2000): no error in `k` steps from the start, and no error after any
//! `k` steps without one.

use super::bmc::Bmc;
use super::cnf::Clausifier;
use super::unroll::{Start, Unrolling};
use super::{Outcome, Proof};
use bolide_base::{Budget, Gauge, Interrupt, Stats};
use bolide_model::circuit::{Circuit, Formula};
use bolide_sat::{self as sat, Config, NoTheory, Solver};

/// Proves or refutes the first property of the circuit, with `k` growing.
pub fn run(circuit: &Circuit, budget: &Budget, stats: &mut Stats) -> Outcome {
    let mut base = Bmc::new(circuit);
    let mut step = Induction::new(circuit);
    let outcome = loop {
        budget.note(Gauge::Depth, step.depth as u64);
        match base.next(budget) {
            Ok(Some(outcome)) => break outcome,
            Ok(None) => {}
            Err(interrupt) => break Outcome::Unknown(interrupt.to_string()),
        }
        match step.next(budget) {
            Ok(true) => break Outcome::Safe(step.proof()),
            Ok(false) => {}
            Err(interrupt) => break Outcome::Unknown(interrupt.to_string()),
        }
    };
    stats.count("kind depth", step.depth as u64);
    outcome
}

/// The step case of the induction.
pub struct Induction<'a> {
    circuit: &'a Circuit,
    run: Unrolling<'a>,
    depth: usize,
    solver: Solver<NoTheory>,
    clausifier: Clausifier,
}

impl<'a> Induction<'a> {
    /// Depth 0.
    pub fn new(circuit: &'a Circuit) -> Induction<'a> {
        Induction {
            circuit,
            run: Unrolling::new(circuit, Start::Anywhere),
            depth: 0,
            solver: Solver::new(Config::hard(), NoTheory),
            clausifier: Clausifier::new(),
        }
    }

    /// Is the property inductive with one more step?
    pub fn next(&mut self, budget: &Budget) -> Result<bool, Interrupt> {
        budget.check()?;
        let step = self.run.last();
        for bit in [step.constraint, !step.bad] {
            let lit = self.clausifier.lit(&self.run.aig, bit, &mut self.solver);
            self.solver.add_clause(&[lit]);
        }
        self.run.extend();
        self.depth += 1;
        let step = self.run.last();
        let (bad, constraint) = (step.bad, step.constraint);
        let bad = self.clausifier.lit(&self.run.aig, bad, &mut self.solver);
        let constraint = self.clausifier.lit(&self.run.aig, constraint, &mut self.solver);
        match self.solver.solve(&[bad, constraint], &|| budget.exhausted()) {
            sat::Outcome::Sat => Ok(false),
            sat::Outcome::Unsat => Ok(true),
            sat::Outcome::Unknown => Err(budget.check().err().unwrap_or(Interrupt::Cancelled)),
        }
    }

    /// The proof that the last step found.
    pub fn proof(&self) -> Proof {
        let bad = self.circuit.bads.first().copied().unwrap_or(bolide_model::circuit::Bit::FALSE);
        Proof { invariant: Formula::of_bit(self.circuit, &self.circuit.aig, !bad), depth: self.depth }
    }
}
