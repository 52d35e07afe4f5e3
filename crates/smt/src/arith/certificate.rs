//! An independent checker of everything that the solver claims.
//!
//! It reads atoms and the forms of slacks, and does sums. It shares no reasoning with the solver.

use std::collections::BTreeMap;

use bolide_base::Rational;

use super::{Arith, AtomLit, Conflict, Cut, FixedPremise, Premise, Relation, Side, VarId};

/// What is wrong with a certificate.
pub type Defect = &'static str;

/// The inequality `terms <= constant`, or `<` if strict, over original variables.
#[derive(Default)]
struct Inequality {
    terms: BTreeMap<VarId, Rational>,
    constant: Rational,
    strict: bool,
}

/// Checks that the literals of a conflict cannot hold together, for the reason given.
pub fn check_conflict(arith: &Arith, conflict: &Conflict) -> Result<(), Defect> {
    match conflict {
        Conflict::Farkas(premises) => {
            let sum = combine(arith, premises)?;
            require(sum.terms.is_empty(), "variables remain")?;
            let absurd = sum.constant.is_negative() || sum.constant.is_zero() && sum.strict;
            require(absurd, "the sum is not absurd")
        }
        Conflict::Disequality { atom, lower, upper } => {
            let atom = arith.atom(*atom);
            require(atom.relation == Relation::Eq, "not an equality")?;
            check_bound(arith, upper, &[(Rational::ONE, atom.var)], &atom.constant)?;
            check_bound(arith, lower, &[(Rational::MINUS_ONE, atom.var)], &-&atom.constant)
        }
        Conflict::Divisibility { premises, modulus } => check_divisibility(arith, premises, modulus),
    }
}

/// Checks that the premises add up to `form <= constant`.
pub fn check_bound(
    arith: &Arith,
    premises: &[Premise],
    form: &[(Rational, VarId)],
    constant: &Rational,
) -> Result<(), Defect> {
    let sum = combine(arith, premises)?;
    let mut expected = BTreeMap::new();
    form.iter().for_each(|(coeff, var)| add_form(arith, &mut expected, coeff, *var));
    require(sum.terms == expected && sum.constant == *constant, "the sum is not the claimed bound")
}

/// Checks that a cut follows from its premises by rounding.
pub fn check_cut(arith: &Arith, cut: &Cut) -> Result<(), Defect> {
    let sum = combine(arith, &cut.premises)?;
    let integral = |(coeff, var): &(Rational, VarId)| {
        coeff.is_integer() && arith.is_int(*var) && arith.row_of(*var).is_none()
    };
    require(cut.coeffs.iter().all(integral), "the cut is not over original integers")?;
    require(
        sum.terms == cut.coeffs.iter().map(|(c, v)| (*v, c.clone())).collect(),
        "the sum is not the cut",
    )?;
    require(cut.bound == sum.constant.floor(), "the bound is not the rounded constant")
}

fn check_divisibility(arith: &Arith, premises: &[FixedPremise], modulus: &Rational) -> Result<(), Defect> {
    require(modulus.is_integer() && modulus.is_positive(), "the modulus is no positive integer")?;
    let mut terms = BTreeMap::new();
    let mut constant = Rational::ZERO;
    for premise in premises {
        for (lit, side) in [(premise.lower, Side::Lower), (premise.upper, Side::Upper)] {
            require(arith.atom(lit.atom).var == premise.var, "a literal about another variable")?;
            let (value, strict) = bound_of(arith, lit, side).ok_or("a literal without the needed bound")?;
            require(value == premise.value && !strict, "a literal with another bound")?;
        }
        add_form(arith, &mut terms, &premise.coeff, premise.var);
        constant.add_mul(&premise.coeff, &premise.value);
    }
    let divisible = |number: &Rational| (number / modulus).is_integer();
    require(
        terms.iter().all(|(var, coeff)| arith.is_int(*var) && divisible(coeff)),
        "a coefficient is not divisible",
    )?;
    require(!divisible(&constant), "the constant is divisible")
}

fn require(condition: bool, defect: Defect) -> Result<(), Defect> {
    if condition { Ok(()) } else { Err(defect) }
}

fn combine(arith: &Arith, premises: &[Premise]) -> Result<Inequality, Defect> {
    let mut sum = Inequality::default();
    for Premise { lit, side, coeff } in premises {
        require(coeff.is_positive(), "a coefficient is not positive")?;
        let (bound, strict) = bound_of(arith, *lit, *side).ok_or("a literal without the claimed bound")?;
        let signed = if *side == Side::Upper { coeff.clone() } else { -coeff };
        add_form(arith, &mut sum.terms, &signed, arith.atom(lit.atom).var);
        sum.constant.add_mul(&signed, &bound);
        sum.strict |= strict;
    }
    Ok(sum)
}

/// The bound that a literal puts on its variable, and whether it is strict.
fn bound_of(arith: &Arith, lit: AtomLit, side: Side) -> Option<(Rational, bool)> {
    let atom = arith.atom(lit.atom);
    let c = &atom.constant;
    let strict = !lit.positive;
    match (atom.relation, lit.positive, side) {
        (Relation::Le, true, Side::Upper) | (Relation::Ge, true, Side::Lower) | (Relation::Eq, true, _) => {}
        (Relation::Le, false, Side::Lower) | (Relation::Ge, false, Side::Upper) => {}
        _ => return None,
    }
    if !arith.is_int(atom.var) {
        return Some((c.clone(), strict));
    }
    let rounded = match (side, strict) {
        (Side::Upper, false) => c.floor(),
        (Side::Lower, false) => c.ceil(),
        (Side::Upper, true) => c.ceil() - Rational::ONE,
        (Side::Lower, true) => c.floor() + Rational::ONE,
    };
    Some((rounded, false))
}

/// Adds a multiple of a variable, expanded to original variables.
fn add_form(arith: &Arith, terms: &mut BTreeMap<VarId, Rational>, factor: &Rational, var: VarId) {
    let mut add = |coeff: Rational, var: VarId| {
        let total = terms.entry(var).or_default();
        *total += coeff;
        if total.is_zero() {
            terms.remove(&var);
        }
    };
    match arith.row_of(var) {
        None => add(factor.clone(), var),
        Some(form) => form.iter().for_each(|(coeff, var)| add(coeff * factor, *var)),
    }
}
