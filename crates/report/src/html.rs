//! The report as one page of HTML that needs nothing else: no network, no other file, and no script to be read.
//!
//! The page is written here in full; the script in it only shows one part at a time, steps through the trace and changes
//! sizes and colours. Everything that comes from the task goes through [`Text`].
//!
//! | module | what is there |
//! |---|---|
//! | `overview` | properties, warnings, assumptions, inputs, figures |
//! | `reader` | the source with its invariants, and the trace |
//! | `wave` | the run of a circuit |
//! | `graph` | graphs as SVG |
//! | `layout` | where the nodes of a graph are |

mod graph;
mod layout;
mod overview;
mod reader;
mod wave;

use bolide::details::{Details, Drawing};
use bolide::report::{Place, Report};
use std::fmt::{self, Display, Write};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// Text for any place in a page: between tags and in quoted attributes.
pub struct Text<'a>(pub &'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\n' | '\t' => f.write_char(c)?,
                c if c.is_control() => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// The name of a line of a source in the page.
fn line_link((source, line): (usize, u32)) -> String {
    format!("s{source}l{line}")
}

/// The source and line of a place, if the page has the source.
fn line_of(details: &Details, place: &Place) -> Option<(usize, u32)> {
    let source = details.sources.iter().position(|s| s.file == place.file)?;
    let lines = &details.sources[source].lines;
    lines.binary_search_by_key(&place.line, |l| l.0).ok().map(|_| (source, place.line))
}

/// A place as a link to its line, if the page has it.
fn place_link(details: &Details, place: &Place) -> String {
    let short = place.file.rsplit('/').next().unwrap_or(&place.file);
    let text = format!("{short}:{}:{}", place.line, place.column);
    match line_of(details, place) {
        Some(line) => format!("<a class=\"place\" href=\"#{}\">{}</a>", line_link(line), Text(&text)),
        None => format!("<span class=\"place\">{}</span>", Text(&text)),
    }
}

/// A part of the page with its name in the row of tabs.
struct Part {
    id: &'static str,
    name: &'static str,
    content: String,
}

/// The whole page.
pub fn page(report: &Report) -> String {
    let none = Details::default();
    let details = report.details.as_deref().unwrap_or(&none);
    let parts = parts(report, details);
    let verdict = report.verdict.name();
    let file = report.file.rsplit('/').next().unwrap_or(&report.file);
    let mut out = String::with_capacity(1 << 16);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'; img-src data:\">\n\
         <meta name=\"generator\" content=\"Bolide {}\">\n<title>{verdict}: {file}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#content\">Skip to the content</a>\n\
         <header><h1><span class=\"verdict {verdict}\">{verdict}</span>{file}</h1>\
         <button type=\"button\" id=\"theme\" title=\"Change colours (t)\">Dark</button>\n<p>{}</p></header>\n",
        env!("CARGO_PKG_VERSION"),
        Text(&overview::sentence(report)),
        file = Text(file),
    );
    out.push_str("<nav role=\"tablist\" aria-label=\"Parts of the report\">\n");
    for (n, part) in parts.iter().enumerate() {
        let _ = writeln!(
            out,
            "<a role=\"tab\" id=\"tab-{id}\" href=\"#{id}\" aria-controls=\"{id}\" aria-selected=\"{}\">{}</a>",
            n == 0,
            part.name,
            id = part.id
        );
    }
    out.push_str("</nav>\n<main id=\"content\">\n");
    for part in &parts {
        let _ = writeln!(
            out,
            "<section role=\"tabpanel\" id=\"{id}\" aria-labelledby=\"tab-{id}\">\n<h2>{}</h2>\n{}</section>",
            part.name,
            part.content,
            id = part.id
        );
    }
    let _ = write!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// The parts that have something to show.
fn parts(report: &Report, details: &Details) -> Vec<Part> {
    let mut parts =
        vec![Part { id: "overview", name: "Overview", content: overview::write(report, details) }];
    let mut add = |id, name, content: String| parts.push(Part { id, name, content });
    if !details.sources.is_empty() || !report.trace.is_empty() {
        let name = if report.trace.is_empty() { "Source" } else { "Source and trace" };
        add("source", name, reader::write(report, details));
    }
    if let Some(waveform) = &details.waveform {
        add("waveform", "Waveform", wave::write(waveform));
    }
    if !details.definitions.is_empty() {
        add("model", "Model", overview::definitions(&details.definitions));
    }
    if let Some(derivation) = &details.derivation {
        let legend = "<p class=\"note\">Each box is a fact that a clause derives from the facts above it; the last one is \
                      a contradiction.</p>\n";
        add("derivation", "Derivation", legend.to_owned() + &drawn(derivation, "Derivation"));
    }
    if !details.flows.is_empty() {
        add("flow", "Control flow", flows(&details.flows));
    }
    if let Some(unwinding) = &details.unwinding {
        let legend = "<ul class=\"legend\"><li>Solid arrows: execution</li><li>Dotted arcs: the vertex is covered by the other \
                      one, whose label it entails</li><li>Red: an error, which the label excludes</li>\
                      <li>Lines in a box: what holds there</li></ul>\n";
        add("unwinding", "Unwinding", legend.to_owned() + &drawn(unwinding, "Unwinding of the program"));
    }
    add("statistics", "Statistics", overview::statistics(report));
    parts
}

fn drawn(drawing: &Drawing, what: &str) -> String {
    let mut out = String::new();
    graph::write(&mut out, drawing, what);
    out
}

/// The graphs of several functions, one of which is shown at a time.
fn flows(flows: &[Drawing]) -> String {
    let mut out = String::new();
    if flows.len() > 1 {
        out.push_str("<p><label>Function <select data-drawings>");
        for flow in flows {
            let _ = write!(out, "<option>{}</option>", Text(&flow.name));
        }
        out.push_str("</select></label></p>\n");
    }
    for flow in flows {
        let _ = writeln!(out, "<div class=\"drawing\"><h3>{}</h3>", Text(&flow.name));
        graph::write(&mut out, flow, &format!("Control flow of {}", flow.name));
        out.push_str("</div>\n");
    }
    out
}

#[cfg(test)]
mod tests;
