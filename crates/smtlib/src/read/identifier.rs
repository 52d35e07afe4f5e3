//! Indexed and qualified identifiers: `(_ f i ...)` and `(as f S)`.

use super::builtin::Indexed;
use super::scope::Meaning;
use super::sort::check_width;
use super::term::{Head, Parser};
use crate::error::Error;
use crate::lexer::Token;
use crate::print::print_sort;
use bolide_base::{Rational, UBig};
use bolide_term::{Sort, Term};

impl Parser<'_, '_> {
    /// `(_ bvN w)`, of which `(_` has been read.
    pub(super) fn indexed_constant(&mut self) -> Result<Term, Error> {
        let (name, _) = self.symbol("an indexed identifier")?;
        let span = self.lexer.span();
        if let Some(constant) = self.float_constant(name) {
            return constant;
        }
        let digits =
            name.strip_prefix("bv").filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
        let Some(digits) = digits else {
            let message = match Indexed::ALL.iter().any(|i| i.name() == name) || name == "divisible" {
                true => format!("`{name}` needs arguments"),
                false => format!("unknown indexed identifier `{name}`"),
            };
            return Err(Error::new(span, message));
        };
        let width = self.index()?;
        let width_span = self.lexer.span();
        self.close()?;
        check_width(u64::from(width), width_span)?;
        let value = UBig::from_str_radix(digits, 10).map_err(|_| Error::new(span, "a malformed number"))?;
        Ok(self.store.bv_const(width, value))
    }

    /// `(as x S)`, of which `(as` has been read.
    pub(super) fn qualified_constant(&mut self) -> Result<Term, Error> {
        let (name, quoted) = self.symbol("a symbol")?;
        let span = self.lexer.span();
        if name == "const" && !quoted {
            return Err(Error::new(span, "`const` needs an argument, as in `((as const S) v)`"));
        }
        let symbol = self.scope.symbol(name, quoted);
        if let Meaning::Constructor(place) = self.scope.meaning(symbol) {
            let sort = self.sort()?;
            self.close()?;
            return self.sorted_constructor(place, name, sort, span);
        }
        let term = self.constant(name, quoted)?;
        let sort = self.sort()?;
        self.close()?;
        self.coerced(term, sort).ok_or_else(|| self.sort_mismatch(span, sort, term, "`as`"))
    }

    /// `(_ f i ...)` or `(as f S)` in the place of a function symbol; its parenthesis has been read.
    pub(super) fn qualified_head(&mut self) -> Result<Head, Error> {
        match self.lexer.next()? {
            Token::Symbol("_") => self.indexed_head(),
            Token::Symbol("as") => self.sorted_head(),
            other => Err(Error::expected(self.lexer.span(), "`_` or `as`", other)),
        }
    }

    fn indexed_head(&mut self) -> Result<Head, Error> {
        let (name, _) = self.symbol("an indexed function symbol")?;
        let span = self.lexer.span();
        if name == "divisible" {
            return self.divisible();
        }
        if name == "is" {
            return self.tester_head();
        }
        let Some(&indexed) = Indexed::ALL.iter().find(|i| i.name() == name) else {
            return Err(Error::new(span, format!("unknown indexed function symbol `{name}`")));
        };
        let i = self.index()?;
        let j = if indexed.indices() == 2 { self.index()? } else { 0 };
        self.close()?;
        Ok(Head::Indexed(indexed, i, j))
    }

    /// The rest of `(_ divisible n)`.
    fn divisible(&mut self) -> Result<Head, Error> {
        let digits = match self.lexer.next()? {
            Token::Numeral(digits) => digits,
            other => return Err(Error::expected(self.lexer.span(), "a numeral", other)),
        };
        let divisor = self.number(digits, Sort::INT)?;
        if self.store.as_num(divisor).is_some_and(Rational::is_zero) {
            return Err(Error::new(self.lexer.span(), "`divisible` needs a positive numeral"));
        }
        self.close()?;
        Ok(Head::Divisible(divisor))
    }

    /// The rest of `(as f S)`.
    fn sorted_head(&mut self) -> Result<Head, Error> {
        let (name, quoted) = self.symbol("a function symbol")?;
        let span = self.lexer.span();
        let symbol = self.scope.symbol(name, quoted);
        let meaning = self.scope.meaning(symbol);
        let sort = self.sort()?;
        self.close()?;
        match meaning {
            Meaning::Func(f) if self.store.decl(f).result == sort => Ok(Head::Func(f)),
            Meaning::Constructor(place) => {
                self.check_member(place.family, name, sort, span)?;
                Ok(Head::Constructor(place, Some(sort)))
            }
            Meaning::Func(f) => {
                let result = print_sort(self.store, self.store.decl(f).result).to_string();
                Err(Error::new(span, format!("`{name}` has result sort {result}")))
            }
            _ if name == "const" && self.store.array_sorts(sort).is_some() => Ok(Head::ConstArray(sort)),
            _ if name == "const" => Err(Error::new(span, "`const` needs an array sort")),
            _ => Err(self.unknown_symbol(name)),
        }
    }
}
