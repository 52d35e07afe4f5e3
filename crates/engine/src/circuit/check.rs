//! Confirms proofs with fresh solvers.

use super::Proof;
use super::cnf::Clausifier;
use super::unroll::{Start, Unrolling};
use crate::{Checked, Reason, ReasonCode};
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit, Circuit, Formula};
use bolide_sat::{Config, Lit, NoTheory, Outcome, Solver};
use std::fmt;

/// Why a proof was not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
///
/// Where the induction looks back more than one step, the part of the invariant that is inductive with one step is
/// confirmed first. It holds in every step, and helps with the rest.
pub fn check_proof(circuit: &Circuit, proof: Proof, budget: &Budget) -> Result<Checked<Proof>, CheckError> {
    let Proof { invariant, depth } = &proof;
    let fits =
        invariant.latch_count() == circuit.latches.len() && invariant.input_count() == circuit.inputs.len();
    if !fits || *depth == 0 {
        return Err(CheckError::Shape);
    }
    let lemmas = match depth {
        1 => Formula::over(circuit),
        _ => inductive_part(circuit, invariant, budget)?,
    };
    check_bad(circuit, invariant, budget)?;
    check_start(circuit, &lemmas, invariant, *depth, budget)?;
    check_step(circuit, &lemmas, invariant, *depth, budget)?;
    Ok(Checked::new(proof))
}

impl From<CheckError> for Reason {
    fn from(error: CheckError) -> Reason {
        let text = error.to_string();
        match error {
            CheckError::Interrupted(interrupt) => Reason::from(interrupt).with_text(text),
            _ => Reason::new(ReasonCode::ProofRejected, text),
        }
    }
}

fn check_bad(circuit: &Circuit, invariant: &Formula, budget: &Budget) -> Result<(), CheckError> {
    let mut run = Unrolling::new(circuit, Start::Anywhere);
    let holds = run.holds(invariant, 0);
    let step = run.step(0);
    let parts = [holds, step.constraint, step.bad];
    let mut query = Query::new(budget);
    parts.iter().try_for_each(|&part| query.require(&run.aig, part))?;
    query.refute(&run.aig, Bit::TRUE, CheckError::Bad)
}

/// The lemmas are known to hold in every step.
fn check_start(
    circuit: &Circuit,
    lemmas: &Formula,
    invariant: &Formula,
    depth: usize,
    budget: &Budget,
) -> Result<(), CheckError> {
    let mut run = Unrolling::new(circuit, Start::Reset);
    let mut query = Query::new(budget);
    for step in 0..depth {
        if step > 0 {
            run.extend();
        }
        let lemmas = run.holds(lemmas, step);
        query.require(&run.aig, lemmas)?;
        query.require(&run.aig, run.last().constraint)?;
        let holds = run.holds(invariant, step);
        query.refute(&run.aig, !holds, CheckError::Start)?;
        query.require(&run.aig, holds)?;
    }
    Ok(())
}

/// The lemmas are known to hold in every step.
fn check_step(
    circuit: &Circuit,
    lemmas: &Formula,
    invariant: &Formula,
    depth: usize,
    budget: &Budget,
) -> Result<(), CheckError> {
    let mut run = Unrolling::new(circuit, Start::Anywhere);
    let mut query = Query::new(budget);
    for step in 0..depth {
        let holds = run.holds(invariant, step);
        query.require(&run.aig, holds)?;
        query.require(&run.aig, run.last().constraint)?;
        run.extend();
    }
    let lemmas = run.holds(lemmas, depth);
    query.require(&run.aig, lemmas)?;
    query.require(&run.aig, run.last().constraint)?;
    let holds = run.holds(invariant, depth);
    query.refute(&run.aig, !holds, CheckError::Step)
}

/// More rounds than this are not made to find the inductive part.
const MAX_ROUNDS: usize = 30;

/// Conjuncts of the invariant that together hold initially and are inductive, found by elimination (Houdini). True
/// if there are none, or too many rounds would be needed.
fn inductive_part(circuit: &Circuit, invariant: &Formula, budget: &Budget) -> Result<Formula, CheckError> {
    let conjuncts = invariant.aig.conjuncts(invariant.root);
    let mut kept = Conjuncts { formula: invariant.clone(), bits: conjuncts };
    let is_initial = kept.eliminate(Unrolling::new(circuit, Start::Reset), budget)?;
    let mut run = Unrolling::new(circuit, Start::Anywhere);
    run.extend();
    let is_inductive = kept.eliminate(run, budget)?;
    let bits = if is_initial && is_inductive { kept.bits } else { Vec::new() };
    let mut formula = kept.formula;
    formula.root = formula.aig.and_all(&bits);
    Ok(formula)
}

/// Some conjuncts of a formula.
struct Conjuncts {
    formula: Formula,
    bits: Vec<Bit>,
}

/// A conjunct in the solver.
struct Conjunct {
    bit: Bit,
    /// Its values in the steps before the last one.
    before: Vec<Lit>,
    /// Its value in the last step.
    last: Lit,
}

impl Conjuncts {
    /// Drops conjuncts until those that are left hold in the last step of the run if they held in the steps before.
    /// False if that takes too long.
    fn eliminate(&mut self, mut run: Unrolling<'_>, budget: &Budget) -> Result<bool, CheckError> {
        let mut query = Query::new(budget);
        let mut values: Vec<Vec<Lit>> = vec![Vec::new(); self.bits.len()];
        for number in 0..run.len() {
            let step = run.step(number).clone();
            query.require(&run.aig, step.constraint)?;
            let bits = self.formula.instantiate_all(&self.bits, &mut run.aig, &step.latches, &step.inputs);
            for (values, bit) in values.iter_mut().zip(bits) {
                values.push(query.lit(&run.aig, bit)?);
            }
        }
        let mut conjuncts: Vec<Conjunct> = Vec::new();
        for (&bit, mut before) in self.bits.iter().zip(values) {
            conjuncts.extend(before.pop().map(|last| Conjunct { bit, before, last }));
        }
        for _ in 0..MAX_ROUNDS {
            let some_fail = query.solver.new_var();
            let mut clause = vec![!some_fail];
            clause.extend(conjuncts.iter().map(|conjunct| !conjunct.last));
            query.solver.add_clause(&clause);
            let mut assumptions = vec![some_fail];
            assumptions.extend(conjuncts.iter().flat_map(|conjunct| conjunct.before.iter().copied()));
            if !query.solve(&assumptions)? {
                self.bits = conjuncts.iter().map(|conjunct| conjunct.bit).collect();
                return Ok(true);
            }
            conjuncts.retain(|conjunct| query.solver.value(conjunct.last) != Some(false));
        }
        Ok(false)
    }
}

/// A fresh solver and what it knows of a run.
struct Query<'a> {
    solver: Solver<NoTheory>,
    clausifier: Clausifier,
    budget: &'a Budget,
}

impl<'a> Query<'a> {
    fn new(budget: &'a Budget) -> Query<'a> {
        Query { solver: Solver::new(Config::hard(), NoTheory), clausifier: Clausifier::new(), budget }
    }

    fn lit(&mut self, aig: &Aig, bit: Bit) -> Result<Lit, CheckError> {
        let lit = self.clausifier.lit_within(aig, bit, &mut self.solver, self.budget);
        lit.map_err(CheckError::Interrupted)
    }

    /// From now on the bit is true.
    fn require(&mut self, aig: &Aig, bit: Bit) -> Result<(), CheckError> {
        let lit = self.lit(aig, bit)?;
        self.solver.add_clause(&[lit]);
        Ok(())
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, CheckError> {
        let budget = self.budget;
        match self.solver.solve(assumptions, &|| budget.exhausted()) {
            Outcome::Unsat => Ok(false),
            Outcome::Sat => Ok(true),
            Outcome::Unknown => {
                Err(CheckError::Interrupted(budget.check().err().unwrap_or(Interrupt::Cancelled)))
            }
        }
    }

    /// Shows that the bit is not true.
    fn refute(&mut self, aig: &Aig, bit: Bit, otherwise: CheckError) -> Result<(), CheckError> {
        let lit = self.lit(aig, bit)?;
        if self.solve(&[lit])? { Err(otherwise) } else { Ok(()) }
    }
}
