//! Explanations: the part of the proof forest that a claim needs, written as a [`Proof`].
//!
//! Pairs of nodes are explained in rounds: the path of a pair is read off the forest, and the arguments of the
//! congruences on it are new pairs. Each pair is explained once and each congruence is expanded once, so there
//! are at most as many pairs as arguments of congruence edges in the forest. Since a congruence edge is younger
//! than every edge that proves its arguments equal, sorting the paths by their youngest edge puts each path
//! behind those that it refers to.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::forest::{Cause, Forest};
use super::proof::{
    Apart, Claim, Conflict, CongruenceId, Edge, Explanation, Link, Path, PathId, Proof, Span, Why,
};
use super::terms::Terms;
use super::{AtomId, Euf, Node, small};

impl Euf {
    /// Why `a` and `b` are equal; `None` if they are not known to be.
    pub fn explain_eq(&mut self, a: Node, b: Node) -> Option<Explanation> {
        self.same(a, b).then(|| self.explain_equal(a, b))
    }

    /// Why `a` and `b` are different; `None` if they are not known to be.
    pub fn explain_diseq(&mut self, a: Node, b: Node) -> Option<Explanation> {
        self.apart(a, b).map(|apart| self.explain_unequal(a, b, apart))
    }

    /// Why the atom has the value with which it was propagated, by reasons that had been asserted before;
    /// `None` if it is not implied.
    pub fn explain(&mut self, atom: AtomId) -> Option<Explanation> {
        let (equality, refuted_by) = self.atoms.cause(atom)?;
        let (a, b) = self.equalities.sides(equality);
        Some(match refuted_by {
            None => self.explain_equal(a, b),
            Some(apart) => self.explain_unequal(a, b, apart),
        })
    }

    fn explain_equal(&mut self, a: Node, b: Node) -> Explanation {
        let (proof, [path]) = self.prove([(a, b)]);
        Explanation { claim: Claim::Equal { a, b, path }, proof }
    }

    fn explain_unequal(&mut self, a: Node, b: Node, apart: Apart) -> Explanation {
        let (proof, [left, right]) = self.prove([(a, apart.left), (b, apart.right)]);
        Explanation { claim: Claim::Unequal { a, b, apart, left, right }, proof }
    }

    pub(super) fn explain_conflict(&mut self, apart: Apart) -> Conflict {
        let (proof, [path]) = self.prove([(apart.left, apart.right)]);
        Conflict { apart, path, proof }
    }

    /// Proves pairs of nodes equal; each pair must be connected in the forest.
    fn prove<const N: usize>(&mut self, pairs: [(Node, Node); N]) -> (Proof, [Link; N]) {
        let mut builder = Builder {
            forest: &mut self.forest,
            terms: &self.terms,
            proof: Proof::default(),
            youngest: Vec::new(),
            paths: FxHashMap::default(),
            congruences: FxHashMap::default(),
        };
        let links = pairs.map(|(a, b)| builder.link(a, b));
        builder.explain_paths();
        builder.finish(links)
    }
}

struct Builder<'a> {
    forest: &'a mut Forest,
    terms: &'a Terms,
    proof: Proof,
    /// The youngest edge of each path that is explained; the other paths are still without edges.
    youngest: Vec<u32>,
    /// The path of each ordered pair of nodes.
    paths: FxHashMap<(Node, Node), PathId>,
    /// The congruence of each edge of the forest that is one.
    congruences: FxHashMap<u32, CongruenceId>,
}

impl Builder<'_> {
    /// The path between two nodes, to be explained later if it is new.
    fn link(&mut self, a: Node, b: Node) -> Link {
        if a == b {
            return None;
        }
        let key = if a < b { (a, b) } else { (b, a) };
        let path = *self.paths.entry(key).or_insert_with(|| {
            let path = PathId(small(self.proof.paths.len()));
            self.proof.paths.push(Path { from: a, to: b, edges: Span { first: 0, end: 0 } });
            path
        });
        Some(path)
    }

    fn explain_paths(&mut self) {
        let mut steps = Vec::new();
        while let Some(&path) = self.proof.paths.get(self.youngest.len()) {
            self.forest.path(path.from, path.to, &mut steps);
            let first = small(self.proof.edges.len());
            let mut from = path.from;
            for &(edge, to) in &steps {
                let why = match self.forest.edge(edge).cause {
                    Cause::Literal(reason) => Why::Literal(reason),
                    Cause::Congruence => Why::Congruence(self.congruence(edge)),
                };
                self.proof.edges.push(Edge { from, to, why });
                from = to;
            }
            let end = small(self.proof.edges.len());
            self.proof.paths[self.youngest.len()].edges = Span { first, end };
            self.youngest.push(steps.iter().map(|&(edge, _)| edge).max().unwrap_or(0));
        }
    }

    /// The congruence of an edge, with links between the arguments of its ends.
    fn congruence(&mut self, edge: u32) -> CongruenceId {
        let id = CongruenceId(small(self.proof.congruences.len()));
        match self.congruences.entry(edge) {
            Entry::Occupied(entry) => return *entry.get(),
            Entry::Vacant(entry) => entry.insert(id),
        };
        let terms = self.terms;
        let ends = self.forest.edge(edge);
        let first = small(self.proof.links.len());
        for (&a, &b) in terms.args(ends.a).iter().zip(terms.args(ends.b)) {
            let link = self.link(a, b);
            self.proof.links.push(link);
        }
        let end = small(self.proof.links.len());
        self.proof.congruences.push(Span { first, end });
        id
    }

    /// Sorts the paths so that they refer only to earlier ones.
    fn finish<const N: usize>(self, goals: [Link; N]) -> (Proof, [Link; N]) {
        let Builder { mut proof, youngest, .. } = self;
        let mut order: Vec<u32> = (0..small(youngest.len())).collect();
        order.sort_by_key(|&path| youngest[path as usize]);
        let mut position = vec![PathId(0); order.len()];
        for (new, &old) in order.iter().enumerate() {
            position[old as usize] = PathId(small(new));
        }
        let moved = |link: Link| link.map(|path| position[path.index()]);
        proof.paths = order.iter().map(|&old| proof.paths[old as usize]).collect();
        for link in &mut proof.links {
            *link = moved(*link);
        }
        (proof, goals.map(moved))
    }
}
