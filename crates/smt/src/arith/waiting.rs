//! Rows that wait outside the tableau until they are violated.
//!
//! A full assignment of a formula asserts many literals that hold anyway: cases that were not chosen, lemmas that another
//! literal satisfies already. The row of such a literal would only make pivoting more expensive. So a slack whose bounds hold in
//! the current assignment stays outside the tableau and *waits*: its value is computed from its form whenever one of the
//! variables of the form has moved, and the first violation brings it into the tableau. Each variable knows the slacks that watch
//! it, so that those of which nothing has moved cost nothing.

use super::{Arith, VarId, value_of_form};
use bolide_base::IdVec;

/// The slacks outside the tableau with bounds or disequalities.
#[derive(Default)]
pub(super) struct Waiting {
    slacks: IdVec<VarId, Slack>,
    /// For each variable, the slacks whose forms mention it; some may not wait any more.
    watchers: IdVec<VarId, Vec<Watcher>>,
    /// Contains, each once, the waiting slacks that have been woken or that nothing is about any more since this was last looked at.
    leaving: Vec<VarId>,
    /// How many slacks wait.
    count: usize,
    /// How many slacks have begun to wait.
    begun: u64,
    /// How often violated slacks were looked for.
    rounds: u64,
}

#[derive(Clone, Default)]
struct Slack {
    /// How many slacks had begun to wait when this one did, itself included; 0 if it does not wait.
    since: u64,
    /// Whether it is among those that leave.
    leaves: bool,
    /// The round in which its bounds were last found to hold.
    checked_in: u64,
}

#[derive(Clone, Copy)]
struct Watcher {
    slack: VarId,
    /// Since when the slack waited. If it waits since another time, or not at all, the entry is of no use any more.
    since: u64,
}

impl Waiting {
    /// Makes room for one more variable.
    pub fn add_var(&mut self) {
        self.slacks.push(Slack::default());
        self.watchers.push(Vec::new());
    }

    fn begin(&mut self, slack: VarId, form: &super::Form) {
        if self.slacks[slack].since != 0 {
            return;
        }
        self.begun += 1;
        self.count += 1;
        let since = self.begun;
        self.slacks[slack].since = since;
        for &(_, var) in form.iter() {
            let list = &mut self.watchers[var];
            // Before a list grows, it is tidied up: at least half of it is of use then.
            if list.len() == list.capacity() {
                list.retain(|watcher| self.slacks[watcher.slack].since == watcher.since);
            }
            list.push(Watcher { slack, since });
        }
    }

    /// The slack may have nothing to wait for any more.
    pub fn leave(&mut self, slack: VarId) {
        let waiting = &mut self.slacks[slack];
        if waiting.since != 0 && !std::mem::replace(&mut waiting.leaves, true) {
            self.leaving.push(slack);
        }
    }

    fn end(&mut self, slack: VarId) {
        self.slacks[slack].since = 0;
        self.count -= 1;
    }
}

impl Arith {
    /// A slack outside the tableau begins to wait; its bounds hold in the current assignment.
    pub(super) fn let_wait(&mut self, var: VarId) {
        if let Some(form) = &self.vars[var].form {
            self.waiting.begin(var, form);
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
        self.waiting.leave(var);
    }

    /// Brings those waiting slacks into the tableau whose bounds are violated, and returns them. They are suspects afterwards.
    pub(super) fn wake_violated(&mut self) -> Vec<VarId> {
        if !self.assignment.has_moved() {
            return Vec::new();
        }
        for var in std::mem::take(&mut self.waiting.leaving) {
            let (slack, variable) = (&mut self.waiting.slacks[var], &self.vars[var]);
            slack.leaves = false;
            if slack.since != 0 && !(variable.dormant && variable.uses > 0) {
                self.waiting.end(var);
            }
        }
        self.waiting.rounds += 1;
        let round = self.waiting.rounds;
        let mut violated = Vec::new();
        for var in self.assignment.take_moved() {
            let mut watchers = std::mem::take(&mut self.waiting.watchers[var]);
            watchers.retain(|watcher| {
                let slack = &mut self.waiting.slacks[watcher.slack];
                if slack.since != watcher.since {
                    return false;
                }
                // It is outside the tableau, and something is about it: all others have left.
                if slack.checked_in != round
                    && let Some(form) = &self.vars[watcher.slack].form
                {
                    let value = value_of_form(&self.assignment, form);
                    if self.bounds.violation(watcher.slack, &value).is_some() {
                        self.waiting.end(watcher.slack);
                        violated.push(*watcher);
                        return false;
                    }
                    slack.checked_in = round;
                }
                true
            });
            self.waiting.watchers[var] = watchers;
        }
        violated.sort_unstable_by_key(|watcher| watcher.since);
        let violated: Vec<VarId> = violated.into_iter().map(|watcher| watcher.slack).collect();
        for &var in &violated {
            self.wake(var);
            self.suspects.insert(var);
        }
        violated
    }

    /// Brings all waiting slacks into the tableau, for steps that look at the tableau only.
    pub(super) fn wake_all(&mut self) {
        if self.waiting.count == 0 {
            return;
        }
        let slacks = self.waiting.slacks.iter_enumerated();
        let mut all: Vec<(u64, VarId)> =
            slacks.filter(|(_, s)| s.since != 0).map(|(var, s)| (s.since, var)).collect();
        all.sort_unstable();
        for (_, var) in all {
            self.waiting.end(var);
            if self.vars[var].uses > 0 {
                self.wake(var);
            }
        }
    }
}
