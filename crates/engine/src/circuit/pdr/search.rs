//! A small conflict-driven clause learning solver for the many tiny queries of property directed reachability.
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

use super::heap::Heap;

/// A literal of the search: twice its variable, plus one if negated.
#[derive(Copy, Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    pub fn new(var: usize, negated: bool) -> Lit {
        Lit((var as u32) << 1 | negated as u32)
    }

    pub fn var(self) -> usize {
        (self.0 >> 1) as usize
    }

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
    /// How many queries, conflicts and propagations there were.
    pub queries: u64,
    /// How many conflicts there were.
    pub conflicts: u64,
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
        };
        for _ in 0..vars {
            search.new_var();
        }
        search.switch = search.new_var();
        search
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

    fn add_to_core(&mut self, lit: Lit) {
        if !std::mem::replace(&mut self.in_core[lit.code()], true) {
            self.core.push(lit);
        }
    }

    /// Finds the assumptions behind a conflict at their level.
    fn fail(&mut self, conflict: u32) {
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
    fn learn(&mut self, conflict: u32) -> bool {
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

    fn clause_activity(&self, clause: u32) -> f32 {
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

    /// Deletes the less active half of the learned clauses. At level 0 no clause is a reason that matters.
    fn forget(&mut self) {
        let mut learned = std::mem::take(&mut self.learned);
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
    fn compact(&mut self) {
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
