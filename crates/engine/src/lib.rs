//! The verification engines of Bolide and their verdicts.

pub mod circuit;
pub mod horn;
pub mod program;
mod verdict;

pub use verdict::Verdict;
