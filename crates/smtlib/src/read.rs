//! Text to typed, hash-consed terms and commands.
//!
//! [`Reader`] walks over the commands of a text; for the terms in them a state machine with an explicit stack
//! ([`term`]) builds store terms directly, checking sorts as it goes. No tree of s-expressions is ever built, and no
//! function calls itself, so nesting depth is limited by memory alone.

mod apply;
mod builtin;
mod bv;
mod command;
mod datatypes;
mod float;
mod identifier;
mod matching;
mod reader;
mod scope;
mod sort;
mod term;

pub use command::{AttributeValue, Command, InterpolationTree, Located, Partition, QueryGoal, SourceTerm};
pub use reader::{Reader, read_script, read_term};
pub use scope::Scope;
