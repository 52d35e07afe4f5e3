//! `bolide.toml`: the defaults of a project.
//!
//! The file is looked for in the directory of the first task and upwards. Each table is named after a command, and each
//! key in it after one of its options:
//!
//! ```toml
//! [verify]
//! timeout = 60
//! data-model = "ILP32"
//! property = ["errors", "overflow"]
//! cache = ".bolide"          # paths are relative to this file
//! ```
//!
//! What stands on the command line goes before. Keys that are no options are errors, with their line.

use crate::exit;
use crate::matches::{files, is_given};
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The name of the file.
const NAME: &str = "bolide.toml";
/// The option that says not to look for it.
const IGNORE: &str = "no_config";
/// Options that a file cannot set.
const EXCLUDED: [&str; 4] = ["help", "version", "no-config", "as-part"];

/// What is wrong, and in which line.
struct Flaw {
    line: usize,
    message: String,
}

/// The command line with the options of the project's file added; `None` if there is no file. The exit code if the file
/// has a flaw; the message has been printed.
pub fn words(
    command: &Command,
    words: &[OsString],
    matches: &ArgMatches,
) -> Result<Option<Vec<OsString>>, u8> {
    let Some((name, sub)) = matches.subcommand() else { return Ok(None) };
    if sub.try_get_one::<bool>(IGNORE).ok().flatten() == Some(&true) {
        return Ok(None);
    }
    let Some(path) = files(sub).first().and_then(|file| find(file)) else { return Ok(None) };
    let fail = |line: usize, message: String| {
        eprintln!("{}:{line}: error: {message}", path.display());
        exit::USAGE
    };
    let text = std::fs::read_to_string(&path).map_err(|error| fail(1, error.to_string()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let project = Project { command, words, folder, text: &text };
    project.words(name, sub).map(Some).map_err(|flaw| fail(flaw.line, flaw.message))
}

/// The file that counts for a task.
fn find(task: &Path) -> Option<PathBuf> {
    let task = std::path::absolute(task).ok()?;
    let start = if task.is_dir() { task.as_path() } else { task.parent()? };
    start.ancestors().map(|folder| folder.join(NAME)).find(|file| file.is_file())
}

struct Project<'a> {
    command: &'a Command,
    words: &'a [OsString],
    folder: &'a Path,
    text: &'a str,
}

impl Project<'_> {
    fn words(&self, chosen: &str, matches: &ArgMatches) -> Result<Vec<OsString>, Flaw> {
        let document = DeTable::parse(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            Flaw { line: self.line(at), message: error.message().into() }
        })?;
        let mut added = Vec::new();
        for (key, value) in document.get_ref() {
            let name = key.get_ref().as_ref();
            let Some(command) = self.command.find_subcommand(name) else {
                return Err(self.flaw(key, format!("there is no command `{name}`")));
            };
            let Some(table) = value.get_ref().as_table() else {
                return Err(self.flaw(key, format!("`{name}` must be a table: [{name}]")));
            };
            for (key, value) in table {
                let argument = self.argument(command, key)?;
                let word = self.word(argument, key, value)?;
                if name != chosen || is_given(matches, argument) {
                    continue;
                }
                if let Some(word) = word {
                    self.try_word(key, &word)?;
                    added.push(word);
                }
            }
        }
        Ok(self.with([added]))
    }

    /// The command line with words after the name of the command, which may follow options.
    fn with<const N: usize>(&self, added: [Vec<OsString>; N]) -> Vec<OsString> {
        let is_command = |w: &OsString| w.to_str().is_some_and(|w| self.command.find_subcommand(w).is_some());
        let at = self.words.iter().skip(1).position(is_command).map_or(self.words.len(), |n| n + 2);
        let mut words = self.words[..at].to_vec();
        words.extend(added.into_iter().flatten());
        words.extend_from_slice(&self.words[at..]);
        words
    }

    /// The option that a key stands for.
    fn argument<'c>(&self, command: &'c Command, key: &Spanned<impl AsRef<str>>) -> Result<&'c Arg, Flaw> {
        let name = key.get_ref().as_ref();
        let fits = |a: &&Arg| a.get_long() == Some(name) && !EXCLUDED.contains(&name);
        command.get_arguments().find(fits).ok_or_else(|| {
            let message = format!("`bolide {}` has no option `{name}`", command.get_name());
            self.flaw(key, message)
        })
    }

    /// The option in the words of the command line; nothing for a flag that is not set.
    fn word(
        &self,
        argument: &Arg,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Option<OsString>, Flaw> {
        let name = key.get_ref().as_ref();
        if matches!(argument.get_action(), ArgAction::SetTrue) {
            return match value.get_ref().as_bool() {
                Some(set) => Ok(set.then(|| format!("--{name}").into())),
                None => Err(self.flaw(key, format!("`{name}` is true or false"))),
            };
        }
        let list = match value.get_ref() {
            DeValue::Array(list) if argument.get_value_delimiter().is_some() => {
                list.iter().map(|v| scalar(v.get_ref())).collect()
            }
            value => scalar(value).map(|v| vec![v]),
        };
        let Some(list) = list else {
            return Err(self.flaw(key, format!("`{name}` cannot be a {}", value.get_ref().type_str())));
        };
        let mut word = OsString::from(format!("--{name}="));
        match is_path(argument) && list.iter().all(|value| value != "-") {
            true => word.push(self.folder.join(list.join(","))),
            false => word.push(list.join(",")),
        }
        Ok(Some(word))
    }

    /// Tries an option by itself: the rest of the command line is known to be right.
    fn try_word(&self, key: &Spanned<impl AsRef<str>>, word: &OsString) -> Result<(), Flaw> {
        match self.command.clone().try_get_matches_from(self.with([vec![word.clone()]])) {
            Ok(_) => Ok(()),
            Err(error) => {
                let message = error.to_string();
                let message = message.lines().next().unwrap_or("").trim_start_matches("error: ");
                Err(self.flaw(key, message.into()))
            }
        }
    }

    fn flaw(&self, key: &Spanned<impl AsRef<str>>, message: String) -> Flaw {
        Flaw { line: self.line(key.span().start), message }
    }

    fn line(&self, offset: usize) -> usize {
        self.text.bytes().take(offset).filter(|&b| b == b'\n').count() + 1
    }
}

/// Does the option take a path?
fn is_path(argument: &Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().any(|name| ["FILE", "DIR", "DIRECTORY"].contains(&name.as_str()))
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(value) => Some(value.to_string()),
        _ => None,
    }
}
