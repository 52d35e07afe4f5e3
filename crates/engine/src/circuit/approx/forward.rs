//! Counterexample-free approximations of the reachable states.

use super::{Config, Counters, formula_of};
use crate::circuit::clausal::{Question, Separation, Side};
use crate::circuit::images::{Inclusion, latch_leaf, reset_states, set_without};
use crate::circuit::pdr::{Cube, Lifter, StateLit};
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
    rest: Unrolling<'a>,
    rest_side: Side,
    rest_lifter: Lifter,
    /// A bad state is reached within so many steps: one more than the place in the list.
    targets: Vec<Bit>,
    admissible: Bit,
    /// The approximation of the round before: contains all reachable states if the circuit is safe.
    approximation: Bit,
    /// Cubes that earlier images excluded.
    excluded: Vec<Cube>,
}

impl<'a> Forward<'a> {
    pub fn new(circuit: &'a Circuit) -> Forward<'a> {
        let mut states = Formula::over(circuit).aig;
        let reset = reset_states(circuit, &mut states);
        let mut step = Unrolling::new(circuit, Start::Anywhere);
        step.extend();
        let rest = Unrolling::new(circuit, Start::Anywhere);
        let mut step_side = Side::new(&step.aig, &step.step(1).latches);
        step_side.require(&step.aig, step.step(0).constraint);
        let rest_side = Side::new(&rest.aig, &rest.step(0).latches);
        let mut source = Copier::new(states.len());
        for number in 0..circuit.latches.len() {
            source.set(latch_leaf(number).node(), step.step(0).latches[number]);
        }
        let step_lifter = Lifter::of_leaves(&step.step(0).latches);
        let rest_lifter = Lifter::of_leaves(&rest.step(0).latches);
        let mut forward = Forward {
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
            targets: Vec::new(),
            admissible: Bit::TRUE,
            approximation: Bit::TRUE,
            excluded: Vec::new(),
        };
        forward.aim();
        forward
    }

    /// Makes the bound larger.
    pub fn extend(&mut self) {
        self.rest.extend();
        self.aim();
    }

    fn aim(&mut self) {
        let step = self.rest.last();
        let (bad, constraint) = (step.bad, step.constraint);
        let aig = &mut self.rest.aig;
        self.admissible = aig.and(self.admissible, constraint);
        let here = aig.and(self.admissible, bad);
        let before = self.targets.last().copied().unwrap_or(Bit::FALSE);
        self.targets.push(aig.or(before, here));
    }

    /// Computes an approximation that refines the one before. Returns an invariant if no force was needed.
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
        let mut errors: Vec<Cube> = Vec::new();
        let mut forced = false;
        loop {
            budget.check()?;
            let image = self.image(from, config, &mut errors, &mut forced, budget, counters)?;
            counters.images += 1;
            let image = self.states.and(image, self.approximation);
            if inclusion.implies(&self.states, image, reached, budget)? {
                break;
            }
            reached = self.states.or(reached, image);
            from = image;
        }
        if !forced {
            return Ok(Some(formula_of(self.circuit, &self.states, reached)));
        }
        counters.restarts_avoided += 1;
        let without_errors = set_without(&mut self.states, &errors);
        self.approximation = self.states.and(reached, without_errors);
        Ok(None)
    }

    /// The image of a set, less what must be taken out of the set to keep the distance from bad states.
    fn image(
        &mut self,
        from: Bit,
        config: Config,
        errors: &mut Vec<Cube>,
        forced: &mut bool,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Bit, Interrupt> {
        let mut bound = self.targets.len();
        let mut blocked = 0;
        let mut source = from;
        loop {
            let start = set_without(&mut self.states, errors);
            source = self.states.and(source, start);
            let from = self.source.copy(&self.states, source, &mut self.step.aig, |_, _| Bit::FALSE);
            let assumption = self.step_side.lit(&self.step.aig, from);
            let Some(&target) = bound.checked_sub(1).and_then(|at| self.targets.get(at)) else {
                // Even the bad states themselves are met: all others are the largest approximation there is.
                *forced = true;
                return Ok(Bit::TRUE);
            };
            let question = Question {
                first: (&mut self.step_side, assumption),
                second: (&mut self.rest_side, &self.rest.aig),
                target,
                lifter: &mut self.rest_lifter,
            };
            match question.separate(&self.excluded, budget)? {
                Separation::Excluded(cubes) => {
                    let image = set_without(&mut self.states, &cubes);
                    self.excluded = cubes;
                    return Ok(image);
                }
                Separation::Meet(cube) if blocked < config.blocked => {
                    blocked += 1;
                    counters.blocked += 1;
                    *forced = true;
                    errors.push(self.predecessor(&cube));
                }
                Separation::Meet(_) => {
                    counters.weakened += 1;
                    *forced = true;
                    bound -= 1;
                }
            }
        }
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
