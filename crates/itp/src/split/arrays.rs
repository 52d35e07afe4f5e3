//! Arrays under the paper's usage restriction: a written array replaces the old one.
//!
//! Reads are functions of array and index, so congruence applies to them. What remains are the two axioms: a write read
//! at its own index gives the written value, and at another index what the old array gives. The second is
//! instantiated for indices that occur in some read or write only, which is complete where old arrays are dead after
//! a write. It is a disjunction: where no part knows whether the indices are equal, that question is handed back as a
//! case split.

use super::congruence::{Comparison, at_most};
use super::nodes::{Claim, Node, Offset};
use super::prover::{Prover, Why};
use bolide_base::Rational;
use bolide_term::{Op, Store};

impl Prover {
    /// The first axiom for all writes, and constant arrays at all indices.
    pub(super) fn read_writes(&mut self, store: &mut Store) {
        for s in self.applications(Op::Store).to_vec() {
            self.read_write(store, s);
        }
        let constants = self.applications(Op::ConstArray).to_vec();
        for k in constants {
            for index in self.indices(store, k) {
                let Some(value) = self.nodes.argument(k, 0).cloned() else { continue };
                if let Some(read) = self.read(store, k, &index) {
                    let range = self.nodes.data(read.node).range;
                    self.add_equality(&read, &value, range, &Why::Read(read.node));
                }
            }
        }
    }

    /// The first axiom for one write.
    pub(super) fn read_write(&mut self, store: &mut Store, s: Node) {
        let (Some(index), Some(value)) =
            (self.nodes.argument(s, 1).cloned(), self.nodes.argument(s, 2).cloned())
        else {
            return;
        };
        if let Some(read) = self.read(store, s, &index) {
            let range = self.nodes.data(s).range;
            self.add_equality(&read, &value, range, &Why::Read(read.node));
        }
    }

    /// The node of an array read at an index.
    fn read(&mut self, store: &mut Store, array: Node, index: &Offset) -> Option<Offset> {
        let i = self.nodes.offset_term(store, index);
        let term = store.raw_select(self.nodes.data(array).term, i);
        let node = self.nodes.node(store, term)?;
        self.join(store, node);
        Some(Offset { node, plus: Rational::ZERO })
    }

    /// The indices at which arrays of the same sort are read or written where this array is visible.
    fn indices(&self, store: &Store, array: Node) -> Vec<Offset> {
        let data = self.nodes.data(array);
        let mut out: Vec<Offset> = Vec::new();
        for op in [Op::Select, Op::Store] {
            for &r in self.applications(op) {
                let (Some(a), Some(i)) = (self.nodes.argument(r, 0), self.nodes.argument(r, 1)) else {
                    continue;
                };
                let same_sort = store.sort_of(self.nodes.data(a.node).term) == data.sort;
                let visible = self.nodes.data(i.node).range.meet(data.range).is_some();
                if same_sort && visible && !out.contains(i) {
                    out.push(i.clone());
                }
            }
        }
        out
    }

    /// The second axiom for all writes and indices that are known to differ. Returns pairs of which it is not known.
    pub(super) fn read_past_writes(&mut self, store: &mut Store) -> Vec<(Claim, u32)> {
        let mut open = Vec::new();
        for s in self.applications(Op::Store).to_vec() {
            let (Some(old), Some(written)) =
                (self.nodes.argument(s, 0).cloned(), self.nodes.argument(s, 1).cloned())
            else {
                continue;
            };
            let range = self.nodes.data(s).range;
            for index in self.indices(store, s) {
                let Some(within) = self.nodes.data(index.node).range.meet(range) else { continue };
                match self.compare(&index, &written, within) {
                    Comparison::Equal => {}
                    Comparison::Apart(fact, known) => {
                        let (new, old) = (self.read(store, s, &index), self.read(store, old.node, &index));
                        if let (Some(new), Some(old)) = (new, old) {
                            self.add_equality(&new, &old, known, &Why::ReadPast(new.node, fact));
                        }
                    }
                    Comparison::Unknown => {
                        let claim = if self.nodes.is_arith(index.node) {
                            at_most(&index, &written)
                        } else {
                            Claim::Equal(index.node, written.node)
                        };
                        open.push((claim, within.first));
                    }
                }
            }
        }
        open
    }
}
