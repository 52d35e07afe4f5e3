//! Lists of tasks with known answers.
//!
//! | file | what it lists |
//! |---|---|
//! | `.tsv` | after a header, in each line: set, path, expected verdict, arguments, separated by tabs |
//! | `.yml` | a task file: one task for each property that can be checked |
//! | `.set`, `.txt` | a path of a task in each line, perhaps with `*` in its last part |
//! | a directory | the tasks in it |
//!
//! Paths are relative to the directory of the list.

use crate::input::{self, task_file::TaskFile};
use crate::names::DataModel;
use bolide_base::Message;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// A task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The set that it belongs to.
    pub set: String,
    /// Its name: the path as it was listed.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The verdict that is known: `safe`, `unsafe` or nothing.
    pub expected: String,
    /// Options.
    pub arguments: Vec<String>,
}

/// Reads a list, or says what is wrong with it.
pub fn load(path: &Path) -> Result<Vec<Entry>, Message> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let read = || std::fs::read_to_string(path);
    if path.is_dir() {
        return of_paths(&input::expand(&[path.to_path_buf()])?, path);
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("tsv") => table(&read()?, folder),
        Some("yml" | "yaml") => of_paths(&[path.to_path_buf()], folder),
        Some("set" | "txt") => {
            let mut paths = Vec::new();
            for line in read()?.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
                paths.extend(matching(&folder.join(line))?);
            }
            of_paths(&paths, folder)
        }
        _ => {
            Err("a list of tasks is a .tsv, .yml, .set or .txt file, a directory, or the .csv file of a run"
                .into())
        }
    }
}

/// Reads a table.
fn table(text: &str, folder: &Path) -> Result<Vec<Entry>, Message> {
    let mut entries = Vec::new();
    for (n, line) in text.lines().enumerate().skip(1) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let mut cells = line.split('\t');
        let (Some(set), Some(name), Some(expected)) = (cells.next(), cells.next(), cells.next()) else {
            let expected = "set, path, expected verdict and arguments, separated by tabs";
            return Err(format!("line {}: {expected}", n + 1).into());
        };
        let expected =
            verdict(expected).ok_or_else(|| format!("line {}: `{expected}` is not a verdict", n + 1))?;
        let arguments = cells.next().unwrap_or("").split_whitespace().map(str::to_string).collect();
        let path = folder.join(name);
        entries.push(Entry {
            set: set.into(),
            name: name.into(),
            path,
            expected: expected.into(),
            arguments,
        });
    }
    Ok(entries)
}

/// The verdict that a word stands for.
fn verdict(word: &str) -> Option<&'static str> {
    match word.trim() {
        "safe" | "true" | "sat" => Some("safe"),
        "unsafe" | "false" | "unsat" => Some("unsafe"),
        "" | "-" | "unknown" => Some(""),
        _ => None,
    }
}

/// The tasks that files stand for; what is expected of them is known from task files.
fn of_paths(paths: &[PathBuf], folder: &Path) -> Result<Vec<Entry>, Message> {
    let mut entries = Vec::new();
    for path in paths {
        let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
        let set = Path::new(&name).parent().map_or(String::new(), |p| p.display().to_string());
        let entry = Entry { set, name, path: path.clone(), expected: String::new(), arguments: Vec::new() };
        if !input::is_task_file(path) {
            entries.push(entry);
            continue;
        }
        let task = TaskFile::load(path).map_err(|message| format!("{}: {message}", path.display()))?;
        for asked in &task.properties {
            let Ok(properties) = &asked.property else { continue };
            let word = |value: Option<clap::builder::PossibleValue>| value.map(|v| v.get_name().to_string());
            let names: Vec<String> = properties.iter().filter_map(|p| word(p.to_possible_value())).collect();
            let mut arguments = vec![format!("--property={}", names.join(","))];
            let model = task.data_model.as_ref().and_then(DataModel::to_possible_value);
            arguments.extend(word(model).map(|name| format!("--data-model={name}")));
            let expected = asked.expected.map_or("", |holds| if holds { "safe" } else { "unsafe" }).into();
            entries.push(Entry { path: task.input.clone(), expected, arguments, ..entry.clone() });
        }
    }
    Ok(entries)
}

/// The files whose names match the last part of a pattern, sorted.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>, Message> {
    let last = pattern.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    if !last.contains('*') {
        return Ok(vec![pattern.to_path_buf()]);
    }
    let folder = pattern.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let names = entries.filter_map(Result::ok).map(|e| e.path());
    let fits = |p: &PathBuf| p.file_name().is_some_and(|n| is_match(&last, &n.to_string_lossy()));
    let mut found: Vec<PathBuf> = names.filter(fits).collect();
    found.sort();
    Ok(found)
}

/// Does a name match a pattern in which `*` stands for any text?
fn is_match(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables() {
        let text =
            "set\tpath\texpected\targs\nc/loops\tloops/a.c\tsafe\t--data-model ILP32\n\nchc\tb.smt2\tunsat\n";
        let entries = table(text, Path::new("bench")).expect("a table");
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].path, Path::new("bench/loops/a.c"));
        assert_eq!(entries[0].arguments, ["--data-model", "ILP32"]);
        assert_eq!(entries[1].expected, "unsafe");
        assert_eq!(table("\nx", Path::new("")).unwrap_err().as_str().split(':').next(), Some("line 2"));
        assert!(table("\na\tb\tperhaps", Path::new("")).unwrap_err().as_str().contains("perhaps"));
    }

    #[test]
    fn patterns() {
        assert!(is_match("*.yml", "a.yml") && is_match("a*b*.c", "a1b22b.c") && is_match("a.c", "a.c"));
        assert!(!is_match("*.yml", "a.c") && !is_match("a*b*.c", "ba.c") && !is_match("a.c", "ab.c"));
        assert!(!is_match("aa*aa", "aaa"));
    }
}
