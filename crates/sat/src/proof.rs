//! The recorded proof: every clause the solver was given or derived, in order.

mod chain;
mod recorder;
mod refutation;

pub use chain::{Chain, ChainError, Pivot};
pub(crate) use recorder::{Recorder, Tape};
pub use refutation::{Inference, Refutation};

use crate::{LemmaId, Lit};

/// A clause given by [`Solver::add_clause`](crate::Solver::add_clause): numbered from 0 in the order of the calls.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Ord, PartialOrd)]
pub struct ClauseId(pub u32);

/// A step of a proof: numbered from 0 in the order in which they were made.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Ord, PartialOrd)]
pub struct StepId(u32);

impl StepId {
    /// A dense index for tables over steps.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where an original clause came from.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum Origin {
    /// From the caller.
    Input(ClauseId),
    /// From the theory, as a lemma, a conflict or an explanation.
    Lemma(LemmaId),
}

/// What a step is.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum StepKind {
    /// A clause that was given, with the literals as they were given.
    Original(Origin),
    /// A clause that follows from its antecedents.
    Derived,
    /// A clause with a literal and its negation: the conclusion from two assumptions that contradict each other.
    Tautology,
}

/// The steps of a proof with their literals and antecedents. Shared by all queries of a solver: steps are only added.
#[derive(Clone, Debug, Default)]
pub struct ResolutionProof {
    steps: Vec<Step>,
    lits: Vec<Lit>,
    antecedents: Vec<StepId>,
    conclusion: Option<StepId>,
}

/// A step's literals and antecedents begin where those of the step before end.
#[derive(Copy, Clone, Debug)]
struct Step {
    kind: StepKind,
    lits_end: usize,
    antecedents_end: usize,
}

impl ResolutionProof {
    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// All steps in order.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = StepId> + use<> {
        (0..self.steps.len() as u32).map(StepId)
    }

    /// What the step is.
    pub fn kind(&self, step: StepId) -> StepKind {
        self.steps[step.index()].kind
    }

    /// The literals of the step's clause. An original clause may have duplicates.
    pub fn clause(&self, step: StepId) -> &[Lit] {
        let start = step.index().checked_sub(1).map_or(0, |before| self.steps[before].lits_end);
        &self.lits[start..self.steps[step.index()].lits_end]
    }

    /// The step's antecedents in the order in which they propagate, the one that conflicts last (a RUP chain). Empty
    /// for all but derived steps. See [`ResolutionProof::chain`] for their reading as resolutions.
    pub fn antecedents(&self, step: StepId) -> &[StepId] {
        let start = step.index().checked_sub(1).map_or(0, |before| self.steps[before].antecedents_end);
        &self.antecedents[start..self.steps[step.index()].antecedents_end]
    }

    /// The step that the last query, if unsatisfiable, ended in: the empty clause, or the negations of the failed
    /// assumptions.
    pub fn conclusion(&self) -> Option<StepId> {
        self.conclusion
    }

    fn push(
        &mut self,
        kind: StepKind,
        lits: impl Iterator<Item = Lit>,
        antecedents: impl Iterator<Item = StepId>,
    ) -> StepId {
        let id = StepId(u32::try_from(self.steps.len()).expect("fewer than 2^32 proof steps"));
        self.lits.extend(lits);
        self.antecedents.extend(antecedents);
        self.steps.push(Step { kind, lits_end: self.lits.len(), antecedents_end: self.antecedents.len() });
        id
    }
}
