//! One walk over the program that imposes all constraints.

use super::{Flags, Handle, IndirectCall, Inference, divisor, is_wide};
use crate::c::hir::{Base, BinOp, Callee, Expr, ExprId, FuncId, InstrKind, Place, Terminator};
use crate::c::memory::{FAR, gcd, scalar};
use crate::c::types::{Type, TypeId};
use rustc_hash::FxHashSet;

/// Numbers beyond are not taken for offsets.
const LARGEST_OFFSET: i128 = 1 << 30;

const FOREIGN: Flags = Flags {
    foreign: true,
    exposed: false,
    escaped: false,
    inhabited: false,
    through: false,
    transient: true,
};
const EXPOSED: Flags = Flags { exposed: true, foreign: false, transient: false, ..FOREIGN };
const THROUGH: Flags = Flags { through: true, foreign: false, transient: false, ..FOREIGN };

/// What is stored.
#[derive(Clone, Copy)]
pub(super) enum Stored {
    /// The value of an expression.
    Value(ExprId),
    /// What leads to a handle.
    Pointer(Handle),
    /// Anything.
    Any,
}

impl<'a> Inference<'a> {
    pub(super) fn walk(&mut self) {
        let unit = self.unit;
        for (id, typed) in unit.exprs.iter_enumerated() {
            self.plain[id] = match &typed.expr {
                Expr::Int(_) | Expr::Float(_) | Expr::Compare(..) => true,
                Expr::LogicAnd(..) | Expr::LogicOr(..) | Expr::LogicNot(_) => true,
                Expr::Neg(a) | Expr::Not(a) | Expr::Cast(a) => self.plain[*a],
                Expr::Binary(_, a, b) => self.plain[*a] && self.plain[*b],
                Expr::Cond(_, a, b) => self.plain[*a] && self.plain[*b],
                _ => false,
            };
            if self.used[id] {
                self.values[id] = self.value(&typed.expr, id);
            }
        }
        for s in &unit.statics {
            let place = Place { offset: s.offset as i64, bits: s.bits, ..Place::var(s.var, s.ty) };
            self.store(&place, Stored::Value(s.value));
        }
        for &p in &unit.funcs[unit.entry].params {
            self.store(&Place::var(p, unit.vars[p].ty), Stored::Any);
        }
        for (id, f) in unit.funcs.iter_enumerated() {
            for b in &f.blocks {
                for i in &b.instrs {
                    self.instruction(&i.kind);
                }
                if let Terminator::Return(Some(e)) = b.end {
                    self.returned(id, e);
                }
            }
        }
    }

    fn fresh(&mut self, flags: Flags) -> Handle {
        self.nodes.fresh(Flags { transient: true, ..flags })
    }

    fn moved(h: Handle, by: i64) -> Handle {
        Handle { offset: h.offset.saturating_add(by), ..h }
    }

    /// Where a place starts, without its indices; their rows and strides are known afterwards.
    fn place(&mut self, place: &Place, whole: bool) -> Handle {
        let base = match place.base {
            Base::Var(v) => self.vars[v],
            Base::Deref(e) => {
                let h = self.pointer(e);
                self.nodes.flag(h, THROUGH);
                h
            }
        };
        for &(index, _) in &place.dynamic {
            if let Some(h) = self.values[index] {
                self.nodes.flag(h, EXPOSED);
            }
        }
        let step = place.dynamic.iter().fold(0, |g, d| gcd(g, d.1));
        match self.extent(place) {
            _ if place.dynamic.is_empty() => {}
            Some((low, high)) if !whole => self.nodes.row(base, low, high, step.max(1)),
            _ => self.nodes.fold(base, step.max(1)),
        }
        Self::moved(base, place.offset)
    }

    /// Where a pointer leads to.
    fn pointer(&mut self, e: ExprId) -> Handle {
        match self.values[e] {
            Some(h) => h,
            None => {
                let h = self.fresh(Flags::default());
                self.values[e] = Some(h);
                h
            }
        }
    }

    /// The stretch that an indexed place may lie in, in bytes from the base: the outermost array of arrays around it,
    /// and all that follows if it is the last member of a record and of unknown length.
    fn extent(&self, place: &Place) -> Option<(i64, i64)> {
        let types = &self.unit.types;
        let (low, high) = place.extent?;
        let mut ty = match place.base {
            Base::Var(v) => self.unit.vars[v].ty,
            Base::Deref(e) => types.pointee(self.unit.exprs[e].ty)?,
        };
        let is_deref = matches!(place.base, Base::Deref(_));
        let (mut start, mut outermost) = (0, None);
        loop {
            match types.get(ty) {
                Type::Array(element, count) => {
                    let size = types.size_of(*element)? as i64;
                    let end = count.map_or(FAR, |n| start + size * n as i64);
                    let (first, last) = *outermost.get_or_insert((start, end));
                    if (start, end) == (low, high) || size == 0 {
                        return Some((first.min(low), last.max(high)));
                    }
                    if low < start || low >= end {
                        return Some((low, high));
                    }
                    start += (low - start) / size * size;
                    ty = *element;
                }
                Type::Record(r) => {
                    outermost = None;
                    let record = &types.records[*r];
                    let fields = record.fields.as_ref()?;
                    let inside = |f: &&crate::c::types::Field| {
                        let first = start + f.offset as i64;
                        let end = types.size_of(f.ty).map_or(FAR, |s| first + s as i64);
                        first <= low && high <= end.max(first + 1)
                    };
                    let Some(field) = fields.iter().find(inside) else { return Some((low, high)) };
                    let is_open = match types.get(field.ty) {
                        Type::Array(_, n) => n.is_none_or(|n| n <= 1),
                        _ => false,
                    };
                    let is_last = fields.last().is_some_and(|l| l.offset == field.offset);
                    if is_deref && is_open && is_last && !record.is_union {
                        return Some((low, FAR));
                    }
                    start += field.offset as i64;
                    ty = field.ty;
                }
                _ => return Some((low, high)),
            }
        }
    }

    /// A scalar is read or written: where it is.
    fn touch(&mut self, place: &Place) -> Handle {
        let h = self.place(place, false);
        if let Some((size, ty)) = scalar(self.unit, place) {
            let mixed = place.bits.is_some() || !is_wide(self.unit, place.ty);
            self.nodes.access(h, size, ty, mixed);
        }
        h
    }

    /// Can a place hold a whole address? The bytes if so.
    fn holds_address(&self, place: &Place) -> Option<u32> {
        let is_whole = place.bits.is_none() && is_wide(self.unit, place.ty);
        is_whole.then(|| self.unit.types.size_of(place.ty).unwrap_or(0) as u32)
    }

    pub(super) fn store(&mut self, place: &Place, value: Stored) {
        let h = self.touch(place);
        self.put(h, self.holds_address(place), value);
    }

    /// Stores into a scalar of so many bytes that can hold an address, or of another kind.
    fn put(&mut self, h: Handle, size: Option<u32>, value: Stored) {
        let (known, is_plain) = match value {
            Stored::Value(e) => (self.values[e], self.plain[e]),
            Stored::Pointer(h) => (Some(h), false),
            Stored::Any => (None, false),
        };
        let Some(size) = size else {
            if let Some(v) = known {
                self.nodes.flag(v, EXPOSED);
            }
            return;
        };
        let link = self.nodes.link(h, size);
        match known {
            Some(v) => self.nodes.unify(link, v),
            None if !is_plain => self.nodes.flag(link, FOREIGN),
            None => {}
        }
    }

    fn expose(&mut self, e: ExprId) {
        if let Some(h) = self.values[e] {
            self.nodes.flag(h, EXPOSED);
        }
    }

    /// A pointer of which nothing is known, unless an expression is plain.
    fn unknown(&mut self, ty: TypeId, is_plain: bool) -> Option<Handle> {
        let is_pointer = self.unit.types.pointee(ty).is_some();
        (is_pointer && !is_plain).then(|| self.fresh(FOREIGN))
    }

    fn value(&mut self, expr: &Expr, id: ExprId) -> Option<Handle> {
        let unit = self.unit;
        let ty = unit.exprs[id].ty;
        match expr {
            Expr::Int(_) | Expr::Float(_) => None,
            Expr::LogicAnd(..) | Expr::LogicOr(..) | Expr::LogicNot(_) => None,
            Expr::Load(place) => {
                let h = self.touch(place);
                self.holds_address(place).map(|size| self.nodes.link(h, size))
            }
            Expr::Addr(place) => {
                let through = matches!(place.base, Base::Deref(_));
                if !through || !place.dynamic.is_empty() {
                    return Some(self.place(place, true));
                }
                // The address of a member is no access.
                let Base::Deref(e) = place.base else { return None };
                if self.plain[e] && self.values[e].is_none() {
                    return None;
                }
                let h = self.pointer(e);
                Some(Self::moved(h, place.offset))
            }
            Expr::Func(f) => Some(self.funcs[*f]),
            Expr::Cast(a) => {
                if is_wide(unit, ty) {
                    return self.values[*a].or_else(|| self.unknown(ty, self.plain[*a]));
                }
                if unit.types.as_int(ty).is_none_or(|i| i.rank != 0) {
                    self.expose(*a);
                }
                None
            }
            Expr::Neg(a) | Expr::Not(a) => {
                self.expose(*a);
                None
            }
            Expr::Compare(_, a, b) => {
                let is_followed = |e: &ExprId| is_wide(unit, unit.exprs[*e].ty) && !self.plain[*e];
                if is_followed(a) && is_followed(b) {
                    self.compared.push((self.values[*a], self.values[*b]));
                }
                None
            }
            Expr::Cond(_, a, b) => {
                if !is_wide(unit, ty) {
                    return None;
                }
                match (self.values[*a], self.values[*b]) {
                    (Some(x), Some(y)) => {
                        self.nodes.unify(x, y);
                        Some(x)
                    }
                    (Some(x), None) | (None, Some(x)) => {
                        let other = if self.values[*a].is_some() { b } else { a };
                        if !self.plain[*other] {
                            self.nodes.flag(x, FOREIGN);
                        }
                        Some(x)
                    }
                    (None, None) => self.unknown(ty, self.plain[*a] && self.plain[*b]),
                }
            }
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) if is_wide(unit, ty) => {
                let small = |e: ExprId| {
                    let value = unit.types.as_int(ty).zip(unit.as_int(e));
                    let signed = value.map(|(t, v)| crate::c::types::IntType { signed: true, ..t }.wrap(v));
                    signed.filter(|v| v.abs() < LARGEST_OFFSET).map(|v| v as i64)
                };
                match (op, small(*a), small(*b)) {
                    (BinOp::Add, _, Some(v)) => return self.values[*a].map(|h| Self::moved(h, v)),
                    (BinOp::Sub, _, Some(v)) => return self.values[*a].map(|h| Self::moved(h, -v)),
                    (BinOp::Add, Some(v), _) => return self.values[*b].map(|h| Self::moved(h, v)),
                    _ => {}
                }
                self.expose(*a);
                self.expose(*b);
                None
            }
            Expr::Binary(_, a, b) | Expr::Math(_, a, b) => {
                self.expose(*a);
                self.expose(*b);
                None
            }
            Expr::PtrAdd(p, i, scale) => self.moved_pointer(*p, *i, *scale),
            Expr::PtrSub(a, b, _) => {
                // A distance leads from one to the other.
                if let (Some(x), Some(y)) = (self.values[*a], self.values[*b]) {
                    self.nodes.unify(x, y);
                } else {
                    self.expose(*a);
                    self.expose(*b);
                }
                None
            }
        }
    }

    fn moved_pointer(&mut self, p: ExprId, i: ExprId, scale: i64) -> Option<Handle> {
        let unit = self.unit;
        let Some(h) = self.values[p] else {
            if self.plain[p] && self.plain[i] {
                return None;
            }
            // A null pointer moved by an address that was made a number.
            self.expose(i);
            let h = self.fresh(FOREIGN);
            return Some(h);
        };
        self.expose(i);
        let constant = unit.as_int(i).and_then(|v| i64::try_from(v).ok()).and_then(|v| v.checked_mul(scale));
        match constant.filter(|v| i128::from(v.unsigned_abs()) < LARGEST_OFFSET) {
            Some(bytes) => Some(Self::moved(h, bytes)),
            None => {
                self.nodes.fold(h, scale.max(1));
                Some(h)
            }
        }
    }

    fn returned(&mut self, f: FuncId, e: ExprId) {
        let Type::Function(s) = self.unit.types.get(self.unit.funcs[f].ty) else { return };
        let link = self.results[f];
        match self.values[e] {
            Some(v) if is_wide(self.unit, s.result) => self.nodes.unify(link, v),
            Some(v) => self.nodes.flag(v, EXPOSED),
            None if !self.plain[e] => self.nodes.flag(link, FOREIGN),
            None => {}
        }
    }

    /// Passes arguments to a function, and its result to a destination.
    pub(super) fn pass(&mut self, f: FuncId, args: &[ExprId], to: Option<(Handle, TypeId)>) {
        for (n, &p) in self.unit.funcs[f].params.iter().enumerate() {
            let place = Place::var(p, self.unit.vars[p].ty);
            match args.get(n) {
                Some(&a) => self.store(&place, Stored::Value(a)),
                None => self.store(&place, Stored::Any),
            }
        }
        let Some((h, ty)) = to else { return };
        let result = match self.unit.types.get(self.unit.funcs[f].ty) {
            Type::Function(s) if is_wide(self.unit, s.result) => Stored::Pointer(self.results[f]),
            _ => Stored::Any,
        };
        let size = is_wide(self.unit, ty).then(|| self.unit.types.size_of(ty).unwrap_or(0) as u32);
        self.put(h, size, result);
    }

    /// A stretch of bytes from a place is copied or filled: cells do not reach over its ends.
    fn cut(&mut self, h: Handle, size: Option<i64>, step: i64) {
        match size {
            Some(n) => {
                self.nodes.cut(h, 0);
                self.nodes.cut(Self::moved(h, n), 0);
            }
            None => self.nodes.cut(h, step.max(1)),
        }
    }

    fn instruction(&mut self, kind: &'a InstrKind) {
        let unit = self.unit;
        match kind {
            InstrKind::Assign(p, e) => self.store(p, Stored::Value(*e)),
            InstrKind::Input(p, _) => self.store(p, Stored::Any),
            InstrKind::Copy(to, from) => {
                let (a, b) = (self.place(to, true), self.place(from, true));
                self.nodes.unify(a, b);
                self.cut(a, Some(unit.types.size_of(to.ty).unwrap_or(0) as i64), 1);
            }
            InstrKind::Move(to, from, n) => {
                let (a, b) = (self.pointer(*to), self.pointer(*from));
                self.nodes.flag(a, THROUGH);
                self.nodes.flag(b, THROUGH);
                self.nodes.unify(a, b);
                self.stretch(a, *n);
            }
            InstrKind::Fill(to, value, n) => {
                let h = self.pointer(*to);
                self.nodes.flag(h, THROUGH);
                self.stretch(h, *n);
                self.expose(*value);
                if unit.as_int(*value).is_none() {
                    self.filled.push(h);
                }
            }
            InstrKind::Alloc(p, _, _) => {
                let h = self.touch(p);
                if let Some(size) = self.holds_address(p) {
                    let link = self.nodes.link(h, size);
                    self.nodes.flag(link, Flags { inhabited: true, transient: true, ..Flags::default() });
                }
            }
            InstrKind::Call(dst, callee, args) => {
                let to = dst.as_ref().map(|p| (self.touch(p), p.ty));
                match callee {
                    Callee::Direct(f) => self.pass(*f, args, to),
                    Callee::Indirect(callee, input, expected) => {
                        let h = self.pointer(*callee);
                        self.nodes.flag(h, THROUGH);
                        if let (Some(p), Some(_)) = (dst, input) {
                            self.store(p, Stored::Any);
                        }
                        let linked = FxHashSet::default();
                        self.calls.push(IndirectCall {
                            callee: *callee,
                            expected: *expected,
                            to,
                            args,
                            linked,
                        });
                    }
                }
            }
            InstrKind::Escape(values) => {
                for e in values {
                    if let Some(h) = self.values[*e] {
                        self.nodes.flag(h, Flags { escaped: true, ..EXPOSED });
                    }
                }
            }
            InstrKind::Fresh(..) | InstrKind::Zero(_) | InstrKind::Assume(_) | InstrKind::Guard(_) => {}
        }
    }

    /// A number of bytes from a place is copied or filled.
    fn stretch(&mut self, h: Handle, n: ExprId) {
        match self.unit.as_int(n) {
            Some(bytes) => self.cut(h, Some(i64::try_from(bytes).map_or(FAR, |b| b.clamp(0, FAR))), 1),
            None => self.cut(h, None, divisor(self.unit, n)),
        }
    }
}
