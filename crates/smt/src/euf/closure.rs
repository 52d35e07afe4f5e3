//! Asserting facts, and closing them under congruence.

use std::collections::hash_map::Entry;

use super::backtrack::{Late, Undo};
use super::forest::Cause;
use super::proof::{Apart, ApartWhy, Conflict};
use super::{Euf, Node, Reason, Signature};

/// A fact that waits to be processed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fact {
    Equal(Node, Node, Reason),
    /// Two applications with the same signature.
    Congruent(Node, Node),
    Unequal(Node, Node, Reason),
    /// Two nodes of one class with different values; it can only come from a late value.
    ValueClash(Node, Node),
}

impl Euf {
    /// Asserts `a = b` on the current level, to be processed by [`Euf::propagate`].
    pub fn assert_eq(&mut self, a: Node, b: Node, reason: Reason) {
        self.queue.push(Fact::Equal(a, b, reason));
    }

    /// Asserts that `a` and `b` are different on the current level, to be processed by [`Euf::propagate`].
    pub fn assert_diseq(&mut self, a: Node, b: Node, reason: Reason) {
        self.queue.push(Fact::Unequal(a, b, reason));
    }

    /// Closes the asserted facts under congruence and finds the literals that they imply
    /// (see [`Euf::take_propagations`]).
    ///
    /// After a conflict, it fails with the same conflict until the level of the conflict is left.
    pub fn propagate(&mut self) -> Result<(), Conflict> {
        while self.conflict.is_none() && self.head < self.queue.len() {
            let fact = self.queue[self.head];
            self.head += 1;
            if let Some(clash) = self.process(fact) {
                self.conflict = Some((self.levels.len(), clash));
            }
        }
        if let Some((_, clash)) = self.conflict {
            return Err(self.explain_conflict(clash));
        }
        if self.levels.is_empty() {
            self.queue.clear();
            self.head = 0;
        }
        Ok(())
    }

    /// Takes a fact into the closure, or returns two nodes that are equal and apart.
    fn process(&mut self, fact: Fact) -> Option<Apart> {
        match fact {
            Fact::Equal(a, b, reason) => self.merge(a, b, Cause::Literal(reason)),
            Fact::Congruent(a, b) => self.merge(a, b, Cause::Congruence),
            Fact::ValueClash(left, right) => Some(Apart { left, right, why: ApartWhy::Values }),
            Fact::Unequal(left, right, reason) => {
                let apart = Apart { left, right, why: ApartWhy::Asserted(reason) };
                if self.same(left, right) {
                    return Some(apart);
                }
                self.separate(apart);
                None
            }
        }
    }

    /// Makes two nodes equal. If their classes are known to be apart, only the proof forest learns of the merge,
    /// so that the conflict can be explained, and the classes stay as they are.
    pub(super) fn merge(&mut self, a: Node, b: Node, cause: Cause) -> Option<Apart> {
        if self.same(a, b) {
            return None;
        }
        let (a, b) = if self.classes.yields(a, b) { (a, b) } else { (b, a) };
        let clash = self.apart(a, b);
        self.forest.connect(a, b, cause);
        if clash.is_none() {
            self.union(self.find(a), self.find(b));
        }
        clash
    }

    /// Relabels the class `child` as `parent`, and visits the applications and equalities that this changes.
    fn union(&mut self, child: Node, parent: Node) {
        self.record(Undo::Merged { child, parent });
        self.classes.relabel(child, parent);
        let mut node = child;
        loop {
            self.resign_uses_of(node);
            self.replace_equalities_of(node);
            node = self.classes.successor(node);
            if node == child {
                break;
            }
        }
        self.classes.join(child, parent);
    }

    /// Enters the applications that use `node`, whose label is new, under their new signatures.
    fn resign_uses_of(&mut self, node: Node) {
        for index in 0..self.terms.uses(node).len() {
            let app = self.terms.uses(node)[index];
            if let Some(twin) = self.sign(app) {
                self.queue_congruence(app, twin);
            }
        }
    }

    /// Enters an application in the signature table, unless another one has its signature, which is returned.
    fn sign(&mut self, app: Node) -> Option<Node> {
        match self.signatures.entry(self.signature(app)) {
            Entry::Occupied(entry) => Some(*entry.get()).filter(|&twin| twin != app),
            Entry::Vacant(entry) => {
                entry.insert(app);
                self.record(Undo::Signed(app));
                None
            }
        }
    }

    pub(super) fn signature(&self, app: Node) -> Signature {
        let func = self.terms.func(app).map_or(u32::MAX, |func| func.0);
        let args = self.terms.args(app).iter().map(|&arg| self.find(arg).0);
        std::iter::once(func).chain(args).collect()
    }

    pub(super) fn queue_congruence(&mut self, app: Node, twin: Node) {
        if !self.same(app, twin) {
            self.queue.push(Fact::Congruent(app, twin));
        }
    }

    /// Brings an application that is not in the signature table to its place there, or returns the application
    /// that is there.
    pub(super) fn declare_app(&mut self, app: Node) -> Option<Node> {
        self.record(Undo::Late(Late::App(app)));
        for &arg in self.terms.args(app) {
            self.classes.add_weight(arg);
        }
        self.sign(app)
    }

    /// Tells the class of a node that the node has a value.
    pub(super) fn declare_value(&mut self, node: Node) {
        self.record(Undo::Late(Late::Value(node)));
        let representative = self.find(node);
        match self.classes.value_node(representative) {
            None => {
                self.classes.set_value_node(representative, Some(node));
                self.record(Undo::Valued(representative));
                let mut member = representative;
                loop {
                    self.replace_equalities_of(member);
                    member = self.classes.successor(member);
                    if member == representative {
                        break;
                    }
                }
            }
            Some(other) if self.value(other) != self.value(node) => {
                self.queue.push(Fact::ValueClash(other, node));
            }
            Some(_) => {}
        }
    }

    /// Undoes the declaration of an application.
    pub(super) fn undo_app(&mut self, app: Node) {
        for &arg in self.terms.args(app) {
            self.classes.remove_weight(arg);
        }
    }

    /// Undoes [`Undo::Signed`]: the classes are as they were when the entry was made.
    pub(super) fn undo_signed(&mut self, app: Node) {
        let signature = self.signature(app);
        self.signatures.remove(&signature);
    }
}
