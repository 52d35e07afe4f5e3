//! What executions of a program with calls suggest about its procedures: facts over the values at an entry and those at a location.

use super::conjecture::{Points, equations_of, guess};
use super::recurrences::{self, Case, Shape};
use super::sample::{CallSamples, sample_calls};
use super::{divisibility, modular, polynomial};
use bolide_base::{Budget, Rational};
use bolide_model::horn::{Horn, ProgramMap};
use bolide_model::{Program, Trace};
use bolide_term::{Linear, Sort, Store, Term};
use std::collections::BTreeSet;

/// Places with more integers are not looked at.
const MOST_INTEGERS: usize = 14;
/// Equations are read off values up to this size: larger ones may have wrapped.
const SMALL: i64 = 30_000;
/// There are so many times as many states as monomials before an equation between these is believed.
const TIMES: usize = 2;
/// Facts are guessed separately for the values of an integer that has at most so many.
const MOST_CASES: usize = 2;

/// Guesses about the predicates of the clauses of a program.
pub struct Guesses {
    /// By stage, and in each of them by predicate: what is hard to decide, or more likely to be a coincidence, comes later.
    pub stages: Vec<Vec<Vec<Term>>>,
    /// An execution that ended in an error.
    pub error: Option<Trace>,
}

/// The stages: what is linear and divisors, the same with bounds that nothing came up to, cases and tables, linear equations modulo the sizes of machine integers, and polynomials of low and of higher
/// degree, each also modulo these sizes.
const STAGES: usize = 8;

/// What executions suggest about the predicates of the clauses of a program.
pub fn guesses(
    store: &mut Store,
    program: &Program,
    (horn, map): (&Horn, &ProgramMap),
    budget: &Budget,
) -> Guesses {
    let CallSamples { states, exits, constants, error } = sample_calls(store, program, (horn, map), budget);
    let (ranges, mut tables) = (of_ranges(store, program, horn, map), Vec::new());
    for (id, p) in program.procs.iter_enumerated().filter(|(id, _)| *id != program.entry) {
        let (pred, inputs, live) = map.arguments(id, p.exit);
        let pair = |z: usize| inputs.iter().position(|&v| v == live[z]);
        let results: Vec<(usize, Option<usize>)> =
            (0..live.len()).map(|z| (inputs.len() + z, pair(z))).collect();
        tables.push((pred, inputs.len(), results));
    }
    let sizes = modular::sizes(store, program);
    let mut stages = vec![vec![Vec::new(); horn.preds.len()]; STAGES];
    for (n, ((pred, (columns, states)), ranges)) in horn.preds.iter().zip(states).zip(ranges).enumerate() {
        let terms: Vec<Term> = columns.iter().map(|&n| pred.params[n]).collect();
        if terms.len() > MOST_INTEGERS {
            continue;
        }
        let points = Points { terms: &terms, states: &states, constants: &constants, slack: 0 };
        let small = small_states(&states);
        let linear = equations_of(&Points { states: &small, ..points });
        let mut first = of_points(store, &points, &linear);
        first.extend(ranges);
        stages[1][n] = of_points(store, &Points { slack: 1, ..points }, &linear);
        stages[2][n] = by_cases(store, &points, &first);
        stages[0][n] = first;
        if let Some((_, inputs, results)) = tables.iter().find(|(pred, ..)| pred.index() == n) {
            let shape = Shape { params: &pred.params, columns: &columns, inputs: *inputs, results };
            let found = recurrences::guesses(store, &shape, &exits[n], &constants);
            for Case { holds, form } in found {
                let is_zero = store.linear_eq(form.clone(), Sort::INT);
                stages[2][n].push(store.implies(holds, is_zero));
                for is_zero in vanishing(store, &[form], &sizes) {
                    stages[3][n].push(store.implies(holds, is_zero));
                }
            }
        }
        stages[3][n].extend(vanishing(store, &linear, &sizes));
        for (stage, degrees) in [(4, &[2][..]), (6, &[4, 3])] {
            let found = polynomial::equations_of_degree(store, &terms, &small, degrees, TIMES);
            stages[stage][n] = found.iter().map(|form| store.linear_eq(form.clone(), Sort::INT)).collect();
            stages[stage + 1][n] = vanishing(store, &found, &sizes);
        }
    }
    Guesses { stages, error }
}

/// That forms are zero modulo some sizes.
fn vanishing(store: &mut Store, forms: &[Linear], sizes: &[Rational]) -> Vec<Term> {
    let mut out = Vec::new();
    for form in forms {
        out.extend(sizes.iter().map(|size| modular::vanishes(store, form, size)));
    }
    out
}

/// The states in which all values are small.
fn small_states(states: &[Vec<Rational>]) -> Vec<Vec<Rational>> {
    let bound = Rational::from(SMALL);
    states.iter().filter(|s| s.iter().all(|v| v.abs() <= bound)).cloned().collect()
}

/// The ranges of the variables, by predicate.
fn of_ranges(store: &mut Store, program: &Program, horn: &Horn, map: &ProgramMap) -> Vec<Vec<Term>> {
    let mut out: Vec<Vec<Term>> = horn.preds.iter().map(|_| Vec::new()).collect();
    for (id, p) in program.procs.iter_enumerated() {
        for l in p.locations.ids() {
            let (pred, inputs, live) = map.arguments(id, l);
            for (&v, &t) in inputs.iter().chain(live).zip(&horn.pred(pred).params) {
                let range = program.in_range(store, t, program.vars[v].range);
                out[pred.index()].extend(store.conjuncts(range).into_iter().filter(|&f| f != store.tru()));
            }
        }
    }
    out
}

/// What is linear, and divisors.
fn of_points(store: &mut Store, points: &Points<'_>, equations: &[Linear]) -> Vec<Term> {
    let mut out = guess(store, points, equations);
    out.extend(divisibility::guesses(store, points));
    out
}

/// What holds whenever one of the integers has a certain value.
fn by_cases(store: &mut Store, points: &Points<'_>, known: &[Term]) -> Vec<Term> {
    let mut out = Vec::new();
    for (n, &t) in points.terms.iter().enumerate() {
        let values: BTreeSet<&Rational> = points.states.iter().map(|s| &s[n]).collect();
        if values.len() < 2 || values.len() > MOST_CASES {
            continue;
        }
        for value in values {
            let states: Vec<Vec<Rational>> =
                points.states.iter().filter(|s| s[n] == *value).cloned().collect();
            let points = Points { states: &states, ..*points };
            let equations = equations_of(&points);
            let value = store.num(value.clone(), Sort::INT);
            let here = store.eq(t, value);
            for fact in of_points(store, &points, &equations) {
                if !known.contains(&fact) {
                    out.push(store.implies(here, fact));
                }
            }
        }
    }
    out
}
