//! Reading commands one at a time.

use super::command::{AttributeValue, Command, InterpolationTree, Located, Partition, QueryGoal, SourceTerm};
use super::scope::{Macro, Meaning, Scope, SortMeaning, Symbol, Template};
use super::term::{Parser, Stacks};
use crate::error::{Cursor, Error, Span};
use crate::lexer::{Lexer, Token, unescape};
use bolide_base::Rational;
use bolide_term::{Func, Sort, Store, Term};

/// More levels than this cannot be pushed.
const MAX_LEVELS: usize = 1 << 20;

/// Commands that are known but not supported.
const UNSUPPORTED: &[&str] = &[
    "declare-codatatypes",
    "declare-sort-parameter",
    "define-fun-rec",
    "define-funs-rec",
    "assert-soft",
    "minimize",
    "maximize",
    "get-objectives",
    "check-sat-using",
    "check-allsat",
    "apply",
    "simplify",
    "eval",
    "display",
    "include",
    "get-interpolant",
    "get-abduct",
    "get-qe",
    "block-model",
    "check-synth",
    "declare-heap",
    "labels",
];

/// Walks over the commands of a text.
///
/// The text, the term store and the symbol table are separate, so that several texts can be read one after another
/// into the same scope.
///
/// ```
/// use bolide_smtlib::{Command, Reader, Scope};
/// use bolide_term::Store;
/// let (mut store, mut scope) = (Store::new(), Scope::new());
/// let mut reader = Reader::new("(declare-const x Int) (assert (< x 3)) (assert (< y 3))");
/// let mut next = || reader.next_command(&mut store, &mut scope);
/// assert!(matches!(next().unwrap().unwrap().command, Command::DeclareFun(_)));
/// assert!(matches!(next().unwrap().unwrap().command, Command::Assert { .. }));
/// assert_eq!(next().unwrap().unwrap_err().to_string(), "1:51: unknown symbol `y`");
/// assert!(next().is_none());
/// ```
#[derive(Debug)]
pub struct Reader<'a> {
    lexer: Lexer<'a>,
    stacks: Stacks,
    /// Where the last error was.
    cursor: Cursor,
    ended: bool,
}

impl<'a> Reader<'a> {
    /// A reader at the beginning of a text.
    pub fn new<T: AsRef<[u8]> + ?Sized>(text: &'a T) -> Reader<'a> {
        Reader {
            lexer: Lexer::new(text.as_ref()),
            stacks: Stacks::default(),
            cursor: Cursor::default(),
            ended: false,
        }
    }

    /// The next command; nothing at the end of the text and after `(exit)`.
    ///
    /// An error leaves the scope as it was before the command. The reader then continues after the command, if it can
    /// tell where that ends; callers that want to stop at the first error just do not call again.
    pub fn next_command(&mut self, store: &mut Store, scope: &mut Scope) -> Option<Result<Located, Error>> {
        if self.ended {
            return None;
        }
        let mark = scope.mark();
        self.stacks.clear();
        let mut start = self.lexer.end();
        let result = self.command(store, scope, &mut start);
        match result {
            Ok(None) => self.ended = true,
            Ok(Some(ref located)) => self.ended = located.command == Command::Exit,
            Err(_) => {
                scope.roll_back(mark);
                scope.forget_forward_sorts();
                self.recover(start);
            }
        }
        result.map_err(|e| self.cursor.locate(e, self.lexer.text())).transpose()
    }

    /// Reads a command; sets `start` to where it starts.
    fn command(
        &mut self,
        store: &mut Store,
        scope: &mut Scope,
        start: &mut usize,
    ) -> Result<Option<Located>, Error> {
        match self.lexer.next()? {
            Token::End => return Ok(None),
            Token::Open => *start = self.lexer.start(),
            other => {
                *start = self.lexer.start();
                return Err(Error::expected(self.lexer.span(), "a command", other));
            }
        }
        let (lexer, stacks) = (&mut self.lexer, &mut self.stacks);
        let command = Parser { lexer, store, scope, stacks }.command()?;
        Ok(Some(Located { command, span: Span::new(*start, self.lexer.end()) }))
    }

    /// Moves to the end of the command, or of the stray token, at an offset.
    fn recover(&mut self, start: usize) {
        self.lexer.seek(start);
        let skipped = match self.lexer.next() {
            Ok(Token::Open) => self.lexer.skip_to_close(),
            Ok(_) => Ok(()),
            Err(e) => Err(e),
        };
        // Where a token is malformed nobody can tell what is nested in what.
        self.ended = skipped.is_err();
    }
}

/// Reads a whole script into an empty scope, up to the first error.
pub fn read_script<T: AsRef<[u8]> + ?Sized>(text: &T, store: &mut Store) -> Result<Vec<Located>, Error> {
    let (mut reader, mut scope) = (Reader::new(text), Scope::new());
    std::iter::from_fn(|| reader.next_command(store, &mut scope)).collect()
}

/// Reads a text that consists of one term.
pub fn read_term<T: AsRef<[u8]> + ?Sized>(
    text: &T,
    store: &mut Store,
    scope: &mut Scope,
) -> Result<Term, Error> {
    let mark = scope.mark();
    let (mut lexer, mut stacks) = (Lexer::new(text.as_ref()), Stacks::default());
    let mut parser = Parser { lexer: &mut lexer, store, scope, stacks: &mut stacks };
    let result = parser.term().and_then(|read| match parser.lexer.next()? {
        Token::End => Ok(read.term),
        other => Err(Error::expected(parser.lexer.span(), "the end of the text", other)),
    });
    result.map_err(|e| {
        scope.roll_back(mark);
        Cursor::default().locate(e, text.as_ref())
    })
}

impl<'a> Parser<'_, 'a> {
    /// Reads a command whose opening parenthesis has been read.
    fn command(&mut self) -> Result<Command, Error> {
        let name = match self.lexer.next()? {
            Token::Symbol(name) => name,
            other => return Err(Error::expected(self.lexer.span(), "the name of a command", other)),
        };
        if !matches!(name, "declare-datatype" | "declare-datatypes" | "set-info") {
            self.expect_no_forward_sorts()?;
        }
        let command = match name {
            "assert" => {
                let read = self.term_of_sort(Sort::BOOL, "`assert`")?;
                let labels = std::mem::take(&mut self.stacks.labels);
                Command::Assert { term: read.term, name: read.name, labels }
            }
            "declare-fun" => self.declare_fun()?,
            "declare-const" => Command::DeclareFun(self.declare_constant()?),
            "define-fun" => self.define_fun()?,
            "define-const" => self.define_const()?,
            "declare-sort" => self.declare_sort()?,
            "define-sort" => self.define_sort()?,
            "declare-datatype" => self.declare_datatype()?,
            "declare-datatypes" => self.declare_datatypes()?,
            "set-logic" => self.set_logic()?,
            "set-option" => self.set_option()?,
            "set-info" => {
                let keyword = self.keyword()?;
                Command::SetInfo { keyword, value: self.attribute_value()? }
            }
            "push" => self.push_levels()?,
            "pop" => self.pop_levels()?,
            "check-sat" => Command::CheckSat,
            "check-sat-assuming" => self.check_sat_assuming()?,
            "get-model" => Command::GetModel,
            "get-value" => self.get_value()?,
            "get-unsat-core" => Command::GetUnsatCore,
            "get-unsat-assumptions" => Command::GetUnsatAssumptions,
            "get-assertions" => Command::GetAssertions,
            "get-assignment" => Command::GetAssignment,
            "get-proof" => Command::GetProof,
            "get-info" => Command::GetInfo(self.keyword()?),
            "get-option" => Command::GetOption(self.keyword()?),
            // The closing parenthesis ends the tree.
            "get-interpolants" => return self.interpolation_tree().map(Command::GetInterpolants),
            "echo" => Command::Echo(self.string()?),
            "reset" => Command::Reset,
            "reset-assertions" => Command::ResetAssertions,
            "exit" => Command::Exit,
            "declare-rel" => self.declare_rel()?,
            "declare-var" => Command::DeclareVar(self.declare_constant()?),
            "rule" => self.rule()?,
            "query" => self.query()?,
            _ if UNSUPPORTED.contains(&name) => {
                return Err(Error::new(self.lexer.span(), format!("the command `{name}` is not supported")));
            }
            _ => return Err(Error::new(self.lexer.span(), format!("unknown command `{name}`"))),
        };
        self.close()?;
        self.update_scope(&command);
        Ok(command)
    }

    /// What a complete command does to the scope, apart from declaring something.
    fn update_scope(&mut self, command: &Command) {
        match command {
            Command::SetLogic(logic) => self.scope.set_logic(logic),
            Command::SetOption { keyword, value } if keyword == ":global-declarations" => {
                self.scope.global_declarations = value.as_bool() == Some(true);
            }
            Command::Push(count) => self.scope.push(*count),
            Command::Pop(count) => self.scope.pop(*count),
            Command::Reset => self.scope.reset(),
            Command::ResetAssertions => self.scope.reset_assertions(),
            _ => {}
        }
    }

    /// The next token must be a symbol that can be declared.
    fn new_symbol(&mut self) -> Result<(&'a str, Symbol), Error> {
        let (name, quoted) = self.symbol("a symbol")?;
        Ok((name, self.declarable(name, quoted)?))
    }

    fn declare_fun(&mut self) -> Result<Command, Error> {
        let (name, symbol) = self.new_symbol()?;
        let args = self.sorts()?;
        let result = self.sort()?;
        Ok(Command::DeclareFun(self.declare(name, symbol, &args, result)))
    }

    fn declare_constant(&mut self) -> Result<Func, Error> {
        let (name, symbol) = self.new_symbol()?;
        let sort = self.sort()?;
        Ok(self.declare(name, symbol, &[], sort))
    }

    fn declare_rel(&mut self) -> Result<Command, Error> {
        let (name, symbol) = self.new_symbol()?;
        let args = self.sorts()?;
        Ok(Command::DeclareRel(self.declare(name, symbol, &args, Sort::BOOL)))
    }

    fn declare(&mut self, name: &str, symbol: Symbol, args: &[Sort], result: Sort) -> Func {
        let f = if self.scope.is_bound(name) {
            // A bound variable took that name before, and a declared symbol must differ from it.
            let mut renamed = format!("{name}!");
            while !self.scope.add_bound(&renamed) {
                renamed.push('!');
            }
            self.store.func(&renamed, args, result)
        } else {
            self.store.func(name, args, result)
        };
        self.scope.declare_func(self.store, symbol, f);
        f
    }

    /// Reads a list of sorts in parentheses.
    fn sorts(&mut self) -> Result<Vec<Sort>, Error> {
        self.open_paren("a list of sorts")?;
        let mut sorts = Vec::new();
        while !self.at_close()? {
            sorts.push(self.sort()?);
        }
        Ok(sorts)
    }

    /// Consumes a closing parenthesis if one follows.
    pub(super) fn at_close(&mut self) -> Result<bool, Error> {
        let closes = self.lexer.next()? == Token::Close;
        if !closes {
            self.lexer.unread();
        }
        Ok(closes)
    }

    fn define_fun(&mut self) -> Result<Command, Error> {
        let (name, symbol) = self.new_symbol()?;
        let params: Vec<Term> = self.sorted_variables()?.into_iter().map(|(term, _)| term).collect();
        let sort = self.sort()?;
        self.stacks.params.clone_from(&params);
        let body = self.term_of_sort(sort, "`define-fun`")?.term;
        self.scope.unbind(0);
        if !self.scope.is_free(symbol) {
            return Err(Error::new(self.lexer.span(), format!("`{name}` is used as a name in its own body")));
        }
        if params.is_empty() {
            self.scope.set_meaning(symbol, Meaning::Term(body));
        } else {
            // The parameters were bound first.
            let bound = self.stacks.bound.split_off(params.len());
            self.scope.macros.push(Macro { name: name.into(), params: params.clone(), body, bound });
            self.scope.set_meaning(symbol, Meaning::Macro(self.scope.macros.len() - 1));
        }
        Ok(Command::DefineFun { name: name.to_owned(), params, sort, body })
    }

    fn define_const(&mut self) -> Result<Command, Error> {
        let (name, symbol) = self.new_symbol()?;
        let sort = self.sort()?;
        let body = self.term_of_sort(sort, "`define-const`")?.term;
        if !self.scope.is_free(symbol) {
            return Err(Error::new(self.lexer.span(), format!("`{name}` is used as a name in its own body")));
        }
        self.scope.set_meaning(symbol, Meaning::Term(body));
        Ok(Command::DefineFun { name: name.to_owned(), params: Vec::new(), sort, body })
    }

    /// The next token must be a symbol that can be declared as a sort.
    pub(super) fn new_sort_symbol(&mut self) -> Result<(&'a str, Symbol), Error> {
        let (name, quoted) = self.symbol("a sort symbol")?;
        let symbol = self.scope.symbol(name, quoted);
        let problem = if let Meaning::Reserved(_) = self.scope.meaning(symbol) {
            "is a reserved word"
        } else if !self.is_declarable_sort(symbol) {
            "is already a sort"
        } else {
            return Ok((name, symbol));
        };
        Err(Error::new(self.lexer.span(), format!("`{name}` {problem}")))
    }

    fn declare_sort(&mut self) -> Result<Command, Error> {
        let (name, symbol) = self.new_sort_symbol()?;
        // Z3 lets the arity be left out.
        let arity = self.optional_numeral(0)?;
        if arity == 0 {
            let sort = self.store.uninterpreted_sort(name);
            self.scope.set_sort(symbol, SortMeaning::Known(sort));
        } else {
            self.scope.set_sort(symbol, SortMeaning::Declared(arity));
        }
        Ok(Command::DeclareSort { name: name.to_owned(), arity })
    }

    fn define_sort(&mut self) -> Result<Command, Error> {
        let (name, symbol) = self.new_sort_symbol()?;
        self.open_paren("a list of sort parameters")?;
        let mut params = Vec::new();
        while !self.at_close()? {
            let (param, quoted) = self.symbol("a sort parameter")?;
            params.push(self.scope.symbol(param, quoted));
        }
        let start = self.lexer.end();
        let body = self.sort_in_postfix(&params)?;
        let arity = params.len();
        let meaning = if arity == 0 {
            let span = Span::new(start, self.lexer.end());
            SortMeaning::Known(self.evaluate(body, span)?)
        } else {
            self.scope.templates.push(Template { arity, body });
            SortMeaning::Template(self.scope.templates.len() - 1)
        };
        self.scope.set_sort(symbol, meaning);
        Ok(Command::DefineSort { name: name.to_owned(), arity })
    }

    fn set_logic(&mut self) -> Result<Command, Error> {
        let (logic, _) = self.symbol("the name of a logic")?;
        Ok(Command::SetLogic(logic.to_owned()))
    }

    fn set_option(&mut self) -> Result<Command, Error> {
        let keyword = self.keyword()?;
        Ok(Command::SetOption { keyword, value: self.attribute_value()? })
    }

    fn keyword(&mut self) -> Result<String, Error> {
        match self.lexer.next()? {
            Token::Keyword(keyword) => Ok(keyword.to_owned()),
            other => Err(Error::expected(self.lexer.span(), "a keyword", other)),
        }
    }

    fn string(&mut self) -> Result<String, Error> {
        match self.lexer.next()? {
            Token::Str(literal) => Ok(unescape(literal)),
            other => Err(Error::expected(self.lexer.span(), "a string", other)),
        }
    }

    fn attribute_value(&mut self) -> Result<AttributeValue, Error> {
        Ok(match self.lexer.next()? {
            Token::Close => {
                self.lexer.unread();
                AttributeValue::None
            }
            Token::Symbol(s) | Token::Quoted(s) => AttributeValue::Symbol(s.to_owned()),
            Token::Str(literal) => AttributeValue::Str(unescape(literal)),
            Token::Numeral(digits) | Token::Decimal(digits) => match Rational::parse(digits) {
                Some(number) => AttributeValue::Number(number),
                None => AttributeValue::Other(digits.to_owned()),
            },
            Token::Open => {
                let start = self.lexer.start();
                self.lexer.skip_to_close()?;
                AttributeValue::Other(self.text(Span::new(start, self.lexer.end())))
            }
            Token::Keyword(_) | Token::Hex(_) | Token::Binary(_) => {
                AttributeValue::Other(self.text(self.lexer.span()))
            }
            Token::End => return Err(Error::expected(self.lexer.span(), "`)`", Token::End)),
        })
    }

    /// A piece of the text.
    fn text(&self, span: Span) -> String {
        String::from_utf8_lossy(&self.lexer.text()[span.start..span.end]).into_owned()
    }

    fn push_levels(&mut self) -> Result<Command, Error> {
        let count = self.optional_numeral(1)?;
        if self.scope.level() + count > MAX_LEVELS {
            return Err(Error::new(self.lexer.span(), format!("more than {MAX_LEVELS} levels")));
        }
        Ok(Command::Push(count))
    }

    fn pop_levels(&mut self) -> Result<Command, Error> {
        let count = self.optional_numeral(1)?;
        let level = self.scope.level();
        if count > level {
            let message = format!("cannot pop {count} levels when {level} are pushed");
            return Err(Error::new(self.lexer.span(), message));
        }
        Ok(Command::Pop(count))
    }

    /// A numeral, or a default if the command closes without one.
    fn optional_numeral(&mut self, default: usize) -> Result<usize, Error> {
        let closes = self.lexer.next()? == Token::Close;
        self.lexer.unread();
        if closes { Ok(default) } else { Ok(self.index()? as usize) }
    }

    fn check_sat_assuming(&mut self) -> Result<Command, Error> {
        self.open_paren("a list of literals")?;
        let mut literals = Vec::new();
        while !self.at_close()? {
            let read = self.term_of_sort(Sort::BOOL, "`check-sat-assuming`")?;
            literals.push(SourceTerm { term: read.term, text: self.text(read.span), span: read.span });
        }
        Ok(Command::CheckSatAssuming(literals))
    }

    fn get_value(&mut self) -> Result<Command, Error> {
        self.open_paren("a list of terms")?;
        let mut terms = Vec::new();
        loop {
            let read = self.term()?;
            terms.push(SourceTerm { term: read.term, text: self.text(read.span), span: read.span });
            if self.at_close()? {
                return Ok(Command::GetValue(terms));
            }
        }
    }

    fn rule(&mut self) -> Result<Command, Error> {
        let read = self.term_of_sort(Sort::BOOL, "`rule`")?;
        let name = match self.lexer.next()? {
            Token::Symbol(name) | Token::Quoted(name) => Some(name.to_owned()),
            _ => {
                self.lexer.unread();
                read.name
            }
        };
        self.skip_attributes()?;
        Ok(Command::Rule { term: read.term, name })
    }

    fn query(&mut self) -> Result<Command, Error> {
        let relation = match self.lexer.next()? {
            Token::Symbol(name) => self.relation(name, false),
            Token::Quoted(name) => self.relation(name, true),
            _ => None,
        };
        let goal = match relation {
            Some(f) => QueryGoal::Relation(f),
            None => {
                self.lexer.unread();
                QueryGoal::Formula(self.term_of_sort(Sort::BOOL, "`query`")?.term)
            }
        };
        self.skip_attributes()?;
        Ok(Command::Query(goal))
    }

    /// The declared predicate of this name.
    fn relation(&mut self, name: &str, quoted: bool) -> Option<Func> {
        let symbol = self.scope.symbol(name, quoted);
        match self.scope.meaning(symbol) {
            Meaning::Func(f) | Meaning::Constant(f, _) if self.store.decl(f).result == Sort::BOOL => Some(f),
            _ => None,
        }
    }

    /// Skips keywords with their values up to the closing parenthesis.
    fn skip_attributes(&mut self) -> Result<(), Error> {
        while let Token::Keyword(_) = self.lexer.next()? {
            self.skip_attribute_value()?;
        }
        self.lexer.unread();
        Ok(())
    }

    /// Reads the partitions of `get-interpolants` and the closing parenthesis of the command.
    fn interpolation_tree(&mut self) -> Result<InterpolationTree, Error> {
        let mut tree = InterpolationTree::default();
        // For every open group where it starts, and whether a partition has come after its last group.
        let mut groups = vec![(0, true)];
        while let Some(&(start, complete)) = groups.last() {
            match self.lexer.next()? {
                Token::Symbol(name) => self.partition(&mut tree, &mut groups, name, false)?,
                Token::Quoted(name) => self.partition(&mut tree, &mut groups, name, true)?,
                Token::Open => {
                    let open = self.lexer.start();
                    if self.lexer.next()? == Token::Symbol("and") {
                        let partition = self.conjunction(open)?;
                        add_partition(&mut tree, &mut groups, partition);
                    } else {
                        self.lexer.unread();
                        groups.push((tree.partitions.len(), true));
                    }
                }
                Token::Close if !complete => {
                    return Err(Error::new(self.lexer.span(), "a partition must follow the group"));
                }
                Token::Close => {
                    groups.pop();
                    let is_empty = start == tree.partitions.len();
                    if let Some(outer) = groups.last_mut() {
                        if is_empty {
                            return Err(Error::expected(self.lexer.span(), "a partition", "`)`"));
                        }
                        outer.1 = false;
                    }
                }
                other => return Err(Error::expected(self.lexer.span(), "a partition", other)),
            }
        }
        Ok(tree)
    }

    fn partition(
        &mut self,
        tree: &mut InterpolationTree,
        groups: &mut [(usize, bool)],
        name: &str,
        quoted: bool,
    ) -> Result<(), Error> {
        let name = self.assertion_name(name, quoted)?;
        add_partition(tree, groups, Partition { names: vec![name], span: self.lexer.span() });
        Ok(())
    }

    /// The names of `(and n ...)` after the `and`; the parenthesis stands at `start`.
    fn conjunction(&mut self, start: usize) -> Result<Partition, Error> {
        let mut names = Vec::new();
        while !self.at_close()? {
            let (name, quoted) = self.symbol("the name of an assertion")?;
            names.push(self.assertion_name(name, quoted)?);
        }
        Ok(Partition { names, span: Span::new(start, self.lexer.end()) })
    }

    fn assertion_name(&mut self, name: &str, quoted: bool) -> Result<String, Error> {
        let symbol = self.scope.symbol(name, quoted);
        match self.scope.meaning(symbol) {
            Meaning::Term(term) if self.store.sort_of(term) == Sort::BOOL => Ok(name.to_owned()),
            _ => Err(Error::new(self.lexer.span(), format!("`{name}` does not name an assertion"))),
        }
    }
}

/// Appends a partition to the innermost group, whose subtrees become its children.
fn add_partition(tree: &mut InterpolationTree, groups: &mut [(usize, bool)], partition: Partition) {
    if let Some(group) = groups.last_mut() {
        tree.subtree_start.push(group.0);
        tree.partitions.push(partition);
        group.1 = true;
    }
}
