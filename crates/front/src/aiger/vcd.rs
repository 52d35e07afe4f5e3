//! Runs as waveforms in the value change dump format (IEEE 1364-2005, section 18).

use bolide_model::circuit::{Bit, Circuit, Lanes, Trace};
use std::fmt::Write;

/// A signal of a waveform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// What it is called.
    pub name: String,
    /// The bits of the circuit that it shows, lowest first. Not empty.
    pub bits: Vec<Bit>,
}

impl Signal {
    /// A signal of a single bit.
    pub fn bit(name: String, bit: Bit) -> Signal {
        Signal { name, bits: vec![bit] }
    }
}

/// The inputs `i0`, `i1`, ..., latches `l0`, ..., bad bits `b0`, ... and constraints `c0`, ... of a circuit.
pub fn signals(circuit: &Circuit) -> Vec<Signal> {
    let inputs = circuit.inputs.iter().map(|&input| Bit::from(input));
    let latches = circuit.latches.iter().map(|latch| Bit::from(latch.node));
    let mut signals = named('i', inputs);
    signals.extend(named('l', latches));
    signals.extend(observed(circuit));
    signals
}

/// The bad bits and constraints of a circuit.
pub fn observed(circuit: &Circuit) -> Vec<Signal> {
    let mut signals = named('b', circuit.bads.iter().copied());
    signals.extend(named('c', circuit.constraints.iter().copied()));
    signals
}

fn named(letter: char, bits: impl Iterator<Item = Bit>) -> Vec<Signal> {
    bits.enumerate().map(|(number, bit)| Signal::bit(format!("{letter}{number}"), bit)).collect()
}

/// The signals in the run of a trace that fits the circuit, one unit of time for every step.
pub fn write_vcd(circuit: &Circuit, trace: &Trace, signals: &[Signal]) -> String {
    let mut text = String::from("$timescale 1ns $end\n$scope module circuit $end\n");
    for (number, signal) in signals.iter().enumerate() {
        let name: String = signal.name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
        let _ = writeln!(text, "$var wire {} {} {name} $end", signal.bits.len(), code(number));
    }
    text.push_str("$upscope $end\n$enddefinitions $end\n");
    let mut shown = vec![String::new(); signals.len()];
    watch(circuit, trace, signals, |step, number, value| {
        if number == 0 {
            let _ = writeln!(text, "#{step}");
        }
        if value != shown[number] {
            let _ = match value.len() {
                1 => writeln!(text, "{value}{}", code(number)),
                _ => writeln!(text, "b{value} {}", code(number)),
            };
            shown[number] = value;
        }
    });
    let _ = writeln!(text, "#{}", trace.inputs.len());
    text
}

/// Runs a trace that fits the circuit and hands out, step by step, the number of each signal and its value in binary.
pub fn watch(
    circuit: &Circuit,
    trace: &Trace,
    signals: &[Signal],
    mut each: impl FnMut(usize, usize, String),
) {
    let mut lanes = Lanes::new(&circuit.aig);
    for (latch, &value) in circuit.latches.iter().zip(&trace.initial) {
        lanes.set(latch.node, value as u64);
    }
    for (step, inputs) in trace.inputs.iter().enumerate() {
        if step > 0 {
            lanes.clock(circuit);
        }
        for (&input, &value) in circuit.inputs.iter().zip(inputs) {
            lanes.set(input, value as u64);
        }
        lanes.settle(&circuit.aig);
        for (number, signal) in signals.iter().enumerate() {
            let digit = |&bit: &Bit| if lanes.get(bit) & 1 == 1 { '1' } else { '0' };
            each(step, number, signal.bits.iter().rev().map(digit).collect());
        }
    }
}

/// The identifier of a signal: a number in the 94 printable characters.
fn code(mut number: usize) -> String {
    let mut code = String::new();
    loop {
        code.push(char::from(b'!' + (number % 94) as u8));
        number /= 94;
        if number == 0 {
            return code;
        }
        number -= 1;
    }
}
