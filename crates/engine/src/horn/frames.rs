//! What is known about the predicates of a Horn system, for engines that learn level by level (`pdr`, `annotate`).
//!
//! A *lemma* is a cube of facts of a predicate that cannot be derived in a number of steps, its level; a *reach fact*
//! is a set of facts all of which can be derived. Every clause has a solver that knows its constraint, the lemmas
//! about its premises, each under a literal for its level, and the reach facts, so that a question costs little.

pub mod cube;
mod generalise;
mod inductive;
mod lemmas;
mod propagate;
mod rule;
mod sample;
mod weaken;

pub use lemmas::{Lemma, PredState};
pub use rule::Rule;

use bolide_base::Budget;
use bolide_model::horn::{Horn, Interpretation};
use bolide_smt::Reason;
use bolide_term::{Store, Term};
use rustc_hash::FxHashMap;

/// How lemmas are made.
#[derive(Clone, Debug)]
pub struct Learning {
    /// How many literals in a row may resist being dropped from a lemma; none are tried if this is zero.
    pub drop_failures: usize,
    /// Premises avoid the cube that is to be shown underivable.
    pub relative_induction: bool,
    /// Weaken a blocked cube to consequences of it found by interpolation, if so many that look alike came before it.
    pub interpolate_after: u32,
    /// Move the bounds of lemmas as far as counterexamples allow.
    pub weaken_bounds: bool,
    /// Make complex interpolants again from so many prime implicants of a rule at most.
    pub samples: usize,
}

impl Default for Learning {
    fn default() -> Learning {
        Learning {
            drop_failures: 10,
            relative_induction: true,
            interpolate_after: 3,
            weaken_bounds: true,
            samples: 0,
        }
    }
}

/// Why a search stopped without an answer.
#[derive(Clone, Debug)]
pub enum Stop {
    Solver(Reason),
    Projection,
    Interpolation(String),
}

impl From<Stop> for crate::Reason {
    fn from(stop: Stop) -> crate::Reason {
        match stop {
            Stop::Solver(reason) => reason.into(),
            Stop::Projection => "a term cannot be evaluated".into(),
            Stop::Interpolation(reason) => reason.into(),
        }
    }
}

/// A set of facts of one predicate, all of them derivable by one rule from other reach facts.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The set, over the parameters.
    pub formula: Term,
    /// The rule.
    pub rule: usize,
    /// For each premise the reach fact that it is in.
    pub premises: Vec<usize>,
}

/// What is known.
pub struct Frames<'a> {
    pub store: &'a mut Store,
    pub learning: &'a Learning,
    pub budget: &'a Budget,
    /// By predicate; the last one is the goal that stands for false.
    pub preds: Vec<PredState>,
    /// One for each clause.
    pub rules: Vec<Rule>,
    /// All lemmas, dead ones included.
    pub lemmas: Vec<Lemma>,
    pub reach: Vec<Reach>,
    /// The current bound: lemmas of higher levels are not switched on.
    pub level: usize,
    /// So many cubes that look alike come before interpolation: none if there are arrays, where values at indices make
    /// inequalities too special from the start.
    interpolate_after: u32,
    /// How often a rule refuted cubes that look alike: that differ only in the constants of their bounds.
    alike: FxHashMap<(usize, Vec<cube::Shape>), u32>,
    /// Questions that were asked.
    pub queries: u64,
}

impl<'a> Frames<'a> {
    /// Nothing is known.
    pub fn new(store: &'a mut Store, horn: &Horn, learning: &'a Learning, budget: &'a Budget) -> Frames<'a> {
        let mut preds: Vec<PredState> = horn.preds.iter().map(|p| PredState::new(p.params.clone())).collect();
        preds.push(PredState::new(Vec::new()));
        let error = horn.preds.len();
        let mut rules = Vec::with_capacity(horn.clauses.len());
        for c in &horn.clauses {
            let head = c.head.as_ref().map_or(error, |h| h.pred.index());
            preds[head].rules.push(rules.len());
            rules.push(Rule::new(store, horn, c, head));
        }
        let mut params = horn.preds.iter().flat_map(|p| &p.params);
        let has_arrays = params.any(|&t| store.array_sorts(store.sort_of(t)).is_some());
        Frames {
            store,
            learning,
            budget,
            preds,
            rules,
            lemmas: Vec::new(),
            reach: Vec::new(),
            level: 0,
            interpolate_after: if has_arrays { 0 } else { learning.interpolate_after },
            alike: FxHashMap::default(),
            queries: 0,
        }
    }

    /// The position of the goal that stands for false.
    pub fn error(&self) -> usize {
        self.preds.len() - 1
    }

    /// The conjunction of the lemmas above a level.
    pub fn solution(&mut self, fixpoint: usize) -> Interpretation {
        let mut conjuncts: Vec<Vec<Term>> = vec![Vec::new(); self.preds.len()];
        for l in &self.lemmas {
            if l.alive && l.level > fixpoint {
                conjuncts[l.pred].push(l.formula);
            }
        }
        conjuncts.pop();
        Interpretation::new(conjuncts.iter().map(|c| self.store.and(c)).collect())
    }
}
