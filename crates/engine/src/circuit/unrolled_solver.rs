//! The side of an interpolation problem that has many steps: few queries, but hard ones, and so for CaDiCaL.

use super::cnf::Clausifier;
use super::cube::StateLit;
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit};
use bolide_sat::search::WORK_FOR_EFFORT;
use bolide_sat::{Config, Lit, NoTheory, Outcome, Solver};
use std::cell::Cell;

/// The literals one of which holds outside of the cube.
fn outside(cube: &[StateLit], latches: &[Lit]) -> impl Iterator<Item = Lit> {
    cube.iter().map(|lit| {
        let latch = latches[lit.latch()];
        if lit.value() { !latch } else { latch }
    })
}

/// A graph that grows, in a solver.
pub struct UnrolledSolver {
    solver: Solver<NoTheory>,
    lits: Clausifier,
    /// How many steps the solver took: a measure of effort that does not depend on the machine.
    effort: Cell<u64>,
    /// The size of the graph.
    nodes: usize,
}

impl UnrolledSolver {
    /// Nothing is in the solver.
    pub fn new() -> UnrolledSolver {
        let solver = Solver::new(Config::incremental(), NoTheory);
        UnrolledSolver { solver, lits: Clausifier::new(), effort: Cell::new(0), nodes: 0 }
    }

    /// The literal of a bit of the graph, which is always the same.
    pub fn lit(&mut self, aig: &Aig, bit: Bit) -> Lit {
        self.nodes = aig.len();
        self.lits.lit(aig, bit, &mut self.solver)
    }

    /// A new variable, to switch clauses on.
    pub fn new_switch(&mut self) -> Lit {
        self.solver.new_var()
    }

    /// Turns a switch off for ever.
    pub fn retire(&mut self, switch: Lit) {
        self.solver.add_clause(&[!switch]);
    }

    /// Excludes a cube of the latches, given as literals, while the switch is on.
    pub fn exclude(&mut self, cube: &[StateLit], latches: &[Lit], switch: Lit) {
        let mut clause = vec![!switch];
        clause.extend(outside(cube, latches));
        self.solver.add_clause(&clause);
    }

    /// Excludes a cube of the latches, given as literals, for ever.
    pub fn forbid(&mut self, cube: &[StateLit], latches: &[Lit]) {
        let clause: Vec<Lit> = outside(cube, latches).collect();
        self.solver.add_clause(&clause);
    }

    /// Is there a model under the assumptions?
    pub fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, Interrupt> {
        // Values for all variables are found, even where that is easy.
        self.effort.set(self.effort.get() + self.nodes as u64 / WORK_FOR_EFFORT);
        let stop = || {
            self.effort.set(self.effort.get() + 1);
            budget.exhausted()
        };
        match self.solver.solve(assumptions, &stop) {
            Outcome::Sat => Ok(true),
            Outcome::Unsat => Ok(false),
            Outcome::Unknown => Err(budget.check().err().unwrap_or(Interrupt::Cancelled)),
        }
    }

    /// How many steps the solver took, in all queries.
    pub fn effort(&self) -> u64 {
        self.effort.get()
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
}
