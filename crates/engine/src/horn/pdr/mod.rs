//! Property-directed reachability for Horn clauses, linear or not.
//!
//! The algorithm is generalised PDR (Hoder and Bjørner, SAT 2012) in the form of Spacer (Komuravelli, Gurfinkel,
//! Chaki, CAV 2014). For each predicate there are *lemmas*, each valid for all facts derived in at most so many
//! steps (its level), and *reach facts*, sets of facts all of which are derivable. A *goal* asks whether a cube of a
//! predicate can be derived in so many steps. A goal is blocked by a lemma, or split by model-based projection into a
//! goal about a premise, or reached through premises that are reach facts. When all lemmas of a level also hold
//! one level up, they are a solution.

mod cube;
mod frames;
mod generalise;
mod goals;
mod guide;
mod propagate;
mod rule;
mod weaken;
mod witness;

use super::HornVerdict;
use crate::Verdict;
use bolide_base::{Budget, Stats};
use bolide_model::horn::{Horn, Interpretation};
use bolide_smt::Reason;
use bolide_term::{Store, Term};
use frames::{Lemma, PredState};
use goals::Goals;
use rule::Rule;

/// How the search is carried out.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many literals in a row may resist being dropped from a lemma.
    pub drop_failures: usize,
    /// Keep asking about blocked goals at higher levels.
    pub preserve_goals: bool,
    /// Weaken blocked cubes to consequences of them found by interpolation.
    pub interpolate: bool,
    /// Look at lemmas that are alike together.
    pub guide: bool,
    /// Move the bounds of lemmas as far as counterexamples allow.
    pub weaken_bounds: bool,
    /// No more levels than this.
    pub max_level: usize,
}

/// How many goals may be made for a guess.
const GAS: u32 = 10;

impl Default for Config {
    fn default() -> Config {
        Config {
            drop_failures: 10,
            preserve_goals: true,
            interpolate: true,
            guide: true,
            weaken_bounds: true,
            max_level: usize::MAX,
        }
    }
}

/// Why the search stopped without an answer.
#[derive(Clone, Debug)]
enum Stop {
    Solver(Reason),
    Projection,
}

impl From<Stop> for String {
    fn from(stop: Stop) -> String {
        match stop {
            Stop::Solver(reason) => reason.to_string(),
            Stop::Projection => "a term cannot be evaluated".into(),
        }
    }
}

/// Searches for a solution or a derivation. The arguments of bodies must be distinct constants.
pub fn solve(
    store: &mut Store,
    horn: &Horn,
    config: &Config,
    budget: &Budget,
    stats: &mut Stats,
) -> HornVerdict {
    let mut pdr = Pdr::new(store, horn, config, budget);
    let result = pdr.run();
    pdr.report(stats);
    match result {
        Ok(verdict) => verdict,
        Err(stop) => Verdict::Unknown(stop.into()),
    }
}

/// The state of a search.
struct Pdr<'a> {
    store: &'a mut Store,
    config: &'a Config,
    budget: &'a Budget,
    /// By predicate; the last one is the goal that stands for false.
    preds: Vec<PredState>,
    /// One for each clause.
    rules: Vec<Rule>,
    /// All lemmas, dead ones included.
    lemmas: Vec<Lemma>,
    reach: Vec<witness::Reach>,
    clusters: guide::Clusters,
    /// The numerals of the problem, ordered.
    numerals: Vec<bolide_base::Rational>,
    /// The current bound.
    level: usize,
    goals_made: u64,
    queries: u64,
    /// Lemmas that guidance found at once.
    guided: u64,
}

impl<'a> Pdr<'a> {
    fn new(store: &'a mut Store, horn: &'a Horn, config: &'a Config, budget: &'a Budget) -> Pdr<'a> {
        let mut preds: Vec<PredState> = horn.preds.iter().map(|p| PredState::new(p.params.clone())).collect();
        preds.push(PredState::new(Vec::new()));
        let error = horn.preds.len();
        let mut rules = Vec::with_capacity(horn.clauses.len());
        for c in &horn.clauses {
            let head = c.head.as_ref().map_or(error, |h| h.pred.index());
            preds[head].rules.push(rules.len());
            rules.push(Rule::new(store, horn, c, head));
        }
        let numerals = guide::numerals(store, horn.clauses.iter());
        Pdr {
            store,
            config,
            budget,
            preds,
            rules,
            lemmas: Vec::new(),
            reach: Vec::new(),
            clusters: guide::Clusters::default(),
            numerals,
            level: 0,
            goals_made: 0,
            queries: 0,
            guided: 0,
        }
    }

    fn error(&self) -> usize {
        self.preds.len() - 1
    }

    fn run(&mut self) -> Result<HornVerdict, Stop> {
        while self.level < self.config.max_level {
            self.level += 1;
            if self.reaches_error()? {
                return Ok(match self.derivation()? {
                    Some(d) => Verdict::Unsafe(d),
                    None => Verdict::Unknown("the derivation could not be made concrete".into()),
                });
            }
            if let Some(fixpoint) = self.propagate()? {
                return Ok(Verdict::Safe(self.solution(fixpoint)));
            }
        }
        Ok(Verdict::Unknown("the bound on levels was reached".into()))
    }

    /// Is false derivable within the current bound? If not, lemmas say so afterwards.
    fn reaches_error(&mut self) -> Result<bool, Stop> {
        let mut goals = Goals::new();
        goals.add(self.error(), Vec::new(), self.level, 0, None);
        while let Some(goal) = goals.pop() {
            self.goals_made += 1;
            match self.work(&goal)? {
                goals::Step::Reached if goal.pred == self.error() => return Ok(true),
                goals::Step::Reached => {}
                goals::Step::Blocked(level, hints) => {
                    for cube in hints {
                        goals.add(goal.pred, cube, goal.level, goal.depth, Some(GAS));
                    }
                    // Derivations longer than the bound are looked for, but not without end.
                    let in_reach = level < self.level && level + goal.depth < 2 * self.level;
                    if self.config.preserve_goals && in_reach && goal.gas.is_none() {
                        goals.put_back(goal, level + 1);
                    }
                }
                goals::Step::Needs { pred, cube } => {
                    let (level, depth) = (goal.level, goal.depth);
                    let gas = goal.gas.map(|g| g.saturating_sub(1));
                    if gas != Some(0) {
                        let mut goal = goal;
                        goal.gas = gas;
                        goals.put_back(goal, level);
                        if self.config.guide {
                            for cube in self.guide(pred, &cube, level - 1)? {
                                goals.add(pred, cube, level - 1, depth + 1, Some(GAS));
                            }
                        }
                        goals.add(pred, cube, level - 1, depth + 1, gas);
                    }
                }
            }
        }
        Ok(false)
    }

    /// The conjunction of the lemmas above a level.
    fn solution(&mut self, fixpoint: usize) -> Interpretation {
        let mut conjuncts: Vec<Vec<Term>> = vec![Vec::new(); self.preds.len()];
        for l in &self.lemmas {
            if l.alive && l.level > fixpoint {
                conjuncts[l.pred].push(l.formula);
            }
        }
        conjuncts.pop();
        Interpretation { formulas: conjuncts.iter().map(|c| self.store.and(c)).collect() }
    }

    fn report(&self, stats: &mut Stats) {
        stats.count("pdr levels", self.level as u64);
        stats.count("pdr goals", self.goals_made);
        stats.count("pdr queries", self.queries);
        stats.count("pdr guided lemmas", self.guided);
        stats.count("pdr lemmas", self.lemmas.len() as u64);
        stats.count("pdr live lemmas", self.lemmas.iter().filter(|l| l.alive).count() as u64);
        stats.count("pdr reach facts", self.reach.len() as u64);
    }
}
