//! Complex numbers: pairs of a real and an imaginary part.

use super::ctype::{CType, Ct, Floating, Q};
use super::math::suffix_of;
use super::object::{Lowered, Object, Value, Whole};
use super::{Lower, Result, UNSUPPORTED, issue, unsupported};
use crate::c::hir::{BinOp, CmpOp, Expr, InstrKind, Place, Terminator};
use crate::c::syntax::ast::{self, BinaryOp, UnaryOp};
use crate::c::syntax::source::Issue;
use bolide_model::Span;

impl Lower<'_> {
    fn half(&mut self, p: &Place, part: Ct, is_imag: bool, span: Span) -> Value {
        let plain = self.hir(part);
        let size = self.ctypes.size_of(part).unwrap_or(8) as i64;
        let place = Place { offset: p.offset + if is_imag { size } else { 0 }, ty: plain, ..p.clone() };
        Value { e: self.load(place, span), ty: part }
    }

    pub(super) fn real_part(&mut self, p: &Place, part: Ct, span: Span) -> Value {
        self.half(p, part, false, span)
    }

    pub(super) fn imag_part(&mut self, p: &Place, part: Ct, span: Span) -> Value {
        self.half(p, part, true, span)
    }

    /// A complex number from its parts.
    pub(super) fn make_complex(&mut self, re: Value, im: Value, ty: Ct, span: Span) -> Result<Lowered> {
        let CType::Complex(part) = *self.ctypes.get(ty) else {
            return issue(span, "expected a complex type");
        };
        if self.body.is_none() {
            return unsupported(span, "a static complex number");
        }
        let (re, im) = (self.converted(re, part, span)?, self.converted(im, part, span)?);
        let (plain, part_plain) = (self.hir(ty), self.hir(part));
        let size = self.ctypes.size_of(part).unwrap_or(8) as i64;
        let t = self.temp(plain, span);
        self.emit(InstrKind::Fresh(t, None), span)?;
        for (value, offset) in [(re, 0), (im, size)] {
            let place = Place { offset, ty: part_plain, ..Place::var(t, plain) };
            self.emit(InstrKind::Assign(place, value.e), span)?;
        }
        Ok(self.temporary(t, ty))
    }

    /// An imaginary constant.
    pub(super) fn imaginary(&mut self, v: Value, span: Span) -> Result<Lowered> {
        let ty = self.ctypes.intern(CType::Complex(v.ty));
        let int = self.ctypes.int();
        let zero = self.int_of(0, int, span);
        self.make_complex(zero, v, ty, span)
    }

    /// A real number as a complex one.
    pub(super) fn complex_from(&mut self, v: Value, part: Ct, ty: Ct, span: Span) -> Result<Whole> {
        let re = self.converted(v, part, span)?;
        let int = self.ctypes.int();
        let zero = self.int_of(0, int, span);
        let lowered = self.make_complex(re, zero, ty, span)?;
        self.whole(lowered, span)
    }

    pub(super) fn complex_to_complex(
        &mut self,
        p: Place,
        from: Ct,
        to: Ct,
        ty: Ct,
        span: Span,
    ) -> Result<Whole> {
        if from == to {
            return Ok(Whole::Record(p, ty));
        }
        let (re, im) = (self.real_part(&p, from, span), self.imag_part(&p, from, span));
        let lowered = self.make_complex(re, im, ty, span)?;
        self.whole(lowered, span)
    }

    /// `__real__` and `__imag__`, also of objects.
    pub(super) fn part_of_complex(
        &mut self,
        op: UnaryOp,
        operand: ast::ExprId,
        span: Span,
    ) -> Result<Lowered> {
        let lowered = self.lower(operand)?;
        if let Lowered::Object(o) = &lowered
            && let CType::Complex(part) = *self.ctypes.get(o.ty.ty)
        {
            let size = self.ctypes.size_of(part).unwrap_or(8) as i64;
            let plain = self.hir(part);
            let offset = o.place.offset + if op == UnaryOp::Imag { size } else { 0 };
            let place = Place { offset, ty: plain, ..o.place.clone() };
            let ty = Q { ty: part, ..o.ty };
            return Ok(Lowered::Object(Object { place, ty, ..o.clone() }));
        }
        let whole = self.whole(lowered, span)?;
        let v = self.scalar(whole, span)?;
        if !self.ctypes.is_arith(v.ty) {
            return issue(span, "the part of something that is not a number");
        }
        match op {
            UnaryOp::Imag => {
                let int = self.ctypes.int();
                let zero = self.int_of(0, int, span);
                self.converted(zero, v.ty, span).map(Lowered::Value)
            }
            _ => Ok(Lowered::Value(v)),
        }
    }

    /// A call of `creal`, `cimag` or `conj`, by its name; nothing if it is another function.
    pub(super) fn complex_call(
        &mut self,
        name: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        let (Some((op, suffix)), &[a]) = (complex_function(name), args) else { return Ok(None) };
        let part = self.ctypes.intern(CType::Float(match suffix {
            "f" => Floating::Float,
            "l" => Floating::LongDouble,
            _ => Floating::Double,
        }));
        let ty = self.ctypes.intern(CType::Complex(part));
        let whole = self.whole_value(a)?;
        let Whole::Record(p, _) = self.assigned(whole, Q::plain(ty), "an argument", span)? else {
            return issue(span, "an argument that is not a complex number");
        };
        Ok(Some(match op {
            UnaryOp::Real => Lowered::Value(self.real_part(&p, part, span)),
            UnaryOp::Imag => Lowered::Value(self.imag_part(&p, part, span)),
            _ => self.complex_unary(op, p, ty, span)?,
        }))
    }

    pub(super) fn complex_unary(&mut self, op: UnaryOp, p: Place, ty: Ct, span: Span) -> Result<Lowered> {
        let CType::Complex(part) = *self.ctypes.get(ty) else {
            return issue(span, "expected a complex number");
        };
        let (re, im) = (self.real_part(&p, part, span), self.imag_part(&p, part, span));
        let (re, im) = match op {
            UnaryOp::Minus => (self.negated(re, span)?, self.negated(im, span)?),
            // The conjugate.
            UnaryOp::Complement => (re, self.negated(im, span)?),
            _ => (re, im),
        };
        self.make_complex(re, im, ty, span)
    }

    /// The parts of an operand; a real one has none that is imaginary.
    fn parts(&mut self, w: &Whole, span: Span) -> Result<(Value, Option<Value>)> {
        match w {
            Whole::Scalar(v) if self.ctypes.is_arith(v.ty) => Ok((*v, None)),
            Whole::Record(p, ty) => match *self.ctypes.get(*ty) {
                CType::Complex(part) => {
                    Ok((self.real_part(p, part, span), Some(self.imag_part(p, part, span))))
                }
                _ => issue(span, "an operand is not a number"),
            },
            Whole::Scalar(_) => issue(span, "an operand is not a number"),
        }
    }

    /// Where neither part of a product is a number, compilers look at its factors again, which is not done here.
    fn refuse_no_number(&mut self, re: Value, im: Value, span: Span) -> Result<()> {
        if self.body.is_none() || self.is_unevaluated {
            return Ok(());
        }
        let int = self.types.int();
        let is_none = |this: &mut Self, v: Value| this.make(Expr::Compare(CmpOp::Ne, v.e, v.e), int, span);
        let (x, y) = (is_none(self, re), is_none(self, im));
        let neither = self.make(Expr::LogicAnd(x, y), int, span);
        let (bad, good) = (self.block(), self.block());
        self.end(Terminator::Branch(neither, bad, good), span, bad);
        let message = format!("{UNSUPPORTED}a product of complex numbers of which no part is a number");
        self.stop_here(Issue { span, message });
        self.body().current = good;
        Ok(())
    }

    pub(super) fn complex_binary(&mut self, op: BinaryOp, a: Whole, b: Whole, span: Span) -> Result<Whole> {
        let (a, b) = (self.parts(&a, span)?, self.parts(&b, span)?);
        let (x, y) = (self.ctypes.promote(a.0.ty), self.ctypes.promote(b.0.ty));
        let part = self.ctypes.common(x, y);
        let ty = self.ctypes.intern(CType::Complex(part));
        let int = self.ctypes.int();
        let zero = self.int_of(0, int, span);
        let zero = self.converted(zero, part, span)?;
        let conv = |this: &mut Self, v: (Value, Option<Value>)| -> Result<(Value, Option<Value>)> {
            let im = v.1.map(|im| this.converted(im, part, span)).transpose()?;
            Ok((this.converted(v.0, part, span)?, im))
        };
        let (a, b) = (conv(self, a)?, conv(self, b)?);
        let lowered = match op {
            BinaryOp::Add => {
                let re = self.arith(BinOp::Add, a.0, b.0, span)?;
                let im = match (a.1, b.1) {
                    (Some(x), Some(y)) => self.arith(BinOp::Add, x, y, span)?,
                    (Some(x), None) | (None, Some(x)) => x,
                    (None, None) => zero,
                };
                self.make_complex(re, im, ty, span)?
            }
            BinaryOp::Sub => {
                let re = self.arith(BinOp::Sub, a.0, b.0, span)?;
                let im = match (a.1, b.1) {
                    (Some(x), Some(y)) => self.arith(BinOp::Sub, x, y, span)?,
                    (Some(x), None) => x,
                    (None, Some(y)) => self.negated(y, span)?,
                    (None, None) => zero,
                };
                self.make_complex(re, im, ty, span)?
            }
            BinaryOp::Mul => match (a.1, b.1) {
                (Some(im), None) => {
                    let (re, im) =
                        (self.arith(BinOp::Mul, a.0, b.0, span)?, self.arith(BinOp::Mul, im, b.0, span)?);
                    self.make_complex(re, im, ty, span)?
                }
                (None, Some(im)) => {
                    let (re, im) =
                        (self.arith(BinOp::Mul, a.0, b.0, span)?, self.arith(BinOp::Mul, a.0, im, span)?);
                    self.make_complex(re, im, ty, span)?
                }
                (Some(x), Some(y)) => {
                    let (p, q) =
                        (self.arith(BinOp::Mul, a.0, b.0, span)?, self.arith(BinOp::Mul, x, y, span)?);
                    let re = self.arith(BinOp::Sub, p, q, span)?;
                    let (p, q) =
                        (self.arith(BinOp::Mul, a.0, y, span)?, self.arith(BinOp::Mul, x, b.0, span)?);
                    let im = self.arith(BinOp::Add, p, q, span)?;
                    if self.ctypes.is_float(part) {
                        self.refuse_no_number(re, im, span)?;
                    }
                    self.make_complex(re, im, ty, span)?
                }
                (None, None) => return issue(span, "expected a complex number"),
            },
            BinaryOp::Div => match (a.1, b.1) {
                (Some(im), None) => {
                    let (re, im) =
                        (self.arith(BinOp::Div, a.0, b.0, span)?, self.arith(BinOp::Div, im, b.0, span)?);
                    self.make_complex(re, im, ty, span)?
                }
                _ => return unsupported(span, "the quotient of complex numbers"),
            },
            BinaryOp::Eq | BinaryOp::Ne => {
                let plain = self.types.int();
                let re = self.make(Expr::Compare(CmpOp::Eq, a.0.e, b.0.e), plain, span);
                let (x, y) = (a.1.unwrap_or(zero), b.1.unwrap_or(zero));
                let im = self.make(Expr::Compare(CmpOp::Eq, x.e, y.e), plain, span);
                let mut e = self.make(Expr::LogicAnd(re, im), plain, span);
                if op == BinaryOp::Ne {
                    e = self.make(Expr::LogicNot(e), plain, span);
                }
                return Ok(Whole::Scalar(Value { e, ty: int }));
            }
            _ => return issue(span, "this operator is not one of complex numbers"),
        };
        self.whole(lowered, span)
    }
}

/// What one of the library's functions for parts of complex numbers does, and its suffix.
pub(super) fn complex_function(name: &str) -> Option<(UnaryOp, &str)> {
    let functions = [("creal", UnaryOp::Real), ("cimag", UnaryOp::Imag), ("conj", UnaryOp::Complement)];
    functions.into_iter().find_map(|(of, op)| Some((op, suffix_of(name, of)?)))
}
