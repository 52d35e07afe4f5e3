//! Engines for circuits.
//!
//! Every engine takes a circuit and a `Budget` and decides its first property. [`Task`] reduces the circuit,
//! runs an engine, and carries the evidence back to the circuit as it was given; no verdict
//! leaves it that [`check_proof`] or the replay of the trace has not confirmed there.
//!
//! | module | what is there |
//! |---|---|
//! | `cnf` | gates as clauses |
//! | `unroll`, `suffix_unrolling` | the steps of a run in one graph |
//! | `correspond` | signals that are always equal |
//! | `check` | confirms evidence with a fresh solver |
//! | `cube`, `lift` | sets of states, and from a state to such a set |
//! | `query` | one step and lemmas about states in that solver |
//! | [`pdr`] | property directed reachability (IC3) |
//! | `interpolate`, `clausal`, `unrolled_solver` | interpolants as circuits, from proofs and without |
//! | `images` | over-approximate images by interpolation |
//! | [`imc`] | McMillan's interpolation-based model checking |
//! | [`itpseq`] | interpolation sequences |
//! | [`approx`] | approximation refinement |
//! | [`bmc`] | bounded model checking |
//! | [`kind`] | k-induction |
//! | `preprocess` | reduction and the way back |
//! | `task` | from a circuit to a confirmed verdict |

pub mod approx;
pub mod bmc;
mod check;
mod clausal;
mod cnf;
mod correspond;
mod cube;
mod images;
pub mod imc;
mod interpolate;
pub mod itpseq;
pub mod kind;
mod lift;
pub mod pdr;
mod preprocess;
mod query;
mod suffix_unrolling;
mod task;
mod unroll;
mod unrolled_solver;

pub use crate::Engine;
pub use check::{CheckError, check_proof};
pub use images::Method;
pub use interpolate::System;
pub use task::{Runs, Task, check_trace, verify};

use crate::{Checked, Replayed, Verdict};
use bolide_model::circuit::{Formula, Trace};

/// What an engine says of a circuit, before anybody has checked it.
pub type Outcome = Verdict<Proof, Trace>;

/// The verdict about a property of a circuit.
pub type CircuitVerdict = Verdict<Checked<Proof>, Replayed<Trace>>;

/// Why a circuit is safe: a formula over its latches and inputs that holds in every step of every run.
///
/// It holds in the first `depth` steps; it holds in a step if it held in the `depth` steps before; and it excludes the
/// bad state. With depth 1 this is an inductive invariant. A formula that mentions inputs speaks of the inputs of the
/// same step.
#[derive(Clone, Debug)]
pub struct Proof {
    /// What always holds.
    pub invariant: Formula,
    /// How many steps the induction looks back, at least 1.
    pub depth: usize,
}

impl Proof {
    /// A proof by plain induction.
    pub fn inductive(invariant: Formula) -> Proof {
        Proof { invariant, depth: 1 }
    }
}
