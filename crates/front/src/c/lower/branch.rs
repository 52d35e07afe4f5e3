//! Operators that may skip an operand: `&&`, `||` and `?:`.
//!
//! Operands without side effects give a pure expression; others become control flow.

use super::expr::Lowered;
use super::{Lower, Result, issue, span_of};
use crate::c::hir::{BlockId, Expr, ExprId, InstrKind, Operand, Place, Terminator};
use crate::c::source::SAME;
use crate::c::types::{Type, TypeId};
use bolide_model::Span;
use lang_c::ast;
use lang_c::span::Node;

impl Lower<'_> {
    /// Lowers something in a block of its own; says whether it left any instruction behind.
    fn aside<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, BlockId, bool)> {
        let start = self.block();
        self.body().current = start;
        let value = work(self)?;
        let pure = self.body().current == start && self.blocks().is_some_and(|b| b[start].instrs.is_empty());
        Ok((value, start, pure))
    }

    pub(super) fn short_circuit(
        &mut self,
        is_and: bool,
        a: &Node<ast::Expression>,
        b: &Node<ast::Expression>,
        span: Span,
    ) -> Result<Lowered> {
        let int = self.types.int();
        let both = |x, y| if is_and { Expr::LogicAnd(x, y) } else { Expr::LogicOr(x, y) };
        let x = self.scalar_value(a)?;
        let x = self.truth(x, span)?;
        if self.body.is_none() {
            let y = self.scalar_value(b)?;
            let y = self.truth(y, span)?;
            return Ok(Lowered::Scalar(self.make(both(x, y), int, span)));
        }
        let before = self.body().current;
        let (y, start, pure) = self.aside(|this| {
            let y = this.scalar_value(b)?;
            this.truth(y, span)
        })?;
        if pure {
            self.body().current = before;
            return Ok(Lowered::Scalar(self.make(both(x, y), int, span)));
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
        Ok(Lowered::Scalar(self.load_var(t, span)))
    }

    pub(super) fn conditional(&mut self, c: &ast::ConditionalExpression, span: Span) -> Result<Lowered> {
        let mut condition = self.scalar_value(&c.condition)?;
        let same = matches!(&c.then_expression.node, ast::Expression::Identifier(i) if i.node.name == SAME);
        if same {
            condition = self.saved(condition, span)?;
        }
        let truth = self.truth(condition, span)?;
        if self.body.is_none() {
            let yes = self.scalar_value(&c.then_expression)?;
            let no = self.scalar_value(&c.else_expression)?;
            let ty = self.join_type(yes, no)?;
            let (yes, no) = (self.convert(yes, ty, span)?, self.convert(no, ty, span)?);
            return Ok(Lowered::Scalar(self.make(Expr::Cond(truth, yes, no), ty, span)));
        }
        let before = self.body().current;
        let branch = |this: &mut Self, e: &Node<ast::Expression>| match this.lower(e)? {
            Lowered::Void => Ok(None),
            Lowered::Place(p) if matches!(this.types.get(p.ty), Type::Void) => Ok(None),
            lowered => this.value_of(lowered, span_of(e)).map(Some),
        };
        let (yes, yes_start, yes_pure) = self.aside(|this| {
            if same { Ok(Some(Operand::Scalar(condition))) } else { branch(this, &c.then_expression) }
        })?;
        let yes_end = self.body().current;
        let (no, no_start, no_pure) = self.aside(|this| branch(this, &c.else_expression))?;
        let no_end = self.body().current;
        if let (Some(Operand::Scalar(yes)), Some(Operand::Scalar(no)), true) =
            (&yes, &no, yes_pure && no_pure)
        {
            self.body().current = before;
            let ty = self.join_type(*yes, *no)?;
            let (yes, no) = (self.convert(*yes, ty, span)?, self.convert(*no, ty, span)?);
            return Ok(Lowered::Scalar(self.make(Expr::Cond(truth, yes, no), ty, span)));
        }
        let join = self.block();
        let target = match (&yes, &no) {
            (Some(Operand::Scalar(a)), Some(Operand::Scalar(b))) => Some(self.join_type(*a, *b)?),
            (Some(Operand::Record(a)), Some(Operand::Record(b))) if a.ty == b.ty => Some(a.ty),
            (Some(_), Some(_)) => return issue(span, "the two sides of a conditional do not match"),
            _ => None,
        };
        let temp = target.map(|ty| (self.temp(ty, span), ty));
        for (end, value) in [(yes_end, yes), (no_end, no)] {
            self.body().current = end;
            if let (Some((t, ty)), Some(value)) = (temp, value) {
                self.assign(Place::var(t, ty), value, span)?;
            }
            self.end(Terminator::Goto(join), span, before);
        }
        self.end(Terminator::Branch(truth, yes_start, no_start), span, join);
        Ok(match temp {
            Some((t, ty)) => Lowered::Place(Place::var(t, ty)),
            None => Lowered::Void,
        })
    }

    /// The type of a conditional.
    fn join_type(&mut self, a: ExprId, b: ExprId) -> Result<TypeId> {
        let (x, y) = (self.ty(a), self.ty(b));
        Ok(match (self.types.pointee(x), self.types.pointee(y)) {
            (Some(p), Some(_)) => {
                let void_first = matches!(self.types.get(p), Type::Void);
                // A null pointer constant takes the other type.
                if void_first && self.int_value(a) == Some(0) { y } else { x }
            }
            (Some(_), None) => x,
            (None, Some(_)) => y,
            (None, None) => {
                let (x, y) = (self.promoted_type(a), self.promoted_type(b));
                self.types.common(x, y)
            }
        })
    }
}
