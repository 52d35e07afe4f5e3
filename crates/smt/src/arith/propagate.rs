//! Bounds that rows yield, and the literals that they imply.
//!
//! If all variables of a row but one are bounded in the right direction, the row bounds the remaining one. Such bounds
//! are not kept: they only imply registered literals, which come back as assertions if the caller wants them.

use bolide_base::Rational;

use super::bounds::BoundId;
use super::explain::{Cause, Derivation};
use super::tableau::{Entry, RowId};
use super::{Arith, Delta, Side, VarId, is_tighter};

/// Longer rows are not looked at.
const MAX_ROW: usize = 40;
/// Longer columns do not wake their rows.
const MAX_COLUMN: usize = 60;
/// How many row entries one call looks at.
const MAX_EFFORT: usize = 1500;

/// A variable of a row with its coefficient and the bound that limits the term on a side, when the row is read as
/// `0 = sum of terms`.
type Limited = (VarId, Rational, Option<BoundId>);

/// The terms of a row that nothing limits on a side.
#[derive(Clone, Copy, Default)]
struct Unlimited {
    count: usize,
    /// The place of the last one.
    place: usize,
}

impl Arith {
    /// Implies literals by the rows in which a bound has changed since the last call.
    pub(super) fn propagate_rows(&mut self) {
        for id in self.bounds_seen..self.bounds.len() {
            let var = self.bounds.bound(BoundId::new(id)).var;
            match self.tableau.row_of(var) {
                Some(row) => self.touched_rows.insert(row),
                None if self.tableau.column_len(var) <= MAX_COLUMN => {
                    self.tableau.column(var).for_each(|(row, _)| self.touched_rows.insert(row));
                }
                None => {}
            }
        }
        self.bounds_seen = self.bounds.len();
        let mut effort = 0;
        for row in self.touched_rows.drain() {
            let len = self.tableau.row(row).entries.len();
            if len > MAX_ROW || effort + len > MAX_EFFORT {
                continue;
            }
            effort += len;
            self.propagate_row(row);
        }
    }

    fn propagate_row(&mut self, row: RowId) {
        let unlimited = self.unlimited(row);
        for side in [Side::Lower, Side::Upper] {
            let open = unlimited[side as usize];
            if open.count <= 1
                && let Some(terms) = self.limited_terms(row, side, open)
            {
                self.propagate_terms(&terms, side, open);
            }
        }
    }

    /// The terms of a row that nothing limits from below and from above, as far as they matter: two on both sides are enough.
    fn unlimited(&self, row: RowId) -> [Unlimited; 2] {
        let row = self.tableau.row(row);
        let mut open = [Unlimited::default(); 2];
        let mut look = |place: usize, var: VarId, is_positive: bool| {
            let [lower, upper] = self.bounds.ids(var);
            let limits = if is_positive { [lower, upper] } else { [upper, lower] };
            for (open, limit) in open.iter_mut().zip(limits) {
                if limit.is_none() {
                    *open = Unlimited { count: open.count + 1, place };
                }
            }
            open[0].count > 1 && open[1].count > 1
        };
        if !look(row.entries.len(), row.basic, false) {
            for (place, entry) in row.entries.iter().enumerate() {
                if look(place, entry.var, entry.coeff.is_positive()) {
                    break;
                }
            }
        }
        open
    }

    /// The terms of a row with the bounds that limit them on `side`, unless no variable that could be bounded has an atom.
    fn limited_terms(&self, row: RowId, side: Side, open: Unlimited) -> Option<Vec<Limited>> {
        let row = self.tableau.row(row);
        let basic = Entry::of_basic(row.basic);
        let entries = || row.entries.iter().chain([&basic]);
        let has_atoms = |entry: &Entry| !self.vars[entry.var].atoms.is_empty();
        let is_target = |place: usize| open.count == 0 || open.place == place;
        if !entries().enumerate().any(|(place, entry)| is_target(place) && has_atoms(entry)) {
            return None;
        }
        let limit = |entry: &Entry| {
            let side = if entry.coeff.is_positive() { side } else { !side };
            self.bounds.id(entry.var, side)
        };
        Some(entries().map(|entry| (entry.var, entry.coeff.clone(), limit(entry))).collect())
    }

    /// Implies literals of the only term that is not limited, or of all if there is none.
    fn propagate_terms(&mut self, terms: &[Limited], side: Side, open: Unlimited) {
        let mut total = Delta::default();
        for (_, coeff, bound) in terms {
            if let Some(bound) = bound {
                total.add_mul(coeff, &self.bounds.bound(*bound).value);
            }
        }
        let targets = if open.count == 0 { 0..terms.len() } else { open.place..open.place + 1 };
        for target in targets {
            self.imply_by_row(terms, target, side, &total);
        }
    }

    /// Implies literals of the variable at `target` by the bound that the other terms leave it. `total` is the sum of
    /// the limits of all terms.
    fn imply_by_row(&mut self, terms: &[Limited], target: usize, side: Side, total: &Delta) {
        let (var, coeff, own) = &terms[target];
        let var = *var;
        if self.vars[var].atoms.is_empty() {
            return;
        }
        let mut others = total.clone();
        if let Some(own) = own {
            others.add_mul(&-coeff, &self.bounds.bound(*own).value);
        }
        // The sum is 0, so a limit of the other terms on one side limits this term on the other.
        let inverse = coeff.recip();
        let mut value = others.scaled(&-&inverse);
        let derived_side = if coeff.is_positive() { !side } else { side };
        if self.is_int(var) {
            value = Delta::exact(if derived_side == Side::Lower { value.ceil() } else { value.floor() });
        }
        let old = self.bounds.value(var, derived_side);
        if old.is_some_and(|old| !is_tighter(derived_side, &value, old)) {
            return;
        }
        let cause = Cause::Row(self.derivations.len());
        let mut used = false;
        for place in self.implied_range(var, derived_side, &value, old) {
            let atom = self.vars[var].atoms[place];
            used |= self.imply_by_bound(atom, derived_side, &value, cause);
        }
        if used {
            let others = terms.iter().enumerate().filter(|&(place, _)| place != target);
            let bounds =
                others.filter_map(|(_, (_, c, bound))| Some(((c * &inverse).abs(), (*bound)?))).collect();
            self.derivations.push(Derivation { side: derived_side, bounds });
        }
    }
}
