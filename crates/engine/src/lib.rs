//! The verification engines of Bolide and their verdicts.

pub mod board;
pub mod circuit;
pub mod horn;
mod portfolio;
pub mod program;
mod registry;
mod verdict;

pub use portfolio::{Candidate, Finish, Run, portfolio};
pub use registry::{ENGINES, Engine, EngineOption, Entry, Input};
pub use verdict::{Checked, Reason, ReasonCode, Replayed, Verdict};
