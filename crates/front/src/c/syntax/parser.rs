//! From tokens to the tree: recursive descent where brackets nest, loops and explicit stacks for everything that a text can
//! repeat without brackets.
//!
//! **Recursion**: a parsing function calls itself again only after it has taken an opening bracket. So the depth of brackets,
//! which the lexer counts, bounds the stack; [`MAX_DEPTH`] bounds it in any case.
//!
//! **Heights**: every construct knows how high the tree below it is. A tree higher than [`MAX_DEPTH`] is refused, and
//! [`Tree::depth`] is the height of the whole.
//!
//! **Errors**: a function that fails has reported why and returns [`Reported`]; whoever can resynchronise goes on.

mod asm;
mod attribute;
mod declaration;
mod declarator;
mod expr;
mod initializer;
mod primary;
mod record;
mod specifiers;
mod stmt;
mod words;

use super::ast::*;
use super::directive::Packing;
use super::lexer::Lexed;
use super::scope::{Meaning, Scopes};
use super::source::Issue;
use super::splice::Spliced;
use super::token::{Symbol, T, Token};
use bolide_model::Span;
use rustc_hash::FxHashSet;

/// Higher trees are refused.
pub(super) const MAX_DEPTH: usize = 20_000;
/// Braces of initialisers, records and parameter lists own each other and are dropped recursively: they nest less deeply.
const MAX_OWNED_DEPTH: usize = 1_000;
/// How many messages there are at most.
const MAX_ISSUES: usize = 20;

/// Something was wrong, and there is a message about it.
#[derive(Debug)]
struct Reported;

type Parse<V> = Result<V, Reported>;

/// Words of C23 and of other compilers that mean something only where nothing of that name is declared.
#[derive(Clone, Copy)]
enum SoftKeyword {
    /// `bool`, where no type has been written yet.
    Bool,
    /// `constexpr`
    Constexpr,
    /// `thread_local`
    ThreadLocal,
    /// `alignas` in front of a parenthesis.
    Alignas,
    /// `alignof` in front of a parenthesis.
    Alignof,
    /// `static_assert` in front of a parenthesis.
    StaticAssert,
    /// `true`, `false`, `nullptr`
    Constant(Constant),
    /// `__int64` and its relatives.
    Basic(Basic),
    /// `__forceinline`
    Inline,
    /// Calling conventions and widths of pointers, which change nothing here.
    Ignored,
}

/// A constant that is a word.
#[derive(Clone, Copy)]
enum Constant {
    True,
    False,
    Null,
}

/// The state of the parser.
pub(super) struct Parser<'t> {
    text: &'t Spliced<'t>,
    written: &'t [u8],
    base: u32,
    tokens: Vec<Token>,
    at: usize,
    names: Vec<Name>,
    packing: Packing,
    scopes: Scopes,
    soft: Vec<(Symbol, SoftKeyword)>,
    tree: Tree,
    /// The height of each expression.
    heights: Vec<u32>,
    /// The height of the highest construct that was finished since the current one began.
    peak: u32,
    /// Calls of parsing functions that are under way.
    nesting: usize,
    /// Those of them whose constructs own each other.
    owned: usize,
    issues: Vec<Issue>,
    /// The token at which the last message was reported.
    last_issue: Option<usize>,
    /// Names that were reported not to be types.
    unknown_types: FxHashSet<u32>,
    /// Is it of no use to go on?
    stopped: bool,
}

impl<'t> Parser<'t> {
    /// A parser at the start of a text.
    pub fn new(
        text: &'t Spliced<'t>,
        written: &'t [u8],
        base: u32,
        typedefs: &[&str],
        lexed: Lexed,
    ) -> Parser<'t> {
        let mut scopes = Scopes::new(lexed.names.len());
        let mut soft = Vec::new();
        for (n, name) in lexed.names.iter().enumerate() {
            let symbol = Symbol(n as u32);
            if typedefs.contains(&&**name) {
                scopes.declare(symbol, Meaning::Type);
            }
            if let Some(keyword) = soft_keyword(name) {
                soft.push((symbol, keyword));
            }
        }
        let mut parser = Parser {
            text,
            written,
            base,
            tokens: lexed.tokens,
            at: 0,
            names: lexed.names,
            packing: lexed.packing,
            scopes,
            soft,
            tree: Tree { weak: lexed.weak, ..Tree::default() },
            heights: Vec::new(),
            peak: 0,
            nesting: 0,
            owned: 0,
            issues: Vec::new(),
            last_issue: None,
            unknown_types: FxHashSet::default(),
            stopped: false,
        };
        for issue in lexed.issues {
            let span = parser.place(issue.span.start, issue.span.end);
            parser.issues.push(Issue { span, message: issue.message });
        }
        parser
    }

    /// Reads the text to its end.
    pub fn run(mut self) -> (Tree, Vec<Issue>, Vec<Name>) {
        self.translation_unit();
        self.tree.depth = self.peak as usize + 1;
        let mut issues = self.issues;
        issues.sort_by_key(|i| i.span.start);
        issues.truncate(MAX_ISSUES);
        (self.tree, issues, self.names)
    }

    // Tokens.

    fn peek(&self) -> T {
        self.tokens[self.at].kind
    }

    fn peek_at(&self, ahead: usize) -> T {
        self.tokens.get(self.at + ahead).map_or(T::Eof, |t| t.kind)
    }

    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    /// Takes a token; the end of the file stays.
    fn bump(&mut self) -> Token {
        let token = self.tokens[self.at];
        if token.kind != T::Eof {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, kind: T) -> bool {
        let found = self.peek() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: T) -> Parse<Token> {
        if self.peek() == kind { Ok(self.bump()) } else { Err(self.expected(&format!("'{}'", kind.shown()))) }
    }

    /// Takes `;`. If it is missing where a line ends, goes on as if it were there.
    fn expect_semicolon(&mut self) -> Parse<()> {
        if self.eat(T::Semi) {
            return Ok(());
        }
        let last = self.tokens[self.at.saturating_sub(1)];
        if !self.is_unterminated(last) {
            let message = format!("expected ';' before {}", self.describe());
            let span = self.place(last.end, last.end);
            self.report(span, message);
        }
        let goes_on =
            self.token().starts_line || starts_statement(self.peek()) || self.starts_specifier(self.at);
        if goes_on { Ok(()) } else { Err(Reported) }
    }

    /// Is a token a literal without its closing quote? There is a message about it, and the rest of its line is in it.
    fn is_unterminated(&self, token: Token) -> bool {
        let text = &self.text.bytes[token.start as usize..token.end as usize];
        match token.kind {
            T::Str => text.len() < 2 || !text.ends_with(b"\""),
            T::Char => text.len() < 2 || !text.ends_with(b"'"),
            _ => false,
        }
    }

    // Places.

    fn place(&self, start: u32, end: u32) -> Span {
        let start_at = self.text.start(start);
        Span { start: self.base + start_at, end: self.base + self.text.end(end).max(start_at) }
    }

    fn span_of(&self, token: Token) -> Span {
        self.place(token.start, token.end)
    }

    fn span(&self) -> Span {
        self.span_of(self.token())
    }

    /// From a start to the last token that was taken.
    fn since(&self, start: u32) -> Span {
        let last = self.tokens[self.at.saturating_sub(1)];
        Span { start, end: (self.base + self.text.end(last.end)).max(start) }
    }

    fn here(&self) -> u32 {
        self.base + self.text.start(self.token().start)
    }

    // Names.

    fn name(&self, token: Token) -> Name {
        self.names[token.symbol.0 as usize].clone()
    }

    fn ident_of(&self, token: Token) -> Ident {
        Ident { name: self.name(token), span: self.span_of(token) }
    }

    fn ident(&mut self) -> Parse<Ident> {
        match self.peek() {
            T::Ident => {
                let token = self.bump();
                Ok(self.ident_of(token))
            }
            _ => Err(self.expected("an identifier")),
        }
    }

    /// The identifier or keyword that stands some tokens ahead.
    fn word_at(&self, ahead: usize) -> &str {
        match self.tokens.get(self.at + ahead) {
            Some(token) if token.kind == T::Ident => &self.names[token.symbol.0 as usize],
            _ => "",
        }
    }

    fn is_type_name(&self, at: usize) -> bool {
        let token = self.tokens[at];
        token.kind == T::Ident && self.scopes.get(token.symbol) == Meaning::Type
    }

    fn soft_keyword(&self, at: usize) -> Option<SoftKeyword> {
        let token = self.tokens[at];
        if self.soft.is_empty() || token.kind != T::Ident || self.scopes.get(token.symbol) != Meaning::Unknown
        {
            return None;
        }
        self.soft.iter().find(|s| s.0 == token.symbol).map(|s| s.1)
    }

    /// Does a static assertion start here?
    fn at_static_assert(&self) -> bool {
        self.peek() == T::KwStaticAssert
            || (self.peek_at(1) == T::LParen
                && matches!(self.soft_keyword(self.at), Some(SoftKeyword::StaticAssert)))
    }

    // Messages.

    /// Reports that something else was expected here.
    fn expected(&mut self, what: &str) -> Reported {
        let message = format!("expected {what} before {}", self.describe());
        let span = self.span();
        self.report(span, message)
    }

    /// How messages show the current token.
    fn describe(&self) -> String {
        let token = self.token();
        if token.kind == T::Eof {
            return "the end of the file".into();
        }
        let text = String::from_utf8_lossy(&self.text.bytes[token.start as usize..token.end as usize]);
        if text.chars().count() > 40 {
            return format!("'{}…'", text.chars().take(40).collect::<String>());
        }
        format!("'{text}'")
    }

    /// Reports something, but not twice at the same token.
    fn report(&mut self, span: Span, message: impl Into<String>) -> Reported {
        if !self.stopped && self.last_issue != Some(self.at) {
            self.last_issue = Some(self.at);
            self.issues.push(Issue { span, message: message.into() });
            if self.issues.len() >= MAX_ISSUES {
                self.stop();
            }
        }
        Reported
    }

    /// Leaves the rest of the text alone.
    fn stop(&mut self) {
        self.stopped = true;
        self.at = self.tokens.len() - 1;
    }

    fn too_deep(&mut self, span: Span) -> Reported {
        self.last_issue = None;
        self.report(span, format!("nested too deeply (more than {MAX_DEPTH} levels)"));
        self.stop();
        Reported
    }

    // Nesting and heights.

    /// Runs a function one level deeper.
    fn nested<V>(&mut self, work: impl FnOnce(&mut Self) -> Parse<V>) -> Parse<V> {
        if self.nesting >= MAX_DEPTH {
            let span = self.span();
            return Err(self.too_deep(span));
        }
        self.nesting += 1;
        let result = work(self);
        self.nesting -= 1;
        result
    }

    /// Runs a function one level deeper whose construct will be owned by the one that it is in.
    fn owned<V>(&mut self, work: impl FnOnce(&mut Self) -> Parse<V>) -> Parse<V> {
        if self.owned >= MAX_OWNED_DEPTH {
            let span = self.span();
            self.last_issue = None;
            self.report(span, format!("nested too deeply (more than {MAX_OWNED_DEPTH} levels)"));
            self.stop();
            return Err(Reported);
        }
        self.owned += 1;
        let result = self.nested(work);
        self.owned -= 1;
        result
    }

    /// Runs a function that reads a construct, and says how high it is.
    fn measured<V>(&mut self, work: impl FnOnce(&mut Self) -> Parse<V>) -> Parse<(V, u32)> {
        let outer = std::mem::take(&mut self.peak);
        let result = work(self);
        let height = self.finish_height(outer, 1);
        result.map(|value| (value, height))
    }

    /// Ends a construct that adds so many levels to what is in it; `outer` was the peak when it began.
    fn finish_height(&mut self, outer: u32, levels: usize) -> u32 {
        let height = self.peak.saturating_add(u32::try_from(levels).unwrap_or(u32::MAX));
        self.peak = outer.max(height);
        if height as usize > MAX_DEPTH && !self.stopped {
            let span = self.span();
            self.too_deep(span);
        }
        height
    }

    /// Adds an expression of a height.
    fn push(&mut self, kind: ExprKind, span: Span, height: u32) -> ExprId {
        if height as usize > MAX_DEPTH && !self.stopped {
            self.too_deep(span);
        }
        self.peak = self.peak.max(height);
        self.heights.push(height);
        self.tree.exprs.push(Expr { kind, span })
    }

    fn height(&self, expr: ExprId) -> u32 {
        self.heights[expr.index()]
    }

    fn push_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.tree.stmts.push(Stmt { kind, span })
    }

    /// What stands where an expression could not be read.
    fn error_expr(&mut self) -> ExprId {
        let span = self.span();
        self.push(ExprKind::Error, span, 1)
    }

    // Recovery.

    /// A point to come back to after an error.
    fn checkpoint(&self) -> (usize, usize, usize) {
        (self.scopes.depth(), self.nesting, self.owned)
    }

    fn restore(&mut self, (scopes, nesting, owned): (usize, usize, usize)) {
        self.scopes.close_to(scopes);
        self.nesting = nesting;
        self.owned = owned;
    }

    /// Skips to the end of a statement or declaration: past `;`, past a block that was met, or before `}`.
    fn skip_statement(&mut self) {
        let mut braces = 0usize;
        loop {
            match self.peek() {
                T::Eof => return,
                T::Semi if braces == 0 => {
                    self.bump();
                    return;
                }
                T::LBrace => braces += 1,
                T::RBrace if braces == 0 => return,
                T::RBrace => {
                    braces -= 1;
                    if braces == 0 {
                        self.bump();
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the bracket that closes one which was opened before: true if it was found and taken.
    fn skip_to_closing(&mut self) -> bool {
        let mut open = 0usize;
        loop {
            match self.peek() {
                T::Eof | T::Semi | T::LBrace | T::RBrace => return false,
                T::LParen | T::LBracket => open += 1,
                T::RParen | T::RBracket if open > 0 => open -= 1,
                T::RParen => {
                    self.bump();
                    return true;
                }
                _ => {}
            }
            self.bump();
        }
    }
}

/// Is a token the end of a block or a keyword that starts a statement?
fn starts_statement(kind: T) -> bool {
    matches!(
        kind,
        T::RBrace
            | T::KwIf
            | T::KwElse
            | T::KwSwitch
            | T::KwCase
            | T::KwDefault
            | T::KwWhile
            | T::KwDo
            | T::KwFor
            | T::KwGoto
            | T::KwBreak
            | T::KwContinue
            | T::KwReturn
    )
}

fn soft_keyword(name: &str) -> Option<SoftKeyword> {
    Some(match name {
        "bool" => SoftKeyword::Bool,
        "constexpr" => SoftKeyword::Constexpr,
        "thread_local" => SoftKeyword::ThreadLocal,
        "alignas" => SoftKeyword::Alignas,
        "alignof" => SoftKeyword::Alignof,
        "static_assert" => SoftKeyword::StaticAssert,
        "true" => SoftKeyword::Constant(Constant::True),
        "false" => SoftKeyword::Constant(Constant::False),
        "nullptr" => SoftKeyword::Constant(Constant::Null),
        "__int8" => SoftKeyword::Basic(Basic::Char),
        "__int16" => SoftKeyword::Basic(Basic::Short),
        "__int32" => SoftKeyword::Basic(Basic::Int),
        "__int64" => SoftKeyword::Basic(Basic::LongLong),
        "__forceinline" => SoftKeyword::Inline,
        "__cdecl" | "__stdcall" | "__fastcall" | "__thiscall" | "__vectorcall" | "__pascal" | "__clrcall"
        | "_cdecl" | "_stdcall" | "_fastcall" | "__ptr32" | "__ptr64" | "__sptr" | "__uptr"
        | "__unaligned" | "__w64" => SoftKeyword::Ignored,
        _ => return None,
    })
}
