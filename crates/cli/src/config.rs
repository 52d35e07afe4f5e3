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
//! Tables below `target` describe programs: their `files`, and options of `verify` for them.
//!
//! ```toml
//! [target.parser]
//! files = ["src/parser.c", "src/lexer.c"]
//! entry = "parse"
//! property = ["bounds", "null"]
//! ```
//!
//! What stands on the command line goes before. Keys that are no options are errors, with their line. Whoever sends a task may send
//! such a file with it, so an option that runs a command (`cpp`) or writes outside of the folder is refused unless the user trusts
//! the folder (see [`trust`]), and `bolide check` reads no such file.

mod trust;

use crate::exit;
use crate::matches::{files, is_given};
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The name of the file.
const NAME: &str = "bolide.toml";
/// The table of the targets.
const TARGET: &str = "target";
/// The option that says not to look for it.
const IGNORE: &str = "no_config";
/// The option that lets a file run commands.
const TRUST: &str = "trust_config";
/// Options that a file cannot set.
const EXCLUDED: [&str; 6] = ["help", "version", "no-config", "trust-config", "as-part", "target"];
/// Commands that no file can set options of: what is checked, and how, is for the user to say.
const UNCONFIGURED: [&str; 1] = ["check"];
/// Options that run commands, or are options for something that does.
const RUNNING: [&str; 2] = ["cpp", "arg"];
/// What the values of options are called that are paths.
const PATHS: [&str; 6] = ["FILE", "DIR", "DIRECTORY", "HEADER", "DATABASE", "SOURCE"];

/// A target: a program of the project, with options of `verify`.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Its files.
    pub files: Vec<PathBuf>,
    /// Its options: their names, and the words that set them.
    pub options: Vec<(String, Vec<OsString>)>,
    line: usize,
}

/// The targets of the project that the working directory belongs to. The exit code if there are none, or if the file has a
/// flaw; the message has been printed.
pub fn targets(command: &Command, trusts: bool) -> Result<Vec<Target>, u8> {
    let Some(path) = find(Path::new(".")) else {
        eprintln!("bolide: error: no files are given, and there is no {NAME} that describes targets");
        return Err(exit::USAGE);
    };
    let fail = |line: usize, message: String| {
        eprintln!("{}:{line}: error: {message}", path.display());
        exit::USAGE
    };
    let text = std::fs::read_to_string(&path).map_err(|error| fail(1, error.to_string()))?;
    let here = std::env::current_dir().unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = folder.strip_prefix(&here).unwrap_or(folder);
    let is_trusted = trusts || trust::is_trusted_folder(folder);
    let project = Project { command, words: &[], folder, is_trusted, text: &text };
    let document = project.document().map_err(|flaw| fail(flaw.line, flaw.message))?;
    match document.get_ref().iter().find(|(key, _)| key.get_ref() == TARGET) {
        Some((_, value)) => project.targets(value).map_err(|flaw| fail(flaw.line, flaw.message)),
        None => Err(fail(1, "no files are given, and no targets: [target.name]".into())),
    }
}

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
    if UNCONFIGURED.contains(&name) {
        return Ok(None);
    }
    let here = || (name == "verify").then(|| PathBuf::from("."));
    let Some(path) = files(sub).first().cloned().or_else(here).and_then(|file| find(&file)) else {
        return Ok(None);
    };
    let fail = |line: usize, message: String| {
        eprintln!("{}:{line}: error: {message}", path.display());
        exit::USAGE
    };
    let text = std::fs::read_to_string(&path).map_err(|error| fail(1, error.to_string()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_trusted =
        sub.try_get_one::<bool>(TRUST).ok().flatten() == Some(&true) || trust::is_trusted_folder(folder);
    let project = Project { command, words, folder, is_trusted, text: &text };
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
    /// Has the user allowed that this file runs commands?
    is_trusted: bool,
    text: &'a str,
}

impl Project<'_> {
    fn words(&self, chosen: &str, matches: &ArgMatches) -> Result<Vec<OsString>, Flaw> {
        let document = self.document()?;
        let mut added = Vec::new();
        for (key, value) in document.get_ref() {
            let name = key.get_ref().as_ref();
            if name == TARGET {
                self.targets(value)?;
                continue;
            }
            let Some(command) = self.command.find_subcommand(name) else {
                return Err(self.flaw(key, format!("unknown command `{name}`")));
            };
            if UNCONFIGURED.contains(&name) {
                return Err(
                    self.flaw(key, format!("options of `bolide {name}` stand on its command line only"))
                );
            }
            let Some(table) = value.get_ref().as_table() else {
                return Err(self.flaw(key, format!("`{name}` must be a table: [{name}]")));
            };
            for (key, value) in table {
                let argument = self.argument(command, key)?;
                let words = self.word(argument, key, value)?;
                if name != chosen || is_given(matches, argument) {
                    continue;
                }
                self.allowed(argument, key, value)?;
                for word in words {
                    self.try_word(key, &word)?;
                    added.push(word);
                }
            }
        }
        Ok(self.with([added]))
    }

    fn document(&self) -> Result<Spanned<DeTable<'_>>, Flaw> {
        DeTable::parse(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            Flaw { line: self.line(at), message: error.message().into() }
        })
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

    /// An option that runs a command, or names a file outside of the folder, needs the user's trust.
    fn allowed(
        &self,
        argument: &Arg,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), Flaw> {
        let name = key.get_ref().as_ref();
        let what = if RUNNING.contains(&name) {
            "runs a command"
        } else if is_path(argument)
            && scalars(value.get_ref()).iter().any(|path| !trust::stays_inside(self.folder, path))
        {
            "names a file outside of this folder"
        } else {
            return Ok(());
        };
        match self.is_trusted {
            true => Ok(()),
            false => Err(self.flaw(
                key,
                format!(
                    "`{name}` {what}, and you have not said that you trust this file. Allow it with --trust-config, list the \
                     folder in {}, or ignore the file with --no-config",
                    trust::list_name()
                ),
            )),
        }
    }

    /// The targets.
    fn targets(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<Target>, Flaw> {
        let at = |message: &str| Flaw { line: self.line(value.span().start), message: message.into() };
        let Some(tables) = value.get_ref().as_table() else {
            return Err(at("`target` has a table for each target: [target.name]"));
        };
        let Some(command) = self.command.find_subcommand("verify") else {
            return Err(at("there is no command `verify`"));
        };
        let mut out = Vec::new();
        for (key, value) in tables {
            let name = key.get_ref().as_ref();
            let Some(table) = value.get_ref().as_table() else {
                return Err(self.flaw(key, format!("`{name}` must be a table: [target.{name}]")));
            };
            let mut target = Target { name: name.into(), line: key.span().start, ..Target::default() };
            for (key, value) in table {
                if key.get_ref() == "files" {
                    let list =
                        value.get_ref().as_array().map(|l| l.iter().map(|v| scalar(v.get_ref())).collect());
                    let Some(Some::<Vec<String>>(list)) = list else {
                        return Err(self.flaw(key, "`files` is a list of files".into()));
                    };
                    target.files = list.iter().map(|file| self.folder.join(file)).collect();
                    continue;
                }
                let argument = self.argument(command, key)?;
                self.allowed(argument, key, value)?;
                let words = self.word(argument, key, value)?;
                target.options.push((key.get_ref().to_string(), words));
            }
            if target.files.is_empty() {
                return Err(self.flaw(key, format!("the target `{name}` has no `files`")));
            }
            out.push(target);
        }
        // A table is sorted by name; targets stand in the order of the file.
        out.sort_by_key(|target| target.line);
        Ok(out)
    }

    /// The option in the words of the command line; nothing for a flag that is not set.
    fn word(
        &self,
        argument: &Arg,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<OsString>, Flaw> {
        let name = key.get_ref().as_ref();
        if matches!(argument.get_action(), ArgAction::SetTrue) {
            return match value.get_ref().as_bool() {
                Some(set) => Ok(set.then(|| format!("--{name}").into()).into_iter().collect()),
                None => Err(self.flaw(key, format!("`{name}` is true or false"))),
            };
        }
        let is_list = argument.get_value_delimiter().is_some();
        let is_repeated = matches!(argument.get_action(), ArgAction::Append);
        let list: Option<Vec<String>> = match value.get_ref() {
            DeValue::Array(list) if is_list || is_repeated => {
                list.iter().map(|v| scalar(v.get_ref())).collect()
            }
            value => scalar(value).map(|v| vec![v]),
        };
        let Some(list) = list else {
            return Err(self.flaw(key, format!("`{name}` cannot be a {}", value.get_ref().type_str())));
        };
        let values = if is_list { vec![list.join(",")] } else { list };
        let word = |value: String| {
            let mut word = OsString::from(format!("--{name}="));
            match is_path(argument) && value != "-" {
                true => word.push(self.folder.join(value)),
                false => word.push(value),
            }
            word
        };
        Ok(values.into_iter().map(word).collect())
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
    names.iter().any(|name| PATHS.contains(&name.as_str()))
}

/// The scalars that a value is or lists.
fn scalars(value: &DeValue<'_>) -> Vec<String> {
    match value.as_array() {
        Some(list) => list.iter().flat_map(|v| scalars(v.get_ref())).collect(),
        None => scalar(value).into_iter().collect(),
    }
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
