//! Boolean structure and atoms.

use super::Maker;
use crate::syntax::{Expr, Ty};

impl Maker {
    /// A formula whose parts are at most so deep.
    pub(super) fn formula(&mut self, depth: usize) -> Expr {
        match self.rng.below(10) {
            0 => {
                let a = self.term(&Ty::Bool, depth);
                Expr::bool("not", vec![a])
            }
            1..=4 => {
                let head = self.word_of(&["and", "or"]);
                let n = 2 + self.rng.below(3);
                let args = (0..n).map(|_| self.term(&Ty::Bool, depth)).collect();
                Expr::bool(head, args)
            }
            5 => {
                let head = self.word_of(&["=>", "xor", "=", "distinct"]);
                let args = vec![self.term(&Ty::Bool, depth), self.term(&Ty::Bool, depth)];
                Expr::bool(head, args)
            }
            _ => self.atom(depth),
        }
    }

    /// An atom of one of the theories.
    pub(super) fn atom(&mut self, depth: usize) -> Expr {
        let depth = depth.min(3);
        match self.any_sort() {
            Ty::Bool => match self.application(&Ty::Bool, depth) {
                Some(t) => t,
                None => self.leaf(&Ty::Bool),
            },
            ty @ (Ty::Int | Ty::Real) => self.comparison(&ty, depth),
            Ty::Bv(w) => self.word_atom(w, depth),
            Ty::Float(e, s) => self.float_atom(e, s, depth),
            Ty::Data(n) if self.rng.one_in(4) => self.tester(n, depth),
            ty => self.equality(&ty, depth),
        }
    }

    /// An equality, or a chain or set of different terms.
    pub(super) fn equality(&mut self, ty: &Ty, depth: usize) -> Expr {
        let distinct = self.rng.one_in(6);
        let n = if self.rng.one_in(8) { 3 } else { 2 };
        let args = (0..n).map(|_| self.term(ty, depth)).collect();
        Expr::bool(if distinct { "distinct" } else { "=" }, args)
    }

    /// A literal: an atom or its negation.
    pub(super) fn literal(&mut self, depth: usize) -> Expr {
        let atom = self.atom(depth);
        if self.rng.one_in(3) { Expr::bool("not", vec![atom]) } else { atom }
    }
}
