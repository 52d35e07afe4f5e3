//! Operators on scalars: arithmetic, comparison, pointers.

use super::{Lower, Result, issue};
use crate::c::hir::{BinOp, CmpOp, Expr, ExprId, InstrKind};
use crate::c::types::{Type, TypeId};
use bolide_model::Span;
use lang_c::ast::BinaryOperator as Op;

impl Lower<'_> {
    /// A binary operator without side effects, applied to scalars.
    pub(super) fn binary(&mut self, op: &Op, a: ExprId, b: ExprId, span: Span) -> Result<ExprId> {
        match op {
            Op::Plus | Op::AssignPlus => self.plus(a, b, span),
            Op::Minus | Op::AssignMinus => self.minus(a, b, span),
            Op::Less => self.compare(CmpOp::Lt, a, b, span),
            Op::LessOrEqual => self.compare(CmpOp::Le, a, b, span),
            Op::Greater => self.compare(CmpOp::Lt, b, a, span),
            Op::GreaterOrEqual => self.compare(CmpOp::Le, b, a, span),
            Op::Equals => self.compare(CmpOp::Eq, a, b, span),
            Op::NotEquals => self.compare(CmpOp::Ne, a, b, span),
            Op::ShiftLeft | Op::AssignShiftLeft => self.shift(BinOp::Shl, a, b, span),
            Op::ShiftRight | Op::AssignShiftRight => self.shift(BinOp::Shr, a, b, span),
            Op::Multiply | Op::AssignMultiply => self.arith(BinOp::Mul, a, b, span),
            Op::Divide | Op::AssignDivide => self.arith(BinOp::Div, a, b, span),
            Op::Modulo | Op::AssignModulo => self.arith(BinOp::Rem, a, b, span),
            Op::BitwiseAnd | Op::AssignBitwiseAnd => self.arith(BinOp::And, a, b, span),
            Op::BitwiseOr | Op::AssignBitwiseOr => self.arith(BinOp::Or, a, b, span),
            Op::BitwiseXor | Op::AssignBitwiseXor => self.arith(BinOp::Xor, a, b, span),
            Op::Index | Op::LogicalAnd | Op::LogicalOr | Op::Assign => {
                issue(span, "this operator is not a plain binary one")
            }
        }
    }

    fn arith(&mut self, op: BinOp, a: ExprId, b: ExprId, span: Span) -> Result<ExprId> {
        if !self.types.is_arith(self.ty(a)) || !self.types.is_arith(self.ty(b)) {
            return issue(span, "the operands are not arithmetic");
        }
        let (a, b, ty) = self.balanced(a, b, span)?;
        let float = matches!(self.types.get(ty), Type::Float(_));
        if float && !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div) {
            return issue(span, "the operands are not integers");
        }
        if !float && matches!(op, BinOp::Div | BinOp::Rem) {
            self.guard_division(b, span)?;
        }
        if !float {
            self.guard_overflow(op, a, b, ty, span)?;
        }
        Ok(self.make(Expr::Binary(op, a, b), ty, span))
    }

    /// Execution does not get past a division by zero.
    fn guard_division(&mut self, divisor: ExprId, span: Span) -> Result<()> {
        match self.int_value(divisor) {
            Some(0) if self.body.is_none() => return issue(span, "division by zero"),
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
        if !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div) {
            return Ok(());
        }
        if i.bits > 32 {
            return self.guard_wide_overflow(op, a, b, ty, span);
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

    /// Sums and differences of the widest type: the wrapped result lies on the wrong side of an operand.
    fn guard_wide_overflow(&mut self, op: BinOp, a: ExprId, b: ExprId, ty: TypeId, span: Span) -> Result<()> {
        let int = self.types.int();
        let zero = self.int(0, ty, span);
        let result = self.make(Expr::Binary(op, a, b), ty, span);
        let fits = match op {
            BinOp::Add | BinOp::Sub => {
                let sign = self.make(Expr::Compare(CmpOp::Lt, b, zero), int, span);
                let (low, high) = if op == BinOp::Add { (result, a) } else { (a, result) };
                let less = self.make(Expr::Compare(CmpOp::Lt, low, high), int, span);
                self.make(Expr::Compare(CmpOp::Eq, sign, less), int, span)
            }
            BinOp::Mul => {
                // a == 0, or dividing the product by a gives b back; -1 times the least value is the exception.
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

    fn shift(&mut self, op: BinOp, a: ExprId, b: ExprId, span: Span) -> Result<ExprId> {
        let (a, b) = (self.promoted(a, span)?, self.promoted(b, span)?);
        let (Some(i), Some(_)) = (self.types.as_int(self.ty(a)), self.types.as_int(self.ty(b))) else {
            return issue(span, "the operands of a shift are not integers");
        };
        if self.properties_wanted.shift && self.body.is_some() {
            let ty = self.ty(b);
            let int = self.types.int();
            let (zero, width) = (self.int(0, ty, span), self.int(i.bits.into(), ty, span));
            let low = self.make(Expr::Compare(CmpOp::Le, zero, b), int, span);
            let high = self.make(Expr::Compare(CmpOp::Lt, b, width), int, span);
            let fits = self.make(Expr::LogicAnd(low, high), int, span);
            self.check(fits, "shift out of range", span)?;
        }
        let ty = self.ty(a);
        Ok(self.make(Expr::Binary(op, a, b), ty, span))
    }

    fn plus(&mut self, a: ExprId, b: ExprId, span: Span) -> Result<ExprId> {
        match (self.types.pointee(self.ty(a)), self.types.pointee(self.ty(b))) {
            (None, None) => self.arith(BinOp::Add, a, b, span),
            (Some(to), None) => self.advance(a, b, to, 1, span),
            (None, Some(to)) => self.advance(b, a, to, 1, span),
            (Some(_), Some(_)) => issue(span, "two pointers are added"),
        }
    }

    fn minus(&mut self, a: ExprId, b: ExprId, span: Span) -> Result<ExprId> {
        match (self.types.pointee(self.ty(a)), self.types.pointee(self.ty(b))) {
            (Some(to), None) => self.advance(a, b, to, -1, span),
            (Some(to), Some(_)) => {
                let size = self.size(to, span)?.max(1);
                let ty = self.types.ptrdiff_t();
                Ok(self.make(Expr::PtrSub(a, b, size as i64), ty, span))
            }
            _ => self.arith(BinOp::Sub, a, b, span),
        }
    }

    /// A pointer moved by a number of elements.
    pub(super) fn advance(
        &mut self,
        p: ExprId,
        by: ExprId,
        to: TypeId,
        sign: i64,
        span: Span,
    ) -> Result<ExprId> {
        if self.types.as_int(self.ty(by)).is_none() {
            return issue(span, "a pointer is moved by something that is not an integer");
        }
        let by = self.promoted(by, span)?;
        let size = self.size(to, span)? as i64;
        let ty = self.ty(p);
        Ok(self.make(Expr::PtrAdd(p, by, sign * size), ty, span))
    }

    fn compare(&mut self, op: CmpOp, a: ExprId, b: ExprId, span: Span) -> Result<ExprId> {
        let int = self.types.int();
        let pointers = (self.types.pointee(self.ty(a)), self.types.pointee(self.ty(b)));
        let (a, b) = match pointers {
            (None, None) => {
                let (a, b, _) = self.balanced(a, b, span)?;
                (a, b)
            }
            (Some(_), _) => {
                let ty = self.ty(a);
                (a, self.convert(b, ty, span)?)
            }
            (None, Some(_)) => {
                let ty = self.ty(b);
                (self.convert(a, ty, span)?, b)
            }
        };
        Ok(self.make(Expr::Compare(op, a, b), int, span))
    }
}
