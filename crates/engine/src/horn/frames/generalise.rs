//! Lemmas from blocked goals: as few literals as possible, as high a level as possible.

use super::cube::{Shape, normalise, shape};
use super::rule::{ALWAYS, Refusal};
use super::sample::{conjuncts, is_literal};
use super::weaken::Values;
use super::{Frames, Stop};
use bolide_itp::{Failure, FarkasStyle, System, interpolate_sequence};
use bolide_term::Term;

impl Frames<'_> {
    /// Learns a lemma that blocks a cube, given for each rule a part of it that is underivable; returns the lemma's
    /// cube and its level. Literals may speak of other constants than the parameters: what they imply for these is found
    /// by interpolation.
    pub fn learn(
        &mut self,
        pred: usize,
        cores: Vec<(usize, Vec<Term>)>,
        level: usize,
    ) -> Result<(Vec<Term>, usize), Stop> {
        let mut cube = Vec::new();
        for (rule, core) in cores {
            let is_foreign = self.is_foreign(pred, &core);
            if is_foreign || self.is_familiar(rule, &core) {
                match self.consequences(rule, &core, level) {
                    Ok(weaker) => cube.extend(weaker),
                    Err(failure) if is_foreign => return Err(Stop::Interpolation(failure.to_string())),
                    Err(_) => cube.extend(core),
                }
            } else {
                cube.extend(core);
            }
        }
        normalise(self.store, &mut cube);
        self.generalise(pred, cube, level)
    }

    /// Did a rule refute many cubes that look like this one? Inequalities of it can then be replaced by sums of them.
    fn is_familiar(&mut self, rule: usize, core: &[Term]) -> bool {
        let mut shapes: Vec<Shape> = core.iter().map(|&l| shape(self.store, l).0).collect();
        if shapes.iter().filter(|s| matches!(s, Shape::Bound(..))).count() < 2 {
            return false;
        }
        shapes.sort();
        let count = self.alike.entry((rule, shapes)).or_default();
        *count = count.saturating_add(1);
        *count > self.interpolate_after
    }

    /// Do literals speak of other constants than the parameters of a predicate?
    fn is_foreign(&self, pred: usize, literals: &[Term]) -> bool {
        let params = &self.preds[pred].params;
        let mut terms = self.store.post_order(literals.iter().copied());
        terms.any(|t| self.store.as_var(t).is_some() && !params.contains(&t))
    }

    /// Makes a lemma of a cube that cannot be derived in so many steps: for as few literals and as high a level as
    /// possible, which are returned.
    pub fn generalise(
        &mut self,
        pred: usize,
        cube: Vec<Term>,
        level: usize,
    ) -> Result<(Vec<Term>, usize), Stop> {
        let mut values = Values::default();
        let (cube, mut level) = self.drop_literals(pred, cube, level, &mut values)?;
        while level < self.level
            && let Some(found) = self.is_inductive(pred, &cube, level + 1)?
        {
            level = found.level;
        }
        self.add_lemma(pred, cube.clone(), level);
        if self.learning.weaken_bounds {
            self.weaken_bounds(pred, &cube, level, &values)?;
        }
        Ok((cube, level))
    }

    /// Consequences of a cube that a rule cannot derive either, by interpolation: sums of its inequalities instead
    /// of the inequalities themselves. If the interpolant is complex, samples of the rule's cases give a simpler one.
    fn consequences(&mut self, rule: usize, core: &[Term], level: usize) -> Result<Vec<Term>, Failure> {
        let Frames { store, rules, preds, lemmas, budget, .. } = self;
        let r = &mut rules[rule];
        let mut parts = vec![r.constraint];
        for p in &mut r.premises {
            for &n in &preds[p.pred].lemmas {
                if lemmas[n].alive && lemmas[n].level.saturating_add(1) >= level {
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
        let found = interpolate_sequence(store, &[cube, step], &config, budget)?;
        let literals = conjuncts(store, found);
        if self.learning.samples == 0 || literals.iter().all(|&l| is_literal(self.store, l)) {
            return Ok(literals);
        }
        Ok(self.sampled_consequences(core, step, &config)?.unwrap_or(literals))
    }

    /// Inductive generalisation: drops literals as long as the rest, where premises avoid it, is underivable. Returns
    /// the rest and a level at which it is, and notes what literals that are needed exclude.
    fn drop_literals(
        &mut self,
        pred: usize,
        mut cube: Vec<Term>,
        level: usize,
        excluded: &mut Values,
    ) -> Result<(Vec<Term>, usize), Stop> {
        let (mut n, mut failures) = (0, 0);
        let mut known = level;
        while n < cube.len() && failures < self.learning.drop_failures {
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
                    if self.learning.weaken_bounds
                        && let Some(value) = self.value_beyond(pred, cube[n])?
                    {
                        excluded.insert(cube[n], value);
                    }
                    n += 1;
                    failures += 1;
                }
            }
        }
        Ok((cube, known))
    }

    /// Is a cube underivable in so many steps if premises avoid it? If so, the literals that were needed, and a level
    /// not below this one at which they are inductive as well. If not, the first of the predicate's rules has derived a fact of it.
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
            && self.learning.relative_induction
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
            let avoid = if level > 1 && self.learning.relative_induction {
                self.avoiding(rule, pred, cube)
            } else {
                None
            };
            match self.refusal(rule, cube, level, avoid)? {
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
