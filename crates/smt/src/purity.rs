//! Which terms belong to one part of a partitioned problem.
//!
//! For interpolation the assertions are parts of a partition. A term is *pure* if some part has all of its
//! symbols; whatever the order of the parts, such a term is never torn apart by a cut between them. The encoder
//! prefers pure terms where it has a choice, and never branches or cuts on a term that is not pure.

use bolide_term::{Func, Op, Store, Term};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A sorted set of parts; `None` stands for all of them.
pub(crate) type Parts = Option<Rc<[u32]>>;

/// The parts in which symbols and terms occur.
#[derive(Debug, Default)]
pub(crate) struct Purity {
    symbols: FxHashMap<Func, Vec<u32>>,
    memo: FxHashMap<Term, Parts>,
}

impl Purity {
    /// Part number `part` consists of this formula; parts come in increasing order.
    pub fn add_part(&mut self, store: &Store, part: u32, formula: Term) {
        for f in store.symbols([formula]) {
            let parts = self.symbols.entry(f).or_default();
            if parts.last() != Some(&part) {
                parts.push(part);
            }
        }
        self.memo.clear();
    }

    /// The parts that have all symbols of a term.
    pub fn parts(&mut self, store: &Store, t: Term) -> Parts {
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if self.memo.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(store.args(top).iter().filter(|a| !self.memo.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let mut common: Parts = match store.op(top) {
                Op::Apply(f) => self.symbols.get(&f).map(|p| p.as_slice().into()),
                _ => None,
            };
            for a in store.args(top) {
                common = intersect(common, &self.memo[a]);
            }
            self.memo.insert(top, common);
            stack.pop();
        }
        self.memo[&t].clone()
    }

    /// Does some part have all symbols of a term?
    pub fn is_pure(&mut self, store: &Store, t: Term) -> bool {
        self.parts(store, t).is_none_or(|p| !p.is_empty())
    }
}

fn intersect(a: Parts, b: &Parts) -> Parts {
    match (a, b) {
        (a, None) => a,
        (None, b) => b.clone(),
        (Some(a), Some(b)) if a == *b => Some(a),
        (Some(a), Some(b)) => Some(a.iter().copied().filter(|p| b.binary_search(p).is_ok()).collect()),
    }
}
