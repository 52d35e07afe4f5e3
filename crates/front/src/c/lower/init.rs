//! Initialisers: braces, designators, elided braces, strings.
//!
//! An initialiser becomes a list of leaves, one for each scalar or whole record that it sets. Later leaves replace earlier
//! ones that they cover, as designators demand; of a union only the member that is set last is left. Where a part of a record is set
//! after the record, compilers do not evaluate what the record was set to, unless it is static.

use super::ctype::{CField, CType, Ct, Length, Q};
use super::object::{BitField, Lowered, Object, Value, Whole};
use super::{Lower, Result, issue, unsupported};
use crate::c::hir::{Base, Expr, ExprId, InstrKind, Place, StaticValue, Storage, TypedExpr, VarId};
use crate::c::syntax::ast::{self, Designator, Encoding, ExprKind, Initializer, InitializerItem, TypeName};
use crate::c::types::{RecordId, Type};
use bolide_model::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// One scalar or record that an initialiser sets.
#[derive(Clone)]
struct Leaf {
    part: Part,
    value: LeafValue,
    span: Span,
}

#[derive(Clone, Copy)]
enum LeafValue {
    Expression(ast::ExprId),
    /// The same, for several elements and evaluated once.
    Shared(ast::ExprId),
    Character(i128),
}

/// A part of an object while its initialiser is walked.
#[derive(Clone, Copy)]
struct Part {
    ty: Q,
    offset: u64,
    /// First bit and width of a bit-field, and the size of its record; the offset is then that of the record.
    bits: Option<(u64, u32, u64)>,
}

/// The leaves by where they start, in bits, and then by their order.
#[derive(Default)]
struct Leaves {
    by_start: BTreeMap<(u64, usize), (u64, Leaf)>,
    count: usize,
    /// The end of everything so far: what starts behind it replaces nothing.
    end: u64,
    /// Is a record that is set as a whole kept where a part of it is set later?
    keeps_records: bool,
}

impl Leaves {
    /// Forgets what lies within a range of bits.
    fn clear(&mut self, start: u64, end: u64) {
        if start >= self.end {
            return;
        }
        let covered: Vec<_> = self
            .by_start
            .range((start, 0)..(end, 0))
            .filter(|(_, (leaf_end, _))| *leaf_end <= end)
            .map(|(key, _)| *key)
            .collect();
        for key in covered {
            self.by_start.remove(&key);
        }
    }

    fn push(&mut self, start: u64, end: u64, leaf: Leaf) {
        self.clear(start, end);
        if !self.keeps_records && start < self.end {
            // Leaves do not overlap, so that only the last one that starts before can reach into this one.
            let before = self.by_start.range(..(start + 1, 0)).next_back();
            if let Some(key) = before.filter(|(_, (before_end, _))| *before_end > start).map(|(key, _)| *key)
            {
                self.by_start.remove(&key);
            }
        }
        self.by_start.insert((start, self.count), (end, leaf));
        self.count += 1;
        self.end = self.end.max(end);
    }

    /// In the order of their places, as compilers evaluate them, those at one place as they were written.
    fn in_order(self) -> Vec<Leaf> {
        self.by_start.into_values().map(|(_, leaf)| leaf).collect()
    }
}

/// The longest array whose length an initialiser determines.
const LONGEST: u64 = 1 << 26;

/// The way through a list of initialisers.
struct Walk<'x, 'a> {
    items: &'a [InitializerItem],
    at: usize,
    /// Is this inside a range of elements, so that values are shared?
    is_shared: bool,
    out: &'x mut Leaves,
}

impl<'a> Lower<'a> {
    /// An array type without a length takes the one of its initialiser.
    pub(super) fn completed(&mut self, q: Q, init: &'a Initializer) -> Result<Q> {
        let CType::Array(of, Length::Unknown) = *self.ctypes.get(q.ty) else { return Ok(q) };
        let long = self.ctypes.intern(CType::Array(of, Length::Known(LONGEST)));
        let part = Part { ty: Q { ty: long, ..q }, offset: 0, bits: None };
        let count = match self.string_of(init, of.ty) {
            Some(s) => s.units.len() as u64 + 1,
            None => match self.listed(init) {
                Some(items) => {
                    let mut leaves = Leaves::default();
                    let mut walk = Walk { items, at: 0, is_shared: false, out: &mut leaves };
                    self.aggregate(part, &mut walk, true)?
                }
                None => {
                    let span = self.init_span(init);
                    return issue(span, "the initialiser of an array is neither a list nor a string");
                }
            },
        };
        let ty = self.ctypes.intern(CType::Array(of, Length::Known(count)));
        Ok(Q { ty, ..q })
    }

    fn init_span(&self, init: &Initializer) -> Span {
        match init {
            Initializer::Expr(e) => self.span(*e),
            Initializer::List(_, span) => *span,
        }
    }

    /// The list that an initialiser is: also that of a compound literal for an array (GNU).
    fn listed(&self, init: &'a Initializer) -> Option<&'a [InitializerItem]> {
        match init {
            Initializer::List(items, _) => Some(items),
            Initializer::Expr(e) => match &self.tree.exprs[*e].kind {
                ExprKind::CompoundLiteral(_, init) => self.listed(init),
                _ => None,
            },
        }
    }

    /// The string that initialises an array of elements of a type, perhaps in braces.
    fn string_of(&mut self, init: &'a Initializer, element: Ct) -> Option<&'a ast::StringLiteral> {
        let tree = self.tree;
        let e = match init {
            Initializer::Expr(e) => *e,
            Initializer::List(items, _) => match &items[..] {
                [InitializerItem { designators, value: Initializer::Expr(e) }] if designators.is_empty() => {
                    *e
                }
                _ => return None,
            },
        };
        let ExprKind::String(s) = &tree.exprs[e].kind else { return None };
        self.fits_string(s.encoding, element).then_some(s)
    }

    /// Do the characters of a string fit the elements of an array?
    fn fits_string(&mut self, encoding: Encoding, element: Ct) -> bool {
        let Some(i) = self.ctypes.as_int(element) else { return false };
        match encoding {
            Encoding::Plain | Encoding::Utf8 => i.rank == 1,
            _ => {
                let unit = self.unit_of(encoding);
                i.rank > 1 && self.ctypes.as_int(unit).is_some_and(|u| u.bits == i.bits)
            }
        }
    }

    pub(super) fn static_initializer(&mut self, var: VarId, init: &'a Initializer) -> Result<()> {
        let q = self.cvars[var];
        let leaves = self.leaves(q, init, true)?;
        self.make_room(var, &leaves);
        // Static initialisers are evaluated outside of any function.
        let body = self.body.take();
        let outer = std::mem::replace(&mut self.suspended, body);
        let outcome = leaves.iter().try_for_each(|leaf| self.static_leaf(var, leaf));
        self.body = std::mem::replace(&mut self.suspended, outer);
        outcome
    }

    fn leaves(&mut self, q: Q, init: &'a Initializer, keeps_records: bool) -> Result<Vec<Leaf>> {
        let mut leaves = Leaves { keeps_records, ..Leaves::default() };
        let part = Part { ty: q, offset: 0, bits: None };
        self.flatten(part, init, false, &mut leaves)?;
        Ok(leaves.in_order())
    }

    /// An object with a flexible array member is as large as its initialiser makes it.
    fn make_room(&mut self, var: VarId, leaves: &[Leaf]) {
        let CType::Record(r) = *self.ctypes.get(self.cvars[var].ty) else { return };
        let whole = leaves.iter().filter(|l| l.part.bits.is_none());
        let end = whole.map(|l| l.part.offset + self.ctypes.size_of(l.part.ty.ty).unwrap_or(0)).max();
        let size = self.ctypes.records[r].size;
        let Some(end) = end.filter(|&end| end > size) else { return };
        let mut record = self.types.records[r].clone();
        if let Some(last) = record.fields.as_mut().and_then(|f| f.last_mut())
            && let Type::Array(of, _) = *self.types.get(last.ty)
        {
            let unit = self.types.size_of(of).unwrap_or(1).max(1);
            last.ty = self.types.intern(Type::Array(of, Some((end - last.offset).div_ceil(unit))));
        }
        record.size = end.next_multiple_of(record.align);
        let c = self.ctypes.records[r].clone();
        let id = self.types.records.push(record);
        self.ctypes.records.push(c);
        self.vars[var].ty = self.types.intern(Type::Record(id));
    }

    /// The pieces of a part of a variable and its place.
    fn part_object(&mut self, var: VarId, part: Part) -> Object {
        let plain = self.hir(part.ty.ty);
        let place = Place { offset: part.offset as i64, ..Place::var(var, plain) };
        let mut o = Object::new(place, part.ty);
        if let Some((first, width, size)) = part.bits {
            o.field = Some(BitField { pieces: self.pieces(part.ty, first, width, size), width });
        }
        o
    }

    fn static_leaf(&mut self, var: VarId, leaf: &Leaf) -> Result<()> {
        let o = self.part_object(var, leaf.part);
        let value = match leaf.value {
            LeafValue::Character(c) => Value { e: self.int(c, o.place.ty, leaf.span), ty: leaf.part.ty.ty },
            LeafValue::Expression(e) | LeafValue::Shared(e) => {
                let whole = self.whole_value(e)?;
                let content = match &o.field {
                    Some(f) => self.ctypes.field_type(o.ty.ty, f.width),
                    None => o.ty.ty,
                };
                match self.static_assigned(whole, Q::plain(content), leaf)? {
                    Whole::Scalar(v) => v,
                    Whole::Record(p, _) => return self.static_copy(var, leaf, &p),
                }
            }
        };
        let e = self.known_constant(value.e);
        if !self.is_static_value(e) {
            return issue(leaf.span, "the initialiser is not constant");
        }
        match &o.field {
            None => self.static_value(var, leaf.part.offset, o.place.ty, None, e),
            Some(f) => {
                let Some(mut v) = self.int_value(e) else {
                    return issue(leaf.span, "the initialiser is not constant");
                };
                for &(offset, unit, first, width) in &f.pieces {
                    let part = if f.pieces.len() == 1 { v } else { v & ((1 << width) - 1) };
                    let wrapped = self.types.as_int(unit).map_or(part, |i| i.wrap(part));
                    let e = self.int(wrapped, unit, leaf.span);
                    self.static_value(var, leaf.part.offset + offset, unit, Some((first, width)), e);
                    v >>= width;
                }
            }
        }
        Ok(())
    }

    fn static_assigned(&mut self, whole: Whole, to: Q, leaf: &Leaf) -> Result<Whole> {
        match (&whole, self.ctypes.get(to.ty)) {
            (Whole::Scalar(_), CType::Complex(_)) | (Whole::Record(..), CType::Complex(_)) => {
                unsupported(leaf.span, "a static complex number")
            }
            _ => self.assigned(whole, to, "initialisation", leaf.span),
        }
    }

    fn static_value(
        &mut self,
        var: VarId,
        offset: u64,
        ty: crate::c::types::TypeId,
        bits: Option<(u32, u32)>,
        value: ExprId,
    ) {
        self.statics.push(StaticValue { var, offset, ty, bits, value });
    }

    /// The value of a constant object that is known, as compilers let initialisers use it.
    fn known_constant(&mut self, e: ExprId) -> ExprId {
        let TypedExpr { expr: Expr::Load(p), span, .. } = &self.exprs[e] else { return e };
        let (p, span) = (p.clone(), *span);
        let (Base::Var(v), true) = (p.base, p.dynamic.is_empty()) else { return e };
        if let Some(value) = self.string_element(&p, span) {
            return value;
        }
        if !self.cvars[v].quals.is_const || !self.initialised.contains(&v) || p.bits.is_some() {
            return e;
        }
        let found =
            self.statics.iter().rev().find(|s| s.var == v && s.offset as i64 == p.offset && s.bits.is_none());
        found.filter(|s| s.ty == p.ty).map_or(e, |s| s.value)
    }

    /// A static record initialised by a compound literal takes over its values.
    fn static_copy(&mut self, var: VarId, leaf: &Leaf, from: &Place) -> Result<()> {
        let (Base::Var(source), true) = (from.base, from.dynamic.is_empty() && from.offset == 0) else {
            return unsupported(leaf.span, "this static initialiser of a structure");
        };
        let offset = leaf.part.offset;
        let copies: Vec<StaticValue> = self
            .statics
            .iter()
            .filter(|s| s.var == source)
            .map(|s| StaticValue { var, offset: s.offset + offset, ..s.clone() })
            .collect();
        self.statics.extend(copies);
        Ok(())
    }

    /// A constant, or an address plus a constant.
    fn is_static_value(&self, e: ExprId) -> bool {
        let mut e = e;
        loop {
            match &self.exprs[e].expr {
                Expr::Int(_) | Expr::Float(_) | Expr::Func(_) => return true,
                Expr::Addr(p) => return matches!(p.base, Base::Var(_)) && p.dynamic.is_empty(),
                Expr::Cast(a) => e = *a,
                Expr::PtrAdd(p, i, _) if self.int_value(*i).is_some() => e = *p,
                _ => return false,
            }
        }
    }

    pub(super) fn auto_initializer(&mut self, var: VarId, init: &'a Initializer) -> Result<()> {
        let q = self.cvars[var];
        let span = self.init_span(init);
        self.size(q.ty, span)?;
        let is_array = self.ctypes.is_array(q.ty);
        if let (Initializer::Expr(e), false) = (init, is_array) {
            self.emit(InstrKind::Fresh(var, None), span)?;
            let whole = self.whole_value(*e)?;
            let o = self.variable(var, span);
            return self.store(&o, whole, "initialisation", span);
        }
        let leaves = self.leaves(q, init, false)?;
        self.make_room(var, &leaves);
        self.emit(InstrKind::Fresh(var, None), span)?;
        if !self.ctypes.is_scalar(q.ty) || leaves.is_empty() {
            self.emit(InstrKind::Zero(var), span)?;
        }
        let mut shared: FxHashMap<ast::ExprId, Whole> = FxHashMap::default();
        for leaf in &leaves {
            let o = self.part_object(var, leaf.part);
            let whole = match leaf.value {
                LeafValue::Character(0) => continue,
                LeafValue::Character(c) => {
                    Whole::Scalar(Value { e: self.int(c, o.place.ty, leaf.span), ty: leaf.part.ty.ty })
                }
                LeafValue::Expression(e) => self.whole_value(e)?,
                LeafValue::Shared(e) => match shared.get(&e) {
                    Some(w) => w.clone(),
                    None => {
                        let w = self.settled(e)?;
                        shared.insert(e, w.clone());
                        w
                    }
                },
            };
            self.store(&o, whole, "initialisation", leaf.span)?;
        }
        Ok(())
    }

    /// A value that stays as it is.
    fn settled(&mut self, e: ast::ExprId) -> Result<Whole> {
        let span = self.span(e);
        match self.whole_value(e)? {
            Whole::Scalar(v) => Ok(Whole::Scalar(Value { e: self.saved(v.e, span)?, ..v })),
            Whole::Record(p, ty) => {
                let lowered = self.copied(p, ty, span)?;
                self.whole(lowered, span)
            }
        }
    }

    pub(super) fn compound_literal(
        &mut self,
        t: &'a TypeName,
        init: &'a Initializer,
        span: Span,
    ) -> Result<Lowered> {
        let q = self.type_name(t)?;
        if self.ctypes.is_variable(q.ty) {
            return issue(span, "a compound literal of variable length");
        }
        let q = self.completed(q, init)?;
        self.require_complete(q, span)?;
        let plain = self.hir(q.ty);
        let storage = match &self.body {
            Some(b) if !t.specifiers.storage.is_static => Storage::Auto(b.func),
            _ => Storage::Static,
        };
        let var = self.new_var("literal", plain, storage, span);
        self.cvars[var] = q;
        match storage {
            Storage::Auto(_) => self.auto_initializer(var, init)?,
            Storage::Static => self.static_initializer(var, init)?,
        }
        self.initialised.insert(var);
        Ok(Lowered::Object(self.variable(var, span)))
    }

    fn bits_of(&self, part: Part) -> (u64, u64) {
        match part.bits {
            Some((first, width, _)) => {
                let start = 8 * part.offset + first;
                (start, start + u64::from(width))
            }
            None => {
                let start = 8 * part.offset;
                (start, start + 8 * self.ctypes.size_of(part.ty.ty).unwrap_or(0).max(1))
            }
        }
    }

    fn flatten(
        &mut self,
        part: Part,
        init: &'a Initializer,
        is_shared: bool,
        out: &mut Leaves,
    ) -> Result<()> {
        match *self.ctypes.get(part.ty.ty) {
            CType::Array(of, length) => {
                if let Some(s) = self.string_of(init, of.ty) {
                    return self.string_leaves(part, of.ty, length, s, self.init_span(init), out);
                }
                match self.listed(init) {
                    Some(items) => {
                        let (start, end) = self.bits_of(part);
                        out.clear(start, end);
                        let mut walk = Walk { items, at: 0, is_shared, out };
                        self.aggregate(part, &mut walk, true).map(|_| ())
                    }
                    None => issue(
                        self.init_span(init),
                        "an array is initialised by something that is neither a list nor a string",
                    ),
                }
            }
            CType::Record(_) | CType::Vector(..) => match init {
                Initializer::List(items, _) => {
                    let (start, end) = self.bits_of(part);
                    out.clear(start, end);
                    let mut walk = Walk { items, at: 0, is_shared, out };
                    self.aggregate(part, &mut walk, true).map(|_| ())
                }
                Initializer::Expr(e) => {
                    self.expression_leaf(part, *e, is_shared, out);
                    Ok(())
                }
            },
            _ => match init {
                Initializer::Expr(e) => {
                    self.expression_leaf(part, *e, is_shared, out);
                    Ok(())
                }
                // A scalar in braces; compilers only warn about more than one.
                Initializer::List(items, span) => match items.first() {
                    Some(item) if !item.designators.is_empty() => {
                        issue(*span, "a designator in the initialiser of a scalar")
                    }
                    Some(item) => self.flatten(part, &item.value, is_shared, out),
                    None => Ok(()),
                },
            },
        }
    }

    fn expression_leaf(&mut self, part: Part, e: ast::ExprId, is_shared: bool, out: &mut Leaves) {
        let value = if is_shared { LeafValue::Shared(e) } else { LeafValue::Expression(e) };
        let (start, end) = self.bits_of(part);
        let span = self.span(e);
        out.push(start, end, Leaf { part, value, span });
    }

    fn string_leaves(
        &mut self,
        part: Part,
        element: Ct,
        length: Length,
        s: &ast::StringLiteral,
        span: Span,
        out: &mut Leaves,
    ) -> Result<()> {
        let size = self.size(element, span)?;
        let room = match length {
            Length::Known(n) => n,
            _ => s.units.len() as u64 + 1,
        };
        let (start, _) = self.bits_of(part);
        out.clear(start, start + 8 * size * room);
        let int = self.ctypes.as_int(element);
        for (n, &u) in s.units.iter().enumerate().take_while(|(n, _)| (*n as u64) < room) {
            let value = LeafValue::Character(int.map_or(u.into(), |i| i.wrap(u.into())));
            let part = Part { ty: Q::plain(element), offset: part.offset + n as u64 * size, bits: None };
            let (start, end) = self.bits_of(part);
            out.push(start, end, Leaf { part, value, span });
        }
        // A flexible array has room for the terminator.
        if !matches!(length, Length::Known(_)) {
            let offset = part.offset + s.units.len() as u64 * size;
            let part = Part { ty: Q::plain(element), offset, bits: None };
            let (start, end) = self.bits_of(part);
            out.push(start, end, Leaf { part, value: LeafValue::Character(0), span });
        }
        Ok(())
    }

    /// The members of a record that an initialiser sets: no unnamed bit-fields.
    fn settable(&self, r: RecordId) -> Vec<CField> {
        let fields = self.ctypes.records[r].fields.as_deref().into_iter().flatten();
        fields.filter(|f| f.name.is_some() || f.bits.is_none()).cloned().collect()
    }

    fn field_part(&self, whole: Part, f: &CField, record: RecordId) -> Part {
        match f.bits {
            Some((first, width)) => {
                let size = self.ctypes.records[record].size;
                Part { ty: f.ty, offset: whole.offset, bits: Some((first, width, size)) }
            }
            None => Part { ty: f.ty, offset: whole.offset + f.offset, bits: None },
        }
    }

    /// Member or element number `n` of an aggregate.
    fn part(&self, whole: Part, n: u64, span: Span) -> Result<Option<Part>> {
        Ok(match *self.ctypes.get(whole.ty.ty) {
            CType::Array(of, length) => {
                let size = self.size(of.ty, span)?;
                let most = match length {
                    Length::Known(count) => count,
                    _ => LONGEST,
                };
                (n < most).then(|| Part { ty: of, offset: whole.offset + n * size, bits: None })
            }
            CType::Vector(of, count) => {
                let size = self.size(of, span)?;
                (n < count).then(|| Part { ty: Q::plain(of), offset: whole.offset + n * size, bits: None })
            }
            CType::Record(r) => {
                let fields = self.settable(r);
                let last = if self.ctypes.records[r].is_union { 1.min(fields.len()) } else { fields.len() };
                fields[..last].get(n as usize).map(|f| self.field_part(whole, f, r))
            }
            _ => None,
        })
    }

    /// Walks the items of a list over an aggregate; returns how many elements the list covers. Without braces of its
    /// own, an aggregate takes only as many items as it needs.
    fn aggregate(&mut self, whole: Part, walk: &mut Walk<'_, 'a>, braced: bool) -> Result<u64> {
        self.aggregate_from(whole, walk, braced, 0, false)
    }

    /// The same from an element on; the designators of the first item may have led here.
    fn aggregate_from(
        &mut self,
        whole: Part,
        walk: &mut Walk<'_, 'a>,
        braced: bool,
        from: u64,
        is_led: bool,
    ) -> Result<u64> {
        let (mut index, mut covered, mut is_led) = (from, 0, is_led);
        while let Some(item) = walk.items.get(walk.at) {
            if !item.designators.is_empty() && !is_led {
                if !braced {
                    return Ok(covered);
                }
                index = self.designated(whole, walk, &item.designators)?;
            } else {
                let span = self.init_span(&item.value);
                match self.part(whole, index, span)? {
                    Some(part) => self.element_initializer(part, walk, is_led)?,
                    // Compilers only warn about too many.
                    None if braced => {
                        walk.at += 1;
                        continue;
                    }
                    None => return Ok(covered),
                }
            }
            is_led = false;
            index += 1;
            covered = covered.max(index);
        }
        Ok(covered)
    }

    /// Initialises a part by the next item, or by as many as it takes if they have no braces of their own.
    fn element_initializer(&mut self, part: Part, walk: &mut Walk<'_, 'a>, is_led: bool) -> Result<()> {
        let init = &walk.items[walk.at].value;
        let descend = match (init, self.ctypes.get(part.ty.ty).clone()) {
            (Initializer::List(..), _) => false,
            (Initializer::Expr(_), CType::Array(of, _)) => {
                self.string_of(init, of.ty).is_none() && !self.is_array_literal(init, part.ty.ty)
            }
            (Initializer::Expr(e), CType::Record(_) | CType::Vector(..)) => {
                let lowered = self.unevaluated(*e)?;
                let q = self.type_of_lowered(&lowered);
                !self.ctypes.compatible(q.ty, part.ty.ty)
            }
            _ => false,
        };
        if !descend {
            walk.at += 1;
            return self.flatten(part, init, walk.is_shared, walk.out);
        }
        let before = walk.at;
        self.aggregate_from(part, walk, false, 0, is_led)?;
        // An empty structure takes nothing; anything else takes at least one item.
        if walk.at == before && (is_led || self.part(part, 0, self.init_span(init))?.is_some()) {
            walk.at += 1;
        }
        Ok(())
    }

    /// Is this a compound literal of the type of an array?
    fn is_array_literal(&mut self, init: &'a Initializer, ty: Ct) -> bool {
        let Initializer::Expr(e) = init else { return false };
        let ExprKind::CompoundLiteral(t, _) = &self.tree.exprs[*e].kind else { return false };
        self.type_name(t).is_ok_and(|q| self.ctypes.compatible(q.ty, ty))
    }

    /// An item with designators; returns the index of the element that it set last. Items that follow go on behind the
    /// part that was set.
    fn designated(
        &mut self,
        whole: Part,
        walk: &mut Walk<'_, 'a>,
        designators: &'a [Designator],
    ) -> Result<u64> {
        let (first, rest) = designators.split_first().expect("the caller has seen a designator");
        let span = self.init_span(&walk.items[walk.at].value);
        let (from, to) = match first {
            Designator::Index(e) => {
                let n = self.index_constant(*e)?;
                (n, n)
            }
            Designator::Range(a, b) => (self.index_constant(*a)?, self.index_constant(*b)?),
            Designator::Member(ident) => {
                let (n, part) = self.member_part(whole, &ident.name, ident.span, walk.out)?;
                self.designated_rest(part, walk, rest)?;
                return Ok(n);
            }
        };
        if !matches!(self.ctypes.get(whole.ty.ty), CType::Array(..) | CType::Vector(..)) {
            return issue(span, "an index in the initialiser of something that is not an array");
        }
        if from > to {
            return issue(span, "an empty range of elements");
        }
        if to - from > 1 << 20 {
            return unsupported(span, "a designator range of more than a million elements");
        }
        let was_shared = walk.is_shared;
        walk.is_shared |= from != to;
        for n in from..=to {
            let Some(part) = self.part(whole, n, span)? else {
                return issue(span, "a designator beyond the end of the array");
            };
            if n < to {
                let items = std::slice::from_ref(&walk.items[walk.at]);
                let mut one = Walk { items, at: 0, is_shared: true, out: walk.out };
                self.designated_rest(part, &mut one, rest)?;
            } else {
                self.designated_rest(part, walk, rest)?;
            }
        }
        walk.is_shared = was_shared;
        Ok(to)
    }

    /// The designators that follow the first one, and the value.
    fn designated_rest(&mut self, part: Part, walk: &mut Walk<'_, 'a>, rest: &'a [Designator]) -> Result<()> {
        if rest.is_empty() {
            return self.element_initializer(part, walk, true);
        }
        let n = self.designated(part, walk, rest)?;
        self.aggregate_from(part, walk, false, n + 1, false).map(|_| ())
    }

    /// The member of a name, which may be one of an anonymous member: the number of the member that holds it, and its place.
    fn member_part(&mut self, whole: Part, name: &str, span: Span, out: &mut Leaves) -> Result<(u64, Part)> {
        let (mut whole, mut number) = (whole, None);
        loop {
            let CType::Record(r) = *self.ctypes.get(whole.ty.ty) else {
                return issue(span, format!("a designator '.{name}' for something without members"));
            };
            let fields = self.settable(r);
            let is_here = fields.iter().position(|f| f.name.as_deref() == Some(name));
            let found = is_here.or_else(|| {
                fields.iter().position(|f| match self.ctypes.get(f.ty.ty) {
                    CType::Record(inner) if f.name.is_none() => self.ctypes.field(*inner, name).is_some(),
                    _ => false,
                })
            });
            let Some(n) = found else {
                let ty = self.ctypes.name(whole.ty);
                return issue(span, format!("'{ty}' has no member named '{name}'"));
            };
            let part = self.field_part(whole, &fields[n], r);
            if self.ctypes.records[r].is_union {
                self.clear_others(whole, part, out);
            }
            number.get_or_insert(n as u64);
            if is_here.is_some() {
                return Ok((number.unwrap_or(0), part));
            }
            whole = part;
        }
    }

    /// Setting a member of a union forgets the others: everything that is not a part of this one's own initialiser.
    fn clear_others(&self, whole: Part, part: Part, out: &mut Leaves) {
        let (start, end) = self.bits_of(whole);
        let is_same = |l: &Leaf| {
            let (inner_start, inner_end) = self.bits_of(l.part);
            let (part_start, part_end) = self.bits_of(part);
            // Parts of an aggregate member may be set one by one.
            self.ctypes.is_record(part.ty.ty) && part_start <= inner_start && inner_end <= part_end
        };
        let keys: Vec<_> = out
            .by_start
            .range((start, 0)..(end, 0))
            .filter(|(_, (_, leaf))| !is_same(leaf))
            .map(|(key, _)| *key)
            .collect();
        for key in keys {
            out.by_start.remove(&key);
        }
    }

    fn index_constant(&mut self, e: ast::ExprId) -> Result<u64> {
        let n = self.constant(e)?;
        u64::try_from(n).or_else(|_| issue(self.span(e), "a negative index"))
    }
}
