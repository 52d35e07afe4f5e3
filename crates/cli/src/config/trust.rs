//! Which folders the user trusts: their `bolide.toml` may run commands.
//!
//! The user's own list is `bolide/trusted-folders` in the folder for configuration (`$XDG_CONFIG_HOME`, or `~/.config`): one absolute
//! path in each line, which stands for the folder and all below it.

use std::path::{Component, Path, PathBuf};

/// The list, below the folder for configuration.
const LIST: &str = "bolide/trusted-folders";

/// Where the list is.
fn list() -> Option<PathBuf> {
    let own = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    let folder = own.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")))?;
    Some(folder.join(LIST))
}

/// The name of the list in messages.
pub fn list_name() -> String {
    list().map_or_else(|| LIST.into(), |path| path.display().to_string())
}

/// Is a folder, or one above it, in the user's list?
pub fn is_trusted_folder(folder: &Path) -> bool {
    let text = list().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let Ok(folder) = Path::new(".").join(folder).canonicalize() else { return false };
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).any(|line| {
        let trusted = Path::new(line);
        trusted.is_absolute() && trusted.canonicalize().is_ok_and(|trusted| folder.starts_with(trusted))
    })
}

/// Does a path name something inside of a folder, also if links are followed, and not in the files of a version control system?
pub fn stays_inside(folder: &Path, path: &str) -> bool {
    let Ok(whole) = Path::new(".").join(folder).canonicalize() else { return false };
    let parts = Path::new(path).components().count();
    let target = folder.join(path);
    let follow = |at: &Path| at.canonicalize().map_or(!at.is_symlink(), |real| real.starts_with(&whole));
    is_plain(path) && target.ancestors().take(parts).all(follow)
}

/// Is a path relative, without steps upwards, and not in the files of a version control system?
fn is_plain(path: &str) -> bool {
    let is_plain_part = |part: Component<'_>| match part {
        Component::CurDir => true,
        Component::Normal(name) => ![".git", ".hg", ".svn"].iter().any(|other| name == *other),
        Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
    };
    Path::new(path).components().all(is_plain_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_and_outside() {
        let here = std::env::temp_dir();
        let inside = |path: &str| stays_inside(&here, path);
        assert!(["no-such-cache", "./no-such/b", ".no-such", "-"].into_iter().all(inside));
        assert!(stays_inside(Path::new(""), "no-such/b") && !stays_inside(Path::new(""), "../x"));
        assert!(!["/etc/passwd", "../x", "a/../../x", ".git/config"].into_iter().any(inside));
    }
}
