//! Equality with uninterpreted functions: congruence closure for a CDCL(T) search.
//!
//! The algorithm is the proof-producing congruence closure of Nieuwenhuis and Oliveras ("Fast congruence
//! closure and extensions", 2007): classes are relabelled on a merge (no path compression, so everything can
//! be undone), a signature table finds congruent applications, and a proof forest remembers why nodes were
//! merged. The module knows nothing of terms or of the SAT solver: nodes, function symbols, atoms and reasons
//! are numbers whose meaning belongs to the caller.
//!
//! | file | what it holds |
//! |---|---|
//! | `terms` | the nodes: function symbol, arguments, use lists; they are never removed |
//! | `classes` | the partition of the nodes, with its distinguished values |
//! | `forest` | the proof forest |
//! | `equalities` | pairs of classes: disequalities, and the equality atoms that they decide |
//! | `atoms` | the literals of the caller, and those that are implied |
//! | `closure` | asserting, merging, the main loop |
//! | `backtrack` | levels and the undo trail |
//! | `explain`, `proof` | from the forest to a [`Proof`], and what a proof looks like |
//! | [`check`] | an independent checker of proofs |
//!
//! # Levels
//!
//! Facts (assertions, and what follows from them) belong to the level at which they were asserted and leave
//! with it. *Declarations* (nodes, applications, values, atoms) may come at any level and stay for good. What
//! a late declaration caused (a congruence, a propagation) is undone with its level and found again at the
//! level that remains, see `backtrack`.
//!
//! # Explanations and time
//!
//! An explanation of a propagated literal uses only reasons that were asserted before the propagation, even if
//! it is asked for much later. No time stamps are needed: a merge joins two *trees* of the forest with one edge,
//! so the path between two nodes is unique and does not change from the moment when they become equal until
//! that moment is undone. All edges of the path are at most as young as the equality itself, and the arguments
//! of a congruence edge became equal before the edge was made. A literal that is false remembers at its
//! propagation which disequality (or pair of values) refutes it.

mod atoms;
mod backtrack;
pub mod check;
mod classes;
mod closure;
mod equalities;
mod explain;
mod forest;
mod proof;
mod terms;

#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub use atoms::Implied;
pub use classes::Members;
pub use proof::{
    Apart, ApartWhy, Claim, Conflict, CongruenceId, Edge, Explanation, Link, PathId, Proof, Why,
};

use atoms::Atoms;
use backtrack::{Mark, Undo};
use classes::Classes;
use closure::Fact;
use equalities::{Equalities, Verdict};
use forest::Forest;
use terms::Terms;

/// A constant or an application, made by one [`Euf`] and meaningful only there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node(u32);

impl Node {
    /// The position of the node in order of creation, for side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    fn from_index(index: usize) -> Node {
        Node(small(index))
    }
}

/// A function symbol, chosen by the caller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Func(pub u32);

/// Why a fact was asserted: a literal, a lemma, whatever the caller numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reason(pub u32);

/// A Boolean atom of the caller, to be told when it is implied.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

/// The identity of a distinguished constant: nodes with different values are never equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(pub u64);

impl Value {
    /// The value of [`Euf::TRUE`].
    pub const TRUE: Value = Value(u64::MAX);
    /// The value of [`Euf::FALSE`].
    pub const FALSE: Value = Value(u64::MAX - 1);
}

/// Narrows the length of a table to an index. Tables hold far fewer than 2^32 entries: each takes tens of bytes.
fn small(index: usize) -> u32 {
    debug_assert!(u32::try_from(index).is_ok());
    index as u32
}

/// A function symbol followed by the classes of the arguments.
type Signature = SmallVec<[u32; 4]>;

/// Congruence closure: see the [module documentation](self).
///
/// A node given to a method must come from the same `Euf`.
pub struct Euf {
    terms: Terms,
    classes: Classes,
    forest: Forest,
    /// For each signature that occurs, one application that has it. Keys that mention a class which was merged
    /// into another are never asked for, and are valid again when that merge is undone.
    signatures: FxHashMap<Signature, Node>,
    equalities: Equalities,
    atoms: Atoms,
    /// Facts in order of arrival; those before `head` are in the closure.
    queue: Vec<Fact>,
    head: usize,
    /// Set when a processed fact contradicts the others, with the level at which that was found.
    conflict: Option<(usize, Apart)>,
    /// What to undo, oldest first; empty on level 0, which is never left.
    trail: Vec<Undo>,
    levels: Vec<Mark>,
}

impl Default for Euf {
    fn default() -> Euf {
        Euf::new()
    }
}

impl Euf {
    /// The Boolean constant true.
    pub const TRUE: Node = Node(0);
    /// The Boolean constant false. A predicate `p` that does not hold is asserted as `p = FALSE`.
    pub const FALSE: Node = Node(1);

    /// An empty closure: the two Boolean constants, on level 0.
    pub fn new() -> Euf {
        let mut euf = Euf {
            terms: Terms::default(),
            classes: Classes::default(),
            forest: Forest::default(),
            signatures: FxHashMap::default(),
            equalities: Equalities::default(),
            atoms: Atoms::default(),
            queue: Vec::new(),
            head: 0,
            conflict: None,
            trail: Vec::new(),
            levels: Vec::new(),
        };
        for value in [Value::TRUE, Value::FALSE] {
            let node = euf.new_node();
            euf.mark_value(node, value);
        }
        euf
    }

    /// A new constant.
    pub fn new_node(&mut self) -> Node {
        self.add_node(None, &[])
    }

    /// A new application of `func`. If it is congruent to an existing one, the two are equal at once.
    pub fn new_app(&mut self, func: Func, args: &[Node]) -> Node {
        let app = self.add_node(Some(func), args);
        if let Some(twin) = self.declare_app(app) {
            // A fresh node has neither a value nor disequalities, so the merge is no conflict.
            let clash = self.merge(app, twin, forest::Cause::Congruence);
            debug_assert!(clash.is_none());
        }
        app
    }

    fn add_node(&mut self, func: Option<Func>, args: &[Node]) -> Node {
        self.classes.add();
        self.forest.add();
        self.equalities.add_node();
        self.terms.add(func, args)
    }

    /// Makes `node` a distinguished constant: it never equals a node with another value. Nodes that are given
    /// the same value do not become equal by that: use one node per value.
    ///
    /// Returns false, and does nothing, if the node already has a different value.
    pub fn mark_value(&mut self, node: Node, value: Value) -> bool {
        match self.classes.own_value(node) {
            Some(old) => old == value,
            None => {
                self.classes.set_own_value(node, value);
                self.declare_value(node);
                true
            }
        }
    }

    /// Registers the atom `a = b` for propagation.
    ///
    /// Returns false, and does nothing, if the atom is already registered.
    pub fn new_eq_atom(&mut self, atom: AtomId, a: Node, b: Node) -> bool {
        let equality = self.intern_equality(a, b);
        match self.atoms.add(atom, equality) {
            Some(index) => {
                self.equalities.add_atom(equality, index);
                self.declare_atom(index);
                true
            }
            None => false,
        }
    }

    /// Registers the atom that a Boolean node holds: it is true when `node` equals [`Euf::TRUE`], and false when
    /// it equals [`Euf::FALSE`]. This is the equality atom `node = TRUE`, and it is explained as such.
    ///
    /// Returns false, and does nothing, if the atom is already registered.
    pub fn new_pred_atom(&mut self, atom: AtomId, node: Node) -> bool {
        self.new_eq_atom(atom, node, Euf::TRUE)
    }

    /// The number of nodes, [`Euf::TRUE`] and [`Euf::FALSE`] included.
    pub fn node_count(&self) -> usize {
        self.terms.len()
    }

    /// The function symbol and the arguments of an application; `None` for a constant.
    pub fn app(&self, node: Node) -> Option<(Func, &[Node])> {
        self.terms.func(node).map(|func| (func, self.terms.args(node)))
    }

    /// The value that the node was marked with.
    pub fn value(&self, node: Node) -> Option<Value> {
        self.classes.own_value(node)
    }

    /// A node with a value in the class of `node`, if there is one.
    pub fn value_node(&self, node: Node) -> Option<Node> {
        self.classes.value_node(node)
    }

    /// The representative of the class of `node`.
    pub fn find(&self, node: Node) -> Node {
        self.classes.find(node)
    }

    /// Are the two nodes known to be equal?
    pub fn same(&self, a: Node, b: Node) -> bool {
        self.find(a) == self.find(b)
    }

    /// Are the two nodes known to be different, and by what? Of the two nodes that are apart, the left one is
    /// equal to `a` and the right one to `b`.
    pub fn apart(&self, a: Node, b: Node) -> Option<Apart> {
        match self.verdict(a, b) {
            Verdict::Unequal(apart) => Some(apart),
            Verdict::Equal | Verdict::Open => None,
        }
    }

    /// The nodes of the class of `node`, starting with `node`.
    pub fn members(&self, node: Node) -> Members<'_> {
        self.classes.members(node)
    }

    /// All applications of `func`, in order of creation.
    pub fn apps_of(&self, func: Func) -> &[Node] {
        self.terms.apps_of(func)
    }

    /// The applications of `func` in the class of `node`.
    pub fn class_apps(&self, node: Node, func: Func) -> impl Iterator<Item = Node> {
        self.members(node).filter(move |&member| self.terms.func(member) == Some(func))
    }

    /// The applications with an argument in the class of `node`. An application is repeated if several
    /// different arguments of it are in the class.
    pub fn parents(&self, node: Node) -> impl Iterator<Item = Node> {
        self.members(node).flat_map(|member| self.terms.uses(member).iter().copied())
    }

    /// The [parents](Euf::parents) of the class of `node` that apply `func`.
    pub fn parents_by(&self, node: Node, func: Func) -> impl Iterator<Item = Node> {
        self.parents(node).filter(move |&app| self.terms.func(app) == Some(func))
    }

    /// The literals implied since the last call, in the order in which they were found. Literals that were
    /// asserted are among them, since they are implied too. A literal whose level is left, or which was taken
    /// on a level that is left although it was implied below, is delivered again if it is still implied.
    pub fn take_propagations(&mut self) -> &[Implied] {
        self.atoms.take()
    }
}
