//! k-induction (Sheeran, Singh and Stålmarck, FMCAD 2000): no error in `k` steps from the start, and no error after any
//! `k` steps without one.
//!
//! The two cases do not wait for each other: whichever has cost less goes on. When the step case holds, the base case is
//! completed up to its depth.

use super::bmc::{Bmc, GATES_FOR_EFFORT, stopped};
use super::cnf::Clausifier;
use super::cube::Cube;
use super::unroll::{Start, Unrolling};
use super::{Outcome, Proof};
use bolide_base::{Budget, Gauge, Interrupt, Stats};
use bolide_model::circuit::{Bit, Circuit, Formula};
use bolide_sat::{self as sat, Config, Lit, NoTheory, Solver};
use std::cell::Cell;

/// Proves or refutes the first property of the circuit, with `k` growing.
pub fn run(circuit: &Circuit, budget: &Budget, stats: &mut Stats) -> Outcome {
    let mut base = Bmc::new(circuit);
    let mut step = Induction::new(circuit);
    let outcome = decide(&mut base, &mut step, budget);
    stats.count("kind steps without error", base.len() as u64);
    stats.count("kind depth", step.depth as u64);
    outcome.unwrap_or_else(|interrupt| Outcome::Unknown(stopped(interrupt, base.len())))
}

/// The least effort of one attempt at the step case, and the part of all effort so far.
const LEAST_ATTEMPT: u64 = 5_000;
const ATTEMPT_SHARE: u64 = 4;
/// The step case is given up when its run has more gates than this.
const MAX_GATES: usize = 6_000_000;

fn decide(base: &mut Bmc<'_>, step: &mut Induction<'_>, budget: &Budget) -> Result<Outcome, Interrupt> {
    loop {
        budget.note(Gauge::Depth, step.depth as u64);
        if step.keep_up(base.cost(), budget)? {
            return step.complete(base, budget);
        }
        if let Some(error) = base.act(budget)? {
            return Ok(error);
        }
    }
}

/// The step case of the induction.
pub struct Induction<'a> {
    circuit: &'a Circuit,
    run: Unrolling<'a>,
    depth: usize,
    solver: Solver<NoTheory>,
    clausifier: Clausifier,
    /// The question at this depth, if it has no answer yet.
    question: Option<[Lit; 2]>,
    /// The effort of all attempts.
    spent: u64,
    /// Cubes that no reachable state is in, if there is no error.
    lemmas: Vec<Cube>,
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
            question: None,
            spent: 0,
            lemmas: Vec::new(),
        }
    }

    /// Takes lemmas into account, which are inductive as long as no error happens: the old ones, and further ones.
    pub fn learn(&mut self, lemmas: &[Cube]) {
        let known = self.lemmas.len();
        self.lemmas.extend_from_slice(&lemmas[known..]);
        for step in 0..self.run.len() {
            self.add_lemmas(known, step);
        }
    }

    /// Says of a step that the lemmas from a number on hold.
    fn add_lemmas(&mut self, from: usize, step: usize) {
        for cube in &self.lemmas[from..] {
            let latches = &self.run.step(step).latches;
            let clause: Vec<Lit> = cube
                .lits()
                .iter()
                .map(|lit| {
                    self.clausifier.lit(&self.run.aig, latches[lit.latch()] ^ lit.value(), &mut self.solver)
                })
                .collect();
            self.solver.add_clause(&clause);
        }
    }

    /// Goes on until it has cost more than this; true if the property is inductive with the depth that was reached.
    pub fn keep_up(&mut self, cost: u64, budget: &Budget) -> Result<bool, Interrupt> {
        while self.run.aig.len() <= MAX_GATES && self.cost() <= cost {
            let effort = LEAST_ATTEMPT.max(self.cost() / ATTEMPT_SHARE);
            if self.attempt(effort, budget)? == Some(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Completes the base case for a step case that holds.
    pub fn complete(&self, base: &mut Bmc<'_>, budget: &Budget) -> Result<Outcome, Interrupt> {
        let error = base.clear(self.depth, budget)?;
        Ok(error.unwrap_or_else(|| Outcome::Safe(self.proof())))
    }

    /// Asks whether the property is inductive with one more step; `None` if that takes more effort than this. Then the
    /// next attempt is about the same question.
    fn attempt(&mut self, effort: u64, budget: &Budget) -> Result<Option<bool>, Interrupt> {
        budget.check()?;
        let question = match self.question {
            Some(question) => question,
            None => self.deepen(budget)?,
        };
        let taken = Cell::new(0);
        let stop = || {
            taken.set(taken.get() + 1);
            taken.get() >= effort || budget.exhausted()
        };
        let answer = self.solver.solve(&question, &stop);
        self.spent += taken.get();
        match answer {
            sat::Outcome::Sat => {
                self.question = None;
                Ok(Some(false))
            }
            sat::Outcome::Unsat => Ok(Some(true)),
            sat::Outcome::Unknown => budget.check().map(|()| None),
        }
    }

    /// Goes one step deeper: all steps up to now are without error, and the question is about the one after them.
    fn deepen(&mut self, budget: &Budget) -> Result<[Lit; 2], Interrupt> {
        let (aig, solver) = (&self.run.aig, &mut self.solver);
        let step = self.run.last();
        for bit in [step.constraint, !step.bad] {
            let lit = self.clausifier.lit_within(aig, bit, solver, budget)?;
            solver.add_clause(&[lit]);
        }
        self.run.extend();
        self.depth += 1;
        self.add_lemmas(0, self.depth);
        let (aig, solver) = (&self.run.aig, &mut self.solver);
        let step = self.run.last();
        let bad = self.clausifier.lit_within(aig, step.bad, solver, budget)?;
        let constraint = self.clausifier.lit_within(aig, step.constraint, solver, budget)?;
        self.question = Some([bad, constraint]);
        Ok([bad, constraint])
    }

    /// The effort of all attempts, with that of building the run.
    fn cost(&self) -> u64 {
        self.spent + (self.run.aig.len() / GATES_FOR_EFFORT) as u64
    }

    fn proof(&self) -> Proof {
        let bad = self.circuit.bads.first().copied().unwrap_or(Bit::FALSE);
        let mut invariant = Formula::of_bit(self.circuit, &self.circuit.aig, !bad);
        let mut parts = vec![invariant.root];
        for cube in &self.lemmas {
            let clause: Vec<Bit> =
                cube.lits().iter().map(|lit| invariant.latch(lit.latch()) ^ lit.value()).collect();
            parts.push(invariant.aig.or_all(&clause));
        }
        invariant.root = invariant.aig.and_all(&parts);
        Proof { invariant, depth: self.depth }
    }
}
