//! Elimination of integers and reals from a conjunction of literals.

use super::Projector;
use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term, Value};
use rustc_hash::FxHashMap;

/// What a literal says about a linear expression.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Relation {
    /// At most zero.
    Le,
    /// Less than zero (reals).
    Lt,
    /// Zero.
    Eq,
    /// A multiple of this (integers).
    Div(Rational),
}

#[derive(Clone, Debug)]
struct Constraint {
    linear: Linear,
    relation: Relation,
    sort: Sort,
}

impl Constraint {
    fn coefficient(&self, x: Term) -> Option<&Rational> {
        self.linear.terms.binary_search_by_key(&x, |&(t, _)| t).ok().map(|n| &self.linear.terms[n].1)
    }

    /// The expression without the monomial of a constant.
    fn rest(&self, x: Term) -> Linear {
        let mut l = self.linear.clone();
        l.terms.retain(|&(t, _)| t != x);
        l
    }
}

/// `a * p + b * q`
fn combine(p: &Linear, a: &Rational, q: &Linear, b: &Rational) -> Linear {
    let mut out = Linear::default();
    out.add_scaled(p, a);
    out.add_scaled(q, b);
    out
}

impl Projector<'_> {
    /// The literal that says that an integer term is a multiple of a number.
    pub(super) fn divides(&mut self, modulus: &Rational, t: Term) -> Term {
        let l = self.store.linear(t);
        divides(self.store, modulus, l)
    }

    /// Uses equations `x = t` to replace constants of any sort.
    pub(super) fn solve_equations(&mut self) -> Option<()> {
        let mut n = 0;
        while n < self.literals.len() {
            let l = self.literals[n];
            match self.solution(l) {
                Some((v, t)) => {
                    self.literals.swap_remove(n);
                    self.substitute(v, t);
                    self.settle()?;
                    n = 0;
                }
                None => n += 1,
            }
        }
        Some(())
    }

    /// Reads an equation as the definition of a constant that must disappear.
    fn solution(&mut self, literal: Term) -> Option<(Term, Term)> {
        if self.store.op(literal) != Op::Eq || self.gone_in(literal).is_empty() {
            return None;
        }
        let (a, b) = (self.store.arg(literal, 0), self.store.arg(literal, 1));
        let sort = self.store.sort_of(a);
        if !sort.is_arith() {
            return [(a, b), (b, a)]
                .into_iter()
                .find(|&(v, t)| self.gone.contains(&v) && !self.mentions(t, v));
        }
        let l = self.store.linear_difference(a, b);
        for (n, (v, c)) in l.terms.iter().enumerate() {
            if !self.gone.contains(v) || sort == Sort::INT && !c.abs().is_one() {
                continue;
            }
            let mut rest = l.clone();
            rest.terms.remove(n);
            rest.scale(&-c.recip());
            let t = self.store.from_linear(&rest, sort);
            if !self.mentions(t, *v) {
                return Some((*v, t));
            }
        }
        None
    }

    /// Eliminates all numbers that occur only as summands.
    pub(super) fn eliminate_arithmetic(&mut self) -> Option<()> {
        let mut constraints: Vec<Constraint> = Vec::new();
        let mut others = Vec::new();
        for l in std::mem::take(&mut self.literals) {
            let has_gone = !self.gone_in(l).is_empty();
            match self.constraint(l).filter(|_| has_gone) {
                Some(c) => constraints.push(c),
                None => others.push(l),
            }
        }
        // Constants inside other terms (indices of reads, arguments) take their values first.
        self.literals = others;
        let mut nested = Vec::new();
        for n in 0..self.literals.len() {
            let l = self.literals[n];
            nested.extend_from_slice(self.gone_in(l));
        }
        for c in &constraints {
            for &(t, _) in &c.linear.terms {
                if !self.gone.contains(&t) {
                    nested.extend_from_slice(self.gone_in(t));
                }
            }
        }
        if !nested.is_empty() {
            for c in constraints {
                let l = c.literal(self.store);
                self.literals.push(l);
            }
            nested.sort_unstable();
            nested.dedup();
            for v in nested {
                let sort = self.store.sort_of(v);
                let value = self.value(v)?.to_term(self.store, sort);
                self.substitute(v, value);
            }
            self.solve_equations()?;
            return self.eliminate_arithmetic();
        }
        let mut values: FxHashMap<Term, Rational> = FxHashMap::default();
        for c in &constraints {
            for &(t, _) in &c.linear.terms {
                if let std::collections::hash_map::Entry::Vacant(slot) = values.entry(t) {
                    let Value::Num(v) = bolide_term::Evaluator::new(self.store, &self.model).eval(t).ok()?
                    else {
                        return None;
                    };
                    slot.insert(v);
                }
            }
        }
        for n in 0..self.order.len() {
            let x = self.order[n];
            if !values.contains_key(&x) {
                continue;
            }
            let (with, without): (Vec<Constraint>, Vec<Constraint>) =
                constraints.into_iter().partition(|c| c.coefficient(x).is_some());
            constraints = without;
            let new = if self.store.sort_of(x) == Sort::INT {
                eliminate_int(x, with, &values)
            } else {
                eliminate_real(x, with, &values)
            };
            constraints.extend(new);
            strongest(&mut constraints);
        }
        for c in constraints {
            let l = c.literal(self.store);
            self.literals.push(l);
        }
        self.tidy();
        Some(())
    }

    /// The constraint that a literal is, with disequalities narrowed to the side on which the model is.
    fn constraint(&mut self, literal: Term) -> Option<Constraint> {
        let (atom, sign) = self.store.literal(literal);
        let op = self.store.op(atom);
        if !matches!(op, Op::Le | Op::Eq) || !self.store.sort_of(self.store.arg(atom, 0)).is_arith() {
            return None;
        }
        let (a, b) = (self.store.arg(atom, 0), self.store.arg(atom, 1));
        let sort = self.store.sort_of(a);
        let strict = |mut linear: Linear| {
            if sort == Sort::INT {
                linear.constant += &Rational::ONE;
                return Constraint { linear, relation: Relation::Le, sort };
            }
            Constraint { linear, relation: Relation::Lt, sort }
        };
        Some(match (op, sign) {
            (Op::Le, true) => {
                Constraint { linear: self.store.linear_difference(a, b), relation: Relation::Le, sort }
            }
            (Op::Le, false) => strict(self.store.linear_difference(b, a)),
            (_, true) => match as_divisibility(self.store, a, b) {
                Some(c) => c,
                None => {
                    Constraint { linear: self.store.linear_difference(a, b), relation: Relation::Eq, sort }
                }
            },
            (_, false) => {
                let less = self.value(a)?.as_num()? < self.value(b)?.as_num()?;
                let (small, large) = if less { (a, b) } else { (b, a) };
                strict(self.store.linear_difference(small, large))
            }
        })
    }
}

/// Reads `(mod t m) = r` as a divisibility.
fn as_divisibility(store: &Store, a: Term, b: Term) -> Option<Constraint> {
    let (remainder, r) = if store.op(a) == Op::Mod { (a, b) } else { (b, a) };
    if store.op(remainder) != Op::Mod {
        return None;
    }
    let m = store.as_num(store.arg(remainder, 1)).filter(|m| m.is_positive())?.clone();
    let r = store.as_num(r)?;
    if r.is_negative() || *r >= m {
        return None;
    }
    let mut linear = store.linear(store.arg(remainder, 0));
    linear.constant -= r;
    Some(Constraint { linear, relation: Relation::Div(m), sort: Sort::INT })
}

fn divides(store: &mut Store, modulus: &Rational, mut l: Linear) -> Term {
    let mut keep = Vec::new();
    for (t, c) in &l.terms {
        let c = c.rem_euclid(modulus).unwrap_or_else(|| c.clone());
        if !c.is_zero() {
            keep.push((*t, c));
        }
    }
    l.terms = keep;
    let r = (-&l.constant).rem_euclid(modulus).unwrap_or_default();
    l.constant = Rational::ZERO;
    let t = store.from_linear(&l, Sort::INT);
    let m = store.num(modulus.clone(), Sort::INT);
    let remainder = store.modulo(t, m);
    let r = store.num(r, Sort::INT);
    store.eq(remainder, r)
}

impl Constraint {
    fn literal(self, store: &mut Store) -> Term {
        match self.relation {
            Relation::Le => store.linear_le(self.linear, self.sort),
            Relation::Lt => {
                let mut opposite = self.linear;
                opposite.scale(&Rational::MINUS_ONE);
                let le = store.linear_le(opposite, self.sort);
                store.not(le)
            }
            Relation::Eq => store.linear_eq(self.linear, self.sort),
            Relation::Div(m) => divides(store, &m, self.linear),
        }
    }
}

fn evaluate(l: &Linear, values: &FxHashMap<Term, Rational>) -> Rational {
    let mut sum = l.constant.clone();
    for (t, c) in &l.terms {
        if let Some(v) = values.get(t) {
            sum.add_mul(v, c);
        }
    }
    sum
}

/// Among bounds with equal linear parts keeps the strongest.
fn strongest(constraints: &mut Vec<Constraint>) {
    let mut best: FxHashMap<Vec<(Term, Rational)>, usize> = FxHashMap::default();
    let mut out: Vec<Constraint> = Vec::with_capacity(constraints.len());
    for mut c in constraints.drain(..) {
        if c.linear.is_constant() {
            continue; // True in the model, hence true.
        }
        if !matches!(c.relation, Relation::Le | Relation::Lt) {
            out.push(c);
            continue;
        }
        let factor = c.linear.coprime_factor();
        c.linear.scale(&factor);
        if c.sort == Sort::INT {
            c.linear.constant = c.linear.constant.ceil();
        }
        match best.get(&c.linear.terms) {
            Some(&n) => {
                let old = &out[n];
                let stronger = c.linear.constant > old.linear.constant
                    || c.linear.constant == old.linear.constant && c.relation == Relation::Lt;
                if stronger {
                    out[n] = c;
                }
            }
            None => {
                best.insert(c.linear.terms.clone(), out.len());
                out.push(c);
            }
        }
    }
    *constraints = out;
}

/// Replaces `factor * x` by an expression (`factor` positive) in constraints that mention `x`.
fn replace_multiple(
    x: Term,
    factor: &Rational,
    by: &Linear,
    constraints: Vec<Constraint>,
) -> Vec<Constraint> {
    let mut out = Vec::with_capacity(constraints.len());
    for c in constraints {
        let Some(b) = c.coefficient(x) else {
            out.push(c);
            continue;
        };
        let linear = combine(&c.rest(x), factor, by, b);
        let relation = match c.relation {
            Relation::Div(m) => Relation::Div(&m * factor),
            other => other,
        };
        out.push(Constraint { linear, relation, sort: c.sort });
    }
    out
}

/// The equation with the smallest coefficient of a constant.
fn take_equation(x: Term, constraints: &mut Vec<Constraint>) -> Option<Constraint> {
    let size = |c: &Constraint| c.coefficient(x).map(Rational::abs).unwrap_or_default();
    let equations = (0..constraints.len()).filter(|&n| constraints[n].relation == Relation::Eq);
    let best = equations.min_by(|&a, &b| size(&constraints[a]).cmp(&size(&constraints[b])))?;
    Some(constraints.swap_remove(best))
}

/// The positive multiple of `x` and the expression that an equation says it equals.
fn solved(x: Term, equation: &Constraint) -> (Rational, Linear) {
    let c = equation.coefficient(x).cloned().unwrap_or(Rational::ONE);
    let mut rest = equation.rest(x);
    // c x + rest = 0
    if c.is_positive() {
        rest.scale(&Rational::MINUS_ONE);
    }
    (c.abs(), rest)
}

/// Cooper's elimination, with the case that the model chooses.
fn eliminate_int(x: Term, mut with: Vec<Constraint>, values: &FxHashMap<Term, Rational>) -> Vec<Constraint> {
    if let Some(equation) = take_equation(x, &mut with) {
        let (a, t) = solved(x, &equation);
        let mut out = replace_multiple(x, &a, &t, with);
        if !a.is_one() {
            out.push(Constraint { linear: t, relation: Relation::Div(a), sort: Sort::INT });
        }
        return out;
    }
    let value = &values[&x];
    let (mut lower, mut upper, mut period) = (Vec::new(), 0usize, Rational::ONE);
    for (n, c) in with.iter().enumerate() {
        let Some(b) = c.coefficient(x) else { continue };
        match &c.relation {
            Relation::Div(m) => period = period.lcm(&(m / &m.gcd(b))),
            _ if b.is_negative() => lower.push(n),
            _ => upper += 1,
        }
    }
    if lower.is_empty() || upper == 0 {
        // Far out all bounds hold; only the residue matters.
        with.retain(|c| matches!(c.relation, Relation::Div(_)));
        let residue = Linear::constant(value.rem_euclid(&period).unwrap_or_default());
        return replace_multiple(x, &Rational::ONE, &residue, with);
    }
    // a x >= t, the greatest t / a in the model.
    let bound = |n: usize| {
        let a = with[n].coefficient(x).map(Rational::abs).unwrap_or(Rational::ONE);
        let t = with[n].rest(x);
        let at = &evaluate(&t, values) / &a;
        (a, t, at)
    };
    let mut best = bound(lower[0]);
    for &n in &lower[1..] {
        let other = bound(n);
        if other.2 > best.2 {
            best = other;
        }
    }
    let (a, mut t, _) = best;
    // The least x above the bound with the same residue.
    let distance = &(&a * value) - &evaluate(&t, values);
    let distance = distance.rem_euclid(&(&a * &period)).unwrap_or_default();
    t.constant += &distance;
    let mut out = replace_multiple(x, &a, &t, with);
    if !a.is_one() {
        out.push(Constraint { linear: t, relation: Relation::Div(a), sort: Sort::INT });
    }
    out
}

/// Virtual substitution of the greatest lower bound, or of what lies just above it.
fn eliminate_real(x: Term, mut with: Vec<Constraint>, values: &FxHashMap<Term, Rational>) -> Vec<Constraint> {
    if let Some(equation) = take_equation(x, &mut with) {
        let (a, t) = solved(x, &equation);
        return replace_multiple(x, &a, &t, with);
    }
    let is_lower = |c: &Constraint| c.coefficient(x).is_some_and(Rational::is_negative);
    let Some(first) = with.iter().position(is_lower) else { return Vec::new() };
    if with.iter().all(is_lower) {
        return Vec::new();
    }
    let bound = |c: &Constraint| {
        let mut t = c.rest(x);
        let a = c.coefficient(x).map(Rational::abs).unwrap_or(Rational::ONE);
        t.scale(&a.recip());
        let at = evaluate(&t, values);
        (t, at, c.relation == Relation::Lt)
    };
    let mut best = (first, bound(&with[first]));
    for (n, c) in with.iter().enumerate().skip(first + 1).filter(|(_, c)| is_lower(c)) {
        let b = bound(c);
        if b.1 > best.1.1 || b.1 == best.1.1 && b.2 && !best.1.2 {
            best = (n, b);
        }
    }
    let (chosen, (t, _, strict)) = best;
    with.swap_remove(chosen);
    let lower: Vec<bool> = with.iter().map(is_lower).collect();
    let mut out = replace_multiple(x, &Rational::ONE, &t, with);
    if strict {
        // x = t + epsilon: other lower bounds may be met, upper bounds must leave room.
        for (c, lower) in out.iter_mut().zip(lower) {
            c.relation = if lower { Relation::Le } else { Relation::Lt };
        }
    }
    out
}
