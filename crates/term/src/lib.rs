//! The hash-consed term store of Bolide: sorts, simplifying constructors, evaluation, substitution.
