//! Chains: linked objects become a chain where nothing but the links leads into their middle, and the first or last node
//! comes out of a chain again where an instruction needs it.

use super::super::types::IntType;
use super::entail::{join_variants, variant_covers};
use super::graph::{
    Cell, Chain, End, Kind, LOCAL, Links, NEXT, Object, ObjectId, Range, SELF, State, Value, Variant,
};
use super::path::{close, lengthen};
use super::tree::{Branches, grow};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Which nodes may belong to one chain. This decides how much is forgotten; all of it is sound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Folding {
    /// There are no chains.
    Never,
    /// Those that look the same.
    Equal,
    /// Those that look like one of a few.
    Variants,
    /// The same, and numbers in them are not told apart.
    Numbers,
}

/// How nodes are made chains. This, too, decides only how much is forgotten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rule {
    pub folding: Folding,
    /// The offsets of cells that do not lead to the next node, although they may lead to an object of the same size.
    pub except: Vec<i64>,
    /// Nodes of trees.
    pub branches: Option<Branches>,
}

/// A chain has at most so many variants.
const MOST_VARIANTS: usize = 6;
/// Chains in variants of chains nest so deep at most.
const DEEPEST: usize = 3;
/// A node owns at most so many objects.
const MOST_OWNED: usize = 24;

/// Where a pointer to an object stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    Cell(i64),
    Tail,
    Head,
    /// In a variant of a chain.
    Inside,
}

/// A pointer to an object.
pub(super) struct Reference {
    pub holder: ObjectId,
    pub slot: Slot,
    pub end: End,
    pub offset: i64,
}

pub(super) type References = BTreeMap<ObjectId, Vec<Reference>>;

pub(super) fn references(state: &State) -> References {
    let mut out = References::new();
    let mut note = |holder: ObjectId, slot: Slot, v: Value| {
        if let Value::Pointer(o, end, offset) = v {
            out.entry(o).or_default().push(Reference { holder, slot, end, offset });
        }
    };
    for (&id, object) in &state.objects {
        object.cells.iter().for_each(|(&o, c)| note(id, Slot::Cell(o), c.value));
        if let Some(chain) = &object.chain {
            note(id, Slot::Tail, chain.tail);
            note(id, Slot::Head, chain.head);
            chain.variants.iter().flat_map(Variant::outside).for_each(|v| note(id, Slot::Inside, v));
        }
    }
    out
}

/// The objects of the heap that only a node leads to, directly or not, apart from its links.
pub(super) fn owned(
    state: &State,
    refs: &References,
    node: ObjectId,
    links: &Links,
) -> Option<BTreeSet<ObjectId>> {
    let is_link = |o: i64| links.next.into_iter().chain(links.prev).any(|l| l.0 == o);
    let start = &state.objects[&node];
    let targets = |o: &Object| -> Vec<ObjectId> {
        o.values()
            .into_iter()
            .filter_map(|v| match v {
                Value::Pointer(o, ..) => Some(o),
                _ => None,
            })
            .collect()
    };
    let mut work: Vec<ObjectId> = Vec::new();
    for (&offset, cell) in &start.cells {
        if let (Value::Pointer(o, ..), false) = (cell.value, is_link(offset)) {
            work.push(o);
        }
    }
    let mut found = BTreeSet::new();
    while let Some(id) = work.pop() {
        let is_heap = state.objects.get(&id).is_some_and(|o| o.kind == Kind::Heap);
        if id == node || !is_heap || !found.insert(id) {
            continue;
        }
        if found.len() > 4 * MOST_OWNED {
            return None;
        }
        work.extend(targets(&state.objects[&id]));
    }
    // Whatever something else leads to is not owned, nor what only that leads to.
    loop {
        let is_own = |r: &Reference| match r.holder == node {
            true => !matches!(r.slot, Slot::Cell(o) if is_link(o)),
            false => found.contains(&r.holder),
        };
        let outside: Vec<ObjectId> =
            found.iter().copied().filter(|id| refs.get(id).is_some_and(|r| !r.iter().all(is_own))).collect();
        if outside.is_empty() {
            break;
        }
        outside.iter().for_each(|id| _ = found.remove(id));
    }
    (found.len() <= MOST_OWNED).then_some(found)
}

/// A node as a variant of a chain.
pub(super) fn variant(
    state: &State,
    node: ObjectId,
    owned: &BTreeSet<ObjectId>,
    links: &Links,
    next: Value,
) -> Option<Variant> {
    let mut numbers: BTreeMap<ObjectId, ObjectId> = BTreeMap::from([(node, LOCAL)]);
    let mut order = vec![node];
    let mut symbols: BTreeMap<u32, u32> = BTreeMap::new();
    let mut ranges: Vec<Range> = Vec::new();
    let mut objects = Vec::new();
    let mut n = 0;
    while let Some(&id) = order.get(n) {
        let mut object = Object::clone(&state.objects[&id]);
        if n == 0 {
            for (offset, _) in links.next.into_iter().chain(links.prev) {
                object.cells.remove(&offset);
                if object.overlaps(offset, state.word) {
                    return None;
                }
            }
        }
        n += 1;
        let mut localise = |v: Value| match state.resolved(v) {
            v @ Value::Pointer(..) if v == next => Value::Pointer(NEXT, End::First, 0),
            Value::Pointer(o, end, offset) if o == node || owned.contains(&o) => {
                let number = *numbers.entry(o).or_insert_with(|| {
                    order.push(o);
                    LOCAL + order.len() as ObjectId - 1
                });
                Value::Pointer(number, end, offset)
            }
            Value::Symbol(s) => Value::Symbol(*symbols.entry(s).or_insert_with(|| {
                ranges.push(state.range(s));
                ranges.len() as u32 - 1
            })),
            v => v,
        };
        object.change(&mut localise);
        let inside = |v: &Value| matches!(v, Value::Pointer(o, ..) if *o == node || owned.contains(o));
        let nested = object.chain.iter().flat_map(|c| &c.variants);
        if nested.flat_map(Variant::outside).any(|v| inside(&v) || v == next) {
            return None;
        }
        objects.push(object);
    }
    let variant = Variant { objects, symbols: ranges };
    (order.len() == owned.len() + 1 && depth(&variant) <= DEEPEST).then_some(variant)
}

/// How deep chains nest in a variant.
fn depth(variant: &Variant) -> usize {
    let mut deepest = 0;
    let mut work = vec![(variant, 1)];
    while let Some((v, d)) = work.pop() {
        deepest = deepest.max(d);
        let nested = v.objects.iter().filter_map(|o| o.chain.as_ref()).flat_map(|c| &c.variants);
        work.extend(nested.map(|v| (v, d + 1)));
    }
    deepest
}

/// A single object as a chain of one node: its variant, what comes next and what came before, and what it owns.
pub(super) fn as_chain(
    state: &mut State,
    node: ObjectId,
    links: &Links,
) -> Option<(Variant, Value, Value, BTreeSet<ObjectId>)> {
    let (next, prev) = ends(state, node, links);
    let refs = references(state);
    let owned = owned(state, &refs, node, links)?;
    let variant = variant(state, node, &owned, links, next)?;
    Some((variant, next, prev, owned))
}

/// What the first node of an object has before it, and the last one after it.
pub(super) fn ends(state: &mut State, id: ObjectId, links: &Links) -> (Value, Value) {
    if let Some(chain) = &state.objects[&id].chain {
        return (chain.tail, chain.head);
    }
    let word = state.word;
    let pointer = IntType { bits: 8 * word, signed: false, rank: 9 };
    let next = match links.next {
        Some(next) => state.read(id, next.0, pointer, word),
        None => Value::Int(0),
    };
    let prev = match links.prev {
        Some(prev) => state.read(id, prev.0, pointer, word),
        None => Value::Int(0),
    };
    (next, prev)
}

/// Makes chains of what is linked.
pub(super) fn fold(state: &mut State, rule: &Rule) {
    if rule.folding == Folding::Never {
        return;
    }
    if let Some(branches) = &rule.branches {
        while grow(state, branches, rule.folding)
            || lengthen(state, branches, rule.folding)
            || close(state, branches, rule.folding)
        {}
    }
    while fold_once(state, rule) {}
}

fn fold_once(state: &mut State, rule: &Rule) -> bool {
    let refs = references(state);
    let heap: Vec<ObjectId> =
        state.objects.iter().filter(|(_, o)| o.kind == Kind::Heap && o.is_exact).map(|(id, _)| *id).collect();
    for &a in &heap {
        let object = &state.objects[&a];
        let pointers: Vec<(Option<i64>, Value)> = match &object.chain {
            Some(chain) => vec![(None, chain.tail)],
            None => {
                let is_word = |c: &&Cell| c.size == state.word;
                let cells = object.cells.iter();
                cells.filter(|(_, c)| is_word(c)).map(|(o, c)| (Some(*o), c.value)).collect()
            }
        };
        let size = object.size;
        for (offset, value) in pointers {
            let Value::Pointer(b, End::First, at) = value else { continue };
            if rule.branches.as_ref().is_some_and(|b| b.size == size) {
                continue;
            }
            let fits = |o: &Rc<Object>| o.kind == Kind::Heap && o.is_exact && o.size == size;
            if a == b || at < 0 || i128::from(at) >= size || !state.objects.get(&b).is_some_and(fits) {
                continue;
            }
            let links = links_between(state, a, b, offset, at);
            let Some(links) = links.filter(|l| l.next.is_none_or(|n| !rule.except.contains(&n.0))) else {
                continue;
            };
            if let Some(merged) = merge(state, &refs, a, b, &links, rule.folding) {
                *state = merged;
                return true;
            }
        }
    }
    false
}

/// How two objects are linked, the first of which leads to the second.
fn links_between(state: &State, a: ObjectId, b: ObjectId, offset: Option<i64>, at: i64) -> Option<Links> {
    let (first, second) = (&state.objects[&a], &state.objects[&b]);
    let found = match (&first.chain, &second.chain) {
        (Some(chain), Some(other)) => (chain.links == other.links).then_some(chain.links),
        (Some(chain), None) | (None, Some(chain)) => Some(chain.links),
        (None, None) => {
            let offset = offset?;
            let back = second.cells.iter().filter_map(|(&o, c)| match c.value {
                Value::Pointer(to, _, at) if to == a && o != offset && c.size == state.word => Some((o, at)),
                _ => None,
            });
            let back: Vec<(i64, i64)> = back.collect();
            let prev = match back[..] {
                [] => None,
                [prev] => Some(prev),
                _ => return None,
            };
            Some(Links { next: Some((offset, at)), prev, is_path: false })
        }
    }?;
    // Trees are not linked.
    let next = found.next?;
    let is_same = offset.is_none_or(|o| o == next.0) && at == next.1;
    // A list that is linked both ways is followed in one direction.
    let is_forward =
        found.prev.is_none_or(|prev| next.0 < prev.0 && prev.1 >= 0 && i128::from(prev.1) < first.size);
    (is_same && is_forward).then_some(found)
}

/// The graph with two linked objects or chains as one chain, if nothing else leads into its middle.
fn merge(
    state: &State,
    refs: &References,
    a: ObjectId,
    b: ObjectId,
    links: &Links,
    folding: Folding,
) -> Option<State> {
    let mut state = state.clone();
    let at = links.next?;
    let ((link, head), (tail, back)) = (ends(&mut state, a, links), ends(&mut state, b, links));
    let (first, second) = (state.objects[&a].clone(), state.objects[&b].clone());
    if link != Value::Pointer(b, End::First, at.1) || tail == link {
        return None;
    }
    let last_of_a = if first.chain.is_some() { End::Last } else { End::First };
    if let Some((_, at)) = links.prev
        && back != Value::Pointer(a, last_of_a, at)
    {
        return None;
    }
    let nothing = BTreeSet::new();
    let own = |object: &Object, id| match object.chain {
        Some(_) => Some(nothing.clone()),
        None => owned(&state, refs, id, links),
    };
    let (own_a, own_b) = (own(&first, a)?, own(&second, b)?);
    let is_next_of = |object: &Object, slot: Slot| match object.chain {
        Some(_) => slot == Slot::Tail,
        None => slot == Slot::Cell(at.0),
    };
    let is_prev_of = |object: &Object, slot: Slot| match (&object.chain, links.prev) {
        (_, None) => false,
        (Some(_), _) => slot == Slot::Head,
        (None, Some(prev)) => slot == Slot::Cell(prev.0),
    };
    let after_b = match tail {
        Value::Pointer(c, End::First, _) => Some(c),
        _ => None,
    };
    for r in refs.get(&b).into_iter().flatten() {
        let holder = &state.objects[&r.holder];
        let is_link = r.holder == a && is_next_of(holder, r.slot);
        let is_next = (r.holder == a && first.chain.is_none() || own_a.contains(&r.holder))
            && (r.end, r.offset) == (End::First, at.1)
            && matches!(r.slot, Slot::Cell(_) | Slot::Tail | Slot::Head)
            && !(r.holder == a && is_prev_of(holder, r.slot));
        let is_self = second.chain.is_none()
            && (r.holder == b && !is_next_of(holder, r.slot) && !is_prev_of(holder, r.slot)
                || own_b.contains(&r.holder));
        let is_last = links.prev.is_some()
            && match second.chain {
                Some(_) => r.end == End::Last,
                None => after_b == Some(r.holder) && is_prev_of(holder, r.slot),
            };
        if !(is_link || is_next || is_self || is_last) {
            return None;
        }
    }
    for r in refs.get(&a).into_iter().flatten() {
        let holder = &state.objects[&r.holder];
        let is_back = r.holder == b && is_prev_of(holder, r.slot);
        let is_tail = r.holder == b && is_next_of(holder, r.slot) && r.end == End::First;
        let is_of_b = r.holder == b || own_b.contains(&r.holder);
        if is_of_b && !is_back && !is_tail || r.end == End::Last && !is_back {
            return None;
        }
    }
    let variants = |object: &Object, id, own: &BTreeSet<ObjectId>, next| match &object.chain {
        Some(chain) => Some(chain.variants.clone()),
        None => Some(vec![variant(&state, id, own, links, next)?]),
    };
    let (of_a, of_b) = (variants(&first, a, &own_a, link)?, variants(&second, b, &own_b, tail)?);
    let leads_inside =
        |v: &Variant| v.outside().iter().any(|v| matches!(v, Value::Pointer(o, ..) if *o == a || *o == b));
    if of_a.iter().chain(&of_b).any(leads_inside) {
        return None;
    }
    // What is known about a node that a variable leads to is not given up, since it is about to be used.
    let is_variable = |r: &Reference| matches!(state.objects[&r.holder].kind, Kind::Variable(_));
    if let ([v], None, true) =
        (&of_a[..], &first.chain, refs.get(&a).is_some_and(|refs| refs.iter().any(is_variable)))
        && !of_b.iter().any(|w| variant_covers(w, v, state.word))
        && !of_b.iter().all(|w| variant_covers(v, w, state.word))
    {
        return None;
    }
    let least = |o: &Object| o.chain.as_ref().map_or(1, |c| c.least);
    let least = (least(&first) + least(&second)).min(2);
    let variants = combined(of_a, of_b, folding, state.word)?;
    let chain = Chain { links: *links, least, variants, tail, head };
    let object = Object { chain: Some(Box::new(chain)), ..Object::new(Kind::Heap, first.size, false) };
    state.objects.insert(a, Rc::new(object));
    for id in own_a.iter().chain(&own_b).chain([&b]) {
        state.objects.remove(id);
    }
    state.redirect(b, |_, offset| Value::Pointer(a, End::Last, offset));
    Some(state)
}

/// The variants of two chains together.
pub(super) fn combined(
    mut of: Vec<Variant>,
    with: Vec<Variant>,
    folding: Folding,
    word: u32,
) -> Option<Vec<Variant>> {
    for v in with {
        add_variant(&mut of, v, folding, word)?;
    }
    Some(of)
}

/// Adds a variant to those of a chain, where pointers have so many bytes.
pub(super) fn add_variant(of: &mut Vec<Variant>, v: Variant, folding: Folding, word: u32) -> Option<()> {
    if of.iter().any(|w| variant_covers(w, &v, word)) {
        return Some(());
    }
    if let Some(w) = of.iter_mut().find(|w| variant_covers(&v, w, word)) {
        *w = v;
        return Some(());
    }
    let outside = |v: &Variant| -> BTreeSet<Value> { v.outside().into_iter().collect() };
    if of.iter().any(|w| outside(w) != outside(&v)) {
        return None;
    }
    let is_joined = match folding {
        Folding::Never | Folding::Equal => return None,
        Folding::Variants => of.len() >= MOST_VARIANTS,
        Folding::Numbers => true,
    };
    if is_joined
        && let Some((n, joined)) =
            of.iter().enumerate().find_map(|(n, w)| Some((n, join_variants(w, &v, word)?)))
    {
        of[n] = joined;
        return Some(());
    }
    of.push(v);
    (of.len() <= MOST_VARIANTS).then_some(())
}

/// The graphs in which the first or last node of a chain stands alone. The last node of a tree cannot be told.
pub(super) fn unfold(state: &State, id: ObjectId, end: End) -> Option<Vec<State>> {
    let object = state.objects.get(&id).cloned()?;
    let chain = object.chain.as_ref().filter(|c| end == End::First || !c.is_tree())?;
    let next_at = chain.links.target();
    let mut out = Vec::new();
    for variant in &chain.variants {
        if chain.least <= 1 {
            let mut state = state.clone();
            state.objects.remove(&id);
            let node = instance(&mut state, variant, (chain, object.size), chain.tail, chain.head);
            state.redirect(id, |_, offset| Value::Pointer(node, End::First, offset));
            out.push(state);
        }
        let Some(next_at) = next_at else { continue };
        let mut state = state.clone();
        state.objects.remove(&id);
        let least = (chain.least - 1).max(1);
        let rest = state.add(Object::new(Kind::Heap, object.size, false));
        let (node, tail, head) = match end {
            End::First => {
                let next = Value::Pointer(rest, End::First, next_at);
                let node = instance(&mut state, variant, (chain, object.size), next, chain.head);
                let head = match chain.links.prev {
                    Some((_, at)) => Value::Pointer(node, End::First, at),
                    None => Value::Int(0),
                };
                (node, chain.tail, head)
            }
            End::Last => {
                let at = chain.links.prev.map_or(0, |p| p.1);
                let prev = Value::Pointer(rest, End::Last, at);
                let node = instance(&mut state, variant, (chain, object.size), chain.tail, prev);
                (node, Value::Pointer(node, End::First, next_at), chain.head)
            }
        };
        let others = Chain { links: chain.links, least, variants: chain.variants.clone(), tail, head };
        if let Some(object) = state.object(rest) {
            object.chain = Some(Box::new(others));
        }
        state.redirect(id, |which, offset| match which == end {
            true => Value::Pointer(node, End::First, offset),
            false => Value::Pointer(rest, which, offset),
        });
        out.push(state);
    }
    Some(out)
}

/// A new object that looks like a variant of a chain whose nodes have so many bytes, with what it owns.
fn instance(
    state: &mut State,
    variant: &Variant,
    (chain, bytes): (&Chain, i128),
    next: Value,
    prev: Value,
) -> ObjectId {
    let links = &chain.links;
    let base = state.next_object;
    state.next_object += variant.objects.len() as ObjectId;
    let mut trees: Vec<i64> = Vec::new();
    if let Some(node) = variant.objects.first() {
        let is_tree = |(_, c): &(&i64, &Cell)| matches!(c.value, Value::Pointer(SELF, ..));
        trees.extend(node.cells.iter().filter(is_tree).map(|(offset, _)| *offset));
    }
    let symbols: Vec<Value> = variant.symbols.iter().map(|r| state.symbol(*r)).collect();
    for (n, object) in variant.objects.iter().enumerate() {
        let mut object = object.clone();
        object.change(&mut |v| match v {
            Value::Pointer(NEXT, ..) => next,
            Value::Pointer(o, end, offset) if o >= LOCAL => Value::Pointer(base + (o - LOCAL), end, offset),
            Value::Symbol(s) => symbols[s as usize],
            v => v,
        });
        if n == 0 {
            let size = state.word;
            for ((offset, _), value) in
                links.next.zip(Some(next)).into_iter().chain(links.prev.zip(Some(prev)))
            {
                object.cells.insert(offset, Cell { size, value });
            }
        }
        state.objects.insert(base + n as ObjectId, Rc::new(object));
    }
    for offset in trees {
        let head = links.prev.map_or(Value::Int(0), |(_, at)| Value::Pointer(base, End::First, at));
        let tree = Chain { head, ..chain.clone() };
        let object = Object { chain: Some(Box::new(tree)), ..Object::new(Kind::Heap, bytes, false) };
        let value = Value::Pointer(state.add(object), End::First, 0);
        let size = state.word;
        if let Some(node) = state.object(base) {
            node.cells.insert(offset, Cell { size, value });
        }
    }
    base
}
