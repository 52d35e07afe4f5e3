//! What Farkas lemmas were decomposed into at earlier cuts.

use bolide_proof::StepId;
use bolide_proof::linear::Constraint;
use rustc_hash::{FxHashMap, FxHashSet};

/// The groups into which the left constraints of each Farkas lemma fell at the cuts so far.
///
/// At the next cut a group counts as one constraint. So each interpolant follows from the ones before it
/// together with the new part, as sequences and trees demand.
#[derive(Default)]
pub(crate) struct Groups {
    /// By lemma and cut.
    pub(crate) of: FxHashMap<(StepId, usize), Vec<Constraint>>,
    /// Lemmas of which one sum was handed out at some cut, because of a mixed equality. They stay whole from then on:
    /// a single sum does not imply the parts of it that a later cut might separate.
    pub(crate) whole: FxHashSet<StepId>,
}
