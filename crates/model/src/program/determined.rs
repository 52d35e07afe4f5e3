//! The execution of a program whose inputs do not matter.
//!
//! Values that come from outside, and what memory and variables hold at first, are not known. As long as what is not known decides
//! no branch, there is one way through the program, and if it ends without an error there is none to be found. So a program without
//! inputs is proved by running it: no other execution takes another edge. Loops that do the same again and again are executed in long strides.

mod rounds;

use crate::{Action, Call, Edge, EdgeId, LocId, ProcId, Program, PropertyId, Step, VarId, VarKind};
use bolide_base::{Budget, IdVec, Interrupt, Rounds};
use bolide_term::{Func, Op, Store, Term, Value, eval_step};
use rustc_hash::FxHashMap;

/// How the execution of a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Determined {
    /// All executions end without an error.
    Safe,
    /// All executions that go on to the end reach this error.
    Error(PropertyId),
    /// Executions differ in the way that they take.
    Open,
    /// The budget ran out.
    Interrupted(Interrupt),
}

/// What is known of an array. An index that is not listed holds the default, if that is known.
#[derive(Clone, Default)]
struct Array {
    default: Option<Value>,
    entries: FxHashMap<Value, Option<Value>>,
}

/// What an array becomes in a step.
enum NewArray {
    /// The same with writes, the oldest last. At an index that is not known: nothing is known any more.
    Written(Func, Vec<(Option<Value>, Option<Value>)>),
    /// A constant array with writes.
    Constant(Option<Value>, Vec<(Option<Value>, Option<Value>)>),
    /// Nothing is known.
    Unknown,
}

/// A procedure that waits for its callee to return.
struct Frame {
    proc: ProcId,
    edge: EdgeId,
    values: Vec<(Func, Value)>,
    arrays: Vec<(Func, Array)>,
}

/// What is known: of what is not listed, nothing.
#[derive(Default)]
struct State {
    values: FxHashMap<Func, Value>,
    arrays: FxHashMap<Func, Array>,
}

/// An execution.
struct Execution<'p> {
    store: &'p Store,
    program: &'p Program,
    state: State,
    frames: Vec<Frame>,
    proc: ProcId,
    location: LocId,
    /// The locals of each procedure.
    locals: IdVec<ProcId, Vec<Func>>,
    outgoing: IdVec<ProcId, Option<IdVec<LocId, Vec<EdgeId>>>>,
    rounds: Rounds<(ProcId, LocId), EdgeId>,
}

/// Deeper recursion is not followed.
const MOST_FRAMES: usize = 1 << 16;

/// Runs a program that has at most one way to go. Edges that allow less than the task does must have been refused before.
pub fn determined(store: &Store, program: &Program, budget: &Budget) -> Determined {
    let mut locals: IdVec<ProcId, Vec<Func>> = program.procs.iter().map(|_| Vec::new()).collect();
    for v in &program.vars {
        if let (VarKind::Local(p), Some(symbol)) = (v.kind, store.as_var(v.term)) {
            locals[p].push(symbol);
        }
    }
    let mut execution = Execution {
        store,
        program,
        state: State::default(),
        frames: Vec::new(),
        proc: program.entry,
        location: program.main().entry,
        locals,
        outgoing: program.procs.iter().map(|_| None).collect(),
        rounds: Rounds::default(),
    };
    loop {
        let procedure = &program.procs[execution.proc];
        if let Some(property) = procedure.locations[execution.location].error {
            return Determined::Error(property);
        }
        if execution.location == procedure.exit && execution.frames.is_empty() {
            return Determined::Safe;
        }
        if let Err(interrupt) = budget.poll() {
            return Determined::Interrupted(interrupt);
        }
        match execution.advance() {
            Some(true) => {}
            // The execution has been stopped.
            Some(false) => return Determined::Safe,
            None => return Determined::Open,
        }
    }
}

impl<'p> Execution<'p> {
    /// Takes the only edge that can be taken; false if there is none. `None` if there may be more. Whether one can be taken need not
    /// be known, as with an input that lies in its range: executions that cannot take it end there.
    fn advance(&mut self) -> Option<bool> {
        let (proc, program) = (self.proc, self.program);
        let outgoing = self.outgoing[proc].get_or_insert_with(|| program.procs[proc].outgoing());
        let edges: Vec<EdgeId> = outgoing[self.location].clone();
        let mut known = Evaluation::new(self.store, &self.state);
        let mut taken: Option<EdgeId> = None;
        for &id in &edges {
            let may_be_taken = match &program.procs[proc].edges[id].action {
                Action::Step(step) => {
                    known.forget(step);
                    known.truth(step.guard) != Some(false)
                }
                Action::Call(_) => true,
            };
            if may_be_taken && taken.replace(id).is_some() {
                return None;
            }
        }
        let Some(id) = taken else { return Some(false) };
        let edge = &program.procs[proc].edges[id];
        match &edge.action {
            Action::Step(step) => self.step(step, edge),
            Action::Call(call) => self.enter(id, call)?,
        }
        self.leave_finished();
        self.note_edge(id, proc, edge.from);
        Some(true)
    }

    /// An edge was taken. Where it closes a loop, rounds may be skipped.
    fn note_edge(&mut self, id: EdgeId, proc: ProcId, from: LocId) {
        let to = (self.proc, self.location);
        let ways = self.rounds.jump(to, self.frames.len(), id, to.0 == proc && to.1 <= from);
        if ways.is_empty() {
            return;
        }
        match ways.into_iter().find(|way| self.skip(&way.jumps)) {
            Some(way) => self.rounds.succeed(to, way),
            None => self.rounds.fail(to),
        }
    }

    fn step(&mut self, step: &Step, edge: &Edge) {
        let store = self.store;
        let mut known = Evaluation::new(store, &self.state);
        known.forget(step);
        let mut values: Vec<(Func, Option<Value>)> = Vec::new();
        let mut arrays: Vec<(Func, NewArray)> = Vec::new();
        for &(v, t) in &step.assigns {
            let variable = &self.program.vars[v];
            let Some(symbol) = store.as_var(variable.term) else { continue };
            match store.array_sorts(variable.sort) {
                Some(_) => arrays.push((symbol, known.array(t))),
                None => values.push((symbol, known.value(t))),
            }
        }
        for (symbol, value) in values {
            match value {
                Some(value) => _ = self.state.values.insert(symbol, value),
                None => _ = self.state.values.remove(&symbol),
            }
        }
        self.write(arrays);
        self.location = edge.to;
    }

    /// Gives arrays their new contents, all at once.
    fn write(&mut self, arrays: Vec<(Func, NewArray)>) {
        let arrays_of_state = &mut self.state.arrays;
        // Writes to an array itself need no copy, unless another one wants its old contents.
        let mut bases: Vec<Option<Array>> = Vec::new();
        for (symbol, new) in &arrays {
            bases.push(match new {
                NewArray::Written(base, _) if base != symbol => arrays_of_state.get(base).cloned(),
                _ => None,
            });
        }
        for ((symbol, new), base) in arrays.into_iter().zip(bases) {
            let (mut array, writes) = match new {
                NewArray::Unknown => {
                    arrays_of_state.remove(&symbol);
                    continue;
                }
                NewArray::Constant(default, writes) => (Array { default, ..Array::default() }, writes),
                NewArray::Written(of, writes) if of == symbol => {
                    (arrays_of_state.remove(&symbol).unwrap_or_default(), writes)
                }
                NewArray::Written(_, writes) => (base.unwrap_or_default(), writes),
            };
            for (index, value) in writes.into_iter().rev() {
                match index {
                    Some(index) => _ = array.entries.insert(index, value),
                    None => array = Array::default(),
                }
            }
            arrays_of_state.insert(symbol, array);
        }
    }

    fn enter(&mut self, id: EdgeId, call: &Call) -> Option<()> {
        if self.frames.len() >= MOST_FRAMES {
            return None;
        }
        let (store, program) = (self.store, self.program);
        let callee = &program.procs[call.callee];
        let mut known = Evaluation::new(store, &self.state);
        let mut values: Vec<(Func, Option<Value>)> = Vec::new();
        let mut arrays: Vec<(Func, NewArray)> = Vec::new();
        for (&p, &t) in callee.params.iter().zip(&call.args) {
            let symbol = store.as_var(program.vars[p].term)?;
            match store.array_sorts(program.vars[p].sort) {
                Some(_) => arrays.push((symbol, known.array(t))),
                None => values.push((symbol, known.value(t))),
            }
        }
        // An array that is handed over comes from outside of the callee, or from the activation below.
        if arrays.iter().any(
            |(_, new)| matches!(new, NewArray::Written(base, _) if self.locals[call.callee].contains(base)),
        ) {
            return None;
        }
        let mut frame = Frame { proc: self.proc, edge: id, values: Vec::new(), arrays: Vec::new() };
        for &local in &self.locals[call.callee] {
            frame.values.extend(self.state.values.remove(&local).map(|v| (local, v)));
            frame.arrays.extend(self.state.arrays.remove(&local).map(|a| (local, a)));
        }
        self.frames.push(frame);
        self.state.values.extend(values.into_iter().filter_map(|(symbol, value)| Some((symbol, value?))));
        self.write(arrays);
        self.proc = call.callee;
        self.location = callee.entry;
        Some(())
    }

    /// Returns from every procedure whose exit has been reached.
    fn leave_finished(&mut self) {
        let (store, program) = (self.store, self.program);
        while self.location == program.procs[self.proc].exit
            && let Some(frame) = self.frames.pop()
        {
            let symbol = |v: VarId| store.as_var(program.vars[v].term);
            let result = program.procs[self.proc].result.and_then(symbol);
            let value = result.and_then(|symbol| self.state.values.remove(&symbol));
            for local in &self.locals[self.proc] {
                self.state.values.remove(local);
                self.state.arrays.remove(local);
            }
            self.state.values.extend(frame.values);
            self.state.arrays.extend(frame.arrays);
            let edge = &program.procs[frame.proc].edges[frame.edge];
            if let Action::Call(Call { result: Some(v), .. }) = &edge.action
                && let Some(symbol) = symbol(*v)
            {
                match value {
                    Some(value) => _ = self.state.values.insert(symbol, value),
                    None => _ = self.state.values.remove(&symbol),
                }
                self.state.arrays.remove(&symbol);
            }
            self.proc = frame.proc;
            self.location = edge.to;
        }
    }
}

/// How far the evaluation of a term has come, which waits for what it needs.
#[derive(Default)]
struct Progress {
    /// The arguments that have been looked at.
    arguments: usize,
    /// Is one of them not known?
    has_unknown: bool,
    /// Where a chain of writes has been followed to.
    array: Option<Term>,
}

/// What terms are known to be in a state.
struct Evaluation<'a> {
    store: &'a Store,
    state: &'a State,
    memo: FxHashMap<Term, Option<Value>>,
}

impl<'a> Evaluation<'a> {
    fn new(store: &'a Store, state: &'a State) -> Evaluation<'a> {
        Evaluation { store, state, memo: FxHashMap::default() }
    }

    /// The inputs of a step can be anything.
    fn forget(&mut self, step: &Step) {
        self.memo.extend(step.inputs.iter().map(|&(constant, _)| (constant, None)));
    }

    fn truth(&mut self, t: Term) -> Option<bool> {
        self.value(t).map(|v| v == Value::Bool(true))
    }

    /// The value of a term that is not an array, if it is known.
    fn value(&mut self, t: Term) -> Option<Value> {
        let mut stack = vec![(t, Progress::default())];
        while let Some((top, progress)) = stack.last_mut() {
            bolide_base::spend(1);
            let top = *top;
            if self.memo.contains_key(&top) {
                stack.pop();
                continue;
            }
            match self.node(top, progress) {
                Ok(value) => {
                    self.memo.insert(top, value);
                    stack.pop();
                }
                Err(missing) => stack.push((missing, Progress::default())),
            }
        }
        self.memo[&t].clone()
    }

    /// The value of a term, if it is known, or a term whose value is needed first. What has been looked at is not looked at again then.
    fn node(&self, t: Term, progress: &mut Progress) -> Result<Option<Value>, Term> {
        let store = self.store;
        let args = store.args(t);
        let looked_up = |a: Term| self.memo.get(&a).ok_or(a);
        match store.op(t) {
            Op::Forall | Op::Exists => Ok(None),
            op @ (Op::And | Op::Or) => {
                let decisive = Value::Bool(op == Op::Or);
                for &a in &args[progress.arguments..] {
                    match looked_up(a)? {
                        Some(value) if *value == decisive => return Ok(Some(decisive)),
                        value => progress.has_unknown |= value.is_none(),
                    }
                    progress.arguments += 1;
                }
                Ok((!progress.has_unknown).then(|| Value::Bool(op != Op::Or)))
            }
            Op::Ite => match looked_up(args[0])? {
                Some(condition) => {
                    let branch = args[if *condition == Value::Bool(true) { 1 } else { 2 }];
                    Ok(looked_up(branch)?.clone())
                }
                None => {
                    let (yes, no) = (looked_up(args[1])?, looked_up(args[2])?);
                    Ok(yes.clone().filter(|_| yes == no))
                }
            },
            Op::Select => match looked_up(args[1])? {
                Some(index) => self.select(args[0], index, progress),
                None => Ok(None),
            },
            Op::Apply(symbol) => Ok(match args {
                [] => self.state.values.get(&symbol).cloned(),
                _ => None,
            }),
            _ if args.iter().any(|&a| store.array_sorts(store.sort_of(a)).is_some()) => Ok(None),
            _ => {
                for &a in &args[progress.arguments..] {
                    if looked_up(a)?.is_none() {
                        return Ok(None);
                    }
                    progress.arguments += 1;
                }
                let value = |a: Term| self.memo[&a].as_ref().expect("all arguments are known");
                Ok(eval_step(store, t, value).ok())
            }
        }
    }

    /// What an array holds at an index.
    fn select(&self, array: Term, index: &Value, progress: &mut Progress) -> Result<Option<Value>, Term> {
        let store = self.store;
        let mut array = progress.array.unwrap_or(array);
        loop {
            progress.array = Some(array);
            let args = store.args(array);
            let looked_up = |a: Term| self.memo.get(&a).ok_or(a);
            match store.op(array) {
                Op::Store => match looked_up(args[1])? {
                    Some(at) if at == index => return Ok(looked_up(args[2])?.clone()),
                    Some(_) => array = args[0],
                    None => return Ok(None),
                },
                Op::Ite => match looked_up(args[0])? {
                    Some(condition) => array = args[if *condition == Value::Bool(true) { 1 } else { 2 }],
                    None => return Ok(None),
                },
                Op::ConstArray => return Ok(looked_up(args[0])?.clone()),
                Op::Apply(symbol) if args.is_empty() && !self.memo.contains_key(&array) => {
                    let array = self.state.arrays.get(&symbol);
                    return Ok(array.and_then(|a| a.entries.get(index).cloned().unwrap_or(a.default.clone())));
                }
                _ => return Ok(None),
            }
        }
    }

    /// What an array becomes.
    fn array(&mut self, mut t: Term) -> NewArray {
        let store = self.store;
        let mut writes = Vec::new();
        loop {
            let args = store.args(t);
            match store.op(t) {
                Op::Store => {
                    let (index, value) = (self.value(args[1]), self.value(args[2]));
                    writes.push((index, value));
                    t = args[0];
                }
                Op::Ite => match self.truth(args[0]) {
                    Some(condition) => t = args[if condition { 1 } else { 2 }],
                    None => return NewArray::Unknown,
                },
                Op::ConstArray => return NewArray::Constant(self.value(args[0]), writes),
                Op::Apply(symbol) if args.is_empty() && !self.memo.contains_key(&t) => {
                    return NewArray::Written(symbol, writes);
                }
                _ => return NewArray::Unknown,
            }
        }
    }
}
