//! `bolide show`: tasks as the engines see them.

use crate::arguments::ShowOptions;
use crate::verify::{Kind, Refused, front_model, load_program, read_program};
use crate::{circuit, exit};
use bolide_base::Budget;
use bolide_front::c;
use bolide_model::{Dot, Listing, Program, VarKind};
use bolide_term::Store;

/// Prints a task; the exit code.
pub fn run(options: &ShowOptions) -> u8 {
    match Kind::of(&options.file) {
        Some(Kind::Program) => match show_program(options) {
            Ok(()) => 0,
            Err(Refused(code)) => code,
        },
        _ => circuit::show(options),
    }
}

fn show_program(options: &ShowOptions) -> Result<(), Refused> {
    let file = &options.file;
    let text = std::fs::read(file).map_err(|error| {
        eprintln!("{}: error: {error}", file.display());
        Refused(exit::BAD_INPUT)
    })?;
    let mut store = Store::new();
    let front = c::Options { data_model: front_model(options.data_model), ..c::Options::default() };
    let budget = Budget::unlimited();
    let program = if options.prepared {
        let (_, prepared) = load_program(&mut store, file, &text, &front, &options.cpp, &budget)?;
        prepared.map(|(program, _)| program).map_err(|reason| {
            eprintln!("{}: error: {reason}", file.display());
            Refused(exit::UNKNOWN)
        })?
    } else {
        read_program(&mut store, file, &text, &front, &options.cpp)?.program
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
