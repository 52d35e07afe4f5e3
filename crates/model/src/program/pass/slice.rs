//! Slicing: assignments that cannot influence any guard are dropped.
//!
//! First the cone of influence, which ignores the order of edges and so removes counters that only feed themselves;
//! then live variables, which follow the order and so remove initialisations that are overwritten before they are
//! read. Edges and locations stay. Inputs that are no longer used leave their steps, and so do those of which only their ranges
//! are left: variables of C that are never set have one each.

use crate::program::back::map::{BackMap, Copy, Grounds};
use crate::program::live::{Uses, VarSet, effects, live_at};
use crate::{Action, EdgeId, LocId, ProcId, Program, Step, VarId};
use bolide_base::IdVec;
use bolide_term::{Op, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Drops assignments and inputs without influence on any guard.
pub fn slice(store: &mut Store, program: &Program) -> (Program, BackMap) {
    let mut uses = Uses::new(store, program);
    let relevant = cone_of_influence(program, &mut uses);
    let mut new = program.clone();
    drop_assigns(&mut new, |_, _, v| relevant.contains(v));
    for p in new.procs.iter_mut() {
        p.result = p.result.filter(|&r| relevant.contains(r));
    }
    let effects = effects(&new, &mut uses);
    let live = live_at(&new, &mut uses, &effects);
    drop_assigns(&mut new, |p, to, v| live[p][to].contains(v));
    let copies = drop_inputs(store, program, &mut new);
    let map = BackMap { grounds: Grounds::Influence, ..BackMap::identity(program, copies) };
    (new, map)
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

/// Keeps an assignment if its variable is wanted at the location where its edge leads.
fn drop_assigns(program: &mut Program, keep: impl Fn(ProcId, LocId, VarId) -> bool) {
    for proc in program.procs.ids() {
        for edge in program.procs[proc].edges.ids() {
            let edge = &mut program.procs[proc].edges[edge];
            match &mut edge.action {
                Action::Step(s) => s.assigns.retain(|&(v, _)| keep(proc, edge.to, v)),
                Action::Call(c) => c.result = c.result.filter(|&v| keep(proc, edge.to, v)),
            }
        }
    }
}

/// Removes unused inputs from the steps of `new` and says how its edges map to those of `old`.
fn drop_inputs(
    store: &mut Store,
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
                s.guard = without_ranges(store, old, s);
                copy.inputs = restrict_inputs(store, old, s);
            }
            list.push(Some(copy));
        }
        copies.push(list);
    }
    copies
}

/// The guard of a step without the ranges of inputs that nothing else mentions. Guards that exclude each other still do, because all values
/// of an input lie in its range.
fn without_ranges(store: &mut Store, program: &Program, step: &Step) -> Term {
    let mut ranges: FxHashMap<Term, Term> = FxHashMap::default();
    for &(constant, input) in &step.inputs {
        let range = program.in_range(store, constant, program.inputs[input].range);
        ranges.extend(store.conjuncts(range).into_iter().map(|bound| (bound, constant)));
    }
    let mut conjuncts = store.conjuncts(step.guard);
    let others = conjuncts.iter().copied().filter(|c| !ranges.contains_key(c));
    let used: FxHashSet<Term> = store.post_order(others.chain(step.assigns.iter().map(|a| a.1))).collect();
    let count = conjuncts.len();
    conjuncts.retain(|c| ranges.get(c).is_none_or(|constant| used.contains(constant)));
    if conjuncts.len() == count { step.guard } else { store.and(&conjuncts) }
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
