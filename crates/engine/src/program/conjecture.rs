//! Conjectures: simple facts that sampled executions suggest, of which the inductive ones become invariants.
//!
//! Interpolants speak about one path at a time, and where a loop needs a relation between its variables they may
//! enumerate its iterations instead. Here relations are guessed from data: the affine equalities of all samples of
//! a location (as in Karr's domain), bounds on variables, on their sums and differences whose constant occurs in the
//! program, and congruences; where the program has products, polynomial equations, too. What is not inductive is dropped, after Flanagan
//! and Leino (*Houdini*, FME 2001). Equations that wraps refute are tried once more modulo the sizes of machine integers.

use super::algebra;
use super::art::Label;
use super::entailment::Entailment;
use super::modular;
use super::path::Ranges;
use super::polynomial;
use super::sample::Samples;
use bolide_base::{Budget, IdVec, Rational};
use bolide_model::{LocId, Program, Unrolling, VarId};
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Linear, Sort, Store, Term};
use rustc_hash::FxHashSet;
use std::collections::{BTreeSet, VecDeque};

/// Facts for each location that hold whenever it is reached.
pub type Facts = IdVec<LocId, Vec<Term>>;

/// A location needs so many samples more than there are dimensions before an equality is believed.
const SURPLUS: usize = 3;
/// Larger coefficients of an equality are a coincidence.
const MAX_COEFFICIENT: i64 = 1000;
/// How many constants of the program beyond what occurred are tried as bounds of a variable.
const THRESHOLDS: usize = 3;
/// At most so many guesses at one location.
const MAX_GUESSES: usize = 160;

/// The steps that the question about all guesses behind an edge may take, and one about a single guess.
const STEPS: u64 = 2_000;
const STEPS_OF_ONE: u64 = 400;
/// The steps that a stage of guesses may take.
const STAGE_STEPS: u64 = 8_000;

/// More variables are not related to each other.
const MAX_VARIABLES: usize = 24;

/// What integers had which values at a place.
pub struct Points<'a> {
    /// The terms for the values, in the order of the states.
    pub terms: &'a [Term],
    /// The values.
    pub states: &'a [Vec<Rational>],
    /// The numerals of the program, their negations and their neighbours.
    pub constants: &'a BTreeSet<i64>,
    /// How many constants beyond what occurred are tried as bounds of a sum or a difference.
    pub slack: usize,
}

/// The integer variables to be related: those that some step assigns; none where there are too many.
pub fn interesting(store: &Store, program: &Program) -> Vec<VarId> {
    let mut assigned: IdVec<VarId, bool> = program.vars.iter().map(|_| false).collect();
    for step in program.main().edges.iter().filter_map(|e| e.step()) {
        step.assigns.iter().for_each(|a| assigned[a.0] = true);
    }
    let of_interest = |v: &VarId| assigned[*v] && store.sort_of(program.vars[*v].term) == Sort::INT;
    let vars: Vec<VarId> = program.vars.ids().filter(of_interest).collect();
    if vars.len() > MAX_VARIABLES { Vec::new() } else { vars }
}

/// The inductive ones among the facts that the samples suggest. They come in stages, each with what the ones before it have proved: what is linear, and
/// then polynomial equations of low and of higher degree, each also modulo the sizes of machine integers. The more a guess asks of the solver, the
/// likelier it is to be a coincidence, and nothing that was proved is lost to it. Before all that, where there are products, those equations are kept that follow
/// from each other by mere algebra; if they exclude all errors, nothing else is asked for.
pub fn conjecture(
    store: &mut Store,
    program: &Program,
    samples: &Samples,
    ranges: &Ranges,
    budget: &Budget,
) -> Facts {
    let entry = program.main().entry;
    let terms: Vec<Term> = samples.vars.iter().map(|&v| program.vars[v].term).collect();
    let mut houdini = Houdini::new(program, samples, ranges);
    let mut equations = houdini.nothing::<Linear>();
    let mut guesses = houdini.nothing();
    let locations: Vec<LocId> = program.main().locations.ids().filter(|&l| l != entry).collect();
    for &l in &locations {
        let points =
            Points { terms: &terms, states: &samples.states[l], constants: &samples.constants, slack: 0 };
        equations[l] = equations_of(&points);
        guesses[l] = guess(store, &points, &equations[l]);
    }
    let mut polynomials: Vec<IdVec<LocId, Vec<Linear>>> = Vec::new();
    if polynomial::has_products(store, program) {
        let mut all = equations.clone();
        for degrees in [&[2][..], &[4, 3]] {
            let mut found = houdini.nothing();
            for &l in &locations {
                found[l] = polynomial::equations_of_degree(store, &terms, &samples.states[l], degrees, 1);
                all[l].extend_from_slice(&found[l]);
            }
            polynomials.push(found);
        }
        houdini.learn_by_algebra(store, &all, budget);
        if houdini.excludes_errors(store, budget) {
            return houdini.known;
        }
    }
    houdini.learn(store, guesses, budget);
    houdini.learn_modulo(store, &equations, budget);
    for equations in &polynomials {
        let guesses = equations.iter().map(|forms| vanishing(store, forms)).collect();
        houdini.learn(store, guesses, budget);
        houdini.learn_modulo(store, equations, budget);
    }
    houdini.known.iter().map(|facts| irredundant(store, facts, ranges, budget)).collect()
}

/// That forms are zero.
fn vanishing(store: &mut Store, forms: &[Linear]) -> Vec<Term> {
    forms.iter().map(|form| store.linear_eq(form.clone(), Sort::INT)).collect()
}

/// Guesses, stage by stage.
struct Houdini<'a> {
    program: &'a Program,
    samples: &'a Samples,
    ranges: &'a Ranges,
    /// What is inductive.
    known: Facts,
    /// What was not inductive so far; the facts of a later stage may make it so.
    open: Facts,
}

impl<'a> Houdini<'a> {
    fn new(program: &'a Program, samples: &'a Samples, ranges: &'a Ranges) -> Houdini<'a> {
        let nothing = || samples.states.iter().map(|_| Vec::new()).collect();
        Houdini { program, samples, ranges, known: nothing(), open: nothing() }
    }

    fn nothing<T>(&self) -> IdVec<LocId, Vec<T>> {
        self.samples.states.iter().map(|_| Vec::new()).collect()
    }

    /// Adds to what is known those of some facts, and of those that failed before, that are inductive together.
    fn learn(&mut self, store: &mut Store, mut guesses: Facts, budget: &Budget) {
        if guesses.iter().all(Vec::is_empty) {
            return;
        }
        for (l, new) in self.program.main().locations.ids().zip(guesses.iter_mut()) {
            new.retain(|f| !self.known[l].contains(f) && !self.open[l].contains(f));
            new.extend(std::mem::take(&mut self.open[l]));
        }
        self.open = guesses.clone();
        let budget = &budget.clone().with_steps(STAGE_STEPS);
        if keep_inductive_with(store, self.program, &self.known, &mut guesses, self.ranges, budget) {
            for (l, found) in guesses.iter_enumerated() {
                self.open[l].retain(|f| !found.contains(f));
                self.known[l].extend(found);
            }
        }
    }

    /// Adds those of some equations that follow from each other by algebra, modulo the sizes of machine integers if there are any.
    fn learn_by_algebra(
        &mut self,
        store: &mut Store,
        equations: &IdVec<LocId, Vec<Linear>>,
        budget: &Budget,
    ) {
        let sizes = modular::sizes(store, self.program);
        let mut guesses = self.nothing();
        for (l, forms) in equations.iter_enumerated() {
            if sizes.is_empty() {
                guesses[l] = vanishing(store, forms);
            }
            for form in forms {
                guesses[l].extend(sizes.iter().map(|size| modular::vanishes(store, form, size)));
            }
        }
        if algebra::keep_inductive(store, self.program, &mut guesses, budget) {
            self.known = guesses;
        }
    }

    /// Do the known facts exclude all errors, and is that easy to see?
    fn excludes_errors(&self, store: &mut Store, budget: &Budget) -> bool {
        let procedure = self.program.main();
        let mut erroneous = procedure.edges.iter().filter(|e| procedure.locations[e.to].error.is_some());
        erroneous.all(|edge| {
            let Some(step) = edge.step() else { return false };
            let query = [store.and(&self.known[edge.from]), step.guard];
            let mut solver = Solver::default();
            query.iter().for_each(|&t| solver.assert(t));
            self.ranges.of(store, &query).into_iter().for_each(|r| solver.assert(r));
            solver.check(store, &budget.clone().with_steps(STEPS_OF_ONE)) == Answer::Unsat
        })
    }

    /// The same as [`Houdini::learn`] for equations that are not known to hold, modulo the sizes of machine integers.
    fn learn_modulo(&mut self, store: &mut Store, equations: &IdVec<LocId, Vec<Linear>>, budget: &Budget) {
        let sizes = modular::sizes(store, self.program);
        let mut guesses = self.nothing();
        for (l, forms) in equations.iter_enumerated() {
            for form in forms {
                let fact = store.linear_eq(form.clone(), Sort::INT);
                if !self.known[l].contains(&fact) {
                    guesses[l].extend(sizes.iter().map(|size| modular::vanishes(store, form, size)));
                }
            }
        }
        self.learn(store, guesses, budget);
    }
}

/// The affine equations that hold of all states.
pub fn equations_of(points: &Points<'_>) -> Vec<Linear> {
    equalities(points.states).iter().map(|e| linear(points.terms, e)).collect()
}

/// Everything of the known forms that holds of all states, equations among it.
pub fn guess(store: &mut Store, points: &Points<'_>, equations: &[Linear]) -> Vec<Term> {
    let Points { terms, states, .. } = *points;
    let mut out = Vec::new();
    if states.len() < SURPLUS {
        return out;
    }
    let one = || Rational::ONE;
    for i in 0..terms.len() {
        congruence(store, terms[i], states.iter().map(|s| &s[i]), &mut out);
        bounds(store, points, &[(i, one())], THRESHOLDS, &mut out);
    }
    for equation in equations {
        out.push(store.linear_eq(equation.clone(), Sort::INT));
    }
    for i in 0..terms.len() {
        for j in i + 1..terms.len() {
            for sign in [Rational::MINUS_ONE, Rational::ONE] {
                bounds(store, points, &[(i, one()), (j, sign)], points.slack, &mut out);
            }
        }
    }
    let mut seen = FxHashSet::default();
    out.retain(|&t| t != store.tru() && t != store.fls() && seen.insert(t));
    out.truncate(MAX_GUESSES);
    out
}

/// A linear expression from a constant and a coefficient for each term.
fn linear(terms: &[Term], coefficients: &[Rational]) -> Linear {
    let mut out = Linear::constant(coefficients[0].clone());
    for (&t, c) in terms.iter().zip(&coefficients[1..]).filter(|(_, c)| !c.is_zero()) {
        out.add_scaled(&Linear { constant: Rational::ZERO, terms: vec![(t, Rational::ONE)] }, c);
    }
    out
}

/// Bounds of a form that hold of the samples: those that are attained, if they look as if they came from the program,
/// and the next few constants of the program beyond them.
fn bounds(
    store: &mut Store,
    points: &Points<'_>,
    form: &[(usize, Rational)],
    thresholds: usize,
    out: &mut Vec<Term>,
) {
    let Points { terms, states, constants, .. } = *points;
    let value = |s: &Vec<Rational>| {
        form.iter().fold(Rational::ZERO, |mut sum, (i, c)| {
            sum.add_mul(&s[*i], c);
            sum
        })
    };
    let (low, high) = (states.iter().map(value).min(), states.iter().map(value).max());
    let attained = |k: Option<Rational>| k.and_then(|k| k.to_i64());
    let (Some(low), Some(high)) = (attained(low), attained(high)) else { return };
    let mut expression = Linear::default();
    for (i, c) in form {
        let variable = Linear { constant: Rational::ZERO, terms: vec![(terms[*i], Rational::ONE)] };
        expression.add_scaled(&variable, c);
    }
    let upper = constants.range(high..);
    for &k in upper.take(thresholds + 1).filter(|&&k| thresholds > 0 || k == high) {
        let mut at_most = expression.clone();
        at_most.constant -= &Rational::from(k);
        out.push(store.linear_le(at_most, Sort::INT));
    }
    let lower = constants.range(..=low).rev();
    for &k in lower.take(thresholds + 1).filter(|&&k| thresholds > 0 || k == low) {
        let mut at_least = expression.clone();
        at_least.scale(&Rational::MINUS_ONE);
        at_least.constant += &Rational::from(k);
        out.push(store.linear_le(at_least, Sort::INT));
    }
}

/// The remainder that all values leave, if their differences have a common divisor.
fn congruence<'a>(
    store: &mut Store,
    t: Term,
    mut values: impl Iterator<Item = &'a Rational>,
    out: &mut Vec<Term>,
) {
    let Some(first) = values.next() else { return };
    let divisor = values.fold(Rational::ZERO, |g, v| g.gcd(&(v - first)));
    if divisor.to_i64().is_none_or(|d| !(2..=64).contains(&d)) {
        return;
    }
    let Some(rest) = first.rem_euclid(&divisor) else { return };
    let (divisor, rest) = (store.num(divisor, Sort::INT), store.num(rest, Sort::INT));
    let remainder = store.modulo(t, divisor);
    out.push(store.eq(remainder, rest));
}

/// A basis of the affine equalities of some points: each a constant and a coefficient for each dimension.
pub fn equalities(states: &[Vec<Rational>]) -> Vec<Vec<Rational>> {
    let width = states.first().map_or(0, Vec::len) + 1;
    // Reduced row echelon form of the points, each with a leading 1 for the constant.
    let mut rows: Vec<(usize, Vec<Rational>)> = Vec::new();
    for state in states {
        let mut row: Vec<Rational> = std::iter::once(Rational::ONE).chain(state.iter().cloned()).collect();
        for (pivot, other) in &rows {
            eliminate(&mut row, other, *pivot);
        }
        let Some(pivot) = row.iter().position(|c| !c.is_zero()) else { continue };
        let scale = row[pivot].recip();
        row.iter_mut().for_each(|c| *c *= &scale);
        for (_, other) in &mut rows {
            eliminate(other, &row, pivot);
        }
        rows.push((pivot, row));
    }
    if states.len() < rows.len() + SURPLUS {
        return Vec::new();
    }
    let is_pivot = |c: usize| rows.iter().any(|(p, _)| *p == c);
    let small = |c: &Rational| c.numer().abs().to_i64().is_some_and(|k| k <= MAX_COEFFICIENT);
    let mut out = Vec::new();
    for free in (0..width).filter(|&c| !is_pivot(c)) {
        let mut vector = vec![Rational::ZERO; width];
        vector[free] = Rational::ONE;
        for (pivot, row) in &rows {
            vector[*pivot] = -row[free].clone();
        }
        if vector[1..].iter().all(small) {
            out.push(vector);
        }
    }
    out
}

/// Subtracts the multiple of a row that makes one column zero.
fn eliminate(row: &mut [Rational], other: &[Rational], column: usize) {
    if row[column].is_zero() {
        return;
    }
    let factor = -row[column].clone();
    for (c, o) in row.iter_mut().zip(other) {
        c.add_mul(o, &factor);
    }
}

/// Some of the facts from which the others follow, in the order of terms.
fn irredundant(store: &mut Store, facts: &[Term], ranges: &Ranges, budget: &Budget) -> Vec<Term> {
    let mut entailment = Entailment::new(store, ranges.clone());
    let mut kept = Label::new();
    for &fact in facts {
        if !entailment.entails_one(store, &kept, fact, budget) {
            kept.push(fact);
            kept.sort_unstable();
        }
    }
    kept
}

/// Drops guesses until the rest is inductive; false if the budget ran out before.
pub fn keep_inductive(
    store: &mut Store,
    program: &Program,
    guesses: &mut Facts,
    ranges: &Ranges,
    budget: &Budget,
) -> bool {
    let known = guesses.iter().map(|_| Vec::new()).collect();
    keep_inductive_with(store, program, &known, guesses, ranges, budget)
}

/// The same together with facts that are known to be inductive.
fn keep_inductive_with(
    store: &mut Store,
    program: &Program,
    known: &Facts,
    guesses: &mut Facts,
    ranges: &Ranges,
    budget: &Budget,
) -> bool {
    let procedure = program.main();
    let outgoing = procedure.outgoing();
    let mut work: VecDeque<_> = procedure.edges.ids().collect();
    let mut queued: IdVec<_, bool> = procedure.edges.iter().map(|_| true).collect();
    while let Some(e) = work.pop_front() {
        queued[e] = false;
        let edge = &procedure.edges[e];
        if guesses[edge.to].is_empty() {
            continue;
        }
        let Some(step) = edge.step() else { return false };
        let mut unrolling = Unrolling::new(store, program);
        let taken = unrolling.push(store, program, step).formula;
        let before = store.and(&[&known[edge.from][..], &guesses[edge.from]].concat());
        let mut solver = Solver::default();
        for t in [taken, before] {
            solver.assert(t);
        }
        let after: Vec<Term> = guesses[edge.to].iter().map(|&g| unrolling.to_path(store, g)).collect();
        for r in ranges.of(store, &[&[taken, before], &after[..]].concat()) {
            solver.assert(r);
        }
        let Some(alive) = implied(store, &mut solver, &after, budget) else { return false };
        if alive.contains(&false) {
            let mut keep = alive.iter();
            guesses[edge.to].retain(|_| keep.next() == Some(&true));
            for &next in &outgoing[edge.to] {
                if !std::mem::replace(&mut queued[next], true) {
                    work.push_back(next);
                }
            }
        }
    }
    true
}

/// Which facts follow from what a solver knows; those that are hard to decide do not. `None` if the budget ran out.
fn implied(store: &mut Store, solver: &mut Solver, facts: &[Term], budget: &Budget) -> Option<Vec<bool>> {
    let mut alive = vec![true; facts.len()];
    let refute = |store: &Store, solver: &Solver, alive: &mut [bool]| {
        let model = solver.model().cloned().unwrap_or_default();
        let mut evaluator = Evaluator::new(store, &model);
        for (alive, &t) in alive.iter_mut().zip(facts) {
            *alive &= evaluator.holds(t) == Ok(true);
        }
    };
    loop {
        let denied: Vec<Term> =
            facts.iter().zip(&alive).filter(|(_, a)| **a).map(|(&t, _)| store.not(t)).collect();
        if denied.is_empty() {
            return Some(alive);
        }
        let some = store.or(&denied);
        match solver.check_assuming(store, &[some], &budget.clone().with_steps(STEPS)) {
            Answer::Unsat => return Some(alive),
            Answer::Sat => refute(store, solver, &mut alive),
            Answer::Unknown(_) if budget.exhausted() => return None,
            Answer::Unknown(_) => break,
        }
    }
    for n in 0..facts.len() {
        if !alive[n] {
            continue;
        }
        let denied = store.not(facts[n]);
        match solver.check_assuming(store, &[denied], &budget.clone().with_steps(STEPS_OF_ONE)) {
            Answer::Unsat => {}
            Answer::Sat => refute(store, solver, &mut alive),
            Answer::Unknown(_) if budget.exhausted() => return None,
            Answer::Unknown(_) => alive[n] = false,
        }
    }
    Some(alive)
}
