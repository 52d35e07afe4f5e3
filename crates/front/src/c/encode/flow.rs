//! Blocks and instructions as locations and edges.

use super::bits::Num;
use super::cells::{Start, Writes};
use super::curves::{Curves, Point, curves};
use super::stretch::{Effects, Length};
use super::values::Value;
use super::{Encoder, Ints};
use crate::c::hir::{
    BlockId, Callee, Expected, ExprId, FuncId, Instr, InstrKind, Place, Storage, Terminator, VarId,
};
use crate::c::layout::{GRAIN, Home, successors};
use crate::c::syntax::source::Issue;
use crate::c::types::{Type, TypeId};
use bolide_base::IdVec;
use bolide_model::program::pass::Interval;
use bolide_model::{Call, InputId, LocId, ProcId, Span, Step, VarId as Var, VarKind};
use bolide_term::{Func, Sort, Term};
use rustc_hash::FxHashMap;

/// The point of a procedure where edges are being added.
pub(super) struct Flow {
    pub proc: ProcId,
    pub at: LocId,
    /// Values of expressions in the current state.
    pub memo: FxHashMap<ExprId, Value>,
    /// The expression whose operands are being evaluated.
    pub current: Option<ExprId>,
    /// The objects that pointers lead to in the current state.
    pub extents: FxHashMap<ExprId, super::ghosts::Extent>,
    /// Reads that stay in their row only under a condition.
    pub guarded: FxHashMap<ExprId, (Term, Span)>,
    /// What is being encoded.
    pub point: Point,
    /// Bounds on floating expressions of the function.
    pub curves: Curves,
}

impl Flow {
    fn new(proc: ProcId, at: LocId) -> Flow {
        let (memo, guarded) = (FxHashMap::default(), FxHashMap::default());
        let (point, curves) = ((BlockId::new(0), 0), Curves::default());
        Flow { proc, at, memo, current: None, extents: FxHashMap::default(), guarded, point, curves }
    }

    /// The state changes: values of expressions are no longer known.
    fn forget(&mut self) {
        self.memo.clear();
        self.extents.clear();
        self.guarded.clear();
    }

    /// Adds an edge and moves to its end.
    pub(super) fn emit(&mut self, encoder: &mut Encoder, step: Step, span: Span) {
        let proc = &mut encoder.program.procs[self.proc];
        let to = proc.location(span);
        let edge = proc.step(self.at, to, step, span);
        proc.edges[edge].approximations = std::mem::take(&mut encoder.approximations);
        self.at = to;
    }

    /// Execution goes on only if a formula holds.
    pub(super) fn assume(&mut self, encoder: &mut Encoder, formula: Term, span: Span) {
        if formula != encoder.store.tru() {
            self.emit(encoder, Step::assume(formula), span);
        }
    }

    fn jump(&mut self, encoder: &mut Encoder, to: LocId, span: Span) {
        let skip = Step::skip(encoder.store);
        encoder.program.procs[self.proc].step(self.at, to, skip, span);
    }
}

impl Encoder<'_> {
    pub(super) fn function(&mut self, f: FuncId) -> Result<(), Issue> {
        let func = &self.unit.funcs[f];
        let proc = self.procs[&f];
        let entry = if self.is_start(f) {
            // The edge from the entry to here will set up the initial state.
            self.program.procs[proc].location(func.span)
        } else {
            self.program.procs[proc].entry
        };
        let mut flow = Flow::new(proc, entry);
        if let Some(marks) = &self.marks {
            flow.curves = curves(self.unit, f, marks);
        }
        self.result_variable(f);
        self.forget_addresses(&mut flow, f, func.span);
        self.parameters(&mut flow, f);
        if self.is_proof(f) {
            self.anything(&mut flow, None, func.span);
        }
        let mut locations: IdVec<BlockId, Option<LocId>> = func.blocks.iter().map(|_| None).collect();
        let first = BlockId::new(0);
        locations[first] = Some(flow.at);
        let mut work = vec![first];
        while let Some(b) = work.pop() {
            let block = &func.blocks[b];
            flow.at = locations[b].expect("blocks get a location before they are visited");
            for (n, i) in block.instrs.iter().enumerate() {
                flow.forget();
                flow.point = (b, n);
                self.instruction(&mut flow, i)?;
            }
            flow.forget();
            flow.point = (b, block.instrs.len());
            for s in successors(&block.end) {
                if locations[s].is_none() {
                    locations[s] = Some(self.program.procs[proc].location(func.blocks[s].span));
                    work.push(s);
                }
            }
            self.terminator(&mut flow, f, (&block.end, block.span), &locations);
        }
        Ok(())
    }

    fn result_variable(&mut self, f: FuncId) {
        let proc = self.procs[&f];
        let Type::Function(s) = self.unit.types.get(self.unit.funcs[f].ty) else { return };
        if self.unit.types.representation(s.result).is_none() {
            return;
        }
        let (sort, range) = (self.sort_of(s.result), self.range_of_type(s.result));
        let name = format!("{}::return", self.unit.funcs[f].name);
        let var = self.program.variable(self.store, &name, sort, VarKind::Local(proc), range);
        self.program.procs[proc].result = Some(var);
    }

    /// Variables for the arguments, and the stores that put them where the parameters live.
    fn parameters(&mut self, flow: &mut Flow, f: FuncId) {
        let func = &self.unit.funcs[f];
        let mut writes = Writes::new();
        for &p in &func.params {
            let v = &self.unit.vars[p];
            if self.layout.vars[p] == Home::New {
                self.new_address(flow, p, func.span);
            }
            let ty = self.unit.types.representation(v.ty);
            let (sort, range) = (self.sort_of(v.ty), self.range_of_type(v.ty));
            let name = format!("{} argument", v.name);
            let var = self.program.variable(self.store, &name, sort, VarKind::Local(flow.proc), range);
            self.program.procs[flow.proc].params.push(var);
            if ty.is_some() {
                let value = Num::new(self.program.vars[var].term, Interval::from_range(range));
                self.write(flow, &mut writes, &Place::var(p, v.ty), value, func.span);
            }
        }
        for &p in &func.params {
            if !self.is_fat_variable(p) {
                continue;
            }
            let mut ends = [0, 0].map(|_| None);
            for (n, end) in ends.iter_mut().enumerate() {
                let name = format!("{} of {} argument", ["start", "end"][n], self.unit.vars[p].name);
                let kind = VarKind::Local(flow.proc);
                let var = self.program.variable(self.store, &name, Sort::INT, kind, None);
                self.program.procs[flow.proc].params.push(var);
                *end = Some(self.program.vars[var].term);
            }
            if let [Some(a), Some(b)] = ends {
                let place = Place::var(p, self.unit.vars[p].ty);
                self.write_extent(flow, &mut writes, &place, (a, b));
            }
        }
        self.commit(flow, writes, func.span);
    }

    /// Emits a step with the collected writes.
    pub(super) fn commit(&mut self, flow: &mut Flow, writes: Writes, span: Span) {
        if writes.is_empty() && self.approximations.is_empty() {
            return;
        }
        let guard = self.store.tru();
        flow.emit(self, Step { guard, assigns: writes.into_iter().collect(), inputs: Vec::new() }, span);
    }

    /// Locals that some path reads before it assigns them start with arbitrary values.
    pub(super) fn assign_before_reading(&mut self, f: FuncId, symbols: &FxHashMap<Func, Var>) {
        let proc = self.procs[&f];
        let p = &self.program.procs[proc];
        let unread = self.program.read_before_assigned(self.store, symbols, proc);
        let unread: Vec<Var> =
            unread.into_iter().filter(|v| self.is_start(f) || !p.params.contains(v)).collect();
        if unread.is_empty() {
            return;
        }
        let span = self.unit.funcs[f].span;
        let mut step = Step::skip(self.store);
        for v in unread {
            let (name, sort, range) = {
                let v = &self.program.vars[v];
                (format!("uninitialised {}", v.name), v.sort, v.range)
            };
            let input = self.extra_input(name, sort, range, span);
            let one = self.program.havoc(self.store, v, input);
            step = step.then(self.store, &self.program, &one);
        }
        // A new entry in front of the old one.
        let p = &mut self.program.procs[proc];
        let old = p.entry;
        let new = p.location(span);
        p.entry = new;
        p.step(new, old, step, span);
    }

    fn terminator(
        &mut self,
        flow: &mut Flow,
        f: FuncId,
        (end, span): (&Terminator, Span),
        locations: &IdVec<BlockId, Option<LocId>>,
    ) {
        let at = |b: &BlockId| locations[*b].expect("successors have locations");
        match end {
            Terminator::Goto(b) => flow.jump(self, at(b), span),
            Terminator::Branch(e, yes, no) => {
                let c = self.truth(flow, *e);
                self.branch(flow, c, at(yes), at(no), span);
            }
            Terminator::Switch(e, cases, default) => {
                let value = self.value(flow, *e);
                for (low, high, b) in cases {
                    let c = if low == high {
                        let k = self.int(*low);
                        self.store.eq(value.term, k)
                    } else {
                        self.program.in_range(self.store, value.term, Some((*low, *high)))
                    };
                    let next = self.program.procs[flow.proc].location(span);
                    self.branch(flow, c, at(b), next, span);
                    flow.at = next;
                }
                flow.jump(self, at(default), span);
            }
            Terminator::Return(value) => {
                if let (Some(e), Some(result)) = (value, self.program.procs[flow.proc].result) {
                    let value = self.value(flow, *e);
                    let mut step = Step::assign(self.store, result, value.term);
                    if let Some((a, b)) = self.result_extent(f) {
                        let extent = self.extent(flow, *e, span);
                        step.assigns.extend([(a, extent.0), (b, extent.1)]);
                        step.assigns.sort_unstable_by_key(|a| a.0);
                    }
                    flow.emit(self, step, span);
                }
                if !self.is_start(f) {
                    self.end_of_frame(flow, f, span);
                }
                let exit = self.program.procs[flow.proc].exit;
                flow.jump(self, exit, span);
            }
            Terminator::Halt => {}
            Terminator::Error(p) => {
                let location = flow.at;
                self.program.procs[flow.proc].locations[location].error = Some(*p);
            }
        }
    }

    fn branch(&mut self, flow: &mut Flow, c: Term, yes: LocId, no: LocId, span: Span) {
        let not = self.store.not(c);
        let proc = &mut self.program.procs[flow.proc];
        if c != self.store.fls() {
            proc.step(flow.at, yes, Step::assume(c), span);
        }
        if not != self.store.fls() {
            proc.step(flow.at, no, Step::assume(not), span);
        }
    }

    fn instruction(&mut self, flow: &mut Flow, i: &Instr) -> Result<(), Issue> {
        let span = i.span;
        let mut effects = Effects::default();
        match &i.kind {
            InstrKind::Assign(place, e) => {
                let value = self.value(flow, *e);
                self.write(flow, &mut effects.writes, place, value, span);
                self.write_extent_of(flow, &mut effects.writes, place, *e, span);
            }
            InstrKind::Input(place, input) => return self.input(flow, place, *input, span),
            InstrKind::Assume(e) => {
                let c = self.truth(flow, *e);
                flow.assume(self, c, span);
            }
            InstrKind::Copy(to, from) => {
                let size = self.unit.types.size_of(to.ty).unwrap_or(0);
                let (a, b) = (self.start(flow, to), self.start(flow, from));
                if let Some(at) = self.memory.locate(to) {
                    self.copy(&mut effects, (&a, &b), at, Length::known(size.into()));
                }
            }
            InstrKind::Move(to, from, n) => {
                let (a, b) = (self.start_of_address(flow, *to), self.start_of_address(flow, *from));
                let length = self.length(flow, *n);
                if let Some(at) = self.memory.values[*to] {
                    self.copy(&mut effects, (&a, &b), at, length);
                }
            }
            InstrKind::Fill(to, value, n) => {
                let start = self.start_of_address(flow, *to);
                let value = self.value(flow, *value);
                let byte = self.modulo(value, 256);
                let length = self.length(flow, *n);
                if let Some(at) = self.memory.values[*to] {
                    self.fill(flow, &mut effects, &start, (at, length), byte, span);
                }
            }
            InstrKind::Zero(v) => {
                let start = self.start_of_var(*v);
                let size = self.unit.types.size_of(self.unit.vars[*v].ty).unwrap_or(0);
                let (zero, at) = (self.number(0), self.memory.vars[*v]);
                let length = Length::known(size.into());
                self.fill(flow, &mut effects, &start, (at, length), zero, span);
            }
            InstrKind::Escape(_) => {}
            InstrKind::Guard(guard) => {
                self.guard(flow, guard, span);
                return Ok(());
            }
            InstrKind::Fresh(v, input) => return self.fresh(flow, *v, *input, span),
            InstrKind::Alloc(place, size, zero) => return self.allocate(flow, place, *size, *zero, span),
            InstrKind::Call(dst, callee, args) => return self.call(flow, dst.as_ref(), *callee, args, span),
        }
        self.perform(flow, effects, span);
        Ok(())
    }

    /// A number of bytes.
    fn length(&mut self, flow: &mut Flow, n: ExprId) -> Length {
        match self.unit.as_int(n) {
            Some(n) => Length::known(n),
            None => Length::Term(self.value(flow, n).term),
        }
    }

    /// Stores a value from outside.
    fn input(&mut self, flow: &mut Flow, place: &Place, input: InputId, span: Span) -> Result<(), Issue> {
        let range = self.program.inputs[input].range;
        let (value, guard) = match self.unit.types.format(place.ty) {
            Some(format) => self.float_input(input, format, span),
            None => {
                let value = self.program.input_value(self.store, input);
                (value, self.program.in_range(self.store, value, range))
            }
        };
        let mut writes = Writes::new();
        let number = Num::new(value, Interval::from_range(range));
        self.write(flow, &mut writes, place, number, span);
        let assigns = writes.into_iter().collect();
        flow.emit(self, Step { guard, assigns, inputs: vec![(value, input)] }, span);
        Ok(())
    }

    /// The lifetime of a variable starts.
    fn fresh(&mut self, flow: &mut Flow, v: VarId, input: Option<InputId>, span: Span) -> Result<(), Issue> {
        if self.layout.vars[v] == Home::New {
            // Memory at a new address has never been written.
            self.new_address(flow, v, span);
            return Ok(());
        }
        let Some(input) = input else { return Ok(()) };
        let local = matches!(self.unit.vars[v].storage, Storage::Auto(_));
        if self.has_address(v) && local && self.layout.once.contains(&v) {
            return Ok(());
        }
        let ty = self.unit.vars[v].ty;
        let is_written = !self.program.inputs[input].name.starts_with("uninitialised");
        if self.unit.types.is_scalar(ty) {
            let place = Place::var(v, ty);
            self.input(flow, &place, input, span)?;
            if let Some(slot) = self.slot(flow, &place, span).filter(|_| !is_written) {
                let mut writes = Writes::new();
                self.write_marks(&mut writes, slot.cells(), false);
                self.commit(flow, writes, span);
            }
            return Ok(());
        }
        let (start, size) = (self.start_of_var(v), self.unit.types.size_of(ty).unwrap_or(0) as i64);
        let first = self.memory.vars[v];
        let name = self.program.inputs[input].name.clone();
        let mut writes = Writes::new();
        let (mut guards, mut inputs) = (Vec::new(), Vec::new());
        for comp in self.memory.components_of(first.class).to_vec() {
            let component = &self.memory.components[comp];
            let cell_type = component.cell.unwrap_or(super::cells::BYTE);
            let bytes = component.size();
            let residue = (component.start - first.offset).rem_euclid(bytes);
            let cells = component.cells(first.offset, first.offset + size, usize::MAX).unwrap_or_default();
            let format = cell_type.format();
            let range = Some(cell_type.range()).filter(|_| self.ints == Ints::Machine && format.is_none());
            if let Some(a) = self.whole_array(&start, comp, Length::Known(size)) {
                let sort = self.cells_sort(comp);
                let id = self.extra_input(name.clone(), sort, range, span);
                self.encoding.floats.extend(format.map(|f| (id, f)));
                self.encoding.parts.insert(id, (input, residue as u64, cell_type.bits / 8));
                let value = self.program.input_value(self.store, id);
                inputs.push((value, id));
                writes.insert(a, value);
                self.clear_whole(&mut writes, comp, a);
                self.mark_array(&mut writes, a, is_written);
                continue;
            }
            for at in cells.into_iter().map(|o| o - first.offset) {
                let id = self.extra_input(format!("{name}@{at}"), self.cell_sort(comp), range, span);
                self.encoding.floats.extend(format.map(|f| (id, f)));
                self.encoding.parts.insert(id, (input, at as u64, cell_type.bits / 8));
                let value = self.program.input_value(self.store, id);
                guards.push(self.program.in_range(self.store, value, range));
                guards.push(self.cell_value(comp, value));
                inputs.push((value, id));
                let c = self.cell(&start, comp, at);
                self.write_cell(&mut writes, c, value);
                self.write_marks(&mut writes, &[c], is_written);
                self.clear_object(&mut writes, &start, comp, at);
            }
        }
        let guard = self.store.and(&guards);
        flow.emit(self, Step { guard, assigns: writes.into_iter().collect(), inputs }, span);
        Ok(())
    }

    fn new_address(&mut self, flow: &mut Flow, v: VarId, span: Span) {
        let size = self.unit.types.size_of(self.unit.vars[v].ty).unwrap_or(1);
        let size = self.number(i128::from(size));
        let (address, end) = self.grow(flow, size, span);
        let var = self.address_var(v);
        let mut writes = Writes::from([(var, address), (self.brk, end)]);
        self.note_address(&mut writes, v, address);
        let guard = self.store.tru();
        flow.emit(self, Step { guard, assigns: writes.into_iter().collect(), inputs: Vec::new() }, span);
    }

    /// The address of a new object and the end of the heap after it. There is always room: where there is not,
    /// execution ends.
    fn grow(&mut self, flow: &mut Flow, size: Num, span: Span) -> (Term, Term) {
        let start = self.program.vars[self.brk].term;
        let units = self.floor_div(size, GRAIN);
        let grain = self.number(GRAIN);
        let wide = crate::c::types::IntType { bits: 100, signed: true, rank: 9 };
        let bytes = self.operate(crate::c::hir::BinOp::Mul, units, grain, wide);
        let end = self.store.add(&[start, bytes.term, grain.term]);
        let limit = self.int(1 << (8 * self.unit.types.pointer_size()));
        let room = self.store.lt(end, limit);
        flow.assume(self, room, span);
        (start, end)
    }

    fn allocate(
        &mut self,
        flow: &mut Flow,
        place: &Place,
        size: ExprId,
        zero: bool,
        span: Span,
    ) -> Result<(), Issue> {
        let bytes = self.value(flow, size);
        let (address, end) = self.grow(flow, bytes, span);
        let mut effects = Effects::default();
        let range = Interval { low: Some(0), high: Some((1 << (8 * self.unit.types.pointer_size())) - 1) };
        self.write(flow, &mut effects.writes, place, Num::new(address, range), span);
        if let Some(at) = self.memory.stored_pointer(place).filter(|_| zero) {
            let start = Start { object: None, offset: 0, parts: vec![(address, 1)] };
            let nothing = self.number(0);
            let length = match self.unit.as_int(size) {
                Some(n) => Length::known(n),
                None => Length::Term(bytes.term),
            };
            self.fill(flow, &mut effects, &start, (at, length), nothing, span);
        }
        effects.writes.insert(self.brk, end);
        self.perform(flow, effects, span);
        Ok(())
    }

    fn call(
        &mut self,
        flow: &mut Flow,
        dst: Option<&Place>,
        callee: Callee,
        args: &[ExprId],
        span: Span,
    ) -> Result<(), Issue> {
        match callee {
            Callee::Direct(f) => self.call_function(flow, dst, f, args, span),
            Callee::Indirect(e, input, expected) => {
                let pointer = self.value(flow, e);
                let join = self.program.procs[flow.proc].location(span);
                for f in self.memory.candidates.get(&e).cloned().unwrap_or_default() {
                    let address = self.int(self.layout.funcs[f]);
                    let here = self.store.eq(pointer.term, address);
                    let (yes, no) = {
                        let p = &mut self.program.procs[flow.proc];
                        (p.location(span), p.location(span))
                    };
                    self.branch(flow, here, yes, no, span);
                    flow.at = yes;
                    self.call_function(flow, dst, f, args, span)?;
                    flow.jump(self, join, span);
                    flow.at = no;
                    flow.forget();
                }
                self.refuse_misfits(flow, e, args, expected, span);
                if let (Some(place), Some(input)) = (dst, input) {
                    self.input(flow, place, input, span)?;
                }
                flow.jump(self, join, span);
                flow.at = join;
                Ok(())
            }
        }
    }

    /// No execution is followed into a function whose type is of another kind than that of the call.
    fn refuse_misfits(
        &mut self,
        flow: &mut Flow,
        pointer: ExprId,
        args: &[ExprId],
        expected: Expected,
        span: Span,
    ) {
        let Some(target) = self.memory.values[pointer] else { return };
        let functions = self.memory.classes[target.class].functions.clone();
        let misfits: Vec<FuncId> = functions
            .into_iter()
            .filter(|&f| !self.unit.funcs[f].blocks.is_empty() && self.disguises.contains(f, expected.ty))
            .filter(|&f| !self.unit.fits(expected, args, f))
            .collect();
        if misfits.is_empty() {
            return;
        }
        let value = self.value(flow, pointer).term;
        let mut others = Vec::with_capacity(misfits.len());
        for f in misfits {
            let address = self.int(self.layout.funcs[f]);
            let is_there = self.store.eq(value, address);
            others.push(self.store.not(is_there));
        }
        let holds = self.store.and(&others);
        self.demand(flow, holds, expected.misfit, span);
    }

    fn call_function(
        &mut self,
        flow: &mut Flow,
        dst: Option<&Place>,
        f: FuncId,
        args: &[ExprId],
        span: Span,
    ) -> Result<(), Issue> {
        let mut terms = Vec::with_capacity(args.len());
        for (n, &a) in args.iter().enumerate() {
            if n < self.unit.funcs[f].params.len() {
                let value = self.value(flow, a);
                let ty = self.unit.vars[self.unit.funcs[f].params[n]].ty;
                let value = self.as_argument(flow, value, ty, span);
                terms.push(value.term);
            }
        }
        for (n, &p) in self.unit.funcs[f].params.iter().enumerate() {
            if self.is_fat_variable(p) {
                let extent = match args.get(n) {
                    Some(&a) => self.extent(flow, a, span),
                    None => self.no_extent(),
                };
                terms.extend([extent.0, extent.1]);
            }
        }
        if self.stands_in(flow.proc, f) {
            return self.anything_returned(flow, dst, f, span);
        }
        let callee = self.procs[&f];
        let mut result = None;
        let returned = match self.unit.types.get(self.unit.funcs[f].ty) {
            Type::Function(s) if self.unit.types.is_scalar(s.result) => Some(s.result),
            _ => None,
        };
        if let (Some(place), Some(returned)) = (dst, returned) {
            let (sort, range) = (self.sort_of(returned), self.range_of_type(place.ty));
            let range = range.filter(|_| sort == Sort::INT);
            let kind = VarKind::Local(flow.proc);
            result = Some((self.program.variable(self.store, "result", sort, kind, range), range));
        }
        let to = self.program.procs[flow.proc].location(span);
        let call = Call { callee, args: terms, result: result.map(|r| r.0) };
        self.program.procs[flow.proc].call(flow.at, to, call, span);
        flow.at = to;
        if let (Some(place), Some((var, range))) = (dst, result) {
            flow.forget();
            let value = Num::new(self.program.vars[var].term, Interval::from_range(range));
            let value = self.as_argument(flow, value, place.ty, span);
            let mut writes = Writes::new();
            self.write(flow, &mut writes, place, value, span);
            if let Some((a, b)) = self.result_extent(f) {
                let extent = (self.program.vars[a].term, self.program.vars[b].term);
                self.write_extent(flow, &mut writes, place, extent);
            }
            self.commit(flow, writes, span);
        } else if let Some(place) = dst {
            // The function returns nothing, and its caller uses it all the same.
            flow.forget();
            let what = "result of a function without one";
            let range = self.range_of_type(place.ty);
            let value = match self.unit.types.format(place.ty) {
                Some(format) => self.any_float(flow, format, what, span),
                None => {
                    let term = self.havoc_temp(flow, Sort::INT, range, what, span);
                    Num::new(term, Interval::from_range(range))
                }
            };
            let mut writes = Writes::new();
            self.write(flow, &mut writes, place, value, span);
            self.commit(flow, writes, span);
        }
        Ok(())
    }

    /// A value passed as another type, without a conversion: where a call does not match the function, bits of numbers
    /// are taken for floating values, or the other way round.
    fn as_argument(&mut self, flow: &mut Flow, value: Num, ty: TypeId, span: Span) -> Num {
        let what = "argument of another type";
        let is_real = self.store.sort_of(value.term) != Sort::INT;
        match (self.unit.types.format(ty), self.unit.types.representation(ty)) {
            (Some(_), _) if is_real => value,
            (Some(format), _) => self.any_float(flow, format, what, span),
            (None, Some(repr)) if !is_real => self.wrap(value, repr),
            (None, None) if !is_real => value,
            (None, _) => {
                let range = self.range_of_type(ty);
                let term = self.havoc_temp(flow, Sort::INT, range, what, span);
                Num::new(term, Interval::from_range(range))
            }
        }
    }

    /// The edge that gives static objects their initial values.
    pub(super) fn initial_state(&mut self) {
        let proc = self.program.entry;
        let span = self.unit.funcs[self.unit.entry].span;
        // The first location of the procedure waits for this edge, the third one is where the body starts.
        let (entry, body) = (LocId::new(0), LocId::new(2));
        if self.layout.calls_entry {
            let at = self.program.procs[proc].location(span);
            self.call_entry(Flow::new(proc, at), span);
        }
        let mut flow = Flow::new(proc, entry);
        let mut effects = Effects::default();
        let heap = self.int(self.layout.heap);
        effects.writes.insert(self.brk, heap);
        self.initial_ghosts(&mut effects.writes);
        self.initial_marks(&mut effects.writes);
        let zero = self.number(0);
        for (v, variable) in self.unit.vars.iter_enumerated() {
            if variable.storage == Storage::Static {
                self.zero_static(&mut flow, &mut effects, v, zero, span);
            }
        }
        if !effects.loops.is_empty() {
            self.perform(&mut flow, std::mem::take(&mut effects), span);
        }
        for s in &self.unit.statics {
            let place = Place { offset: s.offset as i64, bits: s.bits, ..Place::var(s.var, s.ty) };
            let value = self.value(&mut flow, s.value);
            self.write(&mut flow, &mut effects.writes, &place, value, span);
            self.write_extent_of(&mut flow, &mut effects.writes, &place, s.value, span);
        }
        let assigns: Vec<(Var, Term)> = effects.writes.into_iter().collect();
        let step = Step { guard: self.store.tru(), assigns, inputs: Vec::new() };
        let edge = self.program.procs[proc].step(flow.at, body, step, span);
        self.program.procs[proc].edges[edge].approximations = std::mem::take(&mut self.approximations);
    }

    /// Calls the entry function with arbitrary arguments.
    fn call_entry(&mut self, mut flow: Flow, span: Span) {
        let callee = self.procs[&self.unit.entry];
        let mut args = Vec::new();
        for p in self.program.procs[callee].params.clone() {
            let (name, sort, range) = {
                let p = &self.program.vars[p];
                (p.name.clone(), p.sort, p.range)
            };
            let kind = VarKind::Local(flow.proc);
            let value = self.program.variable(self.store, &name, sort, kind, range);
            let input = self.extra_input(format!("uninitialised {name}"), sort, range, span);
            let havoc = self.program.havoc(self.store, value, input);
            flow.emit(self, havoc, span);
            args.push(self.program.vars[value].term);
        }
        let exit = self.program.procs[flow.proc].exit;
        self.program.procs[flow.proc].call(flow.at, exit, Call { callee, args, result: None }, span);
    }

    fn zero_static(&mut self, flow: &mut Flow, effects: &mut Effects, v: VarId, zero: Num, span: Span) {
        let size = self.unit.types.size_of(self.unit.vars[v].ty).unwrap_or(0);
        let at = self.memory.vars[v];
        let start = self.start_of_var(v);
        if start.object.is_none() && !self.memory.transient(at.class) {
            // Nothing but static objects: all of this memory starts as zero.
            for &comp in self.memory.components_of(at.class) {
                let (heap, sort) = (self.heap(comp), self.cells_sort(comp));
                let zero = match self.cell_format(comp) {
                    Some(format) => self.float_constant(0.0, format).term,
                    None => self.int(0),
                };
                effects.writes.entry(heap).or_insert_with(|| self.store.const_array(sort, zero));
                self.clear_whole(&mut effects.writes, comp, heap);
                self.mark_array(&mut effects.writes, heap, true);
            }
            return;
        }
        self.fill(flow, effects, &start, (at, Length::known(size.into())), zero, span);
    }
}
