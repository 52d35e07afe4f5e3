//! Which variables of a function have been assigned on every path to a block. They need no check where the use of
//! uninitialised values is an error.

use super::hir::{Base, BlockId, FuncId, Guard, InstrKind, Place, Unit, VarId};
use super::layout::successors;
use bolide_base::IdVec;
use rustc_hash::FxHashSet;

/// The variables that are assigned at the starts of blocks; none for blocks that are not reached.
pub(super) type Assigned = IdVec<BlockId, Option<FxHashSet<VarId>>>;

/// The variables without address that are assigned at the starts of the blocks of a function.
pub(super) fn assigned(unit: &Unit, f: FuncId) -> Assigned {
    let func = &unit.funcs[f];
    let mut starts: Assigned = func.blocks.iter().map(|_| None).collect();
    if func.blocks.is_empty() {
        return starts;
    }
    let first = BlockId::new(0);
    // Of a record, no more is set than the caller has set.
    let is_whole = |v: &VarId| unit.types.is_scalar(unit.vars[*v].ty);
    starts[first] = Some(func.params.iter().copied().filter(is_whole).collect());
    let mut work = vec![first];
    while let Some(b) = work.pop() {
        let Some(mut now) = starts[b].clone() else { continue };
        for i in &func.blocks[b].instrs {
            execute(unit, &i.kind, &mut now);
        }
        for s in successors(&func.blocks[b].end) {
            let new = match &starts[s] {
                None => Some(now.clone()),
                Some(old) => {
                    let both: FxHashSet<VarId> = old.intersection(&now).copied().collect();
                    (both.len() < old.len()).then_some(both)
                }
            };
            if new.is_some() {
                starts[s] = new;
                work.push(s);
            }
        }
    }
    starts
}

/// What an instruction assigns, or takes away by starting a lifetime.
pub(super) fn execute(unit: &Unit, kind: &InstrKind, now: &mut FxHashSet<VarId>) {
    let mut write = |place: &Place| {
        let Base::Var(v) = place.base else { return };
        let is_whole = place.offset == 0
            && place.dynamic.is_empty()
            && place.bits.is_none()
            && unit.types.size_of(place.ty) == unit.types.size_of(unit.vars[v].ty);
        if is_whole {
            now.insert(v);
        }
    };
    match kind {
        InstrKind::Assign(p, _) | InstrKind::Input(p, _) | InstrKind::Alloc(p, ..) => write(p),
        InstrKind::Call(Some(p), ..) => write(p),
        InstrKind::Guard(Guard::Size(p, _)) => write(p),
        InstrKind::Zero(v) => _ = now.insert(*v),
        InstrKind::Fresh(v, _) => _ = now.remove(v),
        InstrKind::Copy(..)
        | InstrKind::Call(None, ..)
        | InstrKind::Guard(_)
        | InstrKind::Assume(_)
        | InstrKind::Fill(..)
        | InstrKind::Move(..)
        | InstrKind::Escape(_) => {}
    }
}
