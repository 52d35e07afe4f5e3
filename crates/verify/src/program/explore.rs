//! Search through the states in which a program asks for inputs.
//!
//! Programs that react to inputs, again and again, come to few states compared with the sequences of inputs that lead there. An
//! execution stops wherever a value from outside is asked for; from there it goes on with each value that is worth a try
//! ([`Choices`]), and what it comes to is visited once. States behind jumps that no execution had taken come
//! first, in turn with the oldest ones: this is breadth-first search, with a preference for what is new.
//!
//! Nothing is proved by this: other values may lead elsewhere. An error that it finds is one, because the interpreter came there.

mod choices;

use super::testing::{Tester, constants};
use bolide_base::Budget;
use bolide_front::c::Task;
use bolide_front::c::interp::{End, Interpreter, Oracle, Snapshot, Stop};
use bolide_model::InputId;
use bolide_term::Store;
pub use choices::Choices;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// The blocks that are executed before engines start: so many for each block of the program, between two bounds.
const FIRST_STEPS_PER_BLOCK: u64 = 500;
const FIRST_STEPS: std::ops::RangeInclusive<u64> = 500_000..=12_000_000;
/// The blocks that are executed while engines have their turns.
pub const STEPS: u64 = 100_000_000;
/// The blocks from one input to the next.
const STEPS_BETWEEN: u64 = 50_000;
/// The bytes that states may take which wait.
const MOST_BYTES: usize = 64 << 20;
/// To copy so many bytes of a state takes as long as a block.
const BYTES_PER_STEP: usize = 32;

/// The steps of a search before engines start.
pub fn first_steps(task: &Task) -> u64 {
    let blocks: usize = task.unit.funcs.iter().map(|f| f.blocks.len()).sum();
    (blocks as u64 * FIRST_STEPS_PER_BLOCK).clamp(*FIRST_STEPS.start(), *FIRST_STEPS.end())
}

/// Looks for inputs that lead into an error.
pub fn search(store: &Store, task: &Task, budget: &Budget) -> Option<Vec<(InputId, i128)>> {
    among(Choices::new(task), store, task, budget)
}

/// The same. If the search comes to its end, it has seen few states, and more values are worth a try: that takes long, so engines have their turns.
pub fn wide_search(store: &Store, task: &Task, budget: &Budget) -> Option<Vec<(InputId, i128)>> {
    let found = search(store, task, budget);
    if found.is_some() || budget.exhausted() {
        return found;
    }
    among(Choices::wide(task), store, task, budget)
}

/// Looks for inputs among some that lead into an error.
fn among(choices: Choices, store: &Store, task: &Task, budget: &Budget) -> Option<Vec<(InputId, i128)>> {
    let constants = constants(store, task);
    let mut search = Search {
        interpreter: Interpreter::new(&task.unit),
        choices,
        inputs: Vec::new(),
        waiting: VecDeque::new(),
        promising: VecDeque::new(),
        turn: false,
        seen: FxHashSet::default(),
        bytes: 0,
    };
    let others = Others { tester: Tester::new(task, &constants, 1, 0), given: Vec::new() };
    search.run(others, budget)
}

/// Where an execution waits for an input.
struct State {
    snapshot: Snapshot,
    site: InputId,
    /// The last inputs that led here, as a path in `Search::inputs`.
    path: Option<usize>,
}

/// An input, and those before it.
struct Given {
    site: InputId,
    value: i128,
    before: Option<usize>,
}

struct Search<'a> {
    interpreter: Interpreter<'a>,
    choices: Choices,
    /// The inputs that led to states, as a tree.
    inputs: Vec<Given>,
    /// States in the order in which they were met.
    waiting: VecDeque<State>,
    /// States behind jumps that were new.
    promising: VecDeque<State>,
    /// Is it the turn of the promising ones?
    turn: bool,
    /// The fingerprints of all states.
    seen: FxHashSet<u64>,
    bytes: usize,
}

impl Search<'_> {
    /// The inputs of an execution into an error.
    fn run(&mut self, mut others: Others<'_>, budget: &Budget) -> Option<Vec<(InputId, i128)>> {
        self.interpreter.takes_new_jumps();
        let stop = self.interpreter.start(&mut others, &budget.clone().with_steps(STEPS_BETWEEN));
        let path = self.follow(None, &mut others);
        if let Some(path) = self.arrive(stop, path) {
            return Some(self.values(path));
        }
        while let Some(state) = self.next() {
            let size = state.snapshot.size();
            self.bytes -= size;
            for value in self.choices.of(state.site).to_vec() {
                // The state is copied when it is made and whenever it is gone back to.
                for _ in 0..=2 * size / BYTES_PER_STEP {
                    budget.poll().ok()?;
                }
                self.interpreter.restore(&state.snapshot);
                let stop =
                    self.interpreter.resume(value, &mut others, &budget.clone().with_steps(STEPS_BETWEEN));
                let (given, states) = (self.inputs.len(), self.waiting.len() + self.promising.len());
                let path = self.give(state.site, value, state.path);
                let path = self.follow(Some(path), &mut others);
                if let Some(path) = self.arrive(stop, path) {
                    return Some(self.values(path));
                }
                // Inputs that led to nothing new are forgotten.
                if self.waiting.len() + self.promising.len() == states {
                    self.inputs.truncate(given);
                }
            }
        }
        None
    }

    /// The state to go on from.
    fn next(&mut self) -> Option<State> {
        self.turn = !self.turn;
        let (first, second) = match self.turn {
            true => (&mut self.promising, &mut self.waiting),
            false => (&mut self.waiting, &mut self.promising),
        };
        first.pop_front().or_else(|| second.pop_front())
    }

    fn give(&mut self, site: InputId, value: i128, before: Option<usize>) -> usize {
        self.inputs.push(Given { site, value, before });
        self.inputs.len() - 1
    }

    /// Adds the inputs to a path that were given on the way without a choice.
    fn follow(&mut self, mut path: Option<usize>, others: &mut Others<'_>) -> Option<usize> {
        for (site, value) in others.given.drain(..) {
            path = Some(self.give(site, value, path));
        }
        path
    }

    /// An execution has stopped after some inputs; is that an error?
    fn arrive(&mut self, stop: Stop, path: Option<usize>) -> Option<Option<usize>> {
        let is_new = self.interpreter.takes_new_jumps();
        match stop {
            Stop::End(End::Error(_)) => return Some(path),
            Stop::Input(site) if self.seen.insert(self.interpreter.fingerprint()) => {
                let snapshot = self.interpreter.snapshot();
                let size = snapshot.size();
                if self.bytes + size <= MOST_BYTES {
                    self.bytes += size;
                    let queue = if is_new { &mut self.promising } else { &mut self.waiting };
                    queue.push_back(State { snapshot, site, path });
                }
            }
            _ => {}
        }
        None
    }

    fn values(&self, mut path: Option<usize>) -> Vec<(InputId, i128)> {
        let mut values = Vec::new();
        while let Some(n) = path {
            let given = &self.inputs[n];
            values.push((given.site, given.value));
            path = given.before;
        }
        values.reverse();
        values
    }
}

/// Inputs that are not chosen: what variables hold that are not initialised.
struct Others<'a> {
    tester: Tester<'a>,
    given: Vec<(InputId, i128)>,
}

impl Oracle for Others<'_> {
    fn scalar(&mut self, site: InputId) -> i128 {
        let value = self.tester.scalar(site);
        self.given.push((site, value));
        value
    }
}
