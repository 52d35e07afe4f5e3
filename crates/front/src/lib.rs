//! Front ends.

pub mod aiger;
