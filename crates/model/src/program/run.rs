//! Concrete execution of programs: the interpreter that replays traces and serves as an oracle in tests.
//!
//! It evaluates the terms of one edge at a time and shares nothing with the solver.

use crate::{Action, Call, EdgeId, InputId, LocId, ProcId, Program, PropertyId, Step, VarId, VarKind};
use crate::{Trace, TraceStep};
use bolide_base::{Budget, IdVec, Interrupt, Rational};
use bolide_term::{ArrayValue, EvalError, Evaluator, Model, Op, Sort, Store, Term, Value};
use std::sync::Arc;

/// How an execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It reached a location that violates a property.
    Error(PropertyId),
    /// The entry procedure returned.
    Finished,
    /// No edge could be taken.
    Stuck(ProcId, LocId),
    /// The budget ran out.
    Interrupted(Interrupt),
    /// A term had no value.
    Undefined(EvalError),
}

/// A procedure that waits for its callee to return.
struct Frame {
    proc: ProcId,
    edge: EdgeId,
    saved: Vec<(VarId, Value)>,
}

/// Executes a program on concrete values.
pub struct Runner<'p> {
    program: &'p Program,
    state: Model,
    frames: Vec<Frame>,
    proc: ProcId,
    location: LocId,
    locals: IdVec<ProcId, Vec<VarId>>,
    outgoing: IdVec<ProcId, Option<IdVec<LocId, Vec<EdgeId>>>>,
}

impl Program {
    /// The value that stands for "not given": the default of the sort, moved into the range.
    pub fn default_value(&self, store: &Store, sort: Sort, range: Option<(i128, i128)>) -> Value {
        let number = |(low, high): (i128, i128)| {
            let v = 0.clamp(low, high);
            Value::Num(Rational::from(bolide_base::IBig::from(v)))
        };
        match (store.array_sorts(sort), range) {
            (Some((_, element)), Some(r)) if element == Sort::INT => {
                Value::Array(Arc::new(ArrayValue::constant(number(r))))
            }
            (None, Some(r)) if sort == Sort::INT => number(r),
            _ => Value::default_of(store, sort),
        }
    }
}

/// The places and elements that are written to an array, the first one first, if a term is that array with writes.
fn writes(store: &Store, array: Term, mut t: Term) -> Option<Vec<(Term, Term)>> {
    let mut found = Vec::new();
    while store.op(t) == Op::Store {
        found.push((store.arg(t, 1), store.arg(t, 2)));
        t = store.arg(t, 0);
    }
    found.reverse();
    (t == array && !found.is_empty()).then_some(found)
}

impl<'p> Runner<'p> {
    /// Stands at the entry of a program; globals not listed have the default value of their sort, moved into range.
    pub fn new(store: &Store, program: &'p Program, initial: &[(VarId, Value)]) -> Runner<'p> {
        let mut locals: IdVec<ProcId, Vec<VarId>> = program.procs.iter().map(|_| Vec::new()).collect();
        for (id, v) in program.vars.iter_enumerated() {
            if let VarKind::Local(p) = v.kind {
                locals[p].push(id);
            }
        }
        let mut runner = Runner {
            program,
            state: Model::new(),
            frames: Vec::new(),
            proc: program.entry,
            location: program.main().entry,
            locals,
            outgoing: program.procs.iter().map(|_| None).collect(),
        };
        for (id, v) in program.vars.iter_enumerated() {
            runner.assign(store, id, program.default_value(store, v.sort, v.range));
        }
        for (id, v) in initial {
            runner.assign(store, *id, v.clone());
        }
        runner
    }

    /// Where the execution stands.
    pub fn position(&self) -> (ProcId, LocId) {
        (self.proc, self.location)
    }

    /// The current value of a variable.
    pub fn value(&self, store: &Store, var: VarId) -> &Value {
        let func = store.as_var(self.program.vars[var].term).expect("a variable is a constant");
        self.state.value(func).expect("every variable has a value")
    }

    fn assign(&mut self, store: &Store, var: VarId, value: Value) {
        self.bind(store, self.program.vars[var].term, value);
    }

    fn bind(&mut self, store: &Store, constant: Term, value: Value) {
        let func = store.as_var(constant).expect("a constant");
        self.state.set(func, value);
    }

    /// Runs until the execution ends, asking for inputs as it goes. Returns the trace too.
    pub fn run(
        &mut self,
        store: &Store,
        mut input: impl FnMut(InputId) -> Value,
        budget: &Budget,
    ) -> (Outcome, Trace) {
        let mut trace = Trace::default();
        let outcome = loop {
            if let Some(outcome) = self.ended() {
                break outcome;
            }
            if let Err(e) = budget.poll() {
                break Outcome::Interrupted(e);
            }
            match self.advance(store, &mut input) {
                Ok(Some(step)) => trace.steps.push(step),
                Ok(None) => break Outcome::Stuck(self.proc, self.location),
                Err(e) => break Outcome::Undefined(e),
            }
        };
        (outcome, trace)
    }

    /// Follows a trace edge by edge. `None` if an edge cannot be taken.
    pub fn replay(&mut self, store: &Store, trace: &Trace) -> Option<Outcome> {
        for s in &trace.steps {
            let edge = self.program.procs.get(s.proc)?.edges.get(s.edge)?;
            if (s.proc, edge.from) != self.position() || !self.take(store, s.edge, &s.inputs).ok()? {
                return None;
            }
        }
        self.ended().or(Some(Outcome::Stuck(self.proc, self.location)))
    }

    /// Has the execution reached an error or the end?
    fn ended(&mut self) -> Option<Outcome> {
        let proc = &self.program.procs[self.proc];
        if let Some(p) = proc.locations[self.location].error {
            return Some(Outcome::Error(p));
        }
        (self.location == proc.exit && self.frames.is_empty()).then_some(Outcome::Finished)
    }

    /// Takes the first edge that can be taken.
    fn advance(
        &mut self,
        store: &Store,
        input: &mut impl FnMut(InputId) -> Value,
    ) -> Result<Option<TraceStep>, EvalError> {
        let (proc, program) = (self.proc, self.program);
        let outgoing = self.outgoing[proc].get_or_insert_with(|| program.procs[proc].outgoing());
        for edge in outgoing[self.location].clone() {
            let inputs: Vec<Value> = match &program.procs[proc].edges[edge].action {
                Action::Step(s) => s.inputs.iter().map(|&(_, i)| input(i)).collect(),
                Action::Call(_) => Vec::new(),
            };
            if self.take(store, edge, &inputs)? {
                return Ok(Some(TraceStep { proc, edge, inputs }));
            }
        }
        Ok(None)
    }

    /// How many procedures wait for a callee to return.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Takes an edge of the current location if its guard holds, and returns from every procedure whose exit has been reached.
    pub fn take(&mut self, store: &Store, edge: EdgeId, inputs: &[Value]) -> Result<bool, EvalError> {
        let taken = self.step(store, edge, inputs)?;
        while taken && self.leave(store) {}
        Ok(taken)
    }

    /// Takes an edge of the current location if its guard holds, and stays at the exit of a procedure if it leads there.
    pub fn step(&mut self, store: &Store, edge: EdgeId, inputs: &[Value]) -> Result<bool, EvalError> {
        let program = self.program;
        let e = &program.procs[self.proc].edges[edge];
        match &e.action {
            Action::Step(step) => {
                for (&(constant, _), value) in step.inputs.iter().zip(inputs) {
                    self.bind(store, constant, value.clone());
                }
                if !self.apply(store, step)? {
                    return Ok(false);
                }
                self.location = e.to;
            }
            Action::Call(call) => self.enter(store, edge, call)?,
        }
        Ok(true)
    }

    fn apply(&mut self, store: &Store, step: &Step) -> Result<bool, EvalError> {
        let mut eval = Evaluator::new(store, &self.state);
        if !eval.holds(step.guard)? {
            return Ok(false);
        }
        let (mut values, mut written) = (Vec::new(), Vec::new());
        for &(v, t) in &step.assigns {
            match writes(store, self.program.vars[v].term, t) {
                Some(places) => {
                    let evaluated = places.into_iter().map(|(i, e)| Ok((eval.eval(i)?, eval.eval(e)?)));
                    written.push((v, evaluated.collect::<Result<Vec<_>, EvalError>>()?));
                }
                None => values.push((v, eval.eval(t)?)),
            }
        }
        values.into_iter().for_each(|(v, value)| self.assign(store, v, value));
        written.into_iter().for_each(|(v, places)| self.write(store, v, places));
        Ok(true)
    }

    /// Writes to places of an array, in their order. Nobody else refers to its contents, as a rule: they are not copied.
    fn write(&mut self, store: &Store, var: VarId, places: Vec<(Value, Value)>) {
        let Value::Array(mut contents) = self.value(store, var).clone() else { return };
        self.assign(store, var, Value::Bool(false));
        let array = Arc::make_mut(&mut contents);
        for (index, value) in places {
            let found = array.entries.binary_search_by(|(i, _)| i.order(&index));
            match (found, value == array.default) {
                (Ok(n), true) => _ = array.entries.remove(n),
                (Ok(n), false) => array.entries[n].1 = value,
                (Err(_), true) => {}
                (Err(n), false) => array.entries.insert(n, (index, value)),
            }
        }
        self.assign(store, var, Value::Array(contents));
    }

    fn enter(&mut self, store: &Store, edge: EdgeId, call: &Call) -> Result<(), EvalError> {
        let mut eval = Evaluator::new(store, &self.state);
        let args: Result<Vec<Value>, EvalError> = call.args.iter().map(|&t| eval.eval(t)).collect();
        let callee = &self.program.procs[call.callee];
        let saved = self.locals[call.callee].iter().map(|&v| (v, self.value(store, v).clone())).collect();
        self.frames.push(Frame { proc: self.proc, edge, saved });
        for (&v, value) in callee.params.iter().zip(args?) {
            self.assign(store, v, value);
        }
        self.proc = call.callee;
        self.location = callee.entry;
        Ok(())
    }

    /// Returns from a procedure whose exit has been reached; false if there is none.
    pub fn leave(&mut self, store: &Store) -> bool {
        if self.location != self.program.procs[self.proc].exit {
            return false;
        }
        let Some(frame) = self.frames.pop() else { return false };
        let result = self.program.procs[self.proc].result.map(|v| self.value(store, v).clone());
        for (v, value) in frame.saved {
            self.assign(store, v, value);
        }
        let edge = &self.program.procs[frame.proc].edges[frame.edge];
        if let (Action::Call(Call { result: Some(v), .. }), Some(value)) = (&edge.action, result) {
            self.assign(store, *v, value);
        }
        self.proc = frame.proc;
        self.location = edge.to;
        true
    }
}
