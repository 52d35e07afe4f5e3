//! Tests with steady inputs: each place that asks for inputs gets the same value again and again.
//!
//! Errors that show after thousands of millions of rounds, with an input in each, are beyond engines that go round by round. But such rounds
//! are mostly alike, and the interpreter skips rounds that are alike, inputs included, if it knows that these repeat. So a test has a script for
//! each place: a few values, each for one input or up to the end of a stretch of rounds. Tests are changed at one or two places and kept
//! if they take a jump that no test has taken, or skip more rounds than any before: greybox fuzzing, with scripts instead of the bytes of a
//! file.
//!
//! Nothing is proved by this. An error that it finds is one, because the interpreter came there.

use super::explore::Choices;
use super::testing::Found;
use bolide_base::Budget;
use bolide_front::c::Task;
use bolide_front::c::interp::{End, Given, Interpreter, Oracle, Replay};
use bolide_model::InputId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The blocks of all tests.
pub const STEPS: u64 = 30_000_000;
/// The blocks of one test.
const STEPS_OF_TEST: u64 = 20_000;
/// How often a test is changed before it is the turn of another one, if nothing comes of it.
const CHANGES: usize = 24;
/// After so many tests that came to nothing new, others have more of the time: the share of these tests is so many times smaller.
const FRUITLESS: usize = 1000;
const CEDES: u32 = 4;
/// The most values of a script.
const LONGEST_SCRIPT: usize = 3;
/// Half of the changes are made at one of so many places that asked for an input last.
const LAST: usize = 4;
/// The state of the generator at the start.
const SEED: u64 = 0x853c_49e6_748f_ea9b;

/// Looks for inputs that lead into an error.
pub fn search(task: &Task, budget: &Budget) -> Option<Found> {
    let mut search = Search {
        task,
        values: Values { choices: Choices::new(task), task },
        interpreter: Interpreter::new(&task.unit),
        stretches: FxHashSet::default(),
        tests: Vec::new(),
        random: SEED,
    };
    search.interpreter.tell_callers_apart();
    for value in [0, 1] {
        if let Some(found) = search.attempt(Test { usually: value, ..Test::default() }, budget) {
            return Some(found);
        }
    }
    // Without inputs all tests are the same.
    search.tests.retain(|t| !t.asked.is_empty());
    let mut next = search.tests.len();
    let (mut fruitless, mut has_ceded) = (0, false);
    while !search.tests.is_empty() {
        next = next.checked_sub(1).unwrap_or(search.tests.len() - 1);
        for _ in 0..CHANGES {
            if budget.exhausted() {
                return None;
            }
            let test = search.changed(next);
            let before = search.tests.len();
            if let Some(found) = search.attempt(test, budget) {
                return Some(found);
            }
            fruitless += 1;
            if fruitless > FRUITLESS && !has_ceded {
                budget.cede(CEDES);
                has_ceded = true;
            }
            if search.tests.len() > before {
                fruitless = 0;
                // What is new comes first.
                next = search.tests.len();
                break;
            }
        }
    }
    None
}

/// What the inputs of a place are, one value after the other; the last one stays.
type Script = Vec<(i128, Lasting)>;

/// How long an input has a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lasting {
    Once,
    /// Up to the end of a stretch of rounds.
    Stretch,
}

/// What inputs are.
#[derive(Clone, Default)]
struct Test {
    at: FxHashMap<InputId, Script>,
    /// At places without a script.
    usually: i128,
    /// The places that asked for something when it was run.
    asked: Vec<InputId>,
}

struct Search<'a> {
    task: &'a Task,
    values: Values<'a>,
    interpreter: Interpreter<'a>,
    /// The lengths of stretches at places that have been seen, each as the number of its binary digits.
    stretches: FxHashSet<(InputId, u32)>,
    /// The tests that are changed to make new ones: each took a way that none before it had taken.
    tests: Vec<Test>,
    random: u64,
}

impl Search<'_> {
    /// Runs a test, and keeps it if it comes to something new.
    fn attempt(&mut self, mut test: Test, budget: &Budget) -> Option<Found> {
        let mut inputs = Steady { test: &test, past: FxHashMap::default(), given: Vec::new() };
        self.interpreter.reset();
        let end = self.interpreter.run(&mut inputs, &budget.clone().with_steps(STEPS_OF_TEST));
        let given = inputs.given;
        if let End::Error(p) = end
            && self.task.unsupported.iter().all(|u| u.0 != p)
        {
            return Some(Found::Inputs(Replay::default().with_scalars(&given)));
        }
        let mut is_new = self.interpreter.takes_new_jumps();
        for g in given.iter().filter(|g| g.times > 1) {
            is_new |= self.stretches.insert((g.site, g.times.ilog2()));
        }
        if is_new {
            test.asked = self.values.asked(&given);
            self.tests.push(test);
        }
        None
    }

    /// A test with another script at one or two of the places that ask for inputs, more often at those that asked last.
    fn changed(&mut self, n: usize) -> Test {
        let mut test = self.tests[n].clone();
        for _ in 0..1 + self.below(2) {
            let count = test.asked.len();
            let among = if self.below(2) == 0 { count.min(LAST) } else { count };
            let Some(&site) = test.asked.iter().nth_back(self.below(among)) else { break };
            let usual = (test.usually, Lasting::Stretch);
            let mut script = test.at.remove(&site).unwrap_or_else(|| vec![usual]);
            let lasting = if self.below(2) == 0 { Lasting::Once } else { Lasting::Stretch };
            match self.below(3) {
                0 => script.clear(),
                1 => _ = script.pop(),
                _ if script.len() == LONGEST_SCRIPT => _ = script.pop(),
                _ => script.iter_mut().for_each(|value| value.1 = lasting),
            }
            let choice = self.below(usize::MAX);
            script.push((self.values.pick(site, choice), lasting));
            test.at.insert(site, script);
        }
        test
    }

    /// A random number below another one.
    fn below(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 1) as usize % bound.max(1)
    }
}

/// The values that are worth a try.
struct Values<'a> {
    choices: Choices,
    task: &'a Task,
}

impl Values<'_> {
    /// The places that asked for some inputs, each where it did last. What variables hold that were not set hardly decides anything.
    fn asked(&self, given: &[Given]) -> Vec<InputId> {
        let mut seen = FxHashSet::default();
        let is_input = |site: InputId| {
            let name = &self.task.program.inputs[site].name;
            !name.starts_with("uninitialised") && !name.starts_with("undefined")
        };
        let sites = given.iter().rev().map(|g| g.site);
        let mut sites: Vec<InputId> = sites.filter(|&s| seen.insert(s) && is_input(s)).collect();
        sites.reverse();
        sites
    }

    /// One of them for an input: a choice, or the least or the greatest number.
    fn pick(&self, site: InputId, n: usize) -> i128 {
        let choices = self.choices.of(site);
        let bounds = self.task.program.inputs[site].range.map_or([-1, 2], |(low, high)| [low, high]);
        choices.get(n % (choices.len() + 2)).copied().unwrap_or(bounds[n / 64 % 2])
    }
}

/// Gives the inputs of a test, and remembers them.
struct Steady<'a> {
    test: &'a Test,
    /// How many values of scripts are over.
    past: FxHashMap<InputId, usize>,
    given: Vec<Given>,
}

impl Steady<'_> {
    /// The value that an input has now, and how long.
    fn now(&self, site: InputId) -> (i128, Lasting) {
        let Some(script) = self.test.at.get(&site) else { return (self.test.usually, Lasting::Stretch) };
        let past = self.past.get(&site).copied().unwrap_or(0);
        let is_last = past + 1 == script.len();
        (script[past].0, if is_last { Lasting::Stretch } else { script[past].1 })
    }

    /// A value was given so many times; it may be over.
    fn give(&mut self, site: InputId, times: u64, is_over: bool) -> i128 {
        let value = self.now(site).0;
        self.given.push(Given { site, value, times });
        let past = self.past.entry(site).or_default();
        let length = self.test.at.get(&site).map_or(1, Vec::len);
        *past = (*past + usize::from(is_over)).min(length - 1);
        value
    }
}

impl Oracle for Steady<'_> {
    fn scalar(&mut self, site: InputId) -> i128 {
        let is_over = self.now(site).1 == Lasting::Once;
        self.give(site, 1, is_over)
    }

    fn steady(&self, site: InputId) -> Option<(i128, u64)> {
        let (value, lasting) = self.now(site);
        (lasting == Lasting::Stretch).then_some((value, u64::MAX))
    }

    fn repeat(&mut self, site: InputId, times: u64) {
        self.give(site, times, true);
    }
}
