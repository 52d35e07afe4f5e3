//! Sampling: short concrete executions with random inputs, which show what may hold at a location.
//!
//! The states that are met feed the guesses of [`super::conjecture`]; an execution that ends in an error is a verdict.

use bolide_base::{Budget, IBig, IdVec, Rational};
use bolide_model::{EdgeId, InputId, LocId, Program, Runner, VarId, VarKind};
use bolide_model::{Trace, TraceStep};
use bolide_term::{Sort, Store, Value};
use std::collections::BTreeSet;

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

/// Executes the program a few times.
pub fn sample(store: &Store, program: &Program, vars: Vec<VarId>, budget: &Budget) -> Samples {
    let constants = constants(store, program);
    let mut sampler = Sampler {
        store,
        program,
        outgoing: program.main().outgoing(),
        cost: program
            .main()
            .edges
            .iter()
            .map(|e| e.step().map_or(1, |s| store.dag_size(s.terms())))
            .collect(),
        pool: constants.iter().copied().collect(),
        rng: Xorshift(0x2545_f491_4f6c_dd1d),
        last: 0,
        work: 0,
    };
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

/// The numerals of the program with their neighbours; normal forms move a constant to the far side, so negated too.
fn constants(store: &Store, program: &Program) -> BTreeSet<i64> {
    let mut out = BTreeSet::from([-1, 0, 1, 2]);
    let terms = program.main().edges.iter().filter_map(|e| e.step()).flat_map(|s| s.terms());
    for t in store.post_order(terms) {
        if let Some(k) = store.as_num(t).and_then(Rational::to_i64).filter(|k| k.unsigned_abs() < 1 << 31) {
            out.extend([k - 1, k, k + 1, -k - 1, -k, 1 - k]);
        }
    }
    out
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
    outgoing: IdVec<LocId, Vec<EdgeId>>,
    cost: IdVec<EdgeId, usize>,
    pool: Vec<i64>,
    rng: Xorshift,
    /// The last value drawn: equal inputs matter more often than chance makes them.
    last: i64,
    work: usize,
}

impl Sampler<'_> {
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
        let edges = self.outgoing[at].clone();
        for _ in 0..RETRIES {
            let first = self.rng.below(edges.len());
            for n in 0..edges.len() {
                let edge = edges[(first + n) % edges.len()];
                let step = self.program.main().edges[edge].step()?;
                let inputs: Vec<Value> = step.inputs.iter().map(|&(_, i)| self.input(i)).collect();
                self.work += self.cost[edge];
                if runner.take(self.store, edge, &inputs).ok()? {
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
