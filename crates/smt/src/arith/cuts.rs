//! Chvátal-Gomory cuts.
//!
//! Take a row `x = sum of a_j x_j` of integer variables in which `x` has a fractional value. Substitute a variable at
//! its lower bound `l` by `l + s` and one at its upper bound `u` by `u - s`, with `s >= 0`: this gives
//! `x + sum of α_j s_j = β` with a fractional `β`. Subtracting `frac(α_j)` times `s_j >= 0` leaves integer coefficients on
//! the left, so the right-hand side can be rounded down, which cuts off the current assignment, where all `s_j` are 0.
//! As the row itself is an identity over the original variables, the bounds times the fractions alone add up to the cut.

use bolide_base::Rational;

use super::tableau::RowId;
use super::{Arith, Cut, Form, Premise, Side, VarId};

/// Cuts of more premises are not offered.
const MAX_PREMISES: usize = 40;
/// Cuts with longer numbers are not offered.
const MAX_BITS: usize = 100;

impl Arith {
    /// A cut from the first row that yields one that is short enough and accepted.
    pub(super) fn find_cut(&self, accept: &mut dyn FnMut(&Form) -> bool) -> Option<Cut> {
        let fractional = self.fractional_rows();
        let mut cuts = fractional.flat_map(|row| [(row, false), (row, true)]);
        cuts.find_map(|(row, negated)| self.cut_of_row(row, negated).filter(|cut| accept(&cut.coeffs)))
    }

    fn cut_of_row(&self, row: RowId, negated: bool) -> Option<Cut> {
        let mut premises = Vec::new();
        let mut sum = Vec::new();
        let mut constant = Rational::ZERO;
        for entry in &self.tableau.row(row).entries {
            if !self.is_int(entry.var) {
                return None;
            }
            let side = self.bound_at(entry.var);
            // The sign of `α` depends on the bound and on the orientation of the row.
            let flipped = (side == Some(Side::Lower)) != negated;
            let fraction = if flipped { (-&entry.coeff).fract() } else { entry.coeff.fract() };
            if fraction.is_zero() {
                continue;
            }
            let bound = self.bounds.get(entry.var, side?)?;
            let signed = if bound.side == Side::Lower { -&fraction } else { fraction.clone() };
            constant.add_mul(&signed, &bound.value.real);
            sum.push((signed, entry.var));
            premises.push(bound.premise(fraction));
        }
        if premises.len() > MAX_PREMISES {
            return None;
        }
        self.rounded_cut(self.expand(&sum), constant, premises)
    }

    /// The bound at which a variable stands.
    fn bound_at(&self, var: VarId) -> Option<Side> {
        let value = Some(self.assignment.get(var));
        [Side::Lower, Side::Upper].into_iter().find(|&side| self.bounds.value(var, side) == value)
    }

    /// Divides `coeffs <= constant` by the common factor of the coefficients and rounds.
    fn rounded_cut(
        &self,
        mut coeffs: Vec<(Rational, VarId)>,
        mut constant: Rational,
        mut premises: Vec<Premise>,
    ) -> Option<Cut> {
        let content = coeffs.iter().fold(Rational::ZERO, |gcd, (coeff, _)| gcd.gcd(coeff));
        if content.is_zero() {
            return None;
        }
        coeffs.iter_mut().for_each(|(coeff, _)| *coeff /= &content);
        premises.iter_mut().for_each(|premise| premise.coeff /= &content);
        constant /= content;
        let short = |number: &Rational| number.bit_size() <= MAX_BITS;
        let offered = short(&constant) && coeffs.iter().all(|(coeff, _)| short(coeff));
        offered.then(|| Cut { coeffs, bound: constant.floor(), premises })
    }
}
