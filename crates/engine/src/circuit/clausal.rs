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
    /// How many queries there were: a measure of effort that does not depend on the machine.
    pub queries: u64,
}

impl Side {
    /// A side where the latches have these values.
    pub fn new(aig: &Aig, latches: &[Bit]) -> Side {
        let mut solver = Solver::new(Config::incremental(), NoTheory);
        let mut lits = Clausifier::new();
        let latches = latches.iter().map(|&bit| lits.lit(aig, bit, &mut solver)).collect();
        Side { solver, lits, latches, queries: 0 }
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

    /// A new variable, to switch clauses on.
    pub fn new_var(&mut self) -> Lit {
        self.solver.new_var()
    }

    /// Adds a clause.
    pub fn add_clause(&mut self, lits: &[Lit]) {
        self.solver.add_clause(lits);
    }

    /// Says of a latch literal what it is here.
    fn latch(&self, lit: StateLit) -> Lit {
        let latch = self.latches[lit.latch()];
        if lit.value() { latch } else { !latch }
    }

    /// Is there a model under the assumptions?
    pub fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, Interrupt> {
        self.queries += 1;
        match self.solver.solve(assumptions, &|| budget.exhausted()) {
            Outcome::Sat => Ok(true),
            Outcome::Unsat => Ok(false),
            Outcome::Unknown => Err(budget.check().err().unwrap_or(Interrupt::Cancelled)),
        }
    }

    /// The value of a literal in the model.
    pub fn model(&self, lit: Lit) -> bool {
        self.solver.value(lit).unwrap_or(false)
    }

    /// The value of a bit in the model; false if it does not matter.
    pub fn value(&self, bit: Bit) -> bool {
        match bit.is_constant() {
            true => bit == Bit::TRUE,
            false => self.lits.get(bit).is_some_and(|lit| self.model(lit)),
        }
    }

    /// The part of the cube that contradicts the assumption, if there is one; else there is a model.
    pub fn refute(
        &mut self,
        assumption: Lit,
        cube: &[StateLit],
        budget: &Budget,
    ) -> Result<Option<Vec<StateLit>>, Interrupt> {
        let mut assumptions = vec![assumption];
        assumptions.extend(cube.iter().map(|&lit| self.latch(lit)));
        if self.solve(&assumptions, budget)? {
            return Ok(None);
        }
        Ok(Some(cube.iter().copied().filter(|&lit| self.solver.failed(self.latch(lit))).collect()))
    }

    /// Drops literals from a cube that contradicts the assumption, as long as it still does.
    pub fn shrink(
        &mut self,
        assumption: Lit,
        mut cube: Vec<StateLit>,
        budget: &Budget,
    ) -> Result<Vec<StateLit>, Interrupt> {
        let mut at = 0;
        while at < cube.len() {
            let mut candidate = cube.clone();
            candidate.remove(at);
            match self.refute(assumption, &candidate, budget)? {
                Some(core) => cube = core,
                None => at += 1,
            }
        }
        Ok(cube)
    }
}

/// What came of an attempt to separate two sides.
pub enum Separation {
    /// The cubes that the interpolant excludes.
    Excluded(Vec<Cube>),
    /// The first side meets the second.
    Meet {
        /// States of the second side, one of which is met: the first side has a model of that.
        cube: Vec<StateLit>,
        /// The cubes that were excluded before.
        excluded: Vec<Cube>,
    },
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
    pub fn separate(self, earlier: &[Cube], budget: &Budget) -> Result<Separation, Interrupt> {
        let Question { first: (first, assumption), second: (second, aig), target, lifter } = self;
        let mut excluded: Vec<Cube> = Vec::new();
        let target_lit = second.lit(aig, target);
        let switch = second.new_var();
        for cube in earlier {
            if let Some(core) = first.refute(assumption, cube.lits(), budget)? {
                excluded.push(second.exclude(core, switch));
            }
        }
        while second.solve(&[switch, target_lit], budget)? {
            budget.check()?;
            let cube = lifter.lift(aig, &[target], |leaf: Node| second.value(leaf.into()));
            let Some(core) = first.refute(assumption, &cube, budget)? else {
                second.add_clause(&[!switch]);
                return Ok(Separation::Meet { cube, excluded });
            };
            let core = first.shrink(assumption, core, budget)?;
            excluded.push(second.exclude(core, switch));
        }
        second.add_clause(&[!switch]);
        Ok(Separation::Excluded(excluded))
    }
}

impl Side {
    /// Excludes a cube while the switch is on.
    fn exclude(&mut self, cube: Vec<StateLit>, switch: Lit) -> Cube {
        let mut clause = vec![!switch];
        clause.extend(cube.iter().map(|&lit| !self.latch(lit)));
        self.add_clause(&clause);
        Cube::new(cube)
    }
}
