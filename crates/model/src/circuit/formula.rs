//! Predicates over the latches and inputs of a circuit.

use super::{Aig, Bit, Circuit, Copier, Node};

/// A predicate over numbered latches and inputs, in a graph of its own.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The logic. Its first leaves are the latches, then the inputs.
    pub aig: Aig,
    /// Where it is true.
    pub root: Bit,
    latches: usize,
    inputs: usize,
}

impl Formula {
    /// The formula that is always true, for a circuit with so many latches and inputs.
    pub fn new(latches: usize, inputs: usize) -> Formula {
        let mut aig = Aig::new();
        for _ in 0..latches + inputs {
            aig.leaf();
        }
        Formula { aig, root: Bit::TRUE, latches, inputs }
    }

    /// The formula that is true for every state and input of the circuit.
    pub fn over(circuit: &Circuit) -> Formula {
        Formula::new(circuit.latches.len(), circuit.inputs.len())
    }

    /// The formula of a bit in a graph that extends that of the circuit.
    pub fn of_bit(circuit: &Circuit, aig: &Aig, bit: Bit) -> Formula {
        let mut formula = Formula::over(circuit);
        let mut importer = formula.importer(circuit);
        formula.root = formula.import(aig, &mut importer, bit);
        formula
    }

    /// Copies bits from the circuit's graph, or from one that extends it, with [`Formula::import`].
    pub fn importer(&self, circuit: &Circuit) -> Copier {
        let mut copier = Copier::new(circuit.aig.len());
        for (number, latch) in circuit.latches.iter().enumerate() {
            copier.set(latch.node, self.latch(number));
        }
        for (number, &input) in circuit.inputs.iter().enumerate() {
            copier.set(input, self.input(number));
        }
        copier
    }

    /// Copies a bit from a graph that extends that of the importer's circuit and has no other leaves.
    pub fn import(&mut self, aig: &Aig, importer: &mut Copier, bit: Bit) -> Bit {
        importer.copy(aig, bit, &mut self.aig, |_, _| Bit::FALSE)
    }

    /// The leaf of a latch.
    pub fn latch(&self, number: usize) -> Bit {
        debug_assert!(number < self.latches);
        Node::new(1 + number).into()
    }

    /// The leaf of an input.
    pub fn input(&self, number: usize) -> Bit {
        debug_assert!(number < self.inputs);
        Node::new(1 + self.latches + number).into()
    }

    /// How many latches it can speak of.
    pub fn latch_count(&self) -> usize {
        self.latches
    }

    /// How many inputs it can speak of.
    pub fn input_count(&self) -> usize {
        self.inputs
    }

    /// Strengthens the formula by a bit of its graph.
    pub fn assume(&mut self, bit: Bit) {
        self.root = self.aig.and(self.root, bit);
    }

    /// Copies the formula into a graph, where latch `n` is `latches[n]` and input `n` is `inputs[n]`.
    pub fn instantiate(&self, to: &mut Aig, latches: &[Bit], inputs: &[Bit]) -> Bit {
        self.instantiator(latches, inputs).copy(&self.aig, self.root, to, |_, _| Bit::FALSE)
    }

    /// Copies bits of the formula's graph in the same way.
    pub fn instantiate_all(&self, bits: &[Bit], to: &mut Aig, latches: &[Bit], inputs: &[Bit]) -> Vec<Bit> {
        let mut copier = self.instantiator(latches, inputs);
        bits.iter().map(|&bit| copier.copy(&self.aig, bit, to, |_, _| Bit::FALSE)).collect()
    }

    fn instantiator(&self, latches: &[Bit], inputs: &[Bit]) -> Copier {
        let mut copier = Copier::new(self.aig.len());
        for (number, &bit) in latches.iter().enumerate() {
            copier.set(self.latch(number).node(), bit);
        }
        for (number, &bit) in inputs.iter().enumerate() {
            copier.set(self.input(number).node(), bit);
        }
        copier
    }
}
