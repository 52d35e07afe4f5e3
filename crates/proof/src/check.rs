//! The checker: replays a refutation step by step.

mod lemmas;

use crate::{Axiom, AxiomSchemes, Lemma, Literal, Refutation, Rule, StepId};
use bolide_base::{Budget, Interrupt};
use bolide_term::Store;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// A step that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckError {
    /// The offending step; `None` if the refutation as a whole is at fault.
    pub step: Option<StepId>,
    /// What is wrong with it.
    pub flaw: Flaw,
}

/// Why a proof is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// A step does not follow.
    Step(&'static str),
    /// It refers to an assertion that does not exist.
    NoAssertion(usize),
    /// Nothing may be wrong with it: the budget ran out.
    Interrupted(Interrupt),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Step(what) => f.write_str(what),
            Flaw::NoAssertion(n) => write!(f, "there is no assertion {n}"),
            Flaw::Interrupted(interrupt) => interrupt.fmt(f),
        }
    }
}

impl From<&'static str> for Flaw {
    fn from(what: &'static str) -> Flaw {
        Flaw::Step(what)
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(f, "proof step {step}: {}", self.flaw),
            None => write!(f, "proof: {}", self.flaw),
        }
    }
}

impl std::error::Error for CheckError {}

/// Accepts a refutation only if every step holds and the last clause is empty.
///
/// The store is needed mutably because the terms that an axiom speaks of may have to be built.
pub fn check(store: &mut Store, refutation: &Refutation) -> Result<(), CheckError> {
    check_within(store, refutation, &Budget::unlimited())
}

/// The same within limits.
pub fn check_within(store: &mut Store, refutation: &Refutation, budget: &Budget) -> Result<(), CheckError> {
    let mut checker =
        Checker { store, refutation, schemes: AxiomSchemes::new(), axioms: FxHashMap::default() };
    for (n, step) in refutation.steps.iter().enumerate() {
        let id = StepId::new(n);
        budget.poll().map_err(|interrupt| CheckError { step: None, flaw: Flaw::Interrupted(interrupt) })?;
        checker.step(id, &step.clause, &step.rule).map_err(|flaw| CheckError { step: Some(id), flaw })?;
    }
    match refutation.steps.last() {
        Some(last) if last.clause.is_empty() => Ok(()),
        _ => Err(CheckError { step: None, flaw: "the last clause is not empty".into() }),
    }
}

/// Does the certificate show that the clause is valid?
pub(crate) fn lemma(store: &mut Store, lemma: &Lemma, clause: &[Literal]) -> Result<(), Flaw> {
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
    fn step(&mut self, id: StepId, clause: &[Literal], rule: &Rule) -> Result<(), Flaw> {
        match rule {
            Rule::Assertion(n) => {
                let Some(&t) = self.refutation.assertions.get(*n as usize) else {
                    return Err(Flaw::NoAssertion(*n as usize));
                };
                expect(clause == [Literal::of(self.store, t)], "the clause is not the assertion")
            }
            Rule::Axiom(axiom) => self.axiom(*axiom, clause),
            Rule::Theory(lemma) => lemmas::check(self.store, lemma, clause),
            Rule::Resolution { start, chain } => self.resolution(id, clause, *start, chain),
        }
    }

    fn axiom(&mut self, axiom: Axiom, clause: &[Literal]) -> Result<(), Flaw> {
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
    ) -> Result<(), Flaw> {
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

pub(crate) fn expect(condition: bool, otherwise: &'static str) -> Result<(), Flaw> {
    if condition { Ok(()) } else { Err(Flaw::Step(otherwise)) }
}
