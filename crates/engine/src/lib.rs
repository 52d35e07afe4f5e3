//! The verification engines of Bolide and their verdicts.

pub mod circuit;
mod verdict;

pub use verdict::Verdict;
