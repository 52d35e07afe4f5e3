//! Correspondences against all reachable steps of small circuits.

use super::{Limits, correspondences};
use bolide_base::Budget;
use bolide_model::circuit::{Bit, Circuit, Lanes};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    fn bit(&mut self, bits: &[Bit]) -> Bit {
        bits[self.below(bits.len())] ^ (self.below(2) == 1)
    }
}

/// A circuit in which several latches have the same next value.
fn random_circuit(random: &mut Random) -> Circuit {
    let mut circuit = Circuit::new();
    let mut bits: Vec<Bit> = (0..2).map(|_| circuit.add_input()).collect();
    for _ in 0..5 {
        let reset = [Some(false), Some(false), Some(true), None][random.below(4)];
        bits.push(circuit.add_latch(reset));
    }
    for _ in 0..15 {
        let (a, b, c) = (random.bit(&bits), random.bit(&bits), random.bit(&bits));
        bits.push(if random.below(2) == 0 { circuit.aig.and(a, b) } else { circuit.aig.ite(a, b, c) });
    }
    let choices: Vec<Bit> = (0..3).map(|_| random.bit(&bits)).collect();
    for latch in &mut circuit.latches {
        latch.next = random.bit(&choices);
    }
    if random.below(2) == 0 {
        let (a, b) = (random.bit(&bits), random.bit(&bits));
        circuit.constraints.push(circuit.aig.or(a, b));
    }
    circuit
}

/// Calls `visit` with the values of every step that is reachable by admissible ones.
fn each_reachable_step(circuit: &Circuit, mut visit: impl FnMut(&Lanes)) {
    let starts = |state: &usize| {
        let mut latches = circuit.latches.iter().enumerate();
        latches.all(|(n, latch)| latch.reset.is_none_or(|value| (state >> n & 1 == 1) == value))
    };
    let mut open: Vec<usize> = (0..1 << circuit.latches.len()).filter(starts).collect();
    let mut seen = vec![false; 1 << circuit.latches.len()];
    open.iter().for_each(|&state| seen[state] = true);
    while let Some(state) = open.pop() {
        for inputs in 0..1 << circuit.inputs.len() {
            let mut lanes = Lanes::new(&circuit.aig);
            for (n, latch) in circuit.latches.iter().enumerate() {
                lanes.set(latch.node, (state >> n & 1) as u64);
            }
            for (n, &input) in circuit.inputs.iter().enumerate() {
                lanes.set(input, inputs >> n & 1);
            }
            lanes.settle(&circuit.aig);
            visit(&lanes);
            if circuit.constraints.iter().any(|&bit| lanes.get(bit) & 1 == 0) {
                continue;
            }
            let next = |(n, latch): (usize, &bolide_model::circuit::Latch)| {
                ((lanes.get(latch.next) & 1) as usize) << n
            };
            let next = circuit.latches.iter().enumerate().map(next).sum::<usize>();
            if !std::mem::replace(&mut seen[next], true) {
                open.push(next);
            }
        }
    }
}

#[test]
fn equalities_hold_in_all_reachable_steps() {
    let mut random = Random(11);
    let mut found = 0;
    for _ in 0..1500 {
        let circuit = random_circuit(&mut random);
        let equalities =
            correspondences(&circuit, Limits::default(), &Budget::unlimited()).unwrap_or_default();
        found += equalities.len();
        each_reachable_step(&circuit, |lanes| {
            for equality in &equalities {
                let (node, is) = (lanes.get(equality.node.into()), lanes.get(equality.is));
                assert_eq!(node & 1, is & 1, "{equality:?}");
                assert!(equality.is.node() < equality.node);
            }
        });
    }
    assert!(found > 3000, "{found}");
}

#[test]
fn copies_of_a_counter_correspond() {
    let mut circuit = Circuit::new();
    let enable = circuit.add_input();
    for _ in 0..2 {
        let bits: Vec<Bit> = (0..12).map(|_| circuit.add_latch(Some(false))).collect();
        let mut carry = enable;
        for (n, &bit) in bits.iter().enumerate() {
            let number = circuit.latches.len() - 12 + n;
            circuit.latches[number].next = circuit.aig.xor(bit, carry);
            carry = circuit.aig.and(bit, carry);
        }
    }
    let equalities = correspondences(&circuit, Limits::default(), &Budget::unlimited()).unwrap_or_default();
    let latches =
        circuit.latches[12..].iter().filter(|latch| equalities.iter().any(|eq| eq.node == latch.node));
    assert_eq!(latches.count(), 12);
}
