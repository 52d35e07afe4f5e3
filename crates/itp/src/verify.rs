//! Verification of interpolants with fresh solvers.

use crate::Tree;
use crate::colour::is_expressible;
use bolide_base::Budget;
use bolide_smt::{Answer, Reason, Solver};
use bolide_term::{Func, Store, Term};
use rustc_hash::FxHashSet;
use std::fmt;

/// What is wrong with an interpolant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// The interpolants of the children and the part do not imply the interpolant at this part (or, at the root,
    /// do not contradict each other).
    NotInductive(usize),
    /// The interpolant at this part has a symbol that does not occur on both sides.
    Vocabulary(usize, String),
    /// The interpolant at this part is not in the language to which it was restricted.
    Language(usize),
    /// A split proof does not check.
    SplitProof(String),
    /// The solver gave up on the interpolant at this part.
    Undecided(usize, Reason),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::NotInductive(n) => write!(f, "interpolant {n} does not follow from what comes before it"),
            Flaw::Vocabulary(n, symbol) => write!(f, "interpolant {n} uses the symbol {symbol}"),
            Flaw::Language(n) => write!(f, "interpolant {n} is not in the restriction language"),
            Flaw::SplitProof(why) => write!(f, "split {why}"),
            Flaw::Undecided(n, reason) => write!(f, "interpolant {n} could not be verified: {reason}"),
        }
    }
}

/// Checks one interpolant for each part but the root: each follows from those of its children and its part, the
/// root is contradicted, and only symbols common to both sides occur.
pub fn verify(
    store: &mut Store,
    parts: &[Term],
    tree: &Tree,
    interpolants: &[Term],
    budget: &Budget,
) -> Result<(), Flaw> {
    verify_keeping(store, parts, &[], tree, interpolants, budget)
}

/// The same where some symbols count as occurring in all parts up to a given one.
pub(crate) fn verify_keeping(
    store: &mut Store,
    parts: &[Term],
    kept: &[(Func, usize)],
    tree: &Tree,
    interpolants: &[Term],
    budget: &Budget,
) -> Result<(), Flaw> {
    let symbols: Vec<FxHashSet<Func>> =
        parts.iter().map(|&p| store.symbols([p]).into_iter().collect()).collect();
    for (n, &i) in interpolants.iter().enumerate() {
        for f in store.symbols([i]) {
            let (mut inside, mut outside) = (false, false);
            for (p, s) in symbols.iter().enumerate() {
                if s.contains(&f) {
                    if tree.contains(n, p) { inside = true } else { outside = true }
                }
            }
            let theory_symbol = !inside && !outside && is_expressible(store, f);
            let is_kept = || kept.iter().any(|&(g, until)| f == g && n < until);
            let common = inside && (outside || is_kept());
            if !common && !theory_symbol {
                return Err(Flaw::Vocabulary(n, store.decl(f).name.to_string()));
            }
        }
    }
    for (n, &part) in parts.iter().enumerate() {
        let mut solver = Solver::default();
        for child in tree.children(n) {
            solver.assert(interpolants[child]);
        }
        solver.assert(part);
        if let Some(&i) = interpolants.get(n) {
            let denied = store.not(i);
            solver.assert(denied);
        }
        match solver.check(store, budget) {
            Answer::Unsat => {}
            Answer::Sat => return Err(Flaw::NotInductive(n)),
            Answer::Unknown(reason) => return Err(Flaw::Undecided(n, reason)),
        }
    }
    Ok(())
}
