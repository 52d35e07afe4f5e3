//! Pushing lemmas to higher levels until two levels agree.

use super::{Frames, Stop};
use bolide_term::{Evaluator, Model};

/// A way in which a rule violates a lemma one level up (a counterexample to pushing).
#[derive(Clone, Debug)]
pub struct Obstacle {
    rule: usize,
    /// Values of the constants of the rule.
    model: Model,
    /// How many events of each premise the model is known to respect.
    events: Vec<usize>,
}

impl Frames<'_> {
    /// Pushes all lemmas as far as they go; returns a level whose lemmas all hold one level up, if there is one.
    pub fn propagate(&mut self) -> Result<Option<usize>, Stop> {
        for level in 1..self.level {
            let mut left = false;
            let mut n = 0;
            while n < self.lemmas.len() {
                let l = &self.lemmas[n];
                if l.alive && l.level == level {
                    if self.holds_above(n)? {
                        self.raise(n, level + 1);
                    } else {
                        left = true;
                    }
                }
                n += 1;
            }
            if !left {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// Pushes the lemmas about a predicate that are one level below a level up to it, where they hold there.
    pub fn push_to(&mut self, pred: usize, level: usize) -> Result<(), Stop> {
        for n in self.preds[pred].lemmas.clone() {
            if self.lemmas[n].level.saturating_add(1) == level && self.holds_above(n)? {
                self.raise(n, level);
            }
        }
        Ok(())
    }

    /// Does a lemma hold one level up?
    fn holds_above(&mut self, lemma: usize) -> Result<bool, Stop> {
        if self.is_still_obstructed(lemma) {
            return Ok(false);
        }
        let (pred, cube, level) = {
            let l = &self.lemmas[lemma];
            (l.pred, l.cube.clone(), l.level)
        };
        for n in 0..self.preds[pred].rules.len() {
            let rule = self.preds[pred].rules[n];
            if self.refusal(rule, &cube, level + 1, None)?.is_none() {
                self.preds[pred].rules[..=n].rotate_right(1);
                self.remember_obstacle(lemma, rule);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn remember_obstacle(&mut self, lemma: usize, rule: usize) {
        let r = &mut self.rules[rule];
        let events = r.premises.iter().map(|p| self.preds[p.pred].events.len()).collect();
        let model = r.unconfirmed_model(self.store);
        self.lemmas[lemma].obstacle = model.map(|model| Obstacle { rule, model, events });
    }

    /// Do the new lemmas about the premises leave what kept a lemma from being pushed?
    fn is_still_obstructed(&mut self, lemma: usize) -> bool {
        let Frames { store, lemmas, rules, preds, .. } = self;
        let level = lemmas[lemma].level;
        let Some(obstacle) = &mut lemmas[lemma].obstacle else { return false };
        let r = &mut rules[obstacle.rule];
        for (p, seen) in r.premises.iter_mut().zip(&mut obstacle.events) {
            let events = &preds[p.pred].events;
            for &(formula, _) in events[*seen..].iter().filter(|e| e.1 >= level) {
                let here = p.at(store, formula);
                if Evaluator::new(store, &obstacle.model).holds(here) != Ok(true) {
                    return false;
                }
            }
            *seen = events.len();
        }
        true
    }
}
