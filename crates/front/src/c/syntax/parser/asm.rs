//! `asm` statements, declarations and labels.

use super::super::ast::*;
use super::super::token::T;
use super::{Parse, Parser};

impl Parser<'_> {
    /// `asm` with its parentheses.
    pub(super) fn asm(&mut self) -> Parse<Asm> {
        let start = self.here();
        self.bump();
        let (mut is_volatile, mut is_goto) = (false, false);
        loop {
            match self.peek() {
                T::KwVolatile => is_volatile = true,
                T::KwGoto => is_goto = true,
                T::KwInline | T::KwConst => {}
                _ => break,
            }
            self.bump();
        }
        self.expect(T::LParen)?;
        let template = self.string()?;
        let (mut outputs, mut inputs, mut clobbers, mut labels) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        if self.eat(T::Colon) {
            self.operands(&mut outputs)?;
        }
        if self.eat(T::Colon) {
            self.operands(&mut inputs)?;
        }
        if self.eat(T::Colon) {
            while self.peek() == T::Str {
                clobbers.push(self.string()?);
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        if is_goto && self.eat(T::Colon) {
            loop {
                labels.push(self.ident()?);
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        self.expect(T::RParen)?;
        let span = self.since(start);
        Ok(Asm { is_volatile, is_goto, template, outputs, inputs, clobbers, labels, span })
    }

    fn operands(&mut self, operands: &mut Vec<AsmOperand>) -> Parse<()> {
        if !matches!(self.peek(), T::Str | T::LBracket) {
            return Ok(());
        }
        loop {
            let mut name = None;
            if self.eat(T::LBracket) {
                name = Some(self.ident()?);
                self.expect(T::RBracket)?;
            }
            let constraint = self.string()?;
            self.expect(T::LParen)?;
            let expr = self.expression()?;
            self.expect(T::RParen)?;
            operands.push(AsmOperand { name, constraint, expr });
            if !self.eat(T::Comma) {
                return Ok(());
            }
        }
    }

    /// `asm("…")` after a declarator.
    pub(super) fn asm_label(&mut self) -> Parse<Option<Box<str>>> {
        if self.peek() != T::KwAsm {
            return Ok(None);
        }
        self.bump();
        while matches!(self.peek(), T::KwVolatile | T::KwInline) {
            self.bump();
        }
        self.expect(T::LParen)?;
        let name = self.string()?;
        self.expect(T::RParen)?;
        let bytes: Vec<u8> = name.units.iter().map(|&u| u as u8).collect();
        Ok(Some(String::from_utf8_lossy(&bytes).into()))
    }

    /// A string that is no expression.
    pub(super) fn string(&mut self) -> Parse<StringLiteral> {
        if self.peek() != T::Str {
            return Err(self.expected("a string"));
        }
        self.string_pieces()
    }
}
