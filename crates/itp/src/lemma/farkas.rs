//! Farkas lemmas: the left part of the contradictory sum.

use super::Stand;
use super::rays::decompose;
use crate::config::FarkasStyle;
use crate::mixed::{Mixed, Side};
use crate::partial::{Cut, Obstacle};
use bolide_base::Rational;
use bolide_proof::linear::{Constraint, Relation, combine};
use bolide_proof::{Literal, StepId};
use bolide_term::{Linear, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// Lemmas with more left constraints than this are not decomposed.
const LARGE_LEMMA: usize = 32;

impl Cut<'_, '_> {
    pub(super) fn farkas(
        &mut self,
        id: StepId,
        clause: &[Literal],
        coeffs: &[Rational],
        stands: &[Stand],
    ) -> Result<Term, Obstacle> {
        let any_mixed = stands.iter().any(|s| matches!(s, Stand::Mixed(_)));
        if any_mixed {
            self.groups.whole.insert(id);
        }
        if self.config.farkas == FarkasStyle::Decomposed && !self.groups.whole.contains(&id) {
            let groups = self.groups(id, clause, coeffs, stands)?;
            let conjuncts: Vec<Term> = groups.iter().map(|g| constraint_term(self.store, g)).collect();
            self.groups.of.insert((id, self.cut), groups);
            return Ok(self.store.and(&conjuncts));
        }
        let sum = self.left_sum(clause, coeffs, stands)?;
        Ok(constraint_term(self.store, &sum))
    }

    /// The sum of the left constraints; of a mixed equality the left half counts.
    pub(super) fn left_sum(
        &mut self,
        clause: &[Literal],
        coeffs: &[Rational],
        stands: &[Stand],
    ) -> Result<Constraint, Obstacle> {
        let mut parts: Vec<(Constraint, &Rational)> = Vec::new();
        for ((&l, c), stand) in clause.iter().zip(coeffs).zip(stands) {
            if c.is_zero() {
                continue;
            }
            match stand {
                Stand::Right => {}
                Stand::Left => parts.push((self.constraint(!l)?, c)),
                Stand::Mixed(m) => parts.push((left_half(self.store, m, !l)?, c)),
            }
        }
        let sum = combine(parts.iter().map(|(p, c)| (p, *c)));
        let sum = sum.ok_or(Obstacle::Defect("a Farkas coefficient is negative"))?;
        Ok(tighten(self.store, sum))
    }

    pub(super) fn constraint(&self, l: Literal) -> Result<Constraint, Obstacle> {
        Constraint::of(self.store, l).ok_or(Obstacle::Defect("a literal of a Farkas lemma is not linear"))
    }

    /// The left constraints, grouped so that each group by itself is free of left-only variables.
    fn groups(
        &mut self,
        id: StepId,
        clause: &[Literal],
        coeffs: &[Rational],
        stands: &[Stand],
    ) -> Result<Vec<Constraint>, Obstacle> {
        let children = self.tree.children(self.cut);
        // What was grouped at a child is taken from there; the literals below a child are those left of it.
        let mut elements: Vec<Constraint> = Vec::new();
        let mut below: Vec<bool> = vec![false; clause.len()];
        for &child in &children {
            let Some(groups) = self.groups.of.get(&(id, child)) else { continue };
            elements.extend(groups.iter().cloned());
            for (n, &l) in clause.iter().enumerate() {
                below[n] |= self.is_left_at(child, l);
            }
        }
        for (n, (&l, c)) in clause.iter().zip(coeffs).enumerate() {
            if c.is_zero() || below[n] || !matches!(stands[n], Stand::Left) {
                continue;
            }
            let constraint = self.constraint(!l)?;
            let scaled = combine([(&constraint, c)]);
            elements.push(scaled.ok_or(Obstacle::Defect("a Farkas coefficient is negative"))?);
        }
        Ok(self.cancel_left_variables(elements))
    }

    /// Adds up constraints so that the variables which only the left knows cancel, into as many sums as possible.
    fn cancel_left_variables(&mut self, elements: Vec<Constraint>) -> Vec<Constraint> {
        let mut position: FxHashMap<Term, usize> = FxHashMap::default();
        let mut rows: Vec<Vec<Rational>> = Vec::new();
        for (n, e) in elements.iter().enumerate() {
            for (t, c) in &e.linear.terms {
                if self.is_left_term(*t) {
                    let next = rows.len();
                    let row = *position.entry(*t).or_insert(next);
                    if row == next {
                        rows.push(vec![Rational::ZERO; elements.len()]);
                    }
                    rows[row][n] = c.clone();
                }
            }
        }
        let weights = if elements.len() <= LARGE_LEMMA {
            decompose(&rows, elements.len())
        } else {
            vec![vec![Rational::ONE; elements.len()]]
        };
        let sum = |w: Vec<Rational>| combine(elements.iter().zip(&w)).expect("weights are not negative");
        weights.into_iter().map(|w| tighten(self.store, sum(w))).collect()
    }
}

/// The left half of a mixed equality: left monomials minus the placeholder.
fn left_half(store: &Store, mixed: &Mixed, l: Literal) -> Result<Constraint, Obstacle> {
    let Side::Sum(left) = &mixed.left else { return Err(Obstacle::Defect("a mixed equality is not linear")) };
    let whole = Constraint::of(store, l).ok_or(Obstacle::Defect("a mixed literal is not linear"))?;
    // The constraint of the literal may be a multiple of the difference that was taken apart.
    let (first, c) = left.terms.first().ok_or(Obstacle::Defect("a mixed equality has no left side"))?;
    let own = whole.linear.terms.iter().find(|(t, _)| t == first);
    let (_, own) = own.ok_or(Obstacle::Defect("a mixed equality lost its left side"))?;
    let factor = own / c;
    let mut linear = left.clone();
    linear.add_scaled(
        &Linear { constant: Rational::ZERO, terms: vec![(mixed.placeholder, Rational::ONE)] },
        &Rational::MINUS_ONE,
    );
    linear.scale(&factor);
    Ok(Constraint { linear, relation: Relation::Eq })
}

/// Rounds an inequality over integers without changing the scale of its variables.
pub(super) fn tighten(store: &Store, mut c: Constraint) -> Constraint {
    let integers = c.linear.terms.iter().all(|&(t, _)| store.sort_of(t) == Sort::INT);
    if !integers || c.linear.is_constant() || c.relation == Relation::Eq {
        return c;
    }
    let factor = c.linear.coprime_factor();
    let scaled = &c.linear.constant * &factor;
    let rounded = match c.relation {
        Relation::Lt => scaled.floor() + Rational::ONE,
        _ => scaled.ceil(),
    };
    c.linear.constant = rounded / factor;
    c.relation = Relation::Le;
    c
}

/// A constraint as a term.
pub(super) fn constraint_term(store: &mut Store, c: &Constraint) -> Term {
    let reals = c.linear.terms.iter().any(|&(t, _)| store.sort_of(t) == Sort::REAL);
    let fractions = !c.linear.is_constant() && c.relation == Relation::Lt && !reals;
    let sort = if reals || fractions { Sort::REAL } else { Sort::INT };
    let mut linear = c.linear.clone();
    if sort == Sort::INT {
        // Integral coefficients; the constant is rounded by the constructor where that is sound.
        let factor = linear.coprime_factor();
        linear.scale(&factor);
        if c.relation == Relation::Eq && !linear.constant.is_integer() {
            return store.fls();
        }
    }
    if linear.is_constant() {
        return store.bool(match c.relation {
            Relation::Le => !linear.constant.is_positive(),
            Relation::Lt => linear.constant.is_negative(),
            Relation::Eq => linear.constant.is_zero(),
        });
    }
    if sort == Sort::REAL {
        for (t, _) in &mut linear.terms {
            *t = store.to_real(*t);
        }
        linear.terms.sort_by_key(|&(t, _)| t);
    }
    match c.relation {
        Relation::Le => store.linear_le(linear, sort),
        Relation::Eq => store.linear_eq(linear, sort),
        Relation::Lt => {
            linear.scale(&Rational::MINUS_ONE);
            let opposite = store.linear_le(linear, sort);
            store.not(opposite)
        }
    }
}

/// `c` solved for the shared part: the constraint says `p <= t` where `p` are these monomials, and `t` is returned.
pub(super) fn rest_after(c: &Constraint, monomials: &Linear) -> Linear {
    let mut rest = c.linear.clone();
    rest.add_scaled(monomials, &Rational::MINUS_ONE);
    rest.scale(&Rational::MINUS_ONE);
    rest
}

/// Compares two linear expressions over integers and reals.
pub(super) fn compare(store: &mut Store, a: &Linear, b: &Linear, relation: Relation) -> Term {
    let mut linear = a.clone();
    linear.add_scaled(b, &Rational::MINUS_ONE);
    let c = tighten(store, Constraint { linear, relation });
    constraint_term(store, &c)
}
