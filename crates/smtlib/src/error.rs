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
    /// An error that does not know its line and column yet; [`Cursor::locate`] tells it.
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Error {
        Error { span, line: 0, column: 0, message: message.into(), expected: None }
    }

    /// The error "expected this but found that".
    pub(crate) fn expected(span: Span, expected: impl Into<String>, found: impl fmt::Display) -> Error {
        let expected = expected.into();
        let message = format!("expected {expected} but found {found}");
        Error { expected: Some(expected), ..Error::new(span, message) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

/// A place in a text with its line and column, which moves forward.
///
/// Locating many errors from front to back takes one walk over the text.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    offset: usize,
    line: usize,
    column: usize,
}

impl Default for Cursor {
    fn default() -> Self {
        Cursor { offset: 0, line: 1, column: 1 }
    }
}

impl Cursor {
    /// Tells an error its line and column.
    pub(crate) fn locate(&mut self, mut error: Error, text: &[u8]) -> Error {
        self.move_to(error.span.start.min(text.len()), text);
        (error.line, error.column) = (self.line, self.column);
        error
    }

    fn move_to(&mut self, offset: usize, text: &[u8]) {
        if offset < self.offset {
            *self = Cursor::default();
        }
        for &b in &text[self.offset..offset] {
            if b == b'\n' {
                self.line += 1;
                self.column = 1;
            } else if b & 0xC0 != 0x80 {
                // Not a continuation byte: another character.
                self.column += 1;
            }
        }
        self.offset = offset;
    }
}

/// Line and column, both counted from 1, of a byte offset; columns count characters, not bytes.
pub fn line_and_column(text: &[u8], offset: usize) -> (usize, usize) {
    let mut cursor = Cursor::default();
    cursor.move_to(offset.min(text.len()), text);
    (cursor.line, cursor.column)
}
