//! `bolide verify` on several tasks: each in a process of its own, a table of all at the end.

use crate::arguments::VerifyOptions;
use crate::child::{self, Outcome};
use crate::invocation::Explicit;
use crate::style::{Tone, paint};
use crate::{findings, interrupt, output, progress};
use bolide_base::counted;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Options that are about the batch and not about its tasks.
const OWN: [&str; 8] = ["jobs", "json", "quiet", "sarif", "baseline", "target", "functions", "changed-since"];

/// A task of a batch.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its name in the table.
    pub name: String,
    /// Options that only this task has.
    pub options: Vec<OsString>,
    /// Its files.
    pub files: Vec<PathBuf>,
}

impl Job {
    /// The task of a file.
    pub fn file(file: &Path) -> Job {
        Job { name: file.display().to_string(), options: Vec::new(), files: vec![file.into()] }
    }
}

/// Verifies the tasks; the exit code is the highest of theirs.
pub fn run(tasks: &[Job], options: &VerifyOptions, explicit: &[Explicit]) -> u8 {
    let words = match words(tasks, options, explicit) {
        Ok(words) => words,
        Err(code) => return code,
    };
    let start = Instant::now();
    let bar = progress::is_wanted(options.quiet).then(progress::line);
    let mut outcomes = Vec::with_capacity(tasks.len());
    let job = |n: usize| match interrupt::is_raised() {
        true => Outcome::interrupted(),
        false => child::verify(&words[n], None),
    };
    let done = |n: usize, outcome: Outcome| {
        if let Some(bar) = &bar {
            let name = &tasks[n].name;
            bar.set_message(format!("{} of {} tasks, last {name}: {}", n + 1, tasks.len(), outcome.verdict));
            bar.suspend(|| print(&tasks[n].name, &outcome, n, options.json));
        } else {
            print(&tasks[n].name, &outcome, n, options.json);
        }
        outcomes.push(outcome);
    };
    if let Some(bar) = &bar {
        bar.set_message(counted(tasks.len(), "task", "tasks"));
        bar.enable_steady_tick(Duration::from_millis(125));
    }
    bolide_base::pool::run(tasks.len(), options.jobs.unwrap_or(1), job, done);
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    match options.json {
        true => println!("{}", if tasks.is_empty() { "[]" } else { "\n]" }),
        false => print!("\n{}", summary(tasks, &outcomes, start.elapsed())),
    }
    let code = outcomes.iter().map(|o| o.code).max().unwrap_or(0);
    let reports: Vec<Value> = outcomes.iter().filter_map(|o| o.json.clone()).collect();
    findings::write(&reports, options).map_or_else(|code| code, |()| code)
}

/// The command line of each task's process.
fn words(tasks: &[Job], options: &VerifyOptions, explicit: &[Explicit]) -> Result<Vec<Vec<OsString>>, u8> {
    for option in explicit.iter().filter(|o| o.is_output && !OWN.contains(&o.name.as_str())) {
        for directory in option.values.iter().filter(|v| *v != "-") {
            output::make_directory(Path::new(directory))?;
        }
    }
    // Processes that run side by side share the processors.
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let engines = (cores / options.jobs.unwrap_or(1).max(1)).max(1);
    let mut all = Vec::with_capacity(tasks.len());
    for (task, name) in tasks.iter().zip(names(tasks)) {
        let mut words = vec![OsString::from(format!("--jobs={engines}"))];
        for option in explicit.iter().filter(|o| !OWN.contains(&o.name.as_str())) {
            let mut option = option.clone();
            if option.is_output {
                let into = |v: &OsString| Path::new(v).join(format!("{name}.{}", ending(&option.name)));
                option.values =
                    option.values.iter().map(|v| if v == "-" { v.clone() } else { into(v).into() }).collect();
            }
            words.extend(option.words());
        }
        words.extend(task.options.iter().cloned());
        words.push("--".into());
        words.extend(task.files.iter().map(OsString::from));
        all.push(words);
    }
    Ok(all)
}

/// How the name of an output of a task ends.
fn ending(option: &str) -> &str {
    match option {
        "certificate" => "cert",
        "harness" => "harness.c",
        "certificate-circuit" => "aag",
        "report" => "html",
        "export-obligations" => "obligations",
        other => other,
    }
}

/// A name for the outputs of each task: that of its file, with a number where there are several of that name.
fn names(tasks: &[Job]) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut name = |task: &Job| {
        let path = Path::new(&task.name);
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count == 1 { name } else { format!("{name}-{count}") }
    };
    tasks.iter().map(&mut name).collect()
}

/// Prints what is said about the `n`-th task.
fn print(task: &str, outcome: &Outcome, n: usize, json: bool) {
    eprint!("{}", outcome.messages);
    if json {
        let name = task.to_string();
        let none = || {
            serde_json::json!({ "schema": bolide_report::SCHEMA, "bolide": env!("CARGO_PKG_VERSION"), "file": name,
                                "verdict": outcome.verdict, "reason": outcome.reason })
        };
        let value = outcome.json.clone().unwrap_or_else(none);
        print!("{}{value}", if n == 0 { "[\n" } else { ",\n" });
    } else if outcome.text.is_empty() {
        println!("{task}: error: {}", outcome.reason);
    } else {
        print!("{task}: {}", outcome.text);
    }
}

/// The table of all tasks, and how many there are of each verdict.
fn summary(tasks: &[Job], outcomes: &[Outcome], time: Duration) -> String {
    let width = tasks.iter().map(|t| t.name.chars().count()).max().unwrap_or(0).clamp(4, 60);
    let mut out = String::new();
    let _ =
        writeln!(out, "{:<width$}  {:<7}  {:>9}  {:>8}  by, or why not", "task", "verdict", "time", "memory");
    for (task, o) in tasks.iter().zip(outcomes) {
        let memory = o.memory.map_or("-".into(), |m| format!("{m} MiB"));
        let verdict = paint(&format!("{:<7}", o.verdict), Tone::of(&o.verdict));
        let by = if o.reason.is_empty() { &o.engine } else { &o.reason };
        let by: String = by.chars().take(60).collect();
        let _ = writeln!(out, "{:<width$}  {verdict}  {:>7.2} s  {memory:>8}  {by}", task.name, o.seconds);
    }
    let _ = write!(out, "{} in {:.2} s:", counted(tasks.len(), "task", "tasks"), time.as_secs_f64());
    for verdict in ["safe", "unsafe", "unknown", "error"] {
        let count = outcomes.iter().filter(|o| o.verdict == verdict).count();
        if count > 0 || verdict != "error" {
            let comma = if verdict == "safe" { "" } else { "," };
            let _ = write!(out, "{comma} {}", paint(&format!("{count} {verdict}"), Tone::of(verdict)));
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_tasks_have_different_names() {
        let tasks: Vec<Job> = ["a/x.c", "b/x.c", "y.smt2"].iter().map(|f| Job::file(Path::new(f))).collect();
        assert_eq!(names(&tasks), ["x.c", "x.c-2", "y.smt2"]);
    }

    #[test]
    fn a_table_of_tasks() {
        let tasks = [Job::file(Path::new("a.c")), Job::file(Path::new("b.c"))];
        let outcome = |verdict: &str, memory| Outcome {
            verdict: verdict.into(),
            memory,
            seconds: 0.5,
            ..Outcome::default()
        };
        let text =
            summary(&tasks, &[outcome("safe", Some(12)), outcome("error", None)], Duration::from_secs(1));
        assert!(text.contains("a.c   safe        0.50 s    12 MiB"), "{text}");
        assert!(text.ends_with("2 tasks in 1.00 s: 1 safe, 0 unsafe, 0 unknown, 1 error\n"), "{text}");
    }
}
