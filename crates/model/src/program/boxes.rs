//! Proofs by boxes: sets of states, each a product of intervals, that executions do not leave at the heads of loops.
//!
//! Programs that react to inputs keep their state in variables of which only the *region* matters: between which of the
//! constants that guards compare them with they lie. Boxes of one location are kept apart by the regions of the live
//! variables and joined within them, so that guards are decided in each of them and what a reaction computes is seen
//! for each state on its own (trace partitioning: Mauborgne and Rival, *Trace Partitioning in Abstract Interpretation
//! Based Static Analyzers*, ESOP 2005). Where a box keeps growing, it is widened within its region.
//!
//! | module | what it holds |
//! |---|---|
//! | `regions` | the regions of variables, and guards decided by them |
//! | `sweep` | all executions from a box to the next loop heads |
//! | `text` | boxes as they are written |
//!
//! [`find`] looks for boxes; [`check`] takes none of its work for granted and only follows the executions that start in each of them.

mod regions;
mod sweep;
mod text;

pub use text::{read, write};

use crate::program::pass::Interval;
use crate::program::pass::narrow::{State, Symbols};
use crate::{Edge, LocId, Program, VarId};
use bolide_base::{Budget, IdVec, Interrupt};
use bolide_term::Store;
use indexmap::IndexMap;
use regions::Regions;
use rustc_hash::FxBuildHasher;
use std::collections::VecDeque;
use sweep::{Key, Piece, Sweeper};

/// How often a box may grow before it is widened, one attempt after the other.
const DELAYS: [u32; 3] = [8, 64, 512];

/// More boxes are not kept.
const MOST_BOXES: usize = 20_000;

/// Programs with fewer guards are left to others.
const LEAST_GUARDS: usize = 40;

/// States with these intervals; a variable without one has any value of its type.
pub type Bounds = Vec<(VarId, Interval)>;

/// Boxes at the heads of the loops of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boxes(pub Vec<(LocId, Bounds)>);

/// Why boxes do not prove a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Executions within them may reach an error.
    Error,
    /// Executions leave them, or there would have to be too many.
    Open,
    /// There are calls.
    Calls,
    /// The budget ran out.
    Interrupted(Interrupt),
}

impl From<Interrupt> for Failure {
    fn from(interrupt: Interrupt) -> Self {
        Failure::Interrupted(interrupt)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Error => f.write_str("within the boxes an error may be reached"),
            Failure::Open => f.write_str("executions leave the boxes"),
            Failure::Calls => f.write_str("there are calls"),
            Failure::Interrupted(interrupt) => interrupt.fmt(f),
        }
    }
}

/// Is it likely that boxes prove a program? Most of its guards compare variables with constants then, and there are many of them.
pub fn suits(store: &Store, program: &Program) -> bool {
    let symbols = Symbols::new(store, program);
    let edges = program.procs.iter().flat_map(|p| &p.edges);
    let guards = edges.filter_map(Edge::step).map(|s| s.guard).filter(|&g| g != store.tru());
    let (mut count, mut compare) = (0, 0);
    for guard in guards {
        count += 1;
        compare += usize::from(regions::compares(store, &symbols, guard));
    }
    count >= LEAST_GUARDS && 10 * compare >= 9 * count
}

/// Looks for boxes that no execution of a program without calls leaves, and within which none reaches an error.
pub fn find(store: &Store, program: &Program, budget: &Budget) -> Result<Boxes, Failure> {
    let symbols = Symbols::new(store, program);
    let regions = Regions::new(store, program, &symbols);
    let sweeper = Sweeper::new(store, program, &symbols, &regions)?;
    for delay in DELAYS {
        let mut search = Search { sweeper: &sweeper, delay, boxes: IndexMap::default(), is_widened: false };
        match search.run(budget) {
            Ok(()) => {
                let bounds = |state: &State| state.iter().collect();
                let boxes = search.boxes.iter().map(|((l, _), known)| (*l, bounds(&known.state)));
                return Ok(Boxes(boxes.collect()));
            }
            // Patience helps only if something was lost for want of it.
            Err(Failure::Error) if search.is_widened => {}
            Err(failure) => return Err(failure),
        }
    }
    Err(Failure::Error)
}

/// Checks that no execution of a program without calls leaves the boxes, and that none reaches an error within them.
pub fn check(store: &Store, program: &Program, boxes: &Boxes, budget: &Budget) -> Result<(), Failure> {
    let symbols = Symbols::new(store, program);
    let regions = Regions::new(store, program, &symbols);
    let sweeper = Sweeper::new(store, program, &symbols, &regions)?;
    let mut known: IndexMap<(LocId, Key), State, FxBuildHasher> = IndexMap::default();
    for (l, bounds) in &boxes.0 {
        if l.index() >= program.main().locations.len()
            || bounds.iter().any(|b| b.0.index() >= program.vars.len())
        {
            return Err(Failure::Open);
        }
        let state = sweeper.state(bounds);
        known.insert((*l, sweeper.key(*l, &state)), state);
    }
    let is_known = |piece: &Piece| {
        let place = known.get(&(piece.location, piece.key.clone()));
        place.is_some_and(|state| sweeper.within(&piece.state, state))
    };
    let starts = std::iter::once((program.main().entry, sweeper.anything()));
    let boxes = known.iter().map(|((l, _), state)| (*l, state.clone()));
    for (l, state) in starts.chain(boxes) {
        if !sweeper.sweep(l, state, budget)?.iter().all(is_known) {
            return Err(Failure::Open);
        }
    }
    Ok(())
}

/// A box on its way to containing all states of its region that are reached.
struct Known {
    state: State,
    growths: u32,
}

struct Search<'a> {
    sweeper: &'a Sweeper<'a>,
    delay: u32,
    boxes: IndexMap<(LocId, Key), Known, FxBuildHasher>,
    /// Was anything widened?
    is_widened: bool,
}

impl Search<'_> {
    fn run(&mut self, budget: &Budget) -> Result<(), Failure> {
        let sweeper = self.sweeper;
        let mut work = VecDeque::new();
        let mut waits: IdVec<BoxId, bool> = IdVec::new();
        let entry = sweeper.sweep(sweeper.entry(), sweeper.anything(), budget)?;
        let mut arrived = entry;
        loop {
            for piece in arrived.drain(..) {
                let Some(n) = self.add(piece) else { continue };
                if n.index() == waits.len() {
                    waits.push(false);
                }
                if !std::mem::replace(&mut waits[n], true) {
                    work.push_back(n);
                }
            }
            if self.boxes.len() > MOST_BOXES {
                return Err(Failure::Open);
            }
            let Some(n) = work.pop_front() else { return Ok(()) };
            waits[n] = false;
            let Some(((l, _), known)) = self.boxes.get_index(n.index()) else { continue };
            arrived = sweeper.sweep(*l, known.state.clone(), budget)?;
        }
    }

    /// Adds states; the box that has grown by them, if one has.
    fn add(&mut self, piece: Piece) -> Option<BoxId> {
        let (n, place) = match self.boxes.entry((piece.location, piece.key)) {
            indexmap::map::Entry::Vacant(place) => {
                let n = place.index();
                place.insert(Known { state: piece.state, growths: 0 });
                return Some(BoxId::new(n));
            }
            indexmap::map::Entry::Occupied(place) => (place.index(), place.into_mut()),
        };
        if self.sweeper.within(&piece.state, &place.state) {
            return None;
        }
        let joined = self.sweeper.join(&place.state, &piece.state);
        place.growths += 1;
        let is_patient = place.growths <= self.delay;
        self.is_widened |= !is_patient;
        place.state = if is_patient { joined } else { self.sweeper.widened(&place.state, &joined) };
        Some(BoxId::new(n))
    }
}

bolide_base::index_type! {
    /// A box by its position.
    struct BoxId("b");
}
