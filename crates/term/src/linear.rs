//! Linear expressions: the arithmetic normal form.
//!
//! A linear expression is a constant plus monomials `c * t`, ordered by the index of `t`, where `t` is a term
//! that is neither sum, numeral nor numeral multiple. **Normal form of atoms**: `p <= q` and `p = q` have
//! coprime integer coefficients, every monomial stands on the side where its coefficient is positive, and
//! the constant stands on a side without monomials, or else where it is positive. The first monomial of an
//! equality and of an integer inequality stands on the left; `2x >= 3` over the integers is `not (x <= 1)`.

use crate::{Op, Sort, Store, Term};
use bolide_base::Rational;
use smallvec::SmallVec;

/// Sums with more monomials than this are not merged into a surrounding sum by the constructors.
const MERGE_LIMIT: usize = 256;

/// A constant plus a sum of monomials.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linear {
    /// The constant.
    pub constant: Rational,
    /// Base terms with non-zero coefficients, ordered by term.
    pub terms: Vec<(Term, Rational)>,
}

impl Linear {
    /// The constant expression.
    pub fn constant(value: Rational) -> Linear {
        Linear { constant: value, terms: Vec::new() }
    }

    /// Is there no monomial?
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// Multiplies everything by a factor.
    pub fn scale(&mut self, factor: &Rational) {
        if factor.is_zero() {
            *self = Linear::default();
            return;
        }
        self.constant *= factor;
        for (_, c) in &mut self.terms {
            *c *= factor;
        }
    }

    /// Adds `factor * other`.
    pub fn add_scaled(&mut self, other: &Linear, factor: &Rational) {
        self.constant.add_mul(&other.constant, factor);
        self.terms.extend(other.terms.iter().map(|(t, c)| (*t, c * factor)));
        self.merge();
    }

    /// Restores the invariant that base terms are ordered, distinct and have non-zero coefficients.
    pub(crate) fn merge(&mut self) {
        if self.terms.windows(2).any(|w| w[0].0 >= w[1].0) {
            self.terms.sort_by_key(|&(t, _)| t);
            self.terms.dedup_by(|(next, c), (kept, sum)| {
                let same = next == kept;
                if same {
                    *sum += &*c;
                }
                same
            });
        }
        self.terms.retain(|(_, c)| !c.is_zero());
    }

    /// The positive factor that makes all coefficients coprime integers, the constant aside.
    pub fn coprime_factor(&self) -> Rational {
        let mut den = Rational::ONE;
        for (_, c) in &self.terms {
            if !c.is_integer() {
                den = den.lcm(&c.denom());
            }
        }
        let mut gcd = Rational::ZERO;
        for (_, c) in &self.terms {
            gcd = gcd.gcd(&(c * &den));
            if gcd.is_one() {
                break;
            }
        }
        if gcd.is_zero() { Rational::ONE } else { den / gcd }
    }
}

impl Store {
    /// The linear expression that an Int or Real term is. Non-linear parts count as base terms.
    pub fn linear(&self, t: Term) -> Linear {
        let mut out = Linear::default();
        self.add_linear(&mut out, t, &Rational::ONE);
        out.merge();
        out
    }

    /// Is an Int or Real term one that linear expressions are made of, and not such an expression itself?
    pub fn is_base(&self, t: Term) -> bool {
        match self.op(t) {
            Op::Num(_) | Op::Add => false,
            Op::Mul => self.as_num(self.arg(t, 0)).is_none(),
            _ => true,
        }
    }

    /// The linear expression `a - b`.
    pub fn linear_difference(&self, a: Term, b: Term) -> Linear {
        let mut out = Linear::default();
        self.subtract_into(&mut out, a, b);
        out
    }

    /// Adds `a - b` to an expression.
    pub(crate) fn subtract_into(&self, out: &mut Linear, a: Term, b: Term) {
        self.add_linear(out, a, &Rational::ONE);
        self.add_linear(out, b, &Rational::MINUS_ONE);
        out.merge();
    }

    /// Appends `factor * t` to an expression whose invariant the caller restores with `merge`.
    fn add_linear(&self, out: &mut Linear, t: Term, factor: &Rational) {
        // Sums that are still to be added. A sum within a sum is rare.
        let mut sums: SmallVec<[(Term, Rational); 1]> = SmallVec::new();
        let mut add = |sums: &mut SmallVec<_>, mut t: Term, mut c: Rational| loop {
            match self.op(t) {
                Op::Num(n) => return out.constant.add_mul(self.num_value(n), &c),
                Op::Add => return sums.push((t, c)),
                Op::Mul => match self.as_num(self.arg(t, 0)) {
                    Some(k) => {
                        c *= k;
                        t = self.arg(t, 1);
                    }
                    None => return out.terms.push((t, c)),
                },
                _ => return out.terms.push((t, c)),
            }
        };
        add(&mut sums, t, factor.clone());
        while let Some((sum, c)) = sums.pop() {
            for &a in self.args(sum) {
                add(&mut sums, a, c.clone());
            }
        }
    }

    /// The monomials of one operand of a sum, as the sum constructor merges them: operands that are large
    /// sums stay whole.
    pub(crate) fn add_operand(&self, out: &mut Linear, t: Term, factor: &Rational) {
        if self.op(t) == Op::Add && self.args(t).len() > MERGE_LIMIT {
            out.terms.push((t, factor.clone()));
        } else if self.op(t) == Op::Add {
            for &a in self.args(t) {
                match self.op(a) {
                    Op::Add => out.terms.push((a, factor.clone())),
                    _ => self.add_linear(out, a, factor),
                }
            }
        } else {
            self.add_linear(out, t, factor);
        }
    }

    /// The term of a linear expression at the given sort.
    pub fn from_linear(&mut self, l: &Linear, sort: Sort) -> Term {
        if l.terms.is_empty() {
            return self.num(l.constant.clone(), sort);
        }
        self.sum(&l.constant, l.terms.iter().map(|(t, c)| (*t, c.clone())), sort)
    }

    /// The term of a constant plus monomials in order.
    fn sum(
        &mut self,
        constant: &Rational,
        monomials: impl Iterator<Item = (Term, Rational)>,
        sort: Sort,
    ) -> Term {
        let mut args: SmallVec<[Term; 8]> = SmallVec::new();
        if !constant.is_zero() {
            args.push(self.num(constant.clone(), sort));
        }
        for (t, c) in monomials {
            args.push(self.monomial(t, c, sort));
        }
        match args[..] {
            [] => self.num(Rational::ZERO, sort),
            [term] => term,
            _ => self.intern(Op::Add, sort, &args),
        }
    }

    fn monomial(&mut self, t: Term, c: Rational, sort: Sort) -> Term {
        if c.is_one() {
            return t;
        }
        let k = self.num(c, sort);
        self.intern(Op::Mul, sort, &[k, t])
    }

    /// The two sides of an atom whose difference is `l`, laid out as the normal form prescribes.
    fn sides(&mut self, l: &Linear, sort: Sort) -> (Term, Term) {
        let is_negative = |(_, c): &&(Term, Rational)| c.is_negative();
        let negative = l.terms.iter().filter(is_negative).count();
        let to_right = negative == 0 || negative < l.terms.len() && l.constant.is_negative();
        let (left, right) = match to_right {
            true => (Rational::ZERO, -l.constant.clone()),
            false => (l.constant.clone(), Rational::ZERO),
        };
        let positive_terms = l.terms.iter().filter(|m| !is_negative(m)).cloned();
        let negative_terms = l.terms.iter().filter(is_negative).map(|(t, c)| (*t, -c.clone()));
        (self.sum(&left, positive_terms, sort), self.sum(&right, negative_terms, sort))
    }

    /// The atom `l <= 0` in normal form.
    pub fn linear_le(&mut self, mut l: Linear, sort: Sort) -> Term {
        self.normal_le(&mut l, sort)
    }

    /// The atom `l <= 0` in normal form; scales `l`.
    pub(crate) fn normal_le(&mut self, l: &mut Linear, sort: Sort) -> Term {
        if l.is_constant() {
            return self.bool(!l.constant.is_positive());
        }
        let factor = l.coprime_factor();
        if !factor.is_one() {
            l.scale(&factor);
        }
        if sort == Sort::INT {
            // l + k <= 0 with an integer l: round k upwards.
            l.constant = l.constant.ceil();
            if l.terms[0].1.is_negative() {
                // l <= 0 is not (l >= 1), that is not (1 - l <= 0).
                l.scale(&Rational::MINUS_ONE);
                l.constant += &Rational::ONE;
                let (a, b) = self.sides(l, sort);
                let atom = self.intern(Op::Le, Sort::BOOL, &[a, b]);
                return self.not(atom);
            }
        }
        let (a, b) = self.sides(l, sort);
        self.intern(Op::Le, Sort::BOOL, &[a, b])
    }

    /// The atom `l = 0` in normal form.
    pub fn linear_eq(&mut self, mut l: Linear, sort: Sort) -> Term {
        self.normal_eq(&mut l, sort)
    }

    /// The atom `l = 0` in normal form; scales `l`.
    pub(crate) fn normal_eq(&mut self, l: &mut Linear, sort: Sort) -> Term {
        if l.is_constant() {
            return self.bool(l.constant.is_zero());
        }
        let mut factor = l.coprime_factor();
        if l.terms[0].1.is_negative() {
            factor = -factor;
        }
        if !factor.is_one() {
            l.scale(&factor);
        }
        if sort == Sort::INT && !l.constant.is_integer() {
            return self.fls();
        }
        let (a, b) = self.sides(l, sort);
        self.intern(Op::Eq, Sort::BOOL, &[a, b])
    }
}
