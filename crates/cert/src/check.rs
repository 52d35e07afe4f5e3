//! Acceptance and rejection.

use crate::{Certificate, Kind, Verdict, circuit, format, horn, obligations, program};
use bolide_base::Budget;
use bolide_proof::text;
use bolide_smtlib::print_term;
use rustc_hash::FxHashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How much of a formula is shown.
const LONGEST: usize = 400;

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It is for another task.
    OtherTask,
    /// Its evidence does not show the verdict.
    Evidence(String),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::OtherTask => f.write_str("the certificate is for another task: the hashes differ"),
            Rejection::Evidence(reason) => f.write_str(reason),
        }
    }
}

/// Accepts a certificate if its evidence shows its verdict about the task.
pub fn check(task: &[u8], certificate: &Certificate, budget: &Budget) -> Result<(), Rejection> {
    if format::hash(task) != certificate.task {
        return Err(Rejection::OtherTask);
    }
    // A proof may put terms where no solver would; what the checker of a step then stumbles over is no proof.
    let outcome = catch_unwind(AssertUnwindSafe(|| match certificate.verdict {
        Verdict::Unsafe => replay(task, certificate, budget),
        Verdict::Safe => check_proofs(task, certificate, budget),
    }));
    let outcome = outcome.unwrap_or_else(|_| Err("the evidence is malformed".into()));
    outcome.map_err(Rejection::Evidence)
}

fn replay(task: &[u8], certificate: &Certificate, budget: &Budget) -> Result<(), String> {
    match certificate.kind {
        Kind::C => program::replay(task, certificate, budget),
        Kind::Horn => horn::replay(task, certificate),
        Kind::Aiger | Kind::Btor2 => circuit::replay(task, certificate),
    }
}

/// Every obligation must have a refutation, whose assertions are formulas of the obligation.
fn check_proofs(task: &[u8], certificate: &Certificate, budget: &Budget) -> Result<(), String> {
    let mut obligations = obligations(task, certificate, budget)?;
    let proof = certificate.section("proof").ok_or("there is no section `proof`")?;
    let store = &mut obligations.store;
    let refutations = text::read(store, proof).map_err(|e| format!("section `proof`, {e}"))?;
    if refutations.len() != obligations.list.len() {
        return Err(format!(
            "there are {} obligations, but {} refutations",
            obligations.list.len(),
            refutations.len()
        ));
    }
    for (obligation, refutation) in obligations.list.iter().zip(&refutations) {
        let formulas: FxHashSet<_> = obligation.formulas.iter().copied().collect();
        if let Some(&other) = refutation.assertions.iter().find(|a| !formulas.contains(a)) {
            let other: String = print_term(store, other).to_string().chars().take(LONGEST).collect();
            return Err(format!("{}: the proof is about another formula: {other}", obligation.name));
        }
        bolide_proof::check(store, refutation).map_err(|e| format!("{}: {e}", obligation.name))?;
        if budget.exhausted() {
            return Err("a limit was reached".into());
        }
    }
    Ok(())
}
