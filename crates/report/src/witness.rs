//! Evidence in the community's formats: for C programs the YAML witnesses of the software verification community, version 2.0; for Horn
//! clauses definitions or a derivation; for circuits the witnesses of AIGER and BTOR2, or invariants as circuits.

use bolide::report::{
    CircuitEvidence, DerivedFact, Evidence, Invariants, Predicate, Report, Site, Subject, Violation,
};
use bolide_cert::format::hash;
use bolide_engine::Verdict;
use bolide_front::aiger;
use serde_json::json;
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// The evidence of a report, if it has some.
pub fn witness(report: &Report) -> Option<String> {
    match &report.evidence {
        Evidence::Violation(violation) => Some(self::violation(violation)),
        Evidence::Invariants(invariants) => Some(correctness(invariants)),
        Evidence::Model(predicates) => Some(definitions(predicates)),
        Evidence::Derivation(refutation) => Some(derivation(&refutation.steps)),
        Evidence::Circuit(circuit) => of_circuit(circuit),
        _ => None,
    }
}

/// The runs into bad states; if there are none, a witness circuit.
fn of_circuit(evidence: &CircuitEvidence) -> Option<String> {
    let mut runs = String::new();
    for (property, verdict) in evidence.verdicts.iter().enumerate() {
        if let Verdict::Unsafe(trace) = verdict {
            runs += &evidence.task.witness(property, trace);
        }
    }
    if runs.is_empty() { witness_circuit(evidence) } else { Some(runs) }
}

/// The first run of a circuit into a bad state as a waveform (VCD).
pub fn waveform(report: &Report) -> Option<String> {
    let Evidence::Circuit(evidence) = &report.evidence else { return None };
    let task = &evidence.task;
    evidence.verdicts.iter().find_map(|verdict| match verdict {
        Verdict::Unsafe(trace) => Some(aiger::write_vcd(task.circuit(), trace, &task.signals())),
        _ => None,
    })
}

/// The witness circuit of a safe circuit, for Certifaiger.
pub fn certificate_circuit(report: &Report) -> Option<String> {
    let Evidence::Circuit(evidence) = &report.evidence else { return None };
    witness_circuit(evidence)
}

/// An AIGER circuit that simulates the one that was read and whose own property, that the invariants hold, is inductive. A comment says
/// which properties it is about.
fn witness_circuit(evidence: &CircuitEvidence) -> Option<String> {
    let mut invariants = Vec::new();
    let mut text = String::from("c\nWITNESS");
    for (property, verdict) in evidence.verdicts.iter().enumerate() {
        if let Verdict::Safe(proof) = verdict {
            invariants.push(aiger::Invariant { formula: &proof.invariant, depth: proof.depth });
            let _ = write!(text, " b{property}");
        }
    }
    let witness = aiger::witness_circuit(evidence.task.circuit(), &invariants)?;
    Some(aiger::write_circuit(&witness) + &text + "\n")
}

/// The interpretation as definitions of the predicates.
fn definitions(predicates: &[Predicate]) -> String {
    let mut out = String::new();
    for p in predicates {
        let _ = writeln!(out, "{}", p.definition(" "));
    }
    out
}

/// The derivation, one line for each step: its number, the fact, its clause, the steps it uses.
fn derivation(facts: &[DerivedFact]) -> String {
    let mut out = String::new();
    for (n, step) in facts.iter().enumerate() {
        let _ = write!(out, "{n}: {} by clause {}", step.fact, step.clause);
        if !step.premises.is_empty() {
            let premises: Vec<String> = step.premises.iter().map(|p| p.to_string()).collect();
            let _ = write!(out, " from {}", premises.join(" "));
        }
        out.push('\n');
    }
    out
}

/// A violation: the values of the inputs in the order in which they were asked for, and the property.
fn violation(violation: &Violation) -> String {
    let subject = &violation.subject;
    let mut out = String::new();
    for waypoint in &violation.waypoints {
        out.push_str(
            "  - segment:\n    - waypoint:\n        type: function_return\n        action: follow\n",
        );
        let value = quoted(&waypoint.result);
        let _ =
            writeln!(out, "        constraint:\n          value: {value}\n          format: acsl_expression");
        location(&mut out, subject, &waypoint.site, "        ");
    }
    out.push_str("  - segment:\n    - waypoint:\n        type: target\n        action: follow\n");
    location(&mut out, subject, &violation.target, "        ");
    head(subject, "violation_sequence", &out)
}

/// The invariants of the loops.
fn correctness(invariants: &Invariants) -> String {
    let mut out = String::new();
    for (site, value) in &invariants.loops {
        out.push_str("  - invariant:\n      type: loop_invariant\n");
        location(&mut out, &invariants.subject, site, "      ");
        let _ = writeln!(out, "      value: {}\n      format: c_expression", quoted(value));
    }
    if out.is_empty() {
        out.push_str("    []\n");
    }
    head(&invariants.subject, "invariant_set", &out)
}

/// A string of YAML; JSON's strings are such.
fn quoted(text: &str) -> String {
    json!(text).to_string()
}

fn head(subject: &Subject, entry: &str, content: &str) -> String {
    let digest = &subject.hash;
    // A name for this witness, from what is in it.
    let id = hash(format!("{digest}{entry}{content}").as_bytes());
    let uuid = format!("{}-{}-4{}-8{}-{}", &id[..8], &id[8..12], &id[13..16], &id[17..20], &id[20..32]);
    let model = subject.data_model;
    let file = quoted(&subject.file);
    format!(
        "- entry_type: {entry}\n  metadata:\n    format_version: \"2.0\"\n    uuid: \"{uuid}\"\n    \
         creation_time: \"{}\"\n    producer:\n      name: \"Bolide\"\n      version: \"{}\"\n    task:\n      \
         input_files:\n      - {file}\n      input_file_hashes:\n        {file}: \"{digest}\"\n      \
         specification: \"{}\"\n      data_model: {model}\n      language: C\n  content:\n{content}",
        now(),
        env!("CARGO_PKG_VERSION"),
        subject.specification,
    )
}

/// The time in ISO 8601, in UTC.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (days, time) = ((seconds / 86_400) as i64, seconds % 86_400);
    // Days to a date: years of 365.2425 days that start in March, so that leap days come last.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", time / 3600, time / 60 % 60, time % 60)
}

fn location(out: &mut String, subject: &Subject, site: &Site, indent: &str) {
    let _ = writeln!(out, "{indent}location:");
    let _ = writeln!(out, "{indent}  file_name: {}", quoted(&subject.file));
    let _ = writeln!(out, "{indent}  line: {}", site.place.line);
    let _ = writeln!(out, "{indent}  column: {}", site.place.column);
    if let Some(function) = &site.function {
        let _ = writeln!(out, "{indent}  function: {}", quoted(function));
    }
}
