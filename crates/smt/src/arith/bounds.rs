//! The asserted bounds of the variables, on a trail.

use bolide_base::{IdVec, Rational, index_type};

use super::delta::Delta;
use super::types::{AtomLit, Premise, Side, VarId};

index_type! {
    /// A bound on the trail.
    pub(super) struct BoundId("b");
}

/// A bound that was asserted.
pub(super) struct Bound {
    pub var: VarId,
    pub side: Side,
    pub value: Delta,
    pub lit: AtomLit,
    /// The weaker bound that was in force before.
    shadowed: Option<BoundId>,
}

impl Bound {
    /// This bound as a premise.
    pub fn premise(&self, coeff: Rational) -> Premise {
        Premise { lit: self.lit, side: self.side, coeff }
    }
}

/// All asserted bounds in order, and the tightest ones of each variable.
#[derive(Default)]
pub(super) struct Bounds {
    trail: IdVec<BoundId, Bound>,
    tightest: IdVec<VarId, [Option<BoundId>; 2]>,
}

impl Bounds {
    /// Makes room for one more variable.
    pub fn add_var(&mut self) {
        self.tightest.push([None; 2]);
    }

    /// The length of the trail.
    pub fn len(&self) -> usize {
        self.trail.len()
    }

    pub fn bound(&self, id: BoundId) -> &Bound {
        &self.trail[id]
    }

    /// The trail.
    pub fn iter(&self) -> impl Iterator<Item = (BoundId, &Bound)> {
        self.trail.iter_enumerated()
    }

    #[inline]
    pub fn id(&self, var: VarId, side: Side) -> Option<BoundId> {
        self.tightest[var][side as usize]
    }

    /// The tightest lower and upper bound.
    #[inline]
    pub fn ids(&self, var: VarId) -> [Option<BoundId>; 2] {
        self.tightest[var]
    }

    #[inline]
    pub fn get(&self, var: VarId, side: Side) -> Option<&Bound> {
        self.id(var, side).map(|id| &self.trail[id])
    }

    #[inline]
    pub fn value(&self, var: VarId, side: Side) -> Option<&Delta> {
        self.get(var, side).map(|bound| &bound.value)
    }

    /// Whether the variable has any bound.
    pub fn is_bounded(&self, var: VarId) -> bool {
        self.tightest[var] != [None; 2]
    }

    /// The value that the bounds of a variable leave it, if only one.
    pub fn fixed(&self, var: VarId) -> Option<&Rational> {
        let [Some(lower), Some(upper)] = self.tightest[var] else { return None };
        let value = &self.trail[lower].value;
        // Equal bounds cannot be strict, for a strict lower bound is positive in δ and a strict upper one negative.
        (*value == self.trail[upper].value).then_some(&value.real)
    }

    /// Which bound of the variable `value` violates.
    #[inline]
    pub fn violation(&self, var: VarId, value: &Delta) -> Option<Side> {
        let [lower, upper] = self.tightest[var];
        if lower.is_some_and(|id| *value < self.trail[id].value) {
            Some(Side::Lower)
        } else if upper.is_some_and(|id| *value > self.trail[id].value) {
            Some(Side::Upper)
        } else {
            None
        }
    }

    pub fn push(&mut self, var: VarId, side: Side, value: Delta, lit: AtomLit) -> BoundId {
        let shadowed = self.tightest[var][side as usize];
        let id = self.trail.push(Bound { var, side, value, lit, shadowed });
        self.tightest[var][side as usize] = Some(id);
        id
    }

    /// Withdraws the last bound.
    pub fn pop(&mut self) -> Option<Bound> {
        let bound = self.trail.pop()?;
        self.tightest[bound.var][bound.side as usize] = bound.shadowed;
        Some(bound)
    }
}

/// Whether a bound on this side at `value` says more than one at `other`.
pub(super) fn is_tighter(side: Side, value: &Delta, other: &Delta) -> bool {
    match side {
        Side::Lower => value > other,
        Side::Upper => value < other,
    }
}
