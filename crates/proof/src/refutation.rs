//! Refutations: clauses with the reasons for them.

use crate::{Axiom, Lemma, Literal};
use bolide_base::index_type;
use bolide_term::Term;

index_type! {
    /// A step of a refutation.
    pub struct StepId("s");
}

/// Why a clause holds.
#[derive(Clone, Debug)]
pub enum Rule {
    /// It is the n-th assertion, as a unit clause.
    Assertion(u32),
    /// An instance of an axiom scheme.
    Axiom(Axiom),
    /// A theory lemma with its certificate.
    Theory(Lemma),
    /// The clause follows from `start` by resolving with each of the others in turn; the literal is the
    /// pivot as it occurs in that other clause.
    Resolution {
        /// The clause to begin with.
        start: StepId,
        /// Pivots and the clauses that contain them.
        chain: Box<[(Literal, StepId)]>,
    },
}

/// One clause of a refutation.
#[derive(Clone, Debug)]
pub struct Step {
    /// The literals, without repetition.
    pub clause: Box<[Literal]>,
    /// The reason.
    pub rule: Rule,
}

/// A refutation of some assertions: the last step is the empty clause.
///
/// Steps only refer to earlier ones.
#[derive(Clone, Debug, Default)]
pub struct Refutation {
    /// The refuted formulas.
    pub assertions: Vec<Term>,
    /// The steps.
    pub steps: Vec<Step>,
}

impl Refutation {
    /// Adds a step.
    pub fn push(&mut self, clause: impl Into<Box<[Literal]>>, rule: Rule) -> StepId {
        let id = StepId::new(self.steps.len());
        self.steps.push(Step { clause: clause.into(), rule });
        id
    }

    /// The step with this number.
    pub fn step(&self, id: StepId) -> &Step {
        &self.steps[id.index()]
    }
}
