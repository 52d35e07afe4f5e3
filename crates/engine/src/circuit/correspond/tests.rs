//! Correspondences against all reachable steps of small circuits.

use super::{Limits, correspondences};
use bolide_base::Budget;
use bolide_model::circuit::{Bit, Circuit};
use bolide_testkit::circuit::{bit, each_reachable_step};
use bolide_testkit::{Random, rounds};

/// A circuit in which several latches have the same next value.
fn random_circuit(random: &mut Random) -> Circuit {
    let mut circuit = Circuit::new();
    let mut bits: Vec<Bit> = (0..2).map(|_| circuit.add_input()).collect();
    for _ in 0..5 {
        let reset = [Some(false), Some(false), Some(true), None][random.below(4)];
        bits.push(circuit.add_latch(reset));
    }
    for _ in 0..15 {
        let (a, b, c) = (bit(random, &bits), bit(random, &bits), bit(random, &bits));
        bits.push(if random.below(2) == 0 { circuit.aig.and(a, b) } else { circuit.aig.ite(a, b, c) });
    }
    let choices: Vec<Bit> = (0..3).map(|_| bit(random, &bits)).collect();
    for latch in &mut circuit.latches {
        latch.next = bit(random, &choices);
    }
    if random.below(2) == 0 {
        let (a, b) = (bit(random, &bits), bit(random, &bits));
        circuit.constraints.push(circuit.aig.or(a, b));
    }
    circuit
}

#[test]
fn equalities_hold_in_all_reachable_steps() {
    let mut random = Random::new(11);
    let mut found = 0;
    for _ in 0..rounds(1500) {
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
    assert!(found > rounds(3000), "{found}");
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
