//! Tokens of the preprocessor.

use super::Flaw;

/// What a token is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or keyword.
    Name,
    /// A number, as the preprocessor sees it.
    Number,
    /// A string or a character.
    Literal,
    /// Anything else.
    Other,
}

/// A token; two are the same if their texts are.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// How it is written. Bytes that are no UTF-8 only occur in literals, and stand there as escapes.
    pub text: String,
    /// Is there space before it?
    pub space: bool,
    /// The macros whose expansion it comes from, which are not expanded again.
    pub(super) hidden: Vec<std::rc::Rc<str>>,
}

impl PartialEq for Token {
    fn eq(&self, other: &Token) -> bool {
        self.text == other.text
    }
}

impl Eq for Token {}

impl Token {
    pub(super) fn number(text: &str) -> Token {
        Token { kind: Kind::Number, text: text.into(), space: true, hidden: Vec::new() }
    }
}

/// Punctuation of more than one character, the longest first.
const LONG: [&str; 24] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=", "/=", "%=",
    "+=", "-=", "&=", "^=", "|=", "##", "<:",
];

/// The tokens of a text that a preprocessor has made: line markers and blank lines aside. A preprocessor leaves neither comments nor
/// spliced lines; they are refused, so that nothing depends on how the reader of C deals with them.
pub fn tokens(text: &[u8]) -> Result<Vec<Token>, Flaw> {
    if text.windows(2).any(|w| w == b"\\\n" || w == b"\\\r") {
        return Err("a line is spliced".into());
    }
    if (Lexer { bytes: text, at: 0, has_comments: false }).finds_comments()? {
        return Err("a comment is left".into());
    }
    let mut out = Vec::new();
    for line in lines(text)? {
        if line.first().is_some_and(|t| t.text == "#") {
            let is_marker = line.get(1).is_some_and(|t| t.kind == Kind::Number || t.text == "line");
            if !is_marker {
                return Err("a directive is left".into());
            }
            continue;
        }
        out.extend(line);
    }
    Ok(out)
}

/// The tokens of each logical line; comments are space, and lines that are spliced are one.
pub(super) fn lines(text: &[u8]) -> Result<Vec<Vec<Token>>, Flaw> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match &text[at..] {
            [b'\\', b'\n', ..] => at += 2,
            [b'\\', b'\r', b'\n', ..] => at += 3,
            [b'\\', b' ' | b'\t', ..] => return Err("a backslash before space".into()),
            [b'?', b'?', ..] => return Err("a trigraph".into()),
            [b'\r', b'\n', ..] => at += 1,
            [b, ..] => {
                bytes.push(*b);
                at += 1;
            }
            [] => break,
        }
    }
    Lexer { bytes: &bytes, at: 0, has_comments: false }.lines()
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    has_comments: bool,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Is there a comment?
    fn finds_comments(mut self) -> Result<bool, Flaw> {
        self.read_lines()?;
        Ok(self.has_comments)
    }

    fn lines(mut self) -> Result<Vec<Vec<Token>>, Flaw> {
        self.read_lines()
    }

    fn read_lines(&mut self) -> Result<Vec<Vec<Token>>, Flaw> {
        let (mut all, mut line, mut space) = (Vec::new(), Vec::new(), false);
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (b'\n', _) => {
                    all.push(std::mem::take(&mut line));
                    self.at += 1;
                    space = true;
                    continue;
                }
                (b' ' | b'\t' | 0x0b | 0x0c | b'\r', _) => self.at += 1,
                (b'/', b'/') => {
                    self.has_comments = true;
                    while self.at < self.bytes.len() && self.peek(0) != b'\n' {
                        self.at += 1;
                    }
                }
                (b'/', b'*') => {
                    self.has_comments = true;
                    let rest = &self.bytes[self.at + 2..];
                    let end = rest.windows(2).position(|w| w == b"*/").ok_or("a comment does not end")?;
                    self.at += end + 4;
                }
                _ => {
                    line.push(self.token(space)?);
                    space = false;
                    continue;
                }
            }
            space = true;
        }
        all.push(line);
        Ok(all)
    }

    fn token(&mut self, space: bool) -> Result<Token, Flaw> {
        let start = self.at;
        let first = self.peek(0);
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
        let kind = if first.is_ascii_digit() || first == b'.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            loop {
                match (self.peek(0), self.peek(1)) {
                    (b'e' | b'E' | b'p' | b'P', b'+' | b'-') => self.at += 2,
                    (b, _) if is_name(b) || b == b'.' => self.at += 1,
                    _ => break,
                }
            }
            Kind::Number
        } else if is_name(first) {
            while is_name(self.peek(0)) {
                self.at += 1;
            }
            let is_prefix = matches!(&self.bytes[start..self.at], b"L" | b"u" | b"U" | b"u8");
            match self.peek(0) {
                quote @ (b'"' | b'\'') if is_prefix => self.literal(quote),
                _ => Kind::Name,
            }
        } else if first == b'"' || first == b'\'' {
            self.literal(first)
        } else {
            let rest = &self.bytes[self.at..];
            let long = LONG.iter().find(|p| rest.starts_with(p.as_bytes()));
            self.at += long.map_or(1, |p| p.len());
            if !first.is_ascii() {
                return Err("a character outside of ASCII".into());
            }
            if [&b"<:"[..], b":>", b"<%", b"%>", b"%:"].iter().any(|digraph| rest.starts_with(digraph)) {
                return Err("a digraph".into());
            }
            if first == b'\\' {
                return Err("a backslash outside of a literal".into());
            }
            Kind::Other
        };
        let text = self.bytes[start..self.at].escape_ascii().to_string();
        let text = match std::str::from_utf8(&self.bytes[start..self.at]) {
            Ok(plain) if plain.is_ascii() => plain.to_string(),
            _ => text,
        };
        Ok(Token { kind, text, space, hidden: Vec::new() })
    }

    /// Moves over a literal; one that does not end in its line, as in text that is skipped, is a token of its own kind.
    fn literal(&mut self, quote: u8) -> Kind {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\n' => return Kind::Other,
                b'\\' if self.peek(1) != b'\n' => self.at += 2,
                b if b == quote => {
                    self.at += 1;
                    return Kind::Literal;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.bytes.len());
        Kind::Other
    }
}
