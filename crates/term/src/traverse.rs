//! Walking over terms without recursion.

use crate::{Func, Op, Store, Term};
use rustc_hash::FxHashSet;
use std::cell::RefCell;

/// Visits every subterm of some roots once, arguments before the terms that have them.
pub struct PostOrder<'a> {
    store: &'a Store,
    stack: Vec<(Term, bool)>,
    seen: Marks,
}

impl Iterator for PostOrder<'_> {
    type Item = Term;

    fn next(&mut self) -> Option<Term> {
        while let Some((t, ready)) = self.stack.pop() {
            if ready {
                return Some(t);
            }
            if self.seen.insert(t) {
                bolide_base::spend(1);
                self.stack.push((t, true));
                self.stack.extend(
                    self.store.args(t).iter().rev().filter(|a| !self.seen.contains(**a)).map(|&a| (a, false)),
                );
            }
        }
        None
    }
}

impl Drop for PostOrder<'_> {
    fn drop(&mut self) {
        std::mem::take(&mut self.seen).give_back();
    }
}

thread_local! {
    /// Marks that nobody uses: as many as there were traversals at one time.
    static MARKS: RefCell<Vec<Marks>> = const { RefCell::new(Vec::new()) };
}

/// A set of terms. Most traversals are short and there are very many of them, so they share their memory: a term is in the set if the mark at
/// its place is the one of this traversal.
#[derive(Default)]
struct Marks {
    at: Vec<u32>,
    own: u32,
}

impl Marks {
    /// An empty set.
    fn empty() -> Marks {
        let mut marks = MARKS.with(|free| free.borrow_mut().pop()).unwrap_or_default();
        match marks.own.checked_add(1) {
            Some(own) => marks.own = own,
            None => marks = Marks { at: vec![0; marks.at.len()], own: 1 },
        }
        marks
    }

    fn give_back(self) {
        // At the end of a thread there may be nobody to take them.
        _ = MARKS.try_with(|free| free.borrow_mut().push(self));
    }

    fn contains(&self, t: Term) -> bool {
        self.at.get(t.index()) == Some(&self.own)
    }

    /// Adds a term; was it not there?
    fn insert(&mut self, t: Term) -> bool {
        let place = t.index();
        if place >= self.at.len() {
            self.at.resize((place + 1).next_power_of_two(), 0);
        }
        std::mem::replace(&mut self.at[place], self.own) != self.own
    }
}

impl PostOrder<'_> {
    /// Adds another root; what was visited before is not visited again.
    pub fn push(&mut self, root: Term) {
        self.stack.push((root, false));
    }
}

impl Store {
    /// Every subterm of the roots once, arguments first.
    pub fn post_order(&self, roots: impl IntoIterator<Item = Term>) -> PostOrder<'_> {
        let mut stack: Vec<(Term, bool)> = roots.into_iter().map(|t| (t, false)).collect();
        stack.reverse();
        PostOrder { store: self, stack, seen: Marks::empty() }
    }

    /// The declared symbols that occur in some terms, in order of first occurrence.
    pub fn symbols(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Func> {
        let mut seen = FxHashSet::default();
        let mut out = Vec::new();
        for t in self.post_order(roots) {
            if let Op::Apply(f) = self.op(t)
                && seen.insert(f)
            {
                out.push(f);
            }
        }
        out
    }

    /// Number of distinct subterms.
    pub fn dag_size(&self, roots: impl IntoIterator<Item = Term>) -> usize {
        self.post_order(roots).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sort;

    #[test]
    fn traversals_at_the_same_time_do_not_see_each_other() {
        let mut s = Store::new();
        let (x, y) = (s.var("x", Sort::INT), s.var("y", Sort::INT));
        let sum = s.add(&[x, y]);
        let all = s.le(sum, x);
        let mut outer = s.post_order([all]);
        let mut pairs = 0;
        for t in outer.by_ref() {
            let (first, again) = (s.dag_size([t]), s.dag_size([t, t]));
            assert_eq!(first, again);
            pairs += first;
        }
        let expected: usize = s.post_order([all]).map(|t| s.post_order([t]).count()).sum();
        assert_eq!(pairs, expected);
        outer.push(all);
        assert_eq!(outer.next(), None);
    }
}
