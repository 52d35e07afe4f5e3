//! Solves equations for a constant.

use bolide_term::{Op, Sort, Store, Term};

/// An equation as the definition of a constant that is wanted: the constant and what it equals, which does not contain it. Numbers are isolated from sums in which
/// they have a coefficient that can be divided by, words from sums, negations and complements.
pub fn isolate(
    store: &mut Store,
    equation: Term,
    is_wanted: &dyn Fn(&Store, Term) -> bool,
) -> Option<(Term, Term)> {
    if store.op(equation) != Op::Eq {
        return None;
    }
    let (a, b) = (store.arg(equation, 0), store.arg(equation, 1));
    let sort = store.sort_of(a);
    for (v, t) in [(a, b), (b, a)] {
        if is_wanted(store, v) && !contains(store, t, v) {
            return Some((v, t));
        }
    }
    if sort.is_arith() {
        return isolate_number(store, a, b, sort, is_wanted);
    }
    store.bv_width(sort)?;
    [(a, b), (b, a)].into_iter().find_map(|(a, b)| isolate_word(store, a, b, is_wanted))
}

fn contains(store: &Store, t: Term, part: Term) -> bool {
    store.post_order([t]).any(|u| u == part)
}

fn isolate_number(
    store: &mut Store,
    a: Term,
    b: Term,
    sort: Sort,
    is_wanted: &dyn Fn(&Store, Term) -> bool,
) -> Option<(Term, Term)> {
    let mut rest = store.linear_difference(a, b);
    let divides = |c: &bolide_base::Rational| sort == Sort::REAL || c.abs().is_one();
    let at = rest.terms.iter().position(|(v, c)| divides(c) && is_wanted(store, *v))?;
    let (v, c) = rest.terms.remove(at);
    rest.scale(&-c.recip());
    let t = store.from_linear(&rest, sort);
    (!contains(store, t, v)).then_some((v, t))
}

/// Isolates a constant on the left side of an equation between words.
fn isolate_word(
    store: &mut Store,
    a: Term,
    b: Term,
    is_wanted: &dyn Fn(&Store, Term) -> bool,
) -> Option<(Term, Term)> {
    // Each entry is a part of the left side and what it equals.
    let mut open = vec![(a, b)];
    while let Some((part, equal)) = open.pop() {
        if is_wanted(store, part) {
            if !contains(store, equal, part) {
                return Some((part, equal));
            }
            continue;
        }
        let args: Vec<Term> = store.args(part).to_vec();
        match store.op(part) {
            Op::BvNeg => open.push((args[0], store.bv_neg(equal))),
            Op::BvNot => open.push((args[0], store.bv_not(equal))),
            Op::BvAdd => {
                for n in 0..args.len() {
                    let others = args.iter().enumerate().filter(|(i, _)| *i != n);
                    let rest = others.fold(equal, |rest, (_, &other)| store.bv_sub(rest, other));
                    open.push((args[n], rest));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_term::{Evaluator, Model, UBig, Value};

    #[test]
    fn a_word_is_isolated_from_a_sum() {
        let mut s = Store::new();
        let sort = s.bv_sort(8);
        let (x, y) = (s.var("x", sort), s.var("y", sort));
        let three = s.bv_const(8, UBig::from(3u32));
        let (negated, complement) = (s.bv_neg(x), s.bv_not(y));
        let sum = s.bv_add(negated, three);
        let equation = s.eq(sum, complement);
        let (v, t) = isolate(&mut s, equation, &|_, v| v == x).expect("x can be isolated");
        assert_eq!(v, x);
        // x = 3 - ~y
        let mut model = Model::new();
        let set = |m: &mut Model, s: &Store, v: Term, n: u32| {
            m.set(s.as_var(v).expect("a constant"), Value::Bv(8, UBig::from(n)));
        };
        set(&mut model, &s, y, 200);
        assert_eq!(Evaluator::new(&s, &model).eval(t), Ok(Value::Bv(8, UBig::from(204u32))));
        set(&mut model, &s, x, 204);
        assert_eq!(Evaluator::new(&s, &model).holds(equation), Ok(true));
    }

    #[test]
    fn what_occurs_twice_is_not_isolated() {
        let mut s = Store::new();
        let sort = s.bv_sort(8);
        let (x, y) = (s.var("x", sort), s.var("y", sort));
        let product = s.bv_mul(x, y);
        let sum = s.bv_add(x, y);
        let equation = s.eq(sum, product);
        assert_eq!(isolate(&mut s, equation, &|_, v| v == x), None);
        let three = s.int(3);
        let n = s.var("n", Sort::INT);
        let (thrice, m) = (s.mul(&[three, n]), s.var("m", Sort::INT));
        let equation = s.eq(thrice, m);
        assert_eq!(isolate(&mut s, equation, &|_, v| v == n), None);
        assert_eq!(isolate(&mut s, equation, &|_, v| v == m), Some((m, thrice)));
    }
}
