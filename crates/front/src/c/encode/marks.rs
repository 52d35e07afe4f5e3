//! Which cells have been written, where the use of uninitialised values is checked: next to each variable of the program
//! that holds cells of objects there is one with a mark for each cell, 1 once it is written.

use super::Encoder;
use super::cells::{Cell, Writes};
use super::flow::Flow;
use crate::c::hir::{Base, ExprId, Place};
use bolide_model::{PropertyId, Span, VarId as Var};
use bolide_term::{Sort, Term};

impl Encoder<'_> {
    /// Are there marks?
    pub(super) fn has_marks(&self) -> bool {
        self.unit.tracks_contents
    }

    /// The variable with the marks for the cells of another.
    pub(super) fn marks_of(&mut self, of: Var, is_array: bool) -> Var {
        if let Some(&var) = self.marks_of_cells.get(&of) {
            return var;
        }
        let (name, kind) = (format!("written {}", self.program.vars[of].name), self.program.vars[of].kind);
        let sort = match is_array {
            true => self.store.array_sort(Sort::INT, Sort::INT),
            false => Sort::INT,
        };
        let var = self.program.variable(self.store, &name, sort, kind, None);
        self.marks_of_cells.insert(of, var);
        var
    }

    /// The mark of a cell.
    pub(super) fn mark(&mut self, cell: Cell) -> Cell {
        match cell {
            Cell::Variable(v) => Cell::Variable(self.marks_of(v, false)),
            Cell::Element(v, index) => Cell::Element(self.marks_of(v, true), index),
        }
    }

    /// Marks cells as written or not.
    pub(super) fn write_marks(&mut self, writes: &mut Writes, cells: &[Cell], is_written: bool) {
        if !self.has_marks() {
            return;
        }
        let value = self.int(i128::from(is_written));
        for &cell in cells {
            let mark = self.mark(cell);
            self.write_cell(writes, mark, value);
        }
    }

    /// Marks all cells of an array.
    pub(super) fn mark_array(&mut self, writes: &mut Writes, array: Var, is_written: bool) {
        if self.has_marks() {
            let marks = self.marks_of(array, true);
            let value = self.constant_marks(is_written);
            writes.insert(marks, value);
        }
    }

    fn constant_marks(&mut self, is_written: bool) -> Term {
        let sort = self.store.array_sort(Sort::INT, Sort::INT);
        let value = self.int(i128::from(is_written));
        self.store.const_array(sort, value)
    }

    /// At the start no memory is written.
    pub(super) fn initial_marks(&mut self, writes: &mut Writes) {
        let mut heaps: Vec<Var> = self.heaps.values().copied().collect();
        heaps.sort_unstable();
        for heap in heaps {
            self.mark_array(writes, heap, false);
        }
    }

    /// The value of a place is used, if a condition is not zero: all of it has been written.
    pub(super) fn check_initialised(
        &mut self,
        flow: &mut Flow,
        place: &Place,
        condition: Option<ExprId>,
        property: PropertyId,
        span: Span,
    ) {
        let Some(slot) = self.slot(flow, place, span) else { return };
        let one = self.int(1);
        let mut all = Vec::new();
        for &cell in slot.cells() {
            let mark = self.mark(cell);
            let mark = self.read_cell(&Writes::new(), mark);
            all.push(self.store.eq(mark, one));
        }
        let mut holds = self.store.and(&all);
        if let Base::Deref(_) = place.base {
            // What lies outside of all objects has no value.
            let (inside, _) = self.access_is_inside(flow, place, span);
            let outside = self.store.not(inside);
            holds = self.store.or(&[outside, holds]);
        }
        self.demand_if(flow, condition, holds, property, span);
    }
}
