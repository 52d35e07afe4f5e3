//! What floating-point operations and real numbers have in common: sound relations between operands and results.
//!
//! A floating value is a real number. The infinities and NaN have numbers of their own beyond all finite values, in the
//! order -infinity < finite < infinity < NaN, so that comparisons stay comparisons of numbers; both zeros are 0. A result
//! is the exact one, or any number within the error that rounding to nearest makes: `|r - s| <= 2^-p |s|`, and half of the
//! least subnormal number more where the result may be that small. Rounding is monotone and changes no number of the
//! format, so a result does not get past a constant of the program that the exact one does not get past. Of products
//! and quotients of two variables only signs and bounds are known.
//!
//! Every relation holds for all operands and the result that IEEE 754 defines; more results may satisfy it.

use super::curves::Fact;
use crate::c::float::{Format, two_to};
use crate::c::hir::{BinOp, CmpOp, Expr, ExprId, Math, Unit};
use bolide_base::{IBig, Rational};
use bolide_term::{Sort, Store, Term};

/// How many constants of the program bound a result, and how many bound a factor.
const MOST_BOUNDS: usize = 6;
const MOST_FACTORS: usize = 4;
/// Half of the least subnormal number, and the least normal number, are not more than these. Smaller numbers would be as
/// good, but have hundreds of digits.
const TINY: i64 = -60;
const NORMAL: i64 = -100;

/// The numbers that stand for special values, and numbers that matter to the program.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    /// Stands for infinity: a power of two beyond all finite values.
    pub infinity: Rational,
    /// Stands for NaN.
    pub nan: Rational,
    /// Magnitudes of constants, those that something is compared with first.
    constants: Vec<f64>,
}

impl Numbers {
    pub(super) fn new(unit: &Unit) -> Numbers {
        let exponent = if is_wide(unit) { Format::Double } else { Format::Single }.overflow_exponent();
        let infinity = two_to(exponent.into());
        let nan = infinity.clone() * Rational::from(2);
        Numbers { infinity, nan, constants: constants(unit) }
    }

    /// The number that stands for a constant.
    pub(super) fn of(&self, value: f64) -> Rational {
        match value {
            v if v.is_nan() => self.nan.clone(),
            f64::INFINITY => self.infinity.clone(),
            f64::NEG_INFINITY => -self.infinity.clone(),
            v => exact(v),
        }
    }
}

/// Does a program have values that binary32 does not? The operands of comparisons may be wider than what they come from.
fn is_wide(unit: &Unit) -> bool {
    let is_double = |ty| unit.types.format(ty) == Some(Format::Double);
    let is_single = |e: ExprId| unit.types.format(unit.exprs[e].ty) == Some(Format::Single);
    let is_wide = |e: &Expr| match e {
        Expr::Cast(a) => !is_single(*a),
        Expr::Float(v) => v.is_finite() && v.abs() > f64::from(f32::MAX),
        _ => true,
    };
    let in_memory = unit.vars.iter().map(|v| v.ty).chain(unit.inputs.iter().map(|i| i.ty)).any(is_double);
    in_memory || unit.exprs.iter().any(|e| is_double(e.ty) && is_wide(&e.expr))
}

fn constants(unit: &Unit) -> Vec<f64> {
    let value = |e: ExprId| match unit.exprs[e].expr {
        Expr::Float(v) if v.is_finite() && v != 0.0 => Some(v.abs()),
        _ => None,
    };
    let compared = unit.exprs.iter().filter_map(|e| match e.expr {
        Expr::Compare(_, a, b) => value(a).or(value(b)),
        _ => None,
    });
    let others = unit.exprs.ids().filter_map(value);
    let mut out: Vec<f64> = Vec::new();
    for v in compared.chain([1.0]).chain(others) {
        if !out.contains(&v) {
            out.push(v);
        }
        if out.len() == MOST_BOUNDS {
            break;
        }
    }
    out
}

/// A finite number exactly.
fn exact(value: f64) -> Rational {
    let bits = value.to_bits();
    let field = (bits >> 52 & 0x7ff) as i64;
    let digits = (bits & ((1 << 52) - 1)) as i64 + if field == 0 { 0 } else { 1 << 52 };
    let zeros = if digits == 0 { 0 } else { digits.trailing_zeros() };
    let magnitude = Rational::from(digits >> zeros) * two_to(field.max(1) - 1075 + i64::from(zeros));
    if value.is_sign_negative() { -magnitude } else { magnitude }
}

/// Writes relations.
pub(super) struct Relations<'a> {
    pub store: &'a mut Store,
    pub numbers: &'a Numbers,
}

impl Relations<'_> {
    pub(super) fn real(&mut self, value: Rational) -> Term {
        self.store.num(value, Sort::REAL)
    }

    fn constant(&self, t: Term) -> Option<Rational> {
        self.store.as_num(t).cloned()
    }

    fn infinity(&mut self) -> Term {
        self.real(self.numbers.infinity.clone())
    }

    fn nan(&mut self) -> Term {
        self.real(self.numbers.nan.clone())
    }

    fn between(&mut self, low: Term, t: Term, high: Term) -> Term {
        let (a, b) = (self.store.le(low, t), self.store.le(t, high));
        self.store.and(&[a, b])
    }

    /// The greatest finite number of a format.
    fn greatest(&mut self, format: Format) -> Rational {
        let top = two_to(format.overflow_exponent().into());
        let last = two_to(i64::from(format.overflow_exponent()) - i64::from(format.precision()));
        top - last
    }

    pub(super) fn is_nan(&mut self, x: Term) -> Term {
        let nan = self.nan();
        self.store.eq(x, nan)
    }

    pub(super) fn is_finite(&mut self, x: Term) -> Term {
        let high = self.infinity();
        let low = self.store.neg(high);
        let (a, b) = (self.store.lt(low, x), self.store.lt(x, high));
        self.store.and(&[a, b])
    }

    pub(super) fn is_infinite(&mut self, x: Term) -> Term {
        let high = self.infinity();
        let low = self.store.neg(high);
        let (a, b) = (self.store.eq(x, low), self.store.eq(x, high));
        self.store.or(&[a, b])
    }

    /// Not a finite number.
    fn is_special(&mut self, r: Term) -> Term {
        let (a, b) = (self.is_infinite(r), self.is_nan(r));
        self.store.or(&[a, b])
    }

    /// Can a number be a value of the format?
    pub(super) fn is_value(&mut self, r: Term, format: Format) -> Term {
        let greatest = self.greatest(format);
        let high = self.real(greatest);
        let low = self.store.neg(high);
        let (finite, special) = (self.between(low, r, high), self.is_special(r));
        self.store.or(&[finite, special])
    }

    /// A comparison, exactly.
    pub(super) fn compare(&mut self, op: CmpOp, x: Term, y: Term) -> Term {
        let nan = self.nan();
        match op {
            CmpOp::Lt | CmpOp::Le => {
                // NaN is the greatest number, so only the right side can be one where the numbers compare.
                let ordered = if op == CmpOp::Lt { self.store.lt(x, y) } else { self.store.le(x, y) };
                let defined = self.store.lt(y, nan);
                self.store.and(&[ordered, defined])
            }
            CmpOp::Eq => {
                let (same, defined) = (self.store.eq(x, y), self.store.lt(x, nan));
                self.store.and(&[same, defined])
            }
            CmpOp::Ne => {
                let same = self.compare(CmpOp::Eq, x, y);
                self.store.not(same)
            }
        }
    }

    /// The number with the other sign, exactly.
    pub(super) fn negated(&mut self, x: Term) -> Term {
        let (nan, minus) = (self.nan(), self.store.neg(x));
        let is_nan = self.is_nan(x);
        self.store.ite(is_nan, nan, minus)
    }

    /// The magnitude, exactly; of NaN itself.
    pub(super) fn magnitude(&mut self, x: Term) -> Term {
        let zero = self.real(Rational::ZERO);
        let (minus, is_negative) = (self.store.neg(x), self.store.lt(x, zero));
        self.store.ite(is_negative, minus, x)
    }

    fn implies(&mut self, facts: &mut Vec<Term>, condition: &[Term], fact: Term) {
        let condition = self.store.and(condition);
        facts.push(self.store.implies(condition, fact));
    }

    /// The bounds that constants of the program give, of both signs.
    fn bounds(&self, format: Format) -> Vec<Rational> {
        let rounded = self.numbers.constants.iter().map(|&c| format.round(c)).filter(|c| c.is_finite());
        rounded.flat_map(|c| [exact(c), exact(-c)]).collect()
    }

    /// `r` is the exact result `s` rounded. `is_fine` if no result is subnormal without being exact.
    fn rounded(&mut self, format: Format, s: Term, r: Term, is_fine: bool) -> Term {
        let greatest = self.greatest(format);
        let (high, low) = (self.real(greatest.clone()), self.real(-greatest));
        let mut near = vec![self.between(low, r, high)];
        let unit = two_to(-i64::from(format.precision()));
        let (more, less) = (Rational::ONE + unit.clone(), Rational::ONE - unit);
        let more = self.store.scale(&more, s);
        let less = self.store.scale(&less, s);
        let slack = self.real(if is_fine { Rational::ZERO } else { two_to(TINY) });
        let zero = self.real(Rational::ZERO);
        let (is_positive, is_negative) = (self.store.le(zero, s), self.store.le(s, zero));
        for (condition, least, most, sign) in [
            (is_positive, less, more, self.store.le(zero, r)),
            (is_negative, more, less, self.store.le(r, zero)),
        ] {
            let (least, most) = (self.store.sub(least, slack), self.store.add(&[most, slack]));
            let inside = self.between(least, r, most);
            let fact = self.store.and(&[inside, sign]);
            self.implies(&mut near, &[condition], fact);
        }
        for c in self.bounds(format) {
            let c = self.real(c);
            let (below, stays_below) = (self.store.le(s, c), self.store.le(r, c));
            let (above, stays_above) = (self.store.le(c, s), self.store.le(c, r));
            self.implies(&mut near, &[below], stays_below);
            self.implies(&mut near, &[above], stays_above);
        }
        let near = self.store.and(&near);
        let beyond = self.overflow(s, r, high, low);
        self.store.or(&[near, beyond])
    }

    /// The exact result is beyond all finite numbers.
    fn overflow(&mut self, s: Term, r: Term, high: Term, low: Term) -> Term {
        let infinity = self.infinity();
        let minus = self.store.neg(infinity);
        let (above, below) = (self.store.lt(high, s), self.store.lt(s, low));
        let (is_infinity, is_minus) = (self.store.eq(r, infinity), self.store.eq(r, minus));
        let (a, b) = (self.store.and(&[above, is_infinity]), self.store.and(&[below, is_minus]));
        self.store.or(&[a, b])
    }

    /// One relation where a condition holds and another one elsewhere.
    fn cases(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        let not = self.store.not(condition);
        let (yes, no) = (self.store.and(&[condition, yes]), self.store.and(&[not, no]));
        self.store.or(&[yes, no])
    }

    /// What holds if an operand is not finite, for all operations but quotients: the result is not finite, and it is NaN
    /// if an operand is.
    fn special_result(&mut self, x: Term, y: Term, r: Term) -> Term {
        let mut facts = vec![self.is_special(r)];
        let (a, b) = (self.is_nan(x), self.is_nan(y));
        let any = self.store.or(&[a, b]);
        let is_nan = self.is_nan(r);
        self.implies(&mut facts, &[any], is_nan);
        self.store.and(&facts)
    }

    /// `r` is the result of an operator.
    pub(super) fn operation(&mut self, op: BinOp, format: Format, x: Term, y: Term, r: Term) -> Term {
        let finite_constant = |this: &Self, t: Term| {
            this.constant(t).filter(|c| c.abs() < this.numbers.infinity && !c.is_zero())
        };
        match op {
            BinOp::Add => self.sum(format, x, y, r, Rational::ONE),
            BinOp::Sub => self.sum(format, x, y, r, -Rational::ONE),
            BinOp::Mul => match (finite_constant(self, x), finite_constant(self, y)) {
                (Some(c), _) => self.multiple(format, y, r, c),
                (_, Some(c)) => self.multiple(format, x, r, c),
                _ => self.product(format, x, y, r),
            },
            _ => match finite_constant(self, y) {
                Some(c) => self.multiple(format, x, r, c.recip()),
                None => self.quotient(format, x, y, r),
            },
        }
    }

    fn sum(&mut self, format: Format, x: Term, y: Term, r: Term, sign: Rational) -> Term {
        let other = self.store.scale(&sign, y);
        let s = self.store.add(&[x, other]);
        let (a, b) = (self.is_finite(x), self.is_finite(y));
        let both = self.store.and(&[a, b]);
        let finite = self.rounded(format, s, r, true);
        let mut special = vec![self.special_result(x, y, r)];
        let (is_x, is_other) = (self.store.eq(r, x), self.store.eq(r, other));
        let (x_infinite, y_infinite) = (self.is_infinite(x), self.is_infinite(y));
        self.implies(&mut special, &[x_infinite, b], is_x);
        self.implies(&mut special, &[y_infinite, a], is_other);
        let special = self.store.and(&special);
        self.cases(both, finite, special)
    }

    /// A number times a constant that is not zero.
    fn multiple(&mut self, format: Format, x: Term, r: Term, c: Rational) -> Term {
        let s = self.store.scale(&c, x);
        let greatest = self.greatest(format);
        let (high, low) = (self.real(greatest.clone()), self.real(-greatest));
        let is_power = is_power_of_two(&c.abs().numer()) && is_power_of_two(&c.denom());
        let finite = if is_power && c.abs() >= Rational::ONE {
            let (same, inside) = (self.store.eq(r, s), self.between(low, r, high));
            let same = self.store.and(&[same, inside]);
            let beyond = self.overflow(s, r, high, low);
            self.store.or(&[same, beyond])
        } else {
            let mut facts = vec![self.rounded(format, s, r, false)];
            if is_power {
                // Only subnormal results are rounded, and nothing overflows.
                let (size, least) = (self.magnitude(s), self.real(two_to(NORMAL)));
                let (normal, same) = (self.store.le(least, size), self.store.eq(r, s));
                self.implies(&mut facts, &[normal], same);
            }
            self.store.and(&facts)
        };
        let mut special = vec![self.special_result(x, x, r)];
        let x_infinite = self.is_infinite(x);
        let signed = if c.is_negative() { self.store.neg(x) } else { x };
        let same = self.store.eq(r, signed);
        self.implies(&mut special, &[x_infinite], same);
        let special = self.store.and(&special);
        let is_finite = self.is_finite(x);
        self.cases(is_finite, finite, special)
    }

    /// The sign of a product or quotient.
    fn sign_facts(&mut self, facts: &mut Vec<Term>, x: Term, y: Term, r: Term) {
        let zero = self.real(Rational::ZERO);
        let up = [x, y, r].map(|t| self.store.le(zero, t));
        let down = [x, y, r].map(|t| self.store.le(t, zero));
        self.implies(facts, &[up[0], up[1]], up[2]);
        self.implies(facts, &[down[0], down[1]], up[2]);
        self.implies(facts, &[up[0], down[1]], down[2]);
        self.implies(facts, &[down[0], up[1]], down[2]);
    }

    /// The constants that bound factors.
    fn factors(&self, format: Format) -> Vec<f64> {
        let rounded = self.numbers.constants.iter().map(|&c| format.round(c)).filter(|c| c.is_finite());
        rounded.take(MOST_FACTORS).collect()
    }

    fn product(&mut self, format: Format, x: Term, y: Term, r: Term) -> Term {
        let (a, b) = (self.is_finite(x), self.is_finite(y));
        let both = self.store.and(&[a, b]);
        let mut facts = vec![self.is_value(r, format)];
        let is_nan = self.is_nan(r);
        facts.push(self.store.not(is_nan));
        self.sign_facts(&mut facts, x, y, r);
        let one = self.real(Rational::ONE);
        let [ax, ay, ar] = [x, y, r].map(|t| self.magnitude(t));
        for (factor, other) in [(ax, ay), (ay, ax)] {
            let (small, large) = (self.store.le(factor, one), self.store.le(one, factor));
            let (shrinks, grows) = (self.store.le(ar, other), self.store.le(other, ar));
            self.implies(&mut facts, &[small], shrinks);
            self.implies(&mut facts, &[large], grows);
        }
        let factors = self.factors(format);
        for &c in &factors {
            for &d in &factors {
                self.corner(&mut facts, format, BinOp::Mul, (ax, c), (ay, d), ar);
            }
        }
        let finite = self.store.and(&facts);
        let special = self.special_result(x, y, r);
        self.cases(both, finite, special)
    }

    /// Operations on magnitudes are monotone: bounds on the operands give a bound on the result. The divisor's bound is on
    /// the other side.
    fn corner(
        &mut self,
        facts: &mut Vec<Term>,
        format: Format,
        op: BinOp,
        (x, c): (Term, f64),
        (y, d): (Term, f64),
        r: Term,
    ) {
        let pattern = format.operate(op, format.pattern(c), format.pattern(d));
        let Some(value) = pattern.map(|p| format.value(p)).filter(|v| v.is_finite()) else { return };
        let [c, d, value] = [c, d, value].map(|v| self.real(exact(v)));
        let (x_low, x_high) = (self.store.le(x, c), self.store.le(c, x));
        let (y_low, y_high) = (self.store.le(y, d), self.store.le(d, y));
        let (y_low, y_high) = if op == BinOp::Div { (y_high, y_low) } else { (y_low, y_high) };
        let (low, high) = (self.store.le(r, value), self.store.le(value, r));
        self.implies(facts, &[x_low, y_low], low);
        self.implies(facts, &[x_high, y_high], high);
    }

    fn quotient(&mut self, format: Format, x: Term, y: Term, r: Term) -> Term {
        let zero = self.real(Rational::ZERO);
        let (x_finite, y_finite) = (self.is_finite(x), self.is_finite(y));
        let (x_infinite, y_infinite) = (self.is_infinite(x), self.is_infinite(y));
        let (x_zero, y_zero) = (self.store.eq(x, zero), self.store.eq(y, zero));
        let (r_zero, r_nan, r_infinite) = (self.store.eq(r, zero), self.is_nan(r), self.is_infinite(r));
        let (x_nan, y_nan) = (self.is_nan(x), self.is_nan(y));
        let y_nonzero = self.store.not(y_zero);
        let x_nonzero = self.store.not(x_zero);
        let mut facts = vec![self.is_value(r, format)];
        let any_nan = self.store.or(&[x_nan, y_nan]);
        self.implies(&mut facts, &[any_nan], r_nan);
        self.implies(&mut facts, &[x_zero, y_zero], r_nan);
        self.implies(&mut facts, &[x_infinite, y_infinite], r_nan);
        self.implies(&mut facts, &[x_finite, x_nonzero, y_zero], r_infinite);
        self.implies(&mut facts, &[x_infinite, y_finite], r_infinite);
        self.implies(&mut facts, &[x_finite, y_infinite], r_zero);
        let mut usual = Vec::new();
        usual.push(self.store.not(r_nan));
        self.implies(&mut usual, &[x_zero], r_zero);
        self.sign_facts(&mut usual, x, y, r);
        let one = self.real(Rational::ONE);
        let [ax, ay, ar] = [x, y, r].map(|t| self.magnitude(t));
        let (small, large) = (self.store.le(ay, one), self.store.le(one, ay));
        let (shrinks, grows) = (self.store.le(ar, ax), self.store.le(ax, ar));
        self.implies(&mut usual, &[large], shrinks);
        self.implies(&mut usual, &[small], grows);
        let factors = self.factors(format);
        for &c in &factors {
            for &d in &factors {
                self.corner(&mut usual, format, BinOp::Div, (ax, c), (ay, d), ar);
            }
        }
        let usual = self.store.and(&usual);
        self.implies(&mut facts, &[x_finite, y_finite, y_nonzero], usual);
        self.store.and(&facts)
    }

    /// `r` lies between bounds while the variable that it is computed from does.
    pub(super) fn bounded(&mut self, x: Term, r: Term, fact: &Fact) -> Term {
        let [low, high, least, most] =
            [fact.low, fact.high, fact.least, fact.most].map(|v| self.real(exact(v)));
        let (here, bounded) = (self.between(low, x, high), self.between(least, r, most));
        self.store.implies(here, bounded)
    }

    /// `r` is a number in another, narrower format.
    pub(super) fn narrowed(&mut self, to: Format, x: Term, r: Term) -> Term {
        let is_finite = self.is_finite(x);
        let (finite, same) = (self.rounded(to, x, r, false), self.store.eq(r, x));
        self.cases(is_finite, finite, same)
    }

    /// `r` is an integer in a format.
    pub(super) fn converted(&mut self, to: Format, s: Term, r: Term) -> Term {
        let mut facts = vec![self.rounded(to, s, r, true)];
        let limit = self.real(two_to(to.precision().into()));
        let minus = self.store.neg(limit);
        let (small, same) = (self.between(minus, s, limit), self.store.eq(r, s));
        self.implies(&mut facts, &[small], same);
        self.store.and(&facts)
    }

    /// The integer `n` is the number truncated, if that is in a range; otherwise it can be anything.
    pub(super) fn truncated(&mut self, x: Term, n: Term, (low, high): (i128, i128)) -> Term {
        let whole = |v: i128| Rational::from(IBig::from(v));
        let (below, above) = (self.real(whole(low - 1)), self.real(whole(high + 1)));
        let (a, b) = (self.store.lt(below, x), self.store.lt(x, above));
        let n = self.store.to_real(n);
        let towards_zero = self.nearest_integer(Math::Trunc, x, n);
        let fits = self.store.and(&[a, b]);
        self.store.implies(fits, towards_zero)
    }

    /// The integer `n`, as a real number, is the finite number rounded to an integer.
    fn nearest_integer(&mut self, how: Math, x: Term, n: Term) -> Term {
        let (zero, one) = (self.real(Rational::ZERO), self.real(Rational::ONE));
        let (next, last) = (self.store.add(&[n, one]), self.store.sub(n, one));
        let half = self.real(Rational::new(1, 2));
        let floor = |this: &mut Self| {
            let (a, b) = (this.store.le(n, x), this.store.lt(x, next));
            this.store.and(&[a, b])
        };
        let ceil = |this: &mut Self| {
            let (a, b) = (this.store.lt(last, x), this.store.le(x, n));
            this.store.and(&[a, b])
        };
        match how {
            Math::Floor => floor(self),
            Math::Ceil => ceil(self),
            Math::Trunc => {
                let (down, up) = (floor(self), ceil(self));
                let is_positive = self.store.le(zero, x);
                self.cases(is_positive, down, up)
            }
            _ => {
                let (low, high) = (self.store.sub(x, half), self.store.add(&[x, half]));
                self.between(low, n, high)
            }
        }
    }

    /// `r` is the result of a function that rounds to an integer, which is `n`.
    pub(super) fn integral(&mut self, how: Math, x: Term, n: Term, r: Term) -> Term {
        let n = self.store.to_real(n);
        let (near, is_n) = (self.nearest_integer(how, x, n), self.store.eq(r, n));
        let finite = self.store.and(&[near, is_n]);
        let (is_finite, same) = (self.is_finite(x), self.store.eq(r, x));
        self.cases(is_finite, finite, same)
    }

    /// `r` is the result of a function with a floating result, as far as something is known about it.
    pub(super) fn function(&mut self, function: Math, format: Format, x: Term, y: Term, r: Term) -> Term {
        match function {
            Math::Sqrt => self.root(format, x, r),
            Math::Mod => self.remainder(x, y, r),
            Math::Min | Math::Max => {
                let (x_nan, y_nan) = (self.is_nan(x), self.is_nan(y));
                let less = self.store.le(x, y);
                let (first, second) = if function == Math::Min { (x, y) } else { (y, x) };
                let chosen = self.store.ite(less, first, second);
                let chosen = self.store.ite(y_nan, x, chosen);
                let chosen = self.store.ite(x_nan, y, chosen);
                self.store.eq(r, chosen)
            }
            Math::CopySign => {
                let zero = self.real(Rational::ZERO);
                let (size, minus) = (self.magnitude(x), self.negated(x));
                let (same, other) = (self.store.eq(r, x), self.store.eq(r, minus));
                let mut facts = vec![self.store.or(&[same, other])];
                let (negative, y_nan) = (self.store.lt(y, zero), self.is_nan(y));
                let positive = self.store.lt(zero, y);
                let known = self.store.not(y_nan);
                let (is_size, r_down) = (self.store.eq(r, size), self.store.le(r, zero));
                self.implies(&mut facts, &[positive, known], is_size);
                let (x_nan, r_nan) = (self.is_nan(x), self.is_nan(r));
                let down = self.store.or(&[r_down, x_nan]);
                self.implies(&mut facts, &[negative], down);
                self.implies(&mut facts, &[x_nan], r_nan);
                self.store.and(&facts)
            }
            _ => self.is_value(r, format),
        }
    }

    fn root(&mut self, format: Format, x: Term, r: Term) -> Term {
        let (zero, one) = (self.real(Rational::ZERO), self.real(Rational::ONE));
        let is_finite = self.is_finite(x);
        let (negative, r_nan, same) = (self.store.lt(x, zero), self.is_nan(r), self.store.eq(r, x));
        let up = self.store.le(zero, x);
        let (small, large) = (self.store.le(x, one), self.store.le(one, x));
        let mut facts = Vec::new();
        self.implies(&mut facts, &[negative], r_nan);
        let special = self.store.not(is_finite);
        self.implies(&mut facts, &[up, special], same);
        let (grows, shrinks) = (self.between(x, r, one), self.between(one, r, x));
        self.implies(&mut facts, &[up, small], grows);
        self.implies(&mut facts, &[is_finite, large], shrinks);
        for c in self.factors(format) {
            let Ok(root) = format.call(Math::Sqrt, format.pattern(c), 0) else { continue };
            let [c, root] = [c, format.value(root)].map(|v| self.real(exact(v)));
            let (low, high) = (self.store.le(x, c), self.store.le(c, x));
            let (r_low, r_high) = (self.store.le(r, root), self.store.le(root, r));
            self.implies(&mut facts, &[up, low], r_low);
            self.implies(&mut facts, &[is_finite, high], r_high);
        }
        self.store.and(&facts)
    }

    fn remainder(&mut self, x: Term, y: Term, r: Term) -> Term {
        let zero = self.real(Rational::ZERO);
        let (x_finite, y_nan, y_zero) = (self.is_finite(x), self.is_nan(y), self.store.eq(y, zero));
        let (known, nonzero) = (self.store.not(y_nan), self.store.not(y_zero));
        let defined = self.store.and(&[x_finite, known, nonzero]);
        let [ax, ay, ar] = [x, y, r].map(|t| self.magnitude(t));
        let mut facts = vec![self.store.le(ar, ax), self.store.lt(ar, ay)];
        let (x_up, x_down) = (self.store.le(zero, x), self.store.le(x, zero));
        let (r_up, r_down) = (self.store.le(zero, r), self.store.le(r, zero));
        self.implies(&mut facts, &[x_up], r_up);
        self.implies(&mut facts, &[x_down], r_down);
        let (less, same) = (self.store.lt(ax, ay), self.store.eq(r, x));
        self.implies(&mut facts, &[less], same);
        let facts = self.store.and(&facts);
        let r_nan = self.is_nan(r);
        self.cases(defined, facts, r_nan)
    }

    /// The integer `n` is the result of a function that asks what a number is.
    pub(super) fn question(&mut self, function: Math, x: Term, n: Term) -> Term {
        let zero = self.real(Rational::ZERO);
        let (is_finite, is_nan, is_infinite) = (self.is_finite(x), self.is_nan(x), self.is_infinite(x));
        let negative = self.store.lt(x, zero);
        let is = |this: &mut Self, value: i64| {
            let value = this.store.int(value);
            this.store.eq(n, value)
        };
        let mut facts = Vec::new();
        let flag = |this: &mut Self, condition: Term| {
            let (yes, no) = (is(this, 1), is(this, 0));
            this.cases(condition, yes, no)
        };
        match function {
            Math::IsNan => return flag(self, is_nan),
            Math::IsInf => return flag(self, is_infinite),
            Math::IsFinite => return flag(self, is_finite),
            Math::InfinitySign => {
                let (one, minus, none) = (is(self, 1), is(self, -1), is(self, 0));
                let signed = self.cases(negative, minus, one);
                return self.cases(is_infinite, signed, none);
            }
            Math::SignBit => {
                // Any number but zero says yes; a zero and a NaN can have either sign.
                let none = is(self, 0);
                let some = self.store.not(none);
                let (positive, known) = (self.store.lt(zero, x), self.store.not(is_nan));
                self.implies(&mut facts, &[negative], some);
                self.implies(&mut facts, &[positive, known], none);
            }
            _ => {
                let [nan, infinite, zero_class, subnormal, normal] = [0, 1, 2, 3, 4].map(|v| is(self, v));
                let (size, least) = (self.magnitude(x), self.real(two_to(NORMAL)));
                let is_zero = self.store.eq(x, zero);
                let (is_small, nonzero) = (self.store.lt(size, least), self.store.not(is_zero));
                let is_large = self.store.not(is_small);
                let either = self.store.or(&[subnormal, normal]);
                self.implies(&mut facts, &[is_nan], nan);
                self.implies(&mut facts, &[is_infinite], infinite);
                self.implies(&mut facts, &[is_zero], zero_class);
                self.implies(&mut facts, &[is_small, nonzero], either);
                self.implies(&mut facts, &[is_large, is_finite], normal);
            }
        }
        self.store.and(&facts)
    }
}

fn is_power_of_two(n: &Rational) -> bool {
    n.to_ibig().is_some_and(|n| n > IBig::ZERO && (n.clone() & (n - IBig::ONE)) == IBig::ZERO)
}

#[cfg(test)]
mod tests;
