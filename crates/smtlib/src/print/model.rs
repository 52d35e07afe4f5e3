//! Printing values and models.
//!
//! An element of an uninterpreted sort is printed as the constant that
//! [`Value::to_term`](bolide_term::Value::to_term) makes of it. SMT-LIB has abstract values for that purpose, but most
//! solvers do not read them; a model declares the constants that it uses, so that it can be read back.

use super::symbol::{print_constructor, print_sort, print_symbol, write_bits, write_number};
use super::term::write_float_constant;
use bolide_term::{DIV_BY_ZERO, FLOAT_UNSPECIFIED, Func, FuncInterp, Model, Sort, SortKind, Store, Value};
use std::collections::BTreeSet;
use std::fmt::{self, Display};

/// A value on its way to a text; see [`print_value`].
#[derive(Copy, Clone, Debug)]
pub struct ValueDisplay<'a> {
    store: &'a Store,
    value: &'a Value,
    sort: Sort,
}

/// Prints a value of a sort.
pub fn print_value<'a>(store: &'a Store, value: &'a Value, sort: Sort) -> ValueDisplay<'a> {
    ValueDisplay { store, value, sort }
}

/// Something that is still to be written.
enum Piece<'a> {
    Text(&'static str),
    Value(&'a Value, Sort),
}

impl Display for ValueDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut todo = vec![Piece::Value(self.value, self.sort)];
        while let Some(piece) = todo.pop() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Value(Value::Bool(b), _) => write!(f, "{b}")?,
                Piece::Value(Value::Num(n), sort) => write_number(f, n, sort)?,
                Piece::Value(Value::Bv(width, n), sort) => match self.store.float_format(sort) {
                    Some(format) => write_float_constant(f, format, n)?,
                    None => write_bits(f, *width, n)?,
                },
                Piece::Value(Value::Elem(sort, n), _) => write_element(f, self.store, *sort, *n)?,
                Piece::Value(Value::Data(data), _) => {
                    let head = print_constructor(self.store, data.sort(), data.constructor());
                    if data.fields().is_empty() {
                        write!(f, "{head}")?;
                        continue;
                    }
                    write!(f, "({head}")?;
                    todo.push(Piece::Text(")"));
                    let sorts = &self.store.constructor(data.sort(), data.constructor()).fields;
                    for (value, field) in data.fields().iter().zip(sorts).rev() {
                        todo.extend([Piece::Value(value, field.sort), Piece::Text(" ")]);
                    }
                }
                Piece::Value(Value::Array(array), sort) => {
                    let (index, element) = self.store.array_sorts(sort).unwrap_or((sort, sort));
                    for _ in &array.entries {
                        f.write_str("(store ")?;
                    }
                    write!(f, "((as const {}) ", print_sort(self.store, sort))?;
                    for (i, v) in array.entries.iter().rev() {
                        todo.extend([
                            Piece::Text(")"),
                            Piece::Value(v, element),
                            Piece::Text(" "),
                            Piece::Value(i, index),
                            Piece::Text(" "),
                        ]);
                    }
                    todo.extend([Piece::Text(")"), Piece::Value(&array.default, element)]);
                }
            }
        }
        Ok(())
    }
}

/// Writes the constant for an element of an uninterpreted sort.
fn write_element(f: &mut fmt::Formatter<'_>, store: &Store, sort: Sort, n: u32) -> fmt::Result {
    match store.sort_kind(sort) {
        SortKind::Uninterpreted(name) => print_symbol(&format!("{name}!val!{n}")).fmt(f),
        _ => write!(f, "val!{n}"),
    }
}

/// A model on its way to a text; see [`print_model`].
#[derive(Copy, Clone, Debug)]
pub struct ModelDisplay<'a> {
    store: &'a Store,
    model: &'a Model,
    symbols: &'a [Func],
}

/// Prints what a model says about some symbols, in the form of an answer to `get-model`.
///
/// A symbol that the model does not interpret has the default value of its sort. The symbols for division by zero have
/// no name in SMT-LIB and are left out.
pub fn print_model<'a>(store: &'a Store, model: &'a Model, symbols: &'a [Func]) -> ModelDisplay<'a> {
    ModelDisplay { store, model, symbols }
}

impl Display for ModelDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(\n")?;
        let interpretations: Vec<(Func, FuncInterp)> = self
            .symbols
            .iter()
            .filter(|&&s| {
                let name = &&*self.store.decl(s).name;
                !DIV_BY_ZERO.contains(name) && !FLOAT_UNSPECIFIED.contains(name)
            })
            .map(|&s| (s, self.interpretation(s)))
            .collect();
        for (sort, n) in elements(interpretations.iter().map(|(_, interp)| interp)) {
            f.write_str("  (declare-fun ")?;
            write_element(f, self.store, sort, n)?;
            writeln!(f, " () {})", print_sort(self.store, sort))?;
        }
        for (symbol, interp) in &interpretations {
            self.write_definition(f, *symbol, interp)?;
        }
        f.write_str(")")
    }
}

impl ModelDisplay<'_> {
    fn interpretation(&self, symbol: Func) -> FuncInterp {
        let default = || Value::default_of(self.store, self.store.decl(symbol).result);
        self.model.get(symbol).cloned().unwrap_or_else(|| FuncInterp::new(default()))
    }

    fn write_definition(&self, f: &mut fmt::Formatter<'_>, symbol: Func, interp: &FuncInterp) -> fmt::Result {
        let decl = self.store.decl(symbol);
        write!(f, "  (define-fun {} (", print_symbol(&decl.name))?;
        for (i, &sort) in decl.args.iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            write!(f, "{separator}(x!{i} {})", print_sort(self.store, sort))?;
        }
        write!(f, ") {} ", print_sort(self.store, decl.result))?;
        let value = |value| print_value(self.store, value, decl.result);
        for (args, result) in &interp.entries {
            f.write_str("(ite ")?;
            self.write_case(f, args, &decl.args)?;
            write!(f, " {} ", value(result))?;
        }
        writeln!(f, "{}{})", value(&interp.default), ")".repeat(interp.entries.len()))
    }

    /// The condition that the parameters have these values.
    fn write_case(&self, f: &mut fmt::Formatter<'_>, args: &[Value], sorts: &[Sort]) -> fmt::Result {
        let equation = |i: usize| format!("(= x!{i} {})", print_value(self.store, &args[i], sorts[i]));
        match args.len() {
            0 => f.write_str("true"),
            1 => f.write_str(&equation(0)),
            n => write!(f, "(and {})", (0..n).map(equation).collect::<Vec<_>>().join(" ")),
        }
    }
}

/// The elements of uninterpreted sorts that occur in some interpretations, in order.
fn elements<'a>(interpretations: impl Iterator<Item = &'a FuncInterp>) -> BTreeSet<(Sort, u32)> {
    let mut todo: Vec<&Value> = Vec::new();
    for interp in interpretations {
        todo.push(&interp.default);
        for (args, result) in &interp.entries {
            todo.extend(args);
            todo.push(result);
        }
    }
    let mut out = BTreeSet::new();
    while let Some(value) = todo.pop() {
        match value {
            Value::Elem(sort, n) => {
                out.insert((*sort, *n));
            }
            Value::Array(array) => {
                todo.push(&array.default);
                todo.extend(array.entries.iter().flat_map(|(i, v)| [i, v]));
            }
            Value::Data(data) => todo.extend(data.fields()),
            Value::Bool(_) | Value::Num(_) | Value::Bv(..) => {}
        }
    }
    out
}
