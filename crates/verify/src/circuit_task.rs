//! A circuit and what is needed to speak of it in the words of its file.

use crate::{Error, Kind};
use bolide_front::aiger::{self, Signal, Witness};
use bolide_front::btor2::{self, Design};
use bolide_model::circuit::{Circuit, Trace};

/// A circuit in the words of its file.
pub enum CircuitTask {
    /// From AIGER.
    Bits(Box<Circuit>),
    /// From BTOR2.
    Words(Box<Design>),
}

impl CircuitTask {
    /// Reads a circuit.
    pub fn read(text: &[u8], kind: Kind) -> Result<CircuitTask, Error> {
        let task = match kind {
            Kind::Btor2 => btor2::read(text).map(|design| CircuitTask::Words(Box::new(design))),
            _ => aiger::read(text).map(|circuit| CircuitTask::Bits(Box::new(circuit))),
        };
        task.map_err(Error::Circuit)
    }

    /// The circuit.
    pub fn circuit(&self) -> &Circuit {
        match self {
            CircuitTask::Bits(circuit) => circuit,
            CircuitTask::Words(design) => &design.circuit,
        }
    }

    /// Inputs, states, bad bits and constraints with their names.
    pub fn signals(&self) -> Vec<Signal> {
        match self {
            CircuitTask::Bits(circuit) => aiger::signals(circuit),
            CircuitTask::Words(design) => design.signals(),
        }
    }

    /// Reads a run in the format that goes with the file; AIGER's is understood for all.
    pub fn read_witness(&self, text: &[u8]) -> Result<Witness, aiger::Error> {
        match self {
            CircuitTask::Words(design) if text.trim_ascii_start().starts_with(b"sat") => {
                design.read_witness(text)
            }
            _ => aiger::read_witness(text),
        }
    }

    /// A run into a bad state in the format that goes with the file.
    pub fn witness(&self, property: usize, trace: &Trace) -> String {
        match self {
            CircuitTask::Bits(_) => aiger::write_witness(&Witness { property, trace: trace.clone() }),
            CircuitTask::Words(design) => design.write_witness(property, trace),
        }
    }
}
