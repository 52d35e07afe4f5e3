//! Lemmas from an ordinary refutation, split.
//!
//! The theory lemmas of a refutation are small sets of literals that contradict each other. Each is a problem for the
//! split prover by itself, far smaller than an assignment of the SAT solver. Those that have a split proof are added
//! before the SAT solver starts; usually nothing else is needed then.

use super::prover::{Hypothesis, Outcome};
use super::refute::Refuter;
use super::vocabulary::Range;
use crate::Failure;
use bolide_base::Rational;
use bolide_proof::{Refutation, Rule};
use bolide_term::{Op, Term};

/// Conflicts with more cases than this are left to the SAT solver.
const MAX_CASES: usize = 4;

impl Refuter<'_> {
    /// Adds the split proofs of the theory lemmas of a refutation.
    pub fn split_lemmas_of(&mut self, refutation: &Refutation) -> Result<(), Failure> {
        for step in &refutation.steps {
            if !matches!(step.rule, Rule::Theory(_)) {
                continue;
            }
            let conflict: Vec<Term> = step.clause.iter().map(|&l| (!l).term(self.store)).collect();
            for case in self.cases(&conflict) {
                let Some(hypotheses) = self.located(&case) else { continue };
                match self.saturate(&hypotheses)? {
                    Outcome::Refuted(f) => {
                        self.learn(&f)?;
                    }
                    Outcome::Open(_) => self.suspect(&hypotheses),
                }
            }
        }
        Ok(())
    }

    /// The conflict without equalities of numbers: a disequality becomes two cases.
    fn cases(&mut self, conflict: &[Term]) -> Vec<Vec<Term>> {
        let mut cases: Vec<Vec<Term>> = vec![Vec::with_capacity(conflict.len())];
        for &literal in conflict {
            let (atom, positive) = self.store.literal(literal);
            let sides = match super::shape::difference(self.store, atom) {
                Some((l, sort)) if self.store.op(atom) == Op::Eq => {
                    let mut opposite = l.clone();
                    opposite.scale(&Rational::MINUS_ONE);
                    Some([self.store.linear_le(l, sort), self.store.linear_le(opposite, sort)])
                }
                _ => None,
            };
            match sides {
                None => cases.iter_mut().for_each(|c| c.push(literal)),
                Some(sides) if positive => cases.iter_mut().for_each(|c| c.extend(sides)),
                Some(sides) => {
                    if 2 * cases.len() > MAX_CASES {
                        return Vec::new();
                    }
                    let denied = sides.map(|s| self.store.not(s));
                    cases = cases
                        .into_iter()
                        .flat_map(|c| denied.map(|d| c.iter().copied().chain([d]).collect()))
                        .collect();
                }
            }
        }
        cases
    }

    /// The literals with the parts that have them; none if a literal is nobody's.
    fn located(&mut self, literals: &[Term]) -> Option<Vec<Hypothesis>> {
        let mut out = Vec::with_capacity(literals.len());
        for &literal in literals {
            let before = out.len();
            self.locate(literal, &mut out);
            if out.len() == before {
                for version in self.abstraction.versions(self.store, literal) {
                    self.locate(version, &mut out);
                }
            }
            let is_true = literal == self.store.tru();
            if out.len() == before && !is_true {
                return None;
            }
        }
        Some(out)
    }

    fn locate(&mut self, literal: Term, out: &mut Vec<Hypothesis>) {
        let everywhere = self.prover.nodes.vocabulary.everywhere();
        let atom = self.store.literal(literal).0;
        match self.abstraction.is_global(atom) {
            None => {}
            Some(true) => {
                let origin = self.abstraction.origin(atom).unwrap_or(everywhere);
                out.push(Hypothesis { literal, range: everywhere, origin });
            }
            Some(false) => {
                for &part in self.abstraction.parts_of(atom) {
                    let range = Range::of(part);
                    out.push(Hypothesis { literal, range, origin: range });
                }
            }
        }
    }
}
