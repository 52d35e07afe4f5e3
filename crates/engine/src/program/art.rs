//! The unwinding of a program: a tree of vertices with labels, and which vertex covers which.
//!
//! **Invariants** (McMillan, *Lazy Abstraction with Interpolants*, section 3), checked in debug builds by
//! [`Unwinding::check_covers`]: a covered vertex and its coverer have the same location; a coverer was made earlier
//! than what it covers; neither the coverer nor an ancestor of it is covered.

use bolide_base::{IdVec, index_type};
use bolide_model::{EdgeId, LocId};
use bolide_term::{Op, Store, Term};

index_type! {
    /// A vertex of the unwinding.
    pub struct Vertex("v");
}

/// A set of conjuncts, ordered by term; empty for `true`.
pub type Label = Vec<Term>;

/// What is known of a vertex.
#[derive(Debug)]
pub struct Node {
    /// Its location.
    pub location: LocId,
    /// The vertex and edge it was made from; none for the root.
    pub parent: Option<(Vertex, EdgeId)>,
    /// Its distance from the root.
    pub depth: u32,
    /// What holds here on every execution along the tree.
    pub label: Label,
    /// The vertex that covers it.
    pub covered_by: Option<Vertex>,
    /// How many of its ancestors, itself included, are covered.
    covered: u32,
    /// The vertices that it covers.
    pub covers: Vec<Vertex>,
    /// The vertices made from it.
    pub children: Vec<Vertex>,
    /// Was it expanded?
    pub expanded: bool,
    /// Leaves below it that wait until it is no longer covered.
    pub suspended: Vec<Vertex>,
    /// Was it cut off the tree?
    pub removed: bool,
}

/// The tree.
#[derive(Debug)]
pub struct Unwinding {
    nodes: IdVec<Vertex, Node>,
    /// For each location its vertices in the order in which they were made.
    by_location: IdVec<LocId, Vec<Vertex>>,
}

impl Unwinding {
    /// A tree that consists of its root.
    pub fn new(locations: usize, entry: LocId) -> Unwinding {
        let by_location = (0..locations).map(|_| Vec::new()).collect();
        let mut tree = Unwinding { nodes: IdVec::new(), by_location };
        tree.add(entry, None);
        tree
    }

    fn add(&mut self, location: LocId, parent: Option<(Vertex, EdgeId)>) -> Vertex {
        let depth = parent.map_or(0, |(p, _)| self.nodes[p].depth + 1);
        let v = self.nodes.push(Node {
            location,
            parent,
            depth,
            label: Label::new(),
            covered_by: None,
            covered: 0,
            covers: Vec::new(),
            children: Vec::new(),
            expanded: false,
            suspended: Vec::new(),
            removed: false,
        });
        self.by_location[location].push(v);
        v
    }

    /// The root.
    pub fn root(&self) -> Vertex {
        Vertex::new(0)
    }

    /// Adds the successor of a vertex along an edge, with what is known to hold at its location.
    pub fn add_child(&mut self, parent: Vertex, edge: EdgeId, location: LocId, known: &[Term]) -> Vertex {
        let child = self.add(location, Some((parent, edge)));
        self.nodes[child].covered = self.nodes[parent].covered;
        self.nodes[child].label.extend_from_slice(known);
        self.nodes[parent].children.push(child);
        child
    }

    /// A vertex.
    pub fn node(&self, v: Vertex) -> &Node {
        &self.nodes[v]
    }

    /// A vertex, to be changed.
    pub fn node_mut(&mut self, v: Vertex) -> &mut Node {
        &mut self.nodes[v]
    }

    /// Number of vertices, with those that were cut off.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of vertices that were not cut off.
    pub fn remaining(&self) -> usize {
        self.by_location.iter().map(Vec::len).sum()
    }

    /// The vertices of a location, oldest first.
    pub fn at(&self, location: LocId) -> &[Vertex] {
        &self.by_location[location]
    }

    /// The vertices from the root to `v`, with the edges between them.
    pub fn path(&self, v: Vertex) -> (Vec<Vertex>, Vec<EdgeId>) {
        self.path_from(self.root(), v)
    }

    /// The vertices from an ancestor to `v`, with the edges between them.
    pub fn path_from(&self, ancestor: Vertex, v: Vertex) -> (Vec<Vertex>, Vec<EdgeId>) {
        let (mut vertices, mut edges) = (vec![v], Vec::new());
        let mut at = v;
        while at != ancestor {
            let Some((parent, edge)) = self.nodes[at].parent else { break };
            vertices.push(parent);
            edges.push(edge);
            at = parent;
        }
        vertices.reverse();
        edges.reverse();
        (vertices, edges)
    }

    /// Is `a` an ancestor of `v`, or `v` itself?
    pub fn is_ancestor(&self, a: Vertex, v: Vertex) -> bool {
        let mut at = v;
        while self.nodes[at].depth > self.nodes[a].depth {
            let Some((parent, _)) = self.nodes[at].parent else { break };
            at = parent;
        }
        at == a
    }

    /// The last vertex that the paths to two vertices share.
    pub fn common_ancestor(&self, a: Vertex, b: Vertex) -> Vertex {
        let (mut a, mut b) = (a, b);
        while a != b {
            let deeper = if self.nodes[a].depth >= self.nodes[b].depth { &mut a } else { &mut b };
            match self.nodes[*deeper].parent {
                Some((parent, _)) => *deeper = parent,
                None => break,
            }
        }
        a
    }

    /// Is the vertex or an ancestor of it covered?
    pub fn is_covered(&self, v: Vertex) -> bool {
        self.nodes[v].covered > 0
    }

    /// The vertices that might cover `v`, the latest first: earlier ones of its location that are reachable as far as
    /// their labels say, and not covered.
    pub fn coverers(&self, store: &Store, v: Vertex) -> impl Iterator<Item = Vertex> {
        let earlier = self.at(self.nodes[v].location);
        let end = earlier.partition_point(|&w| w < v);
        let candidates = earlier[..end].iter().rev().copied();
        candidates.filter(|&w| !self.is_covered(w) && !self.is_unreachable(store, w))
    }

    /// The covered vertex on the way from the root to `v`, if there is one; the nearest to `v`.
    pub fn covering_ancestor(&self, v: Vertex) -> Option<Vertex> {
        if !self.is_covered(v) {
            return None;
        }
        let mut at = v;
        loop {
            if self.nodes[at].covered_by.is_some() {
                return Some(at);
            }
            at = self.nodes[at].parent?.0;
        }
    }

    /// Does the label say that the vertex cannot be reached?
    pub fn is_unreachable(&self, store: &Store, v: Vertex) -> bool {
        self.nodes[v].label.first().is_some_and(|&t| store.op(t) == Op::False)
    }

    /// `w` now covers `v`.
    pub fn cover(&mut self, v: Vertex, w: Vertex) {
        self.nodes[v].covered_by = Some(w);
        self.nodes[w].covers.push(v);
        self.for_subtree(v, |node| node.covered += 1);
    }

    fn for_subtree(&mut self, v: Vertex, change: impl Fn(&mut Node)) {
        let mut below = vec![v];
        while let Some(x) = below.pop() {
            below.extend_from_slice(&self.nodes[x].children);
            change(&mut self.nodes[x]);
        }
    }

    /// Nothing covers `v` any more; the leaves that waited for that.
    pub fn uncover(&mut self, v: Vertex) -> Vec<Vertex> {
        if let Some(w) = self.nodes[v].covered_by.take() {
            self.nodes[w].covers.retain(|&x| x != v);
            self.for_subtree(v, |node| node.covered -= 1);
        }
        let mut waiting = std::mem::take(&mut self.nodes[v].suspended);
        if !self.nodes[v].expanded && !waiting.contains(&v) {
            waiting.push(v);
        }
        waiting
    }

    /// Cuts a vertex off the tree, with everything below it. The vertices of the rest that lost their coverer by that.
    pub fn remove(&mut self, v: Vertex) -> Vec<Vertex> {
        if let Some((parent, _)) = self.nodes[v].parent {
            self.nodes[parent].children.retain(|&c| c != v);
        }
        let (mut below, mut bare) = (vec![v], Vec::new());
        while let Some(x) = below.pop() {
            below.append(&mut self.nodes[x].children);
            self.nodes[x].removed = true;
            self.nodes[x].covered = 0;
            let here = &mut self.by_location[self.nodes[x].location];
            if let Ok(n) = here.binary_search(&x) {
                here.remove(n);
            }
            if let Some(w) = self.nodes[x].covered_by.take() {
                self.nodes[w].covers.retain(|&y| y != x);
            }
            for y in std::mem::take(&mut self.nodes[x].covers) {
                self.nodes[y].covered_by = None;
                self.for_subtree(y, |node| node.covered -= 1);
                bare.push(y);
            }
        }
        bare.retain(|&y| !self.nodes[y].removed);
        bare
    }

    /// Debug check of the invariants of the cover relation.
    pub fn check_covers(&self) -> bool {
        self.nodes.iter_enumerated().all(|(v, n)| {
            n.covered_by.is_none_or(|w| w < v && self.nodes[w].location == n.location && !self.is_covered(w))
                && n.covered
                    == u32::from(n.covered_by.is_some()) + n.parent.map_or(0, |(p, _)| self.nodes[p].covered)
        })
    }
}
