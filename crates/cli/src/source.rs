//! Tasks from files: their kind, their preprocessor, and messages about what cannot be read.

pub use crate::exit::Refused;
use crate::names::DataModel;
use crate::preprocessor::Preprocessor;
use crate::{diagnostic, exit};
use bolide::{Error, Kind, Task};
use bolide_front::c::preprocess::{Flaw, Preprocessed, marked_file, tokens};
use bolide_front::c::{Source, syntax};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What the endings of tasks are.
pub const ENDINGS: &str = ".c .i .smt2 .aig .aag .btor .btor2 .yml";

/// The kind of a file by its extension.
pub fn kind_of(file: &Path) -> Option<Kind> {
    Kind::of_extension(file.extension()?.to_str()?)
}

/// Reads a task, preprocessed by a command for a data model if need be.
pub fn read(file: &Path, cpp: &str, model: DataModel) -> Result<Task, Refused> {
    read_with(file, Some(&Preprocessor::new(cpp).for_model(Some(model))))
}

/// Reads a task, preprocessed if need be; without a preprocessor, a task that needs it is refused.
pub fn read_with(file: &Path, preprocessor: Option<&Preprocessor>) -> Result<Task, Refused> {
    let Some(preprocessor) = preprocessor else { return read_without_programs(file, None) };
    let task = read_plain(file)?;
    if !(needs_preprocessing(&task) || task.kind == Kind::Program && preprocessor.adds_text()) {
        return Ok(task);
    }
    let text = preprocessor.run(file)?;
    let included = included(&text, file);
    let is_portable = preprocessed_here(&task, file)
        .is_ok_and(|own| own.included == included && tokens(&text).is_ok_and(|theirs| theirs == own.tokens));
    Ok(task.with_preprocessed(text).with_included(included).with_portable(is_portable))
}

/// Reads a task without running a program. If it needs a preprocessor, its text may come from elsewhere, and is taken if it has the tokens
/// that the files say it has.
pub fn read_without_programs(file: &Path, text: Option<&str>) -> Result<Task, Refused> {
    let task = read_plain(file)?;
    if !needs_preprocessing(&task) {
        return Ok(task);
    }
    let agreed = text.ok_or_else(|| Flaw::from("there is no preprocessed text")).and_then(|text| {
        let own = preprocessed_here(&task, file)?;
        match tokens(text.as_bytes())? == own.tokens {
            true => Ok((text, own.included)),
            false => Err("the text in the certificate is not that of the file".into()),
        }
    });
    match agreed {
        Ok((text, included)) => Ok(task.with_preprocessed(text).with_included(included)),
        Err(why) => {
            eprintln!(
                "{}: error: the file needs a preprocessor ({why}), and none is run unless it is named: --cpp 'cc -E'\n  \
                 Or preprocess the file yourself, and have the result verified and checked.",
                file.display()
            );
            Err(Refused(exit::BAD_INPUT))
        }
    }
}

fn needs_preprocessing(task: &Task) -> bool {
    task.kind == Kind::Program && Source::needs_preprocessing(&task.text)
}

/// Reads a task as it is written.
fn read_plain(file: &Path) -> Result<Task, Refused> {
    let unknown = format_args!("unrecognised file type; supported: {ENDINGS}");
    let kind = kind_of(file).ok_or_else(|| Refused::input(file.display(), unknown))?;
    let text = bytes(file)?;
    if kind == Kind::Program && syntax::is_joined(&text) {
        eprintln!("{}: note: the file has several units, as `bolide link` writes them", file.display());
    }
    Ok(Task::new(file.display().to_string(), kind, text))
}

/// What Bolide's own preprocessor, which knows nothing of the machine, makes of a file.
fn preprocessed_here(task: &Task, file: &Path) -> Result<Preprocessed, Flaw> {
    let mut load = |includer: &str, name: &str| {
        let includer = if includer.is_empty() { file } else { Path::new(includer) };
        let path = includer.parent().unwrap_or(Path::new("")).join(name).canonicalize().ok()?;
        let text = path.is_file().then(|| std::fs::read(&path).ok()).flatten()?;
        Some((path.to_str()?.to_string(), text))
    };
    bolide_front::c::preprocess::preprocess(&task.text, &mut load)
}

/// A file of a program of several, and how it is preprocessed.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The file.
    pub file: PathBuf,
    /// Its preprocessor; without one, a file that needs it is refused.
    pub preprocessor: Option<Preprocessor>,
}

/// Reads C files as the units of one program. Its text is that of all of them.
pub fn link(units: &[Unit]) -> Result<Task, Refused> {
    let mut parts = Vec::with_capacity(units.len());
    for unit in units {
        let file = unit.file.display();
        if kind_of(&unit.file) != Some(Kind::Program) {
            return Err(Refused::input(file, "only C files can be linked"));
        }
        parts.push(read_with(&unit.file, unit.preprocessor.as_ref())?);
    }
    let texts: Vec<(&str, &[u8])> = parts.iter().map(|t| (t.name.as_str(), t.source())).collect();
    let text = syntax::join(&texts).map_err(|n| {
        let flaw = "a comment or a literal does not end, or `#pragma bolide unit` stands inside";
        Refused::input(&parts[n].name, flaw)
    })?;
    let name = parts.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(" ");
    // What counts as written is what the files say, not how they are called.
    let mut written = parts.into_iter().flat_map(|t| std::iter::once(t.text).chain(t.included));
    let first = written.next().unwrap_or_default();
    Ok(Task::c(name, first).with_preprocessed(text).with_included(written.collect()))
}

/// The bytes of a file.
pub fn bytes(file: &Path) -> Result<Vec<u8>, Refused> {
    std::fs::read(file).map_err(|error| Refused::input(file.display(), error))
}

/// The contents of the files that a preprocessor names in its line markers, besides the one that it was given, in their order. What
/// cannot be read counts as empty: the file then cannot make a difference to the hash, and the text is what it is.
fn included(text: &[u8], file: &Path) -> Vec<Vec<u8>> {
    let mut seen: HashSet<PathBuf> = file.canonicalize().into_iter().collect();
    let mut contents = Vec::new();
    for line in text.split(|&b| b == b'\n').filter(|line| line.starts_with(b"#")) {
        let Some(path) = marked_file(line) else { continue };
        let Ok(path) = Path::new(&path).canonicalize() else { continue };
        // Some compilers include the one named here by themselves; it has nothing but macros.
        if path.is_file() && !path.ends_with("stdc-predef.h") && seen.insert(path.clone()) {
            contents.push(std::fs::read(&path).unwrap_or_default());
        }
    }
    contents
}

/// Prints why there is no report.
pub fn refuse(task: &Task, error: &Error) -> Refused {
    match error {
        Error::Usage(message) => {
            eprintln!("bolide: {message}");
            return Refused(exit::USAGE);
        }
        Error::C(rejection) => rejection.diagnostics.iter().for_each(|d| eprintln!("{}", d.with_line())),
        Error::SmtLib(error) => diagnostic::print_error(&task.name, &task.text, error),
        Error::Circuit(error) => {
            eprintln!("{}:{}:{}: error: {}", task.name, error.line, error.column, error.flaw);
        }
        other => eprintln!("{}: error: {other}", task.name),
    }
    Refused(exit::BAD_INPUT)
}
