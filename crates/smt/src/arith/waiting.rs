//! Rows that wait outside the tableau until they are violated.
//!
//! A full assignment of a formula asserts many literals that hold anyway: cases that were not chosen, lemmas that another
//! literal satisfies already. The row of such a literal would only make pivoting more expensive. So a slack whose bounds hold in
//! the current assignment stays outside the tableau and *waits*: its value is computed from its form whenever one of the
//! variables of the form has moved, and the first violation brings it into the tableau.

use super::{Arith, VarId, value_of_form};

/// A slack outside the tableau with bounds or disequalities.
pub(super) struct Waiting {
    var: VarId,
    /// When its bounds were last found to hold.
    checked_at: u64,
}

impl Arith {
    /// A slack outside the tableau begins to wait; its bounds hold in the current assignment.
    pub(super) fn let_wait(&mut self, var: VarId) {
        let variable = &mut self.vars[var];
        if !std::mem::replace(&mut variable.waits, true) {
            self.waiting.push(Waiting { var, checked_at: self.assignment.now() });
        }
    }

    /// Brings a slack into the tableau.
    pub(super) fn wake(&mut self, var: VarId) {
        let variable = &mut self.vars[var];
        let Some(form) = variable.form.as_ref().filter(|_| variable.dormant) else { return };
        variable.dormant = false;
        let value = value_of_form(&self.assignment, form);
        self.tableau.insert_row(var, form);
        self.assignment.set(var, value);
        self.woken_instead += usize::from(self.idle > 0);
    }

    /// Brings those waiting slacks into the tableau whose bounds are violated, and returns them. They are suspects afterwards.
    pub(super) fn wake_violated(&mut self) -> Vec<VarId> {
        if !self.assignment.has_moved() {
            return Vec::new();
        }
        let now = self.assignment.tick();
        let mut violated = Vec::new();
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain_mut(|entry| {
            let variable = &mut self.vars[entry.var];
            let form = variable.form.as_ref().filter(|_| variable.dormant && variable.uses > 0);
            let Some(form) = form else {
                variable.waits = false;
                return false;
            };
            if form.iter().any(|(_, var)| self.assignment.moved_since(*var, entry.checked_at)) {
                let value = value_of_form(&self.assignment, form);
                if self.bounds.violation(entry.var, &value).is_some() {
                    variable.waits = false;
                    violated.push(entry.var);
                    return false;
                }
                entry.checked_at = now;
            }
            true
        });
        self.waiting = waiting;
        for &var in &violated {
            self.wake(var);
            self.suspects.insert(var);
        }
        violated
    }

    /// Brings all waiting slacks into the tableau, for steps that look at the tableau only.
    pub(super) fn wake_all(&mut self) {
        for Waiting { var, .. } in std::mem::take(&mut self.waiting) {
            self.vars[var].waits = false;
            if self.vars[var].uses > 0 {
                self.wake(var);
            }
        }
    }
}
