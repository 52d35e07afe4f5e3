//! The partition of memory: a claim about which objects, bytes and pointers can meet, and the cells that follow from it.
//!
//! Objects that one pointer may reach form a class. Within a class offsets are exact, or known modulo a stride where
//! pointers of the class are moved by variable amounts. Stretches of a class that are indexed are rows: what lies a
//! multiple of the period apart is treated alike. The bytes that are accessed fall into components, which do not
//! overlap; a component whose accesses all have one size and place holds one scalar per cell, any other holds bytes, so
//! unions, casts and library copies keep their exact meaning. For each place where an address may be stored, a slot says
//! into which class the address leads.
//!
//! A class is *foreign* if a pointer into it may come from outside or from arithmetic on integers, and *exposed* if
//! the addresses of its objects have been looked at as numbers or bytes, or compared with a foreign pointer. Foreign pointers that are
//! dereferenced and exposed objects are all in one class whose memory is addressed by bytes: this is the fallback where
//! a program defeats the partition.
//!
//! [`infer`] computes a partition by unification, and [`check`] verifies it in one pass over the typed program. The two
//! share nothing but the structure in this file: whatever is wrong with the first is found by the second, which fails and
//! so prevents a verdict.

mod check;
mod components;
mod infer;
#[cfg(test)]
mod tests;

pub(super) use check::check;
pub(super) use infer::{divisor, infer};

use super::hir::{Base, ExprId, FuncId, Place, Unit, VarId};
use super::types::{FLOAT_RANK, IntType};
use bolide_base::{IdVec, index_type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

index_type! {
    /// A class of objects.
    pub struct ClassId("n");
}
index_type! {
    /// A stretch of bytes of a class that is represented in one way.
    pub struct CompId("k");
}

/// Far beyond every object.
pub(super) const FAR: i64 = 1 << 50;

/// A place in a class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Target {
    pub class: ClassId,
    pub offset: i64,
}

/// A stretch of a class in which bytes that lie a multiple of the period apart are treated alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub low: i64,
    pub high: i64,
    pub period: i64,
}

/// What the address stored at a place leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    pub size: u32,
    pub target: Target,
}

/// A class of objects.
#[derive(Clone, Default, Debug)]
pub(super) struct Class {
    /// Offsets are known modulo this; exactly if it is zero.
    pub stride: i64,
    /// The rows, in order; none if there is a stride.
    pub rows: Vec<Row>,
    /// The places that may hold addresses, by canonical offset.
    pub slots: BTreeMap<i64, Slot>,
    /// The components, by canonical offset.
    pub components: Vec<CompId>,
    /// May addresses of its objects be seen as numbers?
    pub exposed: bool,
    /// May pointers into it come from outside, or from numbers?
    pub foreign: bool,
    /// May code outside of the program know its objects?
    pub escaped: bool,
    /// Does it hold objects that are not static, and so start with arbitrary contents?
    pub transient: bool,
    /// The functions in it.
    pub functions: Vec<FuncId>,
}

/// How a stretch of bytes is represented.
#[derive(Clone, Debug)]
pub(super) struct Component {
    /// Its class.
    pub class: ClassId,
    /// The first byte, as a canonical offset, and the end.
    pub start: i64,
    pub end: i64,
    /// Where it is repeated: bounds and period. The period is zero if it is not.
    pub row: Row,
    /// The scalar in each cell; `None` for single bytes.
    pub cell: Option<IntType>,
}

impl Component {
    /// The bytes of a cell.
    pub fn size(&self) -> i64 {
        if self.cell.is_some() { self.end - self.start } else { 1 }
    }

    /// The offsets of cells that lie between two offsets of the class; `None` if there are more than some number.
    pub fn cells(&self, low: i64, high: i64, most: usize) -> Option<Vec<i64>> {
        let size = self.size();
        let mut out = Vec::new();
        let mut period = |first: i64| {
            let mut at = first;
            while at < first + (self.end - self.start) {
                if at >= low && at + size <= high {
                    out.push(at);
                }
                at += size;
            }
            out.len() <= most
        };
        if self.row.period == 0 {
            return period(self.start).then_some(out);
        }
        let (low, high) = (low.max(self.row.low), high.min(self.row.high));
        let p = self.row.period;
        // The last period that ends before the stretch, or the one after.
        let mut first = self.start + (low - self.end).div_euclid(p) * p;
        while first < high {
            if !period(first) {
                return None;
            }
            first += p;
        }
        Some(out)
    }
}

impl Class {
    /// The row that an offset lies in.
    pub fn row_at(&self, offset: i64) -> Option<Row> {
        if self.stride > 0 {
            return Some(Row { low: -FAR, high: FAR, period: self.stride });
        }
        let n = self.rows.partition_point(|r| r.high <= offset);
        self.rows.get(n).copied().filter(|r| r.low <= offset)
    }

    /// The offset that stands for all that are treated alike.
    pub fn canonical(&self, offset: i64) -> i64 {
        if self.stride > 0 {
            return offset.rem_euclid(self.stride);
        }
        match self.row_at(offset) {
            Some(r) => r.low + (offset - r.low).rem_euclid(r.period),
            None => offset,
        }
    }
}

/// The partition of the memory of a program.
#[derive(Clone, Debug)]
pub(super) struct Partition {
    pub classes: IdVec<ClassId, Class>,
    pub components: IdVec<CompId, Component>,
    /// Where each variable starts.
    pub vars: IdVec<VarId, Target>,
    /// Where each function is.
    pub funcs: IdVec<FuncId, Target>,
    /// What the values of a function lead to.
    pub results: IdVec<FuncId, Target>,
    /// What the value of each expression leads to, if it can be an address.
    pub values: IdVec<ExprId, Option<Target>>,
    /// Components of a variable without address that are an array.
    pub dynamic: FxHashSet<(VarId, CompId)>,
    /// The functions that an indirect call can reach.
    pub candidates: FxHashMap<ExprId, Vec<FuncId>>,
}

/// Greatest common divisor of magnitudes.
pub(super) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

/// Bytes and representation of a scalar place.
pub(super) fn scalar(unit: &Unit, place: &Place) -> Option<(u32, IntType)> {
    let size = unit.types.size_of(place.ty)?;
    let mut ty = unit.types.representation(place.ty)?;
    if place.bits.is_some() {
        // A unit that holds bit-fields is read and written as a whole.
        ty = IntType { signed: false, rank: 9, ..ty };
    }
    if unit.types.format(place.ty).is_some() {
        ty = IntType { rank: FLOAT_RANK, ..ty };
    }
    Some((size as u32, ty))
}

impl Partition {
    /// The class and offset of a place, without its variable indices.
    pub fn locate(&self, place: &Place) -> Option<Target> {
        let base = match place.base {
            Base::Var(v) => self.vars[v],
            Base::Deref(e) => self.values[e]?,
        };
        Some(self.moved(base, place.offset))
    }

    /// A place some bytes further on.
    pub fn moved(&self, at: Target, bytes: i64) -> Target {
        let stride = self.classes[at.class].stride;
        let offset = at.offset.saturating_add(bytes);
        Target { offset: if stride > 0 { offset.rem_euclid(stride) } else { offset }, ..at }
    }

    /// The component that holds a byte of a class.
    pub fn component_at(&self, at: Target) -> Option<CompId> {
        let class = &self.classes[at.class];
        let offset = class.canonical(at.offset);
        let n = class.components.partition_point(|&k| self.components[k].end <= offset);
        class.components.get(n).copied().filter(|&k| self.components[k].start <= offset)
    }

    /// The component that a scalar place lies in.
    pub fn component(&self, place: &Place) -> Option<CompId> {
        self.component_at(self.locate(place)?)
    }

    /// The slot of a place.
    pub fn slot(&self, at: Target) -> Option<Slot> {
        let class = &self.classes[at.class];
        class.slots.get(&class.canonical(at.offset)).copied()
    }

    /// What the pointer stored at a place leads to.
    pub fn stored_pointer(&self, place: &Place) -> Option<Target> {
        self.slot(self.locate(place)?).map(|s| s.target)
    }

    /// The components of a class.
    pub fn components_of(&self, class: ClassId) -> &[CompId] {
        &self.classes[class].components
    }

    /// Does a class hold objects with arbitrary initial contents?
    pub fn transient(&self, class: ClassId) -> bool {
        self.classes[class].transient
    }

    /// Bounds, in bytes from the base of an indexed place, that its start must keep so that the place lies in its row. A
    /// bound is none if the end of the row is not inside the object or nothing lies beyond.
    pub fn bounds(&self, unit: &Unit, place: &Place) -> (Option<i64>, Option<i64>) {
        let Some(at) = self.locate(place).filter(|_| !place.dynamic.is_empty()) else { return (None, None) };
        let class = &self.classes[at.class];
        let (Some(row), 0) = (class.row_at(at.offset), class.stride) else { return (None, None) };
        let base = at.offset - place.offset;
        let size = unit.types.size_of(place.ty).unwrap_or(1) as i64;
        let (first, end) = match place.base {
            Base::Var(v) => (base, base + unit.types.size_of(unit.vars[v].ty).unwrap_or(0) as i64),
            Base::Deref(_) => (-FAR, FAR),
        };
        let low = (row.low > first).then_some(row.low - base);
        let high = (row.high < end).then_some(row.high - size - base);
        (low, high)
    }
}
