//! The C front end: text to typed program to [`bolide_model::Program`].
//!
//! The road has four stations. [`source`](Source) blanks out what the parser rejects and maps positions back through
//! line markers. `lower` types the syntax tree and flattens it into basic blocks of simple instructions over pure
//! expressions ([`hir`]). `memory` partitions memory by a field-sensitive unification analysis and decides what needs
//! an array at all. `encode` writes the steps. [`interp`] executes the typed program on concrete bytes; it is the
//! oracle for traces and shares nothing with the encoder.
//!
//! **Recursion**: the parser and `lower` recurse over the syntax tree. They run on a thread whose stack is sized by a
//! bound on the nesting of the text, and a text nested more deeply than that is refused with its position. Everything
//! after them is iterative.

mod encode;
pub mod float;
pub mod hir;
pub mod interp;
mod layout;
mod lower;
mod memory;
mod print;
pub mod syntax;
pub mod types;

pub use encode::Encoding;
pub use print::Expressions;
pub use syntax::source::{Diagnostic, Position, Source};

use bolide_model::Program;
use bolide_term::Store;

/// How wide the integer types are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers of 32 bits.
    #[default]
    Ilp32,
    /// `int` of 32 bits, `long` and pointers of 64.
    Lp64,
}

/// What integer arithmetic means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ints {
    /// Machine integers: everything wraps exactly.
    #[default]
    Machine,
    /// Mathematical integers: nothing wraps. The verdict then has to say so.
    Unbounded,
}

/// Which properties are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties {
    /// Calls of `__VERIFIER_error`, `reach_error` and `__assert_fail`, and failing assertions.
    pub errors: bool,
    /// Labels named `ERROR`; by default only where the text calls none of the error functions.
    pub labels: Option<bool>,
    /// Overflow of signed arithmetic.
    pub overflow: bool,
    /// Division by zero.
    pub div_by_zero: bool,
    /// Indices of arrays of known size.
    pub bounds: bool,
    /// Dereferences of the null pointer.
    pub null: bool,
    /// Shifts by a negative amount or by the width or more.
    pub shift: bool,
}

impl Default for Properties {
    fn default() -> Self {
        Properties {
            errors: true,
            labels: None,
            overflow: false,
            div_by_zero: false,
            bounds: false,
            null: false,
            shift: false,
        }
    }
}

/// Options of the front end.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Widths of types.
    pub data_model: DataModel,
    /// Meaning of integer arithmetic.
    pub ints: Ints,
    /// What to check.
    pub properties: Properties,
    /// The function where execution starts; `main` if not given.
    pub entry: Option<String>,
}

/// A C task that has been read: the typed program, its encoding, and the way from spans to positions.
#[derive(Debug)]
pub struct Task {
    /// Positions.
    pub source: Source,
    /// The typed program, for the interpreter.
    pub unit: hir::Unit,
    /// The program for the engines.
    pub program: Program,
    /// How typed objects became variables.
    pub encoding: Encoding,
}

/// Reads a preprocessed C program. What is wrong with it is told by up to twenty messages; there is at least one.
pub fn load(
    store: &mut Store,
    file: &str,
    text: impl AsRef<[u8]>,
    options: &Options,
) -> Result<Task, Rejection> {
    let text = text.as_ref();
    let source = Source::new(file, text);
    let parsed = syntax::parse(text, 0, &[]);
    if !parsed.issues.is_empty() {
        return Err(Rejection::new(&source, parsed.issues));
    }
    let models = syntax::parse(lower::MODELS.as_bytes(), models_base(&source), &[]);
    debug_assert!(models.issues.is_empty(), "the models are written in C: {:?}", models.issues);
    let depth = parsed.tree.depth.max(models.tree.depth);
    let unit = on_deep_stack(depth, || lower::lower(&source, &parsed, &models.tree, options))
        .map_err(|issues| Rejection::new(&source, issues))?;
    let (program, encoding) =
        encode::encode(store, &unit, options).map_err(|issue| Rejection::new(&source, vec![issue]))?;
    Ok(Task { source, unit, program, encoding })
}

/// Where the spans of the models of library functions start: behind the text.
fn models_base(source: &Source) -> u32 {
    source.bytes().len() as u32 + 1
}

/// Why a program is not read: what a compiler would reject, or what has no meaning here.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// The messages, in the order of the text; never empty.
    pub diagnostics: Vec<Diagnostic>,
}

impl Rejection {
    fn new(source: &Source, issues: Vec<syntax::source::Issue>) -> Rejection {
        Rejection { diagnostics: issues.into_iter().map(|issue| source.diagnose(issue)).collect() }
    }
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, d) in self.diagnostics.iter().enumerate() {
            let line = if n == 0 { "" } else { "\n" };
            write!(f, "{line}{d}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Rejection {}

/// Runs a closure on a thread with room for so many levels of syntax.
fn on_deep_stack<T: Send>(depth: usize, work: impl FnOnce() -> T + Send) -> T {
    /// What one level of nesting costs the lowering at most, with a wide margin.
    const LEVEL: usize = 24 << 10;
    let size = (32 << 20) + depth * LEVEL;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(size).spawn_scoped(scope, work);
        match thread.expect("the system can start a thread").join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
