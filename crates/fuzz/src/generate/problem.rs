//! Whole problems: formulas, interpolation problems, sequences of queries.

use super::{Maker, Theory};
use crate::syntax::{Action, Expr, Script, Ty};

/// A random formula as a few assertions.
pub fn formula(theory: Theory, seed: u64) -> Script {
    let mut maker = Maker::new(theory, seed);
    maker.declare_symbols();
    let n = 1 + maker.rng.below(7);
    maker.assertions(n);
    maker.finish()
}

/// A partition of an unlikely satisfiable formula: the steps of a path, or random parts, in sequence or as a tree.
pub fn interpolation_problem(theory: Theory, seed: u64) -> Script {
    let mut maker = Maker::new(theory, seed);
    if maker.rng.one_in(2) {
        maker.path();
    } else {
        maker.declare_symbols();
        let n = 3 + maker.rng.below(6);
        maker.assertions(n);
    }
    let parts = maker.script.assertions().count();
    let tree = if maker.rng.one_in(3) { maker.tree(parts) } else { vec![0; parts] };
    maker.script.tree = Some(tree);
    maker.finish()
}

/// Scopes, assertions and queries in random order.
pub fn scripted_queries(theory: Theory, seed: u64) -> Script {
    let mut maker = Maker::new(theory, seed);
    maker.declare_symbols();
    let mut depth = 0;
    for _ in 0..6 + maker.rng.below(20) {
        let action = match maker.rng.below(9) {
            0 | 1 => {
                depth += 1;
                Action::Push
            }
            2 if depth > 0 => {
                depth -= 1;
                Action::Pop
            }
            3..=5 => Action::Assert(maker.assertion()),
            6 => Action::Check(Vec::new()),
            _ => {
                let n = 1 + maker.rng.below(3);
                Action::Check((0..n).map(|_| maker.assumption()).collect())
            }
        };
        maker.script.actions.push(action);
    }
    maker.script.actions.push(Action::Check(Vec::new()));
    maker.finish()
}

impl Maker {
    fn finish(mut self) -> Script {
        self.script.drop_unused();
        self.script
    }

    /// One assertion: literal, clause, or something deep.
    fn assertion(&mut self) -> Expr {
        match self.rng.below(8) {
            0..=2 => {
                let depth = 1 + self.rng.below(3);
                self.literal(depth)
            }
            3 | 4 => {
                let n = 2 + self.rng.below(3);
                Expr::bool("or", (0..n).map(|_| self.literal(1)).collect())
            }
            5 if self.theory.ints => self.parity_trap(),
            _ => {
                let depth = 2 + self.rng.below(3);
                self.term(&Ty::Bool, depth)
            }
        }
    }

    /// A literal that older solvers take as an assumption too.
    fn assumption(&mut self) -> Expr {
        match self.variable(&Ty::Bool) {
            Some(p) if self.rng.one_in(2) => {
                if self.rng.one_in(2) {
                    p
                } else {
                    Expr::bool("not", vec![p])
                }
            }
            _ => self.literal(1),
        }
    }

    fn assertions(&mut self, n: usize) {
        if self.rng.one_in(4)
            && let Some(theorem) = self.refutable()
        {
            self.script.actions.extend(theorem.into_iter().map(Action::Assert));
        }
        for _ in 0..n {
            let a = self.assertion();
            self.script.actions.push(Action::Assert(a));
        }
        // A contradiction at the end would always be the last part; rotate it somewhere.
        let len = self.script.actions.len();
        let by = self.rng.below(len);
        self.script.actions.rotate_left(by);
    }

    /// Three assertions that contradict each other: `x = t`, a formula about `x`, its negation about `t`.
    fn refutable(&mut self) -> Option<[Expr; 3]> {
        let ty = self.any_sort();
        let x = self.variable(&ty)?;
        let t = self.term(&ty, 2);
        let about = self.term(&Ty::Bool, 3);
        let other = about.replace_leaf(x.head(), &t);
        Some([Expr::bool("=", vec![x, t]), about, Expr::bool("not", vec![other])])
    }

    /// A random tree of parts, as the first part of each subtree.
    fn tree(&mut self, parts: usize) -> Vec<usize> {
        let mut first: Vec<usize> = Vec::with_capacity(parts);
        let mut open: Vec<usize> = Vec::new();
        for i in 0..parts {
            let mut start = i;
            while let Some(&root) = open.last()
                && (i + 1 == parts || self.rng.one_in(2))
            {
                start = first[root];
                open.pop();
            }
            first.push(start);
            open.push(i);
        }
        first
    }
}
