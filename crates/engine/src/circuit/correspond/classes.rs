//! A partition of nodes that may be equal, up to negation.

use bolide_model::circuit::{Bit, Circuit, Lanes, Node};
use rustc_hash::FxHashMap;

const NONE: u32 = u32::MAX;
/// Simulation: how many steps a run has, and how many times 64 runs there are.
const STEPS: usize = 48;
const BATCHES: usize = 4;

/// Classes of nodes. Each has at least two members, in ascending order: the first represents the others.
pub struct Classes {
    /// By node: its class.
    class: Vec<u32>,
    /// By node: whether it is the negation of what its class stands for.
    phase: Vec<bool>,
    members: Vec<Vec<Node>>,
}

impl Classes {
    /// The nodes that simulation from the initial states cannot tell apart. Inputs and latches that start anywhere
    /// are in no class.
    pub fn simulate(circuit: &Circuit) -> Classes {
        let signatures = Signatures::of(circuit);
        let mut takes_part = vec![true; circuit.aig.len()];
        let free = circuit.latches.iter().filter(|latch| latch.reset.is_none()).map(|latch| latch.node);
        for leaf in circuit.inputs.iter().copied().chain(free) {
            takes_part[leaf.index()] = false;
        }
        let mut classes =
            Classes { class: vec![NONE; circuit.aig.len()], phase: signatures.phase, members: Vec::new() };
        let mut known: FxHashMap<u64, Vec<Node>> = FxHashMap::default();
        let mut order = Vec::new();
        for node in circuit.aig.nodes().filter(|node| takes_part[node.index()]) {
            let signature = signatures.values[node.index()];
            let members = known.entry(signature).or_default();
            if members.is_empty() {
                order.push(signature);
            }
            members.push(node);
        }
        for signature in order {
            classes.add(known.remove(&signature).unwrap_or_default());
        }
        classes
    }

    /// Adds a class, if it has two members.
    fn add(&mut self, members: Vec<Node>) {
        let class = if members.len() > 1 { self.members.len() as u32 } else { NONE };
        for node in &members {
            self.class[node.index()] = class;
        }
        if class != NONE {
            self.members.push(members);
        }
    }

    /// What the node may equal: the representative of its class, if that is another node.
    pub fn candidate(&self, node: Node) -> Option<Bit> {
        let members = self.members.get(self.class[node.index()] as usize)?;
        let first = members[0];
        (first != node).then(|| Bit::new(first, self.phase[node.index()] ^ self.phase[first.index()]))
    }

    /// How many nodes may equal another one.
    pub fn count(&self) -> usize {
        self.members.iter().map(|members| members.len().saturating_sub(1)).sum()
    }

    /// Takes nodes out of their classes for good.
    pub fn drop_nodes(&mut self, is_dropped: impl Fn(Node) -> bool) {
        let Classes { class, members, .. } = self;
        for members in members {
            members.retain(|&node| {
                let stays = !is_dropped(node);
                if !stays {
                    class[node.index()] = NONE;
                }
                stays
            });
        }
    }

    /// Splits every class by the value of a key, which must not depend on the order of calls.
    pub fn split<K: std::hash::Hash + Eq + Copy>(&mut self, key: impl Fn(Node, bool) -> K) {
        let old = std::mem::take(&mut self.members);
        for members in old {
            let mut parts: Vec<(K, Vec<Node>)> = Vec::new();
            let mut place: FxHashMap<K, usize> = FxHashMap::default();
            for node in members {
                let key = key(node, self.phase[node.index()]);
                let at = *place.entry(key).or_insert(parts.len());
                match parts.get_mut(at) {
                    Some((_, part)) => part.push(node),
                    None => parts.push((key, vec![node])),
                }
            }
            for (_, part) in parts {
                self.add(part);
            }
        }
    }
}

/// What simulation says of every node: its values in all runs, up to negation, as a hash.
struct Signatures {
    values: Vec<u64>,
    phase: Vec<bool>,
}

impl Signatures {
    fn of(circuit: &Circuit) -> Signatures {
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = move || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let mut lanes = Lanes::new(&circuit.aig);
        let mut signatures =
            Signatures { values: vec![0; circuit.aig.len()], phase: vec![false; circuit.aig.len()] };
        for batch in 0..BATCHES {
            for latch in &circuit.latches {
                lanes.set(latch.node, latch.reset.map_or_else(&mut next, |value| if value { !0 } else { 0 }));
            }
            // The runs that were admissible up to the step before.
            let mut alive = !0u64;
            for step in 0..STEPS {
                if step > 0 {
                    lanes.clock(circuit);
                }
                for &input in &circuit.inputs {
                    lanes.set(input, next());
                }
                lanes.settle(&circuit.aig);
                if (batch, step) == (0, 0) {
                    signatures.take_phase(circuit, &lanes);
                }
                signatures.add(circuit, &lanes, alive);
                alive = circuit.constraints.iter().fold(alive, |alive, &bit| alive & lanes.get(bit));
                if alive == 0 {
                    break;
                }
            }
        }
        signatures
    }

    /// The value in one run decides which of a node and its negation is meant.
    fn take_phase(&mut self, circuit: &Circuit, lanes: &Lanes) {
        for node in circuit.aig.nodes() {
            self.phase[node.index()] = lanes.get(node.into()) & 1 == 1;
        }
    }

    fn add(&mut self, circuit: &Circuit, lanes: &Lanes, alive: u64) {
        for node in circuit.aig.nodes() {
            let at = node.index();
            let value = lanes.get(Bit::new(node, self.phase[at])) & alive;
            self.values[at] = (self.values[at].rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }
}
