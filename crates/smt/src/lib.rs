//! The SMT solver: CNF, theories, their combination, models and cores.

pub mod arith;
