//! `bolide verify`: decides tasks.

mod circuit;
mod horn;
mod program;

pub use horn::load as load_horn;
pub use program::{front_model, load as load_program, read as read_program, text_of};

use crate::arguments::VerifyOptions;
use crate::report::{Report, Word, html, sarif};
use crate::{certificate, exit, limits};
use bolide_base::Budget;
use std::path::Path;
use std::time::Instant;

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

/// Why a task has no report: its exit code; the message has been printed.
pub struct Refused(pub u8);

/// Runs all tasks; the exit code is that of the last one that is not safe.
pub fn run(options: &VerifyOptions) -> u8 {
    let mut code = 0;
    if options.report.is_some() && options.files.len() > 1 {
        eprintln!("bolide: --report makes a page about one task");
        return exit::USAGE;
    }
    let mut findings = Vec::new();
    for file in &options.files {
        let budget = match limits::budget(options.timeout, options.memory) {
            Ok(budget) => budget,
            Err(message) => {
                eprintln!("bolide: {message}");
                return exit::USAGE;
            }
        };
        let this = match verify(file, options, &budget) {
            Ok(report) => {
                findings.push(report.value());
                print(&report, options)
            }
            Err(Refused(code)) => code,
        };
        code = code.max(this);
    }
    match &options.sarif {
        Some(path) => match write_whole(path, sarif::log(&findings).as_bytes()) {
            Ok(()) => code,
            Err(error) => {
                eprintln!("{}: error: {error}", path.display());
                exit::USAGE
            }
        },
        None => code,
    }
}

fn verify(file: &Path, options: &VerifyOptions, budget: &Budget) -> Result<Report, Refused> {
    let Some(kind) = Kind::of(file) else {
        eprintln!(
            "{}: error: what kind of task is this? Known are .c .i .smt2 .aig .aag .btor .btor2",
            file.display()
        );
        return Err(Refused(exit::BAD_INPUT));
    };
    let text = std::fs::read(file).map_err(|error| {
        eprintln!("{}: error: {error}", file.display());
        Refused(exit::BAD_INPUT)
    })?;
    let start = Instant::now();
    let mut report = match kind {
        Kind::Program => program::verify(file, &text, options, budget),
        Kind::Horn => horn::verify(file, &text, options, budget),
        Kind::Aiger | Kind::Btor2 => circuit::run(file, &text, kind, options, budget),
    }?;
    report.file = file.display().to_string();
    report.kind = kind;
    certificate::write(file, &text, &report, options, budget).map_err(Refused)?;
    report.seconds = start.elapsed().as_secs_f64();
    Ok(report)
}

/// How many engines may run side by side.
fn jobs(options: &VerifyOptions) -> usize {
    options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

fn print(report: &Report, options: &VerifyOptions) -> u8 {
    let is_many = options.files.len() > 1;
    match (options.json, is_many) {
        (true, _) => println!("{}", report.json()),
        (false, true) => print!("{}: {}", report.file, report.text()),
        (false, false) => print!("{}", report.text()),
    }
    if let (Kind::Horn, Word::Unknown(reason), false) = (report.kind, &report.verdict, options.json) {
        eprintln!("{}: unknown: {reason}", report.file);
    }
    if options.verbose {
        eprint!("{}", report.statistics);
    }
    if let Some(path) = &options.report
        && let Err(error) = write_whole(path, html::page(report).as_bytes())
    {
        eprintln!("{}: error: {error}", path.display());
        return exit::USAGE;
    }
    if let (Some(path), Some(harness)) = (&options.harness, &report.harness)
        && let Err(error) = write_whole(path, harness.as_bytes())
    {
        eprintln!("{}: error: {error}", path.display());
        return exit::USAGE;
    }
    if let (Some(path), Some(witness)) = (&options.witness, &report.witness) {
        if path.as_os_str() == "-" {
            if !options.json {
                print!("{witness}");
            }
        } else if let Err(error) = write_whole(path, witness.as_bytes()) {
            eprintln!("{}: error: {error}", path.display());
            return exit::USAGE;
        }
    }
    report.verdict.code()
}

/// Writes a file under another name first, so that nobody ever sees half of it.
pub fn write_whole(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.part", std::process::id()));
    std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path)).inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary);
    })
}
