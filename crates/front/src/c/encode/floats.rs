//! Floating-point expressions as terms: real numbers, related to each other by [`Relations`].
//!
//! Comparisons, signs, minima and the widening of `float` to `double` are terms; every other operation is a new input on
//! an edge of its own that the relation constrains, and the edge is marked as an over-approximation. Values of type
//! `long double` are opaque bits.

use super::Encoder;
use super::bits::Num;
use super::cells::Writes;
use super::curves::Curve;
use super::flow::Flow;
use super::ieee::Relations;
use super::values::Value;
use crate::c::float::Format;
use crate::c::hir::{BinOp, CmpOp, ExprId, Math, Place};
use crate::c::memory::CompId;
use crate::c::types::TypeId;
use bolide_model::program::pass::Interval;
use bolide_model::{Bias, InputId, Span, Step, VarKind};
use bolide_term::{Sort, Term};

impl Encoder<'_> {
    pub(super) fn relations(&mut self) -> Relations<'_> {
        Relations { store: self.store, numbers: &self.numbers }
    }

    /// The sort of the values of a scalar type.
    pub(super) fn sort_of(&self, ty: TypeId) -> Sort {
        self.unit.types.format(ty).map_or(Sort::INT, |format| self.float_sort(format))
    }

    /// The sort of floating values of a format.
    pub(super) fn float_sort(&self, format: Format) -> Sort {
        self.exact.as_ref().map_or(Sort::REAL, |exact| exact.sort(format))
    }

    /// The range of the values of a scalar type; floating values have none.
    pub(super) fn range_of_type(&self, ty: TypeId) -> Option<(i128, i128)> {
        let repr = self.unit.types.representation(ty).filter(|_| self.sort_of(ty) == Sort::INT);
        repr.map(|t| t.range()).filter(|_| self.ints == super::Ints::Machine)
    }

    /// The format of the cells of a component; none if they are integers.
    pub(super) fn cell_format(&self, comp: CompId) -> Option<Format> {
        self.memory.components[comp].cell.and_then(|ty| ty.format())
    }

    pub(super) fn cell_sort(&self, comp: CompId) -> Sort {
        self.cell_format(comp).map_or(Sort::INT, |format| self.float_sort(format))
    }

    /// The sort of arrays of such cells.
    pub(super) fn cells_sort(&mut self, comp: CompId) -> Sort {
        let element = self.cell_sort(comp);
        self.store.array_sort(Sort::INT, element)
    }

    /// Is it a number that can be in a cell of a component? Nothing is said about integers.
    pub(super) fn cell_value(&mut self, comp: CompId, t: Term) -> Term {
        match self.cell_format(comp) {
            Some(format) if self.exact.is_none() => self.relations().is_value(t, format),
            _ => self.store.tru(),
        }
    }

    pub(super) fn float_constant(&mut self, value: f64, format: Format) -> Num {
        if self.exact.is_some() {
            return self.exact_constant(value, format);
        }
        let number = self.numbers.of(value);
        real(self.store.num(number, Sort::REAL))
    }

    /// A new number with which a relation holds.
    fn related(
        &mut self,
        flow: &mut Flow,
        what: &str,
        span: Span,
        relation: impl FnOnce(&mut Relations<'_>, Term) -> Term,
    ) -> Num {
        let (value, step) = self.fresh_number(Sort::REAL, None, what, span, relation, flow);
        flow.emit(self, step, span);
        real(value)
    }

    /// A variable for a new number, and the step that sets it to one with which a relation holds.
    pub(super) fn fresh_number(
        &mut self,
        sort: Sort,
        range: Option<(i128, i128)>,
        what: &str,
        span: Span,
        relation: impl FnOnce(&mut Relations<'_>, Term) -> Term,
        flow: &Flow,
    ) -> (Term, Step) {
        let input = self.extra_input(what.into(), sort, range, span);
        let var = self.program.variable(self.store, "approximated", sort, VarKind::Local(flow.proc), range);
        let value = self.program.input_value(self.store, input);
        let related = relation(&mut self.relations(), value);
        let inside = self.program.in_range(self.store, value, range);
        let guard = self.store.and(&[related, inside]);
        self.approximate(Bias::Over, what, span);
        (
            self.program.vars[var].term,
            Step { guard, assigns: vec![(var, value)], inputs: vec![(value, input)] },
        )
    }

    /// Any value of a format.
    pub(super) fn any_float(&mut self, flow: &mut Flow, format: Format, what: &str, span: Span) -> Num {
        if self.exact.is_some() {
            let sort = self.float_sort(format);
            return real(self.havoc_temp(flow, sort, None, what, span));
        }
        self.related(flow, what, span, |relations, r| relations.is_value(r, format))
    }

    /// An input of a floating type: its value, and what is known about it.
    pub(super) fn float_input(&mut self, input: InputId, format: Format, span: Span) -> (Term, Term) {
        let value = self.program.input_value(self.store, input);
        if self.exact.is_some() {
            return (value, self.store.tru());
        }
        let guard = self.relations().is_value(value, format);
        self.approximate(Bias::Over, "floating-point input", span);
        (value, guard)
    }

    pub(super) fn float_operation(
        &mut self,
        flow: &mut Flow,
        e: ExprId,
        (op, format): (BinOp, Format),
        (x, y): (Term, Term),
        span: Span,
    ) -> Value {
        if self.exact.is_some() {
            return Value::Int(self.exact_operation(op, x, y));
        }
        let curve = match flow.curves.remove(&(flow.point, e)) {
            Some(Curve::Of(var, facts)) => {
                let place = Place::var(var, self.unit.vars[var].ty);
                Some((self.read(flow, &Writes::new(), &place, span).term, facts))
            }
            _ => None,
        };
        let relation = |relations: &mut Relations<'_>, r| {
            let mut facts = vec![relations.operation(op, format, x, y, r)];
            if let Some((var, curve)) = curve {
                facts.extend(curve.iter().map(|f| relations.bounded(var, r, f)));
            }
            relations.store.and(&facts)
        };
        Value::Int(self.related(flow, "floating-point arithmetic", span, relation))
    }

    pub(super) fn float_comparison(&mut self, op: CmpOp, x: Term, y: Term) -> Value {
        if self.exact.is_some() {
            return Value::Truth(self.exact_comparison(op, x, y));
        }
        Value::Truth(self.relations().compare(op, x, y))
    }

    pub(super) fn float_negation(&mut self, x: Term) -> Value {
        if self.exact.is_some() {
            return Value::Int(real(self.store.float_neg(x)));
        }
        Value::Int(real(self.relations().negated(x)))
    }

    /// A conversion from or to a floating type.
    pub(super) fn float_cast(&mut self, flow: &mut Flow, a: ExprId, ty: TypeId, span: Span) -> Value {
        let from = self.unit.exprs[a].ty;
        let types = &self.unit.types;
        let is_opaque = |t: TypeId| types.is_float(t) && types.format(t).is_none();
        let what = "floating-point conversion";
        if is_opaque(from) || is_opaque(ty) {
            return match types.format(ty) {
                Some(format) => Value::Int(self.any_float(flow, format, what, span)),
                None => self.arbitrary(flow, ty, what, span),
            };
        }
        let formats = (types.format(from), types.format(ty));
        let number = self.number_of(flow, a);
        let x = number.term;
        if self.exact.is_some() {
            return Value::Int(self.exact_cast(flow, number, formats, ty, span));
        }
        Value::Int(match formats {
            (Some(Format::Double), Some(Format::Single)) => {
                self.related(flow, what, span, |relations, r| relations.narrowed(Format::Single, x, r))
            }
            (None, Some(to)) => {
                let s = self.store.to_real(x);
                let limit = 1i128 << to.precision();
                if number.range.within(&Interval::new(-limit, limit)) {
                    return Value::Int(real(s));
                }
                self.related(flow, what, span, |relations, r| relations.converted(to, s, r))
            }
            (Some(_), None) => {
                let Some(range) = types.representation(ty).map(|t| t.range()) else {
                    return Value::Int(number);
                };
                let relation = |relations: &mut Relations<'_>, n| relations.truncated(x, n, range);
                let (n, step) = self.fresh_number(Sort::INT, Some(range), what, span, relation, flow);
                flow.emit(self, step, span);
                Num::new(n, Interval::new(range.0, range.1))
            }
            _ => number,
        })
    }

    /// A function of the mathematical library.
    pub(super) fn float_function(
        &mut self,
        flow: &mut Flow,
        function: Math,
        (a, b): (ExprId, ExprId),
        ty: TypeId,
        span: Span,
    ) -> Value {
        let what = "floating-point function";
        let Some(format) = self.unit.types.format(self.unit.exprs[a].ty) else {
            return self.arbitrary(flow, ty, what, span);
        };
        let (x, y) = (self.number_of(flow, a).term, self.number_of(flow, b).term);
        if self.exact.is_some() {
            return self.exact_function(flow, function, (x, y), span);
        }
        match function {
            Math::Abs => Value::Int(real(self.relations().magnitude(x))),
            Math::IsNan => Value::Truth(self.relations().is_nan(x)),
            Math::IsInf => Value::Truth(self.relations().is_infinite(x)),
            Math::IsFinite => Value::Truth(self.relations().is_finite(x)),
            _ if function.gives_int() => {
                let range = self.unit.types.representation(ty).map_or((0, 0), |t| t.range());
                let relation = |relations: &mut Relations<'_>, n| relations.question(function, x, n);
                let (n, step) = self.fresh_number(Sort::INT, Some(range), what, span, relation, flow);
                flow.emit(self, step, span);
                Value::Int(Num::new(n, Interval::new(range.0, range.1)))
            }
            Math::Floor | Math::Ceil | Math::Trunc | Math::Round | Math::Rint => {
                let whole = self.extra_input(what.into(), Sort::INT, None, span);
                let n = self.program.input_value(self.store, whole);
                let relation = |relations: &mut Relations<'_>, r| relations.integral(function, x, n, r);
                let (r, mut step) = self.fresh_number(Sort::REAL, None, what, span, relation, flow);
                step.inputs.push((n, whole));
                flow.emit(self, step, span);
                Value::Int(real(r))
            }
            _ => {
                let relation =
                    |relations: &mut Relations<'_>, r| relations.function(function, format, x, y, r);
                Value::Int(self.related(flow, what, span, relation))
            }
        }
    }
}

/// A floating value where a number is wanted.
pub(super) fn real(term: Term) -> Num {
    Num::new(term, Interval::ALL)
}
