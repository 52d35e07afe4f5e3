//! Expressions as terms.

use super::bits::Num;
use super::cells::Writes;
use super::curves::Curve;
use super::flow::Flow;
use super::{Encoder, Ints};
use crate::c::float::Format;
use crate::c::hir::{CmpOp, Expr, ExprId};
use crate::c::types::{IntType, TypeId};
use bolide_model::program::pass::Interval;
use bolide_model::{Bias, Span};
use bolide_term::{Sort, Term};

/// The value of an expression: an integer, or a truth value that stands for 0 or 1.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    Int(Num),
    Truth(Term),
}

impl Encoder<'_> {
    /// The integer that an expression denotes.
    pub(super) fn value(&mut self, flow: &mut Flow, e: ExprId) -> Num {
        let v = self.evaluate(flow, e);
        self.as_int(v)
    }

    /// Is an expression different from zero?
    pub(super) fn truth(&mut self, flow: &mut Flow, e: ExprId) -> Term {
        match self.evaluate(flow, e) {
            Value::Truth(t) => t,
            Value::Int(n) => self.nonzero_formula(n),
        }
    }

    fn nonzero_formula(&mut self, n: Num) -> Term {
        if self.store.float_format(self.store.sort_of(n.term)).is_some() {
            let is_zero = self.store.float_is_zero(n.term);
            return self.store.not(is_zero);
        }
        let zero = self.store.num(bolide_base::Rational::ZERO, self.store.sort_of(n.term));
        let is_zero = self.store.eq(n.term, zero);
        self.store.not(is_zero)
    }

    fn as_int(&mut self, v: Value) -> Num {
        match v {
            Value::Int(n) => n,
            Value::Truth(t) => {
                let (one, zero) = (self.int(1), self.int(0));
                Num::new(self.store.ite(t, one, zero), Interval::new(0, 1))
            }
        }
    }

    /// The number that an operand denotes, which has been evaluated.
    pub(super) fn number_of(&mut self, flow: &Flow, e: ExprId) -> Num {
        self.as_int(flow.memo[&e])
    }

    fn evaluate(&mut self, flow: &mut Flow, e: ExprId) -> Value {
        if !flow.memo.contains_key(&e) {
            let outer = flow.current;
            for sub in self.unit.post_order([e]) {
                if !flow.memo.contains_key(&sub) {
                    flow.current = Some(sub);
                    let v = self.node(flow, sub);
                    flow.memo.insert(sub, v);
                }
            }
            flow.current = outer;
        }
        if flow.current.is_none() {
            flow.current = Some(e);
            self.check_reads(flow, e);
            flow.current = None;
        }
        flow.memo[&e]
    }

    /// The value of an expression whose operands have been evaluated.
    fn node(&mut self, flow: &mut Flow, e: ExprId) -> Value {
        if let Some(&Curve::Constant(v)) = flow.curves.get(&(flow.point, e)) {
            let format = self.unit.types.format(self.unit.exprs[e].ty).unwrap_or(Format::Double);
            return Value::Int(self.float_constant(v, format));
        }
        let typed = &self.unit.exprs[e];
        let (ty, span) = (typed.ty, typed.span);
        let int = |this: &mut Self, flow: &Flow, e: &ExprId| this.as_int(flow.memo[e]);
        let truth = |this: &mut Self, flow: &Flow, e: &ExprId| match flow.memo[e] {
            Value::Truth(t) => t,
            Value::Int(n) => this.nonzero_formula(n),
        };
        let types = &self.unit.types;
        let type_of = |e: &ExprId| self.unit.exprs[*e].ty;
        // Nothing is known about values of type long double.
        let opaque = |e: &ExprId| types.is_float(type_of(e)) && types.format(type_of(e)).is_none();
        let floating = |e: &ExprId| types.format(type_of(e));
        match &typed.expr {
            Expr::Int(v) => Value::Int(self.number(*v)),
            Expr::Float(v) => match floating(&e) {
                Some(format) => Value::Int(self.float_constant(*v, format)),
                None => self.arbitrary(flow, ty, "constant of type long double", span),
            },
            Expr::Load(p) => Value::Int(self.read(flow, &Writes::new(), p, span)),
            Expr::Addr(p) => {
                let term = self.address_of(flow, p);
                Value::Int(Num::new(term, self.pointer_range()))
            }
            Expr::Func(f) => {
                let address = self.layout.funcs[*f];
                Value::Int(self.number(address))
            }
            Expr::LogicNot(a) if opaque(a) => self.arbitrary_truth(flow, "floating-point comparison", span),
            Expr::LogicNot(a) => {
                let t = truth(self, flow, a);
                Value::Truth(self.store.not(t))
            }
            Expr::LogicAnd(a, b) => {
                let (x, y) = (truth(self, flow, a), truth(self, flow, b));
                Value::Truth(self.store.and(&[x, y]))
            }
            Expr::LogicOr(a, b) => {
                let (x, y) = (truth(self, flow, a), truth(self, flow, b));
                Value::Truth(self.store.or(&[x, y]))
            }
            Expr::Cond(c, a, b) => {
                let (c, a, b) = (truth(self, flow, c), int(self, flow, a), int(self, flow, b));
                let range = a.range.join(&b.range);
                Value::Int(Num::new(self.store.ite(c, a.term, b.term), range))
            }
            Expr::Compare(_, a, _) if opaque(a) => {
                self.arbitrary_truth(flow, "floating-point comparison", span)
            }
            Expr::Compare(op, a, b) if floating(a).is_some() => {
                let (x, y) = (int(self, flow, a).term, int(self, flow, b).term);
                self.float_comparison(*op, x, y)
            }
            Expr::Compare(op, a, b) => {
                let (x, y) = (int(self, flow, a).term, int(self, flow, b).term);
                Value::Truth(match op {
                    CmpOp::Lt => self.store.lt(x, y),
                    CmpOp::Le => self.store.le(x, y),
                    CmpOp::Eq => self.store.eq(x, y),
                    CmpOp::Ne => {
                        let same = self.store.eq(x, y);
                        self.store.not(same)
                    }
                })
            }
            Expr::Neg(_) | Expr::Binary(..) if opaque(&e) => {
                self.arbitrary(flow, ty, "floating-point arithmetic", span)
            }
            Expr::Neg(a) if floating(a).is_some() => {
                let x = int(self, flow, a).term;
                self.float_negation(x)
            }
            Expr::Math(function, a, b) => self.float_function(flow, *function, (*a, *b), ty, span),
            Expr::Neg(a) => {
                let a = int(self, flow, a);
                Value::Int(self.negate(a, self.repr(ty)))
            }
            Expr::Not(a) => {
                let a = int(self, flow, a);
                let out = self.complement(a, self.repr(ty));
                Value::Int(self.wrap(out, self.repr(ty)))
            }
            Expr::Binary(op, a, b) if floating(a).is_some() => {
                let format = floating(a).unwrap_or(Format::Double);
                let (x, y) = (int(self, flow, a).term, int(self, flow, b).term);
                self.float_operation(flow, e, (*op, format), (x, y), span)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (int(self, flow, a), int(self, flow, b));
                Value::Int(self.operate(*op, a, b, self.repr(ty)))
            }
            Expr::Cast(a) => {
                if types.is_float(type_of(a)) || types.is_float(ty) {
                    return self.float_cast(flow, *a, ty, span);
                }
                // A truth value fits every type.
                if let Value::Truth(t) = flow.memo[a] {
                    return Value::Truth(t);
                }
                let a = int(self, flow, a);
                Value::Int(self.wrap(a, self.repr(ty)))
            }
            Expr::PtrAdd(p, i, scale) => {
                let (p, i) = (int(self, flow, p), int(self, flow, i));
                let factor = bolide_base::Rational::from(*scale);
                let bytes = self.store.scale(&factor, i.term);
                let term = self.store.add(&[p.term, bytes]);
                Value::Int(Num::new(term, self.pointer_range()))
            }
            Expr::PtrSub(a, b, scale) => {
                let (a, b) = (int(self, flow, a), int(self, flow, b));
                let difference = Num::new(self.store.sub(a.term, b.term), a.range.add(&b.range.scale(-1)));
                let quotient = self.floor_div(difference, i128::from(*scale));
                Value::Int(self.wrap(quotient, self.repr(ty)))
            }
        }
    }

    /// The integers that stand for the values of a scalar type.
    fn repr(&self, ty: TypeId) -> IntType {
        self.unit.types.representation(ty).unwrap_or(super::cells::BYTE)
    }

    /// Pointer arithmetic that leaves the address space is undefined.
    fn pointer_range(&self) -> Interval {
        match self.ints {
            Ints::Machine => Interval::new(0, (1 << (8 * self.unit.types.pointer_size())) - 1),
            Ints::Unbounded => Interval::ALL,
        }
    }

    /// A value that is not modelled: anything of its type.
    pub(super) fn arbitrary(&mut self, flow: &mut Flow, ty: TypeId, what: &str, span: Span) -> Value {
        let range = self.repr(ty).range();
        let range = Some(range).filter(|_| self.ints == Ints::Machine);
        let term = self.havoc_temp(flow, Sort::INT, range, what, span);
        Value::Int(Num::new(term, Interval::from_range(range)))
    }

    fn arbitrary_truth(&mut self, flow: &mut Flow, what: &str, span: Span) -> Value {
        Value::Truth(self.havoc_temp(flow, Sort::BOOL, None, what, span))
    }

    pub(super) fn havoc_temp(
        &mut self,
        flow: &mut Flow,
        sort: Sort,
        range: Option<(i128, i128)>,
        what: &str,
        span: Span,
    ) -> Term {
        let input = self.extra_input(what.into(), sort, range, span);
        let kind = bolide_model::VarKind::Local(flow.proc);
        let var = self.program.variable(self.store, "approximated", sort, kind, range);
        let step = self.program.havoc(self.store, var, input);
        self.approximate(Bias::Over, what, span);
        flow.emit(self, step, span);
        self.program.vars[var].term
    }
}
