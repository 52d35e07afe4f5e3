//! Floating-point numbers of IEEE 754: sorts, constants, simplifying constructors, evaluation and circuits.
//!
//! Every operator of the SMT-LIB theory `FloatingPoint` has a constructor. Those with a circuit worth the name are a [`FloatOp`];
//! the others (negation, minima, classes of numbers) are written with these, with bits and with equality. A value is its bits in
//! the interchange format, and there is **one NaN**: quiet, positive, without payload. So two numbers are equal, in the sense of `=`,
//! exactly if their bits are.
//!
//! What an operator means is said twice: `exact` computes values with big integers, for constants and models; `circuit`, `arith` and
//! `convert` write the bits of a result as a term over bit-vectors, which [`BitBlaster`](crate::BitBlaster) takes further apart. Rounding
//! modes are a datatype of five constants.

mod arith;
mod circuit;
mod convert;
mod exact;
mod format;
#[cfg(test)]
mod tests;

pub use format::{FloatFormat, RoundingMode};

use crate::{Op, Sort, SortKind, Store, Term, Value};
use bolide_base::Rational;
use circuit::Circuit;
use dashu_int::UBig;
use exact::{Operands, Outcome};

/// Functions whose values SMT-LIB leaves open: which of two zeros of different signs is the least or the greatest, and what a
/// number that does not fit becomes as a word.
pub const FLOAT_UNSPECIFIED: [&str; 5] = ["@fp.min", "@fp.max", "@fp.to_ubv", "@fp.to_sbv", "@fp.to_real"];

/// A floating-point operator. Those that round have the rounding mode as their first argument.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp {
    /// The bits of a number.
    Bits,
    /// The number that bits denote.
    FromBits,
    /// A sum.
    Add,
    /// A product.
    Mul,
    /// A quotient.
    Div,
    /// A product and a sum with one rounding.
    Fma,
    /// A square root.
    Sqrt,
    /// The remainder of IEEE 754: of the quotient rounded to the nearest integer.
    Rem,
    /// The nearest integer, by rounding mode.
    RoundToIntegral,
    /// A number in another format.
    ToFloat,
    /// The number that a word without sign denotes.
    FromUnsigned,
    /// The number that a word with sign denotes.
    FromSigned,
    /// The word without sign of a number rounded to an integer; of one that does not fit, a word that does not matter.
    ToUnsigned,
    /// The word with sign of a number rounded to an integer; of one that does not fit, a word that does not matter.
    ToSigned,
    /// Less than, as IEEE 754 has it.
    Lt,
    /// Less than or equal, as IEEE 754 has it.
    Le,
}

impl FloatOp {
    /// Is the first argument a rounding mode?
    pub fn rounds(self) -> bool {
        use FloatOp::*;
        !matches!(self, Bits | FromBits | Rem | Lt | Le)
    }
}

impl Store {
    /// `(_ FloatingPoint e s)`.
    pub fn float_sort(&mut self, format: FloatFormat) -> Sort {
        assert!(format.exponent >= 2 && format.significand >= 2, "at least two bits each");
        self.sort(SortKind::Float(format))
    }

    /// The format of a floating-point sort; none for other sorts.
    pub fn float_format(&self, sort: Sort) -> Option<FloatFormat> {
        match self.sorts[sort.index()] {
            SortKind::Float(format) => Some(format),
            _ => None,
        }
    }

    /// The number of bits of the values of a sort: words, and floating-point numbers.
    pub fn bits_of_sort(&self, sort: Sort) -> Option<u32> {
        self.bv_width(sort).or_else(|| self.float_format(sort).map(FloatFormat::width))
    }

    /// `RoundingMode`, a datatype of five constants.
    pub fn rounding_mode_sort(&mut self) -> Sort {
        if let Some(sort) = self.rounding_modes {
            return sort;
        }
        let sort = self.new_datatype("RoundingMode", &[]);
        let constants = RoundingMode::ALL.map(|m| (m.name().into(), Vec::new()));
        self.define_datatypes(&[(sort, constants.to_vec())]).expect("an enumeration");
        self.rounding_modes = Some(sort);
        sort
    }

    /// Is this `RoundingMode`?
    pub fn is_rounding_mode(&self, sort: Sort) -> bool {
        self.rounding_modes == Some(sort)
    }

    /// The constant of a rounding mode.
    pub fn rounding_mode(&mut self, mode: RoundingMode) -> Term {
        let sort = self.rounding_mode_sort();
        self.construct(sort, mode as u32, &[])
    }

    /// The rounding mode that a term is the constant of.
    pub fn as_rounding_mode(&self, t: Term) -> Option<RoundingMode> {
        match self.op(t) {
            Op::Construct(c) if self.is_rounding_mode(self.sort_of(t)) => {
                RoundingMode::ALL.get(c as usize).copied()
            }
            _ => None,
        }
    }

    /// The number with these bits, any of those of NaN being NaN.
    pub fn float_const(&mut self, format: FloatFormat, bits: UBig) -> Term {
        let bits = format.canonical(bits);
        let n = self.num_id(Rational::from(bits));
        let sort = self.float_sort(format);
        self.intern(Op::FloatConst(n), sort, &[])
    }

    /// The bits of a constant.
    pub fn float_value(&self, t: Term) -> Option<UBig> {
        match self.op(t) {
            Op::FloatConst(n) => Some(crate::bv::natural(self.num_value(n))),
            _ => None,
        }
    }

    fn format_of(&self, t: Term) -> FloatFormat {
        self.float_format(self.sort_of(t)).expect("a floating-point term")
    }

    /// NaN.
    pub fn float_nan(&mut self, format: FloatFormat) -> Term {
        self.float_const(format, format.nan())
    }

    /// Infinity.
    pub fn float_infinity(&mut self, format: FloatFormat, negative: bool) -> Term {
        self.float_const(format, format.infinity(negative))
    }

    /// Zero.
    pub fn float_zero(&mut self, format: FloatFormat, negative: bool) -> Term {
        self.float_const(format, format.zero(negative))
    }

    /// The node of an operator, folded if all its arguments are constants.
    fn float_node(&mut self, op: FloatOp, sort: Sort, args: &[Term]) -> Term {
        let constant = |t: Term| -> Option<Value> {
            if let Some(m) = self.as_rounding_mode(t) {
                let data = crate::DataValue::new(self.sort_of(t), m as u32, Vec::new());
                return Some(Value::Data(std::sync::Arc::new(data)));
            }
            let width = self.bits_of_sort(self.sort_of(t))?;
            Some(Value::Bv(width, self.bv_value(t).or_else(|| self.float_value(t))?))
        };
        let values: Option<Vec<Value>> = args.iter().map(|&t| constant(t)).collect();
        if let Some(values) = values {
            let values: Vec<&Value> = values.iter().collect();
            let sorts: Vec<Sort> = args.iter().map(|&a| self.sort_of(a)).collect();
            return eval_op(self, op, sort, &sorts, &values).to_term(self, sort);
        }
        self.intern(Op::Float(op), sort, args)
    }

    /// An operator applied to its arguments, the rounding mode first where there is one; the sort is that of the result.
    pub fn float_op(&mut self, op: FloatOp, sort: Sort, args: &[Term]) -> Term {
        match op {
            FloatOp::Bits => self.float_bits(args[0]),
            FloatOp::FromBits => {
                let format = self.float_format(sort).expect("a floating-point sort");
                self.float_from_bits(format, args[0])
            }
            FloatOp::ToFloat => {
                let format = self.float_format(sort).expect("a floating-point sort");
                self.float_to_float(args[0], args[1], format)
            }
            FloatOp::Add => self.float_commutative(op, sort, args),
            FloatOp::Mul => self.float_commutative(op, sort, args),
            FloatOp::Le if args[0] == args[1] => {
                let nan = self.float_is_nan(args[0]);
                self.not(nan)
            }
            FloatOp::Lt if args[0] == args[1] => self.fls(),
            _ => self.float_node(op, sort, args),
        }
    }

    fn float_commutative(&mut self, op: FloatOp, sort: Sort, args: &[Term]) -> Term {
        let (a, b) = (args[1].min(args[2]), args[1].max(args[2]));
        self.float_node(op, sort, &[args[0], a, b])
    }

    /// The bits of a number, NaN having the canonical ones.
    pub fn float_bits(&mut self, t: Term) -> Term {
        let format = self.format_of(t);
        if self.op(t) == Op::Float(FloatOp::FromBits) {
            let bits = self.arg(t, 0);
            return Circuit::new(self, format, 0).canonical(bits);
        }
        let sort = self.bv_sort(format.width());
        self.float_node(FloatOp::Bits, sort, &[t])
    }

    /// The equality of the bits of a number with those of another, or with constant ones, as one of numbers.
    pub(crate) fn float_bits_eq(&mut self, a: Term, b: Term) -> Option<Term> {
        let (a, b) = if self.op(a) == Op::Float(FloatOp::Bits) { (a, b) } else { (b, a) };
        if self.op(a) != Op::Float(FloatOp::Bits) {
            return None;
        }
        let x = self.arg(a, 0);
        let format = self.format_of(x);
        if self.op(b) == Op::Float(FloatOp::Bits) && self.sort_of(self.arg(b, 0)) == self.sort_of(x) {
            let y = self.arg(b, 0);
            return Some(self.eq(x, y));
        }
        let bits = self.bv_value(b)?;
        if format.canonical(bits.clone()) != bits {
            return Some(self.fls());
        }
        let constant = self.float_const(format, bits);
        Some(self.eq(x, constant))
    }

    /// The number that bits denote.
    pub fn float_from_bits(&mut self, format: FloatFormat, bits: Term) -> Term {
        let sort = self.float_sort(format);
        if self.op(bits) == Op::Float(FloatOp::Bits) && self.sort_of(self.arg(bits, 0)) == sort {
            return self.arg(bits, 0);
        }
        self.float_node(FloatOp::FromBits, sort, &[bits])
    }

    /// A number in another format.
    pub fn float_to_float(&mut self, mode: Term, t: Term, format: FloatFormat) -> Term {
        let sort = self.float_sort(format);
        if self.sort_of(t) == sort {
            return t;
        }
        self.float_node(FloatOp::ToFloat, sort, &[mode, t])
    }

    /// The number nearest to a rational one.
    pub fn float_from_rational(&mut self, mode: Term, value: &Rational, format: FloatFormat) -> Term {
        let of = |s: &mut Store, m: RoundingMode| s.float_const(format, format.of_rational(m, value));
        if let Some(m) = self.as_rounding_mode(mode) {
            return of(self, m);
        }
        let last = of(self, RoundingMode::Zero);
        RoundingMode::ALL[..4].iter().fold(last, |out, &m| {
            let (here, value) = (self.rounding_mode(m), of(self, m));
            let here = self.eq(mode, here);
            self.ite(here, value, out)
        })
    }

    /// The number with the opposite sign.
    pub fn float_neg(&mut self, t: Term) -> Term {
        let format = self.format_of(t);
        let (bits, top) = (self.float_bits(t), format.width() - 1);
        let sign = self.bv_extract(top, top, bits);
        let (sign, low) = (self.bv_not(sign), self.bv_extract(top - 1, 0, bits));
        let bits = self.bv_concat(sign, low);
        self.float_from_bits(format, bits)
    }

    /// The magnitude of a number.
    pub fn float_abs(&mut self, t: Term) -> Term {
        let format = self.format_of(t);
        let (bits, top) = (self.float_bits(t), format.width() - 1);
        let (sign, low) = (self.bv_zero(1), self.bv_extract(top - 1, 0, bits));
        let bits = self.bv_concat(sign, low);
        self.float_from_bits(format, bits)
    }

    /// `a + b`.
    pub fn float_add(&mut self, mode: Term, a: Term, b: Term) -> Term {
        self.float_op(FloatOp::Add, self.sort_of(a), &[mode, a, b])
    }

    /// `a - b`.
    pub fn float_sub(&mut self, mode: Term, a: Term, b: Term) -> Term {
        let b = self.float_neg(b);
        self.float_add(mode, a, b)
    }

    /// `a * b`.
    pub fn float_mul(&mut self, mode: Term, a: Term, b: Term) -> Term {
        self.float_op(FloatOp::Mul, self.sort_of(a), &[mode, a, b])
    }

    /// `a / b`.
    pub fn float_div(&mut self, mode: Term, a: Term, b: Term) -> Term {
        self.float_op(FloatOp::Div, self.sort_of(a), &[mode, a, b])
    }

    /// `a < b`.
    pub fn float_lt(&mut self, a: Term, b: Term) -> Term {
        self.float_op(FloatOp::Lt, Sort::BOOL, &[a, b])
    }

    /// `a <= b`.
    pub fn float_le(&mut self, a: Term, b: Term) -> Term {
        self.float_op(FloatOp::Le, Sort::BOOL, &[a, b])
    }

    /// The equality of IEEE 754: zeros are equal, and NaN equals nothing.
    pub fn float_eq(&mut self, a: Term, b: Term) -> Term {
        let (le, ge) = (self.float_le(a, b), self.float_le(b, a));
        self.and(&[le, ge])
    }

    /// Is it NaN?
    pub fn float_is_nan(&mut self, t: Term) -> Term {
        let nan = self.float_nan(self.format_of(t));
        self.eq(t, nan)
    }

    fn float_either(&mut self, t: Term, bits: fn(FloatFormat, bool) -> UBig) -> Term {
        let format = self.format_of(t);
        let both = [false, true].map(|negative| {
            let constant = self.float_const(format, bits(format, negative));
            self.eq(t, constant)
        });
        self.or(&both)
    }

    /// Is it an infinity?
    pub fn float_is_infinite(&mut self, t: Term) -> Term {
        self.float_either(t, FloatFormat::infinity)
    }

    /// Is it a zero?
    pub fn float_is_zero(&mut self, t: Term) -> Term {
        self.float_either(t, FloatFormat::zero)
    }

    /// Is it negative, zero and infinity included, NaN not?
    pub fn float_is_negative(&mut self, t: Term) -> Term {
        // The one NaN has no sign.
        let (bits, top) = (self.float_bits(t), self.format_of(t).width() - 1);
        self.bv_bit(top, bits)
    }

    /// Is it positive, zero and infinity included, NaN not?
    pub fn float_is_positive(&mut self, t: Term) -> Term {
        let (negative, nan) = (self.float_is_negative(t), self.float_is_nan(t));
        let either = self.or(&[negative, nan]);
        self.not(either)
    }

    /// Is the exponent field zero; is it all ones?
    fn float_exponent_ends(&mut self, t: Term) -> (Term, Term) {
        let format = self.format_of(t);
        let bits = self.float_bits(t);
        let field = self.bv_extract(format.width() - 2, format.significand - 1, bits);
        let (zero, ones) = (self.bv_zero(format.exponent), self.bv_ones(format.exponent));
        (self.eq(field, zero), self.eq(field, ones))
    }

    /// Is it a normal number?
    pub fn float_is_normal(&mut self, t: Term) -> Term {
        let (small, special) = self.float_exponent_ends(t);
        let either = self.or(&[small, special]);
        self.not(either)
    }

    /// Is it a subnormal number?
    pub fn float_is_subnormal(&mut self, t: Term) -> Term {
        let (small, _) = self.float_exponent_ends(t);
        let zero = self.float_is_zero(t);
        let not_zero = self.not(zero);
        self.and(&[small, not_zero])
    }

    /// The lesser of two numbers, or the greater one; the other one if one is NaN. Which of two zeros is left open.
    pub fn float_extremum(&mut self, a: Term, b: Term, greatest: bool) -> Term {
        if a == b {
            return a;
        }
        let sort = self.sort_of(a);
        let (nan_a, nan_b) = (self.float_is_nan(a), self.float_is_nan(b));
        let below = if greatest { self.float_le(b, a) } else { self.float_le(a, b) };
        let chosen = self.ite(below, a, b);
        let (zero_a, zero_b) = (self.float_is_zero(a), self.float_is_zero(b));
        let same = self.eq(a, b);
        let other = self.not(same);
        let open = self.and(&[zero_a, zero_b, other]);
        // The first of two zeros says which ones they are.
        let f = self.func(FLOAT_UNSPECIFIED[usize::from(greatest)], &[sort], Sort::BOOL);
        let choice = self.apply(f, &[a]);
        let zero = self.ite(choice, a, b);
        let out = self.ite(open, zero, chosen);
        let out = self.ite(nan_b, a, out);
        self.ite(nan_a, b, out)
    }

    /// Does a number rounded to an integer fit a word?
    pub fn float_fits(&mut self, mode: Term, t: Term, width: u32, signed: bool) -> Term {
        let mut format = self.format_of(t);
        let mut t = t;
        if format.bias() < i64::from(format.significand) {
            // The nearest integer of a number may be beyond the greatest number.
            format.exponent = 33 - format.significand.leading_zeros();
            t = self.float_to_float(mode, t, format);
        }
        let sort = self.sort_of(t);
        let whole = self.float_op(FloatOp::RoundToIntegral, sort, &[mode, t]);
        let (low, high) = match signed {
            true => (-Rational::pow2(width - 1), Rational::pow2(width - 1)),
            false => (Rational::ZERO, Rational::pow2(width)),
        };
        let high = high - Rational::ONE;
        // The first number of the format that is not below, the last one that is not above.
        let low = self.float_const(format, format.of_rational(RoundingMode::Positive, &low));
        let high = self.float_const(format, format.of_rational(RoundingMode::Negative, &high));
        let (a, b) = (self.float_le(low, whole), self.float_le(whole, high));
        self.and(&[a, b])
    }

    /// The word that a number is, rounded to an integer; left open if it does not fit.
    pub fn float_to_word(&mut self, mode: Term, t: Term, width: u32, signed: bool) -> Term {
        let sort = self.bv_sort(width);
        let op = if signed { FloatOp::ToSigned } else { FloatOp::ToUnsigned };
        let fits = self.float_fits(mode, t, width, signed);
        let word = self.float_op(op, sort, &[mode, t]);
        let sorts = [self.sort_of(mode), self.sort_of(t)];
        let f = self.func(FLOAT_UNSPECIFIED[2 + usize::from(signed)], &sorts, sort);
        let open = self.apply(f, &[mode, t]);
        self.ite(fits, word, open)
    }

    /// The real number that a number is, case by case of its exponent; left open for NaN and infinities.
    pub fn float_to_real(&mut self, t: Term) -> Term {
        let (format, sort) = (self.format_of(t), self.sort_of(t));
        if let Some(value) = self.float_value(t).and_then(|bits| format.to_rational(&bits)) {
            return self.num(value, Sort::REAL);
        }
        let f = self.func(FLOAT_UNSPECIFIED[4], &[sort], Sort::REAL);
        let mut out = self.apply(f, &[t]);
        let (bits, stored) = (self.float_bits(t), format.significand - 1);
        let field = self.bv_extract(format.width() - 2, stored, bits);
        let fraction = self.bv_extract(stored - 1, 0, bits);
        for k in (0..(1u64 << format.exponent) - 1).rev() {
            let hidden = self.bv_u64(1, u64::from(k > 0));
            let significand = self.bv_concat(hidden, fraction);
            let digits = self.bv_to_nat(significand);
            let digits = self.to_real(digits);
            let exponent = k.max(1) as i64 - format.bias() - i64::from(stored);
            let power = Rational::pow2(exponent.unsigned_abs() as u32);
            let factor = if exponent < 0 { power.recip() } else { power };
            let value = self.scale(&factor, digits);
            let constant = self.bv_u64(format.exponent, k);
            let here = self.eq(field, constant);
            out = self.ite(here, value, out);
        }
        let negative = self.float_is_negative(t);
        let infinite = self.float_is_infinite(t);
        let finite = self.not(infinite);
        let negated = self.and(&[negative, finite]);
        let opposite = self.neg(out);
        self.ite(negated, opposite, out)
    }

    /// What the bits of an operator's result are, as a word over the bits of its operands; for a comparison, what it means.
    pub(crate) fn float_circuit(&mut self, t: Term) -> Term {
        let Op::Float(op) = self.op(t) else { unreachable!("a floating-point operator") };
        let args = self.args(t).to_vec();
        let sort = self.sort_of(t);
        let first = usize::from(op.rounds());
        let format = args[first..].iter().find_map(|&a| self.float_format(self.sort_of(a)));
        let result = self.float_format(sort);
        let format = format.or(result).expect("a floating-point operand or result");
        // Words for exponents hold those of both formats and the widths of words.
        let mut extra = 2 * self.bits_of_sort(sort).unwrap_or(0);
        for &a in &args {
            extra += 2 * self.bits_of_sort(self.sort_of(a)).unwrap_or(0);
        }
        if let Some(other) = result {
            extra += 8 * (other.bias() as u32 + 1);
        }
        let mode = args[0];
        let mut bits: Vec<Term> = Vec::with_capacity(args.len());
        for &a in &args[first..] {
            bits.push(if self.float_format(self.sort_of(a)).is_some() { self.float_bits(a) } else { a });
        }
        let (x, y) = (bits[0], bits.get(1).copied().unwrap_or(bits[0]));
        let width = self.bv_width(sort).unwrap_or(0);
        let mut c = Circuit::new(self, format, extra);
        match op {
            FloatOp::Bits => x,
            FloatOp::FromBits => c.canonical(x),
            FloatOp::Add => c.add(mode, x, y),
            FloatOp::Mul => c.mul(mode, x, y),
            FloatOp::Div => c.div(mode, x, y),
            FloatOp::Fma => c.fma(mode, x, y, bits[2]),
            FloatOp::Sqrt => c.sqrt(mode, x),
            FloatOp::Rem => c.rem(x, y),
            FloatOp::RoundToIntegral => c.round_to_integral(mode, x),
            FloatOp::ToFloat => c.convert_format(mode, x, result.unwrap_or(format)),
            FloatOp::FromUnsigned => c.of_word(mode, x, false),
            FloatOp::FromSigned => c.of_word(mode, x, true),
            FloatOp::ToUnsigned | FloatOp::ToSigned => c.round_to_word(mode, x, width),
            FloatOp::Lt => c.less(x, y, false),
            FloatOp::Le => c.less(x, y, true),
        }
    }
}

/// The value of an operator applied to values of the given sorts; `sort` is the sort of the result.
pub(crate) fn eval_op(store: &Store, op: FloatOp, sort: Sort, sorts: &[Sort], args: &[&Value]) -> Value {
    let first = usize::from(op.rounds());
    let mode = match args[0].as_data() {
        Some(d) if op.rounds() => RoundingMode::ALL[d.constructor() as usize],
        _ => RoundingMode::NearestEven,
    };
    let bits: Vec<&UBig> = args[first..]
        .iter()
        .map(|v| match v {
            Value::Bv(_, bits) => bits,
            _ => unreachable!("floating-point numbers and words"),
        })
        .collect();
    let result = store.float_format(sort);
    let operand = sorts[first..].iter().find_map(|&s| store.float_format(s));
    let format = operand.or(result).expect("a floating-point operand or result");
    let width = match op {
        FloatOp::FromSigned | FloatOp::FromUnsigned => store.bv_width(sorts[first]),
        _ => store.bv_width(sort),
    };
    let operands = Operands { mode, format, result, width: width.unwrap_or(0), args: &bits };
    match exact::evaluate(op, &operands) {
        Outcome::Truth(b) => Value::Bool(b),
        Outcome::Bits(bits) => Value::Bv(store.bits_of_sort(sort).expect("a number or a word"), bits),
    }
}
