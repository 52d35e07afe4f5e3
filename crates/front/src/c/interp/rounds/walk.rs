//! One period of rounds, executed on values that are polynomials in the number of the period.
//!
//! **What a plan promises.** Let the places that the period writes have the values of their polynomials at the start of period `j`. If `j` lies
//! before the horizon, every condition has the answer that it has in the first period, so the execution takes the same way, and the places
//! have the values of period `j + 1` in the end: that was computed for all `j` at once. Places whose polynomials were not right are
//! never read before they are written; they get their values in the last period, which is executed. Places that move on from period to period
//! ([`Sweep`]) touch, up to the horizon, nothing that is anywhere else on the way.

use super::value::{Horizon, Value, is_followed};
use crate::c::hir::{
    Base, BinOp, BlockId, Callee, CmpOp, Expr, ExprId, FuncId, InstrKind, Place, Storage, Terminator, Unit,
    VarId,
};
use crate::c::interp::objects::{FOREIGN, Origin, Provenance};
use crate::c::interp::{Bytes, Interpreter, Oracle};
use crate::c::layout::Home;
use crate::c::types::{IntType, TypeId};
use bolide_base::{DEGREE, Progression};
use bolide_model::{InputId, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// No more periods are skipped at once.
const MOST_PERIODS: u64 = 1 << 62;
/// No more periods are skipped at once if each writes to another place and they do not fill it evenly.
const MOST_WRITES: u64 = 1 << 16;

/// Where a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Region {
    Static(VarId),
    /// A local of the function that is so many calls above the one with the loop.
    Local(usize, VarId),
    Memory,
}

/// The bytes of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Cell {
    region: Region,
    start: i128,
    size: i128,
}

impl Cell {
    fn overlaps(&self, other: &Cell) -> bool {
        self.region == other.region
            && self.start < other.start + other.size
            && other.start < self.start + self.size
    }

    fn bits(&self) -> u32 {
        8 * self.size as u32
    }

    /// The variable that it is.
    pub(super) fn variable(&self, unit: &Unit) -> Option<VarId> {
        let (Region::Static(v) | Region::Local(_, v)) = self.region else { return None };
        let size = unit.types.size_of(unit.vars[v].ty);
        (self.start == 0 && size.is_some_and(|n| i128::from(n) == self.size)).then_some(v)
    }

    /// The type of its contents as they are kept here.
    fn as_type(&self) -> IntType {
        IntType { bits: self.bits(), signed: false, rank: 9 }
    }
}

/// Where a scalar is in every period.
enum Spot {
    /// Always there.
    Cell(Cell),
    /// It moves on.
    Moving { region: Region, start: Progression, size: i128 },
    /// Somewhere.
    Unknown(Region),
}

/// Memory that is filled, one scalar after the other, always with the same value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sweep {
    /// Where the scalar is: that moves by as many bytes in each period, at least by the size.
    start: Progression,
    size: i128,
    value: i128,
}

/// The first byte that is touched up to a period, and the first one behind.
type Extent = (Progression, Progression);

impl Sweep {
    /// The scalar at a place that moves on, if it never comes back to where it was.
    fn new(start: Progression, size: i128, value: i128) -> Option<Sweep> {
        let step = start.checked_next()?.checked_sub(&start)?.as_constant()?;
        (step.unsigned_abs() >= size.unsigned_abs()).then_some(Sweep { start, size, value })
    }

    fn extent(&self) -> Option<Extent> {
        let first = Progression::constant(self.start.first());
        let (low, high) = match self.start.checked_next()?.first() > self.start.first() {
            true => (first, self.start),
            false => (self.start, first),
        };
        Some((low, high.checked_add(&Progression::constant(self.size))?))
    }

    /// Are the bytes of some periods one stretch in which all are equal? Then they can be filled however many they are.
    fn as_fill(&self, periods: u64) -> Option<(i128, i128, u8)> {
        let (start, last) = (self.start.first(), self.start.exactly_at(periods.checked_sub(1)?)?);
        let byte = self.value as u8;
        let is_even = (0..self.size).all(|n| (self.value >> (8 * n)) as u8 == byte);
        let is_dense = start.abs_diff(last) == (self.size as u128).checked_mul(u128::from(periods - 1))?;
        (is_even && is_dense).then(|| (start.min(last), start.max(last) + self.size, byte))
    }
}

/// An input that a period asks for.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub site: InputId,
    /// Where its value goes.
    pub place: &'a Place,
    pub span: Span,
    pub value: i128,
}

/// Periods that can be skipped, and what the places that change hold after them.
pub(super) struct Skip<'a> {
    pub periods: u64,
    pub values: Vec<(Cell, i128)>,
    pub sweeps: Vec<Sweep>,
    pub input: Option<Asked<'a>>,
}

/// What cells hold.
type Cells = FxHashMap<Cell, Value>;

/// A call on the way.
struct Frame<'a> {
    func: FuncId,
    /// Where to go on after it, and where its result goes, in the caller.
    next: (BlockId, usize),
    result: Option<&'a Place>,
}

/// A period in execution.
struct Walk<'i, 'a> {
    interpreter: &'i mut Interpreter<'a>,
    oracle: &'i dyn Oracle,
    frames: Vec<Frame<'a>>,
    /// What the cells that are written hold at the start.
    at_start: Cells,
    /// What has been written.
    written: Cells,
    /// What has been written to places that move on.
    sweeps: Vec<Sweep>,
    /// The objects of what has been written, where objects are followed.
    notes: FxHashMap<Cell, Provenance>,
    /// The objects of what cells held at the start that were asked for.
    noted_at_start: FxHashMap<Cell, Provenance>,
    /// The cells of memory that have been read.
    read: FxHashSet<Cell>,
    /// The input that has been asked for.
    input: Option<Asked<'a>>,
    horizon: Horizon,
}

impl<'a> Interpreter<'a> {
    /// The longest stretch of periods that take a way from where the execution stands, if there are at least so many.
    pub(super) fn plan(&mut self, way: &[BlockId], fewest: u64, oracle: &dyn Oracle) -> Option<Skip<'a>> {
        // What the next periods do shows what the values may be.
        let mut samples: Vec<Cells> = Vec::with_capacity(DEGREE);
        let mut state = Cells::default();
        for _ in 0..DEGREE {
            let mut walk = Walk::new(self, oracle, state.clone());
            walk.follow(way)?;
            let end = walk.written;
            state.extend(&end);
            samples.push(end);
        }
        // What is written in one of them only lies at a place that moves on.
        let is_there = |cell: &&Cell| samples.iter().all(|s| s.contains_key(cell));
        let mut cells: Vec<Cell> = samples[0].keys().filter(is_there).copied().collect();
        cells.sort_unstable();
        let mut guesses: Vec<(Cell, Option<Progression>)> = Vec::new();
        for cell in cells {
            let first = self.current(&cell);
            let value = |value: &Value| match value {
                Value::Known(p, None) => p.as_constant(),
                _ => None,
            };
            let later = samples.iter().map(|s| value(&s[&cell]));
            let values: Option<Vec<i128>> = std::iter::once(value(&first)).chain(later).collect();
            let guess = values.and_then(|values| values.try_into().ok());
            guesses.push((cell, guess.map(|values| Progression::through(values, cell.bits()))));
        }
        self.confirm(way, guesses, fewest, oracle)
    }

    /// The plan that guesses lead to; those that are not right are dropped.
    fn confirm(
        &mut self,
        way: &[BlockId],
        mut guesses: Vec<(Cell, Option<Progression>)>,
        fewest: u64,
        oracle: &dyn Oracle,
    ) -> Option<Skip<'a>> {
        loop {
            let start = guesses.iter().map(|&(cell, guess)| {
                let value = guess.map_or(Value::Lost, |p| Value::wrapped(p, cell.as_type()));
                (cell, value)
            });
            let mut walk = Walk::new(self, oracle, start.collect());
            walk.follow(way)?;
            walk.keep_apart()?;
            if !walk.keeps_objects() {
                return None;
            }
            let Walk { written, sweeps, input, horizon: Horizon(horizon), .. } = walk;
            if written.len() != guesses.len() {
                return None;
            }
            let mut all_right = true;
            for (cell, guess) in &mut guesses {
                let end = written.get(cell)?;
                let is_right = |p: &Progression| match end {
                    Value::Known(q, _) => p.next().is_congruent(q, cell.bits()),
                    _ => false,
                };
                if *end == Value::Lost {
                    return None;
                }
                if guess.as_ref().is_some_and(|p| !is_right(p)) {
                    (*guess, all_right) = (None, false);
                }
            }
            // Nothing ends such a loop, or it is over.
            if horizon < fewest || horizon >= MOST_PERIODS {
                return None;
            }
            if all_right {
                let most = if sweeps.is_empty() { u64::MAX } else { most_swept(&sweeps, horizon - 1) };
                let (periods, values) = skip(&guesses, most.min(horizon - 1))?;
                return (periods >= fewest - 1).then_some(Skip { periods, values, sweeps, input });
            }
        }
    }

    /// What a cell holds now.
    fn current(&mut self, cell: &Cell) -> Value {
        let (at, ty) = (bytes(cell), cell.as_type());
        if self.is_unread(&at) { Value::Lost } else { Value::constant(self.raw(&at, ty)) }
    }

    /// Fills the memory that some periods write.
    pub(super) fn sweep(&mut self, sweep: &Sweep, periods: u64) {
        // Pointers that overlap what is written are none any more.
        let before = i128::from(self.unit.types.pointer_size()) - 1;
        if let Some((start, end, byte)) = sweep.as_fill(periods) {
            self.clear_pointers(&Bytes::Memory(start - before), end - start + before);
            return self.memory.fill(start, end - start, byte);
        }
        for period in 0..periods {
            let Some(start) = sweep.start.exactly_at(period) else { return };
            self.clear_pointers(&Bytes::Memory(start - before), sweep.size + before);
            self.memory.write(start, sweep.size as u32, sweep.value);
        }
        self.debt += periods;
    }

    /// Gives a cell a value.
    pub(super) fn set_value(&mut self, cell: &Cell, value: i128) {
        self.set_raw(&bytes(cell), cell.size as u32, value);
    }
}

/// How many of so many periods can be skipped that fill memory.
fn most_swept(sweeps: &[Sweep], periods: u64) -> u64 {
    match sweeps.iter().all(|s| s.as_fill(periods).is_some()) {
        true => periods,
        false => periods.min(MOST_WRITES),
    }
}

/// The values after so many periods, or fewer if they cannot be computed.
fn skip(guesses: &[(Cell, Option<Progression>)], mut periods: u64) -> Option<(u64, Vec<(Cell, i128)>)> {
    while periods > 0 {
        let known = guesses.iter().filter_map(|&(cell, guess)| Some((cell, guess?)));
        let values: Option<Vec<(Cell, i128)>> = known.map(|(cell, p)| Some((cell, p.at(periods)?))).collect();
        if let Some(values) = values {
            return Some((periods, values));
        }
        periods /= 2;
    }
    None
}

/// The bytes of a cell that exists at the head of the loop.
fn bytes(cell: &Cell) -> Bytes {
    match cell.region {
        Region::Static(v) => Bytes::Static(v, cell.start),
        Region::Local(_, v) => Bytes::Local(v, cell.start),
        Region::Memory => Bytes::Memory(cell.start),
    }
}

/// As it is in memory: all bits count, also of a truth value.
fn stored(ty: IntType) -> IntType {
    IntType { rank: 9, ..ty }
}

impl<'i, 'a> Walk<'i, 'a> {
    fn new(interpreter: &'i mut Interpreter<'a>, oracle: &'i dyn Oracle, at_start: Cells) -> Walk<'i, 'a> {
        let func = interpreter.frame().func;
        Walk {
            interpreter,
            oracle,
            frames: vec![Frame { func, next: (BlockId::new(0), 0), result: None }],
            at_start,
            written: Cells::default(),
            sweeps: Vec::new(),
            notes: FxHashMap::default(),
            noted_at_start: FxHashMap::default(),
            read: FxHashSet::default(),
            input: None,
            horizon: Horizon(MOST_PERIODS),
        }
    }

    /// Follows the jumps of a period; `None` if something else would be done or it cannot be followed.
    fn follow(&mut self, way: &[BlockId]) -> Option<()> {
        let unit = self.interpreter.unit;
        let (mut block, mut next) = (*way.last()?, 0);
        let mut jumps = way.iter();
        let mut to_come = way.len();
        while to_come > 0 {
            let func = self.frames.last()?.func;
            let code = &unit.funcs[func].blocks[block];
            if let Some(instruction) = code.instrs.get(next) {
                next += 1;
                if let InstrKind::Call(result, Callee::Direct(callee), args) = &instruction.kind {
                    self.enter(
                        *callee,
                        args,
                        Frame { func: *callee, next: (block, next), result: result.as_ref() },
                    )?;
                    (block, next) = (BlockId::new(0), 0);
                } else {
                    self.instruction(&instruction.kind, instruction.span)?;
                }
                continue;
            }
            let target = match &code.end {
                Terminator::Goto(b) => *b,
                Terminator::Branch(e, yes, no) => {
                    let value = self.eval(*e);
                    if self.horizon.truth(value)? { *yes } else { *no }
                }
                Terminator::Switch(e, cases, default) => self.case(*e, cases)?.unwrap_or(*default),
                Terminator::Return(value) => {
                    (block, next) = self.leave(*value)?;
                    continue;
                }
                Terminator::Halt | Terminator::Error(_) => return None,
            };
            if jumps.next() != Some(&target) {
                return None;
            }
            to_come -= 1;
            (block, next) = (target, 0);
        }
        (self.frames.len() == 1).then_some(())
    }

    /// The case that a value leads to, unless that is the default.
    fn case(&mut self, e: ExprId, cases: &[(i128, i128, BlockId)]) -> Option<Option<BlockId>> {
        let value = self.eval(e);
        for &(low, high, block) in cases {
            let from = self.horizon.compare(CmpOp::Le, Value::constant(low), value)?;
            let to = self.horizon.compare(CmpOp::Le, value, Value::constant(high))?;
            if from && to {
                return Some(Some(block));
            }
        }
        Some(None)
    }

    fn enter(&mut self, callee: FuncId, args: &[ExprId], frame: Frame<'a>) -> Option<()> {
        let unit = self.interpreter.unit;
        let values: Vec<Value> = args.iter().map(|&a| self.eval(a)).collect();
        let objects: Vec<Provenance> = args.iter().map(|&a| self.object_of(a)).collect::<Option<_>>()?;
        self.frames.push(frame);
        for ((&p, value), object) in unit.funcs[callee].params.iter().zip(values).zip(objects) {
            if self.interpreter.layout.vars[p] == Home::New {
                return None;
            }
            if unit.types.is_scalar(unit.vars[p].ty) {
                self.store(&Place::var(p, unit.vars[p].ty), value, object)?;
            }
        }
        Some(())
    }

    /// Returns; the place where execution goes on.
    fn leave(&mut self, value: Option<ExprId>) -> Option<(BlockId, usize)> {
        let object = value.map_or(Some(None), |e| self.object_of(e))?;
        let value = value.map_or(Value::constant(0), |e| self.eval(e));
        let depth = self.frames.len() - 1;
        let frame = self.frames.pop()?;
        if depth == 0 {
            return None;
        }
        let is_over = |cell: &Cell| matches!(cell.region, Region::Local(d, _) if d == depth);
        self.written.retain(|cell, _| !is_over(cell));
        self.notes.retain(|cell, _| !is_over(cell));
        if let Some(place) = frame.result {
            self.store(place, value, object)?;
        }
        Some(frame.next)
    }

    fn instruction(&mut self, kind: &'a InstrKind, span: Span) -> Option<()> {
        match kind {
            InstrKind::Input(place, site) => {
                let unit = self.interpreter.unit;
                // With two of them, their order would be lost.
                if unit.inputs[*site].is_computed || self.input.is_some() {
                    return None;
                }
                let object = unit.types.pointee(place.ty).map(|_| FOREIGN);
                let (value, times) = self.oracle.steady(*site)?;
                let value = unit.types.representation(place.ty).map_or(value, |ty| ty.wrap(value));
                self.horizon.0 = self.horizon.0.min(times);
                self.input = Some(Asked { site: *site, place, span, value });
                self.store(place, Value::constant(value), object)
            }
            InstrKind::Assign(place, e) => {
                let (value, object) = (self.eval(*e), self.object_of(*e)?);
                self.store(place, value, object)
            }
            InstrKind::Assume(e) => {
                let value = self.eval(*e);
                self.horizon.truth(value)?.then_some(())
            }
            InstrKind::Escape(_) => Some(()),
            InstrKind::Fresh(v, None) => (self.interpreter.layout.vars[*v] != Home::New).then_some(()),
            _ => None,
        }
    }

    /// The object that a value belongs to in every period, as the interpreter would find it; `None` if that may change. It matters only where
    /// objects are followed.
    fn object_of(&mut self, e: ExprId) -> Option<Provenance> {
        let unit = self.interpreter.unit;
        if !unit.guards_memory || !self.is_as_wide_as_pointers(unit.exprs[e].ty) {
            return Some(None);
        }
        let mut e = e;
        loop {
            e = match Origin::of(unit, e) {
                Origin::Same(of) => of,
                Origin::Choice(c, a, b) => {
                    let value = self.eval(c);
                    [b, a][usize::from(self.horizon.truth(value)?)]
                }
                Origin::Variable(whole) => {
                    let Spot::Cell(cell) = self.locate(&whole, None)? else { return None };
                    return Some((cell.region == Region::Memory).then_some(cell.start));
                }
                Origin::Stored(place) => {
                    let Spot::Cell(cell) = self.locate(place, None)? else { return None };
                    return Some(self.noted(&cell));
                }
                Origin::Unknown => return Some(None),
            };
        }
    }

    fn is_as_wide_as_pointers(&self, ty: TypeId) -> bool {
        let types = &self.interpreter.unit.types;
        types.size_of(ty) == Some(types.pointer_size())
    }

    /// The object of what a cell holds.
    fn noted(&mut self, cell: &Cell) -> Provenance {
        if let Some(object) = self.notes.get(cell) {
            return *object;
        }
        if matches!(cell.region, Region::Local(1.., _)) {
            return None;
        }
        let object = self.interpreter.noted(&bytes(cell), 0);
        self.noted_at_start.insert(*cell, object);
        object
    }

    /// Do the cells whose objects were asked for belong to the same ones in the end? Then they do in every period.
    fn keeps_objects(&self) -> bool {
        let width = i128::from(self.interpreter.unit.types.pointer_size());
        self.noted_at_start.iter().all(|(cell, object)| {
            self.written.keys().all(|other| match other == cell {
                true => self.notes.get(cell) == Some(object),
                // What is written there makes a pointer in the cell none.
                false => {
                    other.region != cell.region
                        || other.start - width >= cell.start
                        || other.start + other.size <= cell.start
                }
            })
        })
    }

    /// Brings the horizon so near that places that move on touch nothing else; `None` if they do at once.
    fn keep_apart(&mut self) -> Option<()> {
        let in_memory = |c: &&Cell| c.region == Region::Memory;
        let cells: Vec<Cell> =
            self.read.iter().chain(self.written.keys()).filter(in_memory).copied().collect();
        let constant = Progression::constant;
        let fixed = cells.iter().map(|c| (constant(c.start), constant(c.start + c.size)));
        let fixed: Vec<Extent> = fixed.collect();
        let moving: Vec<Extent> = self.sweeps.iter().map(Sweep::extent).collect::<Option<_>>()?;
        for (n, one) in moving.iter().enumerate() {
            for other in fixed.iter().chain(&moving[n + 1..]) {
                self.horizon.apart(one, other)?;
            }
        }
        Some(())
    }

    /// Where a place is, which is a scalar or whose address is wanted.
    fn locate(&mut self, place: &Place, values: Option<&[(ExprId, Value)]>) -> Option<Spot> {
        let interpreter = &*self.interpreter;
        let size = interpreter.unit.types.representation(place.ty).map_or(1, |ty| ty.bits / 8);
        let (region, base) = match place.base {
            Base::Deref(_) => (Region::Memory, 0),
            Base::Var(v) => match (interpreter.layout.vars[v], interpreter.unit.vars[v].storage) {
                (Home::Fixed(a), _) => (Region::Memory, a),
                // The address belongs to the function with the loop, or to a call that has not been made.
                (Home::New, _) if self.frames.len() > 1 => return None,
                (Home::New, _) => {
                    (Region::Memory, interpreter.frames.last()?.addresses.get(&v).copied().unwrap_or(0))
                }
                (Home::Nowhere, Storage::Static) => (Region::Static(v), 0),
                (Home::Nowhere, Storage::Auto(_)) => (Region::Local(self.frames.len() - 1, v), 0),
            },
        };
        let mut start = Progression::constant(base + i128::from(place.offset));
        let parts = place.dynamic.iter().copied();
        let pointer = match place.base {
            Base::Deref(e) => Some((e, 1)),
            Base::Var(_) => None,
        };
        for (e, stride) in parts.chain(pointer) {
            let value = match values {
                Some(values) => operand(values, e),
                None => self.eval(e),
            };
            match self.horizon.exact(value) {
                Some(p) => start = start.checked_add(&p.checked_scale(i128::from(stride))?)?,
                None => return Some(Spot::Unknown(region)),
            }
        }
        let size = i128::from(size);
        Some(match start.as_constant() {
            Some(start) => Spot::Cell(Cell { region, start, size }),
            None => Spot::Moving { region, start, size },
        })
    }

    fn store(&mut self, place: &Place, value: Value, object: Provenance) -> Option<()> {
        let Some(_) = self.interpreter.unit.types.representation(place.ty) else { return Some(()) };
        let cell = match self.locate(place, None)? {
            Spot::Cell(cell) => cell,
            Spot::Moving { region: Region::Memory, start, size } if place.bits.is_none() => {
                let Value::Known(p, _) = value else { return None };
                if object.is_some() {
                    return None;
                }
                let sweep = Sweep::new(start, size, p.as_constant()?)?;
                self.sweeps.retain(|s| (s.start, s.size) != (start, size));
                self.sweeps.push(sweep);
                return Some(());
            }
            Spot::Moving { .. } | Spot::Unknown(_) => return None,
        };
        let is_apart = |c: &Cell| c == &cell || !c.overlaps(&cell);
        let is_fine = self.written.keys().chain(self.at_start.keys()).all(is_apart);
        if place.bits.is_some() || !is_fine {
            return None;
        }
        let value = match value {
            Value::Known(p, _) => Value::wrapped(p, cell.as_type()),
            other => other,
        };
        self.notes.insert(cell, object.filter(|_| self.is_as_wide_as_pointers(place.ty)));
        self.written.insert(cell, value);
        Some(())
    }

    fn load(&mut self, place: &Place, values: &[(ExprId, Value)]) -> Value {
        let types = &self.interpreter.unit.types;
        let Some(ty) = types.representation(place.ty) else { return Value::Lost };
        let Some(found) = self.locate(place, Some(values)) else { return Value::Lost };
        if place.bits.is_some() {
            return Value::Lost;
        }
        let cell = match found {
            Spot::Cell(cell) => cell,
            Spot::Moving { region, start, size } => {
                let sweep = self.sweeps.iter().find(|s| (s.start, s.size) == (start, size));
                let value = sweep.map(|s| Value::wrapped(Progression::constant(s.value), stored(ty)));
                return value.unwrap_or_else(|| self.somewhere(region));
            }
            Spot::Unknown(region) => return self.somewhere(region),
        };
        self.read.insert(cell);
        let value = match self.written.get(&cell).or_else(|| self.at_start.get(&cell)) {
            Some(value) => *value,
            None if self.written.keys().chain(self.at_start.keys()).any(|c| c.overlaps(&cell)) => {
                return Value::Lost;
            }
            // A local of a call on the way that has not been written.
            None if matches!(cell.region, Region::Local(depth, _) if depth > 0) => return Value::Lost,
            None => self.interpreter.current(&cell),
        };
        match value {
            Value::Known(p, _) if p.as_constant().is_some() || is_followed(ty) => {
                Value::wrapped(p, stored(ty))
            }
            Value::Known(..) => Value::Computed,
            other => other,
        }
    }

    /// What is read somewhere in a region. Whatever moves on has written what is there.
    fn somewhere(&self, region: Region) -> Value {
        let mut changing = self.written.keys().chain(self.at_start.keys());
        if changing.any(|c| c.region == region) { Value::Lost } else { Value::Computed }
    }

    /// What an expression is in every round.
    fn eval(&mut self, e: ExprId) -> Value {
        let order = self.interpreter.order_of(e);
        let mut values: Vec<(ExprId, Value)> = Vec::with_capacity(order.len());
        for &e in order.iter() {
            let value = self.node(e, &values);
            values.push((e, value));
        }
        operand(&values, e)
    }

    fn node(&mut self, e: ExprId, values: &[(ExprId, Value)]) -> Value {
        let unit = self.interpreter.unit;
        let typed = &unit.exprs[e];
        let at = |x: &ExprId| operand(values, *x);
        let type_of = |x: ExprId| unit.types.representation(unit.exprs[x].ty);
        let operands: Vec<Value> = typed.expr.operands().iter().map(at).collect();
        let otherwise = Value::of_operands(&operands);
        let known = |truth: Option<bool>| truth.map_or(otherwise, |t| Value::constant(i128::from(t)));
        let is_followed =
            typed.expr.operands().into_iter().chain([e]).all(|x| type_of(x).is_some_and(is_followed));
        let ty = match type_of(e) {
            Some(ty) if is_followed => ty,
            // An address is followed, whatever it is the address of.
            _ if matches!(typed.expr, Expr::Load(_)) => IntType::WIDE,
            _ => return otherwise,
        };
        match &typed.expr {
            Expr::Int(v) => Value::constant(*v),
            Expr::Load(_) if otherwise == Value::Lost => Value::Lost,
            Expr::Load(place) => self.load(place, values),
            Expr::Addr(place) => match self.address(place, values) {
                Some(p) => Value::Known(p, None),
                None => otherwise,
            },
            Expr::Func(f) => Value::constant(self.interpreter.layout.funcs[*f]),
            Expr::Neg(a) => self.horizon.binary(BinOp::Sub, Value::constant(0), at(a), ty),
            Expr::Not(a) => self.horizon.binary(BinOp::Sub, Value::constant(-1), at(a), ty),
            Expr::Binary(op, a, b) => self.horizon.binary(*op, at(a), at(b), ty),
            Expr::Compare(op, a, b) => known(self.horizon.compare(*op, at(a), at(b))),
            Expr::LogicAnd(a, b) => known(match self.horizon.truth(at(a)) {
                Some(true) => self.horizon.truth(at(b)),
                other => other,
            }),
            Expr::LogicOr(a, b) => known(match self.horizon.truth(at(a)) {
                Some(false) => self.horizon.truth(at(b)),
                other => other,
            }),
            Expr::LogicNot(a) => known(self.horizon.truth(at(a)).map(|t| !t)),
            Expr::Cond(c, a, b) => match self.horizon.truth(at(c)) {
                Some(truth) => at(if truth { a } else { b }),
                None => otherwise,
            },
            Expr::Cast(a) => match type_of(*a) {
                Some(from) => self.horizon.convert(at(a), from, ty),
                None => otherwise,
            },
            Expr::PtrAdd(p, i, scale) => {
                let sum = self.horizon.exact(at(p)).zip(self.horizon.exact(at(i)));
                let sum = sum.and_then(|(p, i)| p.checked_add(&i.checked_scale(i128::from(*scale))?));
                sum.map_or(otherwise, |p| Value::Known(p, None))
            }
            Expr::Float(_) | Expr::Math(..) | Expr::PtrSub(..) => otherwise,
        }
    }

    /// The address of a place.
    fn address(&mut self, place: &Place, values: &[(ExprId, Value)]) -> Option<Progression> {
        match self.locate(place, Some(values))? {
            Spot::Cell(Cell { region: Region::Memory, start, .. }) => Some(Progression::constant(start)),
            Spot::Moving { region: Region::Memory, start, .. } => Some(start),
            _ => None,
        }
    }
}

/// The value of an operand, which has been evaluated.
fn operand(values: &[(ExprId, Value)], e: ExprId) -> Value {
    match values.binary_search_by_key(&e, |v| v.0) {
        Ok(n) => values[n].1,
        Err(_) => Value::Lost,
    }
}
