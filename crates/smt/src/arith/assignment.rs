//! The current values of the variables, and the set of variables that may violate a bound.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bolide_base::{IdVec, Rational};

use super::delta::Delta;
use super::types::VarId;

/// Values that always satisfy the equations of the tableau. Changes since the last mark can be undone, which restores
/// an earlier solution of the same equations.
#[derive(Default)]
pub(super) struct Assignment {
    values: IdVec<VarId, Delta>,
    /// The values at the last mark of the variables that changed since.
    changed: Vec<(VarId, Delta)>,
    changed_at: IdVec<VarId, u64>,
    mark: u64,
    /// The variables that may have changed their values since these were last taken.
    moved: Vec<VarId>,
    /// The round in which each variable moved last; one ends when they are taken.
    moved_in: IdVec<VarId, u64>,
    round: u64,
    /// Whether anything has moved in this round, or may have.
    has_moved: bool,
}

impl Assignment {
    /// Makes room for one more variable, at 0.
    pub fn add_var(&mut self) {
        self.values.push(Delta::default());
        self.changed_at.push(0);
        self.moved_in.push(u64::MAX);
    }

    /// Whether a value may have changed since [`take_moved`](Self::take_moved).
    pub fn has_moved(&self) -> bool {
        self.has_moved
    }

    /// The variables that may have changed their values since they were last taken, each once.
    pub fn take_moved(&mut self) -> Vec<VarId> {
        self.round += 1;
        self.has_moved = false;
        std::mem::take(&mut self.moved)
    }

    pub fn get(&self, var: VarId) -> &Delta {
        &self.values[var]
    }

    /// Starts recording changes.
    pub fn mark(&mut self) {
        self.mark += 1;
        self.changed.clear();
    }

    /// Goes back to the values at the last mark; calls `restored` on every variable that had changed.
    pub fn restore(&mut self, mut restored: impl FnMut(VarId, &Delta)) {
        for (var, value) in std::mem::take(&mut self.changed) {
            self.values[var] = value;
            self.moves(var);
            restored(var, &self.values[var]);
        }
        self.has_moved = true;
        self.mark += 1;
    }

    /// Adds `factor * step` to a variable and returns its new value.
    #[inline]
    pub fn shift(&mut self, var: VarId, factor: &Rational, step: &Delta) -> &Delta {
        self.remember(var);
        self.values[var].add_mul(factor, step);
        &self.values[var]
    }

    pub fn set(&mut self, var: VarId, value: Delta) {
        self.remember(var);
        self.values[var] = value;
    }

    #[inline]
    fn remember(&mut self, var: VarId) {
        self.moves(var);
        if self.changed_at[var] != self.mark {
            self.changed_at[var] = self.mark;
            self.changed.push((var, self.values[var].clone()));
        }
    }

    #[inline]
    fn moves(&mut self, var: VarId) {
        if std::mem::replace(&mut self.moved_in[var], self.round) != self.round {
            self.moved.push(var);
            self.has_moved = true;
        }
    }
}

/// A set of variables, smallest first.
#[derive(Default)]
pub(super) struct VarQueue {
    heap: BinaryHeap<Reverse<VarId>>,
    member: IdVec<VarId, bool>,
}

impl VarQueue {
    /// Makes room for one more variable.
    pub fn add_var(&mut self) {
        self.member.push(false);
    }

    #[inline]
    pub fn insert(&mut self, var: VarId) {
        if !std::mem::replace(&mut self.member[var], true) {
            self.heap.push(Reverse(var));
        }
    }

    pub fn pop(&mut self) -> Option<VarId> {
        let Reverse(var) = self.heap.pop()?;
        self.member[var] = false;
        Some(var)
    }

    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// The members in no particular but a deterministic order.
    pub fn members(&self) -> impl Iterator<Item = VarId> {
        self.heap.iter().map(|&Reverse(var)| var)
    }
}
