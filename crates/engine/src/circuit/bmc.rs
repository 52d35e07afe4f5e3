//! Bounded model checking (Biere, Cimatti, Clarke and Zhu, TACAS 1999): runs of growing length.
//!
//! Two searches take turns with the same effort, which doubles from turn to turn. One goes step by step in one solver and
//! misses nothing. The other leaps: it asks for an error anywhere in a window of later steps, each in a solver of its
//! own. An error that takes many steps is often easy to find, while the steps before it are hard to be cleared.

use super::Outcome;
use super::cnf::Clausifier;
use super::unroll::{Start, Step, Unrolling};
use crate::Reason;
use bolide_base::{Budget, Gauge, Interrupt, Stats, counted};
use bolide_model::circuit::{Circuit, Trace};
use bolide_sat::{self as sat, Config, NoTheory, Solver};
use std::cell::Cell;

/// Looks for a run into the first property's bad state; never proves that there is none.
pub fn run(circuit: &Circuit, budget: &Budget, stats: &mut Stats) -> Outcome {
    let mut search = Bmc::new(circuit);
    let outcome = loop {
        budget.note(Gauge::Depth, search.len() as u64);
        match search.next(budget) {
            Ok(Some(outcome)) => break outcome,
            Ok(None) => {}
            Err(interrupt) => {
                break Outcome::Unknown(stopped(interrupt, search.len()));
            }
        }
    };
    stats.count("bmc steps", search.len() as u64);
    stats.count("bmc leaps", search.leaps);
    outcome
}

/// The reason if a search without an error had to stop.
pub fn stopped(interrupt: Interrupt, steps: usize) -> Reason {
    Reason::from(interrupt)
        .with_text(format!("{interrupt}, no error within {}", counted(steps, "step", "steps")))
}

/// The effort of the first turn, in steps of the solver.
const FIRST_EFFORT: u64 = 20_000;
/// How many windows a turn looks at, and how far the first one reaches.
const WINDOWS: usize = 6;
const FIRST_WINDOW: usize = 12;
/// Runs with more gates than this for every step of effort are not leaped to: building them would take longer than
/// the search in them. Nor are those with more gates than the maximum.
pub const GATES_FOR_EFFORT: usize = 15;
const MAX_GATES: usize = 1_500_000;

/// A number of steps of a solver that may still be taken.
struct Effort(Cell<u64>);

impl Effort {
    fn new(steps: u64) -> Effort {
        Effort(Cell::new(steps))
    }

    /// Takes one step; true if there is none left.
    fn step(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.is_spent()
    }

    fn left(&self) -> u64 {
        self.0.get()
    }

    fn is_spent(&self) -> bool {
        self.left() == 0
    }
}

/// A run of growing length from the initial states.
pub struct Bmc<'a> {
    run: Unrolling<'a>,
    /// How many steps are known to be free of errors.
    safe: usize,
    solver: Solver<NoTheory>,
    clausifier: Clausifier,
    /// How many steps the solver knows.
    known: usize,
    /// The effort of a turn, and what is left of it for going step by step.
    effort: u64,
    rest: Effort,
    /// Where the next window of this turn begins, and how many there are left, while the search leaps.
    window: Option<(usize, usize)>,
    /// The effort of all queries, and that of building what is leaped to.
    spent: u64,
    built: u64,
    leaps: u64,
}

impl<'a> Bmc<'a> {
    /// No step has been looked at.
    pub fn new(circuit: &'a Circuit) -> Bmc<'a> {
        Bmc {
            run: Unrolling::new(circuit, Start::Constrained),
            safe: 0,
            solver: Solver::new(Config::hard(), NoTheory),
            clausifier: Clausifier::new(),
            known: 0,
            effort: FIRST_EFFORT,
            rest: Effort::new(FIRST_EFFORT),
            window: None,
            spent: 0,
            built: 0,
            leaps: 0,
        }
    }

    /// How many steps are known to be free of errors.
    #[allow(clippy::len_without_is_empty, reason = "a bound, not a container")]
    pub fn len(&self) -> usize {
        self.safe
    }

    /// Looks at one more step, and at later ones where it is hard: shows that the step is free of errors, or finds an
    /// error in any step.
    pub fn next(&mut self, budget: &Budget) -> Result<Option<Outcome>, Interrupt> {
        self.reach(self.safe + 1, budget)
    }

    /// Does what comes next: a step, or a leap when the effort for steps is spent.
    pub fn act(&mut self, budget: &Budget) -> Result<Option<Outcome>, Interrupt> {
        let error = if self.rest.is_spent() { self.leap_ahead(budget)? } else { self.step(budget)? };
        Ok(error.map(Outcome::Unsafe))
    }

    /// Goes on until so many steps are known to be free of errors.
    pub fn reach(&mut self, len: usize, budget: &Budget) -> Result<Option<Outcome>, Interrupt> {
        while self.safe < len {
            let error = self.act(budget)?;
            if error.is_some() {
                return Ok(error);
            }
        }
        Ok(None)
    }

    /// Goes on without leaps until so many steps are known to be free of errors.
    pub fn clear(&mut self, len: usize, budget: &Budget) -> Result<Option<Outcome>, Interrupt> {
        self.rest = Effort::new(u64::MAX);
        while self.safe < len {
            let error = self.step(budget)?;
            if error.is_some() {
                return Ok(error.map(Outcome::Unsafe));
            }
        }
        Ok(None)
    }

    /// The effort of all queries, with that of building the run once.
    pub fn cost(&self) -> u64 {
        self.spent + (self.run.aig.len() / GATES_FOR_EFFORT) as u64
    }

    /// Goes on until as much effort as this has been spent altogether, also for building what is leaped to.
    pub fn keep_up(&mut self, effort: u64, budget: &Budget) -> Result<Option<Outcome>, Interrupt> {
        while self.spent + self.built < effort {
            let error = self.act(budget)?;
            if error.is_some() {
                return Ok(error);
            }
        }
        Ok(None)
    }

    /// Looks at the next window of later steps. After the last one the next turn begins, with twice the effort.
    fn leap_ahead(&mut self, budget: &Budget) -> Result<Option<Trace>, Interrupt> {
        let (start, left) = self.window.unwrap_or((self.safe, WINDOWS));
        let end = start + FIRST_WINDOW.max(start / 2);
        if left == 0 || !self.extend_to(end, budget)? {
            self.window = None;
            self.effort = self.effort.saturating_mul(2);
            self.rest = Effort::new(self.effort);
            return Ok(None);
        }
        self.window = Some((end, left - 1));
        self.leaps += 1;
        let effort = Effort::new(self.effort);
        let error = self.leap(start, end, &effort, budget)?;
        self.spent += self.effort - effort.left();
        self.built += (self.run.aig.len() / GATES_FOR_EFFORT) as u64;
        Ok(error)
    }

    /// Looks at one more step. When the effort is spent the step is as unknown as before.
    fn step(&mut self, budget: &Budget) -> Result<Option<Trace>, Interrupt> {
        budget.check()?;
        if self.run.len() == self.safe {
            self.run.extend();
        }
        let step = self.run.step(self.safe);
        let (bad, constraint) = (step.bad, step.constraint);
        if self.known == self.safe {
            let constraint =
                self.clausifier.lit_within(&self.run.aig, constraint, &mut self.solver, budget)?;
            self.solver.add_clause(&[constraint]);
            self.known += 1;
        }
        let bad = self.clausifier.lit_within(&self.run.aig, bad, &mut self.solver, budget)?;
        let effort = &self.rest;
        let before = effort.left();
        // A step costs effort even where the solver has nothing to do.
        effort.step();
        let answer = self.solver.solve(&[bad], &|| effort.step() || budget.exhausted());
        self.spent += before - effort.left();
        match answer {
            sat::Outcome::Sat => {
                let value =
                    |bit| self.clausifier.get(bit).and_then(|lit| self.solver.value(lit)).unwrap_or(false);
                Ok(Some(self.run.trace(self.safe + 1, value)))
            }
            sat::Outcome::Unsat => {
                self.solver.add_clause(&[!bad]);
                self.safe += 1;
                Ok(None)
            }
            sat::Outcome::Unknown if self.rest.is_spent() => budget.check().map(|()| None),
            sat::Outcome::Unknown => Err(budget.check().err().unwrap_or(Interrupt::Cancelled)),
        }
    }

    /// Makes the run so many steps long, if it does not become too large for the effort.
    fn extend_to(&mut self, len: usize, budget: &Budget) -> Result<bool, Interrupt> {
        let limit = usize::try_from(self.effort)
            .unwrap_or(usize::MAX)
            .saturating_mul(GATES_FOR_EFFORT)
            .min(MAX_GATES);
        while self.run.len() < len && self.run.aig.len() <= limit {
            budget.check()?;
            self.run.extend();
        }
        Ok(self.run.aig.len() <= limit)
    }

    /// Looks for an error in one of the steps from `start` up to before `end`, which the run must have.
    fn leap(
        &self,
        start: usize,
        end: usize,
        effort: &Effort,
        budget: &Budget,
    ) -> Result<Option<Trace>, Interrupt> {
        let mut solver = Solver::new(Config::hard(), NoTheory);
        let mut clausifier = Clausifier::new();
        let mut errors = Vec::new();
        for step in 0..end {
            budget.check()?;
            let Step { constraint, bad, .. } = *self.run.step(step);
            let constraint = clausifier.lit_within(&self.run.aig, constraint, &mut solver, budget)?;
            solver.add_clause(&[constraint]);
            if step >= start {
                errors.push(clausifier.lit_within(&self.run.aig, bad, &mut solver, budget)?);
            }
        }
        solver.add_clause(&errors);
        if solver.solve(&[], &|| effort.step() || budget.exhausted()) != sat::Outcome::Sat {
            return budget.check().map(|()| None);
        }
        let found = errors.iter().position(|&error| solver.value(error) == Some(true)).unwrap_or(0);
        let value = |bit| clausifier.get(bit).and_then(|lit| solver.value(lit)).unwrap_or(false);
        Ok(Some(self.run.trace(start + found + 1, value)))
    }
}
