//! The section `folds` of an interpretation: the functions on datatypes that its formulas speak of.
//!
//! First there are a line `param SORT` for each parameter and a line `fold VALUE RESULT DEPENDS DATATYPE` for each function: the number of
//! the constant that stands for the value, the sort of the result, and `1` if the parameters are arguments, `0` if not. Then come, in any
//! order, lines `case FOLD TERM`, one for each constructor, `fact VALUE FORMULA`, and `instance CLAUSE TERM`, one for each parameter.
//! Functions, values and parameters are called `@fold.N`, `@value.N` and `@param.N`, names that no task can declare.

use crate::Flaw;
use crate::horn::{formula_over, term_over};
use bolide_front::chc::Problem;
use bolide_model::horn::{Fold, Folds, TypeFact};
use bolide_smtlib::{print_sort, print_term};
use bolide_term::{Func, Sort, Store, Term};
use std::fmt::Write;

/// Folds and values have smaller numbers.
const MAX_NUMBER: usize = 1000;

/// The section; `None` if the names are others, or a name has a line break in it.
pub(super) fn write(store: &Store, folds: &Folds) -> Option<String> {
    let name = |f: Func| store.decl(f).name.to_string();
    let number = |value: Term| name(store.as_var(value)?).strip_prefix("@value.")?.parse::<usize>().ok();
    let mut out = String::new();
    for (n, &param) in folds.params.iter().enumerate() {
        if name(store.as_var(param)?) != format!("@param.{n}") {
            return None;
        }
        let _ = writeln!(out, "param {}", print_sort(store, store.sort_of(param)));
    }
    for (n, fold) in folds.folds.iter().enumerate() {
        if name(fold.func) != format!("@fold.{n}") {
            return None;
        }
        let decl = store.decl(fold.func);
        let depends = usize::from(decl.args.len() > 1);
        let (result, sort) = (print_sort(store, decl.result), print_sort(store, store.sort_of(fold.value)));
        let _ = writeln!(out, "fold {} {result} {depends} {sort}", number(fold.value)?);
    }
    let mut lines: Vec<String> = Vec::new();
    for (n, fold) in folds.folds.iter().enumerate() {
        lines.extend(fold.cases.iter().map(|&case| format!("case {n} {}", print_term(store, case))));
    }
    for fact in &folds.facts {
        lines.push(format!("fact {} {}", number(fact.value)?, print_term(store, fact.formula)));
    }
    for (clause, terms) in &folds.instances {
        lines.extend(terms.iter().map(|&t| format!("instance {clause} {}", print_term(store, t))));
    }
    for line in lines {
        if line.contains('\n') {
            return None;
        }
        let _ = writeln!(out, "{line}");
    }
    Some(out)
}

/// Reads the section. The definitions have been checked: there is exactly one function for each.
pub(super) fn read(store: &mut Store, problem: &Problem, text: &str) -> Result<Folds, Flaw> {
    let scalars = [Sort::BOOL, Sort::INT, Sort::REAL];
    let datatypes = problem.horn.datatypes(store);
    let mut folds = Folds::default();
    let mut values: Vec<(usize, Term)> = Vec::new();
    let mut lines = text.lines().peekable();
    let sort_of = |store: &Store, sorts: &[Sort], name: &str| {
        sorts.iter().copied().find(|&s| print_sort(store, s).to_string() == name)
    };
    while let Some(line) = lines.next_if(|l| l.starts_with("param ") || l.starts_with("fold ")) {
        if let Some(name) = line.strip_prefix("param ") {
            if !folds.folds.is_empty() {
                return Err("section `folds`: a parameter after a fold".into());
            }
            let sort = sort_of(store, &scalars, name).ok_or("section `folds`: a sort is unknown")?;
            let param = fresh(store, &format!("@param.{}", folds.params.len()), &[], sort)?;
            folds.params.push(store.apply(param, &[]));
            continue;
        }
        let parts: Vec<&str> = line.splitn(5, ' ').collect();
        let [_, value, result, depends, datatype] = parts[..] else {
            return Err("section `folds`: `fold VALUE RESULT DEPENDS DATATYPE`".into());
        };
        let result = sort_of(store, &scalars, result).ok_or("section `folds`: a sort is unknown")?;
        let sort = sort_of(store, &datatypes, datatype).ok_or("section `folds`: a datatype is unknown")?;
        let number = number(value)?;
        let value = match values.iter().find(|(n, _)| *n == number) {
            Some(&(_, value)) => value,
            None => {
                let value = fresh(store, &format!("@value.{number}"), &[], sort)?;
                let value = store.apply(value, &[]);
                values.push((number, value));
                value
            }
        };
        let mut args = vec![sort];
        if depends == "1" {
            args.extend(folds.params.iter().map(|&p| store.sort_of(p)));
        }
        let func = fresh(store, &format!("@fold.{}", folds.folds.len()), &args, result)?;
        folds.folds.push(Fold { func, value, cases: Vec::new() });
    }
    let mut symbols: Vec<Func> = folds.folds.iter().map(|f| f.func).collect();
    let functions = symbols.clone();
    symbols.extend(folds.params.iter().filter_map(|&p| store.as_var(p)));
    for line in lines {
        let parts: Vec<&str> = line.splitn(3, ' ').collect();
        let [kind, of, term] = parts[..] else {
            return Err("section `folds`: a word, a number and a term".into());
        };
        let of = number(of)?;
        match kind {
            "case" => {
                let value = folds.folds.get(of).ok_or("section `folds`: there is no such fold")?.value;
                let about: Vec<Func> = symbols.iter().copied().chain(store.as_var(value)).collect();
                let case = term_over(store, &about, term)?;
                folds.folds[of].cases.push(case);
            }
            "fact" => {
                let known = values.iter().find(|(n, _)| *n == of);
                let &(_, value) = known.ok_or("section `folds`: there is no such value")?;
                let about: Vec<Func> = symbols.iter().copied().chain(store.as_var(value)).collect();
                let formula = formula_over(store, &about, term)?;
                folds.facts.push(TypeFact { value, formula });
            }
            "instance" => {
                let clause =
                    problem.horn.clauses.get(of).ok_or("section `folds`: there is no such clause")?;
                let mut about = functions.clone();
                let variables = clause.variables(store);
                about.extend(variables.iter().filter_map(|&v| store.as_var(v)));
                let term = term_over(store, &about, term)?;
                if folds.instances.last().is_none_or(|(n, _)| *n != of) {
                    folds.instances.push((of, Vec::new()));
                }
                let (_, terms) = folds.instances.last_mut().ok_or("section `folds`: an instance")?;
                let param = folds.params.get(terms.len());
                if param.is_none_or(|&p| store.sort_of(p) != store.sort_of(term)) {
                    return Err("section `folds`: an instance is of another sort than its parameter".into());
                }
                terms.push(term);
            }
            _ => return Err("section `folds`: expected `case`, `fact` or `instance`".into()),
        }
    }
    folds.check(store).map_err(|why| format!("section `folds`: {why}"))?;
    Ok(folds)
}

fn number(text: &str) -> Result<usize, Flaw> {
    let number = text.parse().ok().filter(|&n: &usize| n < MAX_NUMBER);
    number.ok_or_else(|| "section `folds`: a number is expected".into())
}

/// A symbol that the task does not have.
fn fresh(store: &mut Store, name: &str, args: &[Sort], result: Sort) -> Result<Func, Flaw> {
    let count = store.num_funcs();
    let func = store.func(name, args, result);
    match store.num_funcs() > count {
        true => Ok(func),
        false => Err("section `folds`: a name is used already".into()),
    }
}
