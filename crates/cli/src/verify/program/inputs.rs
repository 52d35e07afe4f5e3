//! Which inputs of a run matter: the run is repeated with one input changed at a time.
//!
//! An input matters if with some other value the run does not violate the property. If it does with all values that are
//! tried, the input is as good as any other.

use super::evidence::Run;
use crate::report::InputReport;
use bolide_base::Budget;
use bolide_front::c::Task;
use bolide_front::c::interp::{End, Interpreter, Oracle, Part, Replay};
use bolide_model::InputId;
use std::time::Duration;

/// How long this may take, and how many steps a run may have.
const LONGEST: Duration = Duration::from_millis(300);
const STEPS: u64 = 200_000;
/// Only so many inputs are examined; the others are only listed.
const EXAMINED: usize = 200;

/// Serves the inputs of a run, one of them changed.
struct Changed {
    inputs: Replay,
    /// How many are served before that one.
    before: usize,
    value: i128,
}

impl Oracle for Changed {
    fn scalar(&mut self, site: InputId) -> i128 {
        let value = self.inputs.scalar(site);
        let is_this = self.before == 0;
        self.before = self.before.wrapping_sub(1);
        if is_this { self.value } else { value }
    }

    fn object(&mut self, site: InputId) -> Vec<Part> {
        self.inputs.object(site)
    }

    fn memory(&mut self) -> Vec<(i128, u32, i128)> {
        self.inputs.memory()
    }
}

/// The inputs of a run in their order.
pub fn examine(task: &Task, run: &Run, budget: &Budget) -> Vec<InputReport> {
    let budget = budget.child(LONGEST);
    let mut reports = Vec::with_capacity(run.values.len());
    for (n, &(site, value)) in run.values.iter().enumerate() {
        let input = &task.program.inputs[site];
        let matters = if n < EXAMINED { matters(task, run, n, &budget) } else { None };
        reports.push(InputReport {
            place: task.source.position(input.span),
            name: input.name.clone(),
            value: value.to_string(),
            matters,
        });
    }
    reports
}

/// Does the `n`-th input matter? Unknown if the time is over.
fn matters(task: &Task, run: &Run, n: usize, budget: &Budget) -> Option<bool> {
    let (site, value) = run.values[n];
    let (low, high) = task.program.inputs[site].range.unwrap_or((-1000, 1000));
    let others = [0, 1, -1, value.saturating_add(1), value.saturating_sub(1), low, high];
    for (k, &other) in others.iter().enumerate() {
        if other == value || !(low..=high).contains(&other) || others[..k].contains(&other) {
            continue;
        }
        let mut oracle = Changed { inputs: run.inputs.clone(), before: n, value: other };
        let end = Interpreter::new(&task.unit).run(&mut oracle, &budget.clone().with_steps(STEPS));
        if budget.exhausted() {
            return None;
        }
        if end != End::Error(run.violated) {
            return Some(true);
        }
    }
    Some(false)
}
