//! Property-directed reachability for Horn clauses, linear or not.
//!
//! The algorithm is generalised PDR (Hoder and Bjørner, SAT 2012) in the form of Spacer (Komuravelli, Gurfinkel,
//! Chaki, CAV 2014). For each predicate there are *lemmas*, each valid for all facts derived in at most so many
//! steps (its level), and *reach facts*, sets of facts all of which are derivable. A *goal* asks whether a cube of a
//! predicate can be derived in so many steps. A goal is blocked by a lemma, or split by model-based projection into a
//! goal about a premise, or reached through premises that are reach facts. When all lemmas of a level also hold
//! one level up, they are a solution.

mod analogy;
mod goals;
mod guide;
mod witness;

use super::HornClaim;
use super::frames::{Frames, Learning, Stop};
use crate::Verdict;
use crate::board::Seat;
use bolide_base::{Budget, Gauge, Stats};
use bolide_model::horn::Horn;
use bolide_term::Store;
use goals::Goals;

/// How the search is carried out.
#[derive(Clone, Debug)]
pub struct Config {
    /// How lemmas are made.
    pub learning: Learning,
    /// Keep asking about blocked goals at higher levels.
    pub preserve_goals: bool,
    /// Look at lemmas that are alike together.
    pub guide: bool,
    /// No more levels than this.
    pub max_level: usize,
    /// Where proved facts are exchanged with others.
    pub board: Option<Seat>,
}

/// Lemmas that are inductive together are looked for when so many times as many questions have been asked as before, and so many at least.
const QUESTIONS_BETWEEN: u64 = 2;
const FIRST_QUESTIONS: u64 = 200;

/// How many goals may be made for a guess.
const GAS: u32 = 10;

impl Default for Config {
    fn default() -> Config {
        Config {
            learning: Learning::default(),
            preserve_goals: true,
            guide: true,
            max_level: usize::MAX,
            board: None,
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
) -> HornClaim {
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
    /// Lemmas and reach facts.
    known: Frames<'a>,
    config: &'a Config,
    clusters: guide::Clusters,
    analogies: analogy::Analogies,
    /// The numerals of the problem, ordered.
    numerals: Vec<bolide_base::Rational>,
    goals_made: u64,
    /// Lemmas that guidance found at once.
    guided: u64,
    exchanged: Exchanged,
}

/// What has been exchanged with others.
#[derive(Default)]
struct Exchanged {
    /// How much of the board has been read.
    seen: usize,
    adopted: u64,
    posted: u64,
    /// Lemmas that were found to be inductive together.
    invariants: u64,
    /// So many questions are asked before such lemmas are looked for again.
    next: u64,
}

impl<'a> Pdr<'a> {
    fn new(store: &'a mut Store, horn: &'a Horn, config: &'a Config, budget: &'a Budget) -> Pdr<'a> {
        let numerals = guide::numerals(store, horn.clauses.iter());
        let known = Frames::new(store, horn, &config.learning, budget);
        let exchanged = Exchanged { next: FIRST_QUESTIONS, ..Exchanged::default() };
        Pdr {
            known,
            config,
            clusters: guide::Clusters::default(),
            analogies: analogy::Analogies::default(),
            numerals,
            goals_made: 0,
            guided: 0,
            exchanged,
        }
    }

    fn run(&mut self) -> Result<HornClaim, Stop> {
        while self.known.level < self.config.max_level {
            self.adopt_facts()?;
            self.known.level += 1;
            self.known.budget.note(Gauge::Depth, self.known.level as u64);
            self.known.budget.note(Gauge::Vertices, self.goals_made);
            self.known.budget.note(Gauge::Refinements, self.known.lemmas.len() as u64);
            if self.reaches_error()? {
                return Ok(match self.derivation()? {
                    Some(d) => Verdict::Unsafe(d),
                    None => Verdict::Unknown("the derivation could not be made concrete".into()),
                });
            }
            if let Some(fixpoint) = self.known.propagate()? {
                self.post_solution(fixpoint);
                return Ok(Verdict::Safe(self.known.solution(fixpoint)));
            }
            self.post_invariants()?;
        }
        Ok(Verdict::Unknown("the bound on levels was reached".into()))
    }

    /// Takes over what others have proved.
    fn adopt_facts(&mut self) -> Result<(), Stop> {
        let Some(seat) = &self.config.board else { return Ok(()) };
        let facts = seat.read(self.known.store, &mut self.exchanged.seen);
        self.exchanged.adopted += self.known.adopt(facts)?;
        Ok(())
    }

    /// Tells others which lemmas hold however long derivations are.
    fn post_invariants(&mut self) -> Result<(), Stop> {
        let Some(seat) = &self.config.board else { return Ok(()) };
        if self.known.queries < self.exchanged.next {
            return Ok(());
        }
        self.exchanged.next = QUESTIONS_BETWEEN * self.known.queries;
        let found = self.known.find_invariants()?;
        self.exchanged.invariants += found.len() as u64;
        self.exchanged.posted += seat.post(self.known.store, &found);
        Ok(())
    }

    /// Tells others the lemmas above a level, which are a solution: they may work on another form of the task.
    fn post_solution(&mut self, fixpoint: usize) {
        let Some(seat) = &self.config.board else { return };
        let lemmas = self.known.lemmas.iter().filter(|l| l.alive && l.level > fixpoint);
        let facts: Vec<_> = lemmas.map(|l| (l.pred, l.formula)).collect();
        self.exchanged.posted += seat.post(self.known.store, &facts);
    }

    /// Is false derivable within the current bound? If not, lemmas say so afterwards.
    fn reaches_error(&mut self) -> Result<bool, Stop> {
        let mut goals = Goals::new();
        goals.add(self.known.error(), Vec::new(), self.known.level, 0, None);
        while let Some(goal) = goals.pop() {
            self.goals_made += 1;
            match self.work(&goal)? {
                goals::Step::Reached if goal.pred == self.known.error() => return Ok(true),
                goals::Step::Reached => {}
                goals::Step::Blocked(level, hints) => {
                    for cube in hints {
                        goals.add(goal.pred, cube, goal.level, goal.depth, Some(GAS));
                    }
                    // Derivations longer than the bound are looked for, but not without end.
                    let in_reach = level < self.known.level && level + goal.depth < 2 * self.known.level;
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

    fn report(&self, stats: &mut Stats) {
        stats.count("pdr levels", self.known.level as u64);
        stats.count("pdr goals", self.goals_made);
        stats.count("pdr queries", self.known.queries);
        stats.count("pdr guided lemmas", self.guided);
        stats.count("pdr lemmas by analogy", self.analogies.held());
        stats.count("pdr lemmas", self.known.lemmas.len() as u64);
        stats.count("pdr live lemmas", self.known.lemmas.iter().filter(|l| l.alive).count() as u64);
        stats.count("pdr lemmas of all levels", self.exchanged.invariants);
        stats.count("facts posted", self.exchanged.posted);
        stats.count("facts adopted", self.exchanged.adopted);
        stats.count("pdr reach facts", self.known.reach.len() as u64);
    }
}
