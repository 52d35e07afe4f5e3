//! Traces, and simulation of circuits with 64 runs at a time.

use super::{Aig, Bit, Circuit};
use std::fmt;

/// A run: the first state and the inputs of every step.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Trace {
    /// The value of every latch in the first step.
    pub initial: Vec<bool>,
    /// The value of every input, step by step. Not empty.
    pub inputs: Vec<Vec<bool>>,
}

/// Why a trace is not a run of the circuit into a bad state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplayError {
    /// The trace has values for another number of latches or inputs, or no step.
    Shape,
    /// The latch cannot start with the given value.
    Reset(usize),
    /// The constraint does not hold in this step.
    Constraint {
        /// Number of the constraint.
        constraint: usize,
        /// Number of the step.
        step: usize,
    },
    /// The circuit is an over-approximation, and this step need not be one of what it stands for.
    Inexact(usize),
    /// The last step is not bad.
    NotBad,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Shape => write!(f, "the trace does not fit the circuit"),
            ReplayError::Reset(latch) => write!(f, "latch {latch} cannot start with the value of the trace"),
            ReplayError::Constraint { constraint, step } => {
                write!(f, "constraint {constraint} does not hold in step {step}")
            }
            ReplayError::Inexact(step) => {
                write!(f, "step {step} depends on elements of an array that are not tracked")
            }
            ReplayError::NotBad => write!(f, "the trace does not end in a bad state"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// The values of all nodes in 64 runs at once.
#[derive(Clone, Debug)]
pub struct Lanes {
    values: Vec<u64>,
}

impl Lanes {
    /// All values false.
    pub fn new(aig: &Aig) -> Lanes {
        Lanes { values: vec![0; aig.len()] }
    }

    /// The value of a bit in all runs.
    #[inline]
    pub fn get(&self, bit: Bit) -> u64 {
        let value = self.values[bit.index()];
        if bit.is_negated() { !value } else { value }
    }

    /// Sets the value of a leaf.
    pub fn set(&mut self, leaf: super::Node, value: u64) {
        self.values[leaf.index()] = value;
    }

    /// Computes all gates from the leaves.
    pub fn settle(&mut self, aig: &Aig) {
        for node in aig.nodes() {
            if let Some([a, b]) = aig.gate(node) {
                self.values[node.index()] = self.get(a) & self.get(b);
            }
        }
    }

    /// Moves every latch to its next value. The gates must have been settled; they are stale after this.
    pub fn clock(&mut self, circuit: &Circuit) {
        let next: Vec<u64> = circuit.latches.iter().map(|latch| self.get(latch.next)).collect();
        for (latch, value) in circuit.latches.iter().zip(next) {
            self.set(latch.node, value);
        }
    }
}

impl Circuit {
    /// Has the trace a value for every latch and, in every step, for every input?
    pub fn fits(&self, trace: &Trace) -> bool {
        trace.initial.len() == self.latches.len()
            && trace.inputs.iter().all(|step| step.len() == self.inputs.len())
    }

    /// Runs the trace, and says whether it is a run that ends in a bad step of the property.
    pub fn replay(&self, trace: &Trace, property: usize) -> Result<(), ReplayError> {
        let is_run = self.fits(trace) && !trace.inputs.is_empty();
        let Some(&bad) = self.bads.get(property).filter(|_| is_run) else {
            return Err(ReplayError::Shape);
        };
        let mut lanes = Lanes::new(&self.aig);
        for (number, (latch, &value)) in self.latches.iter().zip(&trace.initial).enumerate() {
            if latch.reset.is_some_and(|reset| reset != value) {
                return Err(ReplayError::Reset(number));
            }
            lanes.set(latch.node, value as u64);
        }
        for (step, inputs) in trace.inputs.iter().enumerate() {
            if step > 0 {
                lanes.clock(self);
            }
            for (&input, &value) in self.inputs.iter().zip(inputs) {
                lanes.set(input, value as u64);
            }
            lanes.settle(&self.aig);
            if let Some(constraint) = self.constraints.iter().position(|&bit| lanes.get(bit) & 1 == 0) {
                return Err(ReplayError::Constraint { constraint, step });
            }
            if self.exact.iter().any(|&bit| lanes.get(bit) & 1 == 0) {
                return Err(ReplayError::Inexact(step));
            }
        }
        if lanes.get(bad) & 1 == 1 { Ok(()) } else { Err(ReplayError::NotBad) }
    }
}
