//! Counterexample-free approximations of the reachable states.

use super::layers::Layer;
use super::lemmas::Lemmas;
use super::{Config, Counters, formula_of};
use crate::circuit::clausal::{Question, Separation, Side};
use crate::circuit::cube::{Cube, StateLit};
use crate::circuit::images::{Inclusion, latch_leaf, reset_states, set_without};
use crate::circuit::lift::Lifter;
use crate::circuit::suffix_unrolling::SuffixUnrolling;
use crate::circuit::unroll::{Start, Unrolling};
use crate::circuit::unrolled_solver::UnrolledSolver;
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit, Circuit, Copier, Formula};
use bolide_sat::search::{Handle, Lit};

/// The forward analysis. Its bound grows from round to round.
pub struct Forward<'a> {
    pub(super) circuit: &'a Circuit,
    /// The graph of sets of states, and the initial ones.
    pub(super) states: Aig,
    pub(super) reset: Bit,
    /// One step, from a set into a set.
    pub(super) step: Unrolling<'a>,
    pub(super) step_side: Side,
    source: Copier,
    step_lifter: Lifter,
    /// The steps into a bad state.
    pub(super) rest: SuffixUnrolling<'a>,
    pub(super) rest_side: UnrolledSolver,
    pub(super) rest_lifter: Lifter,
    /// The approximation of the round before: contains all reachable states if the circuit is safe.
    approximation: Bit,
    /// The initial states, and the images of this round.
    pub(super) layers: Vec<Layer>,
    /// What the images of the round before excluded.
    before: Vec<Vec<Cube>>,
    /// How many of the lemmas are known here, and the states that they leave.
    lemma_count: usize,
    lemma_set: Bit,
    /// The round that is not finished, if there is one.
    round: Option<Round>,
    /// The cost of avoiding counterexamples, apart from lemmas.
    extra: u64,
}

/// How far a round came.
pub enum Progress {
    /// An invariant was found.
    Invariant(Formula),
    /// The round is complete, or was given up.
    Finished,
    /// The limit is reached, and the round may go on later.
    Paused,
}

/// A round that is not finished.
struct Round {
    force: Force,
    inclusion: Inclusion,
    /// What the next image is known to exclude, and the distance that it keeps from bad states.
    excluded: Vec<Cube>,
    bound: usize,
}

/// What was done in a round to avoid counterexamples.
struct Force {
    /// Cubes that lead to an error within the bound, and the clauses that exclude them from all sources.
    errors: Vec<Cube>,
    switch: Lit,
    clauses: Vec<Handle>,
    /// How many more may be taken out before the bound is weakened instead.
    patience: usize,
    /// Was anything taken out, or the bound weakened?
    is_used: bool,
    /// The cost that this had, and the cost at which the round is given up.
    cost: u64,
    limit: u64,
}

/// What an image is.
enum Image {
    /// All states but those of the cubes.
    Without(Vec<Cube>),
    /// Avoiding counterexamples takes more effort than allowed.
    TooCostly,
    /// The limit is reached.
    Paused,
}

/// The cost of one attempt at a lemma. Together they may cost as much as what plain interpolation would have done.
const LEMMA_EFFORT: u64 = 200;
/// The cost that force may always have, and the part of the cost of all the rest that it may have besides.
const LEAST_ALLOWANCE: u64 = 300;
const ALLOWANCE_SHARE: u64 = 6;

impl<'a> Forward<'a> {
    pub fn new(circuit: &'a Circuit) -> Forward<'a> {
        let mut states = Formula::over(circuit).aig;
        let reset = reset_states(circuit, &mut states);
        let mut step = Unrolling::new(circuit, Start::Anywhere);
        step.extend();
        let rest = SuffixUnrolling::new(circuit);
        let mut step_side = Side::new(&step.aig, &step.step(1).latches);
        step_side.require(&step.aig, &[step.step(0).constraint]);
        let rest_side = UnrolledSolver::new();
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
            layers: Vec::new(),
            before: Vec::new(),
            lemma_count: 0,
            lemma_set: Bit::TRUE,
            round: None,
            extra: 0,
        }
    }

    /// The effort of all queries.
    pub(super) fn cost(&self) -> u64 {
        self.step_side.effort() + self.rest_side.effort()
    }

    /// The cost that avoiding counterexamples may have from now on: a part of that of all the rest.
    fn allowance(&self) -> u64 {
        (LEAST_ALLOWANCE + (self.cost() - self.extra) / ALLOWANCE_SHARE).saturating_sub(self.extra)
    }

    /// Makes the bound larger.
    pub fn extend(&mut self) {
        self.rest.extend();
    }

    /// Computes an approximation that refines the one before, until the cost exceeds the limit; then the next call goes
    /// on. Finds an invariant if no force was needed. Where avoiding counterexamples costs more than a part of all
    /// the rest, the approximation stays as it is.
    pub fn advance(
        &mut self,
        config: Config,
        limit: u64,
        lemmas: &mut Lemmas<'_>,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Progress, Interrupt> {
        let mut round = match self.round.take() {
            Some(round) => round,
            None => self.begin(config, counters),
        };
        let progress = self.take_images(&mut round, limit, lemmas, budget, counters)?;
        match progress {
            Progress::Paused => self.round = Some(round),
            _ => self.end(round),
        }
        Ok(progress)
    }

    fn begin(&mut self, config: Config, counters: &mut Counters) -> Round {
        counters.rounds += 1;
        counters.reused += u64::from(self.approximation != Bit::TRUE);
        let force = Force {
            errors: Vec::new(),
            switch: self.step_side.new_switch(),
            clauses: Vec::new(),
            patience: config.blocked,
            is_used: false,
            cost: 0,
            limit: self.allowance(),
        };
        let initial = self.assume(self.reset);
        self.layers.push(Layer::initial(self.reset, initial));
        let bound = self.rest.bound() + 1;
        Round { force, inclusion: Inclusion::new(), excluded: self.promising(), bound }
    }

    fn end(&mut self, round: Round) {
        self.extra += round.force.cost;
        self.before.clear();
        for layer in std::mem::take(&mut self.layers) {
            let cubes = layer.retire(&mut self.step_side);
            self.before.push(cubes);
        }
        self.step_side.retire(round.force.switch, round.force.clauses);
    }

    fn take_images(
        &mut self,
        round: &mut Round,
        limit: u64,
        lemmas: &mut Lemmas<'_>,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Progress, Interrupt> {
        loop {
            budget.check()?;
            let cubes = match self.image(round, limit, lemmas, budget, counters)? {
                Image::Without(cubes) => cubes,
                Image::Paused => return Ok(Progress::Paused),
                Image::TooCostly => {
                    counters.restarts += 1;
                    return Ok(Progress::Finished);
                }
            };
            counters.images += 1;
            let reached = self.reached();
            let image = set_without(&mut self.states, &cubes);
            let image = self.states.and_all(&[image, self.approximation, self.lemma_set]);
            if round.inclusion.implies(&self.states, image, reached, budget)? {
                return Ok(self.complete(&round.force, counters));
            }
            self.add_layer(image, cubes);
            round.excluded = self.promising();
            round.bound = self.rest.bound() + 1;
        }
    }

    /// All images are there: they are an invariant, or an approximation for the rounds to come.
    fn complete(&mut self, force: &Force, counters: &mut Counters) -> Progress {
        let reached = self.reached();
        if !force.is_used {
            let invariant = self.states.and(reached, self.lemma_set);
            return Progress::Invariant(formula_of(self.circuit, &self.states, invariant));
        }
        counters.restarts_avoided += 1;
        let without_errors = set_without(&mut self.states, &force.errors);
        let approximation = self.states.and(reached, without_errors);
        // Every query about a step would have to look at a larger one.
        if self.states.cone_size([approximation]) <= self.circuit.aig.gate_count() {
            self.approximation = approximation;
        }
        Progress::Finished
    }

    /// The union of all layers.
    pub(super) fn reached(&mut self) -> Bit {
        let sets: Vec<Bit> = self.layers.iter().map(|layer| layer.set).collect();
        self.states.or_all(&sets)
    }

    /// Adds an image as the last layer: the set, which is the approximation without the cubes.
    pub(super) fn add_layer(&mut self, set: Bit, cubes: Vec<Cube>) {
        let switch = self.step_side.new_switch();
        let approximation = self.assume(self.approximation);
        let mut layer = Layer::image(set, vec![switch, approximation], switch);
        for cube in cubes {
            layer.exclude(cube, &mut self.step_side, &self.step);
        }
        self.layers.push(layer);
    }

    /// The cubes that the last layer and the next one of the round before exclude.
    pub(super) fn promising(&self) -> Vec<Cube> {
        let mut seen = rustc_hash::FxHashSet::default();
        let last = self.layers.last().map_or(&[][..], |layer| &layer.cubes);
        let before = self.before.get(self.layers.len()).map_or(&[][..], |cubes| cubes);
        last.iter().chain(before).filter(|cube| seen.insert(cube.lits())).cloned().collect()
    }

    /// The image of the last layer, less what must be taken out of the layer to keep the distance from bad states.
    fn image(
        &mut self,
        round: &mut Round,
        limit: u64,
        lemmas: &mut Lemmas<'_>,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Image, Interrupt> {
        let mut given = vec![round.force.switch];
        given.extend(self.layers.iter().last().into_iter().flat_map(|layer| &layer.source));
        while round.bound > 0 {
            let before = self.cost();
            let question = Question {
                first: (&mut self.step_side, &given),
                second: (&mut self.rest_side, self.rest.aig()),
                latches: self.rest.latches(),
                target: self.rest.within(round.bound - 1),
                lifter: &mut self.rest_lifter,
            };
            let separation = question.separate(&round.excluded, limit, budget)?;
            if round.force.is_used {
                round.force.cost += self.cost() - before;
            }
            match separation {
                Separation::Excluded(cubes) => return Ok(Image::Without(cubes)),
                Separation::Open { excluded } => {
                    round.excluded = excluded;
                    return Ok(Image::Paused);
                }
                Separation::Meet { cube, excluded } => {
                    round.excluded = excluded;
                    if round.force.cost > round.force.limit {
                        return Ok(Image::TooCostly);
                    }
                    self.avoid(cube, round, lemmas, counters)?;
                }
            }
        }
        // Even the bad states themselves are met: everything is the largest approximation there is.
        Ok(Image::Without(Vec::new()))
    }

    /// Avoids a possible counterexample: the last model of the step leads into the cube, from where an error is reached
    /// within the bound.
    fn avoid(
        &mut self,
        cube: Vec<StateLit>,
        round: &mut Round,
        lemmas: &mut Lemmas<'_>,
        counters: &mut Counters,
    ) -> Result<(), Interrupt> {
        let error = self.predecessor(&cube);
        let limit = (lemmas.cost() + LEMMA_EFFORT).min(self.cost() - self.extra + LEMMA_EFFORT);
        let is_excluded = lemmas.exclude(cube, limit)? || lemmas.exclude(error.lits().to_vec(), limit)?;
        self.learn(&lemmas.cubes);
        if is_excluded {
            return Ok(());
        }
        let force = &mut round.force;
        force.is_used = true;
        if force.patience > 0 {
            force.patience -= 1;
            counters.blocked += 1;
            let clause = outside(&error, &self.step.step(0).latches);
            force.clauses.extend(self.step_side.require_while(force.switch, &self.step.aig, &clause));
            force.errors.push(error);
        } else {
            counters.weakened += 1;
            round.bound /= 2;
        }
        Ok(())
    }

    /// The literal of the step that says that it begins in the set.
    pub(super) fn assume(&mut self, set: Bit) -> Lit {
        let set = self.source.copy(&self.states, set, &mut self.step.aig, |_, _| Bit::FALSE);
        self.step_side.lit(&self.step.aig, set)
    }

    /// Constrains all sets by the lemmas that are not known here yet.
    fn learn(&mut self, lemmas: &[Cube]) {
        let latches: Vec<_> =
            self.rest.latches().iter().map(|&bit| self.rest_side.lit(self.rest.aig(), bit)).collect();
        for cube in &lemmas[self.lemma_count..] {
            self.step_side.require(&self.step.aig, &outside(cube, &self.step.step(0).latches));
            self.rest_side.forbid(cube.lits(), &latches);
        }
        let set = set_without(&mut self.states, &lemmas[self.lemma_count..]);
        self.lemma_set = self.states.and(self.lemma_set, set);
        self.lemma_count = lemmas.len();
    }

    /// The states that, under the inputs of the last model, lead into the cube.
    pub(super) fn predecessor(&mut self, cube: &[StateLit]) -> Cube {
        let next = &self.step.step(1).latches;
        let mut roots: Vec<Bit> = cube.iter().map(|lit| next[lit.latch()] ^ !lit.value()).collect();
        roots.push(self.step.step(0).constraint);
        let side = &self.step_side;
        Cube::new(self.step_lifter.lift(&self.step.aig, &roots, |leaf| side.value(leaf.into())))
    }
}

/// The bits one of which holds outside of the cube.
pub(super) fn outside(cube: &Cube, latches: &[Bit]) -> Vec<Bit> {
    cube.lits().iter().map(|lit| latches[lit.latch()] ^ lit.value()).collect()
}
