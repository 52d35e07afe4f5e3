//! Front ends of Bolide: from the text of a task to its model, with source positions on everything.

pub mod aiger;
pub mod btor2;
pub mod c;
pub mod chc;
