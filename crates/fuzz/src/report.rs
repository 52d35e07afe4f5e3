//! What was found, and how often.

use std::collections::BTreeMap;
use std::fmt;

/// What is wrong.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A panic.
    Panic,
    /// The reader refused a correct script.
    Reader,
    /// Two configurations, or Bolide and z3, give different answers.
    Answers,
    /// A refutation was not accepted, or there was none.
    Proof,
    /// A refutation was accepted, but not after it was written and read.
    ReadBack,
    /// A core that is satisfiable.
    Core,
    /// A model that does not satisfy the assertions, or another `unknown` that is not a limit.
    Unknown,
    /// An interpolant that is none.
    Interpolant,
    /// The budget ran out, or what the solver tries with non-linear arithmetic.
    Timeout,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Panic => "panic",
            Kind::Reader => "reader",
            Kind::Answers => "answers",
            Kind::Proof => "proof",
            Kind::ReadBack => "read-back",
            Kind::Core => "core",
            Kind::Unknown => "unknown",
            Kind::Interpolant => "interpolant",
            Kind::Timeout => "timeout",
        })
    }
}

/// Something that should not be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Its kind.
    pub kind: Kind,
    /// The particulars.
    pub detail: String,
}

impl Finding {
    /// A finding.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Finding {
        Finding { kind, detail: detail.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

/// Counts by name.
#[derive(Clone, Default, Debug)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    /// One more.
    pub fn count(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    /// How many there were.
    pub fn get(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or(0)
    }

    /// The sum of all counts whose name starts with this.
    pub fn starting_with(&self, prefix: &str) -> u64 {
        self.0.iter().filter(|(what, _)| what.starts_with(prefix)).map(|(_, n)| n).sum()
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Tally) {
        for (what, n) in &other.0 {
            *self.0.entry(what.clone()).or_default() += n;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(|(what, n)| format!("{what} {n}")).collect();
        f.write_str(&parts.join(", "))
    }
}
