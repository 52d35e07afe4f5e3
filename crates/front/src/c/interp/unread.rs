//! Nests of loops that go round more often than any execution can, and that compute nothing that is read.
//!
//! Where strides do not help, a nest of counting loops ([`nest`]) is left out as a whole: it is known how often each loop goes round, so its
//! counters get the values that they have in the end. What else it writes is *unknown* from then on. That is no guess: an execution that reads
//! such a variable before it is written again ends there ([`Stuck`](super::Stuck)), so a verdict never depends on it.

mod nest;

use super::{Bytes, Happening, Interpreter, Place};
use crate::c::hir::{BlockId, CmpOp, Expr, ExprId, FuncId, Storage, VarId};
use nest::{Condition, Loop, Nest};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A nest of fewer rounds is executed: those that strides do not skip, and a few hundred for a loop whose rounds they may skip. No execution
/// takes so many steps.
pub(super) const MOST_ROUNDS: u128 = 1 << 27;
/// What a loop costs whose rounds may be skipped.
const STRIDE: u128 = 256;
/// A way of so many rounds of inner loops is too long to be skipped.
const LONGEST_WAY: u128 = 2_000;
/// Rounds of a loop are no longer expected to be skipped after so many that could not be.
const FRUITLESS: u32 = 100_000;

/// Why an execution ends.
pub(super) const UNREAD: &str = "a value is read that loops compute in more rounds than can be executed";

/// The nests of an execution.
#[derive(Default)]
pub(super) struct Nests {
    /// By the head of the outermost loop, and the block that leads back to it: the nest, if it is one.
    known: FxHashMap<(FuncId, BlockId, BlockId), Option<Rc<Nest>>>,
    /// How often the execution has come back to a head.
    visits: FxHashMap<(FuncId, BlockId), u64>,
    /// How long some loop has gone round although its rounds could not be skipped.
    fruitless: u32,
}

impl Nests {
    /// An execution starts. What is known of the text stays.
    pub fn start(&mut self) {
        self.visits.clear();
        self.fruitless = 0;
    }
}

/// Static variables whose values are not known.
#[derive(Clone, Default)]
pub(super) struct Unread {
    statics: FxHashSet<VarId>,
    /// Is there any variable of an active function of which that is so, or was there?
    has_locals: bool,
}

/// What a nest does.
struct Effect {
    rounds: u64,
    /// How many rounds would be executed.
    cost: u128,
    counters: Vec<(VarId, i128)>,
}

impl Interpreter<'_> {
    /// Leaves out the rest of a nest, from the head of its outermost loop, to which a jump has led back. Are there no more rounds of it?
    pub(super) fn leave_out(&mut self, from: BlockId, head: BlockId) -> bool {
        let func = self.frame().func;
        let visits = self.nests.visits.entry((func, head)).or_default();
        *visits += 1;
        // Rarely, so that it costs next to nothing.
        if !visits.is_power_of_two() || self.unit.guards_memory {
            return false;
        }
        self.nests.fruitless = self.nests.fruitless.max(self.rounds.patience(&(func, head)));
        if u128::from(self.nests.fruitless) < self.fewest_left_out.min(FRUITLESS.into()) {
            return false;
        }
        let key = (func, head, from);
        if !self.nests.known.contains_key(&key) {
            let found = nest::read(self.unit, &self.layout, func, head, from).map(Rc::new);
            self.nests.known.insert(key, found);
        }
        let Some(nest) = self.nests.known[&key].clone() else { return false };
        let Some(effect) = self.effect(func, &nest.outermost, None) else { return false };
        if effect.rounds == 0 || effect.cost < self.fewest_left_out {
            return false;
        }
        let span = self.unit.funcs[func].blocks[head].span;
        self.record(span, Happening::Rounds(effect.rounds));
        for &v in &nest.others {
            match self.unit.vars[v].storage {
                Storage::Static => _ = self.unread.statics.insert(v),
                Storage::Auto(_) => {
                    self.unread.has_locals = true;
                    self.frame().unread.insert(v);
                }
            }
        }
        for (v, value) in effect.counters {
            let place = Place::var(v, self.unit.vars[v].ty);
            // A counter is a variable of its own, at a place that is known.
            let is_named = !self.unit.vars[v].name.contains('$');
            if self.store(&place, value).is_ok() && is_named {
                self.record_store(&place, value, span, false);
            }
        }
        true
    }

    /// What a loop does, from its head, where the counter has some value, or the one that it has now; `None` if that is not known.
    fn effect(&mut self, func: FuncId, l: &Loop, start: Option<i128>) -> Option<Effect> {
        let counter = l.step.variable;
        let first = match start {
            Some(value) => value,
            None => self.known_value(counter)?,
        };
        let bound = self.known(l.condition.bound)?;
        let rounds = rounds(&l.condition, first, l.step.offset, bound)?;
        let last = first.checked_add(l.step.offset.checked_mul(rounds.into())?)?;
        let (low, high) = (first.min(last), first.max(last));
        if !l.condition.sum.is_exact(low, high) {
            return None;
        }
        if rounds > 0 {
            let before = last - l.step.offset;
            l.step.is_exact(first.min(before), first.max(before)).then_some(())?;
        }
        let mut counters = vec![(counter, last)];
        let (mut one_round, mut inner_rounds): (u128, u128) = (1, 0);
        // How deep loops are in each other has a limit.
        for inner in &l.inner {
            let start = self.known(inner.start?)?;
            let effect = self.effect(func, inner, Some(start))?;
            one_round = one_round.saturating_add(effect.cost);
            inner_rounds = inner_rounds.saturating_add(effect.rounds.into());
            if rounds > 0 {
                counters.extend(effect.counters);
            }
        }
        let is_fruitless = self.rounds.patience(&(func, l.head)) >= FRUITLESS;
        let steps = match is_fruitless || inner_rounds > LONGEST_WAY {
            true => u128::from(rounds),
            false => u128::from(rounds).min(STRIDE),
        };
        Some(Effect { rounds, cost: steps.saturating_mul(one_round), counters })
    }

    /// The value of a variable, if it is known.
    fn known_value(&mut self, v: VarId) -> Option<i128> {
        let place = Place::var(v, self.unit.vars[v].ty);
        let at = self.locate(&place).ok()?;
        if self.is_unread(&at) { None } else { self.load(&place).ok() }
    }

    /// The value of an expression that reads whole variables, if all of them are known.
    fn known(&mut self, e: ExprId) -> Option<i128> {
        for e in self.unit.post_order([e]) {
            if let Expr::Load(place) = &self.unit.exprs[e].expr {
                let at = self.locate(place).ok()?;
                (!self.is_unread(&at)).then_some(())?;
            }
        }
        self.eval(e).ok()
    }

    /// Is what bytes hold not known?
    pub(super) fn is_unread(&self, at: &Bytes) -> bool {
        match at {
            Bytes::Memory(_) => false,
            Bytes::Static(v, _) => self.unread.statics.contains(v),
            Bytes::Local(v, _) => {
                self.unread.has_locals && self.frames.last().is_some_and(|f| f.unread.contains(v))
            }
        }
    }

    /// Some bytes are written: if that are all of a variable, it is known again.
    pub(super) fn note_known(&mut self, at: &Bytes, size: u64) {
        if let Bytes::Static(v, 0) | Bytes::Local(v, 0) = *at
            && self.unit.types.size_of(self.unit.vars[v].ty) == Some(size)
        {
            match at {
                Bytes::Static(..) => _ = self.unread.statics.remove(&v),
                _ => _ = self.frame().unread.remove(&v),
            }
        }
    }
}

/// How often a loop goes round whose counter starts with a value and moves by a step, if that is known.
fn rounds(condition: &Condition, first: i128, step: i128, bound: i128) -> Option<u64> {
    let Condition { sum, op, is_left, goes_on, .. } = condition;
    let value = |n: u64| first.checked_add(step.checked_mul(n.into())?)?.checked_add(sum.offset);
    let goes_on_at = |n: u64| {
        let value = value(n)?;
        let (a, b) = if *is_left { (value, bound) } else { (bound, value) };
        let answer = match op {
            CmpOp::Lt => a < b,
            CmpOp::Le => a <= b,
            CmpOp::Eq => a == b,
            CmpOp::Ne => a != b,
        };
        Some(answer == *goes_on)
    };
    if !goes_on_at(0)? {
        return Some(0);
    }
    if step == 0 {
        return None;
    }
    let distance = (bound - value(0)?) / step;
    // The first round in which the answer changes is next to the one in which the bound is met.
    let near = [distance.checked_sub(1)?, distance, distance.checked_add(1)?, distance.checked_add(2)?];
    let near = near.into_iter().filter_map(|n| u64::try_from(n).ok()).filter(|&n| n > 0);
    for n in std::iter::once(1).chain(near) {
        if goes_on_at(n - 1)? && !goes_on_at(n)? {
            return Some(n);
        }
    }
    None
}
