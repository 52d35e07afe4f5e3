//! Writing circuits.

use bolide_model::circuit::{Aig, Bit, Circuit, Formula, Node};
use std::fmt::Write;

/// The variables of an ASCII file: leaves first, then the gates of a cone in order of their nodes.
struct Variables {
    of: Vec<u32>,
    count: u32,
    gates: Vec<Node>,
}

impl Variables {
    /// Numbers the leaves in the given order, then the gates that the roots depend on.
    fn new(aig: &Aig, leaves: impl Iterator<Item = Node>, roots: impl Iterator<Item = Bit>) -> Variables {
        let mut variables = Variables { of: vec![0; aig.len()], count: 0, gates: Vec::new() };
        leaves.for_each(|leaf| variables.number(leaf));
        let cone = aig.cone(roots);
        for node in aig.nodes().filter(|node| cone[node.index()]) {
            if aig.gate(node).is_some() {
                variables.number(node);
                variables.gates.push(node);
            }
        }
        variables
    }

    fn number(&mut self, node: Node) {
        self.count += 1;
        self.of[node.index()] = self.count;
    }

    fn literal(&self, bit: Bit) -> u32 {
        2 * self.of[bit.index()] + u32::from(bit.is_negated())
    }

    /// The lines that define the gates.
    fn write_gates(&self, aig: &Aig, text: &mut String) {
        for &gate in &self.gates {
            if let Some(fanin) = aig.gate(gate) {
                let [a, b] = fanin.map(|bit| self.literal(bit));
                let _ = writeln!(text, "{} {} {}", self.literal(gate.into()), a.max(b), a.min(b));
            }
        }
    }
}

/// The invariant as a combinational circuit in ASCII: its inputs are the latches and then the inputs of the circuit it
/// is an invariant of, its output says where it holds.
pub fn write_invariant(invariant: &Formula) -> String {
    let (latches, inputs) = (invariant.latch_count(), invariant.input_count());
    let leaves = (0..latches).map(|n| invariant.latch(n)).chain((0..inputs).map(|n| invariant.input(n)));
    let aig = &invariant.aig;
    let variables = Variables::new(aig, leaves.map(Bit::node), [invariant.root].into_iter());
    let leaves = latches + inputs;
    let mut text = format!("aag {} {leaves} 0 1 {}\n", variables.count, variables.gates.len());
    for leaf in 1..=leaves {
        let _ = writeln!(text, "{}", 2 * leaf);
    }
    let _ = writeln!(text, "{}", variables.literal(invariant.root));
    variables.write_gates(aig, &mut text);
    text
}

/// The circuit in ASCII, with bad states and constraints as such.
pub fn write_circuit(circuit: &Circuit) -> String {
    let Circuit { aig, inputs, latches, bads, constraints, .. } = circuit;
    let leaves = inputs.iter().copied().chain(latches.iter().map(|latch| latch.node));
    let variables = Variables::new(aig, leaves, circuit.roots());
    let mut text =
        format!("aag {} {} {} 0 {}", variables.count, inputs.len(), latches.len(), variables.gates.len());
    let _ = writeln!(text, " {} {}", bads.len(), constraints.len());
    for &input in inputs {
        let _ = writeln!(text, "{}", variables.literal(input.into()));
    }
    for latch in latches {
        let this = variables.literal(latch.node.into());
        let reset = latch.reset.map_or(this, u32::from);
        let _ = writeln!(text, "{this} {} {reset}", variables.literal(latch.next));
    }
    for &bit in bads.iter().chain(constraints) {
        let _ = writeln!(text, "{}", variables.literal(bit));
    }
    variables.write_gates(aig, &mut text);
    text
}
