//! Counterexample-free approximations of the states that lead to an error.

use super::{Counters, formula_of};
use crate::circuit::clausal::Side;
use crate::circuit::cube::{Cube, StateLit};
use crate::circuit::images::{Inclusion, latch_leaf, reset_states, set_without};
use crate::circuit::unroll::{Start, Unrolling};
use crate::circuit::unrolled_solver::UnrolledSolver;
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit, Circuit, Copier, Formula};
use bolide_sat::Lit;
use bolide_sat::search;

/// The backward analysis. Its bound grows from round to round.
pub struct Backward<'a> {
    circuit: &'a Circuit,
    /// The graph of sets of states, and the initial ones.
    states: Aig,
    reset: Bit,
    /// One step, from any state into a set.
    step: Unrolling<'a>,
    step_side: Side,
    successor: Copier,
    here: Copier,
    /// Runs from the initial states.
    run: Unrolling<'a>,
    run_side: UnrolledSolver,
    views: Vec<View>,
    /// The approximation of the round before: contains all states that lead to an error, if the circuit is safe.
    approximation: Bit,
    /// Cubes that earlier preimages excluded.
    excluded: Vec<Cube>,
    /// How many rounds are passed over now, and after the next one that takes too long.
    pause: u32,
    next_pause: u32,
}

/// No more rounds than this are passed over.
const MAX_PAUSE: u32 = 8;

/// A step of the run: its latches, and that the constraints hold in all steps before.
struct View {
    latches: Vec<Lit>,
    admissible: Lit,
    admissible_bit: Bit,
}

impl<'a> Backward<'a> {
    pub fn new(circuit: &'a Circuit) -> Backward<'a> {
        let mut states = Formula::over(circuit).aig;
        let reset = reset_states(circuit, &mut states);
        let mut step = Unrolling::new(circuit, Start::Anywhere);
        step.extend();
        let mut step_side = Side::new(&step.aig, &step.step(0).latches);
        step_side.require(&step.aig, &[step.step(0).constraint]);
        let (mut successor, mut here) = (Copier::new(states.len()), Copier::new(states.len()));
        for number in 0..circuit.latches.len() {
            successor.set(latch_leaf(number).node(), step.step(1).latches[number]);
            here.set(latch_leaf(number).node(), step.step(0).latches[number]);
        }
        let run = Unrolling::new(circuit, Start::Reset);
        let run_side = UnrolledSolver::new();
        let mut backward = Backward {
            circuit,
            states,
            reset,
            step,
            step_side,
            successor,
            here,
            run,
            run_side,
            views: Vec::new(),
            approximation: Bit::TRUE,
            excluded: Vec::new(),
            pause: 0,
            next_pause: 1,
        };
        backward.add_view(Bit::TRUE);
        backward
    }

    /// Makes the bound larger.
    pub fn extend(&mut self) {
        let constraint = self.run.last().constraint;
        let before = self.views.last().map_or(Bit::TRUE, |view| view.admissible_bit);
        let admissible = self.run.aig.and(before, constraint);
        self.run.extend();
        self.add_view(admissible);
    }

    fn add_view(&mut self, admissible_bit: Bit) {
        let (aig, side) = (&self.run.aig, &mut self.run_side);
        let latches = self.run.last().latches.iter().map(|&bit| side.lit(aig, bit)).collect();
        self.views.push(View { latches, admissible: side.lit(aig, admissible_bit), admissible_bit });
    }

    /// Computes an approximation that refines the one before. Returns the invariant that its complement is, if no force
    /// was needed. The approximation stays as it is where all rounds together cost more than the limit; then the next rounds
    /// are passed over, the more the oftener this happens.
    pub fn round(
        &mut self,
        limit: u64,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Option<Formula>, Interrupt> {
        if self.pause > 0 || self.cost() > limit {
            self.pause = self.pause.saturating_sub(1);
            return Ok(None);
        }
        counters.reused += u64::from(self.approximation != Bit::TRUE);
        let mut inclusion = Inclusion::new();
        let mut forced = false;
        let mut reached = Bit::FALSE;
        // It begins with the states that have an error at once.
        let mut next = self.step.step(0).bad;
        loop {
            budget.check()?;
            let Some(preimage) = self.preimage(next, limit, &mut forced, budget, counters)? else {
                counters.restarts += 1;
                self.pause = self.next_pause;
                self.next_pause = (2 * self.next_pause).min(MAX_PAUSE);
                return Ok(None);
            };
            counters.preimages += 1;
            let preimage = self.states.and(preimage, self.approximation);
            if inclusion.implies(&self.states, preimage, reached, budget)? {
                break;
            }
            reached = self.states.or(reached, preimage);
            next = self.successor.copy(&self.states, preimage, &mut self.step.aig, |_, _| Bit::FALSE);
        }
        if !forced {
            return Ok(Some(formula_of(self.circuit, &self.states, !reached)));
        }
        counters.restarts_avoided += 1;
        self.next_pause = 1;
        self.approximation = reached;
        Ok(None)
    }

    /// The effort of all queries.
    fn cost(&self) -> u64 {
        self.step_side.effort() + self.run_side.effort()
    }

    /// Over-approximates the states for which the bit of the step holds, apart from what is reached within the bound;
    /// the bound is weakened until that is possible. `None` if that costs more than the limit allows.
    fn preimage(
        &mut self,
        bit: Bit,
        limit: u64,
        forced: &mut bool,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Option<Bit>, Interrupt> {
        let allowed = self.here.copy(&self.states, self.approximation, &mut self.step.aig, |_, _| Bit::FALSE);
        let bit = self.step.aig.and(bit, allowed);
        let assumption = self.step_side.lit(&self.step.aig, bit);
        let switches: Vec<Lit> = self.views.iter().map(|_| self.run_side.new_switch()).collect();
        let mut excluded = Vec::new();
        for cube in std::mem::take(&mut self.excluded) {
            if let Some(core) = self.step_side.refute(&[assumption], cube.lits(), budget)? {
                excluded.push(self.exclude(core, &switches));
            }
        }
        let mut preimage = Bit::TRUE;
        for view in 0..self.views.len() {
            let is_apart = self.keep_apart(view, assumption, &switches, &mut excluded, limit, budget)?;
            if self.cost() > limit {
                self.retire(&switches);
                return Ok(None);
            }
            if !is_apart {
                // States that are reached this late, or later, may be met; initial ones are taken out.
                counters.weakened += 1;
                *forced = true;
                preimage = if view == 0 { !self.reset } else { Bit::TRUE };
                break;
            }
        }
        self.retire(&switches);
        let set = set_without(&mut self.states, &excluded);
        self.excluded = excluded;
        Ok(Some(self.states.and(preimage, set)))
    }

    /// Excludes cubes until no state that is reached in exactly so many steps is left. False if one must stay.
    fn keep_apart(
        &mut self,
        view: usize,
        assumption: search::Lit,
        switches: &[Lit],
        excluded: &mut Vec<Cube>,
        limit: u64,
        budget: &Budget,
    ) -> Result<bool, Interrupt> {
        let assumptions = [switches[view], self.views[view].admissible];
        while self.cost() <= limit && self.run_side.solve(&assumptions, budget)? {
            let latches = self.views[view].latches.iter().enumerate();
            let state: Vec<StateLit> =
                latches.map(|(number, &lit)| StateLit::new(number, self.run_side.model(lit))).collect();
            let Some(core) = self.step_side.refute(&[assumption], &state, budget)? else { return Ok(false) };
            let core = self.step_side.shrink(&[assumption], core, budget)?;
            excluded.push(self.exclude(core, switches));
        }
        Ok(true)
    }

    fn retire(&mut self, switches: &[Lit]) {
        switches.iter().for_each(|&switch| self.run_side.retire(switch));
    }

    /// Excludes a cube from every view.
    fn exclude(&mut self, cube: Vec<StateLit>, switches: &[Lit]) -> Cube {
        for (view, &switch) in self.views.iter().zip(switches) {
            self.run_side.exclude(&cube, &view.latches, switch);
        }
        Cube::new(cube)
    }
}
