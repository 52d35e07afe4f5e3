//! Counterexample-free approximations of the reachable states.

use super::{Config, Counters, formula_of};
use crate::circuit::clausal::{Question, Separation, Side};
use crate::circuit::cube::{Cube, StateLit};
use crate::circuit::deep::Deep;
use crate::circuit::ending::Ending;
use crate::circuit::images::{Inclusion, latch_leaf, reset_states, set_without};
use crate::circuit::lift::Lifter;
use crate::circuit::unroll::{Start, Unrolling};
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit, Circuit, Copier, Formula};

/// The forward analysis. Its bound grows from round to round.
pub struct Forward<'a> {
    circuit: &'a Circuit,
    /// The graph of sets of states, and the initial ones.
    states: Aig,
    reset: Bit,
    /// One step, from a set into a set.
    step: Unrolling<'a>,
    step_side: Side,
    source: Copier,
    step_lifter: Lifter,
    /// The steps into a bad state.
    rest: Ending<'a>,
    rest_side: Deep,
    rest_lifter: Lifter,
    /// The approximation of the round before: contains all reachable states if the circuit is safe.
    approximation: Bit,
    /// Cubes that earlier images excluded.
    excluded: Vec<Cube>,
}

/// What was done in a round to avoid counterexamples.
struct Force {
    /// Cubes that lead to an error within the bound.
    errors: Vec<Cube>,
    /// How many more may be taken out before the bound is weakened instead.
    patience: usize,
    /// The number of queries when force was needed first.
    begun: Option<u64>,
}

/// Force may always take so many queries.
pub const LEAST_EFFORT: u64 = 100;

impl<'a> Forward<'a> {
    pub fn new(circuit: &'a Circuit) -> Forward<'a> {
        let mut states = Formula::over(circuit).aig;
        let reset = reset_states(circuit, &mut states);
        let mut step = Unrolling::new(circuit, Start::Anywhere);
        step.extend();
        let rest = Ending::new(circuit);
        let mut step_side = Side::new(&step.aig, &step.step(1).latches);
        step_side.require(&step.aig, step.step(0).constraint);
        let rest_side = Deep::new();
        let mut source = Copier::new(states.len());
        for number in 0..circuit.latches.len() {
            source.set(latch_leaf(number).node(), step.step(0).latches[number]);
        }
        let step_lifter = Lifter::of_leaves(&step.step(0).latches);
        let rest_lifter = Lifter::of_leaves(rest.latches());
        Forward {
            circuit,
            states,
            reset,
            step,
            step_side,
            source,
            step_lifter,
            rest,
            rest_side,
            rest_lifter,
            approximation: Bit::TRUE,
            excluded: Vec::new(),
        }
    }

    /// How many steps the solver of the bound took.
    pub fn effort(&self) -> u64 {
        self.rest_side.effort()
    }

    /// Makes the bound larger.
    pub fn extend(&mut self) {
        self.rest.extend();
    }

    /// Computes an approximation that refines the one before. Returns an invariant if no force was needed. Where force
    /// takes more effort than all the rest, the approximation stays as it is.
    pub fn round(
        &mut self,
        config: Config,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Option<Formula>, Interrupt> {
        counters.reused += u64::from(self.approximation != Bit::TRUE);
        let mut inclusion = Inclusion::new();
        let mut reached = self.reset;
        let mut from = self.reset;
        let mut force = Force { errors: Vec::new(), patience: config.blocked, begun: None };
        let start = self.queries();
        loop {
            budget.check()?;
            let image = self.image(from, &mut force, budget, counters)?;
            counters.images += 1;
            let image = self.states.and(image, self.approximation);
            if inclusion.implies(&self.states, image, reached, budget)? {
                break;
            }
            reached = self.states.or(reached, image);
            from = image;
            let is_worth_it = |begun: u64| self.queries() - begun <= begun - start + LEAST_EFFORT;
            if !force.begun.is_none_or(is_worth_it) {
                counters.restarts += 1;
                return Ok(None);
            }
        }
        if force.begun.is_none() {
            return Ok(Some(formula_of(self.circuit, &self.states, reached)));
        }
        counters.restarts_avoided += 1;
        let without_errors = set_without(&mut self.states, &force.errors);
        self.approximation = self.states.and(reached, without_errors);
        Ok(None)
    }

    /// How many queries were made: a measure of effort.
    pub fn queries(&self) -> u64 {
        self.step_side.queries + self.rest_side.queries
    }

    /// The image of a set, less what must be taken out of the set to keep the distance from bad states.
    fn image(
        &mut self,
        from: Bit,
        force: &mut Force,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Bit, Interrupt> {
        let mut bound = self.rest.bound() + 1;
        let mut excluded = std::mem::take(&mut self.excluded);
        while bound > 0 {
            let without_errors = set_without(&mut self.states, &force.errors);
            let source = self.states.and(from, without_errors);
            let source = self.source.copy(&self.states, source, &mut self.step.aig, |_, _| Bit::FALSE);
            let assumption = self.step_side.lit(&self.step.aig, source);
            let question = Question {
                first: (&mut self.step_side, assumption),
                second: (&mut self.rest_side, self.rest.aig()),
                latches: self.rest.latches(),
                target: self.rest.within(bound - 1),
                lifter: &mut self.rest_lifter,
            };
            let cube = match question.separate(&excluded, budget)? {
                Separation::Excluded(cubes) => {
                    let image = set_without(&mut self.states, &cubes);
                    self.excluded = cubes;
                    return Ok(image);
                }
                Separation::Meet { cube, excluded: before } => {
                    excluded = before;
                    cube
                }
            };
            force.begun.get_or_insert(self.step_side.queries + self.rest_side.queries);
            if force.patience > 0 {
                force.patience -= 1;
                counters.blocked += 1;
                let error = self.predecessor(&cube);
                force.errors.push(error);
            } else {
                counters.weakened += 1;
                bound /= 2;
            }
        }
        // Even the bad states themselves are met: everything is the largest approximation there is.
        Ok(Bit::TRUE)
    }

    /// The states that, under the inputs of the last model, lead into the cube.
    fn predecessor(&mut self, cube: &[StateLit]) -> Cube {
        let next = &self.step.step(1).latches;
        let mut roots: Vec<Bit> = cube.iter().map(|lit| next[lit.latch()] ^ !lit.value()).collect();
        roots.push(self.step.step(0).constraint);
        let side = &self.step_side;
        Cube::new(self.step_lifter.lift(&self.step.aig, &roots, |leaf| side.value(leaf.into())))
    }
}
