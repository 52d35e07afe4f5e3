//! Colours: to which side of a cut a term belongs.

use crate::Tree;
use bolide_term::{ARRAY_DEFAULT, ARRAY_DIFF, DIV_BY_ZERO, FLOAT_UNSPECIFIED, Func, Op, Store, Term};
use rustc_hash::FxHashMap;

/// The side of a cut on which all symbols of a term are known.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// Some symbol occurs only on the left.
    Left,
    /// Some symbol occurs only on the right.
    Right,
    /// Every symbol occurs on both sides.
    Shared,
    /// Some symbol occurs only on the left and another only on the right.
    Mixed,
}

impl Colour {
    fn join(self, other: Colour) -> Colour {
        match (self, other) {
            (Colour::Shared, c) | (c, Colour::Shared) => c,
            (a, b) if a == b => a,
            _ => Colour::Mixed,
        }
    }
}

/// The parts in which each symbol occurs.
pub(crate) struct Occurrences {
    parts: FxHashMap<Func, Vec<usize>>,
}

impl Occurrences {
    pub fn new(store: &Store, parts: &[(usize, Term)]) -> Occurrences {
        let mut out: FxHashMap<Func, Vec<usize>> = FxHashMap::default();
        let mut sorted: Vec<(usize, Term)> = parts.to_vec();
        sorted.sort_by_key(|&(p, _)| p);
        for (p, t) in sorted {
            for f in store.symbols([t]) {
                let list = out.entry(f).or_default();
                if list.last() != Some(&p) {
                    list.push(p);
                }
            }
        }
        Occurrences { parts: out }
    }

    /// The colour of a symbol; symbols that belong to a theory are shared.
    fn colour(&self, f: Func, (first, last): (usize, usize)) -> Colour {
        let Some(parts) = self.parts.get(&f) else { return Colour::Shared };
        let inside = parts.partition_point(|&p| p < first) < parts.partition_point(|&p| p <= last);
        let outside = parts[0] < first || parts[parts.len() - 1] > last;
        match (inside, outside) {
            (true, true) => Colour::Shared,
            (true, false) => Colour::Left,
            _ => Colour::Right,
        }
    }
}

/// Colours of terms at one cut.
pub(crate) struct Colouring<'a> {
    occurrences: &'a Occurrences,
    range: (usize, usize),
    memo: FxHashMap<Term, Colour>,
}

impl<'a> Colouring<'a> {
    pub fn new(occurrences: &'a Occurrences, tree: &Tree, cut: usize) -> Colouring<'a> {
        Colouring { occurrences, range: tree.subtree(cut), memo: FxHashMap::default() }
    }

    pub fn symbol(&self, f: Func) -> Colour {
        self.occurrences.colour(f, self.range)
    }

    pub fn of(&mut self, store: &Store, t: Term) -> Colour {
        if let Some(&c) = self.memo.get(&t) {
            return c;
        }
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            bolide_base::spend(1);
            if self.memo.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(store.args(top).iter().filter(|a| !self.memo.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let own = match store.op(top) {
                Op::Apply(f) => self.symbol(f),
                _ => Colour::Shared,
            };
            let colour = store.args(top).iter().fold(own, |c, a| c.join(self.memo[a]));
            self.memo.insert(top, colour);
            stack.pop();
        }
        self.memo[&t]
    }

    pub fn part_is_left(&self, part: usize) -> bool {
        self.range.0 <= part && part <= self.range.1
    }
}

/// May a symbol occur in an interpolant although no part has it? Division by zero may, since it can be written, and
/// so may what the theory of floating-point numbers leaves open;
/// the symbols that the array procedure makes up may not.
pub(crate) fn is_expressible(store: &Store, f: Func) -> bool {
    let name = &*store.decl(f).name;
    name != ARRAY_DIFF
        && name != ARRAY_DEFAULT
        && (!name.starts_with('@') || DIV_BY_ZERO.contains(&name) || FLOAT_UNSPECIFIED.contains(&name))
}
