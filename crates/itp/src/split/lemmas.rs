//! From a contradiction to lemmas that each belong to one part.
//!
//! The derivation of a contradiction is cut where a fact travels from one part to another. What lies between the cuts is
//! a lemma of one part: from hypotheses of that part and facts of the language that it received follows a fact of
//! the language that it sends, or the contradiction. By Theorem 3 of the paper the interpolants are those of the
//! propositional problem that the lemmas make up.

use super::prover::{FactId, Prover, Why};
use bolide_term::{Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A clause that holds in the theories, over what one part sees.
#[derive(Clone, Debug)]
pub(super) struct Lemma {
    /// The part to which it belongs.
    pub part: u32,
    /// Literals that imply the conclusion.
    pub premises: Vec<Term>,
    /// A literal of the language; none for a contradiction.
    pub conclusion: Option<Term>,
}

impl Prover {
    /// The lemmas behind a contradiction, each after those on which it depends.
    pub fn lemmas(&self, store: &mut Store, contradiction: FactId) -> Vec<Lemma> {
        let mut out = Vec::new();
        let mut scheduled: FxHashSet<FactId> = FxHashSet::default();
        // As late as possible: facts that travel forwards make simpler interpolants than those that travel back.
        let home = self.facts[contradiction as usize].birth.last;
        let mut todo: Vec<(FactId, u32)> = vec![(contradiction, home)];
        let mut literals: FxHashMap<FactId, Term> = FxHashMap::default();
        while let Some((fact, part)) = todo.pop() {
            let (leaves, received) = self.leaves(fact, part);
            let mut premises = leaves;
            for g in received {
                let literal = *literals
                    .entry(g)
                    .or_insert_with(|| self.nodes.literal(store, &self.facts[g as usize].claim));
                premises.push(literal);
                if scheduled.insert(g) {
                    todo.push((g, self.facts[g as usize].birth.nearest(part)));
                }
            }
            let conclusion = literals.get(&fact).copied();
            out.push(Lemma { part, premises, conclusion });
        }
        out.reverse();
        out
    }

    /// The hypotheses, and the facts received from other parts, from which a part deduces a fact.
    fn leaves(&self, fact: FactId, part: u32) -> (Vec<Term>, Vec<FactId>) {
        let mut hypotheses = Vec::new();
        let mut received = Vec::new();
        let mut seen: FxHashSet<FactId> = FxHashSet::default();
        let mut stack = vec![fact];
        while let Some(f) = stack.pop() {
            if !seen.insert(f) {
                continue;
            }
            let data = &self.facts[f as usize];
            if !data.birth.has(part) {
                received.push(f);
                continue;
            }
            match data.why {
                Why::Given(literal) => hypotheses.push(literal),
                ref why => stack.extend(why.premises()),
            }
        }
        (hypotheses, received)
    }
}
