//! Constructors for conversions between bit-vectors and integers.

use super::eval::residue;
use crate::{Op, Sort, Store, Term};
use bolide_base::Rational;

impl Store {
    /// `((_ int_to_bv w) a)`, in older SMT-LIB `((_ int2bv w) a)`: an integer modulo `2^w`.
    pub fn int_to_bv(&mut self, w: u32, a: Term) -> Term {
        match self.op(a) {
            Op::Num(n) => {
                let value = residue(self.num_value(n), w);
                self.bv_const(w, value)
            }
            Op::BvToNat => {
                let x = self.arg(a, 0);
                let from = self.width(x);
                if w <= from { self.bv_extract(w - 1, 0, x) } else { self.bv_zero_extend(w - from, x) }
            }
            _ => {
                let sort = self.bv_sort(w);
                self.intern(Op::IntToBv, sort, &[a])
            }
        }
    }

    /// `(ubv_to_int a)`, in older SMT-LIB `(bv2nat a)`: the natural number that a bit-vector denotes.
    pub fn bv_to_nat(&mut self, a: Term) -> Term {
        match self.op(a) {
            Op::BvConst(n) => {
                let value = self.num_value(n).clone();
                self.num(value, Sort::INT)
            }
            Op::IntToBv => {
                let modulus = Rational::pow2(self.width(a));
                let modulus = self.num(modulus, Sort::INT);
                self.modulo(self.arg(a, 0), modulus)
            }
            _ => self.intern(Op::BvToNat, Sort::INT, &[a]),
        }
    }

    /// `(sbv_to_int a)`: the integer that a bit-vector denotes in two's complement.
    pub fn sbv_to_int(&mut self, a: Term) -> Term {
        let modulus = Rational::pow2(self.width(a));
        let modulus = self.num(modulus, Sort::INT);
        let (negative, nat) = (self.bv_sign(a), self.bv_to_nat(a));
        let wrapped = self.sub(nat, modulus);
        self.ite(negative, wrapped, nat)
    }
}
