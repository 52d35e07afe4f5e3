//! Reading sorts.
//!
//! A sort is read into postfix form, in which a defined sort with parameters is a template, and the postfix form is
//! then evaluated in the store.

use super::scope::{SortMeaning, Symbol, Template};
use super::term::Parser;
use crate::error::{Error, Span};
use crate::lexer::Token;
use crate::print::print_sort;
use bolide_base::counted;
use bolide_term::{Sort, SortKind, Store};

/// Bit-vectors may not be wider than this, so that a constant of a few characters cannot take all memory.
pub(crate) const MAX_WIDTH: u32 = 1 << 20;

/// Array sorts may not nest deeper than this; values of a sort nest as deep as it does.
const MAX_DEPTH: usize = 1000;

/// Expanding definitions may not make a sort longer than this.
const MAX_EXPANSION: usize = 100_000;

/// A sort in postfix form.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum SortOp {
    /// A parameter of the sort definition that is being read.
    Param(usize),
    Known(Sort),
    Array,
    /// A declared sort constructor applied to so many arguments.
    Declared(Box<str>, usize),
    /// A family of datatypes applied to so many arguments.
    Datatype(usize, usize),
}

/// A sort constructor whose arguments are being read.
struct Frame<'a> {
    name: &'a str,
    meaning: SortMeaning,
    /// Where in the list of argument starts its arguments begin.
    first: usize,
    start: usize,
}

/// Postfix form under construction.
#[derive(Default)]
struct Builder {
    ops: Vec<SortOp>,
    /// Where in `ops` each finished argument starts.
    starts: Vec<usize>,
}

impl Builder {
    fn push(&mut self, op: SortOp) {
        self.starts.push(self.ops.len());
        self.ops.push(op);
    }

    /// Makes one argument of those from number `first` on by appending a constructor.
    fn combine(&mut self, first: usize, op: SortOp) {
        self.starts.truncate(first + 1);
        self.ops.push(op);
    }

    /// Replaces the arguments from number `first` on by a template filled in with them.
    fn expand(&mut self, first: usize, template: &Template, span: Span) -> Result<(), Error> {
        let base = self.starts[first];
        let mut bounds = self.starts.split_off(first);
        bounds.push(self.ops.len());
        let arguments = self.ops.split_off(base);
        for op in &template.body {
            match op {
                SortOp::Param(i) => {
                    let (from, to) = (bounds[*i] - base, bounds[*i + 1] - base);
                    self.ops.extend_from_slice(&arguments[from..to]);
                }
                op => self.ops.push(op.clone()),
            }
            if self.ops.len() > MAX_EXPANSION {
                return Err(Error::new(span, "this sort is too large when its definitions are expanded"));
            }
        }
        self.starts.push(base);
        Ok(())
    }
}

impl<'a> Parser<'_, 'a> {
    /// Reads a sort.
    pub(super) fn sort(&mut self) -> Result<Sort, Error> {
        if let Token::Symbol(name) = self.lexer.next()? {
            let symbol = self.scope.symbol(name, false);
            match self.scope.sort_meaning(symbol) {
                SortMeaning::Known(sort) => return Ok(sort),
                SortMeaning::Unknown => {
                    if let Some(sort) = self.float_sort_named(name) {
                        return Ok(sort);
                    }
                }
                _ => {}
            }
        }
        self.lexer.unread();
        let from = self.lexer.end();
        let ops = self.sort_in_postfix(&[])?;
        let span = Span::new(from, self.lexer.end());
        self.evaluate(ops, span)
    }

    /// Reads a sort in which parameters may occur.
    pub(super) fn sort_in_postfix(&mut self, params: &[Symbol]) -> Result<Vec<SortOp>, Error> {
        let mut out = Builder::default();
        let mut frames: Vec<Frame<'a>> = Vec::new();
        loop {
            match self.lexer.next()? {
                Token::Symbol(name) => self.sort_symbol(&mut out, name, false, params)?,
                Token::Quoted(name) => self.sort_symbol(&mut out, name, true, params)?,
                Token::Open => self.open_sort(&mut out, &mut frames)?,
                Token::Close if !frames.is_empty() => {
                    if let Some(frame) = frames.pop() {
                        self.close_sort(&mut out, frame)?;
                    }
                }
                other => return Err(Error::expected(self.lexer.span(), "a sort", other)),
            }
            if frames.is_empty() {
                return Ok(out.ops);
            }
        }
    }

    fn sort_symbol(
        &mut self,
        out: &mut Builder,
        name: &str,
        quoted: bool,
        params: &[Symbol],
    ) -> Result<(), Error> {
        let symbol = self.scope.symbol(name, quoted);
        if let Some(i) = params.iter().position(|&p| p == symbol) {
            out.push(SortOp::Param(i));
            return Ok(());
        }
        let meaning = match self.scope.sort_meaning(symbol) {
            SortMeaning::Unknown => {
                self.float_sort_named(name).map_or(SortMeaning::Unknown, SortMeaning::Known)
            }
            meaning => meaning,
        };
        let arity = match meaning {
            SortMeaning::Known(sort) => {
                out.push(SortOp::Known(sort));
                return Ok(());
            }
            SortMeaning::Unknown if self.scope.forward.allowed => {
                let sort = self.forward_sort(name, symbol);
                out.push(SortOp::Known(sort));
                return Ok(());
            }
            SortMeaning::Unknown => return Err(self.unknown_sort(name)),
            SortMeaning::Array => 2,
            SortMeaning::Declared(arity) => arity,
            SortMeaning::Template(n) => self.scope.templates[n].arity,
            SortMeaning::Datatype(n) => self.scope.families[n].arity,
        };
        Err(wrong_sort_arity(self.lexer.span(), name, arity, 0))
    }

    fn unknown_sort(&self, name: &str) -> Error {
        Error {
            expected: Some("a sort".into()),
            ..Error::new(self.lexer.span(), format!("unknown sort `{name}`"))
        }
    }

    /// Reads on after the opening parenthesis of a sort.
    fn open_sort(&mut self, out: &mut Builder, frames: &mut Vec<Frame<'a>>) -> Result<(), Error> {
        let start = self.lexer.start();
        let (name, quoted) = match self.lexer.next()? {
            Token::Symbol("_") => {
                let sort = self.indexed_sort()?;
                out.push(SortOp::Known(sort));
                return Ok(());
            }
            Token::Symbol(name) => (name, false),
            Token::Quoted(name) => (name, true),
            other => return Err(Error::expected(self.lexer.span(), "a sort constructor", other)),
        };
        let symbol = self.scope.symbol(name, quoted);
        let meaning = self.scope.sort_meaning(symbol);
        match meaning {
            SortMeaning::Unknown => return Err(self.unknown_sort(name)),
            SortMeaning::Known(_) => {
                let message = format!("sort `{name}` takes no arguments");
                return Err(Error::new(self.lexer.span(), message));
            }
            _ => frames.push(Frame { name, meaning, first: out.starts.len(), start }),
        }
        Ok(())
    }

    /// `(_ BitVec n)` or `(_ FloatingPoint e s)`, of which `(_` has been read.
    fn indexed_sort(&mut self) -> Result<Sort, Error> {
        match self.lexer.next()? {
            Token::Symbol("BitVec") => {}
            Token::Symbol("FloatingPoint") => {
                let format = self.format_indices()?;
                return Ok(self.store.float_sort(format));
            }
            other => {
                return Err(Error::expected(self.lexer.span(), "`BitVec` or `FloatingPoint`", other));
            }
        }
        let width = self.index()?;
        let span = self.lexer.span();
        self.close()?;
        check_width(u64::from(width), span)?;
        Ok(self.store.bv_sort(width))
    }

    fn close_sort(&mut self, out: &mut Builder, frame: Frame<'a>) -> Result<(), Error> {
        let count = out.starts.len() - frame.first;
        let span = Span::new(frame.start, self.lexer.end());
        let check = |arity: usize| {
            if count == arity { Ok(()) } else { Err(wrong_sort_arity(span, frame.name, arity, count)) }
        };
        match frame.meaning {
            SortMeaning::Array => {
                check(2)?;
                out.combine(frame.first, SortOp::Array);
            }
            SortMeaning::Declared(arity) => {
                check(arity)?;
                out.combine(frame.first, SortOp::Declared(frame.name.into(), arity));
            }
            SortMeaning::Template(n) => {
                let template = &self.scope.templates[n];
                check(template.arity)?;
                out.expand(frame.first, template, span)?;
            }
            SortMeaning::Datatype(n) => {
                let arity = self.scope.families[n].arity;
                check(arity)?;
                out.combine(frame.first, SortOp::Datatype(n, arity));
            }
            SortMeaning::Unknown | SortMeaning::Known(_) => {}
        }
        Ok(())
    }

    /// The sort that a postfix form without parameters denotes.
    pub(super) fn evaluate(&mut self, ops: Vec<SortOp>, span: Span) -> Result<Sort, Error> {
        let mut failed = None;
        let sort = self.evaluate_in(ops, &[], span, &mut |parser, family, params| {
            parser.family_member(family, params, span).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                Sort::BOOL
            })
        })?;
        failed.map_or(Ok(sort), Err)
    }

    /// The sort that a postfix form denotes with these sorts for its parameters.
    pub(super) fn evaluate_in(
        &mut self,
        ops: Vec<SortOp>,
        params: &[Sort],
        span: Span,
        member: &mut dyn FnMut(&mut Self, usize, Vec<Sort>) -> Sort,
    ) -> Result<Sort, Error> {
        let mut stack: Vec<(Sort, usize)> = Vec::new();
        for op in ops {
            let value = match op {
                SortOp::Known(sort) => (sort, array_depth(self.store, sort)),
                SortOp::Array => match (stack.pop(), stack.pop()) {
                    (Some((element, d)), Some((index, e))) => {
                        (self.store.array_sort(index, element), d.max(e) + 1)
                    }
                    _ => continue,
                },
                SortOp::Declared(name, arity) => {
                    let args = stack.split_off(stack.len() - arity);
                    (self.declared_instance(&name, &args), 0)
                }
                SortOp::Datatype(family, arity) => {
                    let args = stack.split_off(stack.len() - arity);
                    (member(self, family, args.into_iter().map(|(sort, _)| sort).collect()), 0)
                }
                SortOp::Param(i) => match params.get(i) {
                    Some(&sort) => (sort, array_depth(self.store, sort)),
                    None => continue,
                },
            };
            if value.1 > MAX_DEPTH {
                return Err(Error::new(span, format!("array sorts nest deeper than {MAX_DEPTH}")));
            }
            stack.push(value);
        }
        stack.pop().map(|(sort, _)| sort).ok_or_else(|| Error::new(span, "an empty sort"))
    }

    /// A declared sort constructor applied to sorts is an uninterpreted sort whose name is the application.
    fn declared_instance(&mut self, name: &str, args: &[(Sort, usize)]) -> Sort {
        let mut instance = format!("({name}");
        for (sort, _) in args {
            instance.push(' ');
            instance.push_str(&print_sort(self.store, *sort).to_string().replace('|', ""));
        }
        instance.push(')');
        let sort = self.store.uninterpreted_sort(&instance);
        let symbol = self.scope.symbol(&instance, true);
        if self.scope.sort_meaning(symbol) == SortMeaning::Unknown {
            self.scope.set_sort(symbol, SortMeaning::Known(sort));
        }
        sort
    }
}

fn wrong_sort_arity(span: Span, name: &str, arity: usize, found: usize) -> Error {
    Error::new(span, format!("sort `{name}` takes {}, not {found}", counted(arity, "argument", "arguments")))
}

/// Widths must be positive and not enormous.
pub(super) fn check_width(width: u64, span: Span) -> Result<(), Error> {
    if width == 0 {
        Err(Error::new(span, "a bit-vector has at least one bit"))
    } else if width > u64::from(MAX_WIDTH) {
        Err(Error::new(span, format!("bit-vectors wider than {MAX_WIDTH} bits are not supported")))
    } else {
        Ok(())
    }
}

/// How deep array sorts nest in a sort, counted up to one more than the limit.
fn array_depth(store: &Store, sort: Sort) -> usize {
    let mut depth = 0;
    let mut layer = vec![sort];
    while depth <= MAX_DEPTH {
        let mut next = Vec::new();
        for &sort in &layer {
            if let SortKind::Array(index, element) = store.sort_kind(sort) {
                next.extend([*index, *element]);
            }
        }
        if next.is_empty() {
            break;
        }
        next.sort_unstable();
        next.dedup();
        layer = next;
        depth += 1;
    }
    depth
}
