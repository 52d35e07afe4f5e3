//! The run of a circuit as a table of signals and steps.

use super::Text;
use bolide::details::{Wave, Waveform};
use std::fmt::Write;

/// The table.
pub fn write(waveform: &Waveform) -> String {
    let mut out = String::new();
    if let Some(note) = &waveform.note {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", Text(note));
    }
    out.push_str(
        "<div class=\"wave\" tabindex=\"0\" role=\"group\" aria-label=\"Waveform\"><table><thead><tr><th \
         scope=\"col\">Signal</th>",
    );
    for step in &waveform.steps {
        let _ = write!(out, "<th scope=\"col\">{step}</th>");
    }
    out.push_str("</tr></thead><tbody>\n");
    for signal in &waveform.signals {
        row(&mut out, signal);
    }
    out.push_str("</tbody></table></div>\n");
    out
}

fn row(out: &mut String, signal: &Wave) {
    let width = if signal.width == 1 { String::new() } else { format!(" [{}]", signal.width) };
    let _ =
        write!(out, "<tr><th scope=\"row\" title=\"{name}\">{name}{width}</th>", name = Text(&signal.name));
    let mut before: Option<&str> = None;
    for value in &signal.values {
        let level = match (signal.width, value.as_str()) {
            (1, "1") => "hi",
            (1, _) => "lo",
            _ => "word",
        };
        let edge = if before.is_some_and(|b| b != value) { " edge" } else { "" };
        let _ = write!(out, "<td class=\"{level}{edge}\">{}</td>", Text(value));
        before = Some(value);
    }
    out.push_str("</tr>\n");
}
