//! IMPACT: lazy abstraction with interpolants (McMillan, CAV 2006).
//!
//! The program is unwound into a tree. A vertex at an error location is refined: its path is infeasible, and
//! interpolants along the path strengthen the labels of its vertices until the error vertex is labelled `false`; or the
//! path is feasible and shows an error. A vertex whose label entails that of an earlier vertex of the same location is
//! covered and need not be expanded. When every leaf is covered or unreachable, the labels are an inductive
//! invariant.

mod adopt;
mod carry;

use super::art::{Label, Unwinding, Vertex};
use super::conjecture::{self, Facts};
use super::entailment::Entailment;
use super::evidence::{checked, conclude};
use super::order::{Order, by_distance_to_error};
use super::path::{Paths, Ranges, Refutation, conjuncts};
use super::picture::{Picture, draw};
use super::push::{Chain, Pusher};
use super::refine::{Refine, Refiner};
use super::sample::sample;
use super::track::Tracked;
use super::{ProgramClaim, ProgramVerdict};
use crate::Verdict;
use crate::board::Seat;
use bolide_base::{Budget, Gauge, IdVec, Stats};
use bolide_model::Trace;
use bolide_model::{EdgeId, LocId, Program};
use bolide_term::{Store, Term};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::time::Instant;

/// How IMPACT works.
#[derive(Clone, Debug)]
pub struct Config {
    /// The order of the search.
    pub order: Order,
    /// How interpolants are made.
    pub interpolation: bolide_itp::Config,
    /// Where interpolants come from.
    pub refine: Refine,
    /// Try to refute short ends of a path to an error before the whole path. It finds better facts where an edge says
    /// much; where edges are single statements it is a waste.
    pub short_ends: bool,
    /// Ask whether a whole path to an error is feasible before it is refuted. Where almost no path is, and each question is as
    /// expensive as its refutation, it is cheaper to ask only when there is no refutation.
    pub ask_first: bool,
    /// How many of the latest vertices of a location forced covering tries; 0 turns it off.
    pub forced_covering: usize,
    /// How many earlier vertices of a location are tried as coverers.
    pub cover_candidates: usize,
    /// Guess invariants from random executions first, and look for errors there.
    pub conjectures: bool,
    /// How many vertices of the unwinding are drawn for reports; with 0 there is no picture.
    pub picture: usize,
    /// Where proved facts are exchanged with others.
    pub board: Option<Seat>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            order: Order::default(),
            interpolation: bolide_itp::Config::default(),
            refine: Refine::default(),
            short_ends: true,
            ask_first: true,
            forced_covering: 3,
            cover_candidates: 64,
            conjectures: true,
            picture: 0,
            board: None,
        }
    }
}

/// What happened, in the terms of the paper's tables.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Error paths that were refuted.
    pub refinements: u64,
    /// Vertices that were covered.
    pub covers: u64,
    /// Covers that had to be taken back.
    pub uncovers: u64,
    /// Attempts at forced covering that succeeded.
    pub forced_covers: u64,
    /// Attempts at forced covering.
    pub forced_attempts: u64,
    /// Refinements by weakest preconditions.
    pub carried: u64,
    /// Facts of other engines that are assumed.
    pub adopted: u64,
}

/// After so many rounds of a loop its labels are weakened before they are used.
const ROUNDS: usize = 3;

/// So many steps may be spent on a short end of a path. An end from any state of a label may be far harder to decide than
/// the path itself.
const STEPS_OF_END: u64 = 5_000;

/// So many steps may be spent on an entailment where facts are carried along branches: it is cheaper to unwind further
/// than to wait for a hard one.
const STEPS_OF_ENTAILMENT: u64 = 2_000;

/// Decides whether an error location of the program's entry procedure can be reached.
pub fn run(
    store: &mut Store,
    program: &Program,
    config: &Config,
    budget: &Budget,
) -> (ProgramVerdict, Stats) {
    let (verdict, stats, _) = run_with_picture(store, program, config, budget);
    (verdict, stats)
}

/// The same, with a picture of the unwinding as it was in the end, if the configuration asks for one and there is an
/// unwinding.
pub fn run_with_picture(
    store: &mut Store,
    program: &Program,
    config: &Config,
    budget: &Budget,
) -> (ProgramVerdict, Stats, Option<Picture>) {
    let (claim, stats, picture) = search(store, program, config, budget);
    (checked(store, program, claim, budget), stats, picture)
}

/// The same, but the invariant is not checked: for those who check what they make of it.
pub fn claim(
    store: &mut Store,
    program: &Program,
    config: &Config,
    budget: &Budget,
) -> (ProgramClaim, Stats) {
    let (claim, stats, _) = search(store, program, config, budget);
    (claim, stats)
}

fn search(
    store: &mut Store,
    program: &Program,
    config: &Config,
    budget: &Budget,
) -> (ProgramClaim, Stats, Option<Picture>) {
    let ranges = Ranges::new(store, program);
    let mut stats = Stats::new();
    let facts = match learn(store, program, config, &ranges, budget, &mut stats) {
        Ok(facts) => facts,
        Err(trace) => return (Verdict::Unsafe(trace), stats, None),
    };
    if let Some(seat) = &config.board {
        let all = facts.iter_enumerated().flat_map(|(l, facts)| facts.iter().map(move |&f| (l.index(), f)));
        let posted = seat.post(store, &all.collect::<Vec<_>>());
        stats.count("facts posted", posted);
    }
    let mut impact = Impact::new(store, program, config, ranges, facts);
    let claim = impact.unwind(store, budget);
    impact.statistics(&mut stats);
    let picture = (config.picture > 0).then(|| draw(store, &impact.tree, config.picture));
    (claim, stats, picture)
}

/// Facts about locations to start from, or an error that a random execution ran into.
fn learn(
    store: &mut Store,
    program: &Program,
    config: &Config,
    ranges: &Ranges,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Facts, Trace> {
    let nothing = || program.main().locations.iter().map(|_| Vec::new()).collect();
    // Where no edge leads to an error, nothing needs to be known.
    let is_harmless = by_distance_to_error(program).1[program.main().entry];
    if !config.conjectures || is_harmless {
        return Ok(nothing());
    }
    let clock = Instant::now();
    let vars = conjecture::interesting(store, program);
    let mut samples = sample(store, program, vars, budget);
    stats.time("sampling", clock.elapsed());
    if let Some(trace) = samples.error.take() {
        return Err(trace);
    }
    if samples.vars.is_empty() {
        return Ok(nothing());
    }
    let clock = Instant::now();
    let facts = conjecture::conjecture(store, program, &samples, ranges, budget);
    stats.count("facts conjectured and proved", facts.iter().map(|f| f.len() as u64).sum());
    stats.time("conjectures", clock.elapsed());
    Ok(facts)
}

struct Impact<'p> {
    program: &'p Program,
    config: &'p Config,
    paths: Paths<'p>,
    tree: Unwinding,
    entailment: Entailment,
    pusher: Pusher,
    tracked: Tracked,
    /// The different facts about what counts the rounds of a loop that were carried to each of its locations.
    carried: IdVec<LocId, FxHashSet<Term>>,
    /// Do carried facts diverge at some location? Then interpolants have to generalise.
    carrying_diverges: bool,
    outgoing: IdVec<LocId, Vec<EdgeId>>,
    /// Locations from which no error can be reached; they are not unwound.
    is_harmless: IdVec<LocId, bool>,
    /// Locations that several edges lead to. Between them nothing is covered by force: what could be, could be before.
    is_join: IdVec<LocId, bool>,
    /// Leaves to look at, the newest last.
    open: VecDeque<Vertex>,
    /// How much of the board has been read.
    seen: usize,
    counters: Counters,
}

impl<'p> Impact<'p> {
    fn new(
        store: &mut Store,
        program: &'p Program,
        config: &'p Config,
        ranges: Ranges,
        facts: Facts,
    ) -> Impact<'p> {
        let procedure = program.main();
        let mut entailment = Entailment::new(store, ranges.clone());
        if !config.short_ends {
            entailment = entailment.with_steps(STEPS_OF_ENTAILMENT);
        }
        let refiner = Refiner::new(store, program, config.refine, config.interpolation.clone());
        let pusher = Pusher::new(store, program, ranges.clone());
        let paths = Paths::new(store, program, ranges, facts, refiner);
        let tree = Unwinding::new(procedure.locations.len(), procedure.entry);
        let root = tree.root();
        let (outgoing, is_harmless) = by_distance_to_error(program);
        let tracked = Tracked::new(store, program, &outgoing);
        let mut incoming: IdVec<LocId, usize> = procedure.locations.iter().map(|_| 0).collect();
        procedure.edges.iter().for_each(|e| incoming[e.to] += 1);
        let is_join = incoming.iter().map(|&n| n > 1).collect();
        Impact {
            program,
            config,
            paths,
            tree,
            entailment,
            pusher,
            tracked,
            carried: procedure.locations.iter().map(|_| FxHashSet::default()).collect(),
            carrying_diverges: false,
            outgoing,
            is_harmless,
            is_join,
            open: VecDeque::from([root]),
            seen: 0,
            counters: Counters::default(),
        }
    }

    /// UNWIND: looks at open leaves until there is none, or an error is found.
    fn unwind(&mut self, store: &mut Store, budget: &Budget) -> ProgramClaim {
        while let Some(v) = self.config.order.take(&mut self.open) {
            if let Err(interrupt) = budget.check() {
                return Verdict::Unknown(self.paths.refiner.explain(interrupt));
            }
            if self.tree.node(v).expanded || self.tree.is_unreachable(store, v) {
                continue;
            }
            if let Some(covered) = self.tree.covering_ancestor(v) {
                self.tree.node_mut(covered).suspended.push(v);
                continue;
            }
            if let Err(verdict) = self.visit(store, v, budget) {
                return verdict;
            }
            debug_assert!(self.tree.check_covers());
        }
        conclude(store, self.program, &self.tree, &self.is_harmless)
    }

    /// One step of DFS: close, refine if this is an error, otherwise expand.
    fn visit(&mut self, store: &mut Store, v: Vertex, budget: &Budget) -> Result<(), ProgramClaim> {
        let location = self.tree.node(v).location;
        budget.note(Gauge::Depth, self.tree.node(v).depth.into());
        budget.note(Gauge::Vertices, self.tree.len() as u64);
        budget.note(Gauge::Refinements, self.counters.refinements);
        if self.program.main().locations[location].error.is_some() {
            return self.refine(store, v, budget);
        }
        let is_covered = if self.pushes() {
            self.is_join[location] && (self.close(store, v, budget) || self.push_cover(store, v, budget))
        } else {
            self.close(store, v, budget) || self.force_cover(store, v, budget)
        };
        if !is_covered {
            self.expand(store, v, budget);
        }
        Ok(())
    }

    /// EXPAND: adds the successors; the one nearest to an error is looked at next.
    fn expand(&mut self, store: &mut Store, v: Vertex, budget: &Budget) {
        self.tree.node_mut(v).expanded = true;
        for n in 0..self.outgoing[self.tree.node(v).location].len() {
            let e = self.outgoing[self.tree.node(v).location][n];
            if self.pushes() && self.is_excluded(store, v, e, budget) {
                continue;
            }
            let to = self.program.main().edges[e].to;
            let child = self.tree.add_child(v, e, to, self.paths.facts(to));
            if self.pushes() {
                self.inherit(store, v, e, child);
            }
            self.open.push_back(child);
        }
    }

    /// REFINE: refutes the path to an error vertex, or finds that it can be executed. If the language of interpolants is
    /// restricted, it grows until there are some.
    fn refine(&mut self, store: &mut Store, v: Vertex, budget: &Budget) -> Result<(), ProgramClaim> {
        if self.adopt_facts(store, budget) && self.tree.is_unreachable(store, v) {
            return Ok(());
        }
        if self.pushes() && self.refine_by_carrying(store, v, budget) {
            return Ok(());
        }
        let (vertices, edges) = self.tree.path(v);
        let (start, facts) = loop {
            if let Err(interrupt) = budget.check() {
                return Err(Verdict::Unknown(self.paths.refiner.explain(interrupt)));
            }
            match self.refute(store, &vertices, &edges, budget)? {
                Some(refuted) => break refuted,
                None => self.paths.refiner.raise(),
            }
        };
        self.counters.refinements += 1;
        let vertices = &vertices[start + 1..];
        for (&w, &fact) in vertices.iter().zip(&facts) {
            self.paths.refiner.observe(store, self.tree.node(w).location, fact);
        }
        if self.paths.refiner.falls_back() {
            self.start_again();
            return Ok(());
        }
        let changed = if self.pushes() {
            let mut all = Chain::new();
            for (&w, &fact) in vertices.iter().zip(&facts) {
                all.extend(conjuncts(store, fact).into_iter().map(|c| (w, c)));
            }
            self.add_facts(store, all, budget)
        } else {
            self.strengthen(store, vertices, &facts, budget)
        };
        self.close_all(store, changed, budget);
        Ok(())
    }

    /// Tries to cover what was strengthened.
    fn close_all(&mut self, store: &mut Store, changed: Vec<Vertex>, budget: &Budget) {
        for w in changed {
            if !self.tree.is_covered(w) && (!self.pushes() || self.is_join[self.tree.node(w).location]) {
                self.close(store, w, budget);
            }
        }
    }

    /// Facts that refute an end of a path to an error, with the number of edges before that end; nothing if there are
    /// none in the language of interpolants.
    fn refute(
        &mut self,
        store: &mut Store,
        vertices: &[Vertex],
        edges: &[EdgeId],
        budget: &Budget,
    ) -> Result<Option<(usize, Vec<Term>)>, ProgramClaim> {
        // What the labels say may suffice for a short end of the path, and short refutations generalise best.
        let shorter = if self.config.short_ends { edges.len() } else { 0 };
        let ends = (0..).map(|k| 1 << k).take_while(|&length: &usize| length < shorter);
        let of_end = |start: usize| {
            if start > 0 { budget.clone().with_steps(STEPS_OF_END) } else { budget.clone() }
        };
        for start in ends.map(|length| edges.len() - length).chain([0]) {
            let mut label = self.tree.node(vertices[start]).label.clone();
            let weakens = start > 0 && !self.paths.refiner.is_split();
            if weakens && self.goes_round(&vertices[..start], vertices[start]) {
                match self.paths.weaken(store, &label, &edges[start..], &of_end(start)) {
                    Some(weaker) => label = weaker,
                    None => continue,
                }
            }
            if start == 0 && !self.config.ask_first {
                let refuted = self.paths.refute_blindly(store, &label, edges, None, budget);
                if let Refutation::Infeasible(facts) = refuted {
                    return Ok(Some((start, facts)));
                }
            }
            match self.paths.refute(store, &label, &edges[start..], None, &of_end(start)) {
                Refutation::Feasible(trace) if start == 0 => return Err(Verdict::Unsafe(trace)),
                Refutation::Unknown(reason) if start == 0 => {
                    return Err(Verdict::Unknown(self.paths.refiner.explain(reason)));
                }
                Refutation::Feasible(_) | Refutation::Unknown(_) | Refutation::NotInLanguage => {}
                Refutation::Infeasible(facts) => return Ok(Some((start, facts))),
            }
        }
        Ok(None)
    }

    /// Forgets the tree.
    fn start_again(&mut self) {
        let procedure = self.program.main();
        self.tree = Unwinding::new(procedure.locations.len(), procedure.entry);
        self.open = VecDeque::from([self.tree.root()]);
        self.pusher.forget();
    }

    /// Has a path to a vertex been at its location often before?
    fn goes_round(&self, path: &[Vertex], v: Vertex) -> bool {
        let location = self.tree.node(v).location;
        path.iter().filter(|&&w| self.tree.node(w).location == location).nth(ROUNDS - 1).is_some()
    }

    /// Adds facts to labels; what a strengthened vertex covered is looked at again. Returns the changed vertices.
    fn strengthen(
        &mut self,
        store: &mut Store,
        vertices: &[Vertex],
        facts: &[Term],
        budget: &Budget,
    ) -> Vec<Vertex> {
        let mut changed = Vec::new();
        for (&v, &fact) in vertices.iter().zip(facts) {
            let mut label = self.tree.node(v).label.clone();
            let added = conjuncts(store, fact);
            self.entailment.add_to(store, &mut label, &added, budget);
            // A label that contradicts itself is known to.
            label.sort_unstable();
            if self.entailment.entails_one(store, &label, store.fls(), budget) {
                label = vec![store.fls()];
            }
            if self.tree.node(v).label == label {
                continue;
            }
            self.relabel(store, v, label, budget);
            changed.push(v);
            if self.tree.is_unreachable(store, v) {
                self.prune(store, v, budget);
            }
        }
        changed
    }

    /// Gives a vertex a stronger label; what it does not cover any more is open again.
    fn relabel(&mut self, store: &mut Store, v: Vertex, label: Label, budget: &Budget) {
        self.tree.node_mut(v).label = label;
        for x in std::mem::take(&mut self.tree.node_mut(v).covers) {
            let (label, of_x) = (self.tree.node(v).label.clone(), self.tree.node(x).label.clone());
            if self.entailment.entails(store, &of_x, &label, budget) {
                self.tree.node_mut(v).covers.push(x);
            } else {
                self.uncover(x);
            }
        }
    }

    /// What is below a vertex that cannot be reached cannot be reached either.
    fn prune(&mut self, store: &mut Store, v: Vertex, budget: &Budget) {
        let mut below = self.tree.node(v).children.clone();
        while let Some(x) = below.pop() {
            below.extend_from_slice(&self.tree.node(x).children);
            if !self.tree.is_unreachable(store, x) {
                self.relabel(store, x, vec![store.fls()], budget);
            }
        }
    }

    fn uncover(&mut self, x: Vertex) {
        self.counters.uncovers += 1;
        let waiting = self.tree.uncover(x);
        // What covered it will change again before the search below is over.
        self.config.order.postpone(&mut self.open, waiting);
    }

    /// CLOSE: tries to cover a vertex by an earlier one of its location.
    fn close(&mut self, store: &mut Store, v: Vertex, budget: &Budget) -> bool {
        let candidates: Vec<Vertex> =
            self.tree.coverers(store, v).take(self.config.cover_candidates).collect();
        candidates.into_iter().any(|w| !self.differ(store, v, w) && self.try_cover(store, v, w, budget))
    }

    /// COVER: `w` covers `v` if it was made before, is not covered, and its label is entailed.
    fn try_cover(&mut self, store: &mut Store, v: Vertex, w: Vertex, budget: &Budget) -> bool {
        if self.tree.node(v).covered_by.is_some() {
            return true;
        }
        if self.tree.is_ancestor(v, w) || self.tree.is_covered(w) {
            return false;
        }
        if self.tree.is_unreachable(store, w) && !self.tree.is_unreachable(store, v) {
            return false;
        }
        let (a, b) = (self.tree.node(v).label.clone(), self.tree.node(w).label.clone());
        if !self.entailment.entails(store, &a, &b, budget) {
            return false;
        }
        self.add_cover(v, w);
        true
    }

    fn add_cover(&mut self, v: Vertex, w: Vertex) {
        self.counters.covers += 1;
        self.tree.cover(v, w);
        // What is below a covered vertex covers nothing.
        let mut below = vec![v];
        while let Some(x) = below.pop() {
            below.extend_from_slice(&self.tree.node(x).children);
            for y in self.tree.node(x).covers.clone() {
                self.uncover(y);
            }
        }
    }

    /// FORCECOVER: strengthens the path to `v` so that a recent vertex of its location covers it, if possible.
    fn force_cover(&mut self, store: &mut Store, v: Vertex, budget: &Budget) -> bool {
        if self.config.forced_covering == 0 || !self.is_join[self.tree.node(v).location] {
            return false;
        }
        let candidates: Vec<Vertex> =
            self.tree.coverers(store, v).take(self.config.forced_covering).collect();
        for w in candidates {
            self.counters.forced_attempts += 1;
            let ancestor = self.tree.common_ancestor(v, w);
            let (vertices, edges) = self.tree.path_from(ancestor, v);
            let start = self.tree.node(ancestor).label.clone();
            let goal = self.tree.node(w).label.clone();
            let Some(facts) = self.force(store, &start, &edges, goal, budget) else { continue };
            self.strengthen(store, &vertices[1..], &facts, budget);
            if !self.tree.is_covered(w) && self.try_cover(store, v, w, budget) {
                self.counters.forced_covers += 1;
                return true;
            }
        }
        false
    }

    /// Facts along some edges that make a goal hold after them, if they can be found. What holds before and is not
    /// touched on the way needs no solver.
    fn force(
        &mut self,
        store: &mut Store,
        start: &Label,
        edges: &[EdgeId],
        goal: Label,
        budget: &Budget,
    ) -> Option<Vec<Term>> {
        let (kept, open): (Label, Label) =
            goal.into_iter().partition(|c| start.contains(c) && self.paths.keeps(store, edges, *c));
        let mut facts = if open.is_empty() {
            vec![store.tru(); edges.len()]
        } else {
            let refuted = if self.config.short_ends {
                self.paths.refute(store, start, edges, Some(&open), budget)
            } else {
                self.paths.refute_blindly(store, start, edges, Some(&open), budget)
            };
            match refuted {
                Refutation::Infeasible(facts) => facts,
                _ => return None,
            }
        };
        if !kept.is_empty() {
            let kept = store.and(&kept);
            facts.iter_mut().for_each(|fact| *fact = store.and(&[*fact, kept]));
        }
        Some(facts)
    }

    fn statistics(&self, stats: &mut Stats) {
        let c = &self.counters;
        for (name, n) in [
            ("vertices", self.tree.len() as u64),
            ("refinements", c.refinements),
            ("refinements by weakest preconditions", c.carried),
            ("facts adopted", c.adopted),
            ("facts carried back", self.pusher.shown),
            ("facts that could not be", self.pusher.missed),
            ("covers", c.covers),
            ("covers taken back", c.uncovers),
            ("forced covers", c.forced_covers),
            ("forced covering attempts", c.forced_attempts),
            ("entailments solved", self.entailment.solved),
            ("entailments remembered", self.entailment.remembered),
        ] {
            stats.count(name, n);
        }
        self.paths.refiner.statistics(stats);
        stats.time("feasibility of paths", self.paths.feasibility);
        stats.time("interpolation", self.paths.interpolation);
        stats.time("entailment", self.entailment.time);
    }
}
