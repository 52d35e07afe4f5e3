//! Statements.

use super::ctype::{CType, Ct, Q};
use super::object::{Object, Value, Whole};
use super::{Lower, Result, issue};
use crate::c::hir::{BlockId, InstrKind, Place, Terminator};
use crate::c::syntax::ast::{self, BlockItem, For, ForInit, StmtKind};
use bolide_model::Span;
use std::collections::BTreeMap;

/// A switch under construction.
pub(super) struct Switch {
    /// The promoted type of what is switched on.
    ty: Ct,
    cases: Vec<(i128, i128, BlockId)>,
    /// The ranges of the cases: where one starts, where it ends.
    ranges: BTreeMap<i128, i128>,
    default: Option<BlockId>,
}

impl<'a> Lower<'a> {
    /// Lowers an item of a block; what is wrong with it is noted, and the next item is read.
    pub(super) fn block_item(&mut self, item: &'a BlockItem) {
        let outcome = match item {
            BlockItem::Declaration(d) => self.declaration(d),
            BlockItem::StaticAssert(a) => self.static_assert(a),
            BlockItem::Stmt(s) => self.statement(*s),
            BlockItem::Function(f) => self.nested_function(f),
            BlockItem::LocalLabels(names) => {
                for ident in names {
                    self.body().labels.declare(&ident.name);
                }
                Ok(())
            }
        };
        match (outcome, item) {
            (Ok(()), _) => {}
            (Err(e), BlockItem::Function(_)) if e.message.starts_with(super::UNSUPPORTED) => {
                self.refuse_function(e);
            }
            (Err(e), _) => self.report(e),
        }
    }

    /// The body of a function: its declarations are in the scope of the parameters.
    pub(super) fn function_statement(&mut self, s: ast::StmtId) {
        match &self.tree.stmts[s].kind {
            StmtKind::Compound(items) => {
                for item in items {
                    self.block_item(item);
                }
            }
            _ => {
                if let Err(e) = self.statement(s) {
                    self.report(e);
                }
            }
        }
    }

    pub(super) fn statement(&mut self, s: ast::StmtId) -> Result<()> {
        let tree = self.tree;
        let span = tree.stmts[s].span;
        match &tree.stmts[s].kind {
            StmtKind::Empty(_) | StmtKind::Error => Ok(()),
            StmtKind::Expr(e) => self.effect(*e),
            StmtKind::Compound(items) => {
                let locals = self.body().labels.enter();
                let outcome = self.scoped(|this| {
                    items.iter().for_each(|i| this.block_item(i));
                    Ok(())
                });
                self.body().labels.leave(locals);
                outcome
            }
            StmtKind::If(c, yes, no) => self.scoped(|this| this.if_chain(*c, *yes, *no, span)),
            StmtKind::Switch(e, body) => self.scoped(|this| this.switch(*e, *body, span)),
            StmtKind::While(c, body) => self.scoped(|this| this.while_statement(*c, *body, span)),
            StmtKind::DoWhile(body, c) => self.scoped(|this| this.do_statement(*body, *c, span)),
            StmtKind::For(f) => self.scoped(|this| this.for_statement(f, span)),
            StmtKind::Case(low, high) => {
                let low = self.constant(*low)?;
                let high = high.map(|h| self.constant(h)).transpose()?.unwrap_or(low);
                let here = self.case(low, high, span)?;
                self.end(Terminator::Goto(here), span, here);
                Ok(())
            }
            StmtKind::Default => {
                let here = self.block();
                match self.body().switches.last_mut() {
                    Some(s) if s.default.is_none() => s.default = Some(here),
                    Some(_) => return issue(span, "a second default label"),
                    None => return issue(span, "default outside of a switch"),
                }
                self.end(Terminator::Goto(here), span, here);
                Ok(())
            }
            StmtKind::Label(ident, _) => {
                let block = self.place_label(ident)?;
                self.end(Terminator::Goto(block), span, block);
                if &*ident.name == "ERROR" && self.properties_wanted.labels == Some(true) {
                    let property = self.property("label ERROR", span);
                    self.stop(Terminator::Error(property), span);
                }
                Ok(())
            }
            StmtKind::Goto(ident) => {
                let target = self.jump_target(ident)?;
                self.stop(Terminator::Goto(target), span);
                Ok(())
            }
            StmtKind::GotoComputed(e) => self.computed_goto(*e, span),
            StmtKind::Continue => match self.body().continues.last() {
                Some(&b) => {
                    self.stop(Terminator::Goto(b), span);
                    Ok(())
                }
                None => issue(span, "continue outside of a loop"),
            },
            StmtKind::Break => match self.body().breaks.last() {
                Some(&b) => {
                    self.stop(Terminator::Goto(b), span);
                    Ok(())
                }
                None => issue(span, "break outside of a loop or switch"),
            },
            StmtKind::Return(value) => self.return_statement(*value, span),
            StmtKind::Asm(a) => self.asm_statement(a, span),
        }
    }

    /// A statement that is part of another one, which is a block, with or without braces; its mistakes are noted.
    fn noted(&mut self, s: ast::StmtId) {
        let outcome = match self.tree.stmts[s].kind {
            StmtKind::Expr(_) | StmtKind::Return(_) => self.scoped(|this| this.statement(s)),
            _ => self.statement(s),
        };
        if let Err(e) = outcome {
            self.report(e);
        }
    }

    fn while_statement(&mut self, c: ast::ExprId, body: ast::StmtId, span: Span) -> Result<()> {
        let (head, inside, after) = (self.block(), self.block(), self.block());
        self.end(Terminator::Goto(head), span, head);
        self.branch_on(c, inside, after, inside)?;
        self.loop_body(body, after, head);
        self.end(Terminator::Goto(head), span, after);
        Ok(())
    }

    fn do_statement(&mut self, body: ast::StmtId, c: ast::ExprId, span: Span) -> Result<()> {
        let (inside, test, after) = (self.block(), self.block(), self.block());
        self.end(Terminator::Goto(inside), span, inside);
        self.loop_body(body, after, test);
        self.end(Terminator::Goto(test), span, test);
        self.branch_on(c, inside, after, after)
    }

    fn loop_body(&mut self, s: ast::StmtId, after: BlockId, again: BlockId) {
        self.body().breaks.push(after);
        self.body().continues.push(again);
        self.noted(s);
        self.body().breaks.pop();
        self.body().continues.pop();
    }

    /// Branches on a condition and continues in a block.
    fn branch_on(&mut self, e: ast::ExprId, yes: BlockId, no: BlockId, next: BlockId) -> Result<()> {
        let span = self.span(e);
        let outcome = match self.whole_value(e) {
            Ok(w) => self.truth_of(&w, span),
            Err(e) => Err(e),
        };
        let end = match outcome {
            Ok(truth) => match self.int_value(truth) {
                Some(0) => Terminator::Goto(no),
                Some(_) => Terminator::Goto(yes),
                None => Terminator::Branch(truth, yes, no),
            },
            // The statements that depend on it are read all the same.
            Err(e) => {
                self.report(e);
                Terminator::Halt
            }
        };
        self.end(end, span, next);
        Ok(())
    }

    /// `if` with all its `else if`s.
    fn if_chain(
        &mut self,
        c: ast::ExprId,
        yes: ast::StmtId,
        no: Option<ast::StmtId>,
        span: Span,
    ) -> Result<()> {
        let tree = self.tree;
        let after = self.block();
        let (mut c, mut yes, mut no, mut span) = (c, yes, no, span);
        loop {
            let (then, otherwise) = (self.block(), self.block());
            self.branch_on(c, then, otherwise, then)?;
            self.noted(yes);
            self.end(Terminator::Goto(after), span, otherwise);
            match no {
                Some(s) => match &tree.stmts[s].kind {
                    StmtKind::If(next, next_yes, next_no) => {
                        (c, yes, no, span) = (*next, *next_yes, *next_no, tree.stmts[s].span);
                    }
                    _ => {
                        self.noted(s);
                        break;
                    }
                },
                None => break,
            }
        }
        self.end(Terminator::Goto(after), span, after);
        Ok(())
    }

    fn for_statement(&mut self, f: &'a For, span: Span) -> Result<()> {
        let outcome = match &f.init {
            ForInit::None => Ok(()),
            ForInit::Expr(e) => self.effect(*e),
            ForInit::Declaration(d) => self.declaration(d),
        };
        if let Err(e) = outcome {
            self.report(e);
        }
        let (head, inside, step, after) = (self.block(), self.block(), self.block(), self.block());
        self.end(Terminator::Goto(head), span, head);
        match f.condition {
            Some(c) => self.branch_on(c, inside, after, inside)?,
            None => self.end(Terminator::Goto(inside), span, inside),
        }
        self.loop_body(f.body, after, step);
        self.end(Terminator::Goto(step), span, step);
        if let Some(s) = f.step
            && let Err(e) = self.effect(s)
        {
            self.report(e);
        }
        self.end(Terminator::Goto(head), span, after);
        Ok(())
    }

    fn case(&mut self, low: i128, high: i128, span: Span) -> Result<BlockId> {
        let block = self.block();
        let Some(ty) = self.body().switches.last().map(|s| s.ty) else {
            return issue(span, "case outside of a switch");
        };
        let int = self.ctypes.as_int(ty);
        let wrap = |v| int.map_or(v, |i| i.wrap(v));
        let (low, high) = (wrap(low), wrap(high));
        let switch = self.body().switches.last_mut().expect("checked above");
        if low > high {
            // Compilers warn about an empty range, which nothing reaches.
            return Ok(block);
        }
        if switch.ranges.range(..=high).next_back().is_some_and(|(_, end)| low <= *end) {
            return issue(span, "a case value occurs twice");
        }
        switch.ranges.insert(low, high);
        switch.cases.push((low, high, block));
        Ok(block)
    }

    fn switch(&mut self, e: ast::ExprId, body: ast::StmtId, span: Span) -> Result<()> {
        let value = match self.switched(e, span) {
            Ok(value) => value,
            // The statements are read all the same.
            Err(e) => {
                self.report(e);
                let wide = self.ctypes.int_of(super::ctype::LONG_LONG, true);
                self.int_of(0, wide, span)
            }
        };
        let head = self.body().current;
        let (inside, after) = (self.block(), self.block());
        self.body().current = inside;
        self.body().breaks.push(after);
        let switch = Switch { ty: value.ty, cases: Vec::new(), ranges: BTreeMap::new(), default: None };
        self.body().switches.push(switch);
        self.noted(body);
        self.body().breaks.pop();
        let switch = self.body().switches.pop().expect("pushed above");
        self.end(Terminator::Goto(after), span, head);
        let default = switch.default.unwrap_or(after);
        self.end(Terminator::Switch(value.e, switch.cases, default), span, after);
        Ok(())
    }

    /// What a switch is on.
    fn switched(&mut self, e: ast::ExprId, span: Span) -> Result<Value> {
        let value = self.value(e)?;
        let value = self.promoted(value, span)?;
        if self.ctypes.as_int(value.ty).is_none() {
            return issue(span, "a switch on something that is not an integer");
        }
        self.refuse_wide(value.ty, span)?;
        Ok(value)
    }

    fn return_statement(&mut self, value: Option<ast::ExprId>, span: Span) -> Result<()> {
        let ty = self.body().result;
        let value = match (self.ctypes.get(ty).clone(), value) {
            (CType::Void, Some(e)) => {
                self.effect(e)?;
                None
            }
            (CType::Void, None) => None,
            (_, Some(e)) => {
                let whole = self.whole_value(e)?;
                match self.assigned(whole, Q::plain(ty), "return", span)? {
                    Whole::Scalar(Value { e, .. }) => Some(e),
                    whole => {
                        if let Some(slot) = self.body().result_slot {
                            let place = Place::var(slot, self.vars[slot].ty);
                            self.store(&Object::new(place, Q::plain(ty)), whole, "return", span)?;
                        }
                        None
                    }
                }
            }
            (_, None) if self.ctypes.is_record(ty) => None,
            (_, None) => {
                let plain = self.hir(ty);
                let t = self.temp(plain, span);
                let input = self.input("missing return value", plain, span);
                self.emit(InstrKind::Fresh(t, Some(input)), span)?;
                Some(self.load_var(t, span))
            }
        };
        let value = self.returning(value, span)?;
        self.stop(Terminator::Return(value), span);
        Ok(())
    }
}
