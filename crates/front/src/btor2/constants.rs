//! Digits to bits.

use super::words::Word;
use bolide_model::circuit::Bit;

/// Decimal numbers longer than this are not read: the conversion is quadratic.
const MAX_DECIMAL_DIGITS: usize = 10_000;

/// The word of binary digits, which must be as many as its width.
pub fn binary(digits: &str, width: usize) -> Option<Word> {
    let word: Word = digits.bytes().rev().map(|digit| Bit::constant(digit == b'1')).collect();
    (word.len() == width).then_some(word)
}

/// The word of hexadecimal digits, if it fits.
pub fn hexadecimal(digits: &str, width: usize) -> Option<Word> {
    let mut word = Word::new();
    for digit in digits.chars().rev() {
        let value = digit.to_digit(16)?;
        word.extend((0..4).map(|bit| Bit::constant(value >> bit & 1 == 1)));
    }
    fit(word, width)
}

/// The word of a decimal number, which may have a sign, if it fits: negative ones as two's complement.
pub fn decimal(digits: &str, width: usize) -> Option<Word> {
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, digits),
    };
    if digits.is_empty() || digits.len() > MAX_DECIMAL_DIGITS {
        return None;
    }
    // The number in base 2^32, lowest first.
    let mut limbs: Vec<u32> = Vec::new();
    for digit in digits.chars() {
        let mut carry = u64::from(digit.to_digit(10)?);
        for limb in &mut limbs {
            let value = u64::from(*limb) * 10 + carry;
            *limb = value as u32;
            carry = value >> 32;
        }
        if carry > 0 {
            limbs.push(carry as u32);
        }
    }
    let bit = |at: usize| limbs.get(at / 32).is_some_and(|limb| limb >> (at % 32) & 1 == 1);
    let magnitude: Vec<bool> = (0..32 * limbs.len()).map(bit).collect();
    let word: Word = magnitude.iter().map(|&bit| Bit::constant(bit)).collect();
    let word = fit(word, width)?;
    if !negative {
        return Some(word);
    }
    // Two's complement: flip everything above the lowest one.
    let lowest = word.iter().position(|&bit| bit == Bit::TRUE);
    let Some(lowest) = lowest else { return Some(word) };
    let negated: Word = word.iter().enumerate().map(|(at, &bit)| bit ^ (at > lowest)).collect();
    // A negative number that does not look negative was too small.
    (negated.last() == Some(&Bit::TRUE)).then_some(negated)
}

/// Brings a word to a width, if only zeros are added or removed.
fn fit(mut word: Word, width: usize) -> Option<Word> {
    if word.len() > width && word[width..].contains(&Bit::TRUE) {
        return None;
    }
    word.resize(width, Bit::FALSE);
    Some(word)
}
