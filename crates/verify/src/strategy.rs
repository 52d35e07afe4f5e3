//! Which engines `auto` runs on which input, in which order, and with which share of the effort.
//!
//! Effort is counted in work (see [`bolide_base::spend`]), never in seconds: see [`bolide_engine::portfolio`]. A second holds two to five
//! million units on programs and clauses and five to fifteen million on circuits, for all engines alike, so shares are roughly parts of the
//! time. An engine that alone decides a task has at least a quarter of the effort if it is the best one for many tasks; the others have
//! less, and decide within a larger multiple of the time that they would need alone. `tools/schedule-table` measures it.

use bolide_engine::horn::{Locations, Settings};
use bolide_engine::{Engine, Input, Reason, ReasonCode};

/// A row of a table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The engine.
    pub engine: Engine,
    /// Its share of the steps, in proportion to the others.
    pub share: u32,
    /// Why it is there.
    pub why: &'static str,
}

const fn row(engine: Engine, share: u32, why: &'static str) -> Row {
    Row { engine, share, why }
}

/// C programs, after they have been tested.
pub const PROGRAM: &[Row] = &[
    row(Engine::Impact, 4, "proves and refutes most programs"),
    row(Engine::Bmc, 1, "finds errors that unwinding meets late"),
    row(Engine::Pdr, 5, "proves what needs facts that no single path shows, and recursion by summaries"),
];

/// C programs that compute with bits, on words: engines for circuits.
const PROGRAM_ON_WORDS: &[(Engine, Facts, u32)] =
    &[(Engine::Pdr, Facts::None, 24), (Engine::Pdr, Facts::Affine, 16), (Engine::Imc, Facts::None, 8)];

/// What is known of a program on words before an engine starts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Facts {
    /// Nothing.
    None,
    /// Affine equations between bits.
    Affine,
}

/// Horn clauses.
pub const HORN: &[Row] = &[
    row(Engine::Pdr, 12, "decides almost all problems that any engine decides"),
    row(Engine::Bmc, 2, "derivations that are too long for pdr"),
    row(Engine::Annotate, 3, "proves some more"),
    row(Engine::Tpa, 2, "very long derivations"),
    row(Engine::Impact, 5, "clauses of programs with many branches, where facts of single paths do"),
    row(Engine::Imc, 1, "transition systems whose invariants are interpolants"),
    row(Engine::Relax, 2, "invariants over predicates that single paths show, where pdr counts"),
];

/// What Horn clauses are turned into before an engine starts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The clauses as they were prepared.
    Plain,
    /// A predicate for each value of a program counter, if there is one.
    Locations,
    /// The same, the values after a step are defined where the clauses merely constrain them, and numbers that are only compared are
    /// values of a datatype.
    LocationsValues,
    /// A predicate for each value of a program counter, or nothing; the values after a step are defined.
    OnlyLocations,
    /// Words are read as integers.
    Integers,
    /// Words are read as integers, and there is a predicate for each value of a program counter, if there is one.
    IntegersLocations,
    /// The same, and the values after a step are defined where the clauses merely constrain them.
    IntegersDefined,
    /// The same with integers that do not wrap around, and what is found is confirmed on the words.
    WithoutWraps,
    /// A circuit, with a latch for each value of a program counter and values that are defined.
    Bits,
    /// Datatypes are read as the values of folds.
    Folds,
    /// The clauses as they were prepared, with clauses for many rounds of loops at once; words are read as integers.
    Accelerated,
}

impl Form {
    /// How the engines work on it.
    pub(crate) fn settings(self, given: &Settings) -> Settings {
        let mut settings = given.clone();
        settings.preparation.integers = matches!(
            self,
            Form::Integers | Form::IntegersLocations | Form::IntegersDefined | Form::Accelerated
        );
        settings.preparation.define = matches!(
            self,
            Form::LocationsValues
                | Form::OnlyLocations
                | Form::IntegersDefined
                | Form::WithoutWraps
                | Form::Bits
        );
        settings.preparation.without_wraps = self == Form::WithoutWraps;
        settings.locations = match self {
            Form::Locations | Form::LocationsValues | Form::IntegersLocations => Locations::Split,
            Form::IntegersDefined | Form::WithoutWraps | Form::Bits => Locations::Split,
            Form::OnlyLocations => Locations::MustSplit,
            _ => Locations::Inside,
        };
        settings.bits = self == Form::Bits;
        settings.values = self == Form::LocationsValues;
        settings.folds = self == Form::Folds;
        settings.accelerate = self == Form::Accelerated;
        settings
    }
}

/// Horn clauses with words.
const WORDS: &[(Engine, Form, u32)] = &[
    (Engine::Pdr, Form::WithoutWraps, 8),
    (Engine::Pdr, Form::IntegersDefined, 8),
    (Engine::Pdr, Form::Bits, 8),
    (Engine::Pdr, Form::Plain, 1),
    (Engine::Bmc, Form::Plain, 2),
    (Engine::Bmc, Form::Bits, 1),
    (Engine::Annotate, Form::Integers, 1),
    (Engine::Tpa, Form::Integers, 1),
    (Engine::Impact, Form::IntegersLocations, 3),
    (Engine::Bmc, Form::Accelerated, 2),
];

/// Transition systems over words in one predicate with a program counter.
const WORDS_COUNTER: &[(Engine, Form, u32)] = &[
    (Engine::Pdr, Form::IntegersDefined, 12),
    (Engine::Pdr, Form::Bits, 8),
    (Engine::Pdr, Form::WithoutWraps, 3),
    (Engine::Bmc, Form::Plain, 2),
    (Engine::Bmc, Form::Bits, 1),
    (Engine::Impact, Form::IntegersLocations, 3),
    (Engine::Tpa, Form::Integers, 1),
    (Engine::Bmc, Form::Accelerated, 1),
];

/// Transition systems in one predicate with a program counter.
const COUNTER: &[(Engine, Form, u32)] = &[
    (Engine::Impact, Form::LocationsValues, 20),
    (Engine::Pdr, Form::OnlyLocations, 10),
    (Engine::Pdr, Form::Plain, 4),
    (Engine::Bmc, Form::Plain, 2),
    (Engine::Annotate, Form::Plain, 1),
    (Engine::Tpa, Form::Plain, 1),
    (Engine::Imc, Form::Plain, 1),
    (Engine::Relax, Form::Locations, 1),
    (Engine::Bmc, Form::Accelerated, 1),
];

/// Clauses with datatypes.
const DATATYPES: &[(Engine, Form, u32)] = &[
    (Engine::Pdr, Form::Folds, 12),
    (Engine::Pdr, Form::Plain, 5),
    (Engine::Bmc, Form::Plain, 3),
    (Engine::Bmc, Form::Folds, 1),
    (Engine::Annotate, Form::Plain, 1),
    (Engine::Annotate, Form::Folds, 1),
    (Engine::Impact, Form::Plain, 1),
];

/// What clauses look like.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Shape {
    pub has_datatypes: bool,
    pub has_words: bool,
    pub has_program_counter: bool,
}

/// The engines that take part on Horn clauses, with forms and shares: one engine if the user has chosen it.
pub(crate) fn for_clauses(chosen: Option<Engine>, shape: Shape) -> Vec<(Engine, Form, u32)> {
    match (chosen, shape.has_words) {
        (Some(Engine::Impact), false) => {
            vec![(Engine::Impact, Form::LocationsValues, 4), (Engine::Impact, Form::Accelerated, 1)]
        }
        (Some(engine), false) if shape.has_datatypes => {
            vec![(engine, Form::Plain, 4), (engine, Form::Folds, 4)]
        }
        (Some(engine), false) if is_accelerated(engine) => {
            vec![(engine, Form::Plain, 4), (engine, Form::Accelerated, 1)]
        }
        (Some(engine), false) => vec![(engine, Form::Plain, 4)],
        (Some(engine), true) if is_accelerated(engine) => {
            vec![(engine, Form::Integers, 4), (engine, Form::Plain, 4), (engine, Form::Accelerated, 1)]
        }
        (Some(engine), true) => vec![(engine, Form::Integers, 4), (engine, Form::Plain, 4)],
        (None, true) if shape.has_program_counter => WORDS_COUNTER.to_vec(),
        (None, true) => WORDS.to_vec(),
        (None, false) if shape.has_datatypes => DATATYPES.to_vec(),
        (None, false) if shape.has_program_counter => COUNTER.to_vec(),
        (None, false) => {
            let plain = table(Input::Horn).iter().map(|r| (r.engine, Form::Plain, r.share));
            plain.chain([(Engine::Bmc, Form::Accelerated, 2)]).collect()
        }
    }
}

/// Does an engine that works alone get the clauses with many rounds of loops at once, too?
pub(crate) fn is_accelerated(engine: Engine) -> bool {
    matches!(engine, Engine::Bmc | Engine::Tpa | Engine::Pdr | Engine::Impact)
}

/// Circuits.
pub const CIRCUIT: &[Row] = &[
    row(Engine::Pdr, 4, "the best prover"),
    row(Engine::Kind, 4, "its base case is bounded model checking; proves what is k-inductive for small k"),
    row(Engine::Imc, 1, "proves what needs few but large interpolants"),
    row(Engine::Approx, 1, "approximations from both ends, where one alone is too coarse"),
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
pub(crate) fn engines(input: Input, chosen: Option<Engine>) -> Vec<(Engine, u32)> {
    match chosen {
        Some(engine) => vec![(engine, 4)],
        None => table(input).iter().map(|r| (r.engine, r.share)).collect(),
    }
}

/// The engines that look at a C program bit by bit, with their shares.
pub(crate) fn on_words(chosen: Option<Engine>) -> Vec<(Engine, Facts, u32)> {
    match chosen {
        Some(engine @ Engine::Pdr) => vec![(engine, Facts::None, 16), (engine, Facts::Affine, 16)],
        Some(engine @ (Engine::Imc | Engine::Kind)) => vec![(engine, Facts::None, 16)],
        Some(_) => Vec::new(),
        None => PROGRAM_ON_WORDS.to_vec(),
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
            assert!(rows.iter().any(|r| r.engine.proves()));
        }
    }
}
