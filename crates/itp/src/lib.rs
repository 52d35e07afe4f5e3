//! Craig interpolants from proofs: sequences and trees, verified.
//!
//! An unsatisfiable conjunction of parts `A_0, …, A_n` is refuted once by `bolide-smt`; all interpolants are read
//! off that one refutation. At each cut between parts every clause of the refutation gets a *partial
//! interpolant*: leaves by their part or by their theory lemma (one file per kind of lemma in `lemma/`), resolvents
//! by a labelled interpolation system (D'Silva, Kroening, Purandare, Weissenbacher, *Interpolant Strength*, 2010), of
//! which McMillan's, Pudlák's and the dual of McMillan's are instances.
//!
//! **The solver is not restricted**: an equality between a term of one side and a term of the other (a *mixed*
//! literal, from theory combination) is interpolated by the proof-tree-preserving scheme of Christ, Hoenicke and
//! Nutz (TACAS 2013): a placeholder stands for the common value, and disappears where the literal is resolved.
//!
//! ```
//! use bolide_base::Budget;
//! use bolide_itp::{Config, interpolate_sequence};
//! use bolide_term::Store;
//! let mut s = Store::new();
//! let int = s.int_sort();
//! let (x, y, zero, one) = (s.var("x", int), s.var("y", int), s.int(0), s.int(1));
//! let a = s.eq(x, zero); // x = 0
//! let next = s.add(&[x, one]);
//! let b = s.eq(y, next); // y = x + 1
//! let c = s.lt(y, zero); // y < 0
//! let itps = interpolate_sequence(&mut s, &[a, b, c], &Config::default(), &Budget::unlimited()).unwrap();
//! assert_eq!(itps.len(), 2);
//! ```

mod axioms;
mod colour;
mod config;
mod eliminate;
mod groups;
mod interpolate;
mod lemma;
mod mixed;
mod partial;
pub mod split;
mod system;
mod tidy;
mod tree;
mod verify;

pub use config::{Config, FarkasStyle};
pub use interpolate::{Failure, interpolate_refutation, interpolate_sequence, interpolate_tree};
pub use system::System;
pub use tree::Tree;
pub use verify::{Flaw, verify};
