//! `bolide show`: tasks as the engines see them.

use crate::arguments::ShowOptions;
use crate::options::data_model;
use crate::source::{self, Refused, kind_of};
use crate::{circuit, exit};
use bolide::{Budget, Error, Kind};
use bolide_cert::program::INLINE_LIMIT;
use bolide_front::c;
use bolide_model::program::pass;
use bolide_model::{Dot, Listing, Program, VarKind};
use bolide_term::Store;

/// Prints a task; the exit code.
pub fn run(options: &ShowOptions) -> u8 {
    match kind_of(&options.file) {
        Some(Kind::Program) => match show_program(options) {
            Ok(()) => 0,
            Err(Refused(code)) => code,
        },
        _ => circuit::show(options),
    }
}

fn show_program(options: &ShowOptions) -> Result<(), Refused> {
    let file = &options.file;
    let given = source::read(file, &options.cpp, options.data_model)?;
    let mut store = Store::new();
    let front = c::Options { data_model: data_model(options.data_model), ..c::Options::default() };
    let task = c::load(&mut store, &given.name, given.source(), &front)
        .map_err(|error| source::refuse(&given, &Error::C(error)))?;
    let program = if options.prepared {
        let prepared = pass::prepare(&mut store, &task.program, INLINE_LIMIT, &Budget::unlimited());
        prepared.map(|(program, _)| program).map_err(|reason| {
            eprintln!("{}: error: {reason}", file.display());
            Refused(exit::UNKNOWN)
        })?
    } else {
        task.program
    };
    if options.dot {
        print!("{}", Dot(&store, &program));
    } else {
        print!("{}", Listing(&store, &program));
        println!("{}", sizes(&store, &program));
        for assumption in &program.assumptions {
            println!("note: {}", assumption.text);
        }
    }
    Ok(())
}

/// How many of what a program has.
fn sizes(store: &Store, program: &Program) -> String {
    let (locations, edges) = program.size();
    let procedures = program.procs.iter().filter(|p| !p.edges.is_empty()).count();
    let globals = program.vars.iter().filter(|v| v.kind == VarKind::Global).count();
    let arrays = program.vars.iter().filter(|v| store.array_sorts(v.sort).is_some()).count();
    format!(
        "{procedures} procedures, {locations} locations, {edges} edges, {} variables ({globals} global, {arrays} arrays), \
         {} inputs, {} properties",
        program.vars.len(),
        program.inputs.len(),
        program.properties.len()
    )
}
