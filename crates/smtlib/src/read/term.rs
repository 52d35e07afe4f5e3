//! Reading terms: a state machine with an explicit stack.
//!
//! Finished terms wait on an operand stack. A [`Frame`] is a parenthesis that is still open; when it closes, it takes
//! its operands off the stack and leaves one term there. After every finished term the innermost frame decides what
//! may follow ([`Parser::after_operand`]).

use super::builtin::{Builtin, Indexed, Reserved};
use super::datatypes::ConstructorRef;
use super::matching::Cases;
use super::scope::{Meaning, Scope, Symbol};
use super::sort::check_width;
use crate::error::{Error, Span};
use crate::lexer::{Lexer, Token};
use bolide_base::{Rational, UBig};
use bolide_term::{Func, Sort, Store, Term};
use rustc_hash::FxHashSet;

/// What an application applies.
#[derive(Copy, Clone, Debug)]
pub(super) enum Head {
    Builtin(Builtin),
    Indexed(Indexed, u32, u32),
    Func(Func),
    Macro(usize),
    /// `(as const S)`
    ConstArray(Sort),
    /// `(_ divisible n)`, with the numeral `n`.
    Divisible(Term),
    /// A constructor, with the sort that `as` gives it.
    Constructor(ConstructorRef, Option<Sort>),
    /// A selector of a constructor, by the position of the field.
    Selector(ConstructorRef, u32),
    /// `(_ is c)`
    Tester(ConstructorRef),
}

/// A parenthesis that is still open. `start` is its offset.
#[derive(Copy, Clone, Debug)]
enum Frame {
    /// Arguments are the operands from number `first` on.
    Apply { head: Head, first: usize, start: usize },
    /// Values of `let` are the operands from number `first` on, their names the names from `names` on.
    LetValues { first: usize, names: usize, start: usize },
    /// The body of `let`, with the number of local bindings outside it.
    LetBody { locals: usize, start: usize },
    /// The body of a quantifier whose variables are `count` operands from number `first` on.
    Quantifier { forall: bool, first: usize, count: usize, locals: usize, start: usize },
    /// The term of an annotation.
    Annotated { start: usize },
    /// The term that `match` looks at, operand number `first`.
    Matched { first: usize, start: usize },
    /// The value of a case of `match`, with the number of local bindings outside it.
    Case { first: usize, locals: usize, start: usize },
}

/// The stacks of the term reader, kept between terms so that their memory is used again.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    pub(super) terms: Vec<Term>,
    /// Where each operand stands in the text.
    pub(super) spans: Vec<Span>,
    frames: Vec<Frame>,
    /// Names of `let` bindings whose values are being read.
    names: Vec<(Symbol, Span)>,
    /// Variables of all quantifiers of the command, and parameters of the definition.
    pub(super) bound: Vec<Term>,
    /// Parameters of the definition whose body is being read.
    pub(super) params: Vec<Term>,
    /// The `match`es whose cases are being read.
    pub(super) cases: Vec<Cases>,
    /// The formulas of the command that have names, the inner ones first.
    pub(super) labels: Vec<(String, Term)>,
}

impl Stacks {
    pub(super) fn clear(&mut self) {
        self.terms.clear();
        self.spans.clear();
        self.frames.clear();
        self.names.clear();
        self.bound.clear();
        self.params.clear();
        self.cases.clear();
        self.labels.clear();
    }
}

/// A term as it was read.
#[derive(Clone, Debug)]
pub(super) struct ReadTerm {
    pub(super) term: Term,
    pub(super) span: Span,
    /// The name that an annotation around the whole term gives it.
    pub(super) name: Option<String>,
}

/// Everything that reading a command needs at hand.
pub(super) struct Parser<'p, 'a> {
    pub(super) lexer: &'p mut Lexer<'a>,
    pub(super) store: &'p mut Store,
    pub(super) scope: &'p mut Scope,
    pub(super) stacks: &'p mut Stacks,
}

impl<'a> Parser<'_, 'a> {
    /// Reads one term.
    pub(super) fn term(&mut self) -> Result<ReadTerm, Error> {
        loop {
            let finished = match self.lexer.next()? {
                Token::Open => self.open()?,
                Token::Close => self.close_application()?,
                atom => self.atom(atom)?,
            };
            if finished && let Some(read) = self.after_operand()? {
                return Ok(read);
            }
        }
    }

    /// Reads one term of a given sort, after coercion.
    pub(super) fn term_of_sort(&mut self, sort: Sort, place: &str) -> Result<ReadTerm, Error> {
        let read = self.term()?;
        match self.coerced(read.term, sort) {
            Some(term) => Ok(ReadTerm { term, ..read }),
            None => Err(self.sort_mismatch(read.span, sort, read.term, place)),
        }
    }

    /// Puts a finished term on the operand stack.
    fn push(&mut self, term: Term, start: usize) -> Result<bool, Error> {
        self.stacks.terms.push(term);
        self.stacks.spans.push(Span::new(start, self.lexer.end()));
        Ok(true)
    }

    /// A term that is one token.
    fn atom(&mut self, token: Token<'a>) -> Result<bool, Error> {
        let start = self.lexer.start();
        let term = match token {
            Token::Symbol(name) => self.constant(name, false)?,
            Token::Quoted(name) => self.constant(name, true)?,
            Token::Numeral(digits) => {
                let sort = if self.scope.numerals_are_real { Sort::REAL } else { Sort::INT };
                self.number(digits, sort)?
            }
            Token::Decimal(digits) => self.number(digits, Sort::REAL)?,
            Token::Hex(digits) => self.bit_constant(digits, 16, 4)?,
            Token::Binary(digits) => self.bit_constant(digits, 2, 1)?,
            Token::Str(_) => return Err(Error::new(self.lexer.span(), "string literals are not supported")),
            other => return Err(Error::expected(self.lexer.span(), "a term", other)),
        };
        self.push(term, start)
    }

    pub(super) fn number(&mut self, digits: &str, sort: Sort) -> Result<Term, Error> {
        if let Ok(value) = digits.parse::<i64>() {
            if let Some(term) = self.scope.small_numeral(value, sort) {
                return Ok(term);
            }
            let term = self.store.num(Rational::from(value), sort);
            self.scope.remember_numeral(value, sort, term);
            return Ok(term);
        }
        let value =
            Rational::parse(digits).ok_or_else(|| Error::new(self.lexer.span(), "a malformed number"))?;
        Ok(self.store.num(value, sort))
    }

    fn bit_constant(&mut self, digits: &str, radix: u32, bits_per_digit: u64) -> Result<Term, Error> {
        let width = digits.len() as u64 * bits_per_digit;
        check_width(width, self.lexer.span())?;
        let value = UBig::from_str_radix(digits, radix)
            .map_err(|_| Error::new(self.lexer.span(), "a malformed bit-vector constant"))?;
        Ok(self.store.bv_const(width as u32, value))
    }

    /// The term that a symbol without arguments denotes.
    pub(super) fn constant(&mut self, name: &str, quoted: bool) -> Result<Term, Error> {
        let symbol = self.scope.symbol(name, quoted);
        match self.scope.meaning(symbol) {
            Meaning::Constant(_, term) | Meaning::Term(term) | Meaning::Local(term, _) => Ok(term),
            Meaning::Builtin(Builtin::True) => Ok(self.store.tru()),
            Meaning::Builtin(Builtin::False) => Ok(self.store.fls()),
            Meaning::Constructor(place) => self.constructor_constant(place, name),
            Meaning::Func(_) | Meaning::Macro(_) | Meaning::Builtin(_) | Meaning::Selector(..) => {
                Err(Error::new(self.lexer.span(), format!("`{name}` needs arguments")))
            }
            Meaning::Reserved(_) => Err(Error::expected(self.lexer.span(), "a term", format!("`{name}`"))),
            Meaning::Unknown => self.rounding_mode_named(name).ok_or_else(|| self.unknown_symbol(name)),
        }
    }

    pub(super) fn unknown_symbol(&self, name: &str) -> Error {
        let mut message = format!("unknown symbol `{name}`");
        if let Some(digits) = name.strip_prefix('-')
            && digits.starts_with(|c: char| c.is_ascii_digit())
        {
            message.push_str(&format!("; a negative number is written `(- {digits})`"));
        }
        Error::new(self.lexer.span(), message)
    }

    /// Reads on after an opening parenthesis, up to where the next term starts or, if this was a whole term without
    /// terms in it, to its end. Says whether it was.
    fn open(&mut self) -> Result<bool, Error> {
        let start = self.lexer.start();
        let (name, quoted) = match self.lexer.next()? {
            Token::Symbol(name) => (name, false),
            Token::Quoted(name) => (name, true),
            Token::Open => {
                let head = self.qualified_head()?;
                return self.open_application(head, start);
            }
            other => return Err(Error::expected(self.lexer.span(), "a function symbol", other)),
        };
        let symbol = self.scope.symbol(name, quoted);
        let head = match self.scope.meaning(symbol) {
            Meaning::Builtin(builtin) => Head::Builtin(builtin),
            Meaning::Func(f) => Head::Func(f),
            Meaning::Macro(n) => Head::Macro(n),
            Meaning::Constructor(place) => Head::Constructor(place, None),
            Meaning::Selector(place, field) => Head::Selector(place, field),
            Meaning::Reserved(word) => return self.open_reserved(word, start),
            Meaning::Unknown => match self.tester_by_name(name, quoted) {
                Some(place) => Head::Tester(place),
                None => return Err(self.unknown_symbol(name)),
            },
            Meaning::Constant(..) | Meaning::Term(_) | Meaning::Local(..) => {
                return Err(Error::new(self.lexer.span(), format!("`{name}` is not a function")));
            }
        };
        self.open_application(head, start)
    }

    #[inline]
    fn open_application(&mut self, head: Head, start: usize) -> Result<bool, Error> {
        let first = self.stacks.terms.len();
        self.stacks.frames.push(Frame::Apply { head, first, start });
        Ok(false)
    }

    fn open_reserved(&mut self, word: Reserved, start: usize) -> Result<bool, Error> {
        match word {
            Reserved::Let => self.open_let(start),
            Reserved::Forall => self.open_quantifier(true, start),
            Reserved::Exists => self.open_quantifier(false, start),
            Reserved::Annotate => {
                self.stacks.frames.push(Frame::Annotated { start });
                Ok(false)
            }
            Reserved::Index => {
                let term = self.indexed_constant()?;
                self.push(term, start)
            }
            Reserved::As => {
                let term = self.qualified_constant()?;
                self.push(term, start)
            }
            Reserved::Match => {
                let first = self.stacks.terms.len();
                self.stacks.frames.push(Frame::Matched { first, start });
                Ok(false)
            }
            Reserved::Par | Reserved::Lambda => {
                Err(Error::new(self.lexer.span(), format!("`{}` is not supported", word.name())))
            }
        }
    }

    /// Closes an application and leaves its value.
    fn close_application(&mut self) -> Result<bool, Error> {
        let Some(&Frame::Apply { head, first, start }) = self.stacks.frames.last() else {
            return Err(Error::expected(self.lexer.span(), "a term", "`)`"));
        };
        let span = Span::new(start, self.lexer.end());
        let term = self.apply(head, first, span)?;
        self.stacks.frames.pop();
        self.stacks.terms.truncate(first);
        self.stacks.spans.truncate(first);
        self.push(term, start)
    }

    /// Reads what must follow the term that was just finished. If it was the outermost one, hands it out.
    fn after_operand(&mut self) -> Result<Option<ReadTerm>, Error> {
        let mut name = None;
        loop {
            match self.stacks.frames.last() {
                Some(Frame::Apply { .. }) => return Ok(None),
                Some(&Frame::LetValues { first, names, start }) => {
                    self.close()?;
                    self.next_let_value(first, names, start)?;
                    return Ok(None);
                }
                Some(&Frame::LetBody { locals, start }) => {
                    self.close()?;
                    self.scope.unbind(locals);
                    self.stretch(start);
                }
                Some(&Frame::Quantifier { forall, first, locals, start, .. }) => {
                    self.close_quantifier(forall, first, start)?;
                    self.scope.unbind(locals);
                }
                Some(&Frame::Annotated { start }) => {
                    name = self.attributes()?;
                    self.stretch(start);
                    self.stacks.frames.pop();
                    continue;
                }
                Some(&Frame::Matched { first, start }) => {
                    let locals = self.scope.num_locals();
                    self.open_cases(first)?;
                    self.stacks.frames.pop();
                    self.stacks.frames.push(Frame::Case { first, locals, start });
                    return Ok(None);
                }
                Some(&Frame::Case { first, locals, start }) => {
                    self.scope.unbind(locals);
                    let Some(term) = self.next_case(first, start)? else { return Ok(None) };
                    self.stacks.terms.truncate(first);
                    self.stacks.spans.truncate(first);
                    self.push(term, start)?;
                }
                None => {
                    let popped = self.stacks.terms.pop().zip(self.stacks.spans.pop());
                    return Ok(popped.map(|(term, span)| ReadTerm { term, span, name }));
                }
            }
            name = None;
            self.stacks.frames.pop();
        }
    }

    /// The operand on top now reaches from `start` to the last token.
    fn stretch(&mut self, start: usize) {
        if let Some(span) = self.stacks.spans.last_mut() {
            *span = Span::new(start, self.lexer.end());
        }
    }

    fn open_let(&mut self, start: usize) -> Result<bool, Error> {
        self.open_paren("the bindings of `let`")?;
        let (first, names) = (self.stacks.terms.len(), self.stacks.names.len());
        self.stacks.frames.push(Frame::LetValues { first, names, start });
        self.next_let_value(first, names, start)?;
        Ok(false)
    }

    /// Between the bindings of `let`: either opens another one or starts the body.
    fn next_let_value(&mut self, first: usize, names: usize, start: usize) -> Result<(), Error> {
        match self.lexer.next()? {
            Token::Open => {
                let (name, quoted) = self.symbol("a variable")?;
                let symbol = self.scope.symbol(name, quoted);
                if let Meaning::Reserved(_) = self.scope.meaning(symbol) {
                    return Err(Error::expected(self.lexer.span(), "a variable", format!("`{name}`")));
                }
                self.stacks.names.push((symbol, self.lexer.span()));
                Ok(())
            }
            Token::Close => {
                let locals = self.scope.num_locals();
                let binder = self.scope.new_binder();
                for i in 0..self.stacks.names.len() - names {
                    let (symbol, span) = self.stacks.names[names + i];
                    if !self.scope.bind(symbol, self.stacks.terms[first + i], binder) {
                        return Err(Error::new(span, "this variable is bound twice by the same `let`"));
                    }
                }
                self.stacks.names.truncate(names);
                self.stacks.terms.truncate(first);
                self.stacks.spans.truncate(first);
                self.stacks.frames.pop();
                self.stacks.frames.push(Frame::LetBody { locals, start });
                Ok(())
            }
            other => Err(Error::expected(self.lexer.span(), "a binding or `)`", other)),
        }
    }

    fn open_quantifier(&mut self, forall: bool, start: usize) -> Result<bool, Error> {
        let first = self.stacks.terms.len();
        let locals = self.scope.num_locals();
        let variables = self.sorted_variables()?;
        let count = variables.len();
        for (term, span) in variables {
            self.stacks.terms.push(term);
            self.stacks.spans.push(span);
        }
        self.stacks.frames.push(Frame::Quantifier { forall, first, count, locals, start });
        Ok(false)
    }

    fn close_quantifier(&mut self, forall: bool, first: usize, start: usize) -> Result<(), Error> {
        let body = self.stacks.terms.len() - 1;
        self.expect(body, Sort::BOOL, if forall { "`forall`" } else { "`exists`" })?;
        self.close()?;
        let (variables, rest) = self.stacks.terms[first..].split_at(body - first);
        let term = if forall {
            self.store.forall(variables, rest[0])
        } else {
            self.store.exists(variables, rest[0])
        };
        self.stacks.terms.truncate(first);
        self.stacks.spans.truncate(first);
        self.push(term, start)?;
        Ok(())
    }

    /// Reads `((x S) ...)` and binds every symbol to a constant of its own.
    pub(super) fn sorted_variables(&mut self) -> Result<Vec<(Term, Span)>, Error> {
        self.open_paren("a list of variables")?;
        let mut symbols = Vec::new();
        let mut variables = Vec::new();
        loop {
            match self.lexer.next()? {
                Token::Open => {}
                Token::Close => break,
                other => return Err(Error::expected(self.lexer.span(), "a variable with its sort", other)),
            }
            let (name, quoted) = self.symbol("a variable")?;
            let span = self.lexer.span();
            let symbol = self.scope.symbol(name, quoted);
            if let Meaning::Reserved(_) = self.scope.meaning(symbol) {
                return Err(Error::expected(span, "a variable", format!("`{name}`")));
            }
            let sort = self.sort()?;
            self.close()?;
            symbols.push(symbol);
            variables.push((self.bound_variable(name, sort), span));
        }
        let binder = self.scope.new_binder();
        for (symbol, &(term, span)) in symbols.into_iter().zip(&variables) {
            if !self.scope.bind(symbol, term, binder) {
                return Err(Error::new(span, "this variable is bound twice by the same list"));
            }
        }
        Ok(variables)
    }

    /// A new constant for a bound variable, named after it.
    pub(super) fn bound_variable(&mut self, name: &str, sort: Sort) -> Term {
        loop {
            let term = self.store.fresh_var(without_number(name), sort);
            let unused = |f| self.scope.add_bound(&self.store.decl(f).name);
            if self.store.as_var(term).is_none_or(unused) {
                self.stacks.bound.push(term);
                return term;
            }
        }
    }

    /// Reads the attributes of an annotation up to its closing parenthesis, and names the term if they do.
    fn attributes(&mut self) -> Result<Option<String>, Error> {
        let mut name = None;
        let mut none_yet = true;
        loop {
            match self.lexer.next()? {
                Token::Keyword(":named") => {
                    let (text, quoted) = self.symbol("a name")?;
                    self.name_operand(text, quoted)?;
                    name = Some(text.to_owned());
                }
                Token::Keyword(_) => self.skip_attribute_value()?,
                Token::Close if !none_yet => return Ok(name),
                other => return Err(Error::expected(self.lexer.span(), "an attribute", other)),
            }
            none_yet = false;
        }
    }

    /// Skips the value of an attribute if there is one.
    pub(super) fn skip_attribute_value(&mut self) -> Result<(), Error> {
        match self.lexer.next()? {
            Token::Keyword(_) | Token::Close | Token::End => self.lexer.unread(),
            Token::Open => self.lexer.skip_to_close()?,
            _ => {}
        }
        Ok(())
    }

    /// Makes a symbol stand for the operand on top.
    fn name_operand(&mut self, name: &str, quoted: bool) -> Result<(), Error> {
        let span = self.lexer.span();
        let symbol = self.declarable(name, quoted)?;
        let Some(&term) = self.stacks.terms.last() else { return Ok(()) };
        if !self.stacks.bound.is_empty() && self.has_open_variable(term) {
            return Err(Error::new(span, "a named term must not contain bound variables"));
        }
        self.scope.set_meaning(symbol, Meaning::Term(term));
        if self.store.sort_of(term) == Sort::BOOL {
            self.stacks.labels.push((name.to_owned(), term));
        }
        Ok(())
    }

    /// Does a variable of an enclosing quantifier or parameter list occur in a term?
    fn has_open_variable(&self, term: Term) -> bool {
        let mut open: FxHashSet<Term> = self.stacks.params.iter().copied().collect();
        for frame in &self.stacks.frames {
            if let &Frame::Quantifier { first, count, .. } = frame {
                open.extend(&self.stacks.terms[first..first + count]);
            }
        }
        !open.is_empty() && self.store.post_order([term]).any(|t| open.contains(&t))
    }

    /// The number of a symbol that may be declared now.
    pub(super) fn declarable(&mut self, name: &str, quoted: bool) -> Result<Symbol, Error> {
        let symbol = self.scope.symbol(name, quoted);
        // SMT-LIB keeps such names for solvers, and this one has meanings for some of them.
        let is_ours = name.starts_with('@');
        if self.scope.is_free(symbol) && !is_ours {
            return Ok(symbol);
        }
        let message = match self.scope.meaning(symbol) {
            Meaning::Reserved(_) => format!("`{name}` is a reserved word"),
            Meaning::Builtin(_) => format!("`{name}` is defined by the core theory"),
            Meaning::Unknown => format!("`{name}` is reserved: names that begin with @ are the solver's"),
            _ => format!("`{name}` is already declared"),
        };
        Err(Error::new(self.lexer.span(), message))
    }

    /// The next token must be `(`.
    pub(super) fn open_paren(&mut self, before: &str) -> Result<(), Error> {
        match self.lexer.next()? {
            Token::Open => Ok(()),
            other => Err(Error::expected(self.lexer.span(), format!("`(` before {before}"), other)),
        }
    }

    /// The next token must be `)`.
    pub(super) fn close(&mut self) -> Result<(), Error> {
        match self.lexer.next()? {
            Token::Close => Ok(()),
            other => Err(Error::expected(self.lexer.span(), "`)`", other)),
        }
    }

    /// The next token must be a symbol; says whether it is quoted.
    pub(super) fn symbol(&mut self, what: &str) -> Result<(&'a str, bool), Error> {
        match self.lexer.next()? {
            Token::Symbol(name) => Ok((name, false)),
            Token::Quoted(name) => Ok((name, true)),
            other => Err(Error::expected(self.lexer.span(), what, other)),
        }
    }

    /// The next token must be a numeral of moderate size.
    pub(super) fn index(&mut self) -> Result<u32, Error> {
        match self.lexer.next()? {
            Token::Numeral(digits) => digits
                .parse::<u32>()
                .map_err(|_| Error::new(self.lexer.span(), format!("the numeral {digits} is too large"))),
            other => Err(Error::expected(self.lexer.span(), "a numeral", other)),
        }
    }
}

/// A name without the number that [`Store::fresh_var`] appends, so that names do not grow when a text is printed and
/// read many times.
fn without_number(name: &str) -> &str {
    match name.rsplit_once('!') {
        Some((stem, number)) if !stem.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}
