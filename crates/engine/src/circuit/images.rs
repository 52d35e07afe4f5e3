//! Over-approximate images by interpolation.
//!
//! A run is cut after its first step. The first part begins in a set of states that changes from query to query, the
//! second part leads into a bad state and grows. An interpolant between them includes the image of the set and excludes
//! all states from which a bad one is reached within the second part.

use super::clausal::{Question, Separation, Side};
use super::cnf::{Clausifier, Sink};
use super::cube::Cube;
use super::interpolate::{Part, SplitSolver, System};
use super::lift::Lifter;
use super::suffix_unrolling::SuffixUnrolling;
use super::unroll::{Start, Unrolling};
use super::unrolled_solver::UnrolledSolver;
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit, Circuit, Copier, Formula, Node};
use bolide_sat::{self as sat, Config, Lit, NoTheory, Solver};

/// How interpolants are made.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// From resolution proofs, with an interpolation system.
    Proof(System),
    /// As conjunctions of clauses, from failed assumptions.
    #[default]
    Clausal,
}

/// Asks whether sets of states include each other, in one solver.
pub struct Inclusion {
    solver: Solver<NoTheory>,
    clausifier: Clausifier,
}

impl Inclusion {
    pub fn new() -> Inclusion {
        Inclusion { solver: Solver::new(Config::incremental(), NoTheory), clausifier: Clausifier::new() }
    }

    /// Does the first bit imply the second? Always to be asked about the same graph.
    pub fn implies(
        &mut self,
        aig: &Aig,
        first: Bit,
        second: Bit,
        budget: &Budget,
    ) -> Result<bool, Interrupt> {
        let first = self.clausifier.lit(aig, first, &mut self.solver);
        let second = self.clausifier.lit(aig, second, &mut self.solver);
        match self.solver.solve(&[first, !second], &|| budget.exhausted()) {
            sat::Outcome::Unsat => Ok(true),
            sat::Outcome::Sat => Ok(false),
            sat::Outcome::Unknown => Err(budget.check().err().unwrap_or(Interrupt::Cancelled)),
        }
    }
}

/// Takes images of sets of states.
pub struct Images<'a> {
    circuit: &'a Circuit,
    /// The graph of sets of states: its first leaves are the latches, as in a [`Formula`].
    pub states: Aig,
    /// The initial states.
    pub reset: Bit,
    first: Unrolling<'a>,
    /// Copies sets of states into the first step.
    source: Copier,
    /// The steps into a bad state.
    rest: SuffixUnrolling<'a>,
    parts: Parts,
}

/// The two parts in solvers.
enum Parts {
    Proof { solver: Box<SplitSolver>, first: Clausifier, rest: Clausifier, target: Lit },
    Clausal { first: Box<Side>, rest: Box<UnrolledSolver>, lifter: Lifter, excluded: Vec<Cube> },
}

/// The leaf of a latch in the graph of sets of states.
pub fn latch_leaf(number: usize) -> Bit {
    Node::new(1 + number).into()
}

/// The initial states as a set.
pub fn reset_states(circuit: &Circuit, states: &mut Aig) -> Bit {
    let latches = circuit.latches.iter().enumerate();
    let resets: Vec<Bit> =
        latches.filter_map(|(number, latch)| Some(latch_leaf(number) ^ !latch.reset?)).collect();
    states.and_all(&resets)
}

impl<'a> Images<'a> {
    /// One step before, and the bad state at once.
    pub fn new(circuit: &'a Circuit, method: Method) -> Images<'a> {
        let mut states = Formula::over(circuit).aig;
        let reset = reset_states(circuit, &mut states);
        let mut first = Unrolling::new(circuit, Start::Anywhere);
        first.extend();
        let rest = SuffixUnrolling::new(circuit);
        let mut source = Copier::new(states.len());
        for (number, &bit) in first.step(0).latches.iter().enumerate() {
            source.set(latch_leaf(number).node(), bit);
        }
        let parts = match method {
            Method::Proof(system) => proof_parts(system, &first, &rest),
            Method::Clausal => clausal_parts(&first, &rest),
        };
        let mut images = Images { circuit, states, reset, first, source, rest, parts };
        images.aim();
        images
    }

    /// Demands one more step of distance from bad states.
    pub fn extend(&mut self) {
        self.rest.extend();
        self.aim();
    }

    /// Lets the proofs be about the whole bound.
    fn aim(&mut self) {
        if let Parts::Proof { solver, rest, target, .. } = &mut self.parts {
            let mut sink = solver.part(Part::Second);
            let lit = rest.lit(self.rest.aig(), self.rest.within(self.rest.bound()), &mut sink);
            *target = sink.new_var();
            sink.clause(&[!*target, lit]);
        }
    }

    /// An over-approximation of the image of the states, as far from bad states as demanded. `None` if there is none,
    /// because the image itself comes closer.
    pub fn image(&mut self, from: Bit, budget: &Budget) -> Result<Option<Bit>, Interrupt> {
        if let Parts::Clausal { excluded, .. } = &mut self.parts {
            let earlier = std::mem::take(excluded);
            let Some(cubes) = self.separate(from, self.rest.bound(), &earlier, budget)? else {
                self.keep_excluded(earlier);
                return Ok(None);
            };
            let image = set_without(&mut self.states, &cubes);
            self.keep_excluded(cubes);
            return Ok(Some(image));
        }
        let from = self.in_first_step(from);
        let Parts::Proof { solver, first, target, .. } = &mut self.parts else { return Ok(None) };
        let mut sink = solver.part(Part::First);
        let from = first.lit(&self.first.aig, from, &mut sink);
        let from_lit = sink.new_var();
        sink.clause(&[!from_lit, from]);
        if solver.solve(from_lit, *target, budget)? {
            return Ok(None);
        }
        Ok(solver.interpolant(&mut self.states))
    }

    fn keep_excluded(&mut self, cubes: Vec<Cube>) {
        if let Parts::Clausal { excluded, .. } = &mut self.parts {
            *excluded = cubes;
        }
    }

    /// A set of states, said of the first step. Such sets speak of latches only, all of which have their image.
    fn in_first_step(&mut self, set: Bit) -> Bit {
        self.source.copy(&self.states, set, &mut self.first.aig, |_, _| Bit::FALSE)
    }

    /// Cubes that exclude all states from which an error is reached within `steps` steps, and none in the image of
    /// `from`. `None` if these meet, or if interpolants come from proofs. Cubes of an earlier separation are used again.
    pub fn separate(
        &mut self,
        from: Bit,
        steps: usize,
        earlier: &[Cube],
        budget: &Budget,
    ) -> Result<Option<Vec<Cube>>, Interrupt> {
        let from = self.in_first_step(from);
        let Parts::Clausal { first, rest, lifter, .. } = &mut self.parts else { return Ok(None) };
        let from = [first.lit(&self.first.aig, from)];
        let question = Question {
            first: (first, &from),
            second: (rest, self.rest.aig()),
            latches: self.rest.latches(),
            target: self.rest.within(steps),
            lifter,
        };
        Ok(match question.separate(earlier, u64::MAX, budget)? {
            Separation::Meet { .. } | Separation::Open { .. } => None,
            Separation::Excluded(cubes) => Some(cubes),
        })
    }

    /// How many steps the solver of the second part took; not known where proofs are recorded.
    pub fn effort(&self) -> u64 {
        match &self.parts {
            Parts::Proof { .. } => 0,
            Parts::Clausal { rest, .. } => rest.effort(),
        }
    }

    /// A set of states as a formula of its own.
    pub fn formula(&self, states: Bit) -> Formula {
        let mut formula = Formula::over(self.circuit);
        let mut copier = Copier::new(self.states.len());
        for number in 0..self.circuit.latches.len() {
            copier.set(latch_leaf(number).node(), formula.latch(number));
        }
        formula.root = copier.copy(&self.states, states, &mut formula.aig, |_, _| Bit::FALSE);
        formula
    }
}

/// All states but those of the cubes.
pub fn set_without(states: &mut Aig, cubes: &[Cube]) -> Bit {
    let mut clauses = Vec::with_capacity(cubes.len());
    for cube in cubes {
        let lits: Vec<Bit> = cube.lits().iter().map(|lit| latch_leaf(lit.latch()) ^ lit.value()).collect();
        clauses.push(states.or_all(&lits));
    }
    states.and_all(&clauses)
}

/// The latches after the first step are shared variables.
fn proof_parts(system: System, first: &Unrolling<'_>, rest: &SuffixUnrolling<'_>) -> Parts {
    let mut solver = SplitSolver::new(system);
    let (mut first_lits, mut rest_lits) = (Clausifier::new(), Clausifier::new());
    let mut sink = solver.part(Part::First);
    let constraint = first_lits.lit(&first.aig, first.step(0).constraint, &mut sink);
    sink.clause(&[constraint]);
    for (number, &next) in first.step(1).latches.iter().enumerate() {
        let shared = solver.shared_var(latch_leaf(number));
        rest_lits.set(rest.latches()[number].node(), shared);
        let mut sink = solver.part(Part::First);
        let next = first_lits.lit(&first.aig, next, &mut sink);
        sink.clause(&[!shared, next]);
        sink.clause(&[shared, !next]);
    }
    let target = solver.part(Part::Second).new_var();
    Parts::Proof { solver: Box::new(solver), first: first_lits, rest: rest_lits, target }
}

fn clausal_parts(first: &Unrolling<'_>, rest: &SuffixUnrolling<'_>) -> Parts {
    let mut first_side = Side::new(&first.aig, &first.step(1).latches);
    first_side.require(&first.aig, &[first.step(0).constraint]);
    Parts::Clausal {
        first: Box::new(first_side),
        rest: Box::new(UnrolledSolver::new()),
        lifter: Lifter::of_leaves(rest.latches()),
        excluded: Vec::new(),
    }
}
