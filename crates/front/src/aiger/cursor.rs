//! A position in the bytes of a file.

use super::{Error, Flaw};

/// Reads bytes and knows where it is.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Number of the current line, and where it begins.
    line: usize,
    line_start: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0, line: 1, line_start: 0 }
    }

    /// An error at the current position.
    pub fn error(&self, flaw: impl Into<Flaw>) -> Error {
        Error { line: self.line, column: self.at - self.line_start + 1, flaw: flaw.into() }
    }

    pub fn line(&self) -> usize {
        self.line
    }

    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Takes the byte if it comes next.
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// A number in decimal digits.
    pub fn number(&mut self, what: &str) -> Result<u32, Error> {
        let start = self.at;
        let mut value: u32 = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let longer = value.checked_mul(10).and_then(|value| value.checked_add(u32::from(digit - b'0')));
            value = longer.ok_or_else(|| self.error(format!("{what} is too large")))?;
            self.at += 1;
        }
        if self.at == start { Err(self.error(format!("expected {what}"))) } else { Ok(value) }
    }

    /// A space, then a number.
    pub fn spaced_number(&mut self, what: &str) -> Result<u32, Error> {
        if self.take(b' ') {
            self.number(what)
        } else {
            Err(self.error(format!("expected a space and {what}")))
        }
    }

    /// The end of the line; at the end of the file it may be missing.
    pub fn end_line(&mut self) -> Result<(), Error> {
        self.take(b'\r');
        if self.take(b'\n') {
            self.line += 1;
            self.line_start = self.at;
            Ok(())
        } else if self.peek().is_none() {
            Ok(())
        } else {
            Err(self.error("expected the end of the line"))
        }
    }

    /// The rest of the line without its end, which is passed.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
        let line = &self.bytes[start..self.at];
        if self.take(b'\n') {
            self.line += 1;
            self.line_start = self.at;
        }
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    pub fn is_at_end(&self) -> bool {
        self.peek().is_none()
    }
}
