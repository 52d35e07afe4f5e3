//! Bolide as a library: decides C programs, Horn clauses and circuits, with evidence.
//!
//! [`verify`] does all that the command `bolide verify` does, short of reading and writing files; [`Session`] runs SMT-LIB scripts;
//! [`check`] checks certificates without any solver.
//!
//! ```
//! use bolide::{Budget, Options, Task, verify};
//!
//! let text = "extern void reach_error(void);
//!             int main(void) { int i = 0; while (i < 10) i++; if (i != 10) reach_error(); return 0; }";
//! let report = verify(&Task::c("loop.c", text), &Options::default(), &Budget::unlimited())?;
//! assert!(report.verdict.is_safe());
//! # Ok::<(), bolide::Error>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`report`], [`details`] | what is said about a task, as plain data; the crate `bolide-report` renders it |
//! | [`verdict`] | verdicts, which cannot be made without evidence that was checked |
//! | [`strategy`] | which engines `auto` runs on which input, with which share of the effort |
//! | `program`, `horn`, `circuit` | what is done for each input |
//! | `certificate` | from evidence to certificates |
//! | [`cache`] | certificates of earlier verdicts |
//! | [`session`] | SMT-LIB scripts |

pub mod cache;
mod certificate;
pub mod circuit;
mod circuit_task;
pub mod details;
mod error;
mod horn;
mod options;
mod program;
pub mod report;
pub mod session;
pub mod strategy;
mod task;
pub mod verdict;

pub use bolide_base::{Board, Budget, Stat, Stats};
pub use bolide_cert::{Certificate, Claim, Rejection, Text, check};
pub use bolide_engine::{ENGINES, Engine, EngineOption, Input, Reason, ReasonCode};
pub use cache::Cache;
pub use error::Error;
pub use options::{Confirm, Options};
pub use report::Report;
pub use session::Session;
pub use task::{Kind, Task};
pub use verdict::{Verdict, VerdictKind};

use cache::Lookup;
use std::time::Instant;

/// Decides a task. An error means that there is nothing to decide: the task cannot be read, or the options do not fit it.
pub fn verify(task: &Task, options: &Options, budget: &Budget) -> Result<Report, Error> {
    decide(task, options, Lookup::new(None), budget)
}

/// The same with a cache of earlier verdicts.
pub fn verify_cached(
    task: &Task,
    options: &Options,
    cache: &dyn Cache,
    budget: &Budget,
) -> Result<Report, Error> {
    decide(task, options, Lookup::new(Some(cache)), budget)
}

fn decide(task: &Task, options: &Options, mut lookup: Lookup<'_>, budget: &Budget) -> Result<Report, Error> {
    options.fit(task.kind)?;
    let start = Instant::now();
    // Proofs for others may take as long again.
    let proofs = || match options.certificate_time {
        Some(time) => budget.clone().without_deadline().with_time(time),
        None => budget.clone(),
    };
    let mut report = match task.kind {
        Kind::Program => program::verify(task, options, &mut lookup, budget, &proofs)?,
        Kind::Horn => horn::verify(task, options, &mut lookup, budget, &proofs)?,
        Kind::Aiger | Kind::Btor2 => circuit::verify(task, options, &mut lookup, budget, &proofs)?,
    };
    report.file = task.name.clone();
    report.kind = task.kind;
    report.seconds = start.elapsed().as_secs_f64();
    Ok(report)
}
