//! Files that Bolide writes: whole or not at all.

use crate::exit;
use std::path::Path;

/// Writes a file under another name first, so that nobody ever sees half of it.
pub fn write_whole(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.part", std::process::id()));
    std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path)).inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary);
    })
}

/// Writes a file that the user named; the exit code if that is not possible, and the message has been printed.
pub fn write_file(path: &Path, text: &str) -> Result<(), u8> {
    write_whole(path, text.as_bytes()).map_err(|error| cannot_write(path, &error))
}

/// Can a file of this name be written, as far as one can tell before? Otherwise the exit code; the message has been printed.
pub fn foresee(path: &Path) -> Result<(), u8> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let problem = match folder.is_dir() {
        false => Some("there is no such folder"),
        true if path.is_dir() => Some("it is a folder"),
        true => None,
    };
    match problem {
        Some(problem) => {
            eprintln!("{}: error: cannot be written: {problem}", path.display());
            Err(exit::USAGE)
        }
        None => Ok(()),
    }
}

/// Makes a directory that the user named, with all above it.
pub fn make_directory(path: &Path) -> Result<(), u8> {
    std::fs::create_dir_all(path).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> u8 {
    eprintln!("{}: error: cannot be written: {error}", path.display());
    exit::USAGE
}
