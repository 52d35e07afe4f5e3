//! Reads words as integers: clauses about bit-vectors become clauses about integers in the ranges of words.
//!
//! The reading is exact. A word is the integer that it denotes, in two's complement or as a natural number, whichever the
//! clauses compare more often. A sum of words is a sum of integers that wraps around where it leaves the range: by a choice
//! between at most three cases, or by a remainder where there are more. Operators that are no arithmetic stay operators of words,
//! on the words of integers. So an engine learns inequalities and sums instead of bits and values, and a
//! derivation of the integers is one of the words.
//!
//! On the way back an inequality between sums becomes one of words that are wide enough for every value.
//!
//! There is also a reading in which nothing wraps around: sums are sums, and words are equal if the integers are. It is much simpler, and
//! most invariants of programs that were written with integers in mind hold of words as well, but what is found there is a guess that must be
//! confirmed on the words.

use crate::horn::back::BackMap;
use crate::horn::{Atom, Clause, Derivation, DerivationStep, Horn, Interpretation, Predicate};
use crate::program::pass::words::over_words;
use bolide_base::{Budget, Interrupt, Rational};
use bolide_term::{Evaluator, Linear, Model, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// Wider words are not read as integers.
const MAX_WIDTH: u32 = 64;
/// Sums with more monomials are wrapped before they become part of others.
const MAX_SUM: usize = 32;
/// A sum that may have left its range more often is wrapped by a remainder.
const MAX_CASES: i128 = 3;

/// What [`integers`] did.
#[derive(Clone, Debug)]
pub struct Integers {
    /// For each predicate the words among its parameters, what stands for them, and whether that has a sign.
    params: Vec<Vec<(Term, Term, bool)>>,
    /// For each clause its constants and what stands for them.
    values: Vec<Vec<(Term, Term)>>,
}

/// Are there words in a system, all of which can be read as integers?
pub fn has_words(store: &Store, horn: &Horn) -> bool {
    let params = horn.preds.iter().flat_map(|p| p.params.iter().copied());
    let terms = horn.clauses.iter().flat_map(|c| c.terms());
    let mut found = false;
    for t in store.post_order(params.chain(terms)) {
        if matches!(store.op(t), Op::Forall | Op::Exists) {
            return false;
        }
        if let Some(width) = store.bv_width(store.sort_of(t)).filter(|_| store.as_var(t).is_some()) {
            if width > MAX_WIDTH {
                return false;
            }
            found = true;
        }
    }
    found
}

/// The system over integers, which wrap around or not; nothing if it has no words that can be read as integers.
pub fn integers(
    store: &mut Store,
    horn: &Horn,
    wraps: bool,
    budget: &Budget,
) -> Result<Option<(Horn, BackMap)>, Interrupt> {
    if !has_words(store, horn) {
        return Ok(None);
    }
    let signed = mostly_signed(store, horn);
    let mut reader = Reader::new(store, signed, wraps);
    let mut preds = Vec::with_capacity(horn.preds.len());
    let mut params = Vec::with_capacity(horn.preds.len());
    for p in &horn.preds {
        let of_words: Vec<Term> = p.params.iter().copied().filter(|&t| reader.width(t).is_some()).collect();
        let new = p.params.iter().map(|&t| reader.constant(t)).collect();
        params.push(
            of_words
                .iter()
                .map(|&t| (t, reader.constant(t), reader.is_signed(reader.width(t).unwrap_or(1))))
                .collect(),
        );
        preds.push(Predicate { name: p.name.clone(), params: new });
    }
    let mut clauses = Vec::with_capacity(horn.clauses.len());
    let mut values = Vec::with_capacity(horn.clauses.len());
    for c in &horn.clauses {
        budget.check()?;
        let variables = c.variables(reader.store);
        let pairs: Vec<(Term, Term)> = variables.iter().map(|&v| (v, reader.constant(v))).collect();
        clauses.push(reader.clause(c, &variables));
        values.push(pairs);
    }
    Ok(Some((Horn { preds, clauses }, BackMap::Integers(Integers { params, values }))))
}

impl Integers {
    /// The interpretation of the system of words.
    pub fn interpretation(&self, store: &mut Store, found: Interpretation) -> Interpretation {
        let formulas = found.formulas.iter().zip(&self.params).map(|(&f, words)| over_words(store, f, words));
        Interpretation { formulas: formulas.collect(), folds: found.folds }
    }

    /// The derivation in the system of words.
    pub fn derivation(&self, store: &Store, found: Derivation) -> Option<Derivation> {
        let mut steps = Vec::with_capacity(found.steps.len());
        for step in found.steps {
            let mut values = Model::new();
            let mut evaluator = Evaluator::new(store, &step.values);
            for &(old, new) in self.values.get(step.clause)? {
                let value = evaluator.eval(new).ok()?;
                let value = match (store.bv_width(store.sort_of(old)), value.as_num()) {
                    (Some(width), Some(number)) => number_as_word(number, width)?,
                    _ => value,
                };
                values.set(store.as_var(old)?, value);
            }
            steps.push(DerivationStep { values, ..step });
        }
        Some(Derivation { steps, repetitions: found.repetitions })
    }
}

/// The word that denotes an integer, of the same residue.
fn number_as_word(number: &Rational, width: u32) -> Option<bolide_term::Value> {
    let residue = number.rem_euclid(&Rational::pow2(width))?;
    Some(bolide_term::Value::Bv(width, residue.to_ibig()?.try_into().ok()?))
}

/// Do the clauses look at words as numbers with signs rather than without?
fn mostly_signed(store: &Store, horn: &Horn) -> bool {
    let (mut signed, mut unsigned) = (0usize, 0usize);
    for t in store.post_order(horn.clauses.iter().flat_map(|c| c.terms())) {
        match store.op(t) {
            Op::BvSlt | Op::BvSle | Op::BvAshr | Op::SignExtend(_) => signed += 1,
            Op::BvUlt | Op::BvUle | Op::BvLshr | Op::BvToNat | Op::BvUdiv | Op::BvUrem => unsigned += 1,
            _ => {}
        }
    }
    signed >= unsigned
}

/// Reads terms over words as terms over integers.
struct Reader<'a> {
    store: &'a mut Store,
    /// Do words have signs?
    signed: bool,
    /// Do sums wrap around where they leave the range of words?
    wraps: bool,
    /// The integers that stand for constants.
    constants: FxHashMap<Term, Term>,
    /// For each word a sum of the same residue.
    sums: FxHashMap<Term, Linear>,
    /// What words denote, without and with a sign.
    denoted: FxHashMap<(Term, bool), Term>,
    /// Terms of other sorts.
    others: FxHashMap<Term, Term>,
    /// Bounds of integers.
    ranges: FxHashMap<Term, (i128, i128)>,
}

/// What words of a width can denote.
fn range_of(width: u32, signed: bool) -> (i128, i128) {
    let half = 1i128 << (width - 1);
    if signed { (-half, half - 1) } else { (0, 2 * half - 1) }
}

fn integer(n: i128) -> Rational {
    Rational::from(bolide_base::IBig::from(n))
}

fn small(n: &Rational) -> Option<i128> {
    n.to_ibig().and_then(|n| i128::try_from(n).ok())
}

impl<'a> Reader<'a> {
    fn new(store: &'a mut Store, signed: bool, wraps: bool) -> Reader<'a> {
        Reader {
            store,
            signed,
            wraps,
            constants: FxHashMap::default(),
            sums: FxHashMap::default(),
            denoted: FxHashMap::default(),
            others: FxHashMap::default(),
            ranges: FxHashMap::default(),
        }
    }

    fn width(&self, t: Term) -> Option<u32> {
        self.store.bv_width(self.store.sort_of(t))
    }

    /// A single bit has no sign.
    fn is_signed(&self, width: u32) -> bool {
        self.signed && width > 1
    }

    /// What stands for a constant.
    fn constant(&mut self, t: Term) -> Term {
        let Some(width) = self.width(t) else { return t };
        if let Some(&known) = self.constants.get(&t) {
            return known;
        }
        let name = self.store.as_var(t).map(|f| self.store.decl(f).name.to_string());
        let new = self.store.fresh_var(&name.unwrap_or_default(), Sort::INT);
        self.constants.insert(t, new);
        self.ranges.insert(new, range_of(width, self.is_signed(width)));
        new
    }

    fn clause(&mut self, clause: &Clause, variables: &[Term]) -> Clause {
        self.read(clause.terms());
        let mut parts = vec![self.others[&clause.constraint]];
        for &v in variables {
            if let Some(width) = self.width(v) {
                let new = self.constant(v);
                let (low, high) = range_of(width, self.is_signed(width));
                let (low, high) = (self.numeral(low), self.numeral(high));
                parts.push(self.store.le(low, new));
                parts.push(self.store.le(new, high));
            }
        }
        let mut atom =
            |a: &Atom| Atom { pred: a.pred, args: a.args.iter().map(|&t| self.argument(t)).collect() };
        let body = clause.body.iter().map(&mut atom).collect();
        let head = clause.head.as_ref().map(&mut atom);
        Clause { head, body, constraint: self.store.and(&parts), span: clause.span }
    }

    /// An argument of a predicate.
    fn argument(&mut self, t: Term) -> Term {
        match self.width(t) {
            Some(width) => self.value(t, self.is_signed(width)),
            None => self.others[&t],
        }
    }

    /// Reads terms and everything below them.
    fn read(&mut self, roots: impl IntoIterator<Item = Term>) {
        let order: Vec<Term> = self.store.post_order(roots).collect();
        for t in order {
            match self.width(t) {
                Some(_) if self.sums.contains_key(&t) => {}
                Some(width) => {
                    let sum = self.sum(t, width);
                    self.sums.insert(t, sum);
                }
                None if self.others.contains_key(&t) => {}
                None => {
                    let new = self.other(t);
                    self.others.insert(t, new);
                }
            }
        }
    }

    fn numeral(&mut self, n: i128) -> Term {
        self.store.num(integer(n), Sort::INT)
    }

    /// A term as an argument of an operator that does not work on integers.
    fn kept(&mut self, t: Term) -> Term {
        match (self.width(t), self.store.op(t)) {
            (None, _) => self.others[&t],
            (Some(_), Op::BvConst(_)) => t,
            (Some(width), _) => {
                let value = self.value(t, self.is_signed(width));
                self.store.int_to_bv(width, value)
            }
        }
    }

    fn rebuilt(&mut self, t: Term) -> Term {
        let args: Vec<Term> = self.store.args(t).to_vec();
        let args: Vec<Term> = args.into_iter().map(|a| self.kept(a)).collect();
        self.store.rebuild(t, &args)
    }

    /// A sum with the residue of a word whose parts were read.
    fn sum(&mut self, t: Term, width: u32) -> Linear {
        let args: Vec<Term> = self.store.args(t).to_vec();
        let scaled = |this: &Self, a: Term, factor: Rational| {
            let mut sum = this.sums[&a].clone();
            sum.scale(&factor);
            sum
        };
        let number = |this: &Self, n: usize| this.word_constant(args[n]);
        let mut sum = match self.store.op(t) {
            Op::BvConst(n) => Linear::constant(self.store.num_value(n).clone()),
            Op::Apply(_) if args.is_empty() => {
                let new = self.constant(t);
                self.store.linear(new)
            }
            Op::BvAdd => {
                let mut sum = Linear::default();
                for a in &args {
                    sum.add_scaled(&self.sums[a], &Rational::ONE);
                }
                sum
            }
            Op::BvNeg => scaled(self, args[0], Rational::MINUS_ONE),
            Op::BvNot => {
                let mut sum = scaled(self, args[0], Rational::MINUS_ONE);
                sum.constant -= &Rational::ONE;
                sum
            }
            Op::BvMul if args.len() == 2 => match (number(self, 0), number(self, 1)) {
                (Some(k), _) => scaled(self, args[1], k),
                (_, Some(k)) => scaled(self, args[0], k),
                _ => return self.opaque(t, width),
            },
            Op::BvShl => match number(self, 1).and_then(|k| small(&k)) {
                Some(k) if k < i128::from(width) => scaled(self, args[0], Rational::pow2(k as u32)),
                Some(_) => Linear::default(),
                None => return self.opaque(t, width),
            },
            Op::BvLshr | Op::BvAshr => {
                let signed = self.store.op(t) == Op::BvAshr;
                match number(self, 1).and_then(|k| small(&k)) {
                    Some(k) if k < i128::from(width) => {
                        let value = self.value(args[0], signed);
                        let quotient = self.quotient(value, 1 << k);
                        self.store.linear(quotient)
                    }
                    _ => return self.opaque(t, width),
                }
            }
            Op::BvUdiv | Op::BvUrem => match number(self, 1).and_then(|k| small(&k)).filter(|&k| k > 0) {
                Some(k) => {
                    let value = self.value(args[0], false);
                    let new = match self.store.op(t) {
                        Op::BvUdiv => self.quotient(value, k),
                        _ => self.remainder(value, k),
                    };
                    self.store.linear(new)
                }
                None => return self.opaque(t, width),
            },
            Op::BvAnd if args.len() == 2 => {
                let mask =
                    number(self, 0).map(|k| (k, args[1])).or_else(|| Some((number(self, 1)?, args[0])));
                let Some((k, other)) = mask.and_then(|(k, other)| Some((small(&k)?, other))) else {
                    return self.opaque(t, width);
                };
                let (low, ones) = (k + 1, (1i128 << width) - k);
                if low & k == 0 {
                    // The lowest bits.
                    let sum = self.sums[&other].clone();
                    let whole = self.store.from_linear(&sum, Sort::INT);
                    let new = self.remainder(whole, low);
                    self.store.linear(new)
                } else if ones.count_ones() == 1 {
                    // All but the lowest bits.
                    let mut sum = self.sums[&other].clone();
                    let whole = self.store.from_linear(&sum, Sort::INT);
                    let rest = self.remainder(whole, ones);
                    let rest = self.store.linear(rest);
                    sum.add_scaled(&rest, &Rational::MINUS_ONE);
                    sum
                } else {
                    return self.opaque(t, width);
                }
            }
            Op::Concat => {
                let below = self.width(args[1]).unwrap_or(0);
                let low = self.value(args[1], false);
                let mut sum = scaled(self, args[0], Rational::pow2(below));
                let low = self.store.linear(low);
                sum.add_scaled(&low, &Rational::ONE);
                sum
            }
            Op::Extract { lo: 0, .. } => self.sums[&args[0]].clone(),
            Op::Extract { lo, .. } => {
                let signed = self.is_signed(self.width(args[0]).unwrap_or(1));
                let value = self.value(args[0], signed);
                let quotient = self.quotient(value, 1 << lo);
                self.store.linear(quotient)
            }
            Op::SignExtend(_) => {
                let value = self.value(args[0], true);
                self.store.linear(value)
            }
            Op::Ite => {
                let signed = self.is_signed(width);
                let (a, b) = (self.value(args[1], signed), self.value(args[2], signed));
                let new = self.store.ite(self.others[&args[0]], a, b);
                self.bound(new, range_of(width, signed));
                self.store.linear(new)
            }
            Op::IntToBv => self.store.linear(self.others[&args[0]]),
            _ => return self.opaque(t, width),
        };
        self.reduce(&mut sum, width);
        if sum.terms.len() > MAX_SUM {
            let value = self.wrapped(&sum, width, self.is_signed(width));
            sum = self.store.linear(value);
        }
        sum
    }

    /// A word that is not arithmetic: its operator stays, on the words of its arguments.
    fn opaque(&mut self, t: Term, width: u32) -> Linear {
        let word = self.rebuilt(t);
        let signed = self.is_signed(width);
        let value = if signed { self.store.sbv_to_int(word) } else { self.store.bv_to_nat(word) };
        self.bound(value, range_of(width, signed));
        self.store.linear(value)
    }

    /// The natural number that a word is if it is a constant.
    fn word_constant(&self, t: Term) -> Option<Rational> {
        match self.store.op(t) {
            Op::BvConst(n) => Some(self.store.num_value(n).clone()),
            _ => None,
        }
    }

    /// Replaces coefficients by those of the same residue next to zero.
    fn reduce(&self, sum: &mut Linear, width: u32) {
        let (modulus, half) = (Rational::pow2(width), Rational::pow2(width - 1));
        let near = |n: &Rational| match n.rem_euclid(&modulus) {
            Some(r) if r > half => &r - &modulus,
            Some(r) => r,
            None => n.clone(),
        };
        sum.constant = near(&sum.constant);
        sum.terms.iter_mut().for_each(|(_, c)| *c = near(c));
        sum.terms.retain(|(_, c)| !c.is_zero());
    }

    /// What a word denotes.
    fn value(&mut self, t: Term, signed: bool) -> Term {
        if let Some(&known) = self.denoted.get(&(t, signed)) {
            return known;
        }
        let width = self.width(t).unwrap_or(1);
        let sum = self.sums[&t].clone();
        let value = self.wrapped(&sum, width, signed);
        self.denoted.insert((t, signed), value);
        value
    }

    /// Notes bounds of an integer that is not a sum.
    fn bound(&mut self, t: Term, (low, high): (i128, i128)) {
        if self.store.is_base(t) {
            let known = self.ranges.entry(t).or_insert((low, high));
            *known = (known.0.max(low), known.1.min(high));
        }
    }

    /// Bounds of a sum, if all of its monomials have some.
    fn range(&self, sum: &Linear) -> Option<(i128, i128)> {
        let (mut low, mut high) = (small(&sum.constant)?, small(&sum.constant)?);
        for (t, c) in &sum.terms {
            let (&(l, h), c) = (self.ranges.get(t)?, small(c)?);
            let (a, b) = (c.checked_mul(l)?, c.checked_mul(h)?);
            (low, high) = (low.checked_add(a.min(b))?, high.checked_add(a.max(b))?);
        }
        Some((low, high))
    }

    /// The number with the residue of a sum that a word of a width denotes.
    fn wrapped(&mut self, sum: &Linear, width: u32, signed: bool) -> Term {
        let (least, most) = range_of(width, signed);
        let modulus = 1i128 << width;
        let whole = self.store.from_linear(sum, Sort::INT);
        let laps = self.range(sum).map(|(low, high)| {
            let lap = |n: i128| (n - least).div_euclid(modulus);
            (lap(low), lap(high))
        });
        let new = match laps {
            Some((0, 0)) => return whole,
            _ if !self.wraps => return whole,
            Some((first, last)) if last - first < MAX_CASES => {
                // The cases next to the range come first.
                let mut laps: Vec<i128> = (first..=last).collect();
                laps.sort_by_key(|k| std::cmp::Reverse(k.abs()));
                let mut out: Option<Term> = None;
                for k in laps {
                    let mut moved = sum.clone();
                    moved.constant -= &integer(k * modulus);
                    let moved = self.store.from_linear(&moved, Sort::INT);
                    let Some(rest) = out else {
                        out = Some(moved);
                        continue;
                    };
                    let (low, high) = (self.numeral(least), self.numeral(most));
                    let within = match k {
                        _ if k == first => self.store.le(moved, high),
                        _ if k == last => self.store.le(low, moved),
                        _ => {
                            let (above, below) = (self.store.le(low, moved), self.store.le(moved, high));
                            self.store.and(&[above, below])
                        }
                    };
                    out = Some(self.store.ite(within, moved, rest));
                }
                out.unwrap_or(whole)
            }
            _ => {
                let mut moved = sum.clone();
                moved.constant -= &integer(least);
                let moved = self.store.from_linear(&moved, Sort::INT);
                let rest = self.remainder(moved, modulus);
                let least = self.numeral(least);
                self.store.add(&[rest, least])
            }
        };
        self.bound(new, (least, most));
        new
    }

    fn quotient(&mut self, t: Term, by: i128) -> Term {
        let range = self.range(&self.store.linear(t));
        let by_term = self.numeral(by);
        let new = self.store.div(t, by_term);
        if let Some((low, high)) = range {
            self.bound(new, (low.div_euclid(by), high.div_euclid(by)));
        }
        new
    }

    fn remainder(&mut self, t: Term, by: i128) -> Term {
        let by_term = self.numeral(by);
        let new = self.store.modulo(t, by_term);
        self.bound(new, (0, by - 1));
        new
    }

    /// A term of another sort whose parts were read.
    fn other(&mut self, t: Term) -> Term {
        let args: Vec<Term> = self.store.args(t).to_vec();
        let op = self.store.op(t);
        match op {
            Op::Eq => match self.width(args[0]) {
                Some(width) => self.equation(args[0], args[1], width),
                None => self.rebuilt(t),
            },
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => {
                let signed = matches!(op, Op::BvSlt | Op::BvSle);
                let (a, b) = (self.value(args[0], signed), self.value(args[1], signed));
                if matches!(op, Op::BvUlt | Op::BvSlt) { self.store.lt(a, b) } else { self.store.le(a, b) }
            }
            Op::BvToNat => self.value(args[0], false),
            Op::Bit(n) => {
                let width = self.width(args[0]).unwrap_or(1);
                let (zero, one) = (self.numeral(0), self.numeral(1));
                if n + 1 == width && width > 1 {
                    let value = self.value(args[0], true);
                    return self.store.lt(value, zero);
                }
                let value = self.value(args[0], self.is_signed(width));
                let shifted = self.quotient(value, 1 << n);
                let bit = self.remainder(shifted, 2);
                self.store.eq(bit, one)
            }
            _ if args.is_empty() => t,
            _ => self.rebuilt(t),
        }
    }

    /// Do two words have the same residue?
    fn equation(&mut self, a: Term, b: Term, width: u32) -> Term {
        let mut difference = self.sums[&a].clone();
        difference.add_scaled(&self.sums[&b], &Rational::MINUS_ONE);
        self.reduce(&mut difference, width);
        let modulus = 1i128 << width;
        let laps = self.range(&difference).map(|(low, high)| {
            // From the first multiple that is not below to the last one that is not above.
            (-((-low).div_euclid(modulus)), high.div_euclid(modulus))
        });
        match laps {
            _ if !self.wraps => {
                let (whole, zero) = (self.store.from_linear(&difference, Sort::INT), self.numeral(0));
                self.store.eq(whole, zero)
            }
            Some((first, last)) if last - first < MAX_CASES => {
                let whole = self.store.from_linear(&difference, Sort::INT);
                let mut cases = Vec::new();
                for k in first..=last {
                    let multiple = self.numeral(k * modulus);
                    cases.push(self.store.eq(whole, multiple));
                }
                self.store.or(&cases)
            }
            _ => {
                let whole = self.store.from_linear(&difference, Sort::INT);
                let (rest, zero) = (self.remainder(whole, modulus), self.numeral(0));
                self.store.eq(rest, zero)
            }
        }
    }
}
