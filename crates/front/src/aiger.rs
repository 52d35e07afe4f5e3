//! AIGER 1.9 (Biere, Heljanko and Wieringa, 2011): and-inverter graphs as text or in binary.
//!
//! [`read`] makes a [`Circuit`]. Where a file has no bad states, its outputs are what
//! must not happen. Liveness (justice, fairness) is refused. [`write_witness`] and [`read_witness`] are the
//! stimulus format of the hardware model checking competitions, [`write_invariant`] writes an invariant as a circuit,
//! [`write_circuit`] a circuit and [`witness_circuit`] makes one that shows properties of another.
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
mod witness_circuit;
mod write;

pub use vcd::{Signal, observed, signals, watch, write_vcd};
pub use witness::{Witness, read_witness, write_witness};
pub use witness_circuit::{Invariant, witness_circuit};
pub use write::{write_circuit, write_invariant};

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
    pub flaw: Flaw,
}

/// Why a circuit could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// The text does not follow the format.
    Malformed(String),
    /// The format has it, but it is not supported.
    Unsupported(String),
    /// It is beyond a limit of this reader.
    TooLarge(String),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Flaw::Malformed(what) | Flaw::Unsupported(what) | Flaw::TooLarge(what)) = self;
        f.write_str(what)
    }
}

impl From<&str> for Flaw {
    fn from(what: &str) -> Flaw {
        Flaw::Malformed(what.into())
    }
}

impl From<String> for Flaw {
    fn from(what: String) -> Flaw {
        Flaw::Malformed(what)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.flaw)
    }
}

impl std::error::Error for Error {}

/// Reads a file in either format.
pub fn read(bytes: &[u8]) -> Result<Circuit, Error> {
    build::build(parse::parse(bytes)?)
}
