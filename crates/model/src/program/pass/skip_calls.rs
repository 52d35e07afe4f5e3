//! Calls that are skipped: an over-approximation of programs that are too large to be inlined.
//!
//! Of the hundreds of functions of a driver most do not touch the few variables on which its errors depend. A call of such a
//! procedure becomes one step, which gives any value to its result and to the globals that it may assign. A procedure stays if
//! it may run into an error, if it may assign one of the scalars that decide about errors, or if its edges allow less than the task
//! does. The new program has all executions of the program and more: what a procedure that is skipped computes does not matter,
//! nor whether it returns.

use super::prune::{can_err, prune};
use super::{inlined_size, slice};
use crate::program::live::{Effects, Uses, VarSet, effects};
use crate::{Action, Bias, Call, EdgeId, Input, InputId, LocId, ProcId, Program, Step, VarId};
use bolide_base::IdVec;
use bolide_term::{Sort, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// The program with calls skipped; nothing if that makes it less than half as large once its calls are inlined.
pub fn skip_calls(store: &mut Store, program: &Program) -> Option<Program> {
    let (skipped, wanted) = {
        let mut uses = Uses::new(store, program);
        let effects = effects(program, &mut uses);
        let kept = kept(program, &mut uses, &effects);
        let skipped: IdVec<ProcId, bool> = kept.iter().map(|k| !k).collect();
        let wanted = wanted(program, &mut uses, &skipped);
        let assigned = |effects: &Effects| effects.writes.iter().filter(|&v| wanted.contains(v)).collect();
        (skipped, effects.iter().map(assigned).collect::<IdVec<ProcId, Vec<VarId>>>())
    };
    let mut new = program.clone();
    let mut any = AnyValues::default();
    for proc in program.procs.ids() {
        for edge in program.procs[proc].edges.ids() {
            match &program.procs[proc].edges[edge].action {
                Action::Call(call) if skipped[call.callee] => {
                    let step = any.step(store, &mut new, call, &wanted[call.callee]);
                    new.procs[proc].edges[edge].action = Action::Step(step);
                }
                _ => {}
            }
        }
    }
    let (new, _) = prune(store, &new);
    let (new, _) = slice(store, &new);
    (inlined_size(&new) <= inlined_size(program) / 2).then_some(new)
}

/// The places where values of variables come from outside.
#[derive(Default)]
struct AnyValues {
    inputs: FxHashMap<VarId, InputId>,
}

impl AnyValues {
    /// The step that stands for a call of a procedure that may assign some variables.
    fn step(&mut self, store: &mut Store, program: &mut Program, call: &Call, assigned: &[VarId]) -> Step {
        let mut vars: Vec<VarId> = assigned.iter().copied().chain(call.result).collect();
        vars.sort_unstable();
        vars.dedup();
        let (mut guards, mut assigns, mut inputs) = (Vec::new(), Vec::new(), Vec::new());
        for v in vars {
            let input = self.input(program, v);
            let value = program.input_value(store, input);
            guards.push(program.in_range(store, value, program.inputs[input].range));
            assigns.push((v, value));
            inputs.push((value, input));
        }
        Step { guard: store.and(&guards), assigns, inputs }
    }

    /// Where any value of a variable comes from.
    fn input(&mut self, program: &mut Program, v: VarId) -> InputId {
        *self.inputs.entry(v).or_insert_with(|| {
            let var = &program.vars[v];
            let name = format!("{} after a call", var.name);
            let (sort, range) = (var.sort, var.range);
            program.inputs.push(Input { name, sort, range, preferred: None, span: super::NOWHERE })
        })
    }
}

/// The procedures that stay.
fn kept(program: &Program, uses: &mut Uses, effects: &IdVec<ProcId, Effects>) -> IdVec<ProcId, bool> {
    let deciding = deciding(program, uses);
    let touches = |set: &VarSet| set.iter().any(|v| deciding.contains(v));
    let mut kept = can_err(program);
    kept[program.entry] = true;
    for (proc, lacking) in lacking(program).into_iter().enumerate() {
        let proc = ProcId::new(proc);
        kept[proc] |= lacking || touches(&effects[proc].writes) || touches(&effects[proc].changes);
    }
    kept
}

/// The procedures that allow less than the task does, or call one that does.
fn lacking(program: &Program) -> Vec<bool> {
    let mut callers: IdVec<ProcId, Vec<ProcId>> = program.procs.iter().map(|_| Vec::new()).collect();
    let mut lacking = vec![false; program.procs.len()];
    for (proc, procedure) in program.procs.iter_enumerated() {
        for edge in &procedure.edges {
            lacking[proc.index()] |= edge.approximations.iter().any(|a| a.bias == Bias::Under);
            if let Action::Call(call) = &edge.action {
                callers[call.callee].push(proc);
            }
        }
    }
    let mut work: Vec<ProcId> = program.procs.ids().filter(|p| lacking[p.index()]).collect();
    while let Some(proc) = work.pop() {
        for &caller in &callers[proc] {
            if !std::mem::replace(&mut lacking[caller.index()], true) {
                work.push(caller);
            }
        }
    }
    lacking
}

/// The scalars that decide whether an execution runs into an error: those of the last guards on the ways there, and those
/// that their values are made of. Which way an execution takes before that does not count.
fn deciding(program: &Program, uses: &mut Uses) -> VarSet {
    let mut feeds: FxHashMap<VarId, Vec<Term>> = FxHashMap::default();
    for procedure in &program.procs {
        for edge in &procedure.edges {
            match &edge.action {
                Action::Step(step) => {
                    step.assigns.iter().for_each(|&(v, t)| feeds.entry(v).or_default().push(t));
                }
                Action::Call(call) => {
                    let callee = &program.procs[call.callee];
                    let params = callee.params.iter().zip(&call.args);
                    params.for_each(|(&v, &t)| feeds.entry(v).or_default().push(t));
                    if let (Some(v), Some(result)) = (call.result, callee.result) {
                        feeds.entry(v).or_default().push(program.vars[result].term);
                    }
                }
            }
        }
    }
    let mut found = VarSet::default();
    let mut terms = last_guards(program);
    while let Some(t) = terms.pop() {
        for &v in uses.of(t) {
            if is_scalar(program, v) && found.insert(v) {
                terms.extend(feeds.get(&v).into_iter().flatten());
            }
        }
    }
    found
}

fn is_scalar(program: &Program, v: VarId) -> bool {
    [Sort::INT, Sort::BOOL].contains(&program.vars[v].sort)
}

/// The guards of the last edges with a choice on the ways to errors, and those of the edges after them.
fn last_guards(program: &Program) -> Vec<Term> {
    let mut callers: IdVec<ProcId, Vec<(ProcId, LocId)>> = program.procs.iter().map(|_| Vec::new()).collect();
    for (proc, procedure) in program.procs.iter_enumerated() {
        for edge in &procedure.edges {
            if let Action::Call(call) = &edge.action {
                callers[call.callee].push((proc, edge.from));
            }
        }
    }
    type Incident = IdVec<LocId, Vec<EdgeId>>;
    let mut graphs: FxHashMap<ProcId, (Incident, Incident)> = FxHashMap::default();
    let mut work: Vec<(ProcId, LocId)> = Vec::new();
    for (proc, procedure) in program.procs.iter_enumerated() {
        let errors = procedure.locations.iter_enumerated().filter(|(_, l)| l.error.is_some());
        work.extend(errors.map(|(l, _)| (proc, l)));
    }
    let mut seen: FxHashSet<(ProcId, LocId)> = work.iter().copied().collect();
    let mut guards = Vec::new();
    while let Some((proc, location)) = work.pop() {
        let procedure = &program.procs[proc];
        let (incoming, outgoing) =
            graphs.entry(proc).or_insert_with(|| (procedure.incoming(), procedure.outgoing()));
        let mut before = Vec::new();
        if location == procedure.entry {
            before.extend(callers[proc].iter().copied());
        }
        for &e in &incoming[location] {
            let edge = &procedure.edges[e];
            guards.extend(edge.step().map(|s| s.guard));
            if outgoing[edge.from].len() == 1 {
                before.push((proc, edge.from));
            }
        }
        work.extend(before.into_iter().filter(|&at| seen.insert(at)));
    }
    guards
}

/// The variables that procedures that stay read.
fn wanted(program: &Program, uses: &mut Uses, skipped: &IdVec<ProcId, bool>) -> VarSet {
    let mut wanted = VarSet::default();
    for (proc, procedure) in program.procs.iter_enumerated().filter(|(p, _)| !skipped[*p]) {
        for edge in &procedure.edges {
            let terms: Vec<Term> = match &edge.action {
                Action::Step(step) => step.terms().collect(),
                Action::Call(call) if skipped[call.callee] => Vec::new(),
                Action::Call(call) => call.args.clone(),
            };
            for t in terms {
                uses.of(t).iter().for_each(|&v| _ = wanted.insert(v));
            }
        }
        if proc != program.entry {
            procedure.result.map(|v| wanted.insert(v));
        }
    }
    wanted
}
