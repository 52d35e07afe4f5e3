//! Graphs of objects.

use super::super::hir::{BlockId, ExprId, FuncId, VarId};
use super::execute::LARGEST_OBJECT;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An object of a graph, or one of a variant of a chain ([`LOCAL`] and above).
pub(super) type ObjectId = u32;
/// A number that is not known.
pub(super) type SymbolId = u32;

/// The objects of a variant have these numbers, the node itself the first.
pub(super) const LOCAL: ObjectId = 1 << 30;
/// In a variant: the node that comes next in the chain, or whatever the last one leads to.
pub(super) const NEXT: ObjectId = LOCAL - 1;
/// In a variant of a tree: a tree of its own that looks like the one which the variant belongs to.
pub(super) const SELF: ObjectId = LOCAL - 2;
/// Graphs in which numbers of objects or symbols come this far are given up, long before a number could mean something else.
const MOST_NUMBERS: u32 = 1 << 28;

/// The end of a chain that a pointer leads to. Single objects have only a first one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum End {
    First,
    Last,
}

/// A scalar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Value {
    Int(i128),
    Function(FuncId),
    /// So many bytes after the start of an object.
    Pointer(ObjectId, End, i64),
    /// Some number, the same for each symbol.
    Symbol(SymbolId),
}

/// What is known about a number: it may be anything from `low` to `high`, perhaps except for zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Range {
    pub low: i128,
    pub high: i128,
    pub is_nonzero: bool,
}

impl Range {
    pub fn new((low, high): (i128, i128)) -> Range {
        Range { low, high, is_nonzero: false }
    }

    pub fn contains(&self, n: i128) -> bool {
        self.low <= n && n <= self.high && !(self.is_nonzero && n == 0)
    }

    pub fn is_empty(&self) -> bool {
        self.low > self.high || self.is_nonzero && self.low == 0 && self.high == 0
    }

    /// Does it allow whatever so many bytes can hold, as signed or as unsigned numbers?
    pub fn is_full(&self, bytes: u32) -> bool {
        if !(1..16).contains(&bytes) {
            return false;
        }
        let half = 1i128 << (8 * bytes - 1);
        self.covers(&Range::new((-half, half - 1))) || self.covers(&Range::new((0, 2 * half - 1)))
    }

    /// Everything that the other one allows is allowed.
    pub fn covers(&self, other: &Range) -> bool {
        let excludes_zero = other.is_nonzero || other.low > 0 || other.high < 0;
        self.low <= other.low && other.high <= self.high && (!self.is_nonzero || excludes_zero)
    }

    pub fn hull(&self, other: &Range) -> Range {
        let excludes = |r: &Range| r.is_nonzero || r.low > 0 || r.high < 0;
        let is_nonzero = excludes(self) && excludes(other);
        Range { low: self.low.min(other.low), high: self.high.max(other.high), is_nonzero }
    }
}

/// What kind of object it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Kind {
    /// A variable.
    Variable(VarId),
    /// Something that `free` takes.
    Heap,
    /// Something that ends with a block or the program.
    Other,
}

/// A scalar in an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Cell {
    pub size: u32,
    pub value: Value,
}

/// An object, or a chain of objects.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Object {
    pub kind: Kind,
    /// It has at least so many bytes.
    pub size: i128,
    /// And no more.
    pub is_exact: bool,
    /// Is what is not in cells zero? Otherwise it is anything.
    pub is_zero: bool,
    /// By offset; they do not overlap. A chain has none.
    pub cells: BTreeMap<i64, Cell>,
    pub chain: Option<Box<Chain>>,
}

/// How the nodes of a chain are linked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Links {
    /// The offset of the cell that leads to the next node, and the offset there that it leads to. Trees and paths have none.
    pub next: Option<(i64, i64)>,
    /// The same for the node before, if the chain is linked in both directions.
    pub prev: Option<(i64, i64)>,
    /// Is it a path: one cell of each variant leads to the start of the next node ([`NEXT`]), not the same cell for all?
    pub is_path: bool,
}

/// One or more objects, linked; or a tree, which is one node without a link that owns trees ([`SELF`]).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Chain {
    pub links: Links,
    /// There are at least so many nodes: one or two.
    pub least: u8,
    /// What nodes look like, apart from the links.
    pub variants: Vec<Variant>,
    /// What the last node has in its cell for the next. A tree has null.
    pub tail: Value,
    /// What the first node has in its cell for the node before.
    pub head: Value,
}

/// A node without its links, and what it owns: objects that nothing else leads to. Their numbers start with [`LOCAL`],
/// and symbols are those of the variant, a new number for each node.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Variant {
    pub objects: Vec<Object>,
    pub symbols: Vec<Range>,
}

/// An activation of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Frame {
    pub func: FuncId,
    pub block: BlockId,
    /// The next instruction.
    pub at: usize,
    pub vars: BTreeMap<VarId, ObjectId>,
}

/// A place of the program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The way to call a recursive function that execution began with, or zero for the start of the program.
    pub context: u32,
    /// The calls that led there, the outermost first. There are none when the recursive function has returned.
    pub calls: Vec<(FuncId, BlockId, usize)>,
}

/// A graph; see the module `shape`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub(super) frames: Vec<Frame>,
    pub(super) statics: BTreeMap<VarId, ObjectId>,
    /// See [`Place::context`].
    pub(super) context: u32,
    /// The object that stands for what the callers of a recursive function know; see `call`.
    pub(super) ghost: Option<ObjectId>,
    pub(super) objects: BTreeMap<ObjectId, Rc<Object>>,
    pub(super) symbols: BTreeMap<SymbolId, Range>,
    /// Was an object of the heap lost: nothing leads to it any more?
    pub(super) is_lossy: bool,
    pub(super) next_object: ObjectId,
    pub(super) next_symbol: SymbolId,
    /// The bytes of a pointer.
    pub(super) word: u32,
    /// May an instruction be executed once for each outcome of a condition?
    pub(super) splits: bool,
    /// The outcomes of conditions for which the next instruction is executed.
    pub(super) choices: Vec<(ExprId, bool)>,
}

impl Object {
    pub fn new(kind: Kind, size: i128, is_zero: bool) -> Object {
        Object { kind, size, is_exact: true, is_zero, cells: BTreeMap::new(), chain: None }
    }

    /// All values in the object, with those of the ends of a chain and of its variants.
    pub fn values(&self) -> Vec<Value> {
        let mut out: Vec<Value> = self.cells.values().map(|c| c.value).collect();
        if let Some(chain) = &self.chain {
            out.extend([chain.tail, chain.head]);
            out.extend(chain.variants.iter().flat_map(Variant::outside));
        }
        out
    }

    /// Has it a pointer to a chain like the one that it belongs to?
    pub fn owns_itself(&self) -> bool {
        let is_self = |v: &Value| matches!(v, Value::Pointer(SELF, ..));
        let ends = self.chain.iter().flat_map(|c| [c.tail, c.head]);
        self.cells.values().map(|c| c.value).chain(ends).any(|v| is_self(&v))
    }

    /// Changes all values of the object itself, not those in variants.
    pub fn change(&mut self, f: &mut impl FnMut(Value) -> Value) {
        for cell in self.cells.values_mut() {
            cell.value = f(cell.value);
        }
        if let Some(chain) = &mut self.chain {
            chain.tail = f(chain.tail);
            chain.head = f(chain.head);
        }
    }
}

impl Chain {
    /// Does it branch?
    pub fn is_tree(&self) -> bool {
        self.links.target().is_none()
    }

    /// Can a pointer lead to its last node?
    pub fn has_last(&self) -> bool {
        self.links.target().is_some() && self.links.prev.is_some()
    }
}

impl Links {
    /// The offset in a node that the link to it leads to, if there are links.
    pub fn target(&self) -> Option<i64> {
        if self.is_path { Some(0) } else { self.next.map(|(_, at)| at) }
    }
}

impl Variant {
    /// The cell of the node that leads to the next one, where this is the only pointer to it in the whole variant.
    pub fn step(&self) -> Option<i64> {
        let next = |v: &Value| matches!(v, Value::Pointer(NEXT, ..));
        let ends = |o: &Object| o.chain.iter().flat_map(|c| [c.tail, c.head]).collect::<Vec<_>>();
        let values = |o: &Object| o.cells.values().map(|c| c.value).chain(ends(o)).filter(next).count();
        let is_only = self.objects.iter().map(values).sum::<usize>() == 1;
        let mut cells = self.objects.first().into_iter().flat_map(|o| &o.cells);
        let found = cells.find(|(_, c)| c.value == Value::Pointer(NEXT, End::First, 0));
        found.filter(|_| is_only).map(|(offset, _)| *offset)
    }

    /// The pointers that leave the variant.
    pub fn outside(&self) -> Vec<Value> {
        let mut out = Vec::new();
        let mut work: Vec<&Object> = self.objects.iter().collect();
        while let Some(o) = work.pop() {
            out.extend(o.cells.values().map(|c| c.value));
            if let Some(chain) = &o.chain {
                out.extend([chain.tail, chain.head]);
                work.extend(chain.variants.iter().flat_map(|v| &v.objects));
            }
        }
        out.retain(|v| matches!(v, Value::Pointer(o, ..) if *o < SELF));
        out
    }
}

impl State {
    /// Where execution is.
    pub fn location(&self) -> Place {
        let calls = self.frames.iter().map(|f| (f.func, f.block, f.at)).collect();
        Place { context: self.context, calls }
    }

    pub(super) fn add(&mut self, object: Object) -> ObjectId {
        let id = self.next_object;
        self.next_object += 1;
        self.objects.insert(id, Rc::new(object));
        id
    }

    pub(super) fn symbol(&mut self, range: Range) -> Value {
        if range.low == range.high {
            return Value::Int(range.low);
        }
        let id = self.next_symbol;
        self.next_symbol += 1;
        self.symbols.insert(id, range);
        Value::Symbol(id)
    }

    /// A number of so many bytes of which nothing is known.
    pub(super) fn anything(&mut self, bytes: u32) -> Value {
        let bits = 8 * bytes.min(8);
        self.symbol(Range::new((0, (1i128 << bits) - 1)))
    }

    pub(super) fn range(&self, s: SymbolId) -> Range {
        self.symbols.get(&s).copied().unwrap_or(Range::new((-(1 << 64), 1 << 64)))
    }

    /// A symbol of which only one number is left is that number.
    pub(super) fn resolved(&self, v: Value) -> Value {
        match v {
            Value::Symbol(s) => match self.range(s) {
                r if r.low == r.high => Value::Int(r.low),
                _ => v,
            },
            v => v,
        }
    }

    pub(super) fn object(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.objects.get_mut(&id).map(Rc::make_mut)
    }

    /// Replaces pointers everywhere, those in variants included.
    pub(super) fn redirect(&mut self, of: ObjectId, mut f: impl FnMut(End, i64) -> Value) {
        let mut new = |v: Value| match v {
            Value::Pointer(o, end, offset) if o == of => f(end, offset),
            v => v,
        };
        for object in self.objects.values_mut() {
            if object.values().iter().any(|v| matches!(v, Value::Pointer(o, ..) if *o == of)) {
                let object = Rc::make_mut(object);
                object.change(&mut new);
                let mut work: Vec<&mut Object> = Vec::new();
                if let Some(chain) = &mut object.chain {
                    work.extend(chain.variants.iter_mut().flat_map(|v| &mut v.objects));
                }
                while let Some(o) = work.pop() {
                    o.change(&mut new);
                    if let Some(chain) = &mut o.chain {
                        work.extend(chain.variants.iter_mut().flat_map(|v| &mut v.objects));
                    }
                }
            }
        }
    }

    /// Is something that points to the object inside of a variant?
    pub(super) fn is_known_to_variants(&self, of: ObjectId) -> bool {
        let leads = |v: &Value| matches!(v, Value::Pointer(o, ..) if *o == of);
        let chains = self.objects.values().filter_map(|o| o.chain.as_ref());
        chains.flat_map(|c| &c.variants).any(|v| v.outside().iter().any(leads))
    }

    /// Ends an object. Pointers to it become numbers that nothing is known about.
    pub(super) fn end(&mut self, id: ObjectId) {
        if self.objects.remove(&id).is_none() {
            return;
        }
        let mut new: BTreeMap<(End, i64), Value> = BTreeMap::new();
        // Each place that a pointer can lead to is one number.
        let mut places: BTreeSet<(End, i64)> = BTreeSet::new();
        for object in self.objects.values() {
            places.extend(object.values().into_iter().filter_map(|v| match v {
                Value::Pointer(o, end, offset) if o == id => Some((end, offset)),
                _ => None,
            }));
        }
        for place in places {
            let value = self.anything(self.word);
            new.insert(place, value);
        }
        if self.is_known_to_variants(id) {
            // In a variant a symbol is a new number for each node.
            self.forget_in_variants(id);
        }
        self.redirect(id, |end, offset| new[&(end, offset)]);
    }

    /// Pointers in variants to an object that has ended become symbols of their own.
    fn forget_in_variants(&mut self, id: ObjectId) {
        let bits = 8 * self.word;
        for object in self.objects.values_mut() {
            if object.chain.is_none() {
                continue;
            }
            let object = Rc::make_mut(object);
            let mut work: Vec<&mut Variant> = object.chain.iter_mut().flat_map(|c| &mut c.variants).collect();
            while let Some(variant) = work.pop() {
                let symbols = &mut variant.symbols;
                let mut forget = |v: Value| match v {
                    Value::Pointer(o, ..) if o == id => {
                        symbols.push(Range::new((0, (1i128 << bits) - 1)));
                        Value::Symbol(symbols.len() as SymbolId - 1)
                    }
                    v => v,
                };
                for o in &mut variant.objects {
                    o.change(&mut forget);
                    work.extend(o.chain.iter_mut().flat_map(|c| &mut c.variants));
                }
            }
        }
    }

    /// The objects that some values lead to.
    pub(super) fn reached(&self, from: impl IntoIterator<Item = ObjectId>) -> BTreeSet<ObjectId> {
        let mut work: Vec<ObjectId> = from.into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = work.pop() {
            let Some(object) = self.objects.get(&id).filter(|_| !seen.contains(&id)) else { continue };
            seen.insert(id);
            work.extend(object.values().into_iter().filter_map(|v| match v {
                Value::Pointer(o, ..) => Some(o),
                _ => None,
            }));
        }
        seen
    }

    /// Forgets objects that nothing leads to, and symbols that stand nowhere.
    pub(super) fn collect(&mut self) {
        let variables = self.frames.iter().flat_map(|f| f.vars.values()).chain(self.statics.values());
        let roots = variables.copied().chain(self.ghost);
        let reached = self.reached(roots.collect::<Vec<_>>());
        let is_lost = |(id, o): (&ObjectId, &Rc<Object>)| o.kind == Kind::Heap && !reached.contains(id);
        self.is_lossy |= self.objects.iter().any(is_lost);
        self.objects.retain(|id, _| reached.contains(id));
        let mut used = BTreeSet::new();
        for object in self.objects.values_mut() {
            let is_settled = |v: &Value| matches!(v, Value::Symbol(s) if self.symbols.get(s).is_some_and(|r| r.low == r.high));
            if object.cells.values().any(|c| is_settled(&c.value)) {
                let symbols = &self.symbols;
                let mut settle = |v: Value| match v {
                    Value::Symbol(s) => {
                        symbols.get(&s).filter(|r| r.low == r.high).map_or(v, |r| Value::Int(r.low))
                    }
                    v => v,
                };
                Rc::make_mut(object).change(&mut settle);
            }
            used.extend(object.values().into_iter().filter_map(|v| match v {
                Value::Symbol(s) => Some(s),
                _ => None,
            }));
        }
        self.symbols.retain(|s, _| used.contains(s));
    }

    /// Are there numbers left for objects and symbols?
    pub(super) fn has_numbers(&self) -> bool {
        self.next_object < MOST_NUMBERS && self.next_symbol < MOST_NUMBERS
    }

    /// Is a graph that was read in order: no pointer leads nowhere, every symbol is known, cells do not overlap, and chains
    /// are chains?
    pub(super) fn is_whole(&self) -> bool {
        if !self.has_numbers() {
            return false;
        }
        let is_ghost = |o: &Rc<Object>| o.kind == Kind::Other && o.chain.is_none();
        if self.ghost.is_some() != (self.context > 0)
            || self.ghost.is_some_and(|g| !self.objects.get(&g).is_some_and(is_ghost))
        {
            return false;
        }
        let variables = self.frames.iter().flat_map(|f| &f.vars).chain(&self.statics);
        let mut owners: BTreeMap<ObjectId, VarId> = BTreeMap::new();
        for (v, id) in variables {
            let is_own = |o: &Rc<Object>| o.kind == Kind::Variable(*v) && o.chain.is_none();
            if !self.objects.get(id).is_some_and(is_own) || owners.insert(*id, *v).is_some() {
                return false;
            }
        }
        self.objects.iter().all(|(id, o)| {
            let is_owned = !matches!(o.kind, Kind::Variable(_)) || owners.contains_key(id);
            *id < self.next_object
                && is_owned
                && o.is_in_order(self.word, &|v| match v {
                    Value::Pointer(o, end, _) => match self.objects.get(&o) {
                        Some(o) => end == End::First || o.chain.as_ref().is_some_and(|c| c.has_last()),
                        None => false,
                    },
                    Value::Symbol(s) => s < self.next_symbol && self.symbols.contains_key(&s),
                    Value::Int(_) | Value::Function(_) => true,
                })
        })
    }
}

impl Object {
    /// See [`State::is_whole`]. `known` tells whether a value that does not belong to a variant is known.
    fn is_in_order(&self, word: u32, known: &dyn Fn(Value) -> bool) -> bool {
        if !(0..=LARGEST_OBJECT).contains(&self.size) {
            return false;
        }
        // Chains nest only as deep as graphs were nested when they were made; what is read is limited by the reader.
        let mut end = i64::MIN;
        for (offset, cell) in &self.cells {
            let next = offset.checked_add(i64::from(cell.size));
            let (Some(next), true) = (next, *offset >= end && cell.size > 0 && cell.size <= 16) else {
                return false;
            };
            if next > i64::try_from(self.size).unwrap_or(i64::MAX) && self.is_exact || *offset < 0 {
                return false;
            }
            end = next;
        }
        let Some(chain) = &self.chain else { return self.cells.values().all(|c| known(c.value)) };
        let word = i64::from(word);
        let fits = |&(a, b): &(i64, i64)| {
            a >= 0 && b >= 0 && i128::from(a) + i128::from(word) <= self.size && i128::from(b) < self.size
        };
        let links: Vec<(i64, i64)> = chain.links.next.into_iter().chain(chain.links.prev).collect();
        let are_apart = match (chain.links.next, chain.links.prev) {
            (Some(next), Some(prev)) => prev.0.abs_diff(next.0) >= word.unsigned_abs(),
            (Some(_), None) => true,
            (None, _) => chain.links.is_path || chain.least == 1 && chain.tail == Value::Int(0),
        };
        // A path goes on in each node, and only in one way.
        let goes_on = |v: &Variant| {
            let step = v.step().and_then(|at| v.objects.first()?.cells.get(&at));
            step.is_some_and(|c| i64::from(c.size) == word)
        };
        let is_path = chain.links.next.is_none() && chain.variants.iter().all(goes_on);
        let is_chain = self.kind == Kind::Heap
            && self.is_exact
            && self.cells.is_empty()
            && (1..=2).contains(&chain.least)
            && !chain.variants.is_empty()
            && links.iter().all(fits)
            && are_apart
            && (is_path || !chain.links.is_path)
            && (chain.links.prev.is_some() || chain.head == Value::Int(0))
            && known(chain.tail)
            && known(chain.head);
        is_chain
            && chain.variants.iter().all(|v| {
                // The cells of its links are those of the chain.
                let has_links = |o: &Object| {
                    let is_free = |l: &(i64, i64)| !o.overlaps(l.0, word as u32);
                    let is_node = o.size == self.size && o.is_exact && o.kind == Kind::Heap;
                    is_node && o.chain.is_none() && links.iter().all(is_free)
                };
                let known_inside = |value: Value| match value {
                    Value::Pointer(o, end, _) if o >= LOCAL => match v.objects.get((o - LOCAL) as usize) {
                        Some(o) => end == End::First || o.chain.as_ref().is_some_and(|c| c.has_last()),
                        None => false,
                    },
                    Value::Pointer(NEXT, ..) => true,
                    Value::Pointer(SELF, end, offset) => (end, offset) == (End::First, 0) && chain.is_tree(),
                    Value::Symbol(s) => (s as usize) < v.symbols.len(),
                    value => known(value),
                };
                v.objects.first().is_some_and(has_links)
                    // Only nodes own chains like the one that they belong to.
                    && !v.objects.iter().skip(1).any(Object::owns_itself)
                    && v.objects
                        .iter()
                        .all(|o| o.kind == Kind::Heap && o.is_in_order(word as u32, &known_inside))
            })
    }
}
