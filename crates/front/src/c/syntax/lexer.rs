//! From bytes to tokens.
//!
//! Comments, blanks and directives leave no token; what pragmas say about packing and weak names is kept beside. Bytes that mean nothing
//! get a message and are left out. Numbers, characters and strings are only delimited here, see [`literal`](super::literal).

use super::ast::Name;
use super::directive::{self, Directive, Packing};
use super::source::Issue;
use super::splice::Spliced;
use super::token::{KEYWORDS, Symbol, T, Token};
use bolide_model::Span;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// What the lexer found.
pub(super) struct Lexed {
    /// The tokens, with one for the end of the file.
    pub tokens: Vec<Token>,
    /// The spelling of each symbol; keywords come first.
    pub names: Vec<Name>,
    /// Messages, with places in the text after splicing.
    pub issues: Vec<Issue>,
    /// What pragmas say about packing.
    pub packing: Packing,
    /// The names that pragmas declare weak.
    pub weak: Vec<Name>,
    /// How deeply brackets nest at most.
    pub brackets: usize,
}

/// Splits a text into tokens.
pub(super) fn lex(text: &Spliced<'_>) -> Lexed {
    let mut lexer = Lexer::new(&text.bytes);
    lexer.run();
    let names = lexer.names;
    Lexed {
        tokens: lexer.tokens,
        names,
        issues: lexer.issues,
        packing: lexer.packing,
        weak: lexer.weak,
        brackets: lexer.deepest,
    }
}

struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    tokens: Vec<Token>,
    names: Vec<Name>,
    symbols: FxHashMap<Cow<'t, [u8]>, Symbol>,
    issues: Vec<Issue>,
    packing: Packing,
    weak: Vec<Name>,
    /// Has nothing but blanks and comments been seen on this line?
    fresh_line: bool,
    open: usize,
    deepest: usize,
    /// Where the last run of bytes without meaning ended.
    stray_end: usize,
}

/// More messages than this are of no use to anyone.
const ENOUGH: usize = 100;

impl<'t> Lexer<'t> {
    fn new(bytes: &'t [u8]) -> Lexer<'t> {
        let mut lexer = Lexer {
            bytes,
            at: if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 },
            tokens: Vec::with_capacity(bytes.len() / 5 + 1),
            names: Vec::new(),
            symbols: FxHashMap::default(),
            issues: Vec::new(),
            packing: Packing::default(),
            weak: Vec::new(),
            fresh_line: true,
            open: 0,
            deepest: 0,
            stray_end: usize::MAX,
        };
        for (text, _) in KEYWORDS {
            lexer.intern(Cow::Borrowed(text.as_bytes()), text);
        }
        lexer
    }

    fn intern(&mut self, key: Cow<'t, [u8]>, name: &str) -> Symbol {
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(name.into());
        self.symbols.insert(key, symbol);
        symbol
    }

    fn byte(&self, offset: usize) -> u8 {
        self.bytes.get(self.at + offset).copied().unwrap_or(0)
    }

    fn issue(&mut self, start: usize, end: usize, message: impl Into<String>) {
        if self.issues.len() < ENOUGH {
            let span = Span { start: start as u32, end: end as u32 };
            self.issues.push(Issue { span, message: message.into() });
        }
    }

    fn token(&mut self, kind: T, symbol: Symbol, start: usize) {
        let starts_line = std::mem::take(&mut self.fresh_line);
        self.tokens.push(Token { kind, starts_line, symbol, start: start as u32, end: self.at as u32 });
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() {
            let start = self.at;
            match self.bytes[start] {
                b'\n' => {
                    self.fresh_line = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => self.at += 1,
                b'/' if self.byte(1) == b'*' => self.block_comment(),
                b'/' if self.byte(1) == b'/' => self.at = self.line_end(start),
                b'#' if self.fresh_line => self.directive(1),
                b'%' if self.fresh_line && self.byte(1) == b':' => self.directive(2),
                b'0'..=b'9' => self.number(),
                b'.' if self.byte(1).is_ascii_digit() => self.number(),
                b'"' | b'\'' => self.quoted(start),
                b'L' | b'u' | b'U' | b'R' => self.word_or_literal(),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'\\' | 0x80.. => self.word(),
                _ => self.punctuator(),
            }
        }
        let end = self.bytes.len();
        self.at = end;
        self.fresh_line = true;
        self.token(T::Eof, Symbol(0), end);
    }

    fn line_end(&self, from: usize) -> usize {
        self.bytes[from..].iter().position(|&b| b == b'\n').map_or(self.bytes.len(), |n| from + n)
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let end = self.bytes[start + 2..].windows(2).position(|w| w == b"*/");
        match end {
            Some(n) => self.at = start + n + 4,
            None => {
                self.issue(start, start + 2, "unterminated comment");
                self.at = self.bytes.len();
            }
        }
    }

    /// A line that starts with `#`; block comments may carry it on.
    fn directive(&mut self, marker: usize) {
        let start = self.at;
        self.at += marker;
        let from = self.at;
        let end = loop {
            match self.byte(0) {
                _ if self.at >= self.bytes.len() => break self.at,
                b'\n' => break self.at,
                b'"' => self.at += directive::quoted_length(&self.bytes[self.at..]),
                b'/' if self.byte(1) == b'*' => self.block_comment(),
                b'/' if self.byte(1) == b'/' => {
                    let end = self.at;
                    self.at = self.line_end(end);
                    break end;
                }
                _ => self.at += 1,
            }
        };
        let directive = directive::read(&self.bytes[from..end]);
        self.apply(directive, start, end);
    }

    fn apply(&mut self, directive: Directive, start: usize, end: usize) {
        match directive {
            Directive::Pack(pack) => self.packing.apply(start as u32, pack),
            Directive::Weak(name) => self.weak.push(name.into()),
            Directive::Unsupported(name) => self.issue(start, end, format!("unsupported: '{name}'")),
            Directive::Preprocessor(name) => {
                self.issue(start, end, format!("directive '#{name}' in a text that was not preprocessed"));
            }
            Directive::Line(..) | Directive::Unit | Directive::Ignored => {}
        }
    }

    /// A preprocessing number; what it means is found out later.
    fn number(&mut self) {
        let start = self.at;
        self.at += 1;
        loop {
            match self.byte(0) {
                b'e' | b'E' | b'p' | b'P' if matches!(self.byte(1), b'+' | b'-') => self.at += 2,
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => self.at += 1,
                b'\'' if self.byte(1).is_ascii_alphanumeric() => self.at += 2,
                _ => break,
            }
        }
        self.token(T::Number, Symbol(0), start);
    }

    /// A literal with a prefix, or else a word.
    fn word_or_literal(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start..self.bytes.len().min(start + 4)];
        let mut length = if rest.starts_with(b"u8") { 2 } else { usize::from(rest[0] != b'R') };
        let is_raw = rest.get(length) == Some(&b'R');
        length += usize::from(is_raw);
        match rest.get(length) {
            Some(b'"') if is_raw => {
                self.at += length;
                self.raw_string(start);
            }
            Some(b'"' | b'\'') if !is_raw => {
                self.at += length;
                self.quoted(start);
            }
            _ => self.word(),
        }
    }

    /// A character constant or string that starts at its quote.
    fn quoted(&mut self, start: usize) {
        let quote = self.bytes[self.at];
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(&b) if b == quote => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') if self.byte(1) != b'\n' => self.at = (self.at + 2).min(self.bytes.len()),
                None | Some(b'\n') => {
                    self.issue(
                        start,
                        self.at,
                        format!("missing terminating {} character", char::from(quote)),
                    );
                    break;
                }
                Some(_) => self.at += 1,
            }
        }
        self.token(if quote == b'"' { T::Str } else { T::Char }, Symbol(0), start);
    }

    /// `R"d(…)d"`, from its quote on.
    fn raw_string(&mut self, start: usize) {
        let rest = &self.bytes[self.at + 1..];
        let delimiter = rest.iter().take(17).position(|&b| b == b'(');
        let closing = delimiter.map(|n| [b")", &rest[..n], b"\""].concat());
        let found = closing.and_then(|c| rest.windows(c.len()).position(|w| w == c).map(|n| n + c.len()));
        match found {
            Some(n) => self.at += 1 + n,
            None => {
                self.issue(start, self.at + 1, "unterminated raw string");
                self.at = self.bytes.len();
            }
        }
        self.token(T::Str, Symbol(0), start);
    }

    /// An identifier or keyword.
    fn word(&mut self) {
        let start = self.at;
        while matches!(self.byte(0), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$') {
            self.at += 1;
        }
        let mut spelled = None;
        if matches!(self.byte(0), b'\\' | 0x80..) {
            spelled = self.extended_word(start);
        }
        if self.at == start {
            return self.stray();
        }
        let symbol = match spelled {
            None => {
                let bytes: &'t [u8] = &self.bytes[start..self.at];
                match self.symbols.get(bytes) {
                    Some(&symbol) => symbol,
                    None => self.intern(Cow::Borrowed(bytes), &String::from_utf8_lossy(bytes)),
                }
            }
            Some(name) => match self.symbols.get(name.as_bytes()) {
                Some(&symbol) => symbol,
                None => self.intern(Cow::Owned(name.clone().into_bytes()), &name),
            },
        };
        let kind = KEYWORDS.get(symbol.0 as usize).map_or(T::Ident, |k| k.1);
        self.token(kind, symbol, start);
    }

    /// Goes on with an identifier over universal character names and UTF-8; its spelling if it has any of them.
    fn extended_word(&mut self, start: usize) -> Option<String> {
        let mut name = String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned();
        let plain = self.at;
        loop {
            let rest = &self.bytes[self.at..];
            let (c, length) = match rest.first() {
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$') => (char::from(rest[0]), 1),
                Some(b'\\') => match universal_name(rest) {
                    Some((c, length)) => (c, length),
                    None => break,
                },
                Some(0x80..) => match first_char(rest) {
                    Some(c) => (c, c.len_utf8()),
                    None => break,
                },
                _ => break,
            };
            if !(c.is_ascii_alphanumeric() || c == '_' || c == '$' || is_identifier_char(c)) {
                break;
            }
            name.push(c);
            self.at += length;
        }
        (self.at > plain).then_some(name)
    }

    /// A byte or character that means nothing: one message for a run of them.
    fn stray(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start..];
        let (length, shown) = match first_char(rest) {
            Some(c) if !c.is_control() => (c.len_utf8(), format!("character '{c}'")),
            _ => (1, format!("byte 0x{:02x}", rest[0])),
        };
        self.at += length;
        if self.stray_end != start {
            self.issue(start, self.at, format!("unexpected {shown}"));
        }
        self.stray_end = self.at;
    }

    fn punctuator(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start..self.bytes.len().min(start + 4)];
        let at = |n: usize| rest.get(n).copied().unwrap_or(0);
        let (kind, length) = match (at(0), at(1), at(2)) {
            (b'.', b'.', b'.') => (T::Ellipsis, 3),
            (b'<', b'<', b'=') => (T::ShlAssign, 3),
            (b'>', b'>', b'=') => (T::ShrAssign, 3),
            (b'<', b':', _) => (T::LBracket, 2),
            (b':', b'>', _) => (T::RBracket, 2),
            (b'<', b'%', _) => (T::LBrace, 2),
            (b'%', b'>', _) => (T::RBrace, 2),
            (b'-', b'>', _) => (T::Arrow, 2),
            (b'+', b'+', _) => (T::Increment, 2),
            (b'-', b'-', _) => (T::Decrement, 2),
            (b'<', b'<', _) => (T::Shl, 2),
            (b'>', b'>', _) => (T::Shr, 2),
            (b'<', b'=', _) => (T::Le, 2),
            (b'>', b'=', _) => (T::Ge, 2),
            (b'=', b'=', _) => (T::EqEq, 2),
            (b'!', b'=', _) => (T::Ne, 2),
            (b'&', b'&', _) => (T::AndAnd, 2),
            (b'|', b'|', _) => (T::OrOr, 2),
            (b'*', b'=', _) => (T::StarAssign, 2),
            (b'/', b'=', _) => (T::SlashAssign, 2),
            (b'%', b'=', _) => (T::PercentAssign, 2),
            (b'+', b'=', _) => (T::PlusAssign, 2),
            (b'-', b'=', _) => (T::MinusAssign, 2),
            (b'&', b'=', _) => (T::AmpAssign, 2),
            (b'^', b'=', _) => (T::CaretAssign, 2),
            (b'|', b'=', _) => (T::PipeAssign, 2),
            (b'(', ..) => (T::LParen, 1),
            (b')', ..) => (T::RParen, 1),
            (b'[', ..) => (T::LBracket, 1),
            (b']', ..) => (T::RBracket, 1),
            (b'{', ..) => (T::LBrace, 1),
            (b'}', ..) => (T::RBrace, 1),
            (b'.', ..) => (T::Dot, 1),
            (b'&', ..) => (T::Amp, 1),
            (b'*', ..) => (T::Star, 1),
            (b'+', ..) => (T::Plus, 1),
            (b'-', ..) => (T::Minus, 1),
            (b'~', ..) => (T::Tilde, 1),
            (b'!', ..) => (T::Bang, 1),
            (b'/', ..) => (T::Slash, 1),
            (b'%', ..) => (T::Percent, 1),
            (b'<', ..) => (T::Lt, 1),
            (b'>', ..) => (T::Gt, 1),
            (b'^', ..) => (T::Caret, 1),
            (b'|', ..) => (T::Pipe, 1),
            (b'?', ..) => (T::Question, 1),
            (b':', ..) => (T::Colon, 1),
            (b';', ..) => (T::Semi, 1),
            (b'=', ..) => (T::Assign, 1),
            (b',', ..) => (T::Comma, 1),
            _ => return self.stray(),
        };
        self.at += length;
        self.token(kind, Symbol(0), start);
        match kind {
            T::LParen | T::LBracket | T::LBrace => {
                self.open += 1;
                self.deepest = self.deepest.max(self.open);
            }
            T::RParen | T::RBracket | T::RBrace => {
                self.open = self.open.saturating_sub(1);
                if kind == T::RParen {
                    self.pragma_operator();
                }
            }
            _ => {}
        }
    }

    /// `_Pragma("…")` that ends here takes effect and leaves no token.
    fn pragma_operator(&mut self) {
        let Some(first) = self.tokens.len().checked_sub(4) else { return };
        let kinds: [T; 4] = std::array::from_fn(|n| self.tokens[first + n].kind);
        if kinds != [T::KwPragma, T::LParen, T::Str, T::RParen] {
            return;
        }
        let (start, end) = (self.tokens[first].start as usize, self.at);
        let string = &self.bytes[self.tokens[first + 2].start as usize..self.tokens[first + 2].end as usize];
        let text = String::from_utf8_lossy(string).replace("\\\"", "\"").replace("\\\\", "\\");
        let text = text.trim_start_matches('L').trim_matches('"').to_owned();
        self.fresh_line = self.tokens[first].starts_line;
        self.tokens.truncate(first);
        self.apply(directive::pragma(&text), start, end);
    }
}

/// A universal character name at the start of a text, with its length.
fn universal_name(text: &[u8]) -> Option<(char, usize)> {
    let digits = match text.get(1) {
        Some(b'u') => 4,
        Some(b'U') => 8,
        _ => return None,
    };
    let written = std::str::from_utf8(text.get(2..2 + digits)?).ok()?;
    if !written.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let c = char::from_u32(u32::from_str_radix(written, 16).ok()?)?;
    Some((c, 2 + digits))
}

/// The UTF-8 character at the start of a text.
pub(super) fn first_char(text: &[u8]) -> Option<char> {
    let window = &text[..text.len().min(4)];
    match std::str::from_utf8(window) {
        Ok(s) => s.chars().next(),
        Err(e) => std::str::from_utf8(&window[..e.valid_up_to()]).ok()?.chars().next(),
    }
}

/// May a character outside ASCII stand in an identifier (annex D of the standard)?
fn is_identifier_char(c: char) -> bool {
    let c = u32::from(c);
    matches!(c,
        0xa8 | 0xaa | 0xad | 0xaf | 0xb2..=0xb5 | 0xb7..=0xba | 0xbc..=0xbe | 0xc0..=0xd6 | 0xd8..=0xf6
        | 0xf8..=0x167f | 0x1681..=0x180d | 0x180f..=0x1fff | 0x200b..=0x200d | 0x202a..=0x202e
        | 0x203f..=0x2040 | 0x2054 | 0x2060..=0x218f | 0x2460..=0x24ff | 0x2776..=0x2793 | 0x2c00..=0x2dff
        | 0x2e80..=0x2fff | 0x3004..=0x3007 | 0x3021..=0x302f | 0x3031..=0xd7ff | 0xf900..=0xfd3d
        | 0xfd40..=0xfdcf | 0xfdf0..=0xfe44 | 0xfe47..=0xfffd)
        || (c >= 0x10000 && c & 0xffff <= 0xfffd && c < 0xf0000)
}
