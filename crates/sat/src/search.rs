//! A small conflict-driven clause learning solver for many tiny queries about circuits.
//!
//! It differs from a general solver (here: CaDiCaL) in three ways, after GipSAT (Su, Yang, Ci, Li, Bu and Huang,
//! "Deeply Optimizing the SAT Solver for the IC3 Algorithm", CAV 2025):
//!
//! - a query names its *domain*, the variables that it depends on, and search never leaves it. Outside are only gates
//!   that are functions of their fan-in, so every assignment of the domain extends to all variables;
//! - all assumptions share one decision level;
//! - a query may have one clause of its own, which is gone afterwards together with all that was learned from it.
//!
//! Answers are used for proofs only after CaDiCaL has confirmed their result: the invariant is checked separately.

mod heap;
mod learn;
#[cfg(test)]
mod tests;
mod tidy;

use heap::Heap;

/// A literal of the search: twice its variable, plus one if negated.
#[derive(Copy, Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    /// The literal of a variable.
    pub fn new(var: usize, negated: bool) -> Lit {
        Lit((var as u32) << 1 | negated as u32)
    }

    /// The variable.
    pub fn var(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Is it the negation of its variable?
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn code(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// A clause that was given, by a number that stays valid until the clause is removed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Handle(u32);

/// The answer to a query.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model: see [`Search::value`].
    Sat,
    /// There is none: see [`Search::in_core`].
    Unsat,
    /// The caller wanted to stop.
    Stopped,
}

const UNASSIGNED: i8 = 0;
const NO_REASON: u32 = u32::MAX;
/// Words before the literals of a clause: flags and length; the activity of a learned clause, the handle of a given one.
const HEADER: usize = 2;
const LEARNED: u32 = 1;
const DELETED: u32 = 2;
/// Conflicts between two looks at the caller's wish to stop, and between restarts (times Luby's sequence).
const STOP_INTERVAL: u64 = 256;
const RESTART_UNIT: u64 = 64;
/// How much work counts as a step of effort.
pub const WORK_FOR_EFFORT: u64 = 500;
/// A variable whose activity is so small a part of a fresh one is decided on last, in no particular order.
const QUIET: f32 = 1e-5;

#[derive(Copy, Clone)]
struct Watch {
    clause: u32,
    /// Some other literal of the clause: if it is true, the clause need not be looked at.
    blocker: Lit,
}

/// The solver. Between queries it keeps the assignment of the last one, for its answers, until the next call.
pub struct Search {
    /// Clauses: header words, then literals. The first two literals are watched.
    arena: Vec<u32>,
    wasted: usize,
    given: Vec<u32>,
    learned: Vec<u32>,
    /// Where the clauses behind the handles are, and handles that are free.
    handles: Vec<u32>,
    free_handles: Vec<u32>,
    /// By literal: clauses to look at when it becomes false.
    watches: Vec<Vec<Watch>>,
    /// By literal: 1 true, -1 false.
    values: Vec<i8>,
    level: Vec<u32>,
    reason: Vec<u32>,
    phase: Vec<bool>,
    trail: Vec<Lit>,
    level_starts: Vec<usize>,
    propagated: usize,
    activity: Vec<f32>,
    bump: f32,
    clause_bump: f32,
    /// The variables of the domain that were in a conflict not long ago.
    heap: Heap,
    /// The other variables of the domain, of which those before `next_quiet` are assigned.
    quiet: Vec<u32>,
    next_quiet: usize,
    /// By variable: the number of the last query in whose domain it was.
    domain: Vec<u32>,
    query: u32,
    /// By variable, scratch of conflict analysis; and the failed assumptions by literal.
    seen: Vec<bool>,
    core: Vec<Lit>,
    in_core: Vec<bool>,
    learned_limit: usize,
    /// The given clauses contradict each other.
    contradiction: bool,
    /// Variable that switches the clause of a query on.
    switch: usize,
    /// How many queries there were.
    pub queries: u64,
    /// How many conflicts there were.
    pub conflicts: u64,
    /// How many variables were visited: those of all domains, and those that were propagated.
    pub work: u64,
}

impl Search {
    /// A solver with this many variables.
    pub fn new(vars: usize) -> Search {
        let mut search = Search {
            arena: Vec::new(),
            wasted: 0,
            given: Vec::new(),
            learned: Vec::new(),
            handles: Vec::new(),
            free_handles: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            level: Vec::new(),
            reason: Vec::new(),
            phase: Vec::new(),
            trail: Vec::new(),
            level_starts: Vec::new(),
            propagated: 0,
            activity: Vec::new(),
            bump: 1.0,
            clause_bump: 1.0,
            heap: Heap::default(),
            quiet: Vec::new(),
            next_quiet: 0,
            domain: Vec::new(),
            query: 0,
            seen: Vec::new(),
            core: Vec::new(),
            in_core: Vec::new(),
            learned_limit: 2000,
            contradiction: false,
            switch: 0,
            queries: 0,
            conflicts: 0,
            work: 0,
        };
        for _ in 0..vars {
            search.new_var();
        }
        search.switch = search.new_var();
        search
    }

    /// The effort of all queries: a measure that does not depend on the machine, of which one unit takes about as long
    /// as a step of CaDiCaL.
    pub fn effort(&self) -> u64 {
        self.work / WORK_FOR_EFFORT
    }

    /// A new variable.
    pub fn new_var(&mut self) -> usize {
        let var = self.level.len();
        self.watches.extend([Vec::new(), Vec::new()]);
        self.values.extend([UNASSIGNED; 2]);
        self.level.push(0);
        self.reason.push(NO_REASON);
        self.phase.push(false);
        self.activity.push(0.0);
        self.domain.push(0);
        self.seen.push(false);
        self.in_core.extend([false; 2]);
        var
    }

    /// The literal's value in the model of the last query; `None` outside of its domain.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.values[lit.code()] {
            UNASSIGNED => None,
            sign => Some(sign > 0),
        }
    }

    /// Was the assumption used to refute the last query?
    pub fn in_core(&self, lit: Lit) -> bool {
        self.in_core[lit.code()]
    }

    /// Adds a clause. `None` if it is true anyway or became a fact, which cannot be removed.
    pub fn add_clause(&mut self, lits: &[Lit]) -> Option<Handle> {
        self.backtrack(0);
        let mut clause: Vec<Lit> = lits.iter().copied().filter(|&lit| self.values[lit.code()] >= 0).collect();
        clause.sort_unstable();
        clause.dedup();
        let is_true = clause.iter().any(|&lit| self.values[lit.code()] > 0)
            || clause.windows(2).any(|pair| pair[0] == !pair[1]);
        if is_true {
            return None;
        }
        match clause.as_slice() {
            [] => {
                self.contradiction = true;
                None
            }
            &[unit] => {
                self.assign(unit, NO_REASON);
                self.contradiction |= self.propagate(false).is_some();
                None
            }
            _ => {
                let clause = self.store(&clause, 0);
                self.given.push(clause);
                let handle = self.free_handles.pop().unwrap_or_else(|| {
                    self.handles.push(0);
                    self.handles.len() as u32 - 1
                });
                self.handles[handle as usize] = clause;
                self.arena[clause as usize + 1] = handle;
                Some(Handle(handle))
            }
        }
    }

    /// Removes a clause that another one makes superfluous: what was learned from it stays.
    pub fn remove_clause(&mut self, handle: Handle) {
        self.backtrack(0);
        self.release(handle);
    }

    fn release(&mut self, handle: Handle) {
        self.delete(self.handles[handle.0 as usize]);
        self.free_handles.push(handle.0);
    }

    fn delete(&mut self, clause: u32) {
        if self.arena[clause as usize] & DELETED == 0 {
            self.arena[clause as usize] |= DELETED;
            self.wasted += HEADER + self.len(clause);
        }
    }

    fn store(&mut self, lits: &[Lit], flags: u32) -> u32 {
        let clause = self.arena.len() as u32;
        self.arena.push((lits.len() as u32) << 2 | flags);
        self.arena.push(0f32.to_bits());
        self.arena.extend(lits.iter().map(|lit| lit.0));
        self.watches[lits[0].code()].push(Watch { clause, blocker: lits[1] });
        self.watches[lits[1].code()].push(Watch { clause, blocker: lits[0] });
        clause
    }

    fn len(&self, clause: u32) -> usize {
        (self.arena[clause as usize] >> 2) as usize
    }

    fn lit(&self, clause: u32, at: usize) -> Lit {
        Lit(self.arena[clause as usize + HEADER + at])
    }

    fn assign(&mut self, lit: Lit, reason: u32) {
        self.values[lit.code()] = 1;
        self.values[(!lit).code()] = -1;
        let var = lit.var();
        self.level[var] = self.level_starts.len() as u32;
        self.reason[var] = reason;
        self.trail.push(lit);
    }

    fn backtrack(&mut self, level: usize) {
        let Some(&start) = self.level_starts.get(level) else { return };
        for at in (start..self.trail.len()).rev() {
            let lit = self.trail[at];
            self.values[lit.code()] = UNASSIGNED;
            self.values[(!lit).code()] = UNASSIGNED;
            self.phase[lit.var()] = !lit.is_negated();
            if self.is_active(lit.var()) {
                self.heap.insert(lit.var(), &self.activity);
            }
        }
        self.next_quiet = 0;
        self.trail.truncate(start);
        self.level_starts.truncate(level);
        self.propagated = start;
    }

    fn is_active(&self, var: usize) -> bool {
        self.activity[var] > self.bump * QUIET
    }

    /// An unassigned variable of the domain, if there is one.
    fn decision(&mut self) -> Option<usize> {
        self.heap.pop_unassigned(&self.activity, &self.values).or_else(|| {
            let rest = &self.quiet[self.next_quiet..];
            let found = rest.iter().position(|&var| self.values[2 * var as usize] == UNASSIGNED)?;
            self.next_quiet += found + 1;
            Some(rest[found] as usize)
        })
    }

    /// Follows all implications; within the domain only, if wanted. Returns the clause that is false, if any.
    fn propagate(&mut self, within_domain: bool) -> Option<u32> {
        while let Some(&lit) = self.trail.get(self.propagated) {
            self.propagated += 1;
            self.work += 1;
            bolide_base::spend(2);
            let falsified = !lit;
            let mut list = std::mem::take(&mut self.watches[falsified.code()]);
            let mut kept = 0;
            let mut conflict = None;
            let mut at = 0;
            while at < list.len() {
                let watch = list[at];
                at += 1;
                if self.values[watch.blocker.code()] > 0 {
                    list[kept] = watch;
                    kept += 1;
                    continue;
                }
                match self.visit(watch.clause, falsified) {
                    Visit::Gone | Visit::Moved => {}
                    Visit::True(blocker) => {
                        list[kept] = Watch { clause: watch.clause, blocker };
                        kept += 1;
                    }
                    Visit::Unit(unit) => {
                        list[kept] = Watch { clause: watch.clause, blocker: unit };
                        kept += 1;
                        if !within_domain || self.domain[unit.var()] == self.query {
                            self.assign(unit, watch.clause);
                        }
                    }
                    Visit::False => {
                        conflict = Some(watch.clause);
                        list[kept] = watch;
                        kept += 1;
                        break;
                    }
                }
            }
            while at < list.len() {
                list[kept] = list[at];
                kept += 1;
                at += 1;
            }
            list.truncate(kept);
            self.watches[falsified.code()] = list;
            if conflict.is_some() {
                self.propagated = self.trail.len();
                return conflict;
            }
        }
        None
    }

    /// Looks at a clause one of whose watched literals has become false.
    #[inline]
    fn visit(&mut self, clause: u32, falsified: Lit) -> Visit {
        let base = clause as usize + HEADER;
        let head = self.arena[clause as usize];
        if head & DELETED != 0 {
            return Visit::Gone;
        }
        if self.arena[base] == falsified.0 {
            self.arena.swap(base, base + 1);
        }
        let first = Lit(self.arena[base]);
        if self.values[first.code()] > 0 {
            return Visit::True(first);
        }
        let end = base + (head >> 2) as usize;
        for at in base + 2..end {
            let lit = Lit(self.arena[at]);
            if self.values[lit.code()] >= 0 {
                self.arena.swap(base + 1, at);
                self.watches[lit.code()].push(Watch { clause, blocker: first });
                return Visit::Moved;
            }
        }
        if self.values[first.code()] < 0 { Visit::False } else { Visit::Unit(first) }
    }

    /// Looks for a model of the clauses and the extra clause under the assumptions. Variables of the assumptions and
    /// the extra clause belong to the domain without being named in it.
    pub fn solve(
        &mut self,
        assumptions: &[Lit],
        extra: &[Lit],
        domain: impl Iterator<Item = usize>,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let named = assumptions.iter().chain(extra).map(|lit| lit.var()).chain([self.switch]);
        self.begin(domain.chain(named));
        if self.contradiction {
            return Answer::Unsat;
        }
        let off = Lit::new(self.switch, true);
        let mut clause = vec![off];
        clause.extend(extra.iter().filter(|lit| self.values[lit.code()] >= 0));
        if extra.is_empty() || clause.iter().any(|&lit| self.values[lit.code()] > 0) {
            return self.search(assumptions, stop);
        }
        if clause.len() == 1 {
            return Answer::Unsat;
        }
        let learned_before = self.learned.len();
        let handle = self.add_clause(&clause);
        let mut all = vec![!off];
        all.extend_from_slice(assumptions);
        let answer = self.search(&all, stop);
        if let Some(handle) = handle {
            self.release(handle);
        }
        for at in learned_before..self.learned.len() {
            let clause = self.learned[at];
            if (0..self.len(clause)).any(|at| self.lit(clause, at) == off) {
                self.delete(clause);
            }
        }
        answer
    }

    /// Prepares a query: its domain, and a clean slate.
    fn begin(&mut self, domain: impl Iterator<Item = usize>) {
        self.backtrack(0);
        for lit in self.core.drain(..) {
            self.in_core[lit.code()] = false;
        }
        if self.learned.len() > self.learned_limit {
            self.forget();
        }
        if self.wasted > 4096 && self.wasted > self.arena.len() / 3 {
            self.compact();
        }
        self.queries += 1;
        self.query += 1;
        self.heap.clear();
        self.quiet.clear();
        self.next_quiet = 0;
        for var in domain {
            if self.domain[var] != self.query {
                self.domain[var] = self.query;
                if self.values[2 * var] != UNASSIGNED {
                    continue;
                }
                if self.is_active(var) {
                    self.heap.append(var);
                }
                // Also the active ones: they may become quiet.
                self.quiet.push(var as u32);
            }
        }
        self.work += self.quiet.len() as u64;
        self.heap.heapify(&self.activity);
    }

    fn search(&mut self, assumptions: &[Lit], stop: &dyn Fn() -> bool) -> Answer {
        let mut conflicts = 0u64;
        let mut restart = RESTART_UNIT;
        let mut restarts = 0u64;
        loop {
            if self.level_starts.is_empty() && !self.assume(assumptions) {
                return Answer::Unsat;
            }
            match self.propagate(true) {
                Some(clause) if self.level_starts.len() <= 1 => {
                    self.fail(clause);
                    return Answer::Unsat;
                }
                Some(clause) => {
                    conflicts += 1;
                    self.conflicts += 1;
                    if conflicts.is_multiple_of(STOP_INTERVAL) && stop() {
                        return Answer::Stopped;
                    }
                    if !self.learn(clause) {
                        return Answer::Unsat;
                    }
                    if conflicts >= restart && self.level_starts.len() > 1 {
                        restarts += 1;
                        restart = conflicts + RESTART_UNIT * luby(restarts);
                        self.backtrack(1);
                    }
                }
                None => match self.decision() {
                    Some(var) => {
                        self.level_starts.push(self.trail.len());
                        self.assign(Lit::new(var, !self.phase[var]), NO_REASON);
                    }
                    None => return Answer::Sat,
                },
            }
        }
    }

    /// Makes the assumptions at level 1. False if they contradict each other or the facts.
    fn assume(&mut self, assumptions: &[Lit]) -> bool {
        self.level_starts.push(self.trail.len());
        for &lit in assumptions {
            match self.values[lit.code()] {
                UNASSIGNED => self.assign(lit, NO_REASON),
                1 => {}
                _ => {
                    self.add_to_core(lit);
                    if self.level[lit.var()] > 0 {
                        self.add_to_core(!lit);
                    }
                    return false;
                }
            }
        }
        true
    }
}

/// What looking at a clause found.
enum Visit {
    Gone,
    Moved,
    True(Lit),
    Unit(Lit),
    False,
}

/// Luby's sequence 1 1 2 1 1 2 4 ...
fn luby(mut index: u64) -> u64 {
    loop {
        let bits = 64 - index.leading_zeros();
        if index + 1 == 1 << bits {
            return 1 << (bits - 1);
        }
        index = index + 1 - (1 << (bits - 1));
    }
}
