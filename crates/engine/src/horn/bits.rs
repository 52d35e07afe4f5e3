//! Linear Horn clauses over words through the engines for circuits.

use super::HornClaim;
use crate::circuit::{Runs, Task};
use crate::{Engine, Reason, ReasonCode, Verdict};
use bolide_base::{Budget, Stats};
use bolide_model::horn::{Horn, to_circuit};
use bolide_term::Store;

/// Decides linear clauses over words and truth values as a circuit.
pub fn solve(
    store: &mut Store,
    horn: &Horn,
    engine: Engine,
    budget: &Budget,
    stats: &mut Stats,
) -> HornClaim {
    let (circuit, map) = match to_circuit(store, horn, budget) {
        Ok(Some(found)) => found,
        Ok(None) => {
            let text = "clauses that are not linear or not about words have no circuit";
            return Verdict::Unknown(Reason::new(ReasonCode::Inapplicable, text));
        }
        Err(interrupt) => return Verdict::unknown(interrupt),
    };
    stats.count("latches", circuit.latches.len() as u64);
    stats.count("gates", circuit.aig.gate_count() as u64);
    match Task::new(&circuit, 0, Runs::All, stats).run(engine, budget, stats) {
        Verdict::Safe(proof) if proof.depth == 1 => match map.interpretation(store, horn, &proof.invariant) {
            Some(found) => Verdict::Safe(found),
            None => Verdict::unknown("the invariant of the circuit depends on its inputs"),
        },
        Verdict::Safe(_) => Verdict::unknown("the proof about the circuit is not an inductive invariant"),
        Verdict::Unsafe(trace) => match map.derivation(store, &circuit, &trace) {
            Some(derivation) => Verdict::Unsafe(derivation),
            None => Verdict::unknown("the run of the circuit is not a derivation"),
        },
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
    }
}
