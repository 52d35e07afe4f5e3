//! Pushing lemmas to higher levels until two levels agree.

use super::{Pdr, Stop};

impl Pdr<'_> {
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

    /// Does a lemma hold one level up?
    fn holds_above(&mut self, lemma: usize) -> Result<bool, Stop> {
        let (pred, cube, level) = {
            let l = &self.lemmas[lemma];
            (l.pred, l.cube.clone(), l.level)
        };
        for n in 0..self.preds[pred].rules.len() {
            let rule = self.preds[pred].rules[n];
            if self.query(rule, &cube, level + 1, 0, None)?.is_none() {
                self.preds[pred].rules[..=n].rotate_right(1);
                return Ok(false);
            }
        }
        Ok(true)
    }
}
