//! Trees: a node whose branches are null or trees that nothing else leads to is a tree.
//!
//! A tree is a chain without a link whose node looks like one of a few variants, which own trees ([`SELF`]) where their branches are
//! not null. A cell may lead from each node back to the one above it.

use super::chain::{Folding, Reference, Slot, add_variant, combined, ends, owned, references, variant};
use super::graph::{Cell, Chain, End, Kind, Links, Object, ObjectId, SELF, State, Value, Variant};
use crate::c::hir::Unit;
use crate::c::types::{RecordId, Type};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Records with more pointers to their like are not looked at.
const MOST_POINTERS: usize = 4;

/// Which objects are nodes of trees. This decides only what is tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Branches {
    /// The bytes of a node.
    pub size: i128,
    /// The cells of the branches.
    pub cells: Vec<i64>,
    /// The cell that leads back to the node above.
    pub parent: Option<i64>,
}

impl Branches {
    pub fn links(&self) -> Links {
        Links { next: None, prev: self.parent.map(|p| (p, 0)), is_path: false }
    }
}

/// The branches that records of a program may have: members that lead to records of the same type.
pub(super) fn candidates(unit: &Unit) -> Vec<Branches> {
    let mut out = Vec::new();
    let used = used_records(unit);
    let records = unit.types.records.iter_enumerated();
    for (id, record) in records.filter(|(id, r)| !r.is_union && used.contains(id)) {
        let is_own = |ty| unit.types.pointee(ty).is_some_and(|t| *unit.types.get(t) == Type::Record(id));
        let fields = record.fields.iter().flatten().filter(|f| is_own(f.ty));
        let cells: Vec<i64> = fields.map(|f| f.offset as i64).collect();
        if cells.len() < 2 || cells.len() > MOST_POINTERS {
            continue;
        }
        let size = i128::from(record.size);
        out.push(Branches { size, cells: cells.clone(), parent: None });
        for &parent in cells.iter().rev().filter(|_| cells.len() > 2) {
            let others = cells.iter().copied().filter(|c| *c != parent).collect();
            out.push(Branches { size, cells: others, parent: Some(parent) });
        }
    }
    out
}

/// The records that expressions of a program have or lead to; headers declare many others.
pub(super) fn used_records(unit: &Unit) -> BTreeSet<RecordId> {
    let record = |ty| match unit.types.get(ty) {
        Type::Record(id) => Some(*id),
        _ => None,
    };
    unit.exprs.iter().filter_map(|e| record(unit.types.pointee(e.ty).unwrap_or(e.ty))).collect()
}

/// Makes a node with its branches one tree.
pub(super) fn grow(state: &mut State, branches: &Branches, folding: Folding) -> bool {
    let is_node =
        |o: &Object| o.kind == Kind::Heap && o.is_exact && o.size == branches.size && o.chain.is_none();
    let nodes: Vec<ObjectId> = state.objects.iter().filter(|(_, o)| is_node(o)).map(|(id, _)| *id).collect();
    for node in nodes {
        if let Some(grown) = planted(state, node, branches, folding) {
            *state = grown;
            return true;
        }
    }
    false
}

/// The graph in which a node is a tree.
fn planted(state: &State, node: ObjectId, branches: &Branches, folding: Folding) -> Option<State> {
    let (links, word) = (branches.links(), state.word);
    let refs = references(state);
    // What is known about a node is not given up where a variable leads to it that is not the only way there.
    let is_variable = |r: &Reference| matches!(state.objects[&r.holder].kind, Kind::Variable(_));
    if folding == Folding::Variants
        && refs.get(&node).is_some_and(|refs| refs.len() > 1 && refs.iter().any(is_variable))
    {
        return None;
    }
    let mut rest = state.clone();
    let mut below: Vec<(i64, Option<Chain>)> = Vec::new();
    for &offset in &branches.cells {
        let object = &state.objects[&node];
        let cell = object.cells.get(&offset).filter(|c| c.size == word).map(|c| state.resolved(c.value));
        let tree = match cell.or_else(|| object.part(offset, word))? {
            Value::Int(0) => None,
            Value::Pointer(child, End::First, 0) if child != node => {
                let chain = state.objects.get(&child).filter(|o| o.size == object.size)?.chain.as_deref()?;
                let is_below = match links.prev {
                    Some((_, at)) => chain.head == Value::Pointer(node, End::First, at),
                    None => true,
                };
                let only = refs.get(&child)?;
                let is_only = only.len() == 1 && only[0].holder == node && only[0].slot == Slot::Cell(offset);
                if chain.links != links || !is_below || !is_only {
                    return None;
                }
                rest.objects.remove(&child)?;
                Some(chain.clone())
            }
            _ => return None,
        };
        rest.object(node)?.cells.insert(offset, Cell { size: word, value: Value::Int(0) });
        below.push((offset, tree));
    }
    let (_, head) = ends(&mut rest, node, &links);
    let own = owned(&rest, &references(&rest), node, &links)?;
    let mut made = variant(&rest, node, &own, &links, Value::Int(0))?;
    let mut variants: Vec<Variant> = Vec::new();
    for (offset, tree) in below {
        let Some(tree) = tree else { continue };
        let value = Value::Pointer(SELF, End::First, 0);
        made.objects.first_mut()?.cells.insert(offset, Cell { size: word, value });
        variants = combined(variants, tree.variants, folding, word)?;
    }
    add_variant(&mut variants, made, folding, word)?;
    let is_inside = |v: &Value| matches!(v, Value::Pointer(o, ..) if *o == node || own.contains(o));
    if variants.iter().any(|v| v.outside().iter().any(is_inside)) {
        return None;
    }
    own.iter().for_each(|o| _ = rest.objects.remove(o));
    let chain = Chain { links, least: 1, variants, tail: Value::Int(0), head };
    let object = Object { chain: Some(Box::new(chain)), ..Object::new(Kind::Heap, branches.size, false) };
    rest.objects.insert(node, Rc::new(object));
    Some(rest)
}
