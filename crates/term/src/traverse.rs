//! Walking over terms without recursion.

use crate::{Func, Op, Store, Term};
use rustc_hash::FxHashSet;

/// Visits every subterm of some roots once, arguments before the terms that have them.
pub struct PostOrder<'a> {
    store: &'a Store,
    stack: Vec<(Term, bool)>,
    seen: FxHashSet<Term>,
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
                    self.store.args(t).iter().rev().filter(|a| !self.seen.contains(a)).map(|&a| (a, false)),
                );
            }
        }
        None
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
        PostOrder { store: self, stack, seen: FxHashSet::default() }
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
