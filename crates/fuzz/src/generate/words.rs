//! Bit-vector terms and atoms: all operators of SMT-LIB.

use super::Maker;
use crate::syntax::{Expr, Ty};

const BINARY: &[&str] = &[
    "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bvadd", "bvsub", "bvmul", "bvudiv", "bvurem",
    "bvsdiv", "bvsrem", "bvsmod", "bvshl", "bvlshr", "bvashr",
];
/// Without the operators that make long words hard.
const CHEAP: &[&str] =
    &["bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bvadd", "bvsub", "bvshl", "bvlshr", "bvashr"];
const ATOMS: &[&str] = &["bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge"];
const OVERFLOWS: &[&str] =
    &["bvuaddo", "bvsaddo", "bvusubo", "bvssubo", "bvumulo", "bvsmulo", "bvsdivo", "bvnego"];

impl Maker {
    /// A width that the problem has.
    pub(super) fn word_sort(&mut self) -> Option<u32> {
        let widths: Vec<u32> =
            self.palette.iter().filter_map(|t| if let Ty::Bv(w) = t { Some(*w) } else { None }).collect();
        self.rng.choose(&widths).copied()
    }

    pub(super) fn word(&mut self, width: u32) -> Expr {
        let all = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        let value = match self.rng.below(4) {
            0 => 0,
            1 => all,
            2 => 1,
            _ => self.rng.bits() & all,
        };
        let text = match self.rng.below(3) {
            0 if width.is_multiple_of(4) => format!("#x{value:0digits$x}", digits = (width / 4) as usize),
            1 => format!("(_ bv{value} {width})"),
            _ => format!("#b{value:0digits$b}", digits = width as usize),
        };
        Expr::leaf(Ty::Bv(width), text)
    }

    pub(super) fn word_term(&mut self, width: u32, depth: usize) -> Expr {
        let ty = Ty::Bv(width);
        match self.rng.below(16) {
            0..=5 => {
                let head = if width > 8 { self.word_of(CHEAP) } else { self.word_of(BINARY) };
                let args = vec![self.term(&ty, depth), self.term(&ty, depth)];
                Expr::new(ty, head, args)
            }
            6 | 7 => {
                let head = self.word_of(&["bvnot", "bvneg"]);
                let t = self.term(&ty, depth);
                Expr::new(ty, head, vec![t])
            }
            8 if width > 1 => {
                let low = 1 + self.rng.below(width as usize - 1) as u32;
                let args = vec![self.term(&Ty::Bv(width - low), depth), self.term(&Ty::Bv(low), depth)];
                Expr::new(ty, "concat", args)
            }
            9 => {
                let lo = self.rng.below(3) as u32;
                let above = self.rng.below(3) as u32;
                let t = self.term(&Ty::Bv(width + lo + above), depth);
                Expr::new(ty, format!("(_ extract {} {lo})", lo + width - 1), vec![t])
            }
            10 if width > 1 => {
                let n = 1 + self.rng.below(width as usize - 1) as u32;
                let head = self.word_of(&["zero_extend", "sign_extend"]);
                let t = self.term(&Ty::Bv(width - n), depth);
                Expr::new(ty, format!("(_ {head} {n})"), vec![t])
            }
            11 => {
                let n = self.rng.below(2 * width as usize);
                let head = self.word_of(&["rotate_left", "rotate_right"]);
                let t = self.term(&ty, depth);
                Expr::new(ty, format!("(_ {head} {n})"), vec![t])
            }
            12 if width.is_multiple_of(2) => {
                let t = self.term(&Ty::Bv(width / 2), depth);
                Expr::new(ty, "(_ repeat 2)", vec![t])
            }
            13 if width == 1 => {
                let of = Ty::Bv(1 + self.rng.below(4) as u32);
                let args = vec![self.term(&of, depth), self.term(&of, depth)];
                Expr::new(ty, "bvcomp", args)
            }
            14 if self.theory.ints => {
                let t = self.term(&Ty::Int, depth);
                Expr::new(ty, format!("(_ int_to_bv {width})"), vec![t])
            }
            _ => self.leaf(&ty),
        }
    }

    pub(super) fn word_atom(&mut self, width: u32, depth: usize) -> Expr {
        let ty = Ty::Bv(width);
        match self.rng.below(8) {
            0..=2 => self.equality(&ty, depth),
            3 if width <= 6 => {
                let head = self.word_of(OVERFLOWS);
                let n = if head == "bvnego" { 1 } else { 2 };
                let args = (0..n).map(|_| self.term(&ty, depth)).collect();
                Expr::bool(head, args)
            }
            _ => {
                let head = self.word_of(ATOMS);
                let args = vec![self.term(&ty, depth), self.term(&ty, depth)];
                Expr::bool(head, args)
            }
        }
    }
}
