//! `bolide translate`: tasks as Horn clauses, SMT-LIB scripts or transition systems, for other tools.

use crate::arguments::{Target, TranslateOptions};
use crate::verify::{Kind, Refused, front_model, load_horn, load_program};
use crate::{diagnostic, exit, limits};
use bolide_base::Budget;
use bolide_front::c;
use bolide_front::chc;
use bolide_front::machine::{self, Untranslatable};
use bolide_model::horn::{Horn, from_program, pass, to_program};
use bolide_model::{Program, Span};
use bolide_term::Store;

/// Writes the task to standard output.
pub fn run(options: &TranslateOptions) -> u8 {
    let budget = match limits::budget(options.timeout, None) {
        Ok(budget) => budget,
        Err(message) => {
            eprintln!("bolide: {message}");
            return exit::USAGE;
        }
    };
    match translated(options, &budget) {
        Ok(text) => {
            print!("{text}");
            0
        }
        Err(Refused(code)) => code,
    }
}

/// The text of the translation; what stands in its way has been printed otherwise.
fn translated(options: &TranslateOptions, budget: &Budget) -> Result<String, Refused> {
    let file = &options.file;
    let text = std::fs::read(file).map_err(|error| {
        eprintln!("{}: error: {error}", file.display());
        Refused(exit::BAD_INPUT)
    })?;
    let mut store = Store::new();
    match Kind::of(file) {
        Some(Kind::Program) => of_program(&mut store, options, &text, budget),
        Some(Kind::Horn) => of_clauses(&mut store, options, &text, budget),
        _ => {
            eprintln!("{}: error: only .c, .i and .smt2 can be translated", file.display());
            Err(Refused(exit::BAD_INPUT))
        }
    }
}

fn of_program(
    store: &mut Store,
    options: &TranslateOptions,
    text: &[u8],
    budget: &Budget,
) -> Result<String, Refused> {
    let front = c::Options { data_model: front_model(options.data_model), ..c::Options::default() };
    let (task, prepared) = load_program(store, &options.file, text, &front, &options.cpp, budget)?;
    let (program, _) = prepared.map_err(|reason| failed(options, &reason))?;
    if options.to == Target::Chc {
        let horn = from_program(store, &program).0;
        return clauses(store, options, horn, budget);
    }
    machine(store, options, &program).map_err(|error| {
        eprintln!("{}: error: {error}", task.source.position(error.span));
        Refused(exit::BAD_INPUT)
    })
}

fn of_clauses(
    store: &mut Store,
    options: &TranslateOptions,
    text: &[u8],
    budget: &Budget,
) -> Result<String, Refused> {
    let horn = load_horn(store, &options.file, text)?.horn;
    if options.to == Target::Chc {
        return clauses(store, options, horn, budget);
    }
    let (prepared, _) =
        pass::prepare(store, &horn, budget).map_err(|interrupt| failed(options, &interrupt.to_string()))?;
    let written = match to_program(store, &prepared) {
        Some((program, _)) => machine(store, options, &program),
        None => Err(Untranslatable {
            message: "this clause presupposes two predicates: a transition system has no stack".into(),
            span: prepared.clauses.iter().find(|c| c.body.len() > 1).map_or(Span::default(), |c| c.span),
        }),
    };
    written.map_err(|error| {
        diagnostic::print_at(&options.file.display().to_string(), text, error.span, &error.message);
        Refused(exit::BAD_INPUT)
    })
}

/// A program as a transition system.
fn machine(
    store: &mut Store,
    options: &TranslateOptions,
    program: &Program,
) -> Result<String, Untranslatable> {
    match options.to {
        Target::Btor2 => machine::write_btor2(store, program),
        _ => machine::write_vc(store, program, options.bound),
    }
}

/// Horn clauses, as they are or prepared.
fn clauses(
    store: &mut Store,
    options: &TranslateOptions,
    horn: Horn,
    budget: &Budget,
) -> Result<String, Refused> {
    if !options.prepare {
        return Ok(chc::write(store, &horn));
    }
    match pass::prepare(store, &horn, budget) {
        Ok((horn, _)) => Ok(chc::write(store, &horn)),
        Err(interrupt) => Err(failed(options, &interrupt.to_string())),
    }
}

fn failed(options: &TranslateOptions, reason: &str) -> Refused {
    eprintln!("{}: error: {reason}", options.file.display());
    Refused(exit::UNKNOWN)
}
