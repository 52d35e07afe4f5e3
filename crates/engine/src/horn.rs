//! Engines for Horn clauses: each answers with an interpretation or a derivation of the system it was given.
//!
//! [`solve`] is the whole way: prepare the system, run an engine, bring its evidence back to the system that was
//! given, and check it there. **No answer leaves this module unchecked**: an interpretation is checked clause by
//! clause with fresh solvers, a derivation is replayed by evaluation.

pub mod annotate;
mod bits;
pub mod bmc;
mod calls;
mod check;
mod control;
mod folds;
mod frames;
pub mod imc;
pub mod kind;
mod linear;
pub mod pdr;
mod program;
mod solve;
pub mod tpa;
mod transition_system;

pub use crate::Engine;
pub use calls::solve_calls;
pub use check::{check_derivation, check_interpretation, separate};
pub use control::has_program_counter;
pub use frames::Learning;
pub use program::{Solution, solve_program, solve_with_summaries};
pub use solve::{Locations, Settings, solve, solve_with};

use crate::{Checked, Replayed, Verdict};
use bolide_model::horn::{Derivation, Interpretation};

/// What an engine says of the system it was given, before anybody has checked it.
pub type HornClaim = Verdict<Interpretation, Derivation>;

/// The verdict about a system of clauses: safe if it is satisfiable.
pub type HornVerdict = Verdict<Checked<Interpretation>, Replayed<Derivation>>;
