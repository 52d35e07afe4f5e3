//! Reading and printing SMT-LIB 2, with source positions.
