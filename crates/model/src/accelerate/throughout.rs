//! What holds in all of a number of rounds, said about the first of them.
//!
//! For each part of a formula there are two answers: when it holds in all rounds, and when it fails in all of them. An inequality between numbers
//! that move in one direction holds throughout if it does in the first or in the last round.

use super::closed_form::{ClosedForm, ClosedForms, at};
use super::{Count, combination};
use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

pub(super) struct Throughout<'a> {
    forms: &'a ClosedForms,
    count: Count,
    /// Is what was said not only sufficient, but necessary?
    pub is_exact: bool,
}

/// A formula that holds in all rounds, and one under which it fails in all rounds.
#[derive(Clone, Copy)]
struct Answer {
    holds: Term,
    fails: Term,
}

impl Throughout<'_> {
    pub fn new(forms: &ClosedForms, count: Count) -> Throughout<'_> {
        Throughout { forms, count, is_exact: true }
    }

    /// When a formula holds in all rounds; nothing if no answer was found but never.
    pub fn of(&mut self, store: &mut Store, formula: Term) -> Option<Term> {
        let conjuncts = store.conjuncts(formula);
        let mut parts = Vec::with_capacity(conjuncts.len());
        for c in conjuncts {
            if let Some(same) = self.forms.constant(store, c).filter(|_| self.is_settled(store, c)) {
                parts.push(same);
                continue;
            }
            let (atom, _) = store.literal(c);
            self.is_exact &= store.op(atom) == Op::Le;
            parts.push(self.answer(store, c).holds);
        }
        let all = store.and(&parts);
        (all != store.fls()).then_some(all)
    }

    /// Does a term speak only of what is the same in every round?
    fn is_settled(&self, store: &Store, t: Term) -> bool {
        store.post_order([t]).all(|p| self.forms.form(p).is_none_or(ClosedForm::is_same))
    }

    fn answer(&self, store: &mut Store, formula: Term) -> Answer {
        let is_bool = |store: &Store, t: &Term| store.sort_of(*t) == Sort::BOOL;
        let order: Vec<Term> = store.post_order([formula]).filter(|t| is_bool(store, t)).collect();
        let mut known: FxHashMap<Term, Answer> = FxHashMap::default();
        for t in order {
            let args = store.args(t).to_vec();
            let answer = match store.op(t) {
                Op::Not => Answer { holds: known[&args[0]].fails, fails: known[&args[0]].holds },
                Op::And => gathered(store, &known, &args),
                Op::Or => {
                    let holds: Vec<Term> = args.iter().map(|a| known[a].holds).collect();
                    let fails: Vec<Term> = args.iter().map(|a| known[a].fails).collect();
                    Answer { holds: store.or(&holds), fails: store.and(&fails) }
                }
                Op::Ite => {
                    let [c, a, b] = [known[&args[0]], known[&args[1]], known[&args[2]]];
                    let mut choose = |a: Term, b: Term| {
                        let (a, b) = (store.and(&[c.holds, a]), store.and(&[c.fails, b]));
                        store.or(&[a, b])
                    };
                    Answer { holds: choose(a.holds, b.holds), fails: choose(a.fails, b.fails) }
                }
                Op::Eq if is_bool(store, &args[0]) => {
                    let [a, b] = [known[&args[0]], known[&args[1]]];
                    let mut both = |p: [Term; 2], q: [Term; 2]| {
                        let (p, q) = (store.and(&p), store.and(&q));
                        store.or(&[p, q])
                    };
                    Answer {
                        holds: both([a.holds, b.holds], [a.fails, b.fails]),
                        fails: both([a.holds, b.fails], [a.fails, b.holds]),
                    }
                }
                _ => self.atom(store, t),
            };
            known.insert(t, answer);
        }
        known[&formula]
    }

    fn atom(&self, store: &mut Store, t: Term) -> Answer {
        let never = store.fls();
        if self.is_settled(store, t) {
            let holds = self.forms.constant(store, t).unwrap_or(never);
            return Answer { holds, fails: store.not(holds) };
        }
        if !matches!(store.op(t), Op::Le | Op::Eq) || !store.sort_of(store.arg(t, 0)).is_arith() {
            return Answer { holds: never, fails: never };
        }
        let sort = store.sort_of(store.arg(t, 0));
        let difference = store.linear_difference(store.arg(t, 0), store.arg(t, 1));
        let Some(form) = self.forms.of_linear(store, &difference, sort) else {
            return Answer { holds: never, fails: never };
        };
        let opposite: Vec<Linear> = form.iter().map(|c| combination([(c, Rational::MINUS_ONE)])).collect();
        let above = self.at_most_zero(store, &opposite, sort, true);
        if store.op(t) == Op::Le {
            return Answer { holds: self.at_most_zero(store, &form, sort, false), fails: above };
        }
        let below = self.at_most_zero(store, &form, sort, true);
        let zeros: Vec<Term> = form.iter().map(|c| store.linear_eq(c.clone(), sort)).collect();
        Answer { holds: store.and(&zeros), fails: store.or(&[below, above]) }
    }

    /// When a number is at most zero, or less, in all rounds.
    fn at_most_zero(&self, store: &mut Store, form: &[Linear], sort: Sort, strictly: bool) -> Term {
        let bound = |store: &mut Store, l: Option<Linear>| match l {
            Some(l) => nonpositive(store, l, sort, strictly),
            None => store.fls(),
        };
        let first = bound(store, form.first().cloned());
        let Some(slope) = form.get(1) else { return first };
        let last = at(store, form, &self.count, 1, sort);
        let last = bound(store, last);
        if form.len() == 2 {
            return match slope.is_constant() {
                true if slope.constant.is_positive() => last,
                true => first,
                false => store.and(&[first, last]),
            };
        }
        // Beyond the first degree the direction is known if all changes have one sign; what is convex is greatest at an end.
        let (rises, falls): (Vec<Term>, Vec<Term>) = form[1..]
            .iter()
            .map(|c| {
                let opposite = combination([(c, Rational::MINUS_ONE)]);
                (nonpositive(store, opposite, sort, false), nonpositive(store, c.clone(), sort, false))
            })
            .unzip();
        let rising = store.and(&rises);
        let rising = store.and(&[rising, last]);
        let falling = store.and(&falls);
        let falling = store.and(&[falling, first]);
        if form.len() > 3 {
            return store.or(&[rising, falling]);
        }
        let convex = store.and(&[rises[1], first, last]);
        // What is concave and still rises in the last round is greatest there.
        let change = &form[1..];
        let opposite: Vec<Linear> = change.iter().map(|c| combination([(c, Rational::MINUS_ONE)])).collect();
        let still = at(store, &opposite, &self.count, 2, sort);
        let still = still.map_or(store.fls(), |l| nonpositive(store, l, sort, false));
        let concave = store.and(&[falls[1], still, last]);
        store.or(&[rising, falling, convex, concave])
    }
}

fn gathered(store: &mut Store, known: &FxHashMap<Term, Answer>, args: &[Term]) -> Answer {
    let holds: Vec<Term> = args.iter().map(|a| known[a].holds).collect();
    let fails: Vec<Term> = args.iter().map(|a| known[a].fails).collect();
    Answer { holds: store.and(&holds), fails: store.or(&fails) }
}

/// `l <= 0` or `l < 0`.
fn nonpositive(store: &mut Store, mut l: Linear, sort: Sort, strictly: bool) -> Term {
    match (strictly, sort) {
        (false, _) => store.linear_le(l, sort),
        (true, Sort::INT) => {
            // Coefficients may be fractions of the closed forms' sums: l < 0 is l * d <= -1 for a common denominator d.
            let factor = l.coprime_factor();
            l.scale(&factor);
            let whole = l.constant.is_integer();
            l.constant = if whole { l.constant + Rational::ONE } else { l.constant.ceil() };
            store.linear_le(l, sort)
        }
        (true, _) => {
            l.scale(&Rational::MINUS_ONE);
            let opposite = store.linear_le(l, sort);
            store.not(opposite)
        }
    }
}
