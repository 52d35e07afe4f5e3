//! Lemmas by analogy.
//!
//! Programs of many parts that are alike, such as tasks, locks or flags, have invariants of many lemmas that are alike: one for each part,
//! or for each two of them. Two lemmas that differ in their variables alone show which variables play the same parts: exchanging those makes one
//! of the other. Whenever a lemma is learned, the exchanges that are known make others of it, and those that hold, which is one question
//! each, are lemmas, too, before any goal asks for them.

use super::Pdr;
use crate::horn::frames::Stop;
use crate::horn::frames::cube::{Shape, literal, shape};
use bolide_base::Rational;
use bolide_term::{Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Lemmas with more literals are alike by chance.
const MAX_LITERALS: usize = 8;
/// Lemmas that differ in more literals play no parts that are alike.
const MAX_DIFFERENT: usize = 4;
/// A lemma is compared with so many of the latest ones.
const RECENT: usize = 8;
/// No more exchanges than this are looked at.
const MAX_EXCHANGES: usize = 400;
/// An attempt is one question, and a lemma that a goal asks for takes dozens: so many attempts may fail for each that holds.
const FAILURES_PER_LEMMA: u32 = 4;
/// So many may fail besides, of one exchange and of all.
const FAILURES: u32 = 3;
const ALL_FAILURES: u32 = 100;

/// What literals look like, whatever their variables: what kind they are of, their coefficients, their constant.
type Form = (u8, Vec<Rational>, Rational);

/// Variables that are exchanged.
struct Exchange {
    pred: usize,
    /// Each variable is in one pair; the first of a pair is the older one.
    pairs: Vec<(Term, Term)>,
    tally: Tally,
}

/// What became of attempts.
#[derive(Clone, Copy, Default)]
struct Tally {
    held: u32,
    failed: u32,
}

impl Tally {
    fn note(&mut self, holds: bool) {
        match holds {
            true => self.held += 1,
            false => self.failed += 1,
        }
    }

    /// Is another attempt worth its while, if so many may fail?
    fn is_promising(self, failures: u32) -> bool {
        self.failed <= failures + FAILURES_PER_LEMMA * self.held
    }
}

/// What is known of lemmas that are alike.
#[derive(Default)]
pub struct Analogies {
    /// How many lemmas have been looked at.
    seen: usize,
    /// The latest ones of each form.
    recent: FxHashMap<(usize, Vec<Form>), Vec<Vec<Term>>>,
    exchanges: Vec<Exchange>,
    known: FxHashSet<(usize, Vec<(Term, Term)>)>,
    asked: FxHashSet<(usize, Vec<Term>, usize)>,
    tally: Tally,
}

impl Analogies {
    /// How many lemmas came of it.
    pub fn held(&self) -> u64 {
        u64::from(self.tally.held)
    }

    /// Finds out which variables a lemma about a predicate shows to play the same parts as those of others.
    fn compare(&mut self, store: &Store, pred: usize, cube: &[Term]) {
        let Some(form) = form_of(store, cube) else { return };
        let others = self.recent.entry((pred, form)).or_default();
        for other in others.iter().rev().take(RECENT) {
            if self.exchanges.len() < MAX_EXCHANGES
                && let Some(pairs) = difference(store, cube, other)
                && self.known.insert((pred, pairs.clone()))
            {
                self.exchanges.push(Exchange { pred, pairs, tally: Tally::default() });
            }
        }
        others.push(cube.to_vec());
    }

    /// The exchanges that make something else of a lemma about a predicate, without those that are parts of others that touch more of it.
    fn applicable(&self, store: &Store, pred: usize, cube: &[Term]) -> Vec<usize> {
        let variables: FxHashSet<Term> =
            store.post_order(cube.iter().copied()).filter(|&t| store.as_var(t).is_some()).collect();
        let touched =
            |e: &Exchange| e.pairs.iter().flat_map(|p| [p.0, p.1]).filter(|v| variables.contains(v)).count();
        let all: Vec<(usize, usize)> = (0..self.exchanges.len())
            .filter(|&n| self.exchanges[n].pred == pred)
            .map(|n| (n, touched(&self.exchanges[n])))
            .filter(|e| e.1 > 0)
            .collect();
        let is_part = |&(n, touched): &(usize, usize)| {
            let own = &self.exchanges[n].pairs;
            all.iter().any(|&(m, more)| {
                more > touched && own.iter().all(|pair| self.exchanges[m].pairs.contains(pair))
            })
        };
        all.iter().filter(|e| !is_part(e)).map(|e| e.0).collect()
    }
}

impl Pdr<'_> {
    /// Makes lemmas that are like those that were learned since the last time, as long as there are any.
    pub fn learn_by_analogy(&mut self) -> Result<(), Stop> {
        while self.analogies.seen < self.known.lemmas.len() {
            let lemma = &self.known.lemmas[self.analogies.seen];
            let (pred, cube, level) = (lemma.pred, lemma.cube.clone(), lemma.level.min(self.known.level));
            self.analogies.seen += 1;
            if !lemma.alive || cube.is_empty() || cube.len() > MAX_LITERALS {
                continue;
            }
            self.analogies.compare(self.known.store, pred, &cube);
            if !self.analogies.tally.is_promising(ALL_FAILURES) {
                continue;
            }
            for n in self.analogies.applicable(self.known.store, pred, &cube) {
                let exchange = &self.analogies.exchanges[n];
                if !exchange.tally.is_promising(FAILURES) {
                    continue;
                }
                let Some(other) = exchanged(self.known.store, &cube, &exchange.pairs) else { continue };
                let is_new = other != cube
                    && !self.known.is_subsumed(pred, &other, level)
                    && self.analogies.asked.insert((pred, other.clone(), level));
                if !is_new {
                    continue;
                }
                let found = self.known.is_inductive(pred, &other, level)?;
                self.analogies.tally.note(found.is_some());
                self.analogies.exchanges[n].tally.note(found.is_some());
                if let Some(found) = found {
                    self.known.add_lemma(pred, found.core, found.level);
                }
            }
        }
        Ok(())
    }
}

/// What a literal looks like, and its variables in an order that depends on that; `None` if there is more to it.
fn parts(store: &Store, l: Term) -> Option<(Form, Vec<Term>)> {
    let (shape, constant) = shape(store, l);
    let (kind, mut monomials) = match shape {
        Shape::Bound(monomials, strict) => (u8::from(strict), monomials),
        Shape::Differs(monomials) => (2, monomials),
        Shape::Literal(l) => {
            let (atom, is_positive) = store.literal(l);
            (3 + u8::from(is_positive), vec![(atom, Rational::ONE)])
        }
    };
    if monomials.iter().any(|m| store.as_var(m.0).is_none()) {
        return None;
    }
    monomials.sort_by(|a, b| a.1.cmp(&b.1).then(a.0.cmp(&b.0)));
    let (variables, coefficients) = monomials.into_iter().unzip();
    Some(((kind, coefficients, constant), variables))
}

/// What the literals of a cube look like, in order.
fn form_of(store: &Store, cube: &[Term]) -> Option<Vec<Form>> {
    let mut forms = Vec::with_capacity(cube.len());
    for &l in cube {
        forms.push(parts(store, l)?.0);
    }
    forms.sort();
    Some(forms)
}

/// The variables that have to be exchanged to make one cube of another one of the same form, if it is plain which these are.
fn difference(store: &Store, a: &[Term], b: &[Term]) -> Option<Vec<(Term, Term)>> {
    let only = |own: &[Term], other: &[Term]| {
        let rest = own.iter().filter(|l| !other.contains(l));
        let mut rest: Vec<(Form, Vec<Term>)> = rest.map(|&l| parts(store, l)).collect::<Option<_>>()?;
        rest.sort();
        Some(rest)
    };
    let (of_a, of_b) = (only(a, b)?, only(b, a)?);
    let is_ambiguous = of_a.windows(2).any(|w| w[0].0 == w[1].0);
    if of_a.is_empty() || of_a.len() > MAX_DIFFERENT || of_a.len() != of_b.len() || is_ambiguous {
        return None;
    }
    let mut pairs = Vec::new();
    for ((form, from), (other, to)) in of_a.iter().zip(&of_b) {
        if form != other {
            return None;
        }
        let differ = from.iter().zip(to).filter(|(x, y)| x != y);
        pairs.extend(differ.map(|(&x, &y)| (x.min(y), x.max(y))));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut seen = FxHashSet::default();
    let is_exchange =
        pairs.iter().all(|&(x, y)| store.sort_of(x) == store.sort_of(y) && seen.insert(x) && seen.insert(y));
    (is_exchange && !pairs.is_empty()).then_some(pairs)
}

/// A cube with variables exchanged.
fn exchanged(store: &mut Store, cube: &[Term], pairs: &[(Term, Term)]) -> Option<Vec<Term>> {
    let other = |v: Term| {
        let pair = pairs.iter().find(|p| p.0 == v || p.1 == v);
        pair.map_or(v, |&(x, y)| if x == v { y } else { x })
    };
    let mut out = Vec::with_capacity(cube.len());
    for &l in cube {
        let (old, constant) = shape(store, l);
        let swapped = |monomials: Vec<(Term, Rational)>| {
            let mut new: Vec<(Term, Rational)> = monomials.into_iter().map(|(v, c)| (other(v), c)).collect();
            new.sort_by_key(|m| m.0);
            new
        };
        out.push(match old {
            Shape::Bound(monomials, strict) => {
                literal(store, &Shape::Bound(swapped(monomials), strict), &constant)
            }
            Shape::Differs(monomials) => literal(store, &Shape::Differs(swapped(monomials)), &constant),
            Shape::Literal(l) => {
                let (atom, is_positive) = store.literal(l);
                store.as_var(atom)?;
                let atom = other(atom);
                if is_positive { atom } else { store.not(atom) }
            }
        });
    }
    out.sort_unstable();
    out.dedup();
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_term::Sort;

    #[test]
    fn lemmas_that_differ_in_one_part_show_what_to_exchange() {
        let mut s = Store::new();
        let vars = ["at1", "up1", "at2", "up2", "at3", "up3"].map(|n| s.var(n, Sort::INT));
        let [at1, up1, at2, up2, at3, up3] = vars;
        let (zero, one) = (s.int(0), s.int(1));
        let mut cube = |at: Term, up: Term, other: Term| {
            let mut cube = vec![s.le(one, at), s.le(up, zero), s.le(other, one)];
            cube.sort_unstable();
            cube
        };
        let (first, second, third) = (cube(at1, up1, up3), cube(at2, up2, up3), cube(at1, up1, up2));
        let mut analogies = Analogies::default();
        analogies.compare(&s, 0, &first);
        analogies.compare(&s, 0, &second);
        let pairs = difference(&s, &second, &first).expect("an exchange");
        assert_eq!(pairs, vec![(at1, at2), (up1, up2)]);
        assert_eq!(analogies.applicable(&s, 0, &third), vec![0]);
        let expected = {
            let mut cube = vec![s.le(one, at2), s.le(up2, zero), s.le(up1, one)];
            cube.sort_unstable();
            cube
        };
        assert_eq!(exchanged(&mut s, &third, &pairs), Some(expected));
        assert_eq!(exchanged(&mut s, &first, &[(at3, up3)]).map(|c| c.len()), Some(3));
    }
}
