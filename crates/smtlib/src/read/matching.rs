//! `match`: a choice between the constructors of a datatype.
//!
//! It becomes a chain of `ite`. While its cases are read, the operands are the term that is matched and, for each case so
//! far, its condition and its value.

use super::datatypes::ConstructorRef;
use super::scope::Meaning;
use super::term::Parser;
use crate::error::{Error, Span};
use crate::lexer::Token;
use bolide_term::{Sort, Term};

/// A `match` whose cases are being read.
#[derive(Debug, Default)]
pub(super) struct Cases {
    /// For each constructor: is there a case for it?
    covered: Vec<bool>,
    /// Was there a case for everything?
    complete: bool,
}

impl<'a> Parser<'_, 'a> {
    /// After the term that is matched, operand number `first`.
    pub(super) fn open_cases(&mut self, first: usize) -> Result<(), Error> {
        let sort = self.store.sort_of(self.stacks.terms[first]);
        let count = self.store.constructor_count(sort);
        if count == 0 {
            return Err(Error::expected(self.stacks.spans[first], "a term of a datatype", "another"));
        }
        self.stacks.cases.push(Cases { covered: vec![false; count], complete: false });
        self.open_paren("the cases of `match`")?;
        self.open_paren("a case")?;
        self.pattern(first)
    }

    /// After the value of a case: reads on to the value of the next one, or ends the `match` with the term that it is.
    pub(super) fn next_case(&mut self, first: usize, start: usize) -> Result<Option<Term>, Error> {
        self.close()?;
        let result = self.stacks.terms.len() - 1;
        if result > first + 2 {
            let sort = self.store.sort_of(self.stacks.terms[first + 2]);
            self.expect(result, sort, "`match`")?;
        }
        match self.lexer.next()? {
            Token::Open => {
                self.pattern(first)?;
                Ok(None)
            }
            Token::Close => {
                self.close()?;
                let span = Span::new(start, self.lexer.end());
                let cases = self.stacks.cases.pop().unwrap_or_default();
                if !cases.complete && cases.covered.contains(&false) {
                    return Err(Error::new(span, "this `match` has no case for some constructor"));
                }
                let operands = &self.stacks.terms[first + 1..];
                let mut chosen = operands[operands.len() - 1];
                for case in operands.chunks(2).rev().skip(1) {
                    chosen = self.store.ite(case[0], case[1], chosen);
                }
                Ok(Some(chosen))
            }
            other => Err(Error::expected(self.lexer.span(), "a case or `)`", other)),
        }
    }

    /// Reads the pattern of a case after its parenthesis, binds its variables, and leaves its condition as an operand.
    fn pattern(&mut self, first: usize) -> Result<(), Error> {
        let matched = self.stacks.terms[first];
        let start = self.lexer.start();
        let condition = match self.lexer.next()? {
            Token::Symbol("_") => self.case_for_all(),
            Token::Symbol(name) => self.pattern_symbol(name, false, matched)?,
            Token::Quoted(name) => self.pattern_symbol(name, true, matched)?,
            Token::Open => {
                let (name, quoted) = self.symbol("a constructor")?;
                let place = self.pattern_constructor(name, quoted, matched)?;
                let Some(place) = place else {
                    return Err(Error::expected(self.lexer.span(), "a constructor", format!("`{name}`")));
                };
                self.bind_fields(place, matched)?;
                self.case_for(place, matched)
            }
            other => return Err(Error::expected(self.lexer.span(), "a pattern", other)),
        };
        self.stacks.terms.push(condition);
        self.stacks.spans.push(Span::new(start, self.lexer.end()));
        Ok(())
    }

    fn case_for_all(&mut self) -> Term {
        if let Some(cases) = self.stacks.cases.last_mut() {
            cases.complete = true;
        }
        self.store.tru()
    }

    fn case_for(&mut self, place: ConstructorRef, matched: Term) -> Term {
        if let Some(cases) = self.stacks.cases.last_mut() {
            cases.covered[place.constructor as usize] = true;
        }
        self.store.is_constructor(place.constructor, matched)
    }

    /// The constructor of the type of a term that a name stands for.
    fn pattern_constructor(
        &mut self,
        name: &str,
        quoted: bool,
        matched: Term,
    ) -> Result<Option<ConstructorRef>, Error> {
        let symbol = self.scope.symbol(name, quoted);
        let Meaning::Constructor(place) = self.scope.meaning(symbol) else { return Ok(None) };
        self.check_member(place.family, name, self.store.sort_of(matched), self.lexer.span())?;
        Ok(Some(place))
    }

    fn pattern_symbol(&mut self, name: &str, quoted: bool, matched: Term) -> Result<Term, Error> {
        if let Some(place) = self.pattern_constructor(name, quoted, matched)? {
            let sort: Sort = self.store.sort_of(matched);
            if !self.store.constructor(sort, place.constructor).fields.is_empty() {
                return Err(Error::new(self.lexer.span(), format!("`{name}` has fields")));
            }
            return Ok(self.case_for(place, matched));
        }
        self.bind_variable(name, quoted, matched)?;
        Ok(self.case_for_all())
    }

    fn bind_variable(&mut self, name: &str, quoted: bool, term: Term) -> Result<(), Error> {
        let symbol = self.scope.symbol(name, quoted);
        if let Meaning::Reserved(_) = self.scope.meaning(symbol) {
            return Err(Error::expected(self.lexer.span(), "a variable", format!("`{name}`")));
        }
        let binder = self.scope.new_binder();
        self.scope.bind(symbol, term, binder);
        Ok(())
    }

    /// Binds the variables of a pattern to the fields, up to the closing parenthesis.
    fn bind_fields(&mut self, place: ConstructorRef, matched: Term) -> Result<(), Error> {
        let sort = self.store.sort_of(matched);
        let count = self.store.constructor(sort, place.constructor).fields.len();
        for i in 0..count {
            let (name, quoted) = self.symbol("a variable for each field")?;
            if name != "_" || quoted {
                let field = self.store.field(place.constructor, i as u32, matched);
                self.bind_variable(name, quoted, field)?;
            }
        }
        self.close()
    }
}
