//! Memoised entailment between labels.

use super::art::Label;
use super::path::Ranges;
use bolide_base::Budget;
use bolide_smt::{Answer, Solver};
use bolide_term::{Store, Term};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// Decides whether a set of conjuncts entails a formula, and remembers the answers.
#[derive(Default)]
pub struct Entailment {
    /// Numbers of the antecedents met so far.
    antecedents: FxHashMap<Label, u32>,
    memo: FxHashMap<(u32, Term), bool>,
    /// The ranges of machine integers, which hold of all states.
    ranges: Ranges,
    /// Time spent in the solver.
    pub time: Duration,
    /// Queries that reached the solver.
    pub solved: u64,
    /// Queries answered from memory or by inspection.
    pub remembered: u64,
}

impl Entailment {
    /// Entailment between facts about states of a program with these ranges.
    pub fn new(ranges: Ranges) -> Entailment {
        Entailment { ranges, ..Entailment::default() }
    }

    /// Does the label `a` entail every conjunct of `b`? No answer counts as no.
    pub fn entails(&mut self, store: &mut Store, a: &Label, b: &Label, budget: &Budget) -> bool {
        if a.first() == Some(&store.fls()) {
            return true;
        }
        b.iter().all(|&t| a.binary_search(&t).is_ok() || self.entails_one(store, a, t, budget))
    }

    /// Does a label entail a formula?
    pub fn entails_one(&mut self, store: &mut Store, a: &Label, t: Term, budget: &Budget) -> bool {
        if t == store.tru() || a.binary_search(&t).is_ok() {
            self.remembered += 1;
            return true;
        }
        let next = self.antecedents.len() as u32;
        let n = match self.antecedents.get(a) {
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
        let denied = store.not(t);
        let mut query = a.clone();
        query.push(denied);
        query.extend(self.ranges.of(store, &query));
        query.iter().for_each(|&f| solver.assert(f));
        let answer = solver.check(store, budget) == Answer::Unsat;
        self.time += clock.elapsed();
        if !budget.exhausted() {
            self.memo.insert((n, t), answer);
        }
        answer
    }
}
