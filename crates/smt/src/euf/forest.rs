//! The proof forest: one tree per class, one edge per merge.
//!
//! An edge joins two trees, so paths are unique. To add an edge, the tree of the lighter class is turned round
//! so that it hangs from the node of the new edge. Removing the youngest edge needs no turning back.

use super::{Node, Reason, small};

/// Why two nodes were merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    Literal(Reason),
    /// The nodes apply the same function to arguments that are pairwise equal by older edges.
    Congruence,
}

#[derive(Clone, Copy)]
pub(super) struct ForestEdge {
    pub(super) a: Node,
    pub(super) b: Node,
    pub(super) cause: Cause,
}

impl ForestEdge {
    fn other(&self, node: Node) -> Node {
        if node == self.a { self.b } else { self.a }
    }
}

const NO_EDGE: u32 = u32::MAX;

/// Who has been at a node during the search for a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Nobody,
    FromStart,
    FromEnd,
}

#[derive(Default)]
pub(super) struct Forest {
    /// Oldest first, so that an index is also an age.
    edges: Vec<ForestEdge>,
    /// The edge from each node towards the root of its tree.
    up: Vec<u32>,
    /// All `Nobody` between two searches.
    visits: Vec<Visit>,
}

impl Forest {
    pub(super) fn add(&mut self) {
        self.up.push(NO_EDGE);
        self.visits.push(Visit::Nobody);
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn edge(&self, index: u32) -> ForestEdge {
        self.edges[index as usize]
    }

    /// Hangs the tree of `node` from `other`, which is in another tree.
    pub(super) fn connect(&mut self, node: Node, other: Node, cause: Cause) {
        self.make_root(node);
        self.up[node.index()] = small(self.edges.len());
        self.edges.push(ForestEdge { a: node, b: other, cause });
    }

    fn make_root(&mut self, node: Node) {
        let mut node = node;
        let mut below = NO_EDGE;
        loop {
            let above = std::mem::replace(&mut self.up[node.index()], below);
            if above == NO_EDGE {
                return;
            }
            node = self.edge(above).other(node);
            below = above;
        }
    }

    /// Removes the youngest edges.
    pub(super) fn truncate(&mut self, edge_count: usize) {
        while self.edges.len() > edge_count
            && let Some(edge) = self.edges.pop()
        {
            let index = small(self.edges.len());
            for end in [edge.a, edge.b] {
                if self.up[end.index()] == index {
                    self.up[end.index()] = NO_EDGE;
                }
            }
        }
    }

    fn parent(&self, node: Node) -> Option<Node> {
        match self.up[node.index()] {
            NO_EDGE => None,
            edge => Some(self.edge(edge).other(node)),
        }
    }

    /// Writes the edges from `start` to `end` to `path`, each as its index and the node that it leads to.
    /// The two nodes must be in one tree.
    ///
    /// Climbs from both ends in turn until one meets the trace of the other, so the cost is that of the path
    /// and not of the tree.
    pub(super) fn path(&mut self, start: Node, end: Node, path: &mut Vec<(u32, Node)>) {
        path.clear();
        let meeting = self.meeting_point(start, end);
        let mut node = start;
        while node != meeting {
            let edge = self.up[node.index()];
            node = self.edge(edge).other(node);
            path.push((edge, node));
        }
        let downwards = path.len();
        let mut node = end;
        while node != meeting {
            let edge = self.up[node.index()];
            path.push((edge, node));
            node = self.edge(edge).other(node);
        }
        path[downwards..].reverse();
    }

    /// The node where the ways from `start` and `end` to the root meet first.
    fn meeting_point(&mut self, start: Node, end: Node) -> Node {
        let (mut from_start, mut from_end) = (Some(start), Some(end));
        let meeting = loop {
            if let Some(node) = from_start {
                if self.visits[node.index()] == Visit::FromEnd {
                    break node;
                }
                self.visits[node.index()] = Visit::FromStart;
                from_start = self.parent(node);
            }
            if let Some(node) = from_end {
                if self.visits[node.index()] == Visit::FromStart {
                    break node;
                }
                self.visits[node.index()] = Visit::FromEnd;
                from_end = self.parent(node);
            }
            debug_assert!(from_start.is_some() || from_end.is_some(), "the nodes are in different trees");
        };
        self.forget_visits(start);
        self.forget_visits(end);
        meeting
    }

    fn forget_visits(&mut self, from: Node) {
        let mut node = Some(from);
        while let Some(at) = node
            && self.visits[at.index()] != Visit::Nobody
        {
            self.visits[at.index()] = Visit::Nobody;
            node = self.parent(at);
        }
    }
}
