//! Vectors (GNU): records that hold an array; operators work on each element.

use super::ctype::{CType, Ct, INT, LONG, LONG_LONG};
use super::object::{Lowered, Value, Whole};
use super::{Lower, Result, issue, unsupported};
use crate::c::hir::{Expr, InstrKind, Place};
use crate::c::syntax::ast::{self, BinaryOp, TypeName, UnaryOp};
use bolide_model::Span;

/// Longer vectors are not taken apart.
const MOST: u64 = 128;

impl<'a> Lower<'a> {
    fn vector_element(&mut self, p: &Place, of: Ct, n: u64) -> Place {
        let plain = self.hir(of);
        let size = self.ctypes.size_of(of).unwrap_or(1);
        Place { offset: p.offset + (n * size) as i64, ty: plain, ..p.clone() }
    }

    /// A vector whose elements are computed one by one.
    fn make_vector(
        &mut self,
        ty: Ct,
        span: Span,
        mut element: impl FnMut(&mut Self, u64) -> Result<Value>,
    ) -> Result<Lowered> {
        let CType::Vector(of, n) = *self.ctypes.get(ty) else { return issue(span, "this is no vector") };
        if n > MOST {
            return unsupported(span, "a vector of this length");
        }
        let plain = self.hir(ty);
        let t = self.temp(plain, span);
        self.emit(InstrKind::Fresh(t, None), span)?;
        let target = Place::var(t, plain);
        for i in 0..n {
            let value = element(self, i)?;
            let value = self.converted(value, of, span)?;
            let place = self.vector_element(&target, of, i);
            self.emit(InstrKind::Assign(place, value.e), span)?;
        }
        Ok(self.temporary(t, ty))
    }

    pub(super) fn vector_unary(&mut self, op: UnaryOp, p: Place, ty: Ct, span: Span) -> Result<Lowered> {
        let CType::Vector(of, n) = *self.ctypes.get(ty) else { return issue(span, "this is no vector") };
        if op == UnaryOp::Plus {
            return self.copied(p, ty, span);
        }
        let result = if op == UnaryOp::Not { self.mask_type(of, n, span)? } else { ty };
        self.make_vector(result, span, |this, i| {
            let place = this.vector_element(&p, of, i);
            let v = Value { e: this.load(place, span), ty: of };
            match op {
                UnaryOp::Minus => this.negated(v, span),
                UnaryOp::Complement => this.complemented(v, span),
                _ => {
                    let (int, plain) = (this.ctypes.int(), this.types.int());
                    let truth = this.truth(v.e, span)?;
                    let e = this.make(Expr::LogicNot(truth), plain, span);
                    this.negated(Value { e, ty: int }, span)
                }
            }
        })
    }

    /// The vector of integers that comparisons give.
    fn mask_type(&mut self, of: Ct, n: u64, span: Span) -> Result<Ct> {
        let rank = match self.ctypes.size_of(of) {
            Some(1) => 1,
            Some(2) => 2,
            Some(4) => INT,
            Some(8) if self.ctypes.pointer_size() == 8 => LONG,
            Some(8) => LONG_LONG,
            _ => return unsupported(span, "comparisons of such vectors"),
        };
        let of = self.ctypes.int_of(rank, true);
        Ok(self.ctypes.intern(CType::Vector(of, n)))
    }

    pub(super) fn vector_binary(&mut self, op: BinaryOp, a: Whole, b: Whole, span: Span) -> Result<Whole> {
        let vector = |this: &Self, w: &Whole| match w {
            Whole::Record(_, ty) => match this.ctypes.get(*ty) {
                CType::Vector(of, n) => Some((*ty, *of, *n)),
                _ => None,
            },
            Whole::Scalar(_) => None,
        };
        let (ty, of, n) = match (vector(self, &a), vector(self, &b)) {
            (Some(x), Some(y)) => {
                let fits = x.2 == y.2 && self.ctypes.size_of(x.1) == self.ctypes.size_of(y.1);
                if !fits {
                    return issue(span, "vectors of different types");
                }
                x
            }
            (Some(x), None) | (None, Some(x)) => x,
            (None, None) => return issue(span, "this is no vector"),
        };
        let is_comparison = matches!(
            op,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
        );
        if matches!(op, BinaryOp::LogicAnd | BinaryOp::LogicOr) {
            return unsupported(span, "this operator on vectors");
        }
        let result = if is_comparison { self.mask_type(of, n, span)? } else { ty };
        let element = |this: &mut Self, w: &Whole, i: u64| -> Result<Value> {
            match w {
                Whole::Scalar(v) => this.converted(*v, of, span),
                Whole::Record(p, ty) => {
                    let CType::Vector(own, _) = *this.ctypes.get(*ty) else {
                        return issue(span, "this is no vector");
                    };
                    let place = this.vector_element(p, own, i);
                    Ok(Value { e: this.load(place, span), ty: own })
                }
            }
        };
        let lowered = self.make_vector(result, span, |this, i| {
            let (x, y) = (element(this, &a, i)?, element(this, &b, i)?);
            let v = this.binary(op, x, y, span)?;
            if is_comparison { this.negated(v, span) } else { Ok(v) }
        })?;
        self.whole(lowered, span)
    }

    /// The bytes of a vector as one of another type.
    pub(super) fn vector_as(&mut self, p: Place, from: Ct, to: Ct, span: Span) -> Result<Place> {
        if from == to {
            return Ok(p);
        }
        let (CType::Vector(a, m), CType::Vector(b, n)) =
            (self.ctypes.get(from).clone(), self.ctypes.get(to).clone())
        else {
            return issue(span, "this is no vector");
        };
        let (x, y) = (self.ctypes.as_int(a), self.ctypes.as_int(b));
        match (x, y) {
            // Elements of the same width keep their bits.
            (Some(x), Some(y)) if m == n && x.bits == y.bits => {
                let lowered = self.make_vector(to, span, |this, i| {
                    let place = this.vector_element(&p, a, i);
                    Ok(Value { e: this.load(place, span), ty: a })
                })?;
                match self.whole(lowered, span)? {
                    Whole::Record(p, _) => Ok(p),
                    Whole::Scalar(_) => issue(span, "this is no vector"),
                }
            }
            _ => unsupported(span, "vectors of other elements in the same bytes"),
        }
    }

    pub(super) fn scalar_to_vector(&mut self, _: Value, _: Ct, span: Span) -> Result<Lowered> {
        unsupported(span, "an integer as a vector")
    }

    pub(super) fn vector_to_scalar(&mut self, _: Place, _: Ct, _: Ct, span: Span) -> Result<Lowered> {
        unsupported(span, "a vector as an integer")
    }

    /// `__builtin_convertvector`: each element is converted.
    pub(super) fn convert_vector(&mut self, e: ast::ExprId, t: &'a TypeName, span: Span) -> Result<Lowered> {
        let q = self.type_name(t)?;
        let whole = self.whole_value(e)?;
        let (Whole::Record(p, from), CType::Vector(_, n)) = (whole, self.ctypes.get(q.ty).clone()) else {
            return issue(span, "this is no vector");
        };
        let CType::Vector(of, m) = *self.ctypes.get(from) else { return issue(span, "this is no vector") };
        if m != n {
            return issue(span, "vectors of different lengths");
        }
        self.make_vector(q.ty, span, |this, i| {
            let place = this.vector_element(&p, of, i);
            Ok(Value { e: this.load(place, span), ty: of })
        })
    }
}
