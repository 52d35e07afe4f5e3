//! Three-valued simulation: which latches never leave their reset value.

use crate::circuit::{Bit, Circuit, Node};

/// The latches that keep their reset value for ever, with that value. Their set is inductive without further help.
///
/// Simulation starts from the reset values with unknown inputs. A latch that would differ from its reset value becomes
/// unknown, and so does what depends on it. Every node becomes unknown at most once, so the cost is linear.
pub fn stuck_latches(circuit: &Circuit) -> Vec<Option<bool>> {
    let mut simulation = Simulation::new(circuit);
    simulation.run(circuit);
    circuit.latches.iter().map(|latch| simulation.values[latch.node.index()]).collect()
}

struct Simulation {
    /// What is known of each node.
    values: Vec<Option<bool>>,
    /// The readers of node `n`, gates and latches (by their leaf), are `readers[start[n]..start[n + 1]]`.
    start: Vec<usize>,
    readers: Vec<Node>,
    /// For every latch its next value, by leaf.
    next: Vec<Option<Bit>>,
}

impl Simulation {
    fn new(circuit: &Circuit) -> Simulation {
        let mut next = vec![None; circuit.aig.len()];
        let mut values = vec![None; circuit.aig.len()];
        values[0] = Some(false);
        for latch in &circuit.latches {
            next[latch.node.index()] = Some(latch.next);
            values[latch.node.index()] = latch.reset;
        }
        let (start, readers) = readers(circuit);
        Simulation { values, start, readers, next }
    }

    fn run(&mut self, circuit: &Circuit) {
        for node in circuit.aig.nodes() {
            if let Some(fanin) = circuit.aig.gate(node) {
                self.values[node.index()] = self.and(fanin);
            }
        }
        let mut open: Vec<Node> = circuit.latches.iter().map(|latch| latch.node).collect();
        while let Some(node) = open.pop() {
            let Some(old) = self.values[node.index()] else { continue };
            let new = match (circuit.aig.gate(node), self.next[node.index()]) {
                (Some(fanin), _) => self.and(fanin),
                (None, Some(next)) => self.value(next),
                (None, None) => continue,
            };
            if new != Some(old) {
                self.values[node.index()] = None;
                open.extend_from_slice(&self.readers[self.start[node.index()]..self.start[node.index() + 1]]);
            }
        }
    }

    fn value(&self, bit: Bit) -> Option<bool> {
        self.values[bit.index()].map(|value| value ^ bit.is_negated())
    }

    fn and(&self, [a, b]: [Bit; 2]) -> Option<bool> {
        match (self.value(a), self.value(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }
}

/// The readers of every node: counted, then placed.
fn readers(circuit: &Circuit) -> (Vec<usize>, Vec<Node>) {
    let gates = circuit.aig.nodes().filter_map(|node| Some((node, circuit.aig.gate(node)?)));
    let edges = gates
        .flat_map(|(gate, fanin)| fanin.map(|bit| (bit.index(), gate)))
        .chain(circuit.latches.iter().map(|latch| (latch.next.index(), latch.node)));
    let edges: Vec<(usize, Node)> = edges.collect();
    let mut start = vec![0; circuit.aig.len() + 1];
    for &(from, _) in &edges {
        start[from + 1] += 1;
    }
    for n in 1..start.len() {
        start[n] += start[n - 1];
    }
    let mut place = start.clone();
    let mut readers = vec![Node::new(0); edges.len()];
    for (from, reader) in edges {
        readers[place[from]] = reader;
        place[from] += 1;
    }
    (start, readers)
}
