//! Divisors, quotients and remainders that sampled states suggest: by another variable, as recursive functions and loops compute them.

use super::conjecture::Points;
use bolide_base::Rational;
use bolide_term::{Store, Term};

/// At most so many guesses at one place.
const MOST: usize = 24;

/// Facts that hold of all states: that a variable divides another one or a difference of two, and that one is the quotient or the remainder of two
/// others.
pub fn guesses(store: &mut Store, points: &Points<'_>) -> Vec<Term> {
    let Points { terms, states, .. } = *points;
    let mut out = Vec::new();
    let divides = |d: usize| states.iter().all(|s| s[d].is_positive());
    for d in (0..terms.len()).filter(|&d| divides(d) && takes_values(states, d)) {
        let rest = |s: &[Rational], x: usize| s[x].rem_euclid(&s[d]);
        for x in (0..terms.len()).filter(|&x| x != d && takes_values(states, x)) {
            let zero = Some(Rational::ZERO);
            let remainder = store.modulo(terms[x], terms[d]);
            if states.iter().all(|s| rest(s, x) == zero) {
                if states.iter().any(|s| !s[x].is_zero() && s[x] != s[d]) {
                    let none = store.int(0);
                    out.push(store.eq(remainder, none));
                }
                continue;
            }
            for z in (0..terms.len()).filter(|&z| z != x && z != d) {
                let quotient = |s: &[Rational]| rest(s, x).map(|r| &(&s[x] - &r) / &s[d]);
                if states.iter().all(|s| rest(s, x).as_ref() == Some(&s[z])) {
                    out.push(store.eq(terms[z], remainder));
                } else if z > x && states.iter().all(|s| rest(s, x) == rest(s, z)) {
                    let other = store.modulo(terms[z], terms[d]);
                    out.push(store.eq(remainder, other));
                } else if states.iter().all(|s| quotient(s).as_ref() == Some(&s[z])) {
                    let quotient = store.div(terms[x], terms[d]);
                    out.push(store.eq(terms[z], quotient));
                }
            }
        }
    }
    out.truncate(MOST);
    out
}

/// Does a variable take more than two values?
fn takes_values(states: &[Vec<Rational>], variable: usize) -> bool {
    let mut seen: Vec<&Rational> = Vec::new();
    for state in states {
        if !seen.contains(&&state[variable]) {
            seen.push(&state[variable]);
        }
        if seen.len() > 2 {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_term::Sort;
    use std::collections::BTreeSet;

    #[test]
    fn a_remainder_a_quotient_and_a_divisor_are_found() {
        let mut store = Store::new();
        let terms = ["x", "d", "r", "q", "m"].map(|name| store.var(name, Sort::INT));
        let state = |x: i64, d: i64| [x, d, x % d, x / d, 3 * d * x].map(Rational::from).to_vec();
        let states: Vec<Vec<Rational>> = (0..20).flat_map(|x| (2..7).map(move |d| state(x, d))).collect();
        let points = Points { terms: &terms, states: &states, constants: &BTreeSet::new(), slack: 0 };
        let found = guesses(&mut store, &points);
        let [x, d, r, q, m] = terms;
        let (remainder, quotient, zero) = (store.modulo(x, d), store.div(x, d), store.int(0));
        let multiple = store.modulo(m, d);
        for fact in [store.eq(r, remainder), store.eq(q, quotient), store.eq(multiple, zero)] {
            assert!(found.contains(&fact));
        }
    }
}
