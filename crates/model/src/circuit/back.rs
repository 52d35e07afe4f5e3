//! The way back from a reduced circuit, for traces and invariants.

use super::{Bit, Circuit, Formula, Node, Trace};

/// A fact about a circuit: in every reachable step the node has the value of the bit, whose node is a smaller one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Equality {
    /// The node: a gate, or a latch that has a reset value.
    pub node: Node,
    /// What it equals.
    pub is: Bit,
}

/// The way back from a reduced circuit to the one it was made from.
#[derive(Clone, Debug)]
pub struct BackMap {
    /// The old number of every input.
    pub(super) inputs: Vec<usize>,
    /// The old number of every latch.
    pub(super) latches: Vec<usize>,
    /// The facts that were used. Together they are inductive in the old circuit.
    pub(super) equalities: Vec<Equality>,
}

impl BackMap {
    /// The run of the old circuit that a run of the new one stands for. What the new circuit does not know is false,
    /// or the reset value.
    pub fn trace(&self, old: &Circuit, trace: &Trace) -> Trace {
        let mut initial: Vec<bool> = old.latches.iter().map(|latch| latch.reset.unwrap_or(false)).collect();
        for (&number, &value) in self.latches.iter().zip(&trace.initial) {
            initial[number] = value;
        }
        let step = |values: &Vec<bool>| {
            let mut inputs = vec![false; old.inputs.len()];
            for (&number, &value) in self.inputs.iter().zip(values) {
                inputs[number] = value;
            }
            inputs
        };
        Trace { initial, inputs: trace.inputs.iter().map(step).collect() }
    }

    /// The invariant of the old circuit that one of the new circuit stands for, together with the facts used on the way.
    pub fn invariant(&self, old: &Circuit, invariant: &Formula) -> Formula {
        let mut result = Formula::over(old);
        let latches: Vec<Bit> = self.latches.iter().map(|&number| result.latch(number)).collect();
        let inputs: Vec<Bit> = self.inputs.iter().map(|&number| result.input(number)).collect();
        let mut parts = vec![invariant.instantiate(&mut result.aig, &latches, &inputs)];
        let mut importer = result.importer(old);
        for equality in &self.equalities {
            let node = result.import(&old.aig, &mut importer, equality.node.into());
            let is = result.import(&old.aig, &mut importer, equality.is);
            parts.push(result.aig.iff(node, is));
        }
        result.root = result.aig.and_all(&parts);
        result
    }
}
