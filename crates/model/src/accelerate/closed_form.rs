//! The closed forms of the parts of a state, by the number of the round.
//!
//! Numbers are polynomials in the binomial basis, `c0 + c1 * j + c2 * j (j - 1) / 2 + ...`: the sum of a closed form over all rounds before the `j`-th
//! is the closed form with its coefficients moved up by one. Everything else is constant. A value that is computed from the state of the round before is
//! late: its closed form starts a round later. Closed forms speak of the state in which the last of them starts.

use super::{Body, Count, binomial, combination};
use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// The greatest number of coefficients.
const COEFFICIENTS: usize = 4;
/// The greatest number of rounds by which a value may be late.
const LATEST: usize = 2;

/// What becomes of a value.
#[derive(Clone, Debug)]
pub(super) enum ClosedForm {
    /// A number: coefficients over the state at the start and the choices.
    Number(Vec<Linear>),
    /// The same value in every round.
    Same(Term),
}

/// The closed forms of a state.
pub(super) struct ClosedForms {
    of: FxHashMap<Term, ClosedForm>,
    /// The number of rounds before all closed forms have started.
    pub delay: usize,
}

impl ClosedForms {
    /// The closed forms of all parts of the state; nothing if one of them has none.
    pub fn new(store: &mut Store, body: &Body) -> Option<ClosedForms> {
        let mut forms = ClosedForms { of: FxHashMap::default(), delay: 0 };
        let mut delays: FxHashMap<Term, usize> = FxHashMap::default();
        let mut open: Vec<(Term, Term)> = body.state.iter().copied().zip(body.next.iter().copied()).collect();
        while !open.is_empty() {
            let before = open.len();
            let mut rest = Vec::new();
            for (v, next) in std::mem::take(&mut open) {
                let others: Vec<Term> = store.post_order([next]).filter(|t| body.state.contains(t)).collect();
                if others.iter().any(|t| *t != v && !forms.of.contains_key(t)) {
                    rest.push((v, next));
                    continue;
                }
                let late = others.iter().filter_map(|t| delays.get(t)).copied().max().unwrap_or(0);
                let (form, own) = forms.of_part(store, v, next)?;
                forms.of.insert(v, form);
                delays.insert(v, late + own);
            }
            open = rest;
            if open.len() == before {
                return None;
            }
        }
        forms.delay = delays.values().copied().max().unwrap_or(0);
        (forms.delay <= LATEST).then_some(forms)
    }

    /// The closed form of one part of the state, and by how many rounds it is later than what it is computed from.
    fn of_part(&self, store: &mut Store, v: Term, next: Term) -> Option<(ClosedForm, usize)> {
        let sort = store.sort_of(v);
        if next == v {
            return Some((
                if sort.is_arith() { ClosedForm::Number(vec![alone(v)]) } else { ClosedForm::Same(v) },
                0,
            ));
        }
        let contains = |t: Term| store.post_order([t]).any(|p| p == v);
        if !sort.is_arith() {
            if contains(next) {
                return None;
            }
            return Some((ClosedForm::Same(self.constant(store, next)?), 1));
        }
        let mut rest = store.linear(next);
        let own = rest.terms.iter().position(|(t, _)| *t == v).map(|at| rest.terms.remove(at).1);
        if rest.terms.iter().any(|(t, _)| contains(*t)) {
            return None;
        }
        let change = self.of_linear(store, &rest, sort)?;
        match own {
            Some(factor) if factor.is_one() && change.len() < COEFFICIENTS => {
                let coefficients = std::iter::once(alone(v)).chain(change).collect();
                Some((ClosedForm::Number(trimmed(coefficients)), 0))
            }
            Some(_) => None,
            None => Some((ClosedForm::Number(one_round_earlier(&change)), 1)),
        }
    }

    /// The closed form of a linear expression.
    pub fn of_linear(&self, store: &mut Store, l: &Linear, sort: Sort) -> Option<Vec<Linear>> {
        let mut sum = vec![Linear::constant(l.constant.clone())];
        for (base, factor) in &l.terms {
            let form = self.of_base(store, *base, sort)?;
            if sum.len() < form.len() {
                sum.resize(form.len(), Linear::default());
            }
            sum.iter_mut().zip(&form).for_each(|(s, c)| s.add_scaled(c, factor));
        }
        Some(trimmed(sum))
    }

    fn of_base(&self, store: &mut Store, base: Term, sort: Sort) -> Option<Vec<Linear>> {
        match self.of.get(&base) {
            Some(ClosedForm::Number(coefficients)) => return Some(coefficients.clone()),
            Some(ClosedForm::Same(_)) => return None,
            None => {}
        }
        if let Some(t) = self.constant(store, base) {
            return Some(vec![store.linear(t)]);
        }
        // A remainder stays the same if its dividend moves by multiples of the divisor.
        let is_division = matches!(store.op(base), Op::Div | Op::Mod);
        let divisor = is_division.then(|| store.as_num(store.arg(base, 1)).cloned()).flatten()?;
        let dividend = store.linear(store.arg(base, 0));
        let form = self.of_linear(store, &dividend, sort)?;
        let (first, change) = form.split_first()?;
        let quotients: Option<Vec<Linear>> = change.iter().map(|c| quotient(c, &divisor)).collect();
        let quotients = quotients?;
        let (first, divisor) = (store.from_linear(first, sort), store.arg(base, 1));
        Some(match store.op(base) {
            Op::Mod => vec![{
                let rest = store.modulo(first, divisor);
                store.linear(rest)
            }],
            _ => {
                let first = store.div(first, divisor);
                std::iter::once(store.linear(first)).chain(quotients).collect()
            }
        })
    }

    /// A term that has the same value in every round, over the state at the start. All parts of the state in it must have their closed forms.
    pub fn constant(&self, store: &mut Store, t: Term) -> Option<Term> {
        let mut start = Substitution::new();
        let parts: Vec<Term> = store.post_order([t]).filter(|p| self.of.contains_key(p)).collect();
        for part in parts {
            let value = match &self.of[&part] {
                ClosedForm::Same(value) => *value,
                ClosedForm::Number(coefficients) => match coefficients.as_slice() {
                    [only] => {
                        let sort = store.sort_of(part);
                        store.from_linear(only, sort)
                    }
                    _ => return None,
                },
            };
            start.insert(part, value);
        }
        Some(start.apply(store, t))
    }

    /// The closed form of a part of the state.
    pub fn form(&self, t: Term) -> Option<&ClosedForm> {
        self.of.get(&t)
    }

    /// Does everything move by numerals?
    pub fn is_steady(&self) -> bool {
        self.of.values().all(|form| match form {
            ClosedForm::Number(c) => c.len() <= 2 && c.get(1).is_none_or(Linear::is_constant),
            ClosedForm::Same(_) => true,
        })
    }

    /// The terms that the changes from round to round depend on.
    pub fn slopes(&self) -> FxHashSet<Term> {
        let mut out = FxHashSet::default();
        for form in self.of.values() {
            let ClosedForm::Number(coefficients) = form else { continue };
            out.extend(coefficients[1..].iter().flat_map(|c| &c.terms).map(|(t, _)| *t));
        }
        out
    }

    /// The value of a part of the state after so many rounds.
    pub fn after(&self, store: &mut Store, v: Term, count: &Count) -> Option<Term> {
        match self.of.get(&v)? {
            ClosedForm::Same(value) => Some(*value),
            ClosedForm::Number(coefficients) => {
                let sort = store.sort_of(v);
                let value = at(store, coefficients, count, 0, sort)?;
                Some(store.from_linear(&value, sort))
            }
        }
    }
}

impl ClosedForm {
    /// Is it the same in every round?
    pub fn is_same(&self) -> bool {
        match self {
            ClosedForm::Same(_) => true,
            ClosedForm::Number(coefficients) => coefficients.len() == 1,
        }
    }
}

fn alone(v: Term) -> Linear {
    Linear { constant: Rational::ZERO, terms: vec![(v, Rational::ONE)] }
}

/// Coefficients without those of the highest degrees that are zero.
fn trimmed(mut coefficients: Vec<Linear>) -> Vec<Linear> {
    while coefficients.len() > 1 && coefficients.last().is_some_and(|c| *c == Linear::default()) {
        coefficients.pop();
    }
    coefficients
}

/// The polynomial that is a round later what this one is: by Newton's series for `j - 1`.
fn one_round_earlier(coefficients: &[Linear]) -> Vec<Linear> {
    let mut out = Vec::with_capacity(coefficients.len());
    for d in 0..coefficients.len() {
        let sign = |n: usize| if n.is_multiple_of(2) { Rational::ONE } else { Rational::MINUS_ONE };
        out.push(combination(coefficients[d..].iter().enumerate().map(|(n, c)| (c, sign(n)))));
    }
    out
}

/// A numeral divided by another one that divides it.
fn quotient(l: &Linear, divisor: &Rational) -> Option<Linear> {
    let quotient = l.is_constant().then(|| l.constant.checked_div(divisor)).flatten()?;
    quotient.is_integer().then(|| Linear::constant(quotient))
}

/// A polynomial at so many rounds less some.
pub(super) fn at(
    store: &mut Store,
    coefficients: &[Linear],
    count: &Count,
    less: u64,
    sort: Sort,
) -> Option<Linear> {
    match count {
        Count::Fixed(rounds) => {
            let round = rounds - less;
            Some(combination(coefficients.iter().enumerate().map(|(d, c)| (c, binomial(round, d)))))
        }
        Count::Any(rounds) => match coefficients {
            [same] => Some(same.clone()),
            [first, slope] if slope.is_constant() => {
                let rounds = if sort == Sort::REAL { store.to_real(*rounds) } else { *rounds };
                let mut value = first.clone();
                value.add_scaled(&store.linear(rounds), &slope.constant);
                value.constant -= &(&slope.constant * Rational::from(less as i64));
                Some(value)
            }
            _ => None,
        },
    }
}
