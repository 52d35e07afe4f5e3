//! Witness circuits, as Certifaiger checks them (Yu, Biere and Heljanko, CAV 2021; Yu, Froleyks, Biere et al., FMCAD 2022).
//!
//! A witness circuit simulates the model and has a property of its own, which implies that of the model and is inductive, in one
//! step. It has the inputs and latches of the model, in the same order, before its own: that is the mapping that Certifaiger
//! takes for granted if none is written.
//!
//! An invariant that is inductive by itself becomes the property. If the induction looks back over more than one step, the witness
//! remembers these steps: latches and inputs of the last `k - 1` steps are latches of the witness, and for each of these steps a bit
//! says whether there was one. The property then is that the invariant holds in all steps that are remembered, that they follow each
//! other, that the constraints held in them, and that the first of them is an initial state if there is still room for others.

#[cfg(test)]
mod tests;

use bolide_model::circuit::{Bit, Circuit, Copier, Formula, Latch};

/// Witnesses with more gates and latches than this are not made.
const LARGEST: usize = 20_000_000;

/// The invariant of a property.
#[derive(Copy, Clone, Debug)]
pub struct Invariant<'a> {
    /// Where it holds.
    pub formula: &'a Formula,
    /// How many steps its induction looks back; 1 if it is inductive by itself.
    pub depth: usize,
}

/// The witness circuit of a model for some of its properties: its only bad bit says that an invariant does not hold. Nothing if it
/// would be very large.
pub fn witness_circuit(model: &Circuit, invariants: &[Invariant<'_>]) -> Option<Circuit> {
    let depth = invariants.iter().map(|invariant| invariant.depth).max()?;
    let formulas: usize = invariants.iter().map(|invariant| invariant.formula.aig.len()).sum();
    if (model.aig.len() + formulas).checked_mul(depth)? > LARGEST {
        return None;
    }
    let mut witness = Circuit { bads: Vec::new(), exact: Vec::new(), ..model.clone() };
    let steps = remember(&mut witness, model, depth);
    let mut holds = vec![steps_are_a_run(&mut witness, model, &steps)];
    for invariant in invariants {
        for step in steps.iter().take(invariant.depth) {
            let there = invariant.formula.instantiate(&mut witness.aig, &step.latches, &step.inputs);
            holds.push(witness.aig.or(!step.is_there, there));
        }
    }
    let property = witness.aig.and_all(&holds);
    witness.bads.push(!property);
    Some(witness)
}

/// A step that a witness remembers; the first one is the present.
struct Step {
    /// Was there such a step?
    is_there: Bit,
    latches: Vec<Bit>,
    inputs: Vec<Bit>,
}

/// Adds latches for all steps but the present. The newest step comes first.
fn remember(witness: &mut Circuit, model: &Circuit, depth: usize) -> Vec<Step> {
    let mut steps = vec![Step {
        is_there: Bit::TRUE,
        latches: model.latches.iter().map(|latch| latch.node.into()).collect(),
        inputs: model.inputs.iter().map(|&input| input.into()).collect(),
    }];
    for newer in 0..depth - 1 {
        let newer = &steps[newer];
        let older = Step {
            is_there: delayed(witness, newer.is_there),
            latches: newer.latches.iter().map(|&bit| delayed(witness, bit)).collect(),
            inputs: newer.inputs.iter().map(|&bit| delayed(witness, bit)).collect(),
        };
        steps.push(older);
    }
    steps
}

/// A latch with the value that a bit had a step ago, and false at first.
fn delayed(witness: &mut Circuit, bit: Bit) -> Bit {
    let latch = witness.add_latch(Some(false));
    if let Some(Latch { next, .. }) = witness.latches.last_mut() {
        *next = bit;
    }
    latch
}

/// Each step that is there leads to the newer one under the constraints, and the oldest one is initial unless older ones are forgotten.
fn steps_are_a_run(witness: &mut Circuit, model: &Circuit, steps: &[Step]) -> Bit {
    let mut all = Vec::new();
    for pair in steps.windows(2) {
        let [newer, older] = pair else { continue };
        let mut copier = Copier::new(model.aig.len());
        let leaves = model.latches.iter().map(|latch| latch.node).chain(model.inputs.iter().copied());
        for (leaf, &bit) in leaves.zip(older.latches.iter().chain(&older.inputs)) {
            copier.set(leaf, bit);
        }
        let aig = &mut witness.aig;
        let mut facts = vec![newer.is_there];
        for (latch, &now) in model.latches.iter().zip(&newer.latches) {
            let next = copier.copy(&model.aig, latch.next, aig, |_, _| Bit::FALSE);
            facts.push(aig.iff(next, now));
        }
        for &constraint in &model.constraints {
            facts.push(copier.copy(&model.aig, constraint, aig, |_, _| Bit::FALSE));
        }
        let follows = aig.and_all(&facts);
        all.push(aig.or(!older.is_there, follows));
        // The newer one is the oldest that is there.
        let is_first = aig.and(newer.is_there, !older.is_there);
        let resets =
            model.latches.iter().zip(&newer.latches).filter_map(|(latch, &bit)| Some(bit ^ !latch.reset?));
        let resets: Vec<Bit> = resets.collect();
        let is_initial = aig.and_all(&resets);
        all.push(aig.or(!is_first, is_initial));
    }
    witness.aig.and_all(&all)
}
