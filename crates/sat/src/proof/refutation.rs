//! The part of a proof that its conclusion rests on, as resolutions.

use super::chain::Resolver;
use super::{ChainError, Origin, Pivot, ResolutionProof, StepId, StepKind};
use rustc_hash::FxHashSet;
use std::collections::BinaryHeap;

/// A checked, trimmed proof of one clause: every step is used by a later one but the last, which is the conclusion.
#[derive(Clone, Debug)]
pub struct Refutation {
    steps: Vec<(StepId, Compact)>,
    pivots: Vec<Pivot>,
}

/// How a step of a refutation comes about.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Inference<'a> {
    /// It was given.
    Original(Origin),
    /// It contains a literal and its negation.
    Tautology,
    /// Resolve `start` with the antecedents of `pivots` in turn. The result is the step's clause or a part of it.
    Resolution {
        /// The clause to start from.
        start: StepId,
        /// What to resolve with.
        pivots: &'a [Pivot],
    },
}

/// An inference with its pivots as a range of the arena.
#[derive(Copy, Clone, Debug)]
enum Compact {
    Original(Origin),
    Tautology,
    Resolution { start: StepId, pivots: (usize, usize) },
}

impl ResolutionProof {
    /// The steps that `last` rests on, as resolutions, each checked. Antecedents that contribute nothing are left out.
    /// The cost is that of the steps visited, whatever the size of the proof.
    pub fn refutation(&self, last: StepId) -> Result<Refutation, ChainError> {
        let mut refutation = Refutation { steps: Vec::new(), pivots: Vec::new() };
        let mut resolver = Resolver::default();
        // Antecedents come before the steps that use them, so taking the latest open step visits each once.
        let mut open = BinaryHeap::from([last]);
        let mut seen = FxHashSet::from_iter([last]);
        while let Some(step) = open.pop() {
            let inference = match self.kind(step) {
                StepKind::Original(origin) => Compact::Original(origin),
                StepKind::Tautology => Compact::Tautology,
                StepKind::Derived => {
                    let from = refutation.pivots.len();
                    let start = resolver.resolve(self, step, &mut refutation.pivots)?;
                    let used = refutation.pivots[from..].iter().map(|pivot| pivot.antecedent);
                    open.extend(used.chain([start]).filter(|&antecedent| seen.insert(antecedent)));
                    Compact::Resolution { start, pivots: (from, refutation.pivots.len()) }
                }
            };
            refutation.steps.push((step, inference));
        }
        refutation.steps.reverse();
        Ok(refutation)
    }

    /// The refutation behind the last query, which must have been unsatisfiable.
    pub fn last_refutation(&self) -> Result<Refutation, ChainError> {
        self.refutation(self.conclusion().ok_or(ChainError::NoConclusion)?)
    }
}

impl Refutation {
    /// How many steps there are, at least one.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The steps, each after those it is made from; the conclusion comes last.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = (StepId, Inference<'_>)> + ExactSizeIterator {
        self.steps.iter().map(|&(step, compact)| {
            let inference = match compact {
                Compact::Original(origin) => Inference::Original(origin),
                Compact::Tautology => Inference::Tautology,
                Compact::Resolution { start, pivots: (from, to) } => {
                    Inference::Resolution { start, pivots: &self.pivots[from..to] }
                }
            };
            (step, inference)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClauseId, Lit};

    #[test]
    fn refutations_are_trimmed_and_ordered() {
        let mut proof = ResolutionProof::default();
        let clauses: &[(&[i32], &[u32])] = &[
            (&[1, 2], &[]),
            (&[-1], &[]),
            (&[5], &[]),
            (&[-2], &[]),
            (&[2], &[1, 0]),   // 4
            (&[2, 5], &[2]),   // 5, never used
            (&[], &[2, 3, 4]), // 6, where 2 does not contribute
        ];
        for (number, (clause, antecedents)) in clauses.iter().enumerate() {
            let kind = match antecedents {
                [] => StepKind::Original(Origin::Input(ClauseId(number as u32))),
                _ => StepKind::Derived,
            };
            let lits = clause.iter().map(|&lit| Lit::new(lit).unwrap());
            proof.push(kind, lits, antecedents.iter().map(|&step| StepId(step)));
        }
        assert_eq!(proof.last_refutation().unwrap_err(), ChainError::NoConclusion);
        let refutation = proof.refutation(StepId(6)).unwrap();
        let steps: Vec<u32> = refutation.steps().map(|(step, _)| step.0).collect();
        assert_eq!(steps, [0, 1, 3, 4, 6]);
        let Some((_, Inference::Resolution { start, pivots })) = refutation.steps().next_back() else {
            panic!("a resolution")
        };
        assert_eq!((start, pivots.len()), (StepId(4), 1));
        assert_eq!(pivots[0], Pivot { antecedent: StepId(3), lit: Lit::new(2).unwrap() });
    }
}
