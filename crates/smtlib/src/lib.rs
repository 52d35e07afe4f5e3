//! Reading and printing SMT-LIB 2, with source positions.
//!
//! [`Reader`] yields the [`Command`]s of a text one at a time, with all terms in them built in a
//! [`Store`](bolide_term::Store); a [`Scope`] holds the symbols that are declared. [`print_term`] and its relatives
//! go the other way: what they print reads back as the same term.
//!
//! **Nothing here recurses over a text or a term**: parentheses, `let` and terms may nest a million deep.
//!
//! ```
//! use bolide_smtlib::{print_term, read_term, Scope};
//! use bolide_term::Store;
//! let mut store = Store::new();
//! let int = store.int_sort();
//! store.var("x", int);
//! let mut scope = Scope::of_store(&mut store);
//! let t = read_term("(let ((y (* 2 x))) (and (< y 7) (> x (- 3))))", &mut store, &mut scope).unwrap();
//! assert_eq!(print_term(&store, t).to_string(), "(and (<= x 3) (>= x (- 2)))");
//! ```

mod error;
mod lexer;
mod print;
mod read;

pub use error::{Error, Span, line_and_column};
pub use print::*;
pub use read::*;
