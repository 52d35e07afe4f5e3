//! Passes on programs. Each returns the new program and a [`BackMap`] to the one it was given.
//!
//! Variables, inputs and properties keep their indices through every pass; procedures too. Locations and edges are
//! renumbered, and the back map knows where they came from.

mod abstraction;
pub(super) mod blocks;
mod entry_values;
pub(super) mod inline;
mod interval;
pub(super) mod narrow;
pub(super) mod prune;
mod recursion;
mod scalarise;
mod shared_map;
mod skip_calls;
mod slice;
mod specialise;
mod symbolic;
mod tidy;
mod track;
pub(crate) mod words;

pub use abstraction::Abstraction;
pub use blocks::large_blocks;
pub use entry_values::{EntryValues, remember_entry};
pub use inline::{InlineError, inline, inlined_size};
pub use interval::Interval;
pub use narrow::{bounds, drop_wraps, narrow, split_wraps};
pub(crate) use prune::can_err;
pub use prune::prune;
pub use recursion::{Bounded, bound_recursion};
pub use scalarise::scalarise;
pub use skip_calls::skip_calls;
pub use slice::slice;
pub use specialise::specialise;
pub use symbolic::Symbolic;
pub use tidy::tidy;
pub use track::Tracking;
pub use words::{OnWords, in_words};

use super::back::BackMap;
use crate::{ProcId, Program, Span};
use bolide_base::{Budget, IdVec};
use bolide_term::Store;

/// Programs that inline to more locations are cut into large blocks before.
pub(super) const BLOCKS_FIRST: usize = 100_000;

/// Locations are split by the constants of variables into at most about so many copies.
const SPECIALISED: usize = 100_000;

/// How often arrays are replaced by their cells.
const SCALAR_ROUNDS: usize = 4;

/// A program that was prepared, with the maps of the passes in their order: a trace of it goes back through the last one
/// first.
pub type Prepared = (Program, Vec<BackMap>);

/// What an edge of a prepared program stands for.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Blocks {
    /// All paths from one loop head to the next; see [`large_blocks`].
    #[default]
    Large,
    /// The same, but locations are not split by constants.
    Unsplit,
    /// What it stood for in the program as it was read, mostly one statement. Locations are not split by constants
    /// either: the unwinding has to find everything out.
    Single,
}

/// The usual preparation for an engine that wants one procedure: inline, prune, slice, narrow, scalarise, specialise,
/// split wraps, large blocks, tidy, and slice once more. Where inlining would copy too much, procedures become large blocks
/// before they are copied.
pub fn prepare(
    store: &mut Store,
    program: &Program,
    limit: usize,
    budget: &Budget,
) -> Result<Prepared, PrepareError> {
    prepare_blocks(store, program, Blocks::Large, limit, budget)
}

/// As [`prepare`], with a choice of blocks.
pub fn prepare_blocks(
    store: &mut Store,
    program: &Program,
    blocks: Blocks,
    limit: usize,
    budget: &Budget,
) -> Result<Prepared, PrepareError> {
    let mut log = Log::default();
    let p = simplify(store, program, blocks, limit, budget, &mut log)?;
    let p = finish(store, p, narrow::SPLIT, blocks, budget, &mut log)?;
    Ok((p, log.maps))
}

/// The preparation for [`unwind`](crate::program::unwind): everything that makes a program simpler. Wraps stay as they are, edges
/// are what they were.
pub fn prepare_unwinding(
    store: &mut Store,
    program: &Program,
    limit: usize,
    budget: &Budget,
) -> Result<Prepared, PrepareError> {
    let mut log = Log::default();
    let p = simplify(store, program, Blocks::Unsplit, limit, budget, &mut log)?;
    Ok((p, log.maps))
}

/// The preparation for [`OnWords`]: wraps stay, as they cost words nothing, blocks are large, and locations are not split by constants,
/// which take fewer bits than copies of locations. `None` if the program is not about bounded integers, or has calls.
pub fn prepare_words(
    store: &mut Store,
    program: &Program,
    limit: usize,
    budget: &Budget,
) -> Result<Option<(OnWords, Vec<BackMap>)>, PrepareError> {
    let mut log = Log::default();
    let p = simplify(store, program, Blocks::Unsplit, limit, budget, &mut log)?;
    let p = finish(store, p, narrow::KEEP, Blocks::Unsplit, budget, &mut log)?;
    let found = if p.main().has_calls() { None } else { words::on_words(store, &p, budget)? };
    Ok(found.map(|on_words| (on_words, log.maps)))
}

/// The same program prepared twice: as it is, and under the assumption that machine integers never wrap; see
/// [`drop_wraps`]. The two differ in nothing else. The second one is made only of programs without calls, since no engine
/// uses it otherwise.
pub fn prepare_both(
    store: &mut Store,
    program: &Program,
    blocks: Blocks,
    limit: usize,
    budget: &Budget,
) -> Result<(Prepared, Option<Prepared>), PrepareError> {
    let mut log = Log::default();
    let p = simplify(store, program, blocks, limit, budget, &mut log)?;
    let no_overflow = match p.main().has_calls() {
        true => None,
        false => {
            let mut log = log.clone();
            let program = finish(store, p.clone(), narrow::DROP, blocks, budget, &mut log)?;
            Some((program, log.maps))
        }
    };
    let p = finish(store, p, narrow::SPLIT, blocks, budget, &mut log)?;
    Ok(((p, log.maps), no_overflow))
}

/// What passes leave behind.
#[derive(Clone, Default)]
pub(super) struct Log {
    /// Their maps.
    pub(super) maps: Vec<BackMap>,
    /// Is the rest wanted, too?
    pub(super) is_recording: bool,
    /// The programs that they made.
    pub(super) programs: Vec<Program>,
    /// The intervals that they found in each procedure.
    pub(super) states: Vec<Option<IdVec<ProcId, narrow::States>>>,
}

impl Log {
    pub(super) fn keep(&mut self, (program, map): (Program, BackMap)) -> Program {
        self.maps.push(map);
        if self.is_recording {
            self.programs.push(program.clone());
            self.states.push(None);
        }
        program
    }

    pub(super) fn narrow(
        &mut self,
        store: &mut Store,
        program: &Program,
        wraps: narrow::Wraps,
        budget: &Budget,
    ) -> Result<Program, bolide_base::Interrupt> {
        let (new, map, states) = narrow::run(store, program, wraps, budget)?;
        let new = self.keep((new, map));
        if let Some(last) = self.states.last_mut() {
            *last = Some(states);
        }
        Ok(new)
    }
}

/// Everything up to the treatment of wraps.
pub(super) fn simplify(
    store: &mut Store,
    program: &Program,
    blocks: Blocks,
    limit: usize,
    budget: &Budget,
    log: &mut Log,
) -> Result<Program, PrepareError> {
    let mut p = log.keep(prune(store, program));
    if inlined_size(&p) > BLOCKS_FIRST {
        p = log.narrow(store, &p, narrow::KEEP, budget)?;
        p = log.keep(prune(store, &p));
        p = log.keep(large_blocks(store, &p, budget)?);
    }
    p = log.keep(inline(store, &p, limit)?);
    p = log.keep(prune(store, &p));
    p = log.keep(slice(store, &p));
    p = log.narrow(store, &p, narrow::KEEP, budget)?;
    p = log.keep(prune(store, &p));
    // Each round may show the addresses that the next one needs.
    for _ in 0..SCALAR_ROUNDS {
        let Some(scalars) = scalarise(store, &p) else { break };
        p = log.keep(scalars);
        p = log.keep(tidy(store, &p));
        p = log.keep(slice(store, &p));
        p = log.narrow(store, &p, narrow::KEEP, budget)?;
        p = log.keep(prune(store, &p));
    }
    p = log.keep(slice(store, &p));
    if blocks == Blocks::Large {
        p = log.keep(specialise(store, &p, SPECIALISED, budget)?);
        p = log.keep(prune(store, &p));
        p = log.keep(slice(store, &p));
    }
    Ok(p)
}

/// Treats the wraps and builds the blocks.
pub(super) fn finish(
    store: &mut Store,
    program: Program,
    wraps: narrow::Wraps,
    blocks: Blocks,
    budget: &Budget,
    log: &mut Log,
) -> Result<Program, bolide_base::Interrupt> {
    let mut p = log.narrow(store, &program, wraps, budget)?;
    p = log.keep(prune(store, &p));
    if blocks != Blocks::Single {
        p = log.keep(large_blocks(store, &p, budget)?);
        p = log.keep(tidy(store, &p));
    }
    p = log.keep(slice(store, &p));
    p = log.keep(prune(store, &p));
    if words::has_floats(store, &p) {
        p = log.keep(words::words(store, &p));
    }
    Ok(p)
}

/// Why a program could not be prepared.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
