//! Applications of bit-vector functions.

use super::apply::Binary;
use super::builtin::{Builtin, Indexed};
use super::sort::check_width;
use super::term::{Head, Parser};
use crate::error::{Error, Span};
use bolide_term::{Sort, Store, Term};

/// How a bit-vector function takes its arguments.
enum Shape {
    Unary(fn(&mut Store, Term) -> Term),
    /// Two arguments of one width.
    Binary(Binary),
    /// Two or more arguments of one width, associating to the left.
    LeftAssociative(Binary),
}

/// The constructor of a bit-vector function other than `concat`.
fn shape(builtin: Builtin) -> Option<Shape> {
    use Builtin::*;
    Some(match builtin {
        BvNot => Shape::Unary(Store::bv_not),
        BvNeg => Shape::Unary(Store::bv_neg),
        BvNegO => Shape::Unary(Store::bv_nego),
        BvToNat | UbvToInt => Shape::Unary(Store::bv_to_nat),
        SbvToInt => Shape::Unary(Store::sbv_to_int),
        BvAnd => Shape::LeftAssociative(Store::bv_and),
        BvOr => Shape::LeftAssociative(Store::bv_or),
        BvXor => Shape::LeftAssociative(Store::bv_xor),
        BvAdd => Shape::LeftAssociative(Store::bv_add),
        BvMul => Shape::LeftAssociative(Store::bv_mul),
        BvNand => Shape::Binary(Store::bv_nand),
        BvNor => Shape::Binary(Store::bv_nor),
        BvXnor => Shape::LeftAssociative(Store::bv_xnor),
        BvComp => Shape::Binary(Store::bv_comp),
        BvSub => Shape::LeftAssociative(Store::bv_sub),
        // The names that z3 gives to the same functions where it knows that nothing is divided by zero.
        BvUdiv | BvUdivI => Shape::Binary(Store::bv_udiv),
        BvUrem | BvUremI => Shape::Binary(Store::bv_urem),
        BvSdiv | BvSdivI => Shape::Binary(Store::bv_sdiv),
        BvSrem | BvSremI => Shape::Binary(Store::bv_srem),
        BvSmod | BvSmodI => Shape::Binary(Store::bv_smod),
        BvShl => Shape::Binary(Store::bv_shl),
        BvLshr => Shape::Binary(Store::bv_lshr),
        BvAshr => Shape::Binary(Store::bv_ashr),
        BvUlt => Shape::Binary(Store::bv_ult),
        BvUle => Shape::Binary(Store::bv_ule),
        BvUgt => Shape::Binary(Store::bv_ugt),
        BvUge => Shape::Binary(Store::bv_uge),
        BvSlt => Shape::Binary(Store::bv_slt),
        BvSle => Shape::Binary(Store::bv_sle),
        BvSgt => Shape::Binary(Store::bv_sgt),
        BvSge => Shape::Binary(Store::bv_sge),
        BvUaddO => Shape::Binary(Store::bv_uaddo),
        BvSaddO => Shape::Binary(Store::bv_saddo),
        BvUsubO => Shape::Binary(Store::bv_usubo),
        BvSsubO => Shape::Binary(Store::bv_ssubo),
        BvUmulO => Shape::Binary(Store::bv_umulo),
        BvSmulO => Shape::Binary(Store::bv_smulo),
        BvSdivO => Shape::Binary(Store::bv_sdivo),
        _ => return None,
    })
}

impl Parser<'_, '_> {
    pub(super) fn apply_bit_vector(
        &mut self,
        builtin: Builtin,
        first: usize,
        span: Span,
    ) -> Result<Term, Error> {
        let head = Head::Builtin(builtin);
        self.arity_at_least(first, 1, head, span)?;
        for i in 0..self.count(first) {
            self.width_of(first, i, head)?;
        }
        match shape(builtin) {
            Some(Shape::Unary(operation)) => {
                self.arity(first, 1, head, span)?;
                Ok(operation(self.store, self.stacks.terms[first]))
            }
            Some(Shape::Binary(operation)) => {
                self.arity(first, 2, head, span)?;
                self.unify(first, 0, head)?;
                let [a, b] = self.arguments(first);
                Ok(operation(self.store, a, b))
            }
            Some(Shape::LeftAssociative(operation)) => {
                self.arity_at_least(first, 2, head, span)?;
                self.unify(first, 0, head)?;
                Ok(self.fold_left(first, operation))
            }
            // What is left is `concat`.
            None => {
                self.arity_at_least(first, 2, head, span)?;
                let mut width = 0;
                for i in 0..self.count(first) {
                    width += u64::from(self.width_of(first, i, head)?);
                }
                check_width(width, span)?;
                Ok(self.fold_left(first, Store::bv_concat))
            }
        }
    }

    pub(super) fn apply_indexed(
        &mut self,
        indexed: Indexed,
        i: u32,
        j: u32,
        first: usize,
        span: Span,
    ) -> Result<Term, Error> {
        if let Indexed::ToFp | Indexed::ToFpUnsigned | Indexed::FpToUbv | Indexed::FpToSbv = indexed {
            return self.apply_float_conversion(indexed, (i, j), first, span);
        }
        let head = Head::Indexed(indexed, i, j);
        self.arity(first, 1, head, span)?;
        if let Indexed::Int2Bv | Indexed::Nat2Bv | Indexed::IntToBv = indexed {
            self.expect_argument(first, 0, Sort::INT, head)?;
            check_width(u64::from(i), span)?;
            return Ok(self.store.int_to_bv(i, self.stacks.terms[first]));
        }
        let width = self.width_of(first, 0, head)?;
        let term = self.stacks.terms[first];
        let (long_width, long_i) = (u64::from(width), u64::from(i));
        match indexed {
            Indexed::Extract => {
                if i < j || i >= width {
                    let message = format!("bits {i} to {j} cannot be extracted from {width} bits");
                    return Err(Error::new(span, message));
                }
                Ok(self.store.bv_extract(i, j, term))
            }
            Indexed::ZeroExtend => {
                check_width(long_width + long_i, span)?;
                Ok(self.store.bv_zero_extend(i, term))
            }
            Indexed::SignExtend => {
                check_width(long_width + long_i, span)?;
                Ok(self.store.bv_sign_extend(i, term))
            }
            Indexed::Repeat => {
                check_width(long_width * long_i, span)?;
                Ok(self.store.bv_repeat(i, term))
            }
            Indexed::RotateLeft => Ok(self.store.bv_rotate_left(i % width, term)),
            _ => Ok(self.store.bv_rotate_right(i % width, term)),
        }
    }

    /// The width of an argument that must be a bit-vector.
    fn width_of(&self, first: usize, i: usize, head: Head) -> Result<u32, Error> {
        let sort = self.store.sort_of(self.stacks.terms[first + i]);
        self.store.bv_width(sort).ok_or_else(|| self.argument_error(first, i, "a bit-vector", head))
    }
}
