//! `sizeof`, `_Alignof` and `offsetof`, for variable lengths too.

use super::ctype::{CType, Ct, Length, Q};
use super::object::{Lowered, Value};
use super::{Lower, Result, issue};
use crate::c::hir::{BinOp, Expr, ExprId};
use crate::c::syntax::ast::{self, Designator, TypeName};
use bolide_model::Span;

impl<'a> Lower<'a> {
    /// Size in bytes of a type whose size is constant.
    pub(super) fn size(&self, ty: Ct, span: Span) -> Result<u64> {
        match self.ctypes.size_of(ty) {
            Some(n) if n < 1 << 31 => Ok(n),
            Some(_) => issue(span, "the type is too large"),
            None => {
                let name = self.ctypes.name(Q::plain(ty));
                issue(span, format!("the type '{name}' is incomplete"))
            }
        }
    }

    /// The number of innermost elements of a type with variable lengths, in `size_t`, and the size of such an element.
    pub(super) fn elements(&mut self, ty: Ct, span: Span) -> Result<(ExprId, u64)> {
        let size_t = self.ctypes.size_t();
        let size_t = self.hir(size_t);
        let mut count = self.int(1, size_t, span);
        let mut ty = ty;
        while let CType::Array(of, length) = *self.ctypes.get(ty) {
            let n = match length {
                Length::Known(n) => self.int(n.into(), size_t, span),
                Length::Variable(id) => self.ctypes.lengths[id],
                Length::Unknown | Length::Star => return issue(span, "the type is incomplete"),
            };
            count = self.make(Expr::Binary(BinOp::Mul, count, n), size_t, span);
            ty = of.ty;
        }
        Ok((count, self.size(ty, span)?))
    }

    /// The size of a type in `size_t`.
    pub(super) fn size_value(&mut self, ty: Ct, span: Span) -> Result<Value> {
        let size_t = self.ctypes.size_t();
        let plain = self.hir(size_t);
        if self.ctypes.is_variable(ty) {
            let (count, size) = self.elements(ty, span)?;
            let size = self.int(size.into(), plain, span);
            let e = self.make(Expr::Binary(BinOp::Mul, count, size), plain, span);
            return Ok(Value { e, ty: size_t });
        }
        let size = match self.ctypes.size_of(ty) {
            Some(n) => n,
            None => self.size(ty, span)?,
        };
        Ok(Value { e: self.int(size.into(), plain, span), ty: size_t })
    }

    /// The lengths in a type are evaluated only if they decide about its size: those behind a pointer do not.
    pub(super) fn sizeof_type(&mut self, t: &'a TypeName, span: Span) -> Result<Lowered> {
        let mut q = self.unevaluated_type(t)?;
        if self.ctypes.is_variable(q.ty) && self.body.is_some() && !self.is_unevaluated {
            q = self.type_name(t)?;
        }
        let size = self.size_value(q.ty, span)?;
        Ok(Lowered::Value(size))
    }

    /// The operand of `sizeof` is evaluated only if its type has a variable length.
    pub(super) fn sizeof_expression(&mut self, e: ast::ExprId, span: Span) -> Result<Lowered> {
        let lowered = self.unevaluated(e)?;
        if let Lowered::Object(o) = &lowered
            && o.field.is_some()
        {
            return issue(span, "'sizeof' of a bit-field");
        }
        let mut q = self.type_of_lowered(&lowered);
        if self.ctypes.is_variable(q.ty) && self.body.is_some() && !self.is_unevaluated {
            let lowered = self.lower(e)?;
            q = self.type_of_lowered(&lowered);
        }
        let size = self.size_value(q.ty, span)?;
        Ok(Lowered::Value(size))
    }

    fn align_constant(&mut self, align: u64, span: Span) -> Lowered {
        let size_t = self.ctypes.size_t();
        let plain = self.hir(size_t);
        Lowered::Value(Value { e: self.int(align.into(), plain, span), ty: size_t })
    }

    /// Is an alignment asked for in the words of GNU C? Those give the preferred one, which differs on i386.
    fn is_preferred(&self, span: Span) -> bool {
        self.source.text(span).starts_with("__alignof")
    }

    pub(super) fn alignof_type(&mut self, t: &'a TypeName, span: Span) -> Result<Lowered> {
        let q = self.unevaluated_type(t)?;
        if !matches!(self.ctypes.get(q.ty), CType::Array(..)) {
            self.require_complete(q, span)?;
        }
        let is_preferred = self.is_preferred(span);
        let align = if is_preferred { self.ctypes.align_of(q).0 } else { self.ctypes.field_align(q).0 };
        Ok(self.align_constant(align, span))
    }

    pub(super) fn alignof_expression(&mut self, e: ast::ExprId, span: Span) -> Result<Lowered> {
        let lowered = self.unevaluated(e)?;
        let mut align = None;
        if let Lowered::Object(o) = &lowered {
            if o.field.is_some() {
                return issue(span, "'_Alignof' of a bit-field");
            }
            align = o.align;
        }
        let q = self.type_of_lowered(&lowered);
        let is_preferred = self.is_preferred(span);
        let of_type = if is_preferred { self.ctypes.align_of(q).0 } else { self.ctypes.field_align(q).0 };
        Ok(self.align_constant(align.unwrap_or(of_type), span))
    }

    pub(super) fn offset_of(
        &mut self,
        t: &'a TypeName,
        designators: &'a [Designator],
        span: Span,
    ) -> Result<Lowered> {
        let mut q = self.type_name(t)?;
        let size_t = self.ctypes.size_t();
        let plain = self.hir(size_t);
        let mut offset = self.int(0, plain, span);
        for d in designators {
            match d {
                Designator::Member(ident) => {
                    let (field, ..) = self.field(q.ty, &ident.name, span)?;
                    if field.bits.is_some() {
                        return issue(span, "the offset of a bit-field");
                    }
                    let by = self.int(field.offset.into(), plain, span);
                    offset = self.make(Expr::Binary(BinOp::Add, offset, by), plain, span);
                    q = field.ty;
                }
                Designator::Index(e) => {
                    let CType::Array(of, _) = *self.ctypes.get(q.ty) else {
                        return issue(span, "an index into something that is not an array");
                    };
                    let index = self.value(*e)?;
                    let index = self.converted(index, size_t, span)?;
                    let size = self.size_value(of.ty, span)?;
                    let by = self.make(Expr::Binary(BinOp::Mul, index.e, size.e), plain, span);
                    offset = self.make(Expr::Binary(BinOp::Add, offset, by), plain, span);
                    q = of;
                }
                Designator::Range(..) => return issue(span, "a range in 'offsetof'"),
            }
        }
        Ok(Lowered::Value(Value { e: offset, ty: size_t }))
    }
}
