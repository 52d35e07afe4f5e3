//! From evidence about a prepared system to evidence about the system that was given.

use super::pass::accelerate::Accelerated;
use super::pass::folds::Folded;
use super::pass::inline::Inlined;
use super::pass::integers::Integers;
use super::pass::locations::Split;
use super::pass::merge::Merged;
use super::pass::prune::Pruned;
use super::pass::simplify::Simplified;
use super::pass::slice::Sliced;
use super::pass::values::Values;
use super::{Derivation, Interpretation};
use bolide_term::{Store, Term};

/// Finds a formula that the first implies, that contradicts the second, and that has only common constants.
pub type Separate<'a> = dyn FnMut(&mut Store, Term, Term) -> Option<Term> + 'a;

/// The way back through one pass.
#[derive(Clone, Debug)]
pub enum BackMap {
    /// Evidence is the same. See [`define`](super::pass::define).
    Same,
    /// See [`simplify`](super::pass::simplify).
    Simplified(Simplified),
    /// See [`prune`](super::pass::prune).
    Pruned(Pruned),
    /// See [`slice`](super::pass::slice).
    Sliced(Sliced),
    /// See [`inline`](super::pass::inline).
    Inlined(Inlined),
    /// See [`integers`](super::pass::integers).
    Integers(Integers),
    /// See [`split`](super::pass::split).
    Split(Split),
    /// See [`merge`](super::pass::merge).
    Merged(Merged),
    /// See [`folds`](super::pass::folds).
    Folded(Folded),
    /// See [`values`](super::pass::values).
    Values(Values),
    /// See [`accelerate`](super::pass::accelerate).
    Accelerated(Accelerated),
}

impl BackMap {
    /// The interpretation of the system before the pass; nothing if `separate` failed, or if there is no way back for it.
    pub fn interpretation(
        &self,
        store: &mut Store,
        separate: &mut Separate<'_>,
        interpretation: Interpretation,
    ) -> Option<Interpretation> {
        match self {
            BackMap::Same | BackMap::Simplified(_) | BackMap::Merged(_) | BackMap::Accelerated(_) => {
                Some(interpretation)
            }
            BackMap::Pruned(map) => Some(map.interpretation(store, interpretation)),
            BackMap::Sliced(map) => Some(map.interpretation(store, interpretation)),
            BackMap::Inlined(map) => map.interpretation(store, separate, interpretation),
            BackMap::Integers(map) => Some(map.interpretation(store, interpretation)),
            BackMap::Split(map) => Some(map.interpretation(store, &interpretation)),
            BackMap::Folded(map) => Some(map.interpretation(store, &interpretation)),
            BackMap::Values(map) => map.interpretation(store, interpretation),
        }
    }

    /// Do the predicates that are left hold of the same arguments after the pass as before it, apart from those that the pass removed?
    pub fn keeps_parameters(&self) -> bool {
        match self {
            BackMap::Same
            | BackMap::Simplified(_)
            | BackMap::Merged(_)
            | BackMap::Pruned(_)
            | BackMap::Sliced(_)
            | BackMap::Inlined(_)
            | BackMap::Accelerated(_) => true,
            BackMap::Integers(_) | BackMap::Split(_) | BackMap::Folded(_) | BackMap::Values(_) => false,
        }
    }

    /// The derivation in the system before the pass; nothing if a term cannot be evaluated.
    pub fn derivation(&self, store: &Store, derivation: Derivation) -> Option<Derivation> {
        match self {
            BackMap::Same => Some(derivation),
            BackMap::Simplified(map) => map.derivation(store, derivation),
            BackMap::Pruned(map) => Some(map.derivation(derivation)),
            BackMap::Sliced(map) => map.derivation(store, derivation),
            BackMap::Inlined(map) => map.derivation(store, derivation),
            BackMap::Integers(map) => map.derivation(store, derivation),
            BackMap::Split(map) => map.derivation(store, derivation),
            BackMap::Merged(map) => map.derivation(store, derivation),
            BackMap::Folded(map) => map.derivation(store, derivation),
            BackMap::Values(map) => map.derivation(store, derivation),
            BackMap::Accelerated(map) => map.derivation(store, derivation),
        }
    }
}

/// Takes an interpretation through a stack of maps, the last one first.
pub fn interpretation_back(
    store: &mut Store,
    maps: &[BackMap],
    separate: &mut Separate<'_>,
    interpretation: Interpretation,
) -> Option<Interpretation> {
    maps.iter().rev().try_fold(interpretation, |i, m| m.interpretation(store, separate, i))
}

/// Takes a derivation through a stack of maps, the last one first.
pub fn derivation_back(store: &Store, maps: &[BackMap], derivation: Derivation) -> Option<Derivation> {
    maps.iter().rev().try_fold(derivation, |d, m| m.derivation(store, d))
}
