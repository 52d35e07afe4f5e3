//! Bounds of lemmas, moved as far as counterexamples allow.
//!
//! A blocked cube says `8640 <= x` because the goal did; that nothing above 8464 can be derived is a stronger lemma.
//! Without the bound the cube can be derived with some value of `x`, and just above that value the bound is tried
//! again. The new lemma stands beside the first one: it excludes more now, the first one may hold for longer.

use super::cube::{Shape, literal, normalise, shape, sort_of};
use super::{Frames, Stop};
use bolide_base::Rational;
use bolide_term::{Evaluator, Linear, Sort, Term};

/// How often a bound is tried beyond the value of a counterexample.
const TRIES: usize = 3;

impl Frames<'_> {
    /// Moves the bounds of a cube that cannot be derived in so many steps; what comes of it is a lemma, too.
    pub fn weaken_bounds(&mut self, pred: usize, cube: &[Term], level: usize) -> Result<(), Stop> {
        let level = level.min(self.level);
        let mut weaker = cube.to_vec();
        for n in 0..cube.len() {
            self.weaken_bound(pred, &mut weaker, n, level)?;
        }
        if weaker != cube {
            normalise(self.store, &mut weaker);
            self.add_lemma(pred, weaker, level);
        }
        Ok(())
    }

    /// Moves the bound at a position of a cube as far as a few counterexamples allow.
    fn weaken_bound(&mut self, pred: usize, cube: &mut [Term], n: usize, level: usize) -> Result<(), Stop> {
        let (Shape::Bound(monomials, _), constant) = shape(self.store, cube[n]) else { return Ok(()) };
        let sort = sort_of(self.store, &monomials);
        let sum = Linear { constant: Rational::ZERO, terms: monomials.clone() };
        let sum = self.store.from_linear(&sum, sort);
        let bound = Shape::Bound(monomials, sort != Sort::INT);
        let without: Vec<Term> = (0..cube.len()).filter(|&i| i != n).map(|i| cube[i]).collect();
        let Some(mut value) = self.counterexample(pred, &without, sum, level)? else { return Ok(()) };
        let mut tried = cube.to_vec();
        for _ in 0..TRIES {
            let beyond = if sort == Sort::INT { &value - &Rational::ONE } else { value.clone() };
            if beyond <= constant {
                return Ok(());
            }
            tried[n] = literal(self.store, &bound, &beyond);
            match self.counterexample(pred, &tried, sum, level)? {
                Some(other) if other < value => value = other,
                Some(_) => return Ok(()),
                None => {
                    cube[n] = tried[n];
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The value of a sum of parameters in a fact of a cube that can be derived in so many steps; nothing if there is none.
    fn counterexample(
        &mut self,
        pred: usize,
        cube: &[Term],
        sum: Term,
        level: usize,
    ) -> Result<Option<Rational>, Stop> {
        if self.is_inductive(pred, cube, level)?.is_some() {
            return Ok(None);
        }
        let Some(&rule) = self.preds[pred].rules.first() else { return Ok(None) };
        let here = self.rules[rule].at_head(self.store, sum);
        let model = self.rules[rule].model().ok_or(Stop::Projection)?;
        let value = Evaluator::new(self.store, model).eval(here).map_err(|_| Stop::Projection)?;
        Ok(value.as_num().cloned())
    }
}
