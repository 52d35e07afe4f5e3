//! BTOR2 (Niemetz, Preiner, Wolf and Biere, "Btor2, BtorMC and Boolector 3.0", CAV 2018): word-level circuits.
//!
//! [`read`] checks the sorts of all nodes and blasts words into the bits of a circuit. Small arrays become one word for
//! each element; of large ones only a few elements are tracked, see `memory`. A state whose first value is computed is read through a multiplexer that
//! a latch, true in the first step only, controls. A state without a next value may change in any way: its next value
//! is an input of the circuit.
//!
//! | module | what is there |
//! |---|---|
//! | `build` | the nodes of a file, their sorts, and their bits |
//! | `operators` | the sorts and circuits of operators |
//! | `words` | arithmetic on words of bits |
//! | `memory` | large arrays, of which some elements are tracked |
//! | `constants` | digits to bits |
//! | `witness` | runs in the format of the hardware model checking competitions |

mod build;
mod constants;
mod memory;
mod operators;
#[cfg(test)]
mod tests;
mod witness;
mod words;

pub use crate::aiger::{Error, Flaw};
pub use build::read;

use crate::aiger::Signal;
use bolide_model::circuit::{Bit, Circuit};
use memory::Memory;

/// A file as a circuit, with what is needed to speak of its words again.
#[derive(Clone, Debug)]
pub struct Design {
    /// The circuit.
    pub circuit: Circuit,
    /// The states, in the order of the file.
    states: Vec<State>,
    /// The inputs, in the order of the file.
    inputs: Vec<Input>,
    /// The tracked addresses of large arrays, by the width of their indices.
    memories: Vec<Memory>,
}

/// Arrays with more elements than this are left out of waveforms.
const SHOWN_ELEMENTS: usize = 64;

impl Design {
    /// The inputs, states, bad bits and constraints for a waveform, with their names in the file where they have one.
    pub fn signals(&self) -> Vec<Signal> {
        let mut signals = Vec::new();
        for (number, input) in self.inputs.iter().enumerate() {
            let name = input.name.clone().unwrap_or_else(|| format!("input{number}"));
            let bits = input.bits.iter().map(|&bit| self.circuit.inputs[bit].into()).collect();
            signals.push(Signal { name, bits });
        }
        for (number, state) in self.states.iter().enumerate() {
            let name = state.name.clone().unwrap_or_else(|| format!("state{number}"));
            match state.sort {
                Sort::Word(_) => signals.push(Signal { name, bits: state.value.clone() }),
                Sort::Array { element, .. } if state.value.len() <= element * SHOWN_ELEMENTS => {
                    for (place, bits) in state.value.chunks(element).enumerate() {
                        signals.push(Signal { name: format!("{name}({place})"), bits: bits.to_vec() });
                    }
                }
                Sort::Array { .. } | Sort::Memory { .. } => {}
            }
        }
        signals.extend(crate::aiger::observed(&self.circuit));
        signals
    }
}

/// A state of the file.
#[derive(Clone, Debug)]
struct State {
    name: Option<String>,
    sort: Sort,
    /// The numbers of its latches, lowest bit first, one element after the other.
    latches: Vec<usize>,
    /// The bits of its value, lowest first, one element after the other.
    value: Vec<Bit>,
    /// Whether the file gives its first value.
    is_reset: bool,
    /// The numbers of the inputs that are its next value, if the file gives none.
    free: Option<Vec<usize>>,
}

/// An input of the file.
#[derive(Clone, Debug)]
struct Input {
    name: Option<String>,
    /// The numbers of its inputs in the circuit, lowest bit first.
    bits: Vec<usize>,
}

/// A sort of words or of arrays of words.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Sort {
    /// Words of so many bits.
    Word(usize),
    /// One element for every index word.
    Array {
        /// Bits of an index.
        index: usize,
        /// Bits of an element.
        element: usize,
    },
    /// The same where there are too many elements to have them all.
    Memory {
        /// Bits of an index.
        index: usize,
        /// Bits of an element.
        element: usize,
    },
}

impl Sort {
    /// How many bits a value of the sort has.
    fn bits(self) -> usize {
        match self {
            Sort::Word(width) => width,
            Sort::Array { index, element } => element << index,
            Sort::Memory { element, .. } => memory::bits(element),
        }
    }
}
