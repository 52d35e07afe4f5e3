//! Texts of all kinds: no byte sequence makes the reader or a session panic.

use crate::generate::{Theory, scripted_queries};
use crate::guard::catch;
use crate::{Random, generate};
use bolide_base::{Budget, Message};
use bolide_smt::Solver;
use bolide_smtlib::{Command, Reader, Scope, print_term};
use bolide_term::{Evaluator, Store};
use std::time::Duration;

/// Words that scripts are made of, to put in at random.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "(",
    ")",
    "assert",
    "check-sat",
    "declare-fun",
    "define-fun",
    "let",
    "forall",
    "exists",
    "!",
    "_",
    "as",
    "const",
    "Array",
    "Int",
    "Real",
    "Bool",
    "BitVec",
    "bv0",
    "#b",
    "#x",
    "#b0101",
    "0",
    "1.5",
    "-1",
    "|",
    "\"",
    ";",
    "push",
    "pop",
    "4294967296",
    "18446744073709551616",
    "ite",
    "=",
    "select",
    "store",
    "extract",
    "concat",
    "get-interpolants",
    "get-value",
    "get-model",
    ":named",
    ":produce-interpolants",
    "true",
    "x00",
    "p0",
    "distinct",
    "\\",
    "\u{0}",
    "\u{e9}",
    "\r\n",
    "(_ BitVec 0)",
    "(_ bv7 3)",
    "(_ extract 0 1)",
    "(_ repeat 100000000)",
    "div",
    "(- 5)",
    "match",
    "declare-datatypes",
    "reset",
    "bvudiv",
    "to_int",
];

/// A text: random bytes, random tokens, or a mutated script.
pub fn text(seed: u64) -> Vec<u8> {
    let mut rng = Random::new(seed);
    match rng.below(8) {
        0 => {
            let n = rng.below(200);
            (0..n).map(|_| (rng.bits() >> 40) as u8).collect()
        }
        1 => {
            let n = rng.below(60);
            let words: Vec<&str> = (0..n).filter_map(|_| rng.choose(TOKENS).copied()).collect();
            words.join(" ").into_bytes()
        }
        _ => mutated(&mut rng),
    }
}

fn mutated(rng: &mut Random) -> Vec<u8> {
    let theory: Theory = rng.choose(generate::THEORIES).copied().unwrap_or_default();
    let script = scripted_queries(theory, rng.bits());
    let mut text = script.text("").into_bytes();
    for _ in 0..rng.below(6) {
        mutate(rng, &mut text, TOKENS);
    }
    text
}

/// Changes a text at one place: a piece is lost, doubled or replaced, or one of some words comes in.
pub fn mutate(rng: &mut Random, text: &mut Vec<u8>, words: &[&str]) {
    let at = rng.below(text.len() + 1);
    let to = (at + rng.below(20)).min(text.len());
    match rng.below(6) {
        0 => {
            text.drain(at..to);
        }
        1 => {
            let piece = text[at..to].to_vec();
            let place = rng.below(text.len() + 1);
            text.splice(place..place, piece);
        }
        2 if at < text.len() => text[at] = (rng.bits() >> 40) as u8,
        3 => text.truncate(at),
        _ => {
            let token = rng.choose(words).copied().unwrap_or("(");
            let token = format!(" {token} ");
            text.splice(at..at, token.into_bytes());
        }
    }
}

/// What reading a text and doing what it says came to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Reading {
    /// It was read to the end.
    Accepted,
    /// There was an error in it.
    Refused,
}

/// Reads a text and carries out its commands; `Err` is a panic.
pub fn read(text: &[u8], limit: Duration) -> Result<Reading, Message> {
    catch(|| run(text, limit))
}

fn run(text: &[u8], limit: Duration) -> Reading {
    let mut store = Store::new();
    let mut scope = Scope::new();
    let mut reader = Reader::new(text);
    let mut solver = Solver::default();
    let budget = Budget::unlimited().with_time(limit);
    while let Some(command) = reader.next_command(&mut store, &mut scope) {
        let Ok(located) = command else { return Reading::Refused };
        match located.command {
            Command::Assert { term, .. } => {
                let _ = print_term(&store, term).to_string();
                solver.assert(term);
            }
            Command::Push(n) => (0..n).for_each(|_| solver.push()),
            Command::Pop(n) => solver.pop(n),
            Command::CheckSat => {
                solver.check(&mut store, &budget);
            }
            Command::CheckSatAssuming(assumptions) => {
                let terms: Vec<_> = assumptions.iter().map(|a| a.term).collect();
                solver.check_assuming(&mut store, &terms, &budget);
            }
            Command::GetValue(terms) => {
                if let Some(model) = solver.model() {
                    let mut evaluator = Evaluator::new(&store, model);
                    terms.iter().for_each(|t| {
                        let _ = evaluator.eval(t.term);
                    });
                }
            }
            Command::Exit => break,
            _ => {}
        }
    }
    Reading::Accepted
}
