//! Interpolation-based model checking (McMillan, "Interpolation and SAT-Based Model Checking", CAV 2003).
//!
//! The interpolant between one step from a set of states and the next `k - 1` steps into a bad state over-approximates
//! the image of the set and keeps `k - 1` steps distance from bad states. Images are taken until they add nothing: then
//! their union is an invariant. If an image comes too close to a bad state, all begins again with a larger `k`.

use super::cnf::{Clausifier, Sink};
use super::interpolate::{Part, SplitSolver, System};
use super::unroll::{Start, Unrolling};
use super::{Outcome, Proof};
use bolide_base::{Budget, Interrupt, Stats};
use bolide_model::circuit::{Aig, Bit, Circuit, Copier, Formula, Trace};
use bolide_sat::{self as sat, Config as SatConfig, Lit, NoTheory, Solver};

/// How the engine works.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Which interpolants to take.
    pub system: System,
}

/// Proves or refutes the first property of the circuit.
pub fn run(circuit: &Circuit, config: Config, budget: &Budget, stats: &mut Stats) -> Outcome {
    let mut imc = Imc { circuit, images: 0, restarts: 0, largest: 0 };
    let result = imc.prove(config, budget);
    stats.count("imc images", imc.images);
    stats.count("imc restarts", imc.restarts);
    stats.count("imc largest image in gates", imc.largest);
    result.unwrap_or_else(|interrupt| Outcome::Unknown(interrupt.to_string()))
}

struct Imc<'a> {
    circuit: &'a Circuit,
    images: u64,
    restarts: u64,
    largest: u64,
}

impl Imc<'_> {
    fn prove(&mut self, config: Config, budget: &Budget) -> Result<Outcome, Interrupt> {
        let mut split = SplitRun::new(self.circuit, config.system);
        if let Some(trace) = initial_error(self.circuit, budget)? {
            return Ok(Outcome::Unsafe(trace));
        }
        loop {
            budget.check()?;
            if split.solve(split.reset, budget)? {
                return Ok(Outcome::Unsafe(split.trace()));
            }
            if let Some(invariant) = self.reach_fixed_point(&mut split, budget)? {
                return Ok(Outcome::Safe(Proof::inductive(invariant)));
            }
            self.restarts += 1;
            split.extend();
        }
    }

    /// Takes images of the initial states until nothing is added; `None` if one comes too close to a bad state.
    fn reach_fixed_point(
        &mut self,
        split: &mut SplitRun<'_>,
        budget: &Budget,
    ) -> Result<Option<Formula>, Interrupt> {
        let mut inclusion = Inclusion::new();
        let mut reached = split.reset;
        loop {
            budget.check()?;
            let Some(image) = split.image() else { return Ok(None) };
            self.images += 1;
            if inclusion.implies(&split.states, image, reached, budget)? {
                return Ok(Some(split.formula(reached)));
            }
            self.largest = self.largest.max(split.states.cone_size([image]) as u64);
            reached = split.states.or(reached, image);
            if split.solve(image, budget)? {
                return Ok(None);
            }
        }
    }
}

/// A run into a bad initial state, if there is one.
pub(super) fn initial_error(circuit: &Circuit, budget: &Budget) -> Result<Option<Trace>, Interrupt> {
    match super::bmc::Bmc::new(circuit).next(budget)? {
        Some(Outcome::Unsafe(trace)) => Ok(Some(trace)),
        _ => Ok(None),
    }
}

/// Asks whether sets of states include each other, in one solver.
pub(super) struct Inclusion {
    solver: Solver<NoTheory>,
    clausifier: Clausifier,
}

impl Inclusion {
    pub fn new() -> Inclusion {
        Inclusion { solver: Solver::new(SatConfig::incremental(), NoTheory), clausifier: Clausifier::new() }
    }

    /// Does the first bit imply the second? Always to be asked about the same graph.
    pub fn implies(&mut self, aig: &Aig, first: Bit, second: Bit, budget: &Budget) -> Result<bool, Interrupt> {
        let first = self.clausifier.lit(aig, first, &mut self.solver);
        let second = self.clausifier.lit(aig, second, &mut self.solver);
        match self.solver.solve(&[first, !second], &|| budget.exhausted()) {
            sat::Outcome::Unsat => Ok(true),
            sat::Outcome::Sat => Ok(false),
            sat::Outcome::Unknown => Err(budget.check().err().unwrap_or(Interrupt::Cancelled)),
        }
    }
}

/// A run in two parts: the first step, from a set of states that changes, and the steps into a bad state, which grow.
pub(super) struct SplitRun<'a> {
    circuit: &'a Circuit,
    solver: SplitSolver,
    /// The graph of sets of states: its first leaves are the latches, as in a [`Formula`].
    pub states: Aig,
    /// The initial states.
    pub reset: Bit,
    first: Unrolling<'a>,
    first_lits: Clausifier,
    /// Copies sets of states into the first step.
    source: Copier,
    rest: Unrolling<'a>,
    rest_lits: Clausifier,
    /// A bad state is reached in some step of the rest, and constraints hold up to there.
    target: Bit,
    /// Constraints hold in all steps of the rest.
    admissible: Bit,
    target_lit: Lit,
}

impl<'a> SplitRun<'a> {
    /// One step before, and the bad state at once.
    pub fn new(circuit: &'a Circuit, system: System) -> SplitRun<'a> {
        let mut states = Formula::over(circuit).aig;
        let latch = |number: usize| Bit::from(bolide_model::circuit::Node::new(1 + number));
        let resets: Vec<Bit> = circuit
            .latches
            .iter()
            .enumerate()
            .filter_map(|(number, state)| Some(latch(number) ^ !state.reset?))
            .collect();
        let reset = states.and_all(&resets);
        let mut solver = SplitSolver::new(system);
        let mut first = Unrolling::new(circuit, Start::Anywhere);
        first.extend();
        let rest = Unrolling::new(circuit, Start::Anywhere);
        let (mut first_lits, mut rest_lits) = (Clausifier::new(), Clausifier::new());
        let mut source = Copier::new(states.len());
        let constraint = first_lits.lit(&first.aig, first.step(0).constraint, &mut solver.part(Part::First));
        solver.part(Part::First).clause(&[constraint]);
        for number in 0..circuit.latches.len() {
            source.set(latch(number).node(), first.step(0).latches[number]);
            let shared = solver.shared_var(latch(number));
            rest_lits.set(rest.step(0).latches[number].node(), shared);
            let next = first_lits.lit(&first.aig, first.step(1).latches[number], &mut solver.part(Part::First));
            solver.part(Part::First).clause(&[!shared, next]);
            solver.part(Part::First).clause(&[shared, !next]);
        }
        let target_lit = solver.part(Part::Second).new_var();
        let mut split = SplitRun {
            circuit,
            solver,
            states,
            reset,
            first,
            first_lits,
            source,
            rest,
            rest_lits,
            target: Bit::FALSE,
            admissible: Bit::TRUE,
            target_lit,
        };
        split.aim();
        split
    }

    /// How many steps the rest has.
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Adds a step to the rest.
    pub fn extend(&mut self) {
        self.rest.extend();
        self.aim();
    }

    /// Takes the last step of the rest into the target.
    fn aim(&mut self) {
        let step = self.rest.last();
        let (bad, constraint) = (step.bad, step.constraint);
        let aig = &mut self.rest.aig;
        self.admissible = aig.and(self.admissible, constraint);
        let here = aig.and(self.admissible, bad);
        self.target = aig.or(self.target, here);
        let mut sink = self.solver.part(Part::Second);
        let target = self.rest_lits.lit(&self.rest.aig, self.target, &mut sink);
        self.target_lit = sink.new_var();
        sink.clause(&[!self.target_lit, target]);
    }

    /// Is there a run from the states into a bad one: one step, then up to the length of the rest?
    pub fn solve(&mut self, from: Bit, budget: &Budget) -> Result<bool, Interrupt> {
        // The initial states and interpolants speak of latches only, all of which are set.
        let from = self.source.copy(&self.states, from, &mut self.first.aig, |_, _| Bit::FALSE);
        let mut sink = self.solver.part(Part::First);
        let from = self.first_lits.lit(&self.first.aig, from, &mut sink);
        let from_lit = sink.new_var();
        sink.clause(&[!from_lit, from]);
        self.solver.solve(from_lit, self.target_lit, budget)
    }

    /// After a query without a model: an over-approximation of the image of its states. `None` if there is no proof.
    pub fn image(&mut self) -> Option<Bit> {
        self.solver.interpolant(&mut self.states)
    }

    /// After a query with a model: the run that it describes, up to the first bad step.
    pub fn trace(&self) -> Trace {
        let first = |bit| self.first_lits.get(bit).is_some_and(|lit| self.solver.value(lit));
        let rest = |bit| self.rest_lits.get(bit).is_some_and(|lit| self.solver.value(lit));
        let mut trace = self.first.trace(1, first);
        for (latch, value) in self.circuit.latches.iter().zip(&mut trace.initial) {
            *value = latch.reset.unwrap_or(*value);
        }
        let mut inputs = self.rest.trace(self.rest.len(), rest).inputs;
        let bad = (0..self.rest.len()).find(|&step| rest_value(&self.rest, step, rest));
        inputs.truncate(bad.map_or(self.rest.len(), |step| step + 1));
        trace.inputs.extend(inputs);
        trace
    }

    /// A set of states as a formula of its own.
    pub fn formula(&self, states: Bit) -> Formula {
        let mut formula = Formula::over(self.circuit);
        let mut copier = Copier::new(self.states.len());
        for number in 0..self.circuit.latches.len() {
            copier.set(formula.latch(number).node(), formula.latch(number));
        }
        formula.root = copier.copy(&self.states, states, &mut formula.aig, |_, _| Bit::FALSE);
        formula
    }
}

fn rest_value(rest: &Unrolling<'_>, step: usize, value: impl Fn(Bit) -> bool) -> bool {
    let bad = rest.step(step).bad;
    if bad.is_constant() { bad == Bit::TRUE } else { value(bad) }
}
