//! Computing a partition: field-sensitive points-to analysis by unification, after Steensgaard.
//!
//! Each constraint is imposed once and for all: nodes, slots and rows stay unified, so a single walk over the program
//! suffices for everything but the callees of indirect calls and the foreign pointers, which are repeated until nothing
//! changes. The cost is near-linear in the size of the program.

mod nodes;
mod walk;

use super::super::hir::{Expected, Expr, ExprId, FuncId, Storage, Terminator, Unit, VarId};
use super::super::types::{IntType, Type, TypeId};
use super::{ClassId, Partition, Row, Slot, Target, components};
use bolide_base::{IdVec, index_type};
use nodes::Nodes;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

index_type! {
    /// A class in the making.
    pub struct NodeId("m");
}

/// A place in a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Handle {
    node: NodeId,
    offset: i64,
}

/// What is known of a node besides its bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Flags {
    exposed: bool,
    foreign: bool,
    escaped: bool,
    /// Are there objects with an address?
    inhabited: bool,
    /// Is it accessed through pointers?
    through: bool,
    transient: bool,
}

/// How bytes are accessed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// The scalar, one that stands for several if they differ.
    pub ty: IntType,
    /// Is there an access that cannot hold a whole address: of a floating value, or of a bit-field?
    pub mixed: bool,
}

impl Access {
    pub(super) fn join(&mut self, other: Access) {
        if self.ty != other.ty {
            let (a, b) = (self.ty, other.ty);
            self.ty = IntType { bits: a.bits.max(b.bits), signed: a.signed || b.signed, rank: 9 };
        }
        self.mixed |= other.mixed;
    }
}

#[derive(Default)]
struct Node {
    /// The node it was merged into, and where its start lies there.
    parent: Option<(NodeId, i64)>,
    stride: i64,
    rows: Vec<Row>,
    /// What is read and written, by canonical offset and size, with the scalar types that do so.
    accesses: BTreeMap<(i64, u32), Access>,
    /// Where addresses are stored, by canonical offset: bytes, and where the addresses lead to.
    slots: BTreeMap<i64, (u32, Handle)>,
    /// Ends of copied stretches: offset, and the distance at which they repeat or zero.
    cuts: BTreeSet<(i64, i64)>,
    flags: Flags,
    functions: Vec<FuncId>,
}

/// An indirect call: callee, destination, arguments.
struct IndirectCall<'a> {
    callee: ExprId,
    expected: Expected,
    to: Option<(Handle, TypeId)>,
    args: &'a [ExprId],
    linked: FxHashSet<FuncId>,
}

/// The state of the inference.
struct Inference<'a> {
    unit: &'a Unit,
    nodes: Nodes,
    vars: IdVec<VarId, Handle>,
    funcs: IdVec<FuncId, Handle>,
    results: IdVec<FuncId, Handle>,
    values: IdVec<ExprId, Option<Handle>>,
    /// Expressions that no address can be in, since only constants and truth values are.
    plain: IdVec<ExprId, bool>,
    used: IdVec<ExprId, bool>,
    calls: Vec<IndirectCall<'a>>,
    /// Pairs that are compared; none for a number that is not followed.
    compared: Vec<(Option<Handle>, Option<Handle>)>,
    /// What is filled with bytes that are not constant.
    filled: Vec<Handle>,
}

/// Infers a partition.
pub(in crate::c) fn infer(unit: &Unit) -> Partition {
    let mut nodes = Nodes::default();
    let mut vars = IdVec::new();
    for v in &unit.vars {
        let flags =
            Flags { transient: v.storage != Storage::Static, inhabited: v.address_taken, ..Flags::default() };
        vars.push(nodes.fresh(flags));
    }
    let mut funcs = IdVec::new();
    for (id, f) in unit.funcs.iter_enumerated() {
        let h = nodes.fresh(Flags { inhabited: f.address_taken, ..Flags::default() });
        nodes.all[h.node].functions.push(id);
        funcs.push(h);
    }
    let results = unit.funcs.iter().map(|_| nodes.fresh(Flags::default())).collect();
    let mut this = Inference {
        unit,
        nodes,
        vars,
        funcs,
        results,
        values: unit.exprs.iter().map(|_| None).collect(),
        plain: unit.exprs.iter().map(|_| false).collect(),
        used: used_expressions(unit),
        calls: Vec::new(),
        compared: Vec::new(),
        filled: Vec::new(),
    };
    this.walk();
    this.settle();
    this.finish()
}

impl Inference<'_> {
    /// Indirect calls and foreign pointers, until nothing changes.
    fn settle(&mut self) {
        loop {
            let mut changed = self.link_calls();
            changed |= self.spread_flags();
            changed |= self.merge_foreign();
            if !changed {
                return;
            }
        }
    }

    /// Passes arguments to functions that an indirect call was not known to reach.
    fn link_calls(&mut self) -> bool {
        let mut changed = false;
        for n in 0..self.calls.len() {
            let Some(h) = self.values[self.calls[n].callee] else { continue };
            let root = self.nodes.find(h);
            let args = self.calls[n].args;
            let expected = self.calls[n].expected;
            let fits =
                |f: &FuncId| !self.unit.funcs[*f].blocks.is_empty() && self.unit.fits(expected, args, *f);
            let new: Vec<FuncId> = self.nodes.all[root.node].functions.iter().copied().filter(fits).collect();
            for f in new {
                if self.calls[n].linked.insert(f) {
                    let to = self.calls[n].to;
                    self.pass(f, args, to);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Spreads flags along slots and comparisons.
    fn spread_flags(&mut self) -> bool {
        let mut changed = false;
        let mut work: Vec<NodeId> = self.nodes.all.ids().collect();
        while let Some(id) = work.pop() {
            let node = &self.nodes.all[id];
            let flags = node.flags;
            if node.parent.is_some() || node.slots.is_empty() {
                continue;
            }
            let mixed = self.nodes.mixed_slots(id);
            let slots: Vec<(i64, Handle)> = self.nodes.all[id].slots.iter().map(|(o, s)| (*o, s.1)).collect();
            for (offset, link) in slots {
                let is_mixed = mixed.contains(&offset);
                let mut add = Flags { foreign: flags.foreign | is_mixed, ..Flags::default() };
                add.exposed = flags.escaped | is_mixed;
                add.escaped = flags.escaped;
                let target = self.nodes.find(link).node;
                if self.nodes.add_flags(target, add) {
                    changed = true;
                    work.push(target);
                }
            }
        }
        for n in 0..self.filled.len() {
            let root = self.nodes.find(self.filled[n]).node;
            let links: Vec<Handle> = self.nodes.all[root].slots.values().map(|s| s.1).collect();
            for l in links {
                let target = self.nodes.find(l).node;
                changed |= self.nodes.add_flags(target, Flags { foreign: true, ..Flags::default() });
            }
        }
        for n in 0..self.compared.len() {
            let (a, b) = self.compared[n];
            let (a, b) = (a.map(|h| self.nodes.find(h).node), b.map(|h| self.nodes.find(h).node));
            if a == b {
                continue;
            }
            for (x, y) in [(a, b), (b, a)] {
                let foreign = x.is_none_or(|x| self.nodes.all[x].flags.foreign);
                if let Some(y) = y.filter(|_| foreign) {
                    changed |= self.nodes.add_flags(y, Flags { exposed: true, ..Flags::default() });
                }
            }
        }
        changed
    }

    /// Foreign pointers that are used may lead to every exposed object: one class, addressed by bytes.
    fn merge_foreign(&mut self) -> bool {
        let roots: Vec<NodeId> =
            self.nodes.all.ids().filter(|&n| self.nodes.all[n].parent.is_none()).collect();
        let flags = |n: &NodeId| self.nodes.all[*n].flags;
        let objects: Vec<NodeId> =
            roots.iter().copied().filter(|n| flags(n).exposed && flags(n).inhabited).collect();
        let users: Vec<NodeId> =
            roots.iter().copied().filter(|n| flags(n).foreign && flags(n).through).collect();
        let (Some(&first), false) = (objects.first(), users.is_empty()) else { return false };
        let all: BTreeSet<NodeId> = objects.into_iter().chain(users).collect();
        if all.len() == 1 && self.nodes.all[first].stride == 1 {
            return false;
        }
        for n in all {
            self.nodes.unify(Handle { node: first, offset: 0 }, Handle { node: n, offset: 0 });
        }
        self.nodes.fold(Handle { node: first, offset: 0 }, 1);
        true
    }

    /// The partition that the nodes stand for.
    fn finish(mut self) -> Partition {
        self.nodes.widen_rows();
        let mut ids: IdVec<NodeId, Option<ClassId>> = self.nodes.all.iter().map(|_| None).collect();
        let mut classes = IdVec::new();
        for id in self.nodes.all.ids() {
            if self.nodes.all[id].parent.is_none() {
                let node = &mut self.nodes.all[id];
                node.functions.sort_unstable();
                ids[id] = Some(classes.push(super::Class {
                    stride: node.stride,
                    rows: node.rows.clone(),
                    slots: BTreeMap::new(),
                    components: Vec::new(),
                    exposed: node.flags.exposed,
                    foreign: node.flags.foreign,
                    escaped: node.flags.escaped,
                    transient: node.flags.transient | (node.flags.foreign && node.flags.through),
                    functions: node.functions.clone(),
                }));
            }
        }
        let nodes = &mut self.nodes;
        let mut target = |h: Handle| {
            let h = nodes.find(h);
            Target { class: ids[h.node].expect("roots have classes"), offset: h.offset }
        };
        let vars: IdVec<VarId, Target> = self.vars.iter().map(|&h| target(h)).collect();
        let funcs = self.funcs.iter().map(|&h| target(h)).collect();
        let results = self.results.iter().map(|&h| target(h)).collect();
        let values = self.values.iter().map(|v| v.map(&mut target)).collect();
        let mut slots = Vec::new();
        for id in ids.ids().filter(|&id| ids[id].is_some()) {
            slots.extend(self.nodes.all[id].slots.iter().map(|(&o, &(size, h))| (id, o, size, h)));
        }
        for (id, offset, size, h) in slots {
            let h = self.nodes.find(h);
            let target = Target { class: ids[h.node].expect("roots have classes"), offset: h.offset };
            let class = ids[id].expect("roots have classes");
            classes[class].slots.insert(offset, Slot { size, target });
        }
        let mut candidates: FxHashMap<ExprId, Vec<FuncId>> = FxHashMap::default();
        for call in self.calls {
            let list = candidates.entry(call.callee).or_default();
            list.extend(call.linked);
            list.sort_unstable();
            list.dedup();
        }
        let mut partition = Partition {
            classes,
            components: IdVec::new(),
            vars,
            funcs,
            results,
            values,
            dynamic: FxHashSet::default(),
            candidates,
        };
        for (id, class) in ids.iter_enumerated() {
            if let Some(class) = *class {
                let node = &self.nodes.all[id];
                components::split(&mut partition, class, &node.accesses, &node.cuts);
            }
        }
        components::find_arrays(self.unit, &mut partition, &self.used);
        partition
    }
}

/// Can a value of a type be an address? Pointers, and integers of at least their size.
fn is_wide(unit: &Unit, ty: TypeId) -> bool {
    match unit.types.get(ty) {
        Type::Pointer(_) => true,
        Type::Int(i) => u64::from(i.bits) / 8 >= unit.types.pointer_size(),
        _ => false,
    }
}

/// The expressions that some instruction or static initialiser needs.
fn used_expressions(unit: &Unit) -> IdVec<ExprId, bool> {
    let mut used: IdVec<ExprId, bool> = unit.exprs.iter().map(|_| false).collect();
    let mut work: Vec<ExprId> = unit.statics.iter().map(|s| s.value).collect();
    for b in unit.funcs.iter().flat_map(|f| f.blocks.iter()) {
        work.extend(b.instrs.iter().flat_map(|i| i.kind.operands()));
        match &b.end {
            Terminator::Branch(e, ..) | Terminator::Switch(e, ..) | Terminator::Return(Some(e)) => {
                work.push(*e);
            }
            _ => {}
        }
    }
    while let Some(e) = work.pop() {
        if !std::mem::replace(&mut used[e], true) {
            work.extend(unit.exprs[e].expr.operands());
        }
    }
    used
}

/// The largest number known to divide an integer expression; zero for zero.
pub(in crate::c) fn divisor(unit: &Unit, e: ExprId) -> i64 {
    use super::super::hir::BinOp;
    let mut known: FxHashMap<ExprId, i64> = FxHashMap::default();
    for e in unit.post_order([e]) {
        let power = |d: i64| if d == 0 { 0 } else { 1i64 << d.trailing_zeros().min(20) };
        let typed = &unit.exprs[e];
        let of = |x: &ExprId| known.get(x).copied().unwrap_or(1);
        let d = match &typed.expr {
            Expr::Int(v) => i64::try_from(*v).map_or(1, |v| v.checked_abs().unwrap_or(1)),
            // Wrapping at a power of two keeps only powers of two.
            Expr::Cast(a) if unit.types.as_int(typed.ty).is_some() => power(of(a)),
            Expr::Binary(op, a, b) if unit.types.as_int(typed.ty).is_some() => match op {
                BinOp::Add | BinOp::Sub => power(super::gcd(of(a), of(b))),
                BinOp::Mul => power(of(a).checked_mul(of(b)).unwrap_or(1)),
                BinOp::Shl => match unit.as_int(*b) {
                    Some(s) if (0..20).contains(&s) => power(of(a).checked_mul(1 << s).unwrap_or(1)),
                    _ => 1,
                },
                _ => 1,
            },
            _ => 1,
        };
        known.insert(e, d);
    }
    known.get(&e).copied().unwrap_or(1)
}
