//! Circuits on the command line: `bolide show` and `bolide sim`.

use crate::arguments::{ShowOptions, SimOptions};
use crate::exit;
use crate::output::write_file;
use crate::verify::Kind;
use bolide_front::aiger::{self, Signal, Witness};
use bolide_front::btor2::{self, Design};
use bolide_model::circuit::{Circuit, Trace, reduce};
use std::path::Path;

/// A circuit in the words of its file.
pub enum Task {
    /// From AIGER.
    Bits(Box<Circuit>),
    /// From BTOR2.
    Words(Box<Design>),
}

impl Task {
    /// Reads a file; the exit code if that is not possible, and the message has been printed.
    pub fn read(file: &Path, text: &[u8], kind: Kind) -> Result<Task, u8> {
        let task = match kind {
            Kind::Btor2 => btor2::read(text).map(|design| Task::Words(Box::new(design))),
            _ => aiger::read(text).map(|circuit| Task::Bits(Box::new(circuit))),
        };
        task.map_err(|error| {
            eprintln!("{}:{}:{}: error: {}", file.display(), error.line, error.column, error.message);
            exit::BAD_INPUT
        })
    }

    /// The circuit.
    pub fn circuit(&self) -> &Circuit {
        match self {
            Task::Bits(circuit) => circuit,
            Task::Words(design) => &design.circuit,
        }
    }

    /// A run as a waveform. It must fit the circuit.
    pub fn waveform(&self, trace: &Trace) -> String {
        aiger::write_vcd(self.circuit(), trace, &self.signals())
    }

    /// Inputs, states, bad bits and constraints with their names.
    pub fn signals(&self) -> Vec<Signal> {
        match self {
            Task::Bits(circuit) => aiger::signals(circuit),
            Task::Words(design) => design.signals(),
        }
    }

    /// Reads a run in the format that goes with the file; AIGER's is understood for all.
    fn read_witness(&self, text: &[u8]) -> Result<Witness, aiger::Error> {
        match self {
            Task::Words(design) if text.trim_ascii_start().starts_with(b"sat") => design.read_witness(text),
            _ => aiger::read_witness(text),
        }
    }

    /// A run into a bad state in the format that goes with the file.
    pub fn witness(&self, property: usize, trace: &Trace) -> String {
        match self {
            Task::Bits(_) => aiger::write_witness(&Witness { property, trace: trace.clone() }),
            Task::Words(design) => design.write_witness(property, trace),
        }
    }
}

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
    println!(
        "{what}: {} inputs, {} latches, {} gates, {} properties, {} constraints",
        circuit.inputs.len(),
        circuit.latches.len(),
        circuit.aig.gate_count(),
        circuit.bads.len(),
        circuit.constraints.len()
    );
}

/// `bolide sim`: runs a witness and says whether it leads to its bad state.
pub fn sim(options: &SimOptions) -> u8 {
    match simulate(options) {
        Ok(code) | Err(code) => code,
    }
}

fn simulate(options: &SimOptions) -> Result<u8, u8> {
    let task = load(&options.file)?;
    let text = read(&options.witness)?;
    let witness = task.read_witness(&text).map_err(|error| {
        eprintln!("{}:{}:{}: error: {}", options.witness.display(), error.line, error.column, error.message);
        exit::BAD_INPUT
    })?;
    if let Some(path) = options.vcd.as_ref().filter(|_| task.circuit().fits(&witness.trace)) {
        write_file(path, &task.waveform(&witness.trace))?;
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

fn load(file: &Path) -> Result<Task, u8> {
    match Kind::of(file) {
        Some(kind @ (Kind::Aiger | Kind::Btor2)) => Task::read(file, &read(file)?, kind),
        _ => {
            eprintln!("{}: error: expected a circuit: .aig .aag .btor .btor2", file.display());
            Err(exit::BAD_INPUT)
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>, u8> {
    std::fs::read(file).map_err(|error| {
        eprintln!("{}: error: {error}", file.display());
        exit::BAD_INPUT
    })
}
