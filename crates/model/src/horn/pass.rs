//! Passes on Horn systems. Each returns the new system and a [`BackMap`] to the one it was given.
//!
//! Predicates keep their indices through every pass: one that disappears merely has no clauses any more. Parameters
//! keep their constants, so that a formula over the parameters that remain is one over the parameters that were.

pub(super) mod accelerate;
pub(super) mod define;
pub(super) mod folds;
pub(super) mod inline;
pub(super) mod integers;
pub(super) mod locations;
pub(super) mod merge;
pub(super) mod prune;
pub(super) mod simplify;
pub(super) mod slice;
pub(super) mod values;

pub use accelerate::accelerate;
pub use define::define;
pub use folds::{Numbering, folds, has_datatypes};
pub use inline::inline;
pub use integers::{has_words, integers};
pub use locations::{LocationStep, Locations, split};
pub use merge::merge;
pub use prune::prune;
pub use simplify::simplify;
pub use slice::slice;
pub use values::values;

use super::Horn;
use super::back::BackMap;
use bolide_base::{Budget, Interrupt};
use bolide_term::Store;

/// Rounds of [`prepare`]; more than a few change nothing any more.
const ROUNDS: usize = 3;

/// What [`prepare_with`] does beyond the usual.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Preparation {
    /// Merge parallel rules.
    pub merge: bool,
    /// Take definitions out of disjunctions.
    pub define: bool,
    /// Read words as integers.
    pub integers: bool,
    /// Read words as integers that never wrap around: what is found is a guess that must be confirmed on the words.
    pub without_wraps: bool,
}

/// A system that passes work on, with the way back.
struct Pipeline {
    horn: Horn,
    maps: Vec<BackMap>,
}

impl Pipeline {
    fn then(&mut self, (horn, map): (Horn, BackMap)) {
        self.horn = horn;
        self.maps.push(map);
    }

    /// Prunes, slices and inlines until nothing changes.
    fn reduce(&mut self, store: &mut Store, budget: &Budget) -> Result<(), Interrupt> {
        for _ in 0..ROUNDS {
            self.then(prune(store, &self.horn));
            self.then(slice(store, &self.horn));
            let (inlined, map, changed) = inline(store, &self.horn, budget)?;
            self.then((inlined, map));
            self.then(simplify(store, &self.horn, budget)?);
            if !changed {
                break;
            }
        }
        Ok(())
    }
}

/// The usual preparation: simplify, prune, slice and inline until nothing changes. The maps are in the order of the
/// passes: evidence goes back through the last one first.
pub fn prepare(store: &mut Store, horn: &Horn, budget: &Budget) -> Result<(Horn, Vec<BackMap>), Interrupt> {
    prepare_with(store, horn, Preparation::default(), budget)
}

/// Like [`prepare`], and more. Merging comes after the other passes, as they learn less from disjunctions; what has only one definition
/// then is inlined.
pub fn prepare_with(
    store: &mut Store,
    horn: &Horn,
    preparation: Preparation,
    budget: &Budget,
) -> Result<(Horn, Vec<BackMap>), Interrupt> {
    let (horn, map) = simplify(store, horn, budget)?;
    let mut pipeline = Pipeline { horn, maps: vec![map] };
    pipeline.reduce(store, budget)?;
    if preparation.define {
        pipeline.then(define(store, &pipeline.horn, budget)?);
        pipeline.then(simplify(store, &pipeline.horn, budget)?);
        pipeline.reduce(store, budget)?;
    }
    if (preparation.integers || preparation.without_wraps)
        && let Some(read) = integers(store, &pipeline.horn, !preparation.without_wraps, budget)?
    {
        pipeline.then(read);
        pipeline.then(simplify(store, &pipeline.horn, budget)?);
        pipeline.reduce(store, budget)?;
    }
    if preparation.merge {
        let (merged, map, changed) = merge(store, &pipeline.horn, budget)?;
        pipeline.then((merged, map));
        if changed {
            pipeline.then(simplify(store, &pipeline.horn, budget)?);
            pipeline.reduce(store, budget)?;
        }
    }
    pipeline.then(prune(store, &pipeline.horn));
    pipeline.then(slice(store, &pipeline.horn));
    Ok((pipeline.horn, pipeline.maps))
}
