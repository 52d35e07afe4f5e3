//! Sampling: short concrete executions with random inputs, which show what may hold at a location.
//!
//! The states that are met feed the guesses of [`super::conjecture`]; an execution that ends in an error is a verdict.

use bolide_base::{Budget, IBig, IdVec, Rational};
use bolide_model::horn::{Horn, ProgramMap};
use bolide_model::{Action, Edge, EdgeId, InputId, LocId, ProcId, Program, Runner, VarId, VarKind};
use bolide_model::{Trace, TraceStep};
use bolide_term::{Sort, Store, Term, Value};
use std::collections::BTreeSet;

/// Steps of an execution with calls, which may wait for deep recursion, and states kept for each location then.
const CALL_STEPS: usize = 3_000;
const KEPT_OF_CALLS: usize = 120;
const KEPT_OF_EXITS: usize = 2_000;
/// Every so often an execution has so many times as many steps.
const LONG_EVERY: usize = 20;
const LONG: usize = 20;
/// Every so often a state of a location that was visited often is kept.
const RARELY: usize = 16;

/// Executions, and the steps of each.
const RUNS: usize = 400;
const STEPS: usize = 200;
/// States kept for each location.
const KEPT: usize = 80;
/// How often inputs are drawn again when no edge can be taken.
const RETRIES: usize = 8;
/// Terms evaluated and variables set in all.
const WORK: usize = 500_000;

/// What random executions met.
pub struct Samples {
    /// The integer variables, in the order of the states.
    pub vars: Vec<VarId>,
    /// For each location the values of the variables.
    pub states: IdVec<LocId, Vec<Vec<Rational>>>,
    /// The numerals of the program, their negations and their neighbours.
    pub constants: BTreeSet<i64>,
    /// An execution that ended in an error.
    pub error: Option<Trace>,
}

/// What random executions met in a program with calls, in the words of its clauses.
pub struct CallSamples {
    /// For each predicate the positions of its integer arguments, and the values of these.
    pub states: Vec<(Vec<usize>, Vec<Vec<Rational>>)>,
    /// The values of these at exits, more of them.
    pub exits: Vec<BTreeSet<Vec<Rational>>>,
    /// The numerals of the program, their negations and their neighbours.
    pub constants: BTreeSet<i64>,
    /// An execution that ended in an error.
    pub error: Option<Trace>,
}

/// Executes the program a few times.
pub fn sample(store: &Store, program: &Program, vars: Vec<VarId>, budget: &Budget) -> Samples {
    let constants = constants(store, program);
    let mut sampler = Sampler::new(store, program, &constants);
    let mut samples = Samples {
        vars,
        states: program.main().locations.iter().map(|_| Vec::new()).collect(),
        constants,
        error: None,
    };
    for run in 0..RUNS {
        if samples.error.is_some() || sampler.work > WORK || budget.poll().is_err() {
            break;
        }
        sampler.run(run, &mut samples);
    }
    samples
}

/// Executes a program with calls a few times. `map` says which variables and values at entries the predicates of `horn` are about.
pub fn sample_calls(
    store: &Store,
    program: &Program,
    (horn, map): (&Horn, &ProgramMap),
    budget: &Budget,
) -> CallSamples {
    let constants = constants(store, program);
    let mut sampler = Sampler::new(store, program, &constants);
    let integers =
        |params: &[Term]| (0..params.len()).filter(|&n| store.sort_of(params[n]) == Sort::INT).collect();
    let states = horn.preds.iter().map(|p| (integers(&p.params), Vec::new())).collect();
    let exits = horn.preds.iter().map(|_| BTreeSet::new()).collect();
    let mut samples = CallSamples { states, exits, constants, error: None };
    for run in 0..RUNS {
        if samples.error.is_some() || sampler.work > 4 * WORK || budget.poll().is_err() {
            break;
        }
        let steps = if run % LONG_EVERY == LONG_EVERY - 1 { LONG * CALL_STEPS } else { CALL_STEPS };
        sampler.run_calls(map, steps, &mut samples);
    }
    samples
}

/// The numerals of the program with their neighbours; normal forms move a constant to the far side, so negated too.
fn constants(store: &Store, program: &Program) -> BTreeSet<i64> {
    let mut out = BTreeSet::from([-1, 0, 1, 2]);
    for t in store.post_order(step_terms(program)) {
        if let Some(k) = store.as_num(t).and_then(Rational::to_i64).filter(|k| k.unsigned_abs() < 1 << 31) {
            out.extend([k - 1, k, k + 1, -k - 1, -k, 1 - k]);
        }
    }
    out
}

/// The terms of the steps of the procedure where execution starts, and if there are calls those of the others and their arguments.
pub fn step_terms(program: &Program) -> impl Iterator<Item = Term> {
    let has_calls = program.main().has_calls();
    let procs = program.procs.iter_enumerated().filter(move |(id, _)| has_calls || *id == program.entry);
    let terms = |e: &Edge| -> Vec<Term> {
        match &e.action {
            Action::Step(step) => step.terms().collect(),
            Action::Call(call) => call.args.clone(),
        }
    };
    procs.flat_map(|(_, p)| &p.edges).flat_map(terms)
}

struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n.max(1) as u64) as usize
    }
}

struct Sampler<'a> {
    store: &'a Store,
    program: &'a Program,
    outgoing: IdVec<ProcId, IdVec<LocId, Vec<EdgeId>>>,
    cost: IdVec<ProcId, IdVec<EdgeId, usize>>,
    pool: Vec<i64>,
    rng: Xorshift,
    /// The last value drawn: equal inputs matter more often than chance makes them.
    last: i64,
    work: usize,
}

impl<'a> Sampler<'a> {
    fn new(store: &'a Store, program: &'a Program, constants: &BTreeSet<i64>) -> Sampler<'a> {
        let cost = |e: &Edge| e.step().map_or(1, |s| store.dag_size(s.terms()));
        Sampler {
            store,
            program,
            outgoing: program.procs.iter().map(|p| p.outgoing()).collect(),
            cost: program.procs.iter().map(|p| p.edges.iter().map(cost).collect()).collect(),
            pool: constants.iter().copied().collect(),
            rng: Xorshift(0x2545_f491_4f6c_dd1d),
            last: 0,
            work: 0,
        }
    }

    /// One execution of a program with calls. States are kept if they are new.
    fn run_calls(&mut self, map: &ProgramMap, steps: usize, samples: &mut CallSamples) {
        self.work += self.program.vars.len();
        let mut trace = Trace::new(self.initial(), Vec::new());
        let mut runner = Runner::new(self.store, self.program, &trace.initial);
        // The values at the entries of the procedures that have not returned.
        let mut entries: Vec<Vec<Rational>> = vec![Vec::new()];
        for _ in 0..steps {
            self.keep_state(map, &runner, &entries, samples);
            let Some(taken) = self.advance(&mut runner) else { return };
            let is_call = self.program.procs[taken.proc].edges[taken.edge].step().is_none();
            trace.steps.push(taken);
            let (proc, now) = runner.position();
            if is_call {
                let (_, inputs, _) = map.arguments(proc, now);
                entries.push(inputs.iter().map(|&v| number_of(runner.value(self.store, v))).collect());
            }
            if self.program.procs[proc].locations[now].error.is_some() {
                samples.error = Some(trace);
                return;
            }
            loop {
                // The next step starts here, or this is an exit.
                let (proc, now) = runner.position();
                if now != self.program.procs[proc].exit {
                    break;
                }
                self.keep_state(map, &runner, &entries, samples);
                if !runner.leave(self.store) {
                    return;
                }
                entries.pop();
            }
            if self.work > 4 * WORK {
                return;
            }
        }
    }

    fn keep_state(
        &mut self,
        map: &ProgramMap,
        runner: &Runner<'_>,
        entries: &[Vec<Rational>],
        samples: &mut CallSamples,
    ) {
        let (proc, at) = runner.position();
        let (pred, _, live) = map.arguments(proc, at);
        let (columns, states) = &mut samples.states[pred.index()];
        let is_full =
            states.len() >= KEPT_OF_CALLS || states.len() > KEPT_OF_CALLS / 2 && self.rng.below(RARELY) > 0;
        let exits = &mut samples.exits[pred.index()];
        let is_exit = self.program.procs[proc].exit == at && exits.len() < KEPT_OF_EXITS;
        if is_full && !is_exit {
            return;
        }
        let mut state: Vec<Rational> = entries.last().cloned().unwrap_or_default();
        state.extend(live.iter().map(|&v| number_of(runner.value(self.store, v))));
        let state: Vec<Rational> = columns.iter().map(|&n| state[n].clone()).collect();
        self.work += state.len();
        if is_exit {
            exits.insert(state.clone());
        }
        if !is_full && !states.contains(&state) {
            states.push(state);
        }
    }

    /// One execution. Its states are kept at its first visits of a location and at some of the later ones.
    fn run(&mut self, number: usize, samples: &mut Samples) {
        // Every variable gets a value.
        self.work += self.program.vars.len();
        let mut trace = Trace::new(self.initial(), Vec::new());
        let mut runner = Runner::new(self.store, self.program, &trace.initial);
        for step in 0..STEPS {
            let (_, at) = runner.position();
            if step < 6 || self.rng.below(STEPS / 8) == 0 {
                let limit = KEPT.min(3 * number + 5);
                if samples.states[at].len() < limit {
                    let state =
                        samples.vars.iter().map(|&v| number_of(runner.value(self.store, v))).collect();
                    samples.states[at].push(state);
                }
            }
            match self.advance(&mut runner) {
                Some(taken) => trace.steps.push(taken),
                None => return,
            }
            while runner.leave(self.store) {}
            let (_, at) = runner.position();
            if self.program.main().locations[at].error.is_some() {
                samples.error = Some(trace);
                return;
            }
            if self.work > WORK {
                return;
            }
        }
    }

    /// Values of the globals before the first step.
    fn initial(&mut self) -> Vec<(VarId, Value)> {
        let globals = self.program.vars.iter_enumerated();
        let globals: Vec<_> = globals
            .filter(|(_, v)| v.kind == VarKind::Global && v.sort == Sort::INT)
            .map(|(id, v)| (id, v.range))
            .collect();
        globals.into_iter().map(|(id, range)| (id, self.draw(range))).collect()
    }

    /// Takes some edge, in random order, with random inputs.
    fn advance(&mut self, runner: &mut Runner) -> Option<TraceStep> {
        let (proc, at) = runner.position();
        let edges = self.outgoing[proc][at].clone();
        for _ in 0..RETRIES {
            let first = self.rng.below(edges.len());
            for n in 0..edges.len() {
                let edge = edges[(first + n) % edges.len()];
                let inputs: Vec<Value> = match self.program.procs[proc].edges[edge].step() {
                    Some(step) => step.inputs.iter().map(|&(_, i)| self.input(i)).collect(),
                    None => Vec::new(),
                };
                self.work += self.cost[proc][edge];
                if runner.step(self.store, edge, &inputs).ok()? {
                    return Some(TraceStep { proc, edge, inputs });
                }
            }
        }
        None
    }

    fn input(&mut self, input: InputId) -> Value {
        let i = &self.program.inputs[input];
        match i.sort == Sort::INT {
            true => self.draw(i.range),
            false => self.program.default_value(self.store, i.sort, i.range),
        }
    }

    /// A value within a range: often small, often one of the program's constants, sometimes as the last one.
    fn draw(&mut self, range: Option<(i128, i128)>) -> Value {
        let value = match self.rng.below(8) {
            0 | 1 => self.rng.below(4) as i64,
            2 | 3 => self.rng.below(20) as i64 - 4,
            4 => self.pool[self.rng.below(self.pool.len())],
            5 => self.rng.below(2000) as i64 - 1000,
            6 => self.rng.below(1 << 16) as i64,
            _ => self.last,
        };
        let value = range.map_or(value.into(), |(low, high)| i128::from(value).clamp(low, high));
        self.last = i64::try_from(value).unwrap_or_default();
        Value::Num(Rational::from(IBig::from(value)))
    }
}

fn number_of(value: &Value) -> Rational {
    value.as_num().cloned().unwrap_or(Rational::ZERO)
}
