//! Prediction of lemmas (Su, Yang and Ci, "Predicting Lemmas in Generalization of IC3", DAC 2024).
//!
//! A lemma that could not be pushed fails because of a state of its cube that has a predecessor in its frame. If a cube
//! that is part of the lemma's is to be excluded from the next frame, then the lemma with one more literal, which that
//! state does not have, is often what generalisation would find, and takes one query instead of many.

use super::frames::Obstacle;
use super::{Interrupt, Pdr};
use crate::circuit::cube::{Cube, StateLit};
use bolide_model::circuit::Bit;
use bolide_sat::search::Answer;

impl Pdr<'_> {
    /// The state and inputs of the last model, if they are of use.
    pub(super) fn obstacle(&self) -> Option<Obstacle> {
        let latches = self.circuit.latches.iter().map(|latch| latch.node);
        let leaves = latches.chain(self.circuit.inputs.iter().copied());
        let is_of_use = self.config.predictions > 0;
        is_of_use
            .then(|| Obstacle::new(self.circuit.aig.len(), leaves.filter(|&leaf| self.queries.leaf(leaf))))
    }

    /// A part of the cube, which has no predecessor in the frame below, that has none either; guessed from a lemma of
    /// that frame.
    pub(super) fn predict(
        &mut self,
        cube: &[StateLit],
        frame: usize,
    ) -> Result<Option<Vec<StateLit>>, Interrupt> {
        for candidate in self.predictions(cube, frame) {
            self.counters.predictions += 1;
            if self.queries.reaches(frame - 1, &candidate, true)? == Answer::Unsat {
                self.counters.predicted += 1;
                return Ok(Some(self.core(&candidate)));
            }
        }
        Ok(None)
    }

    /// Lemmas of the frame below with one more literal of the cube, which their obstacle does not lead to.
    fn predictions(&mut self, cube: &[StateLit], frame: usize) -> Vec<Vec<StateLit>> {
        let whole = Cube::new(cube.to_vec());
        let mut predictions = Vec::new();
        for parent in self.frames.of(frame - 1).iter().filter(|lemma| lemma.cube.is_part_of(&whole)) {
            let Some(obstacle) = &parent.obstacle else { continue };
            let mut more: Vec<StateLit> =
                cube.iter().copied().filter(|lit| parent.cube.lits().binary_search(lit).is_err()).collect();
            let nexts: Vec<Bit> = more.iter().map(|&lit| self.queries.next(lit)).collect();
            let reached = self.lifter.values(&self.circuit.aig, &nexts, |leaf| obstacle.leaf(leaf));
            let mut reached = reached.into_iter();
            more.retain(|_| reached.next() == Some(false));
            more.sort_by(|a, b| self.activity[b.latch()].total_cmp(&self.activity[a.latch()]));
            for lit in more {
                if predictions.len() == self.config.predictions {
                    return predictions;
                }
                let mut prediction = parent.cube.lits().to_vec();
                prediction.push(lit);
                predictions.push(prediction);
            }
        }
        predictions
    }
}
