//! Linear inequalities over several terms that travel.
//!
//! Saturation is for bounds on two terms; to find all inequalities over more of them that a part could tell its
//! neighbours is hopeless. But an assignment that has to be refuted is a conflict of inequalities, and what travels in its
//! refutation are the partial sums: what the hypotheses of the parts up to some point add up to. Farkas' multipliers are
//! rarely unique, and that every partial sum is short and has a small constant is a linear condition on them. So
//! suitable multipliers are the solution of another linear problem, if there are any: a refutation that does not count
//! rounds of a loop, but relates what they change. Whether its partial sums really are in the language, with
//! their multiples cleared, is checked afterwards.

use super::nodes::{Claim, Nodes};
use super::prover::{Fact, FactId, Hypothesis, Prover, Why};
use super::refute::Refuter;
use super::shape::primitive;
use super::vocabulary::Range;
use crate::Failure;
use bolide_base::Rational;
use bolide_smt::{Answer, Solver};
use bolide_term::{Linear, Sort, Store, Term, Value};
use rustc_hash::FxHashMap;

/// Larger linear problems are not tried.
const MAX_COLUMNS: usize = 1_000;

/// So many steps are spent on a linear problem.
const MAX_STEPS: u64 = 500;

/// A hypothesis used in a part, or a weakening by one there.
struct Column {
    /// The hypothesis; none for a weakening.
    fact: Option<FactId>,
    part: u32,
    /// What is at most zero.
    linear: Linear,
}

/// A partial sum: the fact that it is, which times its weight is the sum itself.
struct Partial {
    fact: FactId,
    weight: Rational,
    linear: Linear,
}

impl Refuter<'_> {
    /// Refutes an assignment by partial sums that are in the language. False if there are none.
    pub fn refute_by_sums(&mut self, hypotheses: &[Hypothesis]) -> Result<bool, Failure> {
        let columns = self.prover.columns(self.store, hypotheses);
        if columns.is_empty() || columns.len() > MAX_COLUMNS {
            return Ok(false);
        }
        // Whole multipliers are harder to find, but what they add up to is in the language.
        for sort in [Sort::REAL, Sort::INT] {
            let Some(multipliers) = self.multipliers(&columns, sort) else { return Ok(false) };
            let sums = self.prover.partial_sums(self.store, &columns, &multipliers);
            if let Some(contradiction) = sums {
                return self.learn(&[contradiction]);
            }
        }
        Ok(false)
    }

    /// Multipliers of the columns that make up a contradiction whose partial sums are short and have small constants.
    fn multipliers(&mut self, columns: &[Column], sort: Sort) -> Option<Vec<Rational>> {
        let prefix = self.abstraction.proxies.prefix().to_string();
        let kind = if sort == Sort::INT { "whole " } else { "" };
        let name = |what: &str, n: usize| format!("{prefix}{kind}{what} {n}");
        let unknowns: Vec<Term> =
            (0..columns.len()).map(|n| self.store.var(&name("multiplier", n), sort)).collect();
        let mut solver = Solver::default();
        let store = &mut *self.store;
        let mut at_most = |store: &mut Store, l: Linear| {
            let t = store.linear_le(l, sort);
            solver.assert(t);
        };
        for &x in &unknowns {
            at_most(store, scaled(x, Rational::MINUS_ONE));
        }
        let language = &self.prover.nodes.language;
        let level = Rational::from(i64::from(language.level()));
        // Sums of the columns up to a part: for each term its coefficient, and the constant.
        let mut coefficients: FxHashMap<Term, Linear> = FxHashMap::default();
        let mut order: Vec<Term> = Vec::new();
        let mut constant = Linear::default();
        let last = columns.iter().map(|c| c.part).max()?;
        let mut lengths = 0;
        for part in 0..=last {
            for (column, &x) in columns.iter().zip(&unknowns).filter(|(c, _)| c.part == part) {
                constant.add_scaled(&scaled(x, Rational::ONE), &column.linear.constant);
                for (t, a) in &column.linear.terms {
                    let sum = coefficients.entry(*t).or_insert_with(|| {
                        order.push(*t);
                        Linear::default()
                    });
                    sum.add_scaled(&scaled(x, Rational::ONE), a);
                }
            }
            if part == last {
                break;
            }
            let later = |t: &Term| {
                columns.iter().any(|c| c.part > part && c.linear.terms.iter().any(|(u, _)| u == t))
            };
            let mut length = Linear::constant(-Rational::from(i64::from(language.weight())));
            for t in order.iter().filter(|t| later(t)) {
                // The length is at least the absolute value of the coefficient, whatever its sign.
                let bound = store.var(&name("length", lengths), sort);
                lengths += 1;
                for sign in [Rational::ONE, Rational::MINUS_ONE] {
                    let mut l = scaled(bound, Rational::MINUS_ONE);
                    l.add_scaled(&coefficients[t], &sign);
                    at_most(store, l);
                }
                length.add_scaled(&scaled(bound, Rational::ONE), &Rational::ONE);
            }
            at_most(store, length);
            let mut upper = constant.clone();
            upper.constant -= &(&level + Rational::ONE);
            at_most(store, upper);
            let mut lower = constant.clone();
            lower.scale(&Rational::MINUS_ONE);
            lower.constant -= &level;
            at_most(store, lower);
        }
        // All together they say that one is at most zero.
        constant.constant -= &Rational::ONE;
        for t in order {
            equals_zero(store, coefficients.remove(&t)?, &mut at_most);
        }
        equals_zero(store, constant, &mut at_most);
        if solver.check(store, &self.budget.clone().with_steps(MAX_STEPS)) != Answer::Sat {
            return None;
        }
        let model = solver.model()?;
        let value = |&x: &Term| match self.store.as_var(x).and_then(|f| model.value(f)) {
            Some(Value::Num(n)) => n.clone(),
            _ => Rational::ZERO,
        };
        Some(unknowns.iter().map(value).collect())
    }
}

/// A multiple of a constant.
fn scaled(x: Term, factor: Rational) -> Linear {
    Linear { constant: Rational::ZERO, terms: vec![(x, factor)] }
}

fn equals_zero(store: &mut Store, l: Linear, at_most: &mut impl FnMut(&mut Store, Linear)) {
    let mut opposite = l.clone();
    opposite.scale(&Rational::MINUS_ONE);
    at_most(store, l);
    at_most(store, opposite);
}

impl Prover {
    /// The inequalities between integers among the hypotheses, in the parts where they may be used: one of the language
    /// where it comes from, or where it is seen last. And a weakening in each part.
    fn columns(&mut self, store: &mut Store, hypotheses: &[Hypothesis]) -> Vec<Column> {
        let mut out = Vec::new();
        for h in hypotheses {
            for claim in self.nodes.claims(store, h.literal) {
                let linear = self.nodes.linear(&claim);
                let is_int = self.nodes.data(claim.ends().0).sort == Sort::INT;
                let visible = self.visible(&linear).and_then(|r| r.meet(h.range));
                let (Some(range), true, false) = (visible, is_int, linear.is_constant()) else { continue };
                let why = Why::Given { literal: h.literal, origin: h.origin };
                let fact = self.record(claim, range, range, why);
                let mut parts = vec![range.nearest(h.origin.last), range.last];
                parts.dedup();
                let column = |part| Column { fact: Some(fact), part, linear: linear.clone() };
                out.extend(parts.into_iter().map(column));
            }
        }
        if !out.is_empty() {
            let everywhere = self.nodes.vocabulary.everywhere();
            let weakening = |part| Column { fact: None, part, linear: Linear::constant(Rational::MINUS_ONE) };
            out.extend((everywhere.first..=everywhere.last).map(weakening));
        }
        out
    }

    /// Where all terms of a sum are visible.
    pub(super) fn visible(&self, linear: &Linear) -> Option<Range> {
        linear.terms.iter().try_fold(self.nodes.vocabulary.everywhere(), |range, (t, _)| {
            range.meet(self.nodes.data(self.nodes.known_node(*t)?).range)
        })
    }

    /// The sums of the columns up to each part as facts, up to the contradiction. None if one is not in the language.
    fn partial_sums(
        &mut self,
        store: &mut Store,
        columns: &[Column],
        multipliers: &[Rational],
    ) -> Option<FactId> {
        let last = columns.iter().map(|c| c.part).max()?;
        let mut before: Option<Partial> = None;
        for part in 0..=last {
            let mut sum = Linear::default();
            let (mut facts, mut coeffs) = (Vec::new(), Vec::new());
            let here = columns.iter().zip(multipliers).filter(|(c, m)| c.part == part && !m.is_zero());
            for (column, multiplier) in here {
                if let Some(fact) = column.fact {
                    sum.add_scaled(&column.linear, multiplier);
                    facts.push(fact);
                    coeffs.push(multiplier.clone());
                } else {
                    sum.constant -= multiplier;
                }
            }
            if facts.is_empty() && sum.is_constant() && sum.constant.is_zero() {
                continue;
            }
            if let Some(partial) = &before {
                sum.add_scaled(&partial.linear, &partial.weight);
                facts.push(partial.fact);
                coeffs.push(partial.weight.clone());
            }
            if sum.is_constant() && !sum.constant.is_positive() {
                before = None;
                continue;
            }
            let zero = Nodes::zero(Sort::INT);
            let (claim, weight, known) = if sum.is_constant() {
                let contradiction = Claim::Bound { u: zero, v: zero, c: -&sum.constant, strict: false };
                (contradiction, Rational::ONE, Range::of(part))
            } else {
                let (mut linear, weight) = primitive(&sum);
                linear.constant = linear.constant.ceil();
                let known = self.visible(&linear).filter(|r| r.has(part))?;
                (self.nodes.known_bound(&linear, Sort::INT, false)?, weight, known)
            };
            let is_end = self.is_contradiction(&claim);
            let literal = self.nodes.literal(store, &claim);
            let travels = self.nodes.language.contains_atom(store, store.literal(literal).0);
            if !is_end && !travels {
                return None;
            }
            let linear = self.nodes.linear(&claim);
            let why = Why::Combination { facts: facts.into(), coeffs: coeffs.into(), weight: weight.clone() };
            let fact = self.record(claim, Range::of(part), known, why);
            if is_end {
                return Some(fact);
            }
            before = Some(Partial { fact, weight, linear });
        }
        None
    }

    /// A fact that takes no part in saturation.
    fn record(&mut self, claim: Claim, birth: Range, known: Range, why: Why) -> FactId {
        self.facts.push(Fact::aside(claim, birth, known, why));
        (self.facts.len() - 1) as FactId
    }
}
