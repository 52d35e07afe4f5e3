//! What Bolide says about a task, for people and for other programs.
//!
//! | function | what it makes |
//! |---|---|
//! | [`text`] | a few lines for a terminal |
//! | [`json`], [`value`] | everything, for programs |
//! | [`sarif`] | findings for code scanning |
//! | [`html`] | a page that needs nothing else |
//! | [`witness`] | evidence in the community's formats |
//! | [`alethe()`] | a derivation from Horn clauses as a proof in the Alethe format |
//! | [`harness`] | a C file that makes the real program fail |
//! | [`waveform`], [`certificate_circuit`] | the run and the invariants of a circuit |
//! | [`mod@bench`] | the results of benchmark runs: tables, comparisons, plots |
//! | [`obligation_scripts`] | what has to be refuted, for other solvers |

mod alethe;
pub mod bench;
mod harness;
pub mod html;
mod json;
mod obligations;
pub mod sarif;
mod text;
mod witness;

pub use alethe::{Alethe, Flaw as AletheFlaw, alethe};
pub use harness::harness;
pub use json::{SCHEMA, json, value};
pub use obligations::obligation_scripts;
pub use text::{text, text_with};
pub use witness::{certificate_circuit, waveform, witness};
