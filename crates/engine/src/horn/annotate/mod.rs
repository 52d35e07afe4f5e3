//! Lazy annotation: goal-directed search that learns interpolants (McMillan, *Lazy Annotation Revisited*, CAV 2014).
//!
//! For a bound `k` the system is unwound: the instance `P_i` of a predicate holds the facts that can be derived in at
//! most `i` steps. Each instance carries an *annotation*, a formula that all those facts satisfy. SEARCH resolves a
//! goal with rules; after each resolution RSTEP asks whether the resolvent is satisfiable under the annotations. If
//! it is, a decision narrows it to one minterm and the search goes deeper; if not, an interpolant between the body
//! that was resolved in and the rest of the goal annotates the instance. When the initial goal is refuted, the
//! largest inductive subset of all annotations (Houdini) is a solution, or the bound grows.

mod houdini;
mod rules;
mod search;

use super::HornVerdict;
use crate::Verdict;
use bolide_base::{Budget, Gauge, Stats};
use bolide_model::horn::Horn;
use bolide_term::{Store, Term};
use rustc_hash::FxHashMap;

/// The improvements of the paper's section 4, each on or off.
#[derive(Clone, Debug)]
pub struct Config {
    /// Narrow satisfiable goals to a minterm of the clause that was resolved in.
    pub minterms: bool,
    /// Drop disjuncts of interpolants.
    pub generalise: bool,
    /// Copy annotations to later instances where they hold, also during the search.
    pub propagate: bool,
    /// Go back over resolutions that a refutation does not speak of.
    pub back_jumping: bool,
    /// Resolve first with the rules that were skipped least.
    pub relevance: bool,
    /// No larger bound than this.
    pub max_bound: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            minterms: true,
            generalise: true,
            propagate: true,
            back_jumping: true,
            relevance: true,
            max_bound: usize::MAX,
        }
    }
}

/// The state of a run.
struct Annotator<'a> {
    store: &'a mut Store,
    horn: &'a Horn,
    config: &'a Config,
    budget: &'a Budget,
    /// For each predicate, and last for false, the clauses that derive it.
    rules: Vec<Vec<usize>>,
    /// Conjuncts over the parameters, by predicate and instance.
    annotations: Vec<Vec<Vec<Term>>>,
    /// By clause.
    solvers: Vec<rules::RuleSolver>,
    /// By clause: minus the number of times that its resolution was of no use.
    relevance: Vec<i64>,
    /// Conjuncts that could not be copied to an instance of a predicate, with what was known about the premises then.
    refused: FxHashMap<(usize, usize, Term), usize>,
    resolutions: u64,
    jumps: u64,
}

/// Searches for a solution or a derivation. The arguments of bodies must be distinct constants.
pub fn solve(
    store: &mut Store,
    horn: &Horn,
    config: &Config,
    budget: &Budget,
    stats: &mut Stats,
) -> HornVerdict {
    let mut rules = horn.definitions();
    rules.push((0..horn.clauses.len()).filter(|&n| horn.clauses[n].head.is_none()).collect());
    let nothing = vec![store.fls()];
    let annotations = vec![vec![nothing]; rules.len()];
    let mut annotator = Annotator {
        store,
        horn,
        config,
        budget,
        rules,
        annotations,
        solvers: horn.clauses.iter().map(|c| rules::RuleSolver::new(c.constraint)).collect(),
        relevance: vec![0; horn.clauses.len()],
        refused: FxHashMap::default(),
        resolutions: 0,
        jumps: 0,
    };
    let mut bound = 0;
    let verdict = loop {
        if bound == config.max_bound {
            break Verdict::Unknown("the bound was reached".into());
        }
        bound += 1;
        budget.note(Gauge::Depth, bound as u64);
        for a in &mut annotator.annotations {
            a.resize(bound + 1, Vec::new());
        }
        match annotator.search(bound) {
            Ok(Some(derivation)) => break Verdict::Unsafe(derivation),
            Ok(None) => {}
            Err(reason) => break Verdict::Unknown(reason),
        }
        match annotator.converge(bound) {
            Ok(Some(solution)) => break Verdict::Safe(solution),
            Ok(None) => {}
            Err(reason) => break Verdict::Unknown(reason),
        }
    };
    stats.count("annotate bound", bound as u64);
    stats.count("annotate resolutions", annotator.resolutions);
    stats.count("annotate back-jumps", annotator.jumps);
    let size = |a: &Vec<Vec<Term>>| a.iter().map(Vec::len).sum::<usize>();
    stats.count("annotate conjuncts", annotator.annotations.iter().map(size).sum::<usize>() as u64);
    verdict
}
