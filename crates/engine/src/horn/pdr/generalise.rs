//! Lemmas from blocked goals: as few literals as possible, as high a level as possible.

use super::cube::normalise;
use super::goals::{Goal, split_equation};
use super::rule::{ALWAYS, Refusal};
use super::{Pdr, Stop};
use bolide_itp::{FarkasStyle, System, interpolate_sequence};
use bolide_term::{Op, Term};

/// The level of a lemma, and cubes that are worth a goal.
pub type Learnt = (usize, Vec<Vec<Term>>);

impl Pdr<'_> {
    /// Learns a lemma that blocks a goal, given for each rule a part of its cube that is underivable; returns its
    /// level and cubes that are worth a goal because many lemmas look like this one.
    pub fn learn(&mut self, goal: &Goal, cores: Vec<(usize, Vec<Term>)>) -> Result<Learnt, Stop> {
        let mut cube = Vec::new();
        for (rule, core) in cores {
            let weaker =
                if self.config.interpolate { self.consequences(rule, &core, goal.level) } else { None };
            cube.extend(weaker.unwrap_or(core));
        }
        normalise(self.store, &mut cube);
        let (cube, level) = self.generalise(goal.pred, cube, goal.level)?;
        let hints = if self.config.guide { self.guide(goal.pred, &cube, level)? } else { Vec::new() };
        Ok((level, hints))
    }

    /// Makes a lemma of a cube that cannot be derived in so many steps: for as few literals and as high a level as
    /// possible, which are returned.
    pub fn generalise(
        &mut self,
        pred: usize,
        cube: Vec<Term>,
        level: usize,
    ) -> Result<(Vec<Term>, usize), Stop> {
        let (cube, mut level) = self.drop_literals(pred, cube, level)?;
        while level < self.level
            && let Some(found) = self.is_inductive(pred, &cube, level + 1)?
        {
            level = found.level;
        }
        self.add_lemma(pred, cube.clone(), level);
        if self.config.weaken_bounds {
            self.weaken_bounds(pred, &cube, level)?;
        }
        Ok((cube, level))
    }

    /// Consequences of a cube that a rule cannot derive either, by interpolation: sums of its inequalities instead
    /// of the inequalities themselves.
    fn consequences(&mut self, rule: usize, core: &[Term], level: usize) -> Option<Vec<Term>> {
        let is_bound = |l: &&Term| self.store.op(self.store.literal(**l).0) == Op::Le;
        if core.iter().filter(is_bound).count() < 2 {
            return None;
        }
        let Pdr { store, rules, preds, lemmas, budget, .. } = self;
        let r = &mut rules[rule];
        let mut parts = vec![r.constraint];
        for p in &mut r.premises {
            for &n in &preds[p.pred].lemmas {
                if lemmas[n].alive && lemmas[n].level + 1 >= level {
                    parts.push(p.at(store, lemmas[n].formula));
                }
            }
        }
        for (&p, &a) in preds[r.head].params.iter().zip(&r.head_args) {
            // A constant of its own keeps equations with numerals out of the common language.
            let mut arg = a;
            if store.is_value(a) {
                let sort = store.sort_of(a);
                arg = store.fresh_var("h", sort);
                parts.push(store.eq(arg, a));
            }
            parts.push(store.eq(p, arg));
        }
        let step = store.and(&parts);
        let cube = store.and(core);
        let config = bolide_itp::Config {
            system: System::Dual,
            farkas: FarkasStyle::Plain,
            verify: false,
            ..Default::default()
        };
        let found = interpolate_sequence(store, &[cube, step], &config, budget).ok()?;
        let mut literals = Vec::new();
        let mut todo = found;
        while let Some(t) = todo.pop() {
            match store.op(t) {
                Op::And => todo.extend(store.args(t)),
                _ => split_equation(store, t, &mut literals),
            }
        }
        Some(literals)
    }

    /// Inductive generalisation: drops literals as long as the rest, where premises avoid it, is underivable. Returns
    /// the rest and a level at which it is.
    fn drop_literals(
        &mut self,
        pred: usize,
        mut cube: Vec<Term>,
        level: usize,
    ) -> Result<(Vec<Term>, usize), Stop> {
        let (mut n, mut failures) = (0, 0);
        let mut known = level;
        while n < cube.len() && failures < self.config.drop_failures {
            let mut smaller = cube.clone();
            smaller.remove(n);
            match self.is_inductive(pred, &smaller, level)? {
                Some(found) => {
                    // Literals before position n were tried and are needed.
                    let kept = cube[..n].iter().filter(|l| found.core.contains(l)).count();
                    smaller.retain(|l| found.core.contains(l));
                    known = found.level;
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
        Ok((cube, known))
    }

    /// Is a cube underivable in so many steps if premises avoid it? If so, the literals that were needed, and a level
    /// not below this one at which they are inductive as well.
    pub fn is_inductive(
        &mut self,
        pred: usize,
        cube: &[Term],
        level: usize,
    ) -> Result<Option<Refusal>, Stop> {
        let Some(mut found) = self.refused_by_all(pred, cube, level)? else { return Ok(None) };
        // The premises avoid the whole cube: a part of it need not be inductive.
        if found.core.len() < cube.len()
            && level > 1
            && self.preds[pred].rules.iter().any(|&r| self.is_recursive(r))
        {
            match self.refused_by_all(pred, &found.core, level)? {
                Some(again) => found.level = again.level,
                None => found.core = cube.to_vec(),
            }
        }
        // Lemmas of levels above the current one are never switched on.
        if found.level != ALWAYS {
            found.level = found.level.min(self.level.max(level));
        }
        Ok(Some(found))
    }

    /// Does no rule derive a cube if premises avoid it? Joins what the rules say.
    fn refused_by_all(&mut self, pred: usize, cube: &[Term], level: usize) -> Result<Option<Refusal>, Stop> {
        let mut all = Refusal { core: Vec::new(), level: ALWAYS };
        for n in 0..self.preds[pred].rules.len() {
            let rule = self.preds[pred].rules[n];
            let avoid = if level > 1 { self.avoiding(rule, pred, cube) } else { None };
            match self.query(rule, cube, level, 0, avoid)? {
                Some(found) => {
                    all.core.extend(found.core);
                    all.level = all.level.min(found.level);
                }
                None => {
                    // The rule that resists is likely to resist again: ask it first next time.
                    self.preds[pred].rules[..=n].rotate_right(1);
                    return Ok(None);
                }
            }
        }
        all.core.sort_unstable();
        all.core.dedup();
        Ok(Some(all))
    }

    fn is_recursive(&self, rule: usize) -> bool {
        let r = &self.rules[rule];
        r.premises.iter().any(|p| p.pred == r.head)
    }
}
