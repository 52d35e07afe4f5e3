//! The C preprocessor: the command and the flags that compilers take.

use crate::exit::{self, Refused};
use crate::limits;
use crate::names::DataModel;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The command that is run if no other is named.
pub const DEFAULT: &str = "cc -E";

/// Flags of compilers that decide what a C file says.
#[derive(clap::Args, Debug, Clone, Default)]
#[command(next_help_heading = "Flags for the C preprocessor")]
pub struct CompilerFlags {
    /// Look for included files in this directory, too.
    #[arg(short = 'I', long = "include-dir", value_name = "DIR")]
    pub include_dir: Vec<PathBuf>,
    /// Define a macro.
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Do not define a macro that the compiler defines.
    #[arg(short = 'U', long, value_name = "NAME")]
    pub undefine: Vec<String>,
    /// Include this file first; `-include` is understood, too.
    #[arg(long, value_name = "HEADER")]
    pub include: Vec<PathBuf>,
    /// The standard, such as `gnu11`; `-std=` is understood, too.
    #[arg(long, value_name = "STANDARD")]
    pub std: Option<String>,
    /// For a machine of 32 bits: data model ILP32; `-m32` is understood, too.
    #[arg(long)]
    pub m32: bool,
}

/// The words of a command line with the flags that compilers write with one dash as options.
pub fn understand(words: Vec<OsString>) -> Vec<OsString> {
    let mut ended = false;
    let mut long = |word: OsString| -> OsString {
        ended |= word == "--";
        match word.to_str() {
            _ if ended => word,
            Some("-include") => "--include".into(),
            Some("-m32") => "--m32".into(),
            Some("-m64") => "--data-model=LP64".into(),
            Some(text) if text.starts_with("-std=") => format!("-{text}").into(),
            _ => word,
        }
    };
    words.into_iter().map(&mut long).collect()
}

/// How a file is preprocessed.
#[derive(Clone, Debug)]
pub struct Preprocessor {
    /// A command, split at blanks, that is given the flags and the file.
    command: String,
    flags: Vec<OsString>,
    /// Where it runs; files are relative to that.
    directory: Option<PathBuf>,
}

impl Preprocessor {
    /// A command without flags.
    pub fn new(command: &str) -> Preprocessor {
        Preprocessor { command: command.into(), flags: Vec::new(), directory: None }
    }

    /// The same with flags in front of the others.
    #[must_use]
    pub fn with(mut self, flags: &CompilerFlags) -> Preprocessor {
        let mut words: Vec<OsString> = Vec::new();
        let mut add = |name: &str, value: &std::ffi::OsStr| {
            let mut word = OsString::from(name);
            word.push(value);
            words.push(word);
        };
        flags.std.iter().for_each(|s| add("-std=", s.as_ref()));
        flags.include_dir.iter().for_each(|d| add("-I", d.as_os_str()));
        flags.define.iter().for_each(|d| add("-D", d.as_ref()));
        flags.undefine.iter().for_each(|u| add("-U", u.as_ref()));
        words.extend(flags.include.iter().flat_map(|f| ["-include".into(), f.clone().into_os_string()]));
        words.extend(flags.m32.then(|| "-m32".into()));
        self.flags.splice(0..0, words);
        self
    }

    /// The same for a data model: the headers of a machine of 32 bits are others.
    #[must_use]
    pub fn for_model(mut self, model: Option<DataModel>) -> Preprocessor {
        self.flags.extend((model == Some(DataModel::Ilp32)).then(|| "-m32".into()));
        self
    }

    /// The same with further flags, in a directory.
    #[must_use]
    pub fn within(mut self, directory: PathBuf, flags: Vec<OsString>) -> Preprocessor {
        self.directory = Some(directory);
        self.flags.extend(flags);
        self
    }

    /// Do the flags add text to files that have no directives?
    pub fn adds_text(&self) -> bool {
        self.flags.iter().any(|f| f == "-include" || f.to_str().is_some_and(|f| f.starts_with("-D")))
    }

    /// Preprocesses a file. Where a system has no headers for 32 bits, those for 64 bits are read as a compiler for 32 bits reads them: they
    /// are the same files.
    pub fn run(&self, file: &Path) -> Result<Vec<u8>, Refused> {
        let mut output = self.attempt(file, &[])?;
        if !output.status.success()
            && self.flags.iter().any(|f| f == "-m32")
            && let Some(headers) = SharedHeaders::new(&self.command)
        {
            output = self.attempt(file, &headers.flags())?;
        }
        if !output.status.success() {
            // If the watchdog has ended the command, it is the one to say so.
            limits::answer(|| {
                eprint!("{}", String::from_utf8_lossy(&output.stderr));
                eprintln!("{}: error: `{}` failed", file.display(), self.command);
            });
            return Err(Refused(exit::BAD_INPUT));
        }
        Ok(output.stdout)
    }

    /// Runs the command, with further flags.
    fn attempt(&self, file: &Path, further: &[OsString]) -> Result<Output, Refused> {
        let cpp = &self.command;
        let mut words = cpp.split_whitespace();
        let Some(program) = words.next() else {
            eprintln!("bolide: --cpp needs a command");
            return Err(Refused(exit::USAGE));
        };
        let mut command = Command::new(program);
        command.args(words);
        // The header of contracts asks for it; another command may not know the flag.
        if cpp == DEFAULT {
            command.arg("-D__BOLIDE__");
        }
        command.args(&self.flags).args(further);
        match &self.directory {
            Some(directory) => {
                let file = std::path::absolute(file).unwrap_or_else(|_| file.into());
                command.current_dir(directory).arg(file)
            }
            None => command.arg(plain_name(file)),
        };
        crate::subprocess::output(&mut command).map_err(|error| {
            eprintln!(
                "{}: error: the file needs a preprocessor, but `{cpp}` cannot be run: {error}\n  \
                 Install a C compiler, name another command with --cpp, or preprocess the file yourself.",
                file.display()
            );
            Refused(exit::BAD_INPUT)
        })
    }
}

/// The headers of the GNU library serve 32 and 64 bits alike. A system without the development files for 32 bits lacks only the directory of the
/// architecture on the search path, and `gnu/stubs-32.h`, which lists functions that are not implemented and is empty here.
struct SharedHeaders {
    /// A directory of our own with that file, removed in the end.
    stubs: PathBuf,
    /// The directory of the architecture, where there is one.
    architecture: Option<PathBuf>,
}

impl SharedHeaders {
    fn new(cpp: &str) -> Option<SharedHeaders> {
        let mut query = Command::new(cpp.split_whitespace().next()?);
        let answer = crate::subprocess::output(query.arg("-print-multiarch")).ok()?;
        let name = String::from_utf8(answer.stdout).ok()?;
        let architecture = Some(Path::new("/usr/include").join(name.trim())).filter(|d| d.is_dir());
        let stubs = std::env::temp_dir().join(format!("bolide-headers-{}", std::process::id()));
        std::fs::create_dir(&stubs).ok()?;
        let headers = SharedHeaders { stubs, architecture };
        std::fs::create_dir(headers.stubs.join("gnu")).ok()?;
        std::fs::write(headers.stubs.join("gnu/stubs-32.h"), "").ok()?;
        Some(headers)
    }

    fn flags(&self) -> Vec<OsString> {
        let directories = std::iter::once(&self.stubs).chain(&self.architecture);
        directories.flat_map(|d| ["-idirafter".into(), d.clone().into_os_string()]).collect()
    }
}

impl Drop for SharedHeaders {
    fn drop(&mut self) {
        // What stays behind does no harm.
        let _ = std::fs::remove_dir_all(&self.stubs);
    }
}

/// The name of a file without needless parts, because a text may quote it; one with a dash in front is no option.
fn plain_name(file: &Path) -> PathBuf {
    let name: PathBuf = file.components().collect();
    match name.as_os_str().as_encoded_bytes().starts_with(b"-") {
        true => Path::new(".").join(name),
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_with_one_dash() {
        let words = ["bolide", "verify", "-include", "a.h", "-std=c99", "-m32", "--", "-m32"];
        let out = understand(words.iter().map(OsString::from).collect());
        assert_eq!(out, ["bolide", "verify", "--include", "a.h", "--std=c99", "--m32", "--", "-m32"]);
    }
}
