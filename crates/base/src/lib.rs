//! Foundations of Bolide: exact rationals, budgets, index types, hash tables for interning, progress, rounds of loops and their progressions, statistics, messages and the numbers of things in them.
//!
//! This crate knows nothing of terms or solvers. Everything in it is small, deterministic and free of I/O, except
//! that [`Budget`] reads the clock and the size of the process.

mod budget;
mod counted;
mod effort;
mod hash_index;
mod index;
mod message;
pub mod pool;
mod progress;
mod progression;
mod rational;
mod rounds;
mod stats;
mod turns;

pub use budget::{Budget, Interrupt, resident_kib};
pub use counted::counted;
pub use dashu_int::{IBig, UBig};
pub use dashu_ratio::RBig;
pub use effort::spend;
pub use hash_index::HashIndex;
pub use index::{Id, IdVec};
pub use message::Message;
pub use progress::{Board, Gauge, Lane};
pub use progression::{DEGREE, Progression};
pub use rational::{ParseRationalError, Rational};
pub use rounds::{Rounds, Way};
pub use stats::{Stat, Stats};
pub use turns::{Player, Turns};
