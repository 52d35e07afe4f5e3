//! z3 as a second opinion: many scripts through one process.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The line that ends the answers to one script.
const END: &str = "@end";

/// The MiB that a process may use. Its own limit of time is not obeyed while it prepares some formulas over arrays and floating-point numbers.
const MEMORY: u32 = 4096;
/// The seconds that a process may take in any case.
const PATIENCE: u64 = 60;

/// A z3 process at work on some scripts.
pub struct Batch {
    child: Child,
    writer: std::thread::JoinHandle<()>,
    scripts: usize,
}

/// Is there a z3 to ask?
pub fn available() -> bool {
    let version = Command::new("z3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|s| s.success())
}

impl Batch {
    /// Hands the scripts to a process, each under a time limit for each query. All together may take a tenth of the sum of these limits.
    pub fn start(scripts: &[String], limit: Duration) -> std::io::Result<Batch> {
        let seconds = PATIENCE + limit.as_secs() * scripts.len() as u64 / 10;
        let mut child = Command::new("z3")
            .args(["-in".to_string(), format!("-T:{seconds}"), format!("-memory:{MEMORY}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut text = String::new();
        for script in scripts {
            text += &format!(
                "(reset)\n(set-option :timeout {})\n{script}\n(echo \"{END}\")\n",
                limit.as_millis()
            );
        }
        let mut stdin = child.stdin.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        let writer = std::thread::spawn(move || {
            // If z3 went away, its missing answers tell.
            let _ = stdin.write_all(text.as_bytes());
        });
        Ok(Batch { child, writer, scripts: scripts.len() })
    }

    /// The lines that each script was answered with.
    pub fn answers(self) -> std::io::Result<Vec<Vec<String>>> {
        let Batch { child, writer, scripts } = self;
        let output = child.wait_with_output()?;
        let _ = writer.join();
        let text = String::from_utf8_lossy(&output.stdout);
        let mut out: Vec<Vec<String>> = Vec::with_capacity(scripts);
        let mut lines = Vec::new();
        for line in text.lines() {
            if line.trim_matches('"') == END {
                out.push(std::mem::take(&mut lines));
            } else {
                lines.push(line.to_string());
            }
        }
        out.resize(scripts, vec!["(error \"no answer\")".to_string()]);
        Ok(out)
    }
}

/// The answers to one script, and how long they took.
pub fn ask(script: &str, limit: Duration) -> std::io::Result<(Vec<String>, Duration)> {
    let begin = Instant::now();
    let mut answers = Batch::start(&[script.to_string()], limit)?.answers()?;
    Ok((answers.pop().unwrap_or_default(), begin.elapsed()))
}
