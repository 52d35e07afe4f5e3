//! `bolide verify`: decides tasks.

mod circuit;
mod horn;
mod program;

pub use horn::load as load_horn;
pub use program::load as load_program;

use crate::arguments::VerifyOptions;
use crate::{exit, limits};
use bolide_base::Budget;
use std::path::Path;

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

/// What is said about one task.
pub struct Report {
    /// The first line of the output.
    pub verdict: String,
    /// The exit code that goes with it.
    pub code: u8,
    /// Evidence in the community's format, if there is any.
    pub witness: Option<String>,
    /// Figures about the run.
    pub statistics: bolide_base::Stats,
}

impl Report {
    /// No verdict, and why.
    pub fn unknown(reason: &str) -> Report {
        Report {
            verdict: format!("unknown: {reason}"),
            code: exit::UNKNOWN,
            witness: None,
            statistics: bolide_base::Stats::new(),
        }
    }
}

/// Why a task has no report: its exit code; the message has been printed.
pub struct Refused(pub u8);

/// Runs all tasks; the exit code is that of the last one that is not safe.
pub fn run(options: &VerifyOptions) -> u8 {
    let budget = match limits::budget(options.timeout, options.memory) {
        Ok(budget) => budget,
        Err(message) => {
            eprintln!("bolide: {message}");
            return exit::USAGE;
        }
    };
    let mut code = 0;
    for file in &options.files {
        let this = match verify(file, options, &budget) {
            Ok(report) => print(&report, options),
            Err(Refused(code)) => code,
        };
        code = code.max(this);
    }
    code
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
    match kind {
        Kind::Program => program::verify(file, &text, options, budget),
        Kind::Horn => horn::verify(file, &text, options, budget),
        Kind::Aiger | Kind::Btor2 => circuit::run(file, &text, kind, options, budget),
    }
}

/// How many engines may run side by side.
fn jobs(options: &VerifyOptions) -> usize {
    options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

fn print(report: &Report, options: &VerifyOptions) -> u8 {
    println!("{}", report.verdict);
    if options.verbose {
        eprint!("{}", report.statistics);
    }
    if let (Some(path), Some(witness)) = (&options.witness, &report.witness) {
        if path.as_os_str() == "-" {
            print!("{witness}");
        } else if let Err(error) = std::fs::write(path, witness) {
            eprintln!("{}: error: {error}", path.display());
            return exit::INTERNAL;
        }
    }
    report.code
}
