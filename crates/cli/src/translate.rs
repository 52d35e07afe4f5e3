//! `bolide translate`: tasks as Horn clauses, SMT-LIB scripts or transition systems, for other tools.

use crate::arguments::{Target, TranslateOptions};
use crate::options::data_model;
use crate::source::{self, Refused, kind_of};
use crate::{diagnostic, exit, limits};
use bolide::{Budget, Error, Kind, Task};
use bolide_cert::program::INLINE_LIMIT;
use bolide_front::c;
use bolide_front::chc;
use bolide_model::export::{self, Untranslatable};
use bolide_model::horn::{Horn, from_program, pass, to_program};
use bolide_model::{Program, Span, program::pass as program_pass};
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
    if !matches!(kind_of(file), Some(Kind::Program | Kind::Horn)) {
        return Err(Refused::input(file.display(), "only .c, .i and .smt2 can be translated"));
    }
    let task = source::read(file, &options.cpp, options.data_model)?;
    let mut store = Store::new();
    match task.kind {
        Kind::Program => of_program(&mut store, options, &task, budget),
        _ => of_clauses(&mut store, options, &task, budget),
    }
}

fn of_program(
    store: &mut Store,
    options: &TranslateOptions,
    given: &Task,
    budget: &Budget,
) -> Result<String, Refused> {
    let front = c::Options { data_model: data_model(options.data_model), ..c::Options::default() };
    let task = c::load(store, &given.name, given.source(), &front)
        .map_err(|error| source::refuse(given, &Error::C(error)))?;
    // Other tools would take it for an error.
    if let Some((_, diagnostic)) = task.unsupported.first() {
        let rejection = c::Rejection { diagnostics: vec![diagnostic.clone()] };
        return Err(source::refuse(given, &Error::C(rejection)));
    }
    let (program, _) = program_pass::prepare(store, &task.program, INLINE_LIMIT, budget)
        .map_err(|reason| failed(options, &reason.to_string()))?;
    if options.to == Target::Chc {
        let horn = from_program(store, &program).0;
        return clauses(store, options, horn, budget);
    }
    machine(store, options, &program)
        .map_err(|error| Refused::input(task.source.position(error.span), &error))
}

fn of_clauses(
    store: &mut Store,
    options: &TranslateOptions,
    given: &Task,
    budget: &Budget,
) -> Result<String, Refused> {
    let problem = chc::read(&given.text, store)
        .map_err(|error| source::refuse(given, &Error::SmtLib(Box::new(error))))?;
    let horn = problem.horn;
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
        diagnostic::print_at(&given.name, &given.text, error.span, &error.message);
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
        Target::Btor2 => export::write_btor2(store, program),
        _ => export::write_vc(store, program, options.bound),
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
