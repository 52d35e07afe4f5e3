//! Cubes: conjunctions of literals over the parameters of a predicate, in a normal form.

use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A literal without the constant of its bound.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shape {
    /// The monomials are bounded from above, strictly or not.
    Bound(Vec<(Term, Rational)>, bool),
    /// The integer monomials, of which the first is positive, do not have a value.
    Differs(Vec<(Term, Rational)>),
    /// Something else.
    Literal(Term),
}

/// The sort of the monomials of a bound.
pub fn sort_of(store: &Store, monomials: &[(Term, Rational)]) -> Sort {
    monomials.first().map_or(Sort::INT, |m| store.sort_of(m.0))
}

/// A literal as a shape and a constant: the bound, or zero.
pub fn shape(store: &Store, literal: Term) -> (Shape, Rational) {
    let (atom, positive) = store.literal(literal);
    if let Some((monomials, value)) = excluded_value(store, literal) {
        return (Shape::Differs(monomials), value);
    }
    if store.op(atom) != Op::Le {
        return (Shape::Literal(literal), Rational::ZERO);
    }
    let mut d = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
    let is_int = d.terms.iter().all(|m| store.sort_of(m.0) == Sort::INT);
    let mut strict = false;
    if !positive {
        d.scale(&Rational::MINUS_ONE);
        if is_int {
            d.constant += &Rational::ONE;
        } else {
            strict = true;
        }
    }
    let factor = d.coprime_factor();
    d.scale(&factor);
    (Shape::Bound(d.terms, strict), -d.constant)
}

/// The literal of a shape with a constant.
pub fn literal(store: &mut Store, shape: &Shape, constant: &Rational) -> Term {
    match shape {
        Shape::Literal(t) => *t,
        Shape::Bound(monomials, strict) => {
            let (sum, bound) = sides(store, monomials, constant);
            if *strict { store.lt(sum, bound) } else { store.le(sum, bound) }
        }
        Shape::Differs(monomials) => {
            let (sum, value) = sides(store, monomials, constant);
            let equal = store.eq(sum, value);
            store.not(equal)
        }
    }
}

/// A sum of monomials and a constant as terms.
fn sides(store: &mut Store, monomials: &[(Term, Rational)], constant: &Rational) -> (Term, Term) {
    let sort = sort_of(store, monomials);
    let sum = Linear { constant: Rational::ZERO, terms: monomials.to_vec() };
    (store.from_linear(&sum, sort), store.num(constant.clone(), sort))
}

/// A literal about a remainder with the constant moved to the other side and small coefficients, so that literals that
/// say the same are the same.
fn tidy_remainder(store: &mut Store, literal: Term) -> Term {
    let (atom, positive) = store.literal(literal);
    if store.op(atom) != Op::Eq {
        return literal;
    }
    let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
    let (remainder, value) = if store.op(a) == Op::Mod { (a, b) } else { (b, a) };
    let modulus = |store: &Store| store.as_num(store.arg(remainder, 1)).cloned();
    let (Op::Mod, Some(value)) = (store.op(remainder), store.as_num(value).cloned()) else { return literal };
    let Some(m) = modulus(store).filter(|m| m.is_positive()) else { return literal };
    let mut sum = store.linear(store.arg(remainder, 0));
    let reduced = |x: &Rational| x.rem_euclid(&m);
    let in_range = reduced(&value).as_ref() == Some(&value);
    let Some(mut value) = reduced(&(&value - &sum.constant)).filter(|_| in_range) else { return literal };
    sum.constant = Rational::ZERO;
    for (_, c) in &mut sum.terms {
        match reduced(c) {
            Some(r) => *c = r,
            None => return literal,
        }
    }
    sum.terms.retain(|(_, c)| !c.is_zero());
    let is_bit = m == Rational::from(2);
    if is_bit && !positive {
        value = &Rational::ONE - &value;
    }
    let (t, m) = (store.from_linear(&sum, Sort::INT), store.num(m, Sort::INT));
    let (t, value) = (store.modulo(t, m), store.num(value, Sort::INT));
    let equal = store.eq(t, value);
    if positive || is_bit { equal } else { store.not(equal) }
}

/// Writes an equation of numbers as two bounds, of which a lemma may need only one.
pub fn split_equation(store: &mut Store, literal: Term, out: &mut Vec<Term>) {
    if store.op(literal) == Op::Eq {
        let (a, b) = (store.arg(literal, 0), store.arg(literal, 1));
        let is_mod = |t: Term| store.op(t) == Op::Mod;
        if store.sort_of(a).is_arith() && !is_mod(a) && !is_mod(b) {
            out.push(store.le(a, b));
            out.push(store.le(b, a));
            return;
        }
    }
    out.push(literal);
}

/// Brings a cube into normal form: of the bounds of one sum of monomials only the tightest is kept, an integer bound
/// whose value is excluded moves on, remainders are tidied, and the literals are ordered.
pub fn normalise(store: &mut Store, cube: &mut Vec<Term>) {
    let mut bounds: FxHashMap<Shape, Rational> = FxHashMap::default();
    let mut order: Vec<Shape> = Vec::new();
    let mut excluded: FxHashSet<(Vec<(Term, Rational)>, Rational)> = FxHashSet::default();
    let mut rest = Vec::new();
    for &l in cube.iter() {
        match shape(store, l) {
            (Shape::Literal(t), _) => rest.push(tidy_remainder(store, t)),
            (Shape::Differs(monomials), value) => {
                excluded.insert((monomials, value));
                rest.push(l);
            }
            (bound, constant) => match bounds.get_mut(&bound) {
                Some(old) => {
                    if constant < *old {
                        *old = constant;
                    }
                }
                None => {
                    order.push(bound.clone());
                    bounds.insert(bound, constant);
                }
            },
        }
    }
    cube.clear();
    for bound in order {
        let mut constant = bounds[&bound].clone();
        if let Shape::Bound(monomials, false) = &bound {
            while let Some(value) = excludes(monomials, &constant, &excluded) {
                rest.retain(|&t| excluded_value(store, t).as_ref() != Some(&value));
                constant -= &Rational::ONE;
            }
        }
        cube.push(literal(store, &bound, &constant));
    }
    cube.extend(rest);
    cube.sort_unstable();
    cube.dedup();
}

/// The sum of monomials, the first with a positive coefficient, and the value that an integer disequality excludes.
fn excluded_value(store: &Store, l: Term) -> Option<(Vec<(Term, Rational)>, Rational)> {
    let (atom, positive) = store.literal(l);
    if positive || store.op(atom) != Op::Eq || store.sort_of(store.arg(atom, 0)) != Sort::INT {
        return None;
    }
    if [0, 1].iter().any(|&n| store.op(store.arg(atom, n)) == Op::Mod) {
        return None;
    }
    let mut d = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
    let mut factor = d.coprime_factor();
    if d.terms.first()?.1.is_negative() {
        factor = -factor;
    }
    d.scale(&factor);
    Some((d.terms, -d.constant))
}

/// The excluded value that stands at a bound, if there is one.
fn excludes(
    monomials: &[(Term, Rational)],
    constant: &Rational,
    excluded: &FxHashSet<(Vec<(Term, Rational)>, Rational)>,
) -> Option<(Vec<(Term, Rational)>, Rational)> {
    let mut key = (monomials.to_vec(), constant.clone());
    if key.0.first()?.1.is_negative() {
        key.0.iter_mut().for_each(|m| m.1 = -&m.1);
        key.1 = -&key.1;
    }
    excluded.contains(&key).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_joined_and_move_past_excluded_values() {
        let mut s = Store::new();
        let (x, y) = (s.var("x", Sort::INT), s.var("y", Sort::INT));
        let mut bound = |t: Term, k: i64| {
            let k = s.int(k);
            s.le(t, k)
        };
        let (a, b, other) = (bound(x, 9), bound(x, 7), bound(y, 3));
        let seven = s.int(7);
        let equal = s.eq(x, seven);
        let not_seven = s.not(equal);
        let mut cube = vec![a, b, not_seven, other];
        normalise(&mut s, &mut cube);
        let six = s.int(6);
        let mut expected = vec![s.le(x, six), other];
        expected.sort_unstable();
        assert_eq!(cube, expected);
    }

    #[test]
    fn bounds_from_below_move_up() {
        let mut s = Store::new();
        let x = s.var("x", Sort::INT);
        let (five, six) = (s.int(5), s.int(6));
        let equal = s.eq(x, five);
        let mut cube = vec![s.ge(x, five), s.not(equal)];
        normalise(&mut s, &mut cube);
        assert_eq!(cube, vec![s.ge(x, six)]);
    }
}
