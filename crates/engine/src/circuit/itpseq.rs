//! Interpolation sequences (Vizel and Grumberg, "Interpolation-Sequence Based Model Checking", FMCAD 2009), computed one
//! after the other (Cabodi, Nocco and Quer, "Interpolation Sequences Revisited", DATE 2011).
//!
//! Frame `j` contains all states that are reached in `j` steps. With bound `k` it is made to exclude those that lead to
//! an error within `k - j` steps, by an interpolant between one step from frame `j - 1` and these. Nothing is thrown away
//! when the bound grows. When a frame adds nothing to those before it, their union is an invariant.

use super::bmc::Bmc;
use super::cube::Cube;
use super::images::{Images, Inclusion, Method, set_without};
use super::{Outcome, Proof};
use bolide_base::{Budget, Gauge, Interrupt, Stats};
use bolide_model::circuit::{Bit, Circuit};

/// Proves or refutes the first property of the circuit.
pub fn run(circuit: &Circuit, budget: &Budget, stats: &mut Stats) -> Outcome {
    let mut errors = Bmc::new(circuit);
    let mut sequence = Sequence { images: Images::new(circuit, Method::Clausal), frames: Vec::new() };
    let result = sequence.prove(&mut errors, budget);
    stats.count("itpseq bound", sequence.frames.len() as u64);
    stats.count(
        "itpseq excluded cubes",
        sequence.frames.iter().map(|frame| frame.excluded.len() as u64).sum(),
    );
    result.unwrap_or_else(Outcome::unknown)
}

/// What is reached in a number of steps: all states but those of the cubes.
struct Frame {
    excluded: Vec<Cube>,
    set: Bit,
}

struct Sequence<'a> {
    images: Images<'a>,
    /// From one step on.
    frames: Vec<Frame>,
}

impl Sequence<'_> {
    fn prove(&mut self, errors: &mut Bmc<'_>, budget: &Budget) -> Result<Outcome, Interrupt> {
        loop {
            self.frames.push(Frame { excluded: Vec::new(), set: Bit::TRUE });
            budget.note(Gauge::Depth, self.frames.len() as u64);
            if let Some(error) = errors.reach(self.frames.len() + 1, budget)? {
                return Ok(error);
            }
            for number in 0..self.frames.len() {
                self.strengthen(number, budget)?;
                if let Some(error) = errors.keep_up(self.images.effort(), budget)? {
                    return Ok(error);
                }
            }
            if let Some(invariant) = self.fixed_point(budget)? {
                return Ok(Outcome::Safe(Proof::inductive(self.images.formula(invariant))));
            }
            self.images.extend();
        }
    }

    /// Makes a frame keep its distance from errors, whose steps are free of errors up to the bound.
    fn strengthen(&mut self, number: usize, budget: &Budget) -> Result<(), Interrupt> {
        budget.check()?;
        let from = number.checked_sub(1).map_or(self.images.reset, |before| self.frames[before].set);
        let distance = self.frames.len() - 1 - number;
        let frame = &mut self.frames[number];
        // A state that is met would be the beginning of an error within the bound: there is none.
        if let Some(excluded) = self.images.separate(from, distance, &frame.excluded, budget)? {
            frame.set = set_without(&mut self.images.states, &excluded);
            frame.excluded = excluded;
        }
        Ok(())
    }

    /// The union of the first frames, if the next one adds nothing to them.
    fn fixed_point(&mut self, budget: &Budget) -> Result<Option<Bit>, Interrupt> {
        let mut inclusion = Inclusion::new();
        let mut reached = self.images.reset;
        for frame in &self.frames {
            if inclusion.implies(&self.images.states, frame.set, reached, budget)? {
                return Ok(Some(reached));
            }
            reached = self.images.states.or(reached, frame.set);
        }
        Ok(None)
    }
}
