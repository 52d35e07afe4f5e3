//! What lives where: a field-sensitive unification analysis of memory, and the cells that follow from it.
//!
//! After Steensgaard, in the form of data structure analysis (Lattner and Adve): every object is a node, nodes that
//! one pointer may reach are unified with a shift, and a node that is reached at different offsets, or moved through
//! by a variable index, is folded modulo a stride. Within a node, accesses that can overlap form a component. A
//! component whose accesses all have one size, at multiples of it, holds one scalar per cell; any other holds bytes, so
//! unions and casts between pointers keep their exact meaning.
//!
//! Relied on and reported as assumptions: accesses are aligned, and no pointer is assembled from single bytes.

mod access;

use super::hir::{
    Base, BlockId, Callee, Expr, ExprId, FuncId, InstrKind, Place, Storage, Terminator, Unit, VarId,
};
use super::types::{FLOAT_RANK, IntType, Type, TypeId, Types};
use access::{Access, gcd, groups, uniform};
use bolide_base::{IdVec, index_type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

index_type! {
    /// A class of objects.
    pub struct NodeId("n");
}
index_type! {
    /// A set of accesses of a node that can overlap.
    pub struct CompId("k");
}

/// A place in a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Handle {
    pub node: NodeId,
    pub offset: i64,
}

#[derive(Default)]
struct Node {
    /// The node it was merged into, and where its start lies there.
    parent: Option<(NodeId, i64)>,
    stride: i64,
    /// What is read and written, with the scalar types that do so.
    accesses: BTreeMap<Access, IntType>,
    /// Pointers stored in the node.
    links: BTreeMap<i64, Handle>,
    /// Does it hold objects that are not static, and so start with arbitrary contents?
    transient: bool,
}

/// How the cells of a component are represented.
#[derive(Clone, Debug)]
pub(super) struct Component {
    /// Its node.
    pub node: NodeId,
    /// Its accesses.
    pub accesses: Vec<Access>,
    /// The scalar in each cell; `None` for single bytes.
    pub cell: Option<IntType>,
}

/// The result of the analysis.
pub(super) struct Memory {
    nodes: IdVec<NodeId, Node>,
    var_nodes: IdVec<VarId, NodeId>,
    values: IdVec<ExprId, Option<Handle>>,
    /// All components.
    pub components: IdVec<CompId, Component>,
    by_access: FxHashMap<(NodeId, Access), CompId>,
    by_node: FxHashMap<NodeId, Vec<CompId>>,
    /// Components that a variable is indexed in by something that is not constant.
    pub dynamic: FxHashSet<(VarId, CompId)>,
    /// The functions that an indirect call can reach.
    pub candidates: FxHashMap<ExprId, Vec<FuncId>>,
}

/// Analyses a program.
pub(super) fn analyse(unit: &Unit) -> Memory {
    let mut m = Memory {
        nodes: IdVec::new(),
        var_nodes: IdVec::new(),
        values: unit.exprs.iter().map(|_| None).collect(),
        components: IdVec::new(),
        by_access: FxHashMap::default(),
        by_node: FxHashMap::default(),
        dynamic: FxHashSet::default(),
        candidates: FxHashMap::default(),
    };
    for v in &unit.vars {
        let node = m.nodes.push(Node { transient: v.storage != Storage::Static, ..Node::default() });
        m.var_nodes.push(node);
    }
    m.collect(unit);
    m.split(unit);
    m
}

impl Memory {
    /// The node and offset that a handle stands for now.
    pub(super) fn find(&self, h: Handle) -> Handle {
        let Handle { mut node, mut offset } = h;
        while let Some((parent, shift)) = self.nodes[node].parent {
            node = parent;
            offset += shift;
        }
        let stride = self.nodes[node].stride;
        Handle { node, offset: if stride > 0 { offset.rem_euclid(stride) } else { offset } }
    }

    fn fresh(&mut self) -> Handle {
        Handle { node: self.nodes.push(Node { transient: true, ..Node::default() }), offset: 0 }
    }

    /// Makes two handles stand for the same place.
    fn unify(&mut self, a: Handle, b: Handle) {
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a.node == b.node {
                if a.offset != b.offset {
                    self.fold(a.node, a.offset - b.offset, &mut work);
                }
                continue;
            }
            let weight = |n: NodeId| self.nodes[n].accesses.len() + self.nodes[n].links.len();
            let (a, b) = if weight(a.node) >= weight(b.node) { (a, b) } else { (b, a) };
            let shift = a.offset - b.offset;
            let old = std::mem::take(&mut self.nodes[b.node]);
            self.nodes[b.node].parent = Some((a.node, shift));
            self.nodes[a.node].transient |= old.transient;
            for (access, ty) in old.accesses {
                self.add_access(a.node, access.shifted(shift), ty);
            }
            for (offset, link) in old.links {
                self.add_link(a.node, offset + shift, link, &mut work);
            }
            if old.stride != 0 {
                self.fold(a.node, old.stride, &mut work);
            }
        }
    }

    /// Folds a node modulo a divisor of its stride and the given one.
    fn fold(&mut self, node: NodeId, by: i64, work: &mut Vec<(Handle, Handle)>) {
        let stride = gcd(self.nodes[node].stride, by);
        if stride == self.nodes[node].stride {
            return;
        }
        self.nodes[node].stride = stride;
        let (accesses, links) =
            (std::mem::take(&mut self.nodes[node].accesses), std::mem::take(&mut self.nodes[node].links));
        for (access, ty) in accesses {
            self.add_access(node, access, ty);
        }
        for (offset, link) in links {
            self.add_link(node, offset, link, work);
        }
    }

    fn fold_now(&mut self, node: NodeId, by: i64) {
        let mut work = Vec::new();
        self.fold(node, by, &mut work);
        for (a, b) in work {
            self.unify(a, b);
        }
    }

    fn add_access(&mut self, node: NodeId, access: Access, ty: IntType) {
        let access = access.folded(self.nodes[node].stride);
        // Where types differ, an integer type that is neither decides.
        self.nodes[node]
            .accesses
            .entry(access)
            .and_modify(|old| {
                if *old != ty {
                    *old = IntType { bits: old.bits.max(ty.bits), signed: old.signed || ty.signed, rank: 9 };
                }
            })
            .or_insert(ty);
    }

    fn add_link(&mut self, node: NodeId, offset: i64, link: Handle, work: &mut Vec<(Handle, Handle)>) {
        let stride = self.nodes[node].stride;
        let offset = if stride > 0 { offset.rem_euclid(stride) } else { offset };
        match self.nodes[node].links.get(&offset) {
            Some(&old) => work.push((old, link)),
            None => {
                self.nodes[node].links.insert(offset, link);
            }
        }
    }

    /// What the pointer stored at a place points to.
    fn link(&mut self, h: Handle) -> Handle {
        let h = self.find(h);
        if let Some(&l) = self.nodes[h.node].links.get(&h.offset) {
            return l;
        }
        let fresh = self.fresh();
        self.nodes[h.node].links.insert(h.offset, fresh);
        fresh
    }

    /// The place, without its variable indices.
    fn place_start(&self, place: &Place) -> Option<Handle> {
        let base = match place.base {
            Base::Var(v) => Handle { node: self.var_nodes[v], offset: 0 },
            Base::Deref(e) => self.values[e]?,
        };
        Some(Handle { offset: base.offset + place.offset, ..base })
    }

    /// The access that a scalar place makes, in terms of the node that holds it now.
    fn access_of(&self, place: &Place, size: u32) -> Option<(NodeId, Access)> {
        let start = self.place_start(place)?;
        let root = self.find(Handle { offset: 0, ..start });
        // `root.offset` may be folded already; shifts commute with folding.
        let offset = root.offset + start.offset;
        let access = match (place.dynamic.is_empty(), place.extent) {
            (true, _) | (_, None) => Access::single(offset, size),
            (false, Some((low, high))) => {
                let stride = place.dynamic.iter().fold(0, |g, d| gcd(g, d.1));
                let shift = offset - place.offset;
                Access { offset, size, stride, low: low + shift, high: high + shift }
            }
        };
        // Offsets within the range that differ by the stride are the same access.
        let access = if access.stride > 0 {
            let offset = access.low + (access.offset - access.low).rem_euclid(access.stride);
            Access { offset, ..access }
        } else {
            access
        };
        Some((root.node, access.folded(self.nodes[root.node].stride)))
    }

    /// Scalar type of a place, for its access.
    fn scalar(unit: &Unit, place: &Place) -> Option<(u32, IntType)> {
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

    fn touch(&mut self, unit: &Unit, place: &Place) {
        let Some((size, ty)) = Self::scalar(unit, place) else { return };
        if let Some((node, access)) = self.access_of(place, size) {
            self.add_access(node, access, ty);
        }
    }

    /// The handle of a place, making a node for a pointer that comes from nowhere.
    fn place_handle(&mut self, place: &Place) -> Handle {
        if let Base::Deref(e) = place.base
            && self.values[e].is_none()
        {
            self.values[e] = Some(self.fresh());
        }
        let start = self.place_start(place).expect("the base has a node");
        if !place.dynamic.is_empty() && place.extent.is_none() {
            let root = self.find(start);
            let stride = place.dynamic.iter().fold(0, |g, d| gcd(g, d.1));
            self.fold_now(root.node, stride);
        }
        start
    }

    /// Walks all expressions and instructions in use.
    fn collect(&mut self, unit: &Unit) {
        let used = used_expressions(unit);
        let by_type = candidates_by_type(unit);
        // The second round sees the pointers that the first one met only after it had passed an array of them.
        for _ in 0..2 {
            self.round(unit, &used, &by_type);
        }
    }

    fn round(&mut self, unit: &Unit, used: &IdVec<ExprId, bool>, by_type: &FxHashMap<usize, Vec<FuncId>>) {
        for (id, typed) in unit.exprs.iter_enumerated().filter(|(id, _)| used[*id]) {
            let value = self.value(unit, &typed.expr, id);
            self.values[id] = value.or(self.values[id]);
        }
        for s in &unit.statics {
            let place = Place { offset: s.offset as i64, bits: s.bits, ..Place::var(s.var, s.ty) };
            self.store(unit, &place, Some(s.value));
        }
        for f in &unit.funcs {
            for b in &f.blocks {
                for i in &b.instrs {
                    self.instruction(unit, &i.kind, by_type);
                }
            }
        }
    }

    fn value(&mut self, unit: &Unit, expr: &Expr, id: ExprId) -> Option<Handle> {
        match expr {
            Expr::Load(place) => {
                let h = self.place_handle(place);
                self.touch(unit, place);
                self.carries(unit, id).then(|| self.link_of(place, h))
            }
            Expr::Addr(place) => {
                let h = self.place_handle(place);
                if !place.dynamic.is_empty() {
                    let stride = place.dynamic.iter().fold(0, |g, d| gcd(g, d.1));
                    let root = self.find(h);
                    self.fold_now(root.node, stride);
                }
                Some(h)
            }
            Expr::Cast(a) => self.values[*a].filter(|_| self.carries(unit, id)),
            Expr::PtrAdd(p, i, scale) => {
                let h = match self.values[*p] {
                    Some(h) => h,
                    None => {
                        let h = self.fresh();
                        self.values[*p] = Some(h);
                        h
                    }
                };
                match unit.as_int(*i).and_then(|v| i64::try_from(v).ok()).and_then(|v| v.checked_mul(*scale))
                {
                    Some(bytes) => Some(Handle { offset: h.offset + bytes, ..h }),
                    None => {
                        let root = self.find(h);
                        self.fold_now(root.node, *scale);
                        Some(h)
                    }
                }
            }
            Expr::Cond(_, a, b) => self.either(*a, *b),
            Expr::Binary(_, a, b) if self.carries(unit, id) => {
                // Arithmetic on an address that was made an integer: anywhere in the object.
                let h = match (unit.as_int(*a), unit.as_int(*b)) {
                    (None, None) => self.either(*a, *b),
                    (None, _) => self.values[*a],
                    _ => self.values[*b],
                }?;
                let root = self.find(h);
                self.fold_now(root.node, 1);
                Some(h)
            }
            _ => None,
        }
    }

    fn either(&mut self, a: ExprId, b: ExprId) -> Option<Handle> {
        match (self.values[a], self.values[b]) {
            (Some(x), Some(y)) => {
                self.unify(x, y);
                Some(x)
            }
            (x, y) => x.or(y),
        }
    }

    /// Can an expression hold an address? Pointers, and integers computed from pointers.
    fn carries(&self, unit: &Unit, e: ExprId) -> bool {
        let typed = &unit.exprs[e];
        match unit.types.get(typed.ty) {
            Type::Pointer(_) => true,
            Type::Int(i) => {
                let wide = u64::from(i.bits) / 8 >= unit.types.pointer_size();
                wide && match &typed.expr {
                    Expr::Load(_) => true,
                    Expr::Binary(..) => typed
                        .expr
                        .operands()
                        .iter()
                        .any(|&o| matches!(unit.exprs[o].expr, Expr::Cast(_)) && self.values[o].is_some()),
                    _ => true,
                }
            }
            _ => false,
        }
    }

    /// The link of a place, or of all elements where it is indexed.
    fn link_of(&mut self, place: &Place, h: Handle) -> Handle {
        let first = self.link(h);
        if let (false, Some((low, high))) = (place.dynamic.is_empty(), place.extent) {
            // Every element of the array may be meant: their links are one.
            let root = self.find(Handle { offset: 0, ..h });
            let (node, base) = (&self.nodes[root.node], root.offset + h.offset - place.offset);
            let step = place.dynamic.iter().fold(node.stride, |g, d| gcd(g, d.1));
            let inside = |o: i64| node.stride > 0 || (base + low..base + high).contains(&o);
            let meant = |o: i64| inside(o) && (o - base - place.offset) % step.max(1) == 0;
            let links: Vec<Handle> = node.links.iter().filter(|l| meant(*l.0)).map(|l| *l.1).collect();
            for l in links {
                self.unify(first, l);
            }
        }
        first
    }

    fn store(&mut self, unit: &Unit, place: &Place, value: Option<ExprId>) {
        let h = self.place_handle(place);
        self.touch(unit, place);
        if let Some(v) = value.and_then(|v| self.values[v])
            && unit.types.size_of(place.ty).is_some_and(|s| s >= unit.types.pointer_size())
        {
            let link = self.link_of(place, h);
            self.unify(link, v);
        }
    }

    fn instruction(&mut self, unit: &Unit, kind: &InstrKind, by_type: &FxHashMap<usize, Vec<FuncId>>) {
        match kind {
            InstrKind::Assign(p, e) => self.store(unit, p, Some(*e)),
            InstrKind::Input(p, _) => self.store(unit, p, None),
            InstrKind::Copy(a, b) => {
                let (x, y) = (self.place_handle(a), self.place_handle(b));
                self.unify(x, y);
            }
            InstrKind::Move(a, b, _) => {
                if let (Some(x), Some(y)) = (self.values[*a], self.values[*b]) {
                    self.unify(x, y);
                }
            }
            InstrKind::Alloc(p, _, _) => {
                let h = self.place_handle(p);
                self.touch(unit, p);
                let link = self.link(h);
                let root = self.find(link);
                self.nodes[root.node].transient = true;
            }
            InstrKind::Call(dst, callee, args) => {
                if let Some(p) = dst {
                    self.store(unit, p, None);
                }
                let targets = match callee {
                    Callee::Direct(f) => vec![*f],
                    Callee::Indirect(e, _) => {
                        let fitting = by_type.get(&args.len()).cloned().unwrap_or_default();
                        let fitting: Vec<FuncId> =
                            fitting.into_iter().filter(|&f| compatible(unit, *e, f, dst.is_some())).collect();
                        self.candidates.insert(*e, fitting.clone());
                        fitting
                    }
                };
                for f in targets {
                    for (&p, &a) in unit.funcs[f].params.iter().zip(args) {
                        let place = Place::var(p, unit.vars[p].ty);
                        self.store(unit, &place, Some(a));
                    }
                    if let Some(p) = dst {
                        for value in returned(unit, f) {
                            self.store(unit, p, Some(value));
                        }
                    }
                }
            }
            InstrKind::Fresh(..) | InstrKind::Zero(_) | InstrKind::Assume(_) | InstrKind::Fill(..) => {}
        }
    }

    /// Splits every node into components.
    fn split(&mut self, unit: &Unit) {
        for id in self.nodes.ids() {
            if self.nodes[id].parent.is_some() {
                continue;
            }
            let accesses: Vec<(Access, IntType)> =
                self.nodes[id].accesses.iter().map(|(a, t)| (*a, *t)).collect();
            let folded = self.nodes[id].stride > 0;
            for group in groups(&accesses, folded) {
                let cell = uniform(&group);
                let accesses: Vec<Access> = group.iter().map(|g| g.0).collect();
                let comp = self.components.push(Component { node: id, accesses: accesses.clone(), cell });
                self.by_access.extend(accesses.into_iter().map(|a| ((id, a), comp)));
                self.by_node.entry(id).or_default().push(comp);
            }
        }
        let used = used_expressions(unit);
        let dynamic = |this: &mut Self, p: &Place| {
            if let (Base::Var(v), false) = (p.base, p.dynamic.is_empty()) {
                match this.component(unit, p) {
                    Some(k) => _ = this.dynamic.insert((v, k)),
                    // A record that is copied: all that may be in it.
                    None => {
                        let node = this.find(Handle { node: this.var_nodes[v], offset: 0 }).node;
                        let all: Vec<CompId> = this.components_of(node).to_vec();
                        this.dynamic.extend(all.into_iter().map(|k| (v, k)));
                    }
                }
            }
        };
        for (_, typed) in unit.exprs.iter_enumerated().filter(|(id, _)| used[*id]) {
            if let Expr::Load(p) = &typed.expr {
                dynamic(self, p);
            }
        }
        for i in unit.funcs.iter().flat_map(|f| f.blocks.iter()).flat_map(|b| b.instrs.iter()) {
            i.kind.places().into_iter().for_each(|p| dynamic(self, p));
        }
    }

    /// The component that a scalar place lies in.
    pub(super) fn component(&self, unit: &Unit, place: &Place) -> Option<CompId> {
        let (size, _) = Self::scalar(unit, place)?;
        let key = self.access_of(place, size)?;
        self.by_access.get(&key).copied()
    }

    /// The components of a node.
    pub(super) fn components_of(&self, node: NodeId) -> &[CompId] {
        self.by_node.get(&node).map_or(&[], |c| c)
    }

    /// The node and offset of a place or an address.
    pub(super) fn locate(&self, place: &Place) -> Option<Handle> {
        self.place_start(place).map(|h| self.find(h))
    }

    /// The node and offset that an address leads to.
    pub(super) fn target(&self, e: ExprId) -> Option<Handle> {
        self.values[e].map(|h| self.find(h))
    }

    /// The node and offset that the pointer stored at a place leads to.
    pub(super) fn stored_pointer(&self, place: &Place) -> Option<Handle> {
        let h = self.locate(place)?;
        self.nodes[h.node].links.get(&h.offset).map(|&l| self.find(l))
    }

    /// Does a node hold objects with arbitrary initial contents?
    pub(super) fn transient(&self, node: NodeId) -> bool {
        self.nodes[node].transient
    }

    /// The offsets of cells of a component that lie between two offsets of its node.
    pub(super) fn cells(&self, comp: CompId, low: i64, high: i64, most: usize) -> Option<Vec<i64>> {
        let c = &self.components[comp];
        let size = c.cell.map_or(1, |_| i64::from(c.accesses[0].size));
        let mut out = std::collections::BTreeSet::new();
        for a in &c.accesses {
            let (first, last, step) = match (a.stride, self.nodes[c.node].stride) {
                (0, _) => (a.offset, a.offset, 1),
                (s, 0) => (a.low + (a.offset - a.low).rem_euclid(s), a.high - i64::from(a.size), s),
                (s, _) => (low + (a.offset - low).rem_euclid(s) - s, high, s),
            };
            let mut at = first;
            // Skip at once to the first access that can touch the range.
            if at + i64::from(a.size) <= low && step > 0 {
                at += (low - at - i64::from(a.size)) / step * step;
            }
            while at <= last && at < high {
                let cells = if c.cell.is_some() { 1 } else { i64::from(a.size) };
                for n in 0..cells {
                    let cell = at + n * size;
                    if cell >= low && cell + size <= high {
                        out.insert(cell);
                    }
                }
                if out.len() > most {
                    return None;
                }
                at += step;
            }
        }
        Some(out.into_iter().collect())
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
                work.push(*e)
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

/// The values that a function returns.
fn returned(unit: &Unit, f: FuncId) -> Vec<ExprId> {
    let value = |b: BlockId| match unit.funcs[f].blocks[b].end {
        Terminator::Return(e) => e,
        _ => None,
    };
    unit.funcs[f].blocks.ids().filter_map(value).collect()
}

/// Functions with a body whose address is taken, by their number of parameters.
fn candidates_by_type(unit: &Unit) -> FxHashMap<usize, Vec<FuncId>> {
    let mut out: FxHashMap<usize, Vec<FuncId>> = FxHashMap::default();
    for (id, f) in unit.funcs.iter_enumerated() {
        if f.address_taken && !f.blocks.is_empty() {
            out.entry(f.params.len()).or_default().push(id);
        }
    }
    out
}

/// May a pointer of a type call a function? The result and the parameters have the same representation.
fn compatible(unit: &Unit, pointer: ExprId, f: FuncId, wants_result: bool) -> bool {
    let ty = unit.types.pointee(unit.exprs[pointer].ty).map(|t| unit.types.get(t));
    let (Some(Type::Function(wanted)), Type::Function(have)) = (ty, unit.types.get(unit.funcs[f].ty)) else {
        return false;
    };
    let same = |a, b| {
        let (types, is) =
            (&unit.types, |test: fn(&Types, TypeId) -> bool| test(&unit.types, a) == test(&unit.types, b));
        types.size_of(a) == types.size_of(b) && is(Types::is_scalar) && is(Types::is_float)
    };
    let params = match (&wanted.params, &have.params) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| same(x, y)),
        _ => true,
    };
    params && (!wants_result || same(wanted.result, have.result))
}
