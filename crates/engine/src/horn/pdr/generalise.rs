//! Lemmas from blocked goals: as few literals as possible, as high a level as possible.

use super::goals::Goal;
use super::{Pdr, Stop};
use bolide_term::Term;

impl Pdr<'_> {
    /// Learns a lemma that blocks a goal, given a part of its cube that is underivable; returns its level.
    pub fn learn(&mut self, goal: &Goal, core: Vec<Term>) -> Result<usize, Stop> {
        let cube = self.drop_literals(goal.pred, core, goal.level)?;
        let mut level = goal.level;
        while level < self.level && self.is_inductive(goal.pred, &cube, level + 1)?.is_some() {
            level += 1;
        }
        self.add_lemma(goal.pred, cube, level);
        Ok(level)
    }

    /// Inductive generalisation: drops literals as long as the rest, where premises avoid it, is underivable.
    fn drop_literals(&mut self, pred: usize, mut cube: Vec<Term>, level: usize) -> Result<Vec<Term>, Stop> {
        let (mut n, mut failures) = (0, 0);
        while n < cube.len() && failures < self.config.drop_failures {
            let mut smaller = cube.clone();
            smaller.remove(n);
            match self.is_inductive(pred, &smaller, level)? {
                Some(core) => {
                    // Literals before position n were tried and are needed.
                    let kept = cube[..n].iter().filter(|l| core.contains(l)).count();
                    smaller.retain(|l| core.contains(l));
                    cube = smaller;
                    n = kept;
                    failures = 0;
                }
                None => {
                    n += 1;
                    failures += 1;
                }
            }
        }
        Ok(cube)
    }

    /// Is a cube underivable in so many steps if premises avoid it? If so, the literals that were needed.
    fn is_inductive(&mut self, pred: usize, cube: &[Term], level: usize) -> Result<Option<Vec<Term>>, Stop> {
        let mut core: Vec<Term> = Vec::new();
        for n in 0..self.preds[pred].rules.len() {
            let rule = self.preds[pred].rules[n];
            let avoid = if level > 1 { self.avoiding(rule, pred, cube) } else { None };
            match self.query(rule, cube, level, 0, avoid)? {
                Some(found) => core.extend(found.cube),
                None => {
                    // The rule that resists is likely to resist again: ask it first next time.
                    self.preds[pred].rules[..=n].rotate_right(1);
                    return Ok(None);
                }
            }
        }
        core.sort_unstable();
        core.dedup();
        // The premises avoid the whole cube: a part of it need not be inductive.
        if core.len() < cube.len()
            && self.preds[pred].rules.iter().any(|&r| self.is_recursive(r))
            && level > 1
        {
            for n in 0..self.preds[pred].rules.len() {
                let rule = self.preds[pred].rules[n];
                let avoid = self.avoiding(rule, pred, &core);
                if self.query(rule, &core, level, 0, avoid)?.is_none() {
                    return Ok(Some(cube.to_vec()));
                }
            }
        }
        Ok(Some(core))
    }

    fn is_recursive(&self, rule: usize) -> bool {
        let r = &self.rules[rule];
        r.premises.iter().any(|p| p.pred == r.head)
    }
}
