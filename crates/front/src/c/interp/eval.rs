//! The values of expressions.

use super::{Bytes, Interpreter, Known, Stuck};
use crate::c::float::Format;
use crate::c::hir::{BinOp, CmpOp, Expr, ExprId};
use crate::c::lower::fold_int;
use crate::c::types::TypeId;
use std::rc::Rc;

/// Why nothing can be said about a value.
const LONG_DOUBLE: &str = "values of type long double are not computed";
const OUT_OF_RANGE: &str =
    "the conversion of a floating value to an integer that cannot hold it is undefined";

/// The values of the operands of an expression.
pub(super) struct Values {
    /// The operands, in the order of their indices.
    order: Rc<[ExprId]>,
    /// The values of the first of them.
    values: Vec<Known<i128>>,
}

impl Values {
    /// The value of an operand, which has been evaluated.
    fn get(&self, e: ExprId) -> Known<i128> {
        match self.order.binary_search(&e) {
            Ok(n) => self.values[n].clone(),
            Err(_) => Ok(0),
        }
    }
}

impl Interpreter<'_> {
    /// The value of an expression: an integer, an address, or the bit pattern of a floating value.
    pub(super) fn eval(&mut self, e: ExprId) -> Known<i128> {
        if let Some(v) = self.unit.as_int(e) {
            return Ok(v);
        }
        let order = self.order_of(e);
        // Operands that `&&`, `||` and `?:` skip are evaluated, too; that their values are not known does not matter.
        let mut values = Values { values: Vec::with_capacity(order.len()), order };
        for n in 0..values.order.len() {
            let v = self.node(values.order[n], &values);
            values.values.push(v);
        }
        values.get(e)
    }

    /// An expression and all that it depends on, operands first, in the order of their indices.
    pub(super) fn order_of(&mut self, e: ExprId) -> Rc<[ExprId]> {
        self.orders[e].get_or_insert_with(|| self.unit.post_order([e]).into()).clone()
    }

    /// The value of an expression that may have been evaluated.
    pub(super) fn operand(&mut self, e: ExprId, values: Option<&Values>) -> Known<i128> {
        match values {
            Some(values) => values.get(e),
            None => self.eval(e),
        }
    }

    /// The format of a floating expression; none if it is not floating.
    fn format(&self, e: ExprId) -> Known<Option<Format>> {
        let typed = &self.unit.exprs[e];
        self.format_of(typed.ty).map_err(|why| Box::new(Stuck { span: typed.span, why }))
    }

    fn format_of(&self, ty: TypeId) -> Result<Option<Format>, &'static str> {
        match self.unit.types.format(ty) {
            None if self.unit.types.is_float(ty) => Err(LONG_DOUBLE),
            format => Ok(format),
        }
    }

    fn is_true(&self, e: ExprId, values: &Values) -> Known<bool> {
        let value = values.get(e)?;
        Ok(self.format(e)?.map_or(value != 0, |f| f.is_true(value)))
    }

    fn node(&mut self, e: ExprId, values: &Values) -> Known<i128> {
        let unit = self.unit;
        let typed = &unit.exprs[e];
        let at = |x: &ExprId| values.get(*x);
        let ty = unit.types.representation(typed.ty);
        let stuck = |why: &'static str| Box::new(Stuck { span: typed.span, why });
        Ok(match &typed.expr {
            Expr::Int(v) => *v,
            Expr::Float(v) => self.format(e)?.map_or(0, |f| f.pattern(*v)),
            Expr::Load(p) => self.load_with(p, Some(values))?,
            Expr::Addr(p) => match self.locate_with(p, Some(values))? {
                Bytes::Memory(a) => a,
                Bytes::Static(..) | Bytes::Local(..) => 0,
            },
            Expr::Func(f) => self.layout.funcs[*f],
            Expr::Neg(a) => match self.format(*a)? {
                Some(format) => format.negate(at(a)?),
                None => {
                    let value = at(a)?;
                    ty.map_or(0, |t| t.wrap(-value))
                }
            },
            Expr::Not(a) => {
                let value = at(a)?;
                ty.map_or(0, |t| t.wrap(!value))
            }
            Expr::Binary(op, a, b) => {
                let (x, y) = (at(a)?, at(b)?);
                if let Some(format) = self.format(*a)? {
                    return Ok(format.operate(*op, x, y).unwrap_or(0));
                }
                let divisor = if matches!(op, BinOp::Div | BinOp::Rem) && y == 0 { 1 } else { y };
                ty.and_then(|t| fold_int(*op, x, divisor, t)).unwrap_or(0)
            }
            Expr::Compare(op, a, b) => {
                let (x, y) = (at(a)?, at(b)?);
                i128::from(match (self.format(*a)?, op) {
                    (Some(format), _) => format.compare(*op, x, y),
                    (None, CmpOp::Lt) => x < y,
                    (None, CmpOp::Le) => x <= y,
                    (None, CmpOp::Eq) => x == y,
                    (None, CmpOp::Ne) => x != y,
                })
            }
            Expr::LogicAnd(a, b) => i128::from(self.is_true(*a, values)? && self.is_true(*b, values)?),
            Expr::LogicOr(a, b) => i128::from(self.is_true(*a, values)? || self.is_true(*b, values)?),
            Expr::LogicNot(a) => i128::from(!self.is_true(*a, values)?),
            Expr::Cond(c, a, b) => at(if self.is_true(*c, values)? { a } else { b })?,
            Expr::Cast(a) => {
                let value = at(a)?;
                match (self.format(*a)?, self.format(e)?) {
                    (Some(from), Some(to)) => from.convert(value, to),
                    (None, Some(to)) => to.pattern(to.from_int(value)),
                    (Some(from), None) => {
                        let range = ty.map_or((0, 0), |t| t.range());
                        from.to_int(value, range).ok_or_else(|| stuck(OUT_OF_RANGE))?
                    }
                    (None, None) => ty.map_or(0, |t| t.wrap(value)),
                }
            }
            Expr::Math(function, a, b) => {
                let (x, y) = (at(a)?, at(b)?);
                let format = self.format(*a)?.ok_or_else(|| stuck(LONG_DOUBLE))?;
                format.call(*function, x, y).map_err(stuck)?
            }
            Expr::PtrAdd(p, i, scale) => at(p)? + at(i)? * i128::from(*scale),
            Expr::PtrSub(a, b, scale) => {
                let distance = (at(a)? - at(b)?).div_euclid(i128::from(*scale));
                ty.map_or(0, |t| t.wrap(distance))
            }
        })
    }
}
