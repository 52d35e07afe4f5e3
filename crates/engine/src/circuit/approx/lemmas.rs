//! Inductive clauses that exclude states from which an error is reached (Bradley and Manna, "Checking Safety by Inductive
//! Generalization of Counterexamples to Induction", FMCAD 2007).
//!
//! Where an image meets states that lead to an error, the paper suggests to take them out by minimal inductive
//! sub-clauses. A lemma is a cube that no step enters from outside, as long as no error has happened and the earlier
//! lemmas hold; no initial state is in it. So if the circuit is safe, no reachable state is, and all sets of all rounds
//! may be constrained by the lemma.

use crate::circuit::cube::{Cube, StateLit, meets_reset};
use crate::circuit::lift::Lifter;
use crate::circuit::query::Queries;
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Bit, Circuit};
use bolide_sat::search::Answer;

/// The frame of the lemmas; frame 0 is the initial states.
const LEMMAS: usize = 1;
/// How many steps backwards from a cube its predecessors are looked at, to exclude these first.
const MAX_DEPTH: usize = 6;

/// The lemmas found so far.
pub struct Lemmas<'a> {
    circuit: &'a Circuit,
    queries: Queries<'a>,
    lifter: Lifter,
    /// The cubes that are excluded.
    pub cubes: Vec<Cube>,
}

/// The circuit with an additional constraint: no error happens.
pub fn without_errors(circuit: &Circuit) -> Circuit {
    let mut restricted = circuit.clone();
    restricted.constraints.extend(circuit.bads.first().map(|&bad| !bad));
    restricted
}

impl<'a> Lemmas<'a> {
    /// No lemmas. The second circuit is the first one [`without_errors`].
    pub fn new(circuit: &'a Circuit, restricted: &'a Circuit, budget: &'a Budget) -> Lemmas<'a> {
        let mut queries = Queries::new(restricted, budget);
        queries.add_frame();
        queries.add_frame();
        let lifter = Lifter::new(circuit.latch_numbers());
        Lemmas { circuit, queries, lifter, cubes: Vec::new() }
    }

    /// The effort of all queries.
    pub fn cost(&self) -> u64 {
        self.queries.search.effort()
    }

    /// Looks for lemmas that exclude the cube, until the cost exceeds the limit. Where its clause has no inductive part,
    /// predecessors are excluded first. True if the cube is excluded.
    pub fn exclude(&mut self, cube: Vec<StateLit>, limit: u64) -> Result<bool, Interrupt> {
        let mut open = vec![cube];
        while let Some(cube) = open.last().cloned() {
            if self.cost() > limit {
                return Ok(false);
            }
            if let Some(inductive) = self.inductive_part(cube.clone())? {
                let lemma = Cube::new(self.generalise(inductive)?);
                self.queries.add_lemma(&lemma, LEMMAS);
                self.cubes.push(lemma);
                open.pop();
            } else if open.len() > MAX_DEPTH || self.queries.reaches(LEMMAS, &cube, true)? == Answer::Unsat {
                return Ok(false);
            } else {
                let predecessor = self.predecessor(&cube);
                open.push(predecessor);
            }
        }
        Ok(true)
    }

    /// Some of the literals of the cube, such that no step enters the larger cube that they are: those that no
    /// counterexample contradicts.
    fn inductive_part(&mut self, mut cube: Vec<StateLit>) -> Result<Option<Vec<StateLit>>, Interrupt> {
        while !meets_reset(&cube, self.circuit) {
            if self.queries.reaches(LEMMAS, &cube, true)? == Answer::Unsat {
                let mut core = self.queries.core(&cube);
                if meets_reset(&core, self.circuit) {
                    core.extend(cube.iter().find(|lit| lit.excludes_reset(&self.circuit.latches)));
                }
                return Ok(Some(core));
            }
            cube.retain(|&lit| self.queries.state_has(lit));
        }
        Ok(None)
    }

    /// Drops literals of a cube that no step enters, as long as that stays so.
    fn generalise(&mut self, mut cube: Vec<StateLit>) -> Result<Vec<StateLit>, Interrupt> {
        for lit in cube.clone() {
            if !cube.contains(&lit) {
                continue;
            }
            let smaller = cube.iter().copied().filter(|&other| other != lit).collect();
            if let Some(inductive) = self.inductive_part(smaller)? {
                cube = inductive;
            }
        }
        Ok(cube)
    }

    /// The states that lead into the cube, under the inputs of the last model.
    fn predecessor(&mut self, cube: &[StateLit]) -> Vec<StateLit> {
        let mut roots: Vec<Bit> = cube.iter().map(|&lit| self.queries.next(lit)).collect();
        roots.extend(&self.circuit.constraints);
        let queries = &self.queries;
        self.lifter.lift(&self.circuit.aig, &roots, |leaf| queries.leaf(leaf))
    }
}
