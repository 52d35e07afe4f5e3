//! Runs as BTOR2 witnesses: the values of states that the file leaves open, and of all inputs.

use super::{Design, Sort, State};
use bolide_model::circuit::{Lanes, Trace};
use std::fmt::Write;

impl Design {
    /// The run into the property's bad state as text.
    pub fn write_witness(&self, property: usize, trace: &Trace) -> String {
        let mut text = format!("sat\nb{property}\n");
        let mut lanes = Lanes::new(&self.circuit.aig);
        for (latch, &value) in self.circuit.latches.iter().zip(&trace.initial) {
            lanes.set(latch.node, value as u64);
        }
        for (step, inputs) in trace.inputs.iter().enumerate() {
            if step > 0 {
                lanes.clock(&self.circuit);
            }
            let latch = |number: usize| lanes.get(self.circuit.latches[number].node.into()) & 1 == 1;
            let _ = writeln!(text, "#{step}");
            for (number, state) in self.states.iter().enumerate() {
                // Later values follow from the first ones, unless the file gives no next value.
                if step == 0 && !state.is_reset || step > 0 && state.free.is_some() {
                    write_state(&mut text, number, state, step, latch);
                }
            }
            let _ = writeln!(text, "@{step}");
            for (number, input) in self.inputs.iter().enumerate() {
                let bits = input.bits.iter().map(|&bit| inputs[bit]);
                let name = input.name.as_deref().unwrap_or("input");
                let _ = writeln!(text, "{number} {} {name}@{step}", binary(bits));
            }
            for (&input, &value) in self.circuit.inputs.iter().zip(inputs) {
                lanes.set(input, value as u64);
            }
            lanes.settle(&self.circuit.aig);
        }
        text.push_str(".\n");
        text
    }
}

fn write_state(text: &mut String, number: usize, state: &State, step: usize, latch: impl Fn(usize) -> bool) {
    let name = state.name.as_deref().unwrap_or("state");
    let bits: Vec<bool> = state.latches.iter().map(|&number| latch(number)).collect();
    match state.sort {
        Sort::Word(_) => {
            let _ = writeln!(text, "{number} {} {name}#{step}", binary(bits.into_iter()));
        }
        Sort::Array { index, element } => {
            for (place, bits) in bits.chunks(element).enumerate() {
                let place = binary((0..index).map(|bit| place >> bit & 1 == 1));
                let bits = binary(bits.iter().copied());
                let _ = writeln!(text, "{number} [{place}] {bits} {name}@{place}#{step}");
            }
        }
    }
}

/// The digits, highest first.
fn binary(bits: impl DoubleEndedIterator<Item = bool>) -> String {
    bits.rev().map(|bit| if bit { '1' } else { '0' }).collect()
}
