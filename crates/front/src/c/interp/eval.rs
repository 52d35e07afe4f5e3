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

/// The values of an expression and its operands, as far as they are needed.
#[derive(Default)]
pub(super) struct Values {
    /// By expression: in which evaluation it got its value, and that.
    values: Vec<(u32, Known<i128>)>,
    /// The number of the evaluation.
    evaluation: u32,
    /// Expressions whose values are needed, each for the one before.
    needed: Vec<ExprId>,
}

impl Values {
    /// Forgets all values.
    fn start(&mut self, count: usize) {
        if self.values.len() < count || self.evaluation == u32::MAX {
            self.values = (0..count).map(|_| (0, Ok(0))).collect();
            self.evaluation = 0;
        }
        self.evaluation += 1;
        self.needed.clear();
    }

    fn has(&self, e: ExprId) -> bool {
        self.values[e.index()].0 == self.evaluation
    }

    /// The value of an operand, which has been evaluated.
    fn get(&self, e: ExprId) -> Known<i128> {
        if self.has(e) { self.values[e.index()].1.clone() } else { Ok(0) }
    }
}

impl Interpreter<'_> {
    /// The value of an expression: an integer, an address, or the bit pattern of a floating value.
    pub(super) fn eval(&mut self, e: ExprId) -> Known<i128> {
        if let Some(v) = self.unit.as_int(e) {
            return Ok(v);
        }
        let mut values = std::mem::take(&mut self.values);
        values.start(self.unit.exprs.len());
        values.needed.push(e);
        while let Some(&next) = values.needed.last() {
            match self.missing(next, &values) {
                Some(operand) => values.needed.push(operand),
                None => {
                    let value = self.node(next, &values);
                    values.values[next.index()] = (values.evaluation, value);
                    values.needed.pop();
                }
            }
        }
        let value = values.get(e);
        self.values = values;
        value
    }

    /// An operand whose value is needed for that of an expression and is not there yet. Operands that `&&`, `||` and `?:` skip are not needed.
    fn missing(&self, e: ExprId, values: &Values) -> Option<ExprId> {
        let absent = |x: &ExprId| (!values.has(*x)).then_some(*x);
        // A condition that is not known decides nothing, and makes the expression unknown.
        let decides = |x: &ExprId, wanted: bool| self.is_true(*x, values).is_ok_and(|holds| holds == wanted);
        match &self.unit.exprs[e].expr {
            Expr::Int(_) | Expr::Float(_) | Expr::Func(_) => None,
            Expr::Load(p) | Expr::Addr(p) => p.operands().find_map(|x| absent(&x)),
            Expr::Neg(a) | Expr::Not(a) | Expr::LogicNot(a) | Expr::Cast(a) => absent(a),
            Expr::Binary(_, a, b)
            | Expr::Compare(_, a, b)
            | Expr::Math(_, a, b)
            | Expr::PtrAdd(a, b, _)
            | Expr::PtrSub(a, b, _) => absent(a).or_else(|| absent(b)),
            Expr::LogicAnd(a, b) => absent(a).or_else(|| absent(b).filter(|_| decides(a, true))),
            Expr::LogicOr(a, b) => absent(a).or_else(|| absent(b).filter(|_| decides(a, false))),
            Expr::Cond(c, a, b) => absent(c).or_else(|| {
                if decides(c, true) { absent(a) } else { absent(b).filter(|_| decides(c, false)) }
            }),
        }
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
