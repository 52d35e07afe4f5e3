//! The sorts and the circuits of operators.

use super::words::{self, Word};
use super::{Flaw, Sort};
use bolide_model::circuit::{Aig, Bit};
use flussab_btor2::btor2::{BinaryOp, TernaryOp, UnaryOp};

/// A value: its sort and its bits, lowest first, the elements of an array one after the other.
#[derive(Clone, Debug)]
pub struct Value {
    pub sort: Sort,
    pub bits: Word,
}

/// The circuits of multiplication and division are quadratic in the width, and so they have a limit.
const MAX_PRODUCT_WIDTH: usize = 2048;

fn word(sort: Sort) -> Result<usize, Flaw> {
    match sort {
        Sort::Word(width) => Ok(width),
        Sort::Array { .. } | Sort::Memory { .. } => Err("an array where a word is expected".into()),
    }
}

fn boolean(value: &Value) -> Result<Bit, Flaw> {
    match (value.sort, value.bits.as_slice()) {
        (Sort::Word(1), &[bit]) => Ok(bit),
        _ => Err("expected a word of one bit".into()),
    }
}

fn size(number: u64) -> Result<usize, Flaw> {
    usize::try_from(number).map_err(|_| format!("{number} is too large").into())
}

/// The value of a unary operator, and its sort.
pub fn unary(aig: &mut Aig, op: UnaryOp, a: &Value) -> Result<Value, Flaw> {
    let width = word(a.sort)?;
    let one = || words::constant(width, 1);
    let bits = match op {
        UnaryOp::Uext(by) | UnaryOp::Sext(by) => {
            let by = size(by)?;
            if by > super::build::MAX_WIDTH {
                return Err(Flaw::TooLarge(format!("an extension by {by} bits is too large")));
            }
            if matches!(op, UnaryOp::Uext(_)) { words::uext(&a.bits, by) } else { words::sext(&a.bits, by) }
        }
        UnaryOp::Slice(upper, lower) => {
            let (upper, lower) = (size(upper)?, size(lower)?);
            if lower > upper || upper >= width {
                return Err(format!("bits {upper} to {lower} of a word of {width} bits").into());
            }
            a.bits[lower..=upper].to_vec()
        }
        UnaryOp::Not => words::not(&a.bits),
        UnaryOp::Inc => words::add(aig, &a.bits, &one(), Bit::FALSE).0,
        UnaryOp::Dec => words::sub(aig, &a.bits, &one()),
        UnaryOp::Neg => words::neg(aig, &a.bits),
        UnaryOp::Redand => vec![aig.and_all(&a.bits)],
        UnaryOp::Redor => vec![aig.or_all(&a.bits)],
        UnaryOp::Redxor => vec![a.bits.iter().fold(Bit::FALSE, |parity, &bit| aig.xor(parity, bit))],
    };
    Ok(Value { sort: Sort::Word(bits.len()), bits })
}

/// The value of a binary operator, and its sort.
pub fn binary(aig: &mut Aig, op: BinaryOp, a: &Value, b: &Value) -> Result<Value, Flaw> {
    let bits = match op {
        BinaryOp::Read => return read(aig, a, b),
        BinaryOp::Concat => {
            word(a.sort)?;
            word(b.sort)?;
            let mut bits = b.bits.clone();
            bits.extend_from_slice(&a.bits);
            bits
        }
        BinaryOp::Iff | BinaryOp::Implies => {
            let (a, b) = (boolean(a)?, boolean(b)?);
            vec![if op == BinaryOp::Iff { aig.iff(a, b) } else { aig.or(!a, b) }]
        }
        BinaryOp::Eq | BinaryOp::Neq => {
            if a.sort != b.sort {
                return Err("the operands have different sorts".into());
            }
            if matches!(a.sort, Sort::Memory { .. }) {
                return Err(Flaw::Unsupported("large arrays cannot be compared".into()));
            }
            vec![words::eq(aig, &a.bits, &b.bits) ^ (op == BinaryOp::Neq)]
        }
        _ => {
            let width = word(a.sort)?;
            if a.sort != b.sort {
                return Err("the operands have different sorts".into());
            }
            on_words(aig, op, width, &a.bits, &b.bits)?
        }
    };
    Ok(Value { sort: Sort::Word(bits.len()), bits })
}

/// An operator on two words of the same width.
fn on_words(aig: &mut Aig, op: BinaryOp, width: usize, a: &[Bit], b: &[Bit]) -> Result<Word, Flaw> {
    use BinaryOp::*;
    let is_product = matches!(op, Mul | Udiv | Sdiv | Smod | Urem | Srem | Umulo | Smulo);
    if is_product && width > MAX_PRODUCT_WIDTH {
        return Err(format!(
            "products and quotients of more than {MAX_PRODUCT_WIDTH} bits are not supported"
        )
        .into());
    }
    Ok(match op {
        Ult => vec![words::ult(aig, a, b)],
        Ugt => vec![words::ult(aig, b, a)],
        Ulte => vec![!words::ult(aig, b, a)],
        Ugte => vec![!words::ult(aig, a, b)],
        Slt => vec![words::slt(aig, a, b)],
        Sgt => vec![words::slt(aig, b, a)],
        Slte => vec![!words::slt(aig, b, a)],
        Sgte => vec![!words::slt(aig, a, b)],
        And => words::map2(aig, a, b, Aig::and),
        Nand => words::map2(aig, a, b, |aig, x, y| !aig.and(x, y)),
        Or => words::map2(aig, a, b, Aig::or),
        Nor => words::map2(aig, a, b, |aig, x, y| !aig.or(x, y)),
        Xor => words::map2(aig, a, b, Aig::xor),
        Xnor => words::map2(aig, a, b, Aig::iff),
        Rol => words::rol(aig, a, b),
        Ror => words::ror(aig, a, b),
        Sll => words::sll(aig, a, b),
        Srl => words::srl(aig, a, b),
        Sra => words::sra(aig, a, b),
        Add => words::add(aig, a, b, Bit::FALSE).0,
        Sub => words::sub(aig, a, b),
        Mul => words::mul(aig, a, b),
        Udiv => words::udivrem(aig, a, b).0,
        Urem => words::udivrem(aig, a, b).1,
        Sdiv => words::sdiv(aig, a, b),
        Srem => words::srem(aig, a, b),
        Smod => words::smod(aig, a, b),
        Uaddo => vec![words::uaddo(aig, a, b)],
        Saddo => vec![words::saddo(aig, a, b)],
        Usubo => vec![words::ult(aig, a, b)],
        Ssubo => vec![words::ssubo(aig, a, b)],
        Umulo => vec![words::umulo(aig, a, b)],
        Smulo => vec![words::smulo(aig, a, b)],
        Sdivo => vec![words::sdivo(aig, a, b)],
        // Handled by the caller.
        Iff | Implies | Eq | Neq | Concat | Read => return Err("not an operator on words".into()),
    })
}

fn read(aig: &mut Aig, array: &Value, index: &Value) -> Result<Value, Flaw> {
    let Sort::Array { index: index_width, element } = array.sort else {
        return Err("a word where an array is expected".into());
    };
    if index.sort != Sort::Word(index_width) {
        return Err(format!("the index does not have {index_width} bits").into());
    }
    let bits = words::read(aig, &array.bits, element, &index.bits);
    Ok(Value { sort: Sort::Word(element), bits })
}

/// The value of a ternary operator, and its sort.
pub fn ternary(aig: &mut Aig, op: TernaryOp, [a, b, c]: [&Value; 3]) -> Result<Value, Flaw> {
    match op {
        TernaryOp::Ite => {
            let condition = boolean(a)?;
            if b.sort != c.sort {
                return Err("the branches have different sorts".into());
            }
            Ok(Value { sort: b.sort, bits: words::ite(aig, condition, &b.bits, &c.bits) })
        }
        TernaryOp::Write => {
            let Sort::Array { index, element } = a.sort else {
                return Err("a word where an array is expected".into());
            };
            if b.sort != Sort::Word(index) || c.sort != Sort::Word(element) {
                return Err(
                    format!("expected an index of {index} bits and an element of {element} bits").into()
                );
            }
            Ok(Value { sort: a.sort, bits: words::write(aig, &a.bits, &b.bits, &c.bits) })
        }
    }
}
