//! Tasks in processes of their own: what goes wrong in one does not touch the others.

use crate::{interrupt, resources};
use serde_json::Value;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The hidden option with which a process prints its report twice: as text and, after a [`MARK`], as JSON.
pub const PART: &str = "--as-part";
/// What separates text from JSON.
pub const MARK: char = '\0';
/// How often a process is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// How long a process may take to answer after Ctrl-C, of which it knows, too, on a terminal.
const PATIENCE: Duration = Duration::from_secs(3);

/// What came of a task.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// `safe`, `unsafe`, `unknown`, or `error` if there is no verdict at all.
    pub verdict: String,
    /// Why there is no verdict.
    pub reason: String,
    /// The engine that gave the verdict.
    pub engine: String,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Seconds of processor time.
    pub cpu: Option<f64>,
    /// Peak memory in MiB.
    pub memory: Option<u64>,
    /// The exit code.
    pub code: u8,
    /// The report as text.
    pub text: String,
    /// The report as JSON.
    pub json: Option<Value>,
    /// What went to standard error.
    pub messages: String,
}

impl Outcome {
    /// A task that was not brought to its end.
    pub fn interrupted() -> Outcome {
        let (verdict, reason) = ("unknown".into(), "interrupted".into());
        let text = "unknown: interrupted\n".into();
        Outcome { verdict, reason, code: crate::exit::UNKNOWN, text, ..Outcome::default() }
    }

    fn error(reason: String, seconds: f64) -> Outcome {
        let code = crate::exit::INTERNAL;
        Outcome { verdict: "error".into(), reason, seconds, code, ..Outcome::default() }
    }
}

/// Runs `bolide verify` with these arguments; stops it after `limit`.
pub fn verify(arguments: &[OsString], limit: Option<Duration>) -> Outcome {
    let start = Instant::now();
    verify_in(None, arguments, &|| limit.is_some_and(|limit| start.elapsed() > limit))
}

/// Runs `bolide verify` in a folder, or in the present one; stops it when it is told to.
pub fn verify_in(folder: Option<&Path>, arguments: &[OsString], stop: &dyn Fn() -> bool) -> Outcome {
    let start = Instant::now();
    let spawned = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command.arg("verify").arg(PART).args(arguments);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    });
    match spawned {
        Ok(child) => watch(child, start, stop),
        Err(error) => Outcome::error(format!("cannot be run: {error}"), 0.0),
    }
}

/// Waits for the end of a process, or ends it.
fn watch(mut child: Child, start: Instant, stop: &dyn Fn() -> bool) -> Outcome {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let stdout = scope.spawn(|| read(stdout));
        let stderr = scope.spawn(|| read(stderr));
        let mut stopped = false;
        let mut interrupted: Option<Instant> = None;
        let status = loop {
            match child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => break Some(status),
                Err(_) => break None,
            }
            if interrupt::is_raised() && interrupted.is_none() {
                interrupted = Some(Instant::now());
            }
            let is_slow = interrupted.is_some_and(|since| since.elapsed() > PATIENCE);
            if !stopped && (is_slow || stop()) {
                stopped = true;
                let _ = child.kill();
            }
            std::thread::sleep(LOOK);
        };
        let seconds = start.elapsed().as_secs_f64();
        let (stdout, messages) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
        let code = status.and_then(|s| s.code()).and_then(|c| u8::try_from(c).ok());
        let ended = match code {
            _ if stopped && interrupted.is_some() => Outcome { seconds, ..Outcome::interrupted() },
            _ if stopped => Outcome::error("had to be stopped".into(), seconds),
            None => Outcome::error("ended by a signal".into(), seconds),
            Some(code) => parse(&stdout, &messages, code, seconds),
        };
        Outcome { messages, ..ended }
    })
}

fn read(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a process says about its task.
fn parse(stdout: &str, messages: &str, code: u8, seconds: f64) -> Outcome {
    let json =
        stdout.split_once(MARK).and_then(|(text, json)| Some((text, serde_json::from_str(json).ok()?)));
    let Some((text, json)) = json else {
        let first = messages.lines().next().unwrap_or("no report");
        let reason = first.split_once(": error: ").map_or(first, |(_, reason)| reason).to_string();
        return Outcome { code: code.max(crate::exit::USAGE), ..Outcome::error(reason, seconds) };
    };
    let json: Value = json;
    let word = |name: &str| json[name].as_str().unwrap_or("").to_string();
    Outcome {
        verdict: word("verdict"),
        reason: word("reason"),
        engine: word("engine"),
        seconds,
        cpu: json["statistics"][resources::CPU].as_f64(),
        memory: json["statistics"][resources::MEMORY].as_u64(),
        code,
        text: text.into(),
        json: Some(json),
        messages: String::new(),
    }
}
