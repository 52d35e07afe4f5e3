//! Runs on several machines: a job array for Slurm, and runs that go on where they were interrupted.

use super::manifest::Entry;
use crate::arguments::BenchOptions;
use bolide_base::Message;
use bolide_report::bench::{JobArray, Record, csv};
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// Results are written at most so often while a run goes on.
const PAUSE: Duration = Duration::from_secs(1);

/// The results of an interrupted run, and the entries that are still to be run.
pub fn resume(path: &Path, entries: Vec<Entry>) -> Result<(Vec<Record>, Vec<Entry>), Message> {
    if !path.exists() {
        return Ok((Vec::new(), entries));
    }
    let records = super::load(path)?;
    let done: HashSet<(&str, &str)> = records.iter().map(|r| (r.set.as_str(), r.path.as_str())).collect();
    let is_open = |e: &Entry| !done.contains(&(e.set.as_str(), e.name.as_str()));
    let open = entries.into_iter().filter(is_open).collect();
    Ok((records, open))
}

/// Writes what is known while a run goes on, so that little is lost if it is interrupted.
pub struct Journal<'a> {
    path: Option<&'a Path>,
    written: Instant,
}

impl Journal<'_> {
    /// Results go to this file, if there is one.
    pub fn new(path: Option<&Path>) -> Journal<'_> {
        Journal { path, written: Instant::now() }
    }

    /// One more result is known. What cannot be written now is written at the end, where the error is told.
    pub fn note(&mut self, records: &[Record]) {
        if let (Some(path), true) = (self.path, self.written.elapsed() > PAUSE) {
            let _ = crate::output::write_whole(path, csv(records).as_bytes());
            self.written = Instant::now();
        }
    }
}

/// A job array for Slurm: each element runs a part of the list with the same options, and goes on where it was if it is started again.
pub fn slurm(options: &BenchOptions, parts: usize, tasks: usize, bolide: &Path) -> String {
    let mut command = vec![bolide.display().to_string(), "bench".into()];
    command.extend(options.manifest.iter().map(|m| m.display().to_string()));
    command.push("--quiet".into());
    let mut option = |name: &str, value: String| command.extend([format!("--{name}"), value]);
    option("timeout", options.timeout.to_string());
    option("memory", options.memory.to_string());
    option("jobs", options.jobs.to_string());
    if !options.only.is_empty() {
        option("only", options.only.join(","));
    }
    if let Some(sample) = options.sample {
        option("sample", sample.to_string());
    }
    command.extend(options.arguments.iter().map(|argument| format!("--arg={argument}")));
    let (timeout, memory, jobs) = (options.timeout, options.memory, options.jobs);
    JobArray { command, parts, tasks, timeout, memory, jobs }.slurm()
}
