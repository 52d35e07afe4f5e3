//! Asserting literals: tightening bounds, and the literals that a tighter bound implies at once.

use bolide_base::Rational;

use super::explain::{Cause, Implication};
use super::{Arith, AtomId, AtomLit, Conflict, Delta, Relation, Side, VarId, is_tighter};

impl Arith {
    /// Asserts a literal on the current level. After a conflict the caller has to backtrack, because the literal has
    /// not taken full effect.
    pub fn assert(&mut self, lit: AtomLit) -> Result<(), Conflict> {
        let atom = &mut self.atoms[lit.atom];
        if atom.assigned.is_none() {
            atom.assigned = Some(lit.positive);
            self.assigned.push(lit.atom);
        }
        let atom = &self.atoms[lit.atom];
        let (var, c) = (atom.var, atom.constant.clone());
        let result = match (atom.relation, lit.positive) {
            (Relation::Le, true) => self.assert_bound(var, Side::Upper, Delta::exact(c), lit),
            (Relation::Ge, true) => self.assert_bound(var, Side::Lower, Delta::exact(c), lit),
            (Relation::Le, false) => self.assert_bound(var, Side::Lower, self.successor(var, c), lit),
            (Relation::Ge, false) => self.assert_bound(var, Side::Upper, self.predecessor(var, c), lit),
            (Relation::Eq, true) => self.assert_equality(var, c, lit),
            (Relation::Eq, false) => self.assert_disequality(lit.atom),
        };
        self.counters.conflicts += u64::from(result.is_err());
        result
    }

    /// The least value of `var` above the constant of an inequality.
    fn successor(&self, var: VarId, c: Rational) -> Delta {
        if self.is_int(var) { Delta::exact(c + Rational::ONE) } else { Delta::above(c) }
    }

    /// The greatest value of `var` below the constant of an inequality.
    fn predecessor(&self, var: VarId, c: Rational) -> Delta {
        if self.is_int(var) { Delta::exact(c - Rational::ONE) } else { Delta::below(c) }
    }

    /// An integer equal to a fraction gets two bounds that cross.
    fn assert_equality(&mut self, var: VarId, c: Rational, lit: AtomLit) -> Result<(), Conflict> {
        let (lower, upper) = if self.is_int(var) { (c.ceil(), c.floor()) } else { (c.clone(), c) };
        self.assert_bound(var, Side::Upper, Delta::exact(upper), lit)?;
        self.assert_bound(var, Side::Lower, Delta::exact(lower), lit)
    }

    fn assert_disequality(&mut self, id: AtomId) -> Result<(), Conflict> {
        let atom = &self.atoms[id];
        let var = atom.var;
        if self.bounds.fixed(var) == Some(&atom.constant) {
            return Err(self.disequality_conflict(id));
        }
        self.acquire(var);
        self.disequalities.push(id);
        Ok(())
    }

    fn assert_bound(&mut self, var: VarId, side: Side, value: Delta, lit: AtomLit) -> Result<(), Conflict> {
        let old = self.bounds.value(var, side);
        if old.is_some_and(|old| !is_tighter(side, &value, old)) {
            return Ok(());
        }
        if let Some(opposite) = self.bounds.get(var, !side)
            && is_tighter(side, &value, &opposite.value)
        {
            let new = super::Premise { lit, side, coeff: Rational::ONE };
            return Err(Conflict::Farkas(vec![new, opposite.premise(Rational::ONE)]));
        }
        let range = self.implied_range(var, side, &value, old);
        self.acquire(var);
        if is_tighter(side, &value, &self.current(var)) {
            self.wake(var);
            self.suspects.insert(var);
        }
        let bound = self.bounds.push(var, side, value.clone(), lit);
        for place in range {
            let atom = self.vars[var].atoms[place];
            self.imply_by_bound(atom, side, &value, Cause::Bound(bound));
        }
        self.notice_fixed(var)
    }

    /// The places of those atoms of `var` that a bound may decide and the weaker bound `old` did not.
    pub(super) fn implied_range(
        &self,
        var: VarId,
        side: Side,
        value: &Delta,
        old: Option<&Delta>,
    ) -> std::ops::Range<usize> {
        let atoms = &self.vars[var].atoms;
        let first_at_least = |c: &Rational| atoms.partition_point(|&a| self.atoms[a].constant < *c);
        let first_above = |c: &Rational| atoms.partition_point(|&a| self.atoms[a].constant <= *c);
        match side {
            Side::Lower => old.map_or(0, |old| first_at_least(&old.real))..first_above(&value.real),
            Side::Upper => first_at_least(&value.real)..old.map_or(atoms.len(), |old| first_above(&old.real)),
        }
    }

    /// Implies the literal of `id` that follows from a bound of its variable, if there is one and it is new.
    /// Returns whether it did.
    pub(super) fn imply_by_bound(&mut self, id: AtomId, side: Side, value: &Delta, cause: Cause) -> bool {
        let atom = &self.atoms[id];
        if atom.assigned.is_some() || atom.implied {
            return false;
        }
        match implied_value(atom.relation, &atom.constant, side, value) {
            Some(positive) => {
                self.imply(AtomLit::new(id, positive), cause);
                true
            }
            None => false,
        }
    }

    fn imply(&mut self, lit: AtomLit, cause: Cause) {
        self.counters.implied += 1;
        self.atoms[lit.atom].implied = true;
        self.implications.push(Implication { lit, cause });
    }

    /// Implies a newly registered atom.
    pub(super) fn imply_by_current_bounds(&mut self, id: AtomId) {
        let var = self.atoms[id].var;
        for side in [Side::Lower, Side::Upper] {
            if let Some(bound) = self.bounds.id(var, side) {
                let value = self.bounds.bound(bound).value.clone();
                self.imply_by_bound(id, side, &value, Cause::Bound(bound));
            }
        }
        let atom = &self.atoms[id];
        if atom.relation == Relation::Eq && self.bounds.fixed(var) == Some(&atom.constant) {
            self.imply_fixed(id);
        }
    }

    /// A variable that has become fixed decides the equality with its value.
    fn notice_fixed(&mut self, var: VarId) -> Result<(), Conflict> {
        let Some(value) = self.bounds.fixed(var) else { return Ok(()) };
        let atoms = &self.vars[var].atoms;
        let place = atoms.binary_search_by(|&id| {
            let atom = &self.atoms[id];
            atom.constant.cmp(value).then(atom.relation.cmp(&Relation::Eq))
        });
        let Ok(place) = place else { return Ok(()) };
        let id = atoms[place];
        match self.atoms[id].assigned {
            Some(true) => {}
            Some(false) => return Err(self.disequality_conflict(id)),
            None => self.imply_fixed(id),
        }
        Ok(())
    }

    fn imply_fixed(&mut self, id: AtomId) {
        let var = self.atoms[id].var;
        if let (Some(lower), Some(upper)) =
            (self.bounds.id(var, Side::Lower), self.bounds.id(var, Side::Upper))
            && !self.atoms[id].implied
        {
            self.imply(AtomLit::new(id, true), Cause::Fixed(lower, upper));
        }
    }
}

/// What a bound says about an atom of the same variable.
fn implied_value(relation: Relation, constant: &Rational, side: Side, value: &Delta) -> Option<bool> {
    // Seen from the forbidden side, the bound lies at the constant or further in; if further, it excludes the constant.
    let (order, strict) = match side {
        Side::Lower => (value.real.cmp(constant), value.infinitesimal.is_positive()),
        Side::Upper => (constant.cmp(&value.real), value.infinitesimal.is_negative()),
    };
    let reached = order.is_ge();
    let passed = order.is_gt() || order.is_eq() && strict;
    match (relation, side) {
        (Relation::Ge, Side::Lower) | (Relation::Le, Side::Upper) => reached.then_some(true),
        (Relation::Le, Side::Lower) | (Relation::Ge, Side::Upper) | (Relation::Eq, _) => {
            passed.then_some(false)
        }
    }
}
