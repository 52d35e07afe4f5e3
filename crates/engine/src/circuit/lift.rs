//! Lifting: from one state that makes some bits true to a cube of states that do, under the same inputs.
//!
//! The bits are justified from the top: a true gate needs both inputs, a false one needs a false input. Which one is
//! taken is decided by an estimate, made on the way up, of how many latches a justification takes.

use super::cube::StateLit;
use bolide_model::circuit::{Aig, Bit, Node};

/// Scratch memory for lifting in one graph, which may grow.
pub struct Lifter {
    /// By node: the latch that it is.
    latch_of: Vec<Option<usize>>,
    value: Vec<bool>,
    cost: Vec<u32>,
    /// By node: the last call in which it was visited, and in which it was needed.
    visited: Vec<u32>,
    needed: Vec<u32>,
    call: u32,
    cone: Vec<Node>,
    open: Vec<Node>,
}

impl Lifter {
    pub fn new(latch_of: Vec<Option<usize>>) -> Lifter {
        Lifter {
            latch_of,
            value: Vec::new(),
            cost: Vec::new(),
            visited: Vec::new(),
            needed: Vec::new(),
            call: 0,
            cone: Vec::new(),
            open: Vec::new(),
        }
    }

    /// For a graph in which these leaves are the latches.
    pub fn of_leaves(latches: &[Bit]) -> Lifter {
        let len = latches.iter().map(|bit| bit.index() + 1).max().unwrap_or(0);
        let mut latch_of = vec![None; len];
        for (number, bit) in latches.iter().enumerate() {
            latch_of[bit.index()] = Some(number);
        }
        Lifter::new(latch_of)
    }

    /// The latch literals that suffice to make all roots true. They must be true under the values of the leaves.
    pub fn lift(&mut self, aig: &Aig, roots: &[Bit], leaf: impl Fn(Node) -> bool) -> Vec<StateLit> {
        self.call += 1;
        self.reserve(aig.len());
        self.collect(aig, roots);
        self.evaluate(aig, leaf);
        debug_assert!(roots.iter().all(|&root| self.of(root)), "lifting from a state that does not fit");
        for root in roots {
            self.needed[root.index()] = self.call;
        }
        self.justify(aig)
    }

    /// The values of the bits under those of the leaves.
    pub fn values(&mut self, aig: &Aig, bits: &[Bit], leaf: impl Fn(Node) -> bool) -> Vec<bool> {
        self.call += 1;
        self.reserve(aig.len());
        self.collect(aig, bits);
        self.evaluate(aig, leaf);
        bits.iter().map(|&bit| self.of(bit)).collect()
    }

    fn reserve(&mut self, len: usize) {
        if self.value.len() < len {
            self.latch_of.resize(len, None);
            self.value.resize(len, false);
            self.cost.resize(len, 0);
            self.visited.resize(len, 0);
            self.needed.resize(len, 0);
        }
    }

    /// Collects the cone of the roots in topological order.
    fn collect(&mut self, aig: &Aig, roots: &[Bit]) {
        self.cone.clear();
        self.open.extend(roots.iter().map(|root| root.node()));
        while let Some(node) = self.open.pop() {
            if std::mem::replace(&mut self.visited[node.index()], self.call) != self.call {
                self.cone.push(node);
                self.open.extend(aig.gate(node).into_iter().flatten().map(Bit::node));
            }
        }
        self.cone.sort_unstable();
    }

    fn of(&self, bit: Bit) -> bool {
        self.value[bit.index()] ^ bit.is_negated()
    }

    fn evaluate(&mut self, aig: &Aig, leaf: impl Fn(Node) -> bool) {
        for &node in &self.cone {
            let at = node.index();
            match aig.gate(node) {
                Some([a, b]) => {
                    let (x, y) = (self.of(a), self.of(b));
                    let (cx, cy) = (self.cost[a.index()], self.cost[b.index()]);
                    self.value[at] = x && y;
                    self.cost[at] = match (x, y) {
                        (true, true) => cx.saturating_add(cy),
                        (true, false) => cy,
                        (false, true) => cx,
                        (false, false) => cx.min(cy),
                    };
                }
                None => {
                    self.value[at] = at > 0 && leaf(node);
                    self.cost[at] = u32::from(self.latch_of[at].is_some());
                }
            }
        }
    }

    /// Walks down from what is needed.
    fn justify(&mut self, aig: &Aig) -> Vec<StateLit> {
        let mut lits = Vec::new();
        for &node in self.cone.iter().rev() {
            let at = node.index();
            if self.needed[at] != self.call {
                continue;
            }
            match aig.gate(node) {
                Some([a, b]) if self.value[at] => {
                    self.needed[a.index()] = self.call;
                    self.needed[b.index()] = self.call;
                }
                Some([a, b]) => {
                    let chosen = match (self.of(a), self.of(b)) {
                        (true, _) => b,
                        (_, true) => a,
                        _ => self.cheaper(a, b),
                    };
                    self.needed[chosen.index()] = self.call;
                }
                None => lits.extend(self.latch_of[at].map(|latch| StateLit::new(latch, self.value[at]))),
            }
        }
        lits
    }

    fn cheaper(&self, a: Bit, b: Bit) -> Bit {
        let cost = |bit: Bit| if self.needed[bit.index()] == self.call { 0 } else { self.cost[bit.index()] };
        if cost(b) < cost(a) { b } else { a }
    }
}
