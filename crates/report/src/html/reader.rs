//! The source with its invariants, next to the trace.

use super::{Text, line_link, line_of};
use bolide::details::{Details, SourceText};
use bolide::report::{About, Fact, Report, TraceStep};
use bolide_base::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Longer sources are shown only around the lines that something is said about.
const WHOLE: usize = 3000;
/// How many lines before and after such a line are shown.
const AROUND: u32 = 8;
/// So many lines are shown at most.
const MOST_LINES: usize = 6000;
/// How many steps of a trace are shown: the first and the last ones.
const FIRST_STEPS: usize = 500;
const LAST_STEPS: usize = 2000;

/// The source and the trace.
pub fn write(report: &Report, details: &Details) -> String {
    let marks = Marks::new(report, details);
    let with_trace = if report.trace.is_empty() { "" } else { " with-trace" };
    let mut out = format!("<div class=\"reader{with_trace}\">\n<div class=\"listing\">\n");
    if !report.invariant.is_empty() {
        out.push_str(
            "<p class=\"note\">Lines with ∀ hold whenever control reaches the line below them.</p>\n",
        );
    }
    for (n, source) in details.sources.iter().enumerate() {
        listing(&mut out, n, source, &marks);
    }
    out.push_str("</div>\n");
    if !report.trace.is_empty() {
        trace(&mut out, report, details);
    }
    out.push_str("</div>\n");
    out
}

type Line = (usize, u32);

/// What is said about lines.
struct Marks<'a> {
    facts: BTreeMap<Line, Vec<&'a Fact>>,
    bad: BTreeSet<Line>,
    seen: BTreeSet<Line>,
    other: BTreeSet<Line>,
}

impl<'a> Marks<'a> {
    fn new(report: &'a Report, details: &Details) -> Marks<'a> {
        let mut facts: BTreeMap<Line, Vec<&Fact>> = BTreeMap::new();
        for fact in &report.invariant {
            if let Some(line) = line_of(details, &fact.place) {
                facts.entry(line).or_default().push(fact);
            }
        }
        let violated = report.properties.iter().filter(|p| p.verdict.is_unsafe());
        let bad = violated.filter_map(|p| line_of(details, p.place.as_ref()?)).collect();
        let seen = shown(&report.trace).filter_map(|(_, m)| line_of(details, &m.place)).collect();
        let places = report
            .properties
            .iter()
            .filter_map(|p| p.place.as_ref())
            .chain(report.vacuity.iter().filter_map(|v| v.place.as_ref()))
            .chain(report.assumptions.iter().filter_map(|a| a.place.as_ref()));
        let other = places.filter_map(|p| line_of(details, p)).collect();
        Marks { facts, bad, seen, other }
    }

    /// The lines of a source that something is said about.
    fn lines(&self, source: usize) -> BTreeSet<u32> {
        let range = (source, 0)..=(source, u32::MAX);
        let facts = self.facts.range(range.clone()).map(|(l, _)| l.1);
        let sets = [&self.bad, &self.seen, &self.other];
        facts.chain(sets.into_iter().flat_map(|s| s.range(range.clone()).map(|l| l.1))).collect()
    }
}

fn listing(out: &mut String, n: usize, source: &SourceText, marks: &Marks<'_>) {
    let wanted = (source.lines.len() > WHOLE).then(|| marks.lines(n));
    let is_wanted = |line: u32| {
        wanted.as_ref().is_none_or(|w| {
            w.range(line.saturating_sub(AROUND)..=line.saturating_add(AROUND)).next().is_some()
        })
    };
    let _ = writeln!(
        out,
        "<p class=\"file\">{}</p>\n<div class=\"code\" tabindex=\"0\" role=\"group\" aria-label=\"Source\">",
        Text(&source.file)
    );
    let (mut hidden, mut written) = (0, 0);
    for (number, text) in &source.lines {
        if !is_wanted(*number) || written >= MOST_LINES {
            hidden += 1;
            continue;
        }
        gap(out, &mut hidden);
        row(out, (n, *number), text, marks);
        written += 1;
    }
    gap(out, &mut hidden);
    out.push_str("</div>\n");
}

fn gap(out: &mut String, hidden: &mut usize) {
    match std::mem::take(hidden) {
        0 => {}
        n => _ = writeln!(out, "<div class=\"gap\">… {} …</div>", counted(n, "line", "lines")),
    }
}

fn row(out: &mut String, line: Line, text: &str, marks: &Marks<'_>) {
    for fact in marks.facts.get(&line).into_iter().flatten() {
        let word = match fact.about {
            About::Place => String::new(),
            about => format!("{} ", about.word()),
        };
        let _ = writeln!(out, "<div class=\"fact\"><span>{word}{}</span></div>", Text(&fact.formula));
    }
    let mut class = String::from("row");
    if marks.bad.contains(&line) {
        class.push_str(" bad");
    }
    if marks.seen.contains(&line) {
        class.push_str(" seen");
    }
    let _ = writeln!(
        out,
        "<div class=\"{class}\" id=\"{}\"><b>{}</b><span>{}</span></div>",
        line_link(line),
        line.1,
        Text(text)
    );
}

/// The steps that are shown, with their numbers from 1.
fn shown(trace: &[TraceStep]) -> impl Iterator<Item = (usize, &TraceStep)> {
    let hidden = trace.len().saturating_sub(FIRST_STEPS + LAST_STEPS);
    let is_shown = move |n: usize| hidden == 0 || n < FIRST_STEPS || n >= FIRST_STEPS + hidden;
    trace.iter().enumerate().filter(move |(n, _)| is_shown(*n)).map(|(n, m)| (n + 1, m))
}

fn trace(out: &mut String, report: &Report, details: &Details) {
    out.push_str(
        "<div class=\"card trace\" role=\"group\" aria-label=\"Trace\">\n<div class=\"controls\">\
         <button type=\"button\" data-step=\"first\" aria-label=\"First step\">«</button>\
         <button type=\"button\" data-step=\"back\" aria-label=\"Step back\">‹</button>\
         <button type=\"button\" data-step=\"next\" aria-label=\"Next step\">›</button>\
         <button type=\"button\" data-step=\"last\" aria-label=\"Last step\">»</button>\
         <output></output></div>\n<p class=\"now-text\" aria-live=\"polite\"></p>\n<div class=\"more\">\n",
    );
    if report.trace.iter().any(|m| m.change.is_some()) {
        out.push_str(
            "<div class=\"vars\"><table><thead><tr><th scope=\"col\">Variable</th><th scope=\"col\">Value</th>\
         <th scope=\"col\">In</th></tr></thead><tbody></tbody></table></div>\n",
        );
    }
    out.push_str(
        "<p class=\"keys\"><kbd>→</kbd> or <kbd>j</kbd> next step, <kbd>←</kbd> or <kbd>k</kbd> back, <kbd>Home</kbd>, \
         <kbd>End</kbd></p>\n<ol class=\"steps\">\n",
    );
    let mut before = 0;
    for (number, moment) in shown(&report.trace) {
        if number != before + 1 {
            let _ =
                writeln!(out, "<li class=\"gap\">… {} …</li>", counted(number - before - 1, "step", "steps"));
        }
        before = number;
        step(out, number, moment, number == report.trace.len(), details);
    }
    out.push_str("</ol></div></div>\n");
}

fn step(out: &mut String, number: usize, moment: &TraceStep, is_last: bool, details: &Details) {
    let class = match (is_last, moment.is_input) {
        (true, _) => " class=\"last\"",
        (_, true) => " class=\"input\"",
        _ => "",
    };
    let _ = write!(
        out,
        "<li{class}><button type=\"button\" data-number=\"{number}\" data-what=\"{}\"",
        Text(&moment.what)
    );
    if let Some(line) = line_of(details, &moment.place) {
        let _ = write!(out, " data-at=\"{}\"", line_link(line));
    }
    if let Some(change) = &moment.change {
        let function = moment.function.as_deref().unwrap_or("");
        let scope = if change.is_global { "" } else { function };
        let _ = write!(
            out,
            " data-name=\"{}\" data-value=\"{}\" data-key=\"{}::{}\" data-function=\"{}\"",
            Text(&change.name),
            Text(&change.value),
            Text(scope),
            Text(&change.name),
            Text(scope)
        );
    }
    let _ = writeln!(
        out,
        "><span>line {}</span><code>{}</code></button></li>",
        moment.place.line,
        Text(&moment.what)
    );
}
