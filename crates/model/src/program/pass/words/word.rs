//! Words that stand for integers.

use super::Interval;
use bolide_base::{IBig, Rational};
use bolide_term::{Sort, Store, Term};

/// A word in two's complement, and the integers that it may denote.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    pub(crate) term: Term,
    pub(crate) range: (i128, i128),
    /// The bits that may be set. Of a word that may denote a negative number, any.
    pub(crate) bits: u128,
}

impl Word {
    /// A word with what its range says about its bits.
    pub(crate) fn new(term: Term, range: (i128, i128)) -> Word {
        let bits = match range {
            (low, _) if low < 0 => u128::MAX,
            (low, high) if low == high => low as u128,
            (_, high) => u128::MAX.checked_shr(high.leading_zeros()).unwrap_or(0),
        };
        Word { term, range, bits }
    }

    /// The number, if there is one.
    pub(crate) fn value(&self) -> Option<i128> {
        (self.range.0 == self.range.1).then_some(self.range.0)
    }

    /// The exponent, if it is a power of two.
    pub(super) fn power_of_two(&self) -> Option<u32> {
        self.value().filter(|v| *v > 0 && v.count_ones() == 1).map(i128::trailing_zeros)
    }
}

/// The width of words in two's complement that hold a range.
pub(crate) fn width_of((low, high): (i128, i128)) -> u32 {
    let bits = |v: i128| 129 - (if v < 0 { !v } else { v }).leading_zeros();
    bits(low).max(bits(high))
}

pub(crate) fn bounded(interval: &Interval) -> Option<(i128, i128)> {
    interval.low.zip(interval.high).filter(|&range| width_of(range) < 120)
}

pub(crate) fn interval((low, high): (i128, i128)) -> Interval {
    Interval::new(low, high)
}

/// The same number modulo `2^width`.
pub(super) fn resized(store: &mut Store, word: Term, width: u32) -> Term {
    let have = store.bv_width(store.sort_of(word)).unwrap_or(width);
    match width.checked_sub(have) {
        Some(0) => word,
        Some(more) => store.bv_sign_extend(more, word),
        None => store.bv_extract(width - 1, 0, word),
    }
}

pub(super) fn constant(store: &mut Store, value: i128, width: u32) -> Term {
    let number = store.num(Rational::from(IBig::from(value)), Sort::INT);
    store.int_to_bv(width, number)
}

/// One of two words, by a condition.
pub(crate) fn choice(store: &mut Store, condition: Term, yes: Word, no: Word) -> Option<Word> {
    if yes == no {
        return Some(yes);
    }
    let range = bounded(&interval(yes.range).join(&interval(no.range)))?;
    let width = width_of(range);
    let (x, y) = (resized(store, yes.term, width), resized(store, no.term, width));
    let chosen = Word::new(store.ite(condition, x, y), range);
    Some(Word { bits: chosen.bits & (yes.bits | no.bits), ..chosen })
}

/// Do two words denote the same number?
pub(crate) fn equal(store: &mut Store, a: Word, b: Word) -> Term {
    if a.range.1 < b.range.0 || b.range.1 < a.range.0 {
        return store.fls();
    }
    let width = width_of(a.range).max(width_of(b.range));
    let (a, b) = (resized(store, a.term, width), resized(store, b.term, width));
    store.eq(a, b)
}

/// A word from outside, any number of a range, and what says so if it could denote others.
pub(crate) fn unknown(store: &mut Store, name: &str, (low, high): (i128, i128)) -> (Word, Option<Term>) {
    let width = width_of((low, high));
    if low == high {
        return (Word::new(constant(store, low, width), (low, high)), None);
    }
    if low == 0 && (high as u128 + 1).is_power_of_two() {
        let sort = store.bv_sort(width - 1);
        let bits = store.fresh_var(name, sort);
        return (Word::new(store.bv_zero_extend(1, bits), (low, high)), None);
    }
    let sort = store.bv_sort(width);
    let word = store.fresh_var(name, sort);
    let is_any = low == !high && (high as u128 + 1).is_power_of_two();
    let within = (!is_any).then(|| {
        let (low, high) = (constant(store, low, width), constant(store, high, width));
        let (above, below) = (store.bv_sle(low, word), store.bv_sle(word, high));
        store.and(&[above, below])
    });
    (Word::new(word, (low, high)), within)
}
