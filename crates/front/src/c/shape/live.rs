//! Which variables of a function matter at a place: those that may be read before they are written.
//!
//! Variables whose address is used are not looked at: they matter as long as they live.

use super::super::hir::{
    Base, BlockId, Expr, ExprId, FuncId, Guard, Instr, InstrKind, Place, Terminator, Unit, VarId,
};
use super::super::layout::successors;
use bolide_base::IdVec;
use std::collections::BTreeSet;

/// The variables that matter at the starts of the blocks of a function.
pub(super) struct Liveness {
    starts: IdVec<BlockId, BTreeSet<VarId>>,
}

impl Liveness {
    pub fn new(unit: &Unit, f: FuncId) -> Liveness {
        let blocks = &unit.funcs[f].blocks;
        let mut live = Liveness { starts: blocks.iter().map(|_| BTreeSet::new()).collect() };
        let mut changes = true;
        while changes {
            changes = false;
            for b in blocks.ids().collect::<Vec<_>>().into_iter().rev() {
                let new = live.at(unit, f, (b, 0), false);
                if new != live.starts[b] {
                    live.starts[b] = new;
                    changes = true;
                }
            }
        }
        live
    }

    /// The variables that matter before an instruction of a block, where the call before it may not have returned yet.
    pub fn at(&self, unit: &Unit, f: FuncId, (b, at): (BlockId, usize), waits: bool) -> BTreeSet<VarId> {
        let block = &unit.funcs[f].blocks[b];
        let mut live: BTreeSet<VarId> =
            successors(&block.end).into_iter().flat_map(|s| self.starts[s].iter().copied()).collect();
        if let Terminator::Branch(e, ..) | Terminator::Switch(e, ..) | Terminator::Return(Some(e)) = block.end
        {
            read(unit, &[e], &mut live);
        }
        for i in block.instrs[at..].iter().rev() {
            before(unit, i, &mut live);
        }
        // A call that has not returned will store its result, which may need variables.
        let call = at.checked_sub(1).filter(|_| waits).map(|n| &block.instrs[n].kind);
        if let Some(InstrKind::Call(Some(place), ..)) = call {
            match written(unit, place) {
                Some(v) => _ = live.remove(&v),
                None => live.extend(base(place)),
            }
            read(unit, &place.operands().collect::<Vec<_>>(), &mut live);
        }
        live
    }
}

fn base(place: &Place) -> Option<VarId> {
    match place.base {
        Base::Var(v) => Some(v),
        Base::Deref(_) => None,
    }
}

/// The variable of which a store to a place leaves nothing.
fn written(unit: &Unit, place: &Place) -> Option<VarId> {
    let v = base(place).filter(|_| place.offset == 0 && place.dynamic.is_empty() && place.bits.is_none())?;
    (unit.types.size_of(place.ty) == unit.types.size_of(unit.vars[v].ty)).then_some(v)
}

/// The variables that some expressions read.
fn read(unit: &Unit, roots: &[ExprId], live: &mut BTreeSet<VarId>) {
    for e in unit.post_order(roots.iter().copied()) {
        if let Expr::Load(p) | Expr::Addr(p) = &unit.exprs[e].expr {
            live.extend(base(p));
        }
    }
}

/// What matters before an instruction, from what matters after it.
fn before(unit: &Unit, i: &Instr, live: &mut BTreeSet<VarId>) {
    let kill = |p: &Place, live: &mut BTreeSet<VarId>| {
        if let Some(v) = written(unit, p) {
            live.remove(&v);
        }
    };
    match &i.kind {
        InstrKind::Assign(p, _) | InstrKind::Input(p, _) | InstrKind::Alloc(p, ..) => kill(p, live),
        InstrKind::Call(to, ..) => to.iter().for_each(|p| kill(p, live)),
        InstrKind::Copy(to, from) => {
            kill(to, live);
            live.extend(base(from));
        }
        InstrKind::Fresh(v, _) | InstrKind::Zero(v) => _ = live.remove(v),
        InstrKind::Guard(Guard::Size(p, _)) => kill(p, live),
        InstrKind::Guard(Guard::New(p, ..) | Guard::Access(p, ..) | Guard::Inside(p, ..)) => {
            live.extend(base(p));
        }
        InstrKind::Guard(_)
        | InstrKind::Assume(_)
        | InstrKind::Fill(..)
        | InstrKind::Move(..)
        | InstrKind::Escape(_) => {}
    }
    read(unit, &i.kind.operands(), live);
}
