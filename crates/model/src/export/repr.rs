//! How integers with known bounds become words.
//!
//! Every integer term of a program has an interval, from the ranges of the variables up. Within the expressions all of them are
//! two's complement words of one width that holds all intervals, so that sums and products are exact. A variable is
//! kept in as few bits as its range needs.

use super::{Move, Untranslatable};
use crate::program::pass::Interval;
use crate::{Program, Span};
use bolide_base::Rational;
use bolide_term::{Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// How the values of a range are kept.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Repr {
    /// So many bits.
    pub bits: u32,
    /// Two's complement, or else a natural number.
    pub signed: bool,
    /// Does every word stand for a value of the range?
    pub full: bool,
    /// The range.
    pub range: (i128, i128),
}

impl Repr {
    /// The shortest words for a range.
    pub fn of(range: (i128, i128)) -> Repr {
        let (low, high) = range;
        if low >= 0 {
            let bits = (128 - high.leading_zeros()).max(1);
            return Repr { bits, signed: false, full: low == 0 && high.count_ones() == bits, range };
        }
        let bits = signed_bits(low).max(signed_bits(high));
        let full = low.checked_neg().is_some_and(|l| l as u128 == 1 << (bits - 1)) && high == -(low + 1);
        Repr { bits, signed: true, full, range }
    }
}

/// The width of two's complement words that hold a value.
fn signed_bits(v: i128) -> u32 {
    let magnitude = if v < 0 { !v } else { v };
    129 - magnitude.leading_zeros()
}

/// What is known about the integers of a program.
pub struct Integers {
    /// By term: its bounds; for arrays those of the elements.
    intervals: FxHashMap<Term, (i128, i128)>,
    /// The width of integers within expressions.
    pub width: u32,
    /// The words that are indices of arrays.
    pub index: Repr,
}

impl Integers {
    /// Finds bounds for all integers of a program.
    pub fn new(store: &Store, program: &Program, moves: &[Move<'_>]) -> Result<Integers, Untranslatable> {
        let mut leaves: FxHashMap<Term, Option<(i128, i128)>> = FxHashMap::default();
        leaves.extend(program.vars.iter().map(|v| (v.term, v.range)));
        for &(value, input) in moves.iter().flat_map(|m| &m.step.inputs) {
            leaves.insert(value, program.inputs[input].range);
        }
        let mut found = Integers { intervals: FxHashMap::default(), width: 2, index: Repr::of((0, 1)) };
        let mut indices: Option<Interval> = None;
        for m in moves {
            for t in store.post_order(m.step.terms()) {
                found.add(store, t, &leaves, m.span)?;
                if matches!(store.op(t), Op::Select | Op::Store)
                    && store.sort_of(store.arg(t, 1)) == Sort::INT
                {
                    let here = found.interval(store.arg(t, 1));
                    indices = Some(indices.map_or(here, |i| i.join(&here)));
                }
            }
        }
        // Ranges are compared with the variables.
        for v in program.vars.iter().filter(|v| v.sort == Sort::INT) {
            let range = v.range.unwrap_or((0, 0));
            found.width = found.width.max(signed_bits(range.0)).max(signed_bits(range.1));
        }
        if let Some(Interval { low: Some(low), high: Some(high) }) = indices {
            found.index = Repr::of((low, high));
        }
        // The negation of a divisor is needed as well.
        found.width += 1;
        Ok(found)
    }

    /// The bounds of an integer, or of the elements of an array.
    pub fn range(&self, t: Term) -> Option<(i128, i128)> {
        self.intervals.get(&t).copied()
    }

    fn interval(&self, t: Term) -> Interval {
        Interval::from_range(self.range(t))
    }

    fn add(
        &mut self,
        store: &Store,
        t: Term,
        leaves: &FxHashMap<Term, Option<(i128, i128)>>,
        span: Span,
    ) -> Result<(), Untranslatable> {
        let sort = store.sort_of(t);
        let elements = store.array_sorts(sort).map(|s| s.1);
        if (sort != Sort::INT && elements != Some(Sort::INT)) || self.intervals.contains_key(&t) {
            return Ok(());
        }
        let arg = |n: usize| self.interval(store.arg(t, n));
        let all = |f: &dyn Fn(&Interval, &Interval) -> Interval| {
            let mut rest = store.args(t).iter().map(|&a| self.interval(a));
            let first = rest.next().unwrap_or(Interval::ALL);
            rest.fold(first, |a, b| f(&a, &b))
        };
        let interval = match store.op(t) {
            Op::Num(n) => integer(store.num_value(n)).map_or(Interval::ALL, Interval::point),
            Op::Apply(_) => Interval::from_range(leaves.get(&t).copied().flatten()),
            Op::Add => all(&Interval::add),
            Op::Mul => all(&Interval::mul),
            Op::Ite => arg(1).join(&arg(2)),
            Op::Select | Op::Store | Op::ConstArray => arg(0),
            Op::Div => match store.as_num(store.arg(t, 1)).and_then(integer) {
                Some(k) if k > 0 => arg(0).div(k),
                Some(k) if k < 0 && k != i128::MIN => arg(0).div(-k).scale(-1),
                _ => Interval::ALL,
            },
            Op::Mod => match store.as_num(store.arg(t, 1)).and_then(integer) {
                Some(k) if k != 0 && k != i128::MIN => Interval::new(0, k.abs() - 1),
                _ => Interval::ALL,
            },
            Op::BvToNat => match store.bv_width(store.sort_of(store.arg(t, 0))) {
                Some(w) if w < 126 => Interval::new(0, (1 << w) - 1),
                _ => Interval::ALL,
            },
            _ => Interval::ALL,
        };
        let (Some(low), Some(high)) = (interval.low, interval.high) else {
            return Err(unbounded(store, t, span));
        };
        if elements.is_none() {
            self.width = self.width.max(signed_bits(low)).max(signed_bits(high));
        }
        self.intervals.insert(t, (low, high));
        Ok(())
    }
}

fn integer(k: &Rational) -> Option<i128> {
    if k.is_integer() { i128::try_from(k.numer_ibig()).ok() } else { None }
}

fn unbounded(store: &Store, t: Term, span: Span) -> Untranslatable {
    let term = bolide_smtlib::print_term(store, t).to_string();
    let shown = if term.chars().count() <= 60 { format!("`{term}`") } else { "a term".to_string() };
    Untranslatable {
        message: format!("{shown} is an integer without known bounds, which no bit-vector can hold"),
        span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_words() {
        let repr = |low, high| {
            let r = Repr::of((low, high));
            (r.bits, r.signed, r.full)
        };
        assert_eq!(repr(0, 1), (1, false, true));
        assert_eq!(repr(0, 255), (8, false, true));
        assert_eq!(repr(1, 255), (8, false, false));
        assert_eq!(repr(0, 256), (9, false, false));
        assert_eq!(repr(-128, 127), (8, true, true));
        assert_eq!(repr(-129, 127), (9, true, false));
        assert_eq!(repr(-1, 0), (1, true, true));
        assert_eq!(repr(-1, 128), (9, true, false));
        assert_eq!(repr(0, 0), (1, false, false));
        assert_eq!(repr(-(1 << 31), (1 << 31) - 1), (32, true, true));
        assert_eq!(repr(0, (1 << 64) - 1), (64, false, true));
    }
}
