//! And-inverter graphs with structural hashing.
//!
//! Nodes are numbered so that every gate comes after its fan-in: whoever walks the nodes in order of their numbers
//! walks them in topological order, without recursion.

use bolide_base::index_type;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::ops::{BitXor, Not};

index_type! {
    /// A node of an [`Aig`]: the constant, a leaf or a gate.
    pub struct Node("n");
}

/// A node or its negation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit(u32);

impl Bit {
    /// The constant false.
    pub const FALSE: Bit = Bit(0);
    /// The constant true.
    pub const TRUE: Bit = Bit(1);

    /// The node, negated or not. The node's number must be below 2^31.
    pub const fn new(node: Node, negated: bool) -> Bit {
        Bit((node.index() as u32) << 1 | negated as u32)
    }

    /// A constant.
    pub const fn constant(value: bool) -> Bit {
        Bit(value as u32)
    }

    /// The node.
    pub const fn node(self) -> Node {
        Node::new((self.0 >> 1) as usize)
    }

    /// The position of the node in tables over nodes.
    pub const fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Is it the negation of its node?
    pub const fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Is it a constant?
    pub const fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// Its node without negation.
    pub const fn positive(self) -> Bit {
        Bit(self.0 & !1)
    }
}

impl Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

impl BitXor<bool> for Bit {
    type Output = Bit;

    /// The bit, negated if `flip` says so.
    fn bitxor(self, flip: bool) -> Bit {
        Bit(self.0 ^ flip as u32)
    }
}

impl From<Node> for Bit {
    fn from(node: Node) -> Bit {
        Bit::new(node, false)
    }
}

impl fmt::Debug for Bit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", if self.is_negated() { "!" } else { "" }, self.node())
    }
}

/// An and-inverter graph. Node 0 is the constant false; equal gates are one node.
#[derive(Clone, Debug)]
pub struct Aig {
    /// The fan-in of gates. The constant and the leaves have `[FALSE, FALSE]`, which no gate has.
    fanins: Vec<[Bit; 2]>,
    gates: FxHashMap<[Bit; 2], Node>,
}

impl Default for Aig {
    fn default() -> Aig {
        Aig::new()
    }
}

impl Aig {
    /// A graph with nothing but the constant.
    pub fn new() -> Aig {
        Aig { fanins: vec![[Bit::FALSE; 2]], gates: FxHashMap::default() }
    }

    /// How many nodes there are, the constant among them.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.fanins.len()
    }

    /// How many gates there are.
    pub fn gate_count(&self) -> usize {
        self.gates.len()
    }

    /// All nodes, fan-in first.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = Node> + use<> {
        (0..self.fanins.len()).map(Node::new)
    }

    /// The fan-in of a gate; `None` for leaves and the constant.
    #[inline]
    pub fn gate(&self, node: Node) -> Option<[Bit; 2]> {
        let fanin = self.fanins[node.index()];
        (fanin[0] != fanin[1]).then_some(fanin)
    }

    /// A new leaf.
    pub fn leaf(&mut self) -> Node {
        let node = Node::new(self.fanins.len());
        self.fanins.push([Bit::FALSE; 2]);
        node
    }

    /// The conjunction, simplified where one look at the fan-in suffices.
    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if let Some(simple) = trivial(a, b) {
            return simple;
        }
        match self.look_below(a, b) {
            Look::Is(simple) => simple,
            Look::Same(a, b) => trivial(a, b).unwrap_or_else(|| self.hash(a, b)),
            Look::Nothing => self.hash(a, b),
        }
    }

    /// Simplifications that look at the fan-in of both: absorption, contradiction and substitution.
    fn look_below(&self, a: Bit, b: Bit) -> Look {
        for (x, y) in [(a, b), (b, a)] {
            let Some([l, r]) = self.gate(y.node()) else { continue };
            match (y.is_negated(), x == l || x == r, x == !l || x == !r) {
                (false, true, _) => return Look::Is(y),
                (false, _, true) => return Look::Is(Bit::FALSE),
                (true, _, true) => return Look::Is(x),
                // x & !(x & z) is x & !z.
                (true, true, _) => return Look::Same(x, if x == l { !r } else { !l }),
                _ => {}
            }
        }
        if let (Some([al, ar]), Some([bl, br])) = (self.gate(a.node()), self.gate(b.node())) {
            let clash = al == !bl || al == !br || ar == !bl || ar == !br;
            match (a.is_negated(), b.is_negated()) {
                (false, false) if clash => return Look::Is(Bit::FALSE),
                // (x & y) & !(!x & z) is x & y.
                (false, true) if clash => return Look::Is(a),
                (true, false) if clash => return Look::Is(b),
                _ => {}
            }
        }
        Look::Nothing
    }

    fn hash(&mut self, a: Bit, b: Bit) -> Bit {
        let key = if a <= b { [a, b] } else { [b, a] };
        let next = Node::new(self.fanins.len());
        let node = *self.gates.entry(key).or_insert(next);
        if node == next {
            self.fanins.push(key);
        }
        Bit::from(node)
    }

    /// The disjunction.
    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    /// The exclusive disjunction.
    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let flip = a.is_negated() ^ b.is_negated();
        let (a, b) = (a.positive(), b.positive());
        let (only_a, only_b) = (self.and(a, !b), self.and(!a, b));
        self.or(only_a, only_b) ^ flip
    }

    /// Equality.
    pub fn iff(&mut self, a: Bit, b: Bit) -> Bit {
        !self.xor(a, b)
    }

    /// `then` if `condition` holds, else `other`.
    pub fn ite(&mut self, condition: Bit, then: Bit, other: Bit) -> Bit {
        if then == other {
            return then;
        }
        if then == !other {
            return self.iff(condition, then);
        }
        let (yes, no) = (self.and(condition, then), self.and(!condition, other));
        self.or(yes, no)
    }

    /// The conjunction of many, as a balanced tree.
    pub fn and_all(&mut self, bits: &[Bit]) -> Bit {
        let mut layer = bits.to_vec();
        while layer.len() > 1 {
            layer =
                layer.chunks(2).map(|pair| self.and(pair[0], *pair.last().unwrap_or(&Bit::TRUE))).collect();
        }
        layer.first().copied().unwrap_or(Bit::TRUE)
    }

    /// The disjunction of many, as a balanced tree.
    pub fn or_all(&mut self, bits: &[Bit]) -> Bit {
        let negated: Vec<Bit> = bits.iter().map(|&bit| !bit).collect();
        !self.and_all(&negated)
    }

    /// The bits whose conjunction the root is, as far down as there are conjunctions.
    pub fn conjuncts(&self, root: Bit) -> Vec<Bit> {
        let mut seen = FxHashSet::default();
        let mut conjuncts = Vec::new();
        let mut open = vec![root];
        while let Some(bit) = open.pop() {
            if !seen.insert(bit) || bit == Bit::TRUE {
                continue;
            }
            match self.gate(bit.node()).filter(|_| !bit.is_negated()) {
                Some(fanin) => open.extend(fanin),
                None => conjuncts.push(bit),
            }
        }
        conjuncts
    }

    /// Marks, in a table over nodes, everything that the roots depend on.
    pub fn cone(&self, roots: impl IntoIterator<Item = Bit>) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut open: Vec<Node> = roots.into_iter().map(Bit::node).collect();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node.index()], true)
                && let Some(fanin) = self.gate(node)
            {
                open.extend(fanin.map(Bit::node));
            }
        }
        seen
    }

    /// How many gates the roots depend on.
    pub fn cone_size(&self, roots: impl IntoIterator<Item = Bit>) -> usize {
        let cone = self.cone(roots);
        self.nodes().filter(|&node| cone[node.index()] && self.gate(node).is_some()).count()
    }
}

/// What a look at the fan-in of a conjunction's parts finds.
enum Look {
    Is(Bit),
    Same(Bit, Bit),
    Nothing,
}

fn trivial(a: Bit, b: Bit) -> Option<Bit> {
    if a == b || a == Bit::TRUE {
        Some(b)
    } else if b == Bit::TRUE {
        Some(a)
    } else if a == !b || a == Bit::FALSE || b == Bit::FALSE {
        Some(Bit::FALSE)
    } else {
        None
    }
}

/// Copies cones of one graph into another, each node once.
#[derive(Clone, Debug)]
pub struct Copier {
    image: Vec<Option<Bit>>,
}

impl Copier {
    /// A copier for a graph of this many nodes: only the constant has an image.
    pub fn new(len: usize) -> Copier {
        let mut image = vec![None; len.max(1)];
        image[0] = Some(Bit::FALSE);
        Copier { image }
    }

    /// Says what a node becomes.
    pub fn set(&mut self, node: Node, image: Bit) {
        if self.image.len() <= node.index() {
            self.image.resize(node.index() + 1, None);
        }
        self.image[node.index()] = Some(image);
    }

    /// What a bit became, if it was set or copied.
    pub fn get(&self, bit: Bit) -> Option<Bit> {
        Some((*self.image.get(bit.index())?)? ^ bit.is_negated())
    }

    /// Copies the cone of `root`. Leaves without an image become what `leaf` makes of them.
    pub fn copy(
        &mut self,
        from: &Aig,
        root: Bit,
        to: &mut Aig,
        mut leaf: impl FnMut(&mut Aig, Node) -> Bit,
    ) -> Bit {
        if self.image.len() < from.len() {
            self.image.resize(from.len(), None);
        }
        let mut open = vec![root.node()];
        while let Some(&node) = open.last() {
            if self.image[node.index()].is_some() {
                open.pop();
                continue;
            }
            let Some([a, b]) = from.gate(node) else {
                self.image[node.index()] = Some(leaf(to, node));
                continue;
            };
            match (self.get(a), self.get(b)) {
                (Some(x), Some(y)) => self.image[node.index()] = Some(to.and(x, y)),
                (x, y) => {
                    open.extend(x.is_none().then_some(a.node()));
                    open.extend(y.is_none().then_some(b.node()));
                }
            }
        }
        self.get(root).unwrap_or(Bit::FALSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small deterministic generator.
    fn next(seed: &mut u64) -> usize {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        (*seed >> 11) as usize
    }

    fn eval(aig: &Aig, leaves: u32, root: Bit) -> bool {
        let mut values = vec![false; aig.len()];
        let mut leaf = 0;
        for node in aig.nodes().skip(1) {
            values[node.index()] = match aig.gate(node) {
                Some(fanin) => fanin.iter().all(|bit| values[bit.index()] ^ bit.is_negated()),
                None => {
                    leaf += 1;
                    leaves >> (leaf - 1) & 1 == 1
                }
            };
        }
        values[root.index()] ^ root.is_negated()
    }

    /// Random gates are compared with truth tables over four leaves.
    #[test]
    fn gates_mean_what_they_say() {
        let mut seed = 7;
        for _ in 0..300 {
            let mut aig = Aig::new();
            let mut bits: Vec<(Bit, u16)> = vec![(Bit::FALSE, 0)];
            for leaf in 0..4 {
                let table = (0..16).filter(|row| row >> leaf & 1 == 1).fold(0u16, |t, row| t | 1 << row);
                bits.push((Bit::from(aig.leaf()), table));
            }
            for _ in 0..40 {
                let mut pick = || {
                    let (bit, table) = bits[next(&mut seed) % bits.len()];
                    if next(&mut seed).is_multiple_of(2) { (bit, table) } else { (!bit, !table) }
                };
                let ((a, ta), (b, tb), (c, tc)) = (pick(), pick(), pick());
                let made = match next(&mut seed) % 5 {
                    0 => (aig.or(a, b), ta | tb),
                    1 => (aig.xor(a, b), ta ^ tb),
                    2 => (aig.ite(a, b, c), ta & tb | !ta & tc),
                    3 => (aig.and_all(&[a, b, c]), ta & tb & tc),
                    _ => (aig.and(a, b), ta & tb),
                };
                bits.push(made);
            }
            let mut copier = Copier::new(aig.len());
            let mut other = Aig::new();
            let leaves: Vec<Node> = (0..4).map(|_| other.leaf()).collect();
            for (bit, table) in bits {
                let copy = copier.copy(&aig, bit, &mut other, |_, leaf| leaves[leaf.index() - 1].into());
                for row in 0..16 {
                    assert_eq!(eval(&aig, row, bit), table >> row & 1 == 1);
                    assert_eq!(eval(&other, row, copy), table >> row & 1 == 1);
                }
            }
            assert!(other.len() <= aig.len());
        }
    }

    #[test]
    fn deep_graphs_are_copied_without_recursion() {
        let mut aig = Aig::new();
        let mut bit = Bit::from(aig.leaf());
        for _ in 0..300_000 {
            let leaf = Bit::from(aig.leaf());
            bit = !aig.and(bit, leaf);
        }
        let mut other = Aig::new();
        let copy = Copier::new(aig.len()).copy(&aig, bit, &mut other, |to, _| to.leaf().into());
        assert_eq!(other.gate_count(), aig.gate_count());
        assert_eq!(other.cone_size([copy]), 300_000);
    }

    #[test]
    fn conjuncts_are_those_of_the_root() {
        let mut aig = Aig::new();
        let [a, b, c, d]: [Bit; 4] = [(); 4].map(|()| aig.leaf().into());
        let either = aig.or(c, d);
        let root = aig.and_all(&[a, !b, either, a]);
        let mut conjuncts = aig.conjuncts(root);
        conjuncts.sort_unstable();
        let mut expected = vec![a, !b, either];
        expected.sort_unstable();
        assert_eq!(conjuncts, expected);
        assert_eq!(aig.conjuncts(Bit::TRUE), []);
        assert_eq!(aig.conjuncts(Bit::FALSE), [Bit::FALSE]);
        assert_eq!(aig.conjuncts(either), [either]);
    }
}
