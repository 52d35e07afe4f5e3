//! Interpolants in conjunctive normal form, without proofs (Chockler, Ivrii and Matsliah, "Computing Interpolants
//! without Proofs", HVC 2012).
//!
//! A state that the second part allows is lifted to a cube of such states. The first part refutes the cube, and the
//! core of the refutation, with further literals dropped, is excluded from the interpolant. When the second part allows
//! no more states, the clauses are an interpolant.

use super::cnf::Clausifier;
use super::pdr::{Cube, Lifter, StateLit};
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit, Node};
use bolide_sat::{Config, Lit, NoTheory, Outcome, Solver};

/// One side of an interpolation problem: a solver, a graph, and the latches that both sides share as bits of the graph.
pub struct Side {
    solver: Solver<NoTheory>,
    lits: Clausifier,
    latches: Vec<Lit>,
}

impl Side {
    /// A side where the latches have these values.
    pub fn new(aig: &Aig, latches: &[Bit]) -> Side {
        let mut solver = Solver::new(Config::incremental(), NoTheory);
        let mut lits = Clausifier::new();
        let latches = latches.iter().map(|&bit| lits.lit(aig, bit, &mut solver)).collect();
        Side { solver, lits, latches }
    }

    /// A bit that always holds.
    pub fn require(&mut self, aig: &Aig, bit: Bit) {
        let lit = self.lits.lit(aig, bit, &mut self.solver);
        self.solver.add_clause(&[lit]);
    }

    /// The literal of a bit.
    pub fn lit(&mut self, aig: &Aig, bit: Bit) -> Lit {
        self.lits.lit(aig, bit, &mut self.solver)
    }

    fn latch(&self, lit: StateLit) -> Lit {
        let latch = self.latches[lit.latch()];
        if lit.value() { latch } else { !latch }
    }

    fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, Interrupt> {
        match self.solver.solve(assumptions, &|| budget.exhausted()) {
            Outcome::Sat => Ok(true),
            Outcome::Unsat => Ok(false),
            Outcome::Unknown => Err(budget.check().err().unwrap_or(Interrupt::Cancelled)),
        }
    }

    /// The value of a bit in the model; false if it does not matter.
    pub fn value(&self, bit: Bit) -> bool {
        match bit.is_constant() {
            true => bit == Bit::TRUE,
            false => self.lits.get(bit).and_then(|lit| self.solver.value(lit)).unwrap_or(false),
        }
    }
}

/// What came of an attempt to separate two sides.
pub enum Separation {
    /// The cubes that the interpolant excludes.
    Excluded(Vec<Cube>),
    /// A state belongs to both sides: their solvers have models of it.
    Meet,
}

/// The question: does `first` under its assumption meet `second`, whose target is to be true?
pub struct Question<'a> {
    /// The side that the interpolant follows from, and its assumption.
    pub first: (&'a mut Side, Lit),
    /// The side that the interpolant contradicts, with its graph.
    pub second: (&'a mut Side, &'a Aig),
    /// What the second side is about.
    pub target: Bit,
    /// Lifts states of the second side.
    pub lifter: &'a mut Lifter,
}

impl Question<'_> {
    /// Separates the sides. Cubes of earlier separations that still do not meet the first side are used again.
    pub fn separate(mut self, earlier: &[Cube], budget: &Budget) -> Result<Separation, Interrupt> {
        let mut excluded: Vec<Cube> = Vec::new();
        let target = self.second.0.lit(self.second.1, self.target);
        let switch = self.second.0.solver.new_var();
        for cube in earlier {
            if let Some(core) = self.refute(cube.lits(), budget)? {
                self.exclude(core, switch, &mut excluded);
            }
        }
        while self.second.0.solve(&[switch, target], budget)? {
            budget.check()?;
            let second = &self.second.0;
            let cube =
                self.lifter.lift(self.second.1, &[self.target], |leaf: Node| second.value(leaf.into()));
            let Some(core) = self.refute(&cube, budget)? else { return Ok(Separation::Meet) };
            let core = self.shrink(core, budget)?;
            self.exclude(core, switch, &mut excluded);
        }
        self.second.0.solver.add_clause(&[!switch]);
        Ok(Separation::Excluded(excluded))
    }

    /// The part of the cube that the first side contradicts, if it does.
    fn refute(&mut self, cube: &[StateLit], budget: &Budget) -> Result<Option<Vec<StateLit>>, Interrupt> {
        let (side, assumption) = &mut self.first;
        let mut assumptions = vec![*assumption];
        assumptions.extend(cube.iter().map(|&lit| side.latch(lit)));
        if side.solve(&assumptions, budget)? {
            return Ok(None);
        }
        Ok(Some(cube.iter().copied().filter(|&lit| side.solver.failed(side.latch(lit))).collect()))
    }

    /// Drops literals that the refutation does not need.
    fn shrink(&mut self, mut cube: Vec<StateLit>, budget: &Budget) -> Result<Vec<StateLit>, Interrupt> {
        let mut at = 0;
        while at < cube.len() {
            let mut candidate = cube.clone();
            candidate.remove(at);
            match self.refute(&candidate, budget)? {
                Some(core) => cube = core,
                None => at += 1,
            }
        }
        Ok(cube)
    }

    fn exclude(&mut self, cube: Vec<StateLit>, switch: Lit, excluded: &mut Vec<Cube>) {
        let side = &mut self.second.0;
        let mut clause = vec![!switch];
        clause.extend(cube.iter().map(|&lit| !side.latch(lit)));
        side.solver.add_clause(&clause);
        excluded.push(Cube::new(cube));
    }
}
