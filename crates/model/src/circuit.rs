//! Circuits: transition systems on single bits.
//!
//! A [`Circuit`] has inputs, latches and properties over an and-inverter graph, the [`Aig`]. Engines work on reduced
//! circuits: [`reduce`](pass::reduce) drops what the property cannot see, and returns a [`BackMap`](back::BackMap) that carries traces and
//! invariants back to the circuit it started from.
//!
//! | module | what is there |
//! |---|---|
//! | `aig` | the graph with structural hashing |
//! | `system` | circuits |
//! | `formula` | predicates over latches and inputs: invariants |
//! | `simulate` | traces and their replay |
//! | `pass` | three-valued simulation to a fixed point, rebuilding a circuit under substitutions |
//! | `back` | the way back of traces and invariants |

mod aig;
pub mod back;
mod formula;
pub mod pass;
mod simulate;
mod system;

pub use aig::{Aig, Bit, Copier, Node};
pub use formula::Formula;
pub use simulate::{Lanes, ReplayError, Trace};
pub use system::{Circuit, Latch};
