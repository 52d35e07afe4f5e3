//! What the command line names as input: files, directories, and task files of the software verification community.

pub mod specification;
pub mod task_file;

use crate::source::kind_of;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use task_file::TaskFile;

/// Is this the name of a task file?
pub fn is_task_file(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "yml" || e == "yaml")
}

/// The tasks that paths stand for: files for themselves, directories for the tasks in them, in the order of their names.
/// In a directory, a program that a task file is about is not a task of its own.
pub fn expand(paths: &[PathBuf]) -> std::io::Result<Vec<PathBuf>> {
    let mut tasks = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut found = files_below(path)?;
            let mut covered = BTreeSet::new();
            found.retain(|file| match is_task_file(file) {
                true => match TaskFile::load(file) {
                    Ok(task) => {
                        covered.extend(task.input.canonicalize());
                        true
                    }
                    Err(_) => false,
                },
                false => kind_of(file).is_some(),
            });
            found.retain(|file| file.canonicalize().map_or(true, |file| !covered.contains(&file)));
            tasks.extend(found);
        } else {
            tasks.push(path.clone());
        }
    }
    Ok(tasks)
}

/// All files in a directory and those in it, sorted; hidden ones are left out, and links to directories not followed.
fn files_below(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut todo = vec![directory.to_path_buf()];
    while let Some(directory) = todo.pop() {
        for entry in std::fs::read_dir(&directory)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            match entry.file_type()? {
                kind if kind.is_dir() => todo.push(entry.path()),
                _ if entry.path().is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    Ok(files)
}
