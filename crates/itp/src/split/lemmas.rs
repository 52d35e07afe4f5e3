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

/// A lemma before it is written down: a fact, the part that deduces it, and what it is deduced from.
pub(super) struct Deduction {
    pub fact: FactId,
    pub part: u32,
    pub hypotheses: Vec<FactId>,
    pub received: Vec<FactId>,
}

impl Prover {
    /// The deductions behind the contradiction that has the simplest proof, each before those on which it depends.
    pub fn simplest(&self, contradictions: &[FactId]) -> Vec<Deduction> {
        let mut best: Option<(u32, Vec<Deduction>)> = None;
        for &f in contradictions {
            let birth = self.facts[f as usize].birth;
            for home in [birth.last, birth.first] {
                let (cost, deductions) = self.deductions(f, home);
                if best.as_ref().is_none_or(|(c, _)| cost < *c) {
                    best = Some((cost, deductions));
                }
                if birth.first == birth.last {
                    break;
                }
            }
        }
        best.map(|(_, d)| d).unwrap_or_default()
    }

    /// The lemmas that deductions are, each after those on which it depends.
    pub fn lemmas(&self, store: &mut Store, deductions: &[Deduction]) -> Vec<Lemma> {
        let mut literals: FxHashMap<FactId, Term> = FxHashMap::default();
        let mut out = Vec::with_capacity(deductions.len());
        for d in deductions {
            let mut premises: Vec<Term> = Vec::with_capacity(d.hypotheses.len() + d.received.len());
            for &h in &d.hypotheses {
                if let Why::Given { literal, .. } = self.facts[h as usize].why
                    && !premises.contains(&literal)
                {
                    premises.push(literal);
                }
            }
            for &g in &d.received {
                let literal = || self.nodes.literal(store, &self.facts[g as usize].claim);
                premises.push(*literals.entry(g).or_insert_with(literal));
            }
            out.push(Lemma { part: d.part, premises, conclusion: literals.get(&d.fact).copied() });
        }
        out.reverse();
        out
    }

    /// The deductions behind a contradiction, each before those on which it depends, and what they cost: how far facts
    /// travel. A fact that travels back costs more than one that travels forwards, for it makes an implication of an
    /// interpolant that could be a conjunction.
    fn deductions(&self, contradiction: FactId, home: u32) -> (u32, Vec<Deduction>) {
        let mut cost = 0;
        let mut out = Vec::new();
        let mut parts: FxHashMap<FactId, u32> = FxHashMap::default();
        let mut todo: Vec<(FactId, u32)> = vec![(contradiction, home)];
        while let Some((fact, part)) = todo.pop() {
            let (hypotheses, received) = self.leaves(fact, part);
            for &h in &hypotheses {
                if let Why::Given { origin, .. } = self.facts[h as usize].why {
                    cost += travel(origin.nearest(part), part);
                }
            }
            for &g in &received {
                let at = *parts.entry(g).or_insert_with(|| {
                    let at = self.facts[g as usize].birth.nearest(part);
                    todo.push((g, at));
                    at
                });
                cost += travel(at, part);
            }
            out.push(Deduction { fact, part, hypotheses, received });
        }
        // A deduction may have been made before another one that depends on it was.
        out.sort_by_key(|d| std::cmp::Reverse(d.fact));
        (cost, out)
    }

    /// The hypotheses, and the facts received from other parts, from which a part deduces a fact.
    fn leaves(&self, fact: FactId, part: u32) -> (Vec<FactId>, Vec<FactId>) {
        let mut hypotheses = Vec::new();
        let mut received = Vec::new();
        let mut seen: FxHashSet<FactId> = FxHashSet::default();
        let mut stack = vec![fact];
        while let Some(f) = stack.pop() {
            if !seen.insert(f) {
                continue;
            }
            let data = &self.facts[f as usize];
            match data.why {
                _ if !data.birth.has(part) => received.push(f),
                Why::Given { .. } => hypotheses.push(f),
                ref why => stack.extend(why.premises()),
            }
        }
        (hypotheses, received)
    }
}

/// The cost of a fact that travels from one part to another.
fn travel(from: u32, to: u32) -> u32 {
    if from <= to { to - from } else { 3 * (from - to) }
}
