//! Bit-vectors: constants, simplifying constructors and evaluation.
//!
//! Every operator of the SMT-LIB theory `FixedSizeBitVectors` has a constructor. The ones that are not an
//! [`Op`] are written with the others: subtraction as addition of a negation, signed division through
//! magnitudes, rotations as concatenations of slices, overflow predicates as comparisons.
//!
//! **Normal form.** Constants are folded by the same function that evaluates terms under a model. Arguments
//! of commutative operators are ordered by index, a constant summand, factor or mask stands at the outermost
//! node of its chain. Shifts, divisions and remainders by suitable constants are slices. Comparisons are
//! always `BvUle` or `BvSle` (a strict one is the negated converse), with a constant on the right, so that
//! one constraint is one atom however it was written.
//!
//! **Every rewrite is local**: a constructor looks at a bounded number of nodes below its arguments, or
//! follows a single path with a loop; nothing recurses over the depth of a term. `Op::Bit` arises from
//! [`Store::bv_bit`] and from the signed and overflow operators, which test sign bits, and from nothing else.
//!
//! * `chain`: the place of constants under associative and commutative operators
//! * `bitwise`: complement, and, or, exclusive or
//! * `slice`: concatenation, extraction, extension, rotation, single bits
//! * `arith`: negation, addition, multiplication, unsigned and signed division
//! * `shift`: shifts
//! * `compare`: comparisons, equality, overflow predicates
//! * `convert`: to and from integers
//! * `eval`: the value of every operator

mod arith;
mod bitwise;
mod chain;
mod compare;
mod convert;
mod eval;
mod shift;
mod slice;
#[cfg(test)]
pub(crate) mod testkit;
#[cfg(test)]
mod tests;

pub(crate) use eval::{eval_op, natural};

use crate::{Op, Sort, Store, Term, Value};
use bolide_base::Rational;
use dashu_int::UBig;
use dashu_int::ops::BitTest;

impl Store {
    /// The bit-vector constant of a width; the value is taken modulo `2^width`.
    pub fn bv_const(&mut self, width: u32, mut value: UBig) -> Term {
        value.clear_high_bits(width as usize);
        let n = self.num_id(Rational::from(value));
        let sort = self.bv_sort(width);
        self.intern(Op::BvConst(n), sort, &[])
    }

    /// The bit-vector constant of a width with a small value, taken modulo `2^width`.
    pub fn bv_u64(&mut self, width: u32, value: u64) -> Term {
        self.bv_const(width, UBig::from(value))
    }

    /// The bit-vector of a width whose bits are all 0.
    pub fn bv_zero(&mut self, width: u32) -> Term {
        self.bv_u64(width, 0)
    }

    /// The bit-vector of a width whose bits are all 1.
    pub fn bv_ones(&mut self, width: u32) -> Term {
        self.bv_const(width, UBig::ones(width as usize))
    }

    /// The natural number that a bit-vector constant denotes, if the term is one.
    pub fn bv_value(&self, t: Term) -> Option<UBig> {
        match self.op(t) {
            Op::BvConst(n) => Some(eval::natural(self.num_value(n))),
            _ => None,
        }
    }

    fn is_bv_const(&self, t: Term) -> bool {
        matches!(self.op(t), Op::BvConst(_))
    }

    fn is_bv_zero(&self, t: Term) -> bool {
        matches!(self.op(t), Op::BvConst(n) if self.num_value(n).is_zero())
    }

    fn is_bv_one(&self, t: Term) -> bool {
        matches!(self.op(t), Op::BvConst(n) if self.num_value(n).is_one())
    }

    fn is_bv_ones(&self, t: Term) -> bool {
        self.bv_value(t).is_some_and(|v| v == UBig::ones(self.width(t) as usize))
    }

    /// The exponent of a constant that is a power of two.
    fn bv_log2(&self, t: Term) -> Option<u32> {
        let v = self.bv_value(t)?;
        let log = v.bit_len().checked_sub(1)?;
        (v == UBig::ONE << log).then_some(log as u32)
    }

    /// The operator applied to constants, evaluated; nothing if some argument is not a constant.
    fn bv_fold(&mut self, op: Op, sort: Sort, args: &[Term]) -> Option<Term> {
        let value = |i: usize| -> Option<Value> {
            let t = *args.get(i)?;
            Some(Value::Bv(self.width(t), self.bv_value(t)?))
        };
        let folded = match args.len() {
            1 => eval_op(self, op, sort, &[&value(0)?]),
            2 => eval_op(self, op, sort, &[&value(0)?, &value(1)?]),
            _ => return None,
        };
        Some(folded.to_term(self, sort))
    }

    /// A commutative node: arguments ordered by index.
    fn bv_commutative(&mut self, op: Op, a: Term, b: Term) -> Term {
        let sort = self.sort_of(a);
        self.intern(op, sort, &[a.min(b), a.max(b)])
    }

    /// The other argument of a binary node with operator `op`, one of whose arguments is `a`.
    fn bv_other(&self, op: Op, t: Term, a: Term) -> Option<Term> {
        if self.op(t) != op {
            return None;
        }
        match (self.arg(t, 0) == a, self.arg(t, 1) == a) {
            (true, _) => Some(self.arg(t, 1)),
            (_, true) => Some(self.arg(t, 0)),
            _ => None,
        }
    }

    /// Is one of the two the result of the unary operator `op` on the other?
    fn bv_opposites(&self, op: Op, a: Term, b: Term) -> bool {
        (self.op(a) == op && self.arg(a, 0) == b) || (self.op(b) == op && self.arg(b, 0) == a)
    }
}
