//! Copying and setting stretches of bytes: records, library calls, initial values.
//!
//! Each component of the class is copied or set cell by cell. A few cells are written in one step; many cells, or a
//! number of bytes that is not known, become a loop of the program over the cells, which costs the same whatever the size.

use super::Encoder;
use super::bits::Num;
use super::cells::{Cell, Start, Writes};
use super::flow::Flow;
use crate::c::hir::BinOp;
use crate::c::memory::{CompId, FAR, Target};
use crate::c::types::IntType;
use bolide_model::{Span, Step, VarId as Var, VarKind};
use bolide_term::{Sort, Term};

/// More cells than this are written in a loop.
const MOST_CELLS: usize = 512;

/// The number of bytes of a stretch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Length {
    Known(i64),
    Term(Term),
}

impl Length {
    /// The number that a constant stands for; beyond all objects for larger ones.
    pub(super) fn known(bytes: i128) -> Length {
        Length::Known(i64::try_from(bytes).map_or(FAR, |b| b.clamp(0, FAR)))
    }
}

/// Writes to many cells of an array, one after the other.
pub(super) struct Loop {
    array: Var,
    /// The first index, and how far apart the indices are.
    index: Term,
    step: i64,
    from: Contents,
    /// What is left at first and how much each round takes; it goes on while this is not negative.
    left: Term,
    takes: i64,
}

enum Contents {
    Value(Term),
    /// Cells of an array, with the first index.
    Cells(Var, Term, i64),
}

/// What a stretch operation does: a step, and loops after it.
#[derive(Default)]
pub(super) struct Effects {
    pub writes: Writes,
    pub loops: Vec<Loop>,
}

impl Encoder<'_> {
    /// Copies bytes; both stretches lie in the same class at the same offset. Sources are read before anything is written.
    pub(super) fn copy(
        &mut self,
        effects: &mut Effects,
        (to, from): (&Start, &Start),
        at: Target,
        length: Length,
    ) {
        let before = Writes::new();
        for comp in self.memory.components_of(at.class).to_vec() {
            let whole = (self.whole_array(to, comp, length), self.whole_array(from, comp, length));
            let has_shadows = self.has_shadows(comp);
            if let (Some(a), Some(b)) = whole {
                effects.writes.insert(a, self.program.vars[b].term);
                if self.has_marks() {
                    let (to, from) = (self.marks_of(a, true), self.marks_of(b, true));
                    effects.writes.insert(to, self.program.vars[from].term);
                }
                if has_shadows {
                    let ((a0, a1), (b0, b1)) = (self.shadows(a), self.shadows(b));
                    effects.writes.insert(a0, self.program.vars[b0].term);
                    effects.writes.insert(a1, self.program.vars[b1].term);
                }
                continue;
            }
            match self.cells_of(comp, at, length) {
                Some(cells) => {
                    for offset in cells {
                        let (a, b) = (self.cell(to, comp, offset), self.cell(from, comp, offset));
                        let mut pairs = vec![(a, b)];
                        if has_shadows {
                            pairs.extend(self.copy_shadows(a, b));
                        }
                        if self.has_marks() {
                            pairs.push((self.mark(a), self.mark(b)));
                        }
                        for (a, b) in pairs {
                            let value = self.read_cell(&before, b);
                            self.write_if(&mut effects.writes, comp, a, (offset, length), value);
                        }
                    }
                }
                None => {
                    let Some((first, left, takes)) = self.rounds(comp, at, length) else { continue };
                    let (a, b) = (self.cell(to, comp, first), self.cell(from, comp, first));
                    let mut pairs = vec![(a, b)];
                    if has_shadows {
                        pairs.extend(self.copy_shadows(a, b));
                    }
                    if self.has_marks() {
                        pairs.push((self.mark(a), self.mark(b)));
                    }
                    for (a, b) in pairs {
                        let (Cell::Element(array, index), Cell::Element(source, start)) = (a, b) else {
                            continue;
                        };
                        let step = self.index_step(to, comp, takes);
                        let from = Contents::Cells(source, start, self.index_step(from, comp, takes));
                        effects.loops.push(Loop { array, index, step, from, left, takes });
                    }
                }
            }
        }
    }

    /// Sets bytes.
    pub(super) fn fill(
        &mut self,
        flow: &mut Flow,
        effects: &mut Effects,
        start: &Start,
        (at, length): (Target, Length),
        byte: Num,
        span: Span,
    ) {
        for comp in self.memory.components_of(at.class).to_vec() {
            let cells = self.cells_of(comp, at, length);
            if cells.as_ref().is_some_and(|c| c.is_empty()) {
                continue;
            }
            let value = self.repeated(flow, comp, byte, span);
            if let Some(a) = self.whole_array(start, comp, length) {
                let sort = self.cells_sort(comp);
                let array = self.store.const_array(sort, value);
                effects.writes.insert(a, array);
                self.clear_whole(&mut effects.writes, comp, a);
                self.mark_array(&mut effects.writes, a, true);
                continue;
            }
            match cells {
                Some(cells) => {
                    for offset in cells {
                        let c = self.cell(start, comp, offset);
                        for (c, value) in self.with_cleared(comp, c, value) {
                            self.write_if(&mut effects.writes, comp, c, (offset, length), value);
                        }
                    }
                }
                None => {
                    let Some((first, left, takes)) = self.rounds(comp, at, length) else { continue };
                    let c = self.cell(start, comp, first);
                    for (c, value) in self.with_cleared(comp, c, value) {
                        let Cell::Element(array, index) = c else { continue };
                        let step = self.index_step(start, comp, takes);
                        effects.loops.push(Loop {
                            array,
                            index,
                            step,
                            from: Contents::Value(value),
                            left,
                            takes,
                        });
                    }
                }
            }
        }
    }

    /// Marks the cells of a stretch as written, where that is followed: their contents come from outside.
    pub(super) fn mark_stretch(
        &mut self,
        effects: &mut Effects,
        start: &Start,
        (at, length): (Target, Length),
    ) {
        if !self.has_marks() {
            return;
        }
        let one = self.int(1);
        for comp in self.memory.components_of(at.class).to_vec() {
            match self.cells_of(comp, at, length) {
                Some(cells) => {
                    for offset in cells {
                        let cell = self.cell(start, comp, offset);
                        let mark = self.mark(cell);
                        self.write_if(&mut effects.writes, comp, mark, (offset, length), one);
                    }
                }
                None => {
                    let Some((first, left, takes)) = self.rounds(comp, at, length) else { continue };
                    let cell = self.cell(start, comp, first);
                    let Cell::Element(array, index) = self.mark(cell) else { continue };
                    let step = self.index_step(start, comp, takes);
                    let from = Contents::Value(one);
                    effects.loops.push(Loop { array, index, step, from, left, takes });
                }
            }
        }
    }

    /// The value of a cell all of whose bytes are the same.
    fn repeated(&mut self, flow: &mut Flow, comp: CompId, byte: Num, span: Span) -> Term {
        match self.memory.components[comp].cell {
            None => byte.term,
            Some(_) if let Some(format) = self.cell_format(comp) => match self.store.as_num(byte.term) {
                Some(zero) if zero.is_zero() => self.float_constant(0.0, format).term,
                _ => self.any_float(flow, format, "floating-point value of bytes", span).term,
            },
            Some(ty) => {
                let ones = (0..ty.bits / 8).fold(0i128, |v, _| v << 8 | 1);
                let factor = self.number(ones);
                let wide = IntType { bits: 100, signed: true, rank: 9 };
                let repeated = self.operate(BinOp::Mul, byte, factor, wide);
                self.wrap(repeated, ty).term
            }
        }
    }

    /// The cells of a component in a stretch, relative to its start: where there are few, or those that lie before the end
    /// of a stretch of unknown length.
    fn cells_of(&self, comp: CompId, at: Target, length: Length) -> Option<Vec<i64>> {
        let c = &self.memory.components[comp];
        let cells = match length {
            Length::Known(n) => c.cells(at.offset, at.offset.saturating_add(n), MOST_CELLS)?,
            Length::Term(_) if c.row.period == 0 => c.cells(at.offset, FAR, MOST_CELLS)?,
            Length::Term(_) => return None,
        };
        Some(cells.into_iter().map(|o| o - at.offset).collect())
    }

    /// The first cell of a component in a stretch, relative to its start, what is left for further ones, and the distance
    /// of cells. `None` if there is no cell.
    fn rounds(&mut self, comp: CompId, at: Target, length: Length) -> Option<(i64, Term, i64)> {
        let c = &self.memory.components[comp];
        let (row, size) = (c.row, c.size());
        let takes = match (c.cell, row.period) {
            (Some(_), p) if p > 0 => p,
            (None, _) => 1,
            (Some(_), _) => size,
        };
        let low = at.offset.max(row.low);
        let first = if takes == 1 { low } else { low + (c.start - low).rem_euclid(takes) };
        let first = first - at.offset;
        let room = row.high.saturating_sub(at.offset);
        let left = match length {
            Length::Known(n) => {
                let left = n.min(room).saturating_sub(first + size);
                if left < 0 {
                    return None;
                }
                self.int(i128::from(left))
            }
            Length::Term(n) => {
                let offset = self.int(i128::from(first + size));
                let left = self.store.sub(n, offset);
                if row.high >= FAR {
                    left
                } else {
                    let most = self.int(i128::from(room - first - size));
                    let fits = self.store.le(left, most);
                    self.store.ite(fits, left, most)
                }
            }
        };
        Some((first, left, takes))
    }

    /// How far apart the indices of cells are.
    fn index_step(&self, start: &Start, comp: CompId, bytes: i64) -> i64 {
        match start.object {
            Some(_) => bytes / self.memory.components[comp].size(),
            None => bytes,
        }
    }

    /// Writes a cell if it lies in a stretch.
    fn write_if(
        &mut self,
        writes: &mut Writes,
        comp: CompId,
        cell: Cell,
        (offset, length): (i64, Length),
        value: Term,
    ) {
        let value = match length {
            Length::Known(_) => value,
            Length::Term(n) => {
                let end = self.int(i128::from(offset + self.memory.components[comp].size()));
                let inside = self.store.le(end, n);
                let old = self.read_cell(writes, cell);
                self.store.ite(inside, value, old)
            }
        };
        self.write_cell(writes, cell, value);
    }

    /// The array that holds a component of a variable, if all bytes of the variable are meant.
    pub(super) fn whole_array(&mut self, start: &Start, comp: CompId, length: Length) -> Option<Var> {
        let Length::Known(size) = length else { return None };
        let v =
            start.object.filter(|&v| start.parts.is_empty() && self.memory.dynamic.contains(&(v, comp)))?;
        let all = self.unit.types.size_of(self.unit.vars[v].ty).is_some_and(|s| s as i64 == size);
        (start.offset == 0 && all).then(|| self.array(v, comp))
    }

    /// Emits a step, and the loops after it.
    pub(super) fn perform(&mut self, flow: &mut Flow, effects: Effects, span: Span) {
        let Effects { writes, loops } = effects;
        if loops.is_empty() {
            return self.commit(flow, writes, span);
        }
        let mut assigns: Vec<(Var, Term)> = writes.into_iter().collect();
        let mut rounds = Vec::new();
        for l in loops {
            let mut temp = |this: &mut Self, name: &str, sort: Sort, value: Term| {
                let kind = VarKind::Local(flow.proc);
                let var = this.program.variable(this.store, name, sort, kind, None);
                assigns.push((var, value));
                var
            };
            let to = temp(self, "next cell", Sort::INT, l.index);
            let left = temp(self, "bytes left", Sort::INT, l.left);
            let (value, source) = match l.from {
                Contents::Value(value) => {
                    let sort = self.store.sort_of(value);
                    let var = temp(self, "cell", sort, value);
                    (self.program.vars[var].term, None)
                }
                Contents::Cells(array, index, step) => {
                    let (sort, contents) = (self.program.vars[array].sort, self.program.vars[array].term);
                    let old = temp(self, "cells before", sort, contents);
                    let from = temp(self, "next source", Sort::INT, index);
                    let value = self.store.select(self.program.vars[old].term, self.program.vars[from].term);
                    (value, Some((from, step)))
                }
            };
            rounds.push((l.array, (to, l.step), (left, l.takes), value, source));
        }
        assigns.sort_unstable_by_key(|a| a.0);
        let guard = self.store.tru();
        flow.emit(self, Step { guard, assigns, inputs: Vec::new() }, span);
        for (array, (to, step), (left, takes), value, source) in rounds {
            let head = flow.at;
            let zero = self.int(0);
            let next = |this: &mut Self, var: Var, by: i64| {
                let by = this.int(i128::from(by));
                let term = this.program.vars[var].term;
                (var, this.store.add(&[term, by]))
            };
            let goes_on = self.store.le(zero, self.program.vars[left].term);
            let stored = self.store.store(self.program.vars[array].term, self.program.vars[to].term, value);
            let mut assigns = vec![(array, stored), next(self, to, step), next(self, left, -takes)];
            assigns.extend(source.map(|(from, step)| next(self, from, step)));
            assigns.sort_unstable_by_key(|a| a.0);
            let round = Step { guard: goes_on, assigns, inputs: Vec::new() };
            self.program.procs[flow.proc].step(head, head, round, span);
            let done = self.store.not(goes_on);
            flow.emit(self, Step::assume(done), span);
        }
    }
}
