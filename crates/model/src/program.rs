//! Programs: their graphs, their executions, and the passes that prepare them.
//!
//! A [`Program`] is a set of procedures, each a graph of locations joined by edges. An edge carries either a [`Step`]
//! (a guard and a parallel assignment over terms, so its transition formula is read off directly) or a call. Every
//! pass in [`pass`] returns the new program together with a [`BackMap`](back::BackMap) that brings traces and
//! locations back to the program it started from.
//!
//! **What a program promises**, and [`Program::check`] verifies: edges stay inside their procedure; the terms of an
//! edge speak only of its procedure's variables, of globals and of the edge's own inputs; a procedure assigns each of
//! its locals (parameters excepted) before it reads it. The last point is what lets the inliner share the locals
//! between all copies of a procedure.

pub mod back;
pub mod boxes;
mod check;
mod components;
mod determined;
mod display;
mod graph;
pub(crate) mod live;
pub mod pass;
mod run;
mod step;
mod trace;
mod unassigned;
mod unroll;
pub mod unwind;

pub use check::Defect;
pub use components::components;
pub use determined::{Determined, determined};
pub use display::{Dot, Listing};
pub use graph::{
    Action, Approximation, Assumption, Bias, Call, Edge, EdgeId, Input, InputId, LocId, Location, ProcId,
    Procedure, Program, Property, PropertyId, Span, VarId, VarKind, Variable,
};
pub use run::{Outcome, Runner};
pub use step::Step;
pub use trace::{Trace, TraceStep};
pub use unroll::{StepFormula, Unrolling};
