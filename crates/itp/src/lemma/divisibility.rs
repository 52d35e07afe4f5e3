//! Equalities that cannot hold together modulo a number.

use super::Stand;
use crate::mixed::{Side, from_stripped};
use crate::partial::{Cut, Obstacle};
use bolide_base::Rational;
use bolide_proof::{EqualityPremise, Literal};
use bolide_term::{Linear, Sort, Term};

impl Cut<'_, '_> {
    /// The left equalities add up to a shared expression that is divisible by the modulus.
    pub(super) fn divisibility(
        &mut self,
        clause: &[Literal],
        premises: &[EqualityPremise],
        modulus: &Rational,
        stands: &[Stand],
    ) -> Result<Term, Obstacle> {
        let mut sum = Linear::default();
        // Right halves of equalities that are pieced together from both sides: conditions of the left claim.
        let mut escapes: Vec<Term> = Vec::new();
        for p in premises {
            let constraint = self.constraint(!clause[p.first])?;
            match (&stands[p.first], p.second.map(|n| (n, &stands[n]))) {
                (Stand::Right, None | Some((_, Stand::Right))) => {}
                (Stand::Left, None | Some((_, Stand::Left))) => sum.add_scaled(&constraint.linear, &p.coeff),
                (Stand::Mixed(m), None) => {
                    let Side::Sum(left) = &m.left else {
                        return Err(Obstacle::Defect("a mixed equality is not linear"));
                    };
                    let mut half = left.clone();
                    half.add_scaled(
                        &Linear { constant: Rational::ZERO, terms: vec![(m.placeholder, Rational::ONE)] },
                        &Rational::MINUS_ONE,
                    );
                    let (first, c) = &left.terms[0];
                    let own = constraint.linear.terms.iter().find(|(t, _)| t == first);
                    let (_, own) = own.ok_or(Obstacle::Defect("a mixed equality lost its left side"))?;
                    sum.add_scaled(&half, &(&p.coeff * &(own / c)));
                }
                (Stand::Left, Some((n, Stand::Right))) => {
                    sum.add_scaled(&constraint.linear, &p.coeff);
                    escapes.push(clause[n].term(self.store));
                }
                (Stand::Right, Some((_, Stand::Left))) => {
                    sum.add_scaled(&constraint.linear, &p.coeff);
                    escapes.push(clause[p.first].term(self.store));
                }
                _ => return Err(Obstacle::Unsupported("a divisibility argument across the cut")),
            }
        }
        // What only the left knows is a multiple of the modulus.
        let mut shared = Linear::constant(sum.constant.clone());
        for (t, c) in sum.terms {
            if self.is_left_term(t) {
                if !(&c / modulus).is_integer() {
                    return Err(Obstacle::Defect("a left variable is not divisible"));
                }
            } else {
                shared.terms.push((t, c));
            }
        }
        if !shared.constant.is_integer() || shared.terms.iter().any(|(_, c)| !c.is_integer()) {
            return Err(Obstacle::Unsupported("a divisibility argument with fractions"));
        }
        let divisible = if shared.is_constant() {
            self.store.bool((&shared.constant / modulus).is_integer())
        } else {
            for (_, c) in &mut shared.terms {
                *c = c.rem_euclid(modulus).unwrap_or_default();
            }
            shared.terms.retain(|(_, c)| !c.is_zero());
            let all = from_stripped(self.store, shared, Sort::INT);
            let m = self.store.num(modulus.clone(), Sort::INT);
            let (rest, zero) = (self.store.modulo(all, m), self.store.int(0));
            self.store.eq(rest, zero)
        };
        escapes.push(divisible);
        Ok(self.store.or(&escapes))
    }
}
