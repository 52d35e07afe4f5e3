//! Contracts, as the header `bolide.h` writes them: what a function requires of its callers, and what holds inside of it.

use super::{Lower, Result};
use crate::c::hir::{InstrKind, Place, Storage, Terminator};
use crate::c::syntax::ast;
use bolide_model::Span;

impl Lower<'_> {
    /// A precondition: callers must establish it. Where execution starts nobody calls, and it is taken for granted once.
    pub(super) fn requires(&mut self, condition: ast::ExprId, span: Span) -> Result<()> {
        let condition = self.condition(condition)?;
        let func = self.body().func;
        if !self.is_entry(func) {
            return self.check(condition, "precondition", span);
        }
        self.assume_that(
            format!("the precondition of {} holds where the program starts", self.entry_name),
            span,
        );
        let condition = self.saved(condition, span)?;
        let int = self.types.int();
        let name = format!("{}::$entered", self.entry_name);
        let entered = self.new_var(&name, int, Storage::Static, Span::default());
        let (again, first, next) = (self.block(), self.block(), self.block());
        let is_entered = self.load_var(entered, span);
        self.end(Terminator::Branch(is_entered, again, first), span, first);
        let one = self.int(1, int, span);
        self.emit(InstrKind::Assign(Place::var(entered, int), one), span)?;
        self.emit(InstrKind::Assume(condition), span)?;
        self.end(Terminator::Goto(next), span, again);
        self.check(condition, "precondition", span)?;
        self.end(Terminator::Goto(next), span, next);
        Ok(())
    }

    /// Something that holds where it is written.
    pub(super) fn ensures(&mut self, condition: ast::ExprId, what: &str, span: Span) -> Result<()> {
        let condition = self.condition(condition)?;
        self.check(condition, what, span)
    }
}
