//! Passes on circuits. Each returns the new circuit and a [`BackMap`](super::back::BackMap) to the one it was given.

mod reduce;
mod ternary;

pub use reduce::{reduce, substitute};
pub use ternary::stuck_latches;
