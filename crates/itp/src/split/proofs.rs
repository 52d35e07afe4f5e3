//! Deductions as split proofs, which `bolide-proof` checks.

use super::lemmas::{Deduction, Lemma};
use super::nodes::{Claim, Node};
use super::prover::{FactId, Prover, Why};
use crate::{Failure, Flaw};
use bolide_base::Rational;
use bolide_proof::{Literal, SplitProof, SplitRule, SplitStep, check_split};
use bolide_term::{Store, Term};
use rustc_hash::FxHashMap;

impl Prover {
    /// The lemmas behind the contradiction that has the simplest proof. The split proof over the parts is checked if they
    /// are given.
    pub fn refuting_lemmas(
        &self,
        store: &mut Store,
        contradictions: &[FactId],
        checked: Option<&[Term]>,
    ) -> Result<Vec<Lemma>, Failure> {
        let deductions = self.simplest(contradictions);
        if let Some(parts) = checked {
            let proof = self.split_proof(store, &deductions);
            let language = &self.nodes.language;
            check_split(store, parts, self.nodes.vocabulary.kept(), &proof, &|store, atom| {
                language.contains_atom(store, atom)
            })
            .map_err(|e| Failure::Rejected(Flaw::SplitProof(e.to_string())))?;
        }
        Ok(self.lemmas(store, &deductions))
    }

    /// The split proof that deductions make up; each deduction comes before those on which it depends.
    fn split_proof(&self, store: &mut Store, deductions: &[Deduction]) -> SplitProof {
        let mut proof = SplitProof::default();
        // The steps that conclude facts which travel.
        let mut sent: FxHashMap<FactId, usize> = FxHashMap::default();
        for d in deductions.iter().rev() {
            let mut steps: FxHashMap<FactId, usize> = FxHashMap::default();
            steps.extend(d.received.iter().filter_map(|g| Some((*g, *sent.get(g)?))));
            for f in self.facts_between(d) {
                let step = self.split_step(store, &mut proof, d.part as usize, f, &steps);
                steps.insert(f, step);
            }
            sent.extend(steps.get(&d.fact).map(|&s| (d.fact, s)));
        }
        proof
    }

    /// The facts that a part deduces on the way to the conclusion, each after its premises.
    fn facts_between(&self, d: &Deduction) -> Vec<FactId> {
        let mut out = Vec::new();
        let mut stack = vec![d.fact];
        while let Some(f) = stack.pop() {
            if !d.received.contains(&f) && !out.contains(&f) {
                out.push(f);
                stack.extend(self.facts[f as usize].why.premises());
            }
        }
        out.sort_unstable();
        out
    }

    /// Adds the step for a fact.
    fn split_step(
        &self,
        store: &mut Store,
        proof: &mut SplitProof,
        part: usize,
        f: FactId,
        steps: &FxHashMap<FactId, usize>,
    ) -> usize {
        let fact = &self.facts[f as usize];
        let (u, v) = fact.claim.ends();
        let conclusion = if self.is_contradiction(&fact.claim) {
            None
        } else {
            let literal = self.nodes.literal(store, &fact.claim);
            Some(Literal::of(store, literal))
        };
        let mut premises: Vec<usize> =
            fact.why.premises().iter().filter_map(|p| steps.get(p).copied()).collect();
        let rule = match &fact.why {
            Why::Given { literal, .. } => {
                let given = Literal::of(store, *literal);
                if Some(given) == conclusion {
                    SplitRule::Hypothesis
                } else {
                    let rule = SplitRule::Hypothesis;
                    let step = SplitStep { part, premises: Vec::new(), conclusion: Some(given), rule };
                    proof.steps.push(step);
                    premises.push(proof.steps.len() - 1);
                    SplitRule::Half
                }
            }
            Why::Chain(_) if !self.nodes.is_arith(u) => SplitRule::Transitivity,
            // The literal is the same: a bound on twice a term is written as one on the term.
            Why::Halved(_) => SplitRule::Combination(vec![Rational::ONE; 2]),
            Why::Chain(_) | Why::Weakened(_) => {
                let all = fact.why.premises().iter().map(|&p| self.weight(&self.facts[p as usize].claim));
                let last = conclusion.is_some().then(|| self.weight(&fact.claim));
                SplitRule::Combination(all.chain(last).collect())
            }
            Why::Combination { facts, coeffs, weight } => {
                let weights = facts.iter().map(|&p| self.weight(&self.facts[p as usize].claim));
                let all = coeffs.iter().zip(weights).map(|(k, w)| k * w);
                let last = conclusion.is_some().then(|| weight.clone());
                SplitRule::Combination(all.chain(last).collect())
            }
            Why::Congruence(_) => SplitRule::Congruence(self.nodes.data(u).term, self.nodes.data(v).term),
            Why::Read(r) => SplitRule::Read(self.nodes.data(*r).term),
            Why::ReadPast(r, _) => SplitRule::ReadPast(self.nodes.data(*r).term),
        };
        proof.steps.push(SplitStep { part, premises, conclusion, rule });
        proof.steps.len() - 1
    }

    /// How often the literal of a bound counts in a sum.
    fn weight(&self, claim: &Claim) -> Rational {
        let (u, v): (Node, Node) = claim.ends();
        if u == v.opposite() && u != v { Rational::from(2) } else { Rational::ONE }
    }
}
