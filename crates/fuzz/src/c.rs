//! Random programs of ordinary C against a compiler: records at variable indices, tables of pointers and functions,
//! strings, unions, bit-fields, variable arguments, lists, jumps, recursion with addresses of locals.
//!
//! A program is a function of one small input that returns a checksum. The compiler's program, run with sanitizers for each
//! value of the input, is the truth ([`compiler`]); a program that a sanitizer objects to is discarded. The interpreter,
//! the encoded program, the prepared program and, on request, the verdicts of `bolide verify` in both directions must agree
//! with it ([`compare`]). What does not agree is shrunk line by line ([`shrink`]).

pub mod campaign;
pub mod compare;
pub mod compiler;
mod expressions;
mod idioms;
mod objects;
mod program;
mod scenarios;
pub mod shrink;
mod statements;
pub mod texts;

pub use program::{INPUTS, PRELUDE, generate};
