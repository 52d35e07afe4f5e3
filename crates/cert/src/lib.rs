//! Certificates: the evidence for a verdict in one file, and the checker that accepts or rejects it.
//!
//! A certificate names its task by a hash, states the verdict and carries the evidence. What is claimed about the task (the
//! [`Claim`]) comes from whoever checks it; a certificate about anything else is rejected. For `unsafe` that is a run,
//! which is executed. For `safe` it is an invariant; from the task and the invariant the checker makes *obligations*,
//! sets of formulas that must not hold together, and the certificate has a refutation of each, which is checked step
//! by step. No solver takes part: this crate depends on the front ends, the models and the proof checker only.
//!
//! | module | what it holds |
//! |---|---|
//! | [`mod@format`] | the file: header and sections |
//! | `claim` | the task and what is claimed about it, as the checker's user states it |
//! | [`program`] | C programs |
//! | `regions` | obligations of formulas at loop heads |
//! | `procedures` | formulas of the procedures of a C program as text |
//! | [`horn`] | Horn clauses |
//! | [`circuit`] | circuits |
//! | `claimed` | the task, read as the claim says |
//! | `export` | refutations in DIMACS, LRAT and SMT-LIB |
//! | `check` | from file and task to acceptance |
//! | `flaw` | why evidence is not taken |
//!
//! What is trusted besides this crate: the front ends, the arithmetic of numbers and terms, the proof checker, and of C
//! programs the inlining of calls. If the invariant of a C program is about its prepared form, then also the passes that
//! prepare it (slicing, large blocks, …) and, if it is recursive, its clauses. If recursion is bounded, that it is.

mod check;
pub mod circuit;
mod claim;
mod claimed;
mod export;
mod flaw;
pub mod format;
pub mod horn;
mod obligations;
mod position;
mod procedures;
pub mod program;
mod ranges;
mod regions;

pub use check::{Rejection, check, check_and_export};
pub use claim::{Claim, Text};
pub use export::ExportedProof;
pub use flaw::Flaw;
pub use format::{Certificate, Kind, Section, Verdict};
pub use obligations::{Obligation, Obligations, obligations};
