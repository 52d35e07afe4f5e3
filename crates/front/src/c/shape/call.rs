//! Calls of recursive functions: what they do is known from graphs at their start and at their end.
//!
//! At a call the graph is cut. The function gets what its arguments and static variables lead to; the rest waits. Pointers
//! from the rest into the part of the function (cutpoints; Rinetzky, Bauer, Reps, Sagiv and Wilhelm, POPL 2005) are noted in
//! a *ghost*, an object that lies beside the program: what has become of it when the function returns tells what the
//! pointers of the rest are then. So graphs at the start and the end of a function do not depend on the caller, and one pair
//! of them is good for calls at any depth.

use super::super::hir::{Callee, ExprId, FuncId, InstrKind, Unit, VarId};
use super::Failure;
use super::evaluate::{Step, Stop};
use super::execute::cases;
use super::graph::{Cell, End, Kind, Object, ObjectId, SELF, State, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Where the ghost has the first pointer; what the function returns comes before.
const POINTERS: i64 = 16;
/// The bytes of the ghost's cell for what the function returns.
const RESULT: u32 = 8;

/// The number of no object.
const NOWHERE: ObjectId = SELF - 1;

/// A graph that has been cut at a call.
pub(super) struct Call {
    /// The part of the function, which is about to start.
    pub entry: State,
    /// The rest. It has pointers to objects of the other part.
    rest: State,
    /// The pointers in the ghost, in order.
    pointers: Vec<(ObjectId, End, i64)>,
    /// The variables of the callers that belong to the part of the function.
    variables: Vec<(usize, VarId, ObjectId)>,
}

/// The functions that may call themselves, by functions that are called by their names.
pub(super) fn recursive(unit: &Unit) -> BTreeSet<FuncId> {
    let mut calls: BTreeMap<FuncId, BTreeSet<FuncId>> = BTreeMap::new();
    for f in unit.funcs.ids() {
        let instrs = unit.funcs[f].blocks.iter().flat_map(|b| &b.instrs);
        let callees = instrs.filter_map(|i| match &i.kind {
            InstrKind::Call(_, Callee::Direct(g), _) => Some(*g),
            _ => None,
        });
        calls.insert(f, callees.collect());
    }
    let reaches = |f: FuncId| {
        let mut seen = BTreeSet::new();
        let mut work: Vec<FuncId> = calls[&f].iter().copied().collect();
        while let Some(g) = work.pop() {
            if seen.insert(g) {
                work.extend(&calls[&g]);
            }
        }
        seen.contains(&f)
    };
    unit.funcs.ids().filter(|&f| reaches(f)).collect()
}

/// The function that the next instruction calls by its name, and the arguments.
pub(super) fn called<'a>(unit: &'a Unit, state: &State) -> Option<(FuncId, &'a [ExprId])> {
    let frame = state.frames.last()?;
    match &unit.funcs[frame.func].blocks[frame.block].instrs.get(frame.at)?.kind {
        InstrKind::Call(_, Callee::Direct(f), args) => Some((*f, args)),
        _ => None,
    }
}

/// Cuts a graph whose next instruction is a call. `forget` removes what does not matter.
pub(super) fn cut(unit: &Unit, state: State, forget: impl Fn(&mut State)) -> Result<Vec<Call>, Failure> {
    let Some((f, args)) = called(unit, &state) else { return Ok(Vec::new()) };
    cases(unit, state, |mut state| {
        if let Some(frame) = state.frames.last_mut() {
            frame.at += 1;
        }
        let mut calls = Vec::new();
        for mut state in state.call(unit, f, args)? {
            (state.splits, state.choices) = (true, Vec::new());
            forget(&mut state);
            calls.push(cut_called(unit, state)?);
        }
        Ok(calls)
    })
    .map(|calls| calls.into_iter().flatten().collect())
}

fn cut_called(unit: &Unit, mut rest: State) -> Step<Call> {
    let Some(frame) = rest.frames.pop() else { return Err(Stop::fail("no function is called")) };
    let order = in_order(&rest, frame.vars.values().chain(rest.statics.values()).copied());
    let number: BTreeMap<ObjectId, usize> = order.iter().enumerate().map(|(n, id)| (*id, n)).collect();
    let mut variables = Vec::new();
    for (n, frame) in rest.frames.iter().enumerate() {
        let of_callee = frame.vars.iter().filter(|(_, id)| number.contains_key(id));
        variables.extend(of_callee.map(|(v, id)| (n, *v, *id)));
    }
    let mut pointers: BTreeSet<(usize, End, i64)> =
        variables.iter().map(|(_, _, id)| (number[id], End::First, 0)).collect();
    for object in rest.objects.iter().filter(|(id, _)| !number.contains_key(id)).map(|(_, o)| o) {
        let variants = object.chain.iter().flat_map(|c| &c.variants).flat_map(|v| v.outside());
        if variants.into_iter().any(|v| matches!(v, Value::Pointer(o, ..) if number.contains_key(&o))) {
            return Err(Stop::fail("nodes of a list lead to what a recursive function is given"));
        }
        pointers.extend(object.values().into_iter().filter_map(|v| match v {
            Value::Pointer(o, end, offset) => Some((*number.get(&o)?, end, offset)),
            _ => None,
        }));
    }
    let pointers: Vec<(ObjectId, End, i64)> =
        pointers.into_iter().map(|(n, end, offset)| (order[n], end, offset)).collect();
    let mut entry = State {
        frames: vec![frame],
        statics: std::mem::take(&mut rest.statics),
        context: 0,
        ghost: None,
        objects: order.iter().filter_map(|id| Some((*id, rest.objects.remove(id)?))).collect(),
        is_lossy: false,
        symbols: rest.symbols.clone(),
        choices: Vec::new(),
        ..rest
    };
    for (_, v, id) in &variables {
        if unit.vars[*v].is_constant {
            return Err(Stop::fail("a recursive function is given a constant variable"));
        }
        if let Some(object) = entry.object(*id) {
            object.kind = Kind::Other;
        }
    }
    let word = entry.word;
    let size = i128::from(POINTERS) + i128::from(word) * pointers.len() as i128;
    let mut ghost = Object::new(Kind::Other, size, false);
    for (n, &(id, end, offset)) in pointers.iter().enumerate() {
        let value = Value::Pointer(id, end, offset);
        ghost.cells.insert(POINTERS + i64::from(word) * n as i64, Cell { size: word, value });
    }
    entry.ghost = Some(entry.add(ghost));
    entry.collect();
    Ok(Call { entry: entry.renumbered(), rest, pointers, variables })
}

/// The objects that some lead to, in an order that does not depend on their numbers.
fn in_order(state: &State, from: impl Iterator<Item = ObjectId>) -> Vec<ObjectId> {
    let mut order: Vec<ObjectId> = Vec::new();
    let mut seen = BTreeSet::new();
    order.extend(from.filter(|id| state.objects.contains_key(id) && seen.insert(*id)));
    let mut n = 0;
    while let Some(object) = order.get(n).and_then(|id| state.objects.get(id)) {
        n += 1;
        for value in object.values() {
            if let Value::Pointer(o, ..) = value
                && state.objects.contains_key(&o)
                && seen.insert(o)
            {
                order.push(o);
            }
        }
    }
    order
}

impl Call {
    /// The graphs after the call, from one at the end of the function.
    pub fn returned(&self, unit: &Unit, exit: &State) -> Result<Vec<State>, Failure> {
        let fail = || Failure::new("the end of a recursive function is not understood");
        let mut state = self.rest.clone();
        let first = (state.next_object, state.next_symbol);
        state.next_object += exit.next_object;
        state.next_symbol += exit.next_symbol;
        state.is_lossy |= exit.is_lossy;
        state.symbols.extend(exit.symbols.iter().map(|(s, range)| (s + first.1, *range)));
        for (id, object) in &exit.objects {
            let mut object = Object::clone(object);
            let renumber = |o| if exit.objects.contains_key(&o) { o + first.0 } else { NOWHERE };
            object.renumber(&renumber, &|s| s + first.1);
            state.objects.insert(id + first.0, Rc::new(object));
        }
        state.statics = exit.statics.iter().map(|(v, id)| (*v, id + first.0)).collect();
        let ghost = exit.ghost.ok_or_else(fail)? + first.0;
        let word = state.word;
        let mut now: BTreeMap<(ObjectId, End, i64), Value> = BTreeMap::new();
        for (n, pointer) in self.pointers.iter().enumerate() {
            let offset = POINTERS + i64::from(word) * n as i64;
            let cell = state.objects[&ghost].cells.get(&offset).filter(|c| c.size == word);
            let value = cell.map(|c| c.value);
            now.insert(*pointer, value.unwrap_or_else(|| state.anything(word)));
        }
        for id in self.pointers.iter().map(|(id, ..)| *id).collect::<BTreeSet<_>>() {
            state.redirect(id, |end, offset| now[&(id, end, offset)]);
        }
        for &(n, v, id) in &self.variables {
            let Value::Pointer(new, End::First, 0) = now[&(id, End::First, 0)] else { return Err(fail()) };
            let object = state.object(new).filter(|o| o.kind == Kind::Other && o.chain.is_none());
            object.ok_or_else(fail)?.kind = Kind::Variable(v);
            state.frames[n].vars.insert(v, new);
        }
        // The ghost holds the result until it is stored, since nodes may be taken out of chains for that.
        let out = cases(unit, state, |mut state| {
            let result = state.objects.get(&ghost).and_then(|o| o.cells.get(&0)).map(|c| c.value);
            state.receive(unit, result)?;
            state.objects.remove(&ghost);
            Ok(State { splits: true, choices: Vec::new(), ..state })
        })?;
        Ok(out)
    }
}

impl State {
    /// Notes what a recursive function returns.
    pub(super) fn set_result(&mut self, ghost: ObjectId, value: Option<Value>) {
        if let (Some(value), Some(object)) = (value, self.object(ghost)) {
            object.cells.insert(0, Cell { size: RESULT, value });
        }
    }

    /// The graph with the smallest numbers.
    pub(super) fn renumbered(mut self) -> State {
        let objects: BTreeMap<ObjectId, ObjectId> = self.objects.keys().copied().zip(0..).collect();
        let symbols: BTreeMap<u32, u32> = self.symbols.keys().copied().zip(0..).collect();
        let id = |o: ObjectId| objects.get(&o).copied().unwrap_or(NOWHERE);
        let symbol = |s: u32| symbols.get(&s).copied().unwrap_or(s);
        for object in self.objects.values_mut() {
            Rc::make_mut(object).renumber(&id, &symbol);
        }
        self.objects = self.objects.into_iter().map(|(o, object)| (id(o), object)).collect();
        self.symbols = self.symbols.into_iter().map(|(s, range)| (symbol(s), range)).collect();
        let variables = self.frames.iter_mut().flat_map(|f| f.vars.values_mut());
        variables.chain(self.statics.values_mut()).chain(self.ghost.as_mut()).for_each(|o| *o = id(*o));
        self.next_object = self.objects.len() as u32;
        self.next_symbol = self.symbols.len() as u32;
        self
    }
}

impl Object {
    /// Gives objects and symbols other numbers. Symbols in variants are their own.
    fn renumber(&mut self, object: &dyn Fn(ObjectId) -> ObjectId, symbol: &dyn Fn(u32) -> u32) {
        let mut pointed = |v: Value| match v {
            Value::Pointer(o, end, offset) if o < SELF => Value::Pointer(object(o), end, offset),
            v => v,
        };
        self.change(&mut |v| match v {
            Value::Symbol(s) => Value::Symbol(symbol(s)),
            v => pointed(v),
        });
        let mut work: Vec<&mut Object> = Vec::new();
        work.extend(self.chain.iter_mut().flat_map(|c| &mut c.variants).flat_map(|v| &mut v.objects));
        while let Some(o) = work.pop() {
            o.change(&mut pointed);
            work.extend(o.chain.iter_mut().flat_map(|c| &mut c.variants).flat_map(|v| &mut v.objects));
        }
    }
}
