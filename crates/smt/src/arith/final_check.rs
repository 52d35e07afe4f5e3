//! The final check: integrality and disequalities on top of rational feasibility.

use bolide_base::{Budget, Rational};

use super::tableau::RowId;
use super::{Arith, Delta, FinalCheck, Form, Side, Status, VarId};

/// How often a quotient is split before it is treated like any other integer.
const MAX_QUOTIENT_SPLITS: u32 = 16;
/// A quotient with a wider range than this is split only where it is fractional.
const MANY_QUOTIENTS: i64 = 64;

/// After so many fractional models, variables with few values are fixed first.
const PATIENCE: u32 = 24;
/// How many more values than one are few.
const FEW_VALUES: i64 = 3;

/// A split on a single variable.
fn branch(var: VarId, floor: Rational) -> FinalCheck {
    FinalCheck::Branch { form: vec![(Rational::ONE, var)], floor }
}

impl Arith {
    /// Looks for a model of everything asserted. Where the current assignment falls short and small moves do not
    /// help, it says how the caller should split, or offers a cut whose form `accept_cut` accepts.
    pub fn final_check(&mut self, budget: &Budget, accept_cut: &mut dyn FnMut(&Form) -> bool) -> FinalCheck {
        match self.check(budget) {
            Err(conflict) => return FinalCheck::Conflict(conflict),
            Ok(Status::Interrupted(interrupt)) => return FinalCheck::Interrupted(interrupt),
            Ok(Status::Feasible) => {}
        }
        if let Some(outcome) = self.make_integral(budget, accept_cut) {
            return outcome;
        }
        if let Some(atom) = self.repair_disequalities() {
            self.counters.splits += 1;
            return FinalCheck::SplitDisequality { atom };
        }
        self.fractional_in_a_row = 0;
        self.choose_epsilon();
        FinalCheck::Ok
    }

    /// Returns nothing if all integer variables are integral in the end.
    fn make_integral(
        &mut self,
        budget: &Budget,
        accept_cut: &mut dyn FnMut(&Form) -> bool,
    ) -> Option<FinalCheck> {
        match self.round_nonbasic(budget) {
            FinalCheck::Ok => {}
            outcome => return Some(outcome),
        }
        self.branch_candidate()?;
        self.wake_all();
        self.patch_integers();
        let (var, floor) = self.branch_candidate()?;
        self.fractional_checks += 1;
        self.fractional_in_a_row += 1;
        if let Some(conflict) = self.solve_diophantine() {
            self.counters.conflicts += 1;
            return Some(FinalCheck::Conflict(conflict));
        }
        if let Some((var, floor)) = self.quotient_to_split() {
            self.counters.branches += 1;
            return Some(branch(var, floor));
        }
        if self.config.cuts
            && self.fractional_checks.is_multiple_of(2)
            && let Some(cut) = self.find_cut(accept_cut)
        {
            self.counters.cuts += 1;
            return Some(FinalCheck::Cut(cut));
        }
        self.counters.branches += 1;
        if let Some((var, floor)) = self.small_range_to_split() {
            return Some(branch(var, floor));
        }
        Some(self.form_to_split(var, accept_cut).unwrap_or_else(|| branch(var, floor)))
    }

    /// Nonbasic integers are integral unless an old assignment was restored. Their bounds are integers, so rounding
    /// keeps them, but basic variables may have to follow.
    fn round_nonbasic(&mut self, budget: &Budget) -> FinalCheck {
        for var in self.vars.ids() {
            let variable = &self.vars[var];
            if !variable.is_int || variable.dormant || self.tableau.is_basic(var) {
                continue;
            }
            let value = self.assignment.get(var);
            if !value.is_integer() {
                let step = &Delta::exact(value.floor()) - value;
                self.shift(var, &step);
            }
        }
        match self.make_feasible(budget) {
            Ok(Status::Feasible) => FinalCheck::Ok,
            Ok(Status::Interrupted(interrupt)) => FinalCheck::Interrupted(interrupt),
            Err(conflict) => FinalCheck::Conflict(conflict),
        }
    }

    /// A quotient that is not yet fixed, and a value to split at. A quotient has few values, and once all of them are
    /// fixed, wrapped arithmetic is as simple as any other. One that is split again and again has many values after all.
    fn quotient_to_split(&mut self) -> Option<(VarId, Rational)> {
        let many = Rational::from(MANY_QUOTIENTS);
        for n in 0..self.quotients.len() {
            let (q, splits) = self.quotients[n];
            let in_use = self.tableau.is_basic(q) || self.tableau.column_len(q) > 0;
            if !in_use || splits == MAX_QUOTIENT_SPLITS || self.bounds.fixed(q).is_some() {
                continue;
            }
            let value = self.assignment.get(q);
            if value.is_integer() && self.range_of(q).is_some_and(|range| range > many) {
                continue;
            }
            let floor = value.floor();
            let at_upper = self.bounds.value(q, Side::Upper).is_some_and(|u| u.is_exactly(&floor));
            let split = if at_upper && value.is_integer() { &floor - &Rational::ONE } else { floor };
            self.quotients[n].1 += 1;
            return Some((q, split));
        }
        None
    }

    /// When branches go on for long, perhaps for ever along an unbounded variable: one with few values, all integral so
    /// far, and a value to split at. Once those are fixed, equations alone may show that there is no solution.
    fn small_range_to_split(&self) -> Option<(VarId, Rational)> {
        if self.fractional_in_a_row < PATIENCE {
            return None;
        }
        let few = Rational::from(FEW_VALUES);
        let mut open = self.vars.ids().filter(|&var| {
            let variable = &self.vars[var];
            variable.is_int && !variable.dormant && variable.form.is_none()
        });
        open.find_map(|var| {
            let (lower, upper) = (self.bounds.value(var, Side::Lower)?, self.bounds.value(var, Side::Upper)?);
            let width = upper - lower;
            (width.real.is_positive() && width.real <= few).then(|| (var, lower.real.clone()))
        })
    }

    /// The rows whose basic variable is an integer with a fractional value.
    pub(super) fn fractional_rows(&self) -> impl Iterator<Item = RowId> {
        self.tableau.row_ids().filter(|&row| {
            let basic = self.tableau.row(row).basic;
            self.is_int(basic) && !self.assignment.get(basic).is_integer()
        })
    }

    /// The fractional original integer variable with the smallest range, and the integer below its value.
    fn branch_candidate(&self) -> Option<(VarId, Rational)> {
        let fractional = self.fractional_rows().filter(|&row| {
            let var = self.tableau.row(row).basic;
            self.vars[var].form.is_none()
        });
        let best = fractional.min_by_key(|&row| {
            let range = self.range_of_basic(row);
            (range.is_none(), range, self.tableau.row(row).basic)
        })?;
        let var = self.tableau.row(best).basic;
        Some((var, self.assignment.get(var).floor()))
    }

    /// How many values its own bounds leave to a variable.
    fn width(&self, var: VarId) -> Option<Rational> {
        let width = self.bounds.value(var, Side::Upper)? - self.bounds.value(var, Side::Lower)?;
        Some(width.real)
    }

    /// How many values the bounds leave to a variable.
    fn range_of(&self, var: VarId) -> Option<Rational> {
        self.tableau.row_of(var).map_or_else(|| self.width(var), |row| self.range_of_basic(row))
    }

    /// How many values the bounds leave to the basic variable of a row: its own bounds, or those of the others in the row.
    /// A quotient has no bounds of its own but few values.
    fn range_of_basic(&self, row: RowId) -> Option<Rational> {
        let width = |var| self.width(var);
        let row = self.tableau.row(row);
        let implied = row.entries.iter().try_fold(Rational::ZERO, |mut sum, e| {
            sum.add_mul(&width(e.var)?, &e.coeff.abs());
            Some(sum)
        });
        match (width(row.basic), implied) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}
