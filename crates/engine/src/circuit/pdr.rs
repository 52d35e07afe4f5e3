//! Property directed reachability, IC3 (Bradley, "SAT-Based Model Checking without Unrolling", VMCAI 2011; Een,
//! Mishchenko and Brayton, "Efficient Implementation of Property Directed Reachability", FMCAD 2011).
//!
//! Frame `i` over-approximates what is reachable in `i` steps, by lemmas: cubes that are not reachable. A bad state in
//! the top frame becomes an obligation: show that it is not reachable, by showing the same of its predecessors. When two
//! neighbouring frames agree, they are an inductive invariant.
//!
//! | module | what is there |
//! |---|---|
//! | `frames` | the lemmas |
//! | `generalise` | from an unreachable cube to a larger one |
//! | `predict` | the larger cube guessed from a lemma that could not be pushed |

mod frames;
mod generalise;
mod predict;

use super::cube::{Cube, StateLit, meets_reset};
use super::lift::Lifter;
use super::query::Queries;
use super::{Outcome, Proof};
use bolide_base::{Budget, Gauge, Interrupt, Stats};
use bolide_model::circuit::{Bit, Circuit, Formula, Trace};
use bolide_sat::search::Answer;
use frames::{Frames, Lemma, Obstacle};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How the engine works.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// How many counterexamples to generalisation are blocked for one literal.
    pub counterexamples: usize,
    /// How many predictions are tried for the lemma that blocks a counterexample to generalisation. None by default: on
    /// average the engine asked no fewer queries with them.
    pub predictions: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config { counterexamples: 3, predictions: 0 }
    }
}

/// Proves or refutes the first property of the circuit.
pub fn run(circuit: &Circuit, config: Config, budget: &Budget, stats: &mut Stats) -> Outcome {
    let Some(&bad) = circuit.bads.first() else { return Outcome::Unknown("there is no property".into()) };
    let mut pdr = Pdr::new(circuit, bad, config, budget);
    let result = pdr.prove();
    pdr.report(stats);
    match result {
        Ok(outcome) => outcome,
        Err(interrupt) => Outcome::unknown(interrupt),
    }
}

/// A cube from which a bad state can be reached.
struct Obligation {
    cube: Cube,
    /// Inputs that lead from every state of the cube into that of `next`, or into a bad state if there is none.
    inputs: Box<[bool]>,
    next: Option<usize>,
    depth: u32,
}

/// An obligation to show that a cube is not reachable within so many steps, lowest first.
type Pending = Reverse<(usize, u32, usize)>;

struct Pdr<'a> {
    circuit: &'a Circuit,
    bad: Bit,
    config: Config,
    queries: Queries<'a>,
    frames: Frames,
    lifter: Lifter,
    obligations: Vec<Obligation>,
    pending: BinaryHeap<Pending>,
    /// By latch: how often it was in a lemma lately.
    activity: Vec<f64>,
    bump: f64,
    counters: Counters,
}

#[derive(Default)]
struct Counters {
    obligations: u64,
    lemmas: u64,
    blocked_counterexamples: u64,
    predictions: u64,
    predicted: u64,
}

impl<'a> Pdr<'a> {
    fn new(circuit: &'a Circuit, bad: Bit, config: Config, budget: &'a Budget) -> Pdr<'a> {
        let mut pdr = Pdr {
            circuit,
            bad,
            config,
            queries: Queries::new(circuit, budget),
            frames: Frames::default(),
            lifter: Lifter::new(circuit.latch_numbers()),
            obligations: Vec::new(),
            pending: BinaryHeap::new(),
            activity: vec![0.0; circuit.latches.len()],
            bump: 1.0,
            counters: Counters::default(),
        };
        pdr.add_frame();
        pdr
    }

    fn add_frame(&mut self) {
        self.queries.add_frame();
        self.frames.add_frame();
    }

    fn report(&self, stats: &mut Stats) {
        stats.count("pdr frames", self.frames.top() as u64);
        stats.count("pdr lemmas", self.frames.count() as u64);
        stats.count("pdr lemmas made", self.counters.lemmas);
        stats.count("pdr obligations", self.counters.obligations);
        stats.count("pdr counterexamples to generalisation", self.counters.blocked_counterexamples);
        stats.count("pdr predictions of lemmas", self.counters.predictions);
        stats.count("pdr predicted lemmas", self.counters.predicted);
        stats.count("pdr queries", self.queries.search.queries);
        stats.count("pdr conflicts", self.queries.search.conflicts);
    }

    fn prove(&mut self) -> Result<Outcome, Interrupt> {
        if self.queries.reaches_root(0, self.bad)? == Answer::Sat {
            let cube = self.predecessor(&[self.bad]);
            let last = self.add_obligation(cube, None);
            return Ok(Outcome::Unsafe(self.trace(last)));
        }
        loop {
            self.add_frame();
            let top = self.frames.top();
            let budget = self.queries.budget();
            budget.note(Gauge::Depth, top as u64);
            budget.note(Gauge::Vertices, self.counters.obligations);
            budget.note(Gauge::Refinements, self.counters.lemmas);
            while self.queries.reaches_root(top, self.bad)? == Answer::Sat {
                let cube = self.predecessor(&[self.bad]);
                let obligation = self.add_obligation(cube, None);
                if let Some(reached) = self.block(obligation, top)? {
                    return Ok(Outcome::Unsafe(self.trace(reached)));
                }
            }
            if let Some(fixed) = self.propagate()? {
                return Ok(Outcome::Safe(Proof::inductive(self.invariant(fixed))));
            }
        }
    }

    /// The states that, under the inputs of the last model, make the roots and the constraints true.
    fn predecessor(&mut self, roots: &[Bit]) -> Vec<StateLit> {
        let mut roots = roots.to_vec();
        roots.extend(&self.circuit.constraints);
        let queries = &self.queries;
        self.lifter.lift(&self.circuit.aig, &roots, |leaf| queries.leaf(leaf))
    }

    /// The predecessors of a cube, after a query that found one.
    fn predecessor_of(&mut self, cube: &[StateLit]) -> Vec<StateLit> {
        let roots: Vec<Bit> = cube.iter().map(|&lit| self.queries.next(lit)).collect();
        self.predecessor(&roots)
    }

    /// Records that the inputs of the last model lead from the cube into that of `next`.
    fn add_obligation(&mut self, cube: Vec<StateLit>, next: Option<usize>) -> usize {
        let inputs = self.circuit.inputs.iter().map(|&input| self.queries.leaf(input)).collect();
        let depth = next.map_or(0, |next| self.obligations[next].depth + 1);
        self.obligations.push(Obligation { cube: Cube::new(cube), inputs, next, depth });
        self.counters.obligations += 1;
        self.obligations.len() - 1
    }

    /// Shows that the obligation is not reachable within `frame` steps; or returns one that contains an initial state.
    fn block(&mut self, obligation: usize, frame: usize) -> Result<Option<usize>, Interrupt> {
        self.pending.clear();
        self.postpone(obligation, frame);
        while let Some(Reverse((frame, _, number))) = self.pending.pop() {
            let cube = self.obligations[number].cube.clone();
            if meets_reset(cube.lits(), self.circuit) {
                return Ok(Some(number));
            }
            if self.frames.excludes(&cube, frame) {
                self.postpone(number, frame + 1);
                continue;
            }
            if self.queries.reaches(frame - 1, cube.lits(), true)? == Answer::Sat {
                let predecessor = self.predecessor_of(cube.lits());
                let predecessor = self.add_obligation(predecessor, Some(number));
                if meets_reset(self.obligations[predecessor].cube.lits(), self.circuit) {
                    return Ok(Some(predecessor));
                }
                self.postpone(predecessor, frame - 1);
                self.postpone(number, frame);
            } else {
                let core = self.core(cube.lits());
                let reached = self.learn(core, frame, 1)?;
                self.postpone(number, reached + 1);
            }
        }
        Ok(None)
    }

    fn postpone(&mut self, obligation: usize, frame: usize) {
        if frame <= self.frames.top() {
            self.pending.push(Reverse((frame, self.obligations[obligation].depth, obligation)));
        }
    }

    /// The part of the cube that the last query was refuted with, without initial states.
    fn core(&self, cube: &[StateLit]) -> Vec<StateLit> {
        let mut core = self.queries.core(cube);
        if meets_reset(&core, self.circuit) {
            core.extend(cube.iter().find(|lit| lit.excludes_reset(&self.circuit.latches)));
        }
        core
    }

    /// Pushes lemmas to higher frames. Returns a frame that equals the next one, if there is one.
    fn propagate(&mut self) -> Result<Option<usize>, Interrupt> {
        for frame in 1..self.frames.top() {
            let mut lemmas = self.frames.take(frame);
            lemmas.sort_by_key(|lemma| lemma.cube.lits().len());
            for mut lemma in lemmas {
                if self.frames.excludes(&lemma.cube, frame + 1) {
                    self.queries.remove_lemma(lemma.handle);
                } else if self.queries.reaches(frame, lemma.cube.lits(), false)? == Answer::Unsat {
                    let core = self.core(lemma.cube.lits());
                    self.add_lemma(Cube::new(core), frame + 1, None);
                    self.queries.remove_lemma(lemma.handle);
                } else {
                    lemma.obstacle = self.obstacle();
                    self.frames.put_back(lemma, frame);
                }
            }
            if self.frames.of(frame).is_empty() {
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }

    fn add_lemma(&mut self, cube: Cube, frame: usize, obstacle: Option<Obstacle>) {
        let handle = self.queries.add_lemma(&cube, frame);
        for gone in self.frames.add(Lemma { cube, handle, obstacle }, frame) {
            self.queries.remove_lemma(gone);
        }
        self.counters.lemmas += 1;
    }

    fn invariant(&self, frame: usize) -> Formula {
        let mut formula = Formula::over(self.circuit);
        let mut clauses = Vec::new();
        for lemma in self.frames.from(frame) {
            let lits = lemma.cube.lits().iter().map(|lit| formula.latch(lit.latch()) ^ lit.value());
            let clause: Vec<Bit> = lits.collect();
            clauses.push(formula.aig.or_all(&clause));
        }
        formula.root = formula.aig.and_all(&clauses);
        formula
    }

    /// The run from an initial state of the obligation.
    fn trace(&self, obligation: usize) -> Trace {
        let mut initial: Vec<bool> =
            self.circuit.latches.iter().map(|latch| latch.reset.unwrap_or(false)).collect();
        for lit in self.obligations[obligation].cube.lits() {
            initial[lit.latch()] = lit.value();
        }
        let mut inputs = Vec::new();
        let mut at = Some(obligation);
        while let Some(number) = at {
            inputs.push(self.obligations[number].inputs.to_vec());
            at = self.obligations[number].next;
        }
        Trace { initial, inputs }
    }
}
