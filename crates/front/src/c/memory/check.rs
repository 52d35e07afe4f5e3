//! Checking a partition: one pass over the typed program, with a local condition for everything that it does.
//!
//! What is to be shown is that at any time, if the value of an expression with a claimed target is the address of a byte of
//! an object, then the object is in the class of the target and the byte at its offset (modulo the stride), and the same for
//! every stored address and its slot. Each rule below keeps this true. Values without a claim are numbers: an address that
//! becomes part of one is *exposed*, and a pointer that is made from one is *foreign*.

use super::super::hir::{
    Base, BinOp, Callee, Expr, ExprId, FuncId, InstrKind, Place, Storage, Terminator, Unit,
};
use super::super::syntax::source::Issue;
use super::super::types::{IntType, Type, TypeId};
use super::{ClassId, FAR, Partition, Row, Target, gcd, scalar};
use bolide_base::IdVec;
use bolide_model::Span;

/// The largest scalar.
const LARGEST: i64 = 64;

type Checked = Result<(), Issue>;

/// A number in a place of a claim, or nothing that needs one.
#[derive(Clone, Copy)]
enum Source {
    Value(ExprId),
    Pointer(Target),
    Any,
}

struct Checker<'a> {
    unit: &'a Unit,
    partition: &'a Partition,
    /// Expressions made of constants and truth values only.
    plain: IdVec<ExprId, bool>,
    /// Classes with objects that have an address.
    inhabited: IdVec<ClassId, bool>,
    /// Classes that are accessed through pointers.
    through: IdVec<ClassId, bool>,
    span: Span,
}

/// Does a partition allow all that a program does?
pub(in crate::c) fn check(unit: &Unit, partition: &Partition) -> Checked {
    let mut checker = Checker {
        unit,
        partition,
        plain: unit.exprs.iter().map(|_| false).collect(),
        inhabited: partition.classes.iter().map(|_| false).collect(),
        through: partition.classes.iter().map(|_| false).collect(),
        span: Span::default(),
    };
    checker.structure()?;
    checker.objects()?;
    checker.expressions()?;
    for s in &unit.statics {
        let place = Place { offset: s.offset as i64, bits: s.bits, ..Place::var(s.var, s.ty) };
        checker.store(&place, Source::Value(s.value))?;
    }
    for &p in &unit.funcs[unit.entry].params {
        checker.store(&Place::var(p, unit.vars[p].ty), Source::Any)?;
    }
    for (f, function) in unit.funcs.iter_enumerated() {
        for b in &function.blocks {
            for i in &b.instrs {
                checker.span = i.span;
                checker.instruction(&i.kind)?;
            }
            checker.span = b.span;
            if let Terminator::Return(Some(e)) = b.end {
                checker.returned(f, e)?;
            }
        }
    }
    checker.spread()?;
    checker.foreign_pointers()
}

impl Checker<'_> {
    fn require(&self, holds: bool, what: &str) -> Checked {
        if holds {
            return Ok(());
        }
        let message =
            format!("internal error: the partition of memory is wrong about {what}; please report this");
        Err(Issue { span: self.span, message })
    }

    fn same(&self, a: Target, b: Target) -> bool {
        a.class == b.class && self.partition.moved(a, 0) == self.partition.moved(b, 0)
    }

    fn is_wide(&self, ty: TypeId) -> bool {
        match self.unit.types.get(ty) {
            Type::Pointer(_) => true,
            Type::Int(i) => u64::from(i.bits) / 8 >= self.unit.types.pointer_size(),
            _ => false,
        }
    }

    /// Rows and components of a class do not overlap, and components repeat with their rows.
    fn structure(&self) -> Checked {
        for (id, class) in self.partition.classes.iter_enumerated() {
            let rows = &class.rows;
            let apart = rows.windows(2).all(|w| w[0].high <= w[1].low);
            self.require(apart && rows.iter().all(|r| r.low < r.high && r.period > 0), "rows")?;
            self.require(class.stride == 0 || rows.is_empty(), "a stride")?;
            let mut end = -2 * FAR;
            for &k in &class.components {
                let c = &self.partition.components[k];
                self.require(c.class == id && end <= c.start && c.start < c.end, "components")?;
                end = c.end;
                let next = rows.partition_point(|r| r.high <= c.start);
                let is_right = match class.row_at(c.start) {
                    None => c.row.period == 0 && rows.get(next).is_none_or(|r| c.end <= r.low),
                    Some(row) => {
                        let first = if class.stride > 0 { 0 } else { row.low };
                        let fits = c.start >= first && c.end <= first + row.period;
                        c.row == row && fits && (c.cell.is_none() || row.period % c.size() == 0)
                    }
                };
                self.require(is_right, "a component")?;
            }
            for (offset, slot) in &class.slots {
                let target = &self.partition.classes[slot.target.class];
                self.require(class.canonical(*offset) == *offset, "a slot")?;
                let is_short = class.row_at(*offset).is_some_and(|r| r.period < i64::from(slot.size));
                self.require(!is_short || target.exposed && target.foreign, "a slot that overlaps itself")?;
            }
        }
        Ok(())
    }

    /// Objects with an address, and contents that are arbitrary at first.
    fn objects(&mut self) -> Checked {
        for (v, variable) in self.unit.vars.iter_enumerated() {
            let class = self.partition.vars[v].class;
            self.inhabited[class] |= variable.address_taken;
            let is_static = variable.storage == Storage::Static;
            self.require(is_static || self.partition.transient(class), "a local variable")?;
        }
        for (f, function) in self.unit.funcs.iter_enumerated() {
            let class = self.partition.funcs[f].class;
            self.inhabited[class] |= function.address_taken;
            self.require(self.partition.classes[class].functions.contains(&f), "a function")?;
        }
        Ok(())
    }

    /// All expressions that an instruction, an end of a block or a static object needs.
    fn expressions(&mut self) -> Checked {
        let unit = self.unit;
        let mut is_used: IdVec<ExprId, bool> = unit.exprs.iter().map(|_| false).collect();
        let mut work: Vec<ExprId> = unit.statics.iter().map(|s| s.value).collect();
        for b in unit.funcs.iter().flat_map(|f| &f.blocks) {
            b.instrs.iter().for_each(|i| work.extend(i.kind.operands()));
            if let Terminator::Branch(e, ..) | Terminator::Switch(e, ..) | Terminator::Return(Some(e)) = b.end
            {
                work.push(e);
            }
        }
        while let Some(e) = work.pop() {
            if !std::mem::replace(&mut is_used[e], true) {
                work.extend(unit.exprs[e].expr.operands());
            }
        }
        for (e, typed) in unit.exprs.iter_enumerated() {
            self.plain[e] = match &typed.expr {
                Expr::Int(_) | Expr::Float(_) | Expr::Compare(..) => true,
                Expr::LogicAnd(..) | Expr::LogicOr(..) | Expr::LogicNot(_) => true,
                Expr::Neg(a) | Expr::Not(a) | Expr::Cast(a) => self.plain[*a],
                Expr::Binary(_, a, b) | Expr::Cond(_, a, b) => self.plain[*a] && self.plain[*b],
                _ => false,
            };
            if is_used[e] {
                self.span = typed.span;
                self.expression(e, &typed.expr)?;
            }
        }
        Ok(())
    }

    fn expression(&mut self, e: ExprId, expr: &Expr) -> Checked {
        let (unit, partition) = (self.unit, self.partition);
        let ty = unit.exprs[e].ty;
        let value = partition.values[e];
        let claim = |x: &ExprId| partition.values[*x];
        match expr {
            Expr::Int(_) | Expr::Float(_) => Ok(()),
            Expr::LogicAnd(..) | Expr::LogicOr(..) | Expr::LogicNot(_) => Ok(()),
            Expr::Load(place) => {
                let at = self.access(place)?;
                if !self.holds_address(place) {
                    return Ok(());
                }
                let found = partition.slot(at).map(|s| s.target).zip(value);
                self.require(found.is_some_and(|(s, v)| self.same(s, v)), "a value that is loaded")
            }
            Expr::Addr(place) => {
                self.indices(place)?;
                if let Base::Deref(p) = place.base
                    && self.plain[p]
                    && claim(&p).is_none()
                {
                    return Ok(());
                }
                self.strides(place)?;
                let at = partition.locate(place).zip(value);
                self.require(at.is_some_and(|(a, v)| self.same(a, v)), "an address")
            }
            Expr::Func(f) => {
                let is_right = value.is_some_and(|v| self.same(v, partition.funcs[*f]));
                self.require(is_right, "the address of a function")
            }
            Expr::Cast(a) if self.is_wide(ty) => match claim(a) {
                Some(t) => self.require(value.is_some_and(|v| self.same(v, t)), "a cast"),
                None => self.number(value, ty, self.plain[*a]),
            },
            // The truth value of an address tells nothing about it.
            Expr::Cast(_) if unit.types.as_int(ty).is_some_and(|i| i.rank == 0) => Ok(()),
            Expr::Cast(a) | Expr::Neg(a) | Expr::Not(a) => {
                self.exposed(*a)?;
                self.number(value, ty, self.plain[*a])
            }
            Expr::Compare(_, a, b) => self.comparison(*a, *b),
            Expr::Cond(_, a, b) if self.is_wide(ty) => {
                for x in [a, b] {
                    match (claim(x), value) {
                        (Some(t), v) => self.require(v.is_some_and(|v| self.same(v, t)), "a conditional")?,
                        (None, Some(_)) => self.number(value, ty, self.plain[*x])?,
                        (None, None) => self.number(None, ty, self.plain[*x])?,
                    }
                }
                Ok(())
            }
            Expr::Cond(..) => Ok(()),
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) if self.is_wide(ty) && value.is_some() => {
                // An address and a constant.
                let constant = |e: &ExprId| {
                    let value = unit.types.as_int(ty).zip(unit.as_int(*e));
                    value.map(|(t, v)| IntType { signed: true, ..t }.wrap(v) as i64)
                };
                let from = match (op, constant(a), constant(b)) {
                    (BinOp::Add, _, Some(v)) => claim(a).map(|t| partition.moved(t, v)),
                    (BinOp::Sub, _, Some(v)) => claim(a).map(|t| partition.moved(t, v.saturating_neg())),
                    (_, Some(v), _) if *op == BinOp::Add => claim(b).map(|t| partition.moved(t, v)),
                    _ => None,
                };
                let is_right = from.zip(value).is_some_and(|(t, v)| self.same(t, v));
                self.require(is_right, "arithmetic with an address")
            }
            Expr::Binary(_, a, b) | Expr::Math(_, a, b) => {
                self.exposed(*a)?;
                self.exposed(*b)?;
                self.number(value, ty, self.plain[*a] && self.plain[*b])
            }
            Expr::PtrAdd(p, i, scale) => {
                self.exposed(*i)?;
                let Some(from) = claim(p) else {
                    return self.number(value, ty, self.plain[*p] && self.plain[*i]);
                };
                let stride = partition.classes[from.class].stride;
                let by = unit.as_int(*i).map(|v| v.saturating_mul(i128::from(*scale)));
                let to = match by.and_then(|v| i64::try_from(v).ok()) {
                    Some(bytes) if stride > 0 => partition.moved(from, bytes.rem_euclid(stride)),
                    Some(bytes) => partition.moved(from, bytes),
                    None => {
                        let moves = stride > 0 && (*scale).max(1) % stride == 0;
                        self.require(moves, "a pointer that is moved by a variable amount")?;
                        from
                    }
                };
                self.require(value.is_some_and(|v| self.same(v, to)), "a pointer that is moved")
            }
            Expr::PtrSub(a, b, _) => match (claim(a), claim(b)) {
                (Some(x), Some(y)) => self.require(self.same(x, y), "the distance of two pointers"),
                _ => {
                    self.exposed(*a)?;
                    self.exposed(*b)
                }
            },
        }
    }

    /// A pointer made from a number that is not a constant is foreign; a number itself has no claim to keep.
    fn number(&self, value: Option<Target>, ty: TypeId, is_plain: bool) -> Checked {
        let is_pointer = self.unit.types.pointee(ty).is_some();
        match value {
            _ if is_plain => Ok(()),
            Some(v) => self.require(self.partition.classes[v.class].foreign, "a pointer made from a number"),
            None => self.require(!is_pointer, "a pointer without a claim"),
        }
    }

    /// Addresses in an expression become numbers.
    fn exposed(&self, e: ExprId) -> Checked {
        let is_exposed = self.partition.values[e].is_none_or(|t| self.partition.classes[t.class].exposed);
        self.require(is_exposed, "an address that becomes a number")
    }

    /// A pointer that is equal to a foreign one, or lies beyond one, is known outside.
    fn comparison(&self, a: ExprId, b: ExprId) -> Checked {
        let is_followed = |e: ExprId| self.is_wide(self.unit.exprs[e].ty) && !self.plain[e];
        if !is_followed(a) || !is_followed(b) {
            return Ok(());
        }
        let class = |e: ExprId| self.partition.values[e].map(|t| t.class);
        if class(a) == class(b) {
            return Ok(());
        }
        for (x, y) in [(a, b), (b, a)] {
            let is_foreign = class(x).is_none_or(|c| self.partition.classes[c].foreign);
            if is_foreign {
                self.exposed(y)?;
            }
        }
        Ok(())
    }

    fn holds_address(&self, place: &Place) -> bool {
        place.bits.is_none() && self.is_wide(place.ty)
    }

    fn indices(&self, place: &Place) -> Checked {
        place.dynamic.iter().try_for_each(|d| self.exposed(d.0))
    }

    /// The strides of a place that is used as a whole are multiples of the stride of its class.
    fn strides(&self, place: &Place) -> Checked {
        let Some(at) = self.partition.locate(place) else { return self.require(false, "a place") };
        let stride = self.partition.classes[at.class].stride;
        let fits = place.dynamic.is_empty() || stride > 0 && place.dynamic.iter().all(|d| d.1 % stride == 0);
        self.require(fits, "an indexed object")
    }

    fn dereferenced(&mut self, place: &Place) -> Result<Target, Issue> {
        let at = self.partition.locate(place);
        self.require(at.is_some(), "a pointer that is dereferenced")?;
        let at = at.expect("it has just been required");
        if let Base::Deref(_) = place.base {
            self.through[at.class] = true;
        }
        Ok(at)
    }

    /// A scalar is read or written: its bytes are a cell, or bytes, of one component.
    fn access(&mut self, place: &Place) -> Result<Target, Issue> {
        let at = self.dereferenced(place)?;
        self.indices(place)?;
        let Some((size, _)) = scalar(self.unit, place) else { return Ok(at) };
        let (partition, size) = (self.partition, i64::from(size));
        let class = &partition.classes[at.class];
        let k = partition.component_at(at);
        self.require(k.is_some(), "an access")?;
        let k = k.expect("it has just been required");
        let (component, first) = (&partition.components[k], class.canonical(at.offset));
        let row = component.row;
        let is_inside = match component.cell {
            Some(_) => first == component.start && size == component.size(),
            None if row.period > 0 && component.end - component.start == row.period => true,
            None => first >= component.start && first + size <= component.end,
        };
        self.require(is_inside, "the cells of an access")?;
        let keeps_row =
            row.period == 0 || class.stride > 0 || row.low <= at.offset && at.offset + size <= row.high;
        self.require(keeps_row, "the row of an access")?;
        if !place.dynamic.is_empty() {
            let repeats = row.period > 0 && place.dynamic.iter().all(|d| d.1 % row.period == 0);
            self.require(repeats, "an index")?;
            if let Base::Var(v) = place.base {
                let is_array = self.unit.vars[v].address_taken || partition.dynamic.contains(&(v, k));
                self.require(is_array, "an indexed variable")?;
            }
        }
        self.slots_below(at.class, first, size, row, self.holds_address(place))?;
        Ok(at)
    }

    /// Slots that an access shares bytes with and that are not meant as a whole: their bytes become numbers, and numbers
    /// become bytes of theirs.
    fn slots_below(&self, class: ClassId, first: i64, size: i64, row: Row, whole: bool) -> Checked {
        let class = &self.partition.classes[class];
        let slots = &class.slots;
        // Only slots of the same row repeat with it.
        let base = if class.stride > 0 { 0 } else { row.low };
        let in_row = |offset: i64| row.period == 0 || offset >= base && offset < base + row.period;
        let shifts: &[i64] = if row.period > 0 { &[-1, 0, 1] } else { &[0] };
        for shift in shifts {
            let at = first + shift * row.period;
            for (&offset, slot) in slots.range(at - LARGEST..at + size).filter(|s| in_row(*s.0)) {
                let is_same = whole && *shift == 0 && offset == first && i64::from(slot.size) == size;
                if offset + i64::from(slot.size) > at && !is_same {
                    let target = &self.partition.classes[slot.target.class];
                    self.require(target.exposed && target.foreign, "bytes of an address")?;
                }
            }
        }
        Ok(())
    }

    fn store(&mut self, place: &Place, value: Source) -> Checked {
        let at = self.access(place)?;
        self.put(at, self.holds_address(place), value)
    }

    /// A value goes to a scalar: its slot covers what the value leads to.
    fn put(&self, at: Target, holds_address: bool, value: Source) -> Checked {
        let (known, is_plain) = match value {
            Source::Value(e) => (self.partition.values[e], self.plain[e]),
            Source::Pointer(t) => (Some(t), false),
            Source::Any => (None, false),
        };
        if !holds_address {
            let is_exposed = known.is_none_or(|t| self.partition.classes[t.class].exposed);
            return self.require(is_exposed, "an address stored in part");
        }
        let slot = self.partition.slot(at);
        let covers = slot.is_some_and(|s| match known {
            Some(v) => self.same(s.target, v),
            None => is_plain || self.partition.classes[s.target.class].foreign,
        });
        self.require(covers, "a value that is stored")
    }

    fn returned(&self, f: FuncId, e: ExprId) -> Checked {
        let Type::Function(s) = self.unit.types.get(self.unit.funcs[f].ty) else { return Ok(()) };
        let result = self.partition.results[f];
        match self.partition.values[e] {
            Some(v) if self.is_wide(s.result) => {
                self.require(self.same(v, result), "a value that is returned")
            }
            Some(_) => self.exposed(e),
            None => {
                let is_right = self.plain[e] || self.partition.classes[result.class].foreign;
                self.require(is_right, "a number that is returned")
            }
        }
    }

    /// Arguments go to parameters, and the result to a destination.
    fn call(&mut self, f: FuncId, args: &[ExprId], to: Option<(Target, TypeId)>) -> Checked {
        for (n, &p) in self.unit.funcs[f].params.iter().enumerate() {
            let value = args.get(n).map_or(Source::Any, |&a| Source::Value(a));
            self.store(&Place::var(p, self.unit.vars[p].ty), value)?;
        }
        let Some((at, ty)) = to else { return Ok(()) };
        let result = match self.unit.types.get(self.unit.funcs[f].ty) {
            Type::Function(s) if self.is_wide(s.result) => Source::Pointer(self.partition.results[f]),
            _ => Source::Any,
        };
        self.put(at, self.is_wide(ty), result)
    }

    /// No cell reaches over a place, nor over what lies multiples of a step from it.
    fn cut(&self, at: Target, step: i64) -> Checked {
        let class = &self.partition.classes[at.class];
        let splits = |c: &super::Component, offset: i64, step: i64| {
            let g = gcd(c.row.period, step);
            // The first cut after the start of the cell: cuts lie a multiple of `g` apart.
            let ahead = match (offset - c.start, g) {
                (ahead, 0) => ahead,
                (ahead, g) => (ahead - 1).rem_euclid(g) + 1,
            };
            c.cell.is_some() && ahead > 0 && ahead < c.size()
        };
        let is_split = if step == 0 {
            let k = self.partition.component_at(at);
            k.is_some_and(|k| splits(&self.partition.components[k], class.canonical(at.offset), 0))
        } else {
            class.components.iter().any(|&k| splits(&self.partition.components[k], at.offset, step))
        };
        self.require(!is_split, "a cell that is copied in part")
    }

    /// A stretch that a library function copies or fills.
    fn stretch(&mut self, at: Target, n: ExprId) -> Checked {
        self.through[at.class] = true;
        match self.unit.as_int(n) {
            Some(bytes) => {
                self.cut(at, 0)?;
                let bytes = i64::try_from(bytes).map_or(FAR, |b| b.clamp(0, FAR));
                self.cut(self.partition.moved(at, bytes), 0)
            }
            None => self.cut(at, self.divisor(n)),
        }
    }

    /// A power of two that divides a number of bytes.
    fn divisor(&self, e: ExprId) -> i64 {
        let typed = &self.unit.exprs[e];
        if let Some(v) = self.unit.as_int(e) {
            return 1 << v.trailing_zeros().min(20);
        }
        let is_number = self.unit.types.as_int(typed.ty).is_some();
        // Operands come before what uses them, so this ends; deeper nesting is not looked into.
        let mut known = vec![(e, 1i64)];
        for x in self.unit.post_order([e]) {
            let of = |y: &ExprId| match self.unit.as_int(*y) {
                Some(v) => 1i64 << v.trailing_zeros().min(20),
                None => known.iter().rev().find(|k| k.0 == *y).map_or(1, |k| k.1),
            };
            let d = match &self.unit.exprs[x].expr {
                _ if self.unit.types.as_int(self.unit.exprs[x].ty).is_none() => 1,
                Expr::Cast(a) => of(a),
                Expr::Binary(BinOp::Add | BinOp::Sub, a, b) => of(a).min(of(b)),
                Expr::Binary(BinOp::Mul, a, b) => (of(a) * of(b)).min(1 << 20),
                Expr::Binary(BinOp::Shl, a, b) => match self.unit.as_int(*b) {
                    Some(s) if (0..20).contains(&s) => (of(a) << s).min(1 << 20),
                    _ => 1,
                },
                _ => 1,
            };
            known.push((x, d));
        }
        known.last().map_or(1, |k| if is_number && k.0 == e { k.1 } else { 1 })
    }

    fn instruction(&mut self, kind: &InstrKind) -> Checked {
        let (unit, partition) = (self.unit, self.partition);
        match kind {
            InstrKind::Assign(p, e) => self.store(p, Source::Value(*e)),
            InstrKind::Input(p, _) => self.store(p, Source::Any),
            InstrKind::Copy(to, from) => {
                let (a, b) = (self.dereferenced(to)?, self.dereferenced(from)?);
                self.require(self.same(a, b), "a record that is copied")?;
                for place in [to, from] {
                    self.indices(place)?;
                    self.strides(place)?;
                    if let (Base::Var(v), false) = (place.base, place.dynamic.is_empty()) {
                        let is_array = |k| partition.dynamic.contains(&(v, k));
                        let all = partition.components_of(a.class).iter().all(|&k| is_array(k));
                        self.require(unit.vars[v].address_taken || all, "an indexed record")?;
                    }
                }
                let size = unit.types.size_of(to.ty).unwrap_or(0) as i64;
                self.cut(a, 0)?;
                self.cut(partition.moved(a, size), 0)
            }
            InstrKind::Move(to, from, n) => {
                let both = partition.values[*to].zip(partition.values[*from]);
                self.require(both.is_some_and(|(a, b)| self.same(a, b)), "bytes that are copied")?;
                let (at, _) = both.expect("it has just been required");
                self.stretch(at, *n)
            }
            InstrKind::Fill(to, value, n) => {
                let at = partition.values[*to];
                self.require(at.is_some(), "bytes that are set")?;
                let at = at.expect("it has just been required");
                self.exposed(*value)?;
                let classes = &partition.classes;
                let is_right = unit.as_int(*value).is_some()
                    || classes[at.class].slots.values().all(|s| classes[s.target.class].foreign);
                self.require(is_right, "addresses that are overwritten")?;
                self.stretch(at, *n)
            }
            InstrKind::Alloc(p, _, _) => {
                let at = self.access(p)?;
                if let Some(slot) = partition.slot(at).filter(|_| self.holds_address(p)) {
                    let class = slot.target.class;
                    self.inhabited[class] = true;
                    self.require(partition.transient(class), "a new object")?;
                    return Ok(());
                }
                self.require(!self.holds_address(p), "the address of a new object")
            }
            InstrKind::Call(dst, callee, args) => {
                let to = match dst {
                    Some(p) => Some((self.access(p)?, p.ty)),
                    None => None,
                };
                let Callee::Indirect(e, input, expected) = callee else {
                    let Callee::Direct(f) = callee else { return Ok(()) };
                    return self.call(*f, args, to);
                };
                let at = partition.values[*e];
                self.require(at.is_some(), "a function that is called")?;
                let class = at.expect("it has just been required").class;
                self.through[class] = true;
                if let (Some(p), Some(_)) = (dst, input) {
                    self.store(p, Source::Any)?;
                }
                let candidates = partition.candidates.get(e).map_or(&[][..], |c| c);
                for f in &partition.classes[class].functions {
                    if !unit.funcs[*f].blocks.is_empty() && unit.fits(*expected, args, *f) {
                        self.require(candidates.contains(f), "the callees of a call")?;
                    }
                }
                candidates.iter().try_for_each(|&f| self.call(f, args, to))
            }
            InstrKind::Escape(values) => values.iter().try_for_each(|&e| {
                let classes = &partition.classes;
                let is_known = partition.values[e].is_none_or(|t| classes[t.class].escaped);
                self.exposed(e)?;
                self.require(is_known, "what is known outside")
            }),
            InstrKind::Fresh(..) | InstrKind::Zero(_) | InstrKind::Assume(_) | InstrKind::Guard(_) => Ok(()),
        }
    }

    /// What is stored in foreign objects is foreign, and what is stored in objects that are known outside is known there.
    fn spread(&self) -> Checked {
        let classes = &self.partition.classes;
        for class in classes {
            for slot in class.slots.values() {
                let target = &classes[slot.target.class];
                self.require(!class.foreign || target.foreign, "addresses in a foreign object")?;
                let is_known = target.exposed && target.escaped;
                self.require(!class.escaped || is_known, "addresses in an object that is known outside")?;
            }
        }
        Ok(())
    }

    /// Foreign pointers that are used may lead to all exposed objects: these are one class, of bytes.
    fn foreign_pointers(&self) -> Checked {
        let classes = &self.partition.classes;
        let objects: Vec<ClassId> =
            classes.ids().filter(|&c| classes[c].exposed && self.inhabited[c]).collect();
        let users: Vec<ClassId> = classes.ids().filter(|&c| classes[c].foreign && self.through[c]).collect();
        for &u in &users {
            self.require(classes[u].transient, "the contents of foreign objects")?;
        }
        let Some(&first) = objects.first().filter(|_| !users.is_empty()) else { return Ok(()) };
        let is_one = objects.iter().chain(&users).all(|&c| c == first);
        self.require(is_one && classes[first].stride == 1, "foreign pointers")
    }
}
