//! Constant arrays over finitely many indices.
//!
//! Two arrays that differ by writes only agree wherever nothing is written. If indices are infinite, there always is
//! such a place, which the element `@default` stands for. If they are finite, the writes may cover all of them; so a
//! place is looked for among the constants, and both arrays are read there. With `n` writes one of the first `n + 1`
//! constants is such a place in every model, so that few are ever tried. Where the writes do cover all indices, not all
//! of them need lie between the two arrays: then a constant array is read everywhere. An uninterpreted sort has as many
//! elements as terms need, perhaps few enough to be all written: there the place is looked for among the terms.

use super::sharing::Look;
use super::{Indices, Request, Theories};
use crate::euf::{Euf, Node};
use bolide_term::UBig;
use rustc_hash::{FxHashMap, FxHashSet};

impl Theories {
    /// Asks for reads of constant arrays that writes connect to others, at an index that no write touches.
    pub(super) fn check_finite_constants(&mut self) {
        if self.arrays.constants.iter().all(|c| c.indices == Indices::Infinite) {
            return;
        }
        let components = self.write_components();
        let component = |class: Node| components.get(&class).copied().unwrap_or(class);
        let mut first_of: FxHashMap<Node, usize> = FxHashMap::default();
        let (mut requests, mut reads, mut covered) = (Vec::new(), Vec::new(), Vec::new());
        for (n, c) in self.arrays.constants.iter().enumerate() {
            let here = component(self.euf.find(c.node));
            let first = *first_of.entry(here).or_insert(n);
            if self.agree(c.element, self.arrays.constants[first].element) {
                continue;
            }
            let writes = self.arrays.writes.iter().filter(|w| component(self.euf.find(w.node)) == here);
            match c.indices {
                Indices::Infinite => {}
                Indices::Words(_) | Indices::Floats(_) => {
                    let written = writes.map(|w| self.index_bits(w.index)).collect();
                    match unused(&written, c.indices) {
                        Some(bits) => requests.push(Request::ReadAt(c.term, bits)),
                        None => covered.push((c.term, written)),
                    }
                }
                Indices::Free(sort) => {
                    let indices: FxHashSet<Node> = writes.map(|w| w.index).collect();
                    let written: FxHashSet<Node> = indices.iter().map(|&n| self.euf.find(n)).collect();
                    let terms = self.arrays.free_terms.get(&sort).into_iter().flatten();
                    let mut free = terms.clone().filter(|(_, n)| !written.contains(&self.euf.find(*n)));
                    match free.next() {
                        Some(&(t, node)) => reads.push((*c, t, node)),
                        // One term of each class will do, and those of the writes do not grow in number.
                        None => {
                            let of_writes = terms.filter(|(_, n)| indices.contains(n));
                            reads.extend(of_writes.map(|&(t, node)| (*c, t, node)));
                        }
                    }
                }
            }
        }
        for (constant, written) in covered {
            if self.arrays.read_everywhere.insert(constant) {
                let mut words: Vec<Vec<bool>> = written.into_iter().collect();
                words.sort_unstable();
                requests.extend(words.into_iter().map(|bits| Request::ReadAt(constant, bits)));
            }
        }
        for (c, index, node) in reads {
            self.ask_read(c.term, c.node, index, node, &mut requests);
        }
        self.requests.append(&mut requests);
    }

    /// Do two elements have the same value?
    fn agree(&self, a: Node, b: Node) -> bool {
        let same_value = || match (self.look(a), self.look(b)) {
            (Look::Number(x), Look::Number(y)) => x == y,
            (Look::Bits(x), Look::Bits(y)) => x == y,
            _ => false,
        };
        self.euf.same(a, b) || same_value()
    }

    /// The value of an index that is a word or a Boolean.
    fn index_bits(&self, index: Node) -> Vec<bool> {
        match self.look(index) {
            Look::Bits(bits) => bits,
            _ => vec![self.euf.same(index, Euf::TRUE)],
        }
    }
}

/// The least word among the indices that is not in a set, lowest bit first.
fn unused(taken: &FxHashSet<Vec<bool>>, indices: Indices) -> Option<Vec<bool>> {
    let (width, format) = match indices {
        Indices::Words(width) => (width, None),
        Indices::Floats(format) => (format.width(), Some(format)),
        Indices::Infinite | Indices::Free(_) => return None,
    };
    // One NaN has bits of its own, the others none.
    let is_index = |n: &usize| format.is_none_or(|f| *n < 2 || f.canonical(UBig::from(*n)) == UBig::from(*n));
    let word = |n: usize| (0..width).map(|i| i < usize::BITS && n >> i & 1 == 1).collect::<Vec<bool>>();
    let fits = |n: &usize| width >= usize::BITS || n >> width == 0;
    let words = (0..).take_while(fits).filter(is_index).take(taken.len() + 1);
    words.map(word).find(|w| !taken.contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_words_are_found_unless_all_are_taken() {
        let mut taken = FxHashSet::default();
        for expected in [[false, false], [true, false], [false, true], [true, true]] {
            assert_eq!(unused(&taken, Indices::Words(2)), Some(expected.to_vec()));
            taken.insert(expected.to_vec());
        }
        assert_eq!(unused(&taken, Indices::Words(2)), None);
    }
}
