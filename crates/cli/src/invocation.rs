//! From words to options: the command line, and under it the project's `bolide.toml`.

use crate::arguments::Arguments;
use crate::matches::is_given;
use crate::{config, exit, preprocessor};
use clap::{ArgAction, ArgMatches, CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// A command line that was understood.
pub struct Invocation {
    /// The command and its options, those from `bolide.toml` included.
    pub arguments: Arguments,
    /// The options that stand on the command line, for processes that work on a part of it.
    pub explicit: Vec<Explicit>,
}

/// An option on the command line.
#[derive(Clone, Debug)]
pub struct Explicit {
    /// Its long name.
    pub name: String,
    /// Its values; none for a flag.
    pub values: Vec<OsString>,
    /// Does it name a file to write?
    pub is_output: bool,
}

impl Explicit {
    /// The option in the words of a command line.
    pub fn words(&self) -> Vec<OsString> {
        let word = |value: Option<&OsString>| {
            let mut word = OsString::from(format!("--{}", self.name));
            if let Some(value) = value {
                word.push("=");
                word.push(value);
            }
            word
        };
        match self.values.is_empty() {
            true => vec![word(None)],
            false => self.values.iter().map(|v| word(Some(v))).collect(),
        }
    }
}

/// Understands a command line, or gives the exit code; the message has been printed.
pub fn read(words: Vec<OsString>) -> Result<Invocation, u8> {
    let words = preprocessor::understand(words);
    let command = Arguments::command();
    let fail = |error: clap::Error| {
        let code = if error.use_stderr() { exit::USAGE } else { 0 };
        let _ = error.print();
        code
    };
    let matches = command.clone().try_get_matches_from(&words).map_err(fail)?;
    let explicit = explicit(&command, &matches);
    let matches = match config::words(&command, &words, &matches)? {
        Some(words) => command.try_get_matches_from(words).map_err(fail)?,
        None => matches,
    };
    let arguments = Arguments::from_arg_matches(&matches).map_err(fail)?;
    Ok(Invocation { arguments, explicit })
}

/// The options of the subcommand that stand on the command line.
fn explicit(command: &clap::Command, matches: &ArgMatches) -> Vec<Explicit> {
    let Some((name, matches)) = matches.subcommand() else { return Vec::new() };
    let global = command.get_arguments().filter(|a| a.is_global_set());
    let Some(command) = command.find_subcommand(name) else { return Vec::new() };
    let mut found = Vec::new();
    for argument in command.get_arguments().chain(global) {
        let Some(long) = argument.get_long().filter(|_| is_given(matches, argument)) else { continue };
        let values = match argument.get_action() {
            ArgAction::SetTrue => Vec::new(),
            _ => matches
                .get_raw(argument.get_id().as_str())
                .into_iter()
                .flatten()
                .map(OsString::from)
                .collect(),
        };
        let is_output =
            argument.get_value_names().is_some_and(|n| n.iter().any(|n| *n == "FILE" || *n == "DIRECTORY"));
        found.push(Explicit { name: long.into(), values, is_output });
    }
    found
}
