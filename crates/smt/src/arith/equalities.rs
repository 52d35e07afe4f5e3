//! Equalities between variables that follow from the asserted bounds, for theory combination.

use bolide_base::Rational;

use super::{Arith, Premise, Side, VarId};

impl Arith {
    /// Whether `x = y` follows from bounds that fix both variables, their difference, or everything in which their rows
    /// differ. The first list of premises adds up to `x - y <= 0`, the second to `y - x <= 0`.
    ///
    /// Equal values are necessary: compare [`current`](Self::current) values first.
    pub fn implied_equal(&self, x: VarId, y: VarId) -> Option<(Vec<Premise>, Vec<Premise>)> {
        let difference = if x == y {
            Vec::new()
        } else if self.bounds.fixed(x).is_some() && self.bounds.fixed(x) == self.bounds.fixed(y) {
            vec![(Rational::ONE, x), (Rational::MINUS_ONE, y)]
        } else {
            self.fixed_difference(x, y).or_else(|| self.fixed_row_difference(x, y))?
        };
        Some((self.premises_at(&difference, Side::Upper), self.premises_at(&difference, Side::Lower)))
    }

    /// The difference as a slack that is fixed at 0.
    fn fixed_difference(&self, x: VarId, y: VarId) -> Option<Vec<(Rational, VarId)>> {
        let form = self.expand(&[(Rational::ONE, x), (Rational::MINUS_ONE, y)]);
        if form.is_empty() {
            return Some(Vec::new());
        }
        let negated: Vec<_> = form.iter().map(|(coeff, var)| (-coeff, *var)).collect();
        [(form, Rational::ONE), (negated, Rational::MINUS_ONE)].into_iter().find_map(|(form, sign)| {
            let slack = *self.forms.get(form.as_slice())?;
            self.bounds.fixed(slack)?.is_zero().then(|| vec![(sign, slack)])
        })
    }

    /// The difference of the rows of both variables, if all that is left in it is fixed and adds up to 0.
    fn fixed_row_difference(&self, x: VarId, y: VarId) -> Option<Vec<(Rational, VarId)>> {
        let mut terms = Vec::new();
        for (sign, var) in [(Rational::ONE, x), (Rational::MINUS_ONE, y)] {
            match self.tableau.row_of(var) {
                None => terms.push((sign, var)),
                Some(row) => {
                    terms.extend(self.tableau.row(row).entries.iter().map(|e| (&e.coeff * &sign, e.var)));
                }
            }
        }
        let terms = super::collect_terms(terms);
        let mut sum = Rational::ZERO;
        for (coeff, var) in &terms {
            sum.add_mul(coeff, self.bounds.fixed(*var)?);
        }
        sum.is_zero().then_some(terms)
    }

    /// The bounds that limit a combination of fixed variables on a side.
    fn premises_at(&self, combination: &[(Rational, VarId)], side: Side) -> Vec<Premise> {
        let premise = |(coeff, var): &(Rational, VarId)| {
            let side = if coeff.is_positive() { side } else { !side };
            self.bounds.get(*var, side).map(|bound| bound.premise(coeff.abs()))
        };
        combination.iter().filter_map(premise).collect()
    }
}
