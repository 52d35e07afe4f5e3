//! Lazy predicate abstraction, refined by interpolants: the engine `relax`.
//!
//! The program is unwound into a tree as by IMPACT, but the label of a vertex is computed forwards: it is the strongest
//! combination of the location's predicates that holds after the edge (Henzinger, Jhala, Majumdar, Sutre, *Lazy
//! Abstraction*, POPL 2002). A path to an error that the predicates allow is refuted, and the atoms of its interpolants
//! become predicates of the locations along it (Henzinger, Jhala, Majumdar, McMillan, *Abstractions from Proofs*, POPL
//! 2004); the tree is cut where the first of them is new, and grows again from there. With interpolants from the split
//! prover the language of the predicates is finite until a path needs a larger one: procedure RELAX of Jhala and
//! McMillan (TACAS 2006), which cannot diverge where some set of predicates suffices.
//!
//! **Progress.** By the paper's Theorem 1 a refuted path cannot come back: the labels entail the interpolants, because
//! they are Boolean combinations of their atoms, or conjunctions of their conjuncts.

mod image;
pub(super) mod predicates;

pub use image::Abstraction;
pub use predicates::Scope;

use super::art::{Label, Node, Unwinding, Vertex};
use super::entailment::Entailment;
use super::evidence::{checked, conclude};
use super::order::{Order, by_distance_to_error};
use super::path::{Paths, Ranges, Refutation};
use super::picture::{Picture, draw};
use super::refine::{Refine, Refiner};
use super::{ProgramClaim, ProgramVerdict};
use crate::Verdict;
use bolide_base::{Budget, Gauge, IdVec, Stats};
use bolide_model::{EdgeId, LocId, Program};
use bolide_term::{Store, Term};
use image::Images;
use predicates::Predicates;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// How predicate abstraction works.
#[derive(Clone, Debug)]
pub struct Config {
    /// The order of the search.
    pub order: Order,
    /// How interpolants are made.
    pub interpolation: bolide_itp::Config,
    /// Where interpolants come from.
    pub refine: Refine,
    /// What labels look like.
    pub abstraction: Abstraction,
    /// Where predicates are tracked.
    pub scope: Scope,
    /// How many earlier vertices of a location are tried as coverers.
    pub cover_candidates: usize,
    /// How many vertices of the tree are drawn for reports; with 0 there is no picture.
    pub picture: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            order: Order::default(),
            interpolation: bolide_itp::Config::default(),
            refine: Refine::default(),
            abstraction: Abstraction::default(),
            scope: Scope::default(),
            cover_candidates: 64,
            picture: 0,
        }
    }
}

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

/// The same, with a picture of the tree as it was in the end, if the configuration asks for one.
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
    let mut relax = Relax::new(store, program, config);
    let claim = relax.search(store, budget);
    let mut stats = Stats::new();
    relax.statistics(&mut stats);
    let picture = (config.picture > 0).then(|| draw(store, &relax.tree, config.picture));
    (claim, stats, picture)
}

struct Relax<'p> {
    program: &'p Program,
    config: &'p Config,
    paths: Paths<'p>,
    tree: Unwinding,
    predicates: Predicates,
    images: Images<'p>,
    entailment: Entailment,
    /// For each vertex that has its label, how many of the predicates were known when it got it.
    known: Vec<usize>,
    outgoing: IdVec<LocId, Vec<EdgeId>>,
    /// Locations from which no error can be reached; they are not unwound.
    is_harmless: IdVec<LocId, bool>,
    /// Leaves to look at, the newest last; some may have been cut off since.
    open: VecDeque<Vertex>,
    /// The vertices that were expanded, by location and label; some may have been cut off since.
    expanded: FxHashMap<(LocId, Label), Vec<Vertex>>,
    refinements: u64,
    covers: u64,
}

impl<'p> Relax<'p> {
    fn new(store: &mut Store, program: &'p Program, config: &'p Config) -> Relax<'p> {
        let procedure = program.main();
        let ranges = Ranges::new(store, program);
        let locations = procedure.locations.len();
        let nothing = (0..locations).map(|_| Vec::new()).collect();
        let refiner = Refiner::new(store, program, config.refine, config.interpolation.clone());
        let paths = Paths::new(store, program, ranges.clone(), nothing, refiner);
        let tree = Unwinding::new(locations, procedure.entry);
        let root = tree.root();
        let (outgoing, is_harmless) = by_distance_to_error(program);
        Relax {
            program,
            config,
            paths,
            tree,
            predicates: Predicates::new(config.scope, locations),
            images: Images::new(program, ranges.clone(), config.abstraction),
            entailment: Entailment::new(store, ranges),
            known: Vec::new(),
            outgoing,
            is_harmless,
            open: VecDeque::from([root]),
            expanded: FxHashMap::default(),
            refinements: 0,
            covers: 0,
        }
    }

    /// Looks at open leaves until there is none, or an error is found.
    fn search(&mut self, store: &mut Store, budget: &Budget) -> ProgramClaim {
        while let Some(v) = self.config.order.take(&mut self.open) {
            if let Err(interrupt) = budget.check() {
                return Verdict::Unknown(self.paths.refiner.explain(interrupt));
            }
            if self.tree.node(v).removed || self.tree.node(v).covered_by.is_some() {
                continue;
            }
            if let Err(verdict) = self.visit(store, v, budget) {
                return verdict;
            }
            debug_assert!(self.tree.check_covers());
        }
        conclude(store, self.program, &self.tree, &self.is_harmless)
    }

    /// Labels a leaf; refines if it is an error, otherwise covers or expands it.
    fn visit(&mut self, store: &mut Store, v: Vertex, budget: &Budget) -> Result<(), ProgramClaim> {
        budget.note(Gauge::Depth, self.tree.node(v).depth.into());
        budget.note(Gauge::Vertices, self.tree.len() as u64);
        budget.note(Gauge::Refinements, self.refinements);
        self.label(store, v, budget);
        let location = self.tree.node(v).location;
        if self.tree.is_unreachable(store, v) {
            return Ok(());
        }
        if self.program.main().locations[location].error.is_some() {
            return self.refine(store, v, budget);
        }
        if !self.cover(store, v, budget) {
            self.expand(v);
        }
        Ok(())
    }

    /// Computes the label of a vertex from that of its parent with all predicates of its location.
    fn label(&mut self, store: &mut Store, v: Vertex, budget: &Budget) {
        let location = self.tree.node(v).location;
        if let Some((parent, edge)) = self.tree.node(v).parent {
            let predicates = self.predicates.at(location);
            let before = &self.tree.node(parent).label;
            let label = self.images.image(store, before, edge, predicates, budget);
            self.tree.node_mut(v).label = label;
        }
        if self.known.len() <= v.index() {
            self.known.resize(v.index() + 1, 0);
        }
        self.known[v.index()] = self.predicates.at(location).len();
    }

    /// Tries to cover a vertex by an earlier one of its location.
    fn cover(&mut self, store: &mut Store, v: Vertex, budget: &Budget) -> bool {
        let location = self.tree.node(v).location;
        let earlier = self.tree.at(location);
        let end = earlier.partition_point(|&w| w < v);
        let expanded = earlier[..end].iter().rev().copied().filter(|&w| self.tree.node(w).expanded);
        let recent: Vec<Vertex> = expanded.take(self.config.cover_candidates).collect();
        // Equal labels are found however many there are, so that finitely many labels make finitely many vertices.
        let key = (location, self.tree.node(v).label.clone());
        let same = self.expanded.get(&key).into_iter().flatten().copied();
        let equal = same.filter(|&w| w < v).find(|&w| !self.tree.node(w).removed);
        let (tree, entailment) = (&self.tree, &mut self.entailment);
        let coverer = equal.or_else(|| {
            recent.into_iter().find(|&w| entailment.entails(store, &key.1, &tree.node(w).label, budget))
        });
        if let Some(w) = coverer {
            self.covers += 1;
            self.tree.cover(v, w);
        }
        coverer.is_some()
    }

    /// Adds the successors; the one nearest to an error is looked at next.
    fn expand(&mut self, v: Vertex) {
        self.tree.node_mut(v).expanded = true;
        let Node { location, ref label, .. } = *self.tree.node(v);
        self.expanded.entry((location, label.clone())).or_default().push(v);
        for n in 0..self.outgoing[self.tree.node(v).location].len() {
            self.grow(v, self.outgoing[self.tree.node(v).location][n]);
        }
    }

    /// Adds a successor along one edge.
    fn grow(&mut self, v: Vertex, edge: EdgeId) {
        let to = self.program.main().edges[edge].to;
        let child = self.tree.add_child(v, edge, to, &[]);
        self.open.push_back(child);
    }

    /// Refutes the path to an error vertex and cuts the tree where a predicate is missing, or finds that the path can be
    /// executed.
    fn refine(&mut self, store: &mut Store, v: Vertex, budget: &Budget) -> Result<(), ProgramClaim> {
        let (vertices, edges) = self.tree.path(v);
        let facts = loop {
            if let Err(interrupt) = budget.check() {
                return Err(Verdict::Unknown(self.paths.refiner.explain(interrupt)));
            }
            match self.paths.refute(store, &Vec::new(), &edges, None, budget) {
                Refutation::Feasible(trace) => return Err(Verdict::Unsafe(trace)),
                Refutation::Unknown(reason) => {
                    return Err(Verdict::Unknown(self.paths.refiner.explain(reason)));
                }
                Refutation::NotInLanguage => self.paths.refiner.raise(),
                Refutation::Infeasible(facts) => break facts,
            }
        };
        self.refinements += 1;
        for (&w, &fact) in vertices[1..].iter().zip(&facts) {
            self.paths.refiner.observe(store, self.tree.node(w).location, fact);
        }
        if self.paths.refiner.falls_back() {
            self.start_again();
            return Ok(());
        }
        match self.learn(store, &vertices[1..], &facts) {
            Some(pivot) => {
                self.cut(pivot);
                Ok(())
            }
            None => Err(Verdict::Unknown("the abstraction of a step could not be computed".into())),
        }
    }

    /// Forgets the tree and the predicates.
    fn start_again(&mut self) {
        let locations = self.program.main().locations.len();
        self.tree = Unwinding::new(locations, self.program.main().entry);
        self.predicates = Predicates::new(self.config.scope, locations);
        self.images.forget();
        self.expanded.clear();
        self.known.clear();
        self.open = VecDeque::from([self.tree.root()]);
    }

    /// Adds predicates along a path. The first vertex whose label was computed without some of them.
    fn learn(&mut self, store: &Store, vertices: &[Vertex], facts: &[Term]) -> Option<Vertex> {
        let atoms = self.config.abstraction == Abstraction::Boolean;
        let mut pivot = None;
        for (&w, &fact) in vertices.iter().zip(facts) {
            let needed = self.predicates.add(store, self.tree.node(w).location, fact, atoms);
            if needed > self.known[w.index()] {
                pivot = pivot.or(Some(w));
            }
        }
        pivot
    }

    /// Cuts a vertex off, to be made again with more predicates. What it and its descendants covered is open again.
    fn cut(&mut self, v: Vertex) {
        let Some((parent, edge)) = self.tree.node(v).parent else { return };
        let bare = self.tree.remove(v);
        self.open.extend(bare);
        self.grow(parent, edge);
    }

    fn statistics(&self, stats: &mut Stats) {
        for (name, n) in [
            ("vertices", self.tree.remaining() as u64),
            ("vertices made", self.tree.len() as u64),
            ("refinements", self.refinements),
            ("predicates", self.predicates.len() as u64),
            ("most predicates of a location", self.predicates.most() as u64),
            ("covers", self.covers),
            ("abstract images computed", self.images.computed),
            ("abstract images remembered", self.images.remembered),
            ("queries for abstract images", self.images.queries),
            ("combinations of predicates", self.images.cubes),
            ("entailments solved", self.entailment.solved),
        ] {
            stats.count(name, n);
        }
        self.paths.refiner.statistics(stats);
        stats.time("abstract images", self.images.time);
        stats.time("feasibility of paths", self.paths.feasibility);
        stats.time("interpolation", self.paths.interpolation);
        stats.time("entailment", self.entailment.time);
    }
}
