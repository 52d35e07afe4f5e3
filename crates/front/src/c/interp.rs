//! The interpreter: executes the typed program on concrete bytes.
//!
//! It is the judge of traces and the oracle of tests, so it shares nothing with the encoder but the addresses of
//! objects. Where C leaves behaviour undefined it does what the encoding does: shifts count modulo the width, signed
//! arithmetic wraps, memory outside of objects can be read and written.

mod replay;

pub use replay::Replay;

use super::hir::{
    Base, BinOp, BlockId, Callee, CmpOp, Expr, ExprId, FuncId, InstrKind, Place, Storage, Terminator, Unit,
    VarId,
};
use super::layout::{GRAIN, Home, Layout};
use super::lower::fold_int;
use super::memory::analyse;
use super::types::{IntType, Type, TypeId};
use bolide_base::{Budget, Interrupt};
use bolide_model::{InputId, PropertyId, Span};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Part of an object: offset, bytes, value.
pub type Part = (u64, u32, i128);

/// Where inputs come from.
pub trait Oracle {
    /// The next value of an input; it is taken modulo the width of its type.
    fn scalar(&mut self, site: InputId) -> i128;

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

/// How an execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A property was violated.
    Error(PropertyId),
    /// The entry function returned.
    Returned(i128),
    /// The program ended itself, or an assumption did not hold.
    Halted(Span),
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
}

struct Frame {
    func: FuncId,
    block: BlockId,
    next: usize,
    objects: FxHashMap<VarId, Vec<u8>>,
    addresses: FxHashMap<VarId, i128>,
    result: Option<Place>,
}

/// A program in execution.
pub struct Interpreter<'a> {
    unit: &'a Unit,
    layout: Layout,
    statics: FxHashMap<VarId, Vec<u8>>,
    memory: FxHashMap<i128, u8>,
    frames: Vec<Frame>,
    heap_end: i128,
    orders: FxHashMap<ExprId, Rc<[ExprId]>>,
    /// What was stored, the newest last; kept only if asked for.
    pub events: Option<Vec<Event>>,
}

/// Where bytes are.
enum Bytes {
    Static(VarId, i128),
    Local(VarId, i128),
    Memory(i128),
}

impl<'a> Interpreter<'a> {
    /// A program about to start.
    pub fn new(unit: &'a Unit) -> Interpreter<'a> {
        let analysis = analyse(unit);
        let layout = Layout::new(unit, &analysis);
        let heap_end = layout.heap;
        let mut this = Interpreter {
            unit,
            layout,
            statics: FxHashMap::default(),
            memory: FxHashMap::default(),
            frames: Vec::new(),
            heap_end,
            orders: FxHashMap::default(),
            events: None,
        };
        this.reset();
        this
    }

    /// Makes the program ready to start again, which costs less than a new interpreter.
    pub fn reset(&mut self) {
        self.statics.clear();
        self.memory.clear();
        self.frames.clear();
        self.heap_end = self.layout.heap;
        if let Some(events) = &mut self.events {
            events.clear();
        }
        for s in &self.unit.statics {
            let value = self.eval(s.value);
            let place = Place { offset: s.offset as i64, bits: s.bits, ..Place::var(s.var, s.ty) };
            self.store(&place, value);
        }
    }

    /// The value of a static scalar variable, by name.
    pub fn global(&mut self, name: &str) -> Option<i128> {
        let (id, v) =
            self.unit.vars.iter_enumerated().find(|(_, v)| v.storage == Storage::Static && v.name == name)?;
        self.unit.types.representation(v.ty)?;
        Some(self.load(&Place::var(id, v.ty)))
    }

    /// Runs the program to its end.
    pub fn run(&mut self, oracle: &mut impl Oracle, budget: &Budget) -> End {
        for (address, size, value) in oracle.memory() {
            // Only what is allocated later is arbitrary; static objects have been initialised.
            if address >= self.layout.heap {
                for n in 0..i128::from(size) {
                    self.set_byte(&Bytes::Memory(address), n, (value >> (8 * n)) as u8);
                }
            }
        }
        self.enter(self.unit.entry, None, &[]);
        for n in 0..self.unit.funcs[self.unit.entry].params.len() {
            // Arguments of the program are arbitrary; zero is as good as anything.
            let p = self.unit.funcs[self.unit.entry].params[n];
            let place = Place::var(p, self.unit.vars[p].ty);
            if self.unit.types.is_scalar(place.ty) {
                self.store(&place, 0);
            }
        }
        loop {
            if let Err(e) = budget.poll() {
                return End::Interrupted(e);
            }
            if let Some(end) = self.step(oracle) {
                return end;
            }
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running program has a frame")
    }

    fn enter(&mut self, f: FuncId, result: Option<Place>, args: &[i128]) {
        let frame = Frame {
            func: f,
            block: BlockId::new(0),
            next: 0,
            objects: FxHashMap::default(),
            addresses: FxHashMap::default(),
            result,
        };
        self.frames.push(frame);
        for (n, &p) in self.unit.funcs[f].params.iter().enumerate() {
            if self.layout.vars[p] == Home::New {
                self.new_address(p);
            }
            let ty = self.unit.vars[p].ty;
            if let (Some(&v), true) = (args.get(n), self.unit.types.is_scalar(ty)) {
                self.store(&Place::var(p, ty), v);
            }
        }
    }

    /// Executes one instruction or the end of a block.
    fn step(&mut self, oracle: &mut impl Oracle) -> Option<End> {
        let unit = self.unit;
        let frame = self.frame();
        let block = &unit.funcs[frame.func].blocks[frame.block];
        let n = frame.next;
        frame.next += 1;
        match block.instrs.get(n) {
            Some(i) => self.instruction(&i.kind, i.span, oracle),
            None => self.terminator(&block.end, block.span),
        }
    }

    fn terminator(&mut self, end: &Terminator, span: Span) -> Option<End> {
        let next = match end {
            Terminator::Goto(b) => *b,
            Terminator::Branch(e, yes, no) => {
                let holds = self.eval(*e) != 0;
                self.record(span, Happening::Branch(holds));
                if holds { *yes } else { *no }
            }
            Terminator::Switch(e, cases, default) => {
                let v = self.eval(*e);
                cases.iter().find(|c| c.0 <= v && v <= c.1).map_or(*default, |c| c.2)
            }
            Terminator::Return(value) => {
                let value = value.map_or(0, |e| self.eval(e));
                let done = self.frames.pop().expect("a running program has a frame");
                if self.frames.is_empty() {
                    return Some(End::Returned(value));
                }
                if let Some(place) = done.result {
                    self.assign(&place, value, span);
                }
                return None;
            }
            Terminator::Halt => return Some(End::Halted(span)),
            Terminator::Error(p) => return Some(End::Error(*p)),
        };
        let frame = self.frame();
        frame.block = next;
        frame.next = 0;
        None
    }

    fn instruction(&mut self, kind: &InstrKind, span: Span, oracle: &mut impl Oracle) -> Option<End> {
        match kind {
            InstrKind::Assign(p, e) => {
                let v = self.eval(*e);
                self.assign(p, v, span);
            }
            InstrKind::Input(p, site) => {
                let v = oracle.scalar(*site);
                let v = self.unit.types.representation(p.ty).map_or(v, |t| t.wrap(v));
                self.store(p, v);
                self.record_store(p, v, span, true);
            }
            InstrKind::Assume(e) => {
                if self.eval(*e) == 0 {
                    return Some(End::Halted(span));
                }
            }
            InstrKind::Copy(to, from) => {
                let size = self.unit.types.size_of(to.ty).unwrap_or(0);
                let (a, b) = (self.locate(to), self.locate(from));
                self.copy(&a, &b, size as i128);
            }
            InstrKind::Move(to, from, n) => {
                let (a, b, n) = (self.eval(*to), self.eval(*from), self.eval(*n));
                self.copy(&Bytes::Memory(a), &Bytes::Memory(b), n);
            }
            InstrKind::Fill(to, v, n) => {
                let (a, v, n) = (self.eval(*to), self.eval(*v), self.eval(*n));
                for i in 0..n {
                    self.memory.insert(a + i, (v & 0xff) as u8);
                }
            }
            InstrKind::Zero(v) => self.set_object(*v, &[]),
            InstrKind::Fresh(v, site) => self.fresh(*v, *site, oracle),
            InstrKind::Alloc(p, size, zero) => {
                let size = self.eval(*size);
                let Some(address) = self.grow(size) else { return Some(End::Halted(span)) };
                if *zero {
                    (0..size).for_each(|i| _ = self.memory.insert(address + i, 0));
                }
                self.assign(p, address, span);
            }
            InstrKind::Call(dst, callee, args) => {
                let args: Vec<i128> = args.iter().map(|&a| self.eval(a)).collect();
                let (target, input) = match callee {
                    Callee::Direct(f) => (Some(*f), None),
                    Callee::Indirect(e, input) => {
                        let address = self.eval(*e);
                        let found = self.unit.funcs.iter_enumerated().find(|(id, f)| {
                            self.layout.funcs[*id] == address
                                && !f.blocks.is_empty()
                                && f.params.len() == args.len()
                        });
                        (found.map(|f| f.0), *input)
                    }
                };
                match (target, dst, input) {
                    (Some(f), _, _) => {
                        self.record(span, Happening::Call(f));
                        self.enter(f, dst.clone(), &args);
                        self.record_parameters(f, &args, span);
                    }
                    (None, Some(p), Some(site)) => {
                        let v = oracle.scalar(site);
                        let v = self.unit.types.representation(p.ty).map_or(v, |t| t.wrap(v));
                        self.store(p, v);
                        self.record_store(p, v, span, true);
                    }
                    _ => {}
                }
            }
        }
        None
    }

    fn fresh(&mut self, v: VarId, site: Option<InputId>, oracle: &mut impl Oracle) {
        if self.layout.vars[v] == Home::New {
            self.new_address(v);
            return;
        }
        let Some(site) = site else { return };
        let variable = &self.unit.vars[v];
        let local = matches!(variable.storage, Storage::Auto(_));
        if self.layout.vars[v] != Home::Nowhere && local && self.layout.once.contains(&v) {
            return;
        }
        if self.unit.types.is_scalar(variable.ty) {
            let value = oracle.scalar(site);
            let value = self.unit.types.representation(variable.ty).map_or(value, |t| t.wrap(value));
            self.store(&Place::var(v, variable.ty), value);
        } else {
            let parts = oracle.object(site);
            self.set_object(v, &parts);
        }
    }

    /// Sets a variable to zero except for some parts.
    fn set_object(&mut self, v: VarId, parts: &[Part]) {
        let ty = self.unit.vars[v].ty;
        let start = self.locate(&Place::var(v, ty));
        let size = self.unit.types.size_of(ty).unwrap_or(0);
        match start {
            Bytes::Memory(_) => (0..size).for_each(|i| self.set_byte(&start, i128::from(i), 0)),
            Bytes::Static(v, _) => _ = self.statics.insert(v, vec![0; size as usize]),
            Bytes::Local(v, _) => _ = self.frame().objects.insert(v, vec![0; size as usize]),
        }
        for &(offset, size, value) in parts {
            for n in 0..size {
                self.set_byte(&start, i128::from(offset) + i128::from(n), (value >> (8 * n)) as u8);
            }
        }
    }

    fn new_address(&mut self, v: VarId) {
        let size = self.unit.types.size_of(self.unit.vars[v].ty).unwrap_or(1);
        let address = self.grow(i128::from(size)).unwrap_or(0);
        self.frame().addresses.insert(v, address);
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

    fn assign(&mut self, place: &Place, value: i128, span: Span) {
        self.store(place, value);
        self.record_store(place, value, span, false);
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
                offset + self.eval(index) * i128::from(stride)
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
    fn locate(&mut self, place: &Place) -> Bytes {
        let mut offset = i128::from(place.offset);
        for &(index, stride) in &place.dynamic {
            offset += self.eval(index) * i128::from(stride);
        }
        match place.base {
            Base::Deref(e) => Bytes::Memory(self.eval(e) + offset),
            Base::Var(v) => match (self.layout.vars[v], self.unit.vars[v].storage) {
                (Home::Fixed(a), _) => Bytes::Memory(a + offset),
                (Home::New, _) => {
                    Bytes::Memory(self.frame().addresses.get(&v).copied().unwrap_or(0) + offset)
                }
                (Home::Nowhere, Storage::Static) => Bytes::Static(v, offset),
                (Home::Nowhere, Storage::Auto(_)) => Bytes::Local(v, offset),
            },
        }
    }

    fn byte(&mut self, at: &Bytes, n: i128) -> u8 {
        let in_object = |object: Option<&Vec<u8>>, offset: i128| {
            usize::try_from(offset + n).ok().and_then(|i| object.and_then(|o| o.get(i))).copied().unwrap_or(0)
        };
        match *at {
            Bytes::Memory(a) => self.memory.get(&(a + n)).copied().unwrap_or(0),
            Bytes::Static(v, offset) => in_object(self.statics.get(&v), offset),
            Bytes::Local(v, offset) => in_object(self.frame().objects.get(&v), offset),
        }
    }

    fn set_byte(&mut self, at: &Bytes, n: i128, value: u8) {
        let unit = self.unit;
        let zeros = |v: VarId| vec![0; unit.types.size_of(unit.vars[v].ty).unwrap_or(0) as usize];
        let (object, offset) = match *at {
            Bytes::Memory(a) => {
                self.memory.insert(a + n, value);
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
        let bytes: Vec<u8> = (0..size).map(|n| self.byte(from, n)).collect();
        for (n, b) in bytes.into_iter().enumerate() {
            self.set_byte(to, n as i128, b);
        }
    }

    fn raw(&mut self, at: &Bytes, ty: IntType) -> i128 {
        let raw = (0..ty.bits / 8).fold(0, |v, n| v | i128::from(self.byte(at, n.into())) << (8 * n));
        IntType { rank: 9, ..ty }.wrap(raw)
    }

    fn load(&mut self, place: &Place) -> i128 {
        let Some(ty) = self.unit.types.representation(place.ty) else { return 0 };
        let at = self.locate(place);
        let Some((first, width)) = place.bits else { return self.raw(&at, ty) };
        let unit = self.raw(&at, IntType { signed: false, ..ty });
        IntType { bits: width, signed: ty.signed, rank: 9 }.wrap(unit >> first)
    }

    fn store(&mut self, place: &Place, value: i128) {
        let Some(ty) = self.unit.types.representation(place.ty) else { return };
        let at = self.locate(place);
        let value = match place.bits {
            None => value,
            Some((first, width)) => {
                let mask = ((1i128 << width) - 1) << first;
                let unit = self.raw(&at, IntType { signed: false, ..ty });
                (unit & !mask) | (value << first & mask)
            }
        };
        for n in 0..ty.bits / 8 {
            self.set_byte(&at, n.into(), (value >> (8 * n)) as u8);
        }
    }

    /// The value of an expression: an integer, an address, or the bit pattern of a floating value.
    fn eval(&mut self, e: ExprId) -> i128 {
        if let Some(v) = self.unit.as_int(e) {
            return v;
        }
        let order = match self.orders.get(&e) {
            Some(o) => o.clone(),
            None => {
                let order: Rc<[ExprId]> = self.unit.post_order([e]).into();
                self.orders.insert(e, order.clone());
                order
            }
        };
        let mut values: FxHashMap<ExprId, i128> = FxHashMap::default();
        for &sub in order.iter() {
            let v = self.node(sub, &values);
            values.insert(sub, v);
        }
        values[&e]
    }

    fn is_float(&self, ty: TypeId) -> bool {
        matches!(self.unit.types.get(ty), Type::Float(_))
    }

    fn float(&self, e: ExprId, pattern: i128) -> f64 {
        match self.unit.types.get(self.unit.exprs[e].ty) {
            Type::Float(4) => f64::from(f32::from_bits(pattern as u32)),
            _ => f64::from_bits(pattern as u64),
        }
    }

    fn pattern(&self, ty: TypeId, v: f64) -> i128 {
        match self.unit.types.get(ty) {
            Type::Float(4) => i128::from((v as f32).to_bits()),
            _ => i128::from(v.to_bits()),
        }
    }

    fn node(&mut self, e: ExprId, values: &FxHashMap<ExprId, i128>) -> i128 {
        let unit = self.unit;
        let typed = &unit.exprs[e];
        let at = |x: &ExprId| values[x];
        let ty = unit.types.representation(typed.ty);
        let float = |x: &ExprId| self.is_float(unit.exprs[*x].ty);
        let nonzero = |x: &ExprId| if float(x) { self.float(*x, at(x)) != 0.0 } else { at(x) != 0 };
        match &typed.expr {
            Expr::Int(v) => *v,
            Expr::Float(v) => self.pattern(typed.ty, *v),
            Expr::Load(p) => self.load(p),
            Expr::Addr(p) => match self.locate(p) {
                Bytes::Memory(a) => a,
                Bytes::Static(..) | Bytes::Local(..) => 0,
            },
            Expr::Func(f) => self.layout.funcs[*f],
            Expr::Neg(a) if float(a) => self.pattern(typed.ty, -self.float(*a, at(a))),
            Expr::Neg(a) => ty.map_or(0, |t| t.wrap(-at(a))),
            Expr::Not(a) => ty.map_or(0, |t| t.wrap(!at(a))),
            Expr::Binary(op, a, b) if float(a) => {
                let (x, y) = (self.float(*a, at(a)), self.float(*b, at(b)));
                let v = match op {
                    BinOp::Add => x + y,
                    BinOp::Sub => x - y,
                    BinOp::Mul => x * y,
                    _ => x / y,
                };
                self.pattern(typed.ty, v)
            }
            Expr::Binary(op, a, b) => {
                let divisor = if matches!(op, BinOp::Div | BinOp::Rem) && at(b) == 0 { 1 } else { at(b) };
                ty.and_then(|t| fold_int(*op, at(a), divisor, t)).unwrap_or(0)
            }
            Expr::Compare(op, a, b) if float(a) => {
                let (x, y) = (self.float(*a, at(a)), self.float(*b, at(b)));
                i128::from(match op {
                    CmpOp::Lt => x < y,
                    CmpOp::Le => x <= y,
                    CmpOp::Eq => x == y,
                    CmpOp::Ne => x != y,
                })
            }
            Expr::Compare(op, a, b) => i128::from(match op {
                CmpOp::Lt => at(a) < at(b),
                CmpOp::Le => at(a) <= at(b),
                CmpOp::Eq => at(a) == at(b),
                CmpOp::Ne => at(a) != at(b),
            }),
            Expr::LogicAnd(a, b) => i128::from(nonzero(a) && nonzero(b)),
            Expr::LogicOr(a, b) => i128::from(nonzero(a) || nonzero(b)),
            Expr::LogicNot(a) => i128::from(!nonzero(a)),
            Expr::Cond(c, a, b) => at(if nonzero(c) { a } else { b }),
            Expr::Cast(a) => match (float(a), self.is_float(typed.ty)) {
                (true, true) => self.pattern(typed.ty, self.float(*a, at(a))),
                (true, false) => ty.map_or(0, |t| t.wrap(self.float(*a, at(a)).trunc() as i128)),
                (false, true) => self.pattern(typed.ty, at(a) as f64),
                (false, false) => ty.map_or(0, |t| t.wrap(at(a))),
            },
            Expr::PtrAdd(p, i, scale) => at(p) + at(i) * i128::from(*scale),
            Expr::PtrSub(a, b, scale) => {
                let distance = (at(a) - at(b)).div_euclid(i128::from(*scale));
                ty.map_or(0, |t| t.wrap(distance))
            }
        }
    }
}
