//! Where the symbols of a path are visible.
//!
//! A path in static single assignment form is not strict: a symbol may occur in parts that are far from each other.
//! Between its first and its last occurrence it counts as visible in every part, as if each of them repeated it. The
//! caller may *keep* a symbol longer: a variable that the rest of a path does not mention may be what an invariant
//! needs. A term, and a fact about terms, is then visible in a *range* of parts: the intersection of the ranges of its
//! symbols.

use bolide_term::{Func, Op, Store, Term};
use rustc_hash::FxHashMap;

/// Parts from the first to the last, both included.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub first: u32,
    pub last: u32,
}

impl Range {
    pub fn new(first: usize, last: usize) -> Range {
        Range { first: first as u32, last: last as u32 }
    }

    /// One part.
    pub fn of(part: u32) -> Range {
        Range { first: part, last: part }
    }

    /// The parts that both have, if any.
    pub fn meet(self, other: Range) -> Option<Range> {
        let (first, last) = (self.first.max(other.first), self.last.min(other.last));
        (first <= last).then_some(Range { first, last })
    }

    pub fn includes(self, other: Range) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    pub fn has(self, part: u32) -> bool {
        self.first <= part && part <= self.last
    }

    /// The part of the range that is nearest to a part.
    pub fn nearest(self, part: u32) -> u32 {
        part.clamp(self.first, self.last)
    }
}

/// The ranges of the symbols of a path, and of the terms asked about.
pub(super) struct Vocabulary {
    everywhere: Range,
    symbols: FxHashMap<Func, Range>,
    terms: FxHashMap<Term, Option<Range>>,
    kept: Vec<(Func, usize)>,
}

impl Vocabulary {
    pub fn new(store: &Store, parts: &[Term], kept: &[(Func, usize)]) -> Vocabulary {
        let mut symbols: FxHashMap<Func, Range> = FxHashMap::default();
        for (n, &p) in parts.iter().enumerate() {
            for f in store.symbols([p]) {
                symbols.entry(f).or_insert(Range::new(n, n)).last = n as u32;
            }
        }
        let everywhere = Range::new(0, parts.len().saturating_sub(1));
        for &(f, until) in kept {
            if let Some(range) = symbols.get_mut(&f) {
                range.last = range.last.max(until as u32).min(everywhere.last);
            }
        }
        Vocabulary { everywhere, symbols, terms: FxHashMap::default(), kept: kept.to_vec() }
    }

    /// The symbols that are kept, with the last part that sees them.
    pub fn kept(&self) -> &[(Func, usize)] {
        &self.kept
    }

    /// Makes a new symbol known that only one part has.
    pub fn declare(&mut self, f: Func, part: usize) {
        self.symbols.insert(f, Range::new(part, part));
    }

    /// Does some symbol of the path have a property?
    pub fn has_symbol(&self, property: impl Fn(Func) -> bool) -> bool {
        self.symbols.keys().any(|&f| property(f))
    }

    /// All parts.
    pub fn everywhere(&self) -> Range {
        self.everywhere
    }

    /// The parts in which a term is visible; none if two of its symbols never meet.
    pub fn range(&mut self, store: &Store, t: Term) -> Option<Range> {
        if let Some(&r) = self.terms.get(&t) {
            return r;
        }
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if self.terms.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(store.args(top).iter().filter(|a| !self.terms.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let own = match store.op(top) {
                Op::Apply(f) => self.symbols.get(&f).copied().unwrap_or(self.everywhere),
                _ => self.everywhere,
            };
            let range = store.args(top).iter().try_fold(own, |r, a| r.meet(self.terms[a]?));
            self.terms.insert(top, range);
            stack.pop();
        }
        self.terms[&t]
    }
}
