//! What an explanation looks like: paths of equalities, fit for checking and for interpolation.
//!
//! A [`Proof`] is a table of paths. A path proves that its two ends are equal: each edge of it is an asserted
//! equality or a congruence, and a congruence refers to the paths that prove its arguments equal. A path refers
//! only to earlier paths, and no pair of nodes has two paths, so a proof is read front to back, without
//! recursion, and its size is bounded by (pairs needed) x (length of a path). Equality is symmetric: a path is
//! used in both directions.

use super::{Node, Reason};

/// A path of a [`Proof`]. Paths are ordered: one refers only to smaller ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PathId(pub(super) u32);

impl PathId {
    /// The position of the path in its proof.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A congruence of a [`Proof`]; several paths may use the same one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CongruenceId(pub(super) u32);

impl CongruenceId {
    /// The position of the congruence in its proof.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A proof that two nodes are equal: a path between them, or nothing if they are the same node.
pub type Link = Option<PathId>;

/// Why the ends of an edge are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It was asserted.
    Literal(Reason),
    /// They apply one function to equal arguments, see [`Proof::arguments`].
    Congruence(CongruenceId),
}

/// One step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where the step starts.
    pub from: Node,
    /// Where it leads.
    pub to: Node,
    /// Why the two are equal.
    pub why: Why,
}

impl Edge {
    /// The same step in the other direction.
    pub fn reversed(self) -> Edge {
        Edge { from: self.to, to: self.from, why: self.why }
    }
}

/// A table `entries[first..end]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) first: u32,
    pub(super) end: u32,
}

impl Span {
    fn of<T>(self, entries: &[T]) -> &[T] {
        &entries[self.first as usize..self.end as usize]
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Path {
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) edges: Span,
}

/// Paths of equalities; see the description of the fields of [`Claim`] and [`Conflict`] for what they prove.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    pub(super) paths: Vec<Path>,
    pub(super) edges: Vec<Edge>,
    /// For each congruence its part of `links`.
    pub(super) congruences: Vec<Span>,
    pub(super) links: Vec<Link>,
}

impl Proof {
    /// All paths in order: each refers only to those before it.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = PathId> + use<> {
        (0..super::small(self.paths.len())).map(PathId)
    }

    /// The number of different congruences in the proof.
    pub fn congruence_count(&self) -> usize {
        self.congruences.len()
    }

    /// The two nodes that the path proves equal.
    pub fn ends(&self, path: PathId) -> (Node, Node) {
        let path = self.paths[path.index()];
        (path.from, path.to)
    }

    /// The steps of the path, from its first end to its second.
    pub fn edges(&self, path: PathId) -> &[Edge] {
        self.paths[path.index()].edges.of(&self.edges)
    }

    /// The steps of a link when walked from `start`, which must be one of its ends.
    pub fn walk(&self, link: Link, start: Node) -> impl Iterator<Item = Edge> {
        let (edges, forwards) = match link {
            None => (&[][..], true),
            Some(path) => (self.edges(path), self.ends(path).0 == start),
        };
        let count = edges.len();
        (0..count).map(move |i| if forwards { edges[i] } else { edges[count - 1 - i].reversed() })
    }

    /// For each argument position of a congruence, why the two arguments are equal.
    pub fn arguments(&self, congruence: CongruenceId) -> &[Link] {
        self.congruences[congruence.index()].of(&self.links)
    }

    /// The reasons of all asserted equalities in the proof, sorted, each once.
    pub fn reasons(&self) -> Vec<Reason> {
        self.reasons_and(None)
    }

    fn reasons_and(&self, apart: Option<Apart>) -> Vec<Reason> {
        let literals = self.edges.iter().filter_map(|edge| match edge.why {
            Why::Literal(reason) => Some(reason),
            Why::Congruence(_) => None,
        });
        let mut reasons: Vec<Reason> = literals.chain(apart.and_then(Apart::reason)).collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }
}

/// Why two nodes are different.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ApartWhy {
    /// It was asserted.
    Asserted(Reason),
    /// The nodes have different values.
    Values,
}

/// Two nodes that are different.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Apart {
    /// One node.
    pub left: Node,
    /// The other.
    pub right: Node,
    /// Why they differ.
    pub why: ApartWhy,
}

impl Apart {
    pub(super) fn flipped(self) -> Apart {
        Apart { left: self.right, right: self.left, why: self.why }
    }

    /// The reason of the asserted disequality; `None` for values, which need none.
    pub fn reason(self) -> Option<Reason> {
        match self.why {
            ApartWhy::Asserted(reason) => Some(reason),
            ApartWhy::Values => None,
        }
    }
}

/// What an [`Explanation`] explains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// `a = b`, by `path`.
    Equal {
        /// The left side.
        a: Node,
        /// The right side.
        b: Node,
        /// Why they are equal.
        path: Link,
    },
    /// `a` and `b` differ, since `a` equals the left and `b` the right of two nodes that are apart.
    Unequal {
        /// The left side.
        a: Node,
        /// The right side.
        b: Node,
        /// Two nodes that differ.
        apart: Apart,
        /// Why `a` equals `apart.left`.
        left: Link,
        /// Why `b` equals `apart.right`.
        right: Link,
    },
}

/// Why a literal holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The literal, and the paths that prove it.
    pub claim: Claim,
    /// The table of the paths.
    pub proof: Proof,
}

impl Explanation {
    /// The reasons from which the literal follows, sorted, each once.
    pub fn reasons(&self) -> Vec<Reason> {
        match self.claim {
            Claim::Equal { .. } => self.proof.reasons(),
            Claim::Unequal { apart, .. } => self.proof.reasons_and(Some(apart)),
        }
    }
}

/// Why the asserted facts contradict each other: two nodes are equal and apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The two nodes, and why they are different.
    pub apart: Apart,
    /// Why they are equal.
    pub path: Link,
    /// The table of the paths.
    pub proof: Proof,
}

impl Conflict {
    /// The reasons that contradict each other, sorted, each once.
    pub fn reasons(&self) -> Vec<Reason> {
        self.proof.reasons_and(Some(self.apart))
    }
}
