//! Proof steps and the small checker that accepts or rejects them without a solver.
//!
//! A refutation is a sequence of clauses over *literals that are terms*: there are no auxiliary variables.
//! A gate of the clause form is named by the Boolean term that it computes, a choice `(ite c a b)`, a quotient
//! or a bit of a word by the term itself. Each clause is an assertion, an axiom of a theory, a theory lemma
//! with its certificate (Farkas coefficients, a chain of equalities, …), or follows from earlier clauses by a
//! chain of resolutions. [`check()`] replays them one by one. Proofs that are split along the parts of a sequence have
//! their own steps, which [`check_split()`] replays.

mod axiom;
mod check;
mod clause;
mod datatypes;
pub mod ideal;
mod lemma;
pub mod linear;
mod product;
mod refutation;
pub mod residue;
mod split;
pub mod text;

pub use axiom::{Axiom, AxiomSchemes, equality_literal};
pub use check::{CheckError, Flaw, check, check_within};
pub use clause::Literal;
pub use datatypes::{reconstruction, tester_literal};
pub use lemma::{EqualityPremise, Lemma};
pub use refutation::{Refutation, Rule, Step, StepId};
pub use split::{SplitProof, SplitRule, SplitStep, check_split};
