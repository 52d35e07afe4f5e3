//! Bounded model checking (Biere, Cimatti, Clarke and Zhu, TACAS 1999): runs of growing length in one solver.

use super::Outcome;
use super::cnf::Clausifier;
use super::unroll::{Start, Unrolling};
use bolide_base::{Budget, Interrupt, Stats};
use bolide_model::circuit::Circuit;
use bolide_sat::{self as sat, Config, NoTheory, Solver};

/// Looks for a run into the first property's bad state; never proves that there is none.
pub fn run(circuit: &Circuit, budget: &Budget, stats: &mut Stats) -> Outcome {
    let mut search = Bmc::new(circuit);
    let outcome = loop {
        match search.next(budget) {
            Ok(Some(outcome)) => break outcome,
            Ok(None) => {}
            Err(interrupt) => {
                break Outcome::Unknown(format!("{interrupt}, no error within {} steps", search.len()));
            }
        }
    };
    stats.count("bmc steps", search.len() as u64);
    outcome
}

/// A run of growing length from the initial states.
pub struct Bmc<'a> {
    run: Unrolling<'a>,
    /// How many steps are known to be free of errors.
    safe: usize,
    solver: Solver<NoTheory>,
    clausifier: Clausifier,
}

impl<'a> Bmc<'a> {
    /// No step has been looked at.
    pub fn new(circuit: &'a Circuit) -> Bmc<'a> {
        Bmc {
            run: Unrolling::new(circuit, Start::Reset),
            safe: 0,
            solver: Solver::new(Config::hard(), NoTheory),
            clausifier: Clausifier::new(),
        }
    }

    /// How many steps are known to be free of errors.
    #[allow(clippy::len_without_is_empty, reason = "a bound, not a container")]
    pub fn len(&self) -> usize {
        self.safe
    }

    /// Looks at one more step.
    pub fn next(&mut self, budget: &Budget) -> Result<Option<Outcome>, Interrupt> {
        budget.check()?;
        if self.run.len() == self.safe {
            self.run.extend();
        }
        let step = self.run.last();
        let (bad, constraint) = (step.bad, step.constraint);
        let constraint = self.clausifier.lit(&self.run.aig, constraint, &mut self.solver);
        self.solver.add_clause(&[constraint]);
        let bad = self.clausifier.lit(&self.run.aig, bad, &mut self.solver);
        match self.solver.solve(&[bad], &|| budget.exhausted()) {
            sat::Outcome::Sat => {
                let value =
                    |bit| self.clausifier.get(bit).and_then(|lit| self.solver.value(lit)).unwrap_or(false);
                Ok(Some(Outcome::Unsafe(self.run.trace(self.safe + 1, value))))
            }
            sat::Outcome::Unsat => {
                self.solver.add_clause(&[!bad]);
                self.safe += 1;
                Ok(None)
            }
            sat::Outcome::Unknown => Err(budget.check().err().unwrap_or(Interrupt::Cancelled)),
        }
    }
}
