//! Circuits: a transition system whose states are the values of latches.

use super::{Aig, Bit, Node};

/// One bit of state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Latch {
    /// The leaf that stands for its current value.
    pub node: Node,
    /// Its value in the next step.
    pub next: Bit,
    /// Its value in the first step; `None` if any will do.
    pub reset: Option<bool>,
}

/// A sequential circuit with properties.
///
/// A run is a sequence of states, each with a valuation of the inputs under which all constraints hold. The circuit is
/// unsafe in a property if a run ends in a step in which its bad bit is true.
///
/// Every leaf of the graph is an input or a latch, and is so once.
#[derive(Clone, Debug, Default)]
pub struct Circuit {
    /// The logic.
    pub aig: Aig,
    /// The inputs' leaves.
    pub inputs: Vec<Node>,
    /// The latches.
    pub latches: Vec<Latch>,
    /// What must never be true, property by property.
    pub bads: Vec<Bit>,
    /// What is always true.
    pub constraints: Vec<Bit>,
    /// If this is not empty, the circuit only over-approximates what it stands for: it is safe only if that is, and a
    /// run of it is a run of that if all of these bits are true in every step.
    pub exact: Vec<Bit>,
}

impl Circuit {
    /// A circuit without anything.
    pub fn new() -> Circuit {
        Circuit::default()
    }

    /// Adds an input.
    pub fn add_input(&mut self) -> Bit {
        let node = self.aig.leaf();
        self.inputs.push(node);
        node.into()
    }

    /// Adds a latch that keeps its value until its `next` is set.
    pub fn add_latch(&mut self, reset: Option<bool>) -> Bit {
        let node = self.aig.leaf();
        self.latches.push(Latch { node, next: node.into(), reset });
        node.into()
    }

    /// All roots of the logic.
    pub fn roots(&self) -> impl Iterator<Item = Bit> + '_ {
        let next = self.latches.iter().map(|latch| latch.next);
        next.chain(self.bads.iter().copied()).chain(self.constraints.iter().copied())
    }

    /// The same circuit with one property only. Constraints and bad bits that are constant stay as they are.
    pub fn with_property(&self, property: usize) -> Circuit {
        Circuit { bads: self.bads.get(property).copied().into_iter().collect(), ..self.clone() }
    }

    /// The same circuit without runs that need not be runs of what it stands for.
    pub fn with_exact_runs_only(&self) -> Circuit {
        let mut circuit = self.clone();
        circuit.constraints.append(&mut circuit.exact);
        circuit
    }

    /// For every node that is a latch, its number.
    pub fn latch_numbers(&self) -> Vec<Option<usize>> {
        let mut number = vec![None; self.aig.len()];
        for (n, latch) in self.latches.iter().enumerate() {
            number[latch.node.index()] = Some(n);
        }
        number
    }
}
