//! The interpreter: executes the typed program on concrete bytes.
//!
//! It is the judge of traces and the oracle of tests, so it shares nothing with the encoder but the addresses of
//! objects. Where C leaves behaviour undefined it does what the encoding does: shifts count modulo the width, signed
//! arithmetic wraps, memory outside of objects can be read and written. Floating-point values are computed exactly as
//! IEEE 754 says; where a value is not known (see [`Stuck`]) and matters, the execution ends. Loops that do the same again and again
//! are executed in long strides (`rounds`).

mod contents;
mod eval;
mod objects;
mod pages;
mod replay;
mod rounds;
mod snapshot;
mod unread;

pub use objects::Fault;
pub use replay::{Given, Replay};
pub use snapshot::{Snapshot, Stop};

use super::hir::{Base, BlockId, Callee, ExprId, FuncId, InstrKind, Place, Storage, Terminator, Unit, VarId};
use super::layout::{GRAIN, Home, Layout};
use super::memory::infer;
use super::types::{IntType, TypeId};
use bolide_base::{Budget, IdVec, Interrupt};
use bolide_model::{InputId, PropertyId, Span};
use contents::{Contents, LocalContents};
use eval::Values;
use objects::{LocalPointers, Objects, Provenance};
use pages::Pages;
use rounds::Rounds;
use rustc_hash::{FxHashMap, FxHashSet};
use snapshot::Jumps;
use std::rc::Rc;
use unread::{MOST_ROUNDS, Nests, UNREAD, Unread};

/// Part of an object: offset, bytes, value.
pub type Part = (u64, u32, i128);

/// Where inputs come from.
pub trait Oracle {
    /// The next value of an input; it is taken modulo the width of its type.
    fn scalar(&mut self, site: InputId) -> i128;

    /// The value that an input will have again and again, and how often, if that is known. Nothing is served by this.
    fn steady(&self, site: InputId) -> Option<(i128, u64)> {
        let _ = site;
        None
    }

    /// Serves an input so many times at once, with the value that is [`steady`](Oracle::steady); not more often than it is.
    fn repeat(&mut self, site: InputId, times: u64) {
        (0..times).for_each(|_| _ = self.scalar(site));
    }

    /// The contents of an object that is not initialised; what is not listed is zero.
    fn object(&mut self, site: InputId) -> Vec<Part> {
        let _ = site;
        Vec::new()
    }

    /// What memory holds before anything is stored there: address, bytes, value. What is not listed is zero.
    fn memory(&mut self) -> Vec<(i128, u32, i128)> {
        Vec::new()
    }
}

impl<F: FnMut(InputId) -> i128> Oracle for F {
    fn scalar(&mut self, site: InputId) -> i128 {
        self(site)
    }
}

/// A value that matters and is not known: C does not define it, or it is a `long double`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// Where.
    pub span: Span,
    /// Why.
    pub why: &'static str,
}

/// A value, unless it is not known.
type Known<T> = Result<T, Box<Stuck>>;

/// How an execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A property was violated.
    Error(PropertyId),
    /// The entry function returned.
    Returned(i128),
    /// The program ended itself, or an assumption did not hold.
    Halted(Span),
    /// Execution needs a value that is not known.
    Stuck(Stuck),
    /// The budget ran out.
    Interrupted(Interrupt),
}

/// What happened, for the reader of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Where.
    pub span: Span,
    /// The function that was executed.
    pub func: FuncId,
    /// What.
    pub what: Happening,
}

/// What can happen in an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Happening {
    /// A scalar was stored.
    Store {
        /// The variable, if a variable was named.
        var: Option<VarId>,
        /// If it is only a part of the variable: the bytes before it.
        part: Option<i128>,
        /// The type of the scalar.
        ty: TypeId,
        /// The value; of a floating scalar, its bit pattern.
        value: i128,
        /// Does the value come from outside?
        is_input: bool,
    },
    /// A condition was decided.
    Branch(bool),
    /// A function was called; its parameters are stored next.
    Call(FuncId),
    /// So many rounds of a loop were executed at once; what variables hold after them is stored next.
    Rounds(u64),
}

#[derive(Clone)]
struct Frame {
    func: FuncId,
    block: BlockId,
    next: usize,
    objects: FxHashMap<VarId, Vec<u8>>,
    addresses: FxHashMap<VarId, i128>,
    pointers: LocalPointers,
    contents: LocalContents,
    /// Variables whose values are not known.
    unread: FxHashSet<VarId>,
    result: Option<Place>,
}

/// A program in execution.
pub struct Interpreter<'a> {
    unit: &'a Unit,
    layout: Layout,
    statics: FxHashMap<VarId, Vec<u8>>,
    memory: Pages,
    /// Bytes that library functions have gone through and that have not been counted as steps.
    debt: u64,
    /// Why the execution cannot go on, if it needs too much.
    too_much: Option<&'static str>,
    frames: Vec<Frame>,
    heap_end: i128,
    orders: IdVec<ExprId, Option<Rc<[ExprId]>>>,
    /// Room for the values of operands.
    values: Values,
    /// Why the initial values of static objects are not known, if so.
    unknown_start: Option<Box<Stuck>>,
    objects: Objects,
    contents: Contents,
    rounds: Rounds,
    nests: Nests,
    unread: Unread,
    /// The jumps of all executions, if somebody asks for them.
    jumps: Option<Jumps>,
    /// What was wrong with an access, if that ended the execution.
    pub fault: Option<Fault>,
    /// Nests of loops that would take so many rounds are left out, if that is possible: more than any execution has.
    pub fewest_left_out: u128,
    /// What was stored, the newest last; kept only if asked for.
    pub events: Option<Vec<Event>>,
}

/// Library functions that go through more bytes, and larger objects without an address, end an execution.
const MOST_BYTES: i128 = 1 << 26;
/// So many bytes the largest scalar has.
const LARGEST_PART: u32 = 16;
/// So many bytes cost a step.
const BYTES_PER_STEP: u64 = 64;
/// Deeper recursion ends an execution.
const MOST_FRAMES: usize = 1 << 20;
const TOO_MUCH: &str = "the execution needs more memory than the interpreter gives it";

/// Where bytes are.
enum Bytes {
    Static(VarId, i128),
    Local(VarId, i128),
    Memory(i128),
}

impl<'a> Interpreter<'a> {
    /// A program about to start.
    pub fn new(unit: &'a Unit) -> Interpreter<'a> {
        let analysis = infer(unit);
        let layout = Layout::new(unit, &analysis);
        let heap_end = layout.heap;
        let mut this = Interpreter {
            unit,
            layout,
            statics: FxHashMap::default(),
            memory: Pages::default(),
            debt: 0,
            too_much: None,
            frames: Vec::new(),
            heap_end,
            orders: unit.exprs.iter().map(|_| None).collect(),
            values: Values::default(),
            unknown_start: None,
            objects: Objects::default(),
            contents: Contents::default(),
            rounds: Rounds::default(),
            nests: Nests::default(),
            unread: Unread::default(),
            jumps: None,
            fault: None,
            fewest_left_out: MOST_ROUNDS,
            events: None,
        };
        this.reset();
        this
    }

    /// Makes the program ready to start again, which costs less than a new interpreter.
    pub fn reset(&mut self) {
        self.statics.clear();
        self.memory.clear();
        (self.debt, self.too_much) = (0, None);
        self.frames.clear();
        self.heap_end = self.layout.heap;
        if let Some(events) = &mut self.events {
            events.clear();
        }
        self.fault = None;
        self.rounds = Rounds::default();
        self.nests.start();
        self.unread = Unread::default();
        self.start_objects();
        self.start_contents();
        self.unknown_start = self.initialise().err();
    }

    fn initialise(&mut self) -> Known<()> {
        let types = &self.unit.types;
        for s in &self.unit.statics {
            // Nothing can be done with a value of type `long double` but to copy it, so none is needed.
            if types.is_float(s.ty) && types.format(s.ty).is_none() {
                continue;
            }
            let value = self.eval(s.value)?;
            let place = Place { offset: s.offset as i64, bits: s.bits, ..Place::var(s.var, s.ty) };
            let object = self.object_of(s.value)?;
            self.store(&place, value)?;
            self.note_pointer(&place, object)?;
        }
        Ok(())
    }

    /// The value of a static scalar variable, by name.
    pub fn global(&mut self, name: &str) -> Option<i128> {
        let (id, v) =
            self.unit.vars.iter_enumerated().find(|(_, v)| v.storage == Storage::Static && v.name == name)?;
        self.unit.types.representation(v.ty)?;
        let place = Place::var(id, v.ty);
        let at = self.locate(&place).ok()?;
        if self.is_unread(&at) { None } else { self.load(&place).ok() }
    }

    /// Runs the program to its end.
    pub fn run(&mut self, oracle: &mut impl Oracle, budget: &Budget) -> End {
        self.execute(oracle, budget).unwrap_or_else(|stuck| End::Stuck(*stuck))
    }

    fn execute(&mut self, oracle: &mut impl Oracle, budget: &Budget) -> Known<End> {
        self.begin(oracle)?;
        loop {
            if let Some(end) = self.advance(oracle, budget)? {
                return Ok(end);
            }
        }
    }

    /// Comes to the first instruction.
    fn begin(&mut self, oracle: &mut impl Oracle) -> Known<()> {
        if let Some(stuck) = &self.unknown_start {
            return Err(stuck.clone());
        }
        for (address, size, value) in oracle.memory() {
            // Only what is allocated later is arbitrary; static objects have been initialised.
            if address >= self.layout.heap {
                for n in 0..i128::from(size) {
                    self.set_byte(&Bytes::Memory(address), n, (value >> (8 * n)) as u8);
                }
            }
        }
        self.enter(self.unit.entry, None, &[], &[])?;
        for n in 0..self.unit.funcs[self.unit.entry].params.len() {
            // Arguments of the program are arbitrary; zero is as good as anything.
            let p = self.unit.funcs[self.unit.entry].params[n];
            let place = Place::var(p, self.unit.vars[p].ty);
            if self.unit.types.is_scalar(place.ty) {
                self.store(&place, 0)?;
            }
        }
        Ok(())
    }

    /// Executes one instruction or the end of a block, if the budget allows it.
    fn advance(&mut self, oracle: &mut impl Oracle, budget: &Budget) -> Known<Option<End>> {
        if let Err(e) = budget.poll() {
            return Ok(Some(End::Interrupted(e)));
        }
        if let Some(end) = self.step(oracle)? {
            return Ok(Some(end));
        }
        for _ in 0..std::mem::take(&mut self.debt) / BYTES_PER_STEP {
            if let Err(e) = budget.poll() {
                return Ok(Some(End::Interrupted(e)));
            }
        }
        Ok(None)
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running program has a frame")
    }

    fn enter(
        &mut self,
        f: FuncId,
        result: Option<Place>,
        args: &[i128],
        objects: &[Provenance],
    ) -> Known<()> {
        let frame = Frame {
            func: f,
            block: BlockId::new(0),
            next: 0,
            objects: FxHashMap::default(),
            addresses: FxHashMap::default(),
            pointers: LocalPointers::default(),
            contents: LocalContents::default(),
            unread: FxHashSet::default(),
            result,
        };
        self.frames.push(frame);
        for (n, &p) in self.unit.funcs[f].params.iter().enumerate() {
            if self.layout.vars[p] == Home::New {
                self.new_address(p);
            }
            let ty = self.unit.vars[p].ty;
            if let (Some(&v), true) = (args.get(n), self.unit.types.is_scalar(ty)) {
                self.store(&Place::var(p, ty), v)?;
                self.note_pointer(&Place::var(p, ty), objects.get(n).copied().flatten())?;
            }
        }
        Ok(())
    }

    /// Executes one instruction or the end of a block.
    fn step(&mut self, oracle: &mut impl Oracle) -> Known<Option<End>> {
        let unit = self.unit;
        let frame = self.frame();
        let block = &unit.funcs[frame.func].blocks[frame.block];
        let n = frame.next;
        frame.next += 1;
        let (end, span) = match block.instrs.get(n) {
            Some(i) => (self.instruction(&i.kind, i.span, oracle), i.span),
            None => (self.terminator(&block.end, block.span, oracle), block.span),
        };
        if self.frames.len() > MOST_FRAMES {
            self.too_much = Some("the recursion is too deep");
        } else if self.memory.is_full() {
            self.too_much = Some(TOO_MUCH);
        }
        match self.too_much {
            Some(why) => Err(Box::new(Stuck { span, why })),
            None => end,
        }
    }

    /// May a library function go through so many bytes? It costs steps, too.
    fn charge(&mut self, bytes: i128) -> bool {
        let is_fine = bytes <= MOST_BYTES;
        if is_fine {
            self.debt += bytes.max(0) as u64;
        } else {
            self.too_much = Some(TOO_MUCH);
        }
        is_fine
    }

    fn terminator(&mut self, end: &Terminator, span: Span, oracle: &mut impl Oracle) -> Known<Option<End>> {
        let next = match end {
            Terminator::Goto(b) => *b,
            Terminator::Branch(e, yes, no) => {
                let holds = self.eval(*e)? != 0;
                self.record(span, Happening::Branch(holds));
                if holds { *yes } else { *no }
            }
            Terminator::Switch(e, cases, default) => {
                let v = self.eval(*e)?;
                cases.iter().find(|c| c.0 <= v && v <= c.1).map_or(*default, |c| c.2)
            }
            Terminator::Return(value) => {
                let object = value.map_or(Ok(None), |e| self.object_of(e))?;
                let value = value.map_or(Ok(0), |e| self.eval(e))?;
                self.end_frame(span);
                let done = self.frames.pop().expect("a running program has a frame");
                if self.frames.is_empty() {
                    return Ok(Some(End::Returned(value)));
                }
                if let Some(place) = done.result {
                    self.assign(&place, value, span)?;
                    self.note_pointer(&place, object)?;
                }
                return Ok(None);
            }
            Terminator::Halt => return Ok(Some(End::Halted(span))),
            Terminator::Error(p) => {
                if self.unit.is_unsupported(*p) {
                    return Err(Box::new(Stuck { span, why: "something unsupported" }));
                }
                return Ok(Some(End::Error(*p)));
            }
        };
        let frame = self.frame();
        let from = std::mem::replace(&mut frame.block, next);
        frame.next = 0;
        let func = frame.func;
        if let Some(jumps) = &mut self.jumps {
            let caller = self.frames.len().checked_sub(2).map(|n| self.frames[n].func);
            jumps.note(caller, func, from, next);
        }
        self.note_jump(from, next, oracle);
        Ok(None)
    }

    fn instruction(&mut self, kind: &InstrKind, span: Span, oracle: &mut impl Oracle) -> Known<Option<End>> {
        match kind {
            InstrKind::Assign(p, e) => {
                // What is not known of a `long double` matters only where it is used.
                let types = &self.unit.types;
                let is_opaque = types.is_float(p.ty) && types.format(p.ty).is_none();
                let v = self.eval(*e).or_else(|stuck| if is_opaque { Ok(0) } else { Err(stuck) })?;
                let object = self.object_of(*e)?;
                self.assign(p, v, span)?;
                self.note_pointer(p, object)?;
            }
            InstrKind::Input(_, site) if self.unit.inputs[*site].is_computed => {
                let why = "the value of a library function is not known";
                return Err(Box::new(Stuck { span, why }));
            }
            InstrKind::Input(p, site) => {
                let v = oracle.scalar(*site);
                let v = self.unit.types.representation(p.ty).map_or(v, |t| t.wrap(v));
                self.store(p, v)?;
                self.note_foreign(p)?;
                self.record_store(p, v, span, true);
            }
            InstrKind::Guard(guard) => return self.guard(guard, span),
            InstrKind::Assume(e) => {
                if self.eval(*e)? == 0 {
                    return Ok(Some(End::Halted(span)));
                }
            }
            InstrKind::Copy(to, from) => {
                let size = self.unit.types.size_of(to.ty).unwrap_or(0);
                let (a, b) = (self.locate(to)?, self.locate(from)?);
                self.copy(&a, &b, size as i128);
                self.copy_pointers(&a, &b, size as i128);
                self.copy_written(&a, &b, size as i128);
            }
            InstrKind::Move(to, from, n) => {
                let (a, b, n) = (self.eval(*to)?, self.eval(*from)?, self.eval(*n)?);
                self.copy(&Bytes::Memory(a), &Bytes::Memory(b), n);
                self.copy_pointers(&Bytes::Memory(a), &Bytes::Memory(b), n);
                self.copy_written(&Bytes::Memory(a), &Bytes::Memory(b), n);
            }
            InstrKind::Fill(to, v, n) => {
                let (a, v, n) = (self.eval(*to)?, self.eval(*v)?, self.eval(*n)?);
                self.clear_pointers(&Bytes::Memory(a), n);
                self.note_written(&Bytes::Memory(a), n, true);
                self.memory.fill(a, n, v as u8);
            }
            InstrKind::Escape(_) => {}
            InstrKind::Zero(v) => self.set_object(*v, &[])?,
            InstrKind::Fresh(v, site) => self.fresh(*v, *site, oracle)?,
            InstrKind::Alloc(p, size, zero) => {
                let size = self.eval(*size)?;
                let Some(address) = self.grow(size) else { return Ok(Some(End::Halted(span))) };
                if *zero {
                    self.memory.fill(address, size, 0);
                    self.note_written(&Bytes::Memory(address), size, true);
                }
                self.assign(p, address, span)?;
            }
            InstrKind::Call(dst, callee, operands) => {
                let objects: Vec<Provenance> =
                    operands.iter().map(|&a| self.object_of(a)).collect::<Known<_>>()?;
                let args: Vec<i128> = operands.iter().map(|&a| self.eval(a)).collect::<Known<_>>()?;
                let (target, input) = match callee {
                    Callee::Direct(f) => (Some(*f), None),
                    Callee::Indirect(e, input, expected) => {
                        let address = self.eval(*e)?;
                        let is_there = |f: &FuncId| self.layout.funcs[*f] == address;
                        let has_body = |f: &FuncId| !self.unit.funcs[*f].blocks.is_empty();
                        let found = self.unit.funcs.ids().find(|f| is_there(f) && has_body(f));
                        if found.is_some_and(|f| !self.unit.fits(*expected, operands, f)) {
                            return Err(Box::new(Stuck { span, why: "something unsupported" }));
                        }
                        (found, *input)
                    }
                };
                match (target, dst, input) {
                    (Some(f), _, _) => {
                        self.record(span, Happening::Call(f));
                        self.enter(f, dst.clone(), &args, &objects)?;
                        self.record_parameters(f, &args, span);
                    }
                    (None, Some(p), Some(site)) => {
                        let v = oracle.scalar(site);
                        let v = self.unit.types.representation(p.ty).map_or(v, |t| t.wrap(v));
                        self.store(p, v)?;
                        self.note_foreign(p)?;
                        self.record_store(p, v, span, true);
                    }
                    _ => {}
                }
            }
        }
        Ok(None)
    }

    fn fresh(&mut self, v: VarId, site: Option<InputId>, oracle: &mut impl Oracle) -> Known<()> {
        if self.layout.vars[v] == Home::New {
            self.new_address(v);
            return Ok(());
        }
        let Some(site) = site else { return Ok(()) };
        let variable = &self.unit.vars[v];
        let local = matches!(variable.storage, Storage::Auto(_));
        if self.layout.vars[v] != Home::Nowhere && local && self.layout.once.contains(&v) {
            return Ok(());
        }
        if self.unit.types.is_scalar(variable.ty) {
            let value = oracle.scalar(site);
            let value = self.unit.types.representation(variable.ty).map_or(value, |t| t.wrap(value));
            self.store(&Place::var(v, variable.ty), value)?;
            self.note_pointer(&Place::var(v, variable.ty), None)?;
        } else {
            let parts = oracle.object(site);
            self.set_object(v, &parts)?;
        }
        let start = self.locate(&Place::var(v, variable.ty))?;
        let size = self.unit.types.size_of(variable.ty).unwrap_or(0);
        let is_written = !self.unit.inputs[site].name.starts_with("uninitialised");
        self.note_written(&start, size.into(), is_written);
        self.note_contents(v, site)
    }

    /// Sets a variable to zero except for some parts. What would lie outside of it, as arrays of the encoding or a forged trace
    /// may have it, is left out.
    fn set_object(&mut self, v: VarId, parts: &[Part]) -> Known<()> {
        let ty = self.unit.vars[v].ty;
        let start = self.locate(&Place::var(v, ty))?;
        let size = self.unit.types.size_of(ty).unwrap_or(0);
        if i128::from(size) <= MOST_BYTES {
            self.clear_pointers(&start, size.into());
            self.note_written(&start, size.into(), true);
        }
        self.note_known(&start, size);
        match start {
            Bytes::Memory(a) => self.memory.fill(a, size.into(), 0),
            _ if i128::from(size) > MOST_BYTES => self.too_much = Some(TOO_MUCH),
            Bytes::Static(v, _) => _ = self.statics.insert(v, vec![0; size as usize]),
            Bytes::Local(v, _) => _ = self.frame().objects.insert(v, vec![0; size as usize]),
        }
        let is_inside = |&&(offset, bytes, _): &&Part| {
            bytes <= LARGEST_PART && offset.checked_add(bytes.into()).is_some_and(|end| end <= size)
        };
        for &(offset, size, value) in parts.iter().filter(is_inside) {
            for n in 0..size {
                self.set_byte(&start, i128::from(offset) + i128::from(n), (value >> (8 * n)) as u8);
            }
        }
        Ok(())
    }

    fn new_address(&mut self, v: VarId) {
        let size = self.unit.types.size_of(self.unit.vars[v].ty).unwrap_or(1);
        let address = self.grow(i128::from(size)).unwrap_or(0);
        if let Some(old) = self.frame().addresses.insert(v, address) {
            self.end_object(old, self.unit.vars[v].span);
        }
        self.new_variable(v, address);
    }

    /// Makes room on the heap; `None` if there is none.
    fn grow(&mut self, size: i128) -> Option<i128> {
        let address = self.heap_end;
        let end = address + (size.max(0) / GRAIN + 1) * GRAIN;
        if end >= 1 << (8 * self.unit.types.pointer_size()) {
            return None;
        }
        self.heap_end = end;
        Some(address)
    }

    fn assign(&mut self, place: &Place, value: i128, span: Span) -> Known<()> {
        self.store(place, value)?;
        self.record_store(place, value, span, false);
        Ok(())
    }

    fn record(&mut self, span: Span, what: Happening) {
        if let (Some(events), Some(frame)) = (&mut self.events, self.frames.last()) {
            events.push(Event { span, func: frame.func, what });
        }
    }

    fn record_store(&mut self, place: &Place, value: i128, span: Span, is_input: bool) {
        if self.events.is_none() {
            return;
        }
        let var = match place.base {
            Base::Var(v) => Some(v),
            Base::Deref(_) => None,
        };
        let part = match var {
            Some(v) if self.unit.vars[v].ty == place.ty => None,
            _ => Some(place.dynamic.iter().fold(i128::from(place.offset), |offset, &(index, stride)| {
                offset + self.eval(index).unwrap_or(0) * i128::from(stride)
            })),
        };
        self.record(span, Happening::Store { var, part, ty: place.ty, value, is_input });
    }

    fn record_parameters(&mut self, f: FuncId, args: &[i128], span: Span) {
        if self.events.is_none() {
            return;
        }
        for (&p, &value) in self.unit.funcs[f].params.iter().zip(args) {
            let ty = self.unit.vars[p].ty;
            if self.unit.types.is_scalar(ty) {
                self.record_store(&Place::var(p, ty), value, span, false);
            }
        }
    }

    /// The bytes of a place.
    fn locate(&mut self, place: &Place) -> Known<Bytes> {
        self.locate_with(place, None)
    }

    /// The bytes of a place, whose operands may have been evaluated.
    fn locate_with(&mut self, place: &Place, values: Option<&Values>) -> Known<Bytes> {
        let mut offset = i128::from(place.offset);
        for &(index, stride) in &place.dynamic {
            offset += self.operand(index, values)? * i128::from(stride);
        }
        Ok(match place.base {
            Base::Deref(e) => Bytes::Memory(self.operand(e, values)? + offset),
            Base::Var(v) => match (self.layout.vars[v], self.unit.vars[v].storage) {
                (Home::Fixed(a), _) => Bytes::Memory(a + offset),
                (Home::New, _) => {
                    Bytes::Memory(self.frame().addresses.get(&v).copied().unwrap_or(0) + offset)
                }
                (Home::Nowhere, Storage::Static) => Bytes::Static(v, offset),
                (Home::Nowhere, Storage::Auto(_)) => Bytes::Local(v, offset),
            },
        })
    }

    fn byte(&mut self, at: &Bytes, n: i128) -> u8 {
        if self.is_unread(at) {
            self.too_much = Some(UNREAD);
        }
        let in_object = |object: Option<&Vec<u8>>, offset: i128| {
            usize::try_from(offset + n).ok().and_then(|i| object.and_then(|o| o.get(i))).copied().unwrap_or(0)
        };
        match *at {
            Bytes::Memory(a) => self.memory.get(a + n),
            Bytes::Static(v, offset) => in_object(self.statics.get(&v), offset),
            Bytes::Local(v, offset) => in_object(self.frame().objects.get(&v), offset),
        }
    }

    fn set_byte(&mut self, at: &Bytes, n: i128, value: u8) {
        let unit = self.unit;
        let size = |v: VarId| i128::from(unit.types.size_of(unit.vars[v].ty).unwrap_or(0));
        let zeros = |v: VarId| vec![0; size(v) as usize];
        let (object, offset) = match *at {
            Bytes::Memory(a) => return self.memory.set(a + n, value),
            Bytes::Static(v, _) | Bytes::Local(v, _) if size(v) > MOST_BYTES => {
                self.too_much = Some(TOO_MUCH);
                return;
            }
            Bytes::Static(v, offset) => (self.statics.entry(v).or_insert_with(|| zeros(v)), offset),
            Bytes::Local(v, offset) => (self.frame().objects.entry(v).or_insert_with(|| zeros(v)), offset),
        };
        if let Some(b) = usize::try_from(offset + n).ok().and_then(|i| object.get_mut(i)) {
            *b = value;
        }
    }

    fn copy(&mut self, to: &Bytes, from: &Bytes, size: i128) {
        if !self.charge(size) {
            return;
        }
        let bytes: Vec<u8> = (0..size).map(|n| self.byte(from, n)).collect();
        for (n, b) in bytes.into_iter().enumerate() {
            self.set_byte(to, n as i128, b);
        }
    }

    fn raw(&mut self, at: &Bytes, ty: IntType) -> i128 {
        if self.is_unread(at) {
            self.too_much = Some(UNREAD);
        }
        let size = ty.bits / 8;
        let in_object = |object: Option<&Vec<u8>>, offset: i128| {
            let start = usize::try_from(offset).ok()?;
            object?.get(start..start.checked_add(size as usize)?).map(pages::number)
        };
        let inside = match *at {
            Bytes::Memory(a) => Some(self.memory.read(a, size)),
            Bytes::Static(v, offset) => in_object(self.statics.get(&v), offset),
            Bytes::Local(v, offset) => in_object(self.frame().objects.get(&v), offset),
        };
        let raw = inside
            .unwrap_or_else(|| (0..size).fold(0, |v, n| v | i128::from(self.byte(at, n.into())) << (8 * n)));
        IntType { rank: 9, ..ty }.wrap(raw)
    }

    /// Stores the lowest bytes of a number.
    fn set_raw(&mut self, at: &Bytes, size: u32, value: i128) {
        self.note_known(at, size.into());
        let object = match *at {
            Bytes::Memory(a) => return self.memory.write(a, size, value),
            Bytes::Static(v, offset) => self.statics.get_mut(&v).zip(usize::try_from(offset).ok()),
            Bytes::Local(v, offset) => self.frame().objects.get_mut(&v).zip(usize::try_from(offset).ok()),
        };
        let inside = object.and_then(|(o, start)| o.get_mut(start..start.checked_add(size as usize)?));
        match inside {
            Some(bytes) => bytes.copy_from_slice(&value.to_le_bytes()[..size as usize]),
            None => (0..size).for_each(|n| self.set_byte(at, n.into(), (value >> (8 * n)) as u8)),
        }
    }

    fn load(&mut self, place: &Place) -> Known<i128> {
        self.load_with(place, None)
    }

    fn load_with(&mut self, place: &Place, values: Option<&Values>) -> Known<i128> {
        let Some(ty) = self.unit.types.representation(place.ty) else { return Ok(0) };
        let at = self.locate_with(place, values)?;
        let Some((first, width)) = place.bits else { return Ok(self.raw(&at, ty)) };
        let unit = self.raw(&at, IntType { signed: false, ..ty });
        Ok(IntType { bits: width, signed: ty.signed, rank: 9 }.wrap(unit >> first))
    }

    fn store(&mut self, place: &Place, value: i128) -> Known<()> {
        let Some(ty) = self.unit.types.representation(place.ty) else { return Ok(()) };
        let at = self.locate(place)?;
        let value = match place.bits {
            None => value,
            Some((first, width)) => {
                let mask = ((1i128 << width) - 1) << first;
                let unit = self.raw(&at, IntType { signed: false, ..ty });
                (unit & !mask) | (value << first & mask)
            }
        };
        self.set_raw(&at, ty.bits / 8, value);
        self.note_written(&at, i128::from(ty.bits / 8), true);
        Ok(())
    }
}
