//! Reading and writing objects: which variables of the program hold a place.

use super::Encoder;
use super::bits::Num;
use super::flow::Flow;
use crate::c::float::Format;
use crate::c::hir::{Base, ExprId, Place, VarId};
use crate::c::layout::Home;
use crate::c::memory::CompId;
use crate::c::types::IntType;
use bolide_model::program::pass::Interval;
use bolide_model::{Span, VarId as Var, VarKind};
use bolide_term::{Sort, Term};
use std::collections::BTreeMap;

/// Where an object starts, so far as constants go, and how much further by indices.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// The variable, if it has no address; otherwise the address is in `parts`.
    pub object: Option<VarId>,
    /// Constant bytes.
    pub offset: i64,
    /// Terms, each times a number of bytes.
    pub parts: Vec<(Term, i64)>,
}

/// One scalar or byte of an object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell {
    Variable(Var),
    Element(Var, Term),
}

/// A scalar place: its cells, which are a single scalar or bytes from the lowest.
pub(super) struct Slot {
    cells: Vec<Cell>,
    /// The scalar in the cell, or `None` for bytes.
    cell: Option<IntType>,
    /// Can the cells hold values outside of their range because nobody wrote them yet?
    arbitrary: bool,
    comp: CompId,
}

impl Slot {
    /// The cells, from the lowest.
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }
}

/// New values of variables, collected for one step.
pub(super) type Writes = BTreeMap<Var, Term>;

/// A byte.
pub(super) const BYTE: IntType = IntType { bits: 8, signed: false, rank: 9 };

impl Encoder<'_> {
    /// Where a place starts.
    pub(super) fn start(&mut self, flow: &mut Flow, place: &Place) -> Start {
        let mut parts: Vec<(Term, i64)> = Vec::new();
        for &(index, stride) in &place.dynamic {
            parts.push((self.value(flow, index).term, stride));
        }
        match place.base {
            Base::Var(v) => match self.base_address(v) {
                None => Start { object: Some(v), offset: place.offset, parts },
                Some(address) => {
                    parts.push((address, 1));
                    Start { object: None, offset: place.offset, parts }
                }
            },
            Base::Deref(e) => self.start_at(flow, e, place.offset, parts),
        }
    }

    fn start_at(&mut self, flow: &mut Flow, e: ExprId, offset: i64, mut parts: Vec<(Term, i64)>) -> Start {
        parts.push((self.value(flow, e).term, 1));
        Start { object: None, offset, parts }
    }

    /// The object at an address.
    pub(super) fn start_of_address(&mut self, flow: &mut Flow, e: ExprId) -> Start {
        self.start_at(flow, e, 0, Vec::new())
    }

    /// A whole variable.
    pub(super) fn start_of_var(&mut self, v: VarId) -> Start {
        match self.base_address(v) {
            None => Start { object: Some(v), offset: 0, parts: Vec::new() },
            Some(address) => Start { object: None, offset: 0, parts: vec![(address, 1)] },
        }
    }

    /// The offset as a term, in units of so many bytes, which divide it.
    fn offset_term(&mut self, start: &Start, more: i64, unit: i64) -> Term {
        let mut terms = vec![self.int(i128::from((start.offset + more).div_euclid(unit)))];
        for &(t, bytes) in &start.parts {
            let factor = bolide_base::Rational::from(bytes / unit);
            terms.push(self.store.scale(&factor, t));
        }
        self.store.add(&terms)
    }

    /// The address of a place.
    pub(super) fn address_of(&mut self, flow: &mut Flow, place: &Place) -> Term {
        let start = self.start(flow, place);
        self.offset_term(&start, 0, 1)
    }

    /// A cell of a component, so many bytes from the start of an object.
    pub(super) fn cell(&mut self, start: &Start, comp: CompId, at: i64) -> Cell {
        let c = &self.memory.components[comp];
        let size = c.size();
        match start.object {
            Some(v) if self.memory.dynamic.contains(&(v, comp)) => {
                let array = self.array(v, comp);
                Cell::Element(array, self.offset_term(start, at, size))
            }
            Some(v) => Cell::Variable(self.cell_variable(v, comp, start.offset + at)),
            None => {
                let heap = self.heap(comp);
                Cell::Element(heap, self.offset_term(start, at, 1))
            }
        }
    }

    fn cell_range(&self, comp: CompId) -> Option<(i128, i128)> {
        let ty = self.memory.components[comp].cell.unwrap_or(BYTE);
        (self.ints == super::Ints::Machine && ty.format().is_none()).then(|| ty.range())
    }

    fn cell_variable(&mut self, v: VarId, comp: CompId, offset: i64) -> Var {
        if let Some(&var) = self.cells.get(&(v, comp, offset)) {
            return var;
        }
        let object = &self.unit.vars[v];
        let scalar = self.unit.types.is_scalar(object.ty) && offset == 0;
        let name = if scalar { object.name.clone() } else { format!("{}@{offset}", object.name) };
        let (kind, range) = (self.kind_of(v), self.cell_range(comp));
        let var = self.program.variable(self.store, &name, self.cell_sort(comp), kind, range);
        self.cells.insert((v, comp, offset), var);
        let size = self.memory.components[comp].size() as u32;
        self.encoding.cells.push((v, offset, size, var));
        var
    }

    pub(super) fn array(&mut self, v: VarId, comp: CompId) -> Var {
        if let Some(&var) = self.arrays.get(&(v, comp)) {
            return var;
        }
        let name = self.unit.vars[v].name.clone();
        let (kind, range) = (self.kind_of(v), self.cell_range(comp));
        let sort = self.cells_sort(comp);
        let var = self.program.variable(self.store, &name, sort, kind, range);
        self.arrays.insert((v, comp), var);
        self.encoding.arrays.push((v, var));
        var
    }

    pub(super) fn heap(&mut self, comp: CompId) -> Var {
        if let Some(&var) = self.heaps.get(&comp) {
            return var;
        }
        let c = &self.memory.components[comp];
        let name = format!("memory {}.{}", c.class, c.start.max(-1));
        let bytes = c.cell.map_or(1, |i| i.bits / 8);
        let range = self.cell_range(comp);
        let sort = self.cells_sort(comp);
        let var = self.program.variable(self.store, &name, sort, VarKind::Global, range);
        self.encoding.float_memory.extend(self.cell_format(comp).map(|f| (var, f)));
        self.heaps.insert(comp, var);
        self.encoding.memory.push((var, bytes));
        var
    }

    /// The cells of a scalar place; `None` if the analysis has never seen it, which means it is never reached.
    pub(super) fn slot(&mut self, flow: &mut Flow, place: &Place, span: Span) -> Option<Slot> {
        let comp = self.memory.component(place)?;
        self.keep_row(flow, place, span);
        let start = self.start(flow, place);
        let c = &self.memory.components[comp];
        let (cell, class) = (c.cell, c.class);
        let size = self.unit.types.representation(place.ty).map_or(1, |i| i64::from(i.bits / 8));
        let count = if cell.is_some() { 1 } else { size };
        let cells = (0..count).map(|n| self.cell(&start, comp, n)).collect();
        Some(Slot { cells, cell, arbitrary: self.memory.transient(class), comp })
    }

    /// The value of a cell, after some writes.
    pub(super) fn read_cell(&mut self, writes: &Writes, cell: Cell) -> Term {
        match cell {
            Cell::Variable(v) => self.current(writes, v),
            Cell::Element(v, index) => {
                let array = self.current(writes, v);
                self.store.select(array, index)
            }
        }
    }

    fn current(&self, writes: &Writes, v: Var) -> Term {
        writes.get(&v).copied().unwrap_or(self.program.vars[v].term)
    }

    pub(super) fn write_cell(&mut self, writes: &mut Writes, cell: Cell, value: Term) {
        match cell {
            Cell::Variable(v) => {
                writes.insert(v, value);
            }
            Cell::Element(v, index) => {
                let array = self.current(writes, v);
                let new = self.store.store(array, index, value);
                writes.insert(v, new);
            }
        }
    }

    fn range_of(&self, ty: IntType) -> Interval {
        if self.ints == super::Ints::Unbounded {
            return Interval::ALL;
        }
        let (low, high) = ty.range();
        Interval::new(low, high)
    }

    /// The unsigned number or the scalar that a slot holds.
    fn read_slot(&mut self, flow: &mut Flow, writes: &Writes, slot: &Slot, span: Span) -> Num {
        let range = self.range_of(slot.cell.unwrap_or(BYTE));
        let mut parts = Vec::with_capacity(slot.cells.len());
        for (n, &cell) in slot.cells.iter().enumerate() {
            let value = self.read_cell(writes, cell);
            if slot.arbitrary && matches!(cell, Cell::Element(..)) {
                self.assume_range(flow, value, range, span);
            }
            let weight = bolide_base::Rational::from(bolide_base::IBig::from(1i128 << (8 * n)));
            parts.push(self.store.scale(&weight, value));
        }
        let range = match slot.cell {
            Some(_) => range,
            None => Interval::new(0, (1i128 << (8 * slot.cells.len())) - 1),
        };
        Num::new(self.store.add(&parts), range)
    }

    /// What was never written is still in range.
    fn assume_range(&mut self, flow: &mut Flow, t: Term, range: Interval, span: Span) {
        if let (Some(low), Some(high)) = (range.low, range.high) {
            let inside = self.program.in_range(self.store, t, Some((low, high)));
            flow.assume(self, inside, span);
        }
    }

    /// The value of a scalar place.
    pub(super) fn read(&mut self, flow: &mut Flow, writes: &Writes, place: &Place, span: Span) -> Num {
        if let Some(format) = self.unit.types.format(place.ty) {
            return self.read_float(flow, writes, place, format, span);
        }
        let Some(ty) = self.unit.types.representation(place.ty) else { return self.number(0) };
        let Some(slot) = self.slot(flow, place, span) else { return self.number(0) };
        let whole = self.read_slot(flow, writes, &slot, span);
        match place.bits {
            None => self.wrap(whole, ty),
            Some((first, width)) => {
                let whole = self.wrap(whole, IntType { signed: false, rank: 9, ..ty });
                self.extract(whole, first, width, ty)
            }
        }
    }

    /// The value of a floating place; any value if it shares its bytes with something else.
    fn read_float(
        &mut self,
        flow: &mut Flow,
        writes: &Writes,
        place: &Place,
        format: Format,
        span: Span,
    ) -> Num {
        let Some(slot) = self.slot(flow, place, span) else { return self.float_constant(0.0, format) };
        if self.cell_format(slot.comp).is_none() {
            if self.exact.is_some() && self.bits_of_slot(&slot) == self.exact_format(format).width() {
                let whole = self.read_slot(flow, writes, &slot, span);
                return self.exact_of_pattern(whole.term, format);
            }
            return self.any_float(flow, format, "floating-point value of bytes", span);
        }
        let value = self.read_cell(writes, slot.cells[0]);
        if slot.arbitrary && matches!(slot.cells[0], Cell::Element(..)) {
            let inside = self.cell_value(slot.comp, value);
            flow.assume(self, inside, span);
        }
        Num::new(value, Interval::ALL)
    }

    /// Stores a floating value; where it shares its bytes with something else, these can be any.
    fn write_float(&mut self, flow: &mut Flow, writes: &mut Writes, slot: &Slot, value: Num, span: Span) {
        if self.cell_format(slot.comp).is_some() {
            return self.write_cell(writes, slot.cells[0], value.term);
        }
        if self.exact.is_some() {
            let pattern = self.exact_pattern(flow, value.term, span);
            if let Some(pattern) = pattern.filter(|p| p.1 == self.bits_of_slot(slot)) {
                return self.write_pattern(writes, slot, pattern.0);
            }
        }
        let range = self.cell_range(slot.comp);
        for &cell in &slot.cells {
            let value = self.havoc_temp(flow, Sort::INT, range, "bytes of a floating-point value", span);
            self.write_cell(writes, cell, value);
        }
    }

    /// The bits that the cells of a slot have together.
    fn bits_of_slot(&self, slot: &Slot) -> u32 {
        slot.cell.map_or(8 * slot.cells.len() as u32, |ty| ty.bits)
    }

    /// Stores a natural number into all cells of a slot.
    fn write_pattern(&mut self, writes: &mut Writes, slot: &Slot, pattern: Num) {
        match slot.cell {
            Some(ty) => {
                let value = self.wrap(pattern, ty);
                self.write_cell(writes, slot.cells[0], value.term);
            }
            None => {
                for (n, &cell) in slot.cells.iter().enumerate() {
                    let byte = self.byte(pattern, n as u32);
                    self.write_cell(writes, cell, byte.term);
                }
            }
        }
    }

    /// A bit-field of its unit.
    fn extract(&mut self, unit: Num, first: u32, width: u32, ty: IntType) -> Num {
        let shifted = self.floor_div(unit, 1 << first);
        let field = self.modulo(shifted, 1 << width);
        self.wrap(field, IntType { bits: width, signed: ty.signed, rank: if ty.rank == 0 { 0 } else { 9 } })
    }

    /// Stores a value, which has the type of the place.
    pub(super) fn write(
        &mut self,
        flow: &mut Flow,
        writes: &mut Writes,
        place: &Place,
        value: Num,
        span: Span,
    ) {
        let Some(ty) = self.unit.types.representation(place.ty) else { return };
        let Some(slot) = self.slot(flow, place, span) else { return };
        self.write_marks(writes, &slot.cells, true);
        if self.unit.types.format(place.ty).is_some() {
            return self.write_float(flow, writes, &slot, value, span);
        }
        let value = match place.bits {
            None => value,
            Some((first, width)) => {
                let old = self.read_slot(flow, writes, &slot, span);
                let old = self.wrap(old, IntType { signed: false, rank: 9, ..ty });
                let unsigned = IntType { bits: width, signed: false, rank: 9 };
                let field = self.extract(old, first, width, IntType { signed: false, ..ty });
                let new = self.modulo(value, 1 << unsigned.bits);
                self.replaced(old, field, new, first, ty)
            }
        };
        match slot.cell {
            Some(cell) => {
                let value = self.wrap(value, cell);
                self.write_cell(writes, slot.cells[0], value.term);
                if self.has_shadows(slot.comp) {
                    // Whoever knows the object of the pointer says so afterwards.
                    let zero = self.int(0);
                    for shadow in self.clear_shadows(slot.cells[0]) {
                        self.write_cell(writes, shadow, zero);
                    }
                }
            }
            None => {
                for (n, &cell) in slot.cells.iter().enumerate() {
                    let byte = self.byte(value, n as u32);
                    self.write_cell(writes, cell, byte.term);
                }
            }
        }
    }

    /// A unit with one of its fields replaced: `old + (new - field) * 2^first`.
    fn replaced(&mut self, old: Num, field: Num, new: Num, first: u32, ty: IntType) -> Num {
        let difference = self.store.sub(new.term, field.term);
        let weight = bolide_base::Rational::from(bolide_base::IBig::from(1i128 << first));
        let moved = self.store.scale(&weight, difference);
        let term = self.store.add(&[old.term, moved]);
        let range = self.range_of(IntType { signed: false, rank: 9, ..ty });
        Num::new(term, range)
    }

    /// Byte number `n` of a value in two's complement.
    pub(super) fn byte(&mut self, value: Num, n: u32) -> Num {
        let shifted = self.floor_div(value, 1 << (8 * n));
        self.modulo(shifted, 256)
    }

    /// Does a variable live at an address?
    pub(super) fn has_address(&self, v: VarId) -> bool {
        self.layout.vars[v] != Home::Nowhere
    }
}
