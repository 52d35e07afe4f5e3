//! The objects of an execution, where the safety of memory is checked: which live, and which one each pointer belongs to.
//!
//! A pointer belongs to the object that it was computed from, wherever it points. That is followed through expressions,
//! and for each pointer in memory it is noted beside it. A pointer of which nothing is noted (it was put together from
//! bytes, or made from a number) belongs to the object that it points into.

use super::super::hir::{Base, Ending, Expr, ExprId, Guard, Lifetime, Place, Storage, Unit, VarId, Variable};
use super::super::layout::Home;
use super::{Bytes, End, Interpreter, Known, Stuck};
use bolide_base::counted;
use bolide_model::{InputId, PropertyId, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Where the object of a pointer starts, if one is known; [`FOREIGN`] for a pointer from outside.
pub(super) type Provenance = Option<i128>;

/// The object of pointers that come from outside.
pub(super) const FOREIGN: i128 = -1;
const FROM_OUTSIDE: &str = "a pointer that comes from outside of the program is used";

/// Where the value of an expression gets its object from.
pub(super) enum Origin<'u> {
    /// It belongs to the object of another value.
    Same(ExprId),
    /// It belongs to the object of one of two values, the first if a condition holds.
    Choice(ExprId, ExprId, ExprId),
    /// It is an address in this variable.
    Variable(Place),
    /// It is stored here, and its object is noted beside it.
    Stored(&'u Place),
    /// Nothing tells.
    Unknown,
}

impl<'u> Origin<'u> {
    pub(super) fn of(unit: &'u Unit, e: ExprId) -> Origin<'u> {
        match &unit.exprs[e].expr {
            Expr::Addr(Place { base: Base::Deref(p), .. }) | Expr::PtrAdd(p, ..) | Expr::Cast(p) => {
                Origin::Same(*p)
            }
            Expr::Addr(place @ Place { base: Base::Var(_), .. }) => {
                Origin::Variable(Place { offset: 0, dynamic: Vec::new(), ..place.clone() })
            }
            Expr::Load(place) => Origin::Stored(place),
            Expr::Cond(c, a, b) => Origin::Choice(*c, *a, *b),
            // Where two numbers meet, the address alone tells what is meant.
            Expr::Binary(_, a, b) if unit.as_int(*b).is_some() => Origin::Same(*a),
            Expr::Binary(_, a, b) if unit.as_int(*a).is_some() => Origin::Same(*b),
            _ => Origin::Unknown,
        }
    }
}

/// An object that lives or has lived.
#[derive(Clone, Debug)]
struct Object {
    size: i128,
    var: Option<VarId>,
    is_heap: bool,
    born: Span,
    died: Option<Span>,
}

/// Where a pointer is stored: in memory, or in a static variable without address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Spot {
    Memory(i128),
    Static(VarId, i128),
}

/// The objects of the pointers in the variables of a function that have no address.
pub(super) type LocalPointers = FxHashMap<(VarId, i128), i128>;

/// The objects, by their addresses.
#[derive(Clone, Default)]
pub(super) struct Objects {
    all: BTreeMap<i128, Object>,
    pointers: FxHashMap<Spot, i128>,
}

impl Objects {
    /// Where pointers are stored in memory, but not at multiples of their width.
    fn unaligned_pointers(&self, width: i128) -> impl Iterator<Item = i128> {
        self.pointers.keys().filter_map(move |spot| match spot {
            Spot::Memory(at) if at % width != 0 => Some(*at),
            _ => None,
        })
    }
}

/// What was wrong with an access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// In a sentence.
    pub what: String,
    /// Where the object was made, if there is one.
    pub born: Option<Span>,
    /// Where it ended, if it did.
    pub died: Option<Span>,
}

impl Interpreter<'_> {
    /// The objects that are there when the program starts.
    pub(super) fn start_objects(&mut self) {
        self.objects = Objects::default();
        if !self.unit.guards_memory {
            return;
        }
        for (v, home) in self.layout.vars.iter_enumerated() {
            if let Home::Fixed(a) = *home {
                let object = self.object_for(v);
                self.objects.all.insert(a, object);
            }
        }
    }

    fn object_for(&self, v: VarId) -> Object {
        let variable = &self.unit.vars[v];
        let size = self.unit.types.size_of(variable.ty).unwrap_or(0).into();
        Object { size, var: Some(v), is_heap: false, born: variable.span, died: None }
    }

    pub(super) fn new_variable(&mut self, v: VarId, address: i128) {
        if self.unit.guards_memory {
            let object = self.object_for(v);
            self.objects.all.insert(address, object);
        }
    }

    pub(super) fn end_object(&mut self, address: i128, span: Span) {
        if let Some(o) = self.objects.all.get_mut(&address) {
            o.died.get_or_insert(span);
        }
    }

    /// The variables of the innermost function end.
    pub(super) fn end_frame(&mut self, span: Span) {
        if !self.unit.guards_memory {
            return;
        }
        let addresses: Vec<i128> = self.frame().addresses.values().copied().collect();
        addresses.into_iter().for_each(|a| self.end_object(a, span));
    }

    pub(super) fn noted(&self, at: &Bytes, n: i128) -> Provenance {
        match *at {
            Bytes::Memory(a) => self.objects.pointers.get(&Spot::Memory(a + n)).copied(),
            Bytes::Static(v, o) => self.objects.pointers.get(&Spot::Static(v, o + n)).copied(),
            Bytes::Local(v, o) => self.frames.last().and_then(|f| f.pointers.get(&(v, o + n)).copied()),
        }
    }

    fn note(&mut self, at: &Bytes, n: i128, object: Provenance) {
        let spot = match *at {
            Bytes::Memory(a) => Spot::Memory(a + n),
            Bytes::Static(v, o) => Spot::Static(v, o + n),
            Bytes::Local(v, o) => {
                let pointers = &mut self.frame().pointers;
                match object {
                    Some(object) => _ = pointers.insert((v, o + n), object),
                    None => _ = pointers.remove(&(v, o + n)),
                }
                return;
            }
        };
        match object {
            Some(object) => _ = self.objects.pointers.insert(spot, object),
            None => _ = self.objects.pointers.remove(&spot),
        }
    }

    /// Bytes were set to something that is no pointer.
    pub(super) fn clear_pointers(&mut self, at: &Bytes, size: i128) {
        if !self.unit.guards_memory {
            return;
        }
        if let Bytes::Memory(a) = *at
            && size > self.objects.pointers.len() as i128
        {
            let is_inside = |s: &Spot| matches!(s, Spot::Memory(p) if (a..a + size).contains(p));
            self.objects.pointers.retain(|s, _| !is_inside(s));
            return;
        }
        (0..size).for_each(|n| self.note(at, n, None));
    }

    /// Notes the object of a pointer that has just been stored, or that what was stored is no pointer.
    pub(super) fn note_pointer(&mut self, place: &Place, object: Provenance) -> Known<()> {
        if !self.unit.guards_memory {
            return Ok(());
        }
        let at = self.locate(place)?;
        let width = i128::from(self.unit.types.pointer_size());
        let size = i128::from(self.unit.types.size_of(place.ty).unwrap_or(1));
        (1 - width..size).for_each(|n| self.note(&at, n, None));
        if size == width {
            self.note(&at, 0, object);
        }
        Ok(())
    }

    /// Notes that a pointer comes from outside.
    pub(super) fn note_foreign(&mut self, place: &Place) -> Known<()> {
        let is_pointer = self.unit.types.pointee(place.ty).is_some();
        self.note_pointer(place, is_pointer.then_some(FOREIGN))
    }

    /// Notes that pointers in a variable come from outside: its contents do, and are not only uninitialised.
    pub(super) fn note_contents(&mut self, v: VarId, site: InputId) -> Known<()> {
        /// Larger variables are taken to hold no pointers.
        const LARGEST: u64 = 4096;
        let is_from_outside = !self.unit.inputs[site].name.starts_with("uninitialised");
        let size = self.unit.types.size_of(self.unit.vars[v].ty).unwrap_or(0);
        if !self.unit.guards_memory || !is_from_outside || size > LARGEST {
            return Ok(());
        }
        let at = self.locate(&Place::var(v, self.unit.vars[v].ty))?;
        let width = self.unit.types.pointer_size();
        for n in (0..size / width.max(1)).map(|n| n * width) {
            self.note(&at, n.into(), Some(FOREIGN));
        }
        Ok(())
    }

    /// Notes the objects of pointers that have been copied.
    pub(super) fn copy_pointers(&mut self, to: &Bytes, from: &Bytes, size: i128) {
        if !self.unit.guards_memory || self.too_much.is_some() {
            return;
        }
        let noted: Vec<Provenance> = (0..size).map(|n| self.noted(from, n)).collect();
        for (n, object) in noted.into_iter().enumerate() {
            self.note(to, n as i128, object);
        }
    }

    /// The object that the value of an expression belongs to, if that is known.
    pub(super) fn object_of(&mut self, e: ExprId) -> Known<Provenance> {
        if !self.unit.guards_memory {
            return Ok(None);
        }
        let mut e = e;
        loop {
            e = match Origin::of(self.unit, e) {
                Origin::Same(of) => of,
                Origin::Choice(c, a, b) => [b, a][usize::from(self.eval(c)? != 0)],
                Origin::Variable(whole) => match self.locate(&whole)? {
                    Bytes::Memory(start) => return Ok(Some(start)),
                    _ => return Ok(None),
                },
                Origin::Stored(place) => {
                    let at = self.locate(place)?;
                    return Ok(self.noted(&at, 0));
                }
                Origin::Unknown => return Ok(None),
            };
        }
    }

    /// The object that an address lies in, or just behind.
    fn object_at(&self, address: i128) -> Option<(i128, &Object)> {
        let (start, object) = self.objects.all.range(..=address).next_back()?;
        (address <= start + object.size).then_some((*start, object))
    }

    /// Executes a guard.
    pub(super) fn guard(&mut self, guard: &Guard, span: Span) -> Known<Option<End>> {
        match guard {
            Guard::New(place, size, lifetime) => {
                let (address, size) = (self.load(place)?, self.eval(*size)?);
                self.note_pointer(place, Some(address))?;
                let is_heap = *lifetime == Lifetime::Heap;
                let object = Object { size, var: None, is_heap, born: span, died: None };
                self.objects.all.insert(address, object);
                if *lifetime == Lifetime::Program {
                    // What is in it comes from outside.
                    self.note_written(&Bytes::Memory(address), size, true);
                }
            }
            Guard::Size(place, e) => {
                let (address, object) = (self.eval(*e)?, self.object_of(*e)?);
                let start = object.filter(|&o| o != FOREIGN).or(self.object_at(address).map(|o| o.0));
                let found = start.and_then(|s| self.objects.all.get(&s)).filter(|o| o.died.is_none());
                let size = found.map_or(0, |o| o.size);
                self.store(place, size)?;
            }
            Guard::Access(place, condition, property) => {
                if let Some(c) = condition
                    && self.eval(*c)? == 0
                {
                    return Ok(None);
                }
                let (offset, size) = place.bytes(&self.unit.types);
                let place = Place { offset, ..place.clone() };
                return self.check_access(&place, size.into(), *property, span);
            }
            Guard::Inside(place, condition, property) => {
                if self.is_skipped(*condition)? {
                    return Ok(None);
                }
                let (offset, size) = place.bytes(&self.unit.types);
                let place = Place { offset, ..place.clone() };
                let (Bytes::Memory(address), Base::Deref(e)) = (self.locate(&place)?, place.base) else {
                    return Ok(None);
                };
                let object = self.object_of(e)?;
                return self.check_inside(address, size.into(), object, *property, span);
            }
            Guard::Writable(place, condition, property) => {
                if self.is_skipped(*condition)? {
                    return Ok(None);
                }
                let found = match (place.base, self.locate(place)?) {
                    (Base::Var(v), _) => Some(v),
                    (Base::Deref(e), Bytes::Memory(address)) => {
                        let object = self.object_of(e)?;
                        self.object_for_pointer(address, object).and_then(|(_, o)| o.var)
                    }
                    _ => None,
                };
                if let Some(v) = found.filter(|v| self.unit.vars[*v].is_constant) {
                    let variable = &self.unit.vars[v];
                    let what = "a constant object is written".into();
                    self.fault = Some(Fault { what, born: Some(variable.span), died: None });
                    return Ok(Some(End::Error(*property)));
                }
            }
            Guard::Aligned(e, align, condition, property) => {
                if self.is_skipped(*condition)? {
                    return Ok(None);
                }
                let address = self.eval(*e)?;
                if address % i128::from(*align) != 0 {
                    let what = format!("the address {address:#x} is not a multiple of {align}");
                    let born = self.object_of(*e)?.and_then(|o| self.objects.all.get(&o)).map(|o| o.born);
                    self.fault = Some(Fault { what, born, died: None });
                    return Ok(Some(End::Error(*property)));
                }
            }
            Guard::Initialised(place, condition, property) => {
                if !self.is_skipped(*condition)? {
                    return self.check_initialised(place, *property);
                }
            }
            Guard::Moved(e, condition, property) => {
                if !self.is_skipped(*condition)? {
                    return self.check_moved(*e, *property);
                }
            }
            Guard::Related(a, b, condition, property) => {
                if self.is_skipped(*condition)? {
                    return Ok(None);
                }
                let mut both = [None, None];
                for (e, found) in [*a, *b].into_iter().zip(&mut both) {
                    let (address, object) = (self.eval(e)?, self.object_of(e)?);
                    let alive = |(_, o): &(i128, &Object)| o.died.is_none();
                    *found = self.object_for_pointer(address, object).filter(alive).map(|o| o.0);
                }
                if let [Some(x), Some(y)] = both
                    && x != y
                {
                    let what = "the pointers belong to different objects".into();
                    let born = self.objects.all.get(&x).map(|o| o.born);
                    self.fault = Some(Fault { what, born, died: None });
                    return Ok(Some(End::Error(*property)));
                }
            }
            Guard::Range(p, n, property) => {
                let bytes = self.eval(*n)?;
                if bytes != 0 {
                    let (address, object) = (self.eval(*p)?, self.object_of(*p)?);
                    return self.check(address, bytes, object, *property, span);
                }
            }
            Guard::RangeInside(p, n, property) => {
                let bytes = self.eval(*n)?;
                if bytes != 0 {
                    let (address, object) = (self.eval(*p)?, self.object_of(*p)?);
                    return self.check_inside(address, bytes, object, *property, span);
                }
            }
            Guard::Callee(e, property) => {
                let address = self.eval(*e)?;
                if !self.layout.funcs.iter().any(|&f| f == address) {
                    if self.object_of(*e)? == Some(FOREIGN) {
                        return Err(Box::new(Stuck { span, why: FROM_OUTSIDE }));
                    }
                    let what = format!("there is no function at {address:#x}");
                    self.fault = Some(Fault { what, born: None, died: None });
                    return Ok(Some(End::Error(*property)));
                }
            }
            Guard::Free(e, property) => return self.free(*e, *property, span),
            Guard::Kill(e) => {
                let address = self.eval(*e)?;
                self.end_object(address, span);
            }
            Guard::End(v) => {
                let address = match self.layout.vars[*v] {
                    Home::Fixed(a) => Some(a),
                    Home::New => self.frame().addresses.get(v).copied(),
                    Home::Nowhere => None,
                };
                if let Some(address) = address {
                    self.end_object(address, span);
                }
            }
            Guard::Leak(property, ending) => return self.check_leaks(*property, *ending),
        }
        Ok(None)
    }

    fn is_skipped(&mut self, condition: Option<ExprId>) -> Known<bool> {
        condition.map_or(Ok(false), |c| Ok(self.eval(c)? == 0))
    }

    /// The object of a pointer with this value, living or not.
    fn object_for_pointer(&self, address: i128, object: Provenance) -> Option<(i128, &Object)> {
        match object {
            Some(FOREIGN) => None,
            Some(start) => self.objects.all.get(&start).map(|o| (start, o)),
            None => self.object_at(address),
        }
    }

    /// Are some bytes inside of the live object that a pointer belongs to?
    pub(super) fn is_in_object(&self, address: i128, size: i128, object: Provenance) -> bool {
        let found = self.object_for_pointer(address, object);
        found.is_some_and(|(start, o)| {
            o.died.is_none() && start <= address && address + size <= start + o.size
        })
    }

    /// Does an expression that moves a pointer stay in its object or just behind?
    fn check_moved(&mut self, e: ExprId, property: PropertyId) -> Known<Option<End>> {
        let p = match &self.unit.exprs[e].expr {
            Expr::PtrAdd(p, ..) | Expr::Addr(Place { base: Base::Deref(p), .. }) => *p,
            Expr::Addr(place @ Place { base: Base::Var(v), .. }) => {
                let (v, offset) = (*v, self.offset_in_variable(place)?);
                return self.check_variable(v, offset, 0, property);
            }
            _ => return Ok(None),
        };
        let (from, to, object) = (self.eval(p)?, self.eval(e)?, self.object_of(p)?);
        let what = match self.object_for_pointer(from, object).filter(|(_, o)| o.died.is_none()) {
            _ if from == to => return Ok(None),
            None if from == 0 => "the null pointer is moved".to_string(),
            None => return Ok(None),
            Some((start, o)) if (start..=start + o.size).contains(&to) => return Ok(None),
            Some((start, o)) => {
                format!("the pointer is at offset {} of an object of {}", to - start, bytes(o.size))
            }
        };
        self.fault = Some(Fault { what, born: None, died: None });
        Ok(Some(End::Error(property)))
    }

    fn check_access(
        &mut self,
        place: &Place,
        size: i128,
        property: PropertyId,
        span: Span,
    ) -> Known<Option<End>> {
        match (self.locate(place)?, place.base) {
            (Bytes::Memory(address), Base::Deref(e)) => {
                let object = self.object_of(e)?;
                self.check(address, size, object, property, span)
            }
            (_, Base::Var(v)) => {
                let offset = self.offset_in_variable(place)?;
                self.check_variable(v, offset, size, property)
            }
            (Bytes::Static(..) | Bytes::Local(..), Base::Deref(_)) => Ok(None),
        }
    }

    /// How many bytes after the start of its variable a place starts.
    fn offset_in_variable(&mut self, place: &Place) -> Known<i128> {
        let mut offset = i128::from(place.offset);
        for &(index, stride) in &place.dynamic {
            offset += self.eval(index)? * i128::from(stride);
        }
        Ok(offset)
    }

    fn check_variable(
        &mut self,
        v: VarId,
        offset: i128,
        size: i128,
        property: PropertyId,
    ) -> Known<Option<End>> {
        let variable = &self.unit.vars[v];
        let Some(whole) = self.unit.types.size_of(variable.ty).map(i128::from) else {
            return Err(Box::new(Stuck { span: variable.span, why: "the size of a variable is not known" }));
        };
        if offset >= 0 && offset + size <= whole {
            return Ok(None);
        }
        let name = short(&variable.name);
        let what = match size {
            0 => format!("the pointer is at offset {offset} of {name}, which has {}", bytes(whole)),
            _ => format!("{} at offset {offset} of {name}, which has {}", bytes(size), bytes(whole)),
        };
        self.fault = Some(Fault { what, born: Some(variable.span), died: None });
        Ok(Some(End::Error(property)))
    }

    /// Checks an access only if its pointer leads to a live object.
    fn check_inside(
        &mut self,
        address: i128,
        size: i128,
        object: Provenance,
        property: PropertyId,
        span: Span,
    ) -> Known<Option<End>> {
        let found = self.object_for_pointer(address, object);
        match found.is_some_and(|(_, o)| o.died.is_none()) {
            true => self.check(address, size, object, property, span),
            false => Ok(None),
        }
    }

    fn check(
        &mut self,
        address: i128,
        size: i128,
        object: Provenance,
        property: PropertyId,
        span: Span,
    ) -> Known<Option<End>> {
        let start = object.filter(|&o| o != FOREIGN);
        let found = match start {
            Some(start) => self.objects.all.get(&start).map(|o| (start, o)),
            None => self.object_at(address),
        };
        let fault = match found {
            None if address == 0 => Fault { what: "the null pointer is used".into(), born: None, died: None },
            None => {
                let what = format!("there is no object at {address:#x}");
                Fault { what, born: None, died: None }
            }
            Some((start, o)) => {
                let name = o.var.map_or("an object", |v| short(&self.unit.vars[v].name));
                let offset = address - start;
                let is_inside = offset >= 0 && offset + size <= o.size;
                if is_inside && o.died.is_none() {
                    return Ok(None);
                }
                let place = format!("{} at offset {offset} of {name}", bytes(size));
                let what = match (o.died, o.is_heap) {
                    (Some(_), true) => format!("{place}, which has been freed"),
                    (Some(_), false) => format!("{place}, whose lifetime has ended"),
                    (None, _) => format!("{place}, which has {}", bytes(o.size)),
                };
                Fault { what, born: Some(o.born), died: o.died }
            }
        };
        if object == Some(FOREIGN) {
            return Err(Box::new(Stuck { span, why: FROM_OUTSIDE }));
        }
        self.fault = Some(fault);
        Ok(Some(End::Error(property)))
    }

    fn free(&mut self, e: ExprId, property: Option<PropertyId>, span: Span) -> Known<Option<End>> {
        let (address, object) = (self.eval(e)?, self.object_of(e)?);
        if address == 0 {
            return Ok(None);
        }
        let start = object.filter(|&o| o != FOREIGN).or(self.object_at(address).map(|o| o.0));
        let found = start.and_then(|s| Some((s, self.objects.all.get(&s)?)));
        let (what, born, died) = match found {
            Some((start, o)) if o.is_heap && o.died.is_none() && start == address => {
                self.end_object(address, span);
                return Ok(None);
            }
            Some((_, o)) if o.is_heap && o.died.is_some() => {
                ("the object has been freed before".to_string(), Some(o.born), o.died)
            }
            Some((start, o)) if o.is_heap => {
                let what = format!("the pointer is {} after the start of the object", bytes(address - start));
                (what, Some(o.born), None)
            }
            Some((_, o)) => {
                let name = o.var.map_or("the object", |v| short(&self.unit.vars[v].name));
                (format!("{name} was not allocated on the heap"), Some(o.born), None)
            }
            None => (format!("there is no object at {address:#x}"), None, None),
        };
        if object == Some(FOREIGN) {
            return Err(Box::new(Stuck { span, why: FROM_OUTSIDE }));
        }
        let Some(property) = property else {
            self.end_object(start.unwrap_or(address), span);
            return Ok(None);
        };
        self.fault = Some(Fault { what, born, died });
        Ok(Some(End::Error(property)))
    }

    /// Is there anything of the heap left that must not be?
    fn check_leaks(&mut self, property: PropertyId, ending: Ending) -> Known<Option<End>> {
        let left: Vec<i128> =
            self.objects.all.iter().filter(|(_, o)| o.is_heap && o.died.is_none()).map(|(a, _)| *a).collect();
        if left.is_empty() {
            return Ok(None);
        }
        let reached = if ending == Ending::Clean { FxHashSet::default() } else { self.reachable(ending) };
        let Some(lost) = left.into_iter().find(|a| !reached.contains(a)) else { return Ok(None) };
        let object = &self.objects.all[&lost];
        let what = match ending {
            Ending::Clean => format!("an object of {} is not freed", bytes(object.size)),
            _ => format!("nothing leads to an object of {}, and it is not freed", bytes(object.size)),
        };
        self.fault = Some(Fault { what, born: Some(object.born), died: None });
        Ok(Some(End::Error(property)))
    }

    /// The objects that can be reached: any word that looks like an address of an object leads to it. Words lie at multiples of
    /// their width, and elsewhere where pointers have been stored (in packed structures).
    fn reachable(&mut self, ending: Ending) -> FxHashSet<i128> {
        let width = i128::from(self.unit.types.pointer_size());
        let mut words: Vec<i128> = Vec::new();
        let mut stretches: Vec<(i128, i128)> = Vec::new();
        let unit = self.unit;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0i128, |v, b| v << 8 | i128::from(*b));
        let as_words = |bytes: &[u8], is_pointer: &dyn Fn(i128) -> bool| -> Vec<i128> {
            let all = bytes.windows(width as usize).zip(0i128..);
            all.filter(|(_, at)| at % width == 0 || is_pointer(*at)).map(|(w, _)| word(w)).collect()
        };
        // The parameters of functions that have not returned may be slots.
        let is_root = |v: &Variable| {
            let is_parameter = ending == Ending::Exit && !v.name.ends_with("::result");
            v.storage == Storage::Static && (!v.is_slot || is_parameter)
        };
        for (v, variable) in unit.vars.iter_enumerated().filter(|(_, v)| is_root(v)) {
            let size = unit.types.size_of(variable.ty).unwrap_or(0).into();
            let is_pointer = |at: i128| self.objects.pointers.contains_key(&Spot::Static(v, at));
            match self.layout.vars[v] {
                Home::Fixed(a) => stretches.push((a, size)),
                _ => words.extend(self.statics.get(&v).map(|b| as_words(b, &is_pointer)).unwrap_or_default()),
            }
        }
        if ending == Ending::Exit {
            for frame in &self.frames {
                let is_own = |v: &VarId| !unit.vars[*v].name.ends_with("$tmp");
                for (v, bytes) in frame.objects.iter().filter(|(v, _)| is_own(v)) {
                    words.extend(as_words(bytes, &|at| frame.pointers.contains_key(&(*v, at))));
                }
            }
            // Variables with an address live in memory, as do objects made by `alloca`.
            let others = self.objects.all.iter().filter(|(_, o)| !o.is_heap && o.died.is_none());
            stretches.extend(others.map(|(a, o)| (*a, o.size)));
        }
        let unaligned: BTreeSet<i128> = self.objects.unaligned_pointers(width).collect();
        let mut reached = FxHashSet::default();
        loop {
            while let Some((start, size)) = stretches.pop() {
                let last = start + size - width;
                let aligned = (start..=last).step_by(width as usize);
                let elsewhere = (start <= last).then(|| unaligned.range(start..=last).copied());
                for at in aligned.chain(elsewhere.into_iter().flatten()) {
                    let bytes: Vec<u8> = (0..width).map(|n| self.memory.get(at + n)).collect();
                    words.push(word(&bytes));
                }
            }
            let Some(word) = words.pop() else { return reached };
            let found = self.object_at(word).filter(|(_, o)| o.died.is_none()).map(|(a, o)| (a, o.size));
            if let Some((start, size)) = found
                && reached.insert(start)
            {
                stretches.push((start, size));
            }
        }
    }
}

/// The name of a variable in the text.
fn short(name: &str) -> &str {
    match name.rsplit_once("::") {
        Some((_, "$tmp")) => "an object",
        Some((_, name)) => name,
        None => name,
    }
}

/// A number of bytes.
fn bytes(n: i128) -> String {
    counted(n, "byte", "bytes")
}
