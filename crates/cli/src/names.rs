//! Names of what is asked about C programs, on the command line and in task files.

use clap::ValueEnum;

/// Names of properties of C programs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum PropertyName {
    /// Error functions are not called, assertions do not fail.
    Errors,
    /// Labels named ERROR are not reached.
    Labels,
    /// Signed arithmetic does not overflow.
    Overflow,
    /// No division by zero.
    DivByZero,
    /// Indices are within arrays of known size.
    Bounds,
    /// No dereference of the null pointer.
    Null,
    /// Shifts are by less than the width.
    Shift,
    /// All of these.
    All,
}

/// Names of data models for C.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum DataModel {
    /// 32-bit int, long and pointers.
    #[value(name = "ILP32")]
    Ilp32,
    /// 32-bit int, 64-bit long and pointers.
    #[value(name = "LP64")]
    Lp64,
}
