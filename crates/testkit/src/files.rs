//! Files and folders that go away with the test.

use std::path::PathBuf;

/// A file that goes away with the test.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A file with a text; the name should occur once in its test file.
    pub fn new(name: &str, text: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("bolide-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("the temporary directory is writable");
        Scratch(path)
    }

    /// Where it is.
    pub fn path(&self) -> &str {
        self.0.to_str().expect("a readable path")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A folder that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder; the name should occur once in its test file.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("bolide-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the temporary directory is writable");
        Folder(path)
    }

    /// The path of something in it.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a file and gives its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(&path, text).expect("a file is written");
        path.display().to_string()
    }

    /// The names of the files in a folder in it, sorted.
    pub fn list(&self, name: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.join(name)).expect("a folder");
        let name = |e: std::io::Result<std::fs::DirEntry>| {
            e.expect("an entry").file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
