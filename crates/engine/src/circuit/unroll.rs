//! Runs of a circuit, step by step in one graph, where equal logic of different steps is shared and the reset values
//! are propagated.

use bolide_model::circuit::{Aig, Bit, Circuit, Copier, Formula, Trace};

/// How a run begins.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// In an initial state.
    Reset,
    /// In any state.
    Anywhere,
}

/// The bits of one step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The latches' values.
    pub latches: Vec<Bit>,
    /// The inputs: leaves.
    pub inputs: Vec<Bit>,
    /// The first property's bad bit.
    pub bad: Bit,
    /// All constraints hold.
    pub constraint: Bit,
    /// The latches' next values.
    next: Vec<Bit>,
}

/// A run of growing length.
#[derive(Clone, Debug)]
pub struct Unrolling<'a> {
    circuit: &'a Circuit,
    /// The logic of all steps.
    pub aig: Aig,
    steps: Vec<Step>,
}

impl<'a> Unrolling<'a> {
    /// The first step.
    pub fn new(circuit: &'a Circuit, start: Start) -> Unrolling<'a> {
        let mut aig = Aig::new();
        let latches = circuit.latches.iter().map(|latch| match (start, latch.reset) {
            (Start::Reset, Some(value)) => Bit::constant(value),
            _ => aig.leaf().into(),
        });
        let latches = latches.collect();
        let mut unrolling = Unrolling { circuit, aig, steps: Vec::new() };
        unrolling.add(latches);
        unrolling
    }

    /// Adds a step after the last one.
    pub fn extend(&mut self) {
        let latches = self.last().next.clone();
        self.add(latches);
    }

    fn add(&mut self, latches: Vec<Bit>) {
        let mut copier = Copier::new(self.circuit.aig.len());
        for (latch, &bit) in self.circuit.latches.iter().zip(&latches) {
            copier.set(latch.node, bit);
        }
        let inputs: Vec<Bit> = self.circuit.inputs.iter().map(|_| Bit::from(self.aig.leaf())).collect();
        for (&input, &bit) in self.circuit.inputs.iter().zip(&inputs) {
            copier.set(input, bit);
        }
        let mut copy = |bit| copier.copy(&self.circuit.aig, bit, &mut self.aig, |_, _| Bit::FALSE);
        let next = self.circuit.latches.iter().map(|latch| copy(latch.next)).collect();
        let bad = self.circuit.bads.first().map_or(Bit::FALSE, |&bad| copy(bad));
        let constraints: Vec<Bit> = self.circuit.constraints.iter().map(|&bit| copy(bit)).collect();
        let constraint = self.aig.and_all(&constraints);
        self.steps.push(Step { latches, inputs, bad, constraint, next });
    }

    /// How many steps there are, at least one.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// A step.
    pub fn step(&self, number: usize) -> &Step {
        &self.steps[number]
    }

    /// The last step.
    pub fn last(&self) -> &Step {
        &self.steps[self.steps.len() - 1]
    }

    /// A formula over latches and inputs, said of a step.
    pub fn holds(&mut self, formula: &Formula, step: usize) -> Bit {
        let step = &self.steps[step];
        formula.instantiate(&mut self.aig, &step.latches, &step.inputs)
    }

    /// The first `len` steps of the run that a model describes. Leaves that it does not know are false.
    pub fn trace(&self, len: usize, value: impl Fn(Bit) -> bool) -> Trace {
        let of = |bit: &Bit| if bit.is_constant() { *bit == Bit::TRUE } else { value(*bit) };
        Trace {
            initial: self.steps[0].latches.iter().map(of).collect(),
            inputs: self.steps[..len].iter().map(|step| step.inputs.iter().map(of).collect()).collect(),
        }
    }
}
