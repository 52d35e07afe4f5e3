//! Runs from anywhere into a bad state: the second part of forward interpolation problems, which grows with the bound.

use super::unroll::{Start, Unrolling};
use bolide_model::circuit::{Aig, Bit, Circuit};

/// The last steps of a run into a bad state.
pub struct SuffixUnrolling<'a> {
    run: Unrolling<'a>,
    /// A bad state is reached within so many steps, and constraints hold up to there.
    within: Vec<Bit>,
    /// Constraints hold in all steps.
    admissible: Bit,
}

impl<'a> SuffixUnrolling<'a> {
    /// Only the bad states themselves.
    pub fn new(circuit: &'a Circuit) -> SuffixUnrolling<'a> {
        let run = Unrolling::new(circuit, Start::Anywhere);
        let mut ending = SuffixUnrolling { run, within: Vec::new(), admissible: Bit::TRUE };
        ending.aim();
        ending
    }

    /// Makes the bound larger by a step.
    pub fn extend(&mut self) {
        self.run.extend();
        self.aim();
    }

    /// Takes the last step into account.
    fn aim(&mut self) {
        let step = self.run.last();
        let (bad, constraint) = (step.bad, step.constraint);
        let aig = &mut self.run.aig;
        self.admissible = aig.and(self.admissible, constraint);
        let here = aig.and(self.admissible, bad);
        let before = self.within.last().copied().unwrap_or(Bit::FALSE);
        self.within.push(aig.or(before, here));
    }

    /// The largest number of steps to a bad state.
    pub fn bound(&self) -> usize {
        self.within.len() - 1
    }

    /// A bad state is reached within so many steps, which must not be more than the bound.
    pub fn within(&self, steps: usize) -> Bit {
        self.within[steps]
    }

    /// The logic.
    pub fn aig(&self) -> &Aig {
        &self.run.aig
    }

    /// The steps.
    pub fn run(&self) -> &Unrolling<'a> {
        &self.run
    }

    /// The latches at the beginning.
    pub fn latches(&self) -> &[Bit] {
        &self.run.step(0).latches
    }
}
