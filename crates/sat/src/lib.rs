//! CaDiCaL behind one small interface: assumptions, theory propagation, a recorded resolution proof.
//!
//! [`Solver`] is an incremental SAT solver over [`Lit`]s. With [`NoTheory`] it is plain SAT; any other [`Theory`] takes
//! part in the search (the interface of IPASIR-UP, Fazekas, Niemetz, Preiner, Kirchweger, Szeider and Biere, SAT 2023):
//! it follows the trail, propagates literals that it explains only when asked, and adds lemmas, also over variables
//! that it makes up on the way.
//!
//! With [`Config::proof`] the solver records every clause it was given, with its [`Origin`], and every clause it
//! derived, with its antecedents. After an unsatisfiable answer [`ResolutionProof::refutation`] turns the part of the
//! record that matters into resolution steps and thereby checks it.
//!
//! ```
//! use bolide_sat::{Config, NoTheory, Outcome, Solver};
//!
//! let mut solver = Solver::new(Config::incremental().with_proof(), NoTheory);
//! let (a, b) = (solver.new_var(), solver.new_var());
//! solver.add_clause(&[a, b]);
//! solver.add_clause(&[!a, b]);
//! assert_eq!(solver.solve(&[a], &|| false), Outcome::Sat);
//! assert_eq!(solver.value(b), Some(true));
//! assert_eq!(solver.solve(&[a, !b], &|| false), Outcome::Unsat);
//! assert!(solver.failed(!b));
//! assert!(solver.proof().unwrap().last_refutation().is_ok());
//! ```
//!
//! | module | what is there |
//! |---|---|
//! | `lit` | literals |
//! | `config` | presets of the solver's options |
//! | `theory` | the [`Theory`] trait and the [`Context`] through which a theory speaks |
//! | `mirror` | the trail as the SAT solver has it and as the theory knows it |
//! | `link` | the callbacks that CaDiCaL calls; panics stop here |
//! | `solver` | the [`Solver`] |
//! | `proof` | the recorded proof, its recorder, and its reading as resolution steps |
//! | [`search`] | a search of our own, for many small queries about circuits |

mod config;
mod link;
mod lit;
mod mirror;
mod proof;
pub mod search;
mod solver;
mod theory;

pub use config::{Config, Preset};
pub use lit::Lit;
pub use proof::{
    Chain, ChainError, ClauseId, Inference, Origin, Pivot, Refutation, ResolutionProof, StepId, StepKind,
};
pub use solver::{Outcome, Solver};
pub use theory::{Context, LemmaId, NoTheory, Theory};
