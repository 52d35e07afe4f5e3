//! Constructors for the propositional operators, `ite` and equality.

use crate::{Op, Sort, Store, Term};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Nested conjunctions and disjunctions are flattened as long as the result stays this small, so that
/// building a long chain one operand at a time does not take quadratic time.
const FLATTEN_LIMIT: usize = 16;

impl Store {
    /// The truth constant.
    pub fn bool(&self, value: bool) -> Term {
        if value { self.tru() } else { self.fls() }
    }

    /// The truth constant that a term is, if it is one.
    pub fn as_bool(&self, t: Term) -> Option<bool> {
        match self.op(t) {
            Op::True => Some(true),
            Op::False => Some(false),
            _ => None,
        }
    }

    /// Negation.
    pub fn not(&mut self, t: Term) -> Term {
        match self.op(t) {
            Op::True => self.fls(),
            Op::False => self.tru(),
            Op::Not => self.arg(t, 0),
            _ => self.intern(Op::Not, Sort::BOOL, &[t]),
        }
    }

    /// The term without its negation, and whether there was none: `not a` gives `(a, false)`.
    pub fn literal(&self, t: Term) -> (Term, bool) {
        match self.op(t) {
            Op::Not => (self.arg(t, 0), false),
            _ => (t, true),
        }
    }

    /// The conjuncts of nested conjunctions in their order, each once: conjunctions may share parts. `true` has none.
    pub fn conjuncts(&self, t: Term) -> Vec<Term> {
        let (mut out, mut stack) = (Vec::new(), vec![t]);
        let mut seen = FxHashSet::default();
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.op(t) {
                Op::And => stack.extend(self.args(t).iter().rev()),
                Op::True => {}
                _ => out.push(t),
            }
        }
        out
    }

    /// Conjunction of any number of terms.
    pub fn and(&mut self, args: &[Term]) -> Term {
        self.junction(Op::And, args, FLATTEN_LIMIT)
    }

    /// Disjunction of any number of terms.
    pub fn or(&mut self, args: &[Term]) -> Term {
        self.junction(Op::Or, args, FLATTEN_LIMIT)
    }

    /// A conjunction whose operands stay as they are. Of the operands of a conjunction it gives that conjunction again,
    /// however it was made: [`Store::and`] leaves operands nested where there are many, and would flatten them later.
    pub fn nested_and(&mut self, args: &[Term]) -> Term {
        self.junction(Op::And, args, 0)
    }

    /// A disjunction whose operands stay as they are; see [`Store::nested_and`].
    pub fn nested_or(&mut self, args: &[Term]) -> Term {
        self.junction(Op::Or, args, 0)
    }

    /// `And` or `Or` with neutral, absorbing, repeated and complementary operands removed.
    fn junction(&mut self, op: Op, args: &[Term], flatten_limit: usize) -> Term {
        let (neutral, absorbing) =
            if op == Op::And { (self.tru(), self.fls()) } else { (self.fls(), self.tru()) };
        let mut out: SmallVec<[Term; 16]> = SmallVec::new();
        for &a in args {
            debug_assert_eq!(self.sort_of(a), Sort::BOOL);
            if a == absorbing {
                return absorbing;
            }
            if a == neutral {
                continue;
            }
            if self.op(a) == op && self.args(a).len() + args.len() <= flatten_limit {
                out.extend_from_slice(self.args(a));
            } else {
                out.push(a);
            }
        }
        out.sort_unstable();
        out.dedup();
        let complementary =
            out.iter().any(|&a| self.op(a) == Op::Not && out.binary_search(&self.arg(a, 0)).is_ok());
        if complementary {
            return absorbing;
        }
        match out.len() {
            0 => neutral,
            1 => out[0],
            _ => self.intern(op, Sort::BOOL, &out),
        }
    }

    /// Implication, as a disjunction.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let na = self.not(a);
        self.or(&[na, b])
    }

    /// Exclusive or, as a negated equality.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let e = self.iff(a, b);
        self.not(e)
    }

    /// Equality of two Booleans; negations are moved outside.
    pub fn iff(&mut self, a: Term, b: Term) -> Term {
        let ((a, pa), (b, pb)) = (self.literal(a), self.literal(b));
        let same = pa == pb;
        let e = if a == b {
            self.tru()
        } else if let Some(v) = self.as_bool(a) {
            if v { b } else { self.not(b) }
        } else if let Some(v) = self.as_bool(b) {
            if v { a } else { self.not(a) }
        } else {
            self.intern(Op::Eq, Sort::BOOL, &[a.min(b), a.max(b)])
        };
        if same { e } else { self.not(e) }
    }

    /// `(ite c a b)` at any sort.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort_of(a), self.sort_of(b));
        if let Some(v) = self.as_bool(c) {
            return if v { a } else { b };
        }
        let (c, positive) = self.literal(c);
        let (a, b) = if positive { (a, b) } else { (b, a) };
        if a == b {
            return a;
        }
        if self.sort_of(a) == Sort::BOOL { self.bool_ite(c, a, b) } else { self.term_ite(c, a, b) }
    }

    fn bool_ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        let nc = self.not(c);
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => return self.or(&[c, b]),
            (Some(false), _) => return self.and(&[nc, b]),
            (_, Some(true)) => return self.or(&[nc, a]),
            (_, Some(false)) => return self.and(&[c, a]),
            _ => {}
        }
        if a == c {
            return self.or(&[c, b]);
        }
        if b == c {
            return self.and(&[c, a]);
        }
        let nb = self.not(b);
        if a == nb {
            return self.iff(c, a);
        }
        self.intern(Op::Ite, Sort::BOOL, &[c, a, b])
    }

    fn term_ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        // A nested choice on the same condition is already decided.
        let a = if self.op(a) == Op::Ite && self.arg(a, 0) == c { self.arg(a, 1) } else { a };
        let b = if self.op(b) == Op::Ite && self.arg(b, 0) == c { self.arg(b, 2) } else { b };
        if a == b {
            return a;
        }
        let sort = self.sort_of(a);
        self.intern(Op::Ite, sort, &[c, a, b])
    }

    /// Equality at any sort.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort_of(a), self.sort_of(b), "ill-sorted equality");
        if a == b {
            return self.tru();
        }
        let sort = self.sort_of(a);
        if sort == Sort::BOOL {
            return self.iff(a, b);
        }
        if self.is_value(a) && self.is_value(b) {
            return self.fls();
        }
        if let Some(e) = self.eq_of_constant_choice(a, b) {
            return e;
        }
        if sort.is_arith() {
            return self.arith_eq(a, b);
        }
        if self.bv_width(sort).is_some() {
            return self.bv_eq(a, b);
        }
        if self.datatype(sort).is_some()
            && let Some(e) = self.datatype_eq(a, b)
        {
            return e;
        }
        self.intern(Op::Eq, Sort::BOOL, &[a.min(b), a.max(b)])
    }

    /// The equality of two terms as the congruence closure and proofs see it: like [`Store::eq`], but an equality of two
    /// values of a datatype is never taken apart.
    pub fn plain_eq(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort_of(a);
        if self.datatype(sort).is_none() || a == b {
            return self.eq(a, b);
        }
        if self.is_value(a) && self.is_value(b) {
            return self.fls();
        }
        match self.eq_of_constant_choice(a, b) {
            Some(e) => e,
            None => self.intern(Op::Eq, Sort::BOOL, &[a.min(b), a.max(b)]),
        }
    }

    /// Is this a constant such that two different ones denote different values?
    pub fn is_value(&self, t: Term) -> bool {
        match self.op(t) {
            Op::Num(_) | Op::BvConst(_) | Op::FloatConst(_) | Op::True | Op::False => true,
            Op::Construct(_) => self.args(t).is_empty(),
            _ => false,
        }
    }

    /// `(= (ite c k1 k2) k)` with values `k1`, `k2`, `k` is a matter of `c` alone.
    fn eq_of_constant_choice(&mut self, a: Term, b: Term) -> Option<Term> {
        let (choice, value) = match (self.op(a), self.op(b)) {
            (Op::Ite, _) if self.is_value(b) => (a, b),
            (_, Op::Ite) if self.is_value(a) => (b, a),
            _ => return None,
        };
        let (c, x, y) = (self.arg(choice, 0), self.arg(choice, 1), self.arg(choice, 2));
        if !self.is_value(x) || !self.is_value(y) {
            return None;
        }
        Some(if x == value {
            c
        } else if y == value {
            self.not(c)
        } else {
            self.fls()
        })
    }

    /// Pairwise distinctness, written out.
    pub fn distinct(&mut self, args: &[Term]) -> Term {
        let mut out = Vec::with_capacity(args.len() * args.len().saturating_sub(1) / 2);
        for (i, &a) in args.iter().enumerate() {
            for &b in &args[i + 1..] {
                let e = self.eq(a, b);
                let d = self.not(e);
                if d == self.fls() {
                    return d;
                }
                out.push(d);
            }
        }
        self.and(&out)
    }
}
