//! The command line of Bolide.

mod arguments;
mod certificate;
mod circuit;
mod diagnostic;
mod limits;
mod manual;
mod report;
mod show;
mod smt;
mod translate;
mod verify;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

/// Exit codes shared by all subcommands.
mod exit {
    /// `verify`: the task is unsafe.
    pub const UNSAFE: u8 = 1;
    /// `verify`: the verdict is unknown.
    pub const UNKNOWN: u8 = 2;
    /// Wrong use of the command line.
    pub const USAGE: u8 = 64;
    /// The input could not be read.
    pub const BAD_INPUT: u8 = 65;
    /// Bolide itself failed.
    pub const INTERNAL: u8 = 70;
}

/// Deep proofs make the SAT solver recurse; a large stack costs nothing until it is used.
const STACK: usize = 1 << 30;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = if error.use_stderr() { exit::USAGE } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || run(arguments));
    let code = match worker.map(|w| w.join()) {
        Ok(Ok(code)) => code,
        _ => {
            eprintln!("bolide: internal error");
            exit::INTERNAL
        }
    };
    // Terms, clauses and proofs need not be freed one by one.
    std::process::exit(code.into())
}

fn run(arguments: Arguments) -> u8 {
    match arguments.command {
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { command } => manual::page(command.as_deref()),
        Command::Check(options) => certificate::check(&options),
        Command::Smt(options) => smt::run(&options),
        Command::Verify(options) => verify::run(&options),
        Command::Translate(options) => translate::run(&options),
        Command::Show(options) => show::run(&options),
        Command::Sim(options) => circuit::sim(&options),
    }
}
