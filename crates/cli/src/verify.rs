//! `bolide verify`: decides tasks.

use crate::arguments::{Chosen, VerifyOptions};
use crate::cache::Directory;
use crate::input::task_file::TaskFile;
use crate::invocation::Explicit;
use crate::output::{foresee, make_directory, write_file};
use crate::progress::Watch;
use crate::source::{self, Refused};
use crate::style::{Tone, paint};
use crate::{batch, child, exit, input, interrupt, limits, options, progress, resources};
use bolide::{Board, Budget, Kind, Reason, ReasonCode, Report, VerdictKind};
use bolide_report::{html, sarif};
use std::path::Path;

/// Runs all tasks; the exit code is the highest of theirs.
pub fn run(options: &VerifyOptions, explicit: &[Explicit]) -> u8 {
    let tasks = match input::expand(&options.files) {
        Ok(tasks) => tasks,
        Err(error) => {
            eprintln!("bolide: error: {error}");
            return exit::BAD_INPUT;
        }
    };
    match tasks.as_slice() {
        [task] => run_one(task, options),
        [] => {
            eprintln!("bolide: error: there are no tasks; supported: {}", source::ENDINGS);
            exit::BAD_INPUT
        }
        _ => batch::run(&tasks, options, explicit),
    }
}

/// Runs one task and prints what is said about it.
fn run_one(task: &Path, options: &VerifyOptions) -> u8 {
    let outputs = [
        &options.witness,
        &options.harness,
        &options.certificate,
        &options.vcd,
        &options.certificate_circuit,
        &options.report,
        &options.sarif,
    ];
    // It would be a pity to find that out after the work.
    for path in outputs.into_iter().flatten().filter(|path| path.as_os_str() != "-") {
        if let Err(code) = foresee(path) {
            return code;
        }
    }
    let board = Board::new();
    let budget = match limits::budget(options.timeout, options.memory) {
        Ok(budget) => budget.with_board(board.clone()),
        Err(message) => {
            eprintln!("bolide: {message}");
            return exit::USAGE;
        }
    };
    let watch = progress::is_wanted(options.quiet || options.as_part)
        .then(|| Watch::start(short_name(task), board.clone()));
    let report = match input::is_task_file(task) {
        true => verify_task_file(task, options, &budget),
        false => verify(task, options, &budget),
    };
    drop(watch);
    match report {
        Ok(mut report) => {
            if interrupt::is_raised() {
                say_what_is_known(&mut report, &board);
            }
            print(&report, options)
        }
        Err(Refused(code)) => code,
    }
}

/// The name of a file without its folders.
fn short_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// After Ctrl-C: how far the engines came.
fn say_what_is_known(report: &mut Report, board: &Board) {
    if !report.verdict.is_known() {
        report.verdict = bolide::Verdict::unknown(Reason::new(ReasonCode::Interrupted, "interrupted"));
        for lane in board.lanes() {
            eprintln!("interrupted: {}", progress::state(&lane));
        }
        eprint!("{}", report.statistics);
    }
}

/// Runs the program of a task file of the software verification community.
fn verify_task_file(path: &Path, options: &VerifyOptions, budget: &Budget) -> Result<Report, Refused> {
    let task = TaskFile::load(path).map_err(|message| {
        eprintln!("{}: error: {message}", path.display());
        Refused(exit::BAD_INPUT)
    })?;
    let mut options = options.clone();
    options.data_model = task.data_model.unwrap_or(options.data_model);
    if let (true, Some(asked)) = (options.property.is_empty(), task.first_property()) {
        match &asked.property {
            Ok(names) => options.property.push(Chosen(names.clone())),
            Err(reason) => {
                let reason = Reason::new(ReasonCode::Unsupported, reason.as_str());
                return Ok(Report::unknown(&path.display().to_string(), Kind::Program, reason));
            }
        }
    }
    verify(&task.input, &options, budget)
}

/// Reads a task and decides it.
fn verify(file: &Path, options: &VerifyOptions, budget: &Budget) -> Result<Report, Refused> {
    let task = source::read(file, &options.cpp)?;
    let how = options::library(options, task.kind)?;
    let decided = match &options.cache {
        Some(directory) => {
            let cache = Directory::new(directory)?;
            bolide::verify_cached(&task, &how, &cache, budget)
        }
        None => bolide::verify(&task, &how, budget),
    };
    let mut report = decided.map_err(|error| source::refuse(&task, &error))?;
    for note in &report.notes {
        eprintln!("{}: {note}", file.display());
    }
    resources::record(&mut report.statistics);
    Ok(report)
}

fn print(report: &Report, options: &VerifyOptions) -> u8 {
    match (options.as_part, options.json) {
        (true, _) => {
            println!("{}{}{}", bolide_report::text(report), child::MARK, bolide_report::json(report))
        }
        (false, true) => println!("{}", bolide_report::json(report)),
        (false, false) => print!("{}", coloured(&bolide_report::text(report), report.verdict.name())),
    }
    if let (Kind::Horn, Some(reason), false) = (report.kind, report.verdict.reason(), options.json) {
        eprintln!("{}: unknown: {reason}", report.file);
    }
    if options.verbose {
        eprint!("{}", report.statistics);
    }
    match write_outputs(report, options) {
        Ok(()) => code(report),
        Err(code) => code,
    }
}

/// The exit code that goes with the verdict.
fn code(report: &Report) -> u8 {
    match report.verdict.kind() {
        VerdictKind::Safe => 0,
        VerdictKind::Unsafe => exit::UNSAFE,
        VerdictKind::Unknown(_) => exit::UNKNOWN,
    }
}

/// The text of a report with its first line, the verdict, in colour.
fn coloured(text: &str, verdict: &str) -> String {
    match text.split_once('\n') {
        Some((first, rest)) => format!("{}\n{rest}", paint(first, Tone::of(verdict))),
        None => text.into(),
    }
}

/// Makes the text of a file of a report, if there is something for it.
type Render<'a> = &'a dyn Fn(&Report) -> Option<String>;

/// Writes the files that the options ask for and that there is something for.
fn write_outputs(report: &Report, options: &VerifyOptions) -> Result<(), u8> {
    let certificate = |report: &Report| report.certificate.as_ref().map(|c| c.write());
    let outputs: [(_, Render<'_>); 6] = [
        (&options.certificate, &certificate),
        (&options.vcd, &bolide_report::waveform),
        (&options.certificate_circuit, &bolide_report::certificate_circuit),
        (&options.harness, &bolide_report::harness),
        (&options.report, &|report| Some(html::page(report))),
        (&options.sarif, &|report| Some(sarif::log(&[bolide_report::value(report)]))),
    ];
    for (path, render) in outputs {
        if let (Some(path), Some(text)) = (path, path.as_ref().and_then(|_| render(report))) {
            write_file(path, &text)?;
        }
    }
    if let (Some(directory), Some(obligations)) = (&options.export_obligations, &report.obligations) {
        make_directory(directory)?;
        for (n, script) in bolide_report::obligation_scripts(obligations).enumerate() {
            write_file(&directory.join(format!("{n:05}.smt2")), &script)?;
        }
    }
    match (&options.witness, options.witness.as_ref().and_then(|_| bolide_report::witness(report))) {
        (Some(path), Some(witness)) if path.as_os_str() != "-" => write_file(path, &witness)?,
        (Some(_), Some(witness)) if !options.json => print!("{witness}"),
        _ => {}
    }
    Ok(())
}
