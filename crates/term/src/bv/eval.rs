//! The value of every bit-vector operator, as SMT-LIB defines it.
//!
//! Words of at most 64 bits are computed with machine integers, wider ones with big naturals. The
//! constructors fold constants with the same function, so there is one definition of each operator.

use crate::{Op, Sort, Store, Value};
use bolide_base::Rational;
use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use std::cmp::Ordering;

/// The value of a bit-vector operator applied to values of the right sorts; `sort` is the sort of the result.
pub(crate) fn eval_op(store: &Store, op: Op, sort: Sort, args: &[&Value]) -> Value {
    let result_width = store.bv_width(sort).unwrap_or(0);
    match (op, args) {
        (Op::BvConst(n), _) => Value::Bv(result_width, natural(store.num_value(n))),
        (Op::IntToBv, [Value::Num(n)]) => Value::Bv(result_width, residue(n, result_width)),
        (Op::BvToNat, [Value::Bv(_, a)]) => Value::Num(Rational::from(a.clone())),
        (_, [Value::Bv(w, a)]) => unary(op, *w, a),
        (_, [Value::Bv(v, a), Value::Bv(w, b)]) => binary(op, *v, a, *w, b),
        _ => unreachable!("a bit-vector operator applied to bit-vectors"),
    }
}

/// The natural number that a numeral of a bit-vector constant is.
pub(crate) fn natural(n: &Rational) -> UBig {
    match n.to_i64() {
        Some(v) => UBig::from(v.unsigned_abs()),
        None => n.numer_ibig().try_into().unwrap_or(UBig::ZERO),
    }
}

/// An integer modulo `2^width`.
pub(super) fn residue(n: &Rational, width: u32) -> UBig {
    if let (Some(v), true) = (n.to_i64(), width <= 64) {
        return UBig::from(v as u64 & mask(width));
    }
    let modulus = IBig::ONE << width as usize;
    let r = n.numer_ibig() % &modulus;
    let r = if r < IBig::ZERO { r + modulus } else { r };
    r.try_into().unwrap_or(UBig::ZERO)
}

/// The word of `width <= 64` ones.
fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn machine_word(a: &UBig) -> u64 {
    u64::try_from(a).unwrap_or(u64::MAX)
}

/// A big natural cut down to a word.
fn word(width: u32, mut value: UBig) -> Value {
    value.clear_high_bits(width as usize);
    Value::Bv(width, value)
}

fn sign(width: u32, a: &UBig) -> bool {
    a.bit(width as usize - 1)
}

fn complement(width: u32, a: &UBig) -> UBig {
    UBig::ones(width as usize) ^ a
}

fn unary(op: Op, w: u32, a: &UBig) -> Value {
    match op {
        Op::Extract { hi, lo } => word(hi - lo + 1, a >> lo as usize),
        Op::Bit(i) => Value::Bool(a.bit(i as usize)),
        Op::SignExtend(n) if sign(w, a) => word(w + n, (UBig::ones(n as usize) << w as usize) + a),
        Op::SignExtend(n) => word(w + n, a.clone()),
        Op::BvNot => word(w, complement(w, a)),
        Op::BvNeg => word(w, complement(w, a) + UBig::ONE),
        _ => unreachable!("a unary bit-vector operator"),
    }
}

fn binary(op: Op, v: u32, a: &UBig, w: u32, b: &UBig) -> Value {
    if op == Op::Concat {
        return word(v + w, (a << w as usize) + b);
    }
    debug_assert_eq!(v, w, "operands of one width");
    match op {
        Op::BvUlt => Value::Bool(a < b),
        Op::BvUle => Value::Bool(a <= b),
        Op::BvSlt => Value::Bool(signed_order(w, a, b) == Ordering::Less),
        Op::BvSle => Value::Bool(signed_order(w, a, b) != Ordering::Greater),
        _ if w <= 64 => {
            let value = machine(op, w, machine_word(a), machine_word(b));
            Value::Bv(w, UBig::from(value & mask(w)))
        }
        _ => word(w, big(op, w, a, b)),
    }
}

/// Negative numbers come first; within one sign the order is that of the naturals.
fn signed_order(w: u32, a: &UBig, b: &UBig) -> Ordering {
    sign(w, b).cmp(&sign(w, a)).then_with(|| a.cmp(b))
}

/// A binary operator on words of at most 64 bits; bits beyond the width are to be ignored.
fn machine(op: Op, w: u32, a: u64, b: u64) -> u64 {
    let in_range = b < u64::from(w);
    match op {
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::BvAdd => a.wrapping_add(b),
        Op::BvMul => a.wrapping_mul(b),
        Op::BvUdiv => a.checked_div(b).unwrap_or(u64::MAX),
        Op::BvUrem => a.checked_rem(b).unwrap_or(a),
        Op::BvShl if in_range => a << b,
        Op::BvLshr if in_range => a >> b,
        Op::BvShl | Op::BvLshr => 0,
        Op::BvAshr => {
            // The sign bit moved to the top of the machine word, whose own shift then does the rest.
            let unused = 64 - w;
            ((a << unused) as i64 >> unused >> b.min(63)) as u64
        }
        _ => unreachable!("a binary bit-vector operator"),
    }
}

/// A binary operator on words of any width; bits beyond the width are to be ignored.
fn big(op: Op, w: u32, a: &UBig, b: &UBig) -> UBig {
    let ones = || UBig::ones(w as usize);
    let amount = usize::try_from(b).ok().filter(|&n| n < w as usize);
    match op {
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::BvAdd => a + b,
        Op::BvMul => a * b,
        Op::BvUdiv => {
            if b.is_zero() {
                ones()
            } else {
                a / b
            }
        }
        Op::BvUrem => {
            if b.is_zero() {
                a.clone()
            } else {
                a % b
            }
        }
        Op::BvShl => amount.map_or(UBig::ZERO, |n| a << n),
        Op::BvLshr => amount.map_or(UBig::ZERO, |n| a >> n),
        Op::BvAshr if sign(w, a) => ones() ^ amount.map_or(UBig::ZERO, |n| complement(w, a) >> n),
        Op::BvAshr => amount.map_or(UBig::ZERO, |n| a >> n),
        _ => unreachable!("a binary bit-vector operator"),
    }
}
