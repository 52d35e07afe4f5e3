//! Substitution and rebuilding of terms through the simplifying constructors.

use crate::{Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// A memoised simultaneous substitution of terms by terms.
///
/// The same value can be applied to many terms; what was rebuilt once is not rebuilt again.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    memo: FxHashMap<Term, Term>,
}

impl Substitution {
    /// The identity.
    pub fn new() -> Substitution {
        Substitution::default()
    }

    /// Replaces `from` by `to`; must be said before the first application.
    pub fn insert(&mut self, from: Term, to: Term) {
        self.memo.insert(from, to);
    }

    /// What a term is replaced by, if that was said or found out before.
    pub fn known(&self, t: Term) -> Option<Term> {
        self.memo.get(&t).copied()
    }

    /// The term with all replacements made, simplified.
    pub fn apply(&mut self, store: &mut Store, t: Term) -> Term {
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if self.memo.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(store.args(top).iter().filter(|a| !self.memo.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let args: Vec<Term> = store.args(top).iter().map(|a| self.memo[a]).collect();
            let new = store.rebuild(top, &args);
            self.memo.insert(top, new);
            stack.pop();
        }
        self.memo[&t]
    }
}

impl Store {
    /// The term with the root of `t` and other arguments, through the simplifying constructors.
    pub fn rebuild(&mut self, t: Term, args: &[Term]) -> Term {
        if self.args(t) == args {
            return t;
        }
        self.make(self.op(t), self.sort_of(t), args)
    }

    /// The term with an operator, a sort and arguments, through the simplifying constructors. What constants stand for is known to this store.
    pub(crate) fn make(&mut self, op: Op, sort: Sort, args: &[Term]) -> Term {
        match op {
            Op::True | Op::False | Op::Num(_) | Op::BvConst(_) | Op::FloatConst(_) => {
                self.intern(op, sort, args)
            }
            Op::Not => self.not(args[0]),
            Op::And => self.and(args),
            Op::Or => self.or(args),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::Eq => self.eq(args[0], args[1]),
            Op::Add => self.add(args),
            Op::Mul => self.mul(args),
            Op::Le => self.le(args[0], args[1]),
            Op::Div => self.div(args[0], args[1]),
            Op::Mod => self.modulo(args[0], args[1]),
            Op::RealDiv => self.real_div(args[0], args[1]),
            Op::ToReal => self.to_real(args[0]),
            Op::ToInt => self.to_int(args[0]),
            Op::Select => self.select(args[0], args[1]),
            Op::Store => self.store(args[0], args[1], args[2]),
            Op::ConstArray => self.const_array(sort, args[0]),
            Op::Construct(c) => self.construct(sort, c, args),
            Op::Field { constructor, field } => self.field(constructor, field, args[0]),
            Op::Is(c) => self.is_constructor(c, args[0]),
            Op::Concat => self.bv_concat(args[0], args[1]),
            Op::Extract { hi, lo } => self.bv_extract(hi, lo, args[0]),
            Op::BvNot => self.bv_not(args[0]),
            Op::BvAnd => self.bv_and(args[0], args[1]),
            Op::BvOr => self.bv_or(args[0], args[1]),
            Op::BvXor => self.bv_xor(args[0], args[1]),
            Op::BvNeg => self.bv_neg(args[0]),
            Op::BvAdd => self.bv_add(args[0], args[1]),
            Op::BvMul => self.bv_mul(args[0], args[1]),
            Op::BvUdiv => self.bv_udiv(args[0], args[1]),
            Op::BvUrem => self.bv_urem(args[0], args[1]),
            Op::BvShl => self.bv_shl(args[0], args[1]),
            Op::BvLshr => self.bv_lshr(args[0], args[1]),
            Op::BvAshr => self.bv_ashr(args[0], args[1]),
            Op::SignExtend(n) => self.bv_sign_extend(n, args[0]),
            Op::BvUlt => self.bv_ult(args[0], args[1]),
            Op::BvUle => self.bv_ule(args[0], args[1]),
            Op::BvSlt => self.bv_slt(args[0], args[1]),
            Op::BvSle => self.bv_sle(args[0], args[1]),
            Op::Bit(i) => self.bv_bit(i, args[0]),
            Op::IntToBv => {
                let w = self.bv_width(sort).expect("a bit-vector sort");
                self.int_to_bv(w, args[0])
            }
            Op::BvToNat => self.bv_to_nat(args[0]),
            Op::Float(op) => self.float_op(op, sort, args),
            Op::Apply(f) => self.apply(f, args),
            Op::Forall => self.forall(&args[..args.len() - 1], args[args.len() - 1]),
            Op::Exists => self.exists(&args[..args.len() - 1], args[args.len() - 1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_terms_do_not_overflow_the_stack() {
        let mut s = Store::new();
        let sort = s.int_sort();
        let f = s.func("f", &[sort], sort);
        let x = s.var("x", sort);
        let y = s.var("y", sort);
        let mut t = x;
        for _ in 0..1_000_000 {
            t = s.apply(f, &[t]);
        }
        let mut subst = Substitution::new();
        subst.insert(x, y);
        let u = subst.apply(&mut s, t);
        assert_ne!(t, u);
        assert_eq!(s.symbols([u]).len(), 2);
        let model = crate::Model::new();
        assert!(crate::Evaluator::new(&s, &model).eval(u).is_ok());
    }
}
