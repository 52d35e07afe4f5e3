//! Interpolants from samples of a step (McMillan, *Lazy Annotation Revisited*, CAV 2014, section 4).
//!
//! An interpolant between a goal, which is a conjunction, and a step, which is anything, splits the cases of the step and can be
//! as complex as it. One between the goal and a prime implicant of the step is mostly a single inequality. Implicants
//! are sampled until the interpolants with them exclude every case of the step.

use super::Frames;
use super::cube::split_equation;
use bolide_itp::{Config, Failure, interpolate_sequence};
use bolide_smt::{Answer, Solver, implicant};
use bolide_term::{Op, Sort, Store, Term};

/// Is a term an atom or the negation of one?
pub fn is_literal(store: &Store, t: Term) -> bool {
    let (atom, _) = store.literal(t);
    match store.op(atom) {
        Op::And | Op::Or | Op::Ite => false,
        Op::Eq => store.sort_of(store.arg(atom, 0)) != Sort::BOOL,
        _ => true,
    }
}

/// The conjuncts of nested conjunctions, equations of numbers as two bounds.
pub fn conjuncts(store: &mut Store, formulas: Vec<Term>) -> Vec<Term> {
    let mut literals = Vec::new();
    for t in formulas {
        for conjunct in store.conjuncts(t) {
            split_equation(store, conjunct, &mut literals);
        }
    }
    literals
}

impl Frames<'_> {
    /// Consequences of a goal that contradict a step, from as many samples as are allowed; nothing if they do not suffice.
    pub fn sampled_consequences(
        &mut self,
        goal: &[Term],
        step: Term,
        config: &Config,
    ) -> Result<Option<Vec<Term>>, Failure> {
        let (store, budget) = (&mut *self.store, self.budget);
        let (mut cases, mut excluder) = (Solver::default(), Solver::default());
        cases.assert(step);
        goal.iter().for_each(|&l| excluder.assert(l));
        let whole = store.and(goal);
        let mut found: Vec<Term> = Vec::new();
        for _ in 0..self.learning.samples {
            match cases.check_assuming(store, &found, budget) {
                Answer::Unsat => return Ok(Some(found)),
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat => {}
            }
            let Some(sample) = cases.model().cloned().and_then(|m| implicant(store, &[step], &m)) else {
                return Ok(None);
            };
            // What the contradiction with the goal needs of it.
            if excluder.check_unconfirmed(store, &sample, budget) != Answer::Unsat {
                return Ok(None);
            }
            let prime = store.and(excluder.core());
            let between = interpolate_sequence(store, &[whole, prime], config, budget)?;
            found.extend(conjuncts(store, between));
            found.sort_unstable();
            found.dedup();
        }
        Ok(None)
    }
}
