//! The split prover: interpolants restricted to a finite language.
//!
//! Ranjit Jhala and Kenneth McMillan, *A Practical and Complete Approach to Predicate Refinement* (TACAS 2006). Ordinary
//! interpolants of longer and longer paths may bring larger and larger constants. Here every atom of an interpolant
//! belongs to a [`Language`] `L_k`, which is finite, so that refinement converges or finds that `k` must grow.
//!
//! Each part of the path is a prover of its own (`prover`, with `congruence` and `arrays`), which sees the part's
//! literals and what the others tell it, and others are told facts of the language only. Propositional reasoning is
//! left to one SAT solver (`abstraction`): its assignments are refuted by split proofs, whose steps become lemmas
//! that each belong to one part (`lemmas`), until the parts and the lemmas contradict each other propositionally; then
//! one propositional interpolation gives all interpolants (Theorem 3 of the paper). The theory lemmas of an ordinary
//! refutation are split first (`seeds`), which mostly is all that is needed.

mod abstraction;
mod arrays;
mod congruence;
mod direct;
mod farkas_sums;
mod language;
mod lemmas;
mod linear;
mod nodes;
mod proofs;
mod prover;
mod proxies;
mod refute;
mod shape;
mod split_lemmas;
mod vocabulary;

pub use language::Language;

use crate::verify::Flaw;
use crate::verify::verify_keeping;
use crate::{Config, Failure, Tree};
use bolide_base::Budget;
use bolide_proof::Refutation;
use bolide_smt::{Answer, Solver};
use bolide_term::{Func, Model, Store, Term};
use refute::{Refuter, Verdict};

/// What the split prover says about a sequence of parts.
#[derive(Clone, Debug)]
pub enum Split {
    /// The parts contradict each other; interpolants in the language, one less than parts.
    Interpolants(Vec<Term>),
    /// The parts hold together.
    Feasible(Model),
    /// The parts contradict each other, but no interpolants in the language were found. Over difference and octagonal
    /// bounds there are none; beyond them there might be.
    NotInLanguage,
}

/// Interpolants in the language between the parts of a sequence, with the properties of those of
/// [`interpolate_sequence`](crate::interpolate_sequence).
pub fn interpolate_sequence(
    store: &mut Store,
    parts: &[Term],
    language: &Language,
    budget: &Budget,
) -> Result<Split, Failure> {
    interpolate_sequence_with(store, parts, language, &Config::default(), budget)
}

/// The same with a configuration; how Farkas lemmas are interpolated does not matter here.
pub fn interpolate_sequence_with(
    store: &mut Store,
    parts: &[Term],
    language: &Language,
    config: &Config,
    budget: &Budget,
) -> Result<Split, Failure> {
    interpolate_path(store, parts, &[], language, config, budget)
}

/// The same with symbols that are kept: they may occur in the interpolants up to the given part although no later part
/// mentions them. Along a path through a program these are the variables that are in scope: an invariant may need
/// one that this path does not look at again.
pub fn interpolate_path(
    store: &mut Store,
    parts: &[Term],
    kept: &[(Func, usize)],
    language: &Language,
    config: &Config,
    budget: &Budget,
) -> Result<Split, Failure> {
    let mut solver =
        Solver::new(bolide_smt::Config { proofs: true, seed: config.seed, ..Default::default() });
    for &p in parts {
        solver.assert(p);
    }
    match solver.check(store, budget) {
        Answer::Sat => return Ok(Split::Feasible(solver.model().cloned().unwrap_or_default())),
        Answer::Unknown(reason) => return Err(Failure::Unknown(reason)),
        Answer::Unsat => {}
    }
    let refutation = solver.refutation(store).ok();
    drop(solver);
    let Some(interpolants) = restricted(store, parts, kept, refutation.as_ref(), language, config, budget)?
    else {
        return Ok(Split::NotInLanguage);
    };
    if let Some(n) = interpolants.iter().position(|&t| !language.contains(store, t)) {
        return Err(Failure::Rejected(Flaw::Language(n)));
    }
    if config.verify {
        let tree = Tree::sequence(parts.len());
        verify_keeping(store, parts, kept, &tree, &interpolants, budget).map_err(Failure::Rejected)?;
    }
    Ok(Split::Interpolants(interpolants))
}

/// Interpolants in the language, not yet checked: from the refutation if it can be split, otherwise by search.
fn restricted(
    store: &mut Store,
    parts: &[Term],
    kept: &[(Func, usize)],
    refutation: Option<&Refutation>,
    language: &Language,
    config: &Config,
    budget: &Budget,
) -> Result<Option<Vec<Term>>, Failure> {
    if let Some(refutation) = refutation
        && let Some(found) = direct::interpolate(store, parts, kept, refutation, language, config, budget)?
    {
        return Ok(Some(found));
    }
    let mut refuter = Refuter::new(store, parts, kept, language, config, budget);
    if let Some(refutation) = refutation {
        refuter.split_lemmas_of(refutation)?;
    }
    Ok(match refuter.refute()? {
        Verdict::Open => None,
        Verdict::Interpolants(found) => Some(found),
    })
}
