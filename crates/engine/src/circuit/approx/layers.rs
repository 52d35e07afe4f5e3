//! Images that are made more precise where they meet states that lead to an error.
//!
//! A state of an image from which an error is reached either is in the image only because that is approximate: then it
//! is excluded there, generalised, and nothing is lost. Or it has a predecessor in the image before, of which the same
//! can be asked. What is met in the initial states at last is the beginning of a counterexample. (The local strengthening
//! of Vizel, Grumberg and Shoham, "Intertwined Forward-Backward Reachability Analysis Using Interpolants", TACAS 2013.)

use super::forward::{Forward, outside};
use super::{Counters, formula_of};
use crate::circuit::clausal::{Question, Separation, Side};
use crate::circuit::cube::{Cube, StateLit};
use crate::circuit::images::{Inclusion, set_without};
use crate::circuit::unroll::Unrolling;
use crate::circuit::{Outcome, Proof};
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Bit, Circuit, Lanes, Trace};
use bolide_sat::search::{Handle, Lit};

/// A set of states that includes the image of the set before, where a step can begin.
pub struct Layer {
    /// The states.
    pub set: Bit,
    /// What a step is given that begins in the set.
    pub source: Vec<Lit>,
    /// The cubes that are excluded by clauses of the step, and these; there are none where there is no switch.
    pub cubes: Vec<Cube>,
    switch: Option<Lit>,
    clauses: Vec<Handle>,
}

impl Layer {
    /// The initial states.
    pub fn initial(set: Bit, source: Lit) -> Layer {
        Layer { set, source: vec![source], cubes: Vec::new(), switch: None, clauses: Vec::new() }
    }

    /// An image.
    pub fn image(set: Bit, source: Vec<Lit>, switch: Lit) -> Layer {
        Layer { set, source, cubes: Vec::new(), switch: Some(switch), clauses: Vec::new() }
    }

    /// Lets steps from this layer begin outside of the cube. The set is not changed.
    pub fn exclude(&mut self, cube: Cube, side: &mut Side, step: &Unrolling<'_>) {
        if let Some(switch) = self.switch {
            let clause = outside(&cube, &step.step(0).latches);
            self.clauses.extend(side.require_while(switch, &step.aig, &clause));
            self.cubes.push(cube);
        }
    }

    /// Removes the clauses from the solver and returns the cubes.
    pub fn retire(self, side: &mut Side) -> Vec<Cube> {
        if let Some(switch) = self.switch {
            side.retire(switch, self.clauses);
        }
        self.cubes
    }
}

/// States of a layer that lead to an error.
struct Obligation {
    layer: usize,
    cube: Cube,
    /// The inputs that lead into the obligation before, or into the states that began it all.
    inputs: Vec<bool>,
}

/// The effort that every refinement may have.
const LEAST_EFFORT: u64 = 100;

/// After so many images the bound becomes larger: with the same one, states that are excluded from one image may come
/// back in the next for ever.
const IMAGES_FOR_BOUND: usize = 16;

/// The forward analysis with a bound that grows slowly: instead, images are made as precise as they have to be.
pub struct Precise<'a> {
    forward: Forward<'a>,
    inclusion: Inclusion,
    /// What the next image is known to exclude.
    excluded: Vec<Cube>,
}

impl<'a> Precise<'a> {
    pub fn new(circuit: &'a Circuit) -> Precise<'a> {
        let mut forward = Forward::new(circuit);
        let initial = forward.assume(forward.reset);
        forward.layers.push(Layer::initial(forward.reset, initial));
        Precise { forward, inclusion: Inclusion::new(), excluded: Vec::new() }
    }

    /// Goes on until that costs more than the limit. Decides the property, if no more images are needed.
    pub fn keep_up(
        &mut self,
        limit: u64,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Option<Outcome>, Interrupt> {
        let forward = &mut self.forward;
        while forward.cost() <= limit {
            budget.check()?;
            let last = forward.layers.len() - 1;
            let question = Question {
                first: (&mut forward.step_side, &forward.layers[last].source),
                second: (&mut forward.rest_side, forward.rest.aig()),
                latches: forward.rest.latches(),
                target: forward.rest.within(forward.rest.bound()),
                lifter: &mut forward.rest_lifter,
            };
            match question.separate(&self.excluded, limit, budget)? {
                Separation::Excluded(cubes) => {
                    counters.images += 1;
                    let reached = forward.reached();
                    let image = set_without(&mut forward.states, &cubes);
                    if self.inclusion.implies(&forward.states, image, reached, budget)? {
                        let invariant = formula_of(forward.circuit, &forward.states, reached);
                        return Ok(Some(Outcome::Safe(Proof::inductive(invariant))));
                    }
                    forward.add_layer(image, cubes);
                    if forward.layers.len().is_multiple_of(IMAGES_FOR_BOUND) {
                        forward.extend();
                    }
                    self.excluded = forward.promising();
                }
                Separation::Open { excluded } => self.excluded = excluded,
                Separation::Meet { cube, excluded } => {
                    self.excluded = excluded;
                    counters.refined += 1;
                    let states = forward.predecessor(&cube);
                    // Something must come of it, however little is left.
                    let limit = limit.max(forward.cost() + LEAST_EFFORT);
                    if let Some(trace) = forward.refine(states, limit, budget)? {
                        return Ok(Some(Outcome::Unsafe(trace)));
                    }
                }
            }
        }
        Ok(None)
    }
}

impl Forward<'_> {
    /// Excludes states from the last layer, unless that costs more than the limit. The last model of the step must lead
    /// from these states into ones that lead to an error within the bound. Returns the counterexample, if there is one.
    fn refine(&mut self, states: Cube, limit: u64, budget: &Budget) -> Result<Option<Trace>, Interrupt> {
        let last = self.layers.len() - 1;
        let mut open = vec![Obligation { layer: last, cube: states, inputs: self.step_inputs() }];
        while let Some(Obligation { layer, cube, .. }) = open.last()
            && self.cost() <= limit
        {
            let Some(before) = layer.checked_sub(1) else { return self.counterexample(&open, budget) };
            let given = &self.layers[before].source;
            if let Some(core) = self.step_side.refute(given, cube.lits(), budget)? {
                let core = self.step_side.shrink(given, core, budget)?;
                self.exclude(*layer, core, budget)?;
                open.pop();
            } else {
                let cube = self.predecessor(cube.lits());
                open.push(Obligation { layer: before, cube, inputs: self.step_inputs() });
            }
        }
        Ok(None)
    }

    /// Excludes a cube that has no predecessor in the layer before from a layer, and from those after it for which the
    /// same holds.
    fn exclude(
        &mut self,
        mut layer: usize,
        mut cube: Vec<StateLit>,
        budget: &Budget,
    ) -> Result<(), Interrupt> {
        loop {
            let excluded = Cube::new(cube);
            let rest = set_without(&mut self.states, std::slice::from_ref(&excluded));
            self.layers[layer].set = self.states.and(self.layers[layer].set, rest);
            self.layers[layer].exclude(excluded.clone(), &mut self.step_side, &self.step);
            if layer + 1 == self.layers.len() {
                return Ok(());
            }
            match self.step_side.refute(&self.layers[layer].source, excluded.lits(), budget)? {
                Some(core) => cube = core,
                None => return Ok(()),
            }
            layer += 1;
        }
    }

    /// The inputs of the last model of the step.
    fn step_inputs(&self) -> Vec<bool> {
        self.step.step(0).inputs.iter().map(|&input| self.step_side.value(input)).collect()
    }

    /// A run from the initial states of the last obligation through the others into an error. `None` if there is none,
    /// which would be a mistake.
    fn counterexample(&mut self, open: &[Obligation], budget: &Budget) -> Result<Option<Trace>, Interrupt> {
        let latches = &self.circuit.latches;
        let mut initial: Vec<bool> = latches.iter().map(|latch| latch.reset.unwrap_or(false)).collect();
        for lit in open.last().into_iter().flat_map(|last| last.cube.lits()) {
            initial[lit.latch()] = lit.value();
        }
        let mut inputs: Vec<Vec<bool>> =
            open.iter().rev().map(|obligation| obligation.inputs.clone()).collect();
        let state = self.simulate(&initial, &inputs);
        let run = self.rest.run();
        let mut assumptions = vec![self.rest_side.lit(&run.aig, self.rest.within(self.rest.bound()))];
        for (lit, &bit) in state.iter().zip(&run.step(0).latches) {
            assumptions.push(self.rest_side.lit(&run.aig, bit ^ !lit.value()));
        }
        if !self.rest_side.solve(&assumptions, budget)? {
            return Ok(None);
        }
        for number in 0..run.len() {
            let step = run.step(number);
            inputs.push(step.inputs.iter().map(|&input| self.rest_side.value(input)).collect());
            if self.rest_side.value(step.bad) {
                break;
            }
        }
        Ok(Some(Trace { initial, inputs }))
    }

    /// The state after these inputs.
    fn simulate(&self, initial: &[bool], inputs: &[Vec<bool>]) -> Vec<StateLit> {
        let circuit = self.circuit;
        let mut lanes = Lanes::new(&circuit.aig);
        let word = |value: bool| if value { !0 } else { 0 };
        for (latch, &value) in circuit.latches.iter().zip(initial) {
            lanes.set(latch.node, word(value));
        }
        for step in inputs {
            for (&input, &value) in circuit.inputs.iter().zip(step) {
                lanes.set(input, word(value));
            }
            lanes.settle(&circuit.aig);
            lanes.clock(circuit);
        }
        let latches = circuit.latches.iter().enumerate();
        latches.map(|(number, latch)| StateLit::new(number, lanes.get(latch.node.into()) != 0)).collect()
    }
}
