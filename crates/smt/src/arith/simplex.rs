//! The search for an assignment within all bounds.
//!
//! Nonbasic variables are moved into their bounds first. Then basic variables that violate a bound leave the basis one
//! after the other, smallest first. The entering variable is the one in the shortest column, until so many
//! pivots have been made that Bland's rule must rule out cycles.

use bolide_base::{Budget, Rational};

use super::tableau::RowId;
use super::{Arith, Conflict, Delta, Side, Status, VarId, value_of_form};

/// Below this number idle rows are left alone.
const MIN_IDLE_ROWS: usize = 32;

impl Arith {
    /// Restores feasibility over the rationals: afterwards the current assignment satisfies all bounds, unless the
    /// bounds contradict each other. Literals that follow from rows are implied on success.
    pub fn check(&mut self, budget: &Budget) -> Result<Status, Conflict> {
        self.counters.checks += 1;
        self.remove_idle_rows();
        let status = self.make_feasible(budget)?;
        if status == Status::Feasible && self.config.propagate_rows {
            self.propagate_rows();
        }
        Ok(status)
    }

    /// The search itself. After a conflict the assignment is the one before the search, which is likely to be
    /// feasible again after backtracking.
    pub(super) fn make_feasible(&mut self, budget: &Budget) -> Result<Status, Conflict> {
        if self.suspects.is_empty() && !self.assignment.has_moved() {
            return Ok(Status::Feasible);
        }
        self.assignment.mark();
        let mut woken = Vec::new();
        loop {
            self.settle_nonbasic();
            let status = match self.search(budget) {
                Ok(status) => status,
                Err(conflict) => {
                    self.counters.conflicts += 1;
                    self.restore_assignment(&woken);
                    return Err(conflict);
                }
            };
            let violated = self.wake_violated();
            if violated.is_empty() || status != Status::Feasible {
                let rows = woken.iter().filter_map(|&var| self.tableau.row_of(var));
                rows.for_each(|row| self.touched_rows.insert(row));
                return Ok(status);
            }
            woken.extend(violated);
        }
    }

    /// Goes back to the assignment at the start of the search, before the slacks `woken` came into the tableau.
    fn restore_assignment(&mut self, woken: &[VarId]) {
        let (bounds, suspects) = (&self.bounds, &mut self.suspects);
        let mut check = |var, value: &Delta| {
            if bounds.violation(var, value).is_some() {
                suspects.insert(var);
            }
        };
        self.assignment.restore(&mut check);
        for &var in woken {
            let Some(form) = &self.vars[var].form else { continue };
            let value = value_of_form(&self.assignment, form);
            check(var, &value);
            self.assignment.set(var, value);
        }
    }

    fn settle_nonbasic(&mut self) {
        let is_nonbasic = |&var: &VarId| !self.tableau.is_basic(var) && !self.vars[var].dormant;
        let mut suspects: Vec<VarId> = self.suspects.members().filter(is_nonbasic).collect();
        suspects.sort_unstable();
        for var in suspects {
            if let Some(step) = self.step_to_bound(var) {
                self.shift(var, &step);
            }
        }
    }

    fn search(&mut self, budget: &Budget) -> Result<Status, Conflict> {
        let bland_after = self.counters.pivots + 50 + 2 * self.tableau.num_rows() as u64;
        while let Some(var) = self.suspects.pop() {
            let Some(side) = self.bounds.violation(var, self.assignment.get(var)) else { continue };
            if let Err(interrupt) = budget.poll() {
                self.suspects.insert(var);
                return Ok(Status::Interrupted(interrupt));
            }
            let Some(row) = self.tableau.row_of(var) else { continue };
            let bland = self.counters.pivots >= bland_after;
            match self.select_entering(row, side, bland) {
                Some(pos) => self.pivot_to_bound(row, pos),
                None => {
                    self.suspects.insert(var);
                    return Err(self.row_conflict(row, side));
                }
            }
        }
        Ok(Status::Feasible)
    }

    /// How far a variable outside its bounds is from the one it violates.
    fn step_to_bound(&self, var: VarId) -> Option<Delta> {
        let value = self.assignment.get(var);
        let side = self.bounds.violation(var, value)?;
        self.bounds.value(var, side).map(|bound| bound - value)
    }

    /// Moves a nonbasic variable, and the basic variables along with it.
    pub(super) fn shift(&mut self, var: VarId, step: &Delta) {
        debug_assert!(!self.tableau.is_basic(var));
        self.assignment.shift(var, &Rational::ONE, step);
        for (row, coeff) in self.tableau.column(var) {
            let basic = self.tableau.row(row).basic;
            let value = self.assignment.shift(basic, coeff, step);
            if self.bounds.violation(basic, value).is_some() {
                self.suspects.insert(basic);
            }
        }
    }

    /// A nonbasic variable of the row that can move its basic variable back towards the bound on `side`.
    fn select_entering(&self, row: RowId, side: Side, bland: bool) -> Option<usize> {
        let candidates = self.tableau.row(row).entries.iter().enumerate().filter(|(_, entry)| {
            let increases = (side == Side::Lower) == entry.coeff.is_positive();
            let limit = if increases { Side::Upper } else { Side::Lower };
            self.bounds.value(entry.var, limit) != Some(self.assignment.get(entry.var))
        });
        let best = candidates.min_by_key(|(_, entry)| {
            let cost =
                self.tableau.column_len(entry.var) + 2 * usize::from(self.bounds.is_bounded(entry.var));
            (if bland { 0 } else { cost }, entry.var)
        });
        best.map(|(pos, _)| pos)
    }

    /// Moves the basic variable of a row to the bound that it violates, paid for by the entry at `pos`, and exchanges
    /// the two.
    fn pivot_to_bound(&mut self, row: RowId, pos: usize) {
        self.counters.pivots += 1;
        let leaving = self.tableau.row(row).basic;
        let entry = &self.tableau.row(row).entries[pos];
        let (entering, inverse) = (entry.var, entry.coeff.recip());
        if let Some(step) = self.step_to_bound(leaving) {
            self.shift(entering, &step.scaled(&inverse));
        }
        self.tableau.pivot(row, pos);
        if self.bounds.violation(entering, self.assignment.get(entering)).is_some() {
            self.suspects.insert(entering);
        }
    }

    /// No variable of the row can move its basic variable to its bound on `side`.
    fn row_conflict(&self, row: RowId, side: Side) -> Conflict {
        let row = self.tableau.row(row);
        let own = self.bounds.get(row.basic, side).map(|bound| bound.premise(Rational::ONE));
        let others = row.entries.iter().filter_map(|entry| {
            let limit =
                if (side == Side::Lower) == entry.coeff.is_positive() { Side::Upper } else { Side::Lower };
            self.bounds.get(entry.var, limit).map(|bound| bound.premise(entry.coeff.abs()))
        });
        Conflict::Farkas(own.into_iter().chain(others).collect())
    }

    /// Takes the slacks that nothing is about any more out of the tableau, when so many other rows have come instead
    /// that most of them will hardly be needed again. This also restores short rows.
    fn remove_idle_rows(&mut self) {
        if self.idle < MIN_IDLE_ROWS || self.woken_instead < self.idle / 2 {
            return;
        }
        // Rows will move.
        self.touched_rows.drain();
        let idle = |arith: &Self| {
            let vars = arith.vars.iter_enumerated();
            let idle = vars.filter(|(_, v)| v.uses == 0 && v.form.is_some() && !v.dormant);
            idle.map(|(var, _)| var).collect::<Vec<_>>()
        };
        for var in idle(self) {
            if self.tableau.is_basic(var) {
                self.put_to_sleep(var);
            }
        }
        for var in idle(self) {
            // The variable that leaves the basis may violate a bound: it is a suspect already.
            if let Some((row, pos)) = self.tableau.shortest_row_with(var) {
                self.counters.pivots += 1;
                self.tableau.pivot(row, pos);
            }
            self.put_to_sleep(var);
        }
        self.woken_instead = 0;
    }

    fn put_to_sleep(&mut self, var: VarId) {
        self.tableau.remove_row(var);
        self.vars[var].dormant = true;
        self.idle -= 1;
    }
}
