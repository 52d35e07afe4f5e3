//! Expressions: what they denote, with their side effects.

use super::ctype::{CType, Ct, FunctionType, Length, Q};
use super::object::{Lowered, Object, Pending, Value, Whole};
use super::{Body, Lower, Result, Symbol, UNSUPPORTED, issue, unsupported};
use crate::c::hir::{Expr, ExprId, InstrKind, Place, Storage};
use crate::c::syntax::ast::{self, BinaryOp, ExprKind, GenericControl, TypeName, UnaryOp};
use bolide_model::Span;

impl<'a> Lower<'a> {
    /// The value of a constant integer expression.
    pub(super) fn constant(&mut self, e: ast::ExprId) -> Result<i128> {
        let wanted = std::mem::replace(&mut self.wants_constant, true);
        let value = self.unevaluated_value(e);
        self.wants_constant = wanted;
        let value = value?;
        match self.int_value(value.e) {
            Some(v) if self.ctypes.as_int(value.ty).is_some() => Ok(v),
            _ => issue(self.span(e), "the expression is not an integer constant"),
        }
    }

    /// What an expression denotes, without its effects.
    pub(super) fn unevaluated(&mut self, e: ast::ExprId) -> Result<Lowered> {
        self.without_effect(|this| this.lower(e))
    }

    /// The scalar value of an expression, without its effects.
    pub(super) fn unevaluated_value(&mut self, e: ast::ExprId) -> Result<Value> {
        self.without_effect(|this| this.value(e))
    }

    /// A type, without the effects of the lengths in it.
    pub(super) fn unevaluated_type(&mut self, t: &'a ast::TypeName) -> Result<Q> {
        match self.body {
            Some(_) => self.without_effect(|this| this.type_name(t)),
            None => self.type_name(t),
        }
    }

    /// Does something and forgets the code that it left behind.
    fn without_effect<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let was = std::mem::replace(&mut self.is_unevaluated, true);
        let is_outside = self.body.is_none();
        if is_outside {
            let scratch = self.scratch_body();
            self.body = Some(scratch);
        }
        let saved = self.body.as_ref().map(|b| (b.current, b.blocks.len(), b.labels.len()));
        let lengths = (self.inputs.len(), self.properties.len(), self.assumptions.len());
        if saved.is_some() {
            let dead = self.block();
            self.body().current = dead;
        }
        let outcome = work(self);
        if let Some((current, blocks, labels)) = saved {
            let body = self.body();
            body.current = current;
            if body.labels.len() == labels {
                body.blocks.truncate(blocks);
            }
        }
        self.inputs.truncate(lengths.0);
        self.properties.truncate(lengths.1);
        self.assumptions.truncate(lengths.2);
        self.is_unevaluated = was;
        if is_outside {
            self.body = None;
        }
        outcome
    }

    /// A function for what is read outside of functions and never evaluated.
    fn scratch_body(&mut self) -> Body {
        let func = match self.scratch {
            Some(f) => f,
            None => {
                let ty = self.unknown_function();
                let f = self.new_function("file", ty, Span::default());
                self.scratch = Some(f);
                f
            }
        };
        Body::new(func, self.ctypes.int())
    }

    /// An operand that is never evaluated: only mistakes in it count.
    pub(super) fn skipped(&mut self, e: ast::ExprId) -> Result<Option<Lowered>> {
        match self.unevaluated(e) {
            Ok(lowered) => Ok(Some(lowered)),
            Err(e) if e.message.starts_with(UNSUPPORTED) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// The value of an expression that is a scalar.
    pub(super) fn value(&mut self, e: ast::ExprId) -> Result<Value> {
        let whole = self.whole_value(e)?;
        self.scalar(whole, self.span(e))
    }

    /// The same as an expression of the typed program.
    pub(super) fn scalar_value(&mut self, e: ast::ExprId) -> Result<ExprId> {
        Ok(self.value(e)?.e)
    }

    /// The value of an expression.
    pub(super) fn whole_value(&mut self, e: ast::ExprId) -> Result<Whole> {
        let lowered = self.lower(e)?;
        self.whole(lowered, self.span(e))
    }

    /// An expression whose value nobody wants.
    pub(super) fn effect(&mut self, e: ast::ExprId) -> Result<()> {
        let span = self.span(e);
        match &self.tree.exprs[e].kind {
            ExprKind::Unary(op, operand) if step_of(*op).is_some() => {
                self.step(*operand, *op, span, false).map(|_| ())
            }
            ExprKind::Assign(op, a, b) => self.assignment(*op, *a, *b, span, false).map(|_| ()),
            ExprKind::Comma(..) => {
                let (first, last) = self.comma_chain(e);
                first.into_iter().chain([last]).try_for_each(|e| self.effect(e))
            }
            ExprKind::Cast(t, operand) if t.is_void() => self.effect(*operand),
            _ => {
                self.unwanted = Some(span);
                let lowered = self.lower(e)?;
                if let Lowered::Object(o) = &lowered
                    && o.ty.quals.is_volatile
                {
                    let whole = self.whole(lowered, span)?;
                    self.read_whole(&whole, span)?;
                }
                Ok(())
            }
        }
    }

    /// The operands of nested commas, the last one apart.
    pub(super) fn comma_chain(&self, e: ast::ExprId) -> (Vec<ast::ExprId>, ast::ExprId) {
        let (mut first, mut at) = (Vec::new(), e);
        let mut last = e;
        if let ExprKind::Comma(a, b) = self.tree.exprs[e].kind {
            (at, last) = (a, b);
        }
        while let ExprKind::Comma(a, b) = self.tree.exprs[at].kind {
            first.push(b);
            at = a;
        }
        first.push(at);
        first.reverse();
        (first, last)
    }

    pub(super) fn object(&mut self, e: ast::ExprId) -> Result<Object> {
        match self.lower(e)? {
            Lowered::Object(o) => Ok(o),
            _ => issue(self.span(e), "the expression does not name an object"),
        }
    }

    pub(super) fn lower(&mut self, e: ast::ExprId) -> Result<Lowered> {
        let tree = self.tree;
        let span = tree.exprs[e].span;
        match &tree.exprs[e].kind {
            ExprKind::Name(name) => self.identifier(name, span),
            ExprKind::Integer(i) => self.integer(i, span),
            ExprKind::Floating(f) => self.floating(f, span),
            ExprKind::Character(c) => self.character(c, span),
            ExprKind::String(s) => self.string(s, span),
            ExprKind::Parenthesised(e) => self.lower(*e),
            ExprKind::Unary(op, operand) => self.unary(*op, *operand, span),
            ExprKind::Binary(..) => self.binary_chain(e),
            ExprKind::Assign(op, a, b) => self.assignment(*op, *a, *b, span, true),
            ExprKind::Conditional(c, yes, no) => self.conditional(*c, *yes, *no, span),
            ExprKind::Comma(..) => {
                let (first, last) = self.comma_chain(e);
                first.into_iter().try_for_each(|e| self.effect(e))?;
                Ok(match self.lower(last)? {
                    Lowered::Object(o) if self.ctypes.is_array(o.ty.ty) => {
                        Lowered::Value(self.decay(o, span)?)
                    }
                    Lowered::Object(o) if self.ctypes.is_scalar(o.ty.ty) => {
                        Lowered::Value(self.read(&o, span)?)
                    }
                    Lowered::Object(o) => Lowered::Object(Object { is_lvalue: false, ..o }),
                    other => other,
                })
            }
            ExprKind::Cast(t, operand) => self.cast(t, *operand, span),
            ExprKind::CompoundLiteral(t, init) => self.compound_literal(t, init, span),
            ExprKind::SizeofExpr(e) => self.sizeof_expression(*e, span),
            ExprKind::SizeofType(t) => self.sizeof_type(t, span),
            ExprKind::AlignofExpr(e) => self.alignof_expression(*e, span),
            ExprKind::AlignofType(t) => self.alignof_type(t, span),
            ExprKind::Index(a, b) => self.index(*a, *b, span),
            ExprKind::Call(callee, args) => self.call(*callee, args, span),
            ExprKind::Member(operand, ident, is_arrow) => {
                let o = if *is_arrow {
                    let pointer = self.value(*operand)?;
                    self.target(pointer, span)?
                } else {
                    match self.lower(*operand)? {
                        Lowered::Object(o) => o,
                        _ => {
                            return issue(
                                span,
                                format!("member '{}' of something that is not an object", ident.name),
                            );
                        }
                    }
                };
                self.member_of(o, &ident.name, span).map(Lowered::Object)
            }
            ExprKind::Generic(control, associations) => self.generic_selection(control, associations, span),
            ExprKind::Statement(s) => self.statement_expression(*s),
            ExprKind::LabelAddress(ident) => self.label_address(ident, span),
            ExprKind::VaArg(list, t) => self.next_argument(*list, t, span),
            ExprKind::Offsetof(t, designators) => self.offset_of(t, designators, span),
            ExprKind::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name(a)?, self.type_name(b)?);
                let is = self.ctypes.compatible(a.ty, b.ty);
                let int = self.ctypes.int();
                Ok(Lowered::Value(self.int_of(is.into(), int, span)))
            }
            ExprKind::ConvertVector(e, t) => self.convert_vector(*e, t, span),
            ExprKind::BitCast(..) => unsupported(span, "'__builtin_bit_cast'"),
            ExprKind::Error => issue(span, "a syntax error"),
        }
    }

    /// The one of several expressions whose type is that of the first one.
    fn generic_selection(
        &mut self,
        control: &'a GenericControl,
        associations: &'a [(Option<TypeName>, ast::ExprId)],
        span: Span,
    ) -> Result<Lowered> {
        let q = match control {
            GenericControl::Expr(e) => {
                let lowered = self.unevaluated(*e)?;
                let q = self.type_of_lowered(&lowered);
                Q::plain(self.value_type(q))
            }
            GenericControl::Type(t) => self.type_name(t)?,
        };
        let (mut fitting, mut default) = (None, None);
        for (t, e) in associations {
            let Some(t) = t else {
                if default.replace(*e).is_some() {
                    return issue(span, "two default associations");
                }
                continue;
            };
            let of = self.type_name(t)?;
            if of.quals == q.quals && self.ctypes.compatible(of.ty, q.ty) && fitting.replace(*e).is_some() {
                return issue(t.span, "two associations have compatible types");
            }
        }
        match fitting.or(default) {
            Some(e) => {
                // What is not chosen must be right all the same.
                for (_, other) in associations.iter().filter(|a| a.1 != e) {
                    self.skipped(*other)?;
                }
                self.lower(e)
            }
            None => {
                let name = self.ctypes.name(q);
                issue(span, format!("no association has the type '{name}'"))
            }
        }
    }

    fn identifier(&mut self, name: &super::Name, span: Span) -> Result<Lowered> {
        match self.find(name).cloned() {
            Some(Symbol::Var(v)) if self.undefined.contains(&v) && self.is_weak(name) => {
                unsupported(span, format_args!("the variable '{name}', which may be missing (weak)"))
            }
            Some(Symbol::Var(v)) => self.variable_or_captured(v, span).map(Lowered::Object),
            Some(Symbol::Func(_)) if self.renamed.contains(name) => match self.aliased(name) {
                Some(f) => Ok(Lowered::Function(f)),
                None => unsupported(span, format_args!("the function alias '{name}'")),
            },
            Some(Symbol::Func(f)) => Ok(Lowered::Function(f)),
            Some(Symbol::Constant(v, ty)) => Ok(Lowered::Value(self.int_of(v, ty, span))),
            Some(Symbol::Typedef(_)) => issue(span, format!("'{name}' is a type")),
            Some(Symbol::Refused(message)) => issue(span, &*message),
            None if matches!(&**name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => {
                let text = self.body.as_ref().map_or("", |b| &self.funcs[b.func].name);
                // A nested function has the name of the one around it in front of its own.
                let own = text.rsplit("::").next().unwrap_or(text);
                let units: Vec<u32> = own.bytes().map(u32::from).collect();
                let char = self.ctypes.char();
                let var = self.string_object(&units, char, span);
                Ok(Lowered::Object(self.variable(var, span)))
            }
            None if name.starts_with("__builtin_") => {
                let ty = self.unknown_function();
                Ok(Lowered::Function(self.declare_function(name, ty, span)?))
            }
            None => {
                // Said once, where it is used first.
                let message = format!("'{name}' is not declared");
                self.scopes[0].names.insert(name.clone(), Symbol::Refused(message.as_str().into()));
                issue(span, message)
            }
        }
    }

    /// The type of a function that is called without a declaration.
    pub(super) fn unknown_function(&mut self) -> Ct {
        let result = Q::plain(self.ctypes.int());
        let ty = FunctionType { result, params: None, variadic: false };
        self.ctypes.intern(CType::Function(ty.into()))
    }

    fn unary(&mut self, op: UnaryOp, operand: ast::ExprId, span: Span) -> Result<Lowered> {
        match op {
            UnaryOp::PreIncrement
            | UnaryOp::PreDecrement
            | UnaryOp::PostIncrement
            | UnaryOp::PostDecrement => self.step(operand, op, span, true),
            UnaryOp::Address => match self.lower(operand)? {
                Lowered::Object(o) if !o.is_lvalue => {
                    issue(span, "the address of something that is not an object")
                }
                Lowered::Object(o) => Ok(Lowered::Value(self.address_of(o, span)?)),
                Lowered::Function(f) => Ok(Lowered::Value(self.function_address(f, span)?)),
                _ => issue(span, "the address of something that is not an object"),
            },
            UnaryOp::Deref => {
                let lowered = self.lower(operand)?;
                if let Lowered::Function(_) = lowered {
                    return Ok(lowered);
                }
                let whole = self.whole(lowered, span)?;
                let pointer = self.scalar(whole, span)?;
                self.target(pointer, span).map(Lowered::Object)
            }
            UnaryOp::Real | UnaryOp::Imag => self.part_of_complex(op, operand, span),
            UnaryOp::Not => {
                let whole = self.whole_value(operand)?;
                if let Whole::Record(place, ty) = &whole
                    && matches!(self.ctypes.get(*ty), CType::Vector(..))
                {
                    return self.vector_unary(op, place.clone(), *ty, span);
                }
                let e = self.truth_of(&whole, span)?;
                let (int, ty) = (self.types.int(), self.ctypes.int());
                Ok(Lowered::Value(Value { e: self.make(Expr::LogicNot(e), int, span), ty }))
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Complement => {
                let whole = self.whole_value(operand)?;
                let v = match whole {
                    Whole::Record(place, ty) => {
                        return match self.ctypes.get(ty) {
                            CType::Complex(_) => self.complex_unary(op, place, ty, span),
                            CType::Vector(..) => self.vector_unary(op, place, ty, span),
                            _ => issue(span, "the operand is not a number"),
                        };
                    }
                    Whole::Scalar(v) => v,
                };
                if !self.ctypes.is_arith(v.ty) {
                    return issue(span, "the operand is not a number");
                }
                Ok(Lowered::Value(match op {
                    UnaryOp::Plus => self.promoted(v, span)?,
                    UnaryOp::Minus => self.negated(v, span)?,
                    _ => self.complemented(v, span)?,
                }))
            }
        }
    }

    /// A row of binary operators, along its left operands.
    fn binary_chain(&mut self, e: ast::ExprId) -> Result<Lowered> {
        let tree = self.tree;
        let (mut spine, mut at) = (Vec::new(), e);
        while let ExprKind::Binary(op, a, b) = tree.exprs[at].kind {
            spine.push((op, b, tree.exprs[at].span));
            at = a;
        }
        let mut is_name = matches!(tree.exprs[at].kind, ExprKind::Name(_));
        let mut left = self.whole_value(at)?;
        while let Some((op, b, span)) = spine.pop() {
            if matches!(op, BinaryOp::LogicAnd | BinaryOp::LogicOr) {
                let value = self.short_circuit(op == BinaryOp::LogicAnd, left, b, span)?;
                left = Whole::Scalar(value);
            } else {
                let is_late = is_name && is_commutative(op);
                let mark = self.mark();
                let right = self.whole_value(b)?;
                if let Whole::Scalar(v) = &mut left
                    && !is_late
                {
                    v.e = self.as_of(mark, v.e, span);
                }
                left = self.binary_whole(op, left, right, span)?;
            }
            is_name = false;
        }
        Ok(match left {
            Whole::Scalar(v) => Lowered::Value(v),
            Whole::Record(place, ty) => Lowered::Object(Object::rvalue(place, ty)),
        })
    }

    /// A binary operator on values of any type.
    pub(super) fn binary_whole(&mut self, op: BinaryOp, a: Whole, b: Whole, span: Span) -> Result<Whole> {
        let is_vector = |this: &Self, w: &Whole| matches!(w, Whole::Record(_, ty) if matches!(this.ctypes.get(*ty), CType::Vector(..)));
        let is_complex = |this: &Self, w: &Whole| matches!(w, Whole::Record(_, ty) if matches!(this.ctypes.get(*ty), CType::Complex(_)));
        if is_vector(self, &a) || is_vector(self, &b) {
            return self.vector_binary(op, a, b, span);
        }
        if is_complex(self, &a) || is_complex(self, &b) {
            return self.complex_binary(op, a, b, span);
        }
        let (a, b) = (self.scalar(a, span)?, self.scalar(b, span)?);
        self.binary(op, a, b, span).map(Whole::Scalar)
    }

    /// A value kept in a temporary, so that later side effects do not change it.
    pub(super) fn saved(&mut self, e: ExprId, span: Span) -> Result<ExprId> {
        if !self.reads[e] && !self.is_large(e) {
            return Ok(e);
        }
        self.in_function(span)?;
        let ty = self.ty(e);
        let t = self.temp(ty, span);
        self.emit(InstrKind::Assign(Place::var(t, ty), e), span)?;
        Ok(self.load_var(t, span))
    }

    /// Is an expression more than a constant, an address or a variable, so that it is better computed once?
    fn is_large(&self, e: ExprId) -> bool {
        match &self.exprs[e].expr {
            Expr::Int(_) | Expr::Float(_) | Expr::Func(_) => false,
            Expr::Load(p) => !p.dynamic.is_empty() || p.bits.is_some(),
            Expr::Addr(p) => !p.dynamic.is_empty() || matches!(p.base, crate::c::hir::Base::Deref(_)),
            Expr::Cast(_) => self.body.is_some(),
            _ => self.body.is_some(),
        }
    }

    fn cast(&mut self, t: &'a TypeName, operand: ast::ExprId, span: Span) -> Result<Lowered> {
        let q = self.type_name(t)?;
        let ty = q.ty;
        match self.ctypes.get(ty) {
            CType::Void => {
                self.effect(operand)?;
                return Ok(Lowered::Void);
            }
            CType::Array(..) => return issue(span, "a cast to an array"),
            CType::Function(_) => return issue(span, "a cast to a function"),
            _ => {}
        }
        let whole = self.whole_value(operand)?;
        match (&whole, self.ctypes.get(ty).clone()) {
            (Whole::Record(_, from), CType::Record(_)) if *from == ty => {}
            (_, CType::Record(r)) if self.ctypes.records[r].is_union => {
                return self.cast_to_union(whole, ty, r, span);
            }
            (_, CType::Record(_)) => return issue(span, "a cast to a structure"),
            (Whole::Scalar(v), CType::Vector(..)) => return self.scalar_to_vector(*v, ty, span),
            (Whole::Record(place, from), _)
                if self.ctypes.is_scalar(ty) && matches!(self.ctypes.get(*from), CType::Vector(..)) =>
            {
                return self.vector_to_scalar(place.clone(), *from, ty, span);
            }
            (Whole::Record(_, from), _) if matches!(self.ctypes.get(*from), CType::Record(_)) => {
                return issue(span, "a structure or union is cast to another type");
            }
            _ => {}
        }
        Ok(match self.assigned(whole, Q::plain(ty), "cast", span)? {
            Whole::Scalar(v) => Lowered::Value(v),
            Whole::Record(place, ty) => Lowered::Object(Object::rvalue(place, ty)),
        })
    }

    /// A union with one of its members set (GNU).
    fn cast_to_union(
        &mut self,
        whole: Whole,
        ty: Ct,
        record: crate::c::types::RecordId,
        span: Span,
    ) -> Result<Lowered> {
        let of = match &whole {
            Whole::Scalar(v) => v.ty,
            Whole::Record(_, ty) => *ty,
        };
        let fields = self.ctypes.records[record].fields.clone();
        let member = fields.iter().flat_map(|f| f.iter()).find(|f| self.ctypes.compatible(f.ty.ty, of));
        let Some(member) = member.cloned() else {
            return issue(span, "the union has no member of this type");
        };
        let plain = self.hir(ty);
        let t = self.temp(plain, span);
        self.emit(InstrKind::Fresh(t, None), span)?;
        self.emit(InstrKind::Zero(t), span)?;
        let part = self.hir(member.ty.ty);
        let target = Object::new(Place { ty: part, ..Place::var(t, plain) }, member.ty);
        self.store(&target, whole, "cast", span)?;
        Ok(self.temporary(t, ty))
    }

    fn index(&mut self, a: ast::ExprId, b: ast::ExprId, span: Span) -> Result<Lowered> {
        let base = self.lower(a)?;
        let mark = self.mark();
        if let Lowered::Object(o) = &base {
            let indexed = match *self.ctypes.get(o.ty.ty) {
                CType::Array(of, Length::Known(n)) if n > 0 && !self.ctypes.is_variable(of.ty) => {
                    Some(o.clone())
                }
                CType::Vector(of, n) => {
                    let ty = self.ctypes.array(Q { ty: of, ..o.ty }, n);
                    let plain = self.hir(ty);
                    Some(Object {
                        ty: Q::plain(ty),
                        place: Place { ty: plain, ..o.place.clone() },
                        ..o.clone()
                    })
                }
                _ => None,
            };
            if let Some(o) = indexed {
                let index = self.value(b)?;
                let index = self.promoted(index, span)?;
                if self.ctypes.as_int(index.ty).is_none() {
                    return issue(span, "an index that is not an integer");
                }
                let o = self.object_as_of(mark, o, span);
                return self.element(o, index, span).map(Lowered::Object);
            }
        }
        let length = match &base {
            Lowered::Object(o) => match *self.ctypes.get(o.ty.ty) {
                CType::Array(_, length) => self.bound(length),
                _ => None,
            },
            _ => None,
        };
        let base = self.whole(base, span)?;
        let mut x = self.scalar(base, span)?;
        let mark = self.mark();
        let y = self.value(b)?;
        x.e = self.as_of(mark, x.e, span);
        let (pointer, index) = if self.ctypes.is_pointer(x.ty) { (x, y) } else { (y, x) };
        // `3[a]` names an element of the array as `a[3]` does.
        let moved = self.advance(pointer, index, 1, span)?;
        if self.ctypes.pointee(pointer.ty).is_some_and(|to| self.ctypes.is_incomplete(to.ty)) {
            return issue(span, "an element of an incomplete type");
        }
        let mut element = self.target(moved, span)?;
        if let Some(bound) = length {
            let index = self.promoted(index, span)?;
            element.pending.push(Pending::Index(index.e, bound, span));
        }
        Ok(Lowered::Object(element))
    }

    fn statement_expression(&mut self, s: ast::StmtId) -> Result<Lowered> {
        let tree = self.tree;
        let span = tree.stmts[s].span;
        if self.body.is_none() {
            return issue(span, "a statement in an expression outside of a function");
        }
        let ast::StmtKind::Compound(items) = &tree.stmts[s].kind else {
            return issue(span, "a statement in an expression");
        };
        let locals = self.body().labels.enter();
        let outcome = self.scoped(|this| this.statement_items(items, span));
        self.body().labels.leave(locals);
        outcome
    }

    fn statement_items(&mut self, items: &'a [ast::BlockItem], span: Span) -> Result<Lowered> {
        let tree = self.tree;
        let Some((last, first)) = items.split_last() else { return Ok(Lowered::Void) };
        for item in first {
            self.block_item(item);
        }
        if let ast::BlockItem::Stmt(s) = last
            && let ast::StmtKind::Expr(e) = &tree.stmts[*s].kind
        {
            // The value must survive the scope's variables, which keep their identity: a saved copy will do.
            let lowered = match self.lower(*e) {
                Ok(lowered) => lowered,
                Err(e) if e.message.starts_with(UNSUPPORTED) => return Err(e),
                Err(e) => {
                    self.report(e);
                    return Ok(Lowered::Void);
                }
            };
            return match lowered {
                Lowered::Void => Ok(Lowered::Void),
                Lowered::Object(o) if self.ctypes.is_void(o.ty.ty) => Ok(Lowered::Void),
                lowered => match self.whole(lowered, span)? {
                    Whole::Scalar(v) => Ok(Lowered::Value(Value { e: self.saved(v.e, span)?, ..v })),
                    Whole::Record(p, ty) => self.copied(p, ty, span),
                },
            };
        }
        self.block_item(last);
        Ok(Lowered::Void)
    }

    /// A value from outside, of a plain type.
    pub(super) fn arbitrary(&mut self, name: &str, ty: Ct, span: Span) -> Result<Lowered> {
        self.in_function(span)?;
        let plain = self.hir(ty);
        let t = self.temp(plain, span);
        let input = self.input(name, plain, span);
        let place = Place::var(t, plain);
        if self.ctypes.is_scalar(ty) {
            self.emit(InstrKind::Input(place.clone(), input), span)?;
        } else {
            self.size(ty, span)?;
            self.emit(InstrKind::Fresh(t, Some(input)), span)?;
        }
        Ok(self.temporary(t, ty))
    }

    /// The same as an expression of the typed program.
    pub(super) fn arbitrary_scalar(&mut self, name: &str, ty: Ct, span: Span) -> Result<ExprId> {
        let lowered = self.arbitrary(name, ty, span)?;
        let whole = self.whole(lowered, span)?;
        Ok(self.scalar(whole, span)?.e)
    }

    /// `__builtin_constant_p`: what is folded here is constant for every compiler; of other expressions one cannot tell.
    pub(super) fn is_constant(&mut self, e: ast::ExprId, span: Span) -> Result<Lowered> {
        let is_known = match self.skipped(e)? {
            Some(Lowered::Value(v)) => matches!(self.exprs[v.e].expr, Expr::Int(_) | Expr::Float(_)),
            _ => matches!(self.tree.exprs[e].kind, ExprKind::String(_)),
        };
        let int = self.ctypes.int();
        if is_known || self.body.is_none() || self.wants_constant || self.is_unevaluated {
            return Ok(Lowered::Value(self.int_of(is_known.into(), int, span)));
        }
        let bool = self.ctypes.intern(CType::Bool);
        let e = self.arbitrary_scalar("__builtin_constant_p", bool, span)?;
        self.converted(Value { e, ty: bool }, int, span).map(Lowered::Value)
    }

    /// A variable, or what stands for it in a nested function.
    fn variable_or_captured(&mut self, v: crate::c::hir::VarId, span: Span) -> Result<Object> {
        match (self.vars[v].storage, &self.body) {
            (Storage::Auto(f), Some(body)) if f != body.func => self.captured(v, span),
            _ => Ok(self.variable(v, span)),
        }
    }
}

/// How an operator changes its operand, if it does.
pub(super) fn step_of(op: UnaryOp) -> Option<BinaryOp> {
    match op {
        UnaryOp::PostIncrement | UnaryOp::PreIncrement => Some(BinaryOp::Add),
        UnaryOp::PostDecrement | UnaryOp::PreDecrement => Some(BinaryOp::Sub),
        _ => None,
    }
}

/// Compilers evaluate a variable on the left of such an operator after what is on the right.
pub(super) fn is_commutative(op: BinaryOp) -> bool {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Eq, Ge, Gt, Le, Lt, Mul, Ne};
    matches!(op, Add | Mul | BitAnd | BitOr | BitXor | Eq | Ne | Lt | Gt | Le | Ge)
}
