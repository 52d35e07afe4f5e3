//! The components of a class, from the accesses to its bytes.

use super::super::hir::{Base, Expr, ExprId, Place, Unit, VarId};
use super::infer::Access;
use super::{ClassId, CompId, Component, Partition, Row, gcd};
use bolide_base::IdVec;
use std::collections::{BTreeMap, BTreeSet};

/// Objects with more cells of a component hold it as an array.
const MOST_VARIABLES: usize = 64;

/// A stretch of bytes, the size that all accesses to it have, and the scalar.
struct Stretch {
    start: i64,
    end: i64,
    row: Row,
    uniform: bool,
    access: Access,
}

/// Splits a class into components: what overlaps belongs together.
pub(super) fn split(
    partition: &mut Partition,
    id: ClassId,
    accesses: &BTreeMap<(i64, u32), Access>,
    cuts: &BTreeSet<(i64, i64)>,
) {
    let class = &partition.classes[id];
    let mut stretches: Vec<Stretch> = Vec::new();
    for (&(start, size), &access) in accesses {
        let none = Row { low: start, high: start + i64::from(size), period: 0 };
        let row = class.row_at(start).unwrap_or(none);
        let mut end = start + i64::from(size);
        let limit = if class.stride > 0 { class.stride } else { row.low + row.period };
        let mut uniform = row.period % i64::from(size.max(1)) == 0 && size > 0;
        let mut start = start;
        if row.period > 0 && end > limit {
            // It reaches into the next period: all bytes of a period belong together.
            (start, end, uniform) = (limit - row.period, limit, false);
        }
        stretches.push(Stretch { start, end, row, uniform, access });
    }
    stretches.sort_by_key(|s| (s.start, s.end));
    let mut merged: Vec<Stretch> = Vec::new();
    for s in stretches {
        match merged.last_mut() {
            Some(last) if s.start < last.end => {
                last.uniform &= s.uniform && (s.start, s.end) == (last.start, last.end);
                last.end = last.end.max(s.end);
                last.access.join(s.access);
            }
            _ => merged.push(s),
        }
    }
    // A scalar in two parts at both ends of a period.
    let exact: BTreeSet<i64> = cuts.iter().filter(|c| c.1 == 0).map(|c| c.0).collect();
    for s in &mut merged {
        let period = s.row.period;
        let is_cut = |&(at, step): &(i64, i64)| {
            let g = gcd(period, step);
            // The first cut after the start.
            g > 0 && (at - s.start - 1).rem_euclid(g) + 1 < s.end - s.start
        };
        let has_cut = if period == 0 {
            exact.range(s.start + 1..s.end).next().is_some() || cuts.iter().filter(|c| c.1 > 0).any(is_cut)
        } else {
            cuts.iter().any(is_cut)
        };
        s.uniform &= !has_cut;
    }
    let mut ids = Vec::new();
    for s in merged {
        let cell = s.uniform.then_some(s.access.ty);
        let component = Component { class: id, start: s.start, end: s.end, row: s.row, cell };
        ids.push(partition.components.push(component));
    }
    partition.classes[id].components = ids;
}

/// Finds the components of variables without an address that are arrays: what is indexed, and what has many cells.
pub(super) fn find_arrays(unit: &Unit, partition: &mut Partition, used: &IdVec<ExprId, bool>) {
    let mut found: Vec<(VarId, CompId)> = Vec::new();
    let mut indexed = |p: &Place, is_record: bool| {
        if let (Base::Var(v), false) = (p.base, p.dynamic.is_empty()) {
            match partition.component(p).filter(|_| !is_record) {
                Some(k) => found.push((v, k)),
                None => {
                    let all = partition.components_of(partition.vars[v].class);
                    found.extend(all.iter().map(|&k| (v, k)));
                }
            }
        }
    };
    for (_, typed) in unit.exprs.iter_enumerated().filter(|(id, _)| used[*id]) {
        if let Expr::Load(p) = &typed.expr {
            indexed(p, false);
        }
    }
    for i in unit.funcs.iter().flat_map(|f| f.blocks.iter()).flat_map(|b| b.instrs.iter()) {
        let places = i.kind.places();
        places.into_iter().for_each(|p| indexed(p, !unit.types.is_scalar(p.ty)));
    }
    for (v, variable) in unit.vars.iter_enumerated().filter(|(_, v)| !v.address_taken) {
        let start = partition.vars[v];
        let end = start.offset + unit.types.size_of(variable.ty).unwrap_or(0) as i64;
        for &k in partition.components_of(start.class) {
            if partition.components[k].cells(start.offset, end, MOST_VARIABLES).is_none() {
                found.push((v, k));
            }
        }
    }
    partition.dynamic.extend(found);
}
