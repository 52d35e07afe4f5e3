//! Preconditions for functions that are verified on their own and fail for some arguments: the weakest condition on the arguments that
//! is found and can be written in C.
//!
//! From each execution that fails, the arguments that make its path fail are computed by projecting the condition of the path
//! on them (`path`; model-based projection), and excluded by a clause; then the function is asked about again. When it is
//! safe, the clauses are simplified (`clause`). What is shown has been verified as it is written, with all evidence, and there
//! are arguments that meet it.

mod clause;
mod path;

use super::{Verification, subject, verify_program};
use crate::cache::Lookup;
use crate::{Confirm, Options, Task};
use bolide_base::Budget;
use bolide_front::c::{self, Properties};
use bolide_term::Store;
use clause::Clauses;

/// How many executions are excluded one by one.
const ROUNDS: usize = 8;
/// The steps of one question.
const STEPS: u64 = 200_000;
/// Longer conditions say nothing to a reader.
const LONGEST: usize = 200;

/// The weakest condition on the arguments of the entry that is found under which the program is safe.
pub fn precondition(task: &Task, options: &Options, budget: &Budget) -> Option<String> {
    let entry = options.program.entry.as_deref()?;
    let at = c::body_of(entry, task.source())?;
    let mut clauses = Clauses::default();
    for _ in 0..ROUNDS {
        if budget.exhausted() {
            return None;
        }
        let asked = with(task, at, &clauses.write().unwrap_or_else(|| "1".into()), "");
        let mut store = Store::new();
        let program = c::load(&mut store, &asked.name, asked.source(), &options.program).ok()?;
        let read = store.clone();
        let verification = Verification {
            task: &program,
            subject: subject(&asked, &options.program),
            read: &read,
            text: &asked.text,
            certified: asked.certified(),
            claim: asked.kind.claim(&options.program),
            is_portable: false,
            options,
            steps: None,
            is_first: false,
        };
        let budget = budget.clone().with_steps(STEPS);
        match verification.reach(&mut store, &program.program, &budget)? {
            Some(trace) => clauses.exclude(path::failing(&mut store, &program, entry, &trace)?, &budget)?,
            None => {
                clauses.simplify(&budget);
                return confirmed(task, at, clauses.write()?, options, &budget);
            }
        }
    }
    None
}

/// A condition, if it makes the program safe and does not exclude everything.
fn confirmed(
    task: &Task,
    at: usize,
    condition: String,
    options: &Options,
    budget: &Budget,
) -> Option<String> {
    if condition.len() > LONGEST {
        return None;
    }
    let mut options = options.clone();
    (options.suggest, options.certificate, options.obligations) = (false, false, false);
    (options.details, options.vacuity, options.all) = (false, false, false);
    options.confirm = Confirm::Cheap;
    let proofs = || budget.clone();
    let decide = |task: &Task, options: &Options| {
        verify_program(task, options, &mut Lookup::new(None), budget, &proofs).ok()
    };
    let safe = decide(&with(task, at, &condition, ""), &options)?;
    if !safe.verdict.is_safe() {
        return None;
    }
    let end = "{ extern void reach_error(void); reach_error(); }";
    let default = Properties::default();
    options.program.properties = Properties { labels: Some(false), ..default };
    let reached = decide(&with(task, at, &condition, end), &options)?;
    reached.verdict.is_unsafe().then_some(condition)
}

/// The same program with a precondition and something else at the start of a body.
fn with(task: &Task, at: usize, condition: &str, more: &str) -> Task {
    let text = task.source();
    let mut out = text[..at].to_vec();
    out.extend_from_slice(format!("__bolide_requires({condition});{more}").as_bytes());
    out.extend_from_slice(&text[at..]);
    Task::c(task.name.clone(), out)
}
