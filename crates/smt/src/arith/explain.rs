//! Implied literals and their explanations.

use bolide_base::Rational;

use super::bounds::BoundId;
use super::{Arith, AtomId, AtomLit, Conflict, Premise, ReasonId, Side};

/// A literal that follows from asserted ones.
pub(super) struct Implication {
    pub lit: AtomLit,
    pub cause: Cause,
}

/// Why a literal follows.
#[derive(Clone, Copy)]
pub(super) enum Cause {
    /// From one bound of its variable.
    Bound(BoundId),
    /// From equal bounds of its variable.
    Fixed(BoundId, BoundId),
    /// From a bound that a row yields: the index of a derivation.
    Row(usize),
}

/// A bound on some variable as a combination of asserted bounds; the variable itself has factor 1.
pub(super) struct Derivation {
    pub side: Side,
    pub bounds: Vec<(Rational, BoundId)>,
}

impl Arith {
    /// The next implied literal that the caller has not seen yet.
    pub fn next_implied(&mut self) -> Option<(AtomLit, ReasonId)> {
        let reason = ReasonId::new(self.implications_seen);
        let implication = self.implications.get(reason)?;
        self.implications_seen += 1;
        Some((implication.lit, reason))
    }

    /// Why an implied literal holds: a conflict in which its negation takes part.
    pub fn explain(&self, reason: ReasonId) -> Conflict {
        let Implication { lit, cause } = &self.implications[reason];
        match cause {
            Cause::Bound(id) => {
                let bound = self.bounds.bound(*id);
                let negation = Premise { lit: !*lit, side: !bound.side, coeff: Rational::ONE };
                Conflict::Farkas(vec![bound.premise(Rational::ONE), negation])
            }
            Cause::Fixed(lower, upper) => Conflict::Disequality {
                atom: lit.atom,
                lower: vec![self.bounds.bound(*lower).premise(Rational::ONE)],
                upper: vec![self.bounds.bound(*upper).premise(Rational::ONE)],
            },
            Cause::Row(index) => {
                let Derivation { side, bounds } = &self.derivations[*index];
                let premises = bounds.iter().map(|(coeff, id)| self.bounds.bound(*id).premise(coeff.clone()));
                let negation = Premise { lit: !*lit, side: !*side, coeff: Rational::ONE };
                Conflict::Farkas(premises.chain([negation]).collect())
            }
        }
    }

    /// The clash of a negated equality with the bounds of its variable, which is fixed at the constant.
    pub(super) fn disequality_conflict(&self, atom: AtomId) -> Conflict {
        let var = self.atoms[atom].var;
        let premise =
            |side| self.bounds.get(var, side).map(|b| b.premise(Rational::ONE)).into_iter().collect();
        Conflict::Disequality { atom, lower: premise(Side::Lower), upper: premise(Side::Upper) }
    }
}
