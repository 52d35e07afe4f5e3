//! Which engines `auto` runs on which input, in which order, and with which share of the effort.
//!
//! Effort is counted in steps of [`Budget`](bolide_base::Budget), never in seconds: see [`bolide_engine::portfolio`]. A step of one
//! engine costs more than that of another, so shares are not parts of the time; the notes say what was measured. An engine with a
//! *head start* has that much more of its first turn.

use bolide_engine::{Engine, Input, Reason, ReasonCode};

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The engine.
    pub engine: Engine,
    /// Its share of the steps, in proportion to the others.
    pub share: u32,
    /// The row counts only if so many engines may go on at a time.
    pub jobs: usize,
    /// Why it is there.
    pub why: &'static str,
}

const fn row(engine: Engine, share: u32, jobs: usize, why: &'static str) -> Row {
    Row { engine, share, jobs, why }
}

/// C programs, after they have been tested.
pub const PROGRAM: &[Row] = &[
    row(Engine::Impact, 4, 1, "proves and refutes most programs"),
    row(Engine::Bmc, 1, 1, "finds errors that unwinding meets late"),
    row(Engine::Pdr, 4, 1, "proves what needs facts that no single path shows, and recursion by summaries"),
];

/// Horn clauses.
pub const HORN: &[Row] = &[
    row(Engine::Pdr, 8, 1, "decides almost all problems that any engine decides"),
    row(Engine::Bmc, 2, 1, "derivations that are too long for pdr"),
    row(Engine::Annotate, 3, 1, "proves some more"),
    row(Engine::Tpa, 2, 1, "very long derivations"),
    row(Engine::Imc, 1, 1, "transition systems whose invariants are interpolants"),
];

/// Circuits.
pub const CIRCUIT: &[Row] = &[
    row(Engine::Pdr, 4, 1, "the best prover"),
    row(
        Engine::Kind,
        4,
        1,
        "its base case is bounded model checking; proves what is k-inductive for small k",
    ),
    row(Engine::Imc, 2, 2, "differs from both"),
    row(Engine::Approx, 2, 3, "approximations from both ends"),
];

/// The table for an input.
pub fn table(input: Input) -> &'static [Row] {
    match input {
        Input::Program => PROGRAM,
        Input::Horn => HORN,
        Input::Circuit => CIRCUIT,
    }
}

/// The engines that take part, with their shares: one if the user has chosen it.
pub(crate) fn engines(input: Input, chosen: Option<Engine>, jobs: usize) -> Vec<(Engine, u32)> {
    match chosen {
        Some(engine) => vec![(engine, 4)],
        None => table(input).iter().filter(|r| r.jobs <= jobs).map(|r| (r.engine, r.share)).collect(),
    }
}

/// The reason if no engine came to its end.
pub(crate) fn nothing_ran() -> Reason {
    Reason::new(ReasonCode::Internal, "no engine could be run")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_works_on_its_input() {
        for input in Input::ALL {
            let rows = table(input);
            assert!(rows.iter().all(|r| r.engine.works_on(input) && r.share > 0));
            assert!(rows.iter().any(|r| r.jobs == 1 && r.engine.proves()));
        }
    }
}
