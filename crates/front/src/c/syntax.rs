//! The syntax of C: from bytes to a tree, without meaning.
//!
//! C17 with the extensions of gcc and clang, read as a compiler reads them: bytes of any encoding, line splices, comments and
//! line markers in the lexer; names of types by scope in the parser. A text is read to its end even if there are errors in
//! it, so that there are several messages at once.

pub mod ast;
mod directive;
mod lexer;
mod number;
mod parser;
mod predefined;
mod scope;
pub mod source;
mod splice;
mod string;
#[cfg(test)]
mod tests;
mod token;

use ast::{Name, Tree};
use bolide_model::Span;
use parser::{MAX_DEPTH, Parser};
use rustc_hash::FxHashSet;
use source::Issue;
use splice::Spliced;

/// A text that has been read.
#[derive(Debug)]
pub struct Parsed {
    /// What it says; where it could not be read there are marks of errors.
    pub tree: Tree,
    /// What is wrong with it, in the order of the text, at most twenty.
    pub issues: Vec<Issue>,
    names: FxHashSet<Name>,
}

impl Parsed {
    /// Is an identifier written anywhere in the text?
    pub fn mentions(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}

pub(super) use source::units;

/// The line that starts a unit.
const UNIT: &[u8] = b"#pragma bolide unit\n";

/// Is this a text that [`join`] made?
pub fn is_joined(text: &[u8]) -> bool {
    units(text).first().is_some_and(|(start, _)| *start > 0)
}

/// Several preprocessed texts with their names as one text, in which each is a unit of its own. The error is the number of a
/// text whose last comment or literal does not end, or in which a unit starts that this function did not write.
pub fn join(parts: &[(&str, &[u8])]) -> Result<Vec<u8>, usize> {
    let mut out = Vec::new();
    for (n, (name, text)) in parts.iter().enumerate() {
        let start = out.len();
        let own = units(text);
        // A text that was joined before brings its own lines.
        if !is_joined(text) {
            if own.len() > 1 {
                return Err(n);
            }
            let name: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            out.extend_from_slice(UNIT);
            out.extend_from_slice(format!("# 1 \"{name}\"\n").as_bytes());
        }
        out.extend_from_slice(text);
        // The first line break ends a line that a splice would carry on.
        out.extend_from_slice(b"\n\n");
        let end = out.len();
        out.extend_from_slice(UNIT);
        if units(&out[start..]).len() != own.len().max(1) + 1 {
            return Err(n);
        }
        out.truncate(end);
    }
    Ok(out)
}

/// Reads a preprocessed text. `base` is added to the offsets of all spans; `typedefs` are names of types that are known
/// before the text begins.
pub fn parse(text: &[u8], base: u32, typedefs: &[&str]) -> Parsed {
    /// What one level of brackets costs the parser at most, with a wide margin.
    const LEVEL: usize = 24 << 10;
    /// What it needs besides.
    const REST: usize = 1 << 20;
    let failed = |message: &str| Parsed {
        tree: Tree::default(),
        issues: vec![Issue { span: Span { start: base, end: base }, message: message.into() }],
        names: FxHashSet::default(),
    };
    if text.len() as u64 + u64::from(base) > u64::from(u32::MAX / 2) {
        return failed("the text is too large");
    }
    let spliced = Spliced::new(text);
    let lexed = lexer::lex(&spliced);
    let stack = REST + (lexed.brackets.min(MAX_DEPTH) + 1) * LEVEL;
    let work = || Parser::new(&spliced, text, base, typedefs, lexed).run();
    let run = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, work);
        thread.ok().map(|thread| thread.join())
    });
    match run {
        None => failed("there is not enough memory to read the text"),
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        Some(Ok((tree, issues, mut names))) => {
            let own = names.split_off(token::KEYWORDS.len());
            Parsed { tree, issues, names: own.into_iter().collect() }
        }
    }
}
