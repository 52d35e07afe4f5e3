//! Expressions: values, places and side effects.

use super::{Lower, Result, Scope, Symbol, issue, math, names, span_of, unsupported};
use crate::c::hir::{Base, BinOp, Expr, ExprId, FuncId, InstrKind, Operand, Place, VarId};
use crate::c::types::{Type, TypeId};
use bolide_model::Span;
use lang_c::ast::{self, BinaryOperator as Op, UnaryOperator};
use lang_c::span::Node;

/// What an expression denotes before its value is taken.
#[derive(Clone, Debug)]
pub(super) enum Lowered {
    Place(Place),
    Scalar(ExprId),
    Function(FuncId),
    Void,
}

impl Lower<'_> {
    /// The value of a constant integer expression.
    pub(super) fn constant(&mut self, e: &Node<ast::Expression>) -> Result<i128> {
        let value = self.scalar_value(e)?;
        match self.int_value(value) {
            Some(v) => Ok(v),
            None => issue(span_of(e), "the expression is not an integer constant"),
        }
    }

    /// The type of an expression, without evaluating it.
    pub(super) fn type_of(&mut self, e: &Node<ast::Expression>) -> Result<TypeId> {
        Ok(match self.unevaluated(e)? {
            Lowered::Place(p) => p.ty,
            Lowered::Scalar(e) => self.ty(e),
            Lowered::Function(f) => self.funcs[f].ty,
            Lowered::Void => self.types.void(),
        })
    }

    /// What an expression denotes, without its effects.
    fn unevaluated(&mut self, e: &Node<ast::Expression>) -> Result<Lowered> {
        let saved = self.body.as_ref().map(|b| b.current);
        if saved.is_some() {
            let dead = self.block();
            self.body().current = dead;
        }
        let lowered = self.lower(e);
        if let Some(current) = saved {
            self.body().current = current;
        }
        lowered
    }

    /// `__builtin_constant_p`: what is folded here is constant for every compiler; of other expressions one cannot tell.
    pub(super) fn is_constant(&mut self, e: &Node<ast::Expression>, span: Span) -> Result<Lowered> {
        let is_known = match self.unevaluated(e)? {
            Lowered::Scalar(value) => matches!(self.exprs[value].expr, Expr::Int(_) | Expr::Float(_)),
            _ => matches!(e.node, ast::Expression::StringLiteral(_)),
        };
        let int = self.types.int();
        if is_known || self.body.is_none() {
            return Ok(Lowered::Scalar(self.int(is_known.into(), int, span)));
        }
        let bool = self.types.int_of(0, false);
        let answer = self.arbitrary("__builtin_constant_p", bool, span)?;
        let answer = self.value_of(answer, span)?;
        let answer = self.scalar(answer, span)?;
        self.convert(answer, int, span).map(Lowered::Scalar)
    }

    /// The value of an expression that is a scalar.
    pub(super) fn scalar_value(&mut self, e: &Node<ast::Expression>) -> Result<ExprId> {
        let operand = self.value(e)?;
        self.scalar(operand, span_of(e))
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, e: &Node<ast::Expression>) -> Result<Operand> {
        let lowered = self.lower(e)?;
        self.value_of(lowered, span_of(e))
    }

    pub(super) fn value_of(&mut self, lowered: Lowered, span: Span) -> Result<Operand> {
        Ok(match lowered {
            Lowered::Scalar(e) => Operand::Scalar(e),
            Lowered::Function(f) => Operand::Scalar(self.function_address(f, span)?),
            Lowered::Void => return issue(span, "a void expression is used as a value"),
            Lowered::Place(p) => match self.types.get(p.ty) {
                Type::Array(element, _) => {
                    let p = Place { ty: *element, ..p };
                    Operand::Scalar(self.address(p, span))
                }
                Type::Record(_) => Operand::Record(p),
                Type::Function(_) => Operand::Scalar(self.address(p, span)),
                Type::Void => return issue(span, "a void expression is used as a value"),
                _ => Operand::Scalar(self.load(p, span)),
            },
        })
    }

    /// The one of several expressions whose type is that of the first one.
    fn generic_selection(&mut self, g: &ast::GenericSelection, span: Span) -> Result<Lowered> {
        let ty = self.type_of(&g.expression)?;
        let ty = self.decayed(ty);
        let (mut fitting, mut default) = (Vec::new(), None);
        for association in &g.associations {
            match &association.node {
                ast::GenericAssociation::Type(t) => {
                    if self.type_name(&t.node.type_name)? == ty {
                        fitting.push(&t.node.expression);
                    }
                }
                ast::GenericAssociation::Default(e) => default = Some(e),
            }
        }
        match (fitting.as_slice(), default) {
            (&[e], _) | ([], Some(e)) => self.lower(e),
            ([], None) => issue(span, "no association has the type of the expression"),
            _ => unsupported(span, "generic selection between types that differ in qualifiers"),
        }
    }

    /// The address of a function. Calls through pointers know bodies and models only.
    fn function_address(&mut self, f: FuncId, span: Span) -> Result<ExprId> {
        let name = &self.funcs[f].name;
        let is_defined = self.defined.contains(name);
        let model = if is_defined { None } else { self.model_of(name) };
        let is_special = names::means_something(name) || math::is_exact(name) || self.endless.contains(name);
        if !is_defined && model.is_none() && is_special {
            return unsupported(span, format_args!("the address of '{name}'"));
        }
        let f = model.unwrap_or(f);
        self.funcs[f].address_taken = true;
        let ty = self.types.pointer(self.funcs[f].ty);
        Ok(self.make(Expr::Func(f), ty, span))
    }

    /// An expression whose value nobody wants.
    pub(super) fn effect(&mut self, e: &Node<ast::Expression>) -> Result<()> {
        let span = span_of(e);
        match &e.node {
            ast::Expression::UnaryOperator(u) => {
                if let Some(delta) = step_of(&u.node.operator.node) {
                    let place = self.place(&u.node.operand)?;
                    let old = self.load(place.clone(), span);
                    return self.step(&place, old, delta, span);
                }
                self.lower(e).map(|_| ())
            }
            ast::Expression::BinaryOperator(b) => match assignment(&b.node.operator.node) {
                Some(op) => self.assignment(op, &b.node, span).map(|_| ()),
                None => self.lower(e).map(|_| ()),
            },
            _ => self.lower(e).map(|_| ()),
        }
    }

    pub(super) fn place(&mut self, e: &Node<ast::Expression>) -> Result<Place> {
        match self.lower(e)? {
            Lowered::Place(p) => Ok(p),
            _ => issue(span_of(e), "the expression does not name an object"),
        }
    }

    pub(super) fn lower(&mut self, e: &Node<ast::Expression>) -> Result<Lowered> {
        let span = span_of(e);
        match &e.node {
            ast::Expression::Identifier(i) => self.identifier(&i.node.name, span),
            ast::Expression::Constant(c) => self.literal(&c.node, span).map(Lowered::Scalar),
            ast::Expression::StringLiteral(s) => self.string(&s.node, span),
            ast::Expression::GenericSelection(g) => self.generic_selection(&g.node, span),
            ast::Expression::Member(m) => self.member(&m.node, span),
            ast::Expression::Call(c) => self.call(&c.node, span),
            ast::Expression::CompoundLiteral(c) => self.compound_literal(&c.node, span),
            ast::Expression::SizeOfTy(t) => {
                let ty = self.type_name(&t.node.0)?;
                self.size_constant(ty, span)
            }
            ast::Expression::SizeOfVal(v) => {
                if let ast::Expression::Identifier(i) = &v.node.0.node
                    && let Some(Symbol::Var(x)) = self.find(&i.node.name)
                    && self.variable_arrays.contains(x)
                {
                    return unsupported(span, "the size of an array of variable length");
                }
                if let ast::Expression::BinaryOperator(b) = &v.node.0.node
                    && b.node.operator.node == Op::Index
                    && self.rows_of(&b.node.lhs).is_some()
                {
                    return unsupported(span, "the size of a row of variable length");
                }
                let ty = self.type_of(&v.node.0)?;
                self.size_constant(ty, span)
            }
            ast::Expression::AlignOf(t) => {
                let ty = self.type_name(&t.node.0)?;
                let size_t = self.types.size_t();
                let align = self.types.align_of(ty);
                Ok(Lowered::Scalar(self.int(align.into(), size_t, span)))
            }
            ast::Expression::UnaryOperator(u) => self.unary(&u.node, span),
            ast::Expression::Cast(c) => self.cast(&c.node, span),
            ast::Expression::BinaryOperator(b) => self.binary_expression(&b.node, span),
            ast::Expression::Conditional(c) => self.conditional(&c.node, span),
            ast::Expression::Comma(list) => {
                let (last, first) = list.split_last().expect("the parser makes no empty comma expression");
                for e in first {
                    self.effect(e)?;
                }
                self.lower(last)
            }
            ast::Expression::OffsetOf(o) => self.offset_of(&o.node, span),
            ast::Expression::VaArg(v) => self.next_argument(&v.node, span),
            ast::Expression::Statement(s) => self.statement_expression(s),
        }
    }

    fn identifier(&mut self, name: &str, span: Span) -> Result<Lowered> {
        match self.find(name).cloned() {
            Some(Symbol::Var(v)) if self.row_lengths.contains_key(&v) => {
                unsupported(span, "an array of variable length with two dimensions that is not indexed")
            }
            Some(Symbol::Var(v)) => Ok(Lowered::Place(Place::var(v, self.vars[v].ty))),
            Some(Symbol::Func(_)) if self.renamed.contains(name) => {
                unsupported(span, format_args!("'{name}', which is another name of a function"))
            }
            Some(Symbol::Func(f)) => Ok(Lowered::Function(f)),
            Some(Symbol::Constant(v, ty)) => Ok(Lowered::Scalar(self.int(v, ty, span))),
            Some(Symbol::Typedef(_)) => issue(span, format!("'{name}' is a type")),
            None if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => {
                let text = self.body.as_ref().map_or(String::new(), |b| self.funcs[b.func].name.clone());
                let char = self.types.char();
                let var =
                    self.string_object(text.into_bytes().into_iter().map(i128::from).collect(), char, span);
                Ok(Lowered::Place(Place::var(var, self.vars[var].ty)))
            }
            None if name.starts_with("__builtin_") => {
                let int = self.types.int();
                let signature = crate::c::types::Signature { result: int, params: None, variadic: false };
                let ty = self.types.intern(Type::Function(signature));
                Ok(Lowered::Function(self.declare_function(name, ty, span)))
            }
            None => issue(span, format!("'{name}' is not declared")),
        }
    }

    fn size_constant(&mut self, ty: TypeId, span: Span) -> Result<Lowered> {
        let size = self.size(ty, span)?;
        let size_t = self.types.size_t();
        Ok(Lowered::Scalar(self.int(size.into(), size_t, span)))
    }

    fn member(&mut self, m: &ast::MemberExpression, span: Span) -> Result<Lowered> {
        let place = match m.operator.node {
            ast::MemberOperator::Direct => match self.lower(&m.expression)? {
                Lowered::Place(p) => p,
                _ => return issue(span, "a member of something that is not an object"),
            },
            ast::MemberOperator::Indirect => {
                let pointer = self.scalar_value(&m.expression)?;
                self.target(pointer, span)?
            }
        };
        let name = &m.identifier.node.name;
        let field = self.field(place.ty, name, span)?;
        Ok(Lowered::Place(Place {
            offset: place.offset + field.offset as i64,
            ty: field.ty,
            bits: field.bits,
            ..place
        }))
    }

    /// What a pointer points to.
    pub(super) fn target(&mut self, pointer: ExprId, span: Span) -> Result<Place> {
        let Some(to) = self.types.pointee(self.ty(pointer)) else {
            return issue(span, "something that is not a pointer is dereferenced");
        };
        // The target of an address is the object itself.
        if let Expr::Addr(p) = &self.exprs[pointer].expr
            && p.bits.is_none()
        {
            return Ok(Place { ty: to, ..p.clone() });
        }
        if self.properties_wanted.null && self.body.is_some() {
            let null = self.truth(pointer, span)?;
            self.check(null, "null pointer dereference", span)?;
        }
        Ok(Place::deref(pointer, to))
    }

    fn unary(&mut self, u: &ast::UnaryOperatorExpression, span: Span) -> Result<Lowered> {
        let op = &u.operator.node;
        if let Some(delta) = step_of(op) {
            let place = self.place(&u.operand)?;
            let old = self.load(place.clone(), span);
            if matches!(op, UnaryOperator::PreIncrement | UnaryOperator::PreDecrement) {
                self.step(&place, old, delta, span)?;
                return self.settled(place, span);
            }
            let saved = self.saved(old, span)?;
            self.step(&place, saved, delta, span)?;
            return Ok(Lowered::Scalar(saved));
        }
        match op {
            UnaryOperator::Address => match self.lower(&u.operand)? {
                Lowered::Place(p) if p.bits.is_some() => issue(span, "the address of a bit-field"),
                Lowered::Place(p) => Ok(Lowered::Scalar(self.address(p, span))),
                Lowered::Function(f) => Ok(Lowered::Scalar(self.function_address(f, span)?)),
                _ => issue(span, "the address of something that is not an object"),
            },
            UnaryOperator::Indirection => {
                let lowered = self.lower(&u.operand)?;
                if let Lowered::Function(_) = lowered {
                    return Ok(lowered);
                }
                let operand = self.value_of(lowered, span)?;
                let pointer = self.scalar(operand, span)?;
                self.target(pointer, span).map(Lowered::Place)
            }
            UnaryOperator::Plus => {
                let e = self.scalar_value(&u.operand)?;
                Ok(Lowered::Scalar(self.promoted(e, span)?))
            }
            UnaryOperator::Minus => {
                let e = self.scalar_value(&u.operand)?;
                let e = self.promoted(e, span)?;
                let ty = self.ty(e);
                if self.properties_wanted.overflow && self.types.as_int(ty).is_some_and(|i| i.signed) {
                    let zero = self.int(0, ty, span);
                    return Ok(Lowered::Scalar(self.binary(&Op::Minus, zero, e, span)?));
                }
                Ok(Lowered::Scalar(self.make(Expr::Neg(e), ty, span)))
            }
            UnaryOperator::Complement => {
                let e = self.scalar_value(&u.operand)?;
                let e = self.promoted(e, span)?;
                let ty = self.ty(e);
                if self.types.as_int(ty).is_none() {
                    return issue(span, "the complement of something that is not an integer");
                }
                Ok(Lowered::Scalar(self.make(Expr::Not(e), ty, span)))
            }
            _ => {
                let e = self.scalar_value(&u.operand)?;
                let int = self.types.int();
                Ok(Lowered::Scalar(self.make(Expr::LogicNot(e), int, span)))
            }
        }
    }

    /// Stores `old + delta`.
    fn step(&mut self, place: &Place, old: ExprId, delta: i128, span: Span) -> Result<()> {
        let int = self.types.int();
        let one = self.int(1, int, span);
        let op = if delta > 0 { Op::Plus } else { Op::Minus };
        let new = self.binary(&op, old, one, span)?;
        let new = self.convert(new, place.ty, span)?;
        self.emit(InstrKind::Assign(place.clone(), new), span)
    }

    /// A value kept in a temporary, so that later side effects do not change it.
    pub(super) fn saved(&mut self, e: ExprId, span: Span) -> Result<ExprId> {
        let is_constant = match &self.exprs[e].expr {
            Expr::Int(_) | Expr::Float(_) | Expr::Func(_) => true,
            Expr::Addr(place) => matches!(place.base, Base::Var(_)) && place.dynamic.is_empty(),
            _ => false,
        };
        if is_constant {
            return Ok(e);
        }
        self.in_function(span)?;
        let ty = self.ty(e);
        let t = self.temp(ty, span);
        self.emit(InstrKind::Assign(Place::var(t, ty), e), span)?;
        Ok(self.load_var(t, span))
    }

    /// The value of a place that was just assigned.
    fn settled(&mut self, place: Place, span: Span) -> Result<Lowered> {
        if !self.types.is_scalar(place.ty) {
            return Ok(Lowered::Place(place));
        }
        let simple = matches!(place.base, Base::Var(_)) && place.dynamic.is_empty();
        let value = self.load(place, span);
        Ok(Lowered::Scalar(if simple { value } else { self.saved(value, span)? }))
    }

    fn cast(&mut self, c: &ast::CastExpression, span: Span) -> Result<Lowered> {
        let ty = self.type_name(&c.type_name)?;
        if matches!(self.types.get(ty), Type::Void) {
            self.effect(&c.expression)?;
            return Ok(Lowered::Void);
        }
        match self.value(&c.expression)? {
            Operand::Scalar(e) => {
                // A bit-field that is cast to its own type is no bit-field any more.
                let is_field = matches!(&self.exprs[e].expr, Expr::Load(p) if p.bits.is_some());
                let e = if is_field { self.promoted(e, span)? } else { e };
                Ok(Lowered::Scalar(self.convert(e, ty, span)?))
            }
            Operand::Record(p) if p.ty == ty => Ok(Lowered::Place(p)),
            Operand::Record(_) => issue(span, "a structure or union is cast to another type"),
        }
    }

    fn binary_expression(&mut self, b: &ast::BinaryOperatorExpression, span: Span) -> Result<Lowered> {
        match &b.operator.node {
            Op::Index => self.index(&b.lhs, &b.rhs, span),
            Op::LogicalAnd => self.short_circuit(true, &b.lhs, &b.rhs, span),
            Op::LogicalOr => self.short_circuit(false, &b.lhs, &b.rhs, span),
            op => match assignment(op) {
                Some(op) => {
                    let place = self.assignment(op, b, span)?;
                    self.settled(place, span)
                }
                None => {
                    let (x, y) = (self.scalar_value(&b.lhs)?, self.scalar_value(&b.rhs)?);
                    Ok(Lowered::Scalar(self.binary(op, x, y, span)?))
                }
            },
        }
    }

    /// `=` or a compound assignment; returns the place.
    fn assignment(
        &mut self,
        op: Option<&Op>,
        b: &ast::BinaryOperatorExpression,
        span: Span,
    ) -> Result<Place> {
        let place = self.place(&b.lhs)?;
        let operand = self.value(&b.rhs)?;
        match (op, operand) {
            (None, operand) => self.assign(place.clone(), operand, span)?,
            (Some(op), operand) => {
                let right = self.scalar(operand, span)?;
                let old = self.load(place.clone(), span);
                let new = self.binary(op, old, right, span)?;
                self.assign(place.clone(), Operand::Scalar(new), span)?;
            }
        }
        Ok(place)
    }

    /// Stores a value with the conversion that an assignment makes.
    pub(super) fn assign(&mut self, place: Place, operand: Operand, span: Span) -> Result<()> {
        match operand {
            Operand::Scalar(e) if self.types.is_scalar(place.ty) => {
                let e = self.convert(e, place.ty, span)?;
                self.emit(InstrKind::Assign(place, e), span)
            }
            Operand::Record(from) if place.ty == from.ty => self.emit(InstrKind::Copy(place, from), span),
            _ => issue(span, "the types of an assignment do not match"),
        }
    }

    /// The variable that an expression names, if it is an array of variable length with two dimensions, and the length of
    /// its rows.
    fn rows_of(&self, e: &Node<ast::Expression>) -> Option<(VarId, ExprId)> {
        let ast::Expression::Identifier(i) = &e.node else { return None };
        let Some(Symbol::Var(x)) = self.find(&i.node.name) else { return None };
        self.row_lengths.get(x).map(|&row| (*x, row))
    }

    fn index(&mut self, a: &Node<ast::Expression>, i: &Node<ast::Expression>, span: Span) -> Result<Lowered> {
        if let Some((array, row)) = self.rows_of(a) {
            let (index, size_t) = (self.scalar_value(i)?, self.types.size_t());
            let index = self.convert(index, size_t, span)?;
            let index = self.make(Expr::Binary(BinOp::Mul, index, row), size_t, span);
            let pointer = self.load_var(array, span);
            let Some(element) = self.types.pointee(self.ty(pointer)) else {
                return issue(span, "an index of something that is not an array");
            };
            return self.advance(pointer, index, element, 1, span).map(Lowered::Scalar);
        }
        let base = self.lower(a)?;
        if let Lowered::Place(p) = &base
            && let Type::Array(element, Some(count)) = *self.types.get(p.ty)
            && count > 0
        {
            let index = self.scalar_value(i)?;
            let index = self.promoted(index, span)?;
            if self.types.as_int(self.ty(index)).is_none() {
                return issue(span, "an index that is not an integer");
            }
            self.check_index(index, count, span)?;
            let p = p.clone();
            return Ok(Lowered::Place(self.element(p, element, count, index, span)?));
        }
        let base = self.value_of(base, span)?;
        let (x, y) = (self.scalar(base, span)?, self.scalar_value(i)?);
        let (pointer, index) = if self.types.pointee(self.ty(x)).is_some() { (x, y) } else { (y, x) };
        let Some(to) = self.types.pointee(self.ty(pointer)) else {
            return issue(span, "neither side of an index is a pointer");
        };
        let moved = self.advance(pointer, index, to, 1, span)?;
        self.target(moved, span).map(Lowered::Place)
    }

    fn check_index(&mut self, index: ExprId, count: u64, span: Span) -> Result<()> {
        if !self.properties_wanted.bounds || self.body.is_none() {
            return Ok(());
        }
        let ty = self.ty(index);
        let (zero, count) = (self.int(0, ty, span), self.int(count.into(), ty, span));
        let low = self.binary(&Op::LessOrEqual, zero, index, span)?;
        let high = self.binary(&Op::Less, index, count, span)?;
        let int = self.types.int();
        let inside = self.make(Expr::LogicAnd(low, high), int, span);
        self.check(inside, "index out of bounds", span)
    }

    /// An element of an array that is part of an object.
    fn element(
        &mut self,
        mut p: Place,
        element: TypeId,
        count: u64,
        index: ExprId,
        span: Span,
    ) -> Result<Place> {
        let size = self.size(element, span)? as i64;
        match self.int_value(index).and_then(|v| i64::try_from(v).ok()).and_then(|v| v.checked_mul(size)) {
            Some(bytes) => p.offset += bytes,
            None => {
                p.extent = p.extent.or(Some((p.offset, p.offset + size * count as i64)));
                p.dynamic.push((index, size));
            }
        }
        p.ty = element;
        Ok(p)
    }

    fn offset_of(&mut self, o: &ast::OffsetOfExpression, span: Span) -> Result<Lowered> {
        let mut ty = self.type_name(&o.type_name)?;
        let first = self.field(ty, &o.designator.node.base.node.name, span)?;
        let mut offset = i128::from(first.offset);
        ty = first.ty;
        for m in &o.designator.node.members {
            match &m.node {
                ast::OffsetMember::Member(i) | ast::OffsetMember::IndirectMember(i) => {
                    let f = self.field(ty, &i.node.name, span)?;
                    offset += i128::from(f.offset);
                    ty = f.ty;
                }
                ast::OffsetMember::Index(e) => {
                    let Type::Array(element, _) = *self.types.get(ty) else {
                        return issue(span, "an index into something that is not an array");
                    };
                    offset += self.constant(e)? * i128::from(self.size(element, span)?);
                    ty = element;
                }
            }
        }
        let size_t = self.types.size_t();
        Ok(Lowered::Scalar(self.int(offset, size_t, span)))
    }

    fn statement_expression(&mut self, s: &Node<ast::Statement>) -> Result<Lowered> {
        let span = span_of(s);
        self.in_function(span)?;
        let ast::Statement::Compound(items) = &s.node else {
            return issue(span, "a statement in an expression");
        };
        self.scopes.push(Scope::default());
        let outcome = self.statement_items(items, span);
        self.scopes.pop();
        outcome
    }

    fn statement_items(&mut self, items: &[Node<ast::BlockItem>], span: Span) -> Result<Lowered> {
        let Some((last, first)) = items.split_last() else { return Ok(Lowered::Void) };
        for item in first {
            self.block_item(item)?;
        }
        if let ast::BlockItem::Statement(s) = &last.node
            && let ast::Statement::Expression(Some(e)) = &s.node
        {
            // The value must survive the scope's variables, which keep their identity: a saved copy will do.
            return match self.lower(e)? {
                Lowered::Void => Ok(Lowered::Void),
                lowered => match self.value_of(lowered, span)? {
                    Operand::Scalar(e) => Ok(Lowered::Scalar(self.saved(e, span)?)),
                    Operand::Record(p) => Ok(Lowered::Place(p)),
                },
            };
        }
        self.block_item(last)?;
        Ok(Lowered::Void)
    }

    /// A value from outside.
    pub(super) fn arbitrary(&mut self, name: &str, ty: TypeId, span: Span) -> Result<Lowered> {
        self.in_function(span)?;
        let t = self.temp(ty, span);
        let input = self.input(name, ty, span);
        let place = Place::var(t, ty);
        if self.types.is_scalar(ty) {
            self.emit(InstrKind::Input(place.clone(), input), span)?;
        } else {
            self.size(ty, span)?;
            self.emit(InstrKind::Fresh(t, Some(input)), span)?;
        }
        Ok(Lowered::Place(place))
    }
}

fn step_of(op: &UnaryOperator) -> Option<i128> {
    match op {
        UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => Some(1),
        UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => Some(-1),
        _ => None,
    }
}

/// `Some(None)` for `=`, `Some(Some(op))` for a compound assignment.
fn assignment(op: &Op) -> Option<Option<&Op>> {
    match op {
        Op::Assign => Some(None),
        Op::AssignMultiply
        | Op::AssignDivide
        | Op::AssignModulo
        | Op::AssignPlus
        | Op::AssignMinus
        | Op::AssignShiftLeft
        | Op::AssignShiftRight
        | Op::AssignBitwiseAnd
        | Op::AssignBitwiseXor
        | Op::AssignBitwiseOr => Some(Some(op)),
        _ => None,
    }
}
