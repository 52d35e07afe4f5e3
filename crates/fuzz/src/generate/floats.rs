//! Floating-point terms and atoms: all operators of SMT-LIB, in formats small enough to be decided.

use super::Maker;
use crate::syntax::{Expr, Ty};

const FORMATS: [(u32, u32); 6] = [(2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (5, 5)];
const COMPARISONS: &[&str] = &["fp.leq", "fp.lt", "fp.geq", "fp.gt", "fp.eq"];
const CLASSES: &[&str] = &[
    "fp.isNormal",
    "fp.isSubnormal",
    "fp.isZero",
    "fp.isInfinite",
    "fp.isNaN",
    "fp.isNegative",
    "fp.isPositive",
];
const MODES: &[&str] = &["RNE", "RNA", "RTP", "RTN", "RTZ", "roundTowardZero"];

impl Maker {
    /// Chooses formats; sometimes there are variables for rounding modes, too.
    pub(super) fn choose_floats(&mut self) {
        if !self.theory.floats {
            return;
        }
        for _ in 0..1 + self.rng.below(2) {
            let (e, s) = self.rng.pick(&FORMATS);
            let (e, s) = if self.rng.one_in(30) { (8, 24) } else { (e, s) };
            if !self.palette.contains(&Ty::Float(e, s)) {
                self.palette.push(Ty::Float(e, s));
            }
        }
        if self.rng.one_in(3) {
            self.palette.push(Ty::Mode);
        }
    }

    fn float_format(&mut self) -> Option<(u32, u32)> {
        let formats: Vec<(u32, u32)> = self
            .palette
            .iter()
            .filter_map(|t| if let Ty::Float(e, s) = t { Some((*e, *s)) } else { None })
            .collect();
        (!formats.is_empty()).then(|| self.rng.pick(&formats))
    }

    pub(super) fn mode(&mut self) -> Expr {
        let name = self.word_of(MODES);
        match self.variable(&Ty::Mode) {
            Some(v) if self.rng.one_in(2) => v,
            _ => Expr::leaf(Ty::Mode, name),
        }
    }

    pub(super) fn float(&mut self, e: u32, s: u32) -> Expr {
        let special = self.word_of(&["+oo", "-oo", "+zero", "-zero", "NaN"]);
        let text = match self.rng.below(5) {
            0 => format!("(_ {special} {e} {s})"),
            1 => {
                let (n, d, minus) = (self.rng.below(20), 1 + self.rng.below(9), self.rng.one_in(2));
                let value = if minus { format!("(- (/ {n}.0 {d}.0))") } else { format!("(/ {n}.0 {d}.0)") };
                format!("((_ to_fp {e} {s}) {} {value})", self.word_of(MODES))
            }
            _ => {
                let mut bits = |w: u32| {
                    let value = self.rng.bits() & ((1 << w) - 1);
                    format!("#b{value:0digits$b}", digits = w as usize)
                };
                format!("(fp {} {} {})", bits(1), bits(e), bits(s - 1))
            }
        };
        Expr::leaf(Ty::Float(e, s), text)
    }

    pub(super) fn float_term(&mut self, e: u32, s: u32, depth: usize) -> Expr {
        let ty = Ty::Float(e, s);
        let large = e > 5;
        match self.rng.below(14) {
            0..=4 => {
                let head = self.word_of(if large {
                    &["fp.add", "fp.sub"]
                } else {
                    &["fp.add", "fp.sub", "fp.mul", "fp.div"]
                });
                let args = vec![self.mode(), self.term(&ty, depth), self.term(&ty, depth)];
                Expr::new(ty, head, args)
            }
            5 => {
                let head = self.word_of(&["fp.abs", "fp.neg"]);
                let t = self.term(&ty, depth);
                Expr::new(ty, head, vec![t])
            }
            6 if !large => {
                let args =
                    vec![self.mode(), self.term(&ty, depth), self.term(&ty, depth), self.term(&ty, depth)];
                Expr::new(ty, "fp.fma", args)
            }
            7 => {
                let head = if large {
                    "fp.roundToIntegral"
                } else {
                    self.word_of(&["fp.sqrt", "fp.roundToIntegral"])
                };
                let args = vec![self.mode(), self.term(&ty, depth)];
                Expr::new(ty, head, args)
            }
            8 if !large => {
                let args = vec![self.term(&ty, depth), self.term(&ty, depth)];
                Expr::new(ty, "fp.rem", args)
            }
            9 => {
                // Which of two zeros is the least is left open, and solvers choose.
                let head = self.word_of(&["fp.min", "fp.max"]);
                let (a, b) = (self.term(&ty, depth), self.term(&ty, depth));
                let zero = |t: &Expr| Expr::bool("fp.isZero", vec![t.clone()]);
                let both = Expr::bool("and", vec![zero(&a), zero(&b)]);
                let least = Expr::new(ty.clone(), head, vec![a.clone(), b]);
                Expr::new(ty, "ite", vec![both, a, least])
            }
            10 => match self.float_format() {
                Some((f, t)) if (f, t) != (e, s) => {
                    let args = vec![self.mode(), self.term(&Ty::Float(f, t), depth)];
                    Expr::new(ty, format!("(_ to_fp {e} {s})"), args)
                }
                _ => self.leaf(&ty),
            },
            11 => {
                let bits = self.term(&Ty::Bv(e + s), depth);
                Expr::new(ty, format!("(_ to_fp {e} {s})"), vec![bits])
            }
            12 => {
                let width = 1 + self.rng.below(6) as u32;
                let head = self.word_of(&["to_fp", "to_fp_unsigned"]);
                let args = vec![self.mode(), self.term(&Ty::Bv(width), depth)];
                Expr::new(ty, format!("(_ {head} {e} {s})"), args)
            }
            _ => self.leaf(&ty),
        }
    }

    pub(super) fn float_atom(&mut self, e: u32, s: u32, depth: usize) -> Expr {
        let ty = Ty::Float(e, s);
        match self.rng.below(9) {
            0 | 1 => self.equality(&ty, depth),
            2 | 3 => {
                let head = self.word_of(CLASSES);
                let t = self.term(&ty, depth);
                Expr::bool(head, vec![t])
            }
            4 => self.float_word_atom(e, s, depth),
            _ => {
                let head = self.word_of(COMPARISONS);
                let n = if self.rng.one_in(10) { 3 } else { 2 };
                let args = (0..n).map(|_| self.term(&ty, depth)).collect();
                Expr::bool(head, args)
            }
        }
    }

    /// A number as a word compared with another word, provided that it is certain to fit: what becomes of others is left open.
    fn float_word_atom(&mut self, e: u32, s: u32, depth: usize) -> Expr {
        let width = 2 + self.rng.below(4) as u32;
        let (head, low, high) = match self.rng.below(2) {
            0 => ("fp.to_ubv", 0, 2),
            _ => ("fp.to_sbv", -1, 1),
        };
        let constant = |n: i64| {
            let value = if n < 0 { format!("(- {}.0)", -n) } else { format!("{n}.0") };
            Expr::leaf(Ty::Float(e, s), format!("((_ to_fp {e} {s}) RNE {value})"))
        };
        let (mode, x) = (self.mode(), self.term(&Ty::Float(e, s), depth));
        let word = Expr::new(Ty::Bv(width), format!("(_ {head} {width})"), vec![mode, x.clone()]);
        let other = self.term(&Ty::Bv(width), depth);
        let fits = Expr::bool("fp.leq", vec![constant(low), x, constant(high)]);
        let same = Expr::bool("=", vec![word, other]);
        Expr::bool("and", vec![fits, same])
    }
}
