//! Running the binary.
#![allow(dead_code, unused_imports, missing_docs, reason = "every test file uses a part of it")]

pub use bolide_testkit::{Folder, Random, Run, Scratch, run, z3};
use std::process::Command;

/// The command that is tested.
pub fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_bolide"))
}

/// Runs `bolide` with these arguments and nothing to read.
pub fn bolide(arguments: &[&str]) -> Run {
    run(command().args(arguments), b"").expect("bolide runs")
}

/// Runs `bolide smt` on a script that comes in by standard input.
pub fn bolide_on(options: &[&str], script: &[u8]) -> Run {
    run(command().arg("smt").args(options).arg("-"), script).expect("bolide runs")
}

/// A safe program with a loop.
pub const SAFE: &str = "extern void reach_error(void);
int main(void) { int i = 0; while (i < 10) i++; if (i != 10) reach_error(); return 0; }
";
/// An unsafe program.
pub const UNSAFE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x == 42) reach_error(); return 0; }
";
