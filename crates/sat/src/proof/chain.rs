//! From antecedents to resolutions.
//!
//! CaDiCaL justifies a clause by antecedents in propagation order: under the negation of the clause each antecedent
//! becomes unit in turn, and the last one is falsified (reverse unit propagation with hints, as in LRAT). Read
//! backwards this is a linear resolution proof: start with the last antecedent and resolve with the others one by one;
//! each clashes with the clause so far in exactly one literal, the one it propagated, or in none, and is then useless.

use super::{ResolutionProof, StepId, StepKind};
use crate::Lit;
use std::error::Error;
use std::fmt;

/// A derived clause as a sequence of resolutions. The last resolvent is the clause or a part of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Chain {
    /// The clause to start from.
    pub start: StepId,
    /// What to resolve it with, in order.
    pub pivots: Vec<Pivot>,
}

/// One resolution.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Pivot {
    /// The clause to resolve with; it contains the negation of `lit`.
    pub antecedent: StepId,
    /// The literal of the clause so far that is resolved away.
    pub lit: Lit,
}

/// A derived clause that does not follow as claimed.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ChainError {
    /// The step is not a derived one.
    NotDerived(StepId),
    /// The step has no antecedents.
    NoAntecedents(StepId),
    /// Resolution with this antecedent of the step has more than one pivot.
    ManyPivots(StepId, StepId),
    /// The resolutions leave a literal that is not in the clause of the step.
    Leftover(StepId, Lit),
    /// The proof has no conclusion, or an unfinished one.
    NoConclusion,
}

impl fmt::Display for ChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChainError::NotDerived(step) => write!(f, "proof step {} is not a derived clause", step.0),
            ChainError::NoAntecedents(step) => write!(f, "proof step {} has no antecedents", step.0),
            ChainError::ManyPivots(step, antecedent) => {
                write!(
                    f,
                    "proof step {} resolves with step {} on more than one literal",
                    step.0, antecedent.0
                )
            }
            ChainError::Leftover(step, lit) => write!(f, "proof step {} leaves literal {lit} over", step.0),
            ChainError::NoConclusion => write!(f, "the proof has no conclusion"),
        }
    }
}

impl Error for ChainError {}

impl ResolutionProof {
    /// The resolutions that make a derived step, checked. For many steps see [`ResolutionProof::refutation`].
    pub fn chain(&self, step: StepId) -> Result<Chain, ChainError> {
        let mut pivots = Vec::new();
        let start = Resolver::default().resolve(self, step, &mut pivots)?;
        Ok(Chain { start, pivots })
    }
}

/// Scratch memory to read chains.
#[derive(Default)]
pub(super) struct Resolver {
    /// By literal code: whether it is in the clause so far.
    present: Vec<bool>,
    /// All literals that ever were in the clause so far.
    touched: Vec<Lit>,
}

impl Resolver {
    /// Reads the chain of a derived step: returns its start and appends its pivots.
    pub(super) fn resolve(
        &mut self,
        proof: &ResolutionProof,
        step: StepId,
        pivots: &mut Vec<Pivot>,
    ) -> Result<StepId, ChainError> {
        if proof.kind(step) != StepKind::Derived {
            return Err(ChainError::NotDerived(step));
        }
        let Some((&start, others)) = proof.antecedents(step).split_last() else {
            return Err(ChainError::NoAntecedents(step));
        };
        let result = self.resolve_all(proof, step, start, others, pivots);
        for lit in self.touched.drain(..) {
            self.present[lit.code()] = false;
        }
        result.map(|()| start)
    }

    fn resolve_all(
        &mut self,
        proof: &ResolutionProof,
        step: StepId,
        start: StepId,
        others: &[StepId],
        pivots: &mut Vec<Pivot>,
    ) -> Result<(), ChainError> {
        self.add(proof.clause(start));
        for &antecedent in others.iter().rev() {
            let clause = proof.clause(antecedent);
            if let Some(lit) = self.pivot(clause).map_err(|()| ChainError::ManyPivots(step, antecedent))? {
                self.add(clause);
                self.present[lit.code()] = false;
                self.present[(!lit).code()] = false;
                pivots.push(Pivot { antecedent, lit });
            }
        }
        for &lit in proof.clause(step) {
            self.add(&[lit]);
            self.present[lit.code()] = false;
        }
        match self.touched.iter().find(|lit| self.present[lit.code()]) {
            Some(&lit) => Err(ChainError::Leftover(step, lit)),
            None => Ok(()),
        }
    }

    fn add(&mut self, clause: &[Lit]) {
        for &lit in clause {
            let code = lit.code();
            if self.present.len() <= code {
                self.present.resize((code + 2).next_power_of_two(), false);
            }
            self.present[code] = true;
            self.touched.push(lit);
        }
    }

    /// The one literal of the clause so far whose negation is in `clause`, if any.
    fn pivot(&self, clause: &[Lit]) -> Result<Option<Lit>, ()> {
        let mut pivot = None;
        for &lit in clause {
            let clashes = self.present.get((!lit).code()).copied().unwrap_or(false);
            if clashes && pivot.is_some_and(|other| other != !lit) {
                return Err(());
            }
            if clashes {
                pivot = Some(!lit);
            }
        }
        Ok(pivot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClauseId, Origin};

    fn lits(dimacs: &[i32]) -> impl Iterator<Item = Lit> {
        dimacs.iter().map(|&lit| Lit::new(lit).unwrap())
    }

    fn proof(inputs: &[&[i32]], derived: &[(&[i32], &[u32])]) -> ResolutionProof {
        let mut proof = ResolutionProof::default();
        for (number, input) in inputs.iter().enumerate() {
            let origin = Origin::Input(ClauseId(number as u32));
            proof.push(StepKind::Original(origin), lits(input), [].into_iter());
        }
        for (clause, antecedents) in derived {
            proof.push(StepKind::Derived, lits(clause), antecedents.iter().map(|&step| StepId(step)));
        }
        proof
    }

    fn chain(inputs: &[&[i32]], clause: &[i32], antecedents: &[u32]) -> Result<Vec<(u32, i32)>, ChainError> {
        let proof = proof(inputs, &[(clause, antecedents)]);
        let chain = proof.chain(StepId(inputs.len() as u32))?;
        assert_eq!(Some(&chain.start.0), antecedents.last());
        Ok(chain.pivots.iter().map(|pivot| (pivot.antecedent.0, pivot.lit.dimacs())).collect())
    }

    #[test]
    fn chains_are_read_backwards() {
        let inputs: &[&[i32]] = &[&[1], &[-1, 2], &[-2, -1, 3]];
        assert_eq!(chain(inputs, &[3], &[0, 1, 2]), Ok(vec![(1, -2), (0, -1)]));
    }

    #[test]
    fn useless_antecedents_are_skipped() {
        let inputs: &[&[i32]] = &[&[1], &[4], &[-1, 2], &[5, 4, 6]];
        assert_eq!(chain(inputs, &[2], &[3, 0, 1, 2]), Ok(vec![(0, -1)]));
    }

    #[test]
    fn duplicates_and_weakening_are_fine() {
        let inputs: &[&[i32]] = &[&[1, 1, 1], &[-1, -1, 2, 2]];
        assert_eq!(chain(inputs, &[2, 7], &[0, 1]), Ok(vec![(0, -1)]));
        assert_eq!(chain(inputs, &[1], &[0]), Ok(vec![]));
    }

    #[test]
    fn wrong_chains_are_rejected() {
        let inputs: &[&[i32]] = &[&[1, 2], &[-1, -2, 3], &[4, 5]];
        assert_eq!(chain(inputs, &[3], &[0, 1]), Err(ChainError::ManyPivots(StepId(3), StepId(0))));
        assert_eq!(chain(inputs, &[4], &[2]), Err(ChainError::Leftover(StepId(3), Lit::new(5).unwrap())));
        assert_eq!(chain(inputs, &[], &[]), Err(ChainError::NoAntecedents(StepId(3))));
        assert_eq!(proof(inputs, &[]).chain(StepId(0)), Err(ChainError::NotDerived(StepId(0))));
    }

    #[test]
    fn scratch_memory_is_clean_after_an_error() {
        let inputs: &[&[i32]] = &[&[1, 2], &[-1, 3], &[-2]];
        let proof = proof(inputs, &[(&[3], &[0, 1]), (&[3, 2], &[0, 1]), (&[1], &[2, 0])]);
        let mut resolver = Resolver::default();
        let mut pivots = Vec::new();
        assert!(resolver.resolve(&proof, StepId(3), &mut pivots).is_err());
        assert!(resolver.resolve(&proof, StepId(4), &mut pivots).is_ok());
        assert!(resolver.resolve(&proof, StepId(5), &mut pivots).is_ok());
    }
}
