//! The effect of instructions on graphs.

use super::super::hir::{
    Base, BlockId, Callee, Ending, Expr, ExprId, FuncId, Guard, InstrKind, Lifetime, Place, Storage,
    Terminator, Unit, VarId,
};
use super::super::layout::GRAIN;
use super::super::types::IntType;
use super::Failure;
use super::chain::unfold;
use super::evaluate::{Spot, Step, Stop};
use super::graph::{Cell, End, Frame, Kind, Object, ObjectId, Range, State, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Calls nested more deeply are not followed.
const MOST_FRAMES: usize = 40;
/// No more bytes of an object are known to be there, so that offsets do not overflow.
pub(super) const LARGEST_OBJECT: i128 = 1 << 60;
/// Stretches of more bytes are forgotten when they are set.
const MOST_BYTES: i64 = 4096;
/// Of larger scalars only constants are known.
const MOST_KNOWN: u32 = 8;

/// The graph at the start of the program.
pub(super) fn start(unit: &Unit) -> Result<State, Failure> {
    let frame = Frame { func: unit.entry, block: BlockId::new(0), at: 0, vars: BTreeMap::new() };
    let mut state = State {
        frames: vec![frame],
        statics: BTreeMap::new(),
        context: 0,
        ghost: None,
        objects: BTreeMap::new(),
        symbols: BTreeMap::new(),
        is_lossy: false,
        next_object: 0,
        next_symbol: 0,
        splits: true,
        choices: Vec::new(),
        word: unit.types.pointer_size() as u32,
    };
    let used = used_statics(unit);
    for (v, variable) in unit.vars.iter_enumerated().filter(|(v, _)| used.contains(v)) {
        let size = unit.types.size_of(variable.ty).unwrap_or(0);
        let id = state.add(Object::new(Kind::Variable(v), size.into(), true));
        state.statics.insert(v, id);
    }
    for s in unit.statics.iter().filter(|s| used.contains(&s.var)) {
        let place = Place { offset: s.offset as i64, bits: s.bits, ..Place::var(s.var, s.ty) };
        let done = state.value(unit, s.value).and_then(|value| state.store(unit, &place, value));
        if done.is_err() {
            return Err(Failure::new("an initial value is not understood"));
        }
    }
    Ok(state)
}

/// The static variables that functions mention which can be called, and what those lead to at first.
fn used_statics(unit: &Unit) -> BTreeSet<VarId> {
    let mut used = BTreeSet::new();
    let mut funcs = BTreeSet::new();
    let mut work = vec![unit.entry];
    let mut roots: Vec<ExprId> = Vec::new();
    loop {
        while let Some(f) = work.pop() {
            if !funcs.insert(f) {
                continue;
            }
            for block in &unit.funcs[f].blocks {
                for i in &block.instrs {
                    roots.extend(i.kind.operands());
                    let guarded = match &i.kind {
                        InstrKind::Guard(
                            Guard::New(p, ..)
                            | Guard::Size(p, _)
                            | Guard::Access(p, ..)
                            | Guard::Inside(p, ..),
                        ) => Some(p),
                        _ => None,
                    };
                    let places = i.kind.places().into_iter().chain(guarded);
                    used.extend(places.filter_map(variable_of));
                    match &i.kind {
                        InstrKind::Call(_, Callee::Direct(g), _) => work.push(*g),
                        InstrKind::Fresh(v, _) | InstrKind::Zero(v) => _ = used.insert(*v),
                        _ => {}
                    }
                }
                if let Terminator::Branch(e, ..) | Terminator::Switch(e, ..) | Terminator::Return(Some(e)) =
                    block.end
                {
                    roots.push(e);
                }
            }
        }
        let initial = unit.statics.iter().filter(|s| used.contains(&s.var)).map(|s| s.value);
        let known = (used.len(), funcs.len());
        for e in unit.post_order(roots.iter().copied().chain(initial)) {
            match &unit.exprs[e].expr {
                Expr::Load(p) | Expr::Addr(p) => used.extend(variable_of(p)),
                Expr::Func(f) => work.push(*f),
                _ => {}
            }
        }
        work.retain(|f| !funcs.contains(f));
        if (used.len(), funcs.len()) == known && work.is_empty() {
            used.retain(|v| unit.vars[*v].storage == Storage::Static);
            return used;
        }
    }
}

fn variable_of(place: &Place) -> Option<VarId> {
    match place.base {
        Base::Var(v) => Some(v),
        Base::Deref(_) => None,
    }
}

/// Executes the next instruction, or the end of a block.
pub(super) fn step(unit: &Unit, state: State) -> Result<Vec<State>, Failure> {
    let next = cases(unit, state, |s| s.execute(unit))?;
    Ok(next.into_iter().flatten().map(|s| State { splits: true, choices: Vec::new(), ..s }).collect())
}

/// Does something to a graph. Nodes are taken out of chains where it needs them, and cases are told apart.
pub(super) fn cases<T>(
    unit: &Unit,
    state: State,
    mut action: impl FnMut(State) -> Step<T>,
) -> Result<Vec<T>, Failure> {
    let mut out = Vec::new();
    let mut work = vec![state];
    while let Some(state) = work.pop() {
        match action(state.clone()) {
            Ok(next) => out.push(next),
            Err(Stop::Unfold(chain, end)) => {
                let nodes = unfold(&state, chain, end);
                work.extend(nodes.ok_or_else(|| Failure::new("a node of a tree that is not known"))?);
            }
            Err(Stop::Split(e)) => {
                for holds in [true, false] {
                    let mut state = state.clone();
                    match state.assume(unit, e, holds) {
                        Ok(false) => continue,
                        Ok(true) => {}
                        Err(_) => return Err(Failure::new("a condition is not understood")),
                    }
                    state.choices.push((e, holds));
                    work.push(state);
                }
            }
            Err(Stop::Fail(failure)) => return Err(failure),
        }
    }
    Ok(out)
}

impl State {
    fn execute(mut self, unit: &Unit) -> Step<Vec<State>> {
        let top = self.frames.len() - 1;
        let (func, block, at) = (self.frames[top].func, self.frames[top].block, self.frames[top].at);
        let block = &unit.funcs[func].blocks[block];
        let Some(instr) = block.instrs.get(at) else { return self.terminate(unit, &block.end) };
        self.frames[top].at += 1;
        match &instr.kind {
            InstrKind::Assign(place, e) => {
                let value = self.value(unit, *e)?;
                self.store(unit, place, value)?;
            }
            InstrKind::Input(place, _) => {
                let value = self.any(unit, place);
                self.store(unit, place, value)?;
            }
            InstrKind::Copy(to, from) => {
                let bytes = unit.types.size_of(to.ty).unwrap_or(0) as i64;
                let (to, from) = (self.locate(unit, to, None)?, self.locate(unit, from, None)?);
                self.copy(to, from, bytes)?;
            }
            InstrKind::Call(_, Callee::Direct(f), args) => return self.call(unit, *f, args),
            InstrKind::Call(_, Callee::Indirect(e, _, expected), args) => match self.value(unit, *e)? {
                Value::Function(f) if unit.fits(*expected, args, f) => return self.call(unit, f, args),
                _ => return Err(Stop::fail("a function that is called is not known")),
            },
            InstrKind::Fresh(v, _) => match self.frames[top].vars.remove(v) {
                // A new object: pointers to the old one do not lead to it.
                Some(id) => self.end(id),
                None => {
                    let id = self.variable(unit, *v);
                    self.forget_contents(id)?;
                }
            },
            InstrKind::Zero(v) => {
                let id = self.variable(unit, *v);
                if let Some(object) = self.object(id) {
                    object.cells.clear();
                    object.is_zero = true;
                }
            }
            InstrKind::Assume(e) => {
                if !self.assume(unit, *e, true)? {
                    return Ok(Vec::new());
                }
            }
            InstrKind::Alloc(place, size, zero) => {
                let (low, is_exact) = match self.value(unit, *size)? {
                    Value::Int(n) => (n.clamp(0, LARGEST_OBJECT), (0..=LARGEST_OBJECT).contains(&n)),
                    Value::Symbol(s) => (self.range(s).low.clamp(0, LARGEST_OBJECT), false),
                    _ => (0, false),
                };
                let id = self.add(Object { is_exact, ..Object::new(Kind::Heap, low, *zero) });
                self.store(unit, place, Value::Pointer(id, End::First, 0))?;
            }
            InstrKind::Fill(p, value, n) => {
                let (p, value, n) = (self.value(unit, *p)?, self.value(unit, *value)?, self.value(unit, *n)?);
                self.fill(p, value, n)?;
            }
            InstrKind::Move(to, from, n) => {
                let (to, from, n) = (self.value(unit, *to)?, self.value(unit, *from)?, self.value(unit, *n)?);
                match n {
                    Value::Int(0) => {}
                    Value::Int(n) => {
                        let n = i64::try_from(n).map_err(|_| Stop::fail("a length is out of range"))?;
                        let (to, from) = (self.spot(to), self.spot(from));
                        self.copy(to, from, n)?;
                    }
                    n => self.forget_stretch(to, n)?,
                }
            }
            InstrKind::Escape(_) => {}
            InstrKind::Guard(guard) => return self.guard(unit, guard),
        }
        Ok(vec![self])
    }

    fn spot(&self, v: Value) -> Spot {
        match v {
            Value::Pointer(o, end, offset) if self.objects.contains_key(&o) => Spot::In(o, end, offset),
            _ => Spot::Unknown,
        }
    }

    fn terminate(mut self, unit: &Unit, end: &Terminator) -> Step<Vec<State>> {
        let to = |mut state: State, b: BlockId| {
            let top = state.frames.len() - 1;
            (state.frames[top].block, state.frames[top].at) = (b, 0);
            state
        };
        match end {
            Terminator::Goto(b) => Ok(vec![to(self, *b)]),
            Terminator::Branch(e, yes, no) => {
                let mut out = Vec::new();
                for (holds, b) in [(true, *yes), (false, *no)] {
                    let mut state = self.clone();
                    if state.assume(unit, *e, holds)? {
                        out.push(to(state, b));
                    }
                }
                Ok(out)
            }
            Terminator::Switch(e, cases, default) => {
                let value = self.value(unit, *e)?;
                let range = match value {
                    Value::Int(n) => Range::new((n, n)),
                    Value::Symbol(s) => self.range(s),
                    _ => return Err(Stop::fail("a switch on an address")),
                };
                let mut out = Vec::new();
                let mut is_decided = false;
                for &(low, high, b) in cases {
                    if is_decided || range.high < low || high < range.low {
                        continue;
                    }
                    is_decided = low <= range.low && range.high <= high;
                    let mut state = self.clone();
                    if let Value::Symbol(s) = value {
                        let inside = (range.low.max(low), range.high.min(high));
                        state.symbols.insert(s, Range { low: inside.0, high: inside.1, ..range });
                        if state.symbols[&s].is_empty() {
                            continue;
                        }
                    }
                    out.push(to(state, b));
                }
                if !is_decided {
                    out.push(to(self, *default));
                }
                Ok(out)
            }
            Terminator::Return(value) => {
                let value = value.map(|e| self.value(unit, e)).transpose()?;
                let Some(frame) = self.frames.pop() else { return Ok(Vec::new()) };
                for (v, id) in frame.vars {
                    match unit.vars[v].address_taken {
                        true => self.end(id),
                        false => _ = self.objects.remove(&id),
                    }
                }
                // What a returned pointer led to may have ended with the function.
                let lives = |v: &Value| match v {
                    Value::Pointer(o, ..) => self.objects.contains_key(o),
                    _ => true,
                };
                let value = value.filter(lives);
                match (self.frames.is_empty(), self.ghost) {
                    (true, None) => return Ok(Vec::new()),
                    (true, Some(ghost)) => self.set_result(ghost, value),
                    (false, _) => self.receive(unit, value)?,
                }
                Ok(vec![self])
            }
            Terminator::Halt => Ok(Vec::new()),
            Terminator::Error(p) => {
                let name = &unit.properties[*p].name;
                Err(Stop::Fail(Failure::new(format!("the shapes allow: {name}"))))
            }
        }
    }

    /// A call of the innermost function returns, perhaps with a value.
    pub(super) fn receive(&mut self, unit: &Unit, value: Option<Value>) -> Step<()> {
        let Some(caller) = self.frames.last() else { return Ok(()) };
        let (func, block, at) = (caller.func, caller.block, caller.at);
        let call = &unit.funcs[func].blocks[block].instrs[at - 1].kind;
        if let InstrKind::Call(Some(place), ..) = call {
            let value = match value {
                Some(v) => self.passed(unit, v, place.ty),
                None => self.any(unit, place),
            };
            // A condition would be one of the caller, which is not the function that this step started in.
            (self.splits, self.choices) = (false, Vec::new());
            self.store(unit, place, value)?;
        }
        Ok(())
    }

    /// Some value of the type of a place.
    fn any(&mut self, unit: &Unit, place: &Place) -> Value {
        match unit.types.representation(place.ty) {
            Some(t) if !unit.types.is_float(place.ty) => {
                let t = match place.bits {
                    Some((_, width)) => IntType { bits: width, rank: t.rank.max(1), ..t },
                    None => t,
                };
                self.symbol(Range::new(t.range()))
            }
            _ => self.anything(8),
        }
    }

    /// A value passed to something of another type, without a conversion in the text.
    fn passed(&mut self, unit: &Unit, v: Value, ty: super::super::types::TypeId) -> Value {
        match unit.types.representation(ty) {
            Some(t) if !unit.types.is_float(ty) => self.converted(v, t),
            _ => self.anything(8),
        }
    }

    pub(super) fn call(mut self, unit: &Unit, f: FuncId, args: &[ExprId]) -> Step<Vec<State>> {
        let function = &unit.funcs[f];
        if self.frames.len() >= MOST_FRAMES || function.blocks.is_empty() {
            return Err(Stop::fail("calls are nested too deeply"));
        }
        let mut values = Vec::with_capacity(args.len());
        for &a in args {
            values.push(self.value(unit, a)?);
        }
        self.frames.push(Frame { func: f, block: BlockId::new(0), at: 0, vars: BTreeMap::new() });
        for (&p, value) in function.params.iter().zip(values) {
            let ty = unit.vars[p].ty;
            let value = self.passed(unit, value, ty);
            self.store(unit, &Place::var(p, ty), value)?;
        }
        Ok(vec![self])
    }

    /// Stores a scalar.
    pub(super) fn store(&mut self, unit: &Unit, place: &Place, value: Value) -> Step<()> {
        let Some(ty) = unit.types.representation(place.ty) else { return Ok(()) };
        let bytes = unit.types.size_of(place.ty).unwrap_or(1) as u32;
        let (id, end, offset) = match self.locate(unit, place, None)? {
            Spot::In(id, end, offset) => (id, end, offset),
            Spot::Somewhere(id) => {
                let Some((_, low, high)) = self.reach(unit, place)? else {
                    return Err(Stop::fail("a write whose place is not known"));
                };
                if low < 0 || high + i128::from(bytes) > self.objects[&id].size {
                    return Err(Stop::fail("a write whose place is not known"));
                }
                return self.forget_contents(id);
            }
            Spot::Unknown => return Err(Stop::fail("a write whose object is not known")),
        };
        if self.objects[&id].chain.is_some() {
            return Err(Stop::Unfold(id, end));
        }
        let value = match place.bits {
            None if unit.types.is_float(place.ty) => self.anything(bytes),
            None => self.converted(value, ty),
            Some((first, width)) => {
                let unsigned = IntType { signed: false, rank: 9, ..ty };
                match (self.read(id, offset, unsigned, bytes), value) {
                    (Value::Int(old), Value::Int(new)) => {
                        let mask = (1i128 << width) - 1;
                        Value::Int(old & !(mask << first) | (new & mask) << first)
                    }
                    _ => self.anything(bytes),
                }
            }
        };
        self.write(id, offset, bytes, value)
    }

    /// Sets some bytes of an object.
    fn write(&mut self, id: ObjectId, offset: i64, bytes: u32, value: Value) -> Step<()> {
        let end = i128::from(offset) + i128::from(bytes);
        let size = self.objects[&id].size;
        if offset < 0 || end > size || self.objects[&id].chain.is_some() {
            return Err(Stop::fail("a write outside of an object"));
        }
        let end = offset + i64::from(bytes);
        self.clear(id, offset, end);
        if bytes > MOST_KNOWN && matches!(value, Value::Symbol(_)) {
            // The ranges of symbols are those of smaller numbers.
            self.set_gap(id, offset, end, false);
        } else if let Some(object) = self.object(id) {
            object.cells.insert(offset, Cell { size: bytes, value });
        }
        Ok(())
    }

    /// Removes the cells of a stretch; what is left of cells that reach beyond it is not known.
    fn clear(&mut self, id: ObjectId, low: i64, high: i64) {
        let Some(object) = self.objects.get(&id) else { return };
        let ends = |(o, c): (&i64, &Cell)| (*o, *c, *o + i64::from(c.size));
        let cells = object.cells.range(..high).map(ends).filter(|(_, _, end)| *end > low);
        let gone: Vec<(i64, Cell, i64)> = cells.collect();
        let is_zero = object.is_zero;
        for (offset, cell, end) in gone {
            if let Some(object) = self.object(id) {
                object.cells.remove(&offset);
            }
            // Bytes without a cell would be zero.
            let kept = (offset..end).filter(|b| is_zero && !(low..high).contains(b));
            for byte in kept {
                let value = match cell.value {
                    Value::Int(n) => Value::Int(n >> (8 * (byte - offset)).min(127) & 255),
                    _ => self.anything(1),
                };
                if let Some(object) = self.object(id) {
                    object.cells.insert(byte, Cell { size: 1, value });
                }
            }
        }
    }

    /// All contents of an object become unknown.
    fn forget_contents(&mut self, id: ObjectId) -> Step<()> {
        if self.objects[&id].chain.is_some() {
            return Err(Stop::fail("a write somewhere in a list"));
        }
        if let Some(object) = self.object(id) {
            object.cells.clear();
            object.is_zero = false;
        }
        Ok(())
    }

    /// An object is written from an address, so many bytes at most.
    fn forget_stretch(&mut self, p: Value, n: Value) -> Step<()> {
        let (Value::Pointer(id, end, offset), Value::Symbol(s)) = (p, n) else {
            return Err(Stop::fail("a stretch of memory whose object is not known"));
        };
        let Some(object) = self.objects.get(&id) else {
            return Err(Stop::fail("a stretch of memory whose object is not known"));
        };
        if object.chain.is_some() {
            return Err(Stop::Unfold(id, end));
        }
        if offset < 0 || i128::from(offset) + self.range(s).high > object.size {
            return Err(Stop::fail("a stretch of memory that may leave its object"));
        }
        self.forget_contents(id)
    }

    fn fill(&mut self, p: Value, value: Value, n: Value) -> Step<()> {
        let n = match n {
            Value::Int(0) => return Ok(()),
            Value::Int(n) => n,
            n => return self.forget_stretch(p, n),
        };
        let Value::Pointer(id, end, offset) = p else {
            return Err(Stop::fail("a stretch of memory whose object is not known"));
        };
        let Some(object) = self.objects.get(&id) else {
            return Err(Stop::fail("a stretch of memory whose object is not known"));
        };
        if object.chain.is_some() {
            return Err(Stop::Unfold(id, end));
        }
        let (size, is_whole) = (object.size, object.is_exact && offset == 0 && n == object.size);
        if offset < 0 || n < 0 || i128::from(offset) + n > size {
            return Err(Stop::fail("a stretch of memory that leaves its object"));
        }
        let is_zero = matches!(value, Value::Int(v) if v & 255 == 0);
        if is_whole {
            self.forget_contents(id)?;
            if let Some(object) = self.object(id) {
                object.is_zero = is_zero;
            }
            return Ok(());
        }
        let high = offset + n as i64;
        self.clear(id, offset, high);
        self.set_gap(id, offset, high, is_zero);
        Ok(())
    }

    /// A stretch without cells becomes zero, or unknown.
    fn set_gap(&mut self, id: ObjectId, low: i64, high: i64, is_zero: bool) {
        let Some(object) = self.objects.get(&id).filter(|o| o.is_zero != is_zero && low < high) else {
            return;
        };
        if high - low > MOST_BYTES {
            // Unknown contents allow zeros.
            if object.is_zero
                && let Some(object) = self.object(id)
            {
                object.is_zero = false;
            }
            return;
        }
        let word = i64::from(self.word);
        let mut at = low;
        while at < high {
            let size = if at % word == 0 && at + word <= high { word } else { 1 };
            let value = if is_zero { Value::Int(0) } else { self.anything(size as u32) };
            if let Some(object) = self.object(id) {
                object.cells.insert(at, Cell { size: size as u32, value });
            }
            at += size;
        }
    }

    fn copy(&mut self, to: Spot, from: Spot, bytes: i64) -> Step<()> {
        let (Spot::In(to, to_end, at), Spot::In(from, from_end, start)) = (to, from) else {
            return Err(Stop::fail("a copy of memory whose place is not known"));
        };
        for (id, end, offset) in [(from, from_end, start), (to, to_end, at)] {
            if self.objects[&id].chain.is_some() {
                return Err(Stop::Unfold(id, end));
            }
            if offset < 0 || bytes < 0 || i128::from(offset) + i128::from(bytes) > self.objects[&id].size {
                return Err(Stop::fail("a copy of memory outside of an object"));
            }
        }
        let source = self.objects[&from].clone();
        self.clear(to, at, at + bytes);
        let mut gap = at;
        for (&offset, cell) in source.cells.range(..start + bytes) {
            let end = offset + i64::from(cell.size);
            if end <= start {
                continue;
            }
            let (first, last) = (offset.max(start), end.min(start + bytes));
            let target = first - start + at;
            self.set_gap(to, gap, target, source.is_zero);
            if first == offset && last == end {
                if let Some(object) = self.object(to) {
                    object.cells.insert(target, *cell);
                }
            } else {
                // A part of a cell.
                self.set_gap(to, target, target + last - first, false);
            }
            gap = target + last - first;
        }
        self.set_gap(to, gap, at + bytes, source.is_zero);
        Ok(())
    }

    /// The object that a place lies in, and the first and last offset where it may start.
    fn reach(&mut self, unit: &Unit, place: &Place) -> Step<Option<(ObjectId, i128, i128)>> {
        let (object, start) = match place.base {
            Base::Var(v) => (self.variable(unit, v), 0),
            Base::Deref(e) => match self.value(unit, e)? {
                Value::Pointer(o, _, start) if self.objects.contains_key(&o) => (o, start),
                _ => return Ok(None),
            },
        };
        let offset = i128::from(place.bytes(&unit.types).0) + i128::from(start);
        let (mut low, mut high) = (offset, offset);
        for &(index, stride) in &place.dynamic {
            let range = match self.value(unit, index)? {
                Value::Int(n) => Range::new((n, n)),
                Value::Symbol(s) => self.range(s),
                _ => return Ok(None),
            };
            let by = [range.low, range.high].map(|n| n.saturating_mul(i128::from(stride)));
            low = low.saturating_add(by[0].min(by[1]));
            high = high.saturating_add(by[0].max(by[1]));
        }
        Ok(Some((object, low, high)))
    }

    /// Is a place inside of its object?
    fn is_valid(&mut self, unit: &Unit, place: &Place) -> Step<bool> {
        let (_, bytes) = place.bytes(&unit.types);
        let Some((object, low, high)) = self.reach(unit, place)? else { return Ok(false) };
        Ok(low >= 0 && high.saturating_add(bytes.into()) <= self.objects[&object].size)
    }

    /// The graph under a condition that a guard has; none if it cannot hold.
    fn under(&self, unit: &Unit, condition: Option<ExprId>) -> Step<Option<State>> {
        let mut state = self.clone();
        match condition {
            Some(c) if !state.assume(unit, c, true)? => Ok(None),
            _ => Ok(Some(state)),
        }
    }

    fn guard(mut self, unit: &Unit, guard: &Guard) -> Step<Vec<State>> {
        let fail = |what: &str| Err(Stop::fail(what));
        match guard {
            Guard::New(place, _, lifetime) => {
                let value = self.load(unit, place, None)?;
                let Value::Pointer(id, End::First, 0) = value else {
                    return fail("a new object that is not known");
                };
                let kind = if *lifetime == Lifetime::Heap { Kind::Heap } else { Kind::Other };
                if let Some(object) = self.object(id) {
                    object.kind = kind;
                }
            }
            Guard::Size(place, e) => {
                let size = match self.value(unit, *e)? {
                    Value::Int(0) => Value::Int(0),
                    Value::Pointer(o, ..) => match self.objects.get(&o) {
                        Some(object) if object.is_exact => Value::Int(object.size),
                        Some(object) => {
                            let bits = 8 * self.word;
                            let range = Range::new((object.size, (1i128 << bits) - 1));
                            self.symbol(range)
                        }
                        None => return fail("the size of an object that is not known"),
                    },
                    _ => return fail("the size of an object that is not known"),
                };
                self.store(unit, place, size)?;
            }
            Guard::Access(place, condition, _) | Guard::Inside(place, condition, _) => {
                if let Some(mut state) = self.under(unit, *condition)?
                    && !state.is_valid(unit, place)?
                {
                    return fail("an access that may be invalid");
                }
            }
            Guard::Writable(place, condition, _) => {
                if let Some(mut state) = self.under(unit, *condition)? {
                    let kind = state.reach(unit, place)?.map(|(o, ..)| state.objects[&o].kind);
                    let is_constant = |k: Kind| matches!(k, Kind::Variable(v) if unit.vars[v].is_constant);
                    if kind.is_none_or(is_constant) {
                        return fail("a write to what may be constant");
                    }
                }
            }
            Guard::Aligned(e, align, condition, _) => {
                if let Some(mut state) = self.under(unit, *condition)? {
                    let is_aligned = match state.value(unit, *e)? {
                        Value::Pointer(o, _, offset) => {
                            let align = i128::from(*align);
                            state.objects.contains_key(&o)
                                && align <= GRAIN
                                && i128::from(offset) % align == 0
                        }
                        _ => false,
                    };
                    if !is_aligned {
                        return fail("an access that may be misaligned");
                    }
                }
            }
            Guard::Initialised(..) => return fail("graphs do not say what has been set"),
            Guard::Moved(e, condition, _) => {
                if let Some(mut state) = self.under(unit, *condition)? {
                    let (from, to) = match &unit.exprs[*e].expr {
                        Expr::PtrAdd(p, ..) => (state.value(unit, *p)?, state.value(unit, *e)?),
                        _ => (Value::Int(1), state.value(unit, *e)?),
                    };
                    let stays = match to {
                        Value::Pointer(o, _, offset) => {
                            let size = state.objects.get(&o).map_or(-1, |o| o.size);
                            offset >= 0 && i128::from(offset) <= size
                        }
                        to => from == to,
                    };
                    if !stays {
                        return fail("a pointer that may leave its object");
                    }
                }
            }
            Guard::Related(a, b, condition, _) => {
                if let Some(mut state) = self.under(unit, *condition)? {
                    match (state.value(unit, *a)?, state.value(unit, *b)?) {
                        (Value::Pointer(o, e, _), Value::Pointer(p, f, _)) if (o, e) == (p, f) => {}
                        (Value::Int(_), Value::Int(_)) => {}
                        _ => return fail("pointers that may lead to different objects"),
                    }
                }
            }
            Guard::Range(p, n, _) | Guard::RangeInside(p, n, _) => {
                let (low, high) = match self.value(unit, *n)? {
                    Value::Int(n) => (n, n),
                    Value::Symbol(s) => (self.range(s).low, self.range(s).high),
                    _ => return fail("a length that is an address"),
                };
                let is_inside = match self.value(unit, *p)? {
                    _ if low < 0 => false,
                    _ if high == 0 => true,
                    Value::Pointer(o, _, offset) => {
                        let size = self.objects.get(&o).map_or(-1, |o| o.size);
                        offset >= 0 && i128::from(offset) + high <= size
                    }
                    _ => false,
                };
                if !is_inside {
                    return fail("a stretch of memory that may leave its object");
                }
            }
            Guard::Callee(e, _) => {
                if !matches!(self.value(unit, *e)?, Value::Function(_)) {
                    return fail("a function that is called is not known");
                }
            }
            Guard::Free(e, _) => match self.value(unit, *e)? {
                Value::Int(0) => {}
                Value::Pointer(o, end, 0) => match self.objects.get(&o) {
                    Some(object) if object.chain.is_some() => return Err(Stop::Unfold(o, end)),
                    Some(object) if object.kind == Kind::Heap => self.end(o),
                    _ => return fail("something may be freed that is not of the heap"),
                },
                _ => return fail("something may be freed that is not the start of an object"),
            },
            Guard::Kill(e) => match self.value(unit, *e)? {
                Value::Int(0) => {}
                Value::Pointer(o, End::First, 0)
                    if self.objects.get(&o).is_some_and(|o| o.kind == Kind::Other) =>
                {
                    self.end(o);
                }
                // The object cannot be named any more, so nothing is known about pointers to it.
                _ => return fail("the object of a block that ends is not known"),
            },
            Guard::End(v) => {
                let top = self.frames.len() - 1;
                if let Some(id) = self.frames[top].vars.remove(v) {
                    self.end(id);
                }
            }
            Guard::Leak(_, ending) => {
                if self.leaks(unit, *ending) {
                    return fail("an object may be lost or left at the end");
                }
            }
        }
        Ok(vec![self])
    }

    /// Is there something of the heap left that must not be?
    fn leaks(&self, unit: &Unit, ending: Ending) -> bool {
        if self.context > 0 {
            // What the callers of a recursive function have is not known there.
            return true;
        }
        let of_frames = self.frames.iter().flat_map(|f| f.vars.values());
        let objects = self.statics.iter().filter(|(v, _)| !unit.vars[**v].is_slot).map(|(_, o)| o);
        let roots: Vec<ObjectId> = match ending {
            Ending::Clean => Vec::new(),
            Ending::Return => objects.copied().collect(),
            Ending::Exit => objects.chain(of_frames).copied().collect(),
        };
        // A pointer that has left its object does not keep it.
        let has_left = |v: Value| match v {
            Value::Pointer(o, _, offset) => {
                self.objects.get(&o).is_none_or(|o| offset < 0 || i128::from(offset) > o.size)
            }
            _ => false,
        };
        let reached = self.reached(roots);
        let pointers = reached.iter().filter_map(|id| self.objects.get(id)).flat_map(|o| o.values());
        let is_sure = !pointers.into_iter().any(has_left);
        self.is_lossy
            || !is_sure
            || self.objects.iter().any(|(id, o)| o.kind == Kind::Heap && !reached.contains(id))
    }
}
