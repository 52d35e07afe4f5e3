//! The text of a task: offsets map to file, line and column through line markers.

use super::directive::{self, Directive};
use super::predefined;
use super::splice::splice_length;
use bolide_model::Span;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
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

/// So many characters of a line are shown with a message.
const SHOWN: usize = 200;

/// A character as it is shown: a text that is not to be trusted must not control the terminal.
fn harmless(c: char) -> char {
    if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }
}

impl Diagnostic {
    /// The message as compilers print it, with the place in its line.
    pub fn with_line(&self) -> String {
        let column = self.position.column.saturating_sub(1) as usize;
        let start = column.saturating_sub(SHOWN / 2);
        let line: String =
            self.source_line.trim_end().chars().skip(start).take(SHOWN).map(harmless).collect();
        let message: String = self.message.chars().map(|c| if c == '\n' { c } else { harmless(c) }).collect();
        let before = line.chars().take(column - start);
        let blank: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        format!("{}: error: {message}\n  {line}\n  {blank}^", self.position)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// A message with a span, before it is located.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issue {
    /// Where it is.
    pub span: Span,
    /// What is wrong.
    pub message: String,
}

/// A line of the text.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// The offset of its first byte.
    start: usize,
    /// Its number by the last marker.
    number: u32,
    /// Its file, by index.
    file: u32,
    /// Is it a directive, or a part of one?
    is_directive: bool,
}

/// A text and the way from its offsets to positions.
#[derive(Debug)]
pub struct Source {
    text: Vec<u8>,
    lines: Vec<Line>,
    files: Vec<String>,
}

impl Source {
    /// A text of any encoding. `file` is its name until a line marker says otherwise.
    pub fn new(file: &str, text: impl AsRef<[u8]>) -> Source {
        let text = text.as_ref().to_vec();
        let mut lines = Vec::new();
        let mut files = vec![file.to_owned()];
        let mut numbers: FxHashMap<String, u32> = FxHashMap::from_iter([(file.to_owned(), 0)]);
        let (mut line, mut file) = (1u32, 0u32);
        // The number and file of the line after a marker, and the end of the directive.
        let mut pending = None;
        let mut directive_end = 0;
        each_line(&text, |start, directive| {
            if let Some((next, next_file)) = pending.take_if(|_| start >= directive_end) {
                line = next;
                file = next_file;
            }
            lines.push(Line {
                start,
                number: line,
                file,
                is_directive: directive.is_some() || start < directive_end,
            });
            line = line.saturating_add(1);
            if let Some((content, end)) = directive {
                directive_end = end;
                if let Directive::Line(number, name) = directive::read(&content) {
                    let number_of = |name: String| {
                        *numbers.entry(name).or_insert_with_key(|name| {
                            files.push(name.clone());
                            files.len() as u32 - 1
                        })
                    };
                    pending = Some((number, name.map_or(file, number_of)));
                }
            }
        });
        Source { text, lines, files }
    }

    /// Does a text hold directives that only a preprocessor understands, or macros that only compilers define?
    pub fn needs_preprocessing(text: impl AsRef<[u8]>) -> bool {
        let mut found = false;
        each_line(text.as_ref(), |_, directive| {
            found |=
                directive.is_some_and(|(d, _)| matches!(directive::read(&d), Directive::Preprocessor(_)));
        });
        found || predefined::is_mentioned(text.as_ref())
    }

    /// The text.
    pub fn bytes(&self) -> &[u8] {
        &self.text
    }

    fn line_at(&self, offset: usize) -> Line {
        let n = self.lines.partition_point(|l| l.start <= offset).saturating_sub(1);
        self.lines.get(n).copied().unwrap_or(Line { start: 0, number: 1, file: 0, is_directive: false })
    }

    /// Where a span starts.
    pub fn position(&self, span: Span) -> Position {
        let offset = (span.start as usize).min(self.text.len());
        let line = self.line_at(offset);
        let column = characters(&self.text[line.start..offset]) as u32 + 1;
        Position { file: self.files[line.file as usize].clone(), line: line.number, column }
    }

    /// Where the last character of a span is.
    pub fn last_position(&self, span: Span) -> Position {
        let last = span.end.saturating_sub(1).max(span.start);
        self.position(Span { start: last, end: last })
    }

    /// Is this a part of the text, and not of the models of library functions behind it?
    pub fn is_own(&self, span: Span) -> bool {
        (span.start as usize) < self.text.len()
    }

    /// Where the loop starts that has this condition or body: at its keyword.
    pub fn loop_position(&self, span: Span) -> Option<Position> {
        if !self.is_own(span) {
            return None;
        }
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
        let bytes = &self.text;
        let keyword_at = |n: usize| {
            ["while", "for", "do"].iter().any(|k| {
                let end = n + k.len();
                bytes[n..].starts_with(k.as_bytes())
                    && (n == 0 || !is_word(bytes[n - 1]))
                    && bytes.get(end).is_none_or(|&b| !is_word(b))
            })
        };
        let start = (0..=span.start as usize).rev().find(|&n| keyword_at(n))? as u32;
        Some(self.position(Span { start, end: start }))
    }

    /// The lines of the text, directives left out: file, number, content.
    pub fn lines(&self) -> impl Iterator<Item = (&str, u32, Cow<'_, str>)> {
        let ends = self.lines.iter().skip(1).map(|l| l.start - 1).chain([self.text.len()]);
        self.lines.iter().zip(ends).filter(|(line, _)| !line.is_directive).map(|(line, end)| {
            let content = &self.text[line.start..end.max(line.start)];
            let content = content.strip_suffix(b"\r").unwrap_or(content);
            (self.files[line.file as usize].as_str(), line.number, String::from_utf8_lossy(content))
        })
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> Cow<'_, str> {
        let from = (span.start as usize).min(self.text.len());
        let to = (span.end as usize).clamp(from, self.text.len());
        String::from_utf8_lossy(&self.text[from..to])
    }

    /// A message with its position and line.
    pub fn diagnose(&self, issue: Issue) -> Diagnostic {
        let offset = (issue.span.start as usize).min(self.text.len());
        let start = self.line_at(offset).start;
        let end =
            self.text[offset..].iter().position(|&b| b == b'\n').map_or(self.text.len(), |n| offset + n);
        let stop = (issue.span.end as usize).clamp(offset, end);
        let width = characters(&self.text[offset..stop]).max(1);
        let line = &self.text[start..end];
        let source_line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned();
        Diagnostic { position: self.position(issue.span), message: issue.message, source_line, width }
    }
}

/// The units of a text, with their offsets: each starts behind a line `#pragma bolide unit`. What stands before the first
/// such line is a unit of its own, unless it is blank.
pub(in crate::c) fn units(text: &[u8]) -> Vec<(u32, &[u8])> {
    let mut starts = vec![(0, 0)];
    each_line(text, |start, directive| {
        if let Some((_, end)) = directive.filter(|(d, _)| directive::read(d) == Directive::Unit) {
            starts.push((start, end));
        }
    });
    let ends = starts.iter().skip(1).map(|s| s.0).chain([text.len()]);
    let units = starts.iter().zip(ends).map(|(&(_, from), to)| (from as u32, &text[from..to]));
    let is_only = starts.len() == 1;
    units
        .enumerate()
        .filter(|(n, (_, text))| *n > 0 || is_only || !text.trim_ascii().is_empty())
        .map(|u| u.1)
        .collect()
}

/// The number of characters in bytes that may not be UTF-8.
fn characters(bytes: &[u8]) -> usize {
    if bytes.is_ascii() { bytes.len() } else { String::from_utf8_lossy(bytes).chars().count() }
}

/// Calls a function with the start of every line, and with the directive that starts on it: what follows `#`, without
/// splices and comments, and the offset of its end. Lines inside comments and literals start no directive.
fn each_line<'t>(text: &'t [u8], mut visit: impl FnMut(usize, Option<(Cow<'t, [u8]>, usize)>)) {
    let mut at = 0;
    let mut fresh = true;
    let mut line = Some(0);
    // The start of a line is told when it is known whether a directive stands on it.
    while at < text.len() {
        let b = text[at];
        match b {
            b'\n' => {
                if let Some(start) = line.take() {
                    visit(start, None);
                }
                at += 1;
                line = Some(at);
                fresh = true;
                continue;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => at += 1,
            b'\\' => match splice_length(&text[at..]) {
                Some(length) => {
                    if let Some(start) = line.take() {
                        visit(start, None);
                    }
                    at += length;
                    line = Some(at);
                }
                None => {
                    fresh = false;
                    at += 1;
                }
            },
            b'/' if text.get(at + 1) == Some(&b'*') => {
                let end = comment_end(text, at);
                line = lines_within(text, at, end, line, &mut visit);
                at = end;
            }
            b'/' if text.get(at + 1) == Some(&b'/') => {
                let end = spliced_line_end(text, at);
                line = lines_within(text, at, end, line, &mut visit);
                at = end;
            }
            b'#' if fresh => at = directive_line(text, at, 1, &mut line, &mut visit),
            b'%' if fresh && text.get(at + 1) == Some(&b':') => {
                at = directive_line(text, at, 2, &mut line, &mut visit);
            }
            b'"' | b'\'' => {
                fresh = false;
                // A separator of digits is no quote.
                let is_separator = b == b'\''
                    && at > 0
                    && text[at - 1].is_ascii_hexdigit()
                    && text.get(at + 1).is_some_and(u8::is_ascii_hexdigit)
                    && in_number(text, at);
                let end = match (is_separator, raw_end(text, at)) {
                    (true, _) => at + 1,
                    (_, Some(end)) => end,
                    _ => literal_end(text, at),
                };
                line = lines_within(text, at, end, line, &mut visit);
                at = end;
            }
            _ => {
                fresh = false;
                at += 1;
            }
        }
    }
    if let Some(start) = line {
        visit(start, None);
    }
}

/// Tells of the lines that start inside a stretch, none of which is a directive. Returns the one not yet told.
fn lines_within<'t>(
    text: &[u8],
    from: usize,
    to: usize,
    mut line: Option<usize>,
    visit: &mut impl FnMut(usize, Option<(Cow<'t, [u8]>, usize)>),
) -> Option<usize> {
    let breaks = text[from..to].iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(n, _)| from + n + 1);
    for start in breaks {
        if let Some(previous) = line.replace(start) {
            visit(previous, None);
        }
    }
    line
}

/// Tells of a directive and of the lines that it goes over. Returns where it ends: at the end of its line.
fn directive_line<'t>(
    text: &'t [u8],
    at: usize,
    marker: usize,
    line: &mut Option<usize>,
    visit: &mut impl FnMut(usize, Option<(Cow<'t, [u8]>, usize)>),
) -> usize {
    let from = at + marker;
    let mut end = from;
    let mut content: Option<Vec<u8>> = None;
    while end < text.len() && text[end] != b'\n' {
        let rest = &text[end..];
        let length = if rest[0] == b'"' { directive::quoted_length(rest) } else { 1 };
        let skipped = match rest[0] {
            b'\\' => splice_length(rest),
            b'/' if rest.get(1) == Some(&b'*') => Some(comment_end(text, end) - end),
            b'/' if rest.get(1) == Some(&b'/') => Some(spliced_line_end(text, end) - end),
            _ => None,
        };
        match skipped {
            Some(length) => {
                content.get_or_insert_with(|| text[from..end].to_vec());
                end += length;
            }
            None => {
                if let Some(content) = &mut content {
                    content.extend_from_slice(&rest[..length]);
                }
                end += length;
            }
        }
    }
    let content = content.map_or(Cow::Borrowed(&text[from..end]), Cow::Owned);
    if let Some(start) = line.take() {
        visit(start, Some((content, end)));
    }
    *line = lines_within(text, at, end, None, visit);
    end
}

/// The end of a comment `/* … */`.
pub(super) fn comment_end(text: &[u8], at: usize) -> usize {
    text[at + 2..].windows(2).position(|w| w == b"*/").map_or(text.len(), |n| at + n + 4)
}

/// The end of a line that splices may carry on.
pub(super) fn spliced_line_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < text.len() && text[at] != b'\n' {
        at += if text[at] == b'\\' { splice_length(&text[at..]).unwrap_or(1) } else { 1 };
    }
    at
}

/// The end of a literal; that of its line if it has none.
pub(super) fn literal_end(text: &[u8], at: usize) -> usize {
    let quote = text[at];
    let mut end = at + 1;
    while end < text.len() {
        match text[end] {
            b if b == quote => return end + 1,
            b'\n' => return end,
            b'\\' => end += splice_length(&text[end..]).unwrap_or(2),
            _ => end += 1,
        }
    }
    text.len()
}

/// The end of a raw string whose quote stands here; that of the text if it has none.
pub(super) fn raw_end(text: &[u8], at: usize) -> Option<usize> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
    if text[at] != b'"' || at == 0 || text[at - 1] != b'R' {
        return None;
    }
    let before = text[..at - 1].iter().rev().take(3).take_while(|b| is_word(**b)).count();
    if !matches!(&text[at - 1 - before..at - 1], b"" | b"L" | b"u" | b"U" | b"u8") {
        return None;
    }
    let rest = &text[at + 1..];
    let delimiter = rest.iter().take(17).position(|&b| b == b'(');
    let closing = delimiter.map(|n| [b")", &rest[..n], b"\""].concat());
    let found = closing.and_then(|c| rest.windows(c.len()).position(|w| w == c).map(|n| n + c.len()));
    Some(found.map_or(text.len(), |n| at + 1 + n))
}

/// Does a number stand before an offset?
fn in_number(text: &[u8], at: usize) -> bool {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'\'');
    let length = text[..at].iter().rev().take(64).take_while(|b| is_part(b)).count();
    text[at - length].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(source: &Source, needle: &str) -> String {
        let start = source.text.windows(needle.len()).position(|w| w == needle.as_bytes()).unwrap() as u32;
        source.position(Span { start, end: start + 1 }).to_string()
    }

    #[test]
    fn positions_follow_line_markers() {
        let s = Source::new("a.c", "int x; /* c */\n# 40 \"b.h\" 1\nint y;\n  int z;\n#line 7\nw\n");
        assert_eq!(
            (at(&s, "x"), at(&s, "y"), at(&s, "z")),
            ("a.c:1:5".into(), "b.h:40:5".into(), "b.h:41:7".into())
        );
        assert_eq!(at(&s, "w"), "b.h:7:1");
        let lines: Vec<_> = s.lines().map(|(f, n, t)| format!("{f}:{n}:{t}")).collect();
        assert_eq!(lines, ["a.c:1:int x; /* c */", "b.h:40:int y;", "b.h:41:  int z;", "b.h:7:w", "b.h:8:"]);
    }

    #[test]
    fn columns_count_characters_of_any_encoding() {
        let s = Source::new("a.c", b"/* \xc3\xa4 \xe4 */ x\r\ny".as_slice());
        assert_eq!((at(&s, "x"), at(&s, "y")), ("a.c:1:11".into(), "a.c:2:1".into()));
        let d = s.diagnose(Issue { span: Span { start: 11, end: 99 }, message: "m".into() });
        assert_eq!((d.position.column, d.width, d.to_string().as_str()), (11, 2, "a.c:1:11: m"));
    }

    #[test]
    fn splices_and_literals_hide_directives() {
        let s = Source::new(
            "a.c",
            "char *s = \"a\\\n# 5\";\n/*\n# 9\n*/ x // \\\n# 3\ny\n#pra\\\ngma z\nv 1'0 #\nw",
        );
        assert_eq!(
            (at(&s, "x"), at(&s, "y"), at(&s, "w")),
            ("a.c:5:4".into(), "a.c:7:1".into(), "a.c:11:1".into())
        );
        assert!(!s.lines().any(|l| l.2.contains("gma")));
    }

    #[test]
    fn unpreprocessed_text_is_recognised() {
        assert!(Source::needs_preprocessing("#include <stdio.h>\n"));
        assert!(Source::needs_preprocessing("  %: def\\\nine X\n"));
        assert!(!Source::needs_preprocessing("# 1 \"/a/*.h\"\n#pragma x \"\\\\\ny\n#ident \"a\n"));
        assert!(!Source::needs_preprocessing("# 1 \"x.c\"\n#pragma pack(1)\nint x;\n/*\n#define A\n*/"));
        assert!(Source::needs_preprocessing("typedef __SIZE_TYPE__ size;\n"));
        assert!(Source::needs_preprocessing("int x = 1'000 + 'a' + __INT_MAX__;\n"));
    }
}
