//! Statements.

use super::{Lower, Result, Scope, issue, span_of, unsupported};
use crate::c::hir::{BlockId, InstrKind, Operand, Place, Terminator};
use crate::c::types::Type;
use bolide_model::Span;
use lang_c::ast;
use lang_c::span::Node;

/// A switch under construction.
pub(super) struct Switch {
    ty: crate::c::types::TypeId,
    cases: Vec<(i128, i128, BlockId)>,
    default: Option<BlockId>,
}

impl Lower<'_> {
    pub(super) fn block_item(&mut self, item: &Node<ast::BlockItem>) -> Result<()> {
        match &item.node {
            ast::BlockItem::Declaration(d) => self.declaration(d),
            ast::BlockItem::StaticAssert(_) => Ok(()),
            ast::BlockItem::Statement(s) => self.statement(s),
        }
    }

    pub(super) fn statement(&mut self, s: &Node<ast::Statement>) -> Result<()> {
        let span = span_of(s);
        match &s.node {
            ast::Statement::Labeled(l) => self.labeled(&l.node, span),
            ast::Statement::Compound(items) => {
                self.scoped(|this| items.iter().try_for_each(|i| this.block_item(i)))
            }
            ast::Statement::Expression(None) => Ok(()),
            ast::Statement::Expression(Some(e)) => self.effect(e),
            ast::Statement::If(i) => self.if_statement(&i.node, span),
            ast::Statement::Switch(x) => self.switch(&x.node, span),
            ast::Statement::While(w) => {
                let (head, body, after) = (self.block(), self.block(), self.block());
                self.end(Terminator::Goto(head), span, head);
                self.branch_on(&w.node.expression, body, after, body)?;
                self.loop_body(&w.node.statement, after, head)?;
                self.end(Terminator::Goto(head), span, after);
                Ok(())
            }
            ast::Statement::DoWhile(w) => {
                let (body, test, after) = (self.block(), self.block(), self.block());
                self.end(Terminator::Goto(body), span, body);
                self.loop_body(&w.node.statement, after, test)?;
                self.end(Terminator::Goto(test), span, test);
                self.branch_on(&w.node.expression, body, after, after)
            }
            ast::Statement::For(f) => self.scoped(|this| this.for_statement(&f.node, span)),
            ast::Statement::Goto(label) => {
                let target = self.label(&label.node.name, span);
                self.stop(Terminator::Goto(target), span);
                Ok(())
            }
            ast::Statement::Continue => match self.body().continues.last() {
                Some(&b) => {
                    self.stop(Terminator::Goto(b), span);
                    Ok(())
                }
                None => issue(span, "continue outside of a loop"),
            },
            ast::Statement::Break => match self.body().breaks.last() {
                Some(&b) => {
                    self.stop(Terminator::Goto(b), span);
                    Ok(())
                }
                None => issue(span, "break outside of a loop or switch"),
            },
            ast::Statement::Return(value) => self.return_statement(value.as_deref(), span),
            ast::Statement::Asm(a) => match &a.node {
                ast::AsmStatement::GnuExtended(x) if !x.outputs.is_empty() => {
                    self.assume_that(
                        "assembler statements leave any values in their outputs and have no other effect"
                            .into(),
                        span,
                    );
                    let mut known = Vec::new();
                    for input in &x.inputs {
                        if let Operand::Scalar(e) = self.value(&input.node.variable_name)? {
                            known.push(e);
                        }
                    }
                    self.emit(InstrKind::Escape(known), span)?;
                    for output in &x.outputs {
                        let place = self.place(&output.node.variable_name)?;
                        if !self.types.is_scalar(place.ty) {
                            return unsupported(span, "assembler with a structure as an output");
                        }
                        let input = self.input("assembler", place.ty, span);
                        self.emit(InstrKind::Input(place, input), span)?;
                    }
                    Ok(())
                }
                _ => {
                    self.assume_that("assembler statements without outputs have no effect".into(), span);
                    Ok(())
                }
            },
        }
    }

    fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.scopes.push(Scope::default());
        let outcome = work(self);
        self.scopes.pop();
        outcome
    }

    fn loop_body(&mut self, s: &Node<ast::Statement>, after: BlockId, again: BlockId) -> Result<()> {
        self.body().breaks.push(after);
        self.body().continues.push(again);
        let outcome = self.statement(s);
        self.body().breaks.pop();
        self.body().continues.pop();
        outcome
    }

    /// Branches on a condition and continues in a block.
    fn branch_on(
        &mut self,
        e: &Node<ast::Expression>,
        yes: BlockId,
        no: BlockId,
        next: BlockId,
    ) -> Result<()> {
        let span = span_of(e);
        let condition = self.scalar_value(e)?;
        let end = match self.int_value(condition) {
            Some(0) => Terminator::Goto(no),
            Some(_) => Terminator::Goto(yes),
            None => Terminator::Branch(self.truth(condition, span)?, yes, no),
        };
        self.end(end, span, next);
        Ok(())
    }

    fn if_statement(&mut self, i: &ast::IfStatement, span: Span) -> Result<()> {
        let (yes, no, after) = (self.block(), self.block(), self.block());
        self.branch_on(&i.condition, yes, no, yes)?;
        self.statement(&i.then_statement)?;
        self.end(Terminator::Goto(after), span, no);
        if let Some(s) = &i.else_statement {
            self.statement(s)?;
        }
        self.end(Terminator::Goto(after), span, after);
        Ok(())
    }

    fn for_statement(&mut self, f: &ast::ForStatement, span: Span) -> Result<()> {
        match &f.initializer.node {
            ast::ForInitializer::Expression(e) => self.effect(e)?,
            ast::ForInitializer::Declaration(d) => self.declaration(d)?,
            ast::ForInitializer::Empty | ast::ForInitializer::StaticAssert(_) => {}
        }
        let (head, body, step, after) = (self.block(), self.block(), self.block(), self.block());
        self.end(Terminator::Goto(head), span, head);
        match &f.condition {
            Some(c) => self.branch_on(c, body, after, body)?,
            None => self.end(Terminator::Goto(body), span, body),
        }
        self.loop_body(&f.statement, after, step)?;
        self.end(Terminator::Goto(step), span, step);
        if let Some(s) = &f.step {
            self.effect(s)?;
        }
        self.end(Terminator::Goto(head), span, after);
        Ok(())
    }

    fn label(&mut self, name: &str, span: Span) -> BlockId {
        if let Some(&b) = self.body().labels.get(name) {
            return b;
        }
        let b = self.block();
        let body = self.body();
        body.labels.insert(name.to_owned(), b);
        body.mentioned.push((name.to_owned(), span));
        b
    }

    fn labeled(&mut self, l: &ast::LabeledStatement, span: Span) -> Result<()> {
        let here = match &l.label.node {
            ast::Label::Identifier(i) => {
                let name = &i.node.name;
                let block = self.label(name, span);
                if !self.body().placed.insert(name.clone()) {
                    return issue(span, format!("label '{name}' is defined twice"));
                }
                if name == "ERROR" && self.properties_wanted.labels == Some(true) {
                    self.end(Terminator::Goto(block), span, block);
                    let property = self.property("label ERROR", span);
                    self.stop(Terminator::Error(property), span);
                    return self.statement(&l.statement);
                }
                block
            }
            ast::Label::Case(e) => {
                let value = self.constant(e)?;
                self.case(value, value, span)?
            }
            ast::Label::CaseRange(r) => {
                let (low, high) = (self.constant(&r.node.low)?, self.constant(&r.node.high)?);
                self.case(low, high, span)?
            }
            ast::Label::Default => {
                let block = self.block();
                match self.body().switches.last_mut() {
                    Some(s) if s.default.is_none() => s.default = Some(block),
                    Some(_) => return issue(span, "a second default label"),
                    None => return issue(span, "default outside of a switch"),
                }
                block
            }
        };
        self.end(Terminator::Goto(here), span, here);
        self.statement(&l.statement)
    }

    fn case(&mut self, low: i128, high: i128, span: Span) -> Result<BlockId> {
        let block = self.block();
        let Some(ty) = self.body().switches.last().map(|s| s.ty) else {
            return issue(span, "case outside of a switch");
        };
        let wrap = |this: &Self, v| this.types.as_int(ty).map_or(v, |i| i.wrap(v));
        let (low, high) = (wrap(self, low), wrap(self, high));
        let switch = self.body().switches.last_mut().expect("checked above");
        if switch.cases.iter().any(|c| c.0 <= high && low <= c.1) {
            return issue(span, "a case value occurs twice");
        }
        switch.cases.push((low, high, block));
        Ok(block)
    }

    fn switch(&mut self, s: &ast::SwitchStatement, span: Span) -> Result<()> {
        let value = self.scalar_value(&s.expression)?;
        let value = self.promoted(value, span)?;
        let ty = self.ty(value);
        if self.types.as_int(ty).is_none() {
            return issue(span, "a switch on something that is not an integer");
        }
        let head = self.body().current;
        let (inside, after) = (self.block(), self.block());
        self.body().current = inside;
        self.body().breaks.push(after);
        self.body().switches.push(Switch { ty, cases: Vec::new(), default: None });
        let outcome = self.statement(&s.statement);
        self.body().breaks.pop();
        let switch = self.body().switches.pop().expect("pushed above");
        outcome?;
        self.end(Terminator::Goto(after), span, head);
        let default = switch.default.unwrap_or(after);
        self.end(Terminator::Switch(value, switch.cases, default), span, after);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&Node<ast::Expression>>, span: Span) -> Result<()> {
        let ty = self.body().result;
        let value = match (self.types.get(ty), value) {
            (Type::Void, Some(e)) => {
                self.effect(e)?;
                None
            }
            (Type::Void, None) => None,
            (Type::Record(_), Some(e)) => {
                let operand = self.value(e)?;
                if let Some(slot) = self.body().result_slot {
                    self.assign(Place::var(slot, ty), operand, span)?;
                }
                None
            }
            (Type::Record(_), None) => None,
            (_, Some(e)) => {
                let e = self.scalar_value(e)?;
                Some(self.convert(e, ty, span)?)
            }
            (_, None) => {
                let t = self.temp(ty, span);
                let input = self.input("missing return value", ty, span);
                self.emit(InstrKind::Fresh(t, Some(input)), span)?;
                Some(self.load_var(t, span))
            }
        };
        self.stop(Terminator::Return(value), span);
        Ok(())
    }
}
