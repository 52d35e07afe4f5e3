//! Runs with many rounds of a loop that no trace lists.
//!
//! A trace through an accelerated loop comes back with a number of rounds. A few thousand of them are listed, and what follows is as with every other
//! trace. Of more, only the inputs are told: the interpreter executes long loops in strides, and it alone says whether they end in an error.

use super::testing::Found;
use bolide_front::c::interp::{Given, Replay};
use bolide_model::repetition::ClosedForm;
use bolide_model::{InputId, Program, Trace, TraceStep};
use bolide_term::Value;

/// A trace with more steps is not listed.
const MOST_LISTED: usize = 50_000;

/// A trace of a program that lists its steps, or its inputs, if these are too many.
pub enum Run {
    /// All steps.
    Listed(Trace),
    /// The inputs of an execution that nobody has executed yet.
    Inputs(Found),
}

/// What becomes of a trace that may leave rounds out; nothing if its inputs change in them.
pub fn run(program: &Program, trace: Trace) -> Option<Run> {
    if let Some(listed) = trace.clone().listed(MOST_LISTED) {
        return Some(Run::Listed(listed));
    }
    let mut given: Vec<Given> = Vec::new();
    let mut repetitions = trace.repetitions.iter().peekable();
    for (n, step) in trace.steps.iter().enumerate() {
        for (site, value) in sites(program, step).zip(&step.inputs) {
            given.push(Given { site, value: scalar(value)?, times: 1 });
        }
        if let Some(repetition) = repetitions.next_if(|l| l.last == n) {
            let mut repeated: Vec<Given> = Vec::new();
            for (step, forms) in trace.forms(repetition)? {
                for (site, form) in sites(program, step).zip(&forms) {
                    let value = scalar(&same(form)?)?;
                    // A place that is asked several times in a round gives the same value, or else they would come in turns.
                    match repeated.iter_mut().find(|g| g.site == site) {
                        Some(g) if g.value == value => g.times = g.times.checked_add(repetition.times)?,
                        Some(_) => return None,
                        None => repeated.push(Given { site, value, times: repetition.times }),
                    }
                }
            }
            given.extend(repeated);
        }
    }
    Some(Run::Inputs(Found::Inputs(Replay::default().with_scalars(&given))))
}

/// The places of a step's inputs.
fn sites<'a>(program: &'a Program, step: &TraceStep) -> impl Iterator<Item = InputId> + 'a {
    program.procs[step.proc].edges[step.edge].step().into_iter().flat_map(|s| s.inputs.iter().map(|i| i.1))
}

/// A value that is the same in all rounds.
fn same(form: &ClosedForm) -> Option<Value> {
    match form {
        ClosedForm::Same(value) => Some(value.clone()),
        ClosedForm::Number(p) => p.as_constant().map(|n| Value::Num(n.clone())),
        ClosedForm::Word(..) => None,
    }
}

/// The number that an input is for the interpreter.
fn scalar(value: &Value) -> Option<i128> {
    match value {
        Value::Bool(b) => Some((*b).into()),
        Value::Num(n) => i128::try_from(n.to_ibig()?).ok(),
        _ => None,
    }
}
