//! Why there is no report.

use bolide_front::{aiger, c};
use std::fmt;

/// Why there is no report.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The options do not fit the task.
    Usage(String),
    /// A C program cannot be read.
    C(c::Rejection),
    /// A C program needs a preprocessor, and its preprocessed text was not given.
    NeedsPreprocessing,
    /// Horn clauses cannot be read.
    SmtLib(Box<bolide_smtlib::Error>),
    /// A circuit cannot be read.
    Circuit(aiger::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(message) => f.write_str(message),
            Error::C(rejection) => rejection.fmt(f),
            Error::NeedsPreprocessing => f.write_str("the C program needs a preprocessor"),
            Error::SmtLib(error) => write!(f, "{}:{}: {}", error.line, error.column, error.message),
            Error::Circuit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}
