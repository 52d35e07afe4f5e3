//! Sums on words. Bit operations of C are sums of bits in programs: `a & b` is a sum of choices between a power of two and zero, `a | b`
//! is `a + b - (a & b)`, `a ^ b` is `a + b - 2 (a & b)`. Here they become operators on words again, and what has no bit in common is joined
//! without an adder.

use super::Rewriter;
use super::word::{Word, bounded, interval, width_of};
use bolide_term::{Op, Term};
use indexmap::IndexMap;

/// The bits that words may have: there are none so wide that they have more. The last one stands for a sign.
const ALL: u128 = u128::MAX >> 8;

/// How deep the low bits of sums and products are looked for.
const DEPTH: u32 = 6;

/// The conjunction of two integers, as far as a sum has its bits, with a factor.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
struct Conjunction {
    a: Term,
    b: Term,
    factor: i128,
}

impl Rewriter<'_> {
    /// The low bits of a word: of a sum or a product, those of its parts are enough.
    pub(super) fn low_bits(&mut self, word: Term, width: u32) -> Term {
        self.low_bits_to(word, width, DEPTH)
    }

    fn low_bits_to(&mut self, word: Term, width: u32, depth: u32) -> Term {
        let have = self.store.bv_width(self.store.sort_of(word)).unwrap_or(width);
        let op = self.store.op(word);
        let is_through =
            matches!(op, Op::BvAdd | Op::BvMul | Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvNeg | Op::Ite);
        if have <= width || depth == 0 || !is_through {
            return self.resized(word, width);
        }
        let args: Vec<Term> = self.store.args(word).to_vec();
        let first = usize::from(op == Op::Ite);
        let parts: Vec<Term> = args[first..].iter().map(|&a| self.low_bits_to(a, width, depth - 1)).collect();
        match op {
            Op::BvAdd => self.store.bv_add(parts[0], parts[1]),
            Op::BvMul => self.store.bv_mul(parts[0], parts[1]),
            Op::BvAnd => self.store.bv_and(parts[0], parts[1]),
            Op::BvOr => self.store.bv_or(parts[0], parts[1]),
            Op::BvXor => self.store.bv_xor(parts[0], parts[1]),
            Op::BvNeg => self.store.bv_neg(parts[0]),
            _ => self.store.ite(args[0], parts[0], parts[1]),
        }
    }

    /// A sum of integers that have words.
    pub(super) fn sum(&mut self, parts: &[Term]) -> Option<Word> {
        let range = parts
            .iter()
            .try_fold(interval((0, 0)), |sum, part| Some(sum.add(&interval(self.words.get(part)?.range))))?;
        let (mut conjunctions, mut others) = (IndexMap::new(), Vec::new());
        for &part in parts {
            let (factor, t) = self.scaled(part);
            // A bit that is there twice is no part of a conjunction.
            let joined = self.common_bit(t).is_some_and(|(a, b, bit)| {
                let bits = conjunctions.entry(Conjunction { a, b, factor }).or_insert(0u128);
                let is_new = *bits & bit == 0;
                *bits |= if is_new { bit } else { 0 };
                is_new
            });
            if !joined {
                others.push((factor, t, part));
            }
        }
        let mut words: Vec<(i128, Word)> = Vec::new();
        for (c, bits) in conjunctions {
            words.push(self.conjunction(c, bits, &mut others)?);
        }
        for (factor, t, part) in others {
            match self.words.get(&t) {
                Some(&word) => words.push((factor, word)),
                None => words.push((1, *self.words.get(&part)?)),
            }
        }
        self.total(words, bounded(&range)?)
    }

    /// A term as a multiple of another one.
    pub(super) fn scaled(&self, t: Term) -> (i128, Term) {
        match (self.store.op(t), self.store.args(t)) {
            (Op::Mul, &[k, multiplied]) => self.numeral(k).map_or((1, t), |k| (k, multiplied)),
            _ => (1, t),
        }
    }

    /// Is a term `2^i` where two integers both have the bit `i`, and zero elsewhere? With the sign it is `-2^i` where both are negative; the
    /// bit of the sign stands for all bits from there on.
    fn common_bit(&self, t: Term) -> Option<(Term, Term, u128)> {
        let store = &*self.store;
        let (Op::Ite, &[condition, yes, no]) = (store.op(t), store.args(t)) else { return None };
        let (weight, zero) = (self.numeral(yes)?, self.numeral(no)?);
        if zero != 0 || weight.unsigned_abs().count_ones() != 1 {
            return None;
        }
        let conjuncts = match store.op(condition) {
            Op::And => store.args(condition).to_vec(),
            _ => vec![condition],
        };
        let integer = |c: &Term| {
            let x = self.bit_of(*c, weight)?;
            let (low, high) = self.words.get(&x)?.range;
            (weight > 0 || weight <= low && high < -weight).then_some(x)
        };
        let (a, b) = match conjuncts.iter().map(integer).collect::<Option<Vec<Term>>>()?[..] {
            [a] => (a, a),
            [a, b] => (a.min(b), a.max(b)),
            _ => return None,
        };
        Some((a, b, weight as u128 & ALL))
    }

    /// The integer of which a condition says that it has the bit of a weight, or for a negative one that it is negative.
    fn bit_of(&self, condition: Term, weight: i128) -> Option<Term> {
        let store = &*self.store;
        let &[x, y] = store.args(condition) else { return None };
        if weight < 0 {
            let is_negative = store.op(condition) == Op::Le && self.numeral(y) == Some(-1);
            return is_negative.then_some(x);
        }
        let bit = match store.op(condition) {
            Op::Eq if self.numeral(x) == Some(1) => y,
            Op::Eq if self.numeral(y) == Some(1) => x,
            _ => return None,
        };
        let (Op::Mod, &[shifted, two]) = (store.op(bit), store.args(bit)) else { return None };
        if self.numeral(two) != Some(2) {
            return None;
        }
        match (store.op(shifted), store.args(shifted)) {
            _ if weight == 1 => Some(shifted),
            (Op::Div, &[x, by]) if self.numeral(by) == Some(weight) => Some(x),
            _ => None,
        }
    }

    /// The bits of a conjunction, with their factor; or the disjunction or the difference of which they are the last part.
    fn conjunction(
        &mut self,
        c: Conjunction,
        bits: u128,
        others: &mut Vec<(i128, Term, Term)>,
    ) -> Option<(i128, Word)> {
        let (a, b) = (*self.words.get(&c.a)?, *self.words.get(&c.b)?);
        let possible = a.bits & b.bits & ALL;
        let is_whole = possible & !bits == 0;
        let position = |t: Term| others.iter().position(|&(k, other, _)| k == 1 && other == t);
        if is_whole
            && c.a != c.b
            && matches!(c.factor, -2 | -1)
            && let (Some(i), Some(j)) = (position(c.a), position(c.b))
        {
            others.retain({
                let mut n = 0;
                move |_| {
                    n += 1;
                    n - 1 != i && n - 1 != j
                }
            });
            let width = width_of(a.range).max(width_of(b.range));
            let (x, y) = (self.resized(a.term, width), self.resized(b.term, width));
            let term = if c.factor == -1 { self.store.bv_or(x, y) } else { self.store.bv_xor(x, y) };
            let high = (1i128 << (width - 1)) - 1;
            let low = if a.range.0 < 0 || b.range.0 < 0 { -high - 1 } else { 0 };
            let joined = Word::new(term, (low, high));
            return Some((1, Word { bits: joined.bits & (a.bits | b.bits), ..joined }));
        }
        let bits = bits & possible;
        let is_signed = bits & !(ALL >> 1) != 0;
        let mask = if is_signed { (bits | !ALL) as i128 } else { bits as i128 };
        let width = match is_signed {
            true => width_of(a.range).max(width_of(b.range)).max(width_of((mask, mask))),
            false => width_of((mask, mask)),
        };
        let (x, y, mask) =
            (self.resized(a.term, width), self.resized(b.term, width), self.constant(mask, width));
        let both = self.store.bv_and(x, y);
        let term = self.store.bv_and(both, mask);
        let half = 1i128 << (width - 1);
        let word = match is_signed {
            true => Word::new(term, (-half, half - 1)),
            false => Word { bits, ..Word::new(term, (0, bits as i128)) },
        };
        Some((c.factor, word))
    }

    /// The sum of multiples of words. What has no bit in common is joined first.
    fn total(&mut self, words: Vec<(i128, Word)>, range: (i128, i128)) -> Option<Word> {
        let mut groups: Vec<(i128, Word)> = Vec::new();
        for (factor, word) in words {
            let (factor, word) = self.shifted(factor, word)?;
            let joins = |g: &&mut (i128, Word)| g.0 == factor && g.1.bits & word.bits == 0;
            match groups.iter_mut().find(joins) {
                Some((_, group)) => {
                    let width = width_of(group.range).max(width_of(word.range));
                    let (x, y) = (self.resized(group.term, width), self.resized(word.term, width));
                    let range = bounded(&interval(group.range).add(&interval(word.range)))?;
                    let joined = Word::new(self.store.bv_or(x, y), range);
                    *group = Word { bits: group.bits | word.bits, ..joined };
                }
                None => groups.push((factor, word)),
            }
        }
        let own = groups.iter().fold(interval((0, 0)), |sum, (k, w)| sum.add(&interval(w.range).scale(*k)));
        let range = own.meet(&interval(range)).and_then(|both| bounded(&both))?;
        let width = width_of(range);
        let mut total: Option<Term> = None;
        let mut bits = u128::MAX;
        let count = groups.len();
        for (factor, word) in groups {
            if count == 1 && factor == 1 {
                bits = word.bits;
            }
            let mut part = self.resized(word.term, width);
            if factor != 1 {
                let by = self.constant(factor, width);
                part = self.store.bv_mul(part, by);
            }
            total = Some(match total {
                None => part,
                Some(sum) => self.store.bv_add(sum, part),
            });
        }
        let sum = Word::new(total.unwrap_or_else(|| self.constant(0, width)), range);
        Some(Word { bits: sum.bits & bits, ..sum })
    }

    /// A multiple by 1 or -1 of another word, if the factor is a power of two.
    fn shifted(&mut self, factor: i128, word: Word) -> Option<(i128, Word)> {
        let k = factor.unsigned_abs().trailing_zeros();
        if factor.unsigned_abs().count_ones() != 1 || k == 0 {
            return Some((factor, word));
        }
        let range = bounded(&interval(word.range).scale(1 << k))?;
        let width = width_of(range);
        let (wide, by) = (self.resized(word.term, width), self.constant(i128::from(k), width));
        let shifted = Word::new(self.store.bv_shl(wide, by), range);
        let bits = if word.range.0 < 0 { u128::MAX } else { word.bits << k };
        Some((factor.signum(), Word { bits: shifted.bits & bits, ..shifted }))
    }
}
