//! Programs as Horn clauses.
//!
//! Each location of a procedure becomes a predicate that holds of the states in which the location is reached. The
//! arguments are the live variables and, in a procedure that is called, the values that its inputs had at its entry: so
//! the predicate of the exit is the *summary* of the procedure, and a call becomes a rule with two premises. A
//! procedure in which an error can happen has a further predicate that holds of the inputs with which it does; errors
//! travel to the callers through it. Edges become one rule each: with large blocks that is one rule for each loop-free
//! region.
//!
//! In the clauses *of the calls that happen* a procedure is entered with the values with which it is called, instead of any. They have fewer facts, so
//! that more is true of them, and a solution of them is one of the other clauses, too, under the precondition that it finds: [`ProgramMap::under_preconditions`].
//!
//! A derivation is an execution, read from left to right: [`ProgramMap::trace`]. The interpretation of the locations'
//! predicates is an inductive invariant: [`ProgramMap::formula`].

use super::system::fresh_like;
use super::{Atom, Clause, Counterpart, Derivation, Horn, Interpretation, PredId};
use crate::program::live::{Effects, Uses, VarSet, effects, live_at};
use crate::repetition::Repetition;
use crate::{Action, Call, Edge, EdgeId, LocId, ProcId, Program, Span, VarId, VarKind};
use crate::{Trace, TraceStep};
use bolide_base::IdVec;
use bolide_term::{Store, Substitution, Term, Value};

/// A trace has no more steps than this: a derivation that shares its parts can stand for a very long one.
const MAX_TRACE: usize = 10_000_000;

/// Where a clause comes from.
#[derive(Copy, Clone, Debug)]
enum Origin {
    /// The entry of a procedure.
    Entry(ProcId),
    /// An edge; the call of a procedure that returns or, in a derivation of an error, one that does not.
    Edge(ProcId, EdgeId),
    /// An error location.
    Error,
}

/// The predicates of one procedure.
#[derive(Clone, Debug)]
struct ProcPreds {
    /// For each location its predicate.
    at: IdVec<LocId, PredId>,
    /// The predicate of the inputs with which an error happens, in a callee in which one can.
    error: Option<PredId>,
    /// What a caller hands over: parameters and globals. Nothing in the procedure where execution starts.
    inputs: Vec<VarId>,
    /// For each input the constant that stands for its value at the entry: the variable itself where it never changes.
    at_entry: Vec<Term>,
    /// For each location the variables that follow the inputs in the arguments of its predicate.
    live: IdVec<LocId, Vec<VarId>>,
}

/// What is said of a procedure's entry.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Entries {
    /// A procedure may be called with anything.
    Any,
    /// A procedure is called where some call of it is reached.
    Called,
}

/// The way back from the clauses to the program.
#[derive(Clone, Debug)]
pub struct ProgramMap {
    preds: IdVec<ProcId, ProcPreds>,
    origins: Vec<Origin>,
}

/// The clauses of a program: they have a solution if and only if no error can be reached.
pub fn from_program(store: &mut Store, program: &Program) -> (Horn, ProgramMap) {
    clauses(store, program, Entries::Any)
}

/// The clauses of the calls that happen: they have a solution if and only if no error can be reached.
pub fn from_called(store: &mut Store, program: &Program) -> (Horn, ProgramMap) {
    clauses(store, program, Entries::Called)
}

fn clauses(store: &mut Store, program: &Program, entries: Entries) -> (Horn, ProgramMap) {
    let mut horn = Horn::default();
    let preds = predicates(store, program, entries, &mut horn);
    let mut builder = Builder { store, program, entries, horn, preds, origins: Vec::new() };
    for id in program.procs.ids() {
        builder.procedure(id);
    }
    (builder.horn, ProgramMap { preds: builder.preds, origins: builder.origins })
}

/// Declares the predicates of all procedures.
fn predicates(
    store: &mut Store,
    program: &Program,
    entries: Entries,
    horn: &mut Horn,
) -> IdVec<ProcId, ProcPreds> {
    let (effects, live) = {
        let mut uses = Uses::new(store, program);
        let effects = effects(program, &mut uses);
        let live = live_at(program, &mut uses, &effects);
        (effects, live)
    };
    let faulty = crate::program::pass::can_err(program);
    let sort = |v: &VarId| program.vars[*v].sort;
    let mut out = IdVec::new();
    for (id, p) in program.procs.iter_enumerated() {
        let is_main = id == program.entry;
        let inputs = if is_main { Vec::new() } else { inputs_of(&p.params, &effects[id]) };
        let constant = |store: &mut Store, v: VarId| {
            let term = program.vars[v].term;
            if effects[id].changes.contains(v) { fresh_like(store, term) } else { term }
        };
        let at_entry: Vec<Term> = inputs.iter().map(|&v| constant(store, v)).collect();
        let fixed = |v: VarId| inputs.contains(&v) && !effects[id].changes.contains(v);
        let mut current: IdVec<LocId, Vec<VarId>> = IdVec::new();
        let mut at = IdVec::new();
        for l in p.locations.ids() {
            let here: Vec<VarId> = live[id][l].iter().filter(|&v| !fixed(v)).collect();
            let sorts: Vec<_> = inputs.iter().chain(&here).map(sort).collect();
            let name = format!("{}@{}", p.name, l.index());
            at.push(horn.add_predicate(store, &name, &sorts));
            current.push(here);
        }
        let error = (!is_main && faulty[id] && entries == Entries::Any).then(|| {
            let sorts: Vec<_> = inputs.iter().map(sort).collect();
            horn.add_predicate(store, &format!("{}@error", p.name), &sorts)
        });
        out.push(ProcPreds { at, error, inputs, at_entry, live: current });
    }
    out
}

/// Parameters, and the globals that a procedure reads or writes.
fn inputs_of(params: &[VarId], effects: &Effects) -> Vec<VarId> {
    let mut globals: VarSet = effects.reads.clone();
    globals.union(&effects.writes);
    params.iter().copied().chain(globals.iter()).collect()
}

struct Builder<'a> {
    store: &'a mut Store,
    program: &'a Program,
    entries: Entries,
    horn: Horn,
    preds: IdVec<ProcId, ProcPreds>,
    origins: Vec<Origin>,
}

impl Builder<'_> {
    fn add(&mut self, origin: Origin, body: Vec<Atom>, constraint: Term, head: Option<Atom>, span: Span) {
        self.horn.clauses.push(Clause { head, body, constraint, span });
        self.origins.push(origin);
    }

    fn procedure(&mut self, id: ProcId) {
        let p = &self.program.procs[id];
        if self.entries == Entries::Any || id == self.program.entry {
            self.entry(id);
        }
        for (l, location) in p.locations.iter_enumerated() {
            if location.error.is_some() {
                let (here, head) = (self.state(id, l), self.error(id));
                self.add(Origin::Error, vec![here], self.store.tru(), head, location.span);
            }
        }
        for (e, edge) in p.edges.iter_enumerated() {
            match &edge.action {
                Action::Step(s) => {
                    let mut subst = Substitution::new();
                    s.assigns.iter().for_each(|&(v, t)| subst.insert(self.program.vars[v].term, t));
                    let (body, head) = (self.state(id, edge.from), self.state_after(id, edge.to, &mut subst));
                    self.add(Origin::Edge(id, e), vec![body], s.guard, Some(head), edge.span);
                }
                Action::Call(c) => self.call(id, e, edge, c),
            }
        }
    }

    /// Where a procedure starts its variables are its inputs; only their ranges are known.
    fn entry(&mut self, id: ProcId) {
        let p = &self.program.procs[id];
        let own = &self.preds[id];
        let known: Vec<VarId> = own.inputs.iter().chain(&own.live[p.entry]).copied().collect();
        let term = |v: VarId| self.program.vars[v].term;
        let args: Vec<Term> = known.iter().map(|&v| term(v)).collect();
        let head = Atom { pred: own.at[p.entry], args };
        let mut facts = Vec::with_capacity(known.len());
        for v in known {
            facts.push(self.program.in_range(self.store, term(v), self.program.vars[v].range));
        }
        let constraint = self.store.and(&facts);
        self.add(Origin::Entry(id), Vec::new(), constraint, Some(head), p.span);
    }

    /// A call leads to the entry of its callee.
    fn entered(&mut self, id: ProcId, e: EdgeId, edge: &Edge, callee: ProcId, args: &[Term]) {
        let own = &self.preds[callee];
        let value = |v: VarId| own.inputs.iter().position(|&w| w == v).map(|n| args[n]);
        let live = &own.live[self.program.procs[callee].entry];
        let current = live.iter().map(|&v| value(v).unwrap_or(self.program.vars[v].term));
        let head = Atom {
            pred: own.at[self.program.procs[callee].entry],
            args: args.iter().copied().chain(current).collect(),
        };
        let here = self.state(id, edge.from);
        self.add(Origin::Edge(id, e), vec![here], self.store.tru(), Some(head), edge.span);
    }

    /// The predicate of a location at the variables.
    fn state(&self, id: ProcId, l: LocId) -> Atom {
        let own = &self.preds[id];
        let current = own.live[l].iter().map(|&v| self.program.vars[v].term);
        Atom { pred: own.at[l], args: own.at_entry.iter().copied().chain(current).collect() }
    }

    /// The predicate of a location at the variables' new values.
    fn state_after(&mut self, id: ProcId, l: LocId, subst: &mut Substitution) -> Atom {
        let mut atom = self.state(id, l);
        let known = self.preds[id].at_entry.len();
        for t in &mut atom.args[known..] {
            *t = subst.apply(self.store, *t);
        }
        atom
    }

    /// What an error in a procedure derives.
    fn error(&self, id: ProcId) -> Option<Atom> {
        let own = &self.preds[id];
        own.error.map(|pred| Atom { pred, args: own.at_entry.clone() })
    }

    /// The rule of a call that returns and the rule of one that does not.
    fn call(&mut self, id: ProcId, e: EdgeId, edge: &Edge, call: &Call) {
        let callee = &self.program.procs[call.callee];
        let term = |v: VarId| self.program.vars[v].term;
        let inputs = &self.preds[call.callee].inputs;
        let args: Vec<Term> =
            (0..inputs.len()).map(|n| call.args.get(n).copied().unwrap_or_else(|| term(inputs[n]))).collect();
        if self.entries == Entries::Called {
            self.entered(id, e, edge, call.callee, &args);
        }
        // Values at the exit: inputs that never change, and new constants for the rest.
        let exit = self.preds[call.callee].live[callee.exit].clone();
        let new: Vec<Term> = exit.iter().map(|&v| fresh_like(self.store, term(v))).collect();
        let mut subst = Substitution::new();
        for (&v, &t) in exit.iter().zip(&new) {
            if self.program.vars[v].kind == VarKind::Global {
                subst.insert(term(v), t);
            }
        }
        if let (Some(v), Some(r)) = (call.result, callee.result) {
            let result = match exit.iter().position(|&w| w == r) {
                Some(n) => new[n],
                None => {
                    self.preds[call.callee].inputs.iter().position(|&w| w == r).map_or(term(r), |n| args[n])
                }
            };
            subst.insert(term(v), result);
        }
        let origin = Origin::Edge(id, e);
        if let Some(pred) = self.preds[call.callee].error {
            let failed = Atom { pred, args: args.clone() };
            let (here, head) = (self.state(id, edge.from), self.error(id));
            self.add(origin, vec![here, failed], self.store.tru(), head, edge.span);
        }
        let pred = self.preds[call.callee].at[callee.exit];
        let summary = Atom { pred, args: args.into_iter().chain(new).collect() };
        let (here, head) = (self.state(id, edge.from), self.state_after(id, edge.to, &mut subst));
        self.add(origin, vec![here, summary], self.store.tru(), Some(head), edge.span);
    }
}

impl ProgramMap {
    /// What an interpretation says about a location of the procedure where execution starts, over its variables.
    pub fn formula(
        &self,
        store: &mut Store,
        program: &Program,
        horn: &Horn,
        interpretation: &Interpretation,
        location: LocId,
    ) -> Term {
        self.formula_at(store, program, horn, interpretation, (program.entry, location), &[])
    }

    /// What an interpretation says about a location of a procedure, over its variables and some terms for the values that its
    /// inputs had at its entry.
    pub(crate) fn formula_at(
        &self,
        store: &mut Store,
        program: &Program,
        horn: &Horn,
        interpretation: &Interpretation,
        (proc, location): (ProcId, LocId),
        at_entry: &[Term],
    ) -> Term {
        let own = &self.preds[proc];
        let current = own.live[location].iter().map(|&v| program.vars[v].term);
        let atom = Atom { pred: own.at[location], args: at_entry.iter().copied().chain(current).collect() };
        horn.instantiate(store, interpretation.formulas[atom.pred.index()], &atom)
    }

    /// For each predicate the location of the procedure where execution starts that it stands for, if it stands for one, with the variables
    /// there and the parameters that stand for them.
    pub fn locations(&self, program: &Program, horn: &Horn) -> Vec<Counterpart<LocId>> {
        let mut out: Vec<_> = horn.preds.iter().map(|_| None).collect();
        let own = &self.preds[program.entry];
        for (l, &pred) in own.at.iter_enumerated() {
            let vars = own.live[l].iter().map(|&v| program.vars[v].term);
            out[pred.index()] = Some((l, vars.zip(horn.pred(pred).params.iter().copied()).collect()));
        }
        out
    }

    /// What an interpretation says about the inputs with which an error happens in a procedure that is called.
    pub(crate) fn error_formula(
        &self,
        store: &mut Store,
        horn: &Horn,
        interpretation: &Interpretation,
        proc: ProcId,
        inputs: &[Term],
    ) -> Term {
        match self.preds[proc].error {
            Some(pred) => {
                let atom = Atom { pred, args: inputs.to_vec() };
                horn.instantiate(store, interpretation.formulas[pred.index()], &atom)
            }
            None => store.fls(),
        }
    }

    /// For a location the predicate that stands for it, the variables whose values at the entry are its first arguments, and those whose values
    /// there are the others.
    pub fn arguments(&self, proc: ProcId, location: LocId) -> (PredId, &[VarId], &[VarId]) {
        let own = &self.preds[proc];
        (own.at[location], &own.inputs, &own.live[location])
    }

    /// A solution of the clauses of a program (`horn`, with this map) from one of the clauses of the calls that happen: what that says of a procedure's
    /// entry becomes a precondition, under which everything else holds.
    pub fn under_preconditions(
        &self,
        store: &mut Store,
        program: &Program,
        horn: &Horn,
        (called, called_map): (&Horn, &ProgramMap),
        interpretation: &Interpretation,
    ) -> Interpretation {
        let mut formulas: Vec<Term> = horn.preds.iter().map(|_| store.tru()).collect();
        for (id, p) in program.procs.iter_enumerated() {
            let (own, other) = (&self.preds[id], &called_map.preds[id]);
            let of_called = |store: &mut Store, l: LocId, args: Vec<Term>| {
                let pred = other.at[l];
                called.instantiate(store, interpretation.formulas[pred.index()], &Atom { pred, args })
            };
            // What is known of the inputs, with some terms for them.
            let precondition = |store: &mut Store, inputs: &[Term]| {
                let mut ranges = Vec::new();
                for (&v, &t) in own.inputs.iter().zip(inputs) {
                    ranges.push(program.in_range(store, t, program.vars[v].range));
                }
                let value = |v: &VarId| own.inputs.iter().position(|w| w == v).map(|n| inputs[n]);
                let current: Option<Vec<Term>> = other.live[p.entry].iter().map(value).collect();
                let Some(current) = current else { return store.tru() };
                let known = of_called(store, p.entry, inputs.iter().copied().chain(current).collect());
                let ranges = store.and(&ranges);
                store.implies(ranges, known)
            };
            let is_main = id == program.entry;
            for l in p.locations.ids() {
                let params = horn.pred(own.at[l]).params.clone();
                let here = of_called(store, l, params.clone());
                let formula = match is_main {
                    true => here,
                    false => {
                        let before = precondition(store, &params[..own.inputs.len()]);
                        store.implies(before, here)
                    }
                };
                formulas[own.at[l].index()] = formula;
            }
            if let Some(error) = own.error {
                let params = horn.pred(error).params.clone();
                let before = precondition(store, &params);
                formulas[error.index()] = store.not(before);
            }
        }
        Interpretation::new(formulas)
    }

    /// What a caller hands over to a procedure: parameters and globals.
    pub(crate) fn inputs(&self, proc: ProcId) -> &[VarId] {
        &self.preds[proc].inputs
    }

    /// The inputs of a procedure that it never changes.
    pub(crate) fn unchanged(&self, program: &Program, proc: ProcId) -> Vec<VarId> {
        let own = &self.preds[proc];
        let both = own.inputs.iter().zip(&own.at_entry);
        both.filter(|&(&v, &t)| program.vars[v].term == t).map(|(&v, _)| v).collect()
    }

    /// The execution that a derivation stands for; nothing if it is no derivation of an error, or a very long one.
    pub fn trace(&self, store: &Store, program: &Program, derivation: &Derivation) -> Option<Trace> {
        let mut trace = Trace::default();
        // For each step of the derivation the number of edges up to it, without those of callees.
        let mut ends = vec![0; derivation.steps.len()];
        // What is still to be done, the next one last: a step of the derivation before or after its first premise.
        let mut work = vec![(derivation.steps.len().checked_sub(1)?, false)];
        while let Some((n, started)) = work.pop() {
            let step = derivation.steps.get(n)?;
            if !started && let Some(&before) = step.premises.first() {
                work.extend([(n, true), (before, false)]);
                continue;
            }
            let value = |t: Term| -> Option<Value> {
                let default = || Value::default_of(store, store.sort_of(t));
                Some(step.values.value(store.as_var(t)?).cloned().unwrap_or_else(default))
            };
            match *self.origins.get(step.clause)? {
                Origin::Entry(proc) if proc == program.entry => {
                    for &v in &self.preds[proc].live[program.main().entry] {
                        trace.initial.push((v, value(program.vars[v].term)?));
                    }
                }
                Origin::Entry(_) | Origin::Error => {}
                Origin::Edge(proc, edge) => {
                    let inputs = program.procs[proc].edges[edge].step().map_or(&[][..], |s| &s.inputs);
                    let inputs: Option<Vec<Value>> = inputs.iter().map(|i| value(i.0)).collect();
                    trace.steps.push(TraceStep { proc, edge, inputs: inputs? });
                    if trace.steps.len() > MAX_TRACE {
                        return None;
                    }
                }
            }
            ends[n] = trace.steps.len();
            if !derivation.repetitions.is_empty() && step.premises.len() > 1 {
                return None;
            }
            if let Some(&inside) = step.premises.get(1) {
                work.push((inside, false));
            }
        }
        for repetition in &derivation.repetitions {
            let (end, before) =
                (ends[repetition.last], ends[repetition.last.checked_sub(repetition.period)?]);
            let period = end.checked_sub(before).filter(|&p| p > 0)?;
            trace.repetitions.push(Repetition { last: end - 1, period, times: repetition.times });
        }
        Some(trace)
    }
}
