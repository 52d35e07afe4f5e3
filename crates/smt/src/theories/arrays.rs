//! Arrays by axioms on demand.
//!
//! Every read of an array must agree with the writes that made it. The axioms about reads are instantiated for
//! the indices that matter: those at which an array of the same class, or one a write away, is read. The
//! procedure ends because no new index ever arises. Completeness for equality of arrays comes from the
//! extensionality axiom, and for constant arrays from the element that an array holds almost everywhere.

use super::{Request, Theories};
use crate::euf::Node;
use bolide_proof::Axiom;
use bolide_sat::Lit;
use bolide_term::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// A write, by its nodes.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Write {
    pub term: Term,
    pub node: Node,
    pub array: Node,
    pub index: Node,
}

/// A read, by its nodes.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Read {
    pub node: Node,
    pub array: Node,
    pub index: Node,
    pub index_term: Term,
}

/// The array terms that the theories know.
#[derive(Default, Debug)]
pub(crate) struct Arrays {
    pub writes: Vec<Write>,
    pub reads: Vec<Read>,
    /// Constant arrays.
    pub constants: Vec<(Term, Node)>,
    /// Equality atoms between arrays.
    pub equalities: Vec<(Lit, Term)>,
    /// Reads that have been asked for.
    asked: FxHashSet<(Term, Term)>,
    /// Equalities whose witness has been asked for.
    separated: FxHashSet<Term>,
}

impl Theories {
    /// Asks for the axioms that the current classes need.
    pub(super) fn check_arrays(&mut self) {
        if self.arrays.writes.is_empty()
            && self.arrays.constants.is_empty()
            && self.arrays.equalities.is_empty()
        {
            return;
        }
        let mut requests = Vec::new();
        for n in 0..self.arrays.equalities.len() {
            let (lit, atom) = self.arrays.equalities[n];
            if self.value(lit) == Some(false) && self.arrays.separated.insert(atom) {
                requests.push(Request::Axiom(Axiom::Extensionality(atom)));
            }
        }
        let read_at = self.indices_by_class();
        for n in 0..self.arrays.writes.len() {
            let w = self.arrays.writes[n];
            let written = read_at.get(&self.euf.find(w.node));
            let before = read_at.get(&self.euf.find(w.array));
            for &(index, node) in written.into_iter().chain(before).flatten() {
                if !self.euf.same(node, w.index) && self.arrays.asked.insert((w.term, index)) {
                    requests.push(Request::Read(w.term, index));
                }
            }
        }
        for n in 0..self.arrays.constants.len() {
            let (term, node) = self.arrays.constants[n];
            for &(index, _) in read_at.get(&self.euf.find(node)).into_iter().flatten() {
                if self.arrays.asked.insert((term, index)) {
                    requests.push(Request::Read(term, index));
                }
            }
        }
        self.requests.append(&mut requests);
    }

    /// For each class of arrays the indices at which one of its members is read, one per class of indices.
    fn indices_by_class(&self) -> FxHashMap<Node, Vec<(Term, Node)>> {
        let mut seen = FxHashSet::default();
        let mut out: FxHashMap<Node, Vec<(Term, Node)>> = FxHashMap::default();
        for read in &self.arrays.reads {
            let class = self.euf.find(read.array);
            if seen.insert((class, self.euf.find(read.index))) {
                out.entry(class).or_default().push((read.index_term, read.index));
            }
        }
        out
    }
}
