//! Files that Bolide writes: whole or not at all.

use crate::exit;
use std::fmt::Display;
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
    write_bytes(path, text.as_bytes())
}

/// The same for bytes of any encoding.
pub fn write_bytes(path: &Path, text: &[u8]) -> Result<(), u8> {
    write_whole(path, text).map_err(|error| cannot_write(path, &error))
}

/// Can a file of this name be written, as far as one can tell before? Otherwise the exit code; the message has been printed.
pub fn ensure_writable(path: &Path) -> Result<(), u8> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let problem = match folder.is_dir() {
        false => "there is no such folder",
        true if path.is_dir() => "it is a folder",
        true => return Ok(()),
    };
    Err(cannot_write(path, &problem))
}

/// Makes a directory that the user named, with all above it.
pub fn make_directory(path: &Path) -> Result<(), u8> {
    std::fs::create_dir_all(path).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &dyn Display) -> u8 {
    eprintln!("{}: error: cannot be written: {error}", path.display());
    exit::USAGE
}

/// Lets Bolide end quietly when nobody reads its standard output any more, as after `| head -1`. Printing panics then.
pub fn leave_with_the_reader() {
    let otherwise = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>();
        if message.is_some_and(|m| m.starts_with("failed printing to std")) {
            std::process::exit(exit::USAGE.into());
        }
        otherwise(panic);
    }));
}
