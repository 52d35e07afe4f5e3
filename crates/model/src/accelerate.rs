//! Many rounds of a loop as one transition.
//!
//! A [`Body`] says what one round does: a guard, and the values of the state afterwards. If every part of the state has a *closed form*, a
//! polynomial in the number of the round whose coefficients are linear in the state at the start, then the state after `k` rounds is known,
//! and so is what the guard says in each of them. [`accelerate`] makes *accelerations* of that: a guard and the state after `k >= 1` rounds at
//! once, where `k` is a constant that may have any value for which the guard holds.
//!
//! Every acceleration is an **under-approximation**: it is implied by rounds one after the other. A guard is asked for in its first and its last
//! round if it is monotone in between, of a disjunction the same case holds in all rounds, and what a round chooses stays the same. Where nothing
//! of this loses anything, the acceleration is *exact* and stands for the loop. Machine integers wrap by `ite`, so an acceleration of one [`Path`] through
//! the body ends before a wrap, and the round that wraps is a path of its own.
//!
//! | closed form | what is made of it |
//! |---|---|
//! | `x + c * k` with a numeral `c` | any number of rounds, linear in `k` |
//! | `x + y * k`, sums of counters (up to the third degree) | the powers of four as numbers of rounds, each linear in the state |
//! | `x + i * k` with a choice `i` | numerals for `i` that the guard suggests |
//! | values that come a round or two late (`old = x`) | the first rounds one by one, then as above |
//!
//! After Kroening, Lewis and Weissenbacher, *Under-approximating Loops in C Programs for Fast Counterexample Detection* (CAV 2013), and Frohn and
//! Giesl, *ADCL: Acceleration Driven Clause Learning for Constrained Horn Clauses* (SAS 2023) and *Accelerated Bounded Model Checking* (2024).

mod closed_form;
mod path;
mod throughout;

pub use path::{Path, paths};

use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Substitution, Term};
use closed_form::ClosedForms;
use rustc_hash::FxHashSet;
use throughout::Throughout;

/// Numbers of rounds where the state after them is linear for each of them only.
const POWERS: [u64; 10] = [2, 4, 16, 64, 256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 20];
/// So many numerals are tried for what a round chooses.
const MOST_CHOICES: usize = 4;

/// One round of a loop. Constants that are not part of the state are choices of the round.
#[derive(Clone, Debug)]
pub struct Body {
    /// The constants of the state.
    pub state: Vec<Term>,
    /// What holds before the round.
    pub guard: Term,
    /// The state afterwards, over the state before and the choices.
    pub next: Vec<Term>,
}

/// Some number of rounds at once.
#[derive(Clone, Debug)]
pub struct Acceleration {
    /// The number of rounds, an integer term.
    pub rounds: Term,
    /// What holds before the first of them.
    pub guard: Term,
    /// The state after the last of them.
    pub next: Vec<Term>,
    /// Choices that have a value of their own in all rounds.
    pub chosen: Vec<(Term, Term)>,
    /// Does it say all about every number of rounds?
    pub is_exact: bool,
}

/// How many rounds a formula is about.
#[derive(Clone, Debug)]
enum Count {
    /// As many as this constant says.
    Any(Term),
    /// So many.
    Fixed(u64),
}

impl Body {
    /// The constants that it chooses.
    pub fn choices(&self, store: &Store) -> Vec<Term> {
        let mut seen: FxHashSet<Term> = self.state.iter().copied().collect();
        let terms = self.next.iter().copied().chain([self.guard]);
        store.post_order(terms).filter(|&t| store.as_var(t).is_some() && seen.insert(t)).collect()
    }

    /// This round and then another one over the same state, whose choices have other names.
    pub fn then(&self, store: &mut Store, other: &Body) -> Body {
        let mut after = Substitution::new();
        self.state.iter().zip(&self.next).for_each(|(&v, &t)| after.insert(v, t));
        let guard = after.apply(store, other.guard);
        let guard = store.and(&[self.guard, guard]);
        let next = other.next.iter().map(|&t| after.apply(store, t)).collect();
        Body { state: self.state.clone(), guard, next }
    }

    /// The same with values for some choices.
    fn with(&self, store: &mut Store, chosen: &[(Term, Term)]) -> Body {
        let mut subst = Substitution::new();
        chosen.iter().for_each(|&(v, t)| subst.insert(v, t));
        let next = self.next.iter().map(|&t| subst.apply(store, t)).collect();
        Body { state: self.state.clone(), guard: subst.apply(store, self.guard), next }
    }
}

/// The accelerations of a body without branches; none if some part of the state has no closed form that is known.
pub fn accelerate(store: &mut Store, body: &Body) -> Vec<Acceleration> {
    let Some(forms) = ClosedForms::new(store, body) else { return Vec::new() };
    let slopes = forms.slopes();
    let steep: Vec<Term> = body.choices(store).into_iter().filter(|v| slopes.contains(v)).collect();
    if steep.is_empty() {
        return acceleration(store, body, &forms).into_iter().collect();
    }
    let mut out = Vec::new();
    for value in suggested(store, body, &steep) {
        let mut chosen = Vec::with_capacity(steep.len());
        for &v in &steep {
            let sort = store.sort_of(v);
            chosen.push((v, store.num(value.clone(), sort)));
        }
        let body = body.with(store, &chosen);
        let Some(forms) = ClosedForms::new(store, &body) else { continue };
        out.extend(acceleration(store, &body, &forms).map(|s| Acceleration { chosen, is_exact: false, ..s }));
    }
    out
}

/// The acceleration of a body whose state has these closed forms.
fn acceleration(store: &mut Store, body: &Body, forms: &ClosedForms) -> Option<Acceleration> {
    match forms.is_steady() {
        true => any_number_of_rounds(store, body, forms),
        false => powers_of_rounds(store, body, forms),
    }
}

/// Numerals for choices: one more, one less, and the bounds that the guard has for them.
fn suggested(store: &Store, body: &Body, choices: &[Term]) -> Vec<Rational> {
    let mut out = vec![Rational::ONE, Rational::MINUS_ONE];
    for t in store.post_order([body.guard]).filter(|&t| matches!(store.op(t), Op::Le | Op::Eq)) {
        if !store.sort_of(store.arg(t, 0)).is_arith() {
            continue;
        }
        let difference = store.linear_difference(store.arg(t, 0), store.arg(t, 1));
        if let [(v, factor)] = difference.terms.as_slice()
            && choices.contains(v)
        {
            let bound = -(difference.constant / factor);
            if (bound.is_integer() || store.sort_of(*v) == Sort::REAL) && !out.contains(&bound) {
                out.push(bound);
            }
        }
    }
    out.truncate(MOST_CHOICES);
    out
}

/// An acceleration of any number of rounds; nothing if its guard is false.
fn any_number_of_rounds(store: &mut Store, body: &Body, forms: &ClosedForms) -> Option<Acceleration> {
    let count = store.fresh_var("rounds", Sort::INT);
    let late = forms.delay;
    let mut throughout = Throughout::new(forms, Count::Any(count));
    let guard = throughout.of(store, body.guard)?;
    let is_exact = throughout.is_exact && late == 0 && body.choices(store).is_empty();
    let one = store.int(1);
    let mut next = Vec::with_capacity(body.state.len());
    for &v in &body.state {
        next.push(forms.after(store, v, &Count::Any(count))?);
    }
    let parts = [store.le(one, count), guard];
    let guard = store.and(&parts);
    let (guard, next) = behind(store, body, late, guard, next);
    let late = store.int(late as i64);
    let rounds = store.add(&[count, late]);
    let acceleration = Acceleration { rounds, guard, next, chosen: Vec::new(), is_exact };
    (guard != store.fls()).then_some(acceleration)
}

/// An acceleration whose number of rounds is one of the [`POWERS`]; nothing if its guard is false.
fn powers_of_rounds(store: &mut Store, body: &Body, forms: &ClosedForms) -> Option<Acceleration> {
    let count = store.fresh_var("rounds", Sort::INT);
    let late = forms.delay;
    let mut after = Vec::with_capacity(body.state.len());
    for &v in &body.state {
        let sort = store.sort_of(v);
        after.push(store.fresh_var("after", sort));
    }
    let mut cases = Vec::new();
    for power in POWERS {
        let Some(guard) = Throughout::new(forms, Count::Fixed(power)).of(store, body.guard) else {
            continue;
        };
        let mut next = Vec::with_capacity(body.state.len());
        for &v in &body.state {
            next.push(forms.after(store, v, &Count::Fixed(power))?);
        }
        let (guard, next) = behind(store, body, late, guard, next);
        let power = store.int(power as i64);
        let mut parts = vec![store.eq(count, power), guard];
        for (&v, &t) in after.iter().zip(&next) {
            parts.push(store.eq(v, t));
        }
        cases.push(store.and(&parts));
    }
    let guard = store.or(&cases);
    let late = store.int(late as i64);
    let rounds = store.add(&[count, late]);
    let acceleration = Acceleration { rounds, guard, next: after, chosen: Vec::new(), is_exact: false };
    (guard != store.fls()).then_some(acceleration)
}

/// What is said about the state after some rounds, said about the state before them, and their own guards.
fn behind(store: &mut Store, body: &Body, rounds: usize, guard: Term, next: Vec<Term>) -> (Term, Vec<Term>) {
    let mut guards = Vec::with_capacity(rounds + 1);
    let mut now = Substitution::new();
    for _ in 0..rounds {
        guards.push(now.apply(store, body.guard));
        let state: Vec<Term> = body.next.iter().map(|&t| now.apply(store, t)).collect();
        now = Substitution::new();
        body.state.iter().zip(&state).for_each(|(&v, &t)| now.insert(v, t));
    }
    guards.push(now.apply(store, guard));
    (store.and(&guards), next.iter().map(|&t| now.apply(store, t)).collect())
}

/// A linear expression with a factor for each of several others.
fn combination<'a>(parts: impl IntoIterator<Item = (&'a Linear, Rational)>) -> Linear {
    let mut out = Linear::default();
    parts.into_iter().for_each(|(l, factor)| out.add_scaled(l, &factor));
    out
}

/// The binomial coefficient.
fn binomial(n: u64, k: usize) -> Rational {
    let mut out = Rational::ONE;
    for i in 0..k as u64 {
        if n < i + 1 {
            return Rational::ZERO;
        }
        out = out * Rational::from((n - i) as i64) / Rational::from((i + 1) as i64);
    }
    out
}
