//! Random circuits, and a search of all their states as an oracle.

use crate::Random;
use bolide_model::circuit::{Bit, Circuit, Lanes};

/// One of some bits, negated or not.
pub fn bit(random: &mut Random, bits: &[Bit]) -> Bit {
    random.pick(bits) ^ random.flip()
}

/// Few latches and inputs, a property, sometimes a constraint.
pub fn small(random: &mut Random) -> Circuit {
    let mut circuit = Circuit::new();
    let mut bits: Vec<Bit> = (0..1 + random.below(2u32)).map(|_| circuit.add_input()).collect();
    for _ in 0..2 + random.below(4u32) {
        let reset = random.pick(&[Some(false), Some(false), Some(true), None]);
        bits.push(circuit.add_latch(reset));
    }
    for _ in 0..4 + random.below(16u32) {
        let (a, b, c) = (bit(random, &bits), bit(random, &bits), bit(random, &bits));
        bits.push(match random.below(4u32) {
            0 => circuit.aig.xor(a, b),
            1 => circuit.aig.ite(a, b, c),
            _ => circuit.aig.and(a, b),
        });
    }
    for latch in &mut circuit.latches {
        latch.next = bit(random, &bits);
    }
    let bad: Vec<Bit> = (0..1 + random.below(3u32)).map(|_| bit(random, &bits)).collect();
    circuit.bads = vec![circuit.aig.and_all(&bad)];
    if random.one_in(3u32) {
        let (a, b) = (bit(random, &bits), bit(random, &bits));
        circuit.constraints = vec![circuit.aig.or(a, b)];
    }
    circuit
}

/// Calls `visit` with the values of every step that admissible steps lead to. It may violate a constraint itself.
pub fn each_reachable_step(circuit: &Circuit, mut visit: impl FnMut(&Lanes)) {
    let starts = |state: &usize| {
        let mut latches = circuit.latches.iter().enumerate();
        latches.all(|(n, latch)| latch.reset.is_none_or(|value| (state >> n & 1 == 1) == value))
    };
    let mut open: Vec<usize> = (0..1 << circuit.latches.len()).filter(starts).collect();
    let mut seen = vec![false; 1 << circuit.latches.len()];
    open.iter().for_each(|&state| seen[state] = true);
    while let Some(state) = open.pop() {
        for inputs in 0..1 << circuit.inputs.len() {
            let lanes = settled(circuit, state, inputs);
            visit(&lanes);
            let latches = circuit.latches.iter().enumerate();
            let next: usize = latches.map(|(n, latch)| usize::from(holds(&lanes, latch.next)) << n).sum();
            if is_admissible(circuit, &lanes) && !std::mem::replace(&mut seen[next], true) {
                open.push(next);
            }
        }
    }
}

/// Can the first property be violated?
pub fn is_unsafe(circuit: &Circuit) -> bool {
    let mut found = false;
    each_reachable_step(circuit, |lanes| {
        found |= is_admissible(circuit, lanes) && holds(lanes, circuit.bads[0]);
    });
    found
}

fn holds(lanes: &Lanes, bit: Bit) -> bool {
    lanes.get(bit) & 1 == 1
}

fn is_admissible(circuit: &Circuit, lanes: &Lanes) -> bool {
    circuit.constraints.iter().all(|&bit| holds(lanes, bit))
}

/// The values of all gates in a state under some inputs.
fn settled(circuit: &Circuit, state: usize, inputs: usize) -> Lanes {
    let mut lanes = Lanes::new(&circuit.aig);
    for (number, latch) in circuit.latches.iter().enumerate() {
        lanes.set(latch.node, (state >> number & 1) as u64);
    }
    for (number, &input) in circuit.inputs.iter().enumerate() {
        lanes.set(input, (inputs >> number & 1) as u64);
    }
    lanes.settle(&circuit.aig);
    lanes
}
