//! Partial interpolants of theory lemmas, one file per kind.

mod bounds;
mod divisibility;
mod equality;
mod farkas;
mod rays;

use crate::mixed::Mixed;
use crate::partial::{Cut, Obstacle};
use crate::system::Label;
use bolide_proof::{Lemma, Literal, StepId};
use bolide_term::Term;

/// Where a literal of the conflict of a lemma stands.
#[derive(Clone, Debug)]
pub(crate) enum Stand {
    Left,
    Right,
    Mixed(Mixed),
}

impl Cut<'_, '_> {
    /// The partial interpolant of a theory lemma.
    pub(crate) fn lemma(&mut self, id: StepId, lemma: &Lemma, clause: &[Literal]) -> Result<Term, Obstacle> {
        let mut stands = Vec::with_capacity(clause.len());
        for &l in clause {
            stands.push(self.stand(l)?);
        }
        if stands.iter().all(|s| matches!(s, Stand::Right)) {
            return Ok(self.store.tru());
        }
        if stands.iter().all(|s| matches!(s, Stand::Left)) {
            return Ok(self.store.fls());
        }
        match lemma {
            Lemma::Farkas(coeffs) => self.farkas(id, clause, coeffs, &stands),
            Lemma::TightBounds { equality, upper, lower } => {
                self.tight_bounds(clause, *equality, upper, lower, &stands)
            }
            Lemma::Divisibility { premises, modulus } => {
                self.divisibility(clause, premises, modulus, &stands)
            }
            Lemma::Transitivity(path) => self.transitivity(path),
            Lemma::Congruence(f, g) => self.congruence(*f, *g),
        }
    }

    /// Shared literals of lemmas go to the side that the system prefers, to the right if it has no preference.
    pub(crate) fn stand(&mut self, l: Literal) -> Result<Stand, Obstacle> {
        Ok(match self.label(l) {
            Label::Left => Stand::Left,
            Label::Right | Label::Both => Stand::Right,
            Label::Mixed => Stand::Mixed(self.mixed(l.atom())?),
        })
    }
}
