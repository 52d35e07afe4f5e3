//! Attributes: `__attribute__((…))`, `[[…]]`, `__declspec(…)`.

use super::super::ast::*;
use super::super::token::T;
use super::{Parse, Parser};
use bolide_model::Span;

impl Parser<'_> {
    /// Does `[[` stand here?
    pub(super) fn at_brackets(&self) -> bool {
        self.peek() == T::LBracket && self.peek_at(1) == T::LBracket
    }

    /// Do attributes start here?
    pub(super) fn at_attributes(&self) -> bool {
        matches!(self.peek(), T::KwAttribute | T::KwDeclspec) || self.at_brackets()
    }

    /// Reads all attributes that stand here.
    pub(super) fn attributes(&mut self, out: &mut Vec<Attribute>) -> Parse<()> {
        loop {
            match self.peek() {
                T::KwAttribute => {
                    self.bump();
                    self.expect(T::LParen)?;
                    self.expect(T::LParen)?;
                    self.attribute_list(T::RParen, false, out)?;
                    self.expect(T::RParen)?;
                    self.expect(T::RParen)?;
                }
                T::KwDeclspec => {
                    self.bump();
                    self.expect(T::LParen)?;
                    self.attribute_list(T::RParen, true, out)?;
                    self.expect(T::RParen)?;
                }
                T::LBracket if self.peek_at(1) == T::LBracket => {
                    self.bump();
                    self.bump();
                    self.attribute_list(T::RBracket, false, out)?;
                    self.expect(T::RBracket)?;
                    self.expect(T::RBracket)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Attributes up to a closing bracket, which stays; commas may be missing in `__declspec(a b)`.
    fn attribute_list(&mut self, closing: T, without_commas: bool, out: &mut Vec<Attribute>) -> Parse<()> {
        loop {
            while self.eat(T::Comma) {}
            if self.peek() == closing {
                return Ok(());
            }
            let start = self.here();
            let mut name = self.attribute_name()?;
            if self.peek() == T::Colon && self.peek_at(1) == T::Colon {
                self.bump();
                self.bump();
                name = self.attribute_name()?;
            }
            let mut arguments = Vec::new();
            if self.eat(T::LParen) {
                self.nested(|p| p.attribute_arguments(&mut arguments))?;
            }
            out.push(Attribute { name, arguments, span: self.since(start) });
            let goes_on = self.peek() == T::Comma || (without_commas && self.is_word());
            if self.peek() != closing && !goes_on {
                let what = format!("',' or '{}'", closing.shown());
                return Err(self.expected(&what));
            }
        }
    }

    fn is_word(&self) -> bool {
        let token = self.token();
        let text = &self.text.bytes[token.start as usize..token.end as usize];
        !matches!(token.kind, T::Char | T::Str)
            && text.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b == b'$' || *b >= 0x80)
    }

    /// The name of an attribute, which may be a keyword.
    fn attribute_name(&mut self) -> Parse<Name> {
        if !self.is_word() {
            return Err(self.expected("an attribute"));
        }
        let token = self.bump();
        let name = self.name(token);
        let bare = name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).filter(|n| !n.is_empty());
        Ok(bare.map_or(name.clone(), Name::from))
    }

    /// Arguments and the closing parenthesis.
    fn attribute_arguments(&mut self, out: &mut Vec<AttributeArgument>) -> Parse<()> {
        loop {
            if self.eat(T::RParen) {
                return Ok(());
            }
            let argument = self.attribute_argument()?;
            out.push(argument);
            if self.peek() != T::RParen {
                self.expect(T::Comma)?;
            }
        }
    }

    /// A type or an expression, or else whatever stands up to the next comma or parenthesis.
    fn attribute_argument(&mut self) -> Parse<AttributeArgument> {
        let (first, start) = (self.at, self.here());
        let checkpoint = self.checkpoint();
        let (issues, last_issue, peak) = (self.issues.len(), self.last_issue, self.peak);
        let read = if self.starts_type_name(self.at) {
            self.owned(|p| p.type_name()).map(|t| AttributeArgument::Type(Box::new(t)))
        } else {
            self.assignment_expression().map(AttributeArgument::Expr)
        };
        match read {
            Ok(argument) if matches!(self.peek(), T::Comma | T::RParen) && self.issues.len() == issues => {
                return Ok(argument);
            }
            _ if self.stopped => return Err(super::Reported),
            _ => {}
        }
        self.restore(checkpoint);
        self.issues.truncate(issues);
        (self.last_issue, self.peak, self.at) = (last_issue, peak, first);
        let mut open = 0usize;
        loop {
            match self.peek() {
                T::Eof => return Err(self.expected("')'")),
                T::LParen | T::LBracket | T::LBrace => open += 1,
                T::Comma | T::RParen if open == 0 => break,
                T::RParen | T::RBracket | T::RBrace => open = open.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
        let span: Span = self.since(start);
        Ok(AttributeArgument::Other(span))
    }
}
