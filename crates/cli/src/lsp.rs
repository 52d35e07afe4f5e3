//! `bolide lsp`: serves an editor. Each verification is a process of its own, so that whatever happens to it does not touch the editor.

use crate::arguments::LspOptions;
use crate::preprocessor::Preprocessor;
use crate::source::{self, Unit};
use crate::{child, exit};
use bolide_lsp::{Answer, Connection, Function, Verifier};
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long a run may take if nobody says it, in seconds: long enough to be useful, short enough to wait for.
const PATIENCE: &str = "--timeout=20";

/// Verifies files with `bolide verify` and the user's options.
struct Processes {
    options: Vec<OsString>,
}

impl Verifier for Processes {
    fn verify(&self, file: &Path, function: Option<&str>, stop: &AtomicBool) -> Answer {
        let mut arguments = self.options.clone();
        arguments.extend(function.map(|name| OsString::from(format!("--entry={name}"))));
        arguments.extend(["--".into(), file.into()]);
        let outcome = child::verify_in(file.parent(), &arguments, &|| stop.load(Ordering::Relaxed));
        Answer { report: outcome.json, messages: outcome.messages }
    }

    fn functions(&self, file: &Path) -> Vec<Function> {
        let unit = Unit { file: file.into(), preprocessor: Some(Preprocessor::new("cc -E")) };
        let Ok(task) = source::link(&[unit]) else { return Vec::new() };
        let found = bolide_front::c::functions(&[task.name.as_str()], task.source()).unwrap_or_default();
        let function = |(name, place): (String, bolide_front::c::Position)| Function {
            name,
            line: place.line,
            column: place.column,
        };
        found.into_iter().map(function).collect()
    }
}

/// Serves until the client ends it.
pub fn run(options: &LspOptions) -> u8 {
    let mut words = options.verify.clone();
    if !words.iter().any(|w| w.to_string_lossy().starts_with("--timeout")) {
        words.push(PATIENCE.into());
    }
    let (connection, threads) = Connection::stdio();
    let served = bolide_lsp::serve(&connection, &Processes { options: words });
    drop(connection);
    match (served, threads.join()) {
        (Ok(()), Ok(())) => 0,
        (Err(error), _) => complain(&error.to_string()),
        (_, Err(error)) => complain(&error.to_string()),
    }
}

fn complain(message: &str) -> u8 {
    eprintln!("bolide lsp: error: {message}");
    exit::BAD_INPUT
}
