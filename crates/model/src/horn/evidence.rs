//! Evidence for both answers: interpretations of the predicates, and ground derivations of a query.

use super::{Atom, Folds, Horn, repetitions};
use crate::repetition::Repetition;
use bolide_term::{EvalError, Evaluator, Model, Store, Term, Value};
use std::fmt;

/// For each predicate a quantifier-free formula over its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Interpretation {
    /// By [`PredId`](super::PredId).
    pub formulas: Vec<Term>,
    /// The functions that the formulas may speak of besides those of the theories.
    pub folds: Folds,
}

impl Interpretation {
    /// An interpretation that needs no folds.
    pub fn new(formulas: Vec<Term>) -> Interpretation {
        Interpretation { formulas, folds: Folds::default() }
    }
}

/// A ground instance of a clause whose body was derived before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivationStep {
    /// Position of the clause in its system.
    pub clause: usize,
    /// Values of the clause's constants; those not listed have the default value of their sort.
    pub values: Model,
    /// For each body atom the earlier step that derives it.
    pub premises: Vec<usize>,
}

/// A ground derivation: every step needs only earlier ones, and the last is an instance of a query.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Derivation {
    /// The steps.
    pub steps: Vec<DerivationStep>,
    /// Rounds that are not listed, in the order of their last steps.
    pub repetitions: Vec<Repetition>,
}

/// Why a derivation is not one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplayError {
    /// There is no such clause, or the number of premises is wrong, or a premise does not come earlier.
    Shape(usize),
    /// The constraint does not hold in this step.
    Constraint(usize),
    /// Not all of the rounds that are left out after this step can be taken.
    Repetition(usize),
    /// A premise of this step derives another fact than the body asks for.
    Premise(usize, usize),
    /// A term of this step has no value.
    Eval(usize, EvalError),
    /// The last step is not a query.
    NoQuery,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Shape(n) => write!(f, "step {n} is malformed"),
            ReplayError::Constraint(n) => write!(f, "the constraint of step {n} does not hold"),
            ReplayError::Repetition(n) => write!(f, "the rounds after step {n} cannot all be taken"),
            ReplayError::Premise(n, i) => write!(f, "premise {i} of step {n} derives another fact"),
            ReplayError::Eval(n, e) => write!(f, "step {n} cannot be evaluated: {e}"),
            ReplayError::NoQuery => f.write_str("the last step is not a query"),
        }
    }
}

impl std::error::Error for ReplayError {}

impl Derivation {
    /// A derivation that lists all of its steps.
    pub fn new(steps: Vec<DerivationStep>) -> Derivation {
        Derivation { steps, repetitions: Vec::new() }
    }

    /// The facts that the steps derive, after every step was checked by evaluation; nothing for the query. The last step of a round after which
    /// others are left out derives what the last of those does.
    pub fn replay(&self, store: &Store, horn: &Horn) -> Result<Vec<Vec<Value>>, ReplayError> {
        let mut facts: Vec<Vec<Value>> = Vec::with_capacity(self.steps.len());
        let mut repetitions = self.repetitions.iter().peekable();
        let (mut listed, mut left) = (0, repetitions::MOST_EXECUTED);
        for (n, step) in self.steps.iter().enumerate() {
            let clause = horn.clauses.get(step.clause).ok_or(ReplayError::Shape(n))?;
            if clause.body.len() != step.premises.len() || step.premises.iter().any(|&p| p >= n) {
                return Err(ReplayError::Shape(n));
            }
            let mut evaluator = Evaluator::strict(store, &step.values);
            match evaluator.holds(clause.constraint) {
                Ok(true) => {}
                Ok(false) => return Err(ReplayError::Constraint(n)),
                Err(e) => return Err(ReplayError::Eval(n, e)),
            }
            let mut ground = |a: &Atom| -> Result<Vec<Value>, ReplayError> {
                a.args.iter().map(|&t| evaluator.eval(t).map_err(|e| ReplayError::Eval(n, e))).collect()
            };
            for (i, (atom, &p)) in clause.body.iter().zip(&step.premises).enumerate() {
                let derived = horn.clauses[self.steps[p].clause].head.as_ref().map(|h| h.pred);
                if derived != Some(atom.pred) || ground(atom)? != facts[p] {
                    return Err(ReplayError::Premise(n, i));
                }
            }
            facts.push(clause.head.as_ref().map_or(Ok(Vec::new()), ground)?);
            if let Some(repetition) = repetitions.next_if(|l| l.last == n) {
                if repetition.first().is_none_or(|first| first < listed) {
                    return Err(ReplayError::Repetition(n));
                }
                let last = repetitions::derived(store, horn, self, &facts, repetition, &mut left)?;
                facts[n] = last;
                listed = n + 1;
            }
        }
        if let Some(repetition) = repetitions.next() {
            return Err(ReplayError::Repetition(repetition.last));
        }
        match self.steps.last() {
            Some(last) if horn.clauses[last.clause].head.is_none() => Ok(facts),
            _ => Err(ReplayError::NoQuery),
        }
    }
}
