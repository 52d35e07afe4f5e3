//! Gets rid of clauses that are not worth their place.

use super::{DELETED, HEADER, LEARNED, Lit, Search, Watch};

impl Search {
    /// Deletes the less active half of the learned clauses. At level 0 no clause is a reason that matters.
    pub(super) fn forget(&mut self) {
        let mut learned = std::mem::take(&mut self.learned);
        for &clause in &learned {
            if (0..self.len(clause)).any(|at| self.values[self.lit(clause, at).code()] > 0) {
                self.delete(clause);
            }
        }
        learned.retain(|&clause| self.arena[clause as usize] & DELETED == 0);
        if learned.len() > self.learned_limit / 2 {
            let key = |clause: u32| (self.len(clause) > 2, -self.clause_activity(clause));
            learned.sort_by(|&a, &b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
            for &clause in &learned[learned.len() / 2..] {
                if self.len(clause) > 2 {
                    self.delete(clause);
                }
            }
            learned.retain(|&clause| self.arena[clause as usize] & DELETED == 0);
            self.learned_limit += 100;
        }
        self.learned = learned;
    }

    /// Removes deleted clauses from the arena.
    pub(super) fn compact(&mut self) {
        let old = std::mem::take(&mut self.arena);
        self.watches.iter_mut().for_each(Vec::clear);
        self.wasted = 0;
        for flags in [0, LEARNED] {
            let list = if flags == 0 { &mut self.given } else { &mut self.learned };
            let clauses = std::mem::take(list);
            let mut kept = Vec::with_capacity(clauses.len());
            for clause in clauses {
                let at = clause as usize;
                if old[at] & DELETED != 0 {
                    continue;
                }
                let new = self.arena.len() as u32;
                let len = (old[at] >> 2) as usize;
                self.arena.extend_from_slice(&old[at..at + HEADER + len]);
                let (a, b) = (Lit(old[at + HEADER]), Lit(old[at + HEADER + 1]));
                self.watches[a.code()].push(Watch { clause: new, blocker: b });
                self.watches[b.code()].push(Watch { clause: new, blocker: a });
                if flags == 0 {
                    self.handles[old[at + 1] as usize] = new;
                }
                kept.push(new);
            }
            *(if flags == 0 { &mut self.given } else { &mut self.learned }) = kept;
        }
    }
}
