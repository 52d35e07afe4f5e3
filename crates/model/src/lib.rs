//! The three shapes of a verification task, each with its evidence, the passes that prepare it, and the ways back.
//!
//! | shape | `safe` is shown by | `unsafe` is shown by |
//! |---|---|---|
//! | [`Program`]: procedures as graphs of steps and calls | an invariant | a [`Trace`] |
//! | [`Horn`](horn::Horn): constrained Horn clauses | an [`Interpretation`](horn::Interpretation) | a [`Derivation`](horn::Derivation) |
//! | [`Circuit`](circuit::Circuit): latches and an and-inverter graph | a [`Formula`](circuit::Formula) | a [`Trace`](circuit::Trace) |
//!
//! Each is a module of the same form: `pass` has what leads forward, `back` what takes traces and invariants of the result back to the
//! task that was given. [`accelerate`] makes one transition of many rounds of a loop, and a [`Repetition`](repetition::Repetition) stands for rounds
//! that evidence leaves out. [`export`] writes programs for other tools. The parts of programs are re-exported here.

pub mod accelerate;
pub mod circuit;
pub mod export;
pub mod horn;
mod isolate;
pub mod program;
pub mod repetition;

pub use program::{
    Action, Approximation, Assumption, Bias, Call, Defect, Determined, Dot, Edge, EdgeId, Input, InputId,
    Listing, LocId, Location, Outcome, ProcId, Procedure, Program, Property, PropertyId, Runner, Span, Step,
    StepFormula, Trace, TraceStep, Unrolling, VarId, VarKind, Variable, determined,
};
