//! Assignments. Their value is what was assigned, after conversion; the object is not read again.

use super::build::Mark;
use super::ctype::{CType, Ct, Q};
use super::expr::step_of;
use super::object::{Bound, Lowered, Object, Pending, Value, Whole};
use super::{Lower, Result, issue};
use crate::c::hir::{Base, ExprId, InstrKind};
use crate::c::syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};
use bolide_model::Span;

impl Lower<'_> {
    /// An object that may be assigned to.
    fn modifiable(&mut self, e: ast::ExprId) -> Result<Object> {
        let span = self.span(e);
        let o = self.object(e)?;
        if !o.is_lvalue {
            return issue(span, "the expression does not name an object");
        }
        match self.ctypes.get(o.ty.ty) {
            CType::Array(..) => return issue(span, "an array is assigned to"),
            CType::Function(_) => return issue(span, "a function is assigned to"),
            CType::Void => return issue(span, "an object of type void is assigned to"),
            _ => {}
        }
        if o.ty.quals.is_const || self.has_const(o.ty.ty) {
            return issue(span, "an object that is const is assigned to");
        }
        Ok(o)
    }

    /// Has a record a member that is const?
    fn has_const(&self, ty: Ct) -> bool {
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            match self.ctypes.get(ty) {
                CType::Record(r) => {
                    for f in self.ctypes.records[*r].fields.as_deref().into_iter().flatten() {
                        if f.ty.quals.is_const {
                            return true;
                        }
                        work.push(f.ty.ty);
                    }
                }
                CType::Array(of, _) => {
                    if of.quals.is_const {
                        return true;
                    }
                    work.push(of.ty);
                }
                _ => {}
            }
        }
        false
    }

    /// The type of the value that a scalar object holds.
    fn content(&mut self, o: &Object) -> Ct {
        match &o.field {
            Some(f) => self.ctypes.field_type(o.ty.ty, f.width),
            None => o.ty.ty,
        }
    }

    /// An object whose place is computed from values as they were at a mark.
    pub(super) fn object_as_of(&mut self, mark: Option<Mark>, o: Object, span: Span) -> Object {
        if mark == self.mark() {
            return o;
        }
        let mut known: Vec<(ExprId, ExprId)> = Vec::new();
        let mut fixed = |this: &mut Self, e: ExprId| match known.iter().find(|k| k.0 == e) {
            Some(k) => k.1,
            None => {
                let new = this.as_of(mark, e, span);
                known.push((e, new));
                new
            }
        };
        let mut o = o;
        if let Base::Deref(e) = o.place.base {
            o.place.base = Base::Deref(fixed(self, e));
        }
        for d in &mut o.place.dynamic {
            d.0 = fixed(self, d.0);
        }
        for p in &mut o.pending {
            match p {
                Pending::NotNull(e, _) => *e = fixed(self, *e),
                Pending::Index(e, bound, _) => {
                    *e = fixed(self, *e);
                    if let Bound::Computed(count) = bound {
                        *count = fixed(self, *count);
                    }
                }
            }
        }
        o
    }

    /// `=` or a compound assignment.
    pub(super) fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        a: ast::ExprId,
        b: ast::ExprId,
        span: Span,
        is_used: bool,
    ) -> Result<Lowered> {
        // What C leaves open is done as gcc does it: the operands before the last comma of the right side come first.
        let (first, b) = match self.tree.exprs[b].kind {
            ExprKind::Comma(..) if op.is_none() => self.comma_chain(b),
            _ => (Vec::new(), b),
        };
        first.into_iter().try_for_each(|e| self.effect(e))?;
        match op {
            None => self.plain_assignment(a, b, span, is_used),
            Some(op) => self.compound_assignment(op, a, b, span, is_used),
        }
    }

    /// `=`. As in gcc, the right side comes first if it has effects, or the left one has, unless it is a call, of which the result is stored
    /// where the left side led to before. An object on the right is read last, if no conversion reads it before.
    fn plain_assignment(
        &mut self,
        a: ast::ExprId,
        b: ast::ExprId,
        span: Span,
        is_used: bool,
    ) -> Result<Lowered> {
        let is_left_first = match self.tree.exprs[b].kind {
            ExprKind::Call(..) => true,
            _ => !self.has_effects(a) && !self.has_effects(b),
        };
        if is_left_first {
            let o = self.modifiable(a)?;
            let start = self.mark();
            let w = self.whole_value(b)?;
            let o = self.object_as_of(start, o, span);
            return self.assign_object(o, w, span, is_used);
        }
        let w = self.whole_value(b)?;
        let mark = self.mark();
        let o = self.modifiable(a)?;
        let content = self.content(&o);
        let names_object = |kind: &ExprKind| {
            matches!(
                kind,
                ExprKind::Name(_)
                    | ExprKind::Index(..)
                    | ExprKind::Member(..)
                    | ExprKind::Unary(UnaryOp::Deref, _)
            )
        };
        let w = match w {
            Whole::Scalar(v) if v.ty != content || !names_object(&self.tree.exprs[b].kind) => {
                Whole::Scalar(Value { e: self.as_of(mark, v.e, span), ..v })
            }
            w => w,
        };
        self.assign_object(o, w, span, is_used)
    }

    /// A compound assignment. As in gcc, the right side comes first if it has effects.
    fn compound_assignment(
        &mut self,
        op: BinaryOp,
        a: ast::ExprId,
        b: ast::ExprId,
        span: Span,
        is_used: bool,
    ) -> Result<Lowered> {
        let early = match self.has_effects(b) {
            true => Some(match self.whole_value(b)? {
                Whole::Scalar(v) => Whole::Scalar(Value { e: self.saved(v.e, span)?, ..v }),
                record => record,
            }),
            false => None,
        };
        let o = self.modifiable(a)?;
        let right = match early {
            Some(right) => right,
            None => self.whole_value(b)?,
        };
        if !self.ctypes.is_scalar(o.ty.ty) {
            let left = self.whole(Lowered::Object(o.clone()), span)?;
            let new = self.binary_whole(op, left, right, span)?;
            return self.assign_object(o, new, span, is_used);
        }
        self.check_pending(&o.pending)?;
        let old = self.read_unchecked(&o, span)?;
        if self.ctypes.is_pointer(old.ty) && !matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            return issue(span, "the operand of a compound assignment is a pointer");
        }
        let new = self.binary_whole(op, Whole::Scalar(old), right, span)?;
        let o = Object { pending: Vec::new(), ..o };
        self.assign_object(o, new, span, is_used)
    }

    /// Does an expression call or change anything, as far as its text tells?
    fn has_effects(&self, e: ast::ExprId) -> bool {
        let mut work = vec![e];
        while let Some(e) = work.pop() {
            match &self.tree.exprs[e].kind {
                ExprKind::Call(..)
                | ExprKind::Assign(..)
                | ExprKind::Statement(_)
                | ExprKind::VaArg(..)
                | ExprKind::CompoundLiteral(..)
                | ExprKind::Generic(..) => return true,
                ExprKind::Unary(op, _) if step_of(*op).is_some() => return true,
                ExprKind::Parenthesised(x)
                | ExprKind::Unary(_, x)
                | ExprKind::Cast(_, x)
                | ExprKind::Member(x, ..)
                | ExprKind::ConvertVector(x, _)
                | ExprKind::BitCast(_, x) => work.push(*x),
                ExprKind::Binary(_, x, y) | ExprKind::Index(x, y) | ExprKind::Comma(x, y) => {
                    work.extend([*x, *y]);
                }
                ExprKind::Conditional(c, x, y) => work.extend([*c, *y].into_iter().chain(*x)),
                _ => {}
            }
        }
        false
    }

    fn assign_object(&mut self, o: Object, w: Whole, span: Span, is_used: bool) -> Result<Lowered> {
        let content = self.content(&o);
        match self.assigned(w, Q::plain(content), "assignment", span)? {
            Whole::Scalar(v) => {
                self.check_pending(&o.pending)?;
                let v = if is_used { Value { e: self.saved(v.e, span)?, ..v } } else { v };
                self.write_unchecked(&o, v.e, span)?;
                Ok(Lowered::Value(v))
            }
            Whole::Record(from, ty) => {
                self.check_pending(&o.pending)?;
                let mut place = o.place;
                if is_used {
                    if let Base::Deref(e) = place.base {
                        place.base = Base::Deref(self.saved(e, span)?);
                    }
                    for n in 0..place.dynamic.len() {
                        place.dynamic[n].0 = self.saved(place.dynamic[n].0, span)?;
                    }
                }
                self.emit(InstrKind::Copy(place.clone(), from), span)?;
                Ok(Lowered::Object(Object::rvalue(place, ty)))
            }
        }
    }

    /// Stores a value with the conversion that an assignment makes.
    pub(super) fn store(&mut self, o: &Object, w: Whole, what: &str, span: Span) -> Result<()> {
        let content = self.content(o);
        match self.assigned(w, Q::plain(content), what, span)? {
            Whole::Scalar(v) => self.write(o, v.e, span),
            Whole::Record(from, _) => {
                self.check_pending(&o.pending)?;
                self.emit(InstrKind::Copy(o.place.clone(), from), span)
            }
        }
    }

    /// `++` and `--`.
    pub(super) fn step(
        &mut self,
        operand: ast::ExprId,
        op: UnaryOp,
        span: Span,
        is_used: bool,
    ) -> Result<Lowered> {
        let o = self.modifiable(operand)?;
        let by = step_of(op).expect("the caller has seen such an operator");
        let is_prefix = matches!(op, UnaryOp::PreIncrement | UnaryOp::PreDecrement);
        let int = self.ctypes.int();
        let one = self.int_of(1, int, span);
        if let CType::Complex(_) | CType::Vector(..) = self.ctypes.get(o.ty.ty) {
            let old = self.whole(Lowered::Object(o.clone()), span)?;
            let kept = match (&old, is_prefix) {
                (Whole::Record(p, ty), false) => Some(self.copied(p.clone(), *ty, span)?),
                _ => None,
            };
            let new = self.binary_whole(by, old, Whole::Scalar(one), span)?;
            let value = self.assign_object(o, new, span, is_used)?;
            return Ok(kept.unwrap_or(value));
        }
        if !self.ctypes.is_scalar(o.ty.ty) {
            return issue(span, "the operand of '++' or '--' is neither a number nor a pointer");
        }
        let old = self.read(&o, span)?;
        let o = Object { pending: Vec::new(), ..o };
        if is_prefix || !is_used {
            let new = self.binary(by, old, one, span)?;
            return self.assign_object(o, Whole::Scalar(new), span, is_used);
        }
        let old = Value { e: self.saved(old.e, span)?, ..old };
        let new = self.binary(by, old, one, span)?;
        self.assign_object(o, Whole::Scalar(new), span, false)?;
        Ok(Lowered::Value(old))
    }
}
