//! Bounds on linear expressions, which are compared without a solver.
//!
//! Most facts about control code are comparisons of one expression with a number: `state = 5`, `x <= y + 1`. Whether
//! some of them imply another is a matter of an interval and a few excluded values.

use super::path::{Ranges, conjuncts};
use bolide_base::Rational;
use bolide_term::{Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// How an integer expression compares with a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Comparison {
    AtMost,
    AtLeast,
    Equal,
    Unequal,
}

/// What an expression looks like.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// A variable.
    Variable,
    /// An element of an array.
    Element,
    /// Anything else.
    Other,
}

/// A comparison of an expression, which has a number, with a constant.
#[derive(Clone, Debug)]
struct Bound {
    expression: u32,
    shape: Shape,
    comparison: Comparison,
    constant: Rational,
}

/// What is known of the value of an expression.
#[derive(Clone, Debug, Default)]
struct Values {
    low: Option<Rational>,
    high: Option<Rational>,
    excluded: Vec<Rational>,
}

/// Whether facts imply another one, as far as bounds tell.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Comparable {
    /// They do.
    Implied,
    /// They do not: none of them is about anything else.
    Independent,
    /// They do not, unless different indices happen to be equal: everything is about elements of arrays.
    Elements,
    /// The bounds do not suffice, or there is more than bounds.
    Unknown,
}

/// Reads terms as bounds, once each.
#[derive(Default)]
pub struct Bounds {
    read: FxHashMap<Term, Option<Bound>>,
    expressions: FxHashMap<Vec<(Term, Rational)>, u32>,
    /// What the ranges of variables say, by expression.
    known: FxHashMap<u32, Values>,
}

impl Bounds {
    /// Bounds on states of a program with these ranges.
    pub fn new(store: &Store, ranges: &Ranges) -> Bounds {
        let mut bounds = Bounds::default();
        for fact in ranges.all() {
            for t in conjuncts(store, fact) {
                if let Some(bound) = bounds.read(store, t).cloned() {
                    bounds.known.entry(bound.expression).or_default().add(&bound);
                }
            }
        }
        bounds
    }

    fn read(&mut self, store: &Store, t: Term) -> Option<&Bound> {
        if !self.read.contains_key(&t) {
            let bound = self.parse(store, t);
            self.read.insert(t, bound);
        }
        self.read[&t].as_ref()
    }

    fn parse(&mut self, store: &Store, t: Term) -> Option<Bound> {
        let (atom, positive) = store.literal(t);
        let is_equality = match store.op(atom) {
            Op::Eq => true,
            Op::Le => false,
            _ => return None,
        };
        if store.sort_of(store.arg(atom, 0)) != Sort::INT {
            return None;
        }
        let mut left = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
        let (_, first) = left.terms.first()?;
        let flipped = first.is_negative();
        if flipped {
            left.scale(&Rational::MINUS_ONE);
        }
        let mut constant = -left.constant;
        let comparison = match (is_equality, positive, flipped) {
            (true, true, _) => Comparison::Equal,
            (true, false, _) => Comparison::Unequal,
            (false, true, false) => Comparison::AtMost,
            (false, true, true) => Comparison::AtLeast,
            (false, false, false) => {
                constant += &Rational::ONE;
                Comparison::AtLeast
            }
            (false, false, true) => {
                constant -= &Rational::ONE;
                Comparison::AtMost
            }
        };
        if !constant.is_integer() || left.terms.iter().any(|(_, c)| !c.is_integer()) {
            return None;
        }
        let shape = match left.terms[..] {
            [(t, _)] if store.as_var(t).is_some() => Shape::Variable,
            [(t, _)] if store.op(t) == Op::Select => Shape::Element,
            _ => Shape::Other,
        };
        let next = self.expressions.len() as u32;
        let expression = *self.expressions.entry(left.terms).or_insert(next);
        Some(Bound { expression, shape, comparison, constant })
    }

    /// Do some facts, all of which share variables with `t`, imply it?
    pub fn compare(&mut self, store: &Store, facts: &[Term], t: Term) -> Comparable {
        let Some(goal) = self.read(store, t).cloned() else {
            return if facts.is_empty() { Comparable::Independent } else { Comparable::Unknown };
        };
        let mut values = self.known.get(&goal.expression).cloned().unwrap_or_default();
        let (mut is_all, mut is_elements) = (true, goal.shape == Shape::Element);
        for &fact in facts {
            match self.read(store, fact) {
                Some(bound) if bound.expression == goal.expression => values.add(bound),
                Some(bound) => {
                    is_all = false;
                    is_elements &= bound.shape == Shape::Element;
                }
                None => (is_all, is_elements) = (false, false),
            }
        }
        if values.imply(&goal) {
            Comparable::Implied
        } else if facts.is_empty() || is_all && goal.shape == Shape::Variable {
            Comparable::Independent
        } else if is_elements {
            Comparable::Elements
        } else {
            Comparable::Unknown
        }
    }
}

impl Values {
    fn add(&mut self, bound: &Bound) {
        let k = &bound.constant;
        let raise = |low: &mut Option<Rational>| {
            if low.as_ref().is_none_or(|l| l < k) {
                *low = Some(k.clone());
            }
        };
        let lower = |high: &mut Option<Rational>| {
            if high.as_ref().is_none_or(|h| h > k) {
                *high = Some(k.clone());
            }
        };
        match bound.comparison {
            Comparison::AtLeast => raise(&mut self.low),
            Comparison::AtMost => lower(&mut self.high),
            Comparison::Equal => {
                raise(&mut self.low);
                lower(&mut self.high);
            }
            Comparison::Unequal => self.excluded.push(k.clone()),
        }
        self.tighten();
    }

    /// Moves the ends of the interval off excluded values.
    fn tighten(&mut self) {
        while let Some(low) = &mut self.low
            && self.excluded.contains(low)
        {
            *low += &Rational::ONE;
        }
        while let Some(high) = &mut self.high
            && self.excluded.contains(high)
        {
            *high -= &Rational::ONE;
        }
    }

    fn imply(&self, goal: &Bound) -> bool {
        let k = &goal.constant;
        let (low, high) = (self.low.as_ref(), self.high.as_ref());
        let is_empty = low.zip(high).is_some_and(|(l, h)| l > h);
        let at_least = low.is_some_and(|l| l >= k);
        let at_most = high.is_some_and(|h| h <= k);
        is_empty
            || match goal.comparison {
                Comparison::AtLeast => at_least,
                Comparison::AtMost => at_most,
                Comparison::Equal => at_least && at_most,
                Comparison::Unequal => {
                    low.is_some_and(|l| l > k) || high.is_some_and(|h| h < k) || self.excluded.contains(k)
                }
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_on_one_expression() {
        let mut s = Store::new();
        let (x, y) = (s.var("x", Sort::INT), s.var("y", Sort::INT));
        let n = |s: &mut Store, k: i64| s.int(k);
        let (two, three, five) = (n(&mut s, 2), n(&mut s, 3), n(&mut s, 5));
        let mut bounds = Bounds::default();
        let (is_five, is_three) = (s.eq(x, five), s.eq(x, three));
        let (not_three, small, large) = (s.not(is_three), s.le(x, five), s.le(three, x));
        assert_eq!(bounds.compare(&s, &[is_five], not_three), Comparable::Implied);
        assert_eq!(bounds.compare(&s, &[is_five], is_three), Comparable::Independent);
        // From 3 to 5, but not 3: from 4 on.
        let from_four = s.lt(three, x);
        assert_eq!(bounds.compare(&s, &[small, not_three, large], from_four), Comparable::Implied);
        assert_eq!(bounds.compare(&s, &[small, large], from_four), Comparable::Independent);
        // A difference is an expression of its own, whichever way it is written.
        let apart = s.sub(x, y);
        let (at_least, other) = (s.le(two, apart), s.sub(y, x));
        let minus_two = n(&mut s, -2);
        let at_most = s.le(other, minus_two);
        assert_eq!(bounds.compare(&s, &[at_least], at_most), Comparable::Implied);
        assert_eq!(bounds.compare(&s, &[at_least], large), Comparable::Unknown);
    }
}
