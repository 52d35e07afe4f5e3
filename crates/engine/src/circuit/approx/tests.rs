//! The parts of the engine, each by itself, against an explicit search of the state space.

use super::forward::{Forward, Progress};
use super::layers::Precise;
use super::lemmas::{Lemmas, without_errors};
use super::{Config, Counters};
use crate::circuit::cube::StateLit;
use crate::circuit::{Outcome, Proof, check_proof};
use bolide_base::Budget;
use bolide_model::circuit::{Bit, Circuit, Lanes};
use bolide_testkit::Random;
use bolide_testkit::circuit::bit;

/// Six latches, two inputs, a property that few states violate.
fn circuit(random: &mut Random) -> Circuit {
    let mut circuit = Circuit::new();
    let mut bits: Vec<Bit> = (0..2).map(|_| circuit.add_input()).collect();
    for _ in 0..6 {
        let reset = [Some(false), Some(true), None][random.below(3)];
        bits.push(circuit.add_latch(reset));
    }
    let latches = bits[2..].to_vec();
    for _ in 0..12 {
        let (a, b, c) = (bit(random, &bits), bit(random, &bits), bit(random, &bits));
        bits.push(if random.below(2) == 0 { circuit.aig.ite(a, b, c) } else { circuit.aig.and(a, b) });
    }
    for latch in 0..circuit.latches.len() {
        circuit.latches[latch].next = bit(random, &bits);
    }
    let bad: Vec<Bit> = (0..4).map(|_| bit(random, &latches)).collect();
    circuit.bads = vec![circuit.aig.and_all(&bad)];
    circuit
}

/// The states that are reached, up to the first bad ones; and whether there are bad ones.
fn reachable(circuit: &Circuit) -> (Vec<bool>, bool) {
    let count = 1 << circuit.latches.len();
    let is_initial = |state: usize| {
        let mut latches = circuit.latches.iter().enumerate();
        latches.all(|(n, latch)| latch.reset.is_none_or(|value| (state >> n & 1 == 1) == value))
    };
    let mut seen: Vec<bool> = (0..count).map(is_initial).collect();
    let mut open: Vec<usize> = (0..count).filter(|&state| seen[state]).collect();
    let mut is_unsafe = false;
    while let Some(state) = open.pop() {
        let mut lanes = Lanes::new(&circuit.aig);
        for (n, latch) in circuit.latches.iter().enumerate() {
            lanes.set(latch.node, if state >> n & 1 == 1 { !0 } else { 0 });
        }
        lanes.set(circuit.inputs[0], 0b0101);
        lanes.set(circuit.inputs[1], 0b0011);
        lanes.settle(&circuit.aig);
        for lane in 0..4 {
            let holds = |bit: Bit| lanes.get(bit) >> lane & 1 == 1;
            is_unsafe |= holds(circuit.bads[0]);
            let latches = circuit.latches.iter().enumerate();
            let next: usize = latches.map(|(n, latch)| usize::from(holds(latch.next)) << n).sum();
            if !std::mem::replace(&mut seen[next], true) {
                open.push(next);
            }
        }
    }
    (seen, is_unsafe)
}

fn check(circuit: &Circuit, outcome: &Outcome, is_unsafe: bool) {
    match outcome {
        Outcome::Safe(proof) => {
            assert!(!is_unsafe);
            assert!(check_proof(circuit, proof.clone(), &Budget::unlimited()).is_ok());
        }
        Outcome::Unsafe(trace) => assert_eq!(circuit.replay(trace, 0), Ok(())),
        Outcome::Unknown(reason) => panic!("{reason}"),
    }
}

/// The engines begin where the first two steps are known to be free of errors.
fn is_bad_at_once(circuit: &Circuit, budget: &Budget) -> bool {
    let error = super::Bmc::new(circuit).reach(2, budget);
    matches!(error, Ok(Some(_)))
}

#[test]
fn precise_images_decide() {
    let (mut random, budget) = (Random::new(11), Budget::unlimited());
    let (mut safe, mut deep) = (0, 0);
    for _ in 0..800 {
        let circuit = circuit(&mut random);
        let (_, is_unsafe) = reachable(&circuit);
        if is_bad_at_once(&circuit, &budget) {
            continue;
        }
        let mut precise = Precise::new(&circuit);
        let mut limit = 0;
        // Interrupted again and again, it goes on where it was.
        let outcome = loop {
            limit += 1;
            assert!(limit < 100_000, "this takes too long");
            let decided = precise.keep_up(limit, &budget, &mut Counters::default());
            if let Some(outcome) = decided.expect("there is no limit") {
                break outcome;
            }
        };
        check(&circuit, &outcome, is_unsafe);
        safe += u32::from(!is_unsafe);
        deep += u32::from(is_unsafe);
    }
    assert!(safe > 50 && deep > 20, "{safe} safe and {deep} with deep errors");
}

#[test]
fn lemmas_exclude_no_reachable_state() {
    let (mut random, budget) = (Random::new(12), Budget::unlimited());
    let (mut lemma_count, mut excluded) = (0, 0);
    for _ in 0..300 {
        let circuit = circuit(&mut random);
        let (reached, is_unsafe) = reachable(&circuit);
        if is_unsafe {
            continue;
        }
        let restricted = without_errors(&circuit);
        let mut lemmas = Lemmas::new(&circuit, &restricted, &budget);
        for _ in 0..10 {
            let state = random.below(64);
            let cube = (0..6).map(|n| StateLit::new(n, state >> n & 1 == 1)).collect();
            let is_excluded = lemmas.exclude(cube, u64::MAX).expect("there is no limit");
            assert!(!(is_excluded && reached[state]));
            excluded += u32::from(is_excluded);
        }
        for cube in &lemmas.cubes {
            let is_in =
                |state: usize| cube.lits().iter().all(|lit| (state >> lit.latch() & 1 == 1) == lit.value());
            assert!((0..64).all(|state| !(reached[state] && is_in(state))));
            lemma_count += 1;
        }
    }
    assert!(lemma_count > 100 && excluded > 100, "{lemma_count} lemmas, {excluded} states");
}

#[test]
fn rounds_can_be_interrupted() {
    let (mut random, budget) = (Random::new(13), Budget::unlimited());
    let mut proved = 0;
    for _ in 0..400 {
        let circuit = circuit(&mut random);
        let (_, is_unsafe) = reachable(&circuit);
        if is_unsafe {
            continue;
        }
        let restricted = without_errors(&circuit);
        let mut lemmas = Lemmas::new(&circuit, &restricted, &budget);
        let mut forward = Forward::new(&circuit);
        let mut limit = 0;
        loop {
            limit += 1;
            let mut counters = Counters::default();
            let progress = forward.advance(Config::default(), limit, &mut lemmas, &budget, &mut counters);
            match progress.expect("there is no limit") {
                Progress::Invariant(invariant) => {
                    check(&circuit, &Outcome::Safe(Proof::inductive(invariant)), false);
                    proved += 1;
                    break;
                }
                Progress::Finished => forward.extend(),
                Progress::Paused => {}
            }
        }
    }
    assert!(proved > 50, "{proved}");
}
