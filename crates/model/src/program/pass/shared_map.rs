//! Intervals of variables, in trees that share what they have in common.
//!
//! The states at neighbouring locations differ in few variables. With their common parts shared, and shared parts taken for
//! equal without a look at them, copying a state, joining two of them and comparing them costs as much as they differ
//! (Blanchet et al., *A static analyzer for large safety-critical software*, PLDI 2003, section 6.2).

use super::Interval;
use crate::VarId;
use std::rc::Rc;

/// Variables in a leaf, and parts of an inner node.
const LEAF: usize = 4;
const PARTS: usize = 8;

/// Intervals of some variables.
#[derive(Clone, Debug)]
pub(in crate::program) struct SharedMap {
    root: Option<Node>,
    /// How many variables the root may speak of.
    span: usize,
}

/// A part of a map; at least one variable has an interval in it.
#[derive(Clone, Debug)]
enum Node {
    Leaf(Rc<[Option<Interval>; LEAF]>),
    Inner(Rc<[Option<Node>; PARTS]>),
}

impl SharedMap {
    /// The empty map, for so many variables.
    pub fn new(variables: usize) -> SharedMap {
        let mut span = LEAF;
        while span < variables {
            span *= PARTS;
        }
        SharedMap { root: None, span }
    }

    /// The interval of a variable.
    pub fn get(&self, v: VarId) -> Option<Interval> {
        let (mut node, mut span, mut at) = (self.root.as_ref()?, self.span, v.index());
        loop {
            match node {
                Node::Leaf(values) => return values[at],
                Node::Inner(parts) => {
                    span /= PARTS;
                    node = parts[at / span].as_ref()?;
                    at %= span;
                }
            }
        }
    }

    /// Sets or removes the interval of a variable.
    pub fn set(&mut self, v: VarId, value: Option<Interval>) {
        if self.get(v) != value {
            set(&mut self.root, self.span, v.index(), value);
        }
    }

    /// The variables with an interval, in order.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, Interval)> + '_ {
        let mut work: Vec<(&Node, usize, usize)> = self.root.iter().map(|n| (n, self.span, 0)).collect();
        let mut leaf: Vec<(VarId, Interval)> = Vec::new();
        std::iter::from_fn(move || {
            while leaf.is_empty() {
                let (node, span, start) = work.pop()?;
                match node {
                    Node::Leaf(values) => {
                        let present = values.iter().enumerate().rev();
                        leaf.extend(present.filter_map(|(n, i)| Some((VarId::new(start + n), (*i)?))));
                    }
                    Node::Inner(parts) => {
                        let span = span / PARTS;
                        let present = parts.iter().enumerate().rev();
                        work.extend(present.filter_map(|(n, p)| Some((p.as_ref()?, span, start + n * span))));
                    }
                }
            }
            leaf.pop()
        })
    }

    /// Combines two maps variable by variable. What both agree on stays as it is: the function is not asked.
    pub fn merge(
        &self,
        other: &SharedMap,
        combine: &mut impl FnMut(VarId, Option<Interval>, Option<Interval>) -> Option<Interval>,
    ) -> SharedMap {
        debug_assert_eq!(self.span, other.span, "maps of the same program");
        let root = merge(self.root.as_ref(), other.root.as_ref(), self.span, 0, combine);
        SharedMap { root, span: self.span }
    }

    /// Forgets the variables that are not to be kept.
    pub fn retain(&self, mut keep: impl FnMut(VarId) -> bool) -> SharedMap {
        let empty = SharedMap { root: None, span: self.span };
        self.merge(&empty, &mut |v, i, _| i.filter(|_| keep(v)))
    }
}

impl PartialEq for SharedMap {
    fn eq(&self, other: &SharedMap) -> bool {
        equal(self.root.as_ref(), other.root.as_ref())
    }
}

fn set(slot: &mut Option<Node>, span: usize, at: usize, value: Option<Interval>) {
    let is_leaf = span == LEAF;
    let node = slot.get_or_insert_with(|| match is_leaf {
        true => Node::Leaf(Rc::new([None; LEAF])),
        false => Node::Inner(Rc::new([const { None }; PARTS])),
    });
    let is_empty = match node {
        Node::Leaf(values) => {
            let values = Rc::make_mut(values);
            values[at] = value;
            values.iter().all(Option::is_none)
        }
        Node::Inner(parts) => {
            let (parts, span) = (Rc::make_mut(parts), span / PARTS);
            set(&mut parts[at / span], span, at % span, value);
            parts.iter().all(Option::is_none)
        }
    };
    if is_empty {
        *slot = None;
    }
}

/// Are they one and the same?
fn same(a: Option<&Node>, b: Option<&Node>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(Node::Leaf(a)), Some(Node::Leaf(b))) => Rc::ptr_eq(a, b),
        (Some(Node::Inner(a)), Some(Node::Inner(b))) => Rc::ptr_eq(a, b),
        _ => false,
    }
}

fn equal(a: Option<&Node>, b: Option<&Node>) -> bool {
    same(a, b)
        || match (a, b) {
            (Some(Node::Leaf(a)), Some(Node::Leaf(b))) => a == b,
            (Some(Node::Inner(a)), Some(Node::Inner(b))) => {
                a.iter().zip(b.iter()).all(|(a, b)| equal(a.as_ref(), b.as_ref()))
            }
            _ => false,
        }
}

fn merge(
    a: Option<&Node>,
    b: Option<&Node>,
    span: usize,
    start: usize,
    combine: &mut impl FnMut(VarId, Option<Interval>, Option<Interval>) -> Option<Interval>,
) -> Option<Node> {
    if same(a, b) {
        return a.cloned();
    }
    let merged = if span == LEAF {
        let values = |n: Option<&Node>| match n {
            Some(Node::Leaf(values)) => **values,
            _ => [None; LEAF],
        };
        let (x, y) = (values(a), values(b));
        let merged: [Option<Interval>; LEAF] = std::array::from_fn(|n| match x[n] == y[n] {
            true => x[n],
            false => combine(VarId::new(start + n), x[n], y[n]),
        });
        if merged == x {
            return a.cloned();
        }
        if merged == y {
            return b.cloned();
        }
        Node::Leaf(Rc::new(merged))
    } else {
        let part = |n: Option<&Node>, at: usize| -> Option<Node> {
            match n {
                Some(Node::Inner(parts)) => parts[at].clone(),
                _ => None,
            }
        };
        let span = span / PARTS;
        let merged: [Option<Node>; PARTS] = std::array::from_fn(|n| {
            merge(part(a, n).as_ref(), part(b, n).as_ref(), span, start + n * span, combine)
        });
        for side in [a, b] {
            if (0..PARTS).all(|n| same(merged[n].as_ref(), part(side, n).as_ref())) {
                return side.cloned();
            }
        }
        match merged.iter().all(Option::is_none) {
            true => return None,
            false => Node::Inner(Rc::new(merged)),
        }
    };
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A small generator of numbers; the tests need no good ones.
    fn next(seed: &mut u64) -> usize {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as usize
    }

    #[test]
    fn maps_and_their_merges_agree_with_ordinary_ones() {
        let mut seed = 7;
        for variables in [1, 4, 5, 33, 300] {
            let mut maps = vec![(SharedMap::new(variables), BTreeMap::new())];
            for _ in 0..400 {
                let (mut map, mut plain) = maps[next(&mut seed) % maps.len()].clone();
                for _ in 0..1 + next(&mut seed) % 4 {
                    let v = VarId::new(next(&mut seed) % variables);
                    let value = (!next(&mut seed).is_multiple_of(3))
                        .then(|| Interval::point((next(&mut seed) % 3) as i128));
                    map.set(v, value);
                    match value {
                        Some(i) => plain.insert(v, i),
                        None => plain.remove(&v),
                    };
                }
                let (other, other_plain) = &maps[next(&mut seed) % maps.len()];
                assert_eq!(map == *other, plain == *other_plain);
                let joined = map.merge(other, &mut |_, a, b| Some(a?.join(&b?)));
                let joined_plain: BTreeMap<VarId, Interval> =
                    plain.iter().filter_map(|(v, i)| Some((*v, i.join(other_plain.get(v)?)))).collect();
                assert_eq!(joined.iter().collect::<BTreeMap<_, _>>(), joined_plain);
                assert!(joined.iter().map(|e| e.0).is_sorted());
                assert_eq!(map.iter().collect::<BTreeMap<_, _>>(), plain);
                assert!((0..variables).map(VarId::new).all(|v| map.get(v) == plain.get(&v).copied()));
                let odd = map.retain(|v| v.index() % 2 == 1);
                assert!(odd.iter().all(|(v, _)| v.index() % 2 == 1));
                maps.push((map, plain));
            }
        }
    }
}
