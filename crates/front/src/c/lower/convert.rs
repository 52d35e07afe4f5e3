//! Conversions between types.

use super::ctype::{CType, Ct, PLAIN, Q};
use super::object::{Lowered, Object, Value, Whole};
use super::{Lower, Result, issue};
use crate::c::hir::{CmpOp, Expr, ExprId, Place};
use crate::c::types::{Type, TypeId};
use bolide_model::Span;

impl Lower<'_> {
    /// A scalar converted to a scalar type, as a cast does.
    pub(super) fn converted(&mut self, v: Value, ty: Ct, span: Span) -> Result<Value> {
        if v.ty == ty {
            return Ok(v);
        }
        self.refuse_wide(v.ty, span)?;
        self.refuse_wide(ty, span)?;
        let plain = self.hir(ty);
        if let CType::Bits(width, signed) = *self.ctypes.get(ty) {
            let e = self.convert(v.e, plain, span)?;
            return Ok(Value { e: self.narrowed(e, width, signed, plain, span), ty });
        }
        Ok(Value { e: self.convert(v.e, plain, span)?, ty })
    }

    /// A scalar converted to a plain type.
    pub(super) fn convert(&mut self, e: ExprId, ty: TypeId, span: Span) -> Result<ExprId> {
        let from = self.ty(e);
        if from == ty {
            return Ok(e);
        }
        match (self.types.get(from), self.types.get(ty)) {
            (_, Type::Int(i)) if i.rank == 0 => {
                let truth = self.truth(e, span)?;
                Ok(self.make(Expr::Cast(truth), ty, span))
            }
            (Type::Float(_), Type::Pointer(_)) | (Type::Pointer(_), Type::Float(_)) => {
                issue(span, "a floating value cannot be converted to or from a pointer")
            }
            (_, Type::Int(_) | Type::Float(_) | Type::Pointer(_)) => Ok(self.make(Expr::Cast(e), ty, span)),
            (_, Type::Void) => Ok(e),
            _ => issue(span, "a scalar is converted to a type that is not scalar"),
        }
    }

    /// A value converted as by an assignment to an object of a type.
    pub(super) fn assigned(&mut self, w: Whole, to: Q, what: &str, span: Span) -> Result<Whole> {
        match w {
            Whole::Scalar(v) if self.ctypes.is_scalar(to.ty) => {
                self.check_assignment(v, to, what, span)?;
                self.converted(v, to.ty, span).map(Whole::Scalar)
            }
            Whole::Scalar(v) => match self.ctypes.get(to.ty).clone() {
                CType::Complex(part) if self.ctypes.is_arith(v.ty) => self.complex_from(v, part, to.ty, span),
                _ => self.mismatch(Q::plain(v.ty), to, what, span),
            },
            Whole::Record(p, ty) => {
                let (from, target) = (self.ctypes.get(ty).clone(), self.ctypes.get(to.ty).clone());
                match (from, target) {
                    (CType::Record(a), CType::Record(b)) if a == b => Ok(Whole::Record(p, ty)),
                    (CType::Complex(a), CType::Complex(b)) => self.complex_to_complex(p, a, b, to.ty, span),
                    (CType::Complex(a), _)
                        if self.ctypes.is_scalar(to.ty) && !self.ctypes.is_pointer(to.ty) =>
                    {
                        let real = self.real_part(&p, a, span);
                        self.converted(real, to.ty, span).map(Whole::Scalar)
                    }
                    (CType::Vector(_, m), CType::Vector(_, n)) => {
                        let same = self.ctypes.size_of(ty) == self.ctypes.size_of(to.ty);
                        match same && (m == n || what == "cast") {
                            true => Ok(Whole::Record(self.vector_as(p, ty, to.ty, span)?, to.ty)),
                            false => self.mismatch(Q::plain(ty), to, what, span),
                        }
                    }
                    _ => self.mismatch(Q::plain(ty), to, what, span),
                }
            }
        }
    }

    fn mismatch<T>(&self, from: Q, to: Q, what: &str, span: Span) -> Result<T> {
        let (from, to) = (self.ctypes.name(from), self.ctypes.name(to));
        issue(span, format!("incompatible types in {what}: '{from}' for '{to}'"))
    }

    /// What gcc rejects; conversions between pointers and integers only get a warning there.
    fn check_assignment(&mut self, v: Value, to: Q, what: &str, span: Span) -> Result<()> {
        let is = |this: &Self, ty: Ct| {
            (
                this.ctypes.is_float(ty),
                this.ctypes.is_pointer(ty),
                matches!(this.ctypes.get(ty), CType::VaList),
            )
        };
        let (from_float, from_pointer, from_list) = is(self, v.ty);
        let (to_float, to_pointer, to_list) = is(self, to.ty);
        if (from_float && to_pointer) || (from_pointer && to_float) {
            return self.mismatch(Q::plain(v.ty), to, what, span);
        }
        if from_list != to_list && !(from_pointer || to_pointer) {
            return self.mismatch(Q::plain(v.ty), to, what, span);
        }
        Ok(())
    }

    /// Is a scalar different from zero, as an `int` that is 0 or 1?
    pub(super) fn truth(&mut self, e: ExprId, span: Span) -> Result<ExprId> {
        let boolean = matches!(
            self.exprs[e].expr,
            Expr::Compare(..) | Expr::LogicAnd(..) | Expr::LogicOr(..) | Expr::LogicNot(_)
        );
        if boolean {
            return Ok(e);
        }
        let zero = match self.types.get(self.ty(e)) {
            Type::Float(_) => self.make(Expr::Float(0.0), self.ty(e), span),
            _ => self.int(0, self.ty(e), span),
        };
        let int = self.types.int();
        Ok(self.make(Expr::Compare(CmpOp::Ne, e, zero), int, span))
    }

    /// The truth of what an expression denotes.
    pub(super) fn truth_of(&mut self, w: &Whole, span: Span) -> Result<ExprId> {
        match w {
            Whole::Scalar(v) => {
                self.refuse_wide(v.ty, span)?;
                if matches!(self.ctypes.get(v.ty), CType::VaList) {
                    return issue(span, "a condition that is not a scalar");
                }
                self.truth(v.e, span)
            }
            Whole::Record(p, ty) => match *self.ctypes.get(*ty) {
                CType::Complex(part) => {
                    let (re, im) = (self.real_part(p, part, span), self.imag_part(p, part, span));
                    let (re, im) = (self.truth(re.e, span)?, self.truth(im.e, span)?);
                    let int = self.types.int();
                    Ok(self.make(Expr::LogicOr(re, im), int, span))
                }
                _ => issue(span, "a condition that is not a scalar"),
            },
        }
    }

    /// A scalar; records are refused.
    pub(super) fn scalar(&mut self, w: Whole, span: Span) -> Result<Value> {
        match w {
            Whole::Scalar(v) => Ok(v),
            Whole::Record(_, ty) => {
                let name = self.ctypes.name(Q::plain(ty));
                issue(span, format!("a value of type '{name}' is used where a scalar is needed"))
            }
        }
    }

    /// The promoted form of an integer operand; other scalars stay as they are.
    pub(super) fn promoted(&mut self, v: Value, span: Span) -> Result<Value> {
        let ty = self.ctypes.promote(v.ty);
        self.converted(v, ty, span)
    }

    /// Both operands in their common type.
    pub(super) fn balanced(&mut self, a: Value, b: Value, span: Span) -> Result<(Value, Value, Ct)> {
        for v in [a, b] {
            if !self.ctypes.is_arith(v.ty) {
                let name = self.ctypes.name(Q::plain(v.ty));
                return issue(span, format!("an operand of type '{name}' is not a number"));
            }
        }
        let (a, b) = (self.promoted(a, span)?, self.promoted(b, span)?);
        let ty = self.ctypes.common(a.ty, b.ty);
        Ok((self.converted(a, ty, span)?, self.converted(b, ty, span)?, ty))
    }

    /// The type of an expression after its value was taken: without qualifiers, arrays and functions as pointers.
    pub(super) fn value_type(&mut self, q: Q) -> Ct {
        match self.ctypes.get(q.ty).clone() {
            CType::Array(of, _) => self.ctypes.pointer(of),
            CType::Function(_) => self.ctypes.pointer(Q { quals: PLAIN, ..q }),
            _ => q.ty,
        }
    }

    /// A new variable with a value, as what an expression denotes.
    pub(super) fn copied(&mut self, from: Place, ty: Ct, span: Span) -> Result<Lowered> {
        let plain = self.hir(ty);
        let t = self.temp(plain, span);
        let place = Place::var(t, plain);
        self.emit(crate::c::hir::InstrKind::Copy(place.clone(), from), span)?;
        Ok(Lowered::Object(Object::rvalue(place, ty)))
    }
}
