//! A report as text.

use bolide::report::{InputReport, ProofAbout, PropertyReport, Report, Shown};
use bolide::{Kind, ReasonCode, Verdict, VerdictKind};
use bolide_base::counted;
use std::fmt::Write;

/// How many steps of a trace are printed as text: the first and the last ones.
const SHOWN_STEPS: usize = 20;
/// How many properties are listed one by one.
const SHOWN_PROPERTIES: usize = 20;
/// How many inputs are printed as text.
const SHOWN_INPUTS: usize = 20;

/// A verdict with its reason.
fn line(verdict: &Verdict) -> String {
    match verdict.kind() {
        VerdictKind::Unknown(reason) => format!("unknown: {reason}"),
        _ => verdict.name().into(),
    }
}

/// The report as text: the verdict on the first line, the evidence after it.
pub fn text(report: &Report) -> String {
    text_with(report, false)
}

/// The same; `is_verbose` lists all properties.
pub fn text_with(report: &Report, is_verbose: bool) -> String {
    let mut out = String::new();
    match (report.kind, report.verdict.kind()) {
        // The community of Horn clauses speaks of satisfiability, and of nothing else.
        (Kind::Horn, VerdictKind::Safe) => return "sat\n".into(),
        (Kind::Horn, VerdictKind::Unsafe) => return "unsat\n".into(),
        (Kind::Horn, VerdictKind::Unknown(_)) => return "unknown\n".into(),
        _ => out.push_str(&line(&report.verdict)),
    }
    out.push('\n');
    write_properties(report, is_verbose, &mut out);
    write_contracts(report, &mut out);
    for fact in &report.invariant {
        let _ = writeln!(out, "{}: {} {}", fact.place, fact.about.word(), fact.formula);
    }
    match &report.proof {
        Some(ProofAbout::AsRead) => out.push_str("proof: confirmed on the program as it was read\n"),
        Some(ProofAbout::Prepared(why)) => {
            let _ = writeln!(out, "proof: confirmed on the prepared program, not as it was read: {why}");
        }
        None => {}
    }
    let hidden = report.trace.len().saturating_sub(2 * SHOWN_STEPS);
    for (n, step) in report.trace.iter().enumerate() {
        if hidden > 0 && n == SHOWN_STEPS {
            let _ = writeln!(out, "  ... {} (--json shows all) ...", counted(hidden, "step", "steps"));
        }
        if hidden == 0 || n < SHOWN_STEPS || n >= SHOWN_STEPS + hidden {
            let _ = writeln!(out, "  {}: {}", step.place, step.what);
        }
    }
    write_inputs(report, &mut out);
    if let Some(condition) = &report.suggestion {
        let _ = writeln!(out, "suggestion: proved to be safe with __requires({condition});");
    }
    for v in &report.vacuity {
        let place = v.place.as_ref().map(|p| format!("{p}: ")).unwrap_or_default();
        let (word, how) = match v.shown {
            Shown::Proof => ("warning", "proved"),
            Shown::Tests => ("note", "as far as tests show"),
        };
        let _ = writeln!(out, "{word}: {place}{} ({how})", v.text);
    }
    for assumption in &report.assumptions {
        let _ = writeln!(out, "note: {}", assumption.text);
    }
    out
}

/// The properties: those that are violated first, with their places; then each of the others with its verdict, or how many there are of each
/// verdict. What was not decided because something else is violated is only counted.
fn write_properties(report: &Report, is_verbose: bool, out: &mut String) {
    let (violated, others): (Vec<&PropertyReport>, Vec<&PropertyReport>) =
        report.properties.iter().partition(|p| p.verdict.is_unsafe());
    for p in &violated {
        let _ = match &p.place {
            Some(place) => writeln!(out, "{place}: {}", p.name),
            None if report.properties.len() > 1 => writeln!(out, "{} unsafe", p.name),
            None => Ok(()),
        };
    }
    let was_skipped =
        |p: &PropertyReport| p.verdict.reason().is_some_and(|r| r.code == ReasonCode::NotDecided);
    let (skipped, others): (Vec<_>, Vec<_>) = match violated.is_empty() || is_verbose {
        true => (Vec::new(), others),
        false => others.into_iter().partition(|p| was_skipped(p)),
    };
    let is_only_one = violated.is_empty() && others.len() == 1;
    if !is_only_one && (others.len() <= SHOWN_PROPERTIES || is_verbose) {
        for p in others {
            let _ = writeln!(out, "{} {}", p.name, line(&p.verdict));
        }
    } else if !is_only_one {
        let count = |name: &str| others.iter().filter(|p| p.verdict.name() == name).count();
        let counts: Vec<String> = ["safe", "unknown"]
            .into_iter()
            .filter(|name| count(name) > 0)
            .map(|name| format!("{} {name}", count(name)))
            .collect();
        let more = if violated.is_empty() { "" } else { "more " };
        let _ = writeln!(out, "{} {more}checks: {} (-v lists them)", others.len(), counts.join(", "));
    }
    match skipped.len() {
        0 => {}
        1 => out.push_str("1 more check was not decided (--all goes on after a violation)\n"),
        n => {
            let _ = writeln!(out, "{n} more checks were not decided (--all goes on after a violation)");
        }
    }
    match report.unreachable.as_slice() {
        [] => {}
        list if is_verbose => {
            for p in list {
                let _ = writeln!(out, "{} unreachable", p.name);
            }
        }
        [one] => {
            let _ = writeln!(out, "{} unreachable: no call or branch leads to it", one.name);
        }
        list => {
            let _ = writeln!(
                out,
                "{} more checks are unreachable: no call or branch leads to them (-v lists them)",
                list.len()
            );
        }
    }
}

/// The contracts that a proof used and proved.
fn write_contracts(report: &Report, out: &mut String) {
    let Some(contracts) = report.contracts.as_ref().filter(|_| report.verdict.is_safe()) else { return };
    let count = counted(contracts.functions.len(), "contract", "contracts");
    let _ = writeln!(out, "{count}, each proved on its own and used where the function is called:");
    for (function, place) in &contracts.functions {
        let _ = writeln!(out, "  {place}: {function}");
    }
}

/// The inputs that matter or were not examined, in their order, and how many others there are.
fn write_inputs(report: &Report, out: &mut String) {
    let (any, told): (Vec<_>, Vec<_>) =
        report.inputs.iter().partition(|i: &&InputReport| i.matters == Some(false));
    for input in told.iter().take(SHOWN_INPUTS) {
        let matters = if input.matters.is_some() { ", which matters" } else { "" };
        let times = if input.times > 1 { format!(" ({} times)", input.times) } else { String::new() };
        let _ = writeln!(out, "input {}: {} = {}{times}{matters}", input.place, input.name, input.value);
    }
    if told.len() > SHOWN_INPUTS {
        let _ = writeln!(out, "... {} more inputs (--json shows all)", told.len() - SHOWN_INPUTS);
    }
    match any[..] {
        [] => {}
        [input] => {
            let _ = writeln!(
                out,
                "input {}: {} = {}, irrelevant: every value tried also fails",
                input.place, input.name, input.value
            );
        }
        _ => {
            let other = if told.is_empty() { "" } else { "other " };
            let _ = writeln!(
                out,
                "{} {other}inputs are irrelevant: every value tried also fails (--json shows all)",
                any.len()
            );
        }
    }
}
