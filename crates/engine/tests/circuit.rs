//! Engines for circuits against an explicit search of the state space, on random small circuits.

use bolide_base::{Budget, Stats};
use bolide_engine::circuit::{Engine, Method, Outcome, Proof, System, check_proof, imc, kind, pdr, verify};
use bolide_engine::{ENGINES, Input, Verdict};
use bolide_model::circuit::{Bit, Circuit, Formula, Trace};
use bolide_testkit::circuit::{bit, is_unsafe, small};
use bolide_testkit::{Random, rounds};

fn check(circuit: &Circuit, outcome: &Outcome, expected: bool, what: &str) {
    match outcome {
        Outcome::Safe(proof) => {
            assert!(!expected, "{what} says safe");
            assert!(check_proof(circuit, proof.clone(), &Budget::unlimited()).is_ok(), "{what}");
        }
        Outcome::Unsafe(trace) => {
            assert!(expected, "{what} says unsafe");
            assert_eq!(circuit.replay(trace, 0), Ok(()), "{what}");
        }
        Outcome::Unknown(reason) => panic!("{what} says unknown: {reason}"),
    }
}

fn engine_agrees(engine: Engine, long: usize, seed: u64) {
    let count = rounds(long);
    let mut random = Random::new(seed);
    let (mut safe, mut unsafe_) = (0, 0);
    for round in 0..count {
        let circuit = small(&mut random);
        let expected = is_unsafe(&circuit);
        if expected {
            unsafe_ += 1
        } else {
            safe += 1
        }
        // Neither proves every safe circuit: k-induction without unique states, and bounded model checking at all.
        if !expected && matches!(engine, Engine::Bmc | Engine::Kind) {
            continue;
        }
        let outcome = match verify(&circuit, 0, engine, &Budget::unlimited(), &mut Stats::new()) {
            Verdict::Safe(proof) => Outcome::Safe(proof.into_inner()),
            Verdict::Unsafe(trace) => Outcome::Unsafe(trace.into_inner()),
            Verdict::Unknown(reason) => Outcome::Unknown(reason),
        };
        check(&circuit, &outcome, expected, &format!("{engine:?} in round {round}"));
    }
    assert!(safe > count / 10 && unsafe_ > count / 10, "{safe} safe and {unsafe_} unsafe circuits");
}

#[test]
fn pdr_agrees_with_search() {
    engine_agrees(Engine::Pdr, 3000, 1);
}

#[test]
fn predicted_lemmas_agree_with_search() {
    let mut random = Random::new(12);
    for round in 0..rounds(1000) {
        let circuit = small(&mut random);
        let config = pdr::Config { predictions: 6, ..pdr::Config::default() };
        let outcome = pdr::run(&circuit, config, &Budget::unlimited(), &mut Stats::new());
        check(&circuit, &outcome, is_unsafe(&circuit), &format!("pdr in round {round}"));
    }
}

#[test]
fn imc_agrees_with_search() {
    engine_agrees(Engine::Imc, 1500, 2);
}

#[test]
fn itpseq_agrees_with_search() {
    engine_agrees(Engine::Itpseq, 1500, 7);
}

#[test]
fn approx_agrees_with_search() {
    engine_agrees(Engine::Approx, 1500, 3);
}

#[test]
fn bmc_and_kind_agree_with_search() {
    engine_agrees(Engine::Bmc, 600, 4);
    engine_agrees(Engine::Kind, 600, 5);
}

#[test]
fn every_interpolation_system_agrees_with_search() {
    for (seed, system) in [(7, System::McMillan), (8, System::Pudlak), (9, System::Dual)] {
        let mut random = Random::new(seed);
        for round in 0..rounds(300) {
            let circuit = small(&mut random);
            let config = imc::Config { method: Method::Proof(system) };
            let outcome = imc::run(&circuit, config, &Budget::unlimited(), &mut Stats::new());
            check(&circuit, &outcome, is_unsafe(&circuit), &format!("{system:?} in round {round}"));
        }
    }
}

#[test]
fn wrong_evidence_is_rejected() {
    let mut random = Random::new(10);
    let mut rejected = 0;
    for _ in 0..300 {
        let circuit = small(&mut random);
        let expected = is_unsafe(&circuit);
        let proof = Proof::inductive(Formula::over(&circuit));
        if expected {
            assert!(check_proof(&circuit, proof.clone(), &Budget::unlimited()).is_err());
            rejected += 1;
        } else {
            let trace = Trace {
                initial: circuit.latches.iter().map(|latch| latch.reset.unwrap_or(false)).collect(),
                inputs: (0..4)
                    .map(|_| circuit.inputs.iter().map(|_| random.below(2) == 1).collect())
                    .collect(),
            };
            assert!(circuit.replay(&trace, 0).is_err());
        }
    }
    assert!(rejected > 30);
}

/// Whatever is confirmed with several steps of induction is true, also where a part of the invariant is inductive alone.
#[test]
fn confirmed_proofs_are_about_safe_circuits() {
    let mut random = Random::new(11);
    let (mut confirmed, mut rejected) = (0, 0);
    for round in 0..rounds(1500) {
        let circuit = small(&mut random);
        let mut aig = circuit.aig.clone();
        let mut parts: Vec<Bit> = circuit.bads.iter().map(|&bad| !bad).collect();
        let latches: Vec<Bit> = circuit.latches.iter().map(|latch| latch.node.into()).collect();
        for _ in 0..random.below(4) {
            let (a, b) = (bit(&mut random, &latches), bit(&mut random, &latches));
            parts.push(if random.below(2) == 0 { aig.iff(a, b) } else { aig.or(a, b) });
        }
        let holds = aig.and_all(&parts);
        let invariant = Formula::of_bit(&circuit, &aig, holds);
        let proof = Proof { invariant, depth: 1 + random.below(4) };
        match check_proof(&circuit, proof.clone(), &Budget::unlimited()) {
            Ok(_) => {
                assert!(!is_unsafe(&circuit), "round {round}");
                confirmed += 1;
            }
            Err(_) => rejected += 1,
        }
    }
    assert!(confirmed > rounds(50) && rejected > rounds(50), "{confirmed} confirmed, {rejected} rejected");
}

/// A register that follows its input three steps later: k-induction needs as many steps, and less are not confirmed.
#[test]
fn induction_looks_back_far_enough() {
    let mut circuit = Circuit::new();
    let input = circuit.add_input();
    let pipe: Vec<Bit> = (0..3).map(|_| circuit.add_latch(Some(false))).collect();
    let copy: Vec<Bit> = (0..3).map(|_| circuit.add_latch(Some(false))).collect();
    for stage in 0..3 {
        circuit.latches[stage].next = if stage == 0 { input } else { pipe[stage - 1] };
        circuit.latches[3 + stage].next = if stage == 0 { input } else { copy[stage - 1] };
    }
    circuit.bads = vec![circuit.aig.xor(pipe[2], copy[2])];
    let invariant = Formula::of_bit(&circuit, &circuit.aig, !circuit.bads[0]);
    for (depth, is_enough) in [(1, false), (2, false), (3, true)] {
        let proof = Proof { invariant: invariant.clone(), depth };
        assert_eq!(
            check_proof(&circuit, proof.clone(), &Budget::unlimited()).is_ok(),
            is_enough,
            "depth {depth}"
        );
    }
    let outcome = kind::run(&circuit, &Budget::unlimited(), &mut Stats::new());
    assert!(matches!(&outcome, Outcome::Safe(proof) if proof.depth == 3));
    check(&circuit, &outcome, false, "k-induction");
}

#[test]
fn budgets_are_obeyed() {
    let mut circuit = Circuit::new();
    // A counter of forty bits whose highest bit is bad: no engine finds that soon.
    let latches: Vec<Bit> = (0..40).map(|_| circuit.add_latch(Some(false))).collect();
    let mut carry = Bit::TRUE;
    for (number, &latch) in latches.iter().enumerate() {
        circuit.latches[number].next = circuit.aig.xor(latch, carry);
        carry = circuit.aig.and(latch, carry);
    }
    circuit.bads = vec![latches[39]];
    for engine in ENGINES.iter().map(|entry| entry.engine).filter(|e| e.works_on(Input::Circuit)) {
        let budget = Budget::unlimited().with_time(std::time::Duration::from_millis(200));
        let start = std::time::Instant::now();
        let outcome = verify(&circuit, 0, engine, &budget, &mut Stats::new());
        assert!(!outcome.is_known(), "{engine:?}");
        assert!(start.elapsed().as_secs_f64() < 3.0, "{engine:?} took {:?}", start.elapsed());
    }
}
