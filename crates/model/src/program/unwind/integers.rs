//! Values as terms over integers.

use super::{Domain, Executions, Reading, Values};
use crate::{InputId, Program, VarId, VarKind};
use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// Terms over the inputs.
pub(super) struct Integers;

impl Domain for Integers {
    type Value = Term;

    fn initial(&mut self, _: &mut Store, program: &Program, var: VarId) -> Option<Term> {
        let v = &program.vars[var];
        (v.kind == VarKind::Global).then_some(v.term)
    }

    fn input(&mut self, store: &mut Store, program: &Program, input: InputId) -> Option<Term> {
        Some(program.input_value(store, input))
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
                Op::Mod => remainder(store, args[0], args[1]),
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
        if let Some(rest) = chosen_remainder(store, condition, *yes, *no) {
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

/// A remainder by a number. Remainders by multiples of it in a sum are as good as what they are remainders of: so values that wrap
/// again and again are one sum that wraps once.
fn remainder(store: &mut Store, t: Term, by: Term) -> Term {
    let Some(size) = store.as_num(by).cloned().filter(|n| !n.is_zero()) else { return store.modulo(t, by) };
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
    store.modulo(t, by)
}

/// A choice between two remainders by one number, moved by one constant, as one remainder.
fn chosen_remainder(store: &mut Store, condition: Term, yes: Term, no: Term) -> Option<Term> {
    let (a, b) = (store.linear(yes), store.linear(no));
    let ([(x, k)], [(y, l)]) = (&a.terms[..], &b.terms[..]) else { return None };
    let is_same = a.constant == b.constant && k.is_one() && l.is_one();
    let (Op::Mod, Op::Mod) = (store.op(*x), store.op(*y)) else { return None };
    if !is_same || store.arg(*x, 1) != store.arg(*y, 1) || store.as_num(store.arg(*x, 1)).is_none() {
        return None;
    }
    let chosen = choice(store, condition, store.arg(*x, 0), store.arg(*y, 0));
    let rest = remainder(store, chosen, store.arg(*x, 1));
    let constant = store.num(a.constant, Sort::INT);
    Some(store.add(&[rest, constant]))
}

/// A choice between two sums. What they have in common stays outside of it: sums of choices have normal forms, choices between
/// sums have none.
fn choice(store: &mut Store, condition: Term, yes: Term, no: Term) -> Term {
    let (mut yes, mut no) = (store.linear(yes), store.linear(no));
    let terms = yes.terms.iter().filter(|part| no.terms.contains(part)).cloned().collect();
    let common = Linear { constant: Rational::ZERO, terms };
    yes.add_scaled(&common, &Rational::MINUS_ONE);
    no.add_scaled(&common, &Rational::MINUS_ONE);
    let (yes, no) = (store.from_linear(&yes, Sort::INT), store.from_linear(&no, Sort::INT));
    let chosen = store.ite(condition, yes, no);
    let common = store.from_linear(&common, Sort::INT);
    store.add(&[common, chosen])
}
