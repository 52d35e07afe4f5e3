//! Generalisation: from an unreachable cube to a larger one, by dropping literals (Bradley and Manna, "Checking Safety
//! by Inductive Generalization of Counterexamples to Induction", FMCAD 2007), where a counterexample to a drop is itself
//! blocked if that is easy (Hassan, Bradley and Somenzi, "Better Generalization in IC3", FMCAD 2013).

use super::{Interrupt, Pdr};
use crate::circuit::cube::{Cube, StateLit, meets_reset};
use bolide_sat::search::Answer;

impl Pdr<'_> {
    /// Generalises a cube that has no predecessor in the frame below, adds the lemma as high as it goes, and returns
    /// that frame. `depth` says how deep counterexamples to generalisation are followed.
    pub(super) fn learn(
        &mut self,
        cube: Vec<StateLit>,
        frame: usize,
        depth: usize,
    ) -> Result<usize, Interrupt> {
        // A prediction is quick, but seldom as good as generalisation that blocks counterexamples.
        let predicted = if depth == 0 { self.predict(&cube, frame)? } else { None };
        let mut cube = match predicted {
            Some(predicted) => predicted,
            None => self.generalise(cube, frame, depth)?,
        };
        let mut frame = frame;
        let mut obstacle = None;
        while frame < self.frames.top() {
            if self.queries.reaches(frame, &cube, true)? == Answer::Sat {
                obstacle = self.obstacle();
                break;
            }
            cube = self.core(&cube);
            frame += 1;
        }
        for lit in &cube {
            self.activity[lit.latch()] += self.bump;
        }
        self.bump *= 1.0 / 0.99;
        if self.bump > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.bump *= 1e-100;
        }
        self.add_lemma(Cube::new(cube), frame, obstacle);
        Ok(frame)
    }

    /// Drops literals, those of the least active latches first.
    fn generalise(
        &mut self,
        mut cube: Vec<StateLit>,
        frame: usize,
        depth: usize,
    ) -> Result<Vec<StateLit>, Interrupt> {
        let mut order = cube.clone();
        order.sort_by(|a, b| self.activity[a.latch()].total_cmp(&self.activity[b.latch()]));
        let mut required = Vec::new();
        for lit in order {
            if !cube.contains(&lit) {
                continue;
            }
            let candidate: Vec<StateLit> = cube.iter().copied().filter(|&other| other != lit).collect();
            match self.shrink(candidate, frame, &required, depth)? {
                Some(smaller) => cube = smaller,
                None => required.push(lit),
            }
        }
        Ok(cube)
    }

    /// A part of the candidate, with all required literals, that has no predecessor in the frame below.
    fn shrink(
        &mut self,
        mut candidate: Vec<StateLit>,
        frame: usize,
        required: &[StateLit],
        depth: usize,
    ) -> Result<Option<Vec<StateLit>>, Interrupt> {
        let mut blocked = 0;
        loop {
            if meets_reset(&candidate, self.circuit) {
                return Ok(None);
            }
            if self.queries.reaches(frame - 1, &candidate, true)? == Answer::Unsat {
                return Ok(Some(self.core(&candidate)));
            }
            if depth == 0 {
                return Ok(None);
            }
            let common: Vec<StateLit> =
                candidate.iter().copied().filter(|&lit| self.queries.state_has(lit)).collect();
            let counterexample = self.predecessor_of(&candidate);
            if blocked < self.config.counterexamples
                && frame > 1
                && !meets_reset(&counterexample, self.circuit)
                && self.queries.reaches(frame - 2, &counterexample, true)? == Answer::Unsat
            {
                blocked += 1;
                self.counters.blocked_counterexamples += 1;
                let core = self.core(&counterexample);
                self.learn(core, frame - 1, depth - 1)?;
                continue;
            }
            blocked = 0;
            candidate = common;
            if required.iter().any(|lit| !candidate.contains(lit)) {
                return Ok(None);
            }
        }
    }
}
