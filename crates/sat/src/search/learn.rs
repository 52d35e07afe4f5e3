//! What is learned from a conflict: clauses, failed assumptions, activities.

use super::{LEARNED, Lit, NO_REASON, Search};

impl Search {
    pub(super) fn add_to_core(&mut self, lit: Lit) {
        if !std::mem::replace(&mut self.in_core[lit.code()], true) {
            self.core.push(lit);
        }
    }

    /// Finds the assumptions behind a conflict at their level.
    pub(super) fn fail(&mut self, conflict: u32) {
        let Some(&start) = self.level_starts.first() else {
            self.contradiction = true;
            return;
        };
        self.mark_clause(conflict, usize::MAX);
        for at in (start..self.trail.len()).rev() {
            let lit = self.trail[at];
            if !std::mem::replace(&mut self.seen[lit.var()], false) {
                continue;
            }
            match self.reason[lit.var()] {
                NO_REASON => self.add_to_core(lit),
                reason => self.mark_clause(reason, lit.var()),
            }
        }
    }

    /// Marks the variables of a clause that are not facts, but for one.
    fn mark_clause(&mut self, clause: u32, but: usize) {
        for at in 0..self.len(clause) {
            let var = self.lit(clause, at).var();
            if self.level[var] > 0 && var != but {
                self.seen[var] = true;
            }
        }
    }

    /// Learns a clause from a conflict (first unique implication point) and goes back to where it implies something.
    /// False if the clauses contradict each other.
    pub(super) fn learn(&mut self, conflict: u32) -> bool {
        let mut clause = vec![Lit(0)];
        let mut cleanup: Vec<usize> = Vec::new();
        let current = self.level_starts.len() as u32;
        let mut open = 0;
        let mut reason = conflict;
        let mut at = self.trail.len();
        let mut skip = None;
        loop {
            if self.arena[reason as usize] & LEARNED != 0 {
                self.bump_clause(reason);
            }
            for n in 0..self.len(reason) {
                let lit = self.lit(reason, n);
                let var = lit.var();
                if skip == Some(var) || self.seen[var] || self.level[var] == 0 {
                    continue;
                }
                self.seen[var] = true;
                cleanup.push(var);
                self.bump_var(var);
                if self.level[var] == current {
                    open += 1;
                } else {
                    clause.push(lit);
                }
            }
            loop {
                at -= 1;
                if self.seen[self.trail[at].var()] {
                    break;
                }
            }
            let lit = self.trail[at];
            open -= 1;
            if open == 0 {
                clause[0] = !lit;
                break;
            }
            skip = Some(lit.var());
            reason = self.reason[lit.var()];
        }
        self.shorten(&mut clause);
        for var in cleanup {
            self.seen[var] = false;
        }
        self.bump *= 1.0 / 0.95;
        self.clause_bump *= 1.0 / 0.999;
        self.attach_learned(clause)
    }

    /// Drops literals that the others imply by one reason.
    fn shorten(&self, clause: &mut Vec<Lit>) {
        let implied = |lit: Lit| match self.reason[lit.var()] {
            NO_REASON => false,
            reason => (0..self.len(reason)).all(|at| {
                let var = self.lit(reason, at).var();
                var == lit.var() || self.seen[var] || self.level[var] == 0
            }),
        };
        let first = clause[0];
        clause.retain(|&lit| lit == first || !implied(lit));
    }

    fn attach_learned(&mut self, mut clause: Vec<Lit>) -> bool {
        if clause == [Lit::new(self.switch, true)] {
            // The extra clause contradicts the others, which says nothing about later queries.
            return false;
        }
        if clause.len() == 1 {
            self.backtrack(0);
            self.assign(clause[0], NO_REASON);
            self.contradiction |= self.propagate(false).is_some();
            return !self.contradiction;
        }
        let deepest = (1..clause.len()).max_by_key(|&at| self.level[clause[at].var()]).unwrap_or(1);
        clause.swap(1, deepest);
        self.backtrack(self.level[clause[1].var()] as usize);
        let stored = self.store(&clause, LEARNED);
        self.learned.push(stored);
        self.bump_clause(stored);
        self.assign(clause[0], stored);
        true
    }

    fn bump_var(&mut self, var: usize) {
        self.activity[var] += self.bump;
        if self.activity[var] > 1e30 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-30);
            self.bump *= 1e-30;
        }
        self.heap.increased(var, &self.activity);
    }

    pub(super) fn clause_activity(&self, clause: u32) -> f32 {
        f32::from_bits(self.arena[clause as usize + 1])
    }

    fn bump_clause(&mut self, clause: u32) {
        let activity = self.clause_activity(clause) + self.clause_bump;
        self.arena[clause as usize + 1] = activity.to_bits();
        if activity > 1e20 {
            for at in 0..self.learned.len() {
                let clause = self.learned[at];
                self.arena[clause as usize + 1] = (self.clause_activity(clause) * 1e-20).to_bits();
            }
            self.clause_bump *= 1e-20;
        }
    }
}
