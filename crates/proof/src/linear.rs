//! Literals as linear constraints.

use crate::Literal;
use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store};

/// How a linear expression compares with zero.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Relation {
    /// `l <= 0`
    Le,
    /// `l < 0`
    Lt,
    /// `l = 0`
    Eq,
}

/// A linear constraint `linear relation 0`.
///
/// An integer and the real number equal to it are one variable: `to_real` does not occur. If all variables are
/// integers, the coefficients are coprime integers and an inequality is not strict and has an integer constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The left-hand side.
    pub linear: Linear,
    /// The comparison with zero.
    pub relation: Relation,
}

impl Constraint {
    /// What a literal says about numbers; nothing if its atom is not arithmetic, or if it is a disequality.
    pub fn of(store: &Store, lit: Literal) -> Option<Constraint> {
        let atom = lit.atom();
        let (mut linear, mut relation) = match store.op(atom) {
            Op::Le => (store.linear_difference(store.arg(atom, 0), store.arg(atom, 1)), Relation::Le),
            Op::Eq if lit.is_positive() && store.sort_of(store.arg(atom, 0)).is_arith() => {
                (store.linear_difference(store.arg(atom, 0), store.arg(atom, 1)), Relation::Eq)
            }
            _ => return None,
        };
        if !lit.is_positive() {
            linear.scale(&Rational::MINUS_ONE);
            relation = Relation::Lt;
        }
        strip_to_real(store, &mut linear);
        let mut constraint = Constraint { linear, relation };
        constraint.strengthen(store);
        Some(constraint)
    }

    /// Rounds a constraint over integers only.
    fn strengthen(&mut self, store: &Store) {
        let Constraint { linear, relation } = self;
        if linear.is_constant() || !linear.terms.iter().all(|&(t, _)| store.sort_of(t) == Sort::INT) {
            return;
        }
        let factor = linear.coprime_factor();
        if !factor.is_one() {
            linear.scale(&factor);
        }
        match relation {
            Relation::Le => linear.constant = linear.constant.ceil(),
            Relation::Lt => {
                linear.constant = linear.constant.floor() + Rational::ONE;
                *relation = Relation::Le;
            }
            Relation::Eq => {}
        }
    }

    /// Does this constraint without variables fail?
    pub fn is_contradiction(&self) -> bool {
        self.linear.is_constant()
            && match self.relation {
                Relation::Le => self.linear.constant.is_positive(),
                Relation::Lt => !self.linear.constant.is_negative(),
                Relation::Eq => !self.linear.constant.is_zero(),
            }
    }
}

/// Replaces the real number equal to an integer by the integer.
pub fn strip_to_real(store: &Store, linear: &mut Linear) {
    let mut changed = false;
    for (t, _) in &mut linear.terms {
        if store.op(*t) == Op::ToReal {
            *t = store.arg(*t, 0);
            changed = true;
        }
    }
    if changed {
        let rest = std::mem::take(linear);
        linear.add_scaled(&rest, &Rational::ONE);
    }
}

/// The sum of constraints times coefficients; `None` if an inequality gets a negative coefficient.
pub fn combine<'a>(parts: impl IntoIterator<Item = (&'a Constraint, &'a Rational)>) -> Option<Constraint> {
    let mut sum = Linear::default();
    let mut relation = Relation::Eq;
    for (part, coeff) in parts {
        if coeff.is_zero() {
            continue;
        }
        if part.relation != Relation::Eq && coeff.is_negative() {
            return None;
        }
        relation = match (relation, part.relation) {
            (_, Relation::Lt) | (Relation::Lt, _) => Relation::Lt,
            (_, Relation::Le) | (Relation::Le, _) => Relation::Le,
            _ => Relation::Eq,
        };
        sum.add_scaled(&part.linear, coeff);
    }
    Some(Constraint { linear: sum, relation })
}
