//! The command line of Bolide.

mod arguments;
mod batch;
mod bench;
mod cache;
mod changes;
mod check;
mod child;
mod circuit;
mod compile_commands;
mod config;
mod diagnostic;
mod findings;
mod input;
mod interrupt;
mod invocation;
mod limits;
mod link;
mod lsp;
mod manual;
mod matches;
mod names;
mod options;
mod output;
mod preprocessor;
mod progress;
mod resources;
mod show;
mod smt;
mod source;
mod style;
mod subprocess;
mod targets;
mod translate;
mod verify;

use arguments::Command;
use invocation::Invocation;
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

    /// Why a task has no report: its exit code; the message has been printed.
    pub struct Refused(pub u8);

    impl Refused {
        /// Refuses an input, with a message about it.
        pub fn input(name: impl std::fmt::Display, message: impl std::fmt::Display) -> Refused {
            eprintln!("{name}: error: {message}");
            Refused(BAD_INPUT)
        }
    }
}

/// Deep proofs make the SAT solver recurse; a large stack costs nothing until it is used.
const STACK: usize = 1 << 30;

fn main() -> ExitCode {
    let invocation = match invocation::read(std::env::args_os().collect()) {
        Ok(invocation) => invocation,
        Err(code) => return ExitCode::from(code),
    };
    interrupt::listen();
    output::leave_with_the_reader();
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || run(invocation));
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

fn run(invocation: Invocation) -> u8 {
    match invocation.arguments.command {
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { command } => manual::page(command.as_deref()),
        Command::Check(options) => check::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Smt(options) => smt::run(&options),
        Command::Link(options) => link::run(&options),
        Command::Lsp(options) => lsp::run(&options),
        Command::Verify(options) => verify::run(&options, &invocation.explicit),
        Command::Translate(options) => translate::run(&options),
        Command::Show(options) => show::run(&options),
        Command::Sim(options) => circuit::sim(&options),
    }
}
