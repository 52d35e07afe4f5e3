//! The C front end: text to typed program to [`bolide_model::Program`].
//!
//! The road has five stations. [`syntax`] reads bytes into a tree and maps positions back through line markers. `lower` is
//! the semantic analysis: it types the tree as a compiler does and flattens it into basic blocks of simple instructions over
//! pure expressions ([`hir`]). `memory` partitions memory by a field-sensitive unification analysis and decides what needs
//! an array at all. `encode` writes the steps. [`interp`] executes the typed program on concrete bytes; it is the
//! oracle for traces and shares nothing with the encoder.
//!
//! **Recursion**: the parser and `lower` recurse over the syntax tree. They run on threads whose stacks are sized by a
//! bound on the nesting of the text, and a text nested more deeply than that is refused with its position. Everything
//! after them is iterative.

mod assigned;
mod encode;
pub mod float;
pub mod hir;
pub mod interp;
mod layout;
mod lower;
mod memory;
pub mod preprocess;
mod print;
mod safety;
pub mod shape;
pub mod syntax;
pub mod types;

pub use encode::Encoding;
pub use print::Expressions;
pub use syntax::source::{Diagnostic, Position, Source};

use bolide_model::{Program, PropertyId, Span};
use bolide_term::Store;
use rustc_hash::FxHashSet;
use syntax::source::Issue;

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
    /// Indices of arrays of known size, and accesses through pointers that leave their object.
    pub bounds: bool,
    /// Dereferences of the null pointer.
    pub null: bool,
    /// Shifts by a negative amount or by the width or more.
    pub shift: bool,
    /// Accesses outside of live objects.
    pub deref: bool,
    /// Calls of `free` with anything but the start of a live object of the heap, or null.
    pub free: bool,
    /// Objects of the heap that nothing leads to when the program ends.
    pub leak: bool,
    /// Objects of the heap that are left when the program ends.
    pub cleanup: bool,
    /// Pointers that are moved beyond their objects, and comparisons and differences of pointers to different objects.
    pub pointer_arithmetic: bool,
    /// Accesses through pointers that are not aligned as their types ask.
    pub alignment: bool,
    /// Uses of values that were never set.
    pub uninit: bool,
}

impl Properties {
    /// Is the safety of memory asked for, so that objects need lifetimes?
    pub fn guard_memory(&self) -> bool {
        let objects = self.deref || self.bounds || self.pointer_arithmetic || self.alignment || self.uninit;
        objects || self.free || self.leak || self.cleanup
    }
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
            deref: false,
            free: false,
            leak: false,
            cleanup: false,
            pointer_arithmetic: false,
            alignment: false,
            uninit: false,
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
    /// The function where execution starts; `main` if not given. `FILE:NAME` is one of several static functions of a name.
    pub entry: Option<String>,
    /// Do the variables of the program start with any value, as they may have when another function than `main` is called?
    pub open_globals: bool,
    /// May allocations of memory fail, so that their result is null?
    pub malloc_fails: bool,
    /// Is every function with a contract verified on its own, and its contract used where it is called?
    pub modular: bool,
    /// What stands for floating values in the encoded program. Both are right; they differ in what can be decided.
    pub floats: Floats,
}

/// What stands for floating values in the encoded program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Floats {
    /// Real numbers, and results within the errors of rounding.
    #[default]
    Reals,
    /// The numbers of IEEE 754, bit by bit.
    Exact,
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
    /// What is unsupported in functions that can be called. The program has errors of these properties at such places: a proof
    /// shows that no execution comes there, and an execution that does is nobody's fault.
    pub unsupported: Vec<(PropertyId, Diagnostic)>,
}

/// Reads a preprocessed C program, of one or of several units. What is wrong with it is told by up to twenty messages; there is at least one.
pub fn load(
    store: &mut Store,
    file: &str,
    text: impl AsRef<[u8]>,
    options: &Options,
) -> Result<Task, Rejection> {
    let text = text.as_ref();
    let source = Source::new(file, text);
    let texts = syntax::units(text);
    // What comes before the first line that starts a unit was not put together by `join`: for compilers that line is nothing.
    if let [(0, _), (start, _), ..] = texts[..] {
        let message =
            "`#pragma bolide unit` inside of a file: only `bolide link` writes it, between files".into();
        return Err(Rejection::new(&source, vec![Issue { span: Span { start, end: start }, message }]));
    }
    let units: Vec<syntax::Parsed> =
        texts.into_iter().map(|(start, text)| syntax::parse(text, start, &[])).collect();
    if units.iter().any(|unit| !unit.issues.is_empty()) {
        return Err(Rejection::new(&source, units.into_iter().flat_map(|unit| unit.issues).collect()));
    }
    let models = syntax::parse(lower::MODELS.as_bytes(), models_base(&source), &[]);
    debug_assert!(models.issues.is_empty(), "the models are written in C: {:?}", models.issues);
    let depth = units.iter().map(|unit| unit.tree.depth).fold(models.tree.depth, usize::max);
    let mut unit = on_deep_stack(depth, || lower::lower(&source, &units, &models.tree, options))
        .map_err(|issues| Rejection::new(&source, issues))?;
    // The trees of a large text take as much room as what comes next.
    drop((units, models));
    safety::guard(&mut unit, &options.properties);
    lower::swap_stand_ins(&mut unit);
    let encoded = encode::encode(store, &unit, options);
    lower::swap_stand_ins(&mut unit);
    let (program, encoding) = encoded.map_err(|issue| Rejection::new(&source, vec![issue]))?;
    let locations = program.procs.iter().flat_map(|p| p.locations.iter());
    let reachable: FxHashSet<PropertyId> = locations.filter_map(|l| l.error).collect();
    let unsupported = unit.unsupported.iter().filter(|(p, _)| reachable.contains(p));
    let unsupported = unsupported.map(|(p, issue)| (*p, source.diagnose(issue.clone()))).collect();
    Ok(Task { source, unit, program, encoding, unsupported })
}

/// The functions with a body that a program defines in one of the named files, and where their names stand, in the order of the text.
pub fn functions(files: &[&str], text: impl AsRef<[u8]>) -> Result<Vec<(String, Position)>, Rejection> {
    let text = text.as_ref();
    let source = Source::new(files.first().copied().unwrap_or_default(), text);
    let mut out = Vec::new();
    for (start, unit) in syntax::units(text) {
        let parsed = syntax::parse(unit, start, &[]);
        if !parsed.issues.is_empty() {
            return Err(Rejection::new(&source, parsed.issues));
        }
        for item in &parsed.tree.items {
            if let syntax::ast::Item::Function(f) = item
                && let Some(ident) = &f.declarator.ident
            {
                let place = source.position(ident.span);
                if files.contains(&place.file.as_str()) {
                    out.push((ident.name.to_string(), place));
                }
            }
        }
    }
    Ok(out)
}

/// Where the body of a function starts, as an offset in the text behind its brace; nothing if there is none, or several of its
/// name. `FILE:NAME` is one of a file.
pub fn body_of(function: &str, text: impl AsRef<[u8]>) -> Option<usize> {
    let (file, name) = function.rsplit_once(':').map_or((None, function), |(file, name)| (Some(file), name));
    let source = Source::new("", text.as_ref());
    let mut found = Vec::new();
    for (start, unit) in syntax::units(text.as_ref()) {
        let parsed = syntax::parse(unit, start, &[]);
        for item in &parsed.tree.items {
            if let syntax::ast::Item::Function(f) = item
                && let Some(ident) = f.declarator.ident.as_ref().filter(|i| &*i.name == name)
                && file.is_none_or(|file| source.position(ident.span).file == file)
            {
                found.push(parsed.tree.stmts[f.body].span.start as usize + 1);
            }
        }
    }
    match found[..] {
        [at] => Some(at),
        _ => None,
    }
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
