//! AIGER 1.9 (Biere, Heljanko and Wieringa, 2011): and-inverter graphs as text or in binary.
//!
//! [`read`] makes a [`Circuit`]. Where a file has no bad states, its outputs are what
//! must not happen. Liveness (justice, fairness) is refused. [`write_witness`] and [`read_witness`] are the
//! stimulus format of the hardware model checking competitions, [`write_invariant`] writes an invariant as a circuit,
//! [`write_circuit`] a circuit and [`certificate`] makes one that shows a property.
//!
//! [`write_vcd`] shows a run as a waveform.
//!
//! Nothing is allocated because a header claims it: memory grows with the bytes that were read.

mod build;
mod cursor;
mod parse;
#[cfg(test)]
mod tests;
mod vcd;
mod witness;
mod write;

pub use vcd::{Signal, observed, signals, watch, write_vcd};
pub use witness::{Witness, read_witness, write_witness};
pub use write::{certificate, write_circuit, write_invariant};

use bolide_model::circuit::Circuit;
use std::fmt;

/// Why a file could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

/// Reads a file in either format.
pub fn read(bytes: &[u8]) -> Result<Circuit, Error> {
    build::build(parse::parse(bytes)?)
}
