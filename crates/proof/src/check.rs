//! The checker: replays a refutation step by step.

mod lemmas;

use crate::{Axiom, AxiomSchemes, Lemma, Literal, Refutation, Rule, StepId};
use bolide_term::Store;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// A step that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckError {
    /// The offending step; `None` if the refutation as a whole is at fault.
    pub step: Option<StepId>,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(f, "proof step {step}: {}", self.reason),
            None => write!(f, "proof: {}", self.reason),
        }
    }
}

impl std::error::Error for CheckError {}

/// Accepts a refutation only if every step holds and the last clause is empty.
///
/// The store is needed mutably because the terms that an axiom speaks of may have to be built.
pub fn check(store: &mut Store, refutation: &Refutation) -> Result<(), CheckError> {
    let mut checker =
        Checker { store, refutation, schemes: AxiomSchemes::new(), axioms: FxHashMap::default() };
    for (n, step) in refutation.steps.iter().enumerate() {
        let id = StepId::new(n);
        checker.step(id, &step.clause, &step.rule).map_err(|reason| CheckError { step: Some(id), reason })?;
    }
    match refutation.steps.last() {
        Some(last) if last.clause.is_empty() => Ok(()),
        _ => Err(CheckError { step: None, reason: "the last clause is not empty".into() }),
    }
}

/// Does the certificate show that the clause is valid?
pub(crate) fn lemma(store: &mut Store, lemma: &Lemma, clause: &[Literal]) -> Result<(), String> {
    lemmas::check(store, lemma, clause)
}

struct Checker<'a> {
    store: &'a mut Store,
    refutation: &'a Refutation,
    schemes: AxiomSchemes,
    /// The clauses, sorted, of each axiom instance met so far.
    axioms: FxHashMap<Axiom, FxHashSet<Box<[Literal]>>>,
}

impl Checker<'_> {
    fn step(&mut self, id: StepId, clause: &[Literal], rule: &Rule) -> Result<(), String> {
        match rule {
            Rule::Assertion(n) => {
                let Some(&t) = self.refutation.assertions.get(*n as usize) else {
                    return Err(format!("there is no assertion {n}"));
                };
                expect(clause == [Literal::of(self.store, t)], "the clause is not the assertion")
            }
            Rule::Axiom(axiom) => self.axiom(*axiom, clause),
            Rule::Theory(lemma) => lemmas::check(self.store, lemma, clause),
            Rule::Resolution { start, chain } => self.resolution(id, clause, *start, chain),
        }
    }

    fn axiom(&mut self, axiom: Axiom, clause: &[Literal]) -> Result<(), String> {
        let Checker { store, schemes, axioms, .. } = self;
        let instances = axioms
            .entry(axiom)
            .or_insert_with(|| schemes.clauses(store, axiom).into_iter().map(|c| sorted(&c)).collect());
        expect(instances.contains(&sorted(clause)), "the clause is not an instance of its axiom")
    }

    /// Resolves the chain with one literal set; every step must have exactly the pivot that it claims.
    fn resolution(
        &self,
        id: StepId,
        clause: &[Literal],
        start: StepId,
        chain: &[(Literal, StepId)],
    ) -> Result<(), String> {
        let earlier = |s: StepId| expect(s < id, "a step refers to a later one");
        earlier(start)?;
        let mut current: FxHashSet<Literal> = self.refutation.step(start).clause.iter().copied().collect();
        for &(pivot, other) in chain {
            earlier(other)?;
            let other = &self.refutation.step(other).clause;
            expect(other.contains(&pivot), "a pivot is missing in its clause")?;
            expect(current.remove(&!pivot), "a pivot is missing in the resolvent")?;
            current.extend(other.iter().copied().filter(|&l| l != pivot));
        }
        let claimed: FxHashSet<Literal> = clause.iter().copied().collect();
        expect(current.is_subset(&claimed), "the resolvent has literals that the clause has not")
    }
}

fn sorted(clause: &[Literal]) -> Box<[Literal]> {
    let mut c: Box<[Literal]> = clause.into();
    c.sort_unstable();
    c
}

pub(crate) fn expect(condition: bool, otherwise: &str) -> Result<(), String> {
    if condition { Ok(()) } else { Err(otherwise.to_string()) }
}
