//! Does a graph cover another one: is every memory that the second describes one that the first describes? And the
//! graph that covers two of them which differ only in numbers and in the nodes of chains.
//!
//! The objects of both are brought together one by one, starting from the variables. An object of one graph belongs to
//! at most one of the other, a chain to a chain or to a single node. A symbol of the covering graph stands for one value of the other.

use super::super::hir::Unit;
use super::chain::{Folding, add_variant, as_chain, combined};
use super::graph::{Chain, End, Kind, Object, ObjectId, Range, SELF, State, SymbolId, Value, Variant};
use super::path::as_path;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What the covering graph has to allow more.
enum Edit {
    /// A cell can hold these numbers.
    Cell(ObjectId, i64, u32, Range),
    /// A chain can be shorter.
    Least(ObjectId),
    /// A chain has nodes like this one; pointers to the outside are those of the covered graph.
    Variant(ObjectId, Variant),
}

/// A value of the covering graph, and what the other one has there: nothing if anything may be there.
type Pair = (Value, Option<Value>);

/// A cell that both graphs may have.
struct Place {
    at: Option<(ObjectId, i64)>,
    bytes: u32,
    pair: Pair,
}

struct Matching<'a> {
    of: &'a State,
    by: Cow<'a, State>,
    objects: BTreeMap<ObjectId, ObjectId>,
    /// Objects of the covered graph that belong to something.
    taken: BTreeSet<ObjectId>,
    symbols: BTreeMap<SymbolId, Option<Value>>,
    work: Vec<(ObjectId, ObjectId)>,
    edits: Option<Vec<Edit>>,
}

/// Is everything that `by` describes described by `of`?
pub(super) fn covers(unit: &Unit, of: &State, by: &State) -> bool {
    let mut matching = Matching::new(of, by, false);
    matching.run(unit)
}

/// A graph that covers both, if they differ only in numbers and nodes of chains, and whether they differ in numbers.
pub(super) fn widen(unit: &Unit, of: &State, by: &State, folding: Folding) -> Option<(State, bool)> {
    let mut matching = Matching::new(of, by, true);
    if !matching.run(unit) {
        return None;
    }
    let back: BTreeMap<ObjectId, ObjectId> = matching.objects.iter().map(|(o, b)| (*b, *o)).collect();
    let mut out = of.clone();
    let edits = matching.edits.unwrap_or_default();
    let has_numbers = edits.iter().any(|e| matches!(e, Edit::Cell(..)));
    for edit in edits {
        match edit {
            Edit::Cell(id, offset, bytes, range) => {
                let old = out.objects.get(&id)?.cells.get(&offset)?.value;
                let value = out.symbol(widened(&out, old, range, bytes));
                out.object(id)?.cells.get_mut(&offset)?.value = value;
            }
            Edit::Least(id) => out.object(id)?.chain.as_mut()?.least = 1,
            Edit::Variant(id, mut variant) => {
                let mut is_known = true;
                let mut work: Vec<&mut Object> = variant.objects.iter_mut().collect();
                while let Some(o) = work.pop() {
                    o.change(&mut |v| match v {
                        Value::Pointer(o, end, offset) if o < SELF => match back.get(&o) {
                            Some(o) => Value::Pointer(*o, end, offset),
                            None => {
                                is_known = false;
                                v
                            }
                        },
                        v => v,
                    });
                    work.extend(
                        o.chain.iter_mut().flat_map(|c| &mut c.variants).flat_map(|v| &mut v.objects),
                    );
                }
                if !is_known {
                    return None;
                }
                let word = out.word;
                add_variant(&mut out.object(id)?.chain.as_mut()?.variants, variant, folding, word)?;
            }
        }
    }
    Some((out, has_numbers))
}

/// The range for a cell that has grown: where it grew, it grows as far as its bytes allow.
fn widened(state: &State, old: Value, new: Range, bytes: u32) -> Range {
    let old = match old {
        Value::Int(n) => Range::new((n, n)),
        Value::Symbol(s) => state.range(s),
        Value::Function(_) | Value::Pointer(..) => return new,
    };
    let bits = 8 * bytes.min(8);
    let hull = old.hull(&new);
    let low = if hull.low < old.low { hull.low.min(-(1i128 << (bits - 1))) } else { hull.low };
    let most = if low < 0 { (1i128 << (bits - 1)) - 1 } else { (1i128 << bits) - 1 };
    let high = if hull.high > old.high { hull.high.max(most) } else { hull.high };
    Range { low, high, is_nonzero: hull.is_nonzero }
}

/// What has to agree between the contents of two single objects; nothing if they cannot.
fn contents(of: &Object, by: &Object) -> Option<Vec<(i64, u32, Pair)>> {
    let mut out = Vec::new();
    for (&offset, cell) in &of.cells {
        let found = by.cells.get(&offset).filter(|c| c.size == cell.size).map(|c| c.value);
        let found = found.or_else(|| by.part(offset, cell.size));
        out.push((offset, cell.size, (cell.value, found)));
    }
    if of.is_zero {
        let is_same = |(o, c): (&i64, &super::graph::Cell)| {
            c.value == Value::Int(0) || of.cells.get(o).is_some_and(|d| d.size == c.size)
        };
        if !by.is_zero || !by.cells.iter().all(is_same) {
            return None;
        }
    }
    Some(out)
}

fn same_size(of: &Object, by: &Object) -> bool {
    match of.is_exact {
        true => by.is_exact && by.size == of.size,
        false => by.size >= of.size,
    }
}

/// Does a value mean the same in every graph?
fn is_plain(v: &Value) -> bool {
    matches!(v, Value::Int(_) | Value::Function(_))
}

impl<'a> Matching<'a> {
    fn new(of: &'a State, by: &'a State, is_widening: bool) -> Matching<'a> {
        Matching {
            of,
            by: Cow::Borrowed(by),
            objects: BTreeMap::new(),
            taken: BTreeSet::new(),
            symbols: BTreeMap::new(),
            work: Vec::new(),
            edits: is_widening.then(Vec::new),
        }
    }

    fn run(&mut self, unit: &Unit) -> bool {
        let heap = |s: &State| s.objects.values().filter(|o| o.kind == Kind::Heap).count();
        if !self.of.is_lossy && heap(self.of) > heap(&self.by) {
            return false;
        }
        if self.of.location() != self.by.location()
            || self.by.is_lossy && !self.of.is_lossy
            || self.of.statics.len() != self.by.statics.len()
        {
            return false;
        }
        for (v, &id) in &self.of.statics {
            let Some(&other) = self.by.statics.get(v) else { return false };
            self.work.push((id, other));
        }
        self.work.extend(self.of.ghost.zip(self.by.ghost));
        for n in 0..self.of.frames.len() {
            for (&v, &id) in &self.of.frames[n].vars {
                let other = match self.by.frames[n].vars.get(&v) {
                    Some(&other) => other,
                    None => {
                        // Its contents are arbitrary.
                        let size = unit.types.size_of(unit.vars[v].ty).unwrap_or(0);
                        let by = self.by.to_mut();
                        let other = by.add(Object::new(Kind::Variable(v), size.into(), false));
                        by.frames[n].vars.insert(v, other);
                        other
                    }
                };
                self.work.push((id, other));
            }
        }
        while let Some((id, other)) = self.work.pop() {
            match self.objects.get(&id) {
                Some(known) if *known == other => continue,
                Some(_) => return false,
                None if !self.taken.insert(other) => return false,
                None => _ = self.objects.insert(id, other),
            }
            let is_shared = match (self.of.objects.get(&id), self.by.objects.get(&other)) {
                (Some(of), Some(by)) => Rc::ptr_eq(of, by) && of.values().iter().all(is_plain),
                _ => false,
            };
            if !is_shared && !self.objects_agree(id, other) {
                return false;
            }
        }
        // Nothing of the heap may be forgotten.
        let is_lost = |(id, o): (&ObjectId, &Rc<Object>)| o.kind == Kind::Heap && !self.taken.contains(id);
        self.of.is_lossy || !self.by.objects.iter().any(is_lost)
    }

    fn objects_agree(&mut self, id: ObjectId, other: ObjectId) -> bool {
        let (Some(of), Some(by)) = (self.of.objects.get(&id).cloned(), self.by.objects.get(&other).cloned())
        else {
            return false;
        };
        if of.kind != by.kind || !same_size(&of, &by) {
            return false;
        }
        let Some(chain) = &of.chain else {
            if by.chain.is_some() {
                return false;
            }
            let Some(pairs) = contents(&of, &by) else { return false };
            return pairs
                .into_iter()
                .all(|(offset, bytes, pair)| self.agree(Place { at: Some((id, offset)), bytes, pair }));
        };
        let (variants, tail, head, least) = match &by.chain {
            Some(other) if other.links == chain.links => {
                (other.variants.clone(), other.tail, other.head, other.least)
            }
            Some(_) => return false,
            None => {
                let Some((variant, next, prev, owned)) = self.as_chain(other, chain) else { return false };
                if !owned.iter().all(|o| self.taken.insert(*o)) {
                    return false;
                }
                (vec![variant], next, prev, 1)
            }
        };
        if least < chain.least {
            match &mut self.edits {
                Some(edits) => edits.push(Edit::Least(id)),
                None => return false,
            }
        }
        for v in variants {
            let fits = chain.variants.iter().find_map(|w| variant_matches(w, &v, self.of.word));
            match (fits, &mut self.edits) {
                (Some(pairs), _) => {
                    for pair in pairs {
                        if !self.agree(Place { at: None, bytes: self.of.word, pair }) {
                            return false;
                        }
                    }
                }
                (None, Some(edits)) => edits.push(Edit::Variant(id, v)),
                (None, None) => return false,
            }
        }
        let bytes = self.of.word;
        self.agree(Place { at: None, bytes, pair: (chain.tail, Some(tail)) })
            && (chain.links.prev.is_none()
                || self.agree(Place { at: None, bytes, pair: (chain.head, Some(head)) }))
    }

    /// A single object of the covered graph as a chain of one node like those of a chain. A node of a path goes on by the cell with which
    /// it looks like one of the variants.
    fn as_chain(
        &mut self,
        id: ObjectId,
        chain: &Chain,
    ) -> Option<(Variant, Value, Value, BTreeSet<ObjectId>)> {
        let by = self.by.to_mut();
        if !chain.links.is_path {
            return as_chain(by, id, &chain.links);
        }
        let steps: BTreeSet<i64> = chain.variants.iter().filter_map(Variant::step).collect();
        let nodes = steps.into_iter().filter_map(|step| as_path(by, id, &chain.links, step));
        let mut nodes: Vec<_> = nodes.collect();
        let fits = |v: &Variant| chain.variants.iter().any(|w| variant_matches(w, v, by.word).is_some());
        let n = nodes.iter().position(|(v, ..)| fits(v)).unwrap_or(0);
        (n < nodes.len()).then(|| nodes.swap_remove(n))
    }

    /// Do two values agree, perhaps after an edit?
    fn agree(&mut self, place: Place) -> bool {
        let (of, by) = (self.of.resolved(place.pair.0), place.pair.1.map(|v| self.by.resolved(v)));
        if self.values_agree(of, by, place.bytes) {
            return true;
        }
        let is_number = |v: Value| matches!(v, Value::Int(_) | Value::Symbol(_));
        let range = match by {
            Some(Value::Int(n)) => Range::new((n, n)),
            Some(Value::Symbol(s)) => self.by.range(s),
            None => Range::new((
                -(1i128 << (8 * place.bytes.min(8) - 1)),
                (1i128 << (8 * place.bytes.min(8))) - 1,
            )),
            Some(_) => return false,
        };
        match (&mut self.edits, place.at) {
            (Some(edits), Some((id, offset))) if is_number(of) => {
                edits.push(Edit::Cell(id, offset, place.bytes, range));
                true
            }
            _ => false,
        }
    }

    fn values_agree(&mut self, of: Value, by: Option<Value>, bytes: u32) -> bool {
        match (of, by) {
            (Value::Int(a), Some(Value::Int(b))) => a == b,
            (Value::Function(f), Some(Value::Function(g))) => f == g,
            (Value::Pointer(o, end, x), Some(Value::Pointer(p, other, y))) => {
                let is_chain = self.by.objects.get(&p).is_some_and(|o| o.chain.is_some());
                if x != y || is_chain && end != other {
                    return false;
                }
                self.work.push((o, p));
                true
            }
            (Value::Symbol(s), by) => {
                if let Some(known) = self.symbols.get(&s) {
                    return by.is_some() && *known == by;
                }
                let range = self.of.range(s);
                let fits = match by {
                    Some(Value::Int(n)) => range.contains(n),
                    Some(Value::Symbol(t)) => range.covers(&self.by.range(t)),
                    Some(Value::Pointer(..) | Value::Function(_)) => range.is_full(self.of.word),
                    None => range.is_full(bytes),
                };
                if fits {
                    self.symbols.insert(s, by);
                }
                fits
            }
            _ => false,
        }
    }
}

/// Does a variant cover another one of the same graph, where pointers have so many bytes?
pub(super) fn variant_covers(of: &Variant, by: &Variant, word: u32) -> bool {
    variant_matches(of, by, word).is_some_and(|pairs| pairs.iter().all(|(a, b)| Some(*a) == *b))
}

/// Does a variant cover another one? The pointers to the outside that have to agree for that.
fn variant_matches(of: &Variant, by: &Variant, word: u32) -> Option<Vec<Pair>> {
    let mut pairs = Vec::new();
    let mut symbols: BTreeMap<SymbolId, Value> = BTreeMap::new();
    let mut agree = |a: Value, b: Option<Value>, bytes: u32, pairs: &mut Vec<Pair>| match (a, b) {
        (Value::Int(_) | Value::Function(_), Some(b)) => a == b,
        (Value::Pointer(o, ..), Some(b)) if o >= SELF => a == b,
        (Value::Pointer(..), Some(Value::Pointer(o, ..))) if o < SELF => {
            pairs.push((a, b));
            true
        }
        (Value::Symbol(s), None) => {
            let is_new = !symbols.contains_key(&s);
            // No other cell can have this value for sure.
            symbols.insert(s, Value::Pointer(ObjectId::MAX, End::Last, 0));
            is_new && of.symbols[s as usize].is_full(bytes)
        }
        (Value::Symbol(s), Some(b)) => match symbols.get(&s) {
            Some(known) => *known == b,
            None => {
                symbols.insert(s, b);
                let range = of.symbols[s as usize];
                match b {
                    Value::Int(n) => range.contains(n),
                    Value::Symbol(t) => range.covers(&by.symbols[t as usize]),
                    // A pointer that is forgotten must not have kept anything that the node owns.
                    Value::Pointer(o, ..) => range.is_full(bytes) && o < SELF,
                    Value::Function(_) => range.is_full(bytes),
                }
            }
        },
        _ => false,
    };
    if of.objects.len() != by.objects.len() {
        return None;
    }
    for (a, b) in of.objects.iter().zip(&by.objects) {
        if a.kind != b.kind || !same_size(a, b) {
            return None;
        }
        match (&a.chain, &b.chain) {
            (None, None) => {
                for (_, bytes, (x, y)) in contents(a, b)? {
                    if !agree(x, y, bytes, &mut pairs) {
                        return None;
                    }
                }
            }
            (Some(c), Some(d)) => {
                if c.links != d.links || d.least < c.least {
                    return None;
                }
                let is_ok = agree(c.tail, Some(d.tail), word, &mut pairs)
                    && (c.links.prev.is_none() || agree(c.head, Some(d.head), word, &mut pairs));
                if !is_ok {
                    return None;
                }
                for v in &d.variants {
                    pairs.extend(c.variants.iter().find_map(|w| variant_matches(w, v, word))?);
                }
            }
            _ => return None,
        }
    }
    Some(pairs)
}

/// The variant that covers two of the same graph which differ only in numbers.
pub(super) fn join_variants(of: &Variant, by: &Variant, word: u32) -> Option<Variant> {
    if of.objects.len() != by.objects.len() {
        return None;
    }
    let mut out = of.clone();
    for (n, other) in by.objects.iter().enumerate() {
        let a = &of.objects[n];
        if a.kind != other.kind {
            return None;
        }
        match (&a.chain, &other.chain) {
            (None, None) => {}
            (Some(c), Some(d)) if (c.links, c.tail, c.head) == (d.links, d.tail, d.head) => {
                let variants = combined(c.variants.clone(), d.variants.clone(), Folding::Numbers, word)?;
                let chain = Chain { variants, least: c.least.min(d.least), ..Chain::clone(c) };
                out.objects[n].chain = Some(Box::new(chain));
                continue;
            }
            _ => return None,
        }
        for (offset, bytes, (x, y)) in contents(a, other)? {
            let range = |v: Value, symbols: &[Range]| match v {
                Value::Int(n) => Some(Range::new((n, n))),
                Value::Symbol(s) => symbols.get(s as usize).copied(),
                _ => None,
            };
            if Some(x) == y && !matches!(x, Value::Symbol(_)) {
                continue;
            }
            let full = Range::new((-(1i128 << (8 * bytes.min(8) - 1)), (1i128 << (8 * bytes.min(8))) - 1));
            let left = range(x, &of.symbols)?;
            let right = match y {
                None => full,
                Some(y) => range(y, &by.symbols)?,
            };
            // All numbers at once: the nodes of a list have many.
            let hull = left.hull(&right);
            let wide = if left.covers(&right) {
                left
            } else {
                Range { low: hull.low.min(full.low), high: hull.high.max(full.high), ..hull }
            };
            out.symbols.push(wide);
            let symbol = Value::Symbol(out.symbols.len() as SymbolId - 1);
            out.objects[n].cells.get_mut(&offset)?.value = symbol;
        }
        if !same_size(a, other) {
            return None;
        }
    }
    // It has to be one that covers both.
    let out = renumbered(out);
    (variant_covers(&out, of, word) && variant_covers(&out, by, word)).then_some(out)
}

/// A variant whose symbols are numbered in the order in which they stand.
fn renumbered(mut variant: Variant) -> Variant {
    let mut numbers: BTreeMap<SymbolId, SymbolId> = BTreeMap::new();
    let mut symbols = Vec::new();
    let old = std::mem::take(&mut variant.symbols);
    for object in &mut variant.objects {
        object.change(&mut |v| match v {
            Value::Symbol(s) => Value::Symbol(*numbers.entry(s).or_insert_with(|| {
                symbols.push(old[s as usize]);
                symbols.len() as SymbolId - 1
            })),
            v => v,
        });
    }
    variant.symbols = symbols;
    variant
}
