//! From a circuit as it was given to a verdict about it: reduction, an engine, and the way back.

use super::preprocess::Preprocessed;
use super::{CircuitVerdict, Outcome, Proof, approx, bmc, check_proof, imc, itpseq, kind, pdr};
use crate::{Engine, Input, Reason, ReasonCode, Replayed, Verdict};
use bolide_base::{Budget, Stats};
use bolide_model::circuit::{Circuit, Trace};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Which runs of a circuit an engine looks at.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Runs {
    /// All of them.
    All,
    /// Those that are known to be runs of what the circuit stands for: a circuit may allow more, where it has large arrays. There is
    /// no proof in them.
    Exact,
}

/// One property of a circuit, and what the circuit was reduced to.
pub struct Task {
    original: Circuit,
    reduced: Preprocessed,
    runs: Runs,
    /// With equal signals merged, once an engine has done that.
    merged: Mutex<Option<Arc<Preprocessed>>>,
}

impl Task {
    /// A property of a circuit. The time that it takes to reduce it is counted.
    pub fn new(circuit: &Circuit, property: usize, runs: Runs, stats: &mut Stats) -> Task {
        let start = Instant::now();
        let circuit = circuit.with_property(property);
        let original = match runs {
            Runs::All => circuit,
            Runs::Exact => circuit.with_exact_runs_only(),
        };
        let reduced = Preprocessed::reduced(&original);
        stats.time("reduction", start.elapsed());
        Task { original, reduced, runs, merged: Mutex::default() }
    }

    /// Runs an engine and confirms what it says on the circuit as it was given.
    pub fn run(&self, engine: Engine, budget: &Budget, stats: &mut Stats) -> CircuitVerdict {
        if !engine.works_on(Input::Circuit) {
            let text = format!("{engine} does not work on circuits");
            return Verdict::Unknown(Reason::new(ReasonCode::Inapplicable, text));
        }
        if wants_merging(engine) {
            let merged = self.merged(budget, stats);
            self.run_on(&merged, engine, budget, stats)
        } else {
            self.run_on(&self.reduced, engine, budget, stats)
        }
    }

    /// The circuit with equal signals merged. Engines do not wait for each other here: one of them may not have its turn.
    fn merged(&self, budget: &Budget, stats: &mut Stats) -> Arc<Preprocessed> {
        let slot = || self.merged.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(merged) = slot().clone() {
            return merged;
        }
        let merged = Arc::new(Preprocessed::merged(&self.original, budget, stats));
        slot().get_or_insert(merged).clone()
    }

    fn run_on(
        &self,
        reduced: &Preprocessed,
        engine: Engine,
        budget: &Budget,
        stats: &mut Stats,
    ) -> CircuitVerdict {
        let start = Instant::now();
        let outcome = run(engine, &reduced.circuit, budget, stats);
        stats.time(engine.name(), start.elapsed());
        let start = Instant::now();
        let verdict = self.confirm(outcome, reduced, budget);
        stats.time("confirmation", start.elapsed());
        verdict
    }

    /// Carries the evidence back to the original circuit and confirms it there.
    fn confirm(&self, outcome: Outcome, reduced: &Preprocessed, budget: &Budget) -> CircuitVerdict {
        match outcome {
            Outcome::Safe(_) if self.runs == Runs::Exact => {
                Verdict::unknown("no error in runs that depend on tracked elements of arrays")
            }
            Outcome::Safe(Proof { invariant, depth }) => {
                let proof = Proof { invariant: reduced.invariant(invariant), depth };
                match check_proof(&self.original, proof, budget) {
                    Ok(proof) => Verdict::Safe(proof),
                    Err(error) => Verdict::Unknown(error.into()),
                }
            }
            Outcome::Unsafe(trace) => match check_trace(&self.original, 0, reduced.trace(trace)) {
                Ok(trace) => Verdict::Unsafe(trace),
                Err(reason) => Verdict::Unknown(reason),
            },
            Outcome::Unknown(reason) => Verdict::Unknown(reason),
        }
    }
}

/// Decides one property of a circuit with one engine.
pub fn verify(
    circuit: &Circuit,
    property: usize,
    engine: Engine,
    budget: &Budget,
    stats: &mut Stats,
) -> CircuitVerdict {
    Task::new(circuit, property, Runs::All, stats).run(engine, budget, stats)
}

/// Executes a run; it counts if it ends in the bad state of the property.
pub fn check_trace(circuit: &Circuit, property: usize, trace: Trace) -> Result<Replayed<Trace>, Reason> {
    match circuit.replay(&trace, property) {
        Ok(()) => Ok(Replayed::new(trace)),
        Err(error) => Err(Reason::new(ReasonCode::TraceRejected, error.to_string())),
    }
}

/// Is the engine better off with equal signals merged? Unrolled circuits get smaller by it, again and again, while property-directed
/// reachability learns the equalities it needs by itself.
fn wants_merging(engine: Engine) -> bool {
    engine != Engine::Pdr
}

fn run(engine: Engine, circuit: &Circuit, budget: &Budget, stats: &mut Stats) -> Outcome {
    match engine {
        Engine::Imc => imc::run(circuit, imc::Config::default(), budget, stats),
        Engine::Itpseq => itpseq::run(circuit, budget, stats),
        Engine::Approx => approx::run(circuit, approx::Config::default(), budget, stats),
        Engine::Bmc => bmc::run(circuit, budget, stats),
        Engine::Kind => kind::run(circuit, budget, stats),
        _ => pdr::run(circuit, pdr::Config::default(), budget, stats),
    }
}
