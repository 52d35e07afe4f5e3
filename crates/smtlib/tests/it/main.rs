//! Tests of reading and printing through the public interface.

mod commands;
mod datatypes;
mod deep;
mod errors;
mod floats;
mod fuzz;
mod meaning;
mod print;
mod read;
mod round_trip;

use bolide_smtlib::{Command, Error, Reader, Scope};
use bolide_term::{Store, Term};
pub(crate) use bolide_testkit::Random;

/// Declarations that most tests start from.
pub(crate) const PRELUDE: &str = "
(declare-sort U 0)
(declare-const x Int) (declare-const y Int) (declare-const z Int)
(declare-const r Real) (declare-const s Real)
(declare-const p Bool) (declare-const q Bool) (declare-const b Bool)
(declare-const a (Array Int Int)) (declare-const m (Array Int (Array Int Bool)))
(declare-const u (_ BitVec 8)) (declare-const v (_ BitVec 8)) (declare-const w (_ BitVec 3))
(declare-const c U) (declare-const d U)
(declare-fun f (Int) Int) (declare-fun g (Real U) U) (declare-fun h (Bool Int) Bool)
";

/// A store and a scope after the prelude.
pub(crate) fn prelude() -> (Store, Scope) {
    let (mut store, mut scope) = (Store::new(), Scope::new());
    for command in commands(PRELUDE, &mut store, &mut scope) {
        command.unwrap();
    }
    (store, scope)
}

/// All commands and errors of a text.
pub(crate) fn commands(text: &str, store: &mut Store, scope: &mut Scope) -> Vec<Result<Command, Error>> {
    let mut reader = Reader::new(text);
    std::iter::from_fn(|| reader.next_command(store, scope)).map(|r| r.map(|c| c.command)).collect()
}

/// The assertions of a text without errors.
pub(crate) fn assertions(text: &str, store: &mut Store) -> Vec<Term> {
    commands(text, store, &mut Scope::new())
        .into_iter()
        .filter_map(|command| match command.unwrap() {
            Command::Assert { term, .. } => Some(term),
            _ => None,
        })
        .collect()
}
