//! Derivations of a contradiction from Horn clauses as proofs in the Alethe format, which Carcara and other tools check.
//!
//! The proof is about the file as it is: what it assumes are assertions of the file, with `let`, annotations and defined functions
//! expanded. Each step of the derivation instantiates an assertion (`forall_inst`), proves what the instance presupposes from facts
//! that were derived before and from the values of numbers and Booleans, and resolves the instance with that until only its head
//! remains. Facts are kept with values as arguments; `cong` leads from the terms of an instance to them.
//!
//! Linear arithmetic is proved by `la_generic`, products and quotients by their simplifications. The format has no rules for the
//! values of terms over arrays, words and datatypes: such a value is a `hole`. [`Alethe::holes`] counts them.
//!
//! Nothing is believed: whatever a step needs is evaluated here on the terms of the file, and where that does not fit the derivation
//! there is no proof.

mod arithmetic;
mod extract;
mod print;
mod prove;
mod terms;
mod values;

use bolide::report::{ClauseRefutation, Evidence, Report};
use bolide_base::{Budget, Interrupt};
use prove::Prover;
use std::fmt;

/// A proof in the Alethe format.
#[derive(Clone, Debug)]
pub struct Alethe {
    /// The proof.
    pub text: String,
    /// The number of its steps.
    pub steps: usize,
    /// How many of them are holes.
    pub holes: usize,
}

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// The report is no refutation of Horn clauses.
    NoDerivation,
    /// The clauses are in a form that the format does not know.
    Unread,
    /// A term is nested too deeply.
    Deep,
    /// Variables with the same name are not told apart.
    Names,
    /// A step of the derivation, with its number, could not be proved.
    Step(usize),
    /// The budget has run out.
    Interrupted(Interrupt),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::NoDerivation => f.write_str("nothing contradictory was derived from clauses"),
            Flaw::Unread => f.write_str("the text is not one of assertions as SMT-LIB has them"),
            Flaw::Deep => f.write_str("a term is nested too deeply"),
            Flaw::Names => f.write_str("variables with the same name are not told apart"),
            Flaw::Step(n) => write!(f, "step {n} of the derivation has a form that is not covered"),
            Flaw::Interrupted(interrupt) => write!(f, "{interrupt}"),
        }
    }
}

impl std::error::Error for Flaw {}

/// The derivation of a report as a proof in the Alethe format.
pub fn alethe(report: &Report, budget: &Budget) -> Result<Alethe, Flaw> {
    match &report.evidence {
        Evidence::Derivation(refutation) => of_refutation(refutation, budget),
        _ => Err(Flaw::NoDerivation),
    }
}

fn of_refutation(refutation: &ClauseRefutation, budget: &Budget) -> Result<Alethe, Flaw> {
    let mut prover = Prover::new(&refutation.text)?;
    for (n, step) in refutation.steps.iter().enumerate() {
        budget.check().map_err(Flaw::Interrupted)?;
        prover.derive(n, step)?;
    }
    Ok(prover.finish())
}
