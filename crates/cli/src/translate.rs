//! `bolide translate`: tasks as Horn clauses for other tools.

use crate::arguments::TranslateOptions;
use crate::verify::{Kind, Refused, front_model, load_horn, load_program};
use crate::{exit, limits};
use bolide_base::Budget;
use bolide_front::c;
use bolide_front::chc;
use bolide_model::horn::{Horn, from_program, pass};
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
    let mut store = Store::new();
    match clauses(&mut store, options, &budget) {
        Ok(horn) => {
            print!("{}", chc::write(&mut store, &horn));
            0
        }
        Err(Refused(code)) => code,
    }
}

fn clauses(store: &mut Store, options: &TranslateOptions, budget: &Budget) -> Result<Horn, Refused> {
    let file = &options.file;
    let text = std::fs::read(file).map_err(|error| {
        eprintln!("{}: error: {error}", file.display());
        Refused(exit::BAD_INPUT)
    })?;
    let failed = |reason: String| {
        eprintln!("{}: error: {reason}", file.display());
        Refused(exit::UNKNOWN)
    };
    let horn = match Kind::of(file) {
        Some(Kind::Program) => {
            let front = c::Options { data_model: front_model(options.data_model), ..c::Options::default() };
            let (_, prepared) = load_program(store, file, &text, &front, &options.cpp, budget)?;
            let (program, _) = prepared.map_err(failed)?;
            from_program(store, &program).0
        }
        Some(Kind::Horn) => load_horn(store, file, &text)?.horn,
        _ => {
            eprintln!("{}: error: only .c, .i and .smt2 can be translated", file.display());
            return Err(Refused(exit::BAD_INPUT));
        }
    };
    if !options.prepare {
        return Ok(horn);
    }
    pass::prepare(store, &horn, budget).map(|(h, _)| h).map_err(|interrupt| failed(interrupt.to_string()))
}
