//! Nodes: unification with shifts, folding, rows, slots.

use super::{Access, Flags, Handle, Node, NodeId};
use crate::c::memory::{FAR, Row, gcd};
use crate::c::types::IntType;
use bolide_base::IdVec;
use std::collections::BTreeSet;

/// All nodes.
#[derive(Default)]
pub(super) struct Nodes {
    pub all: IdVec<NodeId, Node>,
    /// Handles that remain to be unified.
    work: Vec<(Handle, Handle)>,
}

/// The largest scalar.
const LARGEST: i64 = 64;

impl Node {
    fn row_at(&self, offset: i64) -> Option<Row> {
        let n = self.rows.partition_point(|r| r.high <= offset);
        self.rows.get(n).copied().filter(|r| r.low <= offset)
    }

    fn canonical(&self, offset: i64) -> i64 {
        if self.stride > 0 {
            return offset.rem_euclid(self.stride);
        }
        self.row_at(offset).map_or(offset, |r| r.low + (offset - r.low).rem_euclid(r.period))
    }

    fn period_at(&self, offset: i64) -> i64 {
        if self.stride > 0 { self.stride } else { self.row_at(offset).map_or(0, |r| r.period) }
    }
}

impl Nodes {
    /// A new node.
    pub fn fresh(&mut self, flags: Flags) -> Handle {
        Handle { node: self.all.push(Node { flags, ..Node::default() }), offset: 0 }
    }

    /// The node and offset that a handle stands for now.
    pub fn find(&mut self, h: Handle) -> Handle {
        let (mut root, mut shift) = (h.node, 0i64);
        while let Some((parent, by)) = self.all[root].parent {
            root = parent;
            shift = shift.saturating_add(by);
        }
        // Later searches are short.
        let (mut node, mut left) = (h.node, shift);
        while let Some((parent, by)) = self.all[node].parent {
            self.all[node].parent = Some((root, left));
            left = left.saturating_sub(by);
            node = parent;
        }
        let offset = h.offset.saturating_add(shift);
        let stride = self.all[root].stride;
        Handle { node: root, offset: if stride > 0 { offset.rem_euclid(stride) } else { offset } }
    }

    /// Adds flags to a root; says whether that was news.
    pub fn add_flags(&mut self, node: NodeId, add: Flags) -> bool {
        let old = self.all[node].flags;
        let new = Flags {
            exposed: old.exposed | add.exposed,
            foreign: old.foreign | add.foreign,
            escaped: old.escaped | add.escaped,
            inhabited: old.inhabited | add.inhabited,
            through: old.through | add.through,
            transient: old.transient | add.transient,
        };
        self.all[node].flags = new;
        new != old
    }

    /// Adds flags to the node of a handle.
    pub fn flag(&mut self, h: Handle, add: Flags) {
        let root = self.find(h).node;
        self.add_flags(root, add);
    }

    /// Makes two handles stand for the same place.
    pub fn unify(&mut self, a: Handle, b: Handle) {
        self.work.push((a, b));
        self.drain();
    }

    fn drain(&mut self) {
        while let Some((a, b)) = self.work.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a.node == b.node {
                if a.offset != b.offset {
                    self.fold_root(a.node, a.offset.saturating_sub(b.offset));
                }
                continue;
            }
            let weight = |n: NodeId| {
                let n = &self.all[n];
                n.accesses.len() + n.slots.len() + n.rows.len() + n.functions.len() + n.cuts.len()
            };
            let (a, b) = if weight(a.node) >= weight(b.node) { (a, b) } else { (b, a) };
            let shift = a.offset.saturating_sub(b.offset);
            let old = std::mem::take(&mut self.all[b.node]);
            self.all[b.node].parent = Some((a.node, shift));
            self.add_flags(a.node, old.flags);
            if old.stride != 0 {
                self.fold_root(a.node, old.stride);
            }
            for r in old.rows {
                let (low, high) = (r.low.saturating_add(shift), r.high.saturating_add(shift));
                self.add_row(a.node, Row { low, high, ..r });
            }
            for ((offset, size), access) in old.accesses {
                self.add_access(a.node, offset.saturating_add(shift), size, access);
            }
            for (offset, (size, link)) in old.slots {
                self.add_slot(a.node, offset.saturating_add(shift), size, link);
            }
            for (offset, step) in old.cuts {
                self.add_cut(a.node, offset.saturating_add(shift), step);
            }
            self.all[a.node].functions.extend(old.functions);
        }
    }

    /// Pointers into a node move by multiples of so many bytes.
    pub fn fold(&mut self, h: Handle, by: i64) {
        let root = self.find(h).node;
        self.fold_root(root, by);
        self.drain();
    }

    fn fold_root(&mut self, node: NodeId, by: i64) {
        let stride = gcd(self.all[node].stride, by);
        if stride == self.all[node].stride {
            return;
        }
        // A row that is indexed in smaller steps is part of it.
        let stride = self.all[node].rows.iter().fold(stride, |g, r| gcd(g, r.period));
        self.all[node].stride = stride;
        self.all[node].rows.clear();
        self.rebuild(node);
    }

    /// Puts accesses and slots under their canonical offsets.
    fn rebuild(&mut self, node: NodeId) {
        let n = &mut self.all[node];
        let accesses = std::mem::take(&mut n.accesses);
        let slots = std::mem::take(&mut n.slots);
        let cuts = std::mem::take(&mut n.cuts);
        for ((offset, size), access) in accesses {
            self.add_access(node, offset, size, access);
        }
        for (offset, (size, link)) in slots {
            self.add_slot(node, offset, size, link);
        }
        for (offset, step) in cuts {
            self.add_cut(node, offset, step);
        }
    }

    /// A stretch of a root is indexed.
    fn add_row(&mut self, node: NodeId, row: Row) {
        let n = &self.all[node];
        if n.stride > 0 {
            if row.period % n.stride != 0 {
                self.fold_root(node, row.period);
            }
            return;
        }
        let mut grown = row;
        loop {
            let before = grown;
            for r in n.rows.iter().filter(|r| r.low < before.high && before.low < r.high) {
                grown.low = grown.low.min(r.low);
                grown.high = grown.high.max(r.high);
                grown.period = gcd(grown.period, r.period);
            }
            let near = (grown.low.saturating_sub(LARGEST), 0)..(grown.high, 0);
            for &(offset, size) in n.accesses.range(near).map(|(a, _)| a) {
                let end = offset + i64::from(size);
                if end > before.low && n.row_at(offset).is_none() {
                    grown.low = grown.low.min(offset);
                    grown.high = grown.high.max(end);
                }
            }
            if grown == before {
                break;
            }
        }
        if n.rows.contains(&grown) {
            return;
        }
        let n = &mut self.all[node];
        n.rows.retain(|r| !(r.low < grown.high && grown.low < r.high));
        let at = n.rows.partition_point(|r| r.low < grown.low);
        n.rows.insert(at, grown);
        self.rebuild(node);
    }

    /// A root is accessed.
    fn add_access(&mut self, node: NodeId, offset: i64, size: u32, access: Access) {
        let end = offset.saturating_add(i64::from(size));
        loop {
            let n = &self.all[node];
            let first = n.rows.partition_point(|r| r.high <= offset);
            let crossed = n.rows.get(first).copied().filter(|r| n.stride == 0 && r.low < end);
            let Some(r) = crossed.filter(|r| r.low > offset || r.high < end) else { break };
            // It reaches over the end of a row.
            self.add_row(node, Row { low: r.low.min(offset), high: r.high.max(end), ..r });
        }
        let n = &mut self.all[node];
        let offset = n.canonical(offset);
        n.accesses.entry((offset, size)).and_modify(|old| old.join(access)).or_insert(access);
    }

    fn add_slot(&mut self, node: NodeId, offset: i64, size: u32, link: Handle) {
        let n = &mut self.all[node];
        let offset = n.canonical(offset);
        match n.slots.get_mut(&offset) {
            Some(old) => {
                old.0 = old.0.max(size);
                self.work.push((old.1, link));
            }
            None => {
                n.slots.insert(offset, (size, link));
            }
        }
    }

    /// A copied stretch of a root ends.
    fn add_cut(&mut self, node: NodeId, offset: i64, step: i64) {
        let n = &mut self.all[node];
        let step = gcd(n.stride, step);
        n.cuts.insert((if step > 0 { offset.rem_euclid(step) } else { offset }, step));
    }

    /// Copied stretches end at a place, and at multiples of a step from it.
    pub fn cut(&mut self, h: Handle, step: i64) {
        let h = self.find(h);
        self.add_cut(h.node, h.offset, step);
    }

    /// A scalar at a place is accessed.
    pub fn access(&mut self, h: Handle, size: u32, ty: IntType, mixed: bool) {
        let h = self.find(h);
        self.add_access(h.node, h.offset, size, Access { ty, mixed });
        self.drain();
    }

    /// A stretch around a place is indexed.
    pub fn row(&mut self, h: Handle, low: i64, high: i64, period: i64) {
        let h = self.find(h);
        let (low, high) = (h.offset.saturating_add(low), h.offset.saturating_add(high));
        if period > 0 && low < high {
            self.add_row(h.node, Row { low, high, period });
            self.drain();
        }
    }

    /// What the address stored at a place leads to.
    pub fn link(&mut self, h: Handle, size: u32) -> Handle {
        let h = self.find(h);
        let offset = self.all[h.node].canonical(h.offset);
        if let Some(slot) = self.all[h.node].slots.get_mut(&offset) {
            slot.0 = slot.0.max(size);
            return slot.1;
        }
        let fresh = self.fresh(Flags { transient: true, ..Flags::default() });
        self.all[h.node].slots.insert(offset, (size, fresh));
        fresh
    }

    /// The slots of a root whose bytes are also accessed in another way.
    pub fn mixed_slots(&self, node: NodeId) -> BTreeSet<i64> {
        let n = &self.all[node];
        let mut out = BTreeSet::new();
        for (&offset, &(size, _)) in &n.slots {
            let (period, bytes) = (n.period_at(offset), i64::from(size));
            // Only accesses to the same row repeat with it.
            let base = if n.stride > 0 { 0 } else { n.row_at(offset).map_or(0, |r| r.low) };
            let in_row = |o: i64| period == 0 || o >= base && o < base + period;
            let overlaps = |shift: i64| {
                let at = offset + shift * period;
                n.accesses.range((at - LARGEST, 0)..(at + bytes, 0)).any(|(&(o, s), access)| {
                    let same = shift == 0 && o == offset && s == size;
                    in_row(o) && o + i64::from(s) > at && (!same || access.mixed)
                })
            };
            let is_mixed = if period == 0 {
                overlaps(0)
            } else {
                // A period that is shorter than the slot makes neighbours overlap.
                period < bytes || overlaps(-1) || overlaps(0) || overlaps(1)
            };
            if is_mixed {
                out.insert(offset);
            }
        }
        out
    }

    /// Lets rows reach on to where nothing else is, so that indices need no bounds there.
    pub fn widen_rows(&mut self) {
        for node in self.all.iter_mut().filter(|n| n.parent.is_none() && !n.rows.is_empty()) {
            let is_single = |a: &&(i64, u32)| node.row_at(a.0).is_none();
            let first = node.accesses.keys().find(is_single).map(|a| a.0);
            let last = node.accesses.keys().rev().find(is_single).map(|a| a.0);
            let count = node.rows.len();
            let (low, high) = (node.rows[0].low, node.rows[count - 1].high);
            if last.is_none_or(|o| o < high) {
                node.rows[count - 1].high = FAR;
            }
            if first.is_none_or(|o| o > low) {
                // Canonical offsets count from the first byte of the row, which keeps its place modulo the period.
                let row = &mut node.rows[0];
                let (old, period) = (row.low, row.period);
                row.low = old - (old + FAR).div_euclid(period) * period;
                let by = row.low - old;
                let moved = |o: i64| if o >= old && o < old + period { o + by } else { o };
                let accesses = std::mem::take(&mut node.accesses);
                node.accesses = accesses.into_iter().map(|((o, s), t)| ((moved(o), s), t)).collect();
                let slots = std::mem::take(&mut node.slots);
                node.slots = slots.into_iter().map(|(o, s)| (moved(o), s)).collect();
            }
        }
    }
}
