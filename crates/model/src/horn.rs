//! Systems of constrained Horn clauses, their evidence, and the passes that prepare them.
//!
//! A [`Horn`] system asks for an [`Interpretation`] of its predicates that makes all clauses true. There is none if
//! and only if a [`Derivation`] leads from facts to a query. Every pass in [`pass`] returns the new system together
//! with a [`BackMap`](back::BackMap) that brings both kinds of evidence back to the system it started from.

pub mod back;
mod circuit;
mod evidence;
mod folds;
mod linear;
pub mod pass;
mod program;
mod repetitions;
mod summaries;
mod system;

pub use crate::isolate::isolate;
pub use circuit::{CircuitMap, to_circuit};
pub use evidence::{Derivation, DerivationStep, Interpretation, ReplayError};
pub use folds::{Fold, Folds, Proviso, TypeFact};
pub use linear::{LinearMap, to_program};
pub use program::{ProgramMap, from_called, from_program};
pub use summaries::{Contract, Solution};
pub use system::{Atom, Clause, Counterpart, Horn, PredId, Predicate};
