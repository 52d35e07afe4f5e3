//! Proof steps and the small checker that accepts or rejects them without a solver.
