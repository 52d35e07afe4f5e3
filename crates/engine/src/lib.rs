//! The verification engines of Bolide and their verdicts.

mod verdict;

pub use verdict::Verdict;

pub mod horn;
