//! Small moves of nonbasic variables that leave every bound intact: off the constant of a disequality, or to make a
//! fractional integer variable integral. And the choice of a value for the infinitesimal.

use bolide_base::Rational;

use super::tableau::RowId;
use super::{Arith, AtomId, Delta, Relation, Side, VarId};

/// How many variables of a row are tried.
const MAX_CANDIDATES: usize = 30;
/// The lengths of integer steps that are tried.
const MAX_STEP: i64 = 6;
/// Longer ones, to leave whole ranges of excluded values.
const LEAPS: [i64; 8] = [16, 64, 256, 1 << 10, 1 << 13, 1 << 16, 1 << 24, 1 << 31];

impl Arith {
    /// Moves variables off the constants of violated disequalities; returns one that resists. Satisfied ones stay
    /// satisfied.
    pub(super) fn repair_disequalities(&mut self) -> Option<AtomId> {
        for index in 0..self.disequalities.len() {
            let id = self.disequalities[index];
            let atom = &self.atoms[id];
            let var = atom.var;
            if self.current(var).is_exactly(&atom.constant) {
                self.wake_all();
                if !self.move_off(var) {
                    return Some(id);
                }
            }
        }
        None
    }

    fn move_off(&mut self, var: VarId) -> bool {
        let candidates = match self.tableau.row_of(var) {
            None => vec![var],
            Some(row) => self.tableau.row(row).entries.iter().take(MAX_CANDIDATES).map(|e| e.var).collect(),
        };
        for candidate in candidates {
            let mut steps = self.steps(candidate).into_iter().chain(self.leaps(candidate));
            if let Some(step) = steps.find(|step| self.may_shift(candidate, step)) {
                self.shift(candidate, &step);
                return true;
            }
        }
        false
    }

    /// Steps of a nonbasic variable that are worth a try.
    fn steps(&self, var: VarId) -> Vec<Delta> {
        if self.is_int(var) {
            return (1..=MAX_STEP).flat_map(|n| [n, -n]).map(|n| Delta::exact(n.into())).collect();
        }
        let mut steps = Vec::new();
        for (side, sign) in [(Side::Upper, Rational::ONE), (Side::Lower, Rational::MINUS_ONE)] {
            match self.room(var, side) {
                Some(room) if room.is_zero() => {}
                Some(room) => steps.extend([2, 3, 5].map(|n| room.scaled(&(&sign / Rational::from(n))))),
                None => steps.extend([1, 2, 3].map(|n| Delta::exact(&sign * Rational::from(n)))),
            }
        }
        steps
    }

    /// Long steps of a nonbasic integer.
    fn leaps(&self, var: VarId) -> impl Iterator<Item = Delta> + use<> {
        let lengths: &[i64] = if self.is_int(var) { &LEAPS } else { &[] };
        lengths.iter().flat_map(|&n| [n, -n]).map(|n| Delta::exact(n.into()))
    }

    /// How far a nonbasic variable can move towards `side` before some variable reaches a bound.
    fn room(&self, var: VarId, side: Side) -> Option<Delta> {
        let distance = |var, side, inverse: &Rational| {
            let bound = self.bounds.value(var, side)?;
            Some((bound - self.assignment.get(var)).scaled(inverse))
        };
        let sign = Rational::from(if side == Side::Upper { 1 } else { -1 });
        let own = distance(var, side, &sign);
        let basics = self.tableau.column(var).filter_map(|(row, coeff)| {
            let side = if coeff.is_positive() { side } else { !side };
            distance(self.tableau.row(row).basic, side, &(&sign / coeff))
        });
        own.into_iter().chain(basics).min()
    }

    /// Whether moving a nonbasic variable keeps all bounds and satisfied disequalities, and all integers integral.
    fn may_shift(&self, var: VarId, step: &Delta) -> bool {
        let basics = self.tableau.column(var).map(|(row, coeff)| (self.tableau.row(row).basic, coeff));
        [(var, &Rational::ONE)].into_iter().chain(basics).all(|(var, coeff)| {
            let old = self.assignment.get(var);
            let mut new = old.clone();
            new.add_mul(coeff, step);
            let integral = !self.is_int(var) || new.is_integer() || !old.is_integer();
            integral && self.bounds.violation(var, &new).is_none() && !self.is_excluded(var, &new)
        })
    }

    /// Whether an asserted disequality excludes this value.
    fn is_excluded(&self, var: VarId, value: &Delta) -> bool {
        if !value.infinitesimal.is_zero() {
            return false;
        }
        let atoms = &self.vars[var].atoms;
        let place = atoms.binary_search_by(|&id| {
            let atom = &self.atoms[id];
            atom.constant.cmp(&value.real).then(atom.relation.cmp(&Relation::Eq))
        });
        place.is_ok_and(|place| self.atoms[atoms[place]].assigned == Some(false))
    }

    /// Tries to make fractional basic integers integral, each by one nonbasic variable of its row.
    pub(super) fn patch_integers(&mut self) {
        for row in self.tableau.row_ids() {
            let basic = self.tableau.row(row).basic;
            if self.is_int(basic)
                && !self.assignment.get(basic).is_integer()
                && let Some((var, step)) = self.patch(row)
            {
                self.shift(var, &step);
            }
        }
    }

    fn patch(&self, row: RowId) -> Option<(VarId, Delta)> {
        let value = self.assignment.get(self.tableau.row(row).basic);
        let (floor, ceil) = (Delta::exact(value.floor()), Delta::exact(value.ceil()));
        for entry in self.tableau.row(row).entries.iter().take(MAX_CANDIDATES) {
            let steps: Vec<Delta> = if !self.is_int(entry.var) {
                [&floor, &ceil].map(|goal| (goal - value).scaled(&entry.coeff.recip())).into()
            } else if entry.coeff.is_integer() {
                continue;
            } else {
                self.steps(entry.var)
            };
            let step = steps.into_iter().find(|step| {
                let mut new = value.clone();
                new.add_mul(&entry.coeff, step);
                new.is_integer() && self.may_shift(entry.var, step)
            });
            if let Some(step) = step {
                return Some((entry.var, step));
            }
        }
        None
    }

    /// Chooses a value for δ at which all bounds and disequalities hold that hold symbolically.
    pub(super) fn choose_epsilon(&mut self) {
        let mut epsilon = Rational::ONE;
        let mut limit = |gap: Rational, slope: Rational| {
            // The gap shrinks by `slope` per unit of δ.
            if slope.is_positive() {
                let most = gap / slope;
                if most < epsilon {
                    epsilon = most;
                }
            }
        };
        for (_, bound) in self.bounds.iter() {
            let value = self.current(bound.var);
            if value.infinitesimal.is_zero() && bound.value.infinitesimal.is_zero() {
                continue;
            }
            let gap = match bound.side {
                Side::Lower => &value - &bound.value,
                Side::Upper => &bound.value - &value,
            };
            limit(gap.real, -gap.infinitesimal);
        }
        for &id in &self.disequalities {
            let atom = &self.atoms[id];
            let value = self.current(atom.var);
            let gap = &value.real - &atom.constant;
            // Half of the way keeps them apart.
            let slope = Rational::from(-2 * gap.signum()) * &value.infinitesimal;
            limit(gap.abs(), slope);
        }
        self.epsilon = epsilon;
    }
}
