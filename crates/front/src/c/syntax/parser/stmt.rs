//! Statements, with an explicit stack: bodies nest without limit of the machine's stack.

use super::super::ast::*;
use super::super::token::T;
use super::declaration::Declares;
use super::{MAX_DEPTH, Parse, Parser, Reported};

/// A statement that is not finished.
struct Frame {
    kind: FrameKind,
    start: u32,
    /// The peak of heights when it began.
    outer: u32,
    /// Scopes that were open when it began.
    scopes: usize,
    /// Labels before the body.
    labels: Vec<BlockItem>,
}

enum FrameKind {
    Compound(Vec<BlockItem>),
    If(ExprId),
    Else(ExprId, StmtId),
    Switch(ExprId),
    While(ExprId),
    Do,
    For(ForInit, Option<ExprId>, Option<ExprId>),
}

/// What came of the start of a statement.
enum Step {
    /// It is complete.
    Done(StmtId),
    /// It is a label; more follows.
    Label(StmtId),
    /// A frame was pushed.
    Pushed,
}

impl Parser<'_> {
    /// A compound statement.
    pub(super) fn compound(&mut self) -> Parse<StmtId> {
        let mut frames = Vec::new();
        if self.peek() != T::LBrace {
            return Err(self.expected("'{'"));
        }
        self.open_compound(&mut frames);
        loop {
            let Some(frame) = frames.last_mut() else { return Err(Reported) };
            if let FrameKind::Compound(items) = &mut frame.kind {
                if self.peek() == T::RBrace {
                    let items = std::mem::take(items);
                    self.bump();
                    let done = self.close(&mut frames, StmtKind::Compound(items));
                    if let Some(stmt) = self.complete(&mut frames, done) {
                        return Ok(stmt);
                    }
                    continue;
                }
                if self.peek() == T::Eof {
                    return Err(self.expected("'}'"));
                }
            }
            self.step(&mut frames)?;
        }
    }

    /// Reads one item of the innermost statement, and recovers from an error in it.
    fn step(&mut self, frames: &mut Vec<Frame>) -> Parse<()> {
        let (checkpoint, first, start, depth) = (self.checkpoint(), self.at, self.here(), frames.len());
        let in_compound = matches!(frames.last().map(|f| &f.kind), Some(FrameKind::Compound(_)));
        let result = if in_compound { self.block_item(frames) } else { self.statement(frames).map(Some) };
        let done = match result {
            Ok(None) | Ok(Some(Step::Pushed)) => return Ok(()),
            Ok(Some(Step::Label(label))) => {
                if let Some(frame) = frames.last_mut() {
                    match &mut frame.kind {
                        FrameKind::Compound(items) => items.push(BlockItem::Stmt(label)),
                        _ => frame.labels.push(BlockItem::Stmt(label)),
                    }
                }
                return Ok(());
            }
            Ok(Some(Step::Done(stmt))) => stmt,
            Err(Reported) => {
                if self.peek() == T::Eof {
                    return Err(Reported);
                }
                frames.truncate(depth);
                self.restore(checkpoint);
                self.skip_statement();
                if self.at == first && in_compound && self.peek() != T::RBrace {
                    self.bump();
                }
                let span = self.since(start);
                self.push_stmt(StmtKind::Error, span)
            }
        };
        self.complete(frames, done);
        Ok(())
    }

    fn push_frame(
        &mut self,
        frames: &mut Vec<Frame>,
        kind: FrameKind,
        start: u32,
        outer: u32,
        scopes: usize,
    ) {
        if frames.len() + self.nesting > MAX_DEPTH {
            let span = self.span();
            self.too_deep(span);
        }
        frames.push(Frame { kind, start, outer, scopes, labels: Vec::new() });
    }

    fn open_compound(&mut self, frames: &mut Vec<Frame>) {
        let start = self.here();
        let outer = std::mem::take(&mut self.peak);
        let scopes = self.scopes.depth();
        self.bump();
        self.scopes.open();
        self.push_frame(frames, FrameKind::Compound(Vec::new()), start, outer, scopes);
    }

    /// Ends the innermost frame with a statement of its kind.
    fn close(&mut self, frames: &mut Vec<Frame>, kind: StmtKind) -> StmtId {
        let (start, outer, scopes) = match frames.pop() {
            Some(frame) => (frame.start, frame.outer, frame.scopes),
            None => (self.here(), 0, self.scopes.depth()),
        };
        self.scopes.close_to(scopes);
        self.finish_height(outer, 1);
        let span = self.since(start);
        self.push_stmt(kind, span)
    }

    /// Gives a finished statement to the one that it belongs to, and so on outwards. Returns it if there is none.
    fn complete(&mut self, frames: &mut Vec<Frame>, mut stmt: StmtId) -> Option<StmtId> {
        loop {
            let Some(frame) = frames.last_mut() else { return Some(stmt) };
            if let FrameKind::Compound(items) = &mut frame.kind {
                items.push(BlockItem::Stmt(stmt));
                return None;
            }
            if !frame.labels.is_empty() {
                stmt = self.with_labels(frame, stmt);
            }
            let kind = match std::mem::replace(&mut frame.kind, FrameKind::Do) {
                FrameKind::Compound(_) => return None,
                FrameKind::If(condition) => {
                    if self.peek() == T::KwElse {
                        self.bump();
                        frame.kind = FrameKind::Else(condition, stmt);
                        return None;
                    }
                    StmtKind::If(condition, stmt, None)
                }
                FrameKind::Else(condition, then) => StmtKind::If(condition, then, Some(stmt)),
                FrameKind::Switch(value) => StmtKind::Switch(value, stmt),
                FrameKind::While(condition) => StmtKind::While(condition, stmt),
                FrameKind::Do => {
                    let condition = self.do_condition();
                    StmtKind::DoWhile(stmt, condition)
                }
                FrameKind::For(init, condition, step) => {
                    StmtKind::For(Box::new(For { init, condition, step, body: stmt }))
                }
            };
            stmt = self.close(frames, kind);
        }
    }

    /// A body with the labels before it.
    fn with_labels(&mut self, frame: &mut Frame, stmt: StmtId) -> StmtId {
        let mut items = std::mem::take(&mut frame.labels);
        let start = match items.first() {
            Some(BlockItem::Stmt(first)) => self.tree.stmts[*first].span.start,
            _ => frame.start,
        };
        items.push(BlockItem::Stmt(stmt));
        self.peak += 1;
        let span = self.since(start);
        self.push_stmt(StmtKind::Compound(items), span)
    }

    /// What follows the body of `do`. The statement is complete even if this is wrong.
    fn do_condition(&mut self) -> ExprId {
        let checkpoint = self.checkpoint();
        let read = |p: &mut Self| {
            p.expect(T::KwWhile)?;
            p.expect(T::LParen)?;
            let condition = p.expression()?;
            p.expect(T::RParen)?;
            p.expect_semicolon()?;
            Ok(condition)
        };
        match read(self) {
            Ok(condition) => condition,
            Err(Reported) => {
                self.restore(checkpoint);
                self.skip_statement();
                self.error_expr()
            }
        }
    }

    /// An item of a compound statement; none if it was put there already.
    fn block_item(&mut self, frames: &mut Vec<Frame>) -> Parse<Option<Step>> {
        let item = match self.peek() {
            T::KwLabel => {
                self.bump();
                let mut names = vec![self.ident()?];
                while self.eat(T::Comma) {
                    names.push(self.ident()?);
                }
                self.expect_semicolon()?;
                BlockItem::LocalLabels(names)
            }
            _ if self.at_static_assert() => BlockItem::StaticAssert(self.static_assert()?),
            T::KwExtension if self.starts_extended_declaration() => {
                while self.eat(T::KwExtension) {}
                self.block_declaration(Vec::new())?
            }
            _ if self.at_attributes() => {
                let mut attributes = Vec::new();
                self.attributes(&mut attributes)?;
                while self.peek() == T::KwExtension && self.starts_extended_declaration() {
                    self.bump();
                }
                if !self.starts_declaration() {
                    return self.attributed(frames, attributes).map(Some);
                }
                self.block_declaration(attributes)?
            }
            _ if self.starts_declaration() => self.block_declaration(Vec::new())?,
            _ => return self.statement(frames).map(Some),
        };
        if let Some(Frame { kind: FrameKind::Compound(items), .. }) = frames.last_mut() {
            items.push(item);
        }
        Ok(None)
    }

    fn block_declaration(&mut self, leading: Vec<Attribute>) -> Parse<BlockItem> {
        Ok(match self.declaration(leading)? {
            Declares::Objects(declaration) => BlockItem::Declaration(declaration),
            Declares::Function(function) => BlockItem::Function(function),
        })
    }

    /// Does a declaration start here, and not a statement?
    fn starts_declaration(&self) -> bool {
        if self.peek() == T::Ident {
            let next = self.peek_at(1);
            let is_unknown = self.scopes.get(self.token().symbol) == super::Meaning::Unknown;
            return next != T::Colon && (self.starts_specifier(self.at) || (is_unknown && next == T::Ident));
        }
        self.starts_specifier(self.at)
    }

    /// Does `__extension__` stand before a declaration?
    fn starts_extended_declaration(&self) -> bool {
        let words = self.tokens[self.at..].iter().take_while(|t| t.kind == T::KwExtension).count();
        self.starts_specifier(self.at + words)
    }

    /// A statement after attributes, which only an empty statement keeps.
    fn attributed(&mut self, frames: &mut Vec<Frame>, attributes: Vec<Attribute>) -> Parse<Step> {
        if self.peek() != T::Semi {
            return self.statement(frames);
        }
        let start = attributes.first().map_or(self.here(), |a| a.span.start);
        self.bump();
        let span = self.since(start);
        Ok(Step::Done(self.push_stmt(StmtKind::Empty(attributes), span)))
    }

    /// A statement, or as much of it as comes before its body.
    fn statement(&mut self, frames: &mut Vec<Frame>) -> Parse<Step> {
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        if !attributes.is_empty() && self.peek() == T::Semi {
            return self.attributed(frames, attributes);
        }
        let start = self.here();
        match self.peek() {
            T::LBrace => {
                self.open_compound(frames);
                return Ok(Step::Pushed);
            }
            T::KwIf | T::KwSwitch | T::KwWhile | T::KwDo | T::KwFor => {
                self.controlled(frames)?;
                return Ok(Step::Pushed);
            }
            T::Ident if self.peek_at(1) == T::Colon => {
                let ident = self.ident()?;
                self.bump();
                let mut attributes = Vec::new();
                // `fallthrough` belongs to the empty statement that follows.
                let is_fallthrough = matches!(self.word_at(3), "fallthrough" | "__fallthrough__");
                if self.peek() == T::KwAttribute && !is_fallthrough {
                    self.attributes(&mut attributes)?;
                }
                let span = self.since(start);
                return Ok(Step::Label(self.push_stmt(StmtKind::Label(ident, attributes), span)));
            }
            T::KwCase | T::KwDefault => return self.case_label(),
            _ => {}
        }
        let outer = std::mem::take(&mut self.peak);
        let kind = self.simple_statement()?;
        self.finish_height(outer, 1);
        let span = self.since(start);
        Ok(Step::Done(self.push_stmt(kind, span)))
    }

    fn case_label(&mut self) -> Parse<Step> {
        let start = self.here();
        let outer = std::mem::take(&mut self.peak);
        let kind = if self.bump().kind == T::KwDefault {
            StmtKind::Default
        } else {
            let first = self.constant_expression()?;
            let last = if self.eat(T::Ellipsis) { Some(self.constant_expression()?) } else { None };
            StmtKind::Case(first, last)
        };
        self.expect(T::Colon)?;
        self.finish_height(outer, 1);
        let span = self.since(start);
        Ok(Step::Label(self.push_stmt(kind, span)))
    }

    /// A statement with a body, up to the body.
    fn controlled(&mut self, frames: &mut Vec<Frame>) -> Parse<()> {
        let start = self.here();
        let outer = std::mem::take(&mut self.peak);
        let scopes = self.scopes.depth();
        self.scopes.open();
        let keyword = self.bump().kind;
        let kind = match keyword {
            T::KwDo => FrameKind::Do,
            T::KwFor => self.for_head()?,
            _ => {
                let condition = self.condition()?;
                match keyword {
                    T::KwIf => FrameKind::If(condition),
                    T::KwSwitch => FrameKind::Switch(condition),
                    _ => FrameKind::While(condition),
                }
            }
        };
        self.push_frame(frames, kind, start, outer, scopes);
        Ok(())
    }

    /// An expression in parentheses; after an error in it, reads on behind the closing one.
    fn condition(&mut self) -> Parse<ExprId> {
        self.expect(T::LParen)?;
        let checkpoint = self.checkpoint();
        let read = |p: &mut Self| {
            let condition = p.expression()?;
            p.expect(T::RParen)?;
            Ok(condition)
        };
        match read(self) {
            Ok(condition) => Ok(condition),
            Err(Reported) => {
                self.restore(checkpoint);
                if self.skip_to_closing() { Ok(self.error_expr()) } else { Err(Reported) }
            }
        }
    }

    fn for_head(&mut self) -> Parse<FrameKind> {
        self.expect(T::LParen)?;
        while self.peek() == T::KwExtension && self.starts_extended_declaration() {
            self.bump();
        }
        let init = if self.eat(T::Semi) {
            ForInit::None
        } else if self.starts_declaration() || self.at_attributes() {
            let mut leading = Vec::new();
            self.attributes(&mut leading)?;
            match self.declaration(leading)? {
                Declares::Objects(declaration) => ForInit::Declaration(declaration),
                Declares::Function(function) => {
                    let span = function.declarator.span;
                    return Err(self.report(span, "a function definition at the start of a 'for' loop"));
                }
            }
        } else {
            let init = self.expression()?;
            self.expect(T::Semi)?;
            ForInit::Expr(init)
        };
        let condition = if self.peek() == T::Semi { None } else { Some(self.expression()?) };
        self.expect(T::Semi)?;
        let step = if self.peek() == T::RParen { None } else { Some(self.expression()?) };
        self.expect(T::RParen)?;
        Ok(FrameKind::For(init, condition, step))
    }

    /// A statement without a body.
    fn simple_statement(&mut self) -> Parse<StmtKind> {
        let kind = match self.peek() {
            T::Semi => StmtKind::Empty(Vec::new()),
            T::KwGoto => {
                self.bump();
                if self.eat(T::Star) {
                    StmtKind::GotoComputed(self.expression()?)
                } else {
                    StmtKind::Goto(self.ident()?)
                }
            }
            T::KwContinue => {
                self.bump();
                StmtKind::Continue
            }
            T::KwBreak => {
                self.bump();
                StmtKind::Break
            }
            T::KwReturn => {
                self.bump();
                StmtKind::Return(if self.peek() == T::Semi { None } else { Some(self.expression()?) })
            }
            T::KwAsm => StmtKind::Asm(Box::new(self.asm()?)),
            T::KwElse => {
                let span = self.span();
                return Err(self.report(span, "'else' without an 'if' before it"));
            }
            _ => StmtKind::Expr(self.expression()?),
        };
        self.expect_semicolon()?;
        Ok(kind)
    }
}
