//! Values as terms over integers.

use super::{Domain, Values};
use crate::{InputId, Program, VarId, VarKind};
use bolide_base::Rational;
use bolide_term::{Linear, Sort, Store, Substitution, Term};

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
        let mut substitution = Substitution::new();
        for (t, &value) in state.of(store, &all)? {
            substitution.insert(t, value);
        }
        let formula = substitution.apply(store, formula);
        Some((formula, terms.iter().map(|&t| substitution.apply(store, t)).collect()))
    }

    /// What two sums have in common stays outside of the choice: sums of choices have normal forms, choices between sums have none.
    fn choice(&mut self, store: &mut Store, condition: Term, yes: &Term, no: &Term) -> Option<Term> {
        if store.sort_of(*yes) != Sort::INT {
            return Some(store.ite(condition, *yes, *no));
        }
        let (mut yes, mut no) = (store.linear(*yes), store.linear(*no));
        let mut common = Linear::default();
        common.terms = yes.terms.iter().filter(|part| no.terms.contains(part)).cloned().collect();
        yes.add_scaled(&common, &Rational::MINUS_ONE);
        no.add_scaled(&common, &Rational::MINUS_ONE);
        let (yes, no) = (store.from_linear(&yes, Sort::INT), store.from_linear(&no, Sort::INT));
        let chosen = store.ite(condition, yes, no);
        let common = store.from_linear(&common, Sort::INT);
        Some(store.add(&[common, chosen]))
    }

    fn known(&self) -> &[Term] {
        &[]
    }
}
