//! Passes on programs. Each returns the new program and a [`BackMap`] to the one it was given.
//!
//! Variables, inputs and properties keep their indices through every pass; procedures too. Locations and edges are
//! renumbered, and the back map knows where they came from.

mod backmap;
mod blocks;
mod inline;
mod interval;
mod narrow;
mod prune;
mod slice;
mod specialise;

pub use backmap::{BackMap, Context, Origin, Trace, TraceStep};
pub use blocks::large_blocks;
pub use inline::{InlineError, inline, inlined_size};
pub use interval::Interval;
pub use narrow::{bounds, drop_wraps, narrow, split_wraps};
pub(crate) use prune::can_err;
pub use prune::prune;
pub use slice::slice;
pub use specialise::specialise;

use crate::{Program, Span};
use bolide_base::Budget;
use bolide_term::Store;

/// Programs that inline to more locations are cut into large blocks before.
const BLOCKS_FIRST: usize = 100_000;

/// Locations are split by the constants of variables into at most about so many copies.
const SPECIALISED: usize = 100_000;

/// The usual preparation for an engine that wants one procedure: inline, prune, slice, narrow, specialise, split wraps,
/// large blocks, and slice once more. Where inlining would copy too much, procedures become large blocks before they
/// are copied. The maps are in the order of the passes: a trace of the result goes back through the last one first.
pub fn prepare(
    store: &mut Store,
    program: &Program,
    limit: usize,
    budget: &Budget,
) -> Result<(Program, Vec<BackMap>), PrepareError> {
    prepare_with(store, program, limit, split_wraps, budget)
}

/// The same, under the assumption that machine integers never wrap; see [`drop_wraps`].
pub fn prepare_unwrapped(
    store: &mut Store,
    program: &Program,
    limit: usize,
    budget: &Budget,
) -> Result<(Program, Vec<BackMap>), PrepareError> {
    prepare_with(store, program, limit, drop_wraps, budget)
}

/// A pass that may be interrupted.
type Pass = fn(&mut Store, &Program, &Budget) -> Result<(Program, BackMap), bolide_base::Interrupt>;

fn prepare_with(
    store: &mut Store,
    program: &Program,
    limit: usize,
    wraps: Pass,
    budget: &Budget,
) -> Result<(Program, Vec<BackMap>), PrepareError> {
    let mut maps = Vec::new();
    let mut keep = |(p, m): (Program, BackMap)| {
        maps.push(m);
        p
    };
    let mut p = keep(prune(store, program));
    if inlined_size(&p) > BLOCKS_FIRST {
        p = keep(narrow(store, &p, budget)?);
        p = keep(prune(store, &p));
        p = keep(large_blocks(store, &p));
    }
    p = keep(inline(store, &p, limit)?);
    p = keep(prune(store, &p));
    p = keep(slice(store, &p));
    p = keep(narrow(store, &p, budget)?);
    p = keep(prune(store, &p));
    p = keep(slice(store, &p));
    p = keep(specialise(store, &p, SPECIALISED, budget)?);
    p = keep(prune(store, &p));
    p = keep(slice(store, &p));
    p = keep(wraps(store, &p, budget)?);
    p = keep(prune(store, &p));
    p = keep(large_blocks(store, &p));
    p = keep(slice(store, &p));
    p = keep(prune(store, &p));
    Ok((p, maps))
}

/// Takes a trace through a stack of back maps, the last one first.
pub fn trace_back(store: &Store, maps: &[BackMap], trace: Trace) -> Option<Trace> {
    maps.iter().rev().try_fold(trace, |t, m| m.trace(store, &t))
}

/// Why a program could not be prepared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PrepareError {
    /// See [`InlineError`].
    Inline(InlineError),
    /// The budget ran out.
    Interrupted(bolide_base::Interrupt),
}

impl From<InlineError> for PrepareError {
    fn from(e: InlineError) -> Self {
        PrepareError::Inline(e)
    }
}

impl From<bolide_base::Interrupt> for PrepareError {
    fn from(e: bolide_base::Interrupt) -> Self {
        PrepareError::Interrupted(e)
    }
}

impl std::fmt::Display for PrepareError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PrepareError::Inline(e) => e.fmt(f),
            PrepareError::Interrupted(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for PrepareError {}

/// The empty span, for what a pass adds.
const NOWHERE: Span = Span { start: 0, end: 0 };
