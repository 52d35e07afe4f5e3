//! Inputs of a run, made simple, and which of them matter: the run is repeated with one input changed at a time.
//!
//! Inputs are left out, and become zero or come nearer to it, as long as the same property is violated. After that, an input matters if with
//! some other value the run does not violate the property. If it does with all values that are tried, the input is as
//! good as any other.

use super::evidence::{Recorder, Run};
use super::values;
use crate::report::InputReport;
use bolide_base::Budget;
use bolide_front::c::Task;
use bolide_front::c::interp::{End, Given, Happening, Interpreter, Oracle, Part, Replay};
use bolide_model::{InputId, Span};

/// How many steps a run may have, and all runs together.
const STEPS: u64 = 100_000;
const ALL_STEPS: usize = 300_000;
/// A run that takes more steps for each event of the first one, and some, is not simpler.
const STEPS_PER_EVENT: u64 = 16;
const SOME_STEPS: u64 = 2_000;
/// How often all inputs are made simpler.
const ROUNDS: usize = 4;
/// Only so many inputs are examined; the others are only listed.
const EXAMINED: usize = 200;

/// How many runs are tried.
fn attempts(run: &Run) -> usize {
    (ALL_STEPS / (run.events().len() + 200)).min(1000)
}

/// How many steps another run may have that is to be like this one.
fn steps(run: &Run) -> u64 {
    (run.events().len() as u64 * STEPS_PER_EVENT + SOME_STEPS).min(STEPS)
}

/// Inputs with which the program violates the same property, as few and as near to zero as some attempts make them; nothing
/// if they are not simpler.
pub fn simplify(task: &Task, run: &Run, budget: &Budget) -> Option<Replay> {
    if run.values().is_empty() {
        return None;
    }
    let mut shrinker = Shrinker {
        task,
        run,
        interpreter: Interpreter::new(&task.unit),
        values: run.values().to_vec(),
        left: attempts(run),
        budget: budget.clone(),
    };
    shrinker.leave_out();
    // What one input allows may depend on the others.
    for _ in 0..ROUNDS {
        let before = shrinker.values.clone();
        let mut n = 0;
        while n < shrinker.values.len().min(EXAMINED) && shrinker.left > 0 {
            shrinker.shrink(n);
            shrinker.shorten(n);
            n += 1;
        }
        if shrinker.values == before {
            break;
        }
    }
    (shrinker.values != run.values()).then(|| run.with_scalars(&shrinker.values))
}

struct Shrinker<'a> {
    task: &'a Task,
    run: &'a Run,
    interpreter: Interpreter<'a>,
    /// The simplest inputs so far.
    values: Vec<Given>,
    left: usize,
    budget: Budget,
}

impl Shrinker<'_> {
    /// Brings one input to zero, or to the end of a search by halves between zero and its value. A floating input becomes
    /// the simplest of some numbers.
    fn shrink(&mut self, n: usize) {
        let Given { site, value, .. } = self.values[n];
        if let Some(format) = values::format(self.task, site) {
            for simpler in values::simpler(format, value) {
                if self.accepts(n, simpler) {
                    return;
                }
            }
            return;
        }
        let (low, high) = self.task.program.inputs[site].range.unwrap_or((i128::MIN, i128::MAX));
        let target = 0.clamp(low, high);
        if value == target || self.accepts(n, target) {
            return;
        }
        let (mut bad, mut good) = (target, value);
        while good.abs_diff(bad) > 1 && self.left > 0 {
            let middle = bad + (good - bad) / 2;
            if self.accepts(n, middle) {
                good = middle;
            } else {
                bad = middle;
            }
            if n >= self.values.len() {
                break;
            }
        }
    }

    /// Gives an input of a stretch of rounds as few times as a search by halves finds.
    fn shorten(&mut self, n: usize) {
        let (mut bad, Some(&Given { site, times: mut good, .. })) = (0, self.values.get(n)) else { return };
        while good - bad > 1 && self.values.get(n).is_some_and(|g| g.site == site && g.times == good) {
            let middle = bad + (good - bad) / 2;
            let mut values = self.values.clone();
            values[n].times = middle;
            match self.accepts_run(values, usize::MAX) {
                true => good = self.values.get(n).map_or(0, |g| g.times.min(middle)),
                false => bad = middle,
            }
        }
    }

    /// Leaves out stretches of inputs, long ones first, so that a run has fewer rounds of its loops.
    fn leave_out(&mut self) {
        let mut length = self.values.len() / 2;
        while length > 0 {
            let mut from = 0;
            while from + length <= self.values.len() && self.left > 0 {
                let mut fewer = self.values.clone();
                fewer.drain(from..from + length);
                if !self.accepts_run(fewer, self.values.len() - 1) {
                    from += length;
                }
            }
            length /= 2;
        }
    }

    /// Is the property still violated if an input has another value? If so, that becomes the simplest run.
    fn accepts(&mut self, n: usize, value: i128) -> bool {
        let mut values = self.values.clone();
        values[n].value = value;
        self.accepts_run(values, self.values.len())
    }

    /// Is the property still violated with these inputs, after at most so many of them? If so, that becomes the simplest
    /// run.
    fn accepts_run(&mut self, values: Vec<Given>, most: usize) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        let mut oracle = Recorder::new(self.run.with_scalars(&values));
        self.interpreter.reset();
        let end = self.interpreter.run(&mut oracle, &self.budget.clone().with_steps(steps(self.run)));
        let is_simpler = end == End::Error(self.run.violated()) && oracle.values.len() <= most;
        if is_simpler {
            self.values = oracle.values;
        }
        is_simpler
    }
}

/// Serves the inputs of a run, one of them changed.
struct Changed {
    inputs: Replay,
    /// How many are served before that one; nothing behind it.
    before: Option<u64>,
    value: i128,
}

impl Oracle for Changed {
    fn scalar(&mut self, site: InputId) -> i128 {
        let value = self.inputs.scalar(site);
        let is_this = self.before == Some(0);
        self.before = self.before.and_then(|n| n.checked_sub(1));
        if is_this { self.value } else { value }
    }

    fn steady(&self, site: InputId) -> Option<(i128, u64)> {
        let (value, times) = self.inputs.steady(site)?;
        match self.before {
            Some(0) => None,
            Some(before) => Some((value, times.min(before))),
            None => Some((value, times)),
        }
    }

    fn repeat(&mut self, site: InputId, times: u64) {
        self.inputs.repeat(site, times);
        self.before = self.before.and_then(|n| n.checked_sub(times));
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
    let mut left = attempts(run);
    let mut reports = Vec::with_capacity(run.values().len());
    if run.values().is_empty() {
        return reports;
    }
    let mut interpreter = Interpreter::new(&task.unit);
    let mut in_library = calls_with_inputs(task, run).into_iter();
    for (n, &Given { site, value, times }) in run.values().iter().enumerate() {
        let input = &task.program.inputs[site];
        let matters =
            if n < EXAMINED { matters(task, run, n, &mut interpreter, &mut left, budget) } else { None };
        let is_own = task.source.is_own(input.span);
        let span = if is_own { input.span } else { in_library.next().unwrap_or_default() };
        reports.push(InputReport {
            place: task.source.position(span),
            name: input.name.clone(),
            value: values::show(task, site, value),
            times,
            matters,
        });
    }
    reports.chunk_by(is_again).flat_map(in_stretch).collect()
}

/// Is an input the same one with the same value as the one before?
fn is_again(before: &InputReport, input: &InputReport) -> bool {
    (&before.name, &before.value, &before.place) == (&input.name, &input.value, &input.place)
}

/// The same input in a row, as one if it is part of a long stretch of rounds.
fn in_stretch(row: &[InputReport]) -> Vec<InputReport> {
    let [first, ..] = row else { return Vec::new() };
    if row.iter().all(|i| i.times == 1) {
        return row.to_vec();
    }
    let matters = match row.iter().any(|i| i.matters == Some(true)) {
        true => Some(true),
        false => row.iter().all(|i| i.matters.is_some()).then_some(false),
    };
    let times = row.iter().fold(0u64, |all, i| all.saturating_add(i.times));
    vec![InputReport { times, matters, ..first.clone() }]
}

/// For each input that a library function asked for, the call in the program's own text.
fn calls_with_inputs(task: &Task, run: &Run) -> Vec<Span> {
    let mut last = Span::default();
    let mut calls = Vec::new();
    for event in run.events() {
        if task.source.is_own(event.span) {
            last = event.span;
        } else if matches!(event.what, Happening::Store { is_input: true, .. }) {
            calls.push(last);
        }
    }
    calls
}

/// Does the `n`-th input matter? Unknown if no attempts are left.
fn matters(
    task: &Task,
    run: &Run,
    n: usize,
    interpreter: &mut Interpreter<'_>,
    left: &mut usize,
    budget: &Budget,
) -> Option<bool> {
    let Given { site, value, .. } = run.values()[n];
    let before = run.values()[..n].iter().fold(0u64, |all, g| all.saturating_add(g.times));
    let (low, high) = task.program.inputs[site].range.unwrap_or((-1000, 1000));
    let others = match values::format(task, site) {
        Some(format) => values::others(format, value),
        None => {
            let mut others = vec![0, 1, -1, value.saturating_add(1), value.saturating_sub(1), low, high];
            others.retain(|v| (low..=high).contains(v));
            others
        }
    };
    for (k, &other) in others.iter().enumerate() {
        if other == value || others[..k].contains(&other) {
            continue;
        }
        *left = left.checked_sub(1)?;
        let mut oracle = Changed { inputs: run.inputs(), before: Some(before), value: other };
        interpreter.reset();
        let end = interpreter.run(&mut oracle, &budget.clone().with_steps(steps(run)));
        if budget.exhausted() {
            return None;
        }
        if end != End::Error(run.violated()) {
            return Some(true);
        }
    }
    Some(false)
}
