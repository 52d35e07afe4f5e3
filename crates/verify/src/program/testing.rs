//! Testing: a few thousand executions on chosen and random inputs before any engine starts.
//!
//! An error that a test finds needs no proof, and many are found this way at once. Inputs are small numbers, constants of
//! the program and their neighbours, or random, floating inputs also numbers between two constants; the generator always
//! starts from the same seed. Where the encoded program only approximates an execution, the interpreter alone is the judge.
//!
//! Executions are short, but one that asks for next to nothing and has not ended is continued far beyond, while the engines have their
//! turns: loops with a hundred thousand rounds are for an interpreter and not for a proof. The same if it asks for the contents of
//! long arrays.

use super::values;
use bolide_base::{Budget, Rational};
use bolide_front::c::Task;
use bolide_front::c::interp::{End, Interpreter, Oracle, Part, Replay};
use bolide_model::Trace;
use bolide_model::{Determined, InputId, Outcome, Runner, determined};
use bolide_term::Store;
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};
use std::ops::RangeInclusive;

/// How many executions are tried.
const TESTS: usize = 4000;
/// How many blocks one of them may execute.
const STEPS: u64 = 50_000;
/// How many edges the same execution of the encoded program may take.
const ENCODED_STEPS: u64 = 200_000;
/// How many blocks all of them may execute.
const ALL_STEPS: u64 = 2_000_000;
/// The blocks that a long execution may execute before engines start, and while they have their turns.
pub const FIRST_LONG_STEPS: u64 = 5_000_000;
pub const LONG_STEPS: u64 = 40_000_000;
/// The blocks or edges that an execution may take which shows that there is no other.
pub const ONLY_STEPS: u64 = 3_000_000;
/// The edges after which most executions have come to a branch that an input decides.
const FIRST_ONLY_STEPS: u64 = 10_000;
/// Only an execution that has asked for at most so many inputs is continued, besides what variables hold that are not set yet.
const FEW_INPUTS: usize = 4;

/// The state of the generator at the start.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// A program that has arrays and compares with a number of this size has long arrays.
const LONG_ARRAY: RangeInclusive<i128> = 5_000..=1_000_000;

/// A run into an error that testing found.
pub enum Found {
    /// An execution of the encoded program.
    Trace(Trace),
    /// The inputs of an execution that is too long for that, or that the encoded program approximates.
    Inputs(Replay),
}

/// What testing came to.
pub enum Tested {
    /// No test failed.
    Nothing,
    /// A test failed.
    Error(Found),
    /// The interpreter ran into an error that the encoded program does not allow: one of the two readings of the program
    /// is wrong, or it leaves its objects.
    Difference,
}

/// The numbers that a program compares with and their neighbours, and its floating constants.
pub struct Constants {
    integers: Vec<i128>,
    floats: Vec<f64>,
}

/// Chooses inputs and remembers them.
pub struct Tester<'a> {
    task: &'a Task,
    constants: &'a Constants,
    state: u64,
    manner: usize,
    values: Vec<(InputId, i128)>,
    /// What objects hold that are not initialised; what lies outside of them does not matter.
    contents: &'static [Part],
    objects: Vec<(InputId, Vec<Part>)>,
}

impl<'a> Tester<'a> {
    /// A tester with a state of its generator that is not zero. The manner says what inputs look like: 0 bits, 1 small
    /// numbers, 2 constants, 3 any numbers, beyond that a mixture.
    pub fn new(task: &'a Task, constants: &'a Constants, state: u64, manner: usize) -> Tester<'a> {
        Tester { task, constants, state, manner, values: Vec::new(), contents: &[], objects: Vec::new() }
    }

    /// The inputs that were chosen.
    fn replay(&self) -> Replay {
        Replay::default().with_scalars(&self.values).with_objects(&self.objects)
    }

    /// The next random number.
    pub fn random(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }
}

impl Oracle for Tester<'_> {
    fn scalar(&mut self, site: InputId) -> i128 {
        let bits = self.random();
        if let Some(format) = values::format(self.task, site) {
            let more = self.random();
            let value = values::choose(format, &self.constants.floats, self.manner, bits, more);
            self.values.push((site, value));
            return value;
        }
        let manner = if self.manner < 4 { self.manner } else { bits as usize % 4 };
        let choice = (bits >> 8) as i128;
        let wanted = match manner {
            0 => choice % 2,
            1 => choice % 14 - 3,
            2 if !self.constants.integers.is_empty() => {
                self.constants.integers[choice as usize % self.constants.integers.len()]
            }
            _ => i128::from(self.random() as i64),
        };
        let value = match self.task.program.inputs[site].range {
            Some((low, high)) if !(low..=high).contains(&wanted) => {
                low + (wanted - low).rem_euclid((high - low).saturating_add(1).max(1))
            }
            _ => wanted,
        };
        self.values.push((site, value));
        value
    }

    fn object(&mut self, site: InputId) -> Vec<Part> {
        let parts = self.contents.to_vec();
        if !parts.is_empty() {
            self.objects.push((site, parts.clone()));
        }
        parts
    }
}

/// The manners of long executions, with what objects hold that are not initialised: nothing but zeros, or a few numbers that fall.
const LONG_MANNERS: [(usize, &[Part]); 2] = [(0, &[]), (3, &[(0, 4, 5), (4, 4, 3), (8, 4, 2)])];

/// A long execution that may run into an error.
pub struct LongTest {
    constants: Constants,
}

impl LongTest {
    /// The execution of a program that is worth it: not soon over, and with few inputs or with those of long arrays.
    pub fn new(store: &Store, task: &Task) -> Option<LongTest> {
        let constants = constants(store, task);
        let fills_arrays = constants.integers.iter().any(|c| LONG_ARRAY.contains(c))
            && task.program.vars.iter().any(|v| store.array_sorts(v.sort).is_some());
        let mut tester = Tester::new(task, &constants, SEED, 0);
        let end = Interpreter::new(&task.unit).run(&mut tester, &Budget::unlimited().with_steps(STEPS));
        let is_cut = matches!(end, End::Interrupted(_));
        let asked = tester.values.iter().filter(|v| !is_unset(task, v.0)).count();
        let asks_little = asked <= FEW_INPUTS || fills_arrays;
        (is_cut && asks_little).then_some(LongTest { constants })
    }

    /// Executes it to its end, or so many blocks, in one manner after the other; each time fewer blocks.
    pub fn run(&self, task: &Task, steps: u64, budget: &Budget) -> Option<Found> {
        LONG_MANNERS.iter().zip(1..).find_map(|(&(manner, contents), nth)| {
            let mut tester = Tester { contents, ..Tester::new(task, &self.constants, SEED, manner) };
            let budget = budget.clone().with_steps(steps / nth);
            match Interpreter::new(&task.unit).run(&mut tester, &budget) {
                End::Error(_) => Some(Found::Inputs(tester.replay())),
                _ => None,
            }
        })
    }
}

/// Do inputs seem to decide nothing, and does the execution end in time, and without an error? Then it may be the only one.
pub fn may_be_only(store: &Store, task: &Task) -> bool {
    match determined(store, &task.program, &Budget::unlimited().with_steps(FIRST_ONLY_STEPS)) {
        Determined::Open | Determined::Error(_) => return false,
        Determined::Safe | Determined::Interrupted(_) => {}
    }
    let constants = constants(store, task);
    let mut tester = Tester::new(task, &constants, SEED, 0);
    let end = Interpreter::new(&task.unit).run(&mut tester, &Budget::unlimited().with_steps(ONLY_STEPS));
    matches!(end, End::Returned(_) | End::Halted(_))
}

/// Does the program end without an error and without asking for any input, but for what variables hold before they are set? Then it has
/// hardly another execution.
pub fn asks_nothing(store: &Store, task: &Task) -> bool {
    let constants = constants(store, task);
    let mut tester = Tester::new(task, &constants, SEED, 0);
    let end = Interpreter::new(&task.unit).run(&mut tester, &Budget::unlimited().with_steps(ONLY_STEPS));
    tester.values.iter().all(|v| is_unset(task, v.0)) && matches!(end, End::Returned(_) | End::Halted(_))
}

/// Is an input what a variable holds before it is set?
fn is_unset(task: &Task, site: InputId) -> bool {
    task.unit.inputs[site].name.starts_with("uninitialised")
}

/// Looks for a run into an error.
pub fn search(store: &Store, task: &Task, budget: &Budget) -> Tested {
    let budget = budget.clone().with_steps(ALL_STEPS);
    let constants = constants(store, task);
    let mut state = SEED;
    let mut interpreter = Interpreter::new(&task.unit);
    let mut differs = false;
    let nothing = |differs: bool| if differs { Tested::Difference } else { Tested::Nothing };
    for n in 0..TESTS {
        if budget.exhausted() {
            return nothing(differs);
        }
        let mut tester = Tester::new(task, &constants, state, n % 6);
        interpreter.reset();
        let end = interpreter.run(&mut tester, &budget.clone().with_steps(STEPS));
        state = tester.random();
        if let End::Error(_) = end {
            match found(store, task, &tester.values, &budget) {
                None => differs = true,
                Some(found) => return Tested::Error(found),
            }
        }
        // Without inputs all executions are the same.
        if tester.values.is_empty() {
            return nothing(differs);
        }
    }
    nothing(differs)
}

/// The same execution of the encoded program, or only its inputs where that program approximates it or does not end; `None`
/// if the encoded program goes another way.
pub fn found(store: &Store, task: &Task, values: &[(InputId, i128)], budget: &Budget) -> Option<Found> {
    let program = &task.program;
    let is_exact = program.procs.iter().flat_map(|p| &p.edges).all(|e| e.approximations.is_empty());
    let mut left: FxHashMap<InputId, VecDeque<i128>> = FxHashMap::default();
    for &(site, value) in values {
        left.entry(site).or_default().push_back(value);
    }
    let input = |site: InputId| {
        let chosen = left.get_mut(&site).and_then(VecDeque::pop_front);
        let value = chosen.and_then(|value| values::of_input(store, program, site, value));
        let input = &program.inputs[site];
        value.unwrap_or_else(|| program.default_value(store, input.sort, input.range))
    };
    // It takes every round of loops that the interpreter goes through in strides.
    let budget = budget.clone().with_steps(ENCODED_STEPS);
    let (outcome, trace) = Runner::new(store, program, &[]).run(store, input, &budget);
    let mut edges = trace.steps.iter().map(|s| &program.procs[s.proc].edges[s.edge]);
    match outcome {
        Outcome::Error(_) if edges.all(|e| e.approximations.is_empty()) => Some(Found::Trace(trace)),
        Outcome::Interrupted(_) => Some(Found::Inputs(Replay::default().with_scalars(values))),
        _ if !is_exact => Some(Found::Inputs(Replay::default().with_scalars(values))),
        _ => None,
    }
}

/// The constants of a program.
pub fn constants(store: &Store, task: &Task) -> Constants {
    let mut found = BTreeSet::new();
    let small = |r: &Rational| r.to_ibig().and_then(|v| i64::try_from(v).ok());
    for step in task.program.procs.iter().flat_map(|p| &p.edges).filter_map(|e| e.step()) {
        for t in store.post_order([step.guard]) {
            if let Some(v) = store.as_num(t).and_then(small).map(i128::from) {
                found.extend([v - 1, v, v + 1, -v, -v - 1, 1 - v]);
            }
        }
    }
    Constants { integers: found.into_iter().collect(), floats: values::constants(task) }
}
