use super::*;
use bolide_model::circuit::{Bit, Trace};

/// A toggling latch whose output is bad.
const TOGGLE: &str = "aag 1 0 1 0 0 1\n2 3\n2\n";

fn message(text: &str) -> String {
    match read(text.as_bytes()) {
        Ok(_) => panic!("{text:?} was read"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn ascii() {
    let circuit = read(TOGGLE.as_bytes()).unwrap();
    assert_eq!((circuit.latches.len(), circuit.inputs.len(), circuit.bads.len()), (1, 0, 1));
    let latch = Bit::from(circuit.latches[0].node);
    assert_eq!(
        (circuit.latches[0].next, circuit.latches[0].reset, circuit.bads[0]),
        (!latch, Some(false), latch)
    );
}

#[test]
fn gates_in_any_order_resets_symbols_and_outputs() {
    let text = "aag 6 2 1 1 3\n2\n4\n6 12 6\n12\n12 10 8\n10 6 5\n8 2 4\ni0 request\nl0 state\nc\nanything\n";
    let circuit = read(text.as_bytes()).unwrap();
    assert_eq!(circuit.latches[0].reset, None);
    assert_eq!(circuit.bads, [Bit::FALSE], "4 and not 4");
    assert_eq!(circuit.inputs.len(), 2);
}

#[test]
fn binary() {
    let circuit = read(b"aig 3 2 0 1 1\n6\n\x02\x02").unwrap();
    let [a, b] = [circuit.inputs[0], circuit.inputs[1]];
    assert_eq!(circuit.aig.gate(circuit.bads[0].node()), Some([a.into(), b.into()]));
}

#[test]
fn bad_files_are_located() {
    assert_eq!(message("nonsense"), "1:1: expected `aig` or `aag`");
    assert_eq!(message("aag 1 0 1 0 0 1\n2 3\n"), "3:1: expected a bad state");
    assert_eq!(message("aag 1 0 1 0 0 1\n2 9\n2\n"), "2:4: literal 9 is larger than the header allows");
    assert_eq!(message("aag 1 0 2 0 0\n"), "1:14: 2 definitions for variables up to 1");
    assert_eq!(
        message("aag 1 0 1 0 0 0 0 1 0\n2 3\n"),
        "1:22: justice and fairness (liveness) are not supported, only bad states"
    );
    assert_eq!(message("aag 3 1 0 1 2\n2\n6\n4 6 2\n6 4 2\n"), "4:1: gate 4 depends on itself");
    assert_eq!(message("aag 3 1 0 1 1\n2\n4\n4 6 2\n"), "4:1: literal 6 is not defined");
    assert_eq!(message("aag 3 1 0 1 2\n2\n4\n4 2 2\n4 2 2\n"), "5:1: literal 4 is defined twice");
    assert_eq!(message("aig 900000000 900000000 0 0 0\n"), "2:1: 900000000 inputs in a file of 30 bytes");
    assert!(message("aig 900000000 0 0 0 900000000\n").ends_with("the file ends within the gates"));
}

/// Cutting a file short or changing a byte must never panic.
#[test]
fn damaged_files_do_no_harm() {
    let texts: [&[u8]; 3] = [
        b"aag 6 2 1 1 3\n2\n4\n6 12 6\n12\n12 10 8\n10 6 5\n8 2 4\n",
        b"aig 3 2 0 1 1\n6\n\x02\x02",
        TOGGLE.as_bytes(),
    ];
    let mut seed = 11u64;
    for text in texts {
        for cut in 0..text.len() {
            let _ = read(&text[..cut]);
        }
        for _ in 0..20_000 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let mut damaged = text.to_vec();
            for _ in 0..=seed % 3 {
                let at = (seed >> 8) as usize % damaged.len();
                damaged[at] = (seed >> 32) as u8;
                seed = seed.rotate_left(17) ^ 0x9e37;
            }
            let _ = read(&damaged);
            let _ = read_witness(&damaged);
        }
    }
}

#[test]
fn witnesses_round_trip() {
    let trace = Trace { initial: vec![true, false], inputs: vec![vec![false], vec![true]] };
    let witness = Witness { property: 3, trace };
    let text = write_witness(&witness);
    assert_eq!(text, "1\nb3\n10\n0\n1\n.\n");
    assert_eq!(read_witness(text.as_bytes()), Ok(witness));
}

/// A small deterministic generator.
fn next(seed: &mut u64) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed >> 11) as usize
}

fn random_circuit(seed: &mut u64) -> Circuit {
    let mut circuit = Circuit::new();
    let mut bits = vec![Bit::TRUE];
    for _ in 0..3 {
        bits.push(circuit.add_input());
        let reset = [None, Some(false), Some(true)][next(seed) % 3];
        bits.push(circuit.add_latch(reset));
    }
    let pick = |bits: &[Bit], seed: &mut u64| bits[next(seed) % bits.len()] ^ next(seed).is_multiple_of(2);
    for _ in 0..12 {
        let (a, b) = (pick(&bits, seed), pick(&bits, seed));
        bits.push(circuit.aig.and(a, b));
    }
    for latch in 0..circuit.latches.len() {
        circuit.latches[latch].next = pick(&bits, seed);
    }
    circuit.bads = vec![pick(&bits, seed), pick(&bits, seed)];
    circuit.constraints = vec![pick(&bits, seed)];
    circuit
}

/// What is written is read again: the same circuit but for the numbers of gates.
#[test]
fn circuits_are_written() {
    let mut seed = 3;
    for _ in 0..200 {
        let circuit = random_circuit(&mut seed);
        let text = write_circuit(&circuit);
        let again = read(text.as_bytes()).unwrap();
        assert_eq!(write_circuit(&again), text);
        let resets = |circuit: &Circuit| circuit.latches.iter().map(|latch| latch.reset).collect::<Vec<_>>();
        assert_eq!(resets(&again), resets(&circuit));
        let trace = Trace {
            initial: circuit.latches.iter().map(|latch| latch.reset.unwrap_or(true)).collect(),
            inputs: (0..4).map(|_| (0..3).map(|_| next(&mut seed).is_multiple_of(2)).collect()).collect(),
        };
        for property in 0..2 {
            assert_eq!(circuit.replay(&trace, property), again.replay(&trace, property));
        }
    }
}

#[test]
fn waveforms_show_changes() {
    let circuit = read(TOGGLE.as_bytes()).unwrap();
    let trace = Trace { initial: vec![false], inputs: vec![vec![], vec![], vec![]] };
    let text = write_vcd(&circuit, &trace, &signals(&circuit));
    let changes = text.split("$enddefinitions $end\n").nth(1).unwrap();
    assert_eq!(changes, "#0\n0!\n0\"\n#1\n1!\n1\"\n#2\n0!\n0\"\n#3\n");
    assert!(text.contains("$var wire 1 ! l0 $end\n$var wire 1 \" b0 $end\n"));
}
