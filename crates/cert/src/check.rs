//! Acceptance and rejection.

use crate::claimed::Claimed;
use crate::{
    Certificate, Claim, ExportedProof, Flaw, Kind, Obligation, Obligations, Text, Verdict, circuit, export,
    program,
};
use bolide_base::{Budget, Interrupt};
use bolide_proof::{Refutation, text};
use bolide_smtlib::print_term;
use bolide_term::Store;
use rustc_hash::FxHashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How much of a formula is shown.
const LONGEST: usize = 400;

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// It is for another task.
    OtherTask,
    /// It is about something else than what is claimed; this is what it is about.
    OtherClaim(String),
    /// There is nothing in the task that the claim is about, so that `safe` would say nothing.
    NothingChecked(String),
    /// The task cannot be read.
    Unreadable(String),
    /// Its evidence does not show the verdict.
    Evidence(String),
    /// A limit was reached before it was known.
    Limit(Interrupt),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::OtherTask => f.write_str("the certificate is for another task: the hashes differ"),
            Rejection::OtherClaim(what) => write!(f, "the certificate is about something else: {what}"),
            Rejection::NothingChecked(what) => write!(f, "nothing is checked: {what}"),
            Rejection::Unreadable(why) => write!(f, "the task cannot be read: {why}"),
            Rejection::Evidence(reason) => f.write_str(reason),
            Rejection::Limit(interrupt) => write!(f, "{interrupt} before the end of the check"),
        }
    }
}

/// Accepts a certificate if its evidence shows its verdict about what is claimed of the task.
pub fn check(
    task: &Text<'_>,
    claim: &Claim,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<(), Rejection> {
    check_with(task, claim, certificate, budget, &mut |_, _, _| {})
}

/// The same; of a certificate for `safe` that is accepted, the refutations are given to `keep` in the formats of other checkers.
pub fn check_and_export(
    task: &Text<'_>,
    claim: &Claim,
    certificate: &Certificate,
    budget: &Budget,
    keep: &mut dyn FnMut(ExportedProof),
) -> Result<(), Rejection> {
    let mut each = |store: &mut Store, obligation: &Obligation, refutation: &Refutation| {
        keep(export::export(store, obligation, refutation));
    };
    check_with(task, claim, certificate, budget, &mut each)
}

/// What is done with a refutation that was accepted.
type Each<'a> = &'a mut dyn FnMut(&mut Store, &Obligation, &Refutation);

fn check_with(
    task: &Text<'_>,
    claim: &Claim,
    certificate: &Certificate,
    budget: &Budget,
    each: Each<'_>,
) -> Result<(), Rejection> {
    if let Some(what) = claim.difference(certificate) {
        return Err(Rejection::OtherClaim(what));
    }
    if task.hash() != certificate.task {
        return Err(Rejection::OtherTask);
    }
    if let Some(option) = unknown_option(certificate) {
        return Err(Rejection::OtherClaim(format!("unknown option `{option}`")));
    }
    // A proof may put terms where no solver would; what the checker of a step then stumbles over is no proof.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let claimed = Claimed::read(task, claim, certificate).map_err(unreadable)?;
        match certificate.verdict {
            Verdict::Unsafe => claimed.replay(certificate, budget).map_err(unconvincing),
            Verdict::Safe if claimed.has_property() => claimed
                .obligations(certificate, budget)
                .and_then(|obligations| check_proofs(obligations, certificate, budget, each))
                .map_err(unconvincing),
            Verdict::Safe => {
                Err(Rejection::NothingChecked("the task has nothing that could be violated".into()))
            }
        }
    }));
    match (outcome, budget.check()) {
        (Ok(Ok(())), _) => Ok(()),
        (Ok(Err(Rejection::Evidence(_))) | Err(_), Err(interrupt)) => Err(Rejection::Limit(interrupt)),
        (Ok(Err(rejection)), _) => Err(rejection),
        (Err(_), _) => Err(Rejection::Evidence("the evidence is malformed".into())),
    }
}

/// The rejection of a task that cannot be read.
fn unreadable(flaw: Flaw) -> Rejection {
    match flaw {
        Flaw::Wrong(why) => Rejection::Unreadable(why),
        Flaw::Interrupted(interrupt) => Rejection::Limit(interrupt),
    }
}

/// The rejection of evidence that does not show the verdict.
fn unconvincing(flaw: Flaw) -> Rejection {
    match flaw {
        Flaw::Wrong(reason) => Rejection::Evidence(reason),
        Flaw::Interrupted(interrupt) => Rejection::Limit(interrupt),
    }
}

/// An option that has no meaning for this kind of task: who knows what it was meant to say.
fn unknown_option(certificate: &Certificate) -> Option<&str> {
    let names = certificate.options.iter().map(|(name, _)| name.as_str());
    match certificate.kind {
        Kind::C => names.into_iter().find(|name| !program::OPTIONS.contains(name)),
        Kind::Horn => names.into_iter().next(),
        Kind::Aiger | Kind::Btor2 => names.into_iter().find(|name| !name.starts_with(circuit::DEPTH)),
    }
}

/// Every obligation must have a refutation, whose assertions are formulas of the obligation.
fn check_proofs(
    mut obligations: Obligations,
    certificate: &Certificate,
    budget: &Budget,
    each: Each<'_>,
) -> Result<(), Flaw> {
    let proof = certificate.section("proof").ok_or("there is no section `proof`")?;
    let store = &mut obligations.store;
    let refutations = text::read_within(store, proof, budget).map_err(|e| format!("section `proof`, {e}"))?;
    if refutations.len() != obligations.list.len() {
        let (needed, found) = (obligations.list.len(), refutations.len());
        return Err(format!("the number of obligations is {needed}, that of refutations {found}").into());
    }
    for (obligation, refutation) in obligations.list.iter().zip(&refutations) {
        let formulas: FxHashSet<_> = obligation.formulas.iter().copied().collect();
        if let Some(&other) = refutation.assertions.iter().find(|a| !formulas.contains(a)) {
            let other: String = print_term(store, other).to_string().chars().take(LONGEST).collect();
            return Err(format!("{}: the proof is about another formula: {other}", obligation.name).into());
        }
        bolide_proof::check_within(store, refutation, budget)
            .map_err(|e| format!("{}: {e}", obligation.name))?;
        each(store, obligation, refutation);
    }
    Ok(())
}
