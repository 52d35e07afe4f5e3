//! Initialisers and designators.

use super::super::ast::*;
use super::super::token::T;
use super::{Parse, Parser};

impl Parser<'_> {
    /// An initialiser: an expression or a list in braces.
    pub(super) fn initializer(&mut self) -> Parse<Initializer> {
        if self.peek() == T::LBrace {
            return self.initializer_list();
        }
        Ok(Initializer::Expr(self.assignment_expression()?))
    }

    /// A list in braces.
    pub(super) fn initializer_list(&mut self) -> Parse<Initializer> {
        let start = self.here();
        self.expect(T::LBrace)?;
        let items = self.owned(|p| p.measured(|p| p.initializer_items()))?.0;
        self.expect(T::RBrace)?;
        Ok(Initializer::List(items, self.since(start)))
    }

    /// The elements up to the closing brace, which stays.
    fn initializer_items(&mut self) -> Parse<Vec<InitializerItem>> {
        let mut items = Vec::new();
        while self.peek() != T::RBrace {
            let designators = self.designators()?;
            let value = self.initializer()?;
            items.push(InitializerItem { designators, value });
            if !self.eat(T::Comma) {
                if self.peek() != T::RBrace {
                    return Err(self.expected("',' or '}'"));
                }
                break;
            }
        }
        Ok(items)
    }

    /// What an element is for, with its `=`.
    fn designators(&mut self) -> Parse<Vec<Designator>> {
        let mut designators = Vec::new();
        if self.peek() == T::Ident && self.peek_at(1) == T::Colon {
            designators.push(Designator::Member(self.ident()?));
            self.bump();
            return Ok(designators);
        }
        let outer = std::mem::take(&mut self.peak);
        loop {
            match self.peek() {
                T::LBracket => {
                    let index = self.nested(|p| p.index_designator())?;
                    designators.push(index);
                }
                T::Dot => {
                    self.bump();
                    designators.push(Designator::Member(self.ident()?));
                }
                _ => break,
            }
        }
        self.finish_height(outer, designators.len());
        // `[0] 5` is an old form of `[0] = 5`.
        let only_index = matches!(designators[..], [Designator::Index(_) | Designator::Range(..)]);
        if !designators.is_empty() && !self.eat(T::Assign) && !only_index {
            return Err(self.expected("'='"));
        }
        Ok(designators)
    }

    fn index_designator(&mut self) -> Parse<Designator> {
        self.bump();
        let first = self.constant_expression()?;
        let designator = if self.eat(T::Ellipsis) {
            Designator::Range(first, self.constant_expression()?)
        } else {
            Designator::Index(first)
        };
        self.expect(T::RBracket)?;
        Ok(designator)
    }
}
