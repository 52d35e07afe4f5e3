//! Running the binary.
#![allow(dead_code, missing_docs)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
}

/// Runs `bolide` with these arguments and nothing to read.
pub fn bolide(arguments: &[&str]) -> Run {
    run(Command::new(env!("CARGO_BIN_EXE_bolide")).args(arguments), b"").expect("bolide runs")
}

/// Runs `bolide smt` on a script that comes in by standard input.
pub fn bolide_on(options: &[&str], script: &[u8]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bolide"));
    run(command.arg("smt").args(options).arg("-"), script).expect("bolide runs")
}

/// What z3 says to a script, if it is installed.
pub fn z3(script: &str) -> Option<String> {
    run(Command::new("z3").arg("-in"), script.as_bytes()).filter(|r| r.code != 127).map(|r| r.stdout)
}

fn run(command: &mut Command, input: &[u8]) -> Option<Run> {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    std::thread::scope(|s| {
        // A process that does not read to the end closes the pipe.
        s.spawn(move || stdin.write_all(input).is_ok());
        let output = child.wait_with_output().ok()?;
        Some(Run {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
        })
    })
}

/// A file that goes away with the test.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str, text: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("bolide-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("the temporary directory is writable");
        Scratch(path)
    }

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

/// A safe program with a loop.
pub const SAFE: &str = "extern void reach_error(void);
int main(void) { int i = 0; while (i < 10) i++; if (i != 10) reach_error(); return 0; }
";
/// An unsafe program.
pub const UNSAFE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x == 42) reach_error(); return 0; }
";
