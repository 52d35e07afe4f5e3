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
