//! Craig interpolants from proofs: sequences and trees, verified.
