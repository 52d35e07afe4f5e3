//! A brute-force decision procedure for tiny systems: integers by enumeration of a box, rationals by Fourier-Motzkin
//! elimination, disequalities by case distinction.

use bolide_base::Rational;

use super::super::{Arith, AtomLit, Relation, VarId};

/// `coeffs * x <= constant`, or `<` if strict.
#[derive(Clone, PartialEq)]
struct Constraint {
    coeffs: Vec<Rational>,
    constant: Rational,
    strict: bool,
}

/// Whether the literals hold together, where integer variables range over `-bound..=bound`.
pub fn satisfiable(arith: &Arith, vars: &[VarId], literals: &[AtomLit], bound: i64) -> bool {
    let mut constraints = Vec::new();
    let mut disequalities = Vec::new();
    for lit in literals {
        let atom = arith.atom(lit.atom);
        let coeffs = dense(arith, vars, atom.var);
        let negated: Vec<Rational> = coeffs.iter().map(|c| -c).collect();
        let c = atom.constant.clone();
        let upper = Constraint { coeffs, constant: c.clone(), strict: !lit.positive };
        let lower = Constraint { coeffs: negated, constant: -c, strict: !lit.positive };
        match (atom.relation, lit.positive) {
            (Relation::Le, true) | (Relation::Ge, false) => constraints.push(upper),
            (Relation::Ge, true) | (Relation::Le, false) => constraints.push(lower),
            (Relation::Eq, true) => constraints.extend([upper, lower]),
            (Relation::Eq, false) => disequalities.push((upper, lower)),
        }
    }
    let ints: Vec<usize> = (0..vars.len()).filter(|&i| arith.is_int(vars[i])).collect();
    let mut point = vec![-bound; ints.len()];
    if ints.len() == vars.len() {
        return any_integer_point(&constraints, &disequalities, vars.len(), bound);
    }
    loop {
        let values: Vec<(usize, Rational)> =
            ints.iter().zip(&point).map(|(&var, &value)| (var, Rational::from(value))).collect();
        let fix = |c: &Constraint| substitute(c, &values);
        let fixed_disequalities: Vec<_> = disequalities.iter().map(|(u, l)| (fix(u), fix(l))).collect();
        if feasible(constraints.iter().map(fix).collect(), &fixed_disequalities) {
            return true;
        }
        let Some(place) = point.iter().position(|&x| x < bound) else { return false };
        point[place] += 1;
        point[..place].fill(-bound);
    }
}

/// Tries the points of the box in machine integers, with all denominators cleared.
fn any_integer_point(
    constraints: &[Constraint],
    disequalities: &[(Constraint, Constraint)],
    width: usize,
    bound: i64,
) -> bool {
    let clear = |c: &Constraint| {
        let numbers = c.coeffs.iter().chain([&c.constant]);
        let scale = numbers.clone().fold(Rational::ONE, |lcm, x| lcm.lcm(&x.denom()));
        let mut integers: Vec<i64> = numbers.map(|x| (x * &scale).to_i64().unwrap_or(0)).collect();
        let constant = integers.pop().unwrap_or(0);
        (integers, constant, c.strict)
    };
    let constraints: Vec<_> = constraints.iter().map(clear).collect();
    let disequalities: Vec<_> = disequalities.iter().map(|(upper, _)| clear(upper)).collect();
    let mut point = vec![-bound; width];
    loop {
        let dot = |coeffs: &[i64]| coeffs.iter().zip(&point).map(|(c, x)| c * x).sum::<i64>();
        let holds = constraints.iter().all(|(coeffs, c, strict)| dot(coeffs) + i64::from(*strict) <= *c)
            && disequalities.iter().all(|(coeffs, c, _)| dot(coeffs) != *c);
        if holds {
            return true;
        }
        let Some(place) = point.iter().position(|&x| x < bound) else { return false };
        point[place] += 1;
        point[..place].fill(-bound);
    }
}

fn dense(arith: &Arith, vars: &[VarId], var: VarId) -> Vec<Rational> {
    let coeff = |v: &VarId| match arith.row_of(var) {
        None => Rational::from(i64::from(var == *v)),
        Some(form) => form.iter().find(|(_, w)| w == v).map_or(Rational::ZERO, |(c, _)| c.clone()),
    };
    vars.iter().map(coeff).collect()
}

fn substitute(constraint: &Constraint, values: &[(usize, Rational)]) -> Constraint {
    let mut result = constraint.clone();
    for (var, value) in values {
        let coeff = std::mem::take(&mut result.coeffs[*var]);
        result.constant.sub_mul(&coeff, value);
    }
    result
}

fn feasible(constraints: Vec<Constraint>, disequalities: &[(Constraint, Constraint)]) -> bool {
    let Some(((upper, lower), rest)) = disequalities.split_first() else { return eliminate(constraints) };
    [upper, lower].into_iter().any(|side| {
        let mut constraints = constraints.clone();
        constraints.push(side.clone());
        feasible(constraints, rest)
    })
}

fn eliminate(mut constraints: Vec<Constraint>) -> bool {
    loop {
        constraints = constraints.into_iter().fold(Vec::new(), |mut kept, mut c| {
            if let Some(first) = c.coeffs.iter().find(|c| !c.is_zero()).map(Rational::abs) {
                c.coeffs.iter_mut().for_each(|x| *x /= &first);
                c.constant /= &first;
            }
            if !kept.contains(&c) {
                kept.push(c);
            }
            kept
        });
        let absurd = |c: &Constraint| {
            c.coeffs.iter().all(Rational::is_zero)
                && (c.constant.is_negative() || c.strict && c.constant.is_zero())
        };
        if constraints.iter().any(absurd) {
            return false;
        }
        let width = constraints.first().map_or(0, |c| c.coeffs.len());
        let Some(var) = (0..width).find(|&v| constraints.iter().any(|c| !c.coeffs[v].is_zero())) else {
            return true;
        };
        let (using, mut rest): (Vec<_>, Vec<_>) =
            constraints.into_iter().partition(|c| !c.coeffs[var].is_zero());
        let (uppers, lowers): (Vec<_>, Vec<_>) = using.into_iter().partition(|c| c.coeffs[var].is_positive());
        for upper in &uppers {
            for lower in &lowers {
                let (a, b) = (-&lower.coeffs[var], &upper.coeffs[var]);
                let coeffs = upper.coeffs.iter().zip(&lower.coeffs).map(|(u, l)| u * &a + l * b).collect();
                let constant = &upper.constant * &a + &lower.constant * b;
                rest.push(Constraint { coeffs, constant, strict: upper.strict || lower.strict });
            }
        }
        constraints = rest;
    }
}
