//! Front ends.

pub mod aiger;
pub mod btor2;
