//! The hash-consed term store of Bolide: sorts, simplifying constructors, evaluation, substitution.
//!
//! Every formula in Bolide is a [`Term`]: a small index into one [`Store`] that is passed explicitly.
//! Two terms are equal if and only if their indices are, because every node is interned. Terms are built
//! only through the constructors of [`Store`], which simplify as they go and keep arithmetic atoms in a
//! normal form, so that the same constraint written in two ways is the same term.
//!
//! **Nothing here recurses over a term**: traversals keep an explicit stack, and a term of depth one
//! million is an ordinary term.
//!
//! ```
//! use bolide_term::Store;
//! let mut s = Store::new();
//! let int = s.int_sort();
//! let x = s.var("x", int);
//! let one = s.int(1);
//! let y = s.add(&[x, one]);
//! let a = s.lt(x, y);
//! assert_eq!(a, s.tru()); // x < x + 1 simplifies at once
//! ```

mod arith;
mod arrays;
mod bits;
mod boolean;
mod bv;
mod data_value;
mod datatypes;
mod distinct_values;
mod eval;
mod float;
mod linear;
mod node;
mod portable;
mod sort;
mod store;
mod subst;
mod traverse;
mod value;

pub use arith::DIV_BY_ZERO;
pub use arrays::{ARRAY_DEFAULT, ARRAY_DIFF};
pub use bits::{BitBlaster, bits_to_words};
pub use dashu_int::UBig;
pub use data_value::DataValue;
pub use datatypes::{Constructor, ConstructorDecl, Datatype, DatatypeError, Field};
pub use eval::{EvalError, Evaluator, eval_step};
pub use float::{FLOAT_UNSPECIFIED, FloatFormat, FloatOp, RoundingMode};
pub use linear::Linear;
pub use node::{Func, FuncDecl, NumId, Op, Term};
pub use portable::{Mark, Portable};
pub use sort::{Sort, SortKind};
pub use store::Store;
pub use subst::Substitution;
pub use traverse::PostOrder;
pub use value::{ArrayValue, FuncInterp, Model, Value};
