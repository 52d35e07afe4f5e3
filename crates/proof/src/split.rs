//! Split proofs: derivations in which every step belongs to one part of a sequence.
//!
//! Definitions 3 and 4 of Jhala and McMillan, *A Practical and Complete Approach to Predicate Refinement* (TACAS 2006).
//! A step uses hypotheses of its part and conclusions of other steps. It may only speak of what its part sees: symbols
//! between whose first and last occurrence in the sequence the part lies. What comes from another part must be in the
//! restriction language. [`check_split`] replays the steps one by one without a solver.

use crate::check::{CheckError, Flaw, expect, lemma as check_lemma};
use crate::{Lemma, Literal, StepId, equality_literal};
use bolide_base::Rational;
use bolide_term::{Func, Op, Store, Term};
use rustc_hash::FxHashMap;

/// Why the conclusion of a step follows from its premises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitRule {
    /// It is a hypothesis of the part; there are no premises.
    Hypothesis,
    /// A linear combination: coefficients for the premises in order, then, unless the conclusion is the contradiction,
    /// for its negation; they sum up to a contradiction.
    Combination(Vec<Rational>),
    /// One of the inequalities that make up the premise, an equality of numbers.
    Half,
    /// Equalities and disequalities that hang together.
    Transitivity,
    /// Two applications of the same operator, whose arguments are equal by the premises, are equal. For numbers the
    /// premises and the conclusion may be inequalities.
    Congruence(Term, Term),
    /// This read of a write at its own index, or of a constant array, is the element.
    Read(Term),
    /// This read of a write at another index, by the premise if it is not obvious, is that of the array before.
    ReadPast(Term),
}

/// One deduction of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitStep {
    /// The part that makes it.
    pub part: usize,
    /// Positions of earlier steps whose conclusions are used.
    pub premises: Vec<usize>,
    /// What follows; none for the contradiction.
    pub conclusion: Option<Literal>,
    /// Why it follows.
    pub rule: SplitRule,
}

/// A derivation of a contradiction, which is the conclusion of the last step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitProof {
    /// The steps; they only refer to earlier ones.
    pub steps: Vec<SplitStep>,
}

/// Accepts a split proof over the parts only if every step holds and keeps to its part, what travels between parts is in
/// the language, and the last step is a contradiction. Some symbols may be kept: parts up to the given one see them
/// although they do not mention them.
pub fn check_split(
    store: &mut Store,
    parts: &[Term],
    kept: &[(Func, usize)],
    proof: &SplitProof,
    in_language: &dyn Fn(&Store, Term) -> bool,
) -> Result<(), CheckError> {
    let mut checker = Checker { ranges: ranges(store, parts, kept), store, proof, in_language };
    for n in 0..proof.steps.len() {
        checker.step(n).map_err(|flaw| CheckError { step: Some(StepId::new(n)), flaw })?;
    }
    match proof.steps.last() {
        Some(SplitStep { conclusion: None, .. }) => Ok(()),
        _ => Err(CheckError { step: None, flaw: "the last step is not a contradiction".into() }),
    }
}

/// First and last part in which each symbol occurs, or up to which it is kept.
fn ranges(store: &Store, parts: &[Term], kept: &[(Func, usize)]) -> FxHashMap<Func, (usize, usize)> {
    let mut out: FxHashMap<Func, (usize, usize)> = FxHashMap::default();
    for (n, &p) in parts.iter().enumerate() {
        for f in store.symbols([p]) {
            out.entry(f).or_insert((n, n)).1 = n;
        }
    }
    for &(f, until) in kept {
        if let Some((_, last)) = out.get_mut(&f) {
            *last = until.max(*last);
        }
    }
    out
}

struct Checker<'a> {
    store: &'a mut Store,
    proof: &'a SplitProof,
    in_language: &'a dyn Fn(&Store, Term) -> bool,
    ranges: FxHashMap<Func, (usize, usize)>,
}

impl Checker<'_> {
    fn step(&mut self, n: usize) -> Result<(), Flaw> {
        let proof = self.proof;
        let step = &proof.steps[n];
        let mut premises = Vec::with_capacity(step.premises.len());
        for &p in &step.premises {
            expect(p < n, "a step refers to a later one")?;
            let earlier = &proof.steps[p];
            let Some(fact) = earlier.conclusion else { return Err("a contradiction is used".into()) };
            if earlier.part != step.part {
                expect((self.in_language)(self.store, fact.atom()), "a fact outside the language travels")?;
            }
            self.visible(step.part, fact)?;
            premises.push(fact);
        }
        if let Some(fact) = step.conclusion {
            self.visible(step.part, fact)?;
        }
        self.rule(step, &premises)
    }

    /// Does the part see all symbols of a literal?
    fn visible(&self, part: usize, literal: Literal) -> Result<(), Flaw> {
        let sees = |f: &Func| self.ranges.get(f).is_some_and(|&(first, last)| first <= part && part <= last);
        expect(self.store.symbols([literal.atom()]).iter().all(sees), "a part does not see a symbol")
    }

    fn rule(&mut self, step: &SplitStep, premises: &[Literal]) -> Result<(), Flaw> {
        if let SplitRule::Hypothesis = step.rule {
            return expect(step.conclusion.is_some() && premises.is_empty(), "a hypothesis is a literal");
        }
        if let SplitRule::Combination(coeffs) = &step.rule {
            let clause: Vec<Literal> = premises.iter().map(|&p| !p).chain(step.conclusion).collect();
            return check_lemma(self.store, &Lemma::Farkas(coeffs.clone()), &clause);
        }
        if let SplitRule::Transitivity = step.rule {
            return self.transitivity(premises, step.conclusion);
        }
        let Some(conclusion) = step.conclusion else { return Err("the rule proves no contradiction".into()) };
        match step.rule {
            SplitRule::Half => {
                let one = premises.len() == 1 && self.implied(premises, conclusion);
                expect(one, "the inequality is not half of the equality")
            }
            SplitRule::Congruence(f, g) => {
                self.congruence(premises, f, g)?;
                expect(self.says_equal(conclusion, f, g), "the applications are not what is concluded")
            }
            SplitRule::Read(r) => {
                let value = self.element(r).ok_or("the term does not read what was written")?;
                expect(self.says_equal(conclusion, r, value), "the read is not what is concluded")
            }
            SplitRule::ReadPast(r) => {
                let before = self.element_before(premises, r)?;
                expect(self.says_equal(conclusion, r, before), "the read is not what is concluded")
            }
            _ => Ok(()),
        }
    }

    /// Do the equalities connect the ends of a disequality, or two different values?
    fn transitivity(&mut self, premises: &[Literal], conclusion: Option<Literal>) -> Result<(), Flaw> {
        let conflict: Vec<Literal> = premises.iter().copied().chain(conclusion.map(|c| !c)).collect();
        let mut pairs: Vec<(Term, Term)> = Vec::new();
        let mut apart: Vec<(Term, Term)> = Vec::new();
        for l in conflict {
            let atom = l.atom();
            let is_equality = self.store.op(atom) == Op::Eq;
            match (is_equality, l.is_positive()) {
                (true, true) => pairs.push((self.store.arg(atom, 0), self.store.arg(atom, 1))),
                (true, false) => apart.push((self.store.arg(atom, 0), self.store.arg(atom, 1))),
                // A Boolean equals its truth value, too.
                (false, value) => pairs.push((atom, self.store.bool(value))),
            }
        }
        let contradictory = pairs.iter().flat_map(|&(a, b)| [a, b]).any(|start| {
            let class = connected(&pairs, start);
            let values = class.iter().filter(|&&t| self.store.is_value(t)).count();
            values > 1 || apart.iter().any(|(a, b)| class.contains(a) && class.contains(b))
        });
        expect(contradictory, "the equalities do not hang together")
    }

    fn congruence(&mut self, premises: &[Literal], f: Term, g: Term) -> Result<(), Flaw> {
        let same = self.store.op(f) == self.store.op(g)
            && self.store.sort_of(f) == self.store.sort_of(g)
            && self.store.args(f).len() == self.store.args(g).len();
        expect(same, "congruence needs the same operator")?;
        expect(!matches!(self.store.op(f), Op::Forall | Op::Exists), "quantifiers are not functions")?;
        for n in 0..self.store.args(f).len() {
            let (a, b) = (self.store.arg(f, n), self.store.arg(g, n));
            expect(self.store.sort_of(a) == self.store.sort_of(b), "two arguments have different sorts")?;
            expect(a == b || self.equal(premises, a, b), "two arguments are not known to be equal")?;
        }
        Ok(())
    }

    /// Does a premise say that two terms are equal, or do two say that neither is less?
    fn equal(&mut self, premises: &[Literal], a: Term, b: Term) -> bool {
        let equality = equality_literal(self.store, a, b);
        if premises.contains(&equality) {
            return true;
        }
        if !self.store.sort_of(a).is_arith() {
            return false;
        }
        let bounds = [self.store.le(a, b), self.store.le(b, a)];
        bounds.into_iter().all(|bound| {
            let bound = Literal::of(self.store, bound);
            self.implied(premises, bound)
        })
    }

    /// Does an inequality follow from one of the premises?
    fn implied(&mut self, premises: &[Literal], goal: Literal) -> bool {
        premises.iter().any(|&p| {
            p == goal
                || [Rational::ONE, Rational::MINUS_ONE].into_iter().any(|k| {
                    let lemma = Lemma::Farkas(vec![k, Rational::ONE]);
                    check_lemma(self.store, &lemma, &[!p, goal]).is_ok()
                })
        })
    }

    /// Does the literal say that two terms are equal, or that one number is at most the other?
    fn says_equal(&mut self, literal: Literal, a: Term, b: Term) -> bool {
        if literal == equality_literal(self.store, a, b) {
            return true;
        }
        let is_arith = self.store.sort_of(a).is_arith();
        is_arith
            && [(a, b), (b, a)].into_iter().any(|(a, b)| {
                let bound = self.store.le(a, b);
                literal == Literal::of(self.store, bound)
            })
    }

    /// What a read of a write at its own index, or of a constant array, gives.
    fn element(&self, r: Term) -> Option<Term> {
        if self.store.op(r) != Op::Select {
            return None;
        }
        let (array, index) = (self.store.arg(r, 0), self.store.arg(r, 1));
        match self.store.op(array) {
            Op::Store if self.store.arg(array, 1) == index => Some(self.store.arg(array, 2)),
            Op::ConstArray => Some(self.store.arg(array, 0)),
            _ => None,
        }
    }

    /// The read of the array before a write at another index.
    fn element_before(&mut self, premises: &[Literal], r: Term) -> Result<Term, Flaw> {
        let is_read_of_write =
            self.store.op(r) == Op::Select && self.store.op(self.store.arg(r, 0)) == Op::Store;
        expect(is_read_of_write, "the term does not read a write")?;
        let (written, at) = (self.store.arg(r, 0), self.store.arg(r, 1));
        let (old, index) = (self.store.arg(written, 0), self.store.arg(written, 1));
        let same = equality_literal(self.store, at, index);
        let obvious = same == Literal::of(self.store, self.store.fls());
        let mut apart = obvious || premises.contains(&!same);
        if !apart && self.store.sort_of(at).is_arith() {
            let less = [self.store.lt(at, index), self.store.lt(index, at)];
            apart = less.into_iter().any(|l| {
                let l = Literal::of(self.store, l);
                self.implied(premises, l)
            });
        }
        expect(apart, "the indices are not known to differ")?;
        Ok(self.store.raw_select(old, at))
    }
}

/// The terms that equalities connect with a term.
fn connected(pairs: &[(Term, Term)], start: Term) -> Vec<Term> {
    let mut class = vec![start];
    let mut n = 0;
    while n < class.len() {
        let t = class[n];
        for &(a, b) in pairs {
            for (x, y) in [(a, b), (b, a)] {
                if x == t && !class.contains(&y) {
                    class.push(y);
                }
            }
        }
        n += 1;
    }
    class
}
