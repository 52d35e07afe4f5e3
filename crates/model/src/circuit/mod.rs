//! Circuits: transition systems on single bits.
//!
//! A [`Circuit`] has inputs, latches and properties over an and-inverter graph, the [`Aig`]. Engines work on reduced
//! circuits: [`reduce`] drops what the property cannot see, and returns a [`BackMap`] that carries traces and
//! invariants back to the circuit it started from.
//!
//! | module | what is there |
//! |---|---|
//! | `aig` | the graph with structural hashing |
//! | `system` | circuits |
//! | `formula` | predicates over latches and inputs: invariants |
//! | `simulate` | traces and their replay |
//! | `ternary` | three-valued simulation to a fixed point |
//! | `reduce` | rebuilding a circuit under substitutions, and the way back |

mod aig;
mod formula;
mod reduce;
mod simulate;
mod system;
mod ternary;

pub use aig::{Aig, Bit, Copier, Node};
pub use formula::Formula;
pub use reduce::{BackMap, Equality, reduce, substitute};
pub use simulate::{Lanes, ReplayError, Trace};
pub use system::{Circuit, Latch};
pub use ternary::stuck_latches;
