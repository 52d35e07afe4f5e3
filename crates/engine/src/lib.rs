//! The verification engines of Bolide and their verdicts.

pub mod circuit;
pub mod horn;
mod portfolio;
pub mod program;
mod verdict;

pub use portfolio::{Candidate, Finish, Run, portfolio};
pub use verdict::Verdict;
