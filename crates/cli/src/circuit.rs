//! Circuits on the command line: `bolide show` and `bolide sim`.

use crate::arguments::{ShowOptions, SimOptions};
use crate::exit;
use crate::output::write_file;
use crate::source::{self, Refused, kind_of};
use bolide::Kind;
use bolide::circuit::CircuitTask;
use bolide_base::counted;
use bolide_front::aiger;
use bolide_model::circuit::Circuit;
use bolide_model::circuit::pass::reduce;
use std::path::Path;

/// `bolide show`: prints how large a circuit is, and how large each property's part of it is after reduction.
pub fn show(options: &ShowOptions) -> u8 {
    match load(&options.file) {
        Ok(task) => {
            print_sizes("as given", task.circuit());
            for property in 0..task.circuit().bads.len() {
                let (reduced, _) = reduce(&task.circuit().with_property(property));
                print_sizes(&format!("reduced for b{property}"), &reduced);
            }
            if options.aiger.is_some() && !task.circuit().exact.is_empty() {
                eprintln!("{}: error: large arrays cannot be written as AIGER", options.file.display());
                return exit::BAD_INPUT;
            }
            match &options.aiger {
                Some(path) => write_file(path, &aiger::write_circuit(task.circuit())).err().unwrap_or(0),
                None => 0,
            }
        }
        Err(code) => code,
    }
}

fn print_sizes(what: &str, circuit: &Circuit) {
    let sizes = [
        counted(circuit.inputs.len(), "input", "inputs"),
        counted(circuit.latches.len(), "latch", "latches"),
        counted(circuit.aig.gate_count(), "gate", "gates"),
        counted(circuit.bads.len(), "property", "properties"),
        counted(circuit.constraints.len(), "constraint", "constraints"),
    ];
    println!("{what}: {}", sizes.join(", "));
}

/// `bolide sim`: runs a witness and says whether it leads to its bad state.
pub fn sim(options: &SimOptions) -> u8 {
    match simulate(options) {
        Ok(code) | Err(code) => code,
    }
}

fn simulate(options: &SimOptions) -> Result<u8, u8> {
    let task = load(&options.file)?;
    let text = source::bytes(&options.witness).map_err(|Refused(code)| code)?;
    let witness = task.read_witness(&text).map_err(|error| {
        eprintln!("{}:{}:{}: error: {}", options.witness.display(), error.line, error.column, error.flaw);
        exit::BAD_INPUT
    })?;
    if let Some(path) = options.vcd.as_ref().filter(|_| task.circuit().fits(&witness.trace)) {
        write_file(path, &aiger::write_vcd(task.circuit(), &witness.trace, &task.signals()))?;
    }
    Ok(match task.circuit().replay(&witness.trace, witness.property) {
        Ok(()) => {
            println!("b{} is reached in step {}", witness.property, witness.trace.inputs.len() - 1);
            0
        }
        Err(error) => {
            println!("b{} is not reached: {error}", witness.property);
            exit::UNSAFE
        }
    })
}

fn load(file: &Path) -> Result<CircuitTask, u8> {
    match kind_of(file) {
        Some(Kind::Aiger | Kind::Btor2) => {
            let task = source::read_without_programs(file, None).map_err(|Refused(code)| code)?;
            CircuitTask::read(&task.text, task.kind).map_err(|error| source::refuse(&task, &error).0)
        }
        _ => {
            eprintln!("{}: error: expected a circuit: .aig .aag .btor .btor2", file.display());
            Err(exit::BAD_INPUT)
        }
    }
}
