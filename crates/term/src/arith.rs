//! Constructors for Int and Real terms.

use crate::{Linear, Op, Sort, Store, Term};
use bolide_base::Rational;
use smallvec::SmallVec;

/// Names of the symbols that stand for division by zero, which SMT-LIB leaves open.
/// The printer writes them back as divisions by the numeral zero.
pub const DIV_BY_ZERO: [&str; 3] = ["@div0", "@mod0", "@/0"];

impl Store {
    /// An Int numeral.
    pub fn int(&mut self, value: i64) -> Term {
        self.num(Rational::from(value), Sort::INT)
    }

    /// A numeral of sort Int (then the value must be an integer) or Real.
    pub fn num(&mut self, value: Rational, sort: Sort) -> Term {
        debug_assert!(sort == Sort::REAL || value.is_integer());
        let n = self.num_id(value);
        self.num_term(n, sort)
    }

    /// Sum.
    pub fn add(&mut self, args: &[Term]) -> Term {
        let Some(&first) = args.first() else { return self.int(0) };
        let sort = self.sort_of(first);
        self.with_linear(|s, l| {
            for &a in args {
                s.add_operand(l, a, &Rational::ONE);
            }
            l.merge();
            s.from_linear(l, sort)
        })
    }

    /// Difference.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort_of(a);
        self.with_linear(|s, l| {
            s.add_operand(l, a, &Rational::ONE);
            s.add_operand(l, b, &Rational::MINUS_ONE);
            l.merge();
            s.from_linear(l, sort)
        })
    }

    /// Negation.
    pub fn neg(&mut self, a: Term) -> Term {
        self.scale(&Rational::MINUS_ONE, a)
    }

    /// A numeral times a term.
    pub fn scale(&mut self, factor: &Rational, a: Term) -> Term {
        let sort = self.sort_of(a);
        self.with_linear(|s, l| {
            s.add_operand(l, a, factor);
            l.merge();
            s.from_linear(l, sort)
        })
    }

    /// Product; linear if at most one factor is not a numeral.
    pub fn mul(&mut self, args: &[Term]) -> Term {
        let Some(&first) = args.first() else { return self.int(1) };
        let sort = self.sort_of(first);
        let mut factor = Rational::ONE;
        let mut rest: SmallVec<[Term; 8]> = SmallVec::new();
        let mut open: SmallVec<[Term; 8]> = args.iter().copied().collect();
        while let Some(a) = open.pop() {
            match (self.op(a), self.as_num(a)) {
                (Op::Mul, _) => open.extend(self.args(a).iter().copied()),
                (_, Some(k)) => factor *= k,
                _ => rest.push(a),
            }
        }
        if factor.is_zero() || rest.is_empty() {
            return self.num(factor, sort);
        }
        let product = if rest.len() == 1 {
            rest[0]
        } else {
            rest.sort_unstable();
            self.intern(Op::Mul, sort, &rest)
        };
        self.scale(&factor, product)
    }

    /// `a <= b`.
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort_of(a);
        self.with_linear(|s, l| {
            s.subtract_into(l, a, b);
            s.normal_le(l, sort)
        })
    }

    /// `a < b`.
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        let le = self.le(b, a);
        self.not(le)
    }

    /// `a >= b`.
    pub fn ge(&mut self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }

    /// `a > b`.
    pub fn gt(&mut self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }

    /// Equality of two arithmetic terms, in normal form. Unlike [`Store::eq`] it leaves choices between values alone: of an
    /// equality it gives that equality again, however it was made.
    pub fn arith_eq(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort_of(a);
        self.with_linear(|s, l| {
            s.subtract_into(l, a, b);
            s.normal_eq(l, sort)
        })
    }

    /// Integer division `(div a b)`, rounding so that the remainder is never negative. Multiples of a positive numeral are
    /// divided at once: `(div (+ (* 8 x) y) 8)` is `x + (div y 8)`.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        let Some(d) = self.as_num(b).cloned() else { return self.intern(Op::Div, Sort::INT, &[a, b]) };
        if d.is_zero() {
            return self.divided_by_zero(DIV_BY_ZERO[0], a);
        }
        if d.is_one() {
            return a;
        }
        if d == Rational::MINUS_ONE {
            return self.neg(a);
        }
        if let Some(n) = self.as_num(a) {
            let q = n.div_euclid(&d).expect("a non-zero divisor");
            return self.num(q, Sort::INT);
        }
        match self.without_multiples(a, &d) {
            None => self.intern(Op::Div, Sort::INT, &[a, b]),
            Some((quotient, rest)) => {
                let quotient = self.from_linear(&quotient, Sort::INT);
                let rest = self.div(rest, b);
                self.add(&[quotient, rest])
            }
        }
    }

    /// Integer remainder `(mod a b)`. Multiples of a numeral are left out, and so are remainders of them.
    pub fn modulo(&mut self, a: Term, b: Term) -> Term {
        let Some(d) = self.as_num(b).cloned() else { return self.intern(Op::Mod, Sort::INT, &[a, b]) };
        if d.is_zero() {
            return self.divided_by_zero(DIV_BY_ZERO[1], a);
        }
        if d.abs().is_one() {
            return self.int(0);
        }
        if let Some(n) = self.as_num(a) {
            let r = n.rem_euclid(&d).expect("a non-zero divisor");
            return self.num(r, Sort::INT);
        }
        let d = d.abs();
        if let Some((_, rest)) = self.without_multiples(a, &d) {
            let b = self.num(d, Sort::INT);
            return self.modulo(rest, b);
        }
        if self.op(a) == Op::Mod
            && let &[inner, m] = self.args(a)
            && let Some(m) = self.as_num(m)
        {
            if (m / &d).is_integer() {
                let b = self.num(d, Sort::INT);
                return self.modulo(inner, b);
            }
            if !m.is_zero() && (&d / m).is_integer() {
                return a;
            }
        }
        let b = self.num(d, Sort::INT);
        self.intern(Op::Mod, Sort::INT, &[a, b])
    }

    /// An integer term as `divisor * quotient + rest`, where no coefficient of the rest is a multiple of the divisor, which
    /// is positive; nothing if there is no such quotient but zero.
    fn without_multiples(&mut self, a: Term, divisor: &Rational) -> Option<(Linear, Term)> {
        if !divisor.is_positive() {
            return None;
        }
        let l = self.linear(a);
        let constant = l.constant.div_euclid(divisor)?;
        if constant.is_zero() && !l.terms.iter().any(|(_, c)| (c / divisor).is_integer()) {
            return None;
        }
        let mut rest = Linear::constant(&l.constant - &(divisor * &constant));
        let mut quotient = Linear::constant(constant);
        for (t, c) in l.terms {
            let q = &c / divisor;
            if q.is_integer() {
                quotient.terms.push((t, q));
            } else {
                rest.terms.push((t, c));
            }
        }
        let rest = self.from_linear(&rest, Sort::INT);
        Some((quotient, rest))
    }

    /// Real division.
    pub fn real_div(&mut self, a: Term, b: Term) -> Term {
        match self.as_num(b).cloned() {
            Some(d) if d.is_zero() => self.divided_by_zero(DIV_BY_ZERO[2], a),
            Some(d) => self.scale(&d.recip(), a),
            None => self.intern(Op::RealDiv, Sort::REAL, &[a, b]),
        }
    }

    fn divided_by_zero(&mut self, name: &str, a: Term) -> Term {
        let sort = self.sort_of(a);
        let f = self.func(name, &[sort], sort);
        self.apply(f, &[a])
    }

    /// Absolute value, as a choice.
    pub fn abs(&mut self, a: Term) -> Term {
        let sort = self.sort_of(a);
        let zero = self.num(Rational::ZERO, sort);
        let (c, n) = (self.ge(a, zero), self.neg(a));
        self.ite(c, a, n)
    }

    /// The real number equal to an integer; pushed down to the base terms of a sum.
    pub fn to_real(&mut self, a: Term) -> Term {
        if self.sort_of(a) == Sort::REAL {
            return a;
        }
        let mut l = self.linear(a);
        for (t, _) in &mut l.terms {
            *t = self.intern(Op::ToReal, Sort::REAL, &[*t]);
        }
        l.merge();
        self.from_linear(&l, Sort::REAL)
    }

    /// Floor of a real.
    pub fn to_int(&mut self, a: Term) -> Term {
        match self.op(a) {
            Op::Num(n) => {
                let v = self.num_value(n).floor();
                self.num(v, Sort::INT)
            }
            Op::ToReal => self.arg(a, 0),
            _ => self.intern(Op::ToInt, Sort::INT, &[a]),
        }
    }

    /// Is a real an integer? As an equation with its floor.
    pub fn is_int(&mut self, a: Term) -> Term {
        let floor = self.to_int(a);
        let back = self.to_real(floor);
        self.eq(a, back)
    }
}
