//! The ways back: from what was found out about a prepared program to the program that was given.
//!
//! Every pass in [`pass`](super::pass) leaves a [`BackMap`], which takes traces back ([`trace_back`]). Invariants go back through
//! [`Recorded`], which keeps what the passes made. Summaries of procedures come from solutions of clauses, so their way back is there.

mod eliminate;
mod fill_blocks;
pub(super) mod invariant;
pub(super) mod map;
pub(super) mod prophecy;

pub use fill_blocks::Separate;
pub(crate) use invariant::Claims;
pub use invariant::{Annotation, NoWayBack, Recorded, cut_points, loop_heads, prepare_recorded};
pub use map::{BackMap, Context, Origin};
pub use prophecy::{Prophecy, When};

use crate::{LocId, ProcId, Trace};
use bolide_term::Store;

/// A location of a procedure.
pub type ProcLoc = (ProcId, LocId);

/// Takes a trace through a stack of back maps, the last one first.
pub fn trace_back(store: &Store, maps: &[BackMap], trace: Trace) -> Option<Trace> {
    maps.iter().rev().try_fold(trace, |t, m| m.trace(store, &t))
}
