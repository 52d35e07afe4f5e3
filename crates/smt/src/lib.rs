//! The SMT solver: CNF, theories, their combination, models and cores.
//!
//! [`Solver`] decides quantifier-free formulas over Booleans, linear integer and real arithmetic, uninterpreted
//! functions, arrays and bit-vectors, incrementally. CaDiCaL does the Boolean search (`bolide-sat`); the theories
//! follow it: [`arith`] (general simplex), [`euf`] (congruence closure), arrays by axioms on demand,
//! bit-vectors by circuits. A satisfiable answer has a model that was evaluated on every assertion; an
//! unsatisfiable one has, on request, a [refutation](bolide_proof::Refutation) that `bolide-proof` checks without a
//! solver and `bolide-itp` turns into interpolants.

pub mod arith;
mod eliminate;
mod encode;
pub mod euf;
mod models;
mod project;
mod purity;
mod refute;
mod solver;
mod theories;

pub use project::{implicant, project};
pub use refute::NoRefutation;
pub use solver::{Answer, Config, Reason, Solver};
