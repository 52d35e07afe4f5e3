//! Bounds of lemmas, moved as far as counterexamples allow.
//!
//! A blocked cube says `8640 <= x` because the goal did; that nothing above 8464 can be derived is a stronger lemma.
//! Without the bound the cube can be derived with some value of `x`, and just above that value the bound is tried
//! again. The new lemma stands beside the first one: it excludes more now, the first one may hold for longer.

use super::cube::{Shape, literal, normalise, shape, sort_of};
use super::{Frames, Stop};
use bolide_base::Rational;
use bolide_term::{Evaluator, Linear, Sort, Term};
use rustc_hash::FxHashMap;

/// How often a bound is tried beyond the value of a counterexample.
const TRIES: usize = 3;

/// The values of bounded sums in facts that can be derived if the bound, a literal of a cube, is left out.
pub type Values = FxHashMap<Term, Rational>;

impl Frames<'_> {
    /// Moves the bounds of a cube that cannot be derived in so many steps; what comes of it is a lemma, too. For some of the literals
    /// there are values already.
    pub fn weaken_bounds(
        &mut self,
        pred: usize,
        cube: &[Term],
        level: usize,
        known: &Values,
    ) -> Result<(), Stop> {
        let level = level.min(self.level);
        let mut weaker = cube.to_vec();
        for (n, literal) in cube.iter().enumerate() {
            self.weaken_bound(pred, &mut weaker, n, level, known.get(literal))?;
        }
        if weaker != cube {
            normalise(self.store, &mut weaker);
            self.add_lemma(pred, weaker, level);
        }
        Ok(())
    }

    /// Moves the bound at a position of a cube as far as a few counterexamples allow; the first may be known.
    fn weaken_bound(
        &mut self,
        pred: usize,
        cube: &mut [Term],
        n: usize,
        level: usize,
        known: Option<&Rational>,
    ) -> Result<(), Stop> {
        let (Shape::Bound(monomials, _), constant) = shape(self.store, cube[n]) else { return Ok(()) };
        let (sort, sum) = self.sum(&monomials);
        let bound = Shape::Bound(monomials, sort != Sort::INT);
        let first = match known {
            Some(value) => Some(value.clone()),
            None => {
                let without: Vec<Term> = (0..cube.len()).filter(|&i| i != n).map(|i| cube[i]).collect();
                self.counterexample(pred, &without, sum, level)?
            }
        };
        let Some(mut value) = first else { return Ok(()) };
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
        match self.is_inductive(pred, cube, level)? {
            Some(_) => Ok(None),
            None => self.derived_value(pred, sum),
        }
    }

    /// If a literal is a bound, the value of its sum in a fact that was derived just now: see [`Frames::is_inductive`].
    pub fn value_beyond(&mut self, pred: usize, literal: Term) -> Result<Option<Rational>, Stop> {
        let (Shape::Bound(monomials, _), _) = shape(self.store, literal) else { return Ok(None) };
        let (_, sum) = self.sum(&monomials);
        self.derived_value(pred, sum)
    }

    fn sum(&mut self, monomials: &[(Term, Rational)]) -> (Sort, Term) {
        let sort = sort_of(self.store, monomials);
        let sum = Linear { constant: Rational::ZERO, terms: monomials.to_vec() };
        (sort, self.store.from_linear(&sum, sort))
    }

    /// The value of a sum of parameters in the fact that was derived last.
    fn derived_value(&mut self, pred: usize, sum: Term) -> Result<Option<Rational>, Stop> {
        let Some(&rule) = self.preds[pred].rules.first() else { return Ok(None) };
        let here = self.rules[rule].at_head(self.store, sum);
        let model = self.rules[rule].unconfirmed_model(self.store).ok_or(Stop::Projection)?;
        let value = Evaluator::new(self.store, &model).eval(here).map_err(|_| Stop::Projection)?;
        Ok(value.as_num().cloned())
    }
}
