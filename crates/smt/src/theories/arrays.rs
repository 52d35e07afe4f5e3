//! Arrays by axioms on demand.
//!
//! Every read of an array must agree with the writes that made it. The axioms about reads are instantiated for
//! the indices that matter: those at which an array of the same class, or one a line of writes away, is read (see
//! `leaps`). The procedure ends because no new index ever arises. Completeness for equality of arrays comes from the
//! extensionality axiom, and for constant arrays from the element that an array holds almost everywhere.

use super::{Request, Theories, WriteChain};
use crate::euf::Node;
use crate::purity::Parts;
use bolide_proof::Axiom;
use bolide_sat::Lit;
use bolide_term::{Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many values of an index are tried before an array of one part is read at an index of another.
const CONCRETE_VALUES: u32 = 16;
/// How many values of indices are tried in all.
const ALL_CONCRETE_VALUES: u32 = 24;

fn have_common_part(a: &Parts, b: &Parts) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.iter().any(|p| b.binary_search(p).is_ok()),
        _ => true,
    }
}

/// A write, by its nodes.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Write {
    pub term: Term,
    pub node: Node,
    pub array: Node,
    pub array_term: Term,
    pub index: Node,
    pub index_term: Term,
}

/// A read, by its nodes.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Read {
    pub node: Node,
    pub array: Node,
    pub index: Node,
    pub index_term: Term,
}

/// How many indices an array has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Indices {
    /// More than can be written.
    Infinite,
    /// All words of this width; Booleans are words of one bit.
    Words(u32),
    /// All floating-point numbers of this format.
    Floats(bolide_term::FloatFormat),
    /// As many as the model needs of this uninterpreted sort.
    Free(Sort),
}

/// A constant array, by its nodes.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Constant {
    pub term: Term,
    pub node: Node,
    pub element: Node,
    pub indices: Indices,
}

/// The array terms that the theories know.
#[derive(Default, Debug)]
pub(crate) struct Arrays {
    pub writes: Vec<Write>,
    /// Position in `writes`, by node.
    pub write_of: FxHashMap<Node, usize>,
    /// Choices between arrays.
    pub choices: FxHashSet<Node>,
    pub reads: Vec<Read>,
    /// By node.
    pub node_term: Vec<Term>,
    /// By node, with a partition: was the term made on request? Such a term is never preferred as an index: reads
    /// at reads at reads would follow without end.
    pub derived: Vec<bool>,
    pub constants: Vec<Constant>,
    /// What arrays hold almost everywhere.
    pub defaults: Vec<Node>,
    /// Terms of uninterpreted sorts.
    pub free_terms: FxHashMap<Sort, Vec<(Term, Node)>>,
    /// Equality atoms between arrays.
    pub equalities: Vec<(Lit, Term)>,
    /// Reads that have been asked for.
    asked: FxHashSet<(Term, Term)>,
    /// Leaps over writes that have been asked for.
    pub(super) leapt: FxHashSet<WriteChain>,
    /// How often the value of an index was asked for on behalf of an array.
    concretised: FxHashMap<(Term, Term), u32>,
    all_concretised: u32,
    /// May values of indices be tried at all?
    pub concrete_indices: bool,
    /// Constant arrays that have been read at all of their few indices.
    pub(super) read_everywhere: FxHashSet<Term>,
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
        let lines = self.lines_of_writes();
        for n in 0..self.arrays.writes.len() {
            self.read_through(n, &lines, &read_at, &mut requests);
        }
        for n in 0..self.arrays.constants.len() {
            let Constant { term, node, .. } = self.arrays.constants[n];
            for &(index, at) in read_at.get(&self.euf.find(node)).into_iter().flatten() {
                self.ask_read(term, node, index, at, &mut requests);
            }
        }
        self.requests.append(&mut requests);
    }

    /// Asks for a read of an array at an index, once. With a partition, the read should stay within one part: another
    /// term for the index will do, or its value.
    pub(super) fn ask_read(
        &mut self,
        array: Term,
        array_node: Node,
        index: Term,
        index_node: Node,
        requests: &mut Vec<Request>,
    ) {
        let mut index = index;
        if let Some(parts) = &self.node_parts {
            let home = &parts[array_node.index()];
            let fits = |n: &Node| {
                have_common_part(home, &parts[n.index()])
                    && (*n == index_node || !self.arrays.derived[n.index()])
            };
            match self.euf.members(index_node).find(fits) {
                Some(pure) => index = self.arrays.node_term[pure.index()],
                None => {
                    // An index over several parts, such as a witness, is beyond help.
                    let pure = parts[index_node.index()].as_ref().is_none_or(|p| !p.is_empty());
                    let count = self.arrays.concretised.entry((array, index)).or_insert(0);
                    *count += 1;
                    self.arrays.all_concretised += 1;
                    if pure
                        && self.arrays.concrete_indices
                        && *count <= CONCRETE_VALUES
                        && self.arrays.all_concretised <= ALL_CONCRETE_VALUES
                    {
                        requests.push(Request::Concretise(index));
                        return;
                    }
                }
            }
        }
        if self.arrays.asked.insert((array, index)) {
            requests.push(Request::Read(array, index));
        }
    }

    /// Classes of arrays connected by writes, each with a representative class; a class without writes has none.
    pub fn write_components(&self) -> FxHashMap<Node, Node> {
        let mut parent: FxHashMap<Node, Node> = FxHashMap::default();
        fn root(parent: &FxHashMap<Node, Node>, mut n: Node) -> Node {
            while let Some(&p) = parent.get(&n) {
                n = p;
            }
            n
        }
        for w in &self.arrays.writes {
            let (a, b) = (self.euf.find(w.node), self.euf.find(w.array));
            let (a, b) = (root(&parent, a), root(&parent, b));
            if a != b {
                parent.insert(a.max(b), a.min(b));
            }
        }
        let keys: Vec<Node> = parent.keys().copied().collect();
        keys.into_iter().map(|n| (n, root(&parent, n))).collect()
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
