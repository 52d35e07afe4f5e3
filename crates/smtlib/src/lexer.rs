//! The tokens of SMT-LIB 2.6, cut from the text one at a time.
//!
//! A token borrows its characters from the text. Positions are byte offsets; line and column are computed only when
//! an error needs them. Comments may hold any bytes, everything else must be UTF-8.

use crate::error::{Error, Span};
use std::fmt;

/// One token. The text of a quoted symbol or string is what stands between its delimiters.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token<'a> {
    Open,
    Close,
    /// A simple symbol, possibly a reserved word.
    Symbol(&'a str),
    /// A symbol between bars, never a reserved word.
    Quoted(&'a str),
    /// A keyword with its colon.
    Keyword(&'a str),
    Numeral(&'a str),
    Decimal(&'a str),
    /// The digits of a hexadecimal constant.
    Hex(&'a str),
    /// The digits of a binary constant.
    Binary(&'a str),
    /// A string literal in which `""` still stands for one quotation mark.
    Str(&'a str),
    /// The end of the text.
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Open => f.write_str("`(`"),
            Token::Close => f.write_str("`)`"),
            Token::Symbol(s) | Token::Keyword(s) | Token::Numeral(s) | Token::Decimal(s) => {
                write!(f, "`{s}`")
            }
            Token::Quoted(s) => write!(f, "`|{s}|`"),
            Token::Hex(s) => write!(f, "`#x{s}`"),
            Token::Binary(s) => write!(f, "`#b{s}`"),
            Token::Str(_) => f.write_str("a string"),
            Token::End => f.write_str("the end of the text"),
        }
    }
}

/// Is this a character of simple symbols?
pub(crate) fn is_symbol_byte(b: u8) -> bool {
    SYMBOL[usize::from(b)]
}

const SYMBOL: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = (b as u8).is_ascii_alphanumeric();
        b += 1;
    }
    let special = b"~!@$%^&*_-+=<>.?/";
    let mut i = 0;
    while i < special.len() {
        table[special[i] as usize] = true;
        i += 1;
    }
    table
};

/// Cuts a text into tokens.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a [u8],
    /// The text up to its first byte that is not UTF-8.
    valid: &'a str,
    /// Where the last token starts.
    start: usize,
    /// Where the last token ends.
    pos: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Lexer<'a> {
        let valid = std::str::from_utf8(text)
            .or_else(|e| std::str::from_utf8(&text[..e.valid_up_to()]))
            .unwrap_or_default();
        Lexer { text, valid, start: 0, pos: 0 }
    }

    pub(crate) fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Where the last token starts.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Where the last token ends.
    pub(crate) fn end(&self) -> usize {
        self.pos
    }

    /// The last token's place.
    pub(crate) fn span(&self) -> Span {
        Span::new(self.start, self.pos)
    }

    /// Continues at an offset where a token starts.
    pub(crate) fn seek(&mut self, offset: usize) {
        self.start = offset;
        self.pos = offset;
    }

    /// Steps back before the last token.
    pub(crate) fn unread(&mut self) {
        self.pos = self.start;
    }

    /// The next token.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Token<'a>, Error> {
        self.skip_space();
        self.start = self.pos;
        let Some(&first) = self.text.get(self.pos) else { return Ok(Token::End) };
        match first {
            b'(' => {
                self.pos += 1;
                Ok(Token::Open)
            }
            b')' => {
                self.pos += 1;
                Ok(Token::Close)
            }
            b'0'..=b'9' => self.number(),
            b'|' => self.delimited(b'|').map(Token::Quoted),
            b'"' => self.string(),
            b'#' => self.constant(),
            b':' => {
                self.pos += 1;
                self.run(is_symbol_byte);
                if self.pos == self.start + 1 {
                    return Err(Error::new(self.span(), "a colon without a keyword"));
                }
                self.slice(self.start, self.pos).map(Token::Keyword)
            }
            b if is_symbol_byte(b) => {
                self.run(is_symbol_byte);
                self.slice(self.start, self.pos).map(Token::Symbol)
            }
            _ => Err(self.stray_character()),
        }
    }

    /// Whitespace and comments.
    fn skip_space(&mut self) {
        loop {
            match self.text.get(self.pos) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.pos += 1,
                Some(b';') => self.run(|b| b != b'\n' && b != b'\r'),
                _ => return,
            }
        }
    }

    /// Moves on over the bytes with a property.
    #[inline]
    fn run(&mut self, property: impl Fn(u8) -> bool) {
        let rest = &self.text[self.pos..];
        self.pos += rest.iter().position(|&b| !property(b)).unwrap_or(rest.len());
    }

    #[inline]
    fn slice(&self, from: usize, to: usize) -> Result<&'a str, Error> {
        match self.valid.get(from..to) {
            Some(text) => Ok(text),
            None => self.slice_beyond_valid(from, to),
        }
    }

    #[cold]
    fn slice_beyond_valid(&self, from: usize, to: usize) -> Result<&'a str, Error> {
        std::str::from_utf8(&self.text[from..to]).map_err(|e| {
            let at = from + e.valid_up_to();
            Error::new(Span::new(at, at + 1), "bytes that are not UTF-8")
        })
    }

    fn number(&mut self) -> Result<Token<'a>, Error> {
        self.run(|b| b.is_ascii_digit());
        let is_decimal = self.text.get(self.pos) == Some(&b'.')
            && self.text.get(self.pos + 1).is_some_and(u8::is_ascii_digit);
        if is_decimal {
            self.pos += 1;
            self.run(|b| b.is_ascii_digit());
        }
        self.expect_separator("a number")?;
        let digits = self.slice(self.start, self.pos)?;
        Ok(if is_decimal { Token::Decimal(digits) } else { Token::Numeral(digits) })
    }

    /// `#x` and `#b` constants.
    fn constant(&mut self) -> Result<Token<'a>, Error> {
        let kind = self.text.get(self.pos + 1).copied();
        self.pos += 1;
        let from = self.pos + 1;
        match kind {
            Some(b'x') => {
                self.pos = from;
                self.run(|b| b.is_ascii_hexdigit());
            }
            Some(b'b') => {
                self.pos = from;
                self.run(|b| matches!(b, b'0' | b'1'));
            }
            _ => return Err(Error::expected(self.span(), "`#x` or `#b` with digits", "`#`")),
        }
        if self.pos == from {
            return Err(Error::new(self.span(), "a bit-vector constant without digits"));
        }
        self.expect_separator("a bit-vector constant")?;
        let digits = self.slice(from, self.pos)?;
        Ok(if kind == Some(b'x') { Token::Hex(digits) } else { Token::Binary(digits) })
    }

    /// No symbol character may follow the token that ends here.
    fn expect_separator(&mut self, what: &str) -> Result<(), Error> {
        match self.text.get(self.pos) {
            Some(&b) if is_symbol_byte(b) => {
                let at = self.pos;
                self.run(is_symbol_byte);
                let tail = String::from_utf8_lossy(&self.text[at..self.pos]);
                Err(Error::new(Span::new(at, self.pos), format!("`{tail}` directly after {what}")))
            }
            _ => Ok(()),
        }
    }

    /// The text up to the closing delimiter, of which the opening one has not been consumed.
    fn delimited(&mut self, delimiter: u8) -> Result<&'a str, Error> {
        let from = self.pos + 1;
        self.pos = from;
        self.run(|b| b != delimiter);
        if self.pos == self.text.len() {
            let opening = Span::new(self.start, self.start + 1);
            let what = if delimiter == b'|' { "quoted symbol" } else { "string" };
            return Err(Error::new(opening, format!("this {what} is not closed")));
        }
        self.pos += 1;
        self.slice(from, self.pos - 1)
    }

    fn string(&mut self) -> Result<Token<'a>, Error> {
        self.delimited(b'"')?;
        while self.text.get(self.pos) == Some(&b'"') {
            self.delimited(b'"')?;
        }
        self.slice(self.start + 1, self.pos - 1).map(Token::Str)
    }

    fn stray_character(&mut self) -> Error {
        let rest = &self.text[self.pos..self.text.len().min(self.pos + 4)];
        let valid = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        match valid.chars().next() {
            Some(c) => {
                self.pos += c.len_utf8();
                Error::new(self.span(), format!("stray character {c:?}"))
            }
            None => {
                self.pos += 1;
                Error::new(self.span(), "bytes that are not UTF-8")
            }
        }
    }

    /// Reads tokens until the parenthesis that was opened last is closed.
    pub(crate) fn skip_to_close(&mut self) -> Result<(), Error> {
        let opened = self.start;
        let mut depth = 1usize;
        while depth > 0 {
            match self.next()? {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::End => {
                    return Err(Error::new(Span::new(opened, opened + 1), "this parenthesis is not closed"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The characters that a string literal denotes.
pub(crate) fn unescape(literal: &str) -> String {
    literal.replace("\"\"", "\"")
}
