//! A report as an editor shows it.

use crate::Answer;
use bolide_report::sarif;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, InlayHint, InlayHintKind, InlayHintLabel,
    InlayHintTooltip, Location, NumberOrString, Position, Range, Uri,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// So many steps of a trace are related locations: the last ones, which are closest to the violation.
const STEPS: usize = 100;
/// A hint is not longer; the whole fact is its tooltip.
const HINT: usize = 80;

/// What is shown of an answer.
#[derive(Debug, Default)]
pub struct Findings {
    /// Diagnostics by file.
    pub diagnostics: BTreeMap<PathBuf, Vec<Diagnostic>>,
    /// Invariants by file.
    pub hints: BTreeMap<PathBuf, Vec<InlayHint>>,
    /// The answer in one line.
    pub summary: String,
}

/// Where something is, as reports and messages say it: from 1, in characters.
struct Place {
    file: PathBuf,
    line: u32,
    column: u32,
}

impl Place {
    /// A place in a report. Relative paths are relative to the folder where the verifier ran.
    fn of(value: &Value, folder: &Path) -> Option<Place> {
        let number = |name: &str| value[name].as_u64().and_then(|n| u32::try_from(n).ok());
        let file = folder.join(value["file"].as_str()?);
        Some(Place { file, line: number("line")?, column: number("column")? })
    }

    /// Positions of the protocol count from 0, and columns in units of UTF-16.
    fn position(&self) -> Position {
        let (line, column) = (self.line.saturating_sub(1), self.column.saturating_sub(1));
        let text = std::fs::read(&self.file).unwrap_or_default();
        let text =
            text.split(|&b| b == b'\n').nth(line as usize).map(String::from_utf8_lossy).unwrap_or_default();
        let units = |n: usize, c: char| n + c.len_utf16();
        let known = text.chars().take(column as usize).fold(0, units) as u32;
        let beyond = column.saturating_sub(text.chars().count() as u32);
        Position::new(line, known + beyond)
    }

    /// From the place to the end of its line: editors cut a range there.
    fn range(&self) -> Range {
        Range::new(self.position(), Position::new(self.line.saturating_sub(1), u32::MAX >> 1))
    }

    fn location(&self) -> Option<Location> {
        Some(Location { uri: uri(&self.file)?, range: self.range() })
    }
}

/// The address of a file.
pub fn uri(file: &Path) -> Option<Uri> {
    Uri::from_str(&sarif::uri(file.to_str()?)).ok()
}

/// The file that an address names.
pub fn path(uri: &Uri) -> Option<PathBuf> {
    let text = uri.as_str().strip_prefix("file://")?;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        match (first, tail.get(..2)) {
            (b'%', Some(digits)) => {
                let digits = std::str::from_utf8(digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &tail[2..];
            }
            _ => bytes.push(first),
        }
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

fn diagnostic(place: &Place, severity: DiagnosticSeverity, code: &str, message: &str) -> Diagnostic {
    Diagnostic {
        range: place.range(),
        severity: Some(severity),
        code: Some(NumberOrString::String(code.into())),
        source: Some("bolide".into()),
        message: message.into(),
        ..Diagnostic::default()
    }
}

/// What is shown of the answer about a file, which was found in a folder.
pub fn findings(answer: &Answer, file: &Path, folder: &Path) -> Findings {
    let mut found = match &answer.report {
        Some(report) => of_report(report, file, folder),
        None => Findings { summary: "not verified".into(), ..Findings::default() },
    };
    // Of a program that was read, messages are about other things, such as a certificate that could not be made.
    if answer.report.is_none() {
        for (place, message) in answer.messages.lines().filter_map(|line| message(line, folder)) {
            let shown = diagnostic(&place, DiagnosticSeverity::ERROR, "error", message);
            found.diagnostics.entry(place.file).or_default().push(shown);
        }
        if let (true, Some(first)) = (found.diagnostics.is_empty(), answer.messages.lines().next()) {
            found.summary = format!("not verified: {first}");
        }
    }
    found
}

/// The place and the text of a message such as `a.c:3:7: error: expected ';'`.
fn message<'a>(line: &'a str, folder: &Path) -> Option<(Place, &'a str)> {
    let (place, text) = line.split_once(": error: ")?;
    let mut parts = place.rsplitn(3, ':');
    let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((Place { file: folder.join(parts.next()?), line, column }, text))
}

fn of_report(report: &Value, file: &Path, folder: &Path) -> Findings {
    let mut found = Findings { summary: summary(report), ..Findings::default() };
    let list = |name: &str| report[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let trace = related(list("trace"), folder);
    for property in list("properties") {
        let place = Place::of(&property["place"], folder);
        let place = place.unwrap_or(Place { file: file.into(), line: 1, column: 1 });
        let name = property["name"].as_str().unwrap_or("property");
        let shown = match property["verdict"].as_str() {
            Some("unsafe") => {
                let related_information = Some(trace.clone());
                let violated = diagnostic(&place, DiagnosticSeverity::ERROR, "violation", name);
                Diagnostic { related_information, ..violated }
            }
            Some("unknown") => {
                let reason = property["reason"].as_str().unwrap_or("no reason");
                let text = format!("{name}: not decided: {reason}");
                diagnostic(&place, DiagnosticSeverity::INFORMATION, "unknown", &text)
            }
            _ => continue,
        };
        found.diagnostics.entry(place.file).or_default().push(shown);
    }
    for vacuity in list("vacuity") {
        if let (Some(place), Some(text)) = (Place::of(&vacuity["place"], folder), vacuity["text"].as_str()) {
            let kind = vacuity["kind"].as_str().unwrap_or("vacuity");
            let shown = diagnostic(&place, DiagnosticSeverity::WARNING, kind, text);
            found.diagnostics.entry(place.file).or_default().push(shown);
        }
    }
    for fact in list("invariant") {
        if let (Some(place), Some(formula)) = (Place::of(&fact["place"], folder), fact["formula"].as_str()) {
            let hint = hint(&place, fact["kind"].as_str().unwrap_or("invariant"), formula);
            found.hints.entry(place.file).or_default().push(hint);
        }
    }
    found
}

/// The verdict with its reason.
fn summary(report: &Value) -> String {
    let verdict = report["verdict"].as_str().unwrap_or("unknown");
    match report["reason"].as_str() {
        Some(reason) => format!("{verdict}: {reason}"),
        None => verdict.into(),
    }
}

/// The last steps of a trace.
fn related(trace: &[Value], folder: &Path) -> Vec<DiagnosticRelatedInformation> {
    let step = |step: &Value| {
        let location = Place::of(&step["place"], folder)?.location()?;
        Some(DiagnosticRelatedInformation { location, message: step["what"].as_str()?.into() })
    };
    trace[trace.len().saturating_sub(STEPS)..].iter().filter_map(step).collect()
}

/// A fact in front of the place where it holds.
fn hint(place: &Place, kind: &str, formula: &str) -> InlayHint {
    let mut label = format!("{kind}: {formula}");
    if label.chars().count() > HINT {
        label = label.chars().take(HINT - 1).chain(['…']).collect();
    }
    InlayHint {
        position: place.position(),
        label: InlayHintLabel::String(label),
        kind: Some(InlayHintKind::TYPE),
        text_edits: None,
        tooltip: Some(InlayHintTooltip::String(format!("{kind}: {formula}"))),
        padding_left: None,
        padding_right: Some(true),
        data: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn addresses_and_files() {
        for name in ["/a/b.c", "/with space/ä#1%.c"] {
            let address = uri(Path::new(name)).expect("an address");
            assert!(!address.as_str().contains(' '));
            assert_eq!(path(&address), Some(PathBuf::from(name)));
        }
        assert_eq!(path(&Uri::from_str("untitled:x").expect("an address")), None);
    }

    #[test]
    fn a_violation_has_its_trace() {
        let place = |line: u32| json!({ "file": "a.c", "line": line, "column": 3 });
        let report = json!({
            "verdict": "unsafe",
            "properties": [
                { "name": "assertion in main", "verdict": "unsafe", "place": place(7) },
                { "name": "assertion in f", "verdict": "safe", "place": place(9) },
            ],
            "trace": [{ "place": place(4), "what": "x = 1" }, { "place": place(7), "what": "assertion in main" }],
        });
        let answer = Answer { report: Some(report), messages: String::new() };
        let found = findings(&answer, Path::new("/p/a.c"), Path::new("/p"));
        assert_eq!(found.summary, "unsafe");
        let shown = &found.diagnostics[Path::new("/p/a.c")];
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0].range.start, Position::new(6, 2));
        let steps = shown[0].related_information.as_ref().expect("steps");
        assert_eq!((steps.len(), steps[0].message.as_str()), (2, "x = 1"));
        assert_eq!(steps[0].location.uri.as_str(), "file:///p/a.c");
    }

    #[test]
    fn messages_of_the_reader_are_errors() {
        let messages = "a.c:3:7: error: expected ';'\n  int x\n      ^\nnote: nothing\n".into();
        let found = findings(&Answer { report: None, messages }, Path::new("/p/a.c"), Path::new("/p"));
        let shown = &found.diagnostics[Path::new("/p/a.c")];
        assert_eq!((shown.len(), shown[0].message.as_str()), (1, "expected ';'"));
        assert_eq!(shown[0].range.start, Position::new(2, 6));
        let messages = "bolide: error: there is no compiler\n".into();
        let found = findings(&Answer { report: None, messages }, Path::new("/p/a.c"), Path::new("/p"));
        assert!(found.diagnostics.is_empty() && found.summary.contains("no compiler"));
    }

    #[test]
    fn long_facts_are_cut() {
        let place = Place { file: "a.c".into(), line: 2, column: 1 };
        let InlayHintLabel::String(label) = hint(&place, "invariant", &"i <= 10 && ".repeat(20)).label else {
            panic!("a label");
        };
        assert_eq!(label.chars().count(), HINT);
    }
}
