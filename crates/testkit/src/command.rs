//! Running commands.

use std::io::Write;
use std::process::{Command, Stdio};

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Its exit code, -1 if a signal ended it.
    pub code: i32,
}

/// Runs a command on an input; nothing if there is no such command.
pub fn run(command: &mut Command, input: &[u8]) -> Option<Run> {
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

/// What z3 says to a script, if it is installed.
pub fn z3(script: &str) -> Option<String> {
    run(Command::new("z3").arg("-in"), script.as_bytes()).filter(|r| r.code != 127).map(|r| r.stdout)
}
