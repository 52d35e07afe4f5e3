//! Horn clauses: interpretations and derivations.
//!
//! The section `invariant` has a line for each predicate: its number and a formula over its parameters, which are the
//! constants that the reader of the clauses made for them. The section `derivation` has a line `step C P ...` for each
//! step, with the clause and the earlier steps that it uses, and after it lines `let X V` with the values of the constants
//! of that clause. A line `repeat PERIOD TIMES` after the last step of a round says that so many more rounds follow, of as many steps as the period
//! says, whose values go on as in the four before. If the formulas speak of functions on datatypes, the section `folds` defines them.

mod folds;

use crate::{Certificate, Flaw, Obligations};
use bolide_base::Budget;
use bolide_front::chc::{self, Problem};
use bolide_model::horn::{Derivation, DerivationStep, Folds, Horn, Interpretation};
use bolide_model::repetition::Repetition;
use bolide_smtlib::{Scope, print_symbol, print_term, print_value, read_term};
use bolide_term::{Evaluator, Func, Model, Sort, Store, Term};
use std::fmt::Write;

/// The section `invariant` of an interpretation; `None` if a name has a line break in it.
pub fn write_interpretation(store: &Store, problem: &Problem, i: &Interpretation) -> Option<String> {
    let mut out = String::new();
    for (n, &formula) in i.formulas.iter().enumerate().take(problem.horn.preds.len()) {
        let formula = print_term(store, formula).to_string();
        if formula.contains('\n') {
            return None;
        }
        let _ = writeln!(out, "{n} {formula}");
    }
    Some(out)
}

/// The section `folds` of an interpretation; `None` if a name has a line break in it.
pub fn write_folds(store: &Store, i: &Interpretation) -> Option<String> {
    folds::write(store, &i.folds)
}

/// The section `derivation` of a derivation; `None` if a name has a line break in it.
pub fn write_derivation(store: &mut Store, problem: &Problem, d: &Derivation) -> Option<String> {
    let mut out = String::new();
    let mut repetitions = d.repetitions.iter().peekable();
    for (n, step) in d.steps.iter().enumerate() {
        let _ = write!(out, "step {}", step.clause);
        step.premises.iter().for_each(|p| _ = write!(out, " {p}"));
        out.push('\n');
        for v in problem.horn.clauses.get(step.clause)?.variables(store) {
            let func = store.as_var(v)?;
            let Some(value) = step.values.get(func).map(|f| &f.default) else { continue };
            let name = print_symbol(&store.decl(func).name).to_string();
            let line = format!("let {name} {}", print_value(store, value, store.sort_of(v)));
            if line.contains('\n') {
                return None;
            }
            let _ = writeln!(out, "{line}");
        }
        if let Some(repetition) = repetitions.next_if(|l| l.last == n) {
            let _ = writeln!(out, "repeat {} {}", repetition.period, repetition.times);
        }
    }
    Some(out)
}

pub(crate) fn load(store: &mut Store, task: &[u8]) -> Result<Problem, Flaw> {
    chc::read(task, store).map_err(|e| format!("line {}: {}", e.line, e.message).into())
}

/// The obligations of clauses that have been read, with the store that they were read with: one for each clause.
pub fn obligations_of_problem(
    mut store: Store,
    problem: &Problem,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    let interpretation = read_interpretation(&mut store, problem, certificate)?;
    clauses(store, &problem.horn, &interpretation, budget)
}

/// The obligations of formulas for the predicates: one for each clause, and before them what folds need.
pub(crate) fn clauses(
    store: Store,
    horn: &Horn,
    interpretation: &Interpretation,
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    let mut out = Obligations::new(store);
    for proviso in interpretation.folds.provisos(&mut out.store) {
        out.push(proviso.name, proviso.formulas);
    }
    for n in 0..horn.clauses.len() {
        budget.check()?;
        let parts = interpretation.denial(&mut out.store, horn, n);
        out.push(format!("clause {n}"), parts);
    }
    Ok(out)
}

/// The interpretation in the section `invariant`, with the folds of the section `folds`, if there is one.
pub fn read_interpretation(
    store: &mut Store,
    problem: &Problem,
    certificate: &Certificate,
) -> Result<Interpretation, Flaw> {
    let text = certificate.section("invariant").ok_or("there is no section `invariant`")?;
    let folds = match certificate.section("folds") {
        Some(text) => folds::read(store, problem, text)?,
        None => Folds::default(),
    };
    let functions = folds.folds.iter().map(|f| f.func);
    let functions: Vec<Func> =
        functions.chain(folds.params.iter().filter_map(|&p| store.as_var(p))).collect();
    let mut formulas: Vec<Option<Term>> = vec![None; problem.horn.preds.len()];
    for line in text.lines() {
        let (n, formula) = line.split_once(' ').ok_or("section `invariant`: a number and a formula")?;
        let n: usize = n.parse().map_err(|_| "section `invariant`: a number and a formula")?;
        let predicate = problem.horn.preds.get(n).ok_or("section `invariant`: there is no such predicate")?;
        let mut symbols: Vec<Func> = predicate.params.iter().filter_map(|&p| store.as_var(p)).collect();
        symbols.extend(&functions);
        formulas[n] = Some(formula_over(store, &symbols, formula)?);
    }
    let complete: Option<Vec<Term>> = formulas.into_iter().collect();
    let formulas = complete.ok_or("section `invariant`: a predicate has no formula")?;
    Ok(Interpretation { formulas, folds })
}

/// Reads a formula that may speak of these symbols only.
pub(crate) fn formula_over(store: &mut Store, symbols: &[Func], text: &str) -> Result<Term, Flaw> {
    let formula = term_over(store, symbols, text)?;
    if store.sort_of(formula) != Sort::BOOL {
        return Err("a formula is not of sort Bool".into());
    }
    Ok(formula)
}

/// Reads a term that may speak of these symbols only.
pub(crate) fn term_over(store: &mut Store, symbols: &[Func], text: &str) -> Result<Term, Flaw> {
    let mut scope = Scope::new();
    for &f in symbols {
        scope.declare(store, f);
    }
    read_term(text, store, &mut scope)
        .map_err(|e| format!("a formula cannot be read: column {}: {}", e.column, e.message).into())
}

/// Replays the derivation on the clauses.
pub(crate) fn replay(
    mut store: Store,
    problem: &Problem,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<(), Flaw> {
    let text = certificate.section("derivation").ok_or("there is no section `derivation`")?;
    let derivation = read_derivation(&mut store, problem, text)?;
    budget.check()?;
    derivation.replay(&store, &problem.horn).map(|_| ()).map_err(|e| e.to_string().into())
}

/// The derivation in the section `derivation`.
pub fn read_derivation(store: &mut Store, problem: &Problem, text: &str) -> Result<Derivation, Flaw> {
    let mut derivation = Derivation::default();
    let mut variables: Vec<Func> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("step ") {
            let numbers: Result<Vec<usize>, _> = rest.split_whitespace().map(str::parse).collect();
            let numbers = numbers.map_err(|_| "section `derivation`: `step` takes numbers")?;
            let (&clause, premises) =
                numbers.split_first().ok_or("section `derivation`: a clause is missing")?;
            let found = problem.horn.clauses.get(clause).ok_or("section `derivation`: no such clause")?;
            variables = found.variables(store).iter().filter_map(|&v| store.as_var(v)).collect();
            derivation.steps.push(DerivationStep {
                clause,
                values: Model::new(),
                premises: premises.to_vec(),
            });
        } else if let Some(rest) = line.strip_prefix("let ") {
            let step = derivation.steps.last_mut().ok_or("section `derivation`: `let` before any step")?;
            let fits = |f: &&Func| {
                let name = print_symbol(&store.decl(**f).name).to_string();
                rest.strip_prefix(&name).is_some_and(|r| r.starts_with(' '))
            };
            let func = *variables.iter().find(fits).ok_or("section `derivation`: no such constant")?;
            let name = print_symbol(&store.decl(func).name).to_string();
            // The scope knows the datatypes of the constant's sort.
            let mut scope = Scope::new();
            scope.declare(store, func);
            let value = read_term(rest[name.len()..].trim(), store, &mut scope)
                .map_err(|e| format!("section `derivation`: a value cannot be read: {}", e.message))?;
            if store.sort_of(value) != store.decl(func).result {
                return Err("section `derivation`: a value of another sort".into());
            }
            let nothing = Model::new();
            let value = Evaluator::new(store, &nothing).eval(value).map_err(|e| e.to_string())?;
            step.values.set(func, value);
        } else if let Some(rest) = line.strip_prefix("repeat ") {
            let last = derivation
                .steps
                .len()
                .checked_sub(1)
                .ok_or("section `derivation`: `repeat` before any step")?;
            let numbers = || {
                let (period, times) = rest.split_once(' ')?;
                Some((period.parse().ok()?, times.parse().ok()?))
            };
            let (period, times) = numbers().ok_or("section `derivation`: `repeat` takes two numbers")?;
            derivation.repetitions.push(Repetition { last, period, times });
        } else {
            return Err("section `derivation`: expected `step`, `let` or `repeat`".into());
        }
    }
    Ok(derivation)
}
