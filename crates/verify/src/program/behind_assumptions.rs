//! Tests behind assumptions.
//!
//! Programs that model a protocol choose their first state by inputs and assume much about it, so that hardly any chosen or random
//! inputs come to the loop behind. A solver finds such inputs at once: in the prepared program everything up to the loop is
//! one edge. From there on a concrete execution is cheap, however many rounds it has to go until an error shows.
//!
//! The inputs are given to the interpreter, which alone says what is an error.

use super::prepared::Prepared;
use super::testing::{Constants, Found, Tester, constants};
use bolide_base::Budget;
use bolide_engine::Verdict;
use bolide_engine::program::impact;
use bolide_front::c::Task;
use bolide_front::c::interp::{End, Interpreter, Oracle, Part, Replay};
use bolide_model::program::back::trace_back;
use bolide_model::{InputId, Program, Property, Trace};
use bolide_term::Store;
use rustc_hash::FxHashMap;

/// How many locations are looked for, and the steps for each of them.
const STARTS: usize = 8;
const ENGINE_STEPS: u64 = 100_000;
/// The blocks of one execution.
const STEPS: u64 = 1_000_000;
/// How inputs are chosen behind a start: see [`Tester::new`].
const MANNERS: std::ops::Range<usize> = 0..6;
/// The state of the generator.
const SEED: u64 = 0x2545_f491_4f6c_dd1d;

/// Looks for inputs that lead into an error, by way of the loops of a program without calls.
pub fn search(store: &mut Store, task: &Task, prepared: &Prepared, budget: &Budget) -> Option<Found> {
    let constants = constants(store, task);
    let mut program = looking_for_loops(&prepared.program);
    let config = impact::Config { conjectures: false, ..impact::Config::default() };
    for _ in 0..STARTS {
        let steps = budget.clone().with_steps(ENGINE_STEPS);
        let (Verdict::Unsafe(trace), _) = impact::run(store, &program, &config, &steps) else { return None };
        let last = trace.steps.last()?;
        let start = program.procs[last.proc].edges[last.edge].to;
        let trace = trace_back(store, &prepared.maps, trace)?;
        if let Some(found) = continued(task, &constants, &trace, budget) {
            return Some(found);
        }
        let entry = program.entry;
        program.procs[entry].locations[start].error = None;
    }
    None
}

/// The program with its loops instead of its errors: in a program of large blocks, all locations but the ends.
fn looking_for_loops(prepared: &Program) -> Program {
    let mut program = prepared.clone();
    let main = &mut program.procs[prepared.entry];
    let (entry, exit) = (main.entry, main.exit);
    let goal = program.properties.push(Property { name: "a loop".into(), span: main.span });
    for l in main.locations.ids() {
        let location = &mut main.locations[l];
        let is_end = l == entry || l == exit || location.error.is_some();
        location.error = (!is_end).then_some(goal);
    }
    program
}

/// An execution into an error that begins as a trace does.
fn continued(task: &Task, constants: &Constants, trace: &Trace, budget: &Budget) -> Option<Found> {
    let replay = Replay::new(&task.program, &task.encoding, trace);
    let mut first: FxHashMap<InputId, usize> = FxHashMap::default();
    for step in &trace.steps {
        let edge = &task.program.procs[step.proc].edges[step.edge];
        for &(_, site) in edge.step().iter().flat_map(|s| &s.inputs) {
            *first.entry(site).or_default() += 1;
        }
    }
    let mut interpreter = Interpreter::new(&task.unit);
    for manner in MANNERS {
        let tester = Tester::new(task, constants, SEED, manner);
        let mut inputs = Continued {
            replay: replay.clone(),
            first: first.clone(),
            tester,
            given: Vec::new(),
            asks: false,
        };
        interpreter.reset();
        match interpreter.run(&mut inputs, &budget.clone().with_steps(STEPS)) {
            End::Error(p) if task.unsupported.iter().all(|u| u.0 != p) => {
                return Some(Found::Inputs(replay.with_scalars(&inputs.given)));
            }
            // Without further inputs all executions are the same.
            _ if !inputs.asks || budget.exhausted() => return None,
            _ => {}
        }
    }
    None
}

/// The inputs of a trace, and chosen ones after them.
struct Continued<'a> {
    replay: Replay,
    /// How many inputs the trace has at each place.
    first: FxHashMap<InputId, usize>,
    tester: Tester<'a>,
    given: Vec<(InputId, i128)>,
    /// Has an input been chosen?
    asks: bool,
}

impl Oracle for Continued<'_> {
    fn scalar(&mut self, site: InputId) -> i128 {
        let value = match self.first.get_mut(&site).filter(|left| **left > 0) {
            Some(left) => {
                *left -= 1;
                self.replay.scalar(site)
            }
            None => {
                self.asks = true;
                self.tester.scalar(site)
            }
        };
        self.given.push((site, value));
        value
    }

    fn object(&mut self, site: InputId) -> Vec<Part> {
        self.replay.object(site)
    }

    fn memory(&mut self) -> Vec<(i128, u32, i128)> {
        self.replay.memory()
    }
}
