//! Constructors for bit-vectors.

use crate::{Op, Sort, Store, Term, Value};
use bolide_base::Rational;
use dashu_int::{IBig, UBig};

impl Store {
    /// The bit-vector constant of a width; the value is taken modulo `2^width`.
    pub fn bv_const(&mut self, width: u32, value: UBig) -> Term {
        let value = value & ((UBig::ONE << width as usize) - UBig::ONE);
        let n = self.num_id(Rational::from(IBig::from(value)));
        let sort = self.bv_sort(width);
        self.intern(Op::BvConst(n), sort, &[])
    }
}

/// The value of a bit-vector operator applied to values.
pub(crate) fn eval_op(_store: &Store, _op: Op, _sort: Sort, _args: &[&Value]) -> Value {
    unimplemented!()
}

impl Store {
    /// bvand
    pub fn bv_and(&mut self, a: Term, b: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvAnd, s, &[a, b])
    }
    /// bvor
    pub fn bv_or(&mut self, a: Term, b: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvOr, s, &[a, b])
    }
    /// bvxor
    pub fn bv_xor(&mut self, a: Term, b: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvXor, s, &[a, b])
    }
    /// bvadd
    pub fn bv_add(&mut self, a: Term, b: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvAdd, s, &[a, b])
    }
    /// bvmul
    pub fn bv_mul(&mut self, a: Term, b: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvMul, s, &[a, b])
    }
    /// bvudiv
    pub fn bv_udiv(&mut self, a: Term, b: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvUdiv, s, &[a, b])
    }
    /// bvurem
    pub fn bv_urem(&mut self, a: Term, b: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvUrem, s, &[a, b])
    }
    /// bvshl
    pub fn bv_shl(&mut self, a: Term, b: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvShl, s, &[a, b])
    }
    /// bvlshr
    pub fn bv_lshr(&mut self, a: Term, b: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvLshr, s, &[a, b])
    }
    /// bvashr
    pub fn bv_ashr(&mut self, a: Term, b: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvAshr, s, &[a, b])
    }
    /// bvult
    pub fn bv_ult(&mut self, a: Term, b: Term) -> Term {
        self.intern(Op::BvUlt, Sort::BOOL, &[a, b])
    }
    /// bvule
    pub fn bv_ule(&mut self, a: Term, b: Term) -> Term {
        self.intern(Op::BvUle, Sort::BOOL, &[a, b])
    }
    /// bvslt
    pub fn bv_slt(&mut self, a: Term, b: Term) -> Term {
        self.intern(Op::BvSlt, Sort::BOOL, &[a, b])
    }
    /// bvsle
    pub fn bv_sle(&mut self, a: Term, b: Term) -> Term {
        self.intern(Op::BvSle, Sort::BOOL, &[a, b])
    }
    /// bvnot
    pub fn bv_not(&mut self, a: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvNot, s, &[a])
    }
    /// bvneg
    pub fn bv_neg(&mut self, a: Term) -> Term {
        let s = self.sort_of(a);
        self.intern(Op::BvNeg, s, &[a])
    }
    /// concat
    pub fn bv_concat(&mut self, a: Term, b: Term) -> Term {
        let w = self.width(a) + self.width(b);
        let s = self.bv_sort(w);
        self.intern(Op::Concat, s, &[a, b])
    }
    /// extract
    pub fn bv_extract(&mut self, hi: u32, lo: u32, a: Term) -> Term {
        let s = self.bv_sort(hi - lo + 1);
        self.intern(Op::Extract { hi, lo }, s, &[a])
    }
    /// sign_extend
    pub fn bv_sign_extend(&mut self, n: u32, a: Term) -> Term {
        let w = self.width(a) + n;
        let s = self.bv_sort(w);
        self.intern(Op::SignExtend(n), s, &[a])
    }
    /// bit
    pub fn bv_bit(&mut self, i: u32, a: Term) -> Term {
        self.intern(Op::Bit(i), Sort::BOOL, &[a])
    }
    /// int2bv
    pub fn int_to_bv(&mut self, w: u32, a: Term) -> Term {
        let s = self.bv_sort(w);
        self.intern(Op::IntToBv, s, &[a])
    }
    /// bv2nat
    pub fn bv_to_nat(&mut self, a: Term) -> Term {
        self.intern(Op::BvToNat, Sort::INT, &[a])
    }
}
