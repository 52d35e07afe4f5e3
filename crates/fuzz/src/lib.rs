//! Fuzzing of the solver and the interpolants: random formulas, what must hold of every answer, and shrinking.
//!
//! A problem is made as *text* ([`Script`]), not as terms, so that the reader and the simplifying constructors
//! are under test too and another solver reads exactly the same formula. Every answer is checked against what
//! Bolide promises of it ([`solve`], [`interpolate`], [`incremental`]), and, where it is installed, against z3
//! ([`z3`]). What fails is shrunk ([`shrink`]) to a small script.
//!
//! The generators ([`generate`]) are deterministic: the same theory, seed and number give the same problem.

pub mod c;
pub mod campaign;
pub mod generate;
pub mod guard;
pub mod incremental;
pub mod interpolate;
pub mod read;
pub mod replay;
pub mod report;
pub mod shrink;
pub mod solve;
pub mod syntax;
pub mod z3;

pub use bolide_testkit::Random;
pub use syntax::{Expr, Script, Ty};
