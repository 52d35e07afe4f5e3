//! Runs of a circuit, step by step in one graph, where equal logic of different steps is shared and the reset values
//! are propagated.

use bolide_model::circuit::{Aig, Bit, Circuit, Copier, Formula, Trace};

/// How a run begins.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// In an initial state.
    Reset,
    /// In an initial state; the constraints of all steps are taken for granted, and inputs that they fix are constants.
    Constrained,
    /// In any state.
    Anywhere,
}

/// The bits of one step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The latches' values.
    pub latches: Vec<Bit>,
    /// The inputs: leaves, or constants where constraints that are taken for granted fix them.
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
    start: Start,
    /// The logic of all steps.
    pub aig: Aig,
    steps: Vec<Step>,
}

impl<'a> Unrolling<'a> {
    /// The first step.
    pub fn new(circuit: &'a Circuit, start: Start) -> Unrolling<'a> {
        let mut aig = Aig::new();
        let latches = circuit.latches.iter().map(|latch| match (start, latch.reset) {
            (Start::Reset | Start::Constrained, Some(value)) => Bit::constant(value),
            _ => aig.leaf().into(),
        });
        let latches = latches.collect();
        let mut unrolling = Unrolling { circuit, start, aig, steps: Vec::new() };
        unrolling.add(latches);
        unrolling
    }

    /// Adds a step after the last one.
    pub fn extend(&mut self) {
        let latches = self.last().next.clone();
        self.add(latches);
    }

    fn add(&mut self, latches: Vec<Bit>) {
        let mut inputs: Vec<Bit> = self.circuit.inputs.iter().map(|_| Bit::from(self.aig.leaf())).collect();
        if self.start == Start::Constrained {
            self.fix_inputs(&latches, &mut inputs);
        }
        let mut copier = self.copier(&latches, &inputs);
        let mut copy = |bit| copier.copy(&self.circuit.aig, bit, &mut self.aig, |_, _| Bit::FALSE);
        let next = self.circuit.latches.iter().map(|latch| copy(latch.next)).collect();
        let bad = self.circuit.bads.first().map_or(Bit::FALSE, |&bad| copy(bad));
        let constraints: Vec<Bit> = self.circuit.constraints.iter().map(|&bit| copy(bit)).collect();
        let constraint = self.aig.and_all(&constraints);
        self.steps.push(Step { latches, inputs, bad, constraint, next });
    }

    /// A copier into the run for a step with these latches and inputs.
    fn copier(&self, latches: &[Bit], inputs: &[Bit]) -> Copier {
        let mut copier = Copier::new(self.circuit.aig.len());
        for (latch, &bit) in self.circuit.latches.iter().zip(latches) {
            copier.set(latch.node, bit);
        }
        for (&input, &bit) in self.circuit.inputs.iter().zip(inputs) {
            copier.set(input, bit);
        }
        copier
    }

    /// Replaces inputs that the constraints fix by constants, until no more are found.
    fn fix_inputs(&mut self, latches: &[Bit], inputs: &mut [Bit]) {
        loop {
            let mut copier = self.copier(latches, inputs);
            let mut fixed: Vec<Bit> = Vec::new();
            for &constraint in &self.circuit.constraints {
                let bit = copier.copy(&self.circuit.aig, constraint, &mut self.aig, |_, _| Bit::FALSE);
                fixed.extend(self.conjuncts(bit));
            }
            fixed.sort_unstable();
            let mut found = false;
            for input in inputs.iter_mut().filter(|input| !input.is_constant()) {
                let is = |bit| fixed.binary_search(&bit).is_ok();
                if is(*input) || is(!*input) {
                    *input = Bit::constant(is(*input));
                    found = true;
                }
            }
            if !found {
                return;
            }
        }
    }

    /// The leaves, negated or not, whose conjunction with other bits the bit is.
    fn conjuncts(&self, bit: Bit) -> Vec<Bit> {
        let mut leaves = Vec::new();
        let mut open = vec![bit];
        while let Some(bit) = open.pop() {
            match self.aig.gate(bit.node()) {
                None => leaves.push(bit),
                Some(inputs) if !bit.is_negated() => open.extend(inputs),
                Some(_) => {}
            }
        }
        leaves
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_constraints_fix_are_constants() {
        let mut circuit = Circuit::new();
        let [a, b, c]: [Bit; 3] = [(); 3].map(|()| circuit.add_input());
        let first = circuit.add_latch(Some(true));
        circuit.latches[0].next = Bit::FALSE;
        // In the first step: not a, and b only with a. Later anything.
        let (either, both) = (circuit.aig.or(!first, !a), circuit.aig.or(a, !b));
        let second = circuit.aig.or(!first, both);
        circuit.constraints = vec![second, either];
        circuit.bads = vec![circuit.aig.and(b, c)];
        let mut run = Unrolling::new(&circuit, Start::Constrained);
        run.extend();
        assert_eq!(run.step(0).inputs[..2], [Bit::FALSE; 2]);
        assert!(!run.step(0).inputs[2].is_constant());
        assert_eq!((run.step(0).constraint, run.step(0).bad), (Bit::TRUE, Bit::FALSE));
        assert!(run.step(1).inputs.iter().all(|input| !input.is_constant()));
        let free = Unrolling::new(&circuit, Start::Reset);
        assert!(free.step(0).inputs.iter().all(|input| !input.is_constant()));
    }
}
