//! Operators on scalars: arithmetic, comparison, pointers; and the checks of their operands.

use super::ctype::{CType, Ct, Q};
use super::object::Value;
use super::{Lower, Result, issue};
use crate::c::hir::{BinOp, CmpOp, Expr, ExprId, InstrKind};
use crate::c::syntax::ast::BinaryOp as Op;
use crate::c::types::TypeId;
use bolide_model::Span;

impl Lower<'_> {
    /// A binary operator without side effects, applied to scalars.
    pub(super) fn binary(&mut self, op: Op, a: Value, b: Value, span: Span) -> Result<Value> {
        match op {
            Op::Add => self.plus(a, b, span),
            Op::Sub => self.minus(a, b, span),
            Op::Lt => self.compare(CmpOp::Lt, a, b, span),
            Op::Le => self.compare(CmpOp::Le, a, b, span),
            Op::Gt => self.compare(CmpOp::Lt, b, a, span),
            Op::Ge => self.compare(CmpOp::Le, b, a, span),
            Op::Eq => self.compare(CmpOp::Eq, a, b, span),
            Op::Ne => self.compare(CmpOp::Ne, a, b, span),
            Op::Shl => self.shift(BinOp::Shl, a, b, span),
            Op::Shr => self.shift(BinOp::Shr, a, b, span),
            Op::Mul => self.arith(BinOp::Mul, a, b, span),
            Op::Div => self.arith(BinOp::Div, a, b, span),
            Op::Rem => self.arith(BinOp::Rem, a, b, span),
            Op::BitAnd => self.arith(BinOp::And, a, b, span),
            Op::BitOr => self.arith(BinOp::Or, a, b, span),
            Op::BitXor => self.arith(BinOp::Xor, a, b, span),
            Op::LogicAnd | Op::LogicOr => issue(span, "this operator is not a plain binary one"),
        }
    }

    /// An operator on numbers, in their common type.
    pub(super) fn arith(&mut self, op: BinOp, a: Value, b: Value, span: Span) -> Result<Value> {
        let (a, b, ty) = self.balanced(a, b, span)?;
        let float = self.ctypes.is_float(ty);
        if float && !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div) {
            return issue(span, "the operands are not integers");
        }
        let plain = self.hir(ty);
        if !float {
            self.refuse_wide(ty, span)?;
            if matches!(op, BinOp::Div | BinOp::Rem) {
                self.guard_division(b.e, span)?;
            }
            self.guard_overflow(op, a.e, b.e, plain, span)?;
        }
        let e = self.make(Expr::Binary(op, a.e, b.e), plain, span);
        Ok(self.in_width(e, ty, span))
    }

    /// The result of an operation in the type of a bit-field keeps its width.
    fn in_width(&mut self, e: ExprId, ty: Ct, span: Span) -> Value {
        match *self.ctypes.get(ty) {
            CType::Bits(width, signed) => {
                let plain = self.hir(ty);
                Value { e: self.narrowed(e, width, signed, plain, span), ty }
            }
            _ => Value { e, ty },
        }
    }

    pub(super) fn negated(&mut self, v: Value, span: Span) -> Result<Value> {
        let v = self.promoted(v, span)?;
        if !self.ctypes.is_arith(v.ty) {
            return issue(span, "the operand of '-' is not a number");
        }
        self.refuse_wide(v.ty, span)?;
        let plain = self.hir(v.ty);
        if self.properties_wanted.overflow && self.ctypes.as_int(v.ty).is_some_and(|i| i.signed) {
            let zero = self.int(0, plain, span);
            return self.arith(BinOp::Sub, Value { e: zero, ty: v.ty }, v, span);
        }
        let e = self.make(Expr::Neg(v.e), plain, span);
        Ok(self.in_width(e, v.ty, span))
    }

    pub(super) fn complemented(&mut self, v: Value, span: Span) -> Result<Value> {
        let v = self.promoted(v, span)?;
        if self.ctypes.as_int(v.ty).is_none() {
            return issue(span, "the complement of something that is not an integer");
        }
        self.refuse_wide(v.ty, span)?;
        let plain = self.hir(v.ty);
        let e = self.make(Expr::Not(v.e), plain, span);
        Ok(self.in_width(e, v.ty, span))
    }

    /// Execution does not get past a division by zero.
    fn guard_division(&mut self, divisor: ExprId, span: Span) -> Result<()> {
        match self.int_value(divisor) {
            Some(0) if self.body.is_none() || self.wants_constant => return issue(span, "division by zero"),
            Some(v) if v != 0 => return Ok(()),
            _ => {}
        }
        let nonzero = self.truth(divisor, span)?;
        if self.properties_wanted.div_by_zero {
            self.check(nonzero, "division by zero", span)
        } else {
            self.emit(InstrKind::Assume(nonzero), span)
        }
    }

    /// Checks, if asked to, that a signed operation stays in range.
    fn guard_overflow(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: TypeId, span: Span) -> Result<()> {
        let Some(i) = self.types.as_int(ty).filter(|i| i.signed) else { return Ok(()) };
        if !self.properties_wanted.overflow || self.body.is_none() {
            return Ok(());
        }
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul if i.bits <= 32 => {}
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => {
                return self.guard_wide_overflow(op, a, b, ty, span);
            }
            _ => return Ok(()),
        }
        // The exact result fits in twice the width.
        let wide = self.types.int_of(5, true);
        let (x, y) = (self.convert(a, wide, span)?, self.convert(b, wide, span)?);
        let exact = self.make(Expr::Binary(op, x, y), wide, span);
        let (low, high) = i.range();
        let (low, high) = (self.int(low, wide, span), self.int(high, wide, span));
        let int = self.types.int();
        let above = self.make(Expr::Compare(CmpOp::Le, low, exact), int, span);
        let below = self.make(Expr::Compare(CmpOp::Le, exact, high), int, span);
        let fits = self.make(Expr::LogicAnd(above, below), int, span);
        self.check(fits, "signed overflow", span)
    }

    /// Sums and differences of the widest type: the wrapped result lies on the wrong side of an operand. Quotients and
    /// remainders: the least value divided by -1.
    fn guard_wide_overflow(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: TypeId, span: Span) -> Result<()> {
        let int = self.types.int();
        let zero = self.int(0, ty, span);
        let fits = match op {
            BinOp::Add | BinOp::Sub => {
                let result = self.make(Expr::Binary(op, a, b), ty, span);
                let sign = self.make(Expr::Compare(CmpOp::Lt, b, zero), int, span);
                let (low, high) = if op == BinOp::Add { (result, a) } else { (a, result) };
                let less = self.make(Expr::Compare(CmpOp::Lt, low, high), int, span);
                self.make(Expr::Compare(CmpOp::Eq, sign, less), int, span)
            }
            BinOp::Mul => {
                // a == 0, or dividing the product by a gives b back; -1 times the least value is the exception.
                let result = self.make(Expr::Binary(op, a, b), ty, span);
                let one = self.int(1, ty, span);
                let a_zero = self.make(Expr::LogicNot(a), int, span);
                let safe = self.make(Expr::Cond(a_zero, one, a), ty, span);
                let back = self.make(Expr::Binary(BinOp::Div, result, safe), ty, span);
                let same = self.make(Expr::Compare(CmpOp::Eq, back, b), int, span);
                let exception = self.minus_one_times_least(a, b, ty, span);
                let fine = self.make(Expr::LogicNot(exception), int, span);
                let same = self.make(Expr::LogicAnd(same, fine), int, span);
                self.make(Expr::LogicOr(a_zero, same), int, span)
            }
            _ => {
                let exception = self.minus_one_times_least(b, a, ty, span);
                self.make(Expr::LogicNot(exception), int, span)
            }
        };
        self.check(fits, "signed overflow", span)
    }

    fn minus_one_times_least(&mut self, a: ExprId, b: ExprId, ty: TypeId, span: Span) -> ExprId {
        let int = self.types.int();
        let least = self.types.as_int(ty).map_or(0, |i| i.range().0);
        let (minus_one, least) = (self.int(-1, ty, span), self.int(least, ty, span));
        let x = self.make(Expr::Compare(CmpOp::Eq, a, minus_one), int, span);
        let y = self.make(Expr::Compare(CmpOp::Eq, b, least), int, span);
        self.make(Expr::LogicAnd(x, y), int, span)
    }

    fn shift(&mut self, op: BinOp, a: Value, b: Value, span: Span) -> Result<Value> {
        let (a, b) = (self.promoted(a, span)?, self.promoted(b, span)?);
        let (Some((width, signed)), Some(_)) = (self.ctypes.precision(a.ty), self.ctypes.as_int(b.ty)) else {
            return issue(span, "the operands of a shift are not integers");
        };
        self.refuse_wide(a.ty, span)?;
        self.refuse_wide(b.ty, span)?;
        if self.properties_wanted.shift && self.body.is_some() {
            let ty = self.ty(b.e);
            let int = self.types.int();
            let (zero, most) = (self.int(0, ty, span), self.int(width.into(), ty, span));
            let low = self.make(Expr::Compare(CmpOp::Le, zero, b.e), int, span);
            let high = self.make(Expr::Compare(CmpOp::Lt, b.e, most), int, span);
            let fits = self.make(Expr::LogicAnd(low, high), int, span);
            self.check(fits, "shift out of range", span)?;
        }
        let is_checked = self.properties_wanted.shift || self.properties_wanted.overflow;
        if op == BinOp::Shl && signed && is_checked && self.body.is_some() {
            self.guard_shifted(a.e, b.e, width, span)?;
        }
        let plain = self.ty(a.e);
        let e = self.make(Expr::Binary(op, a.e, b.e), plain, span);
        Ok(self.in_width(e, a.ty, span))
    }

    /// What is shifted to the left is not negative, and no bit of it reaches the sign.
    fn guard_shifted(&mut self, a: ExprId, by: ExprId, width: u32, span: Span) -> Result<()> {
        let (ty, int) = (self.ty(a), self.types.int());
        let zero = self.int(0, ty, span);
        let is_positive = self.make(Expr::Compare(CmpOp::Le, zero, a), int, span);
        let greatest = self.int((1i128 << (width - 1)) - 1, ty, span);
        let room = self.make(Expr::Binary(BinOp::Shr, greatest, by), ty, span);
        let fits = self.make(Expr::Compare(CmpOp::Le, a, room), int, span);
        // A shift by an amount out of range is another matter.
        let amount_ty = self.ty(by);
        let (none, most) = (self.int(0, amount_ty, span), self.int(width.into(), amount_ty, span));
        let low = self.make(Expr::Compare(CmpOp::Lt, by, none), int, span);
        let high = self.make(Expr::Compare(CmpOp::Le, most, by), int, span);
        let out = self.make(Expr::LogicOr(low, high), int, span);
        let both = self.make(Expr::LogicAnd(is_positive, fits), int, span);
        let fine = self.make(Expr::LogicOr(out, both), int, span);
        self.check(fine, "signed left shift overflow", span)
    }

    fn plus(&mut self, a: Value, b: Value, span: Span) -> Result<Value> {
        match (self.ctypes.is_pointer(a.ty), self.ctypes.is_pointer(b.ty)) {
            (false, false) => self.arith(BinOp::Add, a, b, span),
            (true, false) => self.advance(a, b, 1, span),
            (false, true) => self.advance(b, a, 1, span),
            (true, true) => issue(span, "two pointers are added"),
        }
    }

    fn minus(&mut self, a: Value, b: Value, span: Span) -> Result<Value> {
        match (self.ctypes.pointee(a.ty), self.ctypes.pointee(b.ty)) {
            (Some(_), None) => self.advance(a, b, -1, span),
            (Some(to), Some(other)) => {
                if !self.ctypes.compatible(to.ty, other.ty) && !self.ctypes.is_void(to.ty) {
                    return issue(span, "the difference of pointers to different types");
                }
                let ty = self.ctypes.ptrdiff_t();
                let plain = self.hir(ty);
                if self.ctypes.is_variable(to.ty) {
                    let (count, size) = self.elements(to.ty, span)?;
                    let bytes = self.make(Expr::PtrSub(a.e, b.e, size.max(1) as i64), plain, span);
                    let count = self.convert(count, plain, span)?;
                    self.guard_division(count, span)?;
                    return Ok(Value {
                        e: self.make(Expr::Binary(BinOp::Div, bytes, count), plain, span),
                        ty,
                    });
                }
                let size = self.size(to.ty, span)?.max(1);
                Ok(Value { e: self.make(Expr::PtrSub(a.e, b.e, size as i64), plain, span), ty })
            }
            (None, Some(_)) => issue(span, "a pointer is subtracted from something that is not one"),
            _ => self.arith(BinOp::Sub, a, b, span),
        }
    }

    /// A pointer moved by a number of elements.
    pub(super) fn advance(&mut self, p: Value, by: Value, sign: i64, span: Span) -> Result<Value> {
        let Some(to) = self.ctypes.pointee(p.ty) else {
            return issue(span, "something that is not a pointer is moved");
        };
        if self.ctypes.as_int(by.ty).is_none() {
            return issue(span, "a pointer is moved by something that is not an integer");
        }
        let by = self.promoted(by, span)?;
        let plain = self.ty(p.e);
        if self.ctypes.is_variable(to.ty) {
            let (count, size) = self.elements(to.ty, span)?;
            let index = self.ctypes.ptrdiff_t();
            let by = self.converted(by, index, span)?;
            let index = self.hir(index);
            let count = self.convert(count, index, span)?;
            let by = self.make(Expr::Binary(BinOp::Mul, by.e, count), index, span);
            let e = self.make(Expr::PtrAdd(p.e, by, sign * size as i64), plain, span);
            return Ok(Value { e, ty: p.ty });
        }
        let size = self.size(to.ty, span)? as i64;
        Ok(Value { e: self.make(Expr::PtrAdd(p.e, by.e, sign * size), plain, span), ty: p.ty })
    }

    fn compare(&mut self, op: CmpOp, a: Value, b: Value, span: Span) -> Result<Value> {
        let ty = self.ctypes.int();
        let plain = self.hir(ty);
        let is_pointer = (self.ctypes.is_pointer(a.ty), self.ctypes.is_pointer(b.ty));
        let (a, b) = match is_pointer {
            (false, false) => {
                let (a, b, common) = self.balanced(a, b, span)?;
                self.refuse_wide(common, span)?;
                (a.e, b.e)
            }
            _ if self.ctypes.is_float(a.ty) || self.ctypes.is_float(b.ty) => {
                let (x, y) = (self.ctypes.name(Q::plain(a.ty)), self.ctypes.name(Q::plain(b.ty)));
                return issue(span, format!("'{x}' and '{y}' cannot be compared"));
            }
            (true, _) => {
                let plain = self.ty(a.e);
                (a.e, self.convert(b.e, plain, span)?)
            }
            (false, true) => {
                let plain = self.ty(b.e);
                (self.convert(a.e, plain, span)?, b.e)
            }
        };
        Ok(Value { e: self.make(Expr::Compare(op, a, b), plain, span), ty })
    }
}
