//! Gates as clauses (Tseitin), with multiplexers and exclusive disjunctions kept whole.

use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit, Node};
use bolide_sat::{Lit, NoTheory, Solver};

/// Where clauses go.
pub trait Sink {
    /// A new variable.
    fn new_var(&mut self) -> Lit;
    /// Adds a clause.
    fn clause(&mut self, lits: &[Lit]);
}

impl Sink for Solver<NoTheory> {
    fn new_var(&mut self) -> Lit {
        Solver::new_var(self)
    }

    fn clause(&mut self, lits: &[Lit]) {
        self.add_clause(lits);
    }
}

/// The literals of the nodes of a graph that grows, made when they are asked for.
#[derive(Clone, Debug, Default)]
pub struct Clausifier {
    lits: Vec<Option<Lit>>,
}

impl Clausifier {
    /// A clausifier that knows no node.
    pub fn new() -> Clausifier {
        Clausifier::default()
    }

    /// Says which literal a node has. It must not have one yet.
    pub fn set(&mut self, node: Node, lit: Lit) {
        self.reserve(node.index() + 1);
        self.lits[node.index()] = Some(lit);
    }

    fn reserve(&mut self, len: usize) {
        if self.lits.len() < len {
            self.lits.resize(len.next_power_of_two(), None);
        }
    }

    /// The literal of a bit that has one.
    pub fn get(&self, bit: Bit) -> Option<Lit> {
        let lit = (*self.lits.get(bit.index())?)?;
        Some(if bit.is_negated() { !lit } else { lit })
    }

    /// The literal of a bit. Clauses for its cone are added where there are none yet.
    pub fn lit(&mut self, aig: &Aig, bit: Bit, sink: &mut impl Sink) -> Lit {
        // Without a budget nothing interrupts.
        self.lit_within(aig, bit, sink, &Budget::unlimited()).unwrap_or_else(|_| sink.new_var())
    }

    /// The same for a bit whose cone may be large. What has been added before an interrupt stays.
    pub fn lit_within(
        &mut self,
        aig: &Aig,
        bit: Bit,
        sink: &mut impl Sink,
        budget: &Budget,
    ) -> Result<Lit, Interrupt> {
        self.reserve(aig.len());
        let mut open = vec![bit.node()];
        while let Some(node) = open.pop() {
            if self.lits[node.index()].is_some() {
                continue;
            }
            budget.poll()?;
            let shape = Shape::of(aig, node);
            let before = open.len();
            let missing = shape.inputs().iter().filter(|input| self.lits[input.index()].is_none());
            open.extend(missing.map(|input| input.node()));
            if open.len() > before {
                open.insert(before, node);
                continue;
            }
            let out = sink.new_var();
            self.lits[node.index()] = Some(out);
            if node.index() == 0 {
                sink.clause(&[!out]);
            }
            // Every input has its literal by now; `out` cannot be meant.
            shape.clauses(out, |bit| self.get(bit).unwrap_or(out), |clause| sink.clause(clause));
        }
        // The loop ends with the node of the bit.
        Ok(self.get(bit).unwrap_or_else(|| sink.new_var()))
    }
}

/// What a node computes, as far as one look can tell.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The constant or a leaf.
    Leaf,
    /// A conjunction.
    And([Bit; 2]),
    /// The exclusive disjunction of two bits.
    Xor([Bit; 2]),
    /// If the first then the second, else the third.
    Ite([Bit; 3]),
}

impl Shape {
    /// Looks at a node and at the gates below it.
    pub fn of(aig: &Aig, node: Node) -> Shape {
        let Some([a, b]) = aig.gate(node) else { return Shape::Leaf };
        let inner = |bit: Bit| aig.gate(bit.node()).filter(|_| bit.is_negated());
        let (Some([a0, a1]), Some([b0, b1])) = (inner(a), inner(b)) else { return Shape::And([a, b]) };
        // !(c & t) & !(!c & e) is: if c then !t else !e.
        let (c, t, e) = if a0 == !b0 {
            (a0, a1, b1)
        } else if a0 == !b1 {
            (a0, a1, b0)
        } else if a1 == !b0 {
            (a1, a0, b1)
        } else if a1 == !b1 {
            (a1, a0, b0)
        } else {
            return Shape::And([a, b]);
        };
        if t == !e { Shape::Xor([c, t]) } else { Shape::Ite([c, !t, !e]) }
    }

    /// What it is computed from.
    pub fn inputs(&self) -> &[Bit] {
        match self {
            Shape::Leaf => &[],
            Shape::And(bits) | Shape::Xor(bits) => bits,
            Shape::Ite(bits) => bits,
        }
    }

    /// Calls `emit` with the clauses that make `out` the value of the shape.
    pub fn clauses<L: Copy + std::ops::Not<Output = L>>(
        &self,
        out: L,
        lit: impl Fn(Bit) -> L,
        mut emit: impl FnMut(&[L]),
    ) {
        match *self {
            Shape::Leaf => {}
            Shape::And(bits) => {
                let [a, b] = bits.map(lit);
                emit(&[!out, a]);
                emit(&[!out, b]);
                emit(&[out, !a, !b]);
            }
            Shape::Xor(bits) => {
                let [a, b] = bits.map(lit);
                emit(&[!out, a, b]);
                emit(&[!out, !a, !b]);
                emit(&[out, !a, b]);
                emit(&[out, a, !b]);
            }
            Shape::Ite(bits) => {
                let [c, t, e] = bits.map(lit);
                emit(&[!out, !c, t]);
                emit(&[!out, c, e]);
                emit(&[out, !c, !t]);
                emit(&[out, c, !e]);
                // Implied by the others, but they propagate where the condition is open.
                emit(&[!out, t, e]);
                emit(&[out, !t, !e]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Copy, Clone)]
    struct Value(bool);

    impl std::ops::Not for Value {
        type Output = Value;
        fn not(self) -> Value {
            Value(!self.0)
        }
    }

    #[test]
    fn shapes_and_their_clauses() {
        let mut aig = Aig::new();
        let [a, b, c]: [Bit; 3] = [(); 3].map(|()| aig.leaf().into());
        let (xor, ite, and) = (aig.xor(a, b), aig.ite(a, b, c), aig.and(a, !c));
        assert!(matches!(Shape::of(&aig, xor.node()), Shape::Xor(_)));
        assert!(matches!(Shape::of(&aig, ite.node()), Shape::Ite(_)));
        assert!(matches!(Shape::of(&aig, and.node()), Shape::And(_)));
        for row in 0..16 {
            let value = |n: usize| row >> n & 1 == 1;
            let of = |bit: Bit| Value(value(bit.index() - 1) ^ bit.is_negated());
            for bit in [xor, ite, and] {
                let expected = match bit {
                    _ if bit == xor => value(0) ^ value(1),
                    _ if bit == ite => {
                        if value(0) {
                            value(1)
                        } else {
                            value(2)
                        }
                    }
                    _ => value(0) && !value(2),
                };
                let mut holds = true;
                let out = Value(value(3) ^ bit.is_negated());
                Shape::of(&aig, bit.node())
                    .clauses(out, of, |clause| holds &= clause.iter().any(|lit| lit.0));
                assert_eq!(holds, value(3) == expected, "{bit:?} in row {row}");
            }
        }
    }
}
