//! A report as text.

use bolide::report::{InputReport, PropertyReport, Report, Shown};
use bolide::{Kind, Verdict, VerdictKind};
use std::fmt::Write;

/// How many steps of a trace are printed as text: the first and the last ones.
const SHOWN_STEPS: usize = 20;
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
    let mut out = String::new();
    match (report.kind, report.verdict.kind()) {
        // The community of Horn clauses speaks of satisfiability, and of nothing else.
        (Kind::Horn, VerdictKind::Safe) => return "sat\n".into(),
        (Kind::Horn, VerdictKind::Unsafe) => return "unsat\n".into(),
        (Kind::Horn, VerdictKind::Unknown(_)) => return "unknown\n".into(),
        _ => out.push_str(&line(&report.verdict)),
    }
    out.push('\n');
    if report.properties.len() > 1 {
        for p in &report.properties {
            let _ = writeln!(out, "{} {}", p.name, line(&p.verdict));
        }
    } else if let Some(PropertyReport { place: Some(place), name, verdict }) = report.properties.first()
        && verdict.is_unsafe()
    {
        let _ = writeln!(out, "{}: {name}", place);
    }
    for fact in &report.invariant {
        let _ = writeln!(out, "{}: {} {}", fact.place, fact.about.word(), fact.formula);
    }
    let hidden = report.trace.len().saturating_sub(2 * SHOWN_STEPS);
    for (n, step) in report.trace.iter().enumerate() {
        if hidden > 0 && n == SHOWN_STEPS {
            let _ = writeln!(out, "  ... {hidden} steps (--json shows all) ...");
        }
        if hidden == 0 || n < SHOWN_STEPS || n >= SHOWN_STEPS + hidden {
            let _ = writeln!(out, "  {}: {}", step.place, step.what);
        }
    }
    write_inputs(report, &mut out);
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

/// The inputs that matter or were not examined, in their order, and how many others there are.
fn write_inputs(report: &Report, out: &mut String) {
    let (any, told): (Vec<_>, Vec<_>) =
        report.inputs.iter().partition(|i: &&InputReport| i.matters == Some(false));
    for input in told.iter().take(SHOWN_INPUTS) {
        let matters = if input.matters.is_some() { ", which matters" } else { "" };
        let _ = writeln!(out, "input {}: {} = {}{matters}", input.place, input.name, input.value);
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
