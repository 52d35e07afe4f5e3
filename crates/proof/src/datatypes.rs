//! Axiom schemes of datatypes.
//!
//! Each instance is about one term, so that it belongs to the part of a problem that the term belongs to.

use crate::Literal;
use bolide_term::{Op, Store, Term};

/// Up to so many constructors it is said of each two that only one of them made a value. It follows from the other
/// axioms anyway.
const MAX_PAIRS: usize = 8;

/// The literal that a term was made by a constructor: an equality if that has no fields. Nothing if there is no other.
pub fn tester_literal(store: &mut Store, constructor: u32, t: Term) -> Option<Literal> {
    let sort = store.sort_of(t);
    if store.constructor_count(sort) == 1 {
        return None;
    }
    let atom = if store.constructor(sort, constructor).fields.is_empty() {
        let constant = store.raw_construct(sort, constructor, &[]);
        store.plain_eq(t, constant)
    } else {
        store.raw_is_constructor(constructor, t)
    };
    Some(Literal::of(store, atom))
}

/// A term, taken apart by the selectors of a constructor and put together again.
pub fn reconstruction(store: &mut Store, constructor: u32, t: Term) -> Term {
    let sort = store.sort_of(t);
    let count = store.constructor(sort, constructor).fields.len() as u32;
    let fields: Vec<Term> = (0..count).map(|i| store.raw_field(constructor, i, t)).collect();
    store.raw_construct(sort, constructor, &fields)
}

/// The fields of a constructor application are its arguments, and no other constructor made it.
pub(crate) fn constructor(store: &mut Store, u: Term) -> Vec<Vec<Literal>> {
    let Op::Construct(own) = store.op(u) else { return Vec::new() };
    let sort = store.sort_of(u);
    let mut out = Vec::new();
    for (i, a) in store.args(u).to_vec().into_iter().enumerate() {
        let field = store.raw_field(own, i as u32, u);
        let e = store.definition(field, a);
        out.push(vec![Literal::of(store, e)]);
    }
    for c in 0..store.constructor_count(sort) as u32 {
        if let Some(made) = tester_literal(store, c, u) {
            out.push(vec![if c == own { made } else { !made }]);
        }
    }
    out
}

/// A term of a datatype was made by one of the constructors.
pub(crate) fn cases(store: &mut Store, t: Term) -> Vec<Vec<Literal>> {
    let count = store.constructor_count(store.sort_of(t)) as u32;
    let made: Vec<Literal> = (0..count).filter_map(|c| tester_literal(store, c, t)).collect();
    if made.is_empty() {
        return Vec::new();
    }
    let mut out = vec![made.clone()];
    if made.len() <= MAX_PAIRS {
        for (i, &a) in made.iter().enumerate() {
            out.extend(made[i + 1..].iter().map(|&b| vec![!a, !b]));
        }
    }
    out
}

/// `(= t (c (s1 t) ...))` if `c` made `t`.
pub(crate) fn destructor(store: &mut Store, e: Term) -> Vec<Vec<Literal>> {
    let &[a, b] = store.args(e) else { return Vec::new() };
    if store.op(e) != Op::Eq {
        return Vec::new();
    }
    for (t, whole) in [(a, b), (b, a)] {
        if let Op::Construct(c) = store.op(whole)
            && reconstruction(store, c, t) == whole
        {
            let made = tester_literal(store, c, t);
            return vec![made.map(|l| !l).into_iter().chain([Literal::new(e, true)]).collect()];
        }
    }
    Vec::new()
}

/// A term differs from what one or more selectors take out of it, if the constructors are the right ones.
pub(crate) fn acyclic(store: &mut Store, e: Term) -> Vec<Vec<Literal>> {
    let &[a, b] = store.args(e) else { return Vec::new() };
    if store.op(e) != Op::Eq || store.datatype(store.sort_of(a)).is_none() {
        return Vec::new();
    }
    for (whole, part) in [(a, b), (b, a)] {
        let mut clause = vec![Literal::new(e, false)];
        let mut t = part;
        while t != whole
            && let Op::Field { constructor, .. } = store.op(t)
        {
            t = store.arg(t, 0);
            clause.extend(tester_literal(store, constructor, t).map(|l| !l));
        }
        if t == whole && part != whole {
            return vec![clause];
        }
    }
    Vec::new()
}
