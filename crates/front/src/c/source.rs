//! The text of a task: what the parser cannot read is blanked out, and offsets map back to file, line and column.

use bolide_model::Span;
use std::fmt;

/// A position in the user's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The file, as line markers name it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A message about the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Where it is.
    pub position: Position,
    /// What is wrong.
    pub message: String,
    /// The line of the text, for display.
    pub source_line: String,
    /// How many characters to underline.
    pub width: usize,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// A message with a span, before it is located.
#[derive(Clone, Debug)]
pub(super) struct Issue {
    pub span: Span,
    pub message: String,
}

/// Deeper texts are refused, so that the stack of the parser can be sized.
const MAX_DEPTH: usize = 20_000;
/// The name that stands for the condition in `a ?: b`.
pub(super) const SAME: &str = "__bolide_same";

/// A text and the way from its offsets to positions.
#[derive(Debug)]
pub struct Source {
    text: String,
    clean: String,
    /// Offsets in the clean text after which something was inserted, with the total inserted so far.
    inserted: Vec<(usize, usize)>,
    /// Offset of each line, and the line number and file it has by the last marker.
    lines: Vec<(usize, u32, u32)>,
    files: Vec<String>,
    /// Changes of the packing by `#pragma pack`, by offset.
    packs: Vec<(usize, Option<u64>)>,
    depth: usize,
}

impl Source {
    /// Reads a text.
    pub fn new(file: &str, text: &str) -> Result<Source, Box<Diagnostic>> {
        let mut source = Source {
            text: text.to_owned(),
            clean: String::new(),
            inserted: Vec::new(),
            lines: Vec::new(),
            files: vec![file.to_owned()],
            packs: Vec::new(),
            depth: 0,
        };
        if text.len() > u32::MAX as usize / 2 {
            return Err(Box::new(
                source.diagnose(Issue { span: Span::default(), message: "the text is too large".into() }),
            ));
        }
        let mut bytes = text.as_bytes().to_vec();
        blank_comments(&mut bytes);
        source.directives(&mut bytes).map_err(|e| Box::new(source.diagnose(e)))?;
        blank_extensions(&mut bytes);
        source.depth = depth(&bytes);
        let clean = source.insert_same(&bytes);
        source.clean = clean;
        source.refuse().map_err(|e| Box::new(source.diagnose(e)))?;
        Ok(source)
    }

    /// Does a text hold directives that only a preprocessor understands?
    pub fn needs_preprocessing(text: &str) -> bool {
        const KNOWN: [&str; 8] = ["include", "define", "undef", "if", "ifdef", "ifndef", "else", "endif"];
        let mut bytes = text.as_bytes().to_vec();
        blank_comments(&mut bytes);
        bytes.split(|&b| b == b'\n').any(|line| {
            let line = String::from_utf8_lossy(line);
            line.trim_start().strip_prefix('#').is_some_and(|rest| {
                KNOWN.contains(&rest.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or(""))
            })
        })
    }

    /// The text for the parser.
    pub(super) fn clean(&self) -> &str {
        &self.clean
    }

    /// A bound on the nesting of the text.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The packing in force at an offset of the clean text.
    pub(super) fn packing(&self, offset: usize) -> Option<u64> {
        let offset = self.original(offset);
        let n = self.packs.partition_point(|p| p.0 <= offset);
        n.checked_sub(1).and_then(|n| self.packs[n].1)
    }

    /// The offset in the user's text of an offset in the clean one.
    fn original(&self, offset: usize) -> usize {
        let n = self.inserted.partition_point(|i| i.0 < offset);
        offset - n.checked_sub(1).map_or(0, |n| self.inserted[n].1)
    }

    /// Where a span starts.
    pub fn position(&self, span: Span) -> Position {
        let offset = self.original(span.start as usize).min(self.text.len());
        let n = self.lines.partition_point(|l| l.0 <= offset).max(1) - 1;
        let (start, line, file) = self.lines.get(n).copied().unwrap_or((0, 1, 0));
        let column = String::from_utf8_lossy(&self.text.as_bytes()[start..offset]).chars().count() as u32 + 1;
        Position { file: self.files[file as usize].clone(), line, column }
    }

    /// Where the last character of a span is.
    pub fn last_position(&self, span: Span) -> Position {
        let last = span.end.saturating_sub(1).max(span.start);
        self.position(Span { start: last, end: last })
    }

    /// Is this a part of the text, and not of the models of library functions behind it?
    pub fn is_own(&self, span: Span) -> bool {
        (span.start as usize) < self.clean.len()
    }

    /// Where the loop starts that has this condition or body: at its keyword.
    pub fn loop_position(&self, span: Span) -> Option<Position> {
        if !self.is_own(span) {
            return None;
        }
        let offset = self.original(span.start as usize).min(self.text.len());
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let bytes = self.text.as_bytes();
        let keyword_at = |n: usize| {
            ["while", "for", "do"].iter().any(|k| {
                let end = n + k.len();
                bytes[n..].starts_with(k.as_bytes())
                    && (n == 0 || !is_word(bytes[n - 1]))
                    && bytes.get(end).is_none_or(|&b| !is_word(b))
            })
        };
        let start = (0..=offset).rev().find(|&n| n < bytes.len() && keyword_at(n))?;
        let shift = span.start as usize - offset;
        Some(self.position(Span { start: (start + shift) as u32, end: (start + shift) as u32 }))
    }

    /// The lines of the text, directives left out: file, number, content.
    pub fn lines(&self) -> impl Iterator<Item = (&str, u32, &str)> {
        let ends = self.lines.iter().skip(1).map(|l| l.0 - 1).chain([self.text.len()]);
        let line = |(&(start, number, file), end): (&(usize, u32, u32), usize)| {
            let content = self.text.get(start..end.max(start)).unwrap_or("").trim_end_matches('\r');
            (self.files[file as usize].as_str(), number, content)
        };
        self.lines.iter().zip(ends).map(line).filter(|l| !l.2.trim_start().starts_with('#'))
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        let from = self.original(span.start as usize).min(self.text.len());
        let to = self.original(span.end as usize).clamp(from, self.text.len());
        self.text.get(from..to).unwrap_or("")
    }

    pub(super) fn diagnose(&self, issue: Issue) -> Diagnostic {
        let position = self.position(issue.span);
        let offset = self.original(issue.span.start as usize).min(self.text.len());
        let bytes = self.text.as_bytes();
        let start = bytes[..offset].iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
        let end = bytes[offset..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| offset + n);
        let stop = self.original(issue.span.end as usize).clamp(offset, end);
        let width = String::from_utf8_lossy(&bytes[offset..stop]).chars().count().max(1);
        let source_line = String::from_utf8_lossy(&bytes[start..end]).into_owned();
        Diagnostic { position, message: issue.message, source_line, width }
    }

    /// Reads and blanks out lines that start with `#`.
    fn directives(&mut self, bytes: &mut [u8]) -> Result<(), Issue> {
        let mut stack = Vec::new();
        let (mut at, mut line, mut file) = (0, 1u32, 0u32);
        let mut pack = None;
        while at <= bytes.len() {
            self.lines.push((at, line, file));
            let end = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n);
            let content = String::from_utf8_lossy(&bytes[at..end]).into_owned();
            line += 1;
            if let Some(rest) = content.trim_start().strip_prefix('#') {
                let span = Span { start: at as u32, end: end as u32 };
                match line_marker(rest) {
                    Some((l, f)) => {
                        line = l;
                        if let Some(f) = f {
                            file = self.file_number(&f);
                        }
                    }
                    None => self.pragma(rest, span, &mut stack, &mut pack)?,
                }
                bytes[at..end].iter_mut().for_each(|b| *b = b' ');
            }
            at = end + 1;
        }
        Ok(())
    }

    fn file_number(&mut self, name: &str) -> u32 {
        let found = self.files.iter().position(|f| f == name);
        found.unwrap_or_else(|| {
            self.files.push(name.to_owned());
            self.files.len() - 1
        }) as u32
    }

    fn pragma(
        &mut self,
        directive: &str,
        span: Span,
        stack: &mut Vec<Option<u64>>,
        pack: &mut Option<u64>,
    ) -> Result<(), Issue> {
        let words: Vec<&str> =
            directive.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        match words[..] {
            ["pragma", "pack", ref args @ ..] => {
                let number = args.iter().find_map(|a| a.parse().ok());
                match args.first() {
                    Some(&"push") => {
                        stack.push(*pack);
                        *pack = number.or(*pack);
                    }
                    Some(&"pop") => *pack = stack.pop().flatten(),
                    _ => *pack = number,
                }
                self.packs.push((span.end as usize, *pack));
            }
            [] | ["pragma" | "ident" | "line" | "include", ..] => {}
            [word, ..] => {
                let message = format!("directive '#{word}' in a text that was not preprocessed");
                return Err(Issue { span, message });
            }
        }
        Ok(())
    }

    /// Writes `a ?: b` as `a ? SAME : b`.
    fn insert_same(&mut self, bytes: &[u8]) -> String {
        let mut out = Vec::with_capacity(bytes.len());
        let mut total = 0;
        for_each_token(bytes, |at, token| {
            let _ = at;
            if token == b"?" && next_token(bytes, at + 1) == Some(b":") {
                out.push(at);
            }
        });
        let mut clean = Vec::with_capacity(bytes.len() + out.len() * 16);
        let mut from = 0;
        for at in out {
            clean.extend_from_slice(&bytes[from..=at]);
            self.inserted.push((clean.len(), total + SAME.len() + 2));
            clean.extend_from_slice(format!(" {SAME} ").as_bytes());
            total += SAME.len() + 2;
            from = at + 1;
        }
        clean.extend_from_slice(&bytes[from..]);
        String::from_utf8_lossy(&clean).into_owned()
    }

    /// Names what the parser would only call a syntax error.
    fn refuse(&self) -> Result<(), Issue> {
        let fail = |at: usize, len: usize, message: String| {
            Err(Issue { span: Span { start: at as u32, end: (at + len) as u32 }, message })
        };
        let bytes = self.clean.as_bytes();
        if self.depth > MAX_DEPTH {
            return fail(0, 1, format!("the text is nested more than {MAX_DEPTH} levels deep"));
        }
        let mut bad = None;
        for_each_token(bytes, |at, token| {
            if bad.is_none() && matches!(token, b"__int128" | b"__int128_t" | b"__uint128_t" | b"_Imaginary")
            {
                bad = Some((at, String::from_utf8_lossy(token).into_owned()));
            }
        });
        match bad {
            Some((at, name)) => fail(at, name.len(), format!("unsupported: '{name}'")),
            None => Ok(()),
        }
    }
}

/// `# 12 "file.c" flags` or `#line 12 "file.c"`.
fn line_marker(rest: &str) -> Option<(u32, Option<String>)> {
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let line = rest[..digits].parse().ok()?;
    let name = rest[digits..].trim_start().strip_prefix('"').and_then(|r| r.split('"').next());
    Some((line, name.map(str::to_owned)))
}

fn blank(bytes: &mut [u8], from: usize, to: usize) {
    let to = to.min(bytes.len());
    bytes[from..to].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
}

/// The end of a string or character literal that starts at an offset.
fn literal_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// Blanks out comments, form feeds and joined lines.
fn blank_comments(bytes: &mut [u8]) {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' | b'\'' => at = literal_end(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end =
                    bytes[at + 2..].windows(2).position(|w| w == b"*/").map_or(bytes.len(), |n| at + n + 4);
                blank(bytes, at, end);
                at = end;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let end = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n);
                blank(bytes, at, end);
                at = end;
            }
            b'\r' | 0x0c => {
                bytes[at] = b' ';
                at += 1;
            }
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => {
                bytes[at] = b' ';
                at += 1;
            }
            _ => at += 1,
        }
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80
}

/// Calls a closure with every token and its offset; punctuation comes one character at a time.
fn for_each_token<'a>(bytes: &'a [u8], mut f: impl FnMut(usize, &'a [u8])) {
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'"' | b'\'' => at = literal_end(bytes, at),
            b if is_word(b) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
            }
            _ => at += 1,
        }
        f(start, &bytes[start..at]);
    }
}

fn next_token(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let start = at + bytes[at..].iter().position(|b| !b.is_ascii_whitespace())?;
    let len =
        if is_word(bytes[start]) { bytes[start..].iter().take_while(|&&b| is_word(b)).count() } else { 1 };
    Some(&bytes[start..start + len])
}

/// The offset after the parenthesis that closes the one that follows `at`.
fn closing(bytes: &[u8], at: usize) -> Option<usize> {
    let mut level = 0;
    let mut end = None;
    for_each_token(&bytes[at..], |offset, token| match token {
        _ if end.is_some() => {}
        b"(" => level += 1,
        b")" => {
            level -= 1;
            if level == 0 {
                end = Some(at + offset + 1);
            }
        }
        _ => {}
    });
    end
}

/// Blanks out attributes of statements, assembler at file level, `__thread` and `__extension__` in odd places.
fn blank_extensions(bytes: &mut [u8]) {
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    {
        let bytes = &*bytes;
        let (mut level, mut previous): (i64, &[u8]) = (0, b";");
        let mut skip_until = 0;
        for_each_token(bytes, |at, token| {
            if at < skip_until {
                return;
            }
            let fresh = matches!(previous, b";" | b"}" | b"{" | b":");
            match token {
                b"{" => level += 1,
                b"}" => level -= 1,
                b"__thread" => cuts.push((at, at + token.len())),
                b"asm" | b"__asm__" | b"__asm" if level == 0 && fresh => {
                    let end = nearby_closing(bytes, at);
                    cuts.push((at, end));
                    skip_until = end;
                    return;
                }
                b"__attribute__" | b"__attribute" if fresh && level > 0 => {
                    let end = nearby_closing(bytes, at);
                    if next_token(bytes, end) == Some(b";") || previous == b":" {
                        cuts.push((at, end));
                        skip_until = end;
                        return;
                    }
                }
                _ => {}
            }
            previous = token;
        });
    }
    for (from, to) in cuts {
        blank(bytes, from, to);
    }
}

/// As [`closing`], looking only at the next few thousand bytes so that the scan stays linear.
fn nearby_closing(bytes: &[u8], at: usize) -> usize {
    let window = &bytes[..bytes.len().min(at + (1 << 14))];
    closing(window, at).unwrap_or(at)
}

/// A bound on the depth of the syntax tree: open brackets, and in each the operators, keywords and alternatives since
/// the statement began.
fn depth(bytes: &[u8]) -> usize {
    let mut open: Vec<usize> = vec![0];
    let (mut total, mut max) = (0usize, 0usize);
    let mut statement_ended = false;
    for_each_token(bytes, |_, token| {
        if std::mem::take(&mut statement_ended) && token != b"else" {
            let top = open.last_mut().expect("the outermost level is never closed");
            total -= std::mem::take(top);
        }
        match token {
            b"(" | b"[" | b"{" => {
                open.push(1);
                total += 1;
            }
            b")" | b"]" | b"}" => {
                if open.len() > 1 {
                    total -= open.pop().unwrap_or(0);
                }
                statement_ended = token == b"}";
            }
            b";" => statement_ended = true,
            b"," | b"." => {}
            t if !is_word(t[0])
                || matches!(
                    t,
                    b"if" | b"else" | b"while" | b"for" | b"do" | b"switch" | b"sizeof" | b"case"
                ) =>
            {
                *open.last_mut().expect("the outermost level is never closed") += 1;
                total += 1;
            }
            _ => {}
        }
        max = max.max(total);
    });
    max
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_follow_line_markers() {
        let s = Source::new("a.c", "int x; /* c */\n# 40 \"b.h\" 1\nint y;\n  int z;\n").unwrap();
        assert_eq!(s.clean().len(), 44);
        let at = |needle: &str| {
            let start = s.clean().find(needle).unwrap() as u32;
            s.position(Span { start, end: start + 1 }).to_string()
        };
        assert_eq!((at("x"), at("y"), at("z")), ("a.c:1:5".into(), "b.h:40:5".into(), "b.h:41:7".into()));
    }

    #[test]
    fn the_short_conditional_keeps_positions() {
        let s = Source::new("a.c", "int f(int a) { return a ?: 7; }").unwrap();
        assert!(s.clean().contains(&format!("? {SAME} :")));
        let start = s.clean().find('7').unwrap() as u32;
        assert_eq!(s.position(Span { start, end: start + 1 }).column, 28);
    }

    #[test]
    fn depth_is_bounded_by_nesting_not_by_length() {
        let flat = "int f() { if (x) y = 1; else y = 2; }\n".repeat(1000);
        assert!(depth(flat.as_bytes()) < 20);
        let deep = format!("int x = {}1{};", "(".repeat(500), ")".repeat(500));
        assert!(depth(deep.as_bytes()) >= 500);
        let chain = format!("void f() {{ {} ; }}", "if (a) b(); else ".repeat(300));
        assert!(depth(chain.as_bytes()) >= 300);
    }

    #[test]
    fn unpreprocessed_text_is_recognised() {
        assert!(Source::needs_preprocessing("#include <stdio.h>\n"));
        assert!(!Source::needs_preprocessing("# 1 \"x.c\"\n#pragma pack(1)\nint x;\n/*\n#define A\n*/"));
        let e = Source::new("a.c", "int x;\n#define A 1\n").unwrap_err();
        assert_eq!(e.to_string(), "a.c:2:1: directive '#define' in a text that was not preprocessed");
    }
}
