//! Values as terms over integers.

use super::extremes::Extremes;
use super::{Domain, Executions, Reading, Values};
use crate::{InputId, Program, VarId, VarKind};
use bolide_base::{IBig, Rational};
use bolide_term::{Linear, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// Terms over the inputs.
#[derive(Default)]
pub(super) struct Integers {
    /// Between which numbers values lie, as far as their form and the ranges of inputs tell.
    bounds: FxHashMap<Term, Option<(Rational, Rational)>>,
    extremes: Extremes,
}

impl Domain for Integers {
    type Value = Term;

    fn initial(&mut self, _: &mut Store, program: &Program, var: VarId) -> Option<Term> {
        let v = &program.vars[var];
        (v.kind == VarKind::Global).then_some(v.term)
    }

    fn input(&mut self, store: &mut Store, program: &Program, input: InputId) -> Option<Term> {
        let value = program.input_value(store, input);
        let range = program.inputs[input].range;
        let range =
            range.map(|(low, high)| (Rational::from(IBig::from(low)), Rational::from(IBig::from(high))));
        self.bounds.insert(value, range);
        Some(value)
    }

    fn evaluate(
        &mut self,
        store: &mut Store,
        state: &Values<'_, Term>,
        formula: Term,
        terms: &[Term],
    ) -> Option<(Term, Vec<Term>)> {
        let all: Vec<Term> = std::iter::once(formula).chain(terms.iter().copied()).collect();
        let mut new: FxHashMap<Term, Term> =
            state.of(store, &all)?.into_iter().map(|(t, &v)| (t, v)).collect();
        let order: Vec<Term> = store.post_order(all).collect();
        for t in order {
            if new.contains_key(&t) {
                continue;
            }
            let args: Vec<Term> = store.args(t).iter().map(|a| new[a]).collect();
            let value = match store.op(t) {
                Op::Mod => self.remainder(store, args[0], args[1]),
                Op::Ite if store.as_bool(args[0]).is_none() => {
                    self.choice(store, args[0], &args[1], &args[2])?
                }
                _ => store.rebuild(t, &args),
            };
            new.insert(t, value);
        }
        Some((new[&formula], terms.iter().map(|t| new[t]).collect()))
    }

    fn choice(&mut self, store: &mut Store, condition: Term, yes: &Term, no: &Term) -> Option<Term> {
        if store.sort_of(*yes) != Sort::INT {
            return Some(store.ite(condition, *yes, *no));
        }
        if let Some(extreme) = self.extremes.choice(store, condition, *yes, *no) {
            return Some(extreme);
        }
        if let Some(rest) = self.chosen_remainder(store, condition, *yes, *no) {
            return Some(rest);
        }
        Some(choice(store, condition, *yes, *no))
    }

    fn known(&self) -> &[Term] {
        &[]
    }

    fn reading(&value: &Term) -> Reading {
        Reading::Term(value)
    }

    fn finish(self, _: &mut Executions) {}
}

impl Integers {
    /// A remainder by a number. Remainders by multiples of it in a sum are as good as what they are remainders of: so values that wrap
    /// again and again are one sum that wraps once, or not at all if its bounds tell.
    fn remainder(&mut self, store: &mut Store, t: Term, by: Term) -> Term {
        let Some(size) = store.as_num(by).cloned().filter(|n| !n.is_zero()) else {
            return store.modulo(t, by);
        };
        let mut sum = store.linear(t);
        let mut rest = sum.clone();
        for (part, factor) in std::mem::take(&mut sum.terms) {
            if let (Op::Mod, &[inner, wider]) = (store.op(part), store.args(part))
                && let Some(wider) = store.as_num(wider).filter(|n| !n.is_zero())
                && (factor.clone() * wider / &size).is_integer()
            {
                let one = Linear { constant: Rational::ZERO, terms: vec![(part, Rational::ONE)] };
                rest.add_scaled(&one, &-factor.clone());
                rest.add_scaled(&store.linear(inner), &factor);
            }
        }
        let t = store.from_linear(&rest, Sort::INT);
        match self.bounds(store, t) {
            Some((low, high)) if !low.is_negative() && high < size => t,
            _ => store.modulo(t, by),
        }
    }

    /// A choice between two remainders by one number, moved by one constant, as one remainder.
    fn chosen_remainder(&mut self, store: &mut Store, condition: Term, yes: Term, no: Term) -> Option<Term> {
        let (a, b) = (store.linear(yes), store.linear(no));
        let ([(x, k)], [(y, l)]) = (&a.terms[..], &b.terms[..]) else { return None };
        let is_same = a.constant == b.constant && k.is_one() && l.is_one();
        let (Op::Mod, Op::Mod) = (store.op(*x), store.op(*y)) else { return None };
        if !is_same || store.arg(*x, 1) != store.arg(*y, 1) || store.as_num(store.arg(*x, 1)).is_none() {
            return None;
        }
        let chosen = choice(store, condition, store.arg(*x, 0), store.arg(*y, 0));
        let rest = self.remainder(store, chosen, store.arg(*x, 1));
        let constant = store.num(a.constant, Sort::INT);
        Some(store.add(&[rest, constant]))
    }

    /// Between which numbers a value lies.
    fn bounds(&mut self, store: &Store, t: Term) -> Option<(Rational, Rational)> {
        let mut work = vec![t];
        while let Some(&t) = work.last() {
            if self.bounds.contains_key(&t) {
                work.pop();
                continue;
            }
            let parts: Vec<Term> = match store.op(t) {
                _ if store.as_num(t).is_some() => Vec::new(),
                Op::Ite => store.args(t)[1..].to_vec(),
                _ => store.linear(t).terms.into_iter().map(|part| part.0).filter(|&part| part != t).collect(),
            };
            let missing: Vec<Term> =
                parts.iter().copied().filter(|part| !self.bounds.contains_key(part)).collect();
            if !missing.is_empty() {
                work.extend(missing);
                continue;
            }
            let found = self.combined(store, t, &parts);
            self.bounds.insert(t, found);
            work.pop();
        }
        self.bounds.get(&t).cloned().flatten()
    }

    /// The bounds of a value whose parts have bounds.
    fn combined(&self, store: &Store, t: Term, parts: &[Term]) -> Option<(Rational, Rational)> {
        let of = |t: &Term| self.bounds.get(t).cloned().flatten();
        if store.op(t) == Op::Ite {
            let ((a, b), (c, d)) = (of(&parts[0])?, of(&parts[1])?);
            return Some((a.min(c), b.max(d)));
        }
        let sum = store.linear(t);
        if sum.terms.iter().any(|part| part.0 == t) {
            return None;
        }
        let (mut low, mut high) = (sum.constant.clone(), sum.constant.clone());
        for (part, factor) in &sum.terms {
            let (a, b) = of(part)?;
            let (a, b) = (a * factor, b * factor);
            let (least, greatest) = if a <= b { (a, b) } else { (b, a) };
            low += &least;
            high += &greatest;
        }
        Some((low, high))
    }
}

/// A choice between two sums. What they have in common stays outside of it, and so does the constant of the second one: sums of choices
/// have normal forms, choices between sums have none.
fn choice(store: &mut Store, condition: Term, yes: Term, no: Term) -> Term {
    let (atom, is_positive) = store.literal(condition);
    let (yes, no) = if is_positive { (yes, no) } else { (no, yes) };
    let (mut yes, mut no) = (store.linear(yes), store.linear(no));
    let terms = yes.terms.iter().filter(|part| no.terms.contains(part)).cloned().collect();
    let common = Linear { constant: no.constant.clone(), terms };
    yes.add_scaled(&common, &Rational::MINUS_ONE);
    no.add_scaled(&common, &Rational::MINUS_ONE);
    let (yes, no) = (store.from_linear(&yes, Sort::INT), store.from_linear(&no, Sort::INT));
    let chosen = store.ite(atom, yes, no);
    let common = store.from_linear(&common, Sort::INT);
    store.add(&[common, chosen])
}
