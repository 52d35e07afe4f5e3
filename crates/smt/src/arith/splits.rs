//! Splits on forms of several integers.
//!
//! Where integers are unbounded but their differences are not, splitting one variable after the other goes on for ever:
//! the integers next to two reals that are close to each other, or the quotients of two numbers whose difference is
//! small. A variable that is split again and again is taken as a sign of that, and a form of several variables is split
//! instead.

use bolide_base::Rational;

use super::tableau::Row;
use super::{Arith, Delta, FinalCheck, Form, Side, VarId};

/// A variable that was split more often than this wanders.
const PATIENCE: u32 = 24;
/// How many wandering variables are compared with each other.
const MAX_COMPARED: usize = 8;
/// How many more values than one a difference may have, to be split.
const FEW_VALUES: i64 = 8;

impl Arith {
    /// A form to split instead of a fractional variable if that was split often already: a difference with few
    /// values, or what makes a row fractional.
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
        self.difference_to_split(accept).or_else(|| self.fractional_form(accept))
    }

    /// The difference of two wandering variables that can take a few values only and is not fixed yet.
    fn difference_to_split(&self, accept: &mut dyn FnMut(&Form) -> bool) -> Option<FinalCheck> {
        let wandering = self.branches.iter().filter(|&(_, &branches)| branches > PATIENCE);
        let wandering: Vec<VarId> = wandering.map(|(&var, _)| var).take(MAX_COMPARED).collect();
        let pairs =
            wandering.iter().enumerate().flat_map(|(n, &a)| wandering[..n].iter().map(move |&b| (a, b)));
        pairs.into_iter().find_map(|(a, b)| {
            let form = self.expand(&[(Rational::ONE, a), (Rational::MINUS_ONE, b)]);
            let slack = self.forms.get(form.as_slice()).copied();
            if slack.is_some_and(|slack| self.bounds.fixed(slack).is_some()) {
                return None;
            }
            if self.width(&form)? > Rational::from(FEW_VALUES) || !accept(&form) {
                return None;
            }
            let value = self.assignment.get(a) - self.assignment.get(b);
            let floor = value.floor();
            let upper = slack.and_then(|slack| self.bounds.value(slack, Side::Upper));
            let at_upper = value.is_integer() && upper.is_some_and(|upper| upper.is_exactly(&floor));
            let floor = if at_upper { &floor - &Rational::ONE } else { floor };
            Some(FinalCheck::Branch { form, floor })
        })
    }

    /// By how much a form can vary within the bounds of the nonbasic variables.
    fn width(&self, form: &Form) -> Option<Rational> {
        let mut sum = Vec::new();
        for (coeff, var) in form {
            match self.tableau.row_of(*var) {
                None => sum.push((coeff.clone(), *var)),
                Some(row) => {
                    let entries = &self.tableau.row(row).entries;
                    sum.extend(entries.iter().map(|e| (coeff * &e.coeff, e.var)));
                }
            }
        }
        super::collect_terms(sum).iter().try_fold(Rational::ZERO, |mut width, (coeff, var)| {
            let (lower, upper) =
                (self.bounds.value(*var, Side::Lower)?, self.bounds.value(*var, Side::Upper)?);
            width.add_mul(&coeff.abs(), &(upper - lower).real);
            Some(width)
        })
    }

    /// The form of several variables that makes a row fractional.
    fn fractional_form(&self, accept: &mut dyn FnMut(&Form) -> bool) -> Option<FinalCheck> {
        let fractional = self
            .tableau
            .row_ids()
            .map(|row| self.tableau.row(row))
            .filter(|row| self.is_int(row.basic) && !self.assignment.get(row.basic).is_integer());
        fractional.into_iter().find_map(|row| {
            let (form, floor) = self.split_of_row(row);
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
