//! `--changed-since`: which files git says have changed, and which tasks that concerns.

use crate::batch::Job;
use crate::exit;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files that differ from a revision.
pub struct Changes {
    files: BTreeSet<PathBuf>,
    names: BTreeSet<OsString>,
}

impl Changes {
    /// What differs from a revision in the files of the repository around the working directory, new files included.
    pub fn since(revision: &str) -> Result<Changes, u8> {
        let top = git(&["rev-parse", "--show-toplevel"])?;
        let root = PathBuf::from(String::from_utf8_lossy(&top).trim_end_matches('\n'));
        let changed = git(&[
            "-C",
            &root.to_string_lossy(),
            "diff",
            "--name-only",
            "--no-ext-diff",
            "-z",
            "--end-of-options",
            revision,
            "--",
        ])?;
        let new = git(&["-C", &root.to_string_lossy(), "ls-files", "--others", "--exclude-standard", "-z"])?;
        let paths = changed.split(|b| *b == 0).chain(new.split(|b| *b == 0)).filter(|p| !p.is_empty());
        let files = paths.map(|p| whole(&root.join(&*String::from_utf8_lossy(p))));
        Ok(Changes::of(files.collect()))
    }

    fn of(files: BTreeSet<PathBuf>) -> Changes {
        let names = files.iter().filter_map(|f| f.file_name()).map(OsString::from).collect();
        Changes { files, names }
    }

    /// The tasks with a file that has changed, or that includes one of the name of a changed file.
    pub fn concern(&self, jobs: Vec<Job>) -> Vec<Job> {
        jobs.into_iter().filter(|j| j.files.iter().any(|f| self.is_changed(f))).collect()
    }

    /// Has a file changed, or something that it includes? Where included files are is not known without the
    /// compiler, so those of the same name count.
    pub fn is_changed(&self, file: &Path) -> bool {
        let mut work = vec![whole(file)];
        let mut seen = BTreeSet::new();
        while let Some(file) = work.pop() {
            if !seen.insert(file.clone()) {
                continue;
            }
            if self.files.contains(&file) {
                return true;
            }
            let Ok(text) = std::fs::read(&file) else { continue };
            for included in includes(&String::from_utf8_lossy(&text)) {
                let path = Path::new(included);
                if path.file_name().is_some_and(|name| self.names.contains(name)) {
                    return true;
                }
                work.extend(file.parent().map(|folder| folder.join(path)).filter(|p| p.is_file()));
            }
        }
        false
    }
}

fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.into())
}

/// The names in the `#include` lines of a text.
fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let end = if rest.starts_with('<') { '>' } else { '"' };
        rest.get(1..)?.split(end).next()
    })
}

fn git(words: &[&str]) -> Result<Vec<u8>, u8> {
    let output = Command::new("git").args(words).output();
    match output {
        Ok(output) if output.status.success() => Ok(output.stdout),
        Ok(output) => {
            let message = String::from_utf8_lossy(&output.stderr);
            eprintln!("bolide: error: git: {}", message.lines().next().unwrap_or("it failed"));
            Err(exit::USAGE)
        }
        Err(error) => {
            eprintln!("bolide: error: git: {error}");
            Err(exit::USAGE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_names() {
        let text = "#include \"a.h\"\n  # include <sys/b.h>\n#define include \"c.h\"\nint x;\n";
        assert_eq!(includes(text).collect::<Vec<_>>(), ["a.h", "sys/b.h"]);
    }
}
