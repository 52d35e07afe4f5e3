//! Memoised entailment between labels.

use super::art::Label;
use bolide_base::Budget;
use bolide_smt::{Answer, Solver};
use bolide_term::{Store, Term};
use rustc_hash::FxHashMap;

/// Decides whether a set of conjuncts entails a formula, and remembers the answers.
#[derive(Default)]
pub struct Entailment {
    /// Numbers of the antecedents met so far.
    antecedents: FxHashMap<Label, u32>,
    memo: FxHashMap<(u32, Term), bool>,
    /// Facts that hold of all states, such as the ranges of machine integers.
    always: Vec<Term>,
    /// Queries that reached the solver.
    pub solved: u64,
    /// Queries answered from memory or by inspection.
    pub remembered: u64,
}

impl Entailment {
    /// Entailment between facts about states in which `always` holds.
    pub fn new(always: Vec<Term>) -> Entailment {
        Entailment { always, ..Entailment::default() }
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
        let mut solver = Solver::default();
        for &f in a.iter() {
            solver.assert(f);
        }
        let denied = store.not(t);
        solver.assert(denied);
        self.assert_relevant_ranges(store, &mut solver, a, t);
        let answer = solver.check(store, budget) == Answer::Unsat;
        if !budget.exhausted() {
            self.memo.insert((n, t), answer);
        }
        answer
    }

    /// The facts about variables that occur in the query.
    fn assert_relevant_ranges(&self, store: &Store, solver: &mut Solver, a: &Label, t: Term) {
        if self.always.is_empty() {
            return;
        }
        let symbols: rustc_hash::FxHashSet<_> =
            store.symbols(a.iter().copied().chain([t])).into_iter().collect();
        for &fact in &self.always {
            if store.symbols([fact]).iter().all(|f| symbols.contains(f)) {
                solver.assert(fact);
            }
        }
    }
}
