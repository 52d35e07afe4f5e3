//! SMT-LIB HORN and Z3's `rule`/`query` form to Horn systems, and back to SMT-LIB.
//!
//! The accepted fragment is that of CHC-COMP: every assertion is, after its quantifiers, an implication whose body
//! is a conjunction of predicates and constraints and whose head is a predicate, a constraint or false. Bodies may
//! nest `and`, `or`, `=>`, `ite` and equalities around predicates: `clausify` distributes them. What does not fit is
//! rejected with the position of its command. Records are taken apart (`tuples`): the predicates of a problem have the
//! components of tuples as parameters.

mod clausify;
mod read;
mod tuples;
mod write;

pub use clausify::NotHorn;
pub use read::{Instances, Loader, Problem, read};
pub use tuples::Records;
pub use write::write;
