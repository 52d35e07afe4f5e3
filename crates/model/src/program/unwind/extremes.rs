//! The least and the greatest of several values.
//!
//! A loop that looks for the greatest element compares what it has found so far with one element after the other. Written in the order of the
//! comparisons, two searches in different orders are different terms; written in the order of the elements they are the same one.

use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// Which of several values is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    Least,
    Greatest,
}

/// The terms that are the least or the greatest of several values, with these in their order.
#[derive(Default)]
pub(super) struct Extremes(FxHashMap<Term, (Which, Vec<Term>)>);

impl Extremes {
    /// A choice between two values by a comparison of them.
    pub fn choice(&mut self, store: &mut Store, condition: Term, yes: Term, no: Term) -> Option<Term> {
        let which = which(store, condition, yes, no)?;
        let mut values = Vec::new();
        for t in [yes, no] {
            match self.0.get(&t) {
                Some((known, parts)) if *known == which => values.extend(parts),
                _ => values.push(t),
            }
        }
        values.sort_unstable();
        values.dedup();
        let mut found = values[0];
        for &value in &values[1..] {
            let is_next = match which {
                Which::Least => store.le(value, found),
                Which::Greatest => store.le(found, value),
            };
            found = store.ite(is_next, value, found);
        }
        self.0.insert(found, (which, values));
        Some(found)
    }
}

/// What a choice by a condition comes to, if that compares the two values.
fn which(store: &Store, condition: Term, yes: Term, no: Term) -> Option<Which> {
    let (atom, is_positive) = store.literal(condition);
    if store.op(atom) != Op::Le || store.sort_of(store.arg(atom, 0)) != Sort::INT {
        return None;
    }
    // The condition says that this is at most zero.
    let mut compared = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
    if !is_positive {
        compared.scale(&Rational::MINUS_ONE);
        compared.constant += &Rational::ONE;
    }
    // Between equal values it does not matter which one is taken.
    let is = |mut sum: Linear| {
        sum.scale(&Rational::MINUS_ONE);
        sum.add_scaled(&compared, &Rational::ONE);
        sum.is_constant() && (sum.constant.is_zero() || sum.constant.is_one())
    };
    if is(store.linear_difference(no, yes)) {
        Some(Which::Greatest)
    } else if is(store.linear_difference(yes, no)) {
        Some(Which::Least)
    } else {
        None
    }
}
