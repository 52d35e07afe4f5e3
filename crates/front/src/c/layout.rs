//! Addresses: which objects have one, and which.
//!
//! Functions and static objects come first, then the objects of functions that cannot be active twice, then the heap.
//! The encoder and the interpreter share these addresses, so that programs that look at them behave alike in both.

use super::hir::{BlockId, Callee, FuncId, InstrKind, Storage, Terminator, Unit, VarId};
use super::memory::Partition;
use bolide_base::IdVec;
use rustc_hash::FxHashSet;

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// Nowhere: nobody takes its address.
    Nowhere,
    /// At an address known beforehand.
    Fixed(i128),
    /// At a new address for each activation.
    New,
}

/// The addresses of a program.
#[derive(Debug)]
pub(super) struct Layout {
    pub vars: IdVec<VarId, Home>,
    pub funcs: IdVec<FuncId, i128>,
    /// Where the constant objects are: the first address and the one behind them. Nothing else is there.
    pub constants: (i128, i128),
    /// Where the heap starts.
    pub heap: i128,
    /// Locals whose lifetime starts at most once, so that they need no new contents then.
    pub once: FxHashSet<VarId>,
    /// The functions that can be called, callers first.
    pub reachable: Vec<FuncId>,
    /// Can the function where execution starts be called once more?
    pub calls_entry: bool,
}

/// Larger locals get a new address for each activation, since making their contents arbitrary would take too long.
pub(super) const LARGEST_FIXED: u64 = 256;
/// New objects start at multiples of this, as those of malloc do.
pub(super) const GRAIN: i128 = 16;

impl Layout {
    pub(super) fn new(unit: &Unit, memory: &Partition) -> Layout {
        let callees: IdVec<FuncId, Vec<FuncId>> =
            unit.funcs.ids().map(|f| callees(unit, memory, f)).collect();
        let reachable = reachable(unit.entry, &callees);
        let recursive = recursive(&reachable, &callees);
        let calls_entry = reachable.iter().any(|&f| callees[f].contains(&unit.entry));
        let once = if calls_entry { FxHashSet::default() } else { once(unit) };
        let mut next = 4096;
        let mut take = |size: u64, align: u64| {
            let align = i128::from(align).max(GRAIN);
            let address = (next + align - 1) / align * align;
            next = (address + i128::from(size.max(1)) + GRAIN - 1) / GRAIN * GRAIN;
            address
        };
        let funcs = unit.funcs.iter().map(|_| take(16, 1)).collect();
        let vars = unit.vars.iter_enumerated().map(|(id, v)| {
            let size = unit.types.size_of(v.ty).unwrap_or(1);
            let align = v.align.max(unit.types.align_of(v.ty));
            match v.storage {
                // These come after the others.
                _ if !v.address_taken || v.is_constant => Home::Nowhere,
                Storage::Static => Home::Fixed(take(size, align)),
                Storage::Auto(f) if recursive.contains(&f) => Home::New,
                // An address that was used before could hide the end of the object that had it.
                Storage::Auto(_) if unit.guards_memory && !once.contains(&id) => Home::New,
                Storage::Auto(_) if size > LARGEST_FIXED && !once.contains(&id) => Home::New,
                Storage::Auto(_) => Home::Fixed(take(size, align)),
            }
        });
        let mut vars: IdVec<VarId, Home> = vars.collect();
        let first = take(0, 1);
        for (id, v) in unit.vars.iter_enumerated().filter(|(_, v)| v.address_taken && v.is_constant) {
            let size = unit.types.size_of(v.ty).unwrap_or(1);
            vars[id] = Home::Fixed(take(size, v.align.max(unit.types.align_of(v.ty))));
        }
        let heap = take(0, 1);
        Layout { vars, funcs, constants: (first, heap), heap, once, reachable, calls_entry }
    }

    /// A variable whose alignment its addresses do not keep: one that gets a new address for each activation.
    pub(super) fn misaligned(&self, unit: &Unit) -> Option<VarId> {
        let wants = |id: VarId| i128::from(unit.vars[id].align.max(unit.types.align_of(unit.vars[id].ty)));
        let is_reachable = |id: VarId| match unit.vars[id].storage {
            Storage::Auto(f) => self.reachable.contains(&f),
            Storage::Static => true,
        };
        let mut ids = self.vars.iter_enumerated().filter(|(_, home)| **home == Home::New).map(|(id, _)| id);
        ids.find(|&id| wants(id) > GRAIN && is_reachable(id))
    }
}

fn callees(unit: &Unit, memory: &Partition, f: FuncId) -> Vec<FuncId> {
    let mut out = Vec::new();
    for i in unit.funcs[f].blocks.iter().flat_map(|b| b.instrs.iter()) {
        if let InstrKind::Call(_, callee, _) = &i.kind {
            match callee {
                Callee::Direct(g) => out.push(*g),
                Callee::Indirect(e, ..) => out.extend(memory.candidates.get(e).into_iter().flatten()),
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn reachable(entry: FuncId, callees: &IdVec<FuncId, Vec<FuncId>>) -> Vec<FuncId> {
    let mut seen = FxHashSet::from_iter([entry]);
    let mut order = vec![entry];
    let mut at = 0;
    while let Some(&f) = order.get(at) {
        at += 1;
        order.extend(callees[f].iter().copied().filter(|&g| seen.insert(g)));
    }
    order
}

/// The functions that can be active twice: what remains when functions without remaining callees are taken away, and
/// then those without remaining callers.
fn recursive(reachable: &[FuncId], callees: &IdVec<FuncId, Vec<FuncId>>) -> FxHashSet<FuncId> {
    let mut left: FxHashSet<FuncId> = reachable.iter().copied().collect();
    for forward in [true, false] {
        let mut edges: IdVec<FuncId, Vec<FuncId>> = callees.iter().map(|_| Vec::new()).collect();
        let mut count: IdVec<FuncId, usize> = callees.iter().map(|_| 0).collect();
        for f in callees.ids().filter(|f| left.contains(f)) {
            for &g in callees[f].iter().filter(|g| left.contains(g)) {
                let (needs, needed) = if forward { (f, g) } else { (g, f) };
                edges[needed].push(needs);
                count[needs] += 1;
            }
        }
        let mut work: Vec<FuncId> = callees.ids().filter(|f| left.contains(f) && count[*f] == 0).collect();
        while let Some(f) = work.pop() {
            left.remove(&f);
            for &g in &edges[f] {
                count[g] -= 1;
                if count[g] == 0 {
                    work.push(g);
                }
            }
        }
    }
    left
}

/// The locals of the entry function, which nobody calls, whose declaration lies on no cycle.
fn once(unit: &Unit) -> FxHashSet<VarId> {
    let entry = unit.entry;
    let blocks = &unit.funcs[entry].blocks;
    let cyclic = cyclic_blocks(unit, entry);
    let mut out: FxHashSet<VarId> = unit
        .vars
        .iter_enumerated()
        .filter(|(_, v)| v.storage == Storage::Auto(entry))
        .map(|(id, _)| id)
        .collect();
    for (b, block) in blocks.iter_enumerated() {
        for i in &block.instrs {
            if let InstrKind::Fresh(v, _) | InstrKind::Zero(v) = i.kind
                && cyclic[b]
            {
                out.remove(&v);
            }
        }
    }
    out
}

/// The successors of a block.
pub(super) fn successors(end: &Terminator) -> Vec<BlockId> {
    match end {
        Terminator::Goto(b) => vec![*b],
        Terminator::Branch(_, a, b) => vec![*a, *b],
        Terminator::Switch(_, cases, default) => cases.iter().map(|c| c.2).chain([*default]).collect(),
        Terminator::Return(_) | Terminator::Halt | Terminator::Error(_) => Vec::new(),
    }
}

/// The blocks that may lie on a cycle: what remains after the blocks without remaining successors, and those without
/// remaining predecessors, are taken away.
pub(super) fn cyclic_blocks(unit: &Unit, f: FuncId) -> IdVec<BlockId, bool> {
    let blocks = &unit.funcs[f].blocks;
    let mut left: IdVec<BlockId, bool> = blocks.iter().map(|_| true).collect();
    for forward in [true, false] {
        let mut edges: IdVec<BlockId, Vec<BlockId>> = blocks.iter().map(|_| Vec::new()).collect();
        let mut count: IdVec<BlockId, usize> = blocks.iter().map(|_| 0).collect();
        for (b, block) in blocks.iter_enumerated().filter(|(b, _)| left[*b]) {
            for s in successors(&block.end).into_iter().filter(|s| left[*s]) {
                let (needs, needed) = if forward { (b, s) } else { (s, b) };
                edges[needed].push(needs);
                count[needs] += 1;
            }
        }
        let mut work: Vec<BlockId> = blocks.ids().filter(|&b| left[b] && count[b] == 0).collect();
        while let Some(b) = work.pop() {
            left[b] = false;
            for &p in &edges[b] {
                count[p] -= 1;
                if count[p] == 0 {
                    work.push(p);
                }
            }
        }
    }
    left
}
