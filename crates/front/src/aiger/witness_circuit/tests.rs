//! The five conditions of a witness circuit, by trying all assignments.

use super::*;

fn next(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

/// A circuit with two latches, an input, a bad bit and perhaps a constraint.
fn random_circuit(seed: &mut u64) -> Circuit {
    let mut circuit = Circuit::new();
    let mut bits = vec![circuit.add_input()];
    for _ in 0..2 {
        let reset = [Some(false), Some(false), Some(true), None][next(seed) as usize % 4];
        bits.push(circuit.add_latch(reset));
    }
    for _ in 0..6 {
        let mut pick = || bits[next(seed) as usize % bits.len()] ^ next(seed).is_multiple_of(2);
        let (a, b) = (pick(), pick());
        bits.push(circuit.aig.and(a, b));
    }
    let mut pick = || bits[next(seed) as usize % bits.len()] ^ next(seed).is_multiple_of(2);
    circuit.latches[0].next = pick();
    circuit.latches[1].next = pick();
    let (a, b, c) = (pick(), pick(), pick());
    circuit.bads.push(circuit.aig.and(a, b));
    if next(seed).is_multiple_of(3) {
        circuit.constraints.push(c);
    }
    circuit
}

/// What a circuit says of one state and input: all bits are those of a number, latches first.
struct Moment {
    next: u64,
    is_initial: bool,
    is_allowed: bool,
    is_bad: bool,
}

fn moment(circuit: &Circuit, state: u64, input: u64) -> Moment {
    let leaves = circuit.latches.iter().map(|latch| latch.node).chain(circuit.inputs.iter().copied());
    let mut values = vec![false; circuit.aig.len()];
    let number = state | input << circuit.latches.len();
    for (n, leaf) in leaves.enumerate() {
        values[leaf.index()] = number >> n & 1 == 1;
    }
    let get = |values: &[bool], bit: Bit| values[bit.index()] != bit.is_negated();
    for node in circuit.aig.nodes() {
        if let Some([a, b]) = circuit.aig.gate(node) {
            values[node.index()] = get(&values, a) && get(&values, b);
        }
    }
    let latches = circuit.latches.iter().enumerate();
    Moment {
        next: latches.clone().map(|(n, latch)| u64::from(get(&values, latch.next)) << n).sum(),
        is_initial: latches
            .clone()
            .all(|(n, latch)| latch.reset.is_none_or(|reset| reset == (state >> n & 1 == 1))),
        is_allowed: circuit.constraints.iter().all(|&bit| get(&values, bit)),
        is_bad: circuit.bads.iter().any(|&bit| get(&values, bit)),
    }
}

/// The conditions of Certifaiger, for a witness without inputs of its own.
fn is_witness(model: &Circuit, witness: &Circuit) -> bool {
    let (shared, all) = (model.latches.len(), witness.latches.len());
    let inputs = 1u64 << model.inputs.len();
    let part = |state: u64| state & ((1 << shared) - 1);
    for state in 0..1u64 << all {
        for input in 0..inputs {
            let (theirs, ours) = (moment(model, part(state), input), moment(witness, state, input));
            let resets = witness.latches.iter().take(shared).enumerate();
            let is_reset =
                resets.clone().all(|(n, l)| l.reset.is_none_or(|reset| reset == (state >> n & 1 == 1)));
            let reset = !(theirs.is_initial && theirs.is_allowed) || is_reset && ours.is_allowed;
            let property = !(theirs.is_allowed && ours.is_allowed) || ours.is_bad || !theirs.is_bad;
            let base = !(ours.is_initial && ours.is_allowed && ours.is_bad);
            if !(reset && property && base) {
                return false;
            }
            for later in 0..inputs {
                let (then, after) = (moment(model, theirs.next, later), moment(witness, ours.next, later));
                let transition = !(theirs.is_allowed && then.is_allowed && ours.is_allowed)
                    || theirs.next == part(ours.next) && after.is_allowed;
                let step = ours.is_bad || !ours.is_allowed || !after.is_allowed || !after.is_bad;
                if !(transition && step) {
                    return false;
                }
            }
        }
    }
    true
}

/// Is the absence of bad states inductive over so many steps? By definition.
fn is_inductive(circuit: &Circuit, depth: usize) -> bool {
    let (states, inputs) = (1u64 << circuit.latches.len(), 1u64 << circuit.inputs.len());
    let fine = |m: &Moment| m.is_allowed && !m.is_bad;
    // States before which there are so many fine steps: from anywhere, and from initial states only.
    let mut anywhere: Vec<u64> = (0..states).collect();
    let mut from_start: Vec<u64> = (0..states).filter(|&s| moment(circuit, s, 0).is_initial).collect();
    let after = |from: &[u64]| {
        let all = from.iter().flat_map(|&s| (0..inputs).map(move |i| (s, i)));
        let mut next: Vec<u64> =
            all.map(|(s, i)| moment(circuit, s, i)).filter(fine).map(|m| m.next).collect();
        next.sort_unstable();
        next.dedup();
        next
    };
    let has_bad = |from: &[u64]| {
        from.iter().any(|&s| (0..inputs).map(|i| moment(circuit, s, i)).any(|m| m.is_allowed && m.is_bad))
    };
    for _ in 0..depth {
        if has_bad(&from_start) {
            return false;
        }
        (from_start, anywhere) = (after(&from_start), after(&anywhere));
    }
    !has_bad(&anywhere)
}

/// The witness of a property is one exactly if the property is inductive over the steps that it looks back.
#[test]
fn witnesses_are_those_of_inductive_properties() {
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    let mut counts = [[0; 2]; 3];
    for _ in 0..400 {
        let circuit = random_circuit(&mut seed);
        for (n, counts) in counts.iter_mut().enumerate() {
            let depth = n + 1;
            let formula = Formula::of_bit(&circuit, &circuit.aig, !circuit.bads[0]);
            let witness = witness_circuit(&circuit, &[Invariant { formula: &formula, depth }]).unwrap();
            assert_eq!(witness.inputs.len(), circuit.inputs.len());
            let text = super::super::write_circuit(&witness);
            let witness = super::super::read(text.as_bytes()).unwrap();
            let expected = is_inductive(&circuit, depth);
            assert_eq!(is_witness(&circuit, &witness), expected, "depth {depth}");
            counts[usize::from(expected)] += 1;
        }
    }
    // Some properties need to look back.
    let [one, two, three] = counts;
    assert!(one[1] > 50 && two[1] > one[1] && three[1] >= two[1], "{counts:?}");
    assert!(three[0] > 50, "{counts:?}");
}

#[test]
fn large_witnesses_are_not_made() {
    let circuit = random_circuit(&mut 7);
    let formula = Formula::over(&circuit);
    assert!(witness_circuit(&circuit, &[Invariant { formula: &formula, depth: usize::MAX }]).is_none());
    assert!(witness_circuit(&circuit, &[]).is_none());
}
