//! States of an execution to which it can go back, for searches that try several values for an input.

use super::objects::Objects;
use super::unread::Unread;
use super::{Contents, End, Frame, Interpreter, Known, Oracle, Pages, Rounds};
use crate::c::hir::{BlockId, FuncId, InstrKind, VarId};
use bolide_base::Budget;
use bolide_model::InputId;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// What a variable costs in a snapshot besides its bytes.
const OVERHEAD: usize = 64;

/// A state of an execution.
#[derive(Clone)]
pub struct Snapshot {
    statics: FxHashMap<VarId, Vec<u8>>,
    memory: Pages,
    frames: Vec<Frame>,
    heap_end: i128,
    objects: Objects,
    contents: Contents,
    unread: Unread,
}

impl Snapshot {
    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        let bytes = |objects: &FxHashMap<VarId, Vec<u8>>| -> usize {
            objects.values().map(|o| o.capacity() + OVERHEAD).sum()
        };
        let frames: usize = self.frames.iter().map(|f| bytes(&f.objects) + OVERHEAD).sum();
        bytes(&self.statics) + frames + self.memory.size()
    }
}

/// Where an execution stops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It has ended.
    End(End),
    /// It waits for a value from outside.
    Input(InputId),
}

/// The jumps that executions have taken.
#[derive(Default)]
pub(super) struct Jumps {
    seen: FxHashSet<(Option<FuncId>, FuncId, BlockId, BlockId)>,
    /// Are jumps of a function told apart by its callers?
    with_callers: bool,
    are_new: bool,
}

impl Jumps {
    pub(super) fn note(&mut self, caller: Option<FuncId>, func: FuncId, from: BlockId, to: BlockId) {
        let caller = caller.filter(|_| self.with_callers);
        self.are_new |= self.seen.insert((caller, func, from, to));
    }
}

impl Interpreter<'_> {
    /// Starts the program and stops where it asks for the first input. What variables hold that are not initialised
    /// comes from the oracle.
    pub fn start(&mut self, oracle: &mut impl Oracle, budget: &Budget) -> Stop {
        let begun = self.begin(oracle);
        ended(begun.and_then(|()| self.run_to_input(oracle, budget)))
    }

    /// Goes on with a value for the input that the execution waits for, and stops at the next one.
    pub fn resume(&mut self, value: i128, oracle: &mut impl Oracle, budget: &Budget) -> Stop {
        let next = match self.advance(&mut |_: InputId| value, budget) {
            Ok(None) => self.run_to_input(oracle, budget),
            Ok(Some(end)) => Ok(Stop::End(end)),
            Err(stuck) => Err(stuck),
        };
        ended(next)
    }

    fn run_to_input(&mut self, oracle: &mut impl Oracle, budget: &Budget) -> Known<Stop> {
        loop {
            if let Some(site) = self.awaited() {
                return Ok(Stop::Input(site));
            }
            if let Some(end) = self.advance(oracle, budget)? {
                return Ok(Stop::End(end));
            }
        }
    }

    /// The input that the next instruction stores.
    fn awaited(&self) -> Option<InputId> {
        let frame = self.frames.last()?;
        let block = &self.unit.funcs[frame.func].blocks[frame.block];
        match block.instrs.get(frame.next)?.kind {
            InstrKind::Input(_, site) => Some(site),
            _ => None,
        }
    }

    /// The state of the execution.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            statics: self.statics.clone(),
            memory: self.memory.clone(),
            frames: self.frames.clone(),
            heap_end: self.heap_end,
            objects: self.objects.clone(),
            contents: self.contents.clone(),
            unread: self.unread.clone(),
        }
    }

    /// Goes back to a state.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        (self.debt, self.too_much, self.fault) = (0, None, None);
        self.rounds = Rounds::default();
        self.nests.start();
        self.statics.clone_from(&snapshot.statics);
        self.memory.clone_from(&snapshot.memory);
        self.frames.clone_from(&snapshot.frames);
        self.heap_end = snapshot.heap_end;
        self.objects.clone_from(&snapshot.objects);
        self.contents.clone_from(&snapshot.contents);
        self.unread.clone_from(&snapshot.unread);
    }

    /// A number that states share in which execution stands at the same place with the same values.
    pub fn fingerprint(&self) -> u64 {
        let mut all = FxHasher::default();
        sum(&self.statics).hash(&mut all);
        self.memory.fingerprint().hash(&mut all);
        for frame in &self.frames {
            (frame.func, frame.block, frame.next).hash(&mut all);
            (sum(&frame.objects), sum(&frame.addresses)).hash(&mut all);
        }
        all.finish()
    }

    /// Has an execution taken a jump that none had taken, since this was asked last? From the first time on, jumps are remembered.
    pub fn takes_new_jumps(&mut self) -> bool {
        let jumps = self.jumps.get_or_insert_default();
        std::mem::take(&mut jumps.are_new)
    }

    /// From now on, a jump in a function that is called from somewhere else is another jump.
    pub fn tell_callers_apart(&mut self) {
        self.jumps.get_or_insert_default().with_callers = true;
    }
}

/// A number that depends on the entries of a map and not on their order.
pub(super) fn sum<K: Hash, V: Hash>(map: &FxHashMap<K, V>) -> u64 {
    map.iter().fold(0, |all, entry| {
        let mut one = FxHasher::default();
        entry.hash(&mut one);
        all.wrapping_add(one.finish())
    })
}

fn ended(stop: Known<Stop>) -> Stop {
    stop.unwrap_or_else(|stuck| Stop::End(End::Stuck(*stuck)))
}
