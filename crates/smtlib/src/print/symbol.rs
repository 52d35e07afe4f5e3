//! Symbols, sorts and numerals.

use crate::lexer::is_symbol_byte;
use bolide_base::{Rational, UBig};
use bolide_term::{Sort, SortKind, Store};
use std::fmt;

/// Words that are no symbols unless they are quoted, command names apart.
const RESERVED: &[&str] = &[
    "!",
    "_",
    "as",
    "BINARY",
    "DECIMAL",
    "exists",
    "HEXADECIMAL",
    "forall",
    "lambda",
    "let",
    "match",
    "NUMERAL",
    "par",
    "STRING",
];

/// How the names of commands, which are reserved too, begin.
const COMMAND_PREFIXES: &[&str] =
    &["assert", "check-sat", "declare-", "define-", "echo", "exit", "get-", "pop", "push", "reset", "set-"];

/// A symbol on its way to a text; see [`print_symbol`].
#[derive(Copy, Clone, Debug)]
pub struct SymbolDisplay<'a>(&'a str);

/// Prints a symbol, between bars if it has to be.
///
/// A bar or backslash cannot be part of any symbol of SMT-LIB; it is replaced by its code with a percent sign.
pub fn print_symbol(name: &str) -> SymbolDisplay<'_> {
    SymbolDisplay(name)
}

fn is_simple(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(is_symbol_byte)
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !RESERVED.contains(&name)
        && !COMMAND_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

impl fmt::Display for SymbolDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_simple(self.0) {
            return f.write_str(self.0);
        }
        f.write_str("|")?;
        for piece in self.0.split_inclusive(['|', '\\']) {
            match piece.as_bytes().last() {
                Some(b'|') => write!(f, "{}%7C", &piece[..piece.len() - 1])?,
                Some(b'\\') => write!(f, "{}%5C", &piece[..piece.len() - 1])?,
                _ => f.write_str(piece)?,
            }
        }
        f.write_str("|")
    }
}

/// A sort on its way to a text; see [`print_sort`].
#[derive(Copy, Clone, Debug)]
pub struct SortDisplay<'a> {
    store: &'a Store,
    sort: Sort,
}

/// Prints a sort.
pub fn print_sort(store: &Store, sort: Sort) -> SortDisplay<'_> {
    SortDisplay { store, sort }
}

impl fmt::Display for SortDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Piece {
            Sort(Sort),
            Text(&'static str),
        }
        let mut todo = vec![Piece::Sort(self.sort)];
        while let Some(piece) = todo.pop() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Sort(sort) => match self.store.sort_kind(sort) {
                    SortKind::Bool => f.write_str("Bool")?,
                    SortKind::Int => f.write_str("Int")?,
                    SortKind::Real => f.write_str("Real")?,
                    SortKind::BitVec(width) => write!(f, "(_ BitVec {width})")?,
                    SortKind::Float(format) => {
                        write!(f, "(_ FloatingPoint {} {})", format.exponent, format.significand)?;
                    }
                    SortKind::Array(index, element) => {
                        f.write_str("(Array ")?;
                        todo.extend([
                            Piece::Text(")"),
                            Piece::Sort(*element),
                            Piece::Text(" "),
                            Piece::Sort(*index),
                        ]);
                    }
                    SortKind::Datatype(_) => {
                        let datatype = self.store.datatype(sort);
                        let (name, params) = datatype.map_or(("", &[][..]), |d| (&*d.name, &*d.params));
                        if params.is_empty() {
                            print_symbol(name).fmt(f)?;
                            continue;
                        }
                        write!(f, "({}", print_symbol(name))?;
                        todo.push(Piece::Text(")"));
                        for &p in params.iter().rev() {
                            todo.extend([Piece::Sort(p), Piece::Text(" ")]);
                        }
                    }
                    // The application of a sort constructor is kept as it is written.
                    SortKind::Uninterpreted(name) if name.starts_with('(') => f.write_str(name)?,
                    SortKind::Uninterpreted(name) => print_symbol(name).fmt(f)?,
                },
            }
        }
        Ok(())
    }
}

/// A constructor as it is applied; with its sort if there are others of the same name.
pub(super) fn print_constructor(store: &Store, sort: Sort, constructor: u32) -> impl fmt::Display + '_ {
    struct Display<'a>(&'a Store, Sort, u32);
    impl fmt::Display for Display<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let name = print_symbol(&self.0.constructor(self.1, self.2).name);
            match self.0.datatype(self.1) {
                Some(d) if !d.params.is_empty() => write!(f, "(as {name} {})", print_sort(self.0, self.1)),
                _ => name.fmt(f),
            }
        }
    }
    Display(store, sort, constructor)
}

/// Writes a numeral of sort Int or Real.
pub(super) fn write_number(f: &mut fmt::Formatter<'_>, value: &Rational, sort: Sort) -> fmt::Result {
    if value.is_negative() {
        f.write_str("(- ")?;
        write_magnitude(f, &value.abs(), sort)?;
        f.write_str(")")
    } else {
        write_magnitude(f, value, sort)
    }
}

fn write_magnitude(f: &mut fmt::Formatter<'_>, value: &Rational, sort: Sort) -> fmt::Result {
    if sort == Sort::INT {
        write!(f, "{value}")
    } else if value.is_integer() {
        write!(f, "{value}.0")
    } else {
        write!(f, "(/ {}.0 {}.0)", value.numer(), value.denom())
    }
}

/// Writes a bit-vector constant, in hexadecimal digits if they fit the width.
pub(super) fn write_bits(f: &mut fmt::Formatter<'_>, width: u32, value: &UBig) -> fmt::Result {
    let (prefix, radix, length) =
        if width.is_multiple_of(4) { ("#x", 16, width / 4) } else { ("#b", 2, width) };
    let digits = value.in_radix(radix).to_string();
    // The padding of format strings stops at 65535.
    let zeros = (length as usize).saturating_sub(digits.len());
    write!(f, "{prefix}{}{digits}", "0".repeat(zeros))
}
