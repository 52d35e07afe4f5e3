//! The partition of the nodes: each node carries the label of its class, and a class is a circular list.
//!
//! A merge relabels one of the two classes. It relabels the lighter one, where the weight of a class counts its
//! members and what has to be visited with them, so a node is relabelled at most log(n) times; except that a
//! class without a value always goes into the one with a value, which happens to a node at most once. Hence a
//! class that keeps its label never gains a value by a merge.

use super::{Node, Value};

#[derive(Default)]
pub(super) struct Classes {
    /// The representative of each node.
    label: Vec<Node>,
    /// The next node of the same class, in a circle.
    next: Vec<Node>,
    /// Valid for representatives: the work that relabelling the class takes.
    weight: Vec<u32>,
    /// Valid for representatives: a node of the class that has a value.
    value_node: Vec<Option<Node>>,
    /// The value that a node itself was marked with.
    own_value: Vec<Option<Value>>,
}

impl Classes {
    pub(super) fn add(&mut self) {
        let node = Node::from_index(self.label.len());
        self.label.push(node);
        self.next.push(node);
        self.weight.push(1);
        self.value_node.push(None);
        self.own_value.push(None);
    }

    pub(super) fn find(&self, node: Node) -> Node {
        self.label[node.index()]
    }

    pub(super) fn members(&self, node: Node) -> Members<'_> {
        Members { next: &self.next, first: node, current: Some(node) }
    }

    pub(super) fn own_value(&self, node: Node) -> Option<Value> {
        self.own_value[node.index()]
    }

    pub(super) fn set_own_value(&mut self, node: Node, value: Value) {
        self.own_value[node.index()] = Some(value);
    }

    /// A node with a value in the class of `node`.
    pub(super) fn value_node(&self, node: Node) -> Option<Node> {
        self.value_node[self.find(node).index()]
    }

    pub(super) fn set_value_node(&mut self, representative: Node, node: Option<Node>) {
        self.value_node[representative.index()] = node;
    }

    /// Two nodes with different values, the first from the class of `a` and the second from that of `b`.
    pub(super) fn different_values(&self, a: Node, b: Node) -> Option<(Node, Node)> {
        let (left, right) = (self.value_node(a)?, self.value_node(b)?);
        (self.own_value(left) != self.own_value(right)).then_some((left, right))
    }

    #[cfg(test)]
    pub(super) fn weight(&self, representative: Node) -> u32 {
        self.weight[representative.index()]
    }

    pub(super) fn add_weight(&mut self, node: Node) {
        self.weight[self.label[node.index()].index()] += 1;
    }

    pub(super) fn remove_weight(&mut self, node: Node) {
        self.weight[self.label[node.index()].index()] -= 1;
    }

    /// Should the class of `a` be relabelled when it is merged with that of `b`?
    pub(super) fn yields(&self, a: Node, b: Node) -> bool {
        match (self.value_node(a), self.value_node(b)) {
            (None, Some(_)) => true,
            (Some(_), None) => false,
            _ => self.weight[self.find(a).index()] <= self.weight[self.find(b).index()],
        }
    }

    /// Relabels the class of the representative `child` without joining the circles.
    pub(super) fn relabel(&mut self, child: Node, label: Node) {
        let mut node = child;
        loop {
            self.label[node.index()] = label;
            node = self.next[node.index()];
            if node == child {
                return;
            }
        }
    }

    /// Joins the circle of `child`, already relabelled, with the one of its new representative.
    pub(super) fn join(&mut self, child: Node, parent: Node) {
        self.next.swap(child.index(), parent.index());
        self.weight[parent.index()] += self.weight[child.index()];
    }

    /// Undoes the youngest relabelling and joining of two classes.
    pub(super) fn split(&mut self, child: Node, parent: Node) {
        self.next.swap(child.index(), parent.index());
        self.weight[parent.index()] -= self.weight[child.index()];
        self.relabel(child, child);
    }

    pub(super) fn successor(&self, node: Node) -> Node {
        self.next[node.index()]
    }
}

/// The nodes of one class; see [`Euf::members`](super::Euf::members).
#[derive(Clone)]
pub struct Members<'a> {
    next: &'a [Node],
    first: Node,
    current: Option<Node>,
}

impl Iterator for Members<'_> {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        let node = self.current?;
        let successor = self.next[node.index()];
        self.current = (successor != self.first).then_some(successor);
        Some(node)
    }
}
