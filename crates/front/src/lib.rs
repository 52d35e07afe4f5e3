//! Front ends.

pub mod chc;
