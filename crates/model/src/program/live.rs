//! Data flow through programs: what procedures read and write, and which variables are live where.

use crate::{Action, LocId, ProcId, Program, VarId, VarKind};
use bolide_base::IdVec;
use bolide_term::{Func, Op, Store, Term};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeSet;

/// A set of variables.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct VarSet(Vec<u64>);

impl VarSet {
    pub(crate) fn contains(&self, v: VarId) -> bool {
        self.0.get(v.index() / 64).is_some_and(|w| w >> (v.index() % 64) & 1 == 1)
    }

    /// Adds a variable; was it new?
    pub(crate) fn insert(&mut self, v: VarId) -> bool {
        let (word, bit) = (v.index() / 64, 1 << (v.index() % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    pub(crate) fn remove(&mut self, v: VarId) {
        if let Some(w) = self.0.get_mut(v.index() / 64) {
            *w &= !(1 << (v.index() % 64));
        }
    }

    /// Adds all of another set; was anything new?
    pub(crate) fn union(&mut self, other: &VarSet) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut changed = false;
        for (w, &o) in self.0.iter_mut().zip(&other.0) {
            changed |= o & !*w != 0;
            *w |= o;
        }
        changed
    }

    /// The variables in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = VarId> + '_ {
        let bits = |(n, &word): (usize, &u64)| {
            (0..64).filter(move |b| word >> b & 1 == 1).map(move |b| VarId::new(64 * n + b))
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

/// The variables of terms, remembered for every subterm: blocks share most of theirs. Equal sets are kept once, and so
/// are the unions of two.
pub(crate) struct Uses<'a> {
    store: &'a Store,
    vars: FxHashMap<Func, VarId>,
    /// Sorted sets of variables. The first is empty.
    sets: IndexSet<Vec<VarId>, FxBuildHasher>,
    memo: FxHashMap<Term, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
}

/// A position in [`Uses::sets`].
type SetId = usize;

impl<'a> Uses<'a> {
    pub(crate) fn new(store: &'a Store, program: &Program) -> Uses<'a> {
        Uses {
            store,
            vars: program.var_of_symbol(store),
            sets: [Vec::new()].into_iter().collect(),
            memo: FxHashMap::default(),
            unions: FxHashMap::default(),
        }
    }

    pub(crate) fn of(&mut self, t: Term) -> &[VarId] {
        let mut stack = vec![t];
        while let Some(&t) = stack.last() {
            if self.memo.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(self.store.args(t).iter().filter(|a| !self.memo.contains_key(a)));
            if stack.len() == before {
                let set = self.combine(t);
                self.memo.insert(t, set);
                stack.pop();
            }
        }
        &self.sets[self.memo[&t]]
    }

    /// The variables of a term whose arguments are known.
    fn combine(&mut self, t: Term) -> SetId {
        let own = match self.store.op(t) {
            Op::Apply(f) => self.vars.get(&f).copied(),
            _ => None,
        };
        let mut set = own.map_or(0, |v| self.sets.insert_full(vec![v]).0);
        for a in self.store.args(t) {
            set = self.union(set, self.memo[a]);
        }
        set
    }

    fn union(&mut self, a: SetId, b: SetId) -> SetId {
        let (a, b) = (a.min(b), a.max(b));
        if a == 0 || a == b {
            return b;
        }
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let mut both = [&self.sets[a][..], &self.sets[b]].concat();
        both.sort_unstable();
        both.dedup();
        let (union, _) = self.sets.insert_full(both);
        self.unions.insert((a, b), union);
        union
    }
}

/// What a procedure does to variables, calls included.
#[derive(Clone, Default)]
pub(crate) struct Effects {
    /// Globals that it may read.
    pub(crate) reads: VarSet,
    /// Globals that it may assign.
    pub(crate) writes: VarSet,
    /// Variables of any kind that its own edges may change: by assignment, as the result of a call, or as a global
    /// that a callee writes.
    pub(crate) changes: VarSet,
}

/// The effects of all procedures, by iteration over the call graph.
pub(crate) fn effects(program: &Program, uses: &mut Uses) -> IdVec<ProcId, Effects> {
    let is_global = |v: VarId| program.vars[v].kind == VarKind::Global;
    let mut all: IdVec<ProcId, Effects> = program.procs.iter().map(|_| Effects::default()).collect();
    let mut callers: IdVec<ProcId, Vec<ProcId>> = program.procs.iter().map(|_| Vec::new()).collect();
    for (id, p) in program.procs.iter_enumerated() {
        let own = &mut all[id];
        for e in &p.edges {
            let (read, written): (Vec<Term>, Vec<VarId>) = match &e.action {
                Action::Step(s) => (s.terms().collect(), s.assigns.iter().map(|a| a.0).collect()),
                Action::Call(c) => {
                    callers[c.callee].push(id);
                    (c.args.clone(), c.result.into_iter().collect())
                }
            };
            for t in read {
                uses.of(t).iter().filter(|&&v| is_global(v)).for_each(|&v| _ = own.reads.insert(v));
            }
            for v in written {
                own.changes.insert(v);
                if is_global(v) {
                    own.writes.insert(v);
                }
            }
        }
    }
    let mut work: Vec<ProcId> = program.procs.ids().collect();
    while let Some(callee) = work.pop() {
        let effects = all[callee].clone();
        for &caller in &callers[callee] {
            let own = &mut all[caller];
            own.changes.union(&effects.writes);
            if own.reads.union(&effects.reads) | own.writes.union(&effects.writes) {
                work.push(caller);
            }
        }
    }
    all
}

/// For every location, the variables whose value there may be read later. At the exit of a callee these are its result
/// and the globals that it writes.
pub(crate) fn live_at(
    program: &Program,
    uses: &mut Uses,
    effects: &IdVec<ProcId, Effects>,
) -> IdVec<ProcId, IdVec<LocId, VarSet>> {
    let live = program.procs.iter_enumerated().map(|(id, p)| {
        let mut at: IdVec<LocId, VarSet> = p.locations.iter().map(|_| VarSet::default()).collect();
        if id != program.entry {
            at[p.exit].union(&effects[id].writes);
            p.result.map(|r| at[p.exit].insert(r));
        }
        let incoming = p.incoming();
        // What comes later in executions comes first here, so that a location is looked at again only because of loops.
        let order = p.post_order();
        let mut rank: IdVec<LocId, usize> = p.locations.iter().map(|_| 0).collect();
        order.iter().enumerate().for_each(|(n, &l)| rank[l] = n);
        let mut work: BTreeSet<usize> = (0..order.len()).collect();
        let mut before = VarSet::default();
        while let Some(n) = work.pop_first() {
            let l = order[n];
            for &e in &incoming[l] {
                let edge = &p.edges[e];
                before.0.clone_from(&at[l].0);
                match &edge.action {
                    Action::Step(s) => {
                        let wanted: Vec<Term> =
                            s.assigns.iter().filter(|a| at[l].contains(a.0)).map(|a| a.1).collect();
                        s.assigns.iter().for_each(|a| before.remove(a.0));
                        for t in wanted.into_iter().chain([s.guard]) {
                            uses.of(t).iter().for_each(|&v| _ = before.insert(v));
                        }
                    }
                    Action::Call(c) => {
                        if program.procs[c.callee].result.is_some() {
                            c.result.iter().for_each(|&v| before.remove(v));
                        }
                        // What the callee may leave alone comes out as it went in.
                        before.union(&effects[c.callee].reads);
                        before.union(&effects[c.callee].writes);
                        for &t in &c.args {
                            uses.of(t).iter().for_each(|&v| _ = before.insert(v));
                        }
                    }
                }
                if at[edge.from].union(&before) {
                    work.insert(rank[edge.from]);
                }
            }
        }
        at
    });
    live.collect()
}
