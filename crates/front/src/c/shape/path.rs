//! Paths: the nodes from the root of a tree down to a place in it, each with the trees that hang from it beside the path.
//!
//! A path is a chain whose nodes do not all go on by the same cell: in each variant one cell leads to the next node ([`NEXT`]), and the
//! other branches are null or trees that the node owns. Where the place is no longer of interest the path and the tree below it
//! become one tree again.

use super::chain::{Folding, Reference, Slot, add_variant, combined, ends, owned, references, variant};
use super::graph::{
    Cell, Chain, End, Kind, LOCAL, Links, NEXT, Object, ObjectId, SELF, State, Value, Variant,
};
use super::tree::Branches;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A single object as a path of one node that goes on by one of its cells: its variant, what comes next and what came before, and what
/// it owns.
pub(super) fn as_path(
    state: &mut State,
    node: ObjectId,
    links: &Links,
    step: i64,
) -> Option<(Variant, Value, Value, BTreeSet<ObjectId>)> {
    let size = state.word;
    let links = Links { next: Some((step, 0)), is_path: false, ..*links };
    if i128::from(step) + i128::from(size) > state.objects[&node].size {
        return None;
    }
    let (next, prev) = ends(state, node, &links);
    let own = owned(state, &references(state), node, &links)?;
    let mut made = variant(state, node, &own, &links, next)?;
    let value = Value::Pointer(NEXT, End::First, 0);
    made.objects.first_mut()?.cells.insert(step, Cell { size, value });
    (made.step() == Some(step)).then_some((made, next, prev, own))
}

/// Makes two nodes or paths, one below the other, one path.
pub(super) fn lengthen(state: &mut State, branches: &Branches, folding: Folding) -> bool {
    let refs = references(state);
    let nodes: Vec<ObjectId> =
        state.objects.iter().filter(|(_, o)| is_part(o, branches)).map(|(id, _)| *id).collect();
    for &below in &nodes {
        // Only one pointer leads to the first node of what is below.
        let mut firsts = refs.get(&below).into_iter().flatten().filter(|r| r.end == End::First);
        let is_down = |r: &&Reference| match r.slot {
            Slot::Cell(offset) => branches.cells.contains(&offset),
            Slot::Tail => true,
            Slot::Head | Slot::Inside => false,
        };
        let from = firsts.find(is_down).filter(|r| r.offset == 0 && r.holder != below);
        let Some(from) = from.filter(|r| nodes.contains(&r.holder)) else { continue };
        let Some(above) = stretched(state, from.holder, from.slot, branches) else { continue };
        for slot in steps(&above, below, branches) {
            let both = stretched(&above, below, slot, branches);
            if let Some(joined) = both.and_then(|s| joined(&s, from.holder, below, folding)) {
                *state = joined;
                return true;
            }
        }
    }
    false
}

/// A node of a tree, or a path.
fn is_part(object: &Object, branches: &Branches) -> bool {
    let is_path = |c: &Chain| c.links == Links { is_path: true, ..branches.links() };
    object.kind == Kind::Heap
        && object.is_exact
        && object.size == branches.size
        && object.chain.as_deref().is_none_or(is_path)
}

/// Where a node or a path may go on.
fn steps(state: &State, id: ObjectId, branches: &Branches) -> Vec<Slot> {
    let Some(object) = state.objects.get(&id) else { return Vec::new() };
    if object.chain.is_some() {
        return vec![Slot::Tail];
    }
    let leads = |o: &&i64| matches!(object.cells.get(o), Some(Cell { value: Value::Pointer(..), .. }));
    branches.cells.iter().filter(leads).map(|o| Slot::Cell(*o)).collect()
}

/// The graph in which a node that goes on by some cell is a path of one node. A path is one already.
fn stretched(state: &State, id: ObjectId, slot: Slot, branches: &Branches) -> Option<State> {
    let mut state = state.clone();
    let Slot::Cell(step) = slot else { return (slot == Slot::Tail).then_some(state) };
    let links = Links { is_path: true, ..branches.links() };
    let (made, tail, head, own) = as_path(&mut state, id, &links, step)?;
    let Value::Pointer(below, End::First, 0) = tail else { return None };
    // What is beside the path belongs to its nodes.
    let node = made.objects.first()?;
    let leads_away = |o: &i64| matches!(node.cells.get(o), Some(Cell { value: Value::Pointer(to, ..), .. }) if *to < LOCAL);
    if branches.cells.iter().any(|o| *o != step && leads_away(o)) {
        return None;
    }
    own.iter().for_each(|o| _ = state.objects.remove(o));
    let chain = Chain { links, least: 1, variants: vec![made], tail, head };
    let path = Object { chain: Some(Box::new(chain)), ..Object::new(Kind::Heap, branches.size, false) };
    state.objects.insert(id, Rc::new(path));
    // The node below knows the last node of the path, which is the first one.
    if let Some((cell, at)) = links.prev {
        let last = |v: &mut Value| {
            if *v == Value::Pointer(id, End::First, at) {
                *v = Value::Pointer(id, End::Last, at);
            }
        };
        let object = state.object(below)?;
        match &mut object.chain {
            Some(chain) => last(&mut chain.head),
            None => _ = object.cells.get_mut(&cell).map(|c| last(&mut c.value)),
        }
    }
    Some(state)
}

/// The graph with two paths as one, where nothing else leads to the first node of the second one.
fn joined(state: &State, above: ObjectId, below: ObjectId, folding: Folding) -> Option<State> {
    let (first, second) = (state.objects.get(&above)?, state.objects.get(&below)?);
    let (a, b) = (first.chain.as_deref()?, second.chain.as_deref()?);
    if a.links != b.links || a.tail != Value::Pointer(below, End::First, 0) || above == below {
        return None;
    }
    let up = a.links.prev.map(|(_, at)| Value::Pointer(above, End::Last, at));
    if up.is_some_and(|up| b.head != up) {
        return None;
    }
    let refs = references(state);
    let is_link = |r: &Reference| (r.holder, r.slot) == (above, Slot::Tail);
    let is_up = |r: &Reference| (r.holder, r.slot) == (below, Slot::Head) && up.is_some();
    let is_last = |r: &Reference| r.end == End::Last && r.slot != Slot::Inside;
    let leads_to = |id| refs.get(&id).into_iter().flatten();
    if !leads_to(below).all(|r| is_link(r) || is_last(r) && up.is_some())
        || !leads_to(above).all(|r| r.end == End::First && r.slot != Slot::Inside || is_up(r))
    {
        return None;
    }
    let variants = combined(a.variants.clone(), b.variants.clone(), folding, state.word)?;
    let least = (a.least + b.least).min(2);
    let chain = Chain { links: a.links, least, variants, tail: b.tail, head: a.head };
    let path = Object { chain: Some(Box::new(chain)), ..Object::new(Kind::Heap, first.size, false) };
    let mut state = state.clone();
    state.objects.remove(&below);
    state.objects.insert(above, Rc::new(path));
    state.redirect(below, |_, offset| Value::Pointer(above, End::Last, offset));
    Some(state)
}

/// Makes a path and the tree that it leads to, or null, one tree.
pub(super) fn close(state: &mut State, branches: &Branches, folding: Folding) -> bool {
    let paths = state.objects.iter().filter(|(_, o)| is_part(o, branches) && o.chain.is_some());
    let paths: Vec<ObjectId> = paths.map(|(id, _)| *id).collect();
    let closed = paths.into_iter().find_map(|id| closed(state, id, branches, folding));
    let is_closed = closed.is_some();
    if let Some(closed) = closed {
        *state = closed;
    }
    is_closed
}

fn closed(state: &State, id: ObjectId, branches: &Branches, folding: Folding) -> Option<State> {
    let object = state.objects.get(&id)?;
    let path = object.chain.as_deref()?;
    let (links, word) = (branches.links(), state.word);
    let mut rest = state.clone();
    let mut variants: Vec<Variant> = Vec::new();
    let refs = references(state);
    let is_null = match path.tail {
        Value::Int(0) => true,
        Value::Pointer(below, End::First, 0) if below != id => {
            let tree = state.objects.get(&below).filter(|o| o.size == object.size)?;
            let tree = tree.chain.as_deref().filter(|c| c.links == links)?;
            let up = links.prev.map(|(_, at)| Value::Pointer(id, End::Last, at));
            let only = refs.get(&below)?;
            let is_only = only.len() == 1 && (only[0].holder, only[0].slot) == (id, Slot::Tail);
            if !is_only || up.is_some_and(|up| tree.head != up) {
                return None;
            }
            variants = tree.variants.clone();
            rest.objects.remove(&below);
            false
        }
        _ => return None,
    };
    // Only the tree below leads to the last node, and no node of a chain to the first one.
    let is_up = |r: &Reference| r.slot == Slot::Head && path.tail == Value::Pointer(r.holder, End::First, 0);
    let is_known = |r: &Reference| r.slot != Slot::Inside && (r.end == End::First || is_up(r));
    if !refs.get(&id).into_iter().flatten().all(is_known) {
        return None;
    }
    for v in &path.variants {
        let (node, beside) = rooted(v, &links)?;
        for tree in beside {
            variants = combined(variants, tree, folding, word)?;
        }
        let step = v.step()?;
        let ends = [Value::Pointer(SELF, End::First, 0), Value::Int(0)];
        for value in ends.into_iter().take(if is_null { 2 } else { 1 }) {
            let mut node = node.clone();
            node.objects.first_mut()?.cells.insert(step, Cell { size: word, value });
            add_variant(&mut variants, node, folding, word)?;
        }
    }
    let chain = Chain { links, least: 1, variants, tail: Value::Int(0), head: path.head };
    let tree = Object { chain: Some(Box::new(chain)), ..Object::new(Kind::Heap, object.size, false) };
    rest.objects.insert(id, Rc::new(tree));
    Some(rest)
}

/// A variant of a path as one of a tree, but for where it goes on, and the variants of the trees that it owned beside the path.
fn rooted(v: &Variant, links: &Links) -> Option<(Variant, Vec<Vec<Variant>>)> {
    let step = v.step()?;
    let root = v.objects.first()?;
    let is_tree = |o: &Object| o.size == root.size && o.chain.as_ref().is_some_and(|c| c.links == *links);
    let mut trees = BTreeSet::new();
    let mut node = v.clone();
    let mut beside = Vec::new();
    for (&offset, cell) in root.cells.iter().filter(|(o, _)| **o != step) {
        let Value::Pointer(o, end, at) = cell.value else { continue };
        let Some(owned) = o.checked_sub(LOCAL).and_then(|n| v.objects.get(n as usize)) else { continue };
        if !is_tree(owned) {
            continue;
        }
        let tree = owned.chain.as_deref()?;
        let up = links.prev.map(|(_, at)| Value::Pointer(LOCAL, End::First, at));
        if (end, at) != (End::First, 0) || up.is_some_and(|up| tree.head != up) || !trees.insert(o) {
            return None;
        }
        beside.push(tree.variants.clone());
        node.objects.first_mut()?.cells.get_mut(&offset)?.value = Value::Pointer(SELF, End::First, 0);
    }
    // The trees go, and nothing else leads to them.
    let kept: Vec<ObjectId> =
        (0..v.objects.len() as ObjectId).map(|n| LOCAL + n).filter(|o| !trees.contains(o)).collect();
    let mut is_known = true;
    let mut objects = Vec::new();
    for o in &kept {
        let mut object = node.objects[(*o - LOCAL) as usize].clone();
        object.change(&mut |v| match v {
            Value::Pointer(o, end, offset) if o >= LOCAL => match kept.iter().position(|k| *k == o) {
                Some(n) => Value::Pointer(LOCAL + n as ObjectId, end, offset),
                None => {
                    is_known = false;
                    v
                }
            },
            v => v,
        });
        objects.push(object);
    }
    is_known.then_some((Variant { objects, symbols: v.symbols.clone() }, beside))
}
