//! Steps of IMPACT that need no interpolants: facts are carried backwards along a branch, and constants forwards.
//!
//! The same procedures as in the paper, REFINE, EXPAND, COVER and FORCECOVER, but the facts come from weakest preconditions
//! ([`Pusher`](super::super::push::Pusher)) wherever these suffice. A cover is taken back only if the branch of the covered
//! vertex does not imply what its coverer has learnt.

use super::Impact;
use crate::program::art::Vertex;
use crate::program::push::{Chain, constant};
use bolide_base::Budget;
use bolide_model::EdgeId;
use bolide_term::Store;
use std::collections::VecDeque;

/// So often a vertex is strengthened for one coverer: their branches may share a part, and then the coverer becomes
/// stronger itself.
const ROUNDS_OF_COVERING: usize = 3;

/// Where so many different facts about what counts the rounds of a loop were carried to one location of it, weakest preconditions do not
/// generalise.
const MOST_CARRIED: usize = 200;

impl Impact<'_> {
    /// Are facts carried along branches by weakest preconditions? That pays where an edge says little.
    pub(super) fn pushes(&self) -> bool {
        !self.config.short_ends && !self.paths.refiner.is_split() && !self.carrying_diverges
    }

    /// Gives a new vertex the constants that its parent and its edge tell.
    pub(super) fn inherit(&mut self, store: &mut Store, v: Vertex, edge: EdgeId, child: Vertex) {
        let before = &self.tree.node(v).label;
        let mut label = self.tree.node(child).label.clone();
        for variable in self.tracked.at(self.tree.node(child).location) {
            if let Some(value) = self.pusher.value_after(store, before, edge, variable) {
                let fact = store.eq(variable, value);
                debug_assert!(self.pusher.follows(store, before, edge, fact));
                label.push(fact);
            }
        }
        label.sort_unstable();
        label.dedup();
        self.tree.node_mut(child).label = label;
    }

    /// Does the label of a vertex exclude an edge, or facts about its branch that are easy to find? The latter are looked
    /// for only if the guard was refuted before, on the way to an error.
    pub(super) fn is_excluded(
        &mut self,
        store: &mut Store,
        v: Vertex,
        edge: EdgeId,
        budget: &Budget,
    ) -> bool {
        let label = &self.tree.node(v).label;
        let denied = self.pusher.denied(edge);
        if denied.iter().any(|&t| self.entailment.entails_one(store, label, t, budget)) {
            return true;
        }
        let chain = self.pusher.exclude(store, &self.tree, &mut self.entailment, v, edge, budget);
        let is_found = chain.is_some();
        self.add_facts(store, chain.unwrap_or_default(), budget);
        is_found
    }

    /// REFINE by weakest preconditions: labels with `false` the first vertex on the way to an error that cannot be reached.
    pub(super) fn refine_by_carrying(&mut self, store: &mut Store, v: Vertex, budget: &Budget) -> bool {
        let found = self.pusher.contradict(store, &self.tree, &mut self.entailment, v, budget);
        let Some((at, chain)) = found else { return false };
        self.counters.refinements += 1;
        self.counters.carried += 1;
        for &(w, fact) in &chain {
            self.paths.refiner.observe(store, self.tree.node(w).location, fact);
        }
        if self.paths.refiner.falls_back() {
            self.start_again();
            return true;
        }
        let mut changed = self.add_facts(store, chain, budget);
        self.relabel(store, at, vec![store.fls()], budget);
        self.prune(store, at, budget);
        changed.reverse();
        self.close_all(store, changed, budget);
        true
    }

    /// Adds facts to labels. What a strengthened vertex covered gets the new fact as well if its branch implies it,
    /// and is open again if not. Returns the changed vertices.
    pub(super) fn add_facts(&mut self, store: &mut Store, facts: Chain, budget: &Budget) -> Vec<Vertex> {
        let mut changed = Vec::new();
        let mut queue = VecDeque::from(facts);
        while let Some((v, fact)) = queue.pop_front() {
            if self.tree.is_unreachable(store, v)
                || self.entailment.entails_one(store, &self.tree.node(v).label, fact, budget)
            {
                continue;
            }
            changed.push(v);
            if self.pusher.counts(store, &self.tree, v, fact) {
                let carried = &mut self.carried[self.tree.node(v).location];
                self.carrying_diverges |= carried.insert(fact) && carried.len() > MOST_CARRIED;
            }
            if let Some((variable, _)) = constant(store, fact) {
                self.tracked.follow(store, variable);
            }
            let denied = store.not(fact);
            if fact == store.fls()
                || self.entailment.entails_one(store, &self.tree.node(v).label, denied, budget)
            {
                self.relabel(store, v, vec![store.fls()], budget);
                self.prune(store, v, budget);
                continue;
            }
            let label = &mut self.tree.node_mut(v).label;
            if let Err(n) = label.binary_search(&fact) {
                label.insert(n, fact);
            }
            for x in self.tree.node(v).covers.clone() {
                if self.tree.is_unreachable(store, x) {
                    continue;
                }
                match self.pusher.push(store, &self.tree, &mut self.entailment, x, fact, budget) {
                    Some(chain) => queue.extend(chain),
                    None => self.uncover(x),
                }
            }
        }
        changed
    }

    /// FORCECOVER by weakest preconditions: strengthens the branch to `v` so that an earlier vertex of its location covers
    /// it, if possible.
    pub(super) fn push_cover(&mut self, store: &mut Store, v: Vertex, budget: &Budget) -> bool {
        if self.config.forced_covering == 0 {
            return false;
        }
        let candidates: Vec<Vertex> =
            self.tree.coverers(store, v).take(self.config.cover_candidates).collect();
        for w in candidates {
            if self.differ(store, v, w) {
                continue;
            }
            self.counters.forced_attempts += 1;
            for _ in 0..ROUNDS_OF_COVERING {
                let Some(chains) = self.carry_label(store, v, w, budget) else { break };
                self.add_facts(store, chains, budget);
                if !self.tree.is_covered(w) && self.try_cover(store, v, w, budget) {
                    self.counters.forced_covers += 1;
                    return true;
                }
            }
        }
        false
    }

    /// Facts that make the label of one vertex hold at another one.
    fn carry_label(&mut self, store: &mut Store, v: Vertex, w: Vertex, budget: &Budget) -> Option<Chain> {
        let mut chains = Chain::new();
        for n in 0..self.tree.node(w).label.len() {
            let c = self.tree.node(w).label[n];
            chains.extend(self.pusher.push(store, &self.tree, &mut self.entailment, v, c, budget)?);
        }
        Some(chains)
    }

    /// Do the labels of two vertices give some variable different values?
    pub(super) fn differ(&self, store: &Store, v: Vertex, w: Vertex) -> bool {
        let (of_v, of_w) = (&self.tree.node(v).label, &self.tree.node(w).label);
        of_w.iter()
            .filter(|c| of_v.binary_search(c).is_err())
            .filter_map(|&c| constant(store, c))
            .any(|(x, k)| of_v.iter().filter_map(|&c| constant(store, c)).any(|(y, l)| x == y && k != l))
    }
}
