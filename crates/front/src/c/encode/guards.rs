//! Guards as edges: the checks of the safety of memory, and what happens to objects.

use super::Encoder;
use super::bits::Num;
use super::cells::{Cell, Start, Writes};
use super::flow::Flow;
use super::stretch::{Effects, Length};
use crate::c::hir::{Base, Ending, Expr, ExprId, FuncId, Guard, Lifetime, Place, Storage, VarId};
use crate::c::layout::{GRAIN, Home};
use crate::c::memory::ClassId;
use bolide_model::program::pass::Interval;
use bolide_model::{Bias, PropertyId, Span, Step, VarId as Var};
use bolide_term::Term;

impl Encoder<'_> {
    /// A property is violated where a formula does not hold; execution goes on where it does.
    pub(super) fn demand(&mut self, flow: &mut Flow, holds: Term, property: PropertyId, span: Span) {
        let fails = self.store.not(holds);
        let approximations = std::mem::take(&mut self.approximations);
        let proc = &mut self.program.procs[flow.proc];
        let error = proc.location(span);
        proc.locations[error].error = Some(property);
        let edge = proc.step(flow.at, error, Step::assume(fails), span);
        proc.edges[edge].approximations = approximations;
        flow.assume(self, holds, span);
    }

    /// Checks, or notes what happens to an object.
    pub(super) fn guard(&mut self, flow: &mut Flow, guard: &Guard, span: Span) {
        match guard {
            Guard::New(place, size, lifetime) => self.note_new(flow, place, *size, *lifetime, span),
            Guard::Size(place, e) => self.note_size(flow, place, *e, span),
            Guard::Access(place, condition, property) => {
                let (inside, then) = self.access_is_inside(flow, place, span);
                self.demand_if(flow, *condition, inside, *property, span);
                if condition.is_none() {
                    flow.assume(self, then, span);
                }
            }
            Guard::Inside(place, condition, property) => {
                let (inside, _) = self.access_is_inside(flow, place, span);
                let holds = match place.base {
                    Base::Deref(e) => self.inside_if_any(flow, e, inside, span),
                    Base::Var(_) => inside,
                };
                self.demand_if(flow, *condition, holds, *property, span);
            }
            Guard::Writable(place, condition, property) => {
                let e = match place.base {
                    Base::Deref(e) => e,
                    Base::Var(v) => {
                        if self.unit.vars[v].is_constant {
                            let never = self.store.fls();
                            self.demand_if(flow, *condition, never, *property, span);
                        }
                        return;
                    }
                };
                let class = self.memory.values[e].and_then(|t| self.ghosts.classes.get(&t.class));
                let is_constant = |(v, _): &(VarId, i128)| self.unit.vars[*v].is_constant;
                if !class.is_some_and(|c| c.fixed.iter().any(is_constant)) {
                    return;
                }
                let further = self.distance(flow, place, place.offset);
                let address = self.value(flow, e).term;
                let address = self.store.add(&[address, further]);
                let [low, high] = [self.layout.constants.0, self.layout.constants.1].map(|a| self.int(a));
                let (before, behind) = (self.store.lt(address, low), self.store.le(high, address));
                let holds = self.store.or(&[before, behind]);
                self.demand_if(flow, *condition, holds, *property, span);
            }
            Guard::Aligned(e, align, condition, property) => {
                let holds = match self.is_aligned(*e, *align) {
                    true => self.store.tru(),
                    false => {
                        let value = self.value(flow, *e);
                        let (rest, zero) = (self.modulo(value, i128::from(*align)), self.int(0));
                        self.store.eq(rest.term, zero)
                    }
                };
                self.demand_if(flow, *condition, holds, *property, span);
            }
            Guard::Initialised(place, condition, property) => {
                self.check_initialised(flow, place, *condition, *property, span);
            }
            Guard::Moved(e, condition, property) => {
                let holds = self.stays(flow, *e, span);
                self.demand_if(flow, *condition, holds, *property, span);
            }
            Guard::Related(a, b, condition, property) => {
                let exist = [*a, *b].map(|e| self.has_object(flow, e, span));
                let keys = (self.key(flow, *a, span), self.key(flow, *b, span));
                let same = match keys {
                    (Some((x, k, _)), Some((y, l, _))) if x.class == y.class => self.store.eq(k, l),
                    _ => self.store.fls(),
                };
                let none = exist.map(|e| self.store.not(e));
                let holds = self.store.or(&[none[0], none[1], same]);
                self.demand_if(flow, *condition, holds, *property, span);
            }
            Guard::Range(p, n, property) => {
                let holds = self.range_is_inside(flow, *p, *n, span);
                self.demand(flow, holds, *property, span);
            }
            Guard::RangeInside(p, n, property) => {
                let inside = self.range_is_inside(flow, *p, *n, span);
                let holds = self.inside_if_any(flow, *p, inside, span);
                self.demand(flow, holds, *property, span);
            }
            Guard::Callee(e, property) => {
                let value = self.value(flow, *e).term;
                let functions = match self.memory.values[*e] {
                    Some(t) => self.memory.classes[t.class].functions.clone(),
                    None => Vec::new(),
                };
                let mut any = Vec::new();
                for f in functions {
                    let address = self.int(self.layout.funcs[f]);
                    any.push(self.store.eq(value, address));
                }
                let holds = self.store.or(&any);
                self.demand(flow, holds, *property, span);
            }
            Guard::Free(e, property) => self.note_free(flow, *e, *property, span),
            Guard::Kill(e) => {
                if let Some((at, key, _)) = self.key(flow, *e, span) {
                    self.set_life(flow, at.class, key, 0, span);
                }
            }
            Guard::End(v) => self.end_of_var(flow, *v, span),
            Guard::Leak(property, ending) => self.check_leaks(flow, *property, *ending, span),
        }
    }

    /// A property that counts only under a condition.
    pub(super) fn demand_if(
        &mut self,
        flow: &mut Flow,
        condition: Option<ExprId>,
        holds: Term,
        property: PropertyId,
        span: Span,
    ) {
        let holds = match condition {
            None => holds,
            Some(c) => {
                let c = self.truth(flow, c);
                let not = self.store.not(c);
                self.store.or(&[not, holds])
            }
        };
        self.demand(flow, holds, property, span);
    }

    /// Do so many bytes from an address lie inside of a live object? Of no bytes there is nothing to ask.
    fn range_is_inside(&mut self, flow: &mut Flow, p: ExprId, n: ExprId, span: Span) -> Term {
        let (bytes, zero) = (self.value(flow, n).term, self.int(0));
        let inside = self.is_inside(flow, p, zero, bytes, span);
        let is_empty = self.store.eq(bytes, zero);
        self.store.or(&[is_empty, inside])
    }

    /// What is demanded of an access only if its pointer leads to a live object.
    fn inside_if_any(&mut self, flow: &mut Flow, e: ExprId, inside: Term, span: Span) -> Term {
        let exists = self.has_object(flow, e, span);
        let not = self.store.not(exists);
        self.store.or(&[not, inside])
    }

    /// Does a pointer lead to a live object?
    fn has_object(&mut self, flow: &mut Flow, e: ExprId, span: Span) -> Term {
        let Some((at, key, extent)) = self.key(flow, e, span) else { return self.store.fls() };
        let lives = self.lives(at.class, key);
        match extent {
            None => lives,
            Some((start, _)) => {
                let zero = self.int(0);
                let is_null = self.store.eq(start, zero);
                let is_some = self.store.not(is_null);
                self.store.and(&[is_some, lives])
            }
        }
    }

    /// Does an expression that moves a pointer stay in its object or just behind? From nowhere nothing moves.
    fn stays(&mut self, flow: &mut Flow, e: ExprId, span: Span) -> Term {
        let (pointer, by) = match self.unit.exprs[e].expr.clone() {
            Expr::PtrAdd(p, i, scale) => {
                let i = self.value(flow, i).term;
                (p, self.store.scale(&bolide_base::Rational::from(scale), i))
            }
            Expr::Addr(Place { base: Base::Deref(p), offset, dynamic, .. }) => {
                let mut parts = vec![self.int(i128::from(offset))];
                for (index, stride) in dynamic {
                    let index = self.value(flow, index).term;
                    parts.push(self.store.scale(&bolide_base::Rational::from(stride), index));
                }
                (p, self.store.add(&parts))
            }
            Expr::Addr(place @ Place { base: Base::Var(v), .. }) => {
                let further = self.distance(flow, &place, place.offset);
                return self.is_in_variable(v, further, 0);
            }
            _ => return self.store.tru(),
        };
        let (zero, value) = (self.int(0), self.value(flow, pointer).term);
        let inside = self.is_inside(flow, pointer, by, zero, span);
        let exists = self.has_object(flow, pointer, span);
        let (not, is_null) = (self.store.not(exists), self.store.eq(value, zero));
        let is_number = self.store.not(is_null);
        let unknown = self.store.and(&[not, is_number]);
        let stands = self.store.eq(by, zero);
        self.store.or(&[stands, unknown, inside])
    }

    /// Does the partition show that pointers are multiples of a number? All objects start at multiples of [`GRAIN`].
    fn is_aligned(&self, e: ExprId, align: u64) -> bool {
        let Some(at) = self.memory.values[e] else { return true };
        let (Ok(align), Some(class)) = (i64::try_from(align), self.ghosts.classes.get(&at.class)) else {
            return false;
        };
        i128::from(align) <= GRAIN
            && self.memory.classes[at.class].stride % align == 0
            && class.extents.iter().all(|(start, _)| (at.offset - start) % align == 0)
    }

    /// How many bytes after its pointer a place starts, from a constant offset on.
    fn distance(&mut self, flow: &mut Flow, place: &Place, offset: i64) -> Term {
        let mut parts = vec![self.int(i128::from(offset))];
        for &(index, stride) in &place.dynamic {
            let index = self.value(flow, index).term;
            parts.push(self.store.scale(&bolide_base::Rational::from(stride), index));
        }
        self.store.add(&parts)
    }

    /// Is an accessed place inside of a live object, and what follows from that?
    ///
    /// Where objects are rows of elements, and pointers are moved by whole elements, an access inside of an element whose
    /// first byte is in the object is inside of the object, and so is the whole element. The engines need not find out
    /// about multiples, since the partition has shown this.
    pub(super) fn access_is_inside(&mut self, flow: &mut Flow, place: &Place, span: Span) -> (Term, Term) {
        let (offset, size) = place.bytes(&self.unit.types);
        let further = self.distance(flow, place, offset);
        let bytes = self.int(i128::from(size));
        match place.base {
            Base::Deref(e) => {
                let Some((before, after)) = self.in_element(e, place, offset, size) else {
                    return (self.is_inside(flow, e, further, bytes, span), self.store.tru());
                };
                let (one, before, after) = (self.int(1), self.int(before), self.int(after));
                let start = self.store.sub(further, before);
                let inside = self.is_inside(flow, e, start, one, span);
                let length = self.store.add(&[before, after]);
                (inside, self.is_inside(flow, e, start, length, span))
            }
            Base::Var(v) => (self.is_in_variable(v, further, size), self.store.tru()),
        }
    }

    /// Are so many bytes at an offset inside of a variable?
    fn is_in_variable(&mut self, v: VarId, offset: Term, size: u64) -> Term {
        let whole = self.unit.types.size_of(self.unit.vars[v].ty).unwrap_or(0);
        let (zero, last) = (self.int(0), self.int(i128::from(whole) - i128::from(size)));
        let (a, b) = (self.store.le(zero, offset), self.store.le(offset, last));
        self.store.and(&[a, b])
    }

    /// The bytes of the element around an access that lie before its start, and the others.
    fn in_element(&self, e: ExprId, place: &Place, offset: i64, size: u64) -> Option<(i128, i128)> {
        let at = self.memory.values[e]?;
        let first = self.ghosts.classes.get(&at.class)?.elements?;
        let stride = self.memory.classes[at.class].stride;
        if stride < 2 || place.dynamic.iter().any(|d| d.1 % stride != 0) {
            return None;
        }
        let before = (at.offset + offset - first).rem_euclid(stride);
        let fits = before + i64::try_from(size).ok()? <= stride;
        fits.then(|| (i128::from(before), i128::from(stride - before)))
    }

    pub(super) fn life_write(&mut self, writes: &mut Writes, class: ClassId, key: Term, life: i128) {
        if let Some(var) = self.ghosts.classes.get(&class).and_then(|c| c.life) {
            let life = self.int(life);
            self.write_cell(writes, Cell::Element(var, key), life);
        }
    }

    fn set_life(&mut self, flow: &mut Flow, class: ClassId, key: Term, life: i128, span: Span) {
        let mut writes = Writes::new();
        self.life_write(&mut writes, class, key, life);
        self.approximations.clear();
        self.commit(flow, writes, span);
    }

    fn count_write(&mut self, writes: &mut Writes, class: ClassId, by: Term) {
        if let Some(var) = self.ghosts.classes.get(&class).and_then(|c| c.count) {
            let sum = self.store.add(&[self.program.vars[var].term, by]);
            writes.insert(var, sum);
        }
    }

    fn note_new(&mut self, flow: &mut Flow, place: &Place, size: ExprId, lifetime: Lifetime, span: Span) {
        let Some(at) = self.memory.stored_pointer(place) else { return };
        let bytes = self.value(flow, size).term;
        let address = self.read(flow, &Writes::new(), place, span).term;
        let mut writes = Writes::new();
        let end = self.store.add(&[address, bytes]);
        self.write_extent(flow, &mut writes, place, (address, end));
        let offset = self.int(i128::from(at.offset));
        let key = if self.is_fat(at.class) { address } else { self.store.sub(address, offset) };
        let is_heap = lifetime == Lifetime::Heap;
        self.life_write(&mut writes, at.class, key, if is_heap { 2 } else { 1 });
        if let Some(var) = self.ghosts.classes.get(&at.class).and_then(|c| c.end) {
            let end = self.store.add(&[offset, bytes]);
            self.write_cell(&mut writes, Cell::Element(var, key), end);
        }
        if is_heap {
            let one = self.int(1);
            self.count_write(&mut writes, at.class, one);
        }
        self.commit(flow, writes, span);
        if lifetime == Lifetime::Program {
            let start = Start { object: None, offset: 0, parts: vec![(address, 1)] };
            let length = match self.unit.as_int(size) {
                Some(n) => Length::known(n),
                None => Length::Term(bytes),
            };
            let mut effects = Effects::default();
            self.mark_stretch(&mut effects, &start, (at, length));
            self.perform(flow, effects, span);
        }
    }

    /// The number of bytes of the live object that a pointer leads to.
    fn note_size(&mut self, flow: &mut Flow, place: &Place, e: ExprId, span: Span) {
        let zero = self.int(0);
        let size = match self.key(flow, e, span) {
            None => zero,
            Some((at, key, extent)) => {
                let lives = self.lives(at.class, key);
                let size = match extent {
                    Some((start, end)) => self.store.sub(end, start),
                    None => {
                        let c = self.ghosts.classes.get(&at.class);
                        let ends = c.map(|c| {
                            (c.extents.first().map_or(0, |e| e.0), c.extents.last().and_then(|e| e.1))
                        });
                        let (low, high) = ends.unwrap_or((0, None));
                        let end = c.and_then(|c| c.end);
                        let low = self.int(i128::from(low));
                        let high = match end {
                            Some(end) => self.store.select(self.program.vars[end].term, key),
                            None => self.int(i128::from(high.unwrap_or(0))),
                        };
                        self.store.sub(high, low)
                    }
                };
                self.store.ite(lives, size, zero)
            }
        };
        let range = self.unit.types.representation(place.ty).map(|t| t.range());
        let mut writes = Writes::new();
        let size = Num::new(size, Interval::from_range(range));
        self.write(flow, &mut writes, place, size, span);
        self.commit(flow, writes, span);
    }

    fn note_free(&mut self, flow: &mut Flow, e: ExprId, property: Option<PropertyId>, span: Span) {
        let value = self.value(flow, e).term;
        let zero = self.int(0);
        let is_null = self.store.eq(value, zero);
        let Some((at, key, extent)) = self.key(flow, e, span) else {
            if let Some(property) = property {
                self.demand(flow, is_null, property, span);
            }
            return;
        };
        let life = self.ghosts.classes.get(&at.class).and_then(|c| c.life);
        let is_heap = match life {
            Some(life) => {
                let two = self.int(2);
                let life = self.store.select(self.program.vars[life].term, key);
                self.store.le(two, life)
            }
            None => self.store.fls(),
        };
        let is_start = match extent {
            Some((start, _)) => self.store.eq(value, start),
            None => {
                let low = self.ghosts.classes.get(&at.class).and_then(|c| c.extents.first()).map(|e| e.0);
                if low == Some(at.offset) { self.store.tru() } else { self.store.fls() }
            }
        };
        if let Some(property) = property {
            let is_right = self.store.and(&[is_heap, is_start]);
            let holds = self.store.or(&[is_null, is_right]);
            self.demand(flow, holds, property, span);
        }
        let mut writes = Writes::new();
        self.life_write(&mut writes, at.class, key, 0);
        let one = self.int(-1);
        let by = self.store.ite(is_null, zero, one);
        self.count_write(&mut writes, at.class, by);
        self.commit(flow, writes, span);
    }

    /// A variable has got a new address; where the old one was, nothing is left.
    pub(super) fn note_address(&mut self, writes: &mut Writes, v: VarId, address: Term) {
        if !self.ghosts.is_on {
            return;
        }
        if let Some((class, key)) = self.key_of_var(v) {
            self.life_write(writes, class, key, 0);
        }
        let at = self.memory.vars[v];
        let offset = self.int(i128::from(at.offset));
        let key = if self.is_fat(at.class) { address } else { self.store.sub(address, offset) };
        self.life_write(writes, at.class, key, 1);
        if let Some(var) = self.ghosts.classes.get(&at.class).and_then(|c| c.end) {
            let size = self.unit.types.size_of(self.unit.vars[v].ty).unwrap_or(0);
            let end = self.int(i128::from(at.offset) + i128::from(size));
            self.write_cell(writes, Cell::Element(var, key), end);
        }
    }

    fn end_of_var(&mut self, flow: &mut Flow, v: VarId, span: Span) {
        if let Some((class, key)) = self.key_of_var(v) {
            self.set_life(flow, class, key, 0, span);
        }
    }

    /// The variables of a function that have addresses of their own.
    fn own_addresses(&self, f: FuncId) -> Vec<VarId> {
        let of_function = |(_, v): &(VarId, &crate::c::hir::Variable)| v.storage == Storage::Auto(f);
        let vars = self.unit.vars.iter_enumerated().filter(of_function).map(|(id, _)| id);
        vars.filter(|&id| self.layout.vars[id] == Home::New).collect()
    }

    /// At first the variables of a function have no addresses.
    pub(super) fn forget_addresses(&mut self, flow: &mut Flow, f: FuncId, span: Span) {
        if !self.ghosts.is_on {
            return;
        }
        let mut writes = Writes::new();
        for v in self.own_addresses(f) {
            let (var, zero) = (self.address_var(v), self.int(0));
            writes.insert(var, zero);
        }
        self.commit(flow, writes, span);
    }

    /// A function returns: its variables end.
    pub(super) fn end_of_frame(&mut self, flow: &mut Flow, f: FuncId, span: Span) {
        if !self.ghosts.is_on {
            return;
        }
        let mut writes = Writes::new();
        for v in self.own_addresses(f) {
            if let Some((class, key)) = self.key_of_var(v) {
                self.life_write(&mut writes, class, key, 0);
            }
        }
        self.commit(flow, writes, span);
    }

    /// Nothing of the heap is left, or static objects lead to it. Whether they do is not followed: where they may, the
    /// interpreter judges.
    fn check_leaks(&mut self, flow: &mut Flow, property: PropertyId, ending: Ending, span: Span) {
        let mut counts: Vec<(ClassId, Var)> =
            self.ghosts.classes.iter().filter_map(|(id, c)| Some((*id, c.count?))).collect();
        counts.sort_unstable();
        let (mut exact, mut judged) = (Vec::new(), Vec::new());
        for (class, count) in counts {
            let zero = self.int(0);
            let none = self.store.eq(self.program.vars[count].term, zero);
            let is_exact = match ending {
                Ending::Clean => true,
                Ending::Return => !self.ghosts.kept.contains(&class),
                Ending::Exit => false,
            };
            if is_exact { exact.push(none) } else { judged.push(none) }
        }
        let exact = self.store.and(&exact);
        self.demand(flow, exact, property, span);
        if !judged.is_empty() {
            let judged = self.store.and(&judged);
            self.approximate(Bias::Over, "memory that is left at the end and may still be reachable", span);
            self.demand(flow, judged, property, span);
        }
    }
}
