//! Operators that may skip an operand: `&&`, `||` and `?:`.
//!
//! Operands without side effects give a pure expression; others become control flow.

use super::ctype::{CType, Ct, Q, join};
use super::object::{Lowered, Object, Value, Whole};
use super::{Lower, Result, issue};
use crate::c::hir::{BlockId, Expr, InstrKind, Place, Terminator};
use crate::c::syntax::ast;
use bolide_model::Span;

impl Lower<'_> {
    /// Lowers something in a block of its own; says whether it left any instruction behind.
    fn aside<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, BlockId, bool)> {
        let start = self.block();
        self.body().current = start;
        let value = work(self)?;
        let body = self.body();
        let pure = body.current == start && body.blocks[start].instrs.is_empty();
        Ok((value, start, pure))
    }

    pub(super) fn short_circuit(
        &mut self,
        is_and: bool,
        left: Whole,
        right: ast::ExprId,
        span: Span,
    ) -> Result<Value> {
        let (int, ty) = (self.types.int(), self.ctypes.int());
        let both = |x, y| if is_and { Expr::LogicAnd(x, y) } else { Expr::LogicOr(x, y) };
        let x = self.truth_of(&left, span)?;
        if self.int_value(x).is_some_and(|x| (x != 0) != is_and) {
            self.skipped(right)?;
            return Ok(self.int_of((!is_and).into(), ty, span));
        }
        if self.body.is_none() {
            let y = self.whole_value(right)?;
            let y = self.truth_of(&y, span)?;
            return Ok(Value { e: self.make(both(x, y), int, span), ty });
        }
        let before = self.body().current;
        let (y, start, pure) = self.aside(|this| {
            let y = this.whole_value(right)?;
            this.truth_of(&y, span)
        })?;
        if pure {
            self.body().current = before;
            return Ok(Value { e: self.make(both(x, y), int, span), ty });
        }
        let t = self.temp(int, span);
        let (short, join) = (self.block(), self.block());
        self.emit(InstrKind::Assign(Place::var(t, int), y), span)?;
        self.end(Terminator::Goto(join), span, short);
        let decided = self.int((!is_and).into(), int, span);
        self.emit(InstrKind::Assign(Place::var(t, int), decided), span)?;
        self.end(Terminator::Goto(join), span, before);
        let (yes, no) = if is_and { (start, short) } else { (short, start) };
        self.end(Terminator::Branch(x, yes, no), span, join);
        Ok(Value { e: self.load_var(t, span), ty })
    }

    /// The value of one side; nothing if it has none.
    fn side(&mut self, e: ast::ExprId) -> Result<Option<Whole>> {
        let span = self.span(e);
        match self.lower(e)? {
            Lowered::Void => Ok(None),
            Lowered::Object(o) if self.ctypes.is_void(o.ty.ty) => Ok(None),
            lowered => self.whole(lowered, span).map(Some),
        }
    }

    /// The type of one side that is not evaluated, and is it a null pointer constant?
    fn skipped_side(&mut self, e: ast::ExprId) -> Result<Option<(Ct, bool)>> {
        let Some(lowered) = self.skipped(e)? else { return Ok(None) };
        let is_null = match &lowered {
            Lowered::Value(v) => self.is_null_constant(*v),
            _ => false,
        };
        let q = self.type_of_lowered(&lowered);
        Ok(Some((self.value_type(q), is_null)))
    }

    pub(super) fn conditional(
        &mut self,
        condition: ast::ExprId,
        yes: Option<ast::ExprId>,
        no: ast::ExprId,
        span: Span,
    ) -> Result<Lowered> {
        let mut value = self.whole_value(condition)?;
        if let Whole::Record(_, ty) = &value
            && matches!(self.ctypes.get(*ty), CType::Vector(..))
        {
            return super::unsupported(span, "a choice between vectors");
        }
        if let (None, Whole::Scalar(v)) = (yes, &mut value)
            && self.body.is_some()
        {
            v.e = self.saved(v.e, span)?;
        }
        let truth = self.truth_of(&value, span)?;
        if let Some(known) = self.int_value(truth) {
            return self.decided(known != 0, value, yes, no, span);
        }
        if self.body.is_none() {
            let x = match yes {
                Some(e) => self.value(e)?,
                None => self.scalar(value, span)?,
            };
            let y = self.value(no)?;
            let ty =
                self.join_types((x.ty, self.is_null_constant(x)), (y.ty, self.is_null_constant(y)), span)?;
            let (x, y) = (self.converted(x, ty, span)?, self.converted(y, ty, span)?);
            let plain = self.hir(ty);
            return Ok(Lowered::Value(Value { e: self.make(Expr::Cond(truth, x.e, y.e), plain, span), ty }));
        }
        let before = self.body().current;
        let (x, yes_start, yes_pure) = self.aside(|this| match yes {
            Some(e) => this.side(e),
            None => Ok(Some(value)),
        })?;
        let yes_end = self.body().current;
        let (y, no_start, no_pure) = self.aside(|this| this.side(no))?;
        let no_end = self.body().current;
        let target = match (&x, &y) {
            (Some(x), Some(y)) => Some(self.join_wholes(x, y, span)?),
            _ => None,
        };
        if let (Some(Whole::Scalar(x)), Some(Whole::Scalar(y)), Some(ty), true) =
            (&x, &y, target, yes_pure && no_pure)
            && self.ctypes.is_scalar(ty)
        {
            self.body().current = before;
            let (x, y) = (self.converted(*x, ty, span)?, self.converted(*y, ty, span)?);
            let plain = self.hir(ty);
            return Ok(Lowered::Value(Value { e: self.make(Expr::Cond(truth, x.e, y.e), plain, span), ty }));
        }
        let join = self.block();
        let temp = match target {
            Some(ty) => {
                let plain = self.hir(ty);
                Some((self.temp(plain, span), ty))
            }
            None => None,
        };
        for (end, value) in [(yes_end, x), (no_end, y)] {
            self.body().current = end;
            if let (Some((t, ty)), Some(value)) = (temp, value) {
                let target = Object::new(Place::var(t, self.vars[t].ty), Q::plain(ty));
                self.store(&target, value, "conditional", span)?;
            }
            self.end(Terminator::Goto(join), span, before);
        }
        self.end(Terminator::Branch(truth, yes_start, no_start), span, join);
        Ok(match temp {
            Some((t, ty)) => self.temporary(t, ty),
            None => Lowered::Void,
        })
    }

    /// A conditional with a constant condition: only one side is evaluated, but both decide about the type.
    fn decided(
        &mut self,
        is_true: bool,
        value: Whole,
        yes: Option<ast::ExprId>,
        no: ast::ExprId,
        span: Span,
    ) -> Result<Lowered> {
        let (taken, other) = if is_true { (yes, Some(no)) } else { (Some(no), yes) };
        let other = match other {
            Some(e) => self.skipped_side(e)?,
            None => match &value {
                Whole::Scalar(v) => Some((v.ty, self.is_null_constant(*v))),
                Whole::Record(_, ty) => Some((*ty, false)),
            },
        };
        let taken = match taken {
            Some(e) => self.side(e)?,
            None => Some(value),
        };
        let Some(taken) = taken else { return Ok(Lowered::Void) };
        let Some((other, is_null)) = other else {
            return Ok(self.as_lowered(taken));
        };
        if self.ctypes.is_void(other) {
            return Ok(Lowered::Void);
        }
        let own = match &taken {
            Whole::Scalar(v) => (v.ty, self.is_null_constant(*v)),
            Whole::Record(_, ty) => (*ty, false),
        };
        let sides = if is_true { (own, (other, is_null)) } else { ((other, is_null), own) };
        let ty = self.join_types(sides.0, sides.1, span)?;
        let taken = self.assigned(taken, Q::plain(ty), "conditional", span)?;
        Ok(self.as_lowered(taken))
    }

    pub(super) fn as_lowered(&self, w: Whole) -> Lowered {
        match w {
            Whole::Scalar(v) => Lowered::Value(v),
            Whole::Record(place, ty) => Lowered::Object(Object::rvalue(place, ty)),
        }
    }

    fn join_wholes(&mut self, x: &Whole, y: &Whole, span: Span) -> Result<Ct> {
        let of = |this: &Self, w: &Whole| match w {
            Whole::Scalar(v) => (v.ty, this.is_null_constant(*v)),
            Whole::Record(_, ty) => (*ty, false),
        };
        let (x, y) = (of(self, x), of(self, y));
        self.join_types(x, y, span)
    }

    /// Is this a constant zero, as an integer or a pointer to void?
    pub(super) fn is_null_constant(&self, v: Value) -> bool {
        let fits = self.ctypes.as_int(v.ty).is_some()
            || self
                .ctypes
                .pointee(v.ty)
                .is_some_and(|to| self.ctypes.is_void(to.ty) && to == Q::plain(to.ty));
        fits && self.int_value(v.e) == Some(0)
    }

    /// The type of a conditional from those of its sides.
    fn join_types(&mut self, (a, a_null): (Ct, bool), (b, b_null): (Ct, bool), span: Span) -> Result<Ct> {
        if a == b && self.ctypes.as_int(a).is_none() {
            return Ok(a);
        }
        if self.ctypes.is_arith(a) && self.ctypes.is_arith(b) {
            let (a, b) = (self.ctypes.promote(a), self.ctypes.promote(b));
            return Ok(self.ctypes.common(a, b));
        }
        match (self.ctypes.pointee(a), self.ctypes.pointee(b)) {
            (Some(_), Some(_)) if a_null => Ok(b),
            (Some(_), Some(_)) if b_null => Ok(a),
            (Some(p), Some(q)) => {
                let quals = join(p.quals, q.quals);
                let to = if self.ctypes.is_void(p.ty) {
                    p.ty
                } else if self.ctypes.is_void(q.ty) {
                    q.ty
                } else if self.ctypes.compatible(p.ty, q.ty) {
                    self.ctypes.composite(p.ty, q.ty)
                } else {
                    // Compilers warn and take a pointer to void.
                    self.ctypes.void()
                };
                Ok(self.ctypes.pointer(Q { quals, ..Q::plain(to) }))
            }
            // Compilers warn about an integer that is not zero.
            (Some(_), None) if self.ctypes.as_int(b).is_some() => Ok(a),
            (None, Some(_)) if self.ctypes.as_int(a).is_some() => Ok(b),
            _ if self.ctypes.compatible(a, b) => Ok(a),
            _ => {
                let (a, b) = (self.ctypes.name(Q::plain(a)), self.ctypes.name(Q::plain(b)));
                issue(span, format!("the two sides of a conditional do not match: '{a}' and '{b}'"))
            }
        }
    }
}
