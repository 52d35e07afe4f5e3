//! Confirms proofs with fresh solvers.

use super::Proof;
use super::cnf::Clausifier;
use super::unroll::{Start, Unrolling};
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit, Circuit, Formula};
use bolide_sat::{Config, NoTheory, Outcome, Solver};
use std::fmt;

/// Why a proof was not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// The formula speaks of another number of latches or inputs.
    Shape,
    /// The formula does not hold in one of the first steps.
    Start,
    /// The formula does not follow from itself in the steps before.
    Step,
    /// The formula does not exclude bad states.
    Bad,
    /// There was not enough time or memory to find out.
    Interrupted(Interrupt),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Shape => write!(f, "the invariant does not fit the circuit"),
            CheckError::Start => write!(f, "the invariant does not hold initially"),
            CheckError::Step => write!(f, "the invariant is not inductive"),
            CheckError::Bad => write!(f, "the invariant does not exclude bad states"),
            CheckError::Interrupted(interrupt) => write!(f, "{interrupt} while the invariant was checked"),
        }
    }
}

impl std::error::Error for CheckError {}

/// Confirms that the proof shows the first property of the circuit.
pub fn check_proof(circuit: &Circuit, proof: &Proof, budget: &Budget) -> Result<(), CheckError> {
    let Proof { invariant, depth } = proof;
    let fits =
        invariant.latch_count() == circuit.latches.len() && invariant.input_count() == circuit.inputs.len();
    if !fits || *depth == 0 {
        return Err(CheckError::Shape);
    }
    check_bad(circuit, invariant, budget)?;
    check_start(circuit, invariant, *depth, budget)?;
    check_step(circuit, invariant, *depth, budget)
}

fn check_bad(circuit: &Circuit, invariant: &Formula, budget: &Budget) -> Result<(), CheckError> {
    let mut run = Unrolling::new(circuit, Start::Anywhere);
    let holds = run.holds(invariant, 0);
    let step = run.step(0);
    let parts = [holds, step.constraint, step.bad];
    refute(&run.aig, &parts, CheckError::Bad, budget)
}

fn check_start(
    circuit: &Circuit,
    invariant: &Formula,
    depth: usize,
    budget: &Budget,
) -> Result<(), CheckError> {
    let mut run = Unrolling::new(circuit, Start::Reset);
    let mut constraints = Vec::new();
    for step in 0..depth {
        if step > 0 {
            run.extend();
        }
        constraints.push(run.last().constraint);
        let mut parts = constraints.clone();
        parts.push(!run.holds(invariant, step));
        refute(&run.aig, &parts, CheckError::Start, budget)?;
    }
    Ok(())
}

fn check_step(
    circuit: &Circuit,
    invariant: &Formula,
    depth: usize,
    budget: &Budget,
) -> Result<(), CheckError> {
    let mut run = Unrolling::new(circuit, Start::Anywhere);
    let mut parts = Vec::new();
    for step in 0..depth {
        parts.push(run.holds(invariant, step));
        parts.push(run.last().constraint);
        run.extend();
    }
    parts.push(run.last().constraint);
    parts.push(!run.holds(invariant, depth));
    refute(&run.aig, &parts, CheckError::Step, budget)
}

/// Shows that the bits are not all true at once.
fn refute(aig: &Aig, parts: &[Bit], otherwise: CheckError, budget: &Budget) -> Result<(), CheckError> {
    let mut solver = Solver::new(Config::hard(), NoTheory);
    let mut clausifier = Clausifier::new();
    for &part in parts {
        let lit = clausifier.lit(aig, part, &mut solver);
        solver.add_clause(&[lit]);
    }
    match solver.solve(&[], &|| budget.exhausted()) {
        Outcome::Unsat => Ok(()),
        Outcome::Sat => Err(otherwise),
        Outcome::Unknown => {
            Err(CheckError::Interrupted(budget.check().err().unwrap_or(Interrupt::Cancelled)))
        }
    }
}
