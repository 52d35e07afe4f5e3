//! Printing the declarations that a set of terms needs.

use super::symbol::{print_sort, print_symbol};
use bolide_term::{DIV_BY_ZERO, FLOAT_UNSPECIFIED, Func, Op, Sort, SortKind, Store, Term};
use rustc_hash::FxHashSet;
use std::fmt::{self, Display};

/// The declaration of a symbol on its way to a text; see [`print_declaration`].
#[derive(Copy, Clone, Debug)]
pub struct DeclarationDisplay<'a> {
    store: &'a Store,
    symbol: Func,
}

/// Prints `(declare-fun f (args) S)`.
pub fn print_declaration(store: &Store, symbol: Func) -> DeclarationDisplay<'_> {
    DeclarationDisplay { store, symbol }
}

impl Display for DeclarationDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decl = self.store.decl(self.symbol);
        write!(f, "(declare-fun {} (", print_symbol(&decl.name))?;
        for (i, &sort) in decl.args.iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            write!(f, "{separator}{}", print_sort(self.store, sort))?;
        }
        write!(f, ") {})", print_sort(self.store, decl.result))
    }
}

/// Declarations on their way to a text; see [`print_declarations`].
#[derive(Copy, Clone, Debug)]
pub struct DeclarationsDisplay<'a> {
    store: &'a Store,
    terms: &'a [Term],
}

/// Prints declarations of all uninterpreted sorts and all free symbols of some terms, one on a line.
pub fn print_declarations<'a>(store: &'a Store, terms: &'a [Term]) -> DeclarationsDisplay<'a> {
    DeclarationsDisplay { store, terms }
}

impl Display for DeclarationsDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (symbols, sorts) = needed(self.store, self.terms);
        for &sort in sorts.iter().filter(|&&s| self.store.datatype(s).is_none()) {
            writeln!(f, "(declare-sort {} 0)", print_sort(self.store, sort))?;
        }
        write_datatypes(f, self.store, &sorts)?;
        for symbol in symbols {
            writeln!(f, "{}", print_declaration(self.store, symbol))?;
        }
        Ok(())
    }
}

/// Declarations of datatypes on their way to a text; see [`print_datatypes`].
#[derive(Copy, Clone, Debug)]
pub struct DatatypesDisplay<'a> {
    store: &'a Store,
    terms: &'a [Term],
}

/// Prints declarations of all datatypes of some terms, in one command; nothing if there are none.
pub fn print_datatypes<'a>(store: &'a Store, terms: &'a [Term]) -> DatatypesDisplay<'a> {
    DatatypesDisplay { store, terms }
}

impl Display for DatatypesDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_datatypes(f, self.store, &needed(self.store, self.terms).1)
    }
}

/// The free symbols and the uninterpreted sorts of some terms, in order of first occurrence.
fn needed(store: &Store, terms: &[Term]) -> (Vec<Func>, Vec<Sort>) {
    let (mut symbols, mut sorts) = (Vec::new(), Vec::new());
    let (mut bound, mut seen, mut seen_sorts) =
        (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    for t in store.post_order(terms.iter().copied()) {
        collect_sorts(store, store.sort_of(t), &mut seen_sorts, &mut sorts);
        match store.op(t) {
            Op::Forall | Op::Exists => {
                let (_, variables) = store.args(t).split_last().unwrap_or((&t, &[]));
                bound.extend(variables.iter().filter_map(|&v| store.as_var(v)));
            }
            Op::Apply(f) if seen.insert(f) => symbols.push(f),
            _ => {}
        }
    }
    symbols.retain(|f| {
        let name = &&*store.decl(*f).name;
        !bound.contains(f) && !DIV_BY_ZERO.contains(name) && !FLOAT_UNSPECIFIED.contains(name)
    });
    (symbols, sorts)
}

fn collect_sorts(store: &Store, sort: Sort, seen: &mut FxHashSet<Sort>, out: &mut Vec<Sort>) {
    let mut todo = vec![sort];
    while let Some(sort) = todo.pop() {
        if !seen.insert(sort) {
            continue;
        }
        match store.sort_kind(sort) {
            SortKind::Array(index, element) => todo.extend([*element, *index]),
            SortKind::Uninterpreted(_) => out.push(sort),
            SortKind::Datatype(_) if store.is_rounding_mode(sort) => {}
            SortKind::Datatype(_) => {
                let constructors = store.datatype(sort).map_or(&[][..], |d| &d.constructors);
                todo.extend(constructors.iter().flat_map(|c| &c.fields).map(|f| f.sort));
                out.push(sort);
            }
            _ => {}
        }
    }
}

/// Writes the declarations of the datatypes among some sorts, all in one command. The parameters of a family are the
/// sorts of its first member.
fn write_datatypes(f: &mut fmt::Formatter<'_>, store: &Store, sorts: &[Sort]) -> fmt::Result {
    let mut names = FxHashSet::default();
    let first = |s: &&Sort| store.datatype(**s).is_some_and(|d| names.insert(d.name.clone()));
    let datatypes: Vec<Sort> = sorts.iter().filter(first).copied().collect();
    if datatypes.is_empty() {
        return Ok(());
    }
    f.write_str("(declare-datatypes (")?;
    for (i, d) in datatypes.iter().filter_map(|&s| store.datatype(s)).enumerate() {
        let separator = if i == 0 { "" } else { " " };
        write!(f, "{separator}({} {})", print_symbol(&d.name), d.params.len())?;
    }
    f.write_str(") (")?;
    for d in datatypes.iter().filter_map(|&s| store.datatype(s)) {
        if !d.params.is_empty() {
            let params: Vec<String> = (0..d.params.len()).map(|i| format!("X{i}")).collect();
            write!(f, "(par ({}) ", params.join(" "))?;
        }
        f.write_str("(")?;
        for c in &d.constructors {
            write!(f, "({}", print_symbol(&c.name))?;
            for field in &c.fields {
                let sort = match d.params.iter().position(|&p| p == field.sort) {
                    Some(i) => format!("X{i}"),
                    None => print_sort(store, field.sort).to_string(),
                };
                write!(f, " ({} {sort})", print_symbol(&field.name))?;
            }
            f.write_str(")")?;
        }
        f.write_str(if d.params.is_empty() { ")" } else { "))" })?;
    }
    f.write_str("))\n")
}
