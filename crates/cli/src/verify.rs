//! `bolide verify`: decides tasks.

use crate::arguments::{Chosen, VerifyOptions};
use crate::batch::Job;
use crate::cache::Directory;
use crate::input::task_file::TaskFile;
use crate::invocation::Explicit;
use crate::output::{ensure_writable, make_directory, write_file};
use crate::preprocessor::Preprocessor;
use crate::progress::Watch;
use crate::source::{self, Refused, Unit};
use crate::style::{Tone, paint};
use crate::{
    batch, changes, child, compile_commands, exit, findings, input, interrupt, limits, options, progress,
    resources, targets,
};
use bolide::{Board, Budget, Kind, Reason, ReasonCode, Report, Task, VerdictKind};
use bolide_report::html;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What one run is about.
enum Subject {
    /// A file.
    File(PathBuf),
    /// C files that are one program.
    Program(Vec<Unit>),
}

impl Subject {
    /// The name for messages.
    fn name(&self) -> String {
        let short = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        match self {
            Subject::File(file) => short(file),
            Subject::Program(units) => units.iter().map(|u| short(&u.file)).collect::<Vec<_>>().join(" "),
        }
    }
}

/// Runs all tasks; the exit code is the highest of theirs.
pub fn run(options: &VerifyOptions, explicit: &[Explicit]) -> u8 {
    // It would be a pity to find that out after the work.
    if let Err(code) = findings::baseline(options) {
        return code;
    }
    if options.files.is_empty() && options.compile_commands.is_none() {
        return match targets::load(&options.target, explicit) {
            Ok(jobs) => run_jobs(jobs, options, explicit),
            Err(code) => code,
        };
    }
    if options.functions {
        return match each_function(options) {
            Ok(jobs) => run_jobs(jobs, options, explicit),
            Err(Refused(code)) => code,
        };
    }
    if options.link || options.compile_commands.is_some() || !options.models.is_empty() {
        return match program(options) {
            Ok((units, options)) => {
                let files: Vec<PathBuf> = units.iter().map(|u| u.file.clone()).collect();
                match is_concerned(&options, &files) {
                    Ok(true) => run_one(&Subject::Program(units), &options),
                    Ok(false) => 0,
                    Err(code) => code,
                }
            }
            Err(Refused(code)) => code,
        };
    }
    let tasks = match input::expand(&options.files) {
        Ok(tasks) => tasks,
        Err(error) => {
            eprintln!("bolide: error: {error}");
            return exit::BAD_INPUT;
        }
    };
    match tasks.as_slice() {
        [task] => match is_concerned(options, std::slice::from_ref(task)) {
            Ok(true) => run_one(&Subject::File(task.clone()), options),
            Ok(false) => 0,
            Err(code) => code,
        },
        [] => {
            eprintln!("bolide: error: there are no tasks; supported: {}", source::ENDINGS);
            exit::BAD_INPUT
        }
        _ => {
            let jobs: Vec<Job> = tasks.iter().map(|task| Job::file(task)).collect();
            run_jobs(jobs, options, explicit)
        }
    }
}

/// Runs the tasks of a batch, or those that changes concern.
fn run_jobs(jobs: Vec<Job>, options: &VerifyOptions, explicit: &[Explicit]) -> u8 {
    let Some(revision) = &options.changed_since else { return batch::run(&jobs, options, explicit) };
    let count = jobs.len();
    match changes::Changes::since(revision).map(|changes| changes.concern(jobs)) {
        Ok(jobs) if jobs.is_empty() => {
            println!("nothing that {count} tasks depend on has changed since {revision}");
            0
        }
        Ok(jobs) => batch::run(&jobs, options, explicit),
        Err(code) => code,
    }
}

/// Does a single task have to be run?
fn is_concerned(options: &VerifyOptions, files: &[PathBuf]) -> Result<bool, u8> {
    let Some(revision) = &options.changed_since else { return Ok(true) };
    let changes = changes::Changes::since(revision)?;
    let is_changed = files.iter().any(|f| changes.is_changed(f));
    if !is_changed {
        println!("nothing that the task depends on has changed since {revision}");
    }
    Ok(is_changed)
}

/// A task for each function of the files, with that function as entry.
fn each_function(options: &VerifyOptions) -> Result<Vec<Job>, Refused> {
    let is_program = options.link || options.compile_commands.is_some();
    let (units, _) = program(&VerifyOptions { models: Vec::new(), ..options.clone() })?;
    let mut jobs = Vec::new();
    let files: Vec<PathBuf> = units.iter().map(|u| u.file.clone()).collect();
    for unit in &units {
        let task = source::link(std::slice::from_ref(unit))?;
        let functions = bolide_front::c::functions(&[task.name.as_str()], task.source())
            .map_err(|rejection| source::refuse(&task, &bolide::Error::C(rejection)))?;
        for (name, _) in functions {
            let files = if is_program { options.files.clone() } else { vec![unit.file.clone()] };
            let entry = if is_program { format!("{}:{name}", task.name) } else { name.clone() };
            let name =
                if files.len() > 1 || units.len() > 1 { format!("{}:{name}", task.name) } else { name };
            let own = vec![OsString::from(format!("--entry={entry}"))];
            jobs.push(Job { name, options: own, files });
        }
    }
    if jobs.is_empty() {
        let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        return Err(Refused::input(names.join(" "), "there are no functions"));
    }
    Ok(jobs)
}

/// The units of the program that all files are, and the options with what the compilation database adds to them.
fn program(options: &VerifyOptions) -> Result<(Vec<Unit>, VerifyOptions), Refused> {
    let preprocessor = Preprocessor::new(&options.cpp).with(&options.compiler).for_model(options.data_model);
    let mut options = options.clone();
    let Some(path) = &options.compile_commands else {
        let files = input::expand(&options.files).map_err(|error| Refused::input("bolide", error))?;
        let files = files.into_iter().chain(options.models.iter().cloned());
        let units = files.map(|file| Unit { file, preprocessor: Some(preprocessor.clone()) });
        return Ok((units.collect(), options));
    };
    let database = compile_commands::load(path, &preprocessor)?;
    options.compiler.m32 |= database.is_32_bits;
    let mut units = database.units;
    if !options.files.is_empty() {
        let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        let known = |file: &PathBuf| {
            units.iter().find(|u| whole(&u.file) == whole(file)).cloned().ok_or_else(|| {
                Refused::input(file.display(), format_args!("{} does not mention it", path.display()))
            })
        };
        units = options.files.iter().map(known).collect::<Result<_, _>>()?;
    }
    let model = |f: &PathBuf| Unit { file: f.clone(), preprocessor: Some(preprocessor.clone()) };
    units.extend(options.models.iter().map(model));
    Ok((units, options))
}

/// Runs one task and prints what is said about it.
fn run_one(task: &Subject, options: &VerifyOptions) -> u8 {
    let outputs = [
        &options.witness,
        &options.alethe,
        &options.harness,
        &options.certificate,
        &options.vcd,
        &options.certificate_circuit,
        &options.report,
        &options.sarif,
    ];
    // It would be a pity to find that out after the work.
    for path in outputs.into_iter().flatten().filter(|path| path.as_os_str() != "-") {
        if let Err(code) = ensure_writable(path) {
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
    watch_limits(task, options);
    let watch = progress::is_wanted(options.quiet || options.as_part)
        .then(|| Watch::start(task.name(), board.clone()));
    let report = match task {
        Subject::File(task) if input::is_task_file(task) => verify_task_file(task, options, &budget),
        Subject::File(task) => verify_file(task, options, &budget),
        Subject::Program(units) => source::link(units).and_then(|task| verify(&task, options, &budget)),
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

/// Watches over the limits of one task. Certificates may take as long again as the verdict.
fn watch_limits(task: &Subject, options: &VerifyOptions) {
    let goes_on =
        options.certificate.is_some() || options.cache.is_some() || options.export_obligations.is_some();
    let factor = if goes_on || options.witness.is_some() || options.report.is_some() { 2.0 } else { 1.0 };
    let (file, options, start) = (task.name(), options.clone(), std::time::Instant::now());
    let kind = match task {
        Subject::File(task) => source::kind_of(task).unwrap_or(Kind::Program),
        Subject::Program(_) => Kind::Program,
    };
    limits::watch(options.timeout.map(|seconds| seconds * factor), options.memory, move |interrupt| {
        let mut report = Report::unknown(&file, kind, Reason::from(interrupt));
        report.seconds = start.elapsed().as_secs_f64();
        print_report(&report, &options);
        true
    });
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
    let task = TaskFile::load(path).map_err(|message| Refused::input(path.display(), message))?;
    let mut options = options.clone();
    options.data_model = options.data_model.or(task.data_model);
    if let (true, Some(asked)) = (options.property.is_empty(), task.first_property()) {
        match &asked.property {
            Ok(names) => options.property.push(Chosen(names.clone())),
            Err(reason) => {
                let reason = Reason::new(ReasonCode::Unsupported, reason.as_str());
                return Ok(Report::unknown(&path.display().to_string(), Kind::Program, reason));
            }
        }
    }
    verify_file(&task.input, &options, budget)
}

/// Reads a task and decides it.
fn verify_file(file: &Path, options: &VerifyOptions, budget: &Budget) -> Result<Report, Refused> {
    let preprocessor = Preprocessor::new(&options.cpp).with(&options.compiler).for_model(options.data_model);
    verify(&source::read_with(file, Some(&preprocessor))?, options, budget)
}

/// Decides a task.
fn verify(task: &Task, options: &VerifyOptions, budget: &Budget) -> Result<Report, Refused> {
    let how = options::library(options, task.kind)?;
    let decided = match &options.cache {
        Some(directory) => {
            let cache = Directory::new(directory)?;
            bolide::verify_cached(task, &how, &cache, budget)
        }
        None => bolide::verify(task, &how, budget),
    };
    let mut report = decided.map_err(|error| source::refuse(task, &error))?;
    for note in &report.notes {
        eprintln!("{}: {note}", task.name);
    }
    resources::record(&mut report.statistics);
    Ok(report)
}

fn print(report: &Report, options: &VerifyOptions) -> u8 {
    limits::answer(|| print_report(report, options));
    if options.verbose {
        eprint!("{}", report.statistics);
    }
    match write_outputs(report, options) {
        Ok(()) => code(report),
        Err(code) => code,
    }
}

/// Prints a report in the form that the options ask for.
fn print_report(report: &Report, options: &VerifyOptions) {
    match (options.as_part, options.json) {
        (true, _) => {
            let text = bolide_report::text_with(report, options.verbose);
            println!("{text}{}{}", child::MARK, bolide_report::json(report))
        }
        (false, true) => println!("{}", bolide_report::json(report)),
        (false, false) => {
            let text = bolide_report::text_with(report, options.verbose);
            print!("{}", coloured(&text, report.verdict.name()));
        }
    }
    if let (Kind::Horn, Some(reason), false) = (report.kind, report.verdict.reason(), options.json) {
        eprintln!("{}: unknown: {reason}", report.file);
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

/// The proof of a report in the Alethe format, which may take as long again; a note says what it lacks.
fn alethe(report: &Report, options: &VerifyOptions) -> Option<String> {
    let proof = bolide_report::alethe(report, &limits::budget(options.timeout, options.memory).ok()?);
    match &proof {
        Ok(proof) if proof.holes == 0 => {}
        Ok(proof) => {
            eprintln!("note: {} of {} steps of the Alethe proof are holes", proof.holes, proof.steps)
        }
        Err(flaw) => eprintln!("note: no Alethe proof is written: {flaw}"),
    }
    proof.ok().map(|proof| proof.text)
}

/// Writes the files that the options ask for and that there is something for.
fn write_outputs(report: &Report, options: &VerifyOptions) -> Result<(), u8> {
    let certificate = |report: &Report| report.certificate.as_ref().map(|c| c.write());
    let outputs: [(_, Render<'_>); 7] = [
        (&options.witness, &bolide_report::witness),
        (&options.alethe, &|report| alethe(report, options)),
        (&options.certificate, &certificate),
        (&options.vcd, &bolide_report::waveform),
        (&options.certificate_circuit, &bolide_report::certificate_circuit),
        (&options.harness, &bolide_report::harness),
        (&options.report, &|report| Some(html::page(report))),
    ];
    for (path, render) in outputs {
        if let (Some(path), Some(text)) = (path, path.as_ref().and_then(|_| render(report))) {
            match path.as_os_str() == "-" {
                false => write_file(path, &text)?,
                true if !options.json => print!("{text}"),
                true => {}
            }
        }
    }
    if options.sarif.is_some() {
        findings::write(&[bolide_report::value(report)], options)?;
    }
    if let (Some(directory), Some(obligations)) = (&options.export_obligations, &report.obligations) {
        make_directory(directory)?;
        for (n, script) in bolide_report::obligation_scripts(obligations).enumerate() {
            write_file(&directory.join(format!("{n:05}.smt2")), &script)?;
        }
    }
    Ok(())
}
