//! Passes on Horn systems. Each returns the new system and a [`BackMap`] to the one it was given.
//!
//! Predicates keep their indices through every pass: one that disappears merely has no clauses any more. Parameters
//! keep their constants, so that a formula over the parameters that remain is one over the parameters that were.

mod backmap;
mod inline;
mod prune;
mod simplify;
mod slice;

pub use backmap::{BackMap, Separate, derivation_back, interpretation_back};
pub use inline::inline;
pub use prune::prune;
pub use simplify::simplify;
pub use slice::slice;

use super::Horn;
use bolide_base::{Budget, Interrupt};
use bolide_term::Store;

/// Rounds of [`prepare`]; more than a few change nothing any more.
const ROUNDS: usize = 3;

/// The usual preparation: simplify, prune, slice and inline until nothing changes. The maps are in the order of the
/// passes: evidence goes back through the last one first.
pub fn prepare(store: &mut Store, horn: &Horn, budget: &Budget) -> Result<(Horn, Vec<BackMap>), Interrupt> {
    let mut maps = Vec::new();
    let (mut horn, map) = simplify(store, horn, budget)?;
    maps.push(map);
    for _ in 0..ROUNDS {
        let (pruned, map) = prune(store, &horn);
        maps.push(map);
        let (sliced, map) = slice(store, &pruned);
        maps.push(map);
        let (inlined, map, changed) = inline(store, &sliced, budget)?;
        maps.push(map);
        let (simple, map) = simplify(store, &inlined, budget)?;
        maps.push(map);
        horn = simple;
        if !changed {
            break;
        }
    }
    let (horn, map) = prune(store, &horn);
    maps.push(map);
    let (horn, map) = slice(store, &horn);
    maps.push(map);
    Ok((horn, maps))
}
