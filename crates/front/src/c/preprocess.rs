//! A C preprocessor that starts no program: for the checker of certificates, which compares what it makes of a file with the text that
//! somebody else's preprocessor made.
//!
//! It knows macros, conditionals and inclusion of files by name. Whatever depends on the machine or the compiler (headers of the
//! system, predefined macros, the time) it refuses to say anything about: then the preprocessor has to be named.

mod condition;
mod expand;
mod token;

pub use token::{Token, tokens};

use expand::{Macro, Macros};
use std::fmt;
use token::Kind;

/// Files may include each other so deeply.
const DEEPEST: usize = 100;
/// A text with more tokens than this is refused.
const MOST_TOKENS: usize = 20_000_000;

/// Macros that compilers define although nobody asked, besides those of the form `__NAME__`.
const PREDEFINED: [&str; 36] = [
    "linux",
    "unix",
    "i386",
    "__linux",
    "__linux__",
    "__unix",
    "__unix__",
    "__gnu_linux__",
    "__x86_64",
    "__x86_64__",
    "__amd64",
    "__amd64__",
    "__i386",
    "__i386__",
    "__i486__",
    "__i586__",
    "__i686__",
    "__k8",
    "__k8__",
    "__code_model_small__",
    "__pic__",
    "__pie__",
    "__clang__",
    "__llvm__",
    "__apple_build_version__",
    "__aarch64__",
    "__arm__",
    "__riscv",
    "__i686",
    "__pentiumpro",
    "_LP64",
    "_ILP32",
    "_FORTIFY_SOURCE",
    "_OPENMP",
    "_REENTRANT",
    "_STDC_PREDEF_H",
];

/// How names of macros begin that compilers define, and nobody else.
const PREDEFINED_FAMILIES: [&str; 10] = [
    "__ATOMIC_",
    "__FP_FAST_",
    "__GCC_",
    "__GNUC_",
    "__GXX_",
    "__HAVE_",
    "__INT",
    "__PRAGMA_",
    "__SEG_",
    "__UINT",
];

/// Is this a name that a compiler may have defined?
fn is_predefined(name: &str) -> bool {
    let inner = name.strip_prefix("__").and_then(|n| n.strip_suffix("__"));
    let is_upper = |n: &str| n.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    inner.is_some_and(|n| !n.is_empty() && is_upper(n))
        || PREDEFINED.contains(&name)
        || PREDEFINED_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// The file that a line marker such as `# 12 "name.h" 1 3` names.
pub fn marked_file(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().strip_prefix('"')?;
    let mut name = String::new();
    let mut characters = rest.chars();
    loop {
        match characters.next()? {
            '"' => return (!name.starts_with('<')).then_some(name),
            '\\' => name.push(characters.next()?),
            other => name.push(other),
        }
    }
}

/// What a file is after preprocessing.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The contents of the files that were included, each once, in the order in which they were met.
    pub included: Vec<Vec<u8>>,
}

/// Why a text is not preprocessed here: it is malformed, or it depends on the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw(String);

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Flaw {}

impl From<&str> for Flaw {
    fn from(what: &str) -> Flaw {
        Flaw(what.into())
    }
}

impl From<String> for Flaw {
    fn from(what: String) -> Flaw {
        Flaw(what)
    }
}

/// Finds a file that another one includes by name in quotation marks: its path, and its contents. The path of the file that is
/// preprocessed is empty.
pub type Load<'a> = &'a mut dyn FnMut(&str, &str) -> Option<(String, Vec<u8>)>;

/// Preprocesses a file, or says why that takes a preprocessor that knows the machine.
pub fn preprocess(text: &[u8], load: Load<'_>) -> Result<Preprocessed, Flaw> {
    let mut state =
        State { macros: Macros::default(), out: Vec::new(), included: Vec::new(), seen: Vec::new(), load };
    state.file(text, "", 0)?;
    Ok(Preprocessed { tokens: state.out, included: state.included })
}

struct State<'a> {
    macros: Macros,
    out: Vec<Token>,
    included: Vec<Vec<u8>>,
    /// The paths of the files that were included.
    seen: Vec<String>,
    load: Load<'a>,
}

/// A conditional that has begun.
struct Group {
    /// Is the text around it read?
    outer: bool,
    /// Is the text in it read now?
    active: bool,
    /// Has one of its groups been read?
    taken: bool,
    has_else: bool,
}

impl State<'_> {
    fn file(&mut self, text: &[u8], path: &str, depth: usize) -> Result<(), Flaw> {
        if depth > DEEPEST {
            return Err("files include each other too deeply".into());
        }
        let lines = token::lines(text)?;
        let mut groups: Vec<Group> = Vec::new();
        let mut run: Vec<Token> = Vec::new();
        for line in lines {
            let active = groups.last().is_none_or(|g| g.active);
            if line.first().is_none_or(|t| t.text != "#") {
                if active {
                    run.extend(line);
                }
                continue;
            }
            let name = line.get(1).map_or("", |t| t.text.as_str());
            let rest = line.get(2..).unwrap_or(&[]);
            if self.conditional(name, rest, active, &mut groups)? || !active {
                // What was collected stays where it is: a call of a macro does not reach over a directive.
                self.flush(&mut run)?;
                continue;
            }
            self.flush(&mut run)?;
            match name {
                "" => {}
                "define" => self.define(rest)?,
                "undef" => {
                    let name = single_name(rest)?;
                    self.macros.remove(name);
                }
                "include" => self.include(rest, path, depth)?,
                other => return Err(format!("`#{other}` needs a preprocessor").into()),
            }
        }
        self.flush(&mut run)?;
        match groups.is_empty() {
            true => Ok(()),
            false => Err("a conditional has no `#endif`".into()),
        }
    }

    /// Expands what was collected.
    fn flush(&mut self, run: &mut Vec<Token>) -> Result<(), Flaw> {
        let expanded = self.macros.expand(std::mem::take(run))?;
        if let Some(t) = expanded.iter().find(|t| t.kind == Kind::Name && is_predefined(&t.text)) {
            return Err(format!("`{}` is defined by the compiler", t.text).into());
        }
        self.out.extend(expanded);
        match self.out.len() <= MOST_TOKENS {
            true => Ok(()),
            false => Err("the text is too long".into()),
        }
    }

    /// Deals with a directive that is part of a conditional; false if it is none.
    fn conditional(
        &self,
        name: &str,
        rest: &[Token],
        active: bool,
        groups: &mut Vec<Group>,
    ) -> Result<bool, Flaw> {
        match name {
            "if" | "ifdef" | "ifndef" => {
                let holds = match (active, name) {
                    (false, _) => false,
                    (true, "if") => self.condition(rest)?,
                    (true, _) => self.is_defined(single_name(rest)?)? == (name == "ifdef"),
                };
                groups.push(Group { outer: active, active: active && holds, taken: holds, has_else: false });
            }
            "elif" | "else" | "endif" => {
                let Some(group) = groups.last_mut() else {
                    return Err(format!("`#{name}` without `#if`").into());
                };
                match name {
                    "endif" => _ = groups.pop(),
                    _ if group.has_else => return Err(format!("`#{name}` after `#else`").into()),
                    "else" => {
                        group.has_else = true;
                        group.active = group.outer && !group.taken;
                        group.taken = true;
                    }
                    _ => {
                        let holds = group.outer && !group.taken && self.condition(rest)?;
                        group.active = holds;
                        group.taken |= holds;
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn is_defined(&self, name: &str) -> Result<bool, Flaw> {
        // A name that is reserved for compilers and headers may be defined elsewhere.
        let mut first = name.bytes();
        let is_reserved =
            first.next() == Some(b'_') && first.next().is_some_and(|b| b == b'_' || b.is_ascii_uppercase());
        match self.macros.contains(name) {
            true => Ok(true),
            false if is_reserved || is_predefined(name) => {
                Err(format!("whether `{name}` is defined depends on the compiler").into())
            }
            false => Ok(false),
        }
    }

    fn condition(&self, rest: &[Token]) -> Result<bool, Flaw> {
        let mut replaced = Vec::with_capacity(rest.len());
        let mut at = 0;
        while let Some(t) = rest.get(at) {
            at += 1;
            if t.text != "defined" {
                replaced.push(t.clone());
                continue;
            }
            let has_parenthesis = rest.get(at).is_some_and(|t| t.text == "(");
            at += usize::from(has_parenthesis);
            let name = rest.get(at).filter(|t| t.kind == Kind::Name).ok_or("`defined` needs a name")?;
            at += 1;
            if has_parenthesis && rest.get(at).is_none_or(|t| t.text != ")") {
                return Err("`defined` needs a name".into());
            }
            at += usize::from(has_parenthesis);
            let value = if self.is_defined(&name.text)? { "1" } else { "0" };
            replaced.push(Token::number(value));
        }
        let expanded = self.macros.expand(replaced)?;
        if expanded.iter().any(|t| t.text == "defined") {
            return Err("a macro has `defined` in it".into());
        }
        for t in expanded.iter().filter(|t| t.kind == Kind::Name) {
            self.is_defined(&t.text)?;
        }
        condition::holds(&expanded)
    }

    fn define(&mut self, rest: &[Token]) -> Result<(), Flaw> {
        let (name, definition) = Macro::read(rest)?;
        if is_predefined(&name) || name == "defined" {
            return Err(format!("`{name}` belongs to the compiler").into());
        }
        self.macros.insert(name, definition)
    }

    fn include(&mut self, rest: &[Token], path: &str, depth: usize) -> Result<(), Flaw> {
        let [file] = rest else { return Err("a header of the system needs a preprocessor".into()) };
        let name = file.text.strip_prefix('"').and_then(|n| n.strip_suffix('"'));
        let name = name.ok_or("a header of the system needs a preprocessor")?;
        let (found, text) =
            (self.load)(path, name).ok_or_else(|| format!("there is no file \"{name}\" beside the text"))?;
        if !self.seen.contains(&found) {
            self.seen.push(found.clone());
            self.included.push(text.clone());
        }
        self.file(&text, &found, depth + 1)
    }
}

fn single_name(rest: &[Token]) -> Result<&str, Flaw> {
    match rest {
        [name] if name.kind == Kind::Name => Ok(&name.text),
        _ => Err("a name was expected".into()),
    }
}

#[cfg(test)]
mod tests;
