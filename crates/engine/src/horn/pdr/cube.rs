//! Cubes: conjunctions of literals over the parameters of a predicate, in a normal form.

use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A literal without the constant of its bound.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shape {
    /// The monomials are bounded from above, strictly or not.
    Bound(Vec<(Term, Rational)>, bool),
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
            let sort = sort_of(store, monomials);
            let sum = Linear { constant: Rational::ZERO, terms: monomials.clone() };
            let (sum, bound) = (store.from_linear(&sum, sort), store.num(constant.clone(), sort));
            if *strict { store.lt(sum, bound) } else { store.le(sum, bound) }
        }
    }
}

/// Brings a cube into normal form: of the bounds of one sum of monomials only the tightest is kept, an integer bound
/// whose value is excluded moves on, and the literals are ordered.
pub fn normalise(store: &mut Store, cube: &mut Vec<Term>) {
    let mut bounds: FxHashMap<Shape, Rational> = FxHashMap::default();
    let mut order: Vec<Shape> = Vec::new();
    let mut excluded: FxHashSet<(Vec<(Term, Rational)>, Rational)> = FxHashSet::default();
    let mut rest = Vec::new();
    for &l in cube.iter() {
        match shape(store, l) {
            (Shape::Literal(t), _) => match excluded_value(store, t) {
                Some(value) => {
                    excluded.insert(value);
                    rest.push(t);
                }
                None => rest.push(t),
            },
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
