//! `bolide verify`: decides tasks.

mod circuit;
mod horn;
mod program;
mod unwinders;

pub use horn::load as load_horn;
pub use program::{front_model, load as load_program, read as read_program, tell, text_of};

use crate::arguments::{Chosen, VerifyOptions};
use crate::cache::Lookup;
use crate::input::task_file::TaskFile;
use crate::invocation::Explicit;
use crate::output::{foresee, write_file};
use crate::progress::Watch;
use crate::report::{Report, Word, html, sarif};
use crate::style::{Tone, paint};
use crate::{batch, certificate, child, exit, input, interrupt, limits, progress, resources};
use bolide_base::{Board, Budget};
use std::path::Path;
use std::time::Instant;
use unwinders::Unwinders;

/// The kind of a task, by the extension of its file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A C program.
    Program,
    /// Horn clauses.
    Horn,
    /// An and-inverter graph.
    Aiger,
    /// A word-level circuit.
    Btor2,
}

impl Kind {
    /// The name of the kind in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Program => "c",
            Kind::Horn => "horn",
            Kind::Aiger => "aiger",
            Kind::Btor2 => "btor2",
        }
    }

    /// The kind that the extension of the path stands for.
    pub fn of(path: &Path) -> Option<Kind> {
        match path.extension()?.to_str()? {
            "c" | "i" => Some(Kind::Program),
            "smt2" => Some(Kind::Horn),
            "aig" | "aag" => Some(Kind::Aiger),
            "btor" | "btor2" => Some(Kind::Btor2),
            _ => None,
        }
    }
}

/// What the endings of tasks are.
const KNOWN: &str = "known are .c .i .smt2 .aig .aag .btor .btor2 .yml";

/// Why a task has no report: its exit code; the message has been printed.
pub struct Refused(pub u8);

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
            eprintln!("bolide: error: there are no tasks: {KNOWN}");
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
    if let Word::Unknown(reason) = &mut report.verdict {
        *reason = "interrupted".into();
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
                let file = path.display().to_string();
                return Ok(Report { file, ..Report::unknown(reason) });
            }
        }
    }
    verify(&task.input, &options, budget)
}

fn verify(file: &Path, options: &VerifyOptions, budget: &Budget) -> Result<Report, Refused> {
    let Some(kind) = Kind::of(file) else {
        eprintln!("{}: error: what kind of task is this? {KNOWN}", file.display());
        return Err(Refused(exit::BAD_INPUT));
    };
    let text = std::fs::read(file).map_err(|error| {
        eprintln!("{}: error: {error}", file.display());
        Refused(exit::BAD_INPUT)
    })?;
    let start = Instant::now();
    let mut lookup = Lookup::new(options.cache.clone()).map_err(Refused)?;
    let mut report = match kind {
        Kind::Program => program::verify(file, &text, options, &mut lookup, budget),
        Kind::Horn => horn::verify(file, &text, options, &mut lookup, budget),
        Kind::Aiger | Kind::Btor2 => circuit::run(file, &text, kind, options, &mut lookup, budget),
    }?;
    report.file = file.display().to_string();
    report.kind = kind;
    // Proofs for others may take as long again.
    let proofs = limits::budget(options.timeout, options.memory).unwrap_or_else(|_| budget.clone());
    certificate::write(file, &text, &mut report, options, &lookup, &proofs).map_err(Refused)?;
    resources::record(&mut report.statistics);
    report.seconds = start.elapsed().as_secs_f64();
    Ok(report)
}

/// How many engines may run side by side.
fn jobs(options: &VerifyOptions) -> usize {
    options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

fn print(report: &Report, options: &VerifyOptions) -> u8 {
    match (options.as_part, options.json) {
        (true, _) => println!("{}{}{}", report.text(), child::MARK, report.json()),
        (false, true) => println!("{}", report.json()),
        (false, false) => print!("{}", coloured(&report.text(), &report.verdict)),
    }
    if let (Kind::Horn, Word::Unknown(reason), false) = (report.kind, &report.verdict, options.json) {
        eprintln!("{}: unknown: {reason}", report.file);
    }
    if options.verbose {
        eprint!("{}", report.statistics);
    }
    match write_outputs(report, options) {
        Ok(()) => report.verdict.code(),
        Err(code) => code,
    }
}

/// The text of a report with its first line, the verdict, in colour.
fn coloured(text: &str, verdict: &Word) -> String {
    match text.split_once('\n') {
        Some((first, rest)) => format!("{}\n{rest}", paint(first, Tone::of(verdict.name()))),
        None => text.into(),
    }
}

/// Writes the files that the options ask for.
fn write_outputs(report: &Report, options: &VerifyOptions) -> Result<(), u8> {
    if let (Some(path), Some(harness)) = (&options.harness, &report.harness) {
        write_file(path, harness)?;
    }
    if let Some(path) = &options.report {
        write_file(path, &html::page(report))?;
    }
    if let Some(path) = &options.sarif {
        write_file(path, &sarif::log(&[report.value()]))?;
    }
    match (&options.witness, &report.witness) {
        (Some(path), Some(witness)) if path.as_os_str() != "-" => write_file(path, witness)?,
        (Some(_), Some(witness)) if !options.json => print!("{witness}"),
        _ => {}
    }
    Ok(())
}
