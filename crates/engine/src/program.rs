//! Engines on programs: one procedure whose edges are steps, as [`bolide_model::pass::prepare`] leaves it.
//!
//! | module | what it holds |
//! |---|---|
//! | `sample` | random executions: states that occur, and easy errors |
//! | `conjecture` | inductive facts of simple forms, guessed from samples |
//! | `art` | the unwinding: an arena of vertices with labels and the cover relation |
//! | `entailment` | memoised entailment between labels |
//! | `path` | paths in single-assignment form: feasibility, interpolants, traces |
//! | [`impact`] | lazy abstraction with interpolants (McMillan, CAV 2006) |
//! | `picture` | the unwinding for reports |
//! | `evidence` | checking of invariants and traces |
//! | [`unwrapped`] | machine integers by way of mathematical ones |

mod art;
mod conjecture;
mod entailment;
mod evidence;
pub mod impact;
mod path;
mod picture;
mod sample;
pub mod unwrapped;

pub use evidence::{InvariantFlaw, check_invariant};
pub use picture::{Picture, PictureVertex};

use bolide_model::LocId;
use bolide_model::pass::Trace;
use bolide_term::Term;

/// An inductive invariant: a formula over the program's variables for each location; locations that are not listed
/// cannot be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invariant {
    /// The formulas, ordered by location.
    pub formulas: Vec<(LocId, Term)>,
}

/// The verdict on a program.
pub type ProgramVerdict = crate::Verdict<Invariant, Trace>;
