//! Vectors (GNU): records that hold an array; operators work on each element.

use super::ctype::{CType, Ct, INT, LONG, LONG_LONG};
use super::object::{Lowered, Value, Whole};
use super::{Lower, Result, issue, unsupported};
use crate::c::hir::{BinOp, CmpOp, Expr, InstrKind, Place};
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
        let CType::Vector(of, n) = *self.ctypes.get(ty) else { return issue(span, "expected a vector") };
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
        let CType::Vector(of, n) = *self.ctypes.get(ty) else { return issue(span, "expected a vector") };
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
            (None, None) => return issue(span, "expected a vector"),
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
                        return issue(span, "expected a vector");
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
        self.bytes_as(p, from, to, span)
    }

    /// The bytes of a place as an object of another type of the same size.
    fn bytes_as(&mut self, p: Place, from: Ct, to: Ct, span: Span) -> Result<Place> {
        let (size, other) = (self.size(from, span)?, self.size(to, span)?);
        if size != other {
            return issue(span, "a vector is converted to a type of another size");
        }
        let plain = self.hir(to);
        let t = self.temp(plain, span);
        if self.body.is_none() || self.is_unevaluated {
            return Ok(Place::var(t, plain));
        }
        self.emit(InstrKind::Fresh(t, None), span)?;
        let (target, source) = (self.address(Place::var(t, plain), span), self.address(p, span));
        let size_t = self.types.size_t();
        let bytes = self.int(size.into(), size_t, span);
        self.emit(InstrKind::Move(target, source, bytes), span)?;
        Ok(Place::var(t, plain))
    }

    pub(super) fn scalar_to_vector(&mut self, v: Value, ty: Ct, span: Span) -> Result<Lowered> {
        let plain = self.hir(v.ty);
        let t = self.temp(plain, span);
        self.emit(InstrKind::Assign(Place::var(t, plain), v.e), span)?;
        let place = self.bytes_as(Place::var(t, plain), v.ty, ty, span)?;
        self.copied(place, ty, span)
    }

    pub(super) fn vector_to_scalar(&mut self, p: Place, from: Ct, to: Ct, span: Span) -> Result<Lowered> {
        let place = self.bytes_as(p, from, to, span)?;
        Ok(Lowered::Value(Value { e: self.load(place, span), ty: to }))
    }

    /// `__builtin_shuffle`: elements of one or two vectors, chosen by those of a third.
    pub(super) fn shuffle(&mut self, args: &'a [ast::ExprId], span: Span) -> Result<Lowered> {
        let mut vectors = Vec::with_capacity(args.len());
        for &a in args {
            let Whole::Record(p, ty) = self.whole_value(a)? else {
                return issue(span, "expected a vector");
            };
            // Later arguments may change the original.
            let Lowered::Object(o) = self.copied(p, ty, span)? else {
                return issue(span, "expected a vector");
            };
            vectors.push((o.place, ty));
        }
        let Some(((mask, mask_ty), [first, more @ ..])) = vectors.split_last() else {
            return issue(span, "a call with too few arguments");
        };
        let (CType::Vector(of, n), CType::Vector(index, m)) =
            (self.ctypes.get(first.1).clone(), self.ctypes.get(*mask_ty).clone())
        else {
            return issue(span, "expected a vector");
        };
        if m != n || self.ctypes.as_int(index).is_none() || more.iter().any(|v| v.1 != first.1) {
            return issue(span, "vectors of different types");
        }
        let mut sources = vec![first.0.clone()];
        sources.extend(more.iter().map(|v| v.0.clone()));
        let int = self.types.int();
        let plain = self.hir(of);
        self.make_vector(first.1, span, |this, i| {
            let place = this.vector_element(mask, index, i);
            let ty = place.ty;
            let wanted = this.load(place, span);
            let last = this.int((n * sources.len() as u64 - 1).into(), ty, span);
            let wanted = this.make(Expr::Binary(BinOp::And, wanted, last), ty, span);
            let mut e = None;
            for (k, source) in sources.iter().enumerate() {
                for j in 0..n {
                    let place = this.vector_element(source, of, j);
                    let value = this.load(place, span);
                    let number = this.int((k as u64 * n + j).into(), ty, span);
                    let is_it = this.make(Expr::Compare(CmpOp::Eq, wanted, number), int, span);
                    e = Some(match e {
                        Some(e) => this.make(Expr::Cond(is_it, value, e), plain, span),
                        None => value,
                    });
                }
            }
            match e {
                Some(e) => Ok(Value { e, ty: of }),
                None => issue(span, "expected a vector"),
            }
        })
    }

    /// `__builtin_convertvector`: each element is converted.
    pub(super) fn convert_vector(&mut self, e: ast::ExprId, t: &'a TypeName, span: Span) -> Result<Lowered> {
        let q = self.type_name(t)?;
        let whole = self.whole_value(e)?;
        let (Whole::Record(p, from), CType::Vector(_, n)) = (whole, self.ctypes.get(q.ty).clone()) else {
            return issue(span, "expected a vector");
        };
        let CType::Vector(of, m) = *self.ctypes.get(from) else { return issue(span, "expected a vector") };
        if m != n {
            return issue(span, "vectors of different lengths");
        }
        self.make_vector(q.ty, span, |this, i| {
            let place = this.vector_element(&p, of, i);
            Ok(Value { e: this.load(place, span), ty: of })
        })
    }
}
