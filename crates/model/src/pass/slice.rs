//! Slicing: assignments that cannot influence any guard are dropped.
//!
//! First the cone of influence, which ignores the order of edges and so removes counters that only feed themselves;
//! then live variables, which follow the order and so remove initialisations that are overwritten before they are
//! read. Edges and locations stay; inputs that are no longer used leave their steps.

use super::backmap::{BackMap, Copy};
use crate::{Action, EdgeId, ProcId, Program, Step, VarId, VarKind};
use bolide_base::IdVec;
use bolide_term::{Func, Op, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Drops assignments and inputs without influence on any guard.
pub fn slice(store: &Store, program: &Program) -> (Program, BackMap) {
    let mut uses = Uses::new(store, program);
    let relevant = cone_of_influence(program, &mut uses);
    let mut new = program.clone();
    drop_assigns(&mut new, |_, _, v| relevant.contains(v));
    for p in new.procs.iter_mut() {
        p.result = p.result.filter(|&r| relevant.contains(r));
    }
    let live = live_after(&new, &mut uses);
    drop_assigns(&mut new, |p, e, v| live[p][e].contains(v));
    let copies = drop_inputs(store, program, &mut new);
    let map = BackMap::identity(program, copies);
    (new, map)
}

/// A set of variables.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct VarSet(Vec<u64>);

impl VarSet {
    pub(super) fn contains(&self, v: VarId) -> bool {
        self.0.get(v.index() / 64).is_some_and(|w| w >> (v.index() % 64) & 1 == 1)
    }

    fn insert(&mut self, v: VarId) -> bool {
        let (word, bit) = (v.index() / 64, 1 << (v.index() % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    fn remove(&mut self, v: VarId) {
        if let Some(w) = self.0.get_mut(v.index() / 64) {
            *w &= !(1 << (v.index() % 64));
        }
    }

    /// Adds all of another set; was anything new?
    fn union(&mut self, other: &VarSet) -> bool {
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
}

/// The variables of terms, remembered per term.
pub(super) struct Uses<'a> {
    store: &'a Store,
    vars: FxHashMap<Func, VarId>,
    memo: FxHashMap<Term, Vec<VarId>>,
}

impl<'a> Uses<'a> {
    pub(super) fn new(store: &'a Store, program: &Program) -> Uses<'a> {
        Uses { store, vars: program.var_of_symbol(store), memo: FxHashMap::default() }
    }

    pub(super) fn of(&mut self, t: Term) -> &[VarId] {
        let (store, vars) = (self.store, &self.vars);
        self.memo.entry(t).or_insert_with(|| {
            let mut out: Vec<VarId> =
                store.symbols([t]).iter().filter_map(|f| vars.get(f).copied()).collect();
            out.sort_unstable();
            out
        })
    }
}

/// The variables that can influence a guard, regardless of order.
fn cone_of_influence(program: &Program, uses: &mut Uses) -> VarSet {
    let mut feeds: IdVec<VarId, Vec<Term>> = program.vars.iter().map(|_| Vec::new()).collect();
    let mut roots = Vec::new();
    for p in &program.procs {
        for e in &p.edges {
            match &e.action {
                Action::Step(s) => {
                    roots.push(s.guard);
                    s.assigns.iter().for_each(|&(v, t)| feeds[v].push(t));
                }
                Action::Call(c) => {
                    let callee = &program.procs[c.callee];
                    callee.params.iter().zip(&c.args).for_each(|(&v, &t)| feeds[v].push(t));
                    if let (Some(v), Some(r)) = (c.result, callee.result) {
                        feeds[v].push(program.vars[r].term);
                    }
                }
            }
        }
    }
    let mut relevant = VarSet::default();
    let mut work = Vec::new();
    while let Some(t) = roots.pop() {
        work.extend(uses.of(t).iter().copied().filter(|&v| relevant.insert(v)));
        while let Some(v) = work.pop() {
            roots.append(&mut feeds[v]);
        }
    }
    relevant
}

fn drop_assigns(program: &mut Program, keep: impl Fn(ProcId, EdgeId, VarId) -> bool) {
    for proc in program.procs.ids() {
        for edge in program.procs[proc].edges.ids() {
            match &mut program.procs[proc].edges[edge].action {
                Action::Step(s) => s.assigns.retain(|&(v, _)| keep(proc, edge, v)),
                Action::Call(c) => c.result = c.result.filter(|&v| keep(proc, edge, v)),
            }
        }
    }
}

/// For every edge, the variables whose value after it may be read later.
pub(super) fn live_after(program: &Program, uses: &mut Uses) -> IdVec<ProcId, IdVec<EdgeId, VarSet>> {
    // A call may read and write any global; at the exit of a callee all globals and the result are live.
    let mut globals = VarSet::default();
    for (id, v) in program.vars.iter_enumerated() {
        if v.kind == VarKind::Global {
            globals.insert(id);
        }
    }
    let live = program.procs.iter_enumerated().map(|(id, p)| {
        let mut at: IdVec<_, VarSet> = p.locations.iter().map(|_| VarSet::default()).collect();
        if id != program.entry {
            at[p.exit].union(&globals);
            p.result.map(|r| at[p.exit].insert(r));
        }
        let incoming = p.incoming();
        let mut queued: IdVec<_, bool> = p.locations.iter().map(|_| true).collect();
        let mut work: std::collections::VecDeque<_> = p.locations.ids().rev().collect();
        while let Some(l) = work.pop_front() {
            queued[l] = false;
            for &e in &incoming[l] {
                let edge = &p.edges[e];
                let mut before = at[l].clone();
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
                        c.result.iter().for_each(|&v| before.remove(v));
                        before.union(&globals);
                        for &t in &c.args {
                            uses.of(t).iter().for_each(|&v| _ = before.insert(v));
                        }
                    }
                }
                if at[edge.from].union(&before) && !std::mem::replace(&mut queued[edge.from], true) {
                    work.push_back(edge.from);
                }
            }
        }
        p.edges.iter().map(|e| at[e.to].clone()).collect()
    });
    live.collect()
}

/// Removes unused inputs from the steps of `new` and says how its edges map to those of `old`.
fn drop_inputs(
    store: &Store,
    old: &Program,
    new: &mut Program,
) -> IdVec<ProcId, IdVec<EdgeId, Option<Copy>>> {
    let mut copies = IdVec::new();
    for (proc, p) in old.procs.iter_enumerated() {
        let mut list = IdVec::new();
        for (edge, e) in p.edges.iter_enumerated() {
            let mut copy = Copy::faithful(proc, edge, e);
            if let Action::Step(s) = &mut new.procs[proc].edges[edge].action
                && !s.inputs.is_empty()
            {
                copy.inputs = restrict_inputs(store, old, s);
            }
            list.push(Some(copy));
        }
        copies.push(list);
    }
    copies
}

fn restrict_inputs(
    store: &Store,
    program: &Program,
    step: &mut Step,
) -> Vec<Result<usize, bolide_term::Value>> {
    let used: FxHashSet<Term> =
        store.post_order(step.terms()).filter(|&t| matches!(store.op(t), Op::Apply(_))).collect();
    let mut kept = 0;
    let map = step.inputs.iter().map(|&(constant, input)| {
        if used.contains(&constant) {
            kept += 1;
            return Ok(kept - 1);
        }
        let i = &program.inputs[input];
        Err(program.default_value(store, i.sort, i.range))
    });
    let map = map.collect();
    step.inputs.retain(|(constant, _)| used.contains(constant));
    map
}
