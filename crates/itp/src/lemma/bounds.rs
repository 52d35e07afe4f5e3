//! Equalities that follow from two bounds.

use super::Stand;
use super::farkas::{compare, constraint_term, rest_after};
use crate::mixed::{Mixed, Side};
use crate::partial::{Cut, Obstacle};
use bolide_base::Rational;
use bolide_proof::Literal;
use bolide_proof::linear::{Constraint, Relation};
use bolide_term::{Linear, Term};

impl Cut<'_, '_> {
    /// The conflict of a denied equality with constraints that prove it from both sides.
    pub(super) fn tight_bounds(
        &mut self,
        clause: &[Literal],
        equality: usize,
        upper: &[Rational],
        lower: &[Rational],
        stands: &[Stand],
    ) -> Result<Term, Obstacle> {
        match &stands[equality] {
            Stand::Right => {
                // The left bounds say what they contribute to either proof.
                let u = self.left_sum(clause, upper, stands)?;
                let l = self.left_sum(clause, lower, stands)?;
                let (u, l) = (constraint_term(self.store, &u), constraint_term(self.store, &l));
                Ok(self.store.and(&[u, l]))
            }
            Stand::Left => {
                // The right bounds would complete both proofs.
                let swapped: Vec<Stand> = stands
                    .iter()
                    .map(|s| match s {
                        Stand::Left => Stand::Right,
                        Stand::Right => Stand::Left,
                        Stand::Mixed(m) => Stand::Mixed(m.clone()),
                    })
                    .collect();
                if swapped.iter().any(|s| matches!(s, Stand::Mixed(_))) {
                    return Err(Obstacle::Unsupported("bounds that rest on an equality across the cut"));
                }
                let u = self.left_sum(clause, upper, &swapped)?;
                let l = self.left_sum(clause, lower, &swapped)?;
                let (u, l) = (constraint_term(self.store, &u), constraint_term(self.store, &l));
                let both = self.store.and(&[u, l]);
                Ok(self.store.not(both))
            }
            Stand::Mixed(mixed) => {
                let mixed = mixed.clone();
                let u = self.left_sum(clause, upper, stands)?;
                let l = self.left_sum(clause, lower, stands)?;
                self.mixed_bounds(clause[equality], &mixed, u, l)
            }
        }
    }

    /// The left knows `p <= t` and `s <= p` for its monomials `p`; the right will squeeze them together.
    fn mixed_bounds(
        &mut self,
        equality: Literal,
        mixed: &Mixed,
        upper: Constraint,
        lower: Constraint,
    ) -> Result<Term, Obstacle> {
        let Side::Sum(left) = &mixed.left else {
            return Err(Obstacle::Defect("a mixed equality is not linear"));
        };
        let goal = self.constraint(equality)?;
        let (first, c) = left.terms.first().ok_or(Obstacle::Defect("a mixed equality has no left side"))?;
        let own = goal.linear.terms.iter().find(|(t, _)| t == first);
        let factor = &own.ok_or(Obstacle::Defect("a mixed equality lost its left side"))?.1 / c;
        let mut monomials = left.clone();
        monomials.scale(&factor);
        // upper: factor * p - t <= 0; lower: s - factor * p <= 0.
        let mut t = rest_after(&upper, &monomials);
        let mut negated = Linear::default();
        negated.add_scaled(&monomials, &Rational::MINUS_ONE);
        let mut s = rest_after(&lower, &negated);
        s.scale(&Rational::MINUS_ONE);
        let factor = factor.recip();
        t.scale(&factor);
        s.scale(&factor);
        let (t, s) = if factor.is_negative() { (s, t) } else { (t, s) };
        if upper.relation == Relation::Lt || lower.relation == Relation::Lt {
            return Ok(compare(self.store, &s, &t, Relation::Lt));
        }
        let ordered = compare(self.store, &s, &t, Relation::Le);
        let apart = compare(self.store, &s, &t, Relation::Lt);
        let value = mixed.placeholder_value(self.store, t);
        let denied = mixed.denied_value(self.store, value);
        let tight = self.store.or(&[apart, denied]);
        Ok(self.store.and(&[ordered, tight]))
    }
}
