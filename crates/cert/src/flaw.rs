//! Why evidence is not taken.

use bolide_base::Interrupt;
use std::fmt;

/// What is wrong with the evidence of a certificate, or with the task that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// It does not show what it is meant to show, for this reason.
    Wrong(String),
    /// Nothing may be wrong with it: the budget ran out.
    Interrupted(Interrupt),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Wrong(what) => f.write_str(what),
            Flaw::Interrupted(interrupt) => interrupt.fmt(f),
        }
    }
}

impl std::error::Error for Flaw {}

impl From<&str> for Flaw {
    fn from(what: &str) -> Flaw {
        Flaw::Wrong(what.into())
    }
}

impl From<String> for Flaw {
    fn from(what: String) -> Flaw {
        Flaw::Wrong(what)
    }
}

impl From<Interrupt> for Flaw {
    fn from(interrupt: Interrupt) -> Flaw {
        Flaw::Interrupted(interrupt)
    }
}
