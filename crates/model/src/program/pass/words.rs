//! Integers as words, term by term, in programs with floating-point numbers.
//!
//! Bits of floating-point numbers meet integers where a program takes numbers apart or converts them. There a comparison of
//! integers is better decided on bits than by linear arithmetic: every comparison whose integers are bounded becomes one of words
//! that are wide enough, and a sum, a product, a quotient or a remainder of bounded integers is computed on words. Variables stay
//! integers, which is why traces and invariants need no way back of their own: at the leaves there are the words of variables,
//! at the roots the integers that words denote.
//!
//! The new terms equal the old ones wherever the variables and inputs are in their ranges, as they always are.

mod bitwise;
pub(crate) mod memory;
mod program;
mod word;

pub use program::{OnWords, on_words};

pub(crate) use word::{Word, choice, unknown};

use word::{bounded, interval, width_of};

use super::Interval;
use crate::program::back::map::{BackMap, Copy};
use crate::{Action, Program, Step};
use bolide_base::{IdVec, Rational};
use bolide_term::{Op, Sort, Store, Term};
use memory::Memory;
use rustc_hash::FxHashMap;

/// How deep choices are looked into for zero.
const NEVER_ZERO: u32 = 3;
/// Wider words are not made.
const MAX_WIDTH: u32 = 192;

/// Are there floating-point numbers in a program?
pub(super) fn has_floats(store: &Store, program: &Program) -> bool {
    let steps = program.procs.iter().flat_map(|p| p.edges.iter()).filter_map(|e| e.step());
    let roots: Vec<Term> = steps.flat_map(|s| s.terms()).collect();
    store.post_order(roots).any(|t| matches!(store.op(t), Op::Float(_)))
}

/// The program with words in the place of bounded integers inside of terms.
pub(super) fn words(store: &mut Store, program: &Program) -> (Program, BackMap) {
    let mut new = program.clone();
    let mut copies = IdVec::new();
    for (proc, procedure) in program.procs.iter_enumerated() {
        let mut of_proc = IdVec::new();
        for (id, edge) in procedure.edges.iter_enumerated() {
            if let Action::Step(step) = &edge.action {
                let step = Rewriter::new(store, program, step).step(step);
                new.procs[proc].edges[id].action = Action::Step(step);
            }
            of_proc.push(Some(Copy::faithful(proc, id, edge)));
        }
        copies.push(of_proc);
    }
    (new, BackMap::identity(program, copies))
}

/// A formula over integers that words denote, with or without a sign, as one over these words: each word comes with the constant that
/// stands for it in the formula.
pub(crate) fn over_words(store: &mut Store, formula: Term, denoted: &[(Term, Term, bool)]) -> Term {
    let (mut words, mut rewritten) = (FxHashMap::default(), FxHashMap::default());
    for &(word, integer, signed) in denoted {
        let Some(width) = store.bv_width(store.sort_of(word)) else { continue };
        let value = if signed { store.sbv_to_int(word) } else { store.bv_to_nat(word) };
        rewritten.insert(integer, value);
        let half = 1i128.checked_shl(width - 1).filter(|_| width < 119);
        let Some(half) = half else { continue };
        let word = match signed {
            true => Word::new(word, (-half, half - 1)),
            false => Word::new(store.bv_zero_extend(1, word), (0, 2 * half - 1)),
        };
        words.insert(integer, word);
    }
    Rewriter { words, rewritten, ..Rewriter::empty(store) }.term(formula)
}

/// A formula with words in the place of bounded integers; integers that are constants of their own have no bounds here, but those that
/// words denote do.
pub fn in_words(store: &mut Store, formula: Term) -> Term {
    over_words(store, formula, &[])
}

/// Rewrites the terms of one step.
pub(crate) struct Rewriter<'a> {
    pub(crate) store: &'a mut Store,
    /// The ranges of variables and inputs; of the elements of arrays.
    ranges: FxHashMap<Term, (i128, i128)>,
    /// The words of integers.
    pub(crate) words: FxHashMap<Term, Word>,
    /// The elements of arrays.
    elements: FxHashMap<Term, (i128, i128)>,
    pub(crate) rewritten: FxHashMap<Term, Term>,
    /// The contents of arrays, if they are followed.
    pub(crate) memory: Option<Memory<'a>>,
}

impl<'a> Rewriter<'a> {
    fn new(store: &'a mut Store, program: &Program, step: &Step) -> Rewriter<'a> {
        let mut ranges: FxHashMap<Term, (i128, i128)> = FxHashMap::default();
        ranges.extend(program.vars.iter().filter_map(|v| Some((v.term, v.range?))));
        ranges.extend(step.inputs.iter().filter_map(|&(t, i)| Some((t, program.inputs[i].range?))));
        Rewriter { ranges, ..Rewriter::empty(store) }
    }

    /// One that knows nothing of variables and inputs.
    pub(crate) fn empty(store: &'a mut Store) -> Rewriter<'a> {
        Rewriter {
            store,
            ranges: FxHashMap::default(),
            words: FxHashMap::default(),
            elements: FxHashMap::default(),
            rewritten: FxHashMap::default(),
            memory: None,
        }
    }

    fn step(mut self, step: &Step) -> Step {
        let guard = self.term(step.guard);
        let assigns = step.assigns.iter().map(|&(v, t)| {
            let new = self.term(t);
            (v, self.computed(t, new))
        });
        Step { guard, assigns: assigns.collect(), inputs: step.inputs.clone() }
    }

    /// An integer that is assigned: what its word denotes, if there is more to it than a sum.
    fn computed(&mut self, t: Term, new: Term) -> Term {
        if self.store.sort_of(t) != Sort::INT {
            return new;
        }
        let is_plain = |op: Op| matches!(op, Op::Num(_) | Op::Apply(_) | Op::Add | Op::Mul | Op::Select);
        if self.store.post_order([t]).all(|u| is_plain(self.store.op(u))) {
            return new;
        }
        match self.words.get(&t) {
            Some(&word) => self.store.sbv_to_int(word.term),
            None => new,
        }
    }

    /// An equal term.
    pub(crate) fn term(&mut self, root: Term) -> Term {
        let order: Vec<Term> = self.store.post_order([root]).collect();
        for t in order {
            if self.rewritten.contains_key(&t) {
                continue;
            }
            let args: Vec<Term> = self.store.args(t).iter().map(|a| self.rewritten[a]).collect();
            let sort = self.store.sort_of(t);
            if self.memory.is_some() && self.follow_memory(t, &args) {
                continue;
            }
            if sort == Sort::INT
                && let Some(word) = self.word(t, &args)
            {
                self.words.insert(t, word);
            }
            if self.store.array_sorts(sort).is_some_and(|(_, e)| e == Sort::INT)
                && let Some(range) = self.elements_of(t)
            {
                self.elements.insert(t, range);
            }
            let new = self.node(t, &args);
            self.rewritten.insert(t, new);
        }
        self.rewritten[&root]
    }

    fn node(&mut self, t: Term, args: &[Term]) -> Term {
        let old: Vec<Term> = self.store.args(t).to_vec();
        let word = |this: &Self, i: usize| old.get(i).and_then(|a| this.words.get(a)).copied();
        match self.store.op(t) {
            Op::Le if let Some((less, more)) = self.strictly_less(old[0], old[1]) => {
                let width = width_of(less.range).max(width_of(more.range));
                let (less, more) = (self.resized(less.term, width), self.resized(more.term, width));
                self.store.bv_slt(less, more)
            }
            op @ (Op::Le | Op::Eq) if self.store.sort_of(old[0]) == Sort::INT => {
                let (Some(a), Some(b)) = (word(self, 0), word(self, 1)) else {
                    return self.store.rebuild(t, args);
                };
                let width = width_of(a.range).max(width_of(b.range));
                let (a, b) = (self.resized(a.term, width), self.resized(b.term, width));
                if op == Op::Le { self.store.bv_sle(a, b) } else { self.store.eq(a, b) }
            }
            Op::IntToBv => match (word(self, 0), self.store.bv_width(self.store.sort_of(t))) {
                (Some(a), Some(width)) => self.resized(a.term, width),
                _ => self.store.rebuild(t, args),
            },
            _ => self.store.rebuild(t, args),
        }
    }

    /// If an inequality says that one integer is less than another one, their words: nothing is added then.
    fn strictly_less(&self, a: Term, b: Term) -> Option<(Word, Word)> {
        let moved = |t: Term, by: &Rational| {
            let sum = self.store.linear(t);
            let is_moved = sum.constant == *by && sum.terms.len() == 1 && sum.terms[0].1.is_one();
            is_moved.then(|| sum.terms[0].0)
        };
        let word = |t: Term| self.words.get(&t).copied();
        if let Some(less) = moved(a, &Rational::ONE) {
            return word(less).zip(word(b));
        }
        let more = moved(b, &Rational::MINUS_ONE)?;
        word(a).zip(word(more))
    }

    /// The same number modulo `2^width`.
    fn resized(&mut self, word: Term, width: u32) -> Term {
        word::resized(self.store, word, width)
    }

    fn constant(&mut self, value: i128, width: u32) -> Term {
        word::constant(self.store, value, width)
    }

    fn numeral(&self, t: Term) -> Option<i128> {
        self.store.as_num(t).and_then(|n| n.to_ibig()).and_then(|n| i128::try_from(n).ok())
    }

    fn elements_of(&self, t: Term) -> Option<(i128, i128)> {
        let of = |t: Term| self.elements.get(&t).copied();
        let join = |a: (i128, i128), b: (i128, i128)| bounded(&interval(a).join(&interval(b)));
        match self.store.op(t) {
            Op::Apply(_) => self.ranges.get(&t).copied(),
            Op::Store => {
                let written = self.words.get(&self.store.arg(t, 2))?.range;
                join(of(self.store.arg(t, 0))?, written)
            }
            Op::ConstArray => Some(self.words.get(&self.store.arg(t, 0))?.range),
            Op::Ite => join(of(self.store.arg(t, 1))?, of(self.store.arg(t, 2))?),
            _ => None,
        }
    }

    /// The word of an integer, if it is bounded; the second are its arguments, rewritten.
    fn word(&mut self, t: Term, args: &[Term]) -> Option<Word> {
        let old: Vec<Term> = self.store.args(t).to_vec();
        let op = self.store.op(t);
        if let Op::Num(_) = op {
            let value = self.numeral(t)?;
            bounded(&Interval::point(value))?;
            let range = (value, value);
            return Some(Word::new(self.constant(value, width_of(range)), range));
        }
        if op == Op::BvToNat {
            let width = self.store.bv_width(self.store.sort_of(old[0])).filter(|&w| w < 119)?;
            return Some(Word::new(self.store.bv_zero_extend(1, args[0]), (0, (1 << width) - 1)));
        }
        let operand = |this: &Self, i: usize| this.words.get(&old[i]).copied();
        match op {
            Op::Add => self.sum(&old),
            Op::Mul => {
                let mut words: Vec<Word> = Vec::with_capacity(old.len());
                for i in 0..old.len() {
                    words.push(operand(self, i)?);
                }
                let range =
                    words[1..].iter().fold(interval(words[0].range), |a, b| a.mul(&interval(b.range)));
                let range = bounded(&range)?;
                let width = width_of(range);
                let mut product = Word::new(self.resized(words[0].term, width), range);
                for w in &words[1..] {
                    let next = self.resized(w.term, width);
                    product.term = self.store.bv_mul(product.term, next);
                }
                if let [factor, other] = words[..]
                    && let Some(k) = factor.power_of_two()
                {
                    let shift = self.constant(i128::from(k), width);
                    let shifted = self.resized(other.term, width);
                    product.term = self.store.bv_shl(shifted, shift);
                    product.bits &= other.bits.checked_shl(k).unwrap_or(u128::MAX);
                }
                Some(product)
            }
            Op::Ite => {
                let (a, b) = (operand(self, 1)?, operand(self, 2)?);
                let (yes, no) =
                    (self.range_where(old[0], true, old[1])?, self.range_where(old[0], false, old[2])?);
                let range = bounded(&interval(yes).join(&interval(no)))?;
                let width = width_of(range);
                let (x, y) = (self.resized(a.term, width), self.resized(b.term, width));
                let chosen = Word::new(self.store.ite(args[0], x, y), range);
                Some(Word { bits: chosen.bits & (a.bits | b.bits), ..chosen })
            }
            Op::Div | Op::Mod => {
                let mut by = operand(self, 1)?;
                if by.range.0 == 0 && self.is_never_zero(old[1], NEVER_ZERO) {
                    by.range.0 = 1;
                }
                self.divided(op, operand(self, 0)?, by)
            }
            _ => {
                let range = match op {
                    Op::Apply(_) if old.is_empty() => self.ranges.get(&t).copied(),
                    Op::Select => self.elements.get(&old[0]).copied(),
                    _ => None,
                }?;
                bounded(&interval(range))?;
                let leaf = self.store.rebuild(t, args);
                Some(Word::new(self.store.int_to_bv(width_of(range), leaf), range))
            }
        }
    }

    /// The range of an integer where a condition holds or does not hold, which may be a bound of it or of its negation.
    fn range_where(&self, condition: Term, holds: bool, t: Term) -> Option<(i128, i128)> {
        let range = self.words.get(&t)?.range;
        let (atom, is_positive) = self.store.literal(condition);
        let (Op::Le, &[x, bound]) = (self.store.op(atom), self.store.args(atom)) else { return Some(range) };
        let (factor, base) = self.scaled(t);
        let (Some(bound), Some(of_x)) = (self.numeral(bound), self.words.get(&x)) else { return Some(range) };
        if base != x || factor.abs() != 1 {
            return Some(range);
        }
        let (low, high) = of_x.range;
        let (low, high) =
            if holds == is_positive { (low, high.min(bound)) } else { (low.max(bound + 1), high) };
        // Where that is empty, the choice is not made.
        Some(if low > high {
            range
        } else if factor < 0 {
            (-high, -low)
        } else {
            (low, high)
        })
    }

    /// Is an integer surely not zero? A divisor is one where zero is replaced, perhaps with its sign taken away.
    fn is_never_zero(&self, t: Term, depth: u32) -> bool {
        let store = &*self.store;
        if let Some(number) = self.numeral(t) {
            return number != 0;
        }
        let (_, t) = self.scaled(t);
        let (Op::Ite, &[condition, yes, no]) = (store.op(t), store.args(t)) else { return false };
        let is_zero = |x: Term| {
            store.op(condition) == Op::Eq
                && self.numeral(x).is_none()
                && store.args(condition).contains(&x)
                && store.args(condition).iter().any(|&a| self.numeral(a) == Some(0))
        };
        depth > 0 && self.is_never_zero(yes, depth - 1) && (is_zero(no) || self.is_never_zero(no, depth - 1))
    }

    /// A quotient rounded down, or its remainder, by a positive divisor.
    fn divided(&mut self, op: Op, a: Word, b: Word) -> Option<Word> {
        let (low, high) = a.range;
        if b.range.0 == b.range.1 && b.range.0 > 0 && b.range.0.count_ones() == 1 {
            let (k, width) = (b.range.0.trailing_zeros(), width_of(a.range));
            if op == Op::Div {
                let range = (low >> k, high >> k);
                let shifted = match k < width {
                    true => self.store.bv_extract(width - 1, k, a.term),
                    false => self.store.bv_extract(width - 1, width - 1, a.term),
                };
                let quotient = Word::new(self.resized(shifted, width_of(range)), range);
                let bits = if low < 0 { u128::MAX } else { a.bits.checked_shr(k).unwrap_or(0) };
                return Some(Word { bits: quotient.bits & bits, ..quotient });
            }
            let range = (0, b.range.0 - 1);
            let low_bits = self.low_bits(a.term, k.max(1));
            let term = if k == 0 { self.store.bv_zero(1) } else { self.store.bv_zero_extend(1, low_bits) };
            let rest = Word::new(term, range);
            return Some(Word { bits: rest.bits & a.bits, ..rest });
        }
        if low < 0 && b.range.0 == b.range.1 && b.range.0 > 0 {
            return self.divided_by_constant(op, a, b.range.0);
        }
        if low < 0 || b.range.0 < 1 {
            return None;
        }
        // Both are natural numbers.
        let width = width_of(a.range).max(width_of(b.range));
        let (x, y) = (self.resized(a.term, width), self.resized(b.term, width));
        let (term, range) = match op {
            Op::Div => (self.store.bv_udiv(x, y), (0, high)),
            _ => (self.store.bv_urem(x, y), (0, b.range.1 - 1)),
        };
        if width > MAX_WIDTH {
            return None;
        }
        Some(Word::new(self.resized(term, width_of(range)), range))
    }

    /// A quotient rounded down of a number that may be negative, or its remainder: a multiple of the divisor makes it natural.
    fn divided_by_constant(&mut self, op: Op, a: Word, by: i128) -> Option<Word> {
        let (low, high) = a.range;
        let quotient = low.div_euclid(by);
        let range = bounded(&Interval::new(low - quotient * by, high.checked_sub(quotient * by)?))?;
        let width = width_of(range);
        let (x, more) =
            (self.resized(a.term, width.max(width_of(a.range))), self.constant(-quotient * by, width));
        let x = self.resized(x, width);
        let natural = self.store.bv_add(x, more);
        let divisor = self.constant(by, width_of((0, by)));
        let divided = self.divided(op, Word::new(natural, range), Word::new(divisor, (by, by)))?;
        if op == Op::Mod {
            return Some(divided);
        }
        let range = bounded(&interval(divided.range).add(&Interval::point(quotient)))?;
        let width = width_of(range).max(width_of(divided.range)).max(width_of((quotient, quotient)));
        let (x, less) = (self.resized(divided.term, width), self.constant(quotient, width));
        let term = self.store.bv_add(x, less);
        Some(Word::new(self.resized(term, width_of(range)), range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;
    use bolide_term::{Evaluator, Model, Value};

    #[test]
    fn words_compute_what_integers_do() {
        let mut store = Store::new();
        let mut program = Program::new("main");
        let input = |program: &mut Program, range| {
            let (name, preferred) = ("input".into(), None);
            program.inputs.push(crate::Input {
                name,
                sort: Sort::INT,
                range: Some(range),
                preferred,
                span: Span::default(),
            })
        };
        let inputs =
            [input(&mut program, (-20, 20)), input(&mut program, (1, 9)), input(&mut program, (0, 255))];
        let values = inputs.map(|i| (program.input_value(&mut store, i), i));
        let [x, y, z] = values.map(|v| v.0);
        let (three, eight, two) = (store.int(3), store.int(8), Rational::from(2));
        let sum = store.add(&[x, y, z]);
        let product = store.mul(&[x, y]);
        let (quotient, rest) = (store.div(sum, eight), store.modulo(product, eight));
        let (by_y, mod_y, by_three) = (store.div(z, y), store.modulo(z, y), store.div(z, three));
        let (down, rest_down) = (store.div(product, three), store.modulo(x, three));
        let larger = store.le(x, y);
        let choice = store.ite(larger, sum, product);
        let twice = store.scale(&two, choice);
        let all = [sum, product, quotient, rest, by_y, mod_y, by_three, down, rest_down, choice, twice];
        let mut guards = Vec::new();
        for (i, &a) in all.iter().enumerate() {
            for &b in &all[i + 1..] {
                guards.extend([store.le(a, b), store.eq(a, b)]);
            }
        }
        let step = Step { guard: store.tru(), assigns: Vec::new(), inputs: values.to_vec() };
        let mut rewriter = Rewriter::new(&mut store, &program, &step);
        let new: Vec<Term> = guards.iter().map(|&g| rewriter.term(g)).collect();
        let computed: Vec<Term> = all
            .iter()
            .map(|&t| {
                let new = rewriter.term(t);
                rewriter.computed(t, new)
            })
            .collect();
        assert!(new.iter().all(|&g| store.post_order([g]).all(|t| store.op(t) != Op::Le)));
        for n in 0..400i64 {
            let mut model = Model::new();
            for ((term, _), v) in values.iter().zip([n % 41 - 20, 1 + n % 9, n * 7 % 256]) {
                model.set(store.as_var(*term).expect("a constant"), Value::Num(Rational::from(v)));
            }
            let mut eval = Evaluator::new(&store, &model);
            for (&old, &new) in guards.iter().zip(&new).chain(all.iter().zip(&computed)) {
                assert_eq!(eval.eval(old), eval.eval(new), "{n}");
            }
        }
    }
}
