//! From a circuit as it was given to a verdict about it: reduction, one engine or several, and the way back.

use super::preprocess::Preprocessed;
use super::{Outcome, Proof, approx, bmc, check_proof, imc, itpseq, kind, pdr};
use bolide_base::{Budget, Stats};
use bolide_model::circuit::Circuit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The engines for circuits.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Several of the others.
    Auto,
    /// Property directed reachability.
    Pdr,
    /// Interpolation.
    Imc,
    /// Interpolation sequences.
    Itpseq,
    /// Approximation refinement.
    Approx,
    /// Bounded model checking: finds errors only.
    Bmc,
    /// k-induction.
    Kind,
}

impl Engine {
    /// All engines with their names.
    pub const NAMES: &[(&str, Engine)] = &[
        ("auto", Engine::Auto),
        ("pdr", Engine::Pdr),
        ("imc", Engine::Imc),
        ("itpseq", Engine::Itpseq),
        ("approx", Engine::Approx),
        ("bmc", Engine::Bmc),
        ("kind", Engine::Kind),
    ];

    /// The engine of this name.
    pub fn named(name: &str) -> Option<Engine> {
        Engine::NAMES.iter().find(|(known, _)| *known == name).map(|&(_, engine)| engine)
    }

    fn name(self) -> &'static str {
        Engine::NAMES.iter().find(|(_, engine)| *engine == self).map_or("", |&(name, _)| name)
    }

    /// Is the engine better off with equal signals merged? Unrolled circuits get smaller by it, again and again, while
    /// property directed reachability learns the equalities it needs by itself.
    fn wants_merging(self) -> bool {
        self != Engine::Pdr
    }

    fn run(self, circuit: &Circuit, budget: &Budget, stats: &mut Stats) -> Outcome {
        match self {
            Engine::Pdr | Engine::Auto => pdr::run(circuit, pdr::Config::default(), budget, stats),
            Engine::Imc => imc::run(circuit, imc::Config::default(), budget, stats),
            Engine::Itpseq => itpseq::run(circuit, budget, stats),
            Engine::Approx => approx::run(circuit, approx::Config::default(), budget, stats),
            Engine::Bmc => bmc::run(circuit, budget, stats),
            Engine::Kind => kind::run(circuit, budget, stats),
        }
    }
}

/// How to verify.
#[derive(Copy, Clone, Debug)]
pub struct Options {
    /// Which engine to use.
    pub engine: Engine,
    /// How many engines may run side by side.
    pub jobs: usize,
}

/// CaDiCaL recurses over proofs; memory is only used where the stack really grows.
const STACK: usize = 512 << 20;

/// Decides one property of the circuit. The evidence of a verdict is about the circuit as it is given here, and has been
/// confirmed on it.
pub fn verify(
    circuit: &Circuit,
    property: usize,
    options: Options,
    budget: &Budget,
    stats: &mut Stats,
) -> Outcome {
    let circuit = circuit.with_property(property);
    if circuit.exact.is_empty() {
        return verify_one(&circuit, options, budget, stats);
    }
    let share = budget.remaining().map_or(UNLIMITED_TURN, |time| time.mul_f64(OVER_APPROXIMATION));
    match verify_one(&circuit, options, &budget.child(share), stats) {
        Outcome::Unknown(_) => {}
        known => return known,
    }
    match verify_one(&circuit.with_exact_runs_only(), options, budget, stats) {
        Outcome::Safe(_) => {
            Outcome::Unknown("no error in runs that depend on tracked elements of arrays".into())
        }
        Outcome::Unsafe(trace) => match circuit.replay(&trace, 0) {
            Ok(()) => Outcome::Unsafe(trace),
            Err(error) => Outcome::Unknown(error.to_string()),
        },
        unknown => unknown,
    }
}

/// The part of the time that a circuit which is an over-approximation is examined as it is, before only those of its
/// runs are that are known to be exact.
const OVER_APPROXIMATION: f64 = 0.5;

/// Decides the only property of a circuit.
fn verify_one(original: &Circuit, options: Options, budget: &Budget, stats: &mut Stats) -> Outcome {
    let start = Instant::now();
    let reduced = Preprocessed::reduced(original);
    stats.time("reduction", start.elapsed());
    let task = Task { original, reduced, merged: OnceLock::new() };
    match options.engine {
        Engine::Auto => portfolio(&task, options.jobs.max(1), budget, stats),
        engine => task.run(engine, budget, budget, stats),
    }
}

/// A circuit and what it was reduced to.
struct Task<'a> {
    original: &'a Circuit,
    reduced: Preprocessed,
    /// With equal signals merged, once an engine wants that.
    merged: OnceLock<Preprocessed>,
}

impl Task<'_> {
    /// Runs an engine during its turn and confirms what it says, for which all of the budget may be used.
    fn run(&self, engine: Engine, turn: &Budget, budget: &Budget, stats: &mut Stats) -> Outcome {
        let reduced = match engine.wants_merging() {
            true => self.merged.get_or_init(|| Preprocessed::merged(self.original, turn, stats)),
            false => &self.reduced,
        };
        let start = Instant::now();
        let own = turn.phase(engine.name());
        let outcome = engine.run(&reduced.circuit, &own, stats);
        own.finish_phase();
        stats.time(engine.name(), start.elapsed());
        let start = Instant::now();
        let outcome = self.confirm(outcome, reduced, budget);
        stats.time("confirmation", start.elapsed());
        outcome
    }

    /// Carries the evidence back to the original circuit and confirms it there.
    fn confirm(&self, outcome: Outcome, reduced: &Preprocessed, budget: &Budget) -> Outcome {
        match outcome {
            Outcome::Safe(Proof { invariant, depth }) => {
                let invariant = reduced.invariant(invariant);
                let proof = Proof { invariant, depth };
                match check_proof(self.original, &proof, budget) {
                    Ok(()) => Outcome::Safe(proof),
                    Err(error) => Outcome::Unknown(error.to_string()),
                }
            }
            Outcome::Unsafe(trace) => {
                let trace = reduced.trace(trace);
                match self.original.replay(&trace, 0) {
                    Ok(()) => Outcome::Unsafe(trace),
                    Err(error) => Outcome::Unknown(error.to_string()),
                }
            }
            unknown => unknown,
        }
    }
}

/// An engine and the part of the remaining time that it gets before the next one of its worker has its turn.
type Turn = (Engine, f64);

/// What the workers do, each its turns in order: the best prover all the time, and beside it engines that differ.
fn plan(jobs: usize) -> Vec<Vec<Turn>> {
    use Engine::{Approx, Imc, Kind, Pdr};
    // The base case of k-induction is bounded model checking.
    match jobs {
        1 => vec![vec![(Kind, 0.3), (Pdr, 1.0)]],
        2 => vec![vec![(Pdr, 1.0)], vec![(Kind, 0.75), (Imc, 1.0)]],
        3 => vec![vec![(Pdr, 1.0)], vec![(Kind, 1.0)], vec![(Imc, 0.6), (Approx, 1.0)]],
        _ => vec![vec![(Pdr, 1.0)], vec![(Kind, 1.0)], vec![(Imc, 1.0)], vec![(Approx, 1.0)]],
    }
}

/// How long a turn lasts where there is no limit.
const UNLIMITED_TURN: Duration = Duration::from_secs(60);

/// Runs several engines; the first confirmed verdict ends them all.
fn portfolio(task: &Task<'_>, jobs: usize, budget: &Budget, stats: &mut Stats) -> Outcome {
    let done = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for turns in plan(jobs) {
            let budget = budget.clone().with_cancel(done.clone());
            let sender = sender.clone();
            let work = move || {
                let _ = sender.send(take_turns(task, &turns, &budget));
            };
            // A worker that cannot be started, or that panics, says nothing.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        }
        drop(sender);
        let mut reasons: Vec<String> = Vec::new();
        let mut verdict = None;
        for (outcome, worker_stats) in receiver {
            stats.merge(&worker_stats);
            match outcome {
                Outcome::Unknown(reason) => reasons.push(reason),
                known => verdict = verdict.or(Some(known)),
            }
            if verdict.is_some() {
                done.store(true, Ordering::Relaxed);
            }
        }
        reasons.dedup();
        verdict.unwrap_or_else(|| {
            Outcome::Unknown(reasons.first().cloned().unwrap_or("all engines failed".into()))
        })
    })
}

/// Lets the engines of one worker have their turns.
fn take_turns(task: &Task<'_>, turns: &[Turn], budget: &Budget) -> (Outcome, Stats) {
    let mut stats = Stats::new();
    let mut last = Outcome::Unknown("no engine ran".into());
    for &(engine, share) in turns {
        let turn = match budget.remaining() {
            _ if share >= 1.0 => budget.clone(),
            Some(time) => budget.child(time.mul_f64(share)),
            None => budget.child(UNLIMITED_TURN),
        };
        last = task.run(engine, &turn, budget, &mut stats);
        if last.is_known() || budget.check().is_err() {
            break;
        }
    }
    (last, stats)
}
