//! Two steps of a circuit, the first of which respects the classes; and the question whether the second does too.

use super::classes::Classes;
use crate::circuit::clausal::{Scope, Side};
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit, Circuit, Lanes, Node};

/// After so many models, or one for so many nodes, the classes are split before anything else is asked.
const LEAST_BATCH: usize = 64;
const NODES_FOR_MODEL: usize = 200;

/// What comes before the step in question.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// Nothing: it is the first.
    Reset,
    /// A step in which all members of a class are equal.
    Equal,
}

/// A node that could not be shown to be equal to the representative of its class.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It is not.
    Differs(Node),
    /// The solver does not know.
    Unclear(Node),
}

/// The two steps in one graph.
pub struct Frames<'a> {
    circuit: &'a Circuit,
    aig: Aig,
    solver: Side,
    /// The leaves of the graph.
    leaves: Vec<Node>,
    /// What is true in the first step: the constraints and the equalities.
    required: Vec<Bit>,
    /// By latch: its value in the step in question.
    state: Vec<Bit>,
    /// By node: what it is in the step in question, as far as that has been built.
    image: Vec<Bit>,
    /// The leaves' values in models that show a difference, 64 at a time.
    counterexamples: Vec<Vec<u64>>,
    count: usize,
}

impl<'a> Frames<'a> {
    pub fn new(circuit: &'a Circuit, classes: &Classes, start: Start) -> Frames<'a> {
        let aig = Aig::new();
        let mut frames = Frames {
            circuit,
            solver: Side::new(&aig, &[]),
            aig,
            leaves: Vec::new(),
            required: Vec::new(),
            state: Vec::new(),
            image: Vec::new(),
            counterexamples: Vec::new(),
            count: 0,
        };
        frames.state = match start {
            Start::Reset => frames.reset_state(),
            Start::Equal => frames.state_after_equality(classes),
        };
        frames
    }

    /// How many nodes the circuit has.
    pub fn node_count(&self) -> usize {
        self.circuit.aig.len()
    }

    fn leaf(&mut self) -> Bit {
        let leaf = self.aig.leaf();
        self.leaves.push(leaf);
        leaf.into()
    }

    fn require(&mut self, bit: Bit) {
        self.required.push(bit);
        self.solver.require(&self.aig, &[bit]);
    }

    fn reset_state(&mut self) -> Vec<Bit> {
        let circuit = self.circuit;
        circuit.latches.iter().map(|latch| latch.reset.map_or_else(|| self.leaf(), Bit::constant)).collect()
    }

    /// Builds a step in which every node is what its class says, and returns the state after it.
    fn state_after_equality(&mut self, classes: &Classes) -> Vec<Bit> {
        let circuit = self.circuit;
        let mut image: Vec<Bit> = Vec::with_capacity(circuit.aig.len());
        let at = |image: &[Bit], bit: Bit| image[bit.index()] ^ bit.is_negated();
        let mut pairs = Vec::new();
        for node in circuit.aig.nodes() {
            let fanin = circuit.aig.gate(node).map(|fanin| fanin.map(|bit| at(&image, bit)));
            let equal = classes.candidate(node).map(|bit| at(&image, bit));
            let bit = match (fanin, equal) {
                _ if node.index() == 0 => Bit::FALSE,
                (Some([a, b]), Some(equal)) => {
                    pairs.push((a, b, equal));
                    equal
                }
                (Some([a, b]), None) => self.aig.and(a, b),
                (None, Some(equal)) => equal,
                (None, None) => self.leaf(),
            };
            image.push(bit);
        }
        for (a, b, equal) in pairs {
            self.equate(a, b, equal);
        }
        for &constraint in &circuit.constraints {
            self.require(at(&image, constraint));
        }
        circuit.latches.iter().map(|latch| at(&image, latch.next)).collect()
    }

    /// Lets the conjunction of two bits be a third. Said without a variable for the conjunction, so that it counts
    /// wherever the three occur.
    fn equate(&mut self, a: Bit, b: Bit, equal: Bit) {
        let gate = self.aig.and(a, b);
        if gate != equal {
            let same = self.aig.iff(gate, equal);
            self.required.push(same);
            for clause in [&[!equal, a] as &[Bit], &[!equal, b], &[equal, !a, !b]] {
                self.solver.add_clause(&self.aig, clause);
            }
        }
    }

    /// Goes through the step in question and returns the nodes that are not, or may not be, what their class says.
    /// When there are many of them the others are left for later, as a model often tells more nodes apart than the two
    /// that it was made for. `None` if that takes more than the queries that are left.
    pub fn check(
        &mut self,
        classes: &Classes,
        queries: &mut u64,
        budget: &Budget,
    ) -> Result<Option<Vec<Failure>>, Interrupt> {
        let circuit = self.circuit;
        let latch_numbers = circuit.latch_numbers();
        let mut failures = Vec::new();
        let batch = LEAST_BATCH.max(circuit.aig.len() / NODES_FOR_MODEL);
        for node in circuit.aig.nodes() {
            let own = match (circuit.aig.gate(node), latch_numbers[node.index()]) {
                _ if node.index() == 0 => Bit::FALSE,
                (Some([a, b]), _) => {
                    let (a, b) = (self.at(a), self.at(b));
                    self.aig.and(a, b)
                }
                (None, Some(latch)) => self.state[latch],
                (None, None) => self.leaf(),
            };
            let bit = match classes.candidate(node).map(|bit| self.at(bit)) {
                Some(equal) if equal != own && self.count < batch => {
                    if *queries == 0 {
                        return Ok(None);
                    }
                    *queries -= 1;
                    match self.differ(own, equal, budget)? {
                        Some(false) => equal,
                        Some(true) => {
                            failures.push(Failure::Differs(node));
                            own
                        }
                        None => {
                            failures.push(Failure::Unclear(node));
                            own
                        }
                    }
                }
                _ => own,
            };
            self.image.push(bit);
        }
        Ok(Some(failures))
    }

    /// What a bit of the circuit is in the step in question.
    fn at(&self, bit: Bit) -> Bit {
        self.image[bit.index()] ^ bit.is_negated()
    }

    /// Can the bits differ? `None` if that is too hard to say.
    fn differ(&mut self, a: Bit, b: Bit, budget: &Budget) -> Result<Option<bool>, Interrupt> {
        for (x, y) in [(a, !b), (!a, b)] {
            if x == Bit::FALSE || y == Bit::FALSE {
                continue;
            }
            // A look at what the bits depend on is cheap and mostly enough; but only a model of everything, in which all
            // equalities of the first step hold, tells other nodes apart as well.
            if self.solver.try_solve(&self.aig, &[x, y], Scope::Cone, budget)? == Some(false) {
                continue;
            }
            match self.solver.try_solve(&self.aig, &[x, y], Scope::Everything, budget)? {
                Some(true) => {
                    self.keep_model();
                    return Ok(Some(true));
                }
                Some(false) => {}
                None => return Ok(None),
            }
        }
        Ok(Some(false))
    }

    /// Keeps the leaves' values of the solver's model.
    fn keep_model(&mut self) {
        let lane = self.count % 64;
        if lane == 0 {
            self.counterexamples.push(Vec::new());
        }
        self.count += 1;
        let Some(values) = self.counterexamples.last_mut() else { return };
        values.resize(self.leaves.len(), 0);
        for (value, &leaf) in values.iter_mut().zip(&self.leaves) {
            *value |= u64::from(self.solver.value(leaf.into())) << lane;
        }
    }

    /// Simulates the models, 64 at a time: what the nodes are, and in which of the runs all that is required holds.
    pub fn each_counterexample(
        &self,
        mut take: impl FnMut(&dyn Fn(Node) -> u64, u64) -> Result<(), Interrupt>,
    ) -> Result<(), Interrupt> {
        for values in &self.counterexamples {
            let mut lanes = Lanes::new(&self.aig);
            for (&leaf, &value) in self.leaves.iter().zip(values) {
                lanes.set(leaf, value);
            }
            lanes.settle(&self.aig);
            let alive = self.required.iter().fold(!0, |alive, &bit| alive & lanes.get(bit));
            take(&|node| lanes.get(self.image[node.index()]), alive)?;
        }
        Ok(())
    }
}
