//! Arithmetic on words: slices of bits, lowest first. Both operands have the same width.

use bolide_model::circuit::{Aig, Bit};

pub type Word = Vec<Bit>;

pub fn not(word: &[Bit]) -> Word {
    word.iter().map(|&bit| !bit).collect()
}

pub fn map2(aig: &mut Aig, a: &[Bit], b: &[Bit], op: impl Fn(&mut Aig, Bit, Bit) -> Bit) -> Word {
    a.iter().zip(b).map(|(&x, &y)| op(aig, x, y)).collect()
}

pub fn ite(aig: &mut Aig, condition: Bit, then: &[Bit], other: &[Bit]) -> Word {
    map2(aig, then, other, |aig, x, y| aig.ite(condition, x, y))
}

pub fn eq(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Bit {
    let same = map2(aig, a, b, Aig::iff);
    aig.and_all(&same)
}

pub fn constant(width: usize, value: u128) -> Word {
    (0..width).map(|bit| Bit::constant(bit < 128 && value >> bit & 1 == 1)).collect()
}

/// Sum and carry.
pub fn add(aig: &mut Aig, a: &[Bit], b: &[Bit], mut carry: Bit) -> (Word, Bit) {
    let mut sum = Word::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let half = aig.xor(x, y);
        sum.push(aig.xor(half, carry));
        let (both, through) = (aig.and(x, y), aig.and(half, carry));
        carry = aig.or(both, through);
    }
    (sum, carry)
}

pub fn sub(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Word {
    add(aig, a, &not(b), Bit::TRUE).0
}

pub fn neg(aig: &mut Aig, a: &[Bit]) -> Word {
    let zero = vec![Bit::FALSE; a.len()];
    sub(aig, &zero, a)
}

/// Unsigned less than: the subtraction borrows.
pub fn ult(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Bit {
    let mut less = Bit::FALSE;
    for (&x, &y) in a.iter().zip(b) {
        let differ = aig.xor(x, y);
        less = aig.ite(differ, y, less);
    }
    less
}

/// Signed less than: unsigned with the signs exchanged.
pub fn slt(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Bit {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    if let (Some(x), Some(y)) = (a.last_mut(), b.last_mut()) {
        std::mem::swap(x, y);
    }
    ult(aig, &a, &b)
}

/// The product modulo the width of `a`.
pub fn mul(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Word {
    let mut product = vec![Bit::FALSE; a.len()];
    for (shift, &factor) in b.iter().enumerate().take(a.len()) {
        let row: Word = a[..a.len() - shift].iter().map(|&bit| aig.and(bit, factor)).collect();
        let (sum, _) = add(aig, &product[shift..], &row, Bit::FALSE);
        product.truncate(shift);
        product.extend(sum);
    }
    product
}

/// Quotient and remainder; by zero all ones and the dividend, as long division gives.
pub fn udivrem(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> (Word, Word) {
    let width = a.len();
    // One more bit, so that the shifted remainder fits.
    let mut divisor = b.to_vec();
    divisor.push(Bit::FALSE);
    let mut remainder = vec![Bit::FALSE; width + 1];
    let mut quotient = vec![Bit::FALSE; width];
    for step in (0..width).rev() {
        remainder.pop();
        remainder.insert(0, a[step]);
        let less = ult(aig, &remainder, &divisor);
        quotient[step] = !less;
        let difference = sub(aig, &remainder, &divisor);
        remainder = ite(aig, less, &remainder, &difference);
    }
    remainder.pop();
    (quotient, remainder)
}

fn sign(word: &[Bit]) -> Bit {
    word.last().copied().unwrap_or(Bit::FALSE)
}

fn negate_if(aig: &mut Aig, condition: Bit, word: &[Bit]) -> Word {
    let negated = neg(aig, word);
    ite(aig, condition, &negated, word)
}

fn magnitudes(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> (Word, Word) {
    (negate_if(aig, sign(a), a), negate_if(aig, sign(b), b))
}

pub fn sdiv(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Word {
    let (x, y) = magnitudes(aig, a, b);
    let (quotient, _) = udivrem(aig, &x, &y);
    let differ = aig.xor(sign(a), sign(b));
    negate_if(aig, differ, &quotient)
}

/// The remainder has the sign of the dividend.
pub fn srem(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Word {
    let (x, y) = magnitudes(aig, a, b);
    let (_, remainder) = udivrem(aig, &x, &y);
    negate_if(aig, sign(a), &remainder)
}

/// The remainder has the sign of the divisor.
pub fn smod(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Word {
    let remainder = srem(aig, a, b);
    let zero = !aig.or_all(&remainder);
    let differ = aig.xor(sign(a), sign(b));
    let adjust = aig.and(differ, !zero);
    let (adjusted, _) = add(aig, &remainder, b, Bit::FALSE);
    ite(aig, adjust, &adjusted, &remainder)
}

/// Shifts towards the high end, as many places as the word `by` says; `fill` comes in.
fn shift_up(aig: &mut Aig, a: &[Bit], by: &[Bit], fill: Bit) -> Word {
    let width = a.len();
    let mut word = a.to_vec();
    let mut too_far = Bit::FALSE;
    for (stage, &bit) in by.iter().enumerate() {
        let places = 1usize.checked_shl(stage as u32).filter(|&places| places < width);
        let Some(places) = places else {
            too_far = aig.or(too_far, bit);
            continue;
        };
        let shifted: Word = (0..width).map(|at| if at < places { fill } else { word[at - places] }).collect();
        word = ite(aig, bit, &shifted, &word);
    }
    let filled = vec![fill; width];
    ite(aig, too_far, &filled, &word)
}

fn reversed(word: &[Bit]) -> Word {
    word.iter().rev().copied().collect()
}

pub fn sll(aig: &mut Aig, a: &[Bit], by: &[Bit]) -> Word {
    shift_up(aig, a, by, Bit::FALSE)
}

pub fn srl(aig: &mut Aig, a: &[Bit], by: &[Bit]) -> Word {
    reversed(&shift_up(aig, &reversed(a), by, Bit::FALSE))
}

pub fn sra(aig: &mut Aig, a: &[Bit], by: &[Bit]) -> Word {
    reversed(&shift_up(aig, &reversed(a), by, sign(a)))
}

/// Rotates towards the high end, by the word `by` modulo the width.
pub fn rol(aig: &mut Aig, a: &[Bit], by: &[Bit]) -> Word {
    let width = a.len();
    let mut word = a.to_vec();
    // The places that the stage rotates by, modulo the width.
    let mut places = 1 % width.max(1);
    for &bit in by {
        let rotated: Word = (0..width).map(|at| word[(at + width - places) % width]).collect();
        word = ite(aig, bit, &rotated, &word);
        places = places * 2 % width.max(1);
    }
    word
}

pub fn ror(aig: &mut Aig, a: &[Bit], by: &[Bit]) -> Word {
    reversed(&rol(aig, &reversed(a), by))
}

pub fn uext(a: &[Bit], by: usize) -> Word {
    let mut word = a.to_vec();
    word.resize(a.len() + by, Bit::FALSE);
    word
}

pub fn sext(a: &[Bit], by: usize) -> Word {
    let mut word = a.to_vec();
    word.resize(a.len() + by, sign(a));
    word
}

pub fn uaddo(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Bit {
    add(aig, a, b, Bit::FALSE).1
}

/// Does a signed operation, done with so many more bits, not fit into the width?
fn leaves_range(aig: &mut Aig, wide: &[Bit], width: usize) -> Bit {
    let high = &wide[width - 1..];
    let (all, any) = (aig.and_all(high), aig.or_all(high));
    aig.and(any, !all)
}

pub fn saddo(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Bit {
    let (wide, _) = add(aig, &sext(a, 1), &sext(b, 1), Bit::FALSE);
    leaves_range(aig, &wide, a.len())
}

pub fn ssubo(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Bit {
    let wide = sub(aig, &sext(a, 1), &sext(b, 1));
    leaves_range(aig, &wide, a.len())
}

pub fn umulo(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Bit {
    let width = a.len();
    let wide = mul(aig, &uext(a, width), &uext(b, width));
    aig.or_all(&wide[width..])
}

pub fn smulo(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Bit {
    let width = a.len();
    let wide = mul(aig, &sext(a, width), &sext(b, width));
    leaves_range(aig, &wide, width)
}

/// Only the least number divided by minus one.
pub fn sdivo(aig: &mut Aig, a: &[Bit], b: &[Bit]) -> Bit {
    let mut least = vec![Bit::FALSE; a.len()];
    if let Some(sign) = least.last_mut() {
        *sign = Bit::TRUE;
    }
    let (is_least, is_minus_one) = (eq(aig, a, &least), aig.and_all(b));
    aig.and(is_least, is_minus_one)
}

/// The element of an array at an index. The elements lie one after the other.
pub fn read(aig: &mut Aig, array: &[Bit], width: usize, index: &[Bit]) -> Word {
    let mut elements = array.to_vec();
    for &bit in index {
        let pairs = elements.chunks(2 * width);
        elements = pairs.flat_map(|pair| ite(aig, bit, &pair[width..], &pair[..width])).collect();
    }
    elements
}

/// The array with another element at an index.
pub fn write(aig: &mut Aig, array: &[Bit], index: &[Bit], element: &[Bit]) -> Word {
    let mut selected = vec![Bit::TRUE];
    for &bit in index.iter().rev() {
        selected =
            selected.iter().flat_map(|&prefix| [aig.and(prefix, !bit), aig.and(prefix, bit)]).collect();
    }
    let old = array.chunks(element.len());
    selected.iter().zip(old).flat_map(|(&here, old)| ite(aig, here, element, old)).collect()
}
