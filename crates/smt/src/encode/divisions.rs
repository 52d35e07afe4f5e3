//! Quotients and remainders by the same divisor, compared with each other.
//!
//! That `a mod n` and `b mod n` tell what `(a + b) mod n` is follows from the sign of one product, `n * (q - q' - q'')` of the quotients: it is the
//! difference of remainders, so that the second factor is 0 or 1. Such products are found here; what they are is a matter of
//! [`Axiom::Product`](bolide_proof::Axiom::Product).

use super::Encoder;
use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term};

/// So many divisions by the same divisor are compared with each other.
const MOST_DIVISIONS: usize = 6;
/// How far the sum of some quotients may be from the quotient of the sum, and one beyond.
const APART: [i64; 4] = [-1, 0, 1, 2];
/// Dividends that are so many divisors apart in the model are compared, too.
const NEAR: i64 = 1;

impl Encoder {
    /// Adds facts about how the quotients by a divisor hang together, if a product is that of a divisor and a quotient.
    pub(super) fn relate_divisions(&mut self, store: &mut Store, product: Term) {
        let Some((divisor, quotient)) = division_of(store, product) else { return };
        let others = self.products.keys().filter_map(|&p| division_of(store, p));
        let quotients: Vec<Term> =
            others.filter(|(d, _)| *d == divisor).map(|(_, q)| q).take(MOST_DIVISIONS).collect();
        let mut carriers = Vec::new();
        for &whole in &quotients {
            for (n, &a) in quotients.iter().enumerate() {
                for b in quotients[n..].iter().copied().map(Some).chain([None]) {
                    let parts: Vec<Term> = [Some(a), b].into_iter().flatten().collect();
                    let concerns = whole == quotient || parts.contains(&quotient);
                    if concerns && !parts.contains(&whole) {
                        self.add_sum(store, divisor, whole, &parts, &mut carriers);
                    }
                }
            }
        }
        self.add_sum(store, divisor, quotient, &[], &mut carriers);
        self.chain_remainders(store, divisor, quotient, &mut carriers);
        carriers.into_iter().for_each(|carrier| self.add_signs(store, carrier));
    }

    /// Compares the quotient of a sum with those of its parts, if it looks like one: its dividend is the sum of the others and a multiple of
    /// the divisor, or at least it is their sum in the model, or a divisor away from one of them.
    fn add_sum(
        &mut self,
        store: &mut Store,
        divisor: Term,
        whole: Term,
        parts: &[Term],
        carriers: &mut Vec<Term>,
    ) {
        let dividends: Vec<Term> = parts.iter().map(|&q| store.arg(q, 0)).collect();
        let zero = store.int(0);
        let sum = store.add(&[&dividends[..], &[zero]].concat());
        let rest = store.linear_difference(store.arg(whole, 0), sum);
        let multiple = match multiple_of(store, &rest, divisor) {
            Some(multiple) => multiple,
            None if !parts.is_empty() => {
                let rest = store.from_linear(&rest, Sort::INT);
                let (rest, by) = (self.value_of(store, rest), self.value_of(store, divisor));
                let most = if parts.len() == 1 { NEAR } else { 0 };
                let near = |k: &i64| rest == &by * &Rational::from(*k);
                let Some(k) = (-most..=most).find(near) else { return };
                store.int(k)
            }
            None => return,
        };
        let expected = store.add(&[parts, &[multiple]].concat());
        let difference = store.sub(whole, expected);
        for apart in APART.map(|k| store.int(k)) {
            let factor = store.sub(difference, apart);
            carriers.push(store.mul(&[divisor, factor]));
        }
    }

    /// A number is a quotient times a divisor and a remainder: if all three were divided by another number, their quotients hang together, too. It is
    /// enough that what was divided has the same value as they have in the model.
    fn chain_remainders(
        &mut self,
        store: &mut Store,
        divisor: Term,
        quotient: Term,
        carriers: &mut Vec<Term>,
    ) {
        let divisions: Vec<(Term, Term)> =
            self.products.keys().filter_map(|&p| division_of(store, p)).take(2 * MOST_DIVISIONS).collect();
        for &(between, inner) in divisions.iter().filter(|(d, _)| *d != divisor) {
            let number = store.arg(inner, 0);
            let remainder = store.modulo(number, between);
            let mut by = |t: Term| {
                let value = self.value_of(store, t);
                let same = divisions.iter().filter(|(d, _)| *d == divisor).map(|&(_, q)| q);
                let same: Vec<Term> = same.collect();
                same.into_iter().find(|&q| self.value_of(store, store.arg(q, 0)) == value)
            };
            let (Some(whole), Some(of_between), Some(of_remainder)) =
                (by(number), by(between), by(remainder))
            else {
                continue;
            };
            if ![whole, of_between, of_remainder].contains(&quotient) {
                continue;
            }
            let divided = store.arg(of_between, 0);
            let apart = store.sub(between, divided);
            let multiple = store.mul(&[divisor, of_between]);
            let rest = store.sub(divided, multiple);
            for factor in [apart, rest] {
                carriers.push(store.mul(&[factor, inner]));
            }
            let product = store.mul(&[of_between, inner]);
            let expected = store.add(&[product, of_remainder]);
            let difference = store.sub(whole, expected);
            for apart in APART.map(|k| store.int(k)) {
                let factor = store.sub(difference, apart);
                carriers.push(store.mul(&[divisor, factor]));
            }
        }
    }
}

/// The divisor and the quotient whose product a term is.
fn division_of(store: &Store, product: Term) -> Option<(Term, Term)> {
    let [x, y] = *store.args(product) else { return None };
    let is_quotient = |d: Term, q: Term| store.op(q) == Op::Div && store.arg(q, 1) == d;
    [(x, y), (y, x)].into_iter().find(|&(d, q)| is_quotient(d, q))
}

/// What a linear form is when it is divided by a factor of all of its terms.
fn multiple_of(store: &mut Store, form: &Linear, divisor: Term) -> Option<Term> {
    if !form.constant.is_zero() || form.terms.iter().any(|(_, c)| !c.is_integer()) {
        return None;
    }
    let mut out = vec![store.int(0)];
    for (t, c) in &form.terms {
        let others = if *t == divisor {
            store.int(1)
        } else if store.op(*t) == Op::Mul {
            let mut factors = store.args(*t).to_vec();
            factors.remove(factors.iter().position(|&f| f == divisor)?);
            store.mul(&factors)
        } else {
            return None;
        };
        out.push(store.scale(c, others));
    }
    Some(store.add(&out))
}
