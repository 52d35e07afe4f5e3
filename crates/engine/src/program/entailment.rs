//! Memoised entailment between labels.

use super::art::Label;
use super::literal::{Bounds, Comparable};
use super::path::Ranges;
use bolide_base::Budget;
use bolide_smt::{Answer, Solver};
use bolide_term::{Func, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// So many conjuncts that are added to a label together are asked about in one solver.
const MANY: usize = 12;

/// Decides whether a set of conjuncts entails a formula, and remembers the answers.
///
/// Only conjuncts that have to do with the formula are looked at: those that share a symbol with it, or with one of these.
/// So labels that contradict themselves elsewhere entail less than they could; nobody asks with such a label.
#[derive(Default)]
pub struct Entailment {
    /// Numbers of the antecedents met so far.
    antecedents: FxHashMap<Label, u32>,
    memo: FxHashMap<(u32, Term), bool>,
    /// The symbols of terms, in order.
    symbols: FxHashMap<Term, Rc<[Func]>>,
    bounds: Bounds,
    /// The ranges of machine integers, which hold of all states.
    ranges: Ranges,
    /// How many steps a query may take, if that is limited.
    steps: Option<u64>,
    /// Time spent in the solver.
    pub time: Duration,
    /// Queries that reached the solver.
    pub solved: u64,
    /// Queries answered from memory or by inspection.
    pub remembered: u64,
}

impl Entailment {
    /// Entailment between facts about states of a program with these ranges.
    pub fn new(store: &Store, ranges: Ranges) -> Entailment {
        Entailment { bounds: Bounds::new(store, &ranges), ranges, ..Entailment::default() }
    }

    /// The same, with a limit on the steps of a query. What is not decided by then counts as no.
    pub fn with_steps(self, steps: u64) -> Entailment {
        Entailment { steps: Some(steps), ..self }
    }

    /// Does the label `a` entail every conjunct of `b`? No answer counts as no.
    pub fn entails(&mut self, store: &mut Store, a: &Label, b: &Label, budget: &Budget) -> bool {
        if a.first() == Some(&store.fls()) {
            return true;
        }
        b.iter().all(|&t| a.binary_search(&t).is_ok() || self.entails_one(store, a, t, budget))
    }

    /// Does a label entail a formula?
    pub fn entails_one(&mut self, store: &mut Store, a: &[Term], t: Term, budget: &Budget) -> bool {
        if t == store.tru() || a.binary_search(&t).is_ok() {
            self.remembered += 1;
            return true;
        }
        let (near, is_closed) = self.near(store, a, t);
        match self.bounds.compare(store, &near, t) {
            Comparable::Implied => return true,
            Comparable::Independent if t != store.fls() => return false,
            Comparable::Elements if self.steps.is_some() => return false,
            _ => {}
        }
        let near = if is_closed { near } else { self.cone(store, a, t) };
        self.solve(store, near, t, budget)
    }

    /// Adds conjuncts to a label, but for those that it entails together with the ones before them. If there are many, one solver is asked
    /// about all of them, so that what they have in common is encoded once.
    pub fn add_to(&mut self, store: &mut Store, label: &mut Label, conjuncts: &[Term], budget: &Budget) {
        if conjuncts.len() < MANY || self.steps.is_some() {
            for &c in conjuncts {
                if !self.entails_one(store, label, c, budget) {
                    label.push(c);
                }
            }
            return;
        }
        let clock = Instant::now();
        let mut solver = Solver::default();
        let mut known = label.clone();
        known.extend(self.ranges.of(store, &[label.as_slice(), conjuncts].concat()));
        known.iter().for_each(|&f| solver.assert(f));
        for &c in conjuncts {
            self.solved += 1;
            let denied = store.not(c);
            if solver.check_unconfirmed(store, &[denied], budget) != Answer::Unsat {
                solver.assert(c);
                label.push(c);
            }
        }
        self.time += clock.elapsed();
    }

    /// The conjuncts that share a symbol with a formula, and whether they are all of them.
    fn near(&mut self, store: &Store, a: &[Term], t: Term) -> (Label, bool) {
        if t == store.fls() {
            return (a.to_vec(), true);
        }
        let of_t = self.symbols_of(store, t);
        let near: Label =
            a.iter().copied().filter(|&c| intersect(&self.symbols_of(store, c), &of_t)).collect();
        let is_closed = near.len() == a.len();
        (near, is_closed)
    }

    /// The conjuncts that have to do with a formula.
    fn cone(&mut self, store: &Store, a: &[Term], t: Term) -> Label {
        let mut reached: FxHashSet<Func> = self.symbols_of(store, t).iter().copied().collect();
        let mut taken = vec![false; a.len()];
        loop {
            let mut is_more = false;
            for (n, &c) in a.iter().enumerate() {
                if !taken[n] {
                    let of_c = self.symbols_of(store, c);
                    if of_c.is_empty() || of_c.iter().any(|f| reached.contains(f)) {
                        taken[n] = true;
                        is_more = true;
                        reached.extend(of_c.iter());
                    }
                }
            }
            if !is_more {
                break;
            }
        }
        a.iter().zip(taken).filter(|(_, taken)| *taken).map(|(&c, _)| c).collect()
    }

    fn symbols_of(&mut self, store: &Store, t: Term) -> Rc<[Func]> {
        let of = || {
            let mut symbols = store.symbols([t]);
            symbols.sort_unstable();
            symbols.into()
        };
        self.symbols.entry(t).or_insert_with(of).clone()
    }

    fn solve(&mut self, store: &mut Store, a: Label, t: Term, budget: &Budget) -> bool {
        let next = self.antecedents.len() as u32;
        let n = match self.antecedents.get(&a) {
            Some(&n) => n,
            None => *self.antecedents.entry(a.clone()).or_insert(next),
        };
        if let Some(&known) = self.memo.get(&(n, t)) {
            self.remembered += 1;
            return known;
        }
        self.solved += 1;
        let clock = Instant::now();
        let mut solver = Solver::default();
        let mut query = a;
        query.push(store.not(t));
        query.extend(self.ranges.of(store, &query));
        query.iter().for_each(|&f| solver.assert(f));
        let answer = match self.steps {
            Some(steps) => solver.check_unconfirmed(store, &[], &budget.clone().with_steps(steps)),
            None => solver.check_unconfirmed(store, &[], budget),
        } == Answer::Unsat;
        self.time += clock.elapsed();
        if !budget.exhausted() {
            self.memo.insert((n, t), answer);
        }
        answer
    }
}

/// Do two ordered lists share an element?
fn intersect(a: &[Func], b: &[Func]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => return true,
        }
    }
    false
}
