//! Runs on several machines: a job array for Slurm, and runs that go on where they were interrupted.

use super::manifest::Entry;
use crate::arguments::BenchOptions;
use bolide_report::bench::{Record, csv};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Results are written at most so often while a run goes on.
const PAUSE: Duration = Duration::from_secs(1);

/// The results of an interrupted run, and the entries that are still to be run.
pub fn resume(path: &Path, entries: Vec<Entry>) -> Result<(Vec<Record>, Vec<Entry>), String> {
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

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A job array for Slurm: each element runs a part of the list with the same options, and goes on where it was if it is started again.
pub fn slurm(options: &BenchOptions, parts: usize, tasks: usize, bolide: &Path) -> String {
    // Every task may need all of its time, and as much again for reading and stopping.
    let minutes =
        (tasks.div_ceil(parts) as f64 * (options.timeout + 5.0) / 60.0 / options.jobs.max(1) as f64).ceil();
    let memory = options.memory * options.jobs.max(1) as u64 + 512;
    let list =
        options.manifest.iter().map(|m| quoted(&m.display().to_string())).collect::<Vec<_>>().join(" ");
    let mut command = format!("{} bench {list} --quiet", quoted(&bolide.display().to_string()));
    let _ =
        write!(command, " --timeout {} --memory {} --jobs {}", options.timeout, options.memory, options.jobs);
    if !options.only.is_empty() {
        let _ = write!(command, " --only {}", quoted(&options.only.join(",")));
    }
    if let Some(sample) = options.sample {
        let _ = write!(command, " --sample {sample}");
    }
    for argument in &options.arguments {
        let _ = write!(command, " --arg={}", quoted(argument));
    }
    format!(
        "#!/bin/sh
# A run of {tasks} tasks in {parts} parts. Submit it with sbatch; submit it again to go on after an interruption.
# When all parts are done:  bolide bench bolide-parts/part-*.csv --csv all.csv
#SBATCH --job-name=bolide
#SBATCH --array=1-{parts}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={}
#SBATCH --mem={memory}M
#SBATCH --time={minutes}
#SBATCH --output=bolide-parts/part-%a.log
mkdir -p bolide-parts
part=${{SLURM_ARRAY_TASK_ID:?this is a job array: submit it with sbatch}}
exec {command} --part \"$part/{parts}\" --csv \"bolide-parts/part-$part.csv\" --resume
",
        options.jobs.max(1)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("--engine=pdr"), "--engine=pdr");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(rm)"), "'$(rm)'");
    }
}
