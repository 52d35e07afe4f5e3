//! The safety of memory: ghost variables that say which objects live and how far they reach, and the checks on them.
//!
//! No address is used for two objects, so an address names an object for good. The objects of a class are *thin* if
//! pointers into the class have exact offsets and all objects start at the same one: then a pointer itself tells where its
//! object starts. Other classes are *fat*: next to each pointer into them, wherever it is stored, two shadows hold the
//! start and the end of its object. A shadow that is not known (the pointer came from outside, was made from a number, or
//! shares its bytes with something else) is that of no object, so that an access through it is an error; the interpreter
//! judges whether there is one.
//!
//! Whether an object lives is told by an array per class, indexed by the address of the object: 0 for what does not live,
//! 1 for objects that cannot be freed, 2 for those of the heap. Classes of which nothing is made or ends while the program
//! runs have none. A number per class counts the objects of the heap that have not been freed.

use super::Encoder;
use super::cells::{Cell, Start, Writes};
use super::flow::Flow;
use crate::c::hir::{Base, Expr, ExprId, FuncId, Guard, InstrKind, Lifetime, Place, Storage, VarId};
use crate::c::layout::Home;
use crate::c::memory::{ClassId, CompId, Target, divisor};
use crate::c::types::Type;
use bolide_model::{Bias, Span, VarId as Var, VarKind};
use bolide_term::{Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Classes with at most so many objects, all there for good, are compared with their addresses.
const MOST_COMPARED: usize = 4;
/// An object that the program did not make.
const OUTSIDE: &str = "a pointer whose object is not known";

/// The first byte of an object and the end.
pub(super) type Extent = (Term, Term);

/// What is known about the objects of a class.
#[derive(Default)]
pub(super) struct Class {
    /// Where objects start and end, as offsets of the class; none for an end that is not constant.
    pub extents: Vec<(i64, Option<i64>)>,
    /// Objects that are there from the beginning: variable and address.
    pub fixed: Vec<(VarId, i128)>,
    /// Are objects made while the program runs, or do they end?
    pub changes: bool,
    /// Do objects end?
    pub ends: bool,
    /// Are there objects of the heap?
    pub has_heap: bool,
    pub is_fat: bool,
    /// Where all objects are rows of whole elements, as far as the stride of the class: offset of the first element.
    pub elements: Option<i64>,
    /// Are the sizes of all objects multiples of the stride of the class?
    pub is_whole: bool,
    pub life: Option<Var>,
    /// The ends of the objects of a thin class, as offsets, where they differ.
    pub end: Option<Var>,
    /// How many objects of the heap have not been freed.
    pub count: Option<Var>,
}

impl Class {
    fn whole() -> Class {
        Class { is_whole: true, ..Class::default() }
    }
}

/// The ghosts of a program; there are none if the safety of memory is not checked.
#[derive(Default)]
pub(super) struct Ghosts {
    pub classes: FxHashMap<ClassId, Class>,
    shadows: FxHashMap<Var, (Var, Var)>,
    results: FxHashMap<FuncId, (Var, Var)>,
    /// Classes that static objects may lead to.
    pub kept: FxHashSet<ClassId>,
    pub is_on: bool,
}

impl Encoder<'_> {
    /// Finds out what has to be tracked.
    pub(super) fn prepare_ghosts(&mut self) {
        if !self.unit.guards_memory {
            return;
        }
        self.ghosts.is_on = true;
        let mut classes: FxHashMap<ClassId, Class> = FxHashMap::default();
        let reachable: FxHashSet<FuncId> = self.layout.reachable.iter().copied().collect();
        for (v, variable) in self.unit.vars.iter_enumerated() {
            let is_there = match variable.storage {
                Storage::Static => true,
                Storage::Auto(f) => reachable.contains(&f),
            };
            let home = self.layout.vars[v];
            if !is_there || home == Home::Nowhere {
                continue;
            }
            let at = self.memory.vars[v];
            let size = self.unit.types.size_of(variable.ty).unwrap_or(0) as i64;
            let stride = self.memory.classes[at.class].stride;
            let class = classes.entry(at.class).or_insert_with(Class::whole);
            class.extents.push((at.offset, Some(at.offset.saturating_add(size))));
            class.is_whole &= stride > 0 && size % stride == 0;
            match home {
                Home::Fixed(a) => class.fixed.push((v, a)),
                _ => (class.changes, class.ends) = (true, true),
            }
        }
        let mut freed: FxHashSet<ClassId> = FxHashSet::default();
        for &f in &self.layout.reachable {
            for i in self.unit.funcs[f].blocks.iter().flat_map(|b| &b.instrs) {
                let InstrKind::Guard(guard) = &i.kind else { continue };
                match guard {
                    Guard::New(place, size, lifetime) => {
                        let Some(at) = self.memory.stored_pointer(place) else { continue };
                        let bytes = self.unit.as_int(*size).and_then(|n| i64::try_from(n).ok());
                        let stride = self.memory.classes[at.class].stride;
                        let class = classes.entry(at.class).or_insert_with(Class::whole);
                        class.is_whole &= stride > 0 && divisor(self.unit, *size) % stride == 0;
                        class.extents.push((at.offset, bytes.map(|n| at.offset.saturating_add(n))));
                        class.changes = true;
                        class.ends |= *lifetime == Lifetime::Scope && f != self.unit.entry;
                        class.has_heap |= *lifetime == Lifetime::Heap;
                    }
                    Guard::Free(e, _) | Guard::Kill(e) => {
                        freed.extend(self.memory.values[*e].map(|t| t.class));
                    }
                    Guard::End(v) if self.layout.vars[*v] != Home::Nowhere => {
                        let class = classes.entry(self.memory.vars[*v].class).or_insert_with(Class::whole);
                        (class.changes, class.ends) = (true, true);
                    }
                    _ => {}
                }
            }
        }
        let mut ids: Vec<ClassId> = classes.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let class = classes.get_mut(&id).expect("it is a key");
            class.ends |= freed.contains(&id);
            class.extents.sort_unstable();
            class.extents.dedup();
            let is_exact = self.memory.classes[id].stride == 0;
            let starts_alike = class.extents.iter().all(|e| e.0 == class.extents[0].0);
            let first = class.extents.first().map(|e| e.0);
            class.elements = first.filter(|_| class.is_whole && starts_alike && !is_exact);
            class.is_fat = !is_exact || class.extents.windows(2).any(|w| w[0].0 != w[1].0);
            let needs_life = match class.is_fat {
                true => class.ends || freed.contains(&id),
                false => class.changes || class.ends || class.fixed.len() > MOST_COMPARED,
            };
            let array = self.store.array_sort(Sort::INT, Sort::INT);
            let ghost = |this: &mut Self, name: &str, sort: Sort| {
                let name = format!("{name} {id}");
                this.program.variable(this.store, &name, sort, VarKind::Global, None)
            };
            class.life = needs_life.then(|| ghost(self, "life", array));
            let differ =
                !class.is_fat && (class.extents.len() > 1 || class.extents.iter().any(|e| e.1.is_none()));
            class.end = differ.then(|| ghost(self, "size", array));
            class.count = class.has_heap.then(|| ghost(self, "allocated", Sort::INT));
        }
        self.ghosts.classes = classes;
        self.ghosts.kept = self.kept_classes();
    }

    /// The classes that static objects may lead to.
    pub(super) fn kept_classes(&self) -> FxHashSet<ClassId> {
        let mut work: Vec<ClassId> = Vec::new();
        for (v, variable) in self.unit.vars.iter_enumerated() {
            if variable.storage == Storage::Static && !variable.is_slot {
                let at = self.memory.vars[v];
                let size = self.unit.types.size_of(variable.ty).unwrap_or(0) as i64;
                let class = &self.memory.classes[at.class];
                let is_inside = |o: i64| {
                    class.stride > 0 || !class.rows.is_empty() || o >= at.offset && o < at.offset + size
                };
                let slots = class.slots.iter().filter(|(o, _)| is_inside(**o));
                work.extend(slots.map(|(_, s)| s.target.class));
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(c) = work.pop() {
            if seen.insert(c) {
                work.extend(self.memory.classes[c].slots.values().map(|s| s.target.class));
            }
        }
        seen
    }

    pub(super) fn is_fat(&self, class: ClassId) -> bool {
        self.ghosts.is_on
            && match self.ghosts.classes.get(&class) {
                Some(c) => c.is_fat,
                None => false,
            }
    }

    /// Does a component hold pointers with shadows?
    pub(super) fn has_shadows(&self, comp: CompId) -> bool {
        if !self.ghosts.is_on {
            return false;
        }
        let c = &self.memory.components[comp];
        let size = self.unit.types.pointer_size() as i64;
        let slot = self.memory.slot(Target { class: c.class, offset: c.start });
        c.cell.is_some_and(|t| t.format().is_none())
            && c.size() == size
            && slot.is_some_and(|s| i64::from(s.size) == size && self.is_fat(s.target.class))
    }

    /// The shadows of a variable of the program: where the objects of its pointers start and end.
    pub(super) fn shadows(&mut self, of: Var) -> (Var, Var) {
        if let Some(&both) = self.ghosts.shadows.get(&of) {
            return both;
        }
        let (name, sort, kind) = {
            let v = &self.program.vars[of];
            (v.name.clone(), v.sort, v.kind)
        };
        let start = self.program.variable(self.store, &format!("start of {name}"), sort, kind, None);
        let end = self.program.variable(self.store, &format!("end of {name}"), sort, kind, None);
        self.ghosts.shadows.insert(of, (start, end));
        (start, end)
    }

    /// The cells of the shadows of a cell.
    pub(super) fn shadow_cells(&mut self, cell: Cell) -> (Cell, Cell) {
        match cell {
            Cell::Variable(v) => {
                let (a, b) = self.shadows(v);
                (Cell::Variable(a), Cell::Variable(b))
            }
            Cell::Element(v, index) => {
                let (a, b) = self.shadows(v);
                (Cell::Element(a, index), Cell::Element(b, index))
            }
        }
    }

    /// The extent of no object.
    pub(super) fn no_extent(&mut self) -> Extent {
        (self.int(0), self.int(0))
    }

    /// The shadows of a place that holds a pointer; none if it has none.
    pub(super) fn place_shadows(&mut self, flow: &mut Flow, place: &Place) -> Option<(Cell, Cell)> {
        let comp = self.memory.component(place).filter(|&c| self.has_shadows(c))?;
        if place.bits.is_some() || self.unit.types.size_of(place.ty) != Some(self.unit.types.pointer_size()) {
            return None;
        }
        let start = self.start(flow, place);
        let cell = self.cell(&start, comp, 0);
        Some(self.shadow_cells(cell))
    }

    /// Stores the extent of the object that a stored pointer leads to.
    pub(super) fn write_extent(
        &mut self,
        flow: &mut Flow,
        writes: &mut Writes,
        place: &Place,
        extent: Extent,
    ) {
        if let Some((a, b)) = self.place_shadows(flow, place) {
            self.write_cell(writes, a, extent.0);
            self.write_cell(writes, b, extent.1);
        }
    }

    /// Stores the extent of the object that the value of an expression leads to, along with the value.
    pub(super) fn write_extent_of(
        &mut self,
        flow: &mut Flow,
        writes: &mut Writes,
        place: &Place,
        value: ExprId,
        span: Span,
    ) {
        if self.ghosts.is_on && self.memory.component(place).is_some_and(|c| self.has_shadows(c)) {
            let extent = self.extent(flow, value, span);
            self.write_extent(flow, writes, place, extent);
        }
    }

    /// Copies the shadows of a cell along with it.
    pub(super) fn copy_shadows(&mut self, to: Cell, from: Cell) -> [(Cell, Cell); 2] {
        let (to, from) = (self.shadow_cells(to), self.shadow_cells(from));
        [(to.0, from.0), (to.1, from.1)]
    }

    /// The shadows of a cell that is set to something that is no pointer.
    pub(super) fn clear_shadows(&mut self, cell: Cell) -> [Cell; 2] {
        let (a, b) = self.shadow_cells(cell);
        [a, b]
    }

    /// A cell that is set to something that is no pointer, with its shadows.
    pub(super) fn with_cleared(&mut self, comp: CompId, cell: Cell, value: Term) -> Vec<(Cell, Term)> {
        let mut out = vec![(cell, value)];
        if self.has_shadows(comp) {
            let zero = self.int(0);
            out.extend(self.clear_shadows(cell).map(|c| (c, zero)));
        }
        if self.has_marks() {
            out.push((self.mark(cell), self.int(1)));
        }
        out
    }

    /// All cells of an array are set to something that is no pointer.
    pub(super) fn clear_whole(&mut self, writes: &mut Writes, comp: CompId, array: Var) {
        if self.has_shadows(comp) {
            let (a, b) = self.shadows(array);
            let zero = self.int(0);
            for shadow in [a, b] {
                let sort = self.program.vars[shadow].sort;
                let nothing = self.store.const_array(sort, zero);
                writes.insert(shadow, nothing);
            }
        }
    }

    /// The extent of the object that a pointer into a fat class leads to.
    pub(super) fn extent(&mut self, flow: &mut Flow, e: ExprId, span: Span) -> Extent {
        let none = self.no_extent();
        let Some(class) = self.memory.values[e].map(|t| t.class).filter(|&c| self.is_fat(c)) else {
            return none;
        };
        self.value(flow, e);
        for x in self.unit.post_order([e]) {
            let is_meant = self.memory.values[x].is_some_and(|t| t.class == class);
            if is_meant && !flow.extents.contains_key(&x) {
                let extent = self.extent_of_node(flow, x, span);
                flow.extents.insert(x, extent);
            }
        }
        flow.extents.get(&e).copied().unwrap_or(none)
    }

    pub(super) fn extent_of_node(&mut self, flow: &mut Flow, e: ExprId, span: Span) -> Extent {
        let none = self.no_extent();
        let of = |flow: &Flow, x: &ExprId| flow.extents.get(x).copied();
        match self.unit.exprs[e].expr.clone() {
            Expr::Addr(place) => match place.base {
                Base::Var(v) => self.extent_of_var(v).unwrap_or(none),
                Base::Deref(p) => of(flow, &p).unwrap_or(none),
            },
            Expr::PtrAdd(p, ..) | Expr::Cast(p) => of(flow, &p).unwrap_or(none),
            Expr::Binary(_, a, b) => of(flow, &a).or(of(flow, &b)).unwrap_or(none),
            Expr::Cond(c, a, b) => {
                let c = self.truth(flow, c);
                let (a, b) = (of(flow, &a).unwrap_or(none), of(flow, &b).unwrap_or(none));
                (self.store.ite(c, a.0, b.0), self.store.ite(c, a.1, b.1))
            }
            Expr::Load(place) => match self.place_shadows(flow, &place) {
                Some((a, b)) => {
                    let writes = Writes::new();
                    (self.read_cell(&writes, a), self.read_cell(&writes, b))
                }
                None => {
                    self.approximate(Bias::Over, OUTSIDE, span);
                    none
                }
            },
            _ => none,
        }
    }

    pub(super) fn extent_of_var(&mut self, v: VarId) -> Option<Extent> {
        let start = self.base_address(v)?;
        let size = self.unit.types.size_of(self.unit.vars[v].ty).unwrap_or(0);
        let size = self.int(i128::from(size));
        Some((start, self.store.add(&[start, size])))
    }

    /// The number by which the ghosts of a class know an object: for a thin class where the class starts, which the
    /// pointer tells, for a fat one where the object starts.
    pub(super) fn key(
        &mut self,
        flow: &mut Flow,
        e: ExprId,
        span: Span,
    ) -> Option<(Target, Term, Option<Extent>)> {
        let at = self.memory.values[e]?;
        if self.is_fat(at.class) {
            let extent = self.extent(flow, e, span);
            return Some((at, extent.0, Some(extent)));
        }
        let value = self.value(flow, e).term;
        let offset = self.int(i128::from(at.offset));
        Some((at, self.store.sub(value, offset), None))
    }

    pub(super) fn key_of_var(&mut self, v: VarId) -> Option<(ClassId, Term)> {
        let address = self.base_address(v)?;
        let at = self.memory.vars[v];
        if self.is_fat(at.class) {
            return Some((at.class, address));
        }
        let offset = self.int(i128::from(at.offset));
        Some((at.class, self.store.sub(address, offset)))
    }

    /// Does the object of a class live? Something that was freed, or never was an object, does not.
    pub(super) fn lives(&mut self, class: ClassId, key: Term) -> Term {
        let Some(c) = self.ghosts.classes.get(&class) else { return self.store.fls() };
        if let Some(life) = c.life {
            let one = self.int(1);
            let life = self.store.select(self.program.vars[life].term, key);
            return self.store.le(one, life);
        }
        if c.is_fat {
            return self.store.tru();
        }
        let fixed = c.fixed.clone();
        let mut any = Vec::new();
        for (v, _) in fixed {
            if let Some((_, k)) = self.key_of_var(v) {
                any.push(self.store.eq(key, k));
            }
        }
        self.store.or(&any)
    }

    /// Are so many bytes, from some bytes after a pointer, inside of the live object that the pointer leads to?
    pub(super) fn is_inside(
        &mut self,
        flow: &mut Flow,
        e: ExprId,
        further: Term,
        bytes: Term,
        span: Span,
    ) -> Term {
        let Some((at, key, extent)) = self.key(flow, e, span) else { return self.store.fls() };
        let lives = self.lives(at.class, key);
        let (from, low, high) = match extent {
            Some((start, end)) => (self.value(flow, e).term, start, end),
            None => {
                let Some(c) = self.ghosts.classes.get(&at.class) else { return self.store.fls() };
                let low = c.extents.first().map_or(0, |e| e.0);
                let high = c.extents.last().and_then(|e| e.1).unwrap_or(0);
                let end = c.end;
                let (from, low) = (self.int(i128::from(at.offset)), self.int(i128::from(low)));
                let high = match end {
                    Some(end) => self.store.select(self.program.vars[end].term, key),
                    None => self.int(i128::from(high)),
                };
                (from, low, high)
            }
        };
        let first = self.store.add(&[from, further]);
        let end = self.store.add(&[first, bytes]);
        let (a, b) = (self.store.le(low, first), self.store.le(end, high));
        self.store.and(&[lives, a, b])
    }

    /// The ghosts at the start of the program.
    pub(super) fn initial_ghosts(&mut self, writes: &mut Writes) {
        let mut ids: Vec<ClassId> = self.ghosts.classes.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let c = &self.ghosts.classes[&id];
            let (life, end, count, fixed) = (c.life, c.end, c.count, c.fixed.clone());
            let zero = self.int(0);
            for var in [life, end].into_iter().flatten() {
                let sort = self.program.vars[var].sort;
                let nothing = self.store.const_array(sort, zero);
                writes.insert(var, nothing);
            }
            writes.extend(count.map(|var| (var, zero)));
            for (v, _) in fixed {
                let Some((class, key)) = self.key_of_var(v) else { continue };
                self.life_write(writes, class, key, 1);
                if let Some(var) = end {
                    let size = self.unit.types.size_of(self.unit.vars[v].ty).unwrap_or(0);
                    let end = self.int(i128::from(self.memory.vars[v].offset) + i128::from(size));
                    self.write_cell(writes, Cell::Element(var, key), end);
                }
            }
        }
    }

    /// Does a parameter have shadows, which are passed along with it?
    pub(super) fn is_fat_variable(&self, v: VarId) -> bool {
        let place = Place::var(v, self.unit.vars[v].ty);
        self.memory.component(&place).is_some_and(|c| self.has_shadows(c))
            && self.unit.types.size_of(place.ty) == Some(self.unit.types.pointer_size())
    }

    /// The variables through which a function returns the extent of the object that its result leads to.
    pub(super) fn result_extent(&mut self, f: FuncId) -> Option<(Var, Var)> {
        if !self.ghosts.is_on || !self.is_fat(self.memory.results[f].class) {
            return None;
        }
        let Type::Function(s) = self.unit.types.get(self.unit.funcs[f].ty) else { return None };
        if self.unit.types.size_of(s.result) != Some(self.unit.types.pointer_size()) {
            return None;
        }
        if let Some(&both) = self.ghosts.results.get(&f) {
            return Some(both);
        }
        let name = self.unit.funcs[f].name.clone();
        let mut ghost = |what: &str| {
            let name = format!("{what} of {name}::return");
            self.program.variable(self.store, &name, Sort::INT, VarKind::Global, None)
        };
        let both = (ghost("start"), ghost("end"));
        self.ghosts.results.insert(f, both);
        Some(both)
    }

    /// Fresh contents are no pointers.
    pub(super) fn clear_object(&mut self, writes: &mut Writes, start: &Start, comp: CompId, at: i64) {
        if self.has_shadows(comp) {
            let cell = self.cell(start, comp, at);
            let zero = self.int(0);
            for c in self.clear_shadows(cell) {
                self.write_cell(writes, c, zero);
            }
        }
    }
}
