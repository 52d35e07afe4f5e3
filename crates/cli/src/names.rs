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
    /// Indices are within arrays of known size, and accesses through pointers within their objects.
    Bounds,
    /// No dereference of the null pointer.
    Null,
    /// Shifts are by less than the width.
    Shift,
    /// Every read and write lies inside of a live object.
    Deref,
    /// Only live objects of the heap are freed, at their start, once.
    Free,
    /// What is allocated is freed or still reachable when the program ends.
    Leak,
    /// What is allocated is freed when the program ends.
    Cleanup,
    /// Pointers stay in their objects or just behind, and only those to one object are ordered or subtracted.
    PointerArithmetic,
    /// Accesses through pointers are aligned as their types ask.
    Alignment,
    /// No value is used that was never set.
    Uninit,
    /// Deref, free and leak.
    Memsafety,
    /// All of these, except cleanup, pointer-arithmetic, alignment and uninit.
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
