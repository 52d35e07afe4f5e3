//! Engines on programs: one procedure whose edges are steps, as [`bolide_model::program::pass::prepare`] leaves it.
//!
//! | module | what it holds |
//! |---|---|
//! | `sample` | random executions: states that occur, and easy errors |
//! | `conjecture` | inductive facts of simple forms, guessed from samples |
//! | `polynomial` | polynomial equations of samples |
//! | `divisibility` | divisors, quotients and remainders of samples |
//! | `guess_calls` | the same for procedures, from executions with calls |
//! | `recurrences` | results of recursive functions, value by value of an argument |
//! | `modular` | equations modulo the sizes of machine integers |
//! | `order` | which leaf of an unwinding is looked at next |
//! | `art` | the unwinding: an arena of vertices with labels and the cover relation |
//! | `entailment` | memoised entailment between labels |
//! | `literal` | bounds on expressions, compared without a solver |
//! | `push` | facts along a branch by weakest preconditions |
//! | `counters` | variables that count the rounds of loops |
//! | `track` | variables whose constants new vertices start with |
//! | `path` | paths in single-assignment form: feasibility, interpolants, traces |
//! | `refine` | where interpolants come from, and what is done when they diverge |
//! | `drop_arrays` | paths without what they say about arrays, where that does not matter |
//! | [`impact`] | lazy abstraction with interpolants (McMillan, CAV 2006) |
//! | `picture` | the unwinding for reports |
//! | [`relax`] | lazy predicate abstraction (Henzinger et al., POPL 2002 and 2004; Jhala and McMillan, TACAS 2006) |
//! | `evidence` | checking of invariants and traces |
//! | [`no_overflow`] | machine integers by way of mathematical ones |
//! | [`affine`] | equations over the field of two elements between the bits of words |

pub mod affine;
mod algebra;
mod art;
mod conjecture;
mod counters;
mod divisibility;
mod drop_arrays;
mod entailment;
mod evidence;
pub(crate) mod guess_calls;
pub mod impact;
mod literal;
mod modular;
pub mod no_overflow;
mod order;
mod path;
mod picture;
mod polynomial;
mod prefer_inputs;
mod push;
mod recurrences;
mod refine;
pub mod relax;
mod sample;
mod shrink_interpolants;
mod track;

pub(crate) use evidence::partly_represented;
pub use evidence::{InvariantFlaw, check_invariant};
pub use order::Order;
pub use picture::{Picture, PictureVertex};
pub use prefer_inputs::prefer_inputs;
pub use refine::Refine;

use crate::Checked;
use bolide_model::LocId;
use bolide_model::Trace;
use bolide_term::Term;

/// An inductive invariant: a formula over the program's variables for each location; locations that are not listed
/// cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The formulas, ordered by location.
    pub formulas: Vec<(LocId, Term)>,
}

/// What an engine claims about a program: nobody has checked the invariant yet.
pub type ProgramClaim = crate::Verdict<Invariant, Trace>;

/// The verdict on a program. Traces are replayed by those who know the program that was read.
pub type ProgramVerdict = crate::Verdict<Checked<Invariant>, Trace>;
