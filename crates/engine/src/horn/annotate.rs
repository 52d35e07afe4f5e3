//! Lazy annotation: goal-directed search that learns interpolants (McMillan, *Lazy Annotation Revisited*, CAV 2014).
//!
//! For a bound `k` the system is unwound: the instance `P_i` of a predicate holds the facts that can be derived in at
//! most `i` steps. Each instance carries an *annotation*, a formula that all those facts satisfy. SEARCH resolves a
//! goal with rules; after each resolution RSTEP asks whether the resolvent is satisfiable under the annotations. If
//! it is, a decision narrows it to one minterm and the search goes deeper; if not, an interpolant between the bodies
//! that could be resolved in and the rest of the goal annotates the instance. When the initial goal is refuted, an
//! instance whose annotations all hold one step later gives a solution, or instances of single predicates that cover later ones do (lazy
//! covering), or the largest inductive subset of all annotations does (Houdini), or the bound grows.
//!
//! As `P_i` is contained in `P_j` for `i < j`, an annotation of an instance is one of all earlier ones: annotations are
//! the lemmas of module `frames`, each with the last instance that it is known to hold for.

mod cover;
mod derive;
mod houdini;
mod search;
mod suffix;

use super::HornClaim;
use super::frames::{Frames, Learning, Stop};
use crate::Verdict;
use bolide_base::{Budget, Gauge, Stats};
use bolide_model::horn::{Horn, Interpretation};
use bolide_term::Store;
use rustc_hash::FxHashMap;

/// An interpolant is made of no more prime implicants than this.
const SAMPLES: usize = 16;

/// The improvements of the paper's section 4 and some more, each on or off.
#[derive(Clone, Debug)]
pub struct Config {
    /// Narrow satisfiable goals to a minterm of the clause that was resolved in.
    pub minterms: bool,
    /// Drop disjuncts of interpolants.
    pub generalise: bool,
    /// Make complex interpolants again from prime implicants of the rules.
    pub sampling: bool,
    /// Move the bounds in interpolants as far as counterexamples allow.
    pub bounds: bool,
    /// Drop disjuncts also where the interpolant is needed to show itself (relative induction, as in PDR).
    pub induction: bool,
    /// Copy annotations to later instances where they hold, also during the search.
    pub propagate: bool,
    /// Go back over resolutions that a refutation does not speak of.
    pub back_jumping: bool,
    /// Resolve first with the rules that were skipped least.
    pub relevance: bool,
    /// Look for instances that cover later ones, each predicate for itself.
    pub covering: bool,
    /// Look for the largest inductive subset of the annotations.
    pub houdini: bool,
    /// No larger bound than this.
    pub max_bound: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            minterms: true,
            generalise: true,
            sampling: true,
            bounds: true,
            induction: true,
            propagate: true,
            back_jumping: true,
            relevance: true,
            covering: true,
            houdini: true,
            max_bound: usize::MAX,
        }
    }
}

impl Config {
    /// How interpolants are made.
    fn learning(&self) -> Learning {
        Learning {
            drop_failures: if self.generalise { usize::MAX } else { 0 },
            relative_induction: self.induction,
            weaken_bounds: self.bounds,
            samples: if self.sampling { SAMPLES } else { 0 },
            ..Learning::default()
        }
    }
}

/// The state of a run.
struct Annotator<'a> {
    /// The annotations.
    known: Frames<'a>,
    horn: &'a Horn,
    config: &'a Config,
    /// By clause: minus the number of times that its resolution was of no use.
    relevance: Vec<i64>,
    /// Clauses with constants of their own, by clause and position on the stack: no two at one position are in use at
    /// a time.
    copies: FxHashMap<(usize, usize), search::Copy>,
    resolutions: u64,
    covers: u64,
    jumps: u64,
}

/// Searches for a solution or a derivation. The arguments of bodies must be distinct constants.
pub fn solve(
    store: &mut Store,
    horn: &Horn,
    config: &Config,
    budget: &Budget,
    stats: &mut Stats,
) -> HornClaim {
    let learning = config.learning();
    let mut annotator = Annotator {
        known: Frames::new(store, horn, &learning, budget),
        horn,
        config,
        relevance: vec![0; horn.clauses.len()],
        copies: FxHashMap::default(),
        resolutions: 0,
        covers: 0,
        jumps: 0,
    };
    let verdict = annotator.run().unwrap_or_else(|stop| Verdict::Unknown(stop.into()));
    stats.count("annotate bound", annotator.known.level as u64);
    stats.count("annotate resolutions", annotator.resolutions);
    stats.count("annotate queries", annotator.known.queries);
    stats.count("annotate covers", annotator.covers);
    stats.count("annotate back-jumps", annotator.jumps);
    stats.count("annotate conjuncts", annotator.known.lemmas.iter().filter(|l| l.alive).count() as u64);
    verdict
}

impl Annotator<'_> {
    fn run(&mut self) -> Result<HornClaim, Stop> {
        while self.known.level < self.config.max_bound {
            self.known.level += 1;
            self.known.budget.note(Gauge::Depth, self.known.level as u64);
            if let Some(derivation) = self.search()? {
                return Ok(Verdict::Unsafe(derivation));
            }
            if let Some(solution) = self.converge()? {
                return Ok(Verdict::Safe(solution));
            }
        }
        Ok(Verdict::Unknown("the bound was reached".into()))
    }

    /// A solution from the annotations of all instances, if they contain one.
    fn converge(&mut self) -> Result<Option<Interpretation>, Stop> {
        if self.config.propagate
            && let Some(covered) = self.known.propagate()?
        {
            return Ok(Some(self.known.solution(covered)));
        }
        if self.config.covering
            && let Some(solution) = self.covering()?
        {
            return Ok(Some(solution));
        }
        if self.config.houdini { self.inductive_subset() } else { Ok(None) }
    }
}
