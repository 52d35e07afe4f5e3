//! What a reader wants to know first.

use super::{Text, place_link};
use bolide::details::{Definition, Details};
use bolide::report::{Report, Shown};
use bolide::{Kind, VerdictKind};
use bolide_base::counted;
use std::fmt::Write;

/// More properties and inputs are left out.
const MOST_ROWS: usize = 1000;

/// The verdict in a sentence.
pub fn sentence(report: &Report) -> String {
    let meaning = match (report.verdict.kind(), report.kind) {
        (VerdictKind::Unknown(reason), _) => format!("Neither proved nor refuted: {reason}."),
        (VerdictKind::Safe, Kind::Horn) => "The clauses have a model, which was checked.".into(),
        (VerdictKind::Unsafe, Kind::Horn) => {
            "The clauses contradict each other, as a derivation shows that was replayed.".into()
        }
        (VerdictKind::Safe, Kind::Program) => {
            "No execution reaches an error. The invariant that shows it was checked.".into()
        }
        (VerdictKind::Unsafe, Kind::Program) => {
            "An execution reaches an error. It was replayed on the program.".into()
        }
        (VerdictKind::Safe, _) => {
            "No run reaches a bad state. The invariants that show it were checked.".into()
        }
        (VerdictKind::Unsafe, _) => "A run reaches a bad state. It was replayed on the circuit.".into(),
    };
    let engine = if report.engine.is_empty() { String::new() } else { format!(" Engine {},", report.engine) };
    format!("{meaning}{engine} {:.2} seconds.", report.seconds)
}

/// Properties, warnings, assumptions, inputs and figures.
pub fn write(report: &Report, details: &Details) -> String {
    let mut out = String::new();
    vacuity(&mut out, report, details);
    out.push_str("<div class=\"grid\">\n");
    properties(&mut out, report, details);
    inputs(&mut out, report, details);
    assumptions(&mut out, report, details);
    figures(&mut out, report, details);
    out.push_str("</div>\n");
    out
}

fn vacuity(out: &mut String, report: &Report, details: &Details) {
    if report.vacuity.is_empty() {
        return;
    }
    out.push_str("<div class=\"card warn\"><h3>Does it check what you meant?</h3><ul>\n");
    for v in &report.vacuity {
        let how = match v.shown {
            Shown::Proof => "This was proved.",
            Shown::Tests => "Tests did not find one, and there is no proof.",
        };
        let _ = writeln!(
            out,
            "<li>{}. {how} {}</li>",
            Text(&v.text),
            v.place.as_ref().map(|p| place_link(details, p)).unwrap_or_default()
        );
    }
    out.push_str("</ul></div>\n");
}

fn properties(out: &mut String, report: &Report, details: &Details) {
    if report.properties.is_empty() {
        return;
    }
    out.push_str("<div class=\"card\"><h3>Properties</h3><div class=\"scroll\"><table><tbody>\n");
    for p in report.properties.iter().take(MOST_ROWS) {
        let reason = match p.verdict.kind() {
            VerdictKind::Unknown(reason) => format!("<div class=\"note\">{}</div>", Text(&reason.text)),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "<tr><td><span class=\"verdict {verdict}\">{verdict}</span></td><td>{} {}{reason}</td></tr>",
            Text(&p.name),
            p.place.as_ref().map(|p| place_link(details, p)).unwrap_or_default(),
            verdict = p.verdict.name()
        );
    }
    out.push_str("</tbody></table></div>");
    left_out(out, report.properties.len());
    out.push_str("</div>\n");
}

fn left_out(out: &mut String, count: usize) {
    if count > MOST_ROWS {
        let _ = write!(out, "<p class=\"note\">{} more are left out.</p>", count - MOST_ROWS);
    }
}

fn inputs(out: &mut String, report: &Report, details: &Details) {
    if report.inputs.is_empty() {
        return;
    }
    out.push_str(
        "<div class=\"card\"><h3>Inputs of the trace</h3><div class=\"scroll\"><table><thead><tr><th \
         scope=\"col\">Input</th><th scope=\"col\">Value</th><th scope=\"col\">Does it \
         matter?</th></tr></thead><tbody>\n",
    );
    for input in report.inputs.iter().take(MOST_ROWS) {
        let matters = match input.matters {
            Some(true) => "<b>yes</b>",
            Some(false) => "no: others do as well",
            None => "not examined",
        };
        let _ = writeln!(
            out,
            "<tr><td class=\"name\"><code>{}</code><br>{}</td><td class=\"name\"><code>{}</code></td><td>{matters}</td></tr>",
            Text(&input.name),
            place_link(details, &input.place),
            Text(&input.value),
        );
    }
    out.push_str("</tbody></table></div>");
    left_out(out, report.inputs.len());
    out.push_str("</div>\n");
}

fn assumptions(out: &mut String, report: &Report, details: &Details) {
    out.push_str("<div class=\"card\"><h3>Assumptions</h3>");
    if report.assumptions.is_empty() {
        out.push_str(
            "<p>The verdict takes nothing for granted but that the file means what Bolide reads.</p>",
        );
    } else {
        out.push_str("<p>The verdict takes for granted that</p><ul>\n");
        for a in &report.assumptions {
            let place = a.place.as_ref().map(|p| place_link(details, p)).unwrap_or_default();
            let _ = writeln!(out, "<li>{} {place}</li>", Text(&a.text));
        }
        out.push_str("</ul>");
    }
    out.push_str("</div>\n");
}

fn figures(out: &mut String, report: &Report, details: &Details) {
    out.push_str(
        "<div class=\"card\"><h3>Task and evidence</h3><div class=\"scroll figures\"><table><tbody>\n",
    );
    let mut row = |what: &str, value: &str| {
        let _ = writeln!(out, "<tr><th scope=\"row\">{}</th><td>{}</td></tr>", Text(what), Text(value));
    };
    row("File", &report.file);
    for (what, value) in &details.figures {
        row(what, value);
    }
    if !report.invariant.is_empty() {
        row(
            "Invariant",
            &format!(
                "facts at {}, shown in the source",
                counted(report.invariant.len(), "location", "locations")
            ),
        );
    }
    if !report.trace.is_empty() {
        row("Trace", &counted(report.trace.len(), "step", "steps"));
    }
    row("Made by", &format!("Bolide {}", env!("CARGO_PKG_VERSION")));
    out.push_str("</tbody></table></div></div>\n");
}

/// The model of Horn clauses.
pub fn definitions(definitions: &[Definition]) -> String {
    let mut out =
        String::from("<p class=\"note\">With these meanings of the predicates every clause holds.</p>\n");
    for d in definitions {
        let _ = writeln!(
            out,
            "<div class=\"card\"><h3><code>{}</code></h3><div class=\"formula\">{}</div></div>",
            Text(&d.head),
            Text(&d.formula)
        );
    }
    out
}

/// Figures about the run.
pub fn statistics(report: &Report) -> String {
    let mut out = String::from("<div class=\"card\"><table><tbody>\n");
    let _ = writeln!(
        out,
        "<tr><th scope=\"row\">wall-clock time</th><td class=\"number\">{:.3} s</td></tr>",
        report.seconds
    );
    for (name, stat) in report.statistics.iter() {
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td></tr>",
            Text(name),
            Text(&stat.to_string())
        );
    }
    out.push_str("</tbody></table></div>\n");
    out
}
