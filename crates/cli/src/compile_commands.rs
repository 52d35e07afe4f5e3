//! `compile_commands.json`: which files a project is made of, and how each is compiled.
//!
//! Build systems write it: a list of objects with `directory`, `file`, and the compiler's `command` or its `arguments`. Of the
//! arguments those count that decide what the preprocessor makes of the file.

use crate::preprocessor::Preprocessor;
use crate::source::{self, Refused, Unit};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What a compilation database says.
pub struct Database {
    /// The C files with their flags, in the order of the database; each once.
    pub units: Vec<Unit>,
    /// Is any of them compiled for a machine of 32 bits?
    pub is_32_bits: bool,
}

/// Flags with a value that the preprocessor has to know.
const WITH_VALUE: [&str; 9] =
    ["-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot"];
/// Flags without.
const ALONE: [&str; 12] = [
    "-m32",
    "-m64",
    "-ansi",
    "-nostdinc",
    "-undef",
    "-pthread",
    "-funsigned-char",
    "-fsigned-char",
    "-fshort-wchar",
    "-ffreestanding",
    "-fno-builtin",
    "-O0",
];

/// Reads a compilation database.
pub fn load(path: &Path, preprocessor: &Preprocessor) -> Result<Database, Refused> {
    let text = source::bytes(path)?;
    let bad = |message: String| Refused::input(path.display(), message);
    let value: Value = serde_json::from_slice(&text).map_err(|error| {
        Refused::input(format_args!("{}:{}:{}", path.display(), error.line(), error.column()), &error)
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let list = value.as_array().ok_or_else(|| bad("a list of compilations is expected".into()))?;
    let mut database = Database { units: Vec::new(), is_32_bits: false };
    for (n, entry) in list.iter().enumerate() {
        let fail = |message: &str| bad(format!("entry {}: {message}", n + 1));
        let file = entry["file"].as_str().ok_or_else(|| fail("there is no `file`"))?;
        let directory = folder.join(entry["directory"].as_str().unwrap_or("."));
        let file = directory.join(file);
        if source::kind_of(&file) != Some(bolide::Kind::Program) {
            continue;
        }
        let words = words(entry).ok_or_else(|| fail("there is no `command` and there are no `arguments`"))?;
        let flags = flags(&words);
        if flags.iter().any(|f| f == "-funsigned-char") {
            return Err(fail("-funsigned-char: `char` is signed here"));
        }
        database.is_32_bits |= flags.iter().any(|f| f == "-m32");
        let file = shortest(file);
        if database.units.iter().any(|u| u.file == file) {
            continue;
        }
        let preprocessor = preprocessor.clone().within(directory, flags);
        database.units.push(Unit { file, preprocessor: Some(preprocessor) });
    }
    if database.units.is_empty() {
        return Err(bad("there are no C files".into()));
    }
    Ok(database)
}

/// A path relative to the working directory, if the file is below it.
fn shortest(file: PathBuf) -> PathBuf {
    let Ok(here) = std::env::current_dir() else { return file };
    let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
    whole.strip_prefix(here).map(Path::to_path_buf).unwrap_or(file)
}

/// The words of the compiler's command line.
fn words(entry: &Value) -> Option<Vec<String>> {
    match (entry["arguments"].as_array(), entry["command"].as_str()) {
        (Some(list), _) => list.iter().map(|w| w.as_str().map(str::to_owned)).collect(),
        (None, Some(command)) => Some(split(command)),
        (None, None) => None,
    }
}

/// Splits a command line as a shell does: at blanks, with quotes and backslashes.
fn split(command: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = command.chars();
    while let Some(c) = rest.next() {
        match (c, quote) {
            (' ' | '\t' | '\n', None) => out.extend(word.take()),
            ('\\', Some('"') | None) => word.get_or_insert_default().extend(rest.next()),
            (c, Some(q)) if c == q => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word);
    out
}

/// The flags that the preprocessor has to know.
fn flags(words: &[String]) -> Vec<OsString> {
    let mut out: Vec<OsString> = Vec::new();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        if WITH_VALUE.contains(&word.as_str()) {
            if let Some(value) = rest.next() {
                out.extend([word.into(), value.into()]);
            }
        } else if ALONE.contains(&word.as_str())
            || word.starts_with("-std=")
            || ["-I", "-D", "-U"].iter().any(|f| word.starts_with(f))
        {
            out.push(word.into());
        } else if word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ" {
            rest.next();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines() {
        let words = split(r#"cc -DA=\"x\" '-DB=1 2' -I "in c" -O2 -c -o a.o a.c"#);
        assert_eq!(words[1..5], ["-DA=\"x\"", "-DB=1 2", "-I", "in c"]);
        assert_eq!(flags(&words), ["-DA=\"x\"", "-DB=1 2", "-I", "in c"]);
    }
}
