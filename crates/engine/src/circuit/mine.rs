//! Invariants among the clauses of an interpolant that is thrown away: the largest subset that is inductive (by the
//! elimination of Flanagan and Leino, "Houdini, an Annotation Assistant for ESC/Java", FME 2001).

use super::clausal::Side;
use super::cube::{Cube, meets_reset};
use super::search::Lit;
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::Circuit;

/// More candidates than this, and more passes over them, are not looked at.
const MAX_CANDIDATES: usize = 400;
const MAX_PASSES: usize = 12;

/// The candidates without which the others would not be inductive are dropped; what is left is excluded from all
/// reachable states. `assume` says with which literal of the side a state is in none of the cubes.
pub fn inductive_subset(
    circuit: &Circuit,
    candidates: &[Cube],
    side: &mut Side,
    mut assume: impl FnMut(&mut Side, &[Cube]) -> Lit,
    budget: &Budget,
) -> Result<Vec<Cube>, Interrupt> {
    let mut kept: Vec<Cube> =
        candidates.iter().filter(|cube| !meets_reset(cube.lits(), circuit)).cloned().collect();
    if kept.len() > MAX_CANDIDATES {
        return Ok(Vec::new());
    }
    for _ in 0..MAX_PASSES {
        let outside = assume(side, &kept);
        let mut still = Vec::with_capacity(kept.len());
        for cube in &kept {
            if side.refute(outside, cube.lits(), budget)?.is_some() {
                still.push(cube.clone());
            }
        }
        if still.len() == kept.len() {
            return Ok(kept);
        }
        kept = still;
    }
    Ok(Vec::new())
}
