//! Systems of linear equations over the integers.
//!
//! With all fixed variables replaced by their values, a row of integer variables is an equation over the integers.
//! Such equations are solved by variable elimination with fresh variables (Knuth, The Art of Computer
//! Programming, 4.5.2; with proofs in Griggio, "A Practical Approach to Satisfiability Modulo Linear Integer
//! Arithmetic", 2012). Each equation remembers the combination of rows that it is. One whose coefficients have a common
//! factor that its constant lacks is a certificate: the rows are identities over the original variables, so the fixed
//! variables in the combination equal minus the others, whose coefficients all have the factor; fresh variables are
//! integer combinations of the others.
//!
//! As the tableau is in echelon form already, only rows with fractional coefficients or a fixed basic variable
//! constrain anything.

use bolide_base::Rational;
use rustc_hash::FxHashMap;

use super::tableau::{Entry, Row, RowId, RowSet};
use super::{Arith, Conflict, FixedPremise, Side, VarId, collect_terms};

/// How many term operations a solution may take.
const MAX_EFFORT: usize = 20_000;
/// How many rows are taken together.
const MAX_ROWS: usize = 100;
/// Beyond this size of a coefficient the system is given up.
const MAX_BITS: usize = 200;

/// A sorted sum of multiples.
type Sum = Vec<(Rational, VarId)>;

/// The equation `sum of terms = constant`.
struct Equation {
    terms: Sum,
    constant: Rational,
    /// The combination of rows, by their basic variables, that this equation is.
    proof: Sum,
}

/// A system in triangular form: equation `i` is solved for one variable with coefficient 1, which later equations do
/// not mention.
struct Solver {
    solved: Vec<(VarId, Equation)>,
    solved_for: FxHashMap<VarId, usize>,
    next_fresh: usize,
    effort: usize,
}

/// The system needs more effort than it is worth.
struct GaveUp;

impl Arith {
    /// A conflict if the rows of fractional variables, and those connected with them, have no integer solution, as
    /// far as limited effort can tell.
    pub(super) fn solve_diophantine(&self) -> Option<Conflict> {
        let mut solver = Solver {
            solved: Vec::new(),
            solved_for: FxHashMap::default(),
            next_fresh: self.vars.len(),
            effort: 0,
        };
        for row in self.connected_rows() {
            match solver.add(self.equation_of(self.tableau.row(row))) {
                Ok(None) => {}
                Ok(Some(proof)) => return self.divisibility_conflict(&proof),
                Err(GaveUp) => return None,
            }
        }
        None
    }

    /// The integer rows of fractional variables, and those that constrain a variable which they constrain as well.
    fn connected_rows(&self) -> Vec<RowId> {
        let fractional = self.fractional_rows();
        let mut reached = RowSet::default();
        fractional.for_each(|row| reached.insert(row));
        let mut rows = Vec::new();
        let mut next = 0;
        while let Some(row) = reached.get(next)
            && next < MAX_ROWS
        {
            next += 1;
            let entries = &self.tableau.row(row).entries;
            if !self.is_int(self.tableau.row(row).basic)
                || !entries.iter().all(|entry| self.is_int(entry.var))
            {
                continue;
            }
            rows.push(row);
            for entry in entries.iter().filter(|e| self.constrains(row, &e.coeff) && !self.is_fixed(e.var)) {
                let column =
                    self.tableau.column(entry.var).filter(|(row, coeff)| self.constrains(*row, coeff));
                column.for_each(|(row, _)| reached.insert(row));
            }
        }
        rows
    }

    /// Whether a row says something about the integer values of a variable with this coefficient in it. A row whose
    /// basic variable occurs nowhere else and can take any integer value does not if the coefficient is an integer.
    fn constrains(&self, row: RowId, coeff: &Rational) -> bool {
        !coeff.is_integer() || self.is_fixed(self.tableau.row(row).basic)
    }

    fn equation_of(&self, row: &Row) -> Equation {
        let basic = Entry::of_basic(row.basic);
        let mut terms = Vec::new();
        let mut constant = Rational::ZERO;
        for Entry { var, coeff, .. } in row.entries.iter().chain([&basic]) {
            match self.bounds.fixed(*var) {
                Some(value) => constant.sub_mul(coeff, value),
                None => terms.push((coeff.clone(), *var)),
            }
        }
        Equation { terms: collect_terms(terms), constant, proof: vec![(Rational::ONE, row.basic)] }
    }

    /// The proof combines rows to an equation with integer coefficients and a fractional constant.
    fn divisibility_conflict(&self, proof: &Sum) -> Option<Conflict> {
        let mut fixed = Vec::new();
        for (factor, basic) in proof {
            let entries = &self.tableau.row(self.tableau.row_of(*basic)?).entries;
            for Entry { var, coeff, .. } in entries.iter().chain([&Entry::of_basic(*basic)]) {
                if self.bounds.fixed(*var).is_some() {
                    fixed.push((coeff * factor, *var));
                }
            }
        }
        // Integer multiples contribute integers only.
        let mut fixed = collect_terms(fixed);
        fixed.iter_mut().for_each(|(coeff, _)| *coeff = coeff.fract());
        fixed.retain(|(coeff, _)| !coeff.is_zero());
        let modulus = fixed.iter().fold(Rational::ONE, |lcm, (coeff, _)| lcm.lcm(&coeff.denom()));
        let premise = |(coeff, var): &(Rational, VarId)| {
            let (lower, upper) = (self.bounds.get(*var, Side::Lower)?, self.bounds.get(*var, Side::Upper)?);
            Some(FixedPremise {
                var: *var,
                value: lower.value.real.clone(),
                lower: lower.lit,
                upper: upper.lit,
                coeff: coeff * &modulus,
            })
        };
        let premises = fixed.iter().map(premise).collect::<Option<_>>()?;
        Some(Conflict::Divisibility { premises, modulus })
    }
}

impl Solver {
    /// Adds an equation to the system. If that has no integer solution any more, returns the proof: a combination with
    /// integer coefficients and a fractional constant.
    fn add(&mut self, mut equation: Equation) -> Result<Option<Sum>, GaveUp> {
        self.substitute(&mut equation)?;
        loop {
            let content = equation.terms.iter().fold(Rational::ZERO, |gcd, (coeff, _)| gcd.gcd(coeff));
            if content.is_zero() {
                // A trivial equation, or one that has no rational solution either.
                return Ok(None);
            }
            equation.scale(&content.recip());
            if !equation.constant.is_integer() {
                return Ok(Some(equation.proof));
            }
            let Some((least, var)) =
                equation.terms.iter().min_by_key(|(coeff, var)| (coeff.abs(), *var)).cloned()
            else {
                return Ok(None);
            };
            if least.abs().is_one() {
                equation.scale(&least);
                self.solve_for(var, equation);
                return Ok(None);
            }
            let definition = self.define_quotient(&equation, &least, var);
            self.subtract(&mut equation, &least, &definition)?;
            self.solve_for(var, definition);
        }
    }

    /// Eliminates all solved variables, in the order in which they were solved.
    fn substitute(&mut self, equation: &mut Equation) -> Result<(), GaveUp> {
        let first_solved = |equation: &Equation, solved_for: &FxHashMap<VarId, usize>| {
            let places =
                equation.terms.iter().filter_map(|(coeff, var)| Some((*solved_for.get(var)?, coeff.clone())));
            places.min_by_key(|&(place, _)| place)
        };
        while let Some((place, coeff)) = first_solved(equation, &self.solved_for) {
            let (var, solution) =
                std::mem::replace(&mut self.solved[place], (VarId::new(0), Equation::EMPTY));
            let result = self.subtract(equation, &coeff, &solution);
            self.solved[place] = (var, solution);
            result?;
        }
        Ok(())
    }

    /// A fresh variable `t` with `least * t` the part of the equation that is divisible by `least`: the equation
    /// `var + sum of quotients - t = 0`, which needs no proof.
    fn define_quotient(&mut self, equation: &Equation, least: &Rational, var: VarId) -> Equation {
        let fresh = VarId::new(self.next_fresh);
        self.next_fresh += 1;
        let quotients = equation.terms.iter().map(|(coeff, v)| ((coeff / least).floor(), *v));
        let mut terms: Sum = quotients.filter(|(quotient, _)| !quotient.is_zero()).collect();
        debug_assert!(terms.iter().any(|(quotient, v)| *v == var && quotient.is_one()));
        terms.push((Rational::MINUS_ONE, fresh));
        Equation { terms, constant: Rational::ZERO, proof: Vec::new() }
    }

    fn solve_for(&mut self, var: VarId, equation: Equation) {
        self.solved_for.insert(var, self.solved.len());
        self.solved.push((var, equation));
    }

    /// Subtracts `factor` times `other` from the equation.
    fn subtract(
        &mut self,
        equation: &mut Equation,
        factor: &Rational,
        other: &Equation,
    ) -> Result<(), GaveUp> {
        let factor = -factor;
        equation.terms = add_multiple(&equation.terms, &factor, &other.terms);
        equation.proof = add_multiple(&equation.proof, &factor, &other.proof);
        equation.constant.add_mul(&factor, &other.constant);
        self.effort += equation.terms.len() + equation.proof.len();
        let too_long = equation.terms.iter().any(|(coeff, _)| coeff.bit_size() > MAX_BITS);
        if too_long || self.effort > MAX_EFFORT { Err(GaveUp) } else { Ok(()) }
    }
}

impl Equation {
    const EMPTY: Equation = Equation { terms: Vec::new(), constant: Rational::ZERO, proof: Vec::new() };

    fn scale(&mut self, factor: &Rational) {
        if !factor.is_one() {
            self.terms.iter_mut().chain(&mut self.proof).for_each(|(coeff, _)| *coeff *= factor);
            self.constant *= factor;
        }
    }
}

/// `sum + factor * other`, merging the sorted sums.
fn add_multiple(sum: &Sum, factor: &Rational, other: &Sum) -> Sum {
    let mut result = Vec::with_capacity(sum.len() + other.len());
    let mut left = sum.iter().peekable();
    for (coeff, var) in other {
        while let Some(term) = left.next_if(|(_, v)| v < var) {
            result.push(term.clone());
        }
        let mut total = left.next_if(|(_, v)| v == var).map_or(Rational::ZERO, |(c, _)| c.clone());
        total.add_mul(factor, coeff);
        if !total.is_zero() {
            result.push((total, *var));
        }
    }
    result.extend(left.cloned());
    result
}
