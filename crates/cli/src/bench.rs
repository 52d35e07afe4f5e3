//! `bolide bench`: many tasks with known answers, under limits, and how the outcome compares with that of another run.

mod cluster;
mod manifest;

use crate::arguments::BenchOptions;
use crate::output::{make_directory, write_file};
use crate::style::{Tone, paint};
use crate::{child, exit, interrupt, limits, progress};
use bolide_base::Message;
use bolide_report::bench::{self as results, Record, Status};
use cluster::Journal;
use manifest::Entry;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// How much longer than its limit a task may take before it is stopped from outside: a factor, and seconds.
const GRACE: (f64, f64) = (1.2, 5.0);
/// The exit code if there are wrong answers.
const WRONG: u8 = 1;

/// Runs the tasks of a manifest; the exit code.
pub fn run(options: &BenchOptions) -> u8 {
    match try_run(options) {
        Ok(code) | Err(code) => code,
    }
}

fn try_run(options: &BenchOptions) -> Result<u8, u8> {
    let bad_input = |path: &Path| {
        let path = path.display().to_string();
        move |message: Message| {
            eprintln!("{path}: error: {message}");
            exit::BAD_INPUT
        }
    };
    limits::budget(Some(options.timeout), Some(options.memory)).map_err(|message| {
        eprintln!("bolide: {message}");
        exit::USAGE
    })?;
    let old = match &options.compare {
        Some(path) => Some(load(path).map_err(bad_input(path))?),
        None => None,
    };
    let is_result = |path: &Path| path.extension().is_some_and(|e| e == "csv" || e == "json");
    let records = match options.manifest.as_slice() {
        results if results.iter().all(|path| is_result(path)) => {
            let mut records = Vec::new();
            for path in results {
                records.extend(load(path).map_err(bad_input(path))?);
            }
            records
        }
        [list] => {
            let entries = manifest::load(list).map_err(bad_input(list))?;
            let entries = choose(entries, options);
            if let Some(path) = &options.slurm {
                return write_job_array(path, entries.len(), options).map(|()| 0);
            }
            let entries = match options.part {
                Some(part) => part.choose(entries),
                None => entries,
            };
            let (known, open) = match &options.csv {
                Some(path) if options.resume => cluster::resume(path, entries).map_err(bad_input(path))?,
                _ => (Vec::new(), entries),
            };
            run_all(known, &open, options)
        }
        _ => {
            eprintln!("bolide: error: several files must all be results of runs (.csv or .json)");
            return Err(exit::USAGE);
        }
    };
    write_results(&records, old.as_deref(), options)?;
    print!("{}", report(&records, options.timeout));
    if let (Some(old), Some(path)) = (&old, &options.compare) {
        print!("\n{}", results::comparison(old, &records, &path.display().to_string()));
    }
    let is_wrong = records.iter().any(|r| r.status() == Status::Wrong);
    Ok(if is_wrong { WRONG } else { 0 })
}

/// Reads the results of a run, or says what is wrong with them.
fn load(path: &Path) -> Result<Vec<Record>, Message> {
    results::read(&std::fs::read_to_string(path)?).map_err(|error| error.to_string().into())
}

/// What came of an entry of a list.
fn record(entry: &Entry, outcome: &child::Outcome) -> Record {
    Record {
        set: entry.set.clone(),
        path: entry.name.clone(),
        expected: entry.expected.clone(),
        verdict: outcome.verdict.clone(),
        seconds: outcome.seconds,
        cpu: outcome.cpu,
        memory: outcome.memory,
        engine: outcome.engine.clone(),
        reason: outcome.reason.clone(),
    }
}

/// The tasks that the options ask for.
fn choose(mut entries: Vec<Entry>, options: &BenchOptions) -> Vec<Entry> {
    let fits = |e: &Entry| options.only.iter().any(|part| e.set.contains(part) || e.name.contains(part));
    entries.retain(|e| options.only.is_empty() || fits(e));
    let Some(most) = options.sample else { return entries };
    // Every set gives tasks from its beginning to its end.
    let mut sets: indexmap::IndexMap<String, Vec<Entry>> = indexmap::IndexMap::new();
    entries.into_iter().for_each(|e| sets.entry(e.set.clone()).or_default().push(e));
    let some = |set: Vec<Entry>| {
        let (count, wanted) = (set.len(), most.min(set.len()));
        let is_chosen = move |n: usize| n * wanted / count != (n + 1) * wanted / count;
        set.into_iter().enumerate().filter(move |&(n, _)| is_chosen(n)).map(|(_, e)| e)
    };
    sets.into_values().flat_map(some).collect()
}

/// Writes a script that runs the tasks on a cluster.
fn write_job_array(path: &Path, tasks: usize, options: &BenchOptions) -> Result<(), u8> {
    let bolide = std::env::current_exe().unwrap_or_else(|_| "bolide".into());
    let parts = usize::try_from(options.parts).unwrap_or(1).min(tasks.max(1));
    let script = cluster::slurm(options, parts, tasks, &bolide);
    match path.as_os_str() == "-" {
        true => print!("{script}"),
        false => write_file(path, &script)?,
    }
    Ok(())
}

/// Runs the tasks; what is known from an earlier run comes first.
fn run_all(known: Vec<Record>, entries: &[Entry], options: &BenchOptions) -> Vec<Record> {
    let words = |entry: &Entry| {
        let mut words: Vec<OsString> = vec!["--no-config".into(), "--jobs=1".into()];
        words.push(format!("--timeout={}", options.timeout).into());
        words.push(format!("--memory={}", options.memory).into());
        words.extend(entry.arguments.iter().chain(&options.arguments).map(OsString::from));
        words.push("--".into());
        words.push(entry.path.clone().into());
        words
    };
    let limit = Duration::try_from_secs_f64(options.timeout * GRACE.0 + GRACE.1).ok();
    let bar = progress::is_wanted(options.quiet).then(progress::line);
    let mut records = known;
    let mut journal = Journal::new(options.csv.as_deref());
    let mut counts = [0usize; 2];
    let job = |n: usize| (!interrupt::is_raised()).then(|| child::verify(&words(&entries[n]), limit));
    let done = |n: usize, outcome: Option<child::Outcome>| {
        // Tasks that were not run are not in the results.
        let Some(outcome) = outcome else { return };
        let record = record(&entries[n], &outcome);
        counts[0] += usize::from(record.is_solved());
        counts[1] += usize::from(record.status() == Status::Wrong);
        if let Some(bar) = &bar {
            let [solved, wrong] = counts;
            bar.set_message(format!(
                "{} of {}: {solved} solved, {wrong} wrong, last {}: {}",
                n + 1,
                entries.len(),
                record.path,
                record.verdict
            ));
            bar.tick();
        }
        if options.verbose {
            println!(
                "{}\t{}\t{}\t{:.2}",
                record.status().name(),
                record.verdict,
                record.path,
                record.seconds
            );
        }
        records.push(record);
        journal.note(&records);
    };
    bolide_base::pool::run(entries.len(), options.jobs, job, done);
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    records
}

fn write_results(records: &[Record], old: Option<&[Record]>, options: &BenchOptions) -> Result<(), u8> {
    if let Some(path) = &options.csv {
        write_file(path, &results::csv(records))?;
    }
    if let Some(path) = &options.json {
        write_file(path, &results::json(records, options.timeout))?;
    }
    if let Some(directory) = &options.plots {
        make_directory(directory)?;
        let mut runs = vec![("this run", records)];
        runs.extend(old.map(|old| ("the other run", old)));
        write_file(&directory.join("cactus.svg"), &results::cactus(&runs, options.timeout))?;
        if let Some(old) = old {
            write_file(&directory.join("scatter.svg"), &results::scatter(old, records, options.timeout))?;
        }
    }
    Ok(())
}

/// Wrong answers and errors first, then a line for each set and one for all.
fn report(records: &[Record], timeout: f64) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for (status, what) in [(Status::Wrong, "WRONG"), (Status::Error, "error")] {
        for r in records.iter().filter(|r| r.status() == status) {
            let said = if r.reason.is_empty() { &r.verdict } else { &r.reason };
            let what = paint(what, Tone::Bad);
            let _ = writeln!(out, "{what}: {}: {said}, expected {}", r.path, r.expected);
        }
    }
    let mut sets: indexmap::IndexMap<&str, Vec<&Record>> = indexmap::IndexMap::new();
    records.iter().for_each(|r| sets.entry(&r.set).or_default().push(r));
    let width = sets.keys().map(|s| s.chars().count()).max().unwrap_or(0).max(5);
    let _ = writeln!(out, "{:<width$}  tasks  solved  wrong  errors     PAR2", "set");
    let mut line = |name: &str, of: &[&Record]| {
        let count = |f: fn(&Record) -> bool| of.iter().filter(|r| f(r)).count();
        let penalty = |r: &&Record| if r.is_solved() { r.seconds } else { 2.0 * timeout };
        let _ = writeln!(
            out,
            "{name:<width$}  {:>5}  {:>6}  {:>5}  {:>6}  {:>5.2} s",
            of.len(),
            count(Record::is_solved),
            count(|r| r.status() == Status::Wrong),
            count(|r| r.status() == Status::Error),
            of.iter().map(penalty).sum::<f64>() / of.len().max(1) as f64
        );
    };
    sets.iter().for_each(|(name, of)| line(name, of));
    if sets.len() != 1 {
        line("all", &records.iter().collect::<Vec<_>>());
    }
    out
}
