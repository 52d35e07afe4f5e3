//! Mixed equalities: one side is known only on the left of the cut, the other only on the right.
//!
//! A placeholder `x` stands for the value that both sides have. Where the equality is assumed, the left says
//! `a = x` and the right `x = b`, and a partial interpolant may mention `x`. Where it is denied, the left says
//! `EQ(x, a)` and the right `not EQ(x, b)`, with `EQ` a predicate that is not interpreted; a partial interpolant
//! may hold `EQ(x, s)`, positively, for shared terms `s`. Resolution on the equality replaces each `EQ(x, s)` of the
//! second kind by the first kind with `s` for `x`.
//!
//! For numbers the normal form of the literal may have torn the sides apart: `x` then stands for the sum of the
//! monomials that only the left knows.

use crate::colour::{Colour, Colouring};
use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Substitution, Term};
use rustc_hash::FxHashMap;

/// What is known of a mixed equality at one cut.
#[derive(Clone, Debug)]
pub(crate) struct Mixed {
    /// The placeholder.
    pub placeholder: Term,
    /// What the placeholder stands for: a left term, or the left monomials.
    pub left: Side,
}

/// The left side of a mixed equality.
#[derive(Clone, Debug)]
pub(crate) enum Side {
    /// A term that is not a number; the equality itself has it.
    Whole,
    /// Monomials without a constant.
    Sum(Linear),
}

/// The mixed equalities at one cut, with their placeholders.
#[derive(Default)]
pub(crate) struct MixedEqualities {
    known: FxHashMap<Term, Option<Mixed>>,
}

const EQ_PREDICATE: &str = "@EQ";

impl MixedEqualities {
    /// The placeholder and left side of a mixed equality atom; `None` if it cannot be taken apart.
    pub fn get(&mut self, store: &mut Store, colours: &mut Colouring<'_>, atom: Term) -> Option<Mixed> {
        if let Some(known) = self.known.get(&atom) {
            return known.clone();
        }
        let mixed = take_apart(store, colours, atom);
        self.known.insert(atom, mixed.clone());
        mixed
    }
}

fn take_apart(store: &mut Store, colours: &mut Colouring<'_>, atom: Term) -> Option<Mixed> {
    if store.op(atom) != Op::Eq {
        return None;
    }
    let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
    let sort = store.sort_of(a);
    if !sort.is_arith() {
        match (colours.of(store, a), colours.of(store, b)) {
            (Colour::Left, Colour::Right) | (Colour::Right, Colour::Left) => {}
            _ => return None,
        }
        return Some(Mixed { placeholder: store.fresh_var("@mixed", sort), left: Side::Whole });
    }
    let mut difference = store.linear_difference(a, b);
    bolide_proof::linear::strip_to_real(store, &mut difference);
    let mut left = Linear::default();
    for (t, c) in difference.terms {
        match colours.of(store, t) {
            Colour::Left => left.terms.push((t, c)),
            Colour::Mixed => return None,
            Colour::Right | Colour::Shared => {}
        }
    }
    let integral = left.terms.iter().all(|(t, c)| store.sort_of(*t) == Sort::INT && c.is_integer());
    let sort = if integral { Sort::INT } else { Sort::REAL };
    Some(Mixed { placeholder: store.fresh_var("@mixed", sort), left: Side::Sum(left) })
}

impl Mixed {
    /// The shared term that stands for `t`, a left term that is one side of the equality: `t` with its left
    /// monomials replaced by the placeholder.
    pub fn middle(&self, store: &mut Store, t: Term) -> Option<Term> {
        match &self.left {
            Side::Whole => Some(self.placeholder),
            Side::Sum(left) => {
                let (factor, rest) = self.relate(store, t, left)?;
                let mut sum = rest;
                sum.add_scaled(
                    &Linear { constant: Rational::ZERO, terms: vec![(self.placeholder, Rational::ONE)] },
                    &factor,
                );
                Some(from_stripped(store, sum, store.sort_of(t)))
            }
        }
    }

    /// `EQ(x, s)`, where `s` is what the placeholder is if the left term `t` equals the shared term `value`.
    pub fn denied(&self, store: &mut Store, t: Term, value: Term) -> Option<Term> {
        let s = match &self.left {
            Side::Whole => value,
            Side::Sum(left) => {
                let (factor, rest) = self.relate(store, t, left)?;
                let mut sum = store.linear(value);
                bolide_proof::linear::strip_to_real(store, &mut sum);
                sum.add_scaled(&rest, &Rational::MINUS_ONE);
                sum.scale(&factor.recip());
                self.placeholder_value(store, sum)
            }
        };
        Some(self.denied_value(store, s))
    }

    /// `EQ(x, s)` for a shared term `s` of the placeholder's sort.
    pub fn denied_value(&self, store: &mut Store, s: Term) -> Term {
        let sort = store.sort_of(self.placeholder);
        let f = store.func(EQ_PREDICATE, &[sort, sort], Sort::BOOL);
        store.apply(f, &[self.placeholder, s])
    }

    /// A linear expression as a term of the placeholder's sort; over the integers it is known to be integral
    /// where it matters, so a common denominator becomes an integer division.
    pub fn placeholder_value(&self, store: &mut Store, mut sum: Linear) -> Term {
        let sort = store.sort_of(self.placeholder);
        if sort == Sort::REAL {
            return from_stripped(store, sum, sort);
        }
        let mut denominator = sum.constant.denom();
        for (_, c) in &sum.terms {
            denominator = denominator.lcm(&c.denom());
        }
        sum.scale(&denominator);
        let all = from_stripped(store, sum, Sort::INT);
        let d = store.num(denominator, Sort::INT);
        store.div(all, d)
    }

    /// `t = factor * left + rest`, with a rest that only has shared monomials.
    fn relate(&self, store: &Store, t: Term, left: &Linear) -> Option<(Rational, Linear)> {
        let mut rest = store.linear(t);
        bolide_proof::linear::strip_to_real(store, &mut rest);
        let (first, c) = left.terms.first()?;
        let (_, own) = rest.terms.iter().find(|(u, _)| u == first)?;
        let factor = own / c;
        rest.add_scaled(left, &-factor.clone());
        if left.terms.iter().any(|(u, _)| rest.terms.iter().any(|(w, _)| u == w)) {
            return None;
        }
        Some((factor, rest))
    }
}

/// The term of an expression over integers and reals: at sort Real integers are converted.
pub(crate) fn from_stripped(store: &mut Store, mut sum: Linear, sort: Sort) -> Term {
    if sort == Sort::REAL {
        for (t, _) in &mut sum.terms {
            *t = store.to_real(*t);
        }
        sum.terms.sort_by_key(|&(t, _)| t);
    }
    store.from_linear(&sum, sort)
}

/// Replaces in `denied` every `EQ(x, s)` by `assumed` with `s` for the placeholder `x`.
pub(crate) fn resolve_mixed(store: &mut Store, placeholder: Term, denied: Term, assumed: Term) -> Term {
    let sort = store.sort_of(placeholder);
    let f = store.func(EQ_PREDICATE, &[sort, sort], Sort::BOOL);
    let occurrences: Vec<(Term, Term)> = store
        .post_order([denied])
        .filter(|&t| store.op(t) == Op::Apply(f) && store.arg(t, 0) == placeholder)
        .map(|t| (t, store.arg(t, 1)))
        .collect();
    if occurrences.is_empty() {
        return denied;
    }
    let mut outer = Substitution::new();
    for (occurrence, s) in occurrences {
        let mut inner = Substitution::new();
        inner.insert(placeholder, s);
        let replacement = inner.apply(store, assumed);
        outer.insert(occurrence, replacement);
    }
    outer.apply(store, denied)
}
