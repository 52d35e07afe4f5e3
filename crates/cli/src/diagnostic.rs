//! Messages about the user's files.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use bolide_smtlib::Error;
use std::io::IsTerminal;

/// Prints an error in a text with its place to standard error.
///
/// The first line is `file:line:column: error: message`, which editors understand; the source line follows.
pub fn print_error(file: &str, text: &[u8], error: &Error) {
    eprintln!("{file}:{}:{}: error: {}", error.line, error.column, error.message);
    let source = String::from_utf8_lossy(text);
    // Replaced bytes would shift the offsets.
    if source.len() != text.len() {
        return;
    }
    let (from, to) = line_of(&source, error.span.start);
    if to - from > 300 {
        return;
    }
    let line = &source[from..to];
    let start = error.span.start.clamp(from, to) - from;
    let end = error.span.end.clamp(error.span.start, to) - from;
    let (start, end) = (floor_boundary(line, start), floor_boundary(line, end.max(start)));
    let snippet =
        Snippet::source(line).line_start(error.line).annotation(AnnotationKind::Primary.span(start..end));
    let report = &[Level::ERROR.primary_title("here").element(snippet)];
    let renderer = if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    eprintln!("{}", renderer.render(report));
}

/// Prints a message about a part of a text with its place to standard error.
pub fn print_at(file: &str, text: &[u8], span: bolide_model::Span, message: &str) {
    let start = (span.start as usize).min(text.len());
    let before = &text[..start];
    let from = before.iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    let column = String::from_utf8_lossy(&before[from..]).chars().count() + 1;
    eprintln!("{file}:{line}:{column}: error: {message}");
}

fn line_of(text: &str, offset: usize) -> (usize, usize) {
    let offset = floor_boundary(text, offset.min(text.len()));
    let from = text[..offset].rfind('\n').map_or(0, |n| n + 1);
    let to = text[offset..].find('\n').map_or(text.len(), |n| offset + n);
    (from, to)
}

fn floor_boundary(text: &str, mut n: usize) -> usize {
    while !text.is_char_boundary(n) {
        n -= 1;
    }
    n
}
