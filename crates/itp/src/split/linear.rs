//! Linear inequalities beyond bounds on two terms.
//!
//! From an inequality such as `z <= x + y` the part that has it can draw bounds: a
//! term is eliminated with the bounds that the part knows for it, or with another such inequality of the part, until
//! at most two terms of equal weight are left. This is Fourier and Motzkin's elimination, begun only where nothing else
//! is left to do, and cut off where it grows.

use super::nodes::{Claim, Nodes};
use super::prover::{FactId, Prover, Why};
use super::shape::octagonal;
use super::vocabulary::Range;
use bolide_base::Rational;
use bolide_term::{Linear, Sort};

/// Sums with more terms than this are dropped.
const MAX_TERMS: usize = 6;

/// So many sums are made from one inequality at a time.
const MAX_SUMS: usize = 400;

/// A sum of facts on its way to become a bound: `linear <= 0`, or less.
struct Sum {
    linear: Linear,
    strict: bool,
    premises: Vec<(FactId, Rational)>,
}

impl Prover {
    /// Draws bounds from all inequalities over more than two terms.
    pub(super) fn linear_consequences(&mut self) {
        for n in 0..self.inequalities.len() {
            let f = self.inequalities[n];
            let Claim::Linear { linear, strict, sort } = self.facts[f as usize].claim.clone() else {
                continue;
            };
            let fact = &self.facts[f as usize];
            let part = match fact.why {
                Why::Given { origin, .. } => fact.known.nearest(origin.first),
                _ => fact.known.first,
            };
            let first = Sum { linear: *linear, strict, premises: vec![(f, Rational::ONE)] };
            let mut todo = self.with_other_inequalities(&first, f, part, sort);
            todo.push(first);
            let mut made = todo.len();
            while let Some(sum) = todo.pop() {
                if self.conclude(&sum, part, sort) || made > MAX_SUMS {
                    continue;
                }
                for next in self.eliminations(&sum, part) {
                    made += 1;
                    todo.push(next);
                }
            }
        }
    }

    /// Sums with another inequality of the part in which one term disappears.
    fn with_other_inequalities(&self, sum: &Sum, f: FactId, part: u32, sort: Sort) -> Vec<Sum> {
        let mut out = Vec::new();
        for &g in self.inequalities.iter().filter(|&&g| g != f) {
            let fact = &self.facts[g as usize];
            let Claim::Linear { linear, strict, sort: other } = &fact.claim else { continue };
            if *other != sort || !fact.known.has(part) {
                continue;
            }
            for (t, a) in &sum.linear.terms {
                let Some((_, b)) = linear.terms.iter().find(|(u, b)| u == t && b.signum() != a.signum())
                else {
                    continue;
                };
                out.extend(sum.plus(g, linear, *strict, &(a / b).abs()));
            }
        }
        out
    }

    /// Sums with bounds that the part knows in which one term disappears.
    fn eliminations(&self, sum: &Sum, part: u32) -> Vec<Sum> {
        let mut out = Vec::new();
        for (t, a) in &sum.linear.terms {
            let Some(x) = self.nodes.known_node(*t) else { continue };
            let bounds = if a.is_positive() { self.bounds_into(x) } else { self.bounds_from(x) };
            for &(_, g) in bounds {
                let fact = &self.facts[g as usize];
                if !fact.known.has(part) || fact.is_subsumed() {
                    continue;
                }
                let Claim::Bound { strict, .. } = fact.claim else { continue };
                let linear = self.nodes.linear(&fact.claim);
                let Some((_, b)) = linear.terms.iter().find(|(u, b)| u == t && b.signum() != a.signum())
                else {
                    continue;
                };
                out.extend(sum.plus(g, &linear, strict, &(a / b).abs()));
            }
        }
        out
    }

    /// If the sum is a bound or a contradiction, the fact that it is.
    fn conclude(&mut self, sum: &Sum, part: u32, sort: Sort) -> bool {
        let claim = if sum.linear.is_constant() {
            let zero = Nodes::zero(sort);
            Claim::Bound { u: zero, v: zero, c: -sum.linear.constant.clone(), strict: sum.strict }
        } else if octagonal(&sum.linear).is_some() {
            match self.nodes.known_bound(&sum.linear, sort, sum.strict) {
                Some(claim) => claim,
                None => return true,
            }
        } else {
            return false;
        };
        if sum.premises.len() > 1 {
            let known = sum
                .premises
                .iter()
                .try_fold(Range::of(part), |r, (g, _)| r.meet(self.facts[*g as usize].known));
            if let Some(birth) = known {
                let (facts, coeffs): (Vec<FactId>, Vec<Rational>) = sum.premises.iter().cloned().unzip();
                let weight = sum.linear.terms.first().map_or(Rational::ONE, |(_, a)| a.abs());
                let why = Why::Combination { facts: facts.into(), coeffs: coeffs.into(), weight };
                self.add(claim, birth, why);
            }
        }
        true
    }
}

impl Sum {
    /// The sum with a multiple of another fact; none if it has too many terms, or uses the fact twice.
    fn plus(&self, g: FactId, linear: &Linear, strict: bool, factor: &Rational) -> Option<Sum> {
        if self.premises.iter().any(|(f, _)| *f == g) {
            return None;
        }
        let mut sum = self.linear.clone();
        sum.add_scaled(linear, factor);
        if sum.terms.len() > MAX_TERMS || sum.terms.len() > self.linear.terms.len() + 1 {
            return None;
        }
        let mut premises = self.premises.clone();
        premises.push((g, factor.clone()));
        Some(Sum { linear: sum, strict: self.strict || strict, premises })
    }
}
