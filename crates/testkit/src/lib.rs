//! What tests share: random numbers, random circuits, temporary files, the running of commands.

#[cfg(feature = "model")]
pub mod circuit;
mod command;
mod files;
mod length;
mod random;

pub use command::{Run, run, z3};
pub use files::{Folder, Scratch};
pub use length::{is_long, rounds};
pub use random::{Natural, Random};
