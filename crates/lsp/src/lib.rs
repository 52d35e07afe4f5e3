//! A language server: violations as diagnostics with the trace as related locations, invariants as inlay hints, and a code lens
//! above each function that verifies it by itself.
//!
//! A file is verified when it is opened and when it is saved: what counts is what is on the disk, because a C file is read together with the
//! headers that lie there. The work itself is that of a [`Verifier`], which reports in the JSON of `bolide verify --json`; the server
//! only knows documents and their positions.
//!
//! | module | what it holds |
//! |---|---|
//! | `findings` | a report as diagnostics and hints |
//! | `documents` | the open documents, what was found in them, and which runs are still going on |
//! | `server` | requests and notifications |

mod documents;
mod findings;
mod server;

pub use lsp_server::Connection;
pub use server::serve;

use serde_json::Value;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The line where its name stands, from 1.
    pub line: u32,
    /// The column of its name in characters, from 1.
    pub column: u32,
}

/// What came of a verification.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The report, as `bolide verify --json` prints it; none if the file could not be read.
    pub report: Option<Value>,
    /// Messages as compilers write them: `file:line:column: error: text`.
    pub messages: String,
}

/// Whoever does the work.
pub trait Verifier: Sync {
    /// Verifies a file, or one function of it. Ends early, with whatever answer, when it is told to.
    fn verify(&self, file: &Path, function: Option<&str>, stop: &AtomicBool) -> Answer;

    /// The functions with a body in a file; none if it cannot be read.
    fn functions(&self, file: &Path) -> Vec<Function>;
}
