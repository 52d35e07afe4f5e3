//! Lines that start with `#` in a preprocessed text: line markers and pragmas.

use super::splice::splice_length;

/// What a directive says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Directive {
    /// `# 12 "file.c" flags` or `#line 12 "file.c"`: the number of the next line, and its file.
    Line(u32, Option<String>),
    /// `#pragma pack(…)`.
    Pack(Pack),
    /// `#pragma weak name`.
    Weak(String),
    /// `#pragma bolide unit`: another unit of the program starts.
    Unit,
    /// What changes the layout or meaning of what follows and is not supported, by its name.
    Unsupported(String),
    /// Anything that means nothing to a reader of preprocessed text.
    Ignored,
    /// What only a preprocessor understands, by its name.
    Preprocessor(String),
}

/// What `#pragma pack` does.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pack {
    /// Remembers the packing under an optional name and perhaps changes it.
    Push(Option<String>, Option<u64>),
    /// Goes back to what was remembered, by name if there is one, and perhaps changes it.
    Pop(Option<String>, Option<u64>),
    /// Sets the packing; none for the default.
    Set(Option<u64>),
}

/// The packing at each point of a text.
#[derive(Default)]
pub(super) struct Packing {
    current: Option<u64>,
    stack: Vec<(Option<String>, Option<u64>)>,
    /// Changes by offset.
    changes: Vec<(u32, Option<u64>)>,
}

impl Packing {
    /// Applies a pragma at an offset.
    pub fn apply(&mut self, offset: u32, pack: Pack) {
        let changed = match pack {
            Pack::Push(name, n) => {
                self.stack.push((name, self.current));
                n.map(Some)
            }
            Pack::Pop(name, n) => {
                let found = match &name {
                    Some(_) => self.stack.iter().rposition(|s| s.0 == name),
                    None => self.stack.len().checked_sub(1),
                };
                let old = found.map(|at| self.stack.drain(at..).next().and_then(|s| s.1));
                n.map(Some).or(old)
            }
            Pack::Set(n) => Some(n),
        };
        if let Some(value) = changed {
            self.current = value.filter(|n| *n != 0);
            self.changes.push((offset, self.current));
        }
    }

    /// The packing at an offset.
    pub fn at(&self, offset: u32) -> Option<u64> {
        let n = self.changes.partition_point(|c| c.0 <= offset);
        n.checked_sub(1).and_then(|n| self.changes[n].1)
    }
}

/// Reads a directive: what follows `#` up to the end of its line, without splices.
pub(super) fn read(rest: &[u8]) -> Directive {
    let text = String::from_utf8_lossy(rest);
    let mut words = Words { rest: &text };
    match words.next() {
        None => Directive::Ignored,
        Some("pragma") => pragma(words.rest),
        Some("line") => line(words.rest).unwrap_or(Directive::Ignored),
        Some("ident" | "sccs" | "warning") => Directive::Ignored,
        Some(word) if word.starts_with(|c: char| c.is_ascii_digit()) => {
            line(&text).unwrap_or(Directive::Ignored)
        }
        Some(word) => Directive::Preprocessor(word.to_owned()),
    }
}

/// The length of a quoted name at the start of a text, in which comments do not start; up to a splice or the end of the
/// line if it does not end before.
pub(super) fn quoted_length(text: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match text.get(at) {
            Some(b'"') => return at + 1,
            None | Some(b'\n') => return at,
            Some(b'\\') if splice_length(&text[at..]).is_some() => return at,
            Some(b'\\') if at + 1 < text.len() => at += 2,
            Some(_) => at += 1,
        }
    }
}

/// Reads what follows `#pragma`.
pub(super) fn pragma(rest: &str) -> Directive {
    let mut words = Words { rest };
    match words.next() {
        Some("pack") => pack(words).map_or(Directive::Ignored, Directive::Pack),
        Some(name @ ("scalar_storage_order" | "ms_struct" | "options" | "align")) => {
            Directive::Unsupported(format!("#pragma {name}"))
        }
        Some("weak") => match (words.next(), words.next()) {
            (Some(name), None) => Directive::Weak(name.to_owned()),
            (Some(_), Some("=")) => Directive::Unsupported("#pragma weak with another name".into()),
            _ => Directive::Ignored,
        },
        Some("redefine_extname") => Directive::Unsupported("#pragma redefine_extname".into()),
        Some("bolide") if words.next() == Some("unit") => Directive::Unit,
        Some("clang") if words.next() == Some("attribute") => {
            Directive::Unsupported("#pragma clang attribute".into())
        }
        _ => Directive::Ignored,
    }
}

fn pack(mut words: Words<'_>) -> Option<Pack> {
    if words.next() != Some("(") {
        return None;
    }
    let arguments: Vec<&str> = words.take_while(|w| *w != ")").filter(|w| *w != ",").collect();
    let number = |w: &&str| w.parse::<u64>().ok();
    let value = arguments.iter().rev().find_map(number);
    let name = arguments.get(1).filter(|w| number(w).is_none()).map(|w| w.to_string());
    match arguments.first() {
        Some(&"push") => Some(Pack::Push(name, value)),
        Some(&"pop") => Some(Pack::Pop(name, value)),
        None => Some(Pack::Set(None)),
        Some(_) => value.map(|v| Pack::Set(Some(v))),
    }
}

fn line(rest: &str) -> Option<Directive> {
    let rest = rest.trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let mut name = None;
    if let Some(quoted) = rest[digits..].trim_start().strip_prefix('"') {
        let mut text = String::new();
        let mut chars = quoted.chars();
        while let Some(c) = chars.next().filter(|c| *c != '"') {
            text.extend(if c == '\\' { chars.next() } else { Some(c) });
        }
        name = Some(text);
    }
    Some(Directive::Line(number, name))
}

/// Words and single punctuation characters.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\0');
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let end =
            if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        self.rest = &rest[end..];
        Some(&rest[..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_told_apart() {
        assert_eq!(read(b" 12 \"a\\\"b.c\" 2 3"), Directive::Line(12, Some("a\"b.c".into())));
        assert_eq!(read(b"line 7"), Directive::Line(7, None));
        assert_eq!(
            read(b" pragma pack ( push , x, 2 )"),
            Directive::Pack(Pack::Push(Some("x".into()), Some(2)))
        );
        assert_eq!(read(b"pragma pack()"), Directive::Pack(Pack::Set(None)));
        assert_eq!(read(b"pragma GCC poison x"), Directive::Ignored);
        assert_eq!(read(b"pragma weak f"), Directive::Weak("f".into()));
        assert!(matches!(read(b"pragma weak f=g"), Directive::Unsupported(_)));
        assert_eq!(read(b"define X"), Directive::Preprocessor("define".into()));
        assert_eq!(read(b""), Directive::Ignored);
    }

    #[test]
    fn packing_nests() {
        let mut p = Packing::default();
        p.apply(10, Pack::Push(None, Some(1)));
        p.apply(20, Pack::Push(Some("n".into()), None));
        p.apply(30, Pack::Set(Some(4)));
        p.apply(40, Pack::Pop(None, None));
        p.apply(50, Pack::Pop(None, None));
        p.apply(60, Pack::Pop(None, None));
        let seen: Vec<_> = [5, 10, 25, 35, 45, 55, 65].map(|n| p.at(n)).to_vec();
        assert_eq!(seen, [None, Some(1), Some(1), Some(4), Some(1), None, None]);
    }
}
