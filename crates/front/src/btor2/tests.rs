use super::*;
use bolide_model::circuit::{Bit, Lanes};

fn message(text: &str) -> String {
    match read(text.as_bytes()) {
        Ok(_) => panic!("{text:?} was read"),
        Err(error) => error.to_string(),
    }
}

/// The value of the word that two inputs of the given width are combined to, for many pairs at once.
fn check_binary(op: &str, width: usize, boolean: bool, expected: impl Fn(u64, u64) -> u64) {
    let out = if boolean { 1 } else { width };
    let text = format!(
        "1 sort bitvec {width}\n2 sort bitvec {out}\n3 input 1\n4 input 1\n5 {op} 2 3 4\n6 state 2\n7 next 2 6 5\n"
    );
    let design = read(text.as_bytes()).unwrap_or_else(|error| panic!("{op}: {error}"));
    let circuit = &design.circuit;
    for a in 0..1 << width {
        for b in 0..1 << width {
            let mut lanes = Lanes::new(&circuit.aig);
            for (at, &input) in circuit.inputs.iter().enumerate() {
                let bit = if at < width { a >> at } else { b >> (at - width) };
                lanes.set(input, bit & 1);
            }
            lanes.settle(&circuit.aig);
            let value = (0..out).map(|at| (lanes.get(circuit.latches[at].next) & 1) << at).sum::<u64>();
            let mask = (1u64 << out) - 1;
            assert_eq!(value, expected(a, b) & mask, "{op} {a} {b} of {width} bits");
        }
    }
}

fn signed(value: u64, width: usize) -> i64 {
    let shift = 64 - width;
    (value << shift) as i64 >> shift
}

/// Every operator on all words of one to five bits, against machine arithmetic.
#[test]
fn operators_mean_what_they_say() {
    for width in 1..=5usize {
        let w = width as u64;
        let mask = (1u64 << width) - 1;
        let s = move |value: u64| signed(value, width);
        let range = -(1i64 << (width - 1))..1i64 << (width - 1);
        let out = |value: i64| u64::from(!range.contains(&value));
        let div = |a: i64, b: i64| if b == 0 { if a < 0 { 1 } else { -1 } } else { a.wrapping_div(b) };
        let rem = |a: i64, b: i64| if b == 0 { a } else { a % b };
        check_binary("add", width, false, |a, b| a + b);
        check_binary("sub", width, false, |a, b| a.wrapping_sub(b));
        check_binary("mul", width, false, |a, b| a * b);
        check_binary("udiv", width, false, |a, b| a.checked_div(b).unwrap_or(mask));
        check_binary("urem", width, false, |a, b| a.checked_rem(b).unwrap_or(a));
        check_binary("sdiv", width, false, |a, b| div(s(a), s(b)) as u64);
        check_binary("srem", width, false, |a, b| rem(s(a), s(b)) as u64);
        check_binary("smod", width, false, |a, b| {
            let r = rem(s(a), s(b));
            (if r != 0 && s(b) != 0 && (r < 0) != (s(b) < 0) { r + s(b) } else { r }) as u64
        });
        check_binary("and", width, false, |a, b| a & b);
        check_binary("nand", width, false, |a, b| !(a & b));
        check_binary("or", width, false, |a, b| a | b);
        check_binary("nor", width, false, |a, b| !(a | b));
        check_binary("xor", width, false, |a, b| a ^ b);
        check_binary("xnor", width, false, |a, b| !(a ^ b));
        check_binary("sll", width, false, |a, b| if b < w { a << b } else { 0 });
        check_binary("srl", width, false, |a, b| if b < w { a >> b } else { 0 });
        check_binary("sra", width, false, |a, b| (s(a) >> b.min(63)) as u64);
        check_binary("rol", width, false, |a, b| a << (b % w) | a >> ((w - b % w) % w));
        check_binary("ror", width, false, |a, b| a >> (b % w) | a << ((w - b % w) % w));
        check_binary("eq", width, true, |a, b| u64::from(a == b));
        check_binary("neq", width, true, |a, b| u64::from(a != b));
        check_binary("ult", width, true, |a, b| u64::from(a < b));
        check_binary("ulte", width, true, |a, b| u64::from(a <= b));
        check_binary("ugt", width, true, |a, b| u64::from(a > b));
        check_binary("ugte", width, true, |a, b| u64::from(a >= b));
        check_binary("slt", width, true, |a, b| u64::from(s(a) < s(b)));
        check_binary("slte", width, true, |a, b| u64::from(s(a) <= s(b)));
        check_binary("sgt", width, true, |a, b| u64::from(s(a) > s(b)));
        check_binary("sgte", width, true, |a, b| u64::from(s(a) >= s(b)));
        check_binary("uaddo", width, true, |a, b| u64::from(a + b > mask));
        check_binary("usubo", width, true, |a, b| u64::from(a < b));
        check_binary("umulo", width, true, |a, b| u64::from(a * b > mask));
        check_binary("saddo", width, true, |a, b| out(s(a) + s(b)));
        check_binary("ssubo", width, true, |a, b| out(s(a) - s(b)));
        check_binary("smulo", width, true, |a, b| out(s(a) * s(b)));
        check_binary("sdivo", width, true, |a, b| if s(b) == 0 { 0 } else { out(s(a) / s(b)) });
    }
}

#[test]
fn sorts_are_checked() {
    let words = "1 sort bitvec 4\n2 sort bitvec 1\n3 input 1\n4 input 2\n";
    assert_eq!(message(&format!("{words}5 add 1 3 4\n")), "5:1: node 5: the operands have different sorts");
    assert_eq!(
        message(&format!("{words}5 eq 1 3 3\n")),
        "5:1: node 5: has sort Word(1), but Word(4) is declared"
    );
    assert_eq!(message(&format!("{words}5 bad 3\n")), "5:1: node 5: expected a word of one bit");
    assert_eq!(message(&format!("{words}5 slice 2 3 4 4\n")), "5:1: node 5: bits 4 to 4 of a word of 4 bits");
    assert_eq!(message(&format!("{words}5 constd 1 16\n")), "5:1: node 5: the constant is not one of 4 bits");
    assert_eq!(message(&format!("{words}5 not 1 9\n")), "5:1: node 5: 9 is not a value");
    assert_eq!(message(&format!("{words}5 not 3 3\n")), "5:1: node 5: 3 is not a sort");
    assert_eq!(message(&format!("{words}3 input 1\n")), "3:1: node 3: defined twice");
    assert_eq!(message("1 sort bitvec 4000000000\n"), "1:1: node 1: words of 4000000000 bits are too wide");
    assert_eq!(
        message("1 sort bitvec 600\n2 sort array 1 1\n"),
        "2:1: node 2: arrays with indices of 600 bits are too large"
    );
    assert!(message("1 sort bitvec\n").starts_with("1:"));
}

#[test]
fn constants_of_all_kinds() {
    let text = "1 sort bitvec 4\n2 const 1 1010\n3 consth 1 a\n4 constd 1 10\n5 constd 1 -6\n6 ones 1\n7 one 1\n\
                8 state 1\n9 init 1 8 2\n10 state 1\n11 init 1 10 5\n12 state 1\n13 init 1 12 6\n";
    let design = read(text.as_bytes()).unwrap();
    let resets: Vec<bool> = design.circuit.latches.iter().map(|latch| latch.reset.unwrap()).collect();
    assert_eq!(resets[..4], [false, true, false, true]);
    assert_eq!(resets[4..8], [false, true, false, true]);
    assert_eq!(resets[8..], [true; 4]);
    assert_eq!(design.circuit.inputs.len(), 12, "states without a next value change freely");
}

#[test]
fn arrays_are_words_side_by_side() {
    let text = "1 sort bitvec 2\n2 sort bitvec 3\n3 sort array 1 2\n4 state 3 memory\n5 input 1\n6 input 2\n\
                7 write 3 4 5 6\n8 read 2 7 5\n9 neq 4 8 6\n";
    assert!(read(text.as_bytes()).is_err(), "9 has the sort of an array");
    let text = text.replace("9 neq 4", "9 sort bitvec 1\n10 neq 9") + "11 bad 10\n12 next 3 4 7\n";
    let design = read(text.as_bytes()).unwrap();
    assert_eq!(design.circuit.latches.len(), 12);
    let mut lanes = Lanes::new(&design.circuit.aig);
    for seed in 0..64u64 {
        let mut bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let leaves = design.circuit.inputs.iter().copied();
        for leaf in leaves.chain(design.circuit.latches.iter().map(|latch| latch.node)) {
            bits = bits.rotate_left(7).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            lanes.set(leaf, bits);
        }
        lanes.settle(&design.circuit.aig);
        assert_eq!(lanes.get(design.circuit.bads[0]), 0, "what was written is read");
    }
}

#[test]
fn first_values_may_be_computed() {
    // A state that starts with an input and keeps its value: it equals the input in the first step.
    let text = "1 sort bitvec 1\n2 input 1\n3 state 1\n4 init 1 3 2\n5 next 1 3 3\n6 xor 1 2 3\n7 bad 6\n";
    let design = read(text.as_bytes()).unwrap();
    let [input, state] = [design.circuit.inputs[0], design.circuit.latches[0].node];
    let first = design.circuit.latches[1];
    assert_eq!((first.reset, first.next), (Some(true), Bit::FALSE));
    let mut lanes = Lanes::new(&design.circuit.aig);
    for (leaf, value) in [(input, 0b0011), (state, 0b0101), (first.node, 0b1111)] {
        lanes.set(leaf, value);
    }
    lanes.settle(&design.circuit.aig);
    assert_eq!(lanes.get(design.circuit.bads[0]) & 0b1111, 0);
    lanes.set(first.node, 0);
    lanes.settle(&design.circuit.aig);
    assert_eq!(lanes.get(design.circuit.bads[0]) & 0b1111, 0b0110);
}

/// Damaged files never panic.
#[test]
fn damaged_files_do_no_harm() {
    let text = b"1 sort bitvec 2\n2 sort array 1 1\n3 state 2\n4 input 1\n5 write 2 3 4 4\n6 next 2 3 5\n7 constd 1 -2\n\
                 8 read 1 5 7\n9 sort bitvec 1\n10 slice 9 8 1 1\n11 bad 10 name ; comment\n12 constraint 10\n";
    let mut seed = 5u64;
    for cut in 0..text.len() {
        let _ = read(&text[..cut]);
    }
    for _ in 0..20_000 {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let mut damaged = text.to_vec();
        for change in 0..=seed % 3 {
            let at = (seed >> (8 + change)) as usize % damaged.len();
            damaged[at] = b"0123456789 -\nabdersx"[(seed >> (40 - change)) as usize % 20];
        }
        let _ = read(&damaged);
    }
}

/// A memory, a state without a next value, one with a computed first value, and an input.
const WITNESSED: &str = "1 sort bitvec 2\n2 sort bitvec 3\n3 sort array 1 2\n4 state 3 memory\n5 input 1 at\n\
    6 state 2 free\n7 write 3 4 5 6\n8 next 3 4 7\n9 state 1 later\n10 init 1 9 5\n11 next 1 9 5\n\
    12 read 2 4 5\n13 sort bitvec 1\n14 neq 13 12 6\n15 bad 14\n";

/// A run that is written as a witness is the same run when it is read.
#[test]
fn witnesses_are_read_again() {
    let design = read(WITNESSED.as_bytes()).unwrap();
    let mut seed = 9u64;
    let mut bit = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed >> 20 & 1 == 1
    };
    for _ in 0..100 {
        let trace = bolide_model::circuit::Trace {
            initial: design
                .circuit
                .latches
                .iter()
                .map(|latch| latch.reset.unwrap_or_else(&mut bit))
                .collect(),
            inputs: (0..4).map(|_| design.circuit.inputs.iter().map(|_| bit()).collect()).collect(),
        };
        let witness = design.read_witness(design.write_witness(0, &trace).as_bytes()).unwrap();
        assert_eq!(witness.property, 0);
        assert_eq!(witness.trace.inputs.len(), 4);
        assert_eq!(design.circuit.replay(&witness.trace, 0), design.circuit.replay(&trace, 0));
        // The last step has no next state, and a computed first value does not depend on its latches.
        assert_eq!(design.write_witness(0, &witness.trace), design.write_witness(0, &trace));
    }
}

#[test]
fn bad_witnesses_are_located() {
    let design = read(WITNESSED.as_bytes()).unwrap();
    let message = |text: &str| design.read_witness(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(message("unsat\n"), "1:1: expected `sat`, as a witness begins");
    assert_eq!(message("sat\nb0\n#1\n"), "3:1: step 1 where 0 is expected");
    assert_eq!(message("sat\nb0\n@0\n0 1 at\n"), "4:1: expected 2 binary digits");
    assert_eq!(message("sat\nb0\n@0\n7 01 at\n"), "4:1: there is no such input");
    assert_eq!(message("sat\nb0\n#0\n0 111 memory\n"), "4:1: expected an index in brackets");
    assert_eq!(message("sat\nb0\n#0\n"), "3:1: the witness ends without a dot");
    assert_eq!(message("sat\n.\n"), "2:1: the witness names no property");
}

#[test]
fn waveforms_have_words() {
    let design = read(WITNESSED.as_bytes()).unwrap();
    let names: Vec<(String, usize)> =
        design.signals().into_iter().map(|signal| (signal.name, signal.bits.len())).collect();
    let expected = [("at", 2), ("memory(0)", 3), ("memory(3)", 3), ("free", 3), ("later", 2), ("b0", 1)];
    for (name, bits) in expected {
        assert!(names.contains(&(name.to_string(), bits)), "{name}");
    }
}

/// Arrays of this many index bits, read and written at free addresses, against a run on a map: whenever a run is exact, its
/// reads are those of the map; and with the elements that were touched in the run tracked, every run is exact.
#[test]
fn tracked_elements_behave_like_an_array() {
    let text = "1 sort bitvec 40\n2 sort bitvec 3\n3 sort array 1 2\n4 sort bitvec 1\n5 zero 2\n6 state 3 mem\n\
        7 init 3 6 5\n8 input 1 at\n9 input 2 data\n10 input 4 enable\n11 input 1 from\n12 write 3 6 8 9\n\
        13 ite 3 10 12 6\n14 next 3 6 13\n15 read 2 13 11\n16 state 2 out\n17 next 2 16 15\n18 redand 4 16\n19 bad 18\n";
    let design = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let circuit = &design.circuit;
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let (mut exact_runs, mut inexact_steps) = (0, 0);
    for round in 0..300 {
        // Even rounds touch tracked addresses only.
        let addresses = [3u64, 5, 1 << 39, 77, 78, 79, 80, 81];
        let mut lanes = Lanes::new(&circuit.aig);
        for latch in &circuit.latches {
            lanes.set(latch.node, latch.reset.map_or(random() & 1, u64::from));
        }
        for (latches, address) in design.memories[0].latches.iter().zip(addresses) {
            for (bit, &latch) in latches.iter().enumerate() {
                lanes.set(circuit.latches[latch].node, address >> bit & 1);
            }
        }
        let mut array = std::collections::BTreeMap::new();
        let mut exact = true;
        for _ in 0..12 {
            let mut pick = || match round % 2 {
                0 => addresses[(random() % 8) as usize],
                _ => [3, 5, 6, 7][(random() % 4) as usize],
            };
            let (at, from) = (pick(), pick());
            let (data, enable) = (random() & 7, random() & 1);
            for (input, value) in design.inputs.iter().zip([at, data, enable, from]) {
                for (bit, &number) in input.bits.iter().enumerate() {
                    lanes.set(circuit.inputs[number], value >> bit & 1);
                }
            }
            if enable == 1 {
                array.insert(at, data);
            }
            // What is read where nothing is tracked is mostly right.
            let expected = array.get(&from).copied().unwrap_or(0);
            let guess = if random() % 8 == 0 { random() & 7 } else { expected };
            for (bit, &input) in circuit.inputs[84..].iter().enumerate() {
                lanes.set(input, guess >> bit & 1);
            }
            lanes.settle(&circuit.aig);
            assert!(circuit.constraints.iter().all(|&bit| lanes.get(bit) & 1 == 1));
            let is_exact = circuit.exact.iter().all(|&bit| lanes.get(bit) & 1 == 1);
            assert!(is_exact || round % 2 == 1);
            exact &= is_exact;
            inexact_steps += u64::from(!is_exact);
            let out = &design.states[1].latches;
            let value: u64 = (0..3).map(|bit| (lanes.get(circuit.latches[out[bit]].next) & 1) << bit).sum();
            assert!(!exact || value == expected, "round {round}: {value} instead of {expected}");
            lanes.clock(circuit);
        }
        exact_runs += u64::from(exact && round % 2 == 1);
    }
    assert!(exact_runs > 5 && inexact_steps > 5, "{exact_runs} {inexact_steps}");
}

#[test]
fn large_arrays_are_not_compared() {
    let text = "1 sort bitvec 40\n2 sort array 1 1\n3 state 2\n4 state 2\n5 sort bitvec 1\n6 eq 5 3 4\n";
    assert!(message(text).contains("compared"));
}

/// A word that is written to an address and one that shadows it: equal for ever, unless the shadow misses a write.
#[test]
fn runs_of_large_arrays_are_replayed() {
    let text = |condition: usize| {
        format!(
            "1 sort bitvec 32\n2 sort bitvec 8\n3 sort array 1 2\n4 sort bitvec 1\n5 zero 2\n6 state 3 mem\n\
             7 init 3 6 5\n8 state 1 magic\n9 next 1 8 8\n10 state 2 shadow\n11 init 2 10 5\n12 input 1 at\n\
             13 input 2 data\n14 write 3 6 12 13\n15 next 3 6 14\n16 eq 4 12 8\n17 zero 4\n\
             18 ite 2 {condition} 13 10\n19 next 2 10 18\n20 read 2 6 8\n21 neq 4 20 10\n22 bad 21\n"
        )
    };
    for (condition, is_bad) in [(16, false), (17, true)] {
        let design = read(text(condition).as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        let circuit = &design.circuit;
        // All addresses are 7, and 9 is written to 7.
        let mut initial: Vec<bool> =
            circuit.latches.iter().map(|latch| latch.reset.unwrap_or(false)).collect();
        let magic = &design.states[1].latches;
        let before = magic.iter().map(|latch| latch + magic.len() + 8);
        let addresses = design.memories[0].latches.iter().flatten().copied().enumerate();
        for (bit, latch) in addresses.chain(magic.iter().copied().enumerate()).chain(before.enumerate()) {
            initial[latch] = 7 >> (bit % 32) & 1 == 1;
        }
        let mut inputs = vec![false; circuit.inputs.len()];
        for (input, value) in design.inputs.iter().zip([7u64, 9]) {
            input.bits.iter().enumerate().for_each(|(bit, &number)| inputs[number] = value >> bit & 1 == 1);
        }
        let trace = bolide_model::circuit::Trace { initial, inputs: vec![inputs.clone(), inputs] };
        assert_eq!(circuit.replay(&trace, 0).is_ok(), is_bad);
        assert!(design.read_witness(b"sat\nb0\n#0\n@0\n.\n").is_err());
        let witness = design.write_witness(0, &trace);
        assert!(witness.contains("magic#0"));
        // The comments make it possible to read it again, and what the text says besides counts.
        let read_again = design.read_witness(witness.as_bytes()).unwrap();
        assert_eq!(read_again.trace, trace);
        let elsewhere = witness.replacen("00000111 magic#0", "00000110 magic#0", 1);
        let read_again = design.read_witness(elsewhere.as_bytes()).unwrap();
        assert!(circuit.replay(&read_again.trace, 0).is_err());
        let without_comments: Vec<&str> = witness.lines().filter(|line| !line.starts_with(';')).collect();
        assert!(design.read_witness(without_comments.join("\n").as_bytes()).is_err());
    }
}
