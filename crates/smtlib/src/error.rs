//! Positions in a text, and errors that carry one.

use std::fmt;

/// A range of bytes in the text that was read.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to but excluding `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }
}

/// Why a text could not be read, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The offending part of the text.
    pub span: Span,
    /// Line of the first offending character, counted from 1.
    pub line: usize,
    /// Column of the first offending character, counted in characters from 1.
    pub column: usize,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// What would have been accepted in this place, where that is one thing.
    pub expected: Option<String>,
}

impl Error {
    /// An error that does not know its line and column yet; [`Error::locate`] tells it.
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Error {
        Error { span, line: 0, column: 0, message: message.into(), expected: None }
    }

    /// The error "expected this but found that".
    pub(crate) fn expected(span: Span, expected: impl Into<String>, found: impl fmt::Display) -> Error {
        let expected = expected.into();
        let message = format!("expected {expected} but found {found}");
        Error { expected: Some(expected), ..Error::new(span, message) }
    }

    /// Computes line and column from the text.
    pub(crate) fn locate(mut self, text: &[u8]) -> Error {
        (self.line, self.column) = line_and_column(text, self.span.start);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

/// Line and column, both counted from 1, of a byte offset; columns count characters, not bytes.
pub fn line_and_column(text: &[u8], offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
    let is_char_start = |b: &&u8| **b & 0xC0 != 0x80;
    (line, before[line_start..].iter().filter(is_char_start).count() + 1)
}
