//! Conversions between types.

use super::{Lower, Result, issue};
use crate::c::hir::{CmpOp, Expr, ExprId, Operand};
use crate::c::types::{Type, TypeId};
use bolide_model::Span;

impl Lower<'_> {
    /// A scalar converted to a type.
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

    /// A scalar operand; records are refused.
    pub(super) fn scalar(&mut self, operand: Operand, span: Span) -> Result<ExprId> {
        match operand {
            Operand::Scalar(e) => Ok(e),
            Operand::Record(_) => issue(span, "a structure or union is used where a scalar is needed"),
        }
    }

    /// The type of an operand after promotion, in which bit-fields count by their width.
    pub(super) fn promoted_type(&mut self, e: ExprId) -> TypeId {
        let width = match &self.exprs[e].expr {
            Expr::Load(p) => p.bits.map(|b| b.1),
            _ => None,
        };
        let ty = self.ty(e);
        self.types.promote(ty, width)
    }

    /// The promoted form of an integer operand; other scalars stay as they are.
    pub(super) fn promoted(&mut self, e: ExprId, span: Span) -> Result<ExprId> {
        let ty = self.promoted_type(e);
        self.convert(e, ty, span)
    }

    /// Both operands in their common type.
    pub(super) fn balanced(&mut self, a: ExprId, b: ExprId, span: Span) -> Result<(ExprId, ExprId, TypeId)> {
        let (a, b) = (self.promoted(a, span)?, self.promoted(b, span)?);
        let ty = self.types.common(self.ty(a), self.ty(b));
        Ok((self.convert(a, ty, span)?, self.convert(b, ty, span)?, ty))
    }
}
