//! Decides a circuit with one engine and prints the invariant as a circuit, or the length of the run into the bad state.

use bolide_base::{Budget, Stats};
use bolide_engine::circuit::verify;
use bolide_engine::{Engine, Verdict};
use bolide_front::aiger;

/// Two latches that toggle in opposition; the bad state is that both are on.
const TEXT: &str = "aag 3 0 2 0 1 1\n2 3 0\n4 5 1\n6\n6 2 4\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let circuit = aiger::read(TEXT.as_bytes()).map_err(|e| e.to_string())?;
    let mut statistics = Stats::new();
    match verify(&circuit, 0, Engine::Pdr, &Budget::unlimited(), &mut statistics) {
        Verdict::Safe(proof) => print!("{}", aiger::write_invariant(&proof.invariant)),
        Verdict::Unsafe(trace) => println!("a bad state after {} steps", trace.inputs.len()),
        Verdict::Unknown(reason) => println!("unknown: {reason}"),
    }
    Ok(())
}
