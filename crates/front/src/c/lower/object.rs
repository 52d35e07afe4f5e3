//! What expressions denote: objects with the checks that an access needs, values, functions.

use super::builtin::POINTED;
use super::ctype::{CField, CType, Ct, Length, Q};
use super::fields::Piece;
use super::{Lower, Result, issue, math, names, unsupported};
use crate::c::hir::{Base, BinOp, CmpOp, Expr, ExprId, FuncId, InstrKind, Place};
use crate::c::types::{IntType, RecordId, Type};
use bolide_model::Span;

/// A scalar value with its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub e: ExprId,
    pub ty: Ct,
}

/// A bit-field: the units that hold it, and its width.
#[derive(Clone, Debug)]
pub(super) struct BitField {
    /// Units with their offsets from the start of the record.
    pub pieces: Vec<Piece>,
    pub width: u32,
}

/// What has to hold before an object is accessed. Taking its address needs less.
#[derive(Clone, Debug)]
pub(super) enum Pending {
    /// A pointer is not null.
    NotNull(ExprId, Span),
    /// An index is below a length; of an address it may be equal to it.
    Index(ExprId, Bound, Span),
}

/// The number of elements that an index has to be below.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Known(u64),
    /// The length of an array of variable length, in `size_t`.
    Computed(ExprId),
}

/// A part of memory that an expression names.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub place: Place,
    pub ty: Q,
    /// A bit-field; the place is then that of the record.
    pub field: Option<BitField>,
    pub is_lvalue: bool,
    pub pending: Vec<Pending>,
    /// The alignment that its declaration asks for, or that a member has.
    pub align: Option<u64>,
}

/// What an expression denotes before its value is taken.
#[derive(Clone, Debug)]
pub(super) enum Lowered {
    Object(Object),
    Value(Value),
    Function(FuncId),
    Void,
}

/// A value that is passed around, with its type.
#[derive(Clone, Debug)]
pub(super) enum Whole {
    Scalar(Value),
    /// A structure, union, complex number or vector.
    Record(Place, Ct),
}

impl Object {
    pub fn new(place: Place, ty: Q) -> Object {
        Object { place, ty, field: None, is_lvalue: true, pending: Vec::new(), align: None }
    }

    /// A value that happens to be in memory.
    pub fn rvalue(place: Place, ty: Ct) -> Object {
        Object { is_lvalue: false, ..Object::new(place, Q::plain(ty)) }
    }
}

impl Lower<'_> {
    pub(super) fn type_of_lowered(&mut self, lowered: &Lowered) -> Q {
        match lowered {
            Lowered::Object(o) => match &o.field {
                Some(f) => Q { ty: self.ctypes.field_type(o.ty.ty, f.width), ..o.ty },
                None => o.ty,
            },
            Lowered::Value(v) => Q::plain(v.ty),
            Lowered::Function(f) => Q::plain(self.cfuncs[*f]),
            Lowered::Void => Q::plain(self.ctypes.void()),
        }
    }

    /// A value of the typed program with the plain type of C.
    pub(super) fn plain_value(&mut self, e: ExprId) -> Value {
        let ty = self.of_plain(self.ty(e));
        Value { e, ty }
    }

    /// The same as what an expression denotes.
    pub(super) fn scalar_result(&mut self, e: ExprId) -> Lowered {
        let value = self.plain_value(e);
        Lowered::Value(value)
    }

    /// A variable of the lowering as what an expression denotes.
    pub(super) fn temporary(&mut self, v: crate::c::hir::VarId, ty: Ct) -> Lowered {
        let place = Place::var(v, self.vars[v].ty);
        Lowered::Object(Object::rvalue(place, ty))
    }

    /// The object that a variable names.
    pub(super) fn variable(&mut self, v: crate::c::hir::VarId, span: Span) -> Object {
        let q = self.cvars[v];
        let align = Some(self.vars[v].align).filter(|&a| a > 0);
        if self.variable_arrays.contains(&v) {
            let pointer = self.load_var(v, span);
            let plain = self.hir(q.ty);
            return Object { align, ..Object::new(Place::deref(pointer, plain), q) };
        }
        Object { align, ..Object::new(Place::var(v, self.vars[v].ty), q) }
    }

    /// Emits the checks of an access.
    pub(super) fn check_pending(&mut self, pending: &[Pending]) -> Result<()> {
        for p in pending {
            match *p {
                Pending::NotNull(pointer, span) => self.check_not_null(pointer, span)?,
                Pending::Index(index, bound, span) => self.check_index(index, bound, false, span)?,
            }
        }
        Ok(())
    }

    /// Emits the checks of taking an address: the last index may be one past the end, and nothing is dereferenced.
    pub(super) fn check_address(&mut self, pending: &[Pending]) -> Result<()> {
        let last = pending.len().wrapping_sub(1);
        for (n, p) in pending.iter().enumerate() {
            if let Pending::Index(index, bound, span) = *p {
                self.check_index(index, bound, n == last, span)?;
            }
        }
        Ok(())
    }

    pub(super) fn check_not_null(&mut self, pointer: ExprId, span: Span) -> Result<()> {
        if !self.properties_wanted.null || self.body.is_none() {
            return Ok(());
        }
        let root = self.root(pointer);
        if let Expr::Addr(Place { base: Base::Var(_), .. }) | Expr::Func(_) = self.exprs[root].expr {
            return Ok(());
        }
        let (zero, int) = (self.int(0, self.ty(root), span), self.types.int());
        let is_object = self.make(Expr::Compare(CmpOp::Ne, root, zero), int, span);
        self.check(is_object, "null pointer dereference", span)
    }

    /// The pointer that an address is computed from.
    fn root(&self, pointer: ExprId) -> ExprId {
        let mut e = pointer;
        loop {
            let next = match &self.exprs[e].expr {
                Expr::PtrAdd(p, ..) => *p,
                Expr::Cast(p) if self.types.pointee(self.ty(*p)).is_some() => *p,
                Expr::Addr(Place { base: Base::Deref(p), .. }) => *p,
                _ => return e,
            };
            e = next;
        }
    }

    fn check_index(&mut self, index: ExprId, bound: Bound, may_be_end: bool, span: Span) -> Result<()> {
        if !self.properties_wanted.bounds || self.body.is_none() {
            return Ok(());
        }
        let (ty, int) = (self.ty(index), self.types.int());
        let (_, greatest) = self.types.as_int(ty).map_or((0, i128::MAX), |i| i.range());
        let zero = self.int(0, ty, span);
        let low = self.make(Expr::Compare(CmpOp::Le, zero, index), int, span);
        let high = match bound {
            Bound::Known(count) => {
                let limit = i128::from(count) + i128::from(may_be_end);
                if limit > greatest {
                    return self.check(low, "index out of bounds", span);
                }
                let limit = self.int(limit, ty, span);
                self.make(Expr::Compare(CmpOp::Lt, index, limit), int, span)
            }
            Bound::Computed(count) => {
                let wide = self.types.intern(Type::Int(IntType::WIDE));
                let (index, count) = (self.convert(index, wide, span)?, self.convert(count, wide, span)?);
                let op = if may_be_end { CmpOp::Le } else { CmpOp::Lt };
                self.make(Expr::Compare(op, index, count), int, span)
            }
        };
        let inside = self.make(Expr::LogicAnd(low, high), int, span);
        self.check(inside, "index out of bounds", span)
    }

    /// What an index of an array has to be below, if that is to be checked and the array has a length.
    pub(super) fn bound(&self, length: Length) -> Option<Bound> {
        match length {
            _ if !self.properties_wanted.bounds => None,
            Length::Known(count) => Some(Bound::Known(count)),
            Length::Variable(id) => Some(Bound::Computed(self.ctypes.lengths[id])),
            Length::Unknown | Length::Star => None,
        }
    }

    /// The value of an object or function: arrays and functions become pointers.
    pub(super) fn whole(&mut self, lowered: Lowered, span: Span) -> Result<Whole> {
        Ok(match lowered {
            Lowered::Value(v) => Whole::Scalar(v),
            Lowered::Function(f) => Whole::Scalar(self.function_address(f, span)?),
            Lowered::Void => return issue(span, "a void expression is used as a value"),
            Lowered::Object(o) => match self.ctypes.get(o.ty.ty).clone() {
                CType::Array(..) => Whole::Scalar(self.decay(o, span)?),
                CType::Function(_) => {
                    let ty = self.ctypes.pointer(o.ty);
                    Whole::Scalar(Value { e: self.address(o.place, span), ty })
                }
                CType::Void => return issue(span, "a void expression is used as a value"),
                CType::Record(r) if self.ctypes.records[r].fields.is_none() => {
                    let name = self.ctypes.name(o.ty);
                    return issue(span, format!("the type '{name}' is incomplete"));
                }
                _ if self.ctypes.is_record(o.ty.ty) => {
                    self.check_pending(&o.pending)?;
                    Whole::Record(o.place, o.ty.ty)
                }
                _ => Whole::Scalar(self.read(&o, span)?),
            },
        })
    }

    /// The pointer to the first element of an array.
    pub(super) fn decay(&mut self, o: Object, span: Span) -> Result<Value> {
        let CType::Array(of, _) = *self.ctypes.get(o.ty.ty) else {
            return issue(span, "this is not an array");
        };
        // What is behind a pointer is not accessed by this; an array that is an element must exist.
        for p in &o.pending {
            if let Pending::Index(index, bound, at) = *p {
                self.check_index(index, bound, false, at)?;
            }
        }
        let plain = self.hir(of.ty);
        let ty = self.ctypes.pointer(of);
        let e = self.address(Place { ty: plain, ..o.place }, span);
        Ok(Value { e, ty })
    }

    /// Reads a scalar object.
    pub(super) fn read(&mut self, o: &Object, span: Span) -> Result<Value> {
        self.check_pending(&o.pending)?;
        self.read_unchecked(o, span)
    }

    pub(super) fn read_unchecked(&mut self, o: &Object, span: Span) -> Result<Value> {
        self.refuse_wide(o.ty.ty, span)?;
        if self.body.is_none()
            && let Some(e) = self.string_element(&o.place, span)
        {
            return Ok(Value { e, ty: o.ty.ty });
        }
        match &o.field {
            None => Ok(Value { e: self.load(o.place.clone(), span), ty: o.ty.ty }),
            Some(f) => self.read_bits(o, f, span),
        }
    }

    fn read_bits(&mut self, o: &Object, f: &BitField, span: Span) -> Result<Value> {
        let ty = self.ctypes.field_type(o.ty.ty, f.width);
        let plain = self.hir(ty);
        if let [(offset, unit, first, width)] = f.pieces[..] {
            let place = piece_place(&o.place, offset, unit, first, width);
            let e = self.load(place, span);
            return Ok(Value { e: self.make(Expr::Cast(e), plain, span), ty });
        }
        let wide = self.types.int_of(5, false);
        let int = self.types.int();
        let (mut all, mut shift) = (self.int(0, wide, span), 0);
        for &(offset, unit, first, width) in &f.pieces {
            let part = self.load(piece_place(&o.place, offset, unit, first, width), span);
            let part = self.make(Expr::Cast(part), wide, span);
            let by = self.int(shift.into(), int, span);
            let part = self.make(Expr::Binary(BinOp::Shl, part, by), wide, span);
            all = self.make(Expr::Binary(BinOp::Or, all, part), wide, span);
            shift += width;
        }
        let signed = self.ctypes.as_int(o.ty.ty).is_some_and(|i| i.signed);
        let e = self.narrowed(all, f.width, signed, plain, span);
        Ok(Value { e, ty })
    }

    /// The low bits of a value as one of a plain type.
    pub(super) fn narrowed(
        &mut self,
        e: ExprId,
        width: u32,
        signed: bool,
        plain: crate::c::types::TypeId,
        span: Span,
    ) -> ExprId {
        let own = self.ty(e);
        let bits = self.types.as_int(own).map_or(64, |i| i.bits);
        if width >= bits {
            return self.make(Expr::Cast(e), plain, span);
        }
        if !signed {
            let mask = self.int((1i128 << width) - 1, own, span);
            let low = self.make(Expr::Binary(BinOp::And, e, mask), own, span);
            return self.make(Expr::Cast(low), plain, span);
        }
        let rank = self.types.as_int(own).map_or(5, |i| i.rank);
        let (own_signed, int) = (self.types.int_of(rank, true), self.types.int());
        let by = self.int((bits - width).into(), int, span);
        let e = self.make(Expr::Cast(e), own_signed, span);
        let up = self.make(Expr::Binary(BinOp::Shl, e, by), own_signed, span);
        let down = self.make(Expr::Binary(BinOp::Shr, up, by), own_signed, span);
        self.make(Expr::Cast(down), plain, span)
    }

    /// Writes a scalar that has the type of the object; of a bit-field, its low bits count.
    pub(super) fn write(&mut self, o: &Object, value: ExprId, span: Span) -> Result<()> {
        self.check_pending(&o.pending)?;
        self.write_unchecked(o, value, span)
    }

    pub(super) fn write_unchecked(&mut self, o: &Object, value: ExprId, span: Span) -> Result<()> {
        self.refuse_wide(o.ty.ty, span)?;
        let Some(f) = &o.field else {
            return self.emit(InstrKind::Assign(o.place.clone(), value), span);
        };
        if let [(offset, unit, first, width)] = f.pieces[..] {
            let value = self.make(Expr::Cast(value), unit, span);
            return self
                .emit(InstrKind::Assign(piece_place(&o.place, offset, unit, first, width), value), span);
        }
        let wide = self.types.int_of(5, false);
        let int = self.types.int();
        let value = self.make(Expr::Cast(value), wide, span);
        let value = self.saved(value, span)?;
        let mut shift = 0;
        for &(offset, unit, first, width) in &f.pieces {
            let by = self.int(i128::from(shift), int, span);
            let part = self.make(Expr::Binary(BinOp::Shr, value, by), wide, span);
            let part = self.make(Expr::Cast(part), unit, span);
            self.emit(InstrKind::Assign(piece_place(&o.place, offset, unit, first, width), part), span)?;
            shift += width;
        }
        Ok(())
    }

    /// Values of 128 bits, and floating ones of other sizes than four and eight bytes, are not represented.
    pub(super) fn refuse_wide(&self, ty: Ct, span: Span) -> Result<()> {
        match self.ctypes.as_int(ty) {
            Some(i) if i.bits > 64 && !self.is_unevaluated => unsupported(span, "integers of 128 bits"),
            _ => Ok(()),
        }
    }

    /// What a pointer points to.
    pub(super) fn target(&mut self, pointer: Value, span: Span) -> Result<Object> {
        let Some(to) = self.ctypes.pointee(pointer.ty) else {
            return issue(span, "something that is not a pointer is dereferenced");
        };
        let plain = self.hir(to.ty);
        let pointer = Value { e: self.aligned_pointer(pointer.e, to, span)?, ..pointer };
        // The target of an address is the object itself.
        if let Expr::Addr(p) = &self.exprs[pointer.e].expr
            && p.bits.is_none()
        {
            let mut o = Object::new(Place { ty: plain, ..p.clone() }, to);
            if let Base::Deref(_) = o.place.base
                && self.properties_wanted.null
            {
                o.pending.push(Pending::NotNull(pointer.e, span));
            }
            return Ok(o);
        }
        let mut o = Object::new(Place::deref(pointer.e, plain), to);
        if self.properties_wanted.null {
            o.pending.push(Pending::NotNull(pointer.e, span));
        }
        Ok(o)
    }

    /// A pointer whose type says how what it leads to is aligned, where a declaration asks for less than the type does: the typed
    /// program knows the alignment of plain types only.
    fn aligned_pointer(&mut self, pointer: ExprId, to: Q, span: Span) -> Result<ExprId> {
        let natural = self.ctypes.align_of(Q { align: None, ..to }).0;
        let Some(align) = to.align.filter(|&a| self.properties_wanted.alignment && u64::from(a) < natural)
        else {
            return Ok(pointer);
        };
        let aligned = match align {
            1 => self.types.char(),
            2 => self.types.int_of(2, true),
            4 => self.types.int(),
            _ => self.types.int_of(5, true),
        };
        let ty = self.types.pointer(aligned);
        self.convert(pointer, ty, span)
    }

    /// A member of an object.
    pub(super) fn member_of(&mut self, o: Object, name: &str, span: Span) -> Result<Object> {
        let (field, record, base) = self.field(o.ty.ty, name, span)?;
        Ok(self.part_of(o, &field, record, base))
    }

    fn part_of(&mut self, o: Object, field: &CField, record: RecordId, base: u64) -> Object {
        let ty = field.ty.with(o.ty.quals);
        let ty = Q {
            quals: crate::c::syntax::ast::Qualifiers { is_restrict: field.ty.quals.is_restrict, ..ty.quals },
            ..ty
        };
        let mut place = o.place;
        let align = field.bits.is_none().then_some(field.align);
        let field = match field.bits {
            None => {
                place.offset += field.offset as i64;
                place.ty = self.hir(ty.ty);
                None
            }
            Some((first, width)) => {
                place.offset += base as i64;
                let size = self.ctypes.records[record].size;
                Some(BitField { pieces: self.pieces(ty, first, width, size), width })
            }
        };
        Object { place, ty, field, is_lvalue: o.is_lvalue, pending: o.pending, align }
    }

    pub(super) fn field(&mut self, ty: Ct, name: &str, span: Span) -> Result<(CField, RecordId, u64)> {
        match self.ctypes.get(ty) {
            CType::Record(r) => match self.ctypes.field(*r, name) {
                Some(f) => Ok(f),
                None if self.ctypes.records[*r].fields.is_none() => {
                    let name = self.ctypes.name(Q::plain(ty));
                    issue(span, format!("the type '{name}' is incomplete"))
                }
                None => {
                    let ty = self.ctypes.name(Q::plain(ty));
                    issue(span, format!("'{ty}' has no member named '{name}'"))
                }
            },
            _ => issue(span, format!("member '{name}' of something that is neither structure nor union")),
        }
    }

    /// An element of an array that is an object.
    pub(super) fn element(&mut self, o: Object, index: Value, span: Span) -> Result<Object> {
        let CType::Array(of, length) = *self.ctypes.get(o.ty.ty) else {
            return issue(span, "this is not an array");
        };
        let index = self.promoted(index, span)?;
        let size = self.size(of.ty, span)? as i64;
        let plain = self.hir(of.ty);
        let (mut p, mut pending) = (o.place, o.pending);
        if let Some(bound) = self.bound(length) {
            pending.push(Pending::Index(index.e, bound, span));
        }
        let constant = self.int_value(index.e).and_then(|v| i64::try_from(v).ok());
        match constant.and_then(|v| v.checked_mul(size)).and_then(|bytes| p.offset.checked_add(bytes)) {
            Some(offset) => p.offset = offset,
            None => {
                if let Length::Known(count) = length {
                    p.extent = p.extent.or(Some((p.offset, p.offset + size * count as i64)));
                }
                p.dynamic.push((index.e, size));
            }
        }
        p.ty = plain;
        Ok(Object { place: p, ty: of, field: None, is_lvalue: o.is_lvalue, pending, align: None })
    }

    /// The address of an object as a value.
    pub(super) fn address_of(&mut self, o: Object, span: Span) -> Result<Value> {
        if o.field.is_some() {
            return issue(span, "the address of a bit-field");
        }
        self.check_address(&o.pending)?;
        let ty = self.ctypes.pointer(Q { align: None, ..o.ty });
        Ok(Value { e: self.address(o.place, span), ty })
    }

    /// The address of a function. Calls through pointers know bodies and models only.
    pub(super) fn function_address(&mut self, f: FuncId, span: Span) -> Result<Value> {
        let name = self.funcs[f].name.clone();
        let is_defined = self.defined.contains(name.as_str());
        let stands_for_it = |this: &Self| this.model_of(&format!("{POINTED}{}", names::plain(&name)));
        let model = if is_defined { None } else { self.model_of(&name).or_else(|| stands_for_it(self)) };
        let is_special = (names::means_something(&name) && !self.is_only_printer(&name))
            || math::is_exact(&name)
            || names::is_computed(names::plain(&name))
            || self.endless.contains(name.as_str());
        if !is_defined && model.is_none() && is_special {
            return unsupported(span, format_args!("the address of '{name}'"));
        }
        if !is_defined && self.is_weak(&name) {
            return unsupported(span, format_args!("the address of '{name}', which may be missing (weak)"));
        }
        let ty = self.ctypes.pointer_to(self.cfuncs[f]);
        let f = model.unwrap_or(f);
        self.funcs[f].address_taken = true;
        self.note_frame_address(f, span)?;
        let plain = self.types.pointer(self.funcs[f].ty);
        let e = self.make(Expr::Func(f), plain, span);
        Ok(Value { e, ty })
    }
}

fn piece_place(record: &Place, offset: u64, unit: crate::c::types::TypeId, first: u32, width: u32) -> Place {
    Place { offset: record.offset + offset as i64, ty: unit, bits: Some((first, width)), ..record.clone() }
}
