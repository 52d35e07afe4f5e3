//! The entry points.

use crate::colour::{Occurrences, is_expressible};
use crate::config::Config;
use crate::groups::Groups;
use crate::partial::{Cut, Obstacle};
use crate::verify::Flaw;
use crate::{Tree, eliminate, tidy, verify};
use bolide_base::Budget;
use bolide_proof::{AxiomSchemes, Refutation};
use bolide_smt::{Answer, Reason, Solver};
use bolide_term::{Model, Store, Term};
use std::fmt;

/// Why there are no interpolants.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The parts hold together.
    Sat(Box<Model>),
    /// The solver could not tell.
    Unknown(Reason),
    /// The refutation has no interpolant of the known kinds at some cut.
    NotInterpolable {
        /// The part whose subtree was to be separated from the rest.
        cut: usize,
        /// What stands in the way.
        reason: String,
    },
    /// An interpolant did not pass its verification; this is a defect.
    Rejected(Flaw),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Sat(_) => f.write_str("the parts are satisfiable"),
            Failure::Unknown(reason) => reason.fmt(f),
            Failure::NotInterpolable { cut, reason } => {
                write!(f, "no interpolant after part {cut}: the refutation needs {reason}")
            }
            Failure::Rejected(flaw) => write!(f, "{flaw}"),
        }
    }
}

impl std::error::Error for Failure {}

/// Interpolants between the parts of an unsatisfiable sequence: the `i`-th follows from the parts up to the
/// `i`-th, contradicts the others, each with the next part implies the next, and only common symbols occur.
pub fn interpolate_sequence(
    store: &mut Store,
    parts: &[Term],
    config: &Config,
    budget: &Budget,
) -> Result<Vec<Term>, Failure> {
    interpolate_tree(store, parts, &Tree::sequence(parts.len()), config, budget)
}

/// Interpolants for an unsatisfiable tree of parts, one for each part but the root: it separates the part's
/// subtree from the rest, and with the parent's other children and the parent's part implies the parent's.
pub fn interpolate_tree(
    store: &mut Store,
    parts: &[Term],
    tree: &Tree,
    config: &Config,
    budget: &Budget,
) -> Result<Vec<Term>, Failure> {
    let mut solver = Solver::new(bolide_smt::Config {
        proofs: true,
        concrete_indices: true,
        seed: config.seed,
        ..Default::default()
    });
    for &p in parts {
        solver.assert(p);
    }
    match solver.check(store, budget) {
        Answer::Sat => {
            let model = solver.model().cloned().unwrap_or_default();
            return Err(Failure::Sat(Box::new(model)));
        }
        Answer::Unknown(reason) => return Err(Failure::Unknown(reason)),
        Answer::Unsat => {}
    }
    let refutation =
        solver.refutation(store).map_err(|e| Failure::NotInterpolable { cut: 0, reason: e.to_string() })?;
    let part_of: Vec<usize> = (0..parts.len()).collect();
    interpolate_refutation(store, &refutation, &part_of, tree, config, budget)
}

/// Interpolants from a refutation whose `i`-th assertion belongs to part `part_of[i]`.
pub fn interpolate_refutation(
    store: &mut Store,
    refutation: &Refutation,
    part_of: &[usize],
    tree: &Tree,
    config: &Config,
    budget: &Budget,
) -> Result<Vec<Term>, Failure> {
    let config = &Config { system: config.system.on(tree), ..config.clone() };
    let pairs: Vec<(usize, Term)> =
        part_of.iter().copied().zip(refutation.assertions.iter().copied()).collect();
    let mut parts: Vec<Vec<Term>> = vec![Vec::new(); tree.len()];
    for &(p, t) in &pairs {
        parts[p].push(t);
    }
    let parts: Vec<Term> = parts.iter().map(|p| store.and(p)).collect();
    match read_off(store, refutation, part_of, &pairs, tree, config, budget) {
        Ok(interpolants) => {
            if config.verify {
                verify(store, &parts, tree, &interpolants, budget).map_err(Failure::Rejected)?;
            }
            Ok(interpolants)
        }
        Err(failure @ Failure::NotInterpolable { .. }) => {
            eliminate::interpolate(store, &parts, tree, budget).ok_or(failure)
        }
        Err(failure) => Err(failure),
    }
}

/// One pass over the refutation for each cut.
fn read_off(
    store: &mut Store,
    refutation: &Refutation,
    part_of: &[usize],
    pairs: &[(usize, Term)],
    tree: &Tree,
    config: &Config,
    budget: &Budget,
) -> Result<Vec<Term>, Failure> {
    let occurrences = Occurrences::new(store, pairs);
    let mut schemes = AxiomSchemes::new();
    let mut groups = Groups::default();
    let mut out = Vec::with_capacity(tree.len().saturating_sub(1));
    for cut in 0..tree.len().saturating_sub(1) {
        if let Err(interrupt) = budget.check() {
            return Err(Failure::Unknown(Reason::Interrupted(interrupt)));
        }
        let mut pass = Cut::new(store, config, tree, &occurrences, &mut schemes, &mut groups, cut);
        let interpolant = pass.run(refutation, part_of).map_err(|o| match o {
            Obstacle::Unsupported(what) | Obstacle::Defect(what) => {
                Failure::NotInterpolable { cut, reason: what.to_string() }
            }
        })?;
        let interpolant = tidy::tidy(store, interpolant);
        if let Some(f) = store.symbols([interpolant]).into_iter().find(|&f| !is_expressible(store, f)) {
            let reason = format!("the auxiliary symbol {}", store.decl(f).name);
            return Err(Failure::NotInterpolable { cut, reason });
        }
        out.push(interpolant);
    }
    Ok(out)
}
