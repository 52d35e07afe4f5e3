//! Splits on forms of several integers.
//!
//! Where integers are unbounded but their differences are not, splitting one variable after the other goes on for ever:
//! so it is with the integers next to two reals that are close to each other. A variable that is split again and again is
//! taken as a sign of that, and a form of several variables is split instead.

use bolide_base::Rational;

use super::tableau::Row;
use super::{Arith, Delta, FinalCheck, Form, VarId};

/// A variable that was split more often than this wanders off.
const PATIENCE: u32 = 24;

impl Arith {
    /// A form to split instead of a fractional variable if that was split often already.
    pub(super) fn form_to_split(
        &mut self,
        var: VarId,
        accept: &mut dyn FnMut(&Form) -> bool,
    ) -> Option<FinalCheck> {
        let branches = self.branches.entry(var).or_default();
        *branches += 1;
        if *branches <= PATIENCE || !branches.is_multiple_of(2) {
            return None;
        }
        self.fractional_form(accept)
    }

    /// The form of several variables that makes a row fractional.
    fn fractional_form(&self, accept: &mut dyn FnMut(&Form) -> bool) -> Option<FinalCheck> {
        self.fractional_rows().find_map(|row| {
            let (form, floor) = self.split_of_row(self.tableau.row(row));
            (form.len() > 1 && accept(&form)).then_some(FinalCheck::Branch { form, floor })
        })
    }

    /// A row `x = sum of a_j x_j` gives `x - sum of round(a_j) x_j` over its integers that are not fixed. As these stand
    /// at integers, the form is as fractional as `x`; it is the disjunction behind a mixed integer cut of the row.
    fn split_of_row(&self, row: &Row) -> (Vec<(Rational, VarId)>, Rational) {
        let integers = row.entries.iter().filter(|e| self.is_int(e.var) && !self.is_fixed(e.var));
        let rounded = integers.map(|e| (-(&e.coeff + &Rational::new(1, 2)).floor(), e.var));
        let sum: Vec<_> = rounded.chain([(Rational::ONE, row.basic)]).filter(|(c, _)| !c.is_zero()).collect();
        let mut value = Delta::exact(Rational::ZERO);
        sum.iter().for_each(|(coeff, var)| value.add_mul(coeff, self.assignment.get(*var)));
        (self.expand(&sum), value.floor())
    }
}
