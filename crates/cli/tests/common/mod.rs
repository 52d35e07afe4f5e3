//! Running the binary.

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
