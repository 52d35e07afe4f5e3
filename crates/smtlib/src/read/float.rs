//! Sorts, constants and functions of the theory of floating-point numbers.

use super::builtin::{Builtin, Indexed};
use super::sort::check_width;
use super::term::{Head, Parser};
use crate::error::{Error, Span};
use bolide_term::{FloatFormat, FloatOp, RoundingMode, Sort, Store, Term, UBig};

/// Conversions to real numbers are written out by exponents, of which there may not be more than this many bits.
const MAX_REAL_EXPONENT: u32 = 8;

/// The format that the name of a sort stands for.
fn named_format(name: &str) -> Option<FloatFormat> {
    Some(match name {
        "Float16" => FloatFormat::HALF,
        "Float32" => FloatFormat::SINGLE,
        "Float64" => FloatFormat::DOUBLE,
        "Float128" => FloatFormat::QUAD,
        _ => return None,
    })
}

/// A predicate on one number.
type Predicate = fn(&mut Store, Term) -> Term;

/// The predicate of a name.
fn predicate(builtin: Builtin) -> Option<Predicate> {
    use Builtin::*;
    Some(match builtin {
        FpIsNormal => Store::float_is_normal,
        FpIsSubnormal => Store::float_is_subnormal,
        FpIsZero => Store::float_is_zero,
        FpIsInfinite => Store::float_is_infinite,
        FpIsNan => Store::float_is_nan,
        FpIsNegative => Store::float_is_negative,
        FpIsPositive => Store::float_is_positive,
        _ => return None,
    })
}

impl Parser<'_, '_> {
    /// The sort of the theory that a symbol names if nothing else has this name.
    pub(super) fn float_sort_named(&mut self, name: &str) -> Option<Sort> {
        if name == "RoundingMode" {
            return Some(self.store.rounding_mode_sort());
        }
        named_format(name).map(|format| self.store.float_sort(format))
    }

    /// The constant of the theory that a symbol names if nothing else has this name.
    pub(super) fn rounding_mode_named(&mut self, name: &str) -> Option<Term> {
        let mode = RoundingMode::ALL.into_iter().find(|m| m.name() == name || m.long_name() == name)?;
        Some(self.store.rounding_mode(mode))
    }

    fn check_format(exponent: u32, significand: u32, span: Span) -> Result<FloatFormat, Error> {
        let fits = (2..=FloatFormat::MAX_EXPONENT).contains(&exponent)
            && (2..=FloatFormat::MAX_SIGNIFICAND).contains(&significand);
        if fits {
            return Ok(FloatFormat { exponent, significand });
        }
        let message = format!(
            "a floating-point format has 2 to {} bits of exponent and 2 to {} bits of significand",
            FloatFormat::MAX_EXPONENT,
            FloatFormat::MAX_SIGNIFICAND
        );
        Err(Error::new(span, message))
    }

    /// The two indices of a format, and the parenthesis that closes them.
    pub(super) fn format_indices(&mut self) -> Result<FloatFormat, Error> {
        let exponent = self.index()?;
        let significand = self.index()?;
        let span = self.lexer.span();
        self.close()?;
        Self::check_format(exponent, significand, span)
    }

    /// `(_ NaN e s)` and its like, of which the name has been read; nothing if there is no such name.
    pub(super) fn float_constant(&mut self, name: &str) -> Option<Result<Term, Error>> {
        let bits: fn(FloatFormat) -> UBig = match name {
            "+oo" => |f| f.infinity(false),
            "-oo" => |f| f.infinity(true),
            "+zero" => |f| f.zero(false),
            "-zero" => |f| f.zero(true),
            "NaN" => FloatFormat::nan,
            _ => return None,
        };
        Some(self.format_indices().map(|format| self.store.float_const(format, bits(format))))
    }

    /// The format of an argument that must be a floating-point number.
    fn format_of(&self, first: usize, i: usize, head: Head) -> Result<FloatFormat, Error> {
        let sort = self.store.sort_of(self.stacks.terms[first + i]);
        self.store
            .float_format(sort)
            .ok_or_else(|| self.argument_error(first, i, "a floating-point number", head))
    }

    /// The arguments from number `from` on must be so many floating-point numbers of one format.
    fn numbers(
        &mut self,
        first: usize,
        from: usize,
        count: usize,
        head: Head,
        span: Span,
    ) -> Result<(), Error> {
        self.arity(first, from + count, head, span)?;
        for i in from..from + count {
            self.format_of(first, i, head)?;
        }
        self.unify(first, from, head)
    }

    /// The first argument must be a rounding mode.
    fn mode(&mut self, first: usize, head: Head, span: Span) -> Result<Term, Error> {
        self.arity_at_least(first, 1, head, span)?;
        let sort = self.store.rounding_mode_sort();
        self.expect_argument(first, 0, sort, head)?;
        Ok(self.stacks.terms[first])
    }

    pub(super) fn apply_float(&mut self, builtin: Builtin, first: usize, span: Span) -> Result<Term, Error> {
        use Builtin::*;
        let head = Head::Builtin(builtin);
        if let Some(predicate) = predicate(builtin) {
            self.numbers(first, 0, 1, head, span)?;
            return Ok(predicate(self.store, self.stacks.terms[first]));
        }
        match builtin {
            Fp => self.apply_fp(first, head, span),
            FpAbs | FpNeg | FpToIeeeBv | FpToReal => {
                self.numbers(first, 0, 1, head, span)?;
                let x = self.stacks.terms[first];
                match builtin {
                    FpAbs => Ok(self.store.float_abs(x)),
                    FpNeg => Ok(self.store.float_neg(x)),
                    FpToIeeeBv => Ok(self.store.float_bits(x)),
                    _ => self.real_number(x, span),
                }
            }
            FpRem | FpMin | FpMax => {
                self.numbers(first, 0, 2, head, span)?;
                let [x, y] = self.arguments(first);
                let sort = self.store.sort_of(x);
                Ok(match builtin {
                    FpRem => self.store.float_op(FloatOp::Rem, sort, &[x, y]),
                    _ => self.store.float_extremum(x, y, builtin == FpMax),
                })
            }
            FpLeq | FpLt | FpGeq | FpGt | FpEq => {
                self.arity_at_least(first, 2, head, span)?;
                for i in 0..self.count(first) {
                    self.format_of(first, i, head)?;
                }
                self.unify(first, 0, head)?;
                Ok(self.chain(
                    first,
                    match builtin {
                        FpLeq => Store::float_le,
                        FpLt => Store::float_lt,
                        FpGeq => |s: &mut Store, a, b| s.float_le(b, a),
                        FpGt => |s: &mut Store, a, b| s.float_lt(b, a),
                        _ => Store::float_eq,
                    },
                ))
            }
            _ => {
                let mode = self.mode(first, head, span)?;
                let (op, count) = match builtin {
                    FpAdd | FpSub => (FloatOp::Add, 2),
                    FpMul => (FloatOp::Mul, 2),
                    FpDiv => (FloatOp::Div, 2),
                    FpFma => (FloatOp::Fma, 3),
                    FpSqrt => (FloatOp::Sqrt, 1),
                    _ => (FloatOp::RoundToIntegral, 1),
                };
                self.numbers(first, 1, count, head, span)?;
                let mut args = self.stacks.terms[first..].to_vec();
                if builtin == FpSub {
                    return Ok(self.store.float_sub(mode, args[1], args[2]));
                }
                args[0] = mode;
                Ok(self.store.float_op(op, self.store.sort_of(args[1]), &args))
            }
        }
    }

    /// `(fp s e m)`.
    fn apply_fp(&mut self, first: usize, head: Head, span: Span) -> Result<Term, Error> {
        self.arity(first, 3, head, span)?;
        let [sign, exponent, fraction] = self.arguments(first);
        let mut widths = [0; 3];
        for (i, width) in widths.iter_mut().enumerate() {
            let sort = self.store.sort_of(self.stacks.terms[first + i]);
            let bits = self.store.bv_width(sort);
            *width = bits.ok_or_else(|| self.argument_error(first, i, "a bit-vector", head))?;
        }
        if widths[0] != 1 {
            return Err(self.argument_error(first, 0, "(_ BitVec 1)", head));
        }
        let format = Self::check_format(widths[1], widths[2] + 1, span)?;
        let high = self.store.bv_concat(sign, exponent);
        let bits = self.store.bv_concat(high, fraction);
        Ok(self.store.float_from_bits(format, bits))
    }

    fn real_number(&mut self, x: Term, span: Span) -> Result<Term, Error> {
        let format = self.store.float_format(self.store.sort_of(x));
        let too_large =
            self.store.float_value(x).is_none() && format.is_none_or(|f| f.exponent > MAX_REAL_EXPONENT);
        if too_large {
            let message = format!(
                "`fp.to_real` of a format with more than {MAX_REAL_EXPONENT} bits of exponent is not supported"
            );
            return Err(Error::new(span, message));
        }
        Ok(self.store.float_to_real(x))
    }

    /// `(_ to_fp e s)` and the other conversions with indices.
    pub(super) fn apply_float_conversion(
        &mut self,
        indexed: Indexed,
        (i, j): (u32, u32),
        first: usize,
        span: Span,
    ) -> Result<Term, Error> {
        let head = Head::Indexed(indexed, i, j);
        if let Indexed::FpToUbv | Indexed::FpToSbv = indexed {
            check_width(u64::from(i), span)?;
            let mode = self.mode(first, head, span)?;
            self.numbers(first, 1, 1, head, span)?;
            let signed = indexed == Indexed::FpToSbv;
            return Ok(self.store.float_to_word(mode, self.stacks.terms[first + 1], i, signed));
        }
        let format = Self::check_format(i, j, span)?;
        let sort = self.store.float_sort(format);
        if indexed == Indexed::ToFp && self.count(first) == 1 {
            let bits = self.store.bv_sort(format.width());
            self.expect_argument(first, 0, bits, head)?;
            return Ok(self.store.float_from_bits(format, self.stacks.terms[first]));
        }
        let mode = self.mode(first, head, span)?;
        self.arity(first, 2, head, span)?;
        let x = self.stacks.terms[first + 1];
        let from = self.store.sort_of(x);
        if self.store.bv_width(from).is_some() {
            let op = if indexed == Indexed::ToFp { FloatOp::FromSigned } else { FloatOp::FromUnsigned };
            return Ok(self.store.float_op(op, sort, &[mode, x]));
        }
        if indexed == Indexed::ToFpUnsigned {
            return Err(self.argument_error(first, 1, "a bit-vector", head));
        }
        if self.store.float_format(from).is_some() {
            return Ok(self.store.float_to_float(mode, x, format));
        }
        if !from.is_arith() {
            return Err(self.argument_error(first, 1, "a number or a bit-vector", head));
        }
        match self.store.as_num(x).cloned() {
            Some(value) => Ok(self.store.float_from_rational(mode, &value, format)),
            None => Err(Error::new(span, "`to_fp` of a real number that is not a constant is not supported")),
        }
    }
}
