//! What a certificate in the original form says, in the words of the program.
//!
//! A proof about an over-approximation comes without an invariant of the program at hand. Its certificate has one, and it
//! has been checked. A fact may be about all values of some constants, and about values that no variable keeps; C cannot
//! say that, so a witness has only what follows for one of these values.

use super::evidence::{LONGEST_FORMULA, without_ranges};
use super::witness;
use crate::report::{About, Fact, Report, Subject};
use bolide_cert::Certificate;
use bolide_cert::program::{OriginalFact, read_original};
use bolide_front::c::{Expressions, Task};
use bolide_model::{LocId, Program, Span};
use bolide_smtlib::print_term;
use bolide_term::{Sort, Store, Substitution, Term};
use std::collections::BTreeMap;

/// Adds to a report what a certificate says, also in its witness.
pub fn add(
    store: &mut Store,
    task: &Task,
    subject: &Subject,
    report: &mut Report,
    certificate: &Certificate,
) {
    let Ok((program, stated)) = read_original(store, task, certificate) else { return };
    report.invariant = facts(store, task, &program, &stated);
    let formulas: Vec<(LocId, Term)> = stated.iter().map(|s| (s.location, at_zero(store, s))).collect();
    let places = witness::places(store, program.main(), &formulas);
    report.evidence = witness::correctness(store, task, subject, &program, &places);
}

/// What follows if constants that may have any value are zero.
fn at_zero(store: &mut Store, stated: &OriginalFact) -> Term {
    let zero = store.int(0);
    let mut subst = Substitution::new();
    stated.all.iter().for_each(|&k| subst.insert(k, zero));
    subst.apply(store, stated.formula)
}

/// The facts at their places. Copies of a location share its place, and what holds there is what holds in one of them.
fn facts(store: &mut Store, task: &Task, program: &Program, stated: &[OriginalFact]) -> Vec<Fact> {
    let vars = program.var_of_symbol(store);
    let names = names(program, stated);
    let mut renamed = Substitution::new();
    let mut constants = Vec::new();
    for (&k, name) in &names {
        let own = store.var(name, Sort::INT);
        renamed.insert(k, own);
        constants.extend(store.as_var(own).map(|f| (f, name.as_str())));
    }
    let mut at: BTreeMap<(u32, u32), Vec<(&OriginalFact, Term)>> = BTreeMap::new();
    for s in stated {
        let span = program.main().locations[s.location].span;
        let formula = without_ranges(store, program, &vars, s.formula);
        if formula != store.fls() {
            at.entry((span.start, span.end)).or_default().push((s, renamed.apply(store, formula)));
        }
    }
    let mut expressions = Expressions::new(store, program, None);
    expressions.rename(constants);
    expressions.write_elements();
    let said = |formula| expressions.write(formula).unwrap_or_else(|| print_term(store, formula).to_string());
    let mut facts = Vec::new();
    for ((start, end), copies) in at {
        if copies.iter().any(|(_, formula)| *formula == store.tru()) {
            continue;
        }
        let copies: Vec<String> =
            copies.into_iter().map(|(s, formula)| quantifiers(s, &names) + &said(formula)).collect();
        let formula = match copies.as_slice() {
            [only] => only.clone(),
            several => several.iter().map(|c| format!("({c})")).collect::<Vec<_>>().join(" || "),
        };
        if formula.len() <= LONGEST_FORMULA {
            let place = task.source.position(Span { start, end });
            facts.push(Fact { place, about: About::Place, formula });
        }
    }
    facts.sort_by_key(|f| (f.place.line, f.place.column));
    facts
}

/// Names for constants that are no variables, other than those of variables.
fn names(program: &Program, stated: &[OriginalFact]) -> BTreeMap<Term, String> {
    let is_taken = |name: &str| program.vars.iter().any(|v| v.name.rsplit("::").next() == Some(name));
    let mut free = std::iter::once("k".to_string())
        .chain((0_usize..).map(|n| format!("k{n}")))
        .filter(|name| !is_taken(name));
    let mut names = BTreeMap::new();
    for &k in stated.iter().flat_map(|s| s.some.iter().chain(&s.all)) {
        names.entry(k).or_insert_with(|| free.next().unwrap_or_default());
    }
    names
}

/// What stands in front of a formula.
fn quantifiers(stated: &OriginalFact, names: &BTreeMap<Term, String>) -> String {
    let mut out = String::new();
    for (word, constants) in [("some", &stated.some), ("all", &stated.all)] {
        if !constants.is_empty() {
            let names: Vec<&str> = constants.iter().map(|k| names[k].as_str()).collect();
            out += &format!("for {word} {}: ", names.join(", "));
        }
    }
    out
}
