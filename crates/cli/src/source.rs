//! Tasks from files: their kind, their preprocessor, and messages about what cannot be read.

use crate::{diagnostic, exit};
use bolide::{Error, Kind, Task};
use bolide_front::c::{Diagnostic, Source};
use std::path::Path;
use std::process::Command;

/// What the endings of tasks are.
pub const ENDINGS: &str = ".c .i .smt2 .aig .aag .btor .btor2 .yml";

/// Why a task has no report: its exit code; the message has been printed.
pub struct Refused(pub u8);

/// The kind of a file by its extension.
pub fn kind_of(file: &Path) -> Option<Kind> {
    Kind::of_extension(file.extension()?.to_str()?)
}

/// Reads a task, preprocessed if need be.
pub fn read(file: &Path, cpp: &str) -> Result<Task, Refused> {
    let Some(kind) = kind_of(file) else {
        eprintln!("{}: error: unrecognised file type; supported: {ENDINGS}", file.display());
        return Err(Refused(exit::BAD_INPUT));
    };
    let task = Task::new(file.display().to_string(), kind, bytes(file)?);
    if kind == Kind::Program && Source::needs_preprocessing(&task.text) {
        let text = preprocess(file, cpp)?;
        return Ok(task.with_preprocessed(text));
    }
    Ok(task)
}

/// The bytes of a file.
pub fn bytes(file: &Path) -> Result<Vec<u8>, Refused> {
    std::fs::read(file).map_err(|error| {
        eprintln!("{}: error: {error}", file.display());
        Refused(exit::BAD_INPUT)
    })
}

/// Runs a C preprocessor: a command, split at blanks, that is given the file.
fn preprocess(file: &Path, cpp: &str) -> Result<Vec<u8>, Refused> {
    let mut words = cpp.split_whitespace();
    let Some(program) = words.next() else {
        eprintln!("bolide: --cpp needs a command");
        return Err(Refused(exit::USAGE));
    };
    let output = Command::new(program).args(words).arg(file).output().map_err(|error| {
        eprintln!(
            "{}: error: the file needs a preprocessor, but `{cpp}` cannot be run: {error}\n  \
             Install a C compiler, name another command with --cpp, or preprocess the file yourself.",
            file.display()
        );
        Refused(exit::BAD_INPUT)
    })?;
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        eprintln!("{}: error: `{cpp}` failed", file.display());
        return Err(Refused(exit::BAD_INPUT));
    }
    Ok(output.stdout)
}

/// Prints why there is no report.
pub fn refuse(task: &Task, error: &Error) -> Refused {
    match error {
        Error::Usage(message) => {
            eprintln!("bolide: {message}");
            return Refused(exit::USAGE);
        }
        Error::C(rejection) => rejection.diagnostics.iter().for_each(print_c),
        Error::SmtLib(error) => diagnostic::print_error(&task.name, &task.text, error),
        Error::Circuit(error) => {
            eprintln!("{}:{}:{}: error: {}", task.name, error.line, error.column, error.message);
        }
        other => eprintln!("{}: error: {other}", task.name),
    }
    Refused(exit::BAD_INPUT)
}

/// Prints a message about a C program, with the place in its line.
fn print_c(error: &Diagnostic) {
    let line = error.source_line.trim_end();
    let before: String = line.chars().take(error.position.column.saturating_sub(1) as usize).collect();
    let blank: String = before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    eprintln!("{}: error: {}\n  {line}\n  {blank}^", error.position, error.message);
}
