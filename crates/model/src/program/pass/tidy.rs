//! Tidying: what other passes left behind is written more simply, without any knowledge of values.
//!
//! Memory that is accessed in several sizes is kept in bytes, so a word that was written and is read again is taken apart
//! and put together. And where large blocks join branches, a read at a constant place asks both memories, although
//! each of them knows the answer. Solvers pay dearly for either.

use crate::program::back::map::{BackMap, Copy};
use crate::{Action, Program};
use bolide_base::Rational;
use bolide_term::{Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// Longer sums are not searched for parts of words.
const MAX_SUM: usize = 32;

/// Writes the terms of a program more simply.
pub fn tidy(store: &mut Store, program: &Program) -> (Program, BackMap) {
    let mut new = program.clone();
    let mut tidier = Tidier::default();
    for edge in new.procs.iter_mut().flat_map(|p| p.edges.iter_mut()) {
        match &mut edge.action {
            Action::Step(step) => {
                step.guard = tidier.term(store, step.guard);
                step.assigns.iter_mut().for_each(|(_, t)| *t = tidier.term(store, *t));
            }
            Action::Call(call) => call.args.iter_mut().for_each(|t| *t = tidier.term(store, *t)),
        }
    }
    let copies = program.procs.iter_enumerated().map(|(proc, p)| {
        p.edges.iter_enumerated().map(|(edge, e)| Some(Copy::faithful(proc, edge, e))).collect()
    });
    let map = BackMap::identity(program, copies.collect());
    (new, map)
}

#[derive(Default)]
struct Tidier {
    /// What became of terms.
    done: FxHashMap<Term, Term>,
    /// What arrays hold at constant places.
    reads: FxHashMap<(Term, Term), Term>,
}

impl Tidier {
    /// An equal term. Blocks share most of their terms, so what was done before is not looked at again.
    fn term(&mut self, store: &mut Store, t: Term) -> Term {
        let mut work = vec![t];
        while let Some(&u) = work.last() {
            let known = work.len();
            if !self.done.contains_key(&u) {
                work.extend(store.args(u).iter().filter(|a| !self.done.contains_key(a)));
            }
            if work.len() > known {
                continue;
            }
            work.pop();
            if self.done.contains_key(&u) {
                continue;
            }
            let args: Vec<Term> = store.args(u).iter().map(|a| self.done[a]).collect();
            let same = args == store.args(u);
            let rebuilt = if same { u } else { store.rebuild(u, &args) };
            let tidied = match store.op(rebuilt) {
                Op::Add => join_words(store, rebuilt),
                Op::Le => decide_remainder(store, rebuilt),
                Op::Select => self.read(store, store.arg(rebuilt, 0), store.arg(rebuilt, 1)),
                _ => rebuilt,
            };
            self.done.insert(u, tidied);
        }
        self.done[&t]
    }

    /// `(select a k)`; at a constant place of an array that is chosen among others, what is known of them.
    fn read(&mut self, store: &mut Store, a: Term, k: Term) -> Term {
        let mut work = vec![a];
        while let Some(&at) = work.last() {
            let plain = store.select(at, k);
            let known = match choice(store, plain) {
                Some([c, left, right]) => match [left, right].map(|x| self.reads.get(&(x, k)).copied()) {
                    [Some(l), Some(r)] if [l, r].iter().any(|&x| store.op(x) != Op::Select) => {
                        store.ite(c, l, r)
                    }
                    [Some(_), Some(_)] => plain,
                    missing => {
                        work.extend([left, right].iter().zip(missing).filter(|m| m.1.is_none()).map(|m| m.0));
                        continue;
                    }
                },
                None => plain,
            };
            self.reads.insert((at, k), known);
            work.pop();
        }
        self.reads[&(a, k)]
    }
}

/// The condition and the two arrays of a read at a constant place of one of them.
fn choice(store: &Store, read: Term) -> Option<[Term; 3]> {
    let is_read = store.op(read) == Op::Select && store.as_num(store.arg(read, 1)).is_some();
    let array = is_read.then(|| store.arg(read, 0)).filter(|&a| store.op(a) == Op::Ite)?;
    Some([store.arg(array, 0), store.arg(array, 1), store.arg(array, 2)])
}

/// A number that something is divided by.
fn divisor(store: &Store, t: Term) -> Option<&Rational> {
    store.as_num(store.arg(t, 1)).filter(|d| d.is_positive())
}

/// Puts parts of a word together: `m (div x m) + (mod x m)` is `x`, and `m (mod (div x m) n) + (mod x m)` is `(mod x mn)`.
fn join_words(store: &mut Store, sum: Term) -> Term {
    let parts = store.args(sum).len();
    let mut l = store.linear(sum);
    if !(2..=MAX_SUM).contains(&parts) || l.terms.len() > MAX_SUM {
        return sum;
    }
    let mut changed = false;
    while let Some((low, high, joined)) = find_halves(store, &l.terms) {
        l.terms[low].0 = joined;
        l.terms.remove(high);
        changed = true;
    }
    if !changed {
        return sum;
    }
    let monomials: Vec<Term> = l.terms.iter().map(|(t, c)| store.scale(c, *t)).collect();
    let constant = store.num(l.constant, Sort::INT);
    store.add(&[&[constant], &monomials[..]].concat())
}

/// Two monomials that are the low and the high part of one, and what they are together.
fn find_halves(store: &mut Store, terms: &[(Term, Rational)]) -> Option<(usize, usize, Term)> {
    for (low, (t, factor)) in terms.iter().enumerate() {
        if store.op(*t) != Op::Mod {
            continue;
        }
        let Some(m) = divisor(store, *t).cloned() else { continue };
        let word = store.arg(*t, 0);
        let is_quotient = |store: &Store, q: Term| {
            store.op(q) == Op::Div && store.arg(q, 0) == word && divisor(store, q) == Some(&m)
        };
        for (high, (q, c)) in terms.iter().enumerate() {
            if *c != factor * &m {
                continue;
            }
            if is_quotient(store, *q) {
                return Some((low, high, word));
            }
            if store.op(*q) == Op::Mod
                && is_quotient(store, store.arg(*q, 0))
                && let Some(n) = divisor(store, *q)
            {
                let both = &m * n;
                let both = store.num(both, Sort::INT);
                return Some((low, high, store.modulo(word, both)));
            }
        }
    }
    None
}

/// A bound on a remainder, decided where remainders lie within it or beyond.
fn decide_remainder(store: &mut Store, atom: Term) -> Term {
    let l = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
    let [(t, c)] = &l.terms[..] else { return atom };
    if store.op(*t) != Op::Mod {
        return atom;
    }
    let Some(m) = divisor(store, *t) else { return atom };
    let largest = m - &Rational::ONE;
    // The atom is `c t + constant <= 0` with `t` from 0 to `largest`.
    let ends = [l.constant.clone(), &(c * &largest) + &l.constant];
    match ends.iter().filter(|end| end.is_positive()).count() {
        0 => store.tru(),
        2 => store.fls(),
        _ => atom,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_term::{Evaluator, Model, Value};

    #[test]
    fn words_are_put_together() {
        let mut s = Store::new();
        let x = s.var("x", Sort::INT);
        let mut parts = Vec::new();
        for k in 0..4 {
            let (shift, byte) = (s.int(1 << (8 * k)), s.int(256));
            let shifted = s.div(x, shift);
            let part = if k == 3 { shifted } else { s.modulo(shifted, byte) };
            parts.push(s.scale(&Rational::from(1_i64 << (8 * k)), part));
        }
        let one = s.int(1);
        let expected = s.add(&[x, one]);
        let sum = s.add(&[parts[2], parts[0], one, parts[3], parts[1]]);
        assert_eq!(Tidier::default().term(&mut s, sum), expected);
        let half = s.add(&parts[1..3]);
        assert_eq!(Tidier::default().term(&mut s, half), half);
    }

    #[test]
    fn reads_ask_both_branches() {
        let mut s = Store::new();
        let sort = s.array_sort(Sort::INT, Sort::INT);
        let (a, c, i) = (s.var("a", sort), s.var("c", Sort::BOOL), s.var("i", Sort::INT));
        let (one, two) = (s.int(1), s.int(2));
        let (left, right) = (s.store(a, one, i), s.store(a, two, i));
        let either = s.ite(c, left, right);
        let read = s.select(either, one);
        let known = s.select(a, one);
        let expected = s.ite(c, i, known);
        assert_eq!(Tidier::default().term(&mut s, read), expected);
        let anywhere = s.select(either, i);
        assert_eq!(Tidier::default().term(&mut s, anywhere), anywhere);
    }

    #[test]
    fn random_sums_keep_their_values() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |n: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % n
        };
        for _ in 0..2_000 {
            let mut s = Store::new();
            let x = s.var("x", Sort::INT);
            let mut sum = vec![s.int(random(5) as i64)];
            for _ in 0..2 + random(5) {
                let (m, n, c) = ([2, 4, 8, -4][random(4) as usize], 2 << random(3), 1 << random(5));
                let (m, n) = (s.int(m), s.int(n));
                let quotient = if random(3) == 0 { x } else { s.div(x, m) };
                let part = if random(3) == 0 { quotient } else { s.modulo(quotient, n) };
                sum.push(s.scale(&Rational::from(c as i64), part));
            }
            let sum = s.add(&sum);
            let bound = s.int(random(12) as i64 - 2);
            let atom = s.le(sum, bound);
            let mut tidier = Tidier::default();
            let (new_sum, new_atom) = (tidier.term(&mut s, sum), tidier.term(&mut s, atom));
            for value in -20..20_i64 {
                let mut model = Model::default();
                model.set(s.as_var(x).expect("a variable"), Value::Num(Rational::from(value)));
                let value_of = |t| Evaluator::new(&s, &model).eval(t).expect("a value");
                assert_eq!(value_of(sum), value_of(new_sum));
                assert_eq!(value_of(atom), value_of(new_atom));
            }
        }
    }
}
