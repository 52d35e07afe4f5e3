//! All executions from a box to the next loop heads.

use super::Bounds;
use super::Failure;
use super::regions::{Mask, Regions, Truth};
use crate::program::live::{Uses, VarSet, effects, live_at};
use crate::program::pass::Interval;
use crate::program::pass::narrow::{Analysis, State, Symbols, depth_first, lookup, set};
use crate::{Edge, EdgeId, LocId, Program};
use bolide_base::{Budget, IdVec, spend};
use bolide_term::Store;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The regions of the variables with regions; those that are not live count as everywhere.
pub(super) type Key = Rc<[Mask]>;

/// More states are not followed at a time, and no more pieces are made of one.
const MOST_STATES: usize = 4_000;

/// The effort of a step that intervals are computed for.
const STEP: u64 = 15;

/// States that have come to a loop head, all in the same regions.
pub(super) struct Piece {
    pub location: LocId,
    pub key: Key,
    pub state: State,
}

/// States on the way, and the regions that they are in.
#[derive(Clone)]
struct Moving {
    state: State,
    masks: Key,
}

/// Follows executions of the entry procedure of a program.
pub(super) struct Sweeper<'a> {
    program: &'a Program,
    symbols: &'a Symbols,
    regions: &'a Regions,
    analysis: Analysis<'a>,
    outgoing: IdVec<LocId, Vec<EdgeId>>,
    live: IdVec<LocId, VarSet>,
    order: IdVec<LocId, u32>,
    is_head: IdVec<LocId, bool>,
    /// Do ways meet there?
    is_join: IdVec<LocId, bool>,
}

impl<'a> Sweeper<'a> {
    pub fn new(
        store: &'a Store,
        program: &'a Program,
        symbols: &'a Symbols,
        regions: &'a Regions,
    ) -> Result<Sweeper<'a>, Failure> {
        let p = program.main();
        if p.edges.iter().any(|e| e.step().is_none()) {
            return Err(Failure::Calls);
        }
        let outgoing = p.outgoing();
        let (order, is_head) = depth_first(p, &outgoing);
        let mut uses = Uses::new(store, program);
        let effects = effects(program, &mut uses);
        let live = live_at(program, &mut uses, &effects)[program.entry].clone();
        Ok(Sweeper {
            program,
            symbols,
            regions,
            analysis: Analysis::new(store, program, program.entry, symbols),
            is_join: p.incoming().iter().map(|edges| edges.len() > 1).collect(),
            outgoing,
            live,
            order,
            is_head,
        })
    }

    /// Where executions start.
    pub fn entry(&self) -> LocId {
        self.program.main().entry
    }

    /// All states.
    pub fn anything(&self) -> State {
        State::new(self.program.vars.len())
    }

    /// The states of a box.
    pub fn state(&self, bounds: &Bounds) -> State {
        let mut state = self.anything();
        bounds.iter().for_each(|&(v, i)| set(self.symbols, &mut state, v, i));
        state
    }

    /// The regions in which states are at a location.
    pub fn key(&self, l: LocId, state: &State) -> Key {
        let mask = |d: &super::regions::Divided| match self.live[l].contains(d.var) {
            true => d.mask(lookup(self.symbols, state, d.var)),
            false => Mask::MAX,
        };
        self.regions.divided.iter().map(mask).collect()
    }

    /// Is each of some states one of others?
    pub fn within(&self, some: &State, others: &State) -> bool {
        others.iter().all(|(v, i)| lookup(self.symbols, some, v).within(&i))
    }

    /// The least box that contains two.
    pub fn join(&self, a: &State, b: &State) -> State {
        self.analysis.join(a, b)
    }

    /// A box that has grown, with the bounds that have done so moved to the ends of their regions.
    pub fn widened(&self, old: &State, new: &State) -> State {
        let mut wide = new.clone();
        for (v, i) in new.iter() {
            let before = lookup(self.symbols, old, v);
            let ends = match self.regions.slots[v].map(|slot| &self.regions.divided[slot]) {
                Some(d) => {
                    let mask = d.mask(i);
                    let last = 63 - mask.leading_zeros() as usize;
                    Interval {
                        low: d.interval(mask.trailing_zeros() as usize).low,
                        high: d.interval(last).high,
                    }
                }
                None => Interval::ALL,
            };
            let low = if i.low == before.low { i.low } else { ends.low };
            let high = if i.high == before.high { i.high } else { ends.high };
            set(self.symbols, &mut wide, v, Interval { low, high });
        }
        wide
    }

    /// Follows all executions that start in these states until they come to a loop head. They may not reach an error.
    pub fn sweep(&self, start: LocId, state: State, budget: &Budget) -> Result<Vec<Piece>, Failure> {
        let mut pending: BTreeMap<(u32, LocId), Vec<Moving>> = BTreeMap::new();
        let mut count = 0;
        let mut arrived = Vec::new();
        let mut stack = Vec::new();
        let mut next = Some((start, self.moving(state)));
        loop {
            budget.poll()?;
            let (l, moving) = match next.take() {
                Some(next) => next,
                None => {
                    let Some(mut entry) = pending.first_entry() else { return Ok(arrived) };
                    let l = entry.key().1;
                    let Some(moving) = entry.get_mut().pop() else {
                        entry.remove();
                        continue;
                    };
                    count -= 1;
                    (l, moving)
                }
            };
            if self.program.main().locations[l].error.is_some() {
                return Err(Failure::Error);
            }
            for (to, moving) in self.leave(l, moving, &mut stack)? {
                if self.is_head[to] {
                    self.arrive(to, &moving.state, &mut arrived)?;
                } else if next.is_none() && !self.is_join[to] {
                    next = Some((to, moving));
                } else {
                    let states = pending.entry((self.order[to], to)).or_default();
                    count += usize::from(self.meet(states, to, moving));
                }
            }
            if arrived.len() + count > MOST_STATES {
                return Err(Failure::Open);
            }
        }
    }

    fn moving(&self, state: State) -> Moving {
        let mask = |d: &super::regions::Divided| d.mask(lookup(self.symbols, &state, d.var));
        let masks = self.regions.divided.iter().map(mask).collect();
        Moving { state, masks }
    }

    /// Where states go from a location.
    fn leave(
        &self,
        l: LocId,
        moving: Moving,
        stack: &mut Vec<Truth>,
    ) -> Result<Vec<(LocId, Moving)>, Failure> {
        let mut out = Vec::new();
        let mut work = vec![moving];
        'states: while let Some(moving) = work.pop() {
            let first = out.len();
            if first + work.len() > MOST_STATES {
                return Err(Failure::Open);
            }
            for &e in &self.outgoing[l] {
                let edge = &self.program.main().edges[e];
                let (truth, unsure) = self.regions.decide(e, &moving.masks, stack);
                match (truth, unsure) {
                    (Some(false), _) => {}
                    (Some(true), _) if is_test(edge) => out.push((edge.to, moving.clone())),
                    (None, Some(slot)) => {
                        // Their regions decide: each on its own, from the start.
                        out.truncate(first);
                        self.split(&moving.state, slot, &mut |state| work.push(self.moving(state)));
                        continue 'states;
                    }
                    _ => {
                        spend(STEP);
                        let after = self.analysis.post(&moving.state, edge);
                        out.extend(after.map(|state| (edge.to, self.moving(state))));
                    }
                }
            }
        }
        Ok(out)
    }

    /// The parts of some states in the different regions of a variable.
    fn split(&self, state: &State, slot: usize, each: &mut impl FnMut(State)) {
        let d = &self.regions.divided[slot];
        let whole = lookup(self.symbols, state, d.var);
        let mask = d.mask(whole);
        for region in (0..64).filter(|r| mask >> r & 1 == 1) {
            if let Some(part) = whole.meet(&d.interval(region)) {
                let mut state = state.clone();
                set(self.symbols, &mut state, d.var, part);
                each(state);
            }
        }
    }

    /// States come to a location where others may be: those in the same regions are one set of states from there on.
    /// Are these another one?
    fn meet(&self, states: &mut Vec<Moving>, l: LocId, moving: Moving) -> bool {
        let moving = if self.is_join[l] { self.moving(self.live_part(l, &moving.state)) } else { moving };
        let other = states.iter_mut().find(|other| other.masks == moving.masks);
        let is_new = other.is_none();
        match other {
            Some(other) => other.state = self.join(&other.state, &moving.state),
            None => states.push(moving),
        }
        is_new
    }

    /// What is known of the variables that may be read later.
    fn live_part(&self, l: LocId, state: &State) -> State {
        state.retain(|v| self.live[l].contains(v))
    }

    /// States come to a loop head.
    fn arrive(&self, l: LocId, state: &State, into: &mut Vec<Piece>) -> Result<(), Failure> {
        let mut pieces = vec![self.live_part(l, state)];
        for (slot, d) in self.regions.divided.iter().enumerate() {
            if !self.live[l].contains(d.var) {
                continue;
            }
            let mut parts = Vec::with_capacity(pieces.len());
            pieces.iter().for_each(|piece| self.split(piece, slot, &mut |part| parts.push(part)));
            if parts.len() > MOST_STATES {
                return Err(Failure::Open);
            }
            pieces = parts;
        }
        into.extend(pieces.into_iter().map(|state| Piece { location: l, key: self.key(l, &state), state }));
        Ok(())
    }
}

/// Does an edge change nothing?
fn is_test(edge: &Edge) -> bool {
    edge.step().is_some_and(|s| s.assigns.is_empty())
}
