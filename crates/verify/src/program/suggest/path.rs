//! The arguments for which an execution fails in the same way: the condition of its path, projected on what the user calls the
//! arguments.

use super::clause::{Argument, Atom};
use bolide_front::c::Task;
use bolide_model::{Action, ProcId, Program, Trace, VarId, VarKind};
use bolide_smt::project;
use bolide_term::{Func, Model, Store, Substitution, Term};
use rustc_hash::FxHashMap;

/// Longer executions are not followed.
const MOST_STEPS: usize = 5_000;
/// What the name of the input ends in that says whether a pointer is null.
const NOT_NULL: &str = " is not null";

/// A conjunction over the arguments of the entry under which an execution takes the path of a trace.
pub fn failing(store: &mut Store, task: &Task, entry: &str, trace: &Trace) -> Option<Vec<Atom>> {
    if trace.steps.len() > MOST_STEPS {
        return None;
    }
    let mut path = Path::new(store, &task.program);
    path.follow(store, trace)?;
    let mut arguments: FxHashMap<Func, Argument> = FxHashMap::default();
    let name = entry.rsplit(':').next()?;
    let functions = task.unit.funcs.iter().filter(|f| f.name == name);
    let params: Vec<_> = functions.flat_map(|f| &f.params).map(|p| task.unit.vars[*p].span).collect();
    for &(constant, input) in &path.inputs {
        let input = &task.program.inputs[input];
        if !params.contains(&input.span) || input.name.starts_with("length of ") {
            continue;
        }
        let Some(range) = input.range else { continue };
        let argument = match input.name.strip_suffix(NOT_NULL) {
            Some(pointer) => Argument { name: pointer.into(), is_pointer: true, range: (0, 1) },
            None => Argument { name: input.name.clone(), is_pointer: false, range },
        };
        arguments.insert(store.as_var(constant)?, argument);
    }
    let eliminated: Vec<Term> = store
        .symbols(path.conditions.iter().copied())
        .into_iter()
        .filter(|f| !arguments.contains_key(f) && store.decl(*f).args.is_empty())
        .collect::<Vec<Func>>()
        .into_iter()
        .map(|f| store.apply(f, &[]))
        .collect();
    let literals = project(store, &path.conditions, &eliminated, &path.model)?;
    // A literal that cannot be written is left out: the condition becomes stronger than it has to be.
    let atoms: Vec<Atom> = literals.iter().filter_map(|&l| Atom::new(store, l, &arguments)).collect();
    (!atoms.is_empty()).then_some(atoms)
}

/// A procedure that waits for its callee.
struct Frame {
    proc: ProcId,
    result: Option<VarId>,
    saved: Vec<(VarId, Option<Term>)>,
}

/// The symbolic execution of a trace.
struct Path<'a> {
    program: &'a Program,
    vars: FxHashMap<Func, VarId>,
    /// The values of variables, over inputs and values at the start.
    state: FxHashMap<VarId, Term>,
    frames: Vec<Frame>,
    conditions: Vec<Term>,
    inputs: Vec<(Term, bolide_model::InputId)>,
    model: Model,
}

impl<'a> Path<'a> {
    fn new(store: &Store, program: &'a Program) -> Path<'a> {
        let mut model = Model::new();
        for v in program.vars.iter() {
            if let Some(f) = store.as_var(v.term) {
                model.set(f, program.default_value(store, v.sort, v.range));
            }
        }
        Path {
            program,
            vars: program.var_of_symbol(store),
            state: FxHashMap::default(),
            frames: Vec::new(),
            conditions: Vec::new(),
            inputs: Vec::new(),
            model,
        }
    }

    fn follow(&mut self, store: &mut Store, trace: &Trace) -> Option<()> {
        for (v, value) in &trace.initial {
            self.model.set(store.as_var(self.program.vars[*v].term)?, value.clone());
        }
        for (n, step) in trace.steps.iter().enumerate() {
            let edge = self.program.procs.get(step.proc)?.edges.get(step.edge)?;
            match &edge.action {
                Action::Step(action) => {
                    let mut values = self.values(store, action.terms());
                    for (&(constant, input), value) in action.inputs.iter().zip(&step.inputs) {
                        let name = format!("{}@{n}", store.decl(store.as_var(constant)?).name);
                        let own = store.var(&name, store.sort_of(constant));
                        self.model.set(store.as_var(own)?, value.clone());
                        values.insert(constant, own);
                        self.inputs.push((own, input));
                    }
                    let guard = values.apply(store, action.guard);
                    if guard != store.tru() {
                        self.conditions.push(guard);
                    }
                    let assigns: Vec<(VarId, Term)> =
                        action.assigns.iter().map(|&(v, t)| (v, values.apply(store, t))).collect();
                    self.state.extend(assigns);
                    self.leave_finished(step.proc, edge.to);
                }
                Action::Call(call) => {
                    let mut values = self.values(store, call.args.iter().copied());
                    let args: Vec<Term> = call.args.iter().map(|&t| values.apply(store, t)).collect();
                    let callee = &self.program.procs[call.callee];
                    let locals = self.program.vars.iter_enumerated();
                    let own = locals.filter(|(_, v)| v.kind == VarKind::Local(call.callee));
                    let saved = own.map(|(v, _)| (v, self.state.get(&v).copied())).collect();
                    self.frames.push(Frame { proc: step.proc, result: call.result, saved });
                    self.state.extend(callee.params.iter().copied().zip(args));
                }
            }
        }
        Some(())
    }

    /// Returns from a procedure whose exit has been reached.
    fn leave_finished(&mut self, proc: ProcId, at: bolide_model::LocId) {
        if at != self.program.procs[proc].exit {
            return;
        }
        let mut proc = proc;
        while let Some(frame) = self.frames.pop() {
            let result = self.program.procs[proc].result.and_then(|v| self.state.get(&v).copied());
            for (v, value) in frame.saved {
                match value {
                    Some(value) => self.state.insert(v, value),
                    None => self.state.remove(&v),
                };
            }
            if let (Some(v), Some(value)) = (frame.result, result) {
                self.state.insert(v, value);
            }
            // The caller goes on behind the call, which ends it only if its exit is there.
            proc = frame.proc;
            if !self.ends_behind_call(proc) {
                break;
            }
        }
    }

    /// Does every call of a procedure lead to its exit?
    fn ends_behind_call(&self, proc: ProcId) -> bool {
        let proc = &self.program.procs[proc];
        let mut calls = proc.edges.iter().filter(|e| matches!(e.action, Action::Call(_))).peekable();
        calls.peek().is_some() && calls.all(|e| e.to == proc.exit)
    }

    /// The values of the variables in some terms.
    fn values(&self, store: &Store, terms: impl IntoIterator<Item = Term>) -> Substitution {
        let mut out = Substitution::new();
        for f in store.symbols(terms) {
            if let Some(v) = self.vars.get(&f)
                && let Some(&value) = self.state.get(v)
            {
                out.insert(self.program.vars[*v].term, value);
            }
        }
        out
    }
}
