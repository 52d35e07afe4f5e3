//! Floating-point expressions as terms over the numbers of IEEE 754, exactly.
//!
//! There is one NaN. Where bits of a number are looked at as something else, those of NaN can be any that NaN may have: C and
//! IEEE 754 leave them open. What is undefined, as a conversion to an integer type that cannot hold the number, can be anything.

use super::Encoder;
use super::bits::Num;
use super::floats::real;
use super::flow::Flow;
use super::values::Value;
use crate::c::float::Format;
use crate::c::hir::{BinOp, CmpOp, Math};
use crate::c::types::TypeId;
use bolide_model::Span;
use bolide_model::program::pass::Interval;
use bolide_term::{FloatFormat, FloatOp, RoundingMode, Sort, Store, Term};

/// What exact floating values are made with.
pub(super) struct Exact {
    single: Sort,
    double: Sort,
}

impl Exact {
    pub(super) fn new(store: &mut Store) -> Exact {
        Exact { single: store.float_sort(FloatFormat::SINGLE), double: store.float_sort(FloatFormat::DOUBLE) }
    }

    pub(super) fn sort(&self, format: Format) -> Sort {
        match format {
            Format::Single => self.single,
            Format::Double => self.double,
        }
    }
}

impl Encoder<'_> {
    pub(super) fn exact_format(&self, format: Format) -> FloatFormat {
        match format {
            Format::Single => FloatFormat::SINGLE,
            Format::Double => FloatFormat::DOUBLE,
        }
    }

    fn nearest(&mut self) -> Term {
        self.store.rounding_mode(RoundingMode::NearestEven)
    }

    pub(super) fn exact_constant(&mut self, value: f64, format: Format) -> Num {
        let bits = bolide_term::UBig::from(format.pattern(value) as u128);
        let number = self.exact_format(format);
        real(self.store.float_const(number, bits))
    }

    pub(super) fn exact_operation(&mut self, op: BinOp, x: Term, y: Term) -> Num {
        let mode = self.nearest();
        real(match op {
            BinOp::Sub => self.store.float_sub(mode, x, y),
            BinOp::Mul => self.store.float_mul(mode, x, y),
            BinOp::Div => self.store.float_div(mode, x, y),
            // No other operator takes floating operands.
            _ => self.store.float_add(mode, x, y),
        })
    }

    pub(super) fn exact_comparison(&mut self, op: CmpOp, x: Term, y: Term) -> Term {
        match op {
            CmpOp::Lt => self.store.float_lt(x, y),
            CmpOp::Le => self.store.float_le(x, y),
            CmpOp::Eq => self.store.float_eq(x, y),
            CmpOp::Ne => {
                let same = self.store.float_eq(x, y);
                self.store.not(same)
            }
        }
    }

    /// The number with a pattern of bits, which is an integer.
    pub(super) fn exact_of_pattern(&mut self, pattern: Term, format: Format) -> Num {
        let format = self.exact_format(format);
        let bits = self.store.int_to_bv(format.width(), pattern);
        real(self.store.float_from_bits(format, bits))
    }

    /// The pattern of a number as a natural number, and its bits; any pattern of NaN for NaN.
    pub(super) fn exact_pattern(&mut self, flow: &mut Flow, x: Term, span: Span) -> Option<(Num, u32)> {
        let format = self.store.float_format(self.store.sort_of(x))?;
        let width = format.width();
        let range = (0, (1i128 << width) - 1);
        let what = "bits of a floating-point value that is not a number";
        let is_nan = |relations: &mut super::ieee::Relations<'_>, n: Term| {
            let bits = relations.store.int_to_bv(width, n);
            let number = relations.store.float_from_bits(format, bits);
            relations.store.float_is_nan(number)
        };
        let (any, step) = self.fresh_number(Sort::INT, Some(range), what, span, is_nan, flow);
        flow.emit(self, step, span);
        let bits = self.store.float_bits(x);
        let (bits, nan) = (self.store.bv_to_nat(bits), self.store.float_is_nan(x));
        let term = self.store.ite(nan, any, bits);
        Some((Num::new(term, Interval::new(range.0, range.1)), width))
    }

    pub(super) fn exact_cast(
        &mut self,
        flow: &mut Flow,
        number: Num,
        formats: (Option<Format>, Option<Format>),
        ty: TypeId,
        span: Span,
    ) -> Num {
        let mode = self.nearest();
        match formats {
            (Some(_), Some(to)) => {
                let to = self.exact_format(to);
                real(self.store.float_to_float(mode, number.term, to))
            }
            (None, Some(to)) => {
                let to = self.exact_format(to);
                let sort = self.store.float_sort(to);
                // Wide enough for the values that there can be, with their sign; at most for every integer type.
                let length = |v: i128| 129 - (if v < 0 { !v } else { v }).leading_zeros();
                let width = match (number.range.low, number.range.high) {
                    (Some(low), Some(high)) => length(low).max(length(high)),
                    _ => 129,
                };
                let bits = self.store.int_to_bv(width, number.term);
                real(self.store.float_op(FloatOp::FromSigned, sort, &[mode, bits]))
            }
            (Some(_), None) => {
                let Some(ty) = self.unit.types.representation(ty) else { return number };
                let toward_zero = self.store.rounding_mode(RoundingMode::Zero);
                let (width, x) = (ty.bits, number.term);
                let op = if ty.signed { FloatOp::ToSigned } else { FloatOp::ToUnsigned };
                let sort = self.store.bv_sort(width);
                let fits = self.store.float_fits(toward_zero, x, width, ty.signed);
                let word = self.store.float_op(op, sort, &[toward_zero, x]);
                let value = if ty.signed { self.store.sbv_to_int(word) } else { self.store.bv_to_nat(word) };
                let range = ty.range();
                let what = "conversion of a floating-point value that the type cannot hold";
                let any = self.havoc_temp(flow, Sort::INT, Some(range), what, span);
                Num::new(self.store.ite(fits, value, any), Interval::new(range.0, range.1))
            }
            (None, None) => number,
        }
    }

    /// A function of the mathematical library.
    pub(super) fn exact_function(
        &mut self,
        flow: &mut Flow,
        function: Math,
        (x, y): (Term, Term),
        span: Span,
    ) -> Value {
        let sort = self.store.sort_of(x);
        let integral = |this: &mut Self, mode| {
            let mode = this.store.rounding_mode(mode);
            real(this.store.float_op(FloatOp::RoundToIntegral, sort, &[mode, x]))
        };
        Value::Int(match function {
            Math::IsNan => return Value::Truth(self.store.float_is_nan(x)),
            Math::IsInf => return Value::Truth(self.store.float_is_infinite(x)),
            Math::IsFinite => {
                let (nan, infinite) = (self.store.float_is_nan(x), self.store.float_is_infinite(x));
                let either = self.store.or(&[nan, infinite]);
                return Value::Truth(self.store.not(either));
            }
            Math::Abs => real(self.store.float_abs(x)),
            Math::Floor => integral(self, RoundingMode::Negative),
            Math::Ceil => integral(self, RoundingMode::Positive),
            Math::Trunc => integral(self, RoundingMode::Zero),
            Math::Round => integral(self, RoundingMode::NearestAway),
            Math::Rint => integral(self, RoundingMode::NearestEven),
            Math::Sqrt => {
                let mode = self.nearest();
                real(self.store.float_op(FloatOp::Sqrt, sort, &[mode, x]))
            }
            Math::Min | Math::Max => real(self.extremum(flow, (x, y), function == Math::Max, span)),
            Math::Mod => real(self.truncated_remainder(x, y)),
            Math::CopySign => {
                let negative = self.sign_of(flow, y, span);
                let (magnitude, minus) = (self.store.float_abs(x), self.store.float_abs(x));
                let minus = self.store.float_neg(minus);
                real(self.store.ite(negative, minus, magnitude))
            }
            Math::SignBit => return Value::Truth(self.sign_of(flow, x, span)),
            Math::InfinitySign => {
                let (infinite, negative) = (self.store.float_is_infinite(x), self.store.float_is_negative(x));
                let (one, minus, zero) = (self.store.int(1), self.store.int(-1), self.store.int(0));
                let sign = self.store.ite(negative, minus, one);
                Num::new(self.store.ite(infinite, sign, zero), Interval::new(-1, 1))
            }
            Math::Classify => self.class_of(x),
        })
    }

    /// `fmin` or `fmax`; of two zeros either.
    fn extremum(&mut self, flow: &mut Flow, (x, y): (Term, Term), greatest: bool, span: Span) -> Term {
        let any = self.havoc_temp(flow, Sort::BOOL, None, "least or greatest of two zeros", span);
        let below = if greatest { self.store.float_le(y, x) } else { self.store.float_le(x, y) };
        let (zero_x, zero_y) = (self.store.float_is_zero(x), self.store.float_is_zero(y));
        let zeros = self.store.and(&[zero_x, zero_y]);
        let first = self.store.ite(zeros, any, below);
        let (nan_x, nan_y) = (self.store.float_is_nan(x), self.store.float_is_nan(y));
        let out = self.store.ite(first, x, y);
        let out = self.store.ite(nan_y, x, out);
        self.store.ite(nan_x, y, out)
    }

    /// Is the sign bit set? That of NaN can be either.
    fn sign_of(&mut self, flow: &mut Flow, x: Term, span: Span) -> Term {
        let any = self.havoc_temp(
            flow,
            Sort::BOOL,
            None,
            "sign of a floating-point value that is not a number",
            span,
        );
        let (nan, negative) = (self.store.float_is_nan(x), self.store.float_is_negative(x));
        self.store.ite(nan, any, negative)
    }

    /// `fpclassify`, with the numbers of glibc: NaN 0, infinity 1, zero 2, subnormal 3, normal 4.
    fn class_of(&mut self, x: Term) -> Num {
        let classes: [fn(&mut Store, Term) -> Term; 4] =
            [Store::float_is_nan, Store::float_is_infinite, Store::float_is_zero, Store::float_is_subnormal];
        let mut out = self.store.int(4);
        for (n, is) in classes.into_iter().enumerate().rev() {
            let (here, number) = (is(self.store, x), self.store.int(n as i64));
            out = self.store.ite(here, number, out);
        }
        Num::new(out, Interval::new(0, 4))
    }

    /// `fmod`: the remainder with the sign of the dividend, from the one of the nearest quotient.
    fn truncated_remainder(&mut self, x: Term, y: Term) -> Term {
        let sort = self.store.sort_of(x);
        let mode = self.nearest();
        let rest = self.store.float_op(FloatOp::Rem, sort, &[x, y]);
        let (negative, other) = (self.store.float_is_negative(x), self.store.float_is_negative(rest));
        let zero = self.store.float_is_zero(rest);
        let differs = self.store.xor(negative, other);
        let magnitude = self.store.float_abs(y);
        let minus = self.store.float_neg(magnitude);
        let step = self.store.ite(negative, minus, magnitude);
        let moved = self.store.float_add(mode, rest, step);
        let not_zero = self.store.not(zero);
        let move_it = self.store.and(&[differs, not_zero]);
        self.store.ite(move_it, moved, rest)
    }
}
