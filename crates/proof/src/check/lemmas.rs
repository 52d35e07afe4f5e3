//! Checking of theory lemmas against their certificates.

use super::{Flaw, expect};
use crate::linear::{Constraint, Relation, combine};
use crate::{EqualityPremise, Lemma, Literal, equality_literal};
use bolide_base::Rational;
use bolide_term::{Linear, Op, Store, Term};

/// Does the certificate show that the negated literals of the clause cannot hold together?
pub(super) fn check(store: &mut Store, lemma: &Lemma, clause: &[Literal]) -> Result<(), Flaw> {
    match lemma {
        Lemma::Farkas(coeffs) => {
            let sum = sum_of_conflict(store, clause, coeffs)?;
            expect(sum.is_contradiction(), "the Farkas sum is not a contradiction")
        }
        Lemma::TightBounds { equality, upper, lower } => tight_bounds(store, clause, *equality, upper, lower),
        Lemma::Divisibility { premises, modulus } => divisibility(store, clause, premises, modulus),
        Lemma::Transitivity(path) => transitivity(store, clause, path),
        Lemma::Congruence(f, g) => congruence(store, clause, *f, *g),
    }
}

/// The combination of the negated literals with these coefficients.
fn sum_of_conflict(store: &Store, clause: &[Literal], coeffs: &[Rational]) -> Result<Constraint, Flaw> {
    expect(clause.len() == coeffs.len(), "one coefficient per literal is needed")?;
    let mut parts = Vec::with_capacity(clause.len());
    for (&lit, coeff) in clause.iter().zip(coeffs) {
        if coeff.is_zero() {
            continue;
        }
        match Constraint::of(store, !lit) {
            Some(c) => parts.push((c, coeff)),
            None => return Err("a literal with a coefficient is not a linear constraint".into()),
        }
    }
    combine(parts.iter().map(|(c, k)| (c, *k))).ok_or("an inequality has a negative coefficient".into())
}

fn tight_bounds(
    store: &Store,
    clause: &[Literal],
    equality: usize,
    upper: &[Rational],
    lower: &[Rational],
) -> Result<(), Flaw> {
    let &lit = clause.get(equality).ok_or("there is no such literal")?;
    expect(lit.is_positive(), "the equality must be positive")?;
    let Some(goal) = Constraint::of(store, lit) else { return Err("the equality is not arithmetic".into()) };
    expect(goal.relation == Relation::Eq, "the literal is not an equality")?;
    for (coeffs, sign) in [(upper, Rational::ONE), (lower, Rational::MINUS_ONE)] {
        expect(coeffs.get(equality).is_some_and(Rational::is_zero), "the equality must not prove itself")?;
        let sum = sum_of_conflict(store, clause, coeffs)?;
        // sum is l + k <= 0 (or < 0); the goal sign * g <= 0 follows if l + k - sign * g is a constant >= 0.
        let mut rest = sum.linear;
        rest.add_scaled(&goal.linear, &-sign);
        expect(rest.is_constant() && !rest.constant.is_negative(), "a bound of the equality is not proved")?;
    }
    Ok(())
}

fn divisibility(
    store: &Store,
    clause: &[Literal],
    premises: &[EqualityPremise],
    modulus: &Rational,
) -> Result<(), Flaw> {
    expect(modulus.is_integer() && modulus.is_positive(), "the modulus must be a positive integer")?;
    let constraint = |n: usize| {
        let lit = clause.get(n).ok_or("there is no such literal")?;
        Constraint::of(store, !*lit).ok_or("a premise is not a linear constraint")
    };
    let mut sum = Linear::default();
    for p in premises {
        let first = constraint(p.first)?;
        match p.second {
            None => expect(first.relation == Relation::Eq, "a premise is not an equality")?,
            Some(n) => {
                let second = constraint(n)?;
                let mut total = first.linear.clone();
                total.add_scaled(&second.linear, &Rational::ONE);
                expect(total == Linear::default(), "two bounds do not meet")?;
            }
        }
        sum.add_scaled(&first.linear, &p.coeff);
    }
    let divisible = |c: &Rational| (c / modulus).is_integer();
    expect(
        sum.terms.iter().all(|&(t, _)| store.sort_of(t) == bolide_term::Sort::INT),
        "divisibility speaks of integers only",
    )?;
    expect(sum.terms.iter().all(|(_, c)| divisible(c)), "a coefficient is not divisible by the modulus")?;
    expect(!divisible(&sum.constant), "the constant is divisible by the modulus")
}

fn transitivity(store: &mut Store, clause: &[Literal], path: &[Term]) -> Result<(), Flaw> {
    expect(path.len() >= 2, "a path has two ends")?;
    let sort = store.sort_of(path[0]);
    expect(path.iter().all(|&t| store.sort_of(t) == sort), "a path has one sort")?;
    let mut expected = Vec::with_capacity(path.len());
    for pair in path.windows(2) {
        expected.push(!equality_literal(store, pair[0], pair[1]));
    }
    let (a, b) = (path[0], path[path.len() - 1]);
    if !(store.is_value(a) && store.is_value(b) && a != b) {
        expected.push(equality_literal(store, a, b));
    }
    same_clause(store, clause, expected, "the clause does not follow the path")
}

fn congruence(store: &mut Store, clause: &[Literal], f: Term, g: Term) -> Result<(), Flaw> {
    expect(
        store.op(f) == store.op(g) && store.sort_of(f) == store.sort_of(g),
        "congruence needs the same operator",
    )?;
    expect(store.args(f).len() == store.args(g).len(), "congruence needs as many arguments")?;
    let pairs: Vec<(Term, Term)> = store.args(f).iter().copied().zip(store.args(g).iter().copied()).collect();
    let is_bound = matches!(store.op(f), Op::Forall | Op::Exists);
    let is_sorted = pairs.iter().all(|&(a, b)| store.sort_of(a) == store.sort_of(b));
    expect(is_sorted && !is_bound, "congruence needs arguments of the same sorts")?;
    let mut expected = Vec::with_capacity(pairs.len() + 1);
    for (a, b) in pairs {
        if a != b {
            expected.push(!equality_literal(store, a, b));
        }
    }
    expected.push(equality_literal(store, f, g));
    same_clause(store, clause, expected, "the clause is not the congruence")
}

/// Compares up to repetition and order; literals that are false may be missing.
fn same_clause(
    store: &Store,
    clause: &[Literal],
    expected: Vec<Literal>,
    otherwise: &'static str,
) -> Result<(), Flaw> {
    let false_literal = |l: &Literal| store.as_bool(l.atom()).is_some_and(|v| v != l.is_positive());
    expect(
        expected.iter().all(|l| false_literal(l) || clause.contains(l))
            && clause.iter().all(|l| expected.contains(l)),
        otherwise,
    )
}
