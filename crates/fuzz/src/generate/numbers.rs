//! Linear terms and comparisons over integers and reals.

use super::Maker;
use crate::syntax::{Expr, Ty};

/// Bounds of machine integers and their like.
const LARGE: &[&str] =
    &["255", "256", "32768", "2147483647", "2147483648", "4294967296", "9223372036854775807"];

/// A numeral that the reader takes also when it is negative.
fn signed(ty: Ty, magnitude: &str, negative: bool) -> Expr {
    if negative {
        Expr::new(ty.clone(), "-", vec![Expr::leaf(ty, magnitude)])
    } else {
        Expr::leaf(ty, magnitude)
    }
}

impl Maker {
    fn numeral(&mut self) -> String {
        if self.small || !self.rng.one_in(3) {
            return self.rng.below(6).to_string();
        }
        match self.rng.below(12) {
            0 => "100000000000000000000000000000".into(),
            1 => self.word_of(LARGE).into(),
            _ => self.rng.below(1000).to_string(),
        }
    }

    pub(super) fn integer(&mut self) -> Expr {
        let magnitude = self.numeral();
        let negative = self.rng.one_in(3);
        signed(Ty::Int, &magnitude, negative)
    }

    pub(super) fn real(&mut self) -> Expr {
        let negative = self.rng.one_in(3);
        match self.rng.below(4) {
            0 => {
                let decimal = format!("{}.{}", self.rng.below(5), self.word_of(&["5", "25", "1", "333"]));
                signed(Ty::Real, &decimal, negative)
            }
            1 => {
                let (n, d) = (self.rng.below(9), 2 + self.rng.below(6));
                let top = signed(Ty::Real, &format!("{n}.0"), negative);
                Expr::new(Ty::Real, "/", vec![top, Expr::leaf(Ty::Real, format!("{d}.0"))])
            }
            _ => {
                let magnitude = self.numeral();
                signed(Ty::Real, &format!("{magnitude}.0"), negative)
            }
        }
    }

    /// A sum of a few multiples.
    fn sum(&mut self, ty: &Ty, depth: usize) -> Expr {
        let n = 2 + self.rng.below(2);
        let args = (0..n).map(|_| self.term(ty, depth)).collect();
        let head = if self.rng.one_in(3) { "-" } else { "+" };
        Expr::new(ty.clone(), head, args)
    }

    fn multiple(&mut self, ty: &Ty, depth: usize) -> Expr {
        let factor = match ty {
            _ if self.theory.products && !self.rng.one_in(3) => self.term(ty, depth),
            Ty::Int => self.integer(),
            _ => self.real(),
        };
        let t = self.term(ty, depth);
        let args = if self.rng.one_in(4) { vec![t, factor] } else { vec![factor, t] };
        Expr::new(ty.clone(), "*", args)
    }

    pub(super) fn integer_term(&mut self, depth: usize) -> Expr {
        let ty = Ty::Int;
        match self.rng.below(14) {
            0..=4 => self.sum(&ty, depth),
            5..=7 => self.multiple(&ty, depth),
            8 => {
                let t = self.term(&ty, depth);
                let head = self.word_of(&["-", "abs"]);
                Expr::new(ty, head, vec![t])
            }
            9 | 10 => {
                let t = self.term(&ty, depth);
                let divisor =
                    if self.rng.one_in(30) { "0".into() } else { (1 + self.rng.below(7)).to_string() };
                let negative = self.rng.one_in(5);
                let head = self.word_of(&["div", "mod"]);
                let divisor = match self.theory.products && self.rng.one_in(2) {
                    true => self.term(&ty, depth),
                    false => signed(Ty::Int, &divisor, negative),
                };
                Expr::new(ty, head, vec![t, divisor])
            }
            11 if self.theory.reals => {
                let t = self.term(&Ty::Real, depth);
                Expr::new(ty, "to_int", vec![t])
            }
            12 if self.theory.words => match self.word_sort() {
                Some(w) => {
                    let t = self.term(&Ty::Bv(w), depth);
                    let head = self.word_of(&["ubv_to_int", "sbv_to_int", "ubv_to_int"]);
                    Expr::new(ty, head, vec![t])
                }
                None => self.leaf(&ty),
            },
            _ => self.leaf(&ty),
        }
    }

    pub(super) fn real_term(&mut self, depth: usize) -> Expr {
        let ty = Ty::Real;
        match self.rng.below(12) {
            0..=4 => self.sum(&ty, depth),
            5..=7 => self.multiple(&ty, depth),
            8 => {
                let t = self.term(&ty, depth);
                Expr::new(ty, "-", vec![t])
            }
            9 => {
                let t = self.term(&ty, depth);
                let divisor = format!("{}.0", 1 + self.rng.below(6));
                Expr::new(ty, "/", vec![t, Expr::leaf(Ty::Real, divisor)])
            }
            10 if self.theory.ints => {
                let t = self.term(&Ty::Int, depth);
                Expr::new(ty, "to_real", vec![t])
            }
            _ => self.leaf(&ty),
        }
    }

    pub(super) fn comparison(&mut self, ty: &Ty, depth: usize) -> Expr {
        if *ty == Ty::Real && self.theory.ints && self.rng.one_in(6) {
            let t = self.term(ty, depth);
            return Expr::bool("is_int", vec![t]);
        }
        if self.rng.one_in(3) {
            return self.equality(ty, depth);
        }
        let head = self.word_of(&["<=", "<", ">=", ">"]);
        let n = if self.rng.one_in(12) { 3 } else { 2 };
        let args = (0..n).map(|_| self.term(ty, depth)).collect();
        Expr::bool(head, args)
    }

    /// An equation between integers that only parity or a larger modulus can refute: all variables of one side
    /// have a common factor.
    pub(super) fn parity_trap(&mut self) -> Expr {
        let modulus = 2 + self.rng.below(4);
        let summand = |maker: &mut Maker| {
            let factor = modulus * (1 + maker.rng.below(3));
            let v = maker.leaf(&Ty::Int);
            Expr::new(Ty::Int, "*", vec![Expr::leaf(Ty::Int, factor.to_string()), v])
        };
        let n = 2 + self.rng.below(2);
        let sum = Expr::new(Ty::Int, "+", (0..n).map(|_| summand(self)).collect());
        let rest = self.rng.below(2 * modulus).to_string();
        Expr::bool("=", vec![sum, Expr::leaf(Ty::Int, rest)])
    }
}
