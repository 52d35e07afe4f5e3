//! Structures, unions and enumerations.

use super::super::ast::*;
use super::super::scope::Meaning;
use super::super::token::T;
use super::specifiers::Place;
use super::{Parse, Parser, Reported};

impl Parser<'_> {
    /// `struct` or `union`, a mention or a definition.
    pub(super) fn record(&mut self) -> Parse<TypeSpecifier> {
        let start = self.here();
        let is_union = self.bump().kind == T::KwUnion;
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag(&mut attributes)?;
        let mut members = None;
        let mut pack = None;
        if self.peek() == T::LBrace {
            self.bump();
            members = Some(self.owned(|p| p.measured(|p| p.members()))?.0);
            pack = self.packing.at(self.token().start);
            self.expect(T::RBrace)?;
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.expected("a tag or '{'"));
        }
        let span = self.since(start);
        Ok(TypeSpecifier::Record(Box::new(RecordSpecifier {
            is_union,
            tag,
            members,
            attributes,
            pack,
            span,
        })))
    }

    /// A tag, which may be the name of a type, and attributes after it if a body follows.
    fn tag(&mut self, attributes: &mut Vec<Attribute>) -> Parse<Option<Ident>> {
        if self.peek() != T::Ident {
            return Ok(None);
        }
        let tag = self.ident()?;
        if self.at_attributes() && self.attributes_before_body() {
            self.attributes(attributes)?;
        }
        Ok(Some(tag))
    }

    /// Do the attributes that start here end before a brace?
    fn attributes_before_body(&self) -> bool {
        let mut at = self.at;
        while matches!(self.tokens[at].kind, T::KwAttribute | T::KwDeclspec | T::LBracket) {
            at += usize::from(self.tokens[at].kind != T::LBracket);
            let mut open = 0usize;
            loop {
                match self.tokens[at].kind {
                    T::Eof => return false,
                    T::LParen | T::LBracket => open += 1,
                    T::RParen | T::RBracket => open = open.saturating_sub(1),
                    _ => {}
                }
                at += 1;
                if open == 0 {
                    break;
                }
            }
        }
        self.tokens[at].kind == T::LBrace
    }

    /// Members up to the closing brace, which stays.
    fn members(&mut self) -> Parse<Vec<MemberDeclaration>> {
        let mut members = Vec::new();
        loop {
            match self.peek() {
                T::Semi => {
                    self.bump();
                }
                T::RBrace => return Ok(members),
                T::Eof => return Err(self.expected("'}'")),
                _ if self.at_static_assert() => {
                    members.push(MemberDeclaration::StaticAssert(self.static_assert()?))
                }
                _ => {
                    let (checkpoint, first) = (self.checkpoint(), self.at);
                    match self.member_line() {
                        Ok(line) => members.push(line),
                        Err(Reported) => {
                            self.restore(checkpoint);
                            self.skip_statement();
                            if self.at == first && self.peek() != T::RBrace {
                                self.bump();
                            }
                        }
                    }
                }
            }
        }
    }

    fn member_line(&mut self) -> Parse<MemberDeclaration> {
        let mut leading = Vec::new();
        while self.eat(T::KwExtension) {}
        self.attributes(&mut leading)?;
        let first = self.at;
        let specifiers = self.specifiers(Place::Member, leading)?;
        if self.at == first {
            return Err(self.expected("a member"));
        }
        let mut declarators = Vec::new();
        if !matches!(self.peek(), T::Semi | T::RBrace) {
            loop {
                let member = self.member()?;
                declarators.push(member);
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        // The last semicolon may be missing.
        if self.peek() != T::RBrace {
            self.expect_semicolon()?;
        }
        Ok(MemberDeclaration::Members(specifiers, declarators))
    }

    fn member(&mut self) -> Parse<MemberDeclarator> {
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let mut declarator = if self.peek() == T::Colon {
            let start = self.here();
            Declarator { span: bolide_model::Span { start, end: start }, ..Declarator::default() }
        } else {
            self.declarator()?.declarator
        };
        declarator.attributes.extend(attributes);
        self.attributes(&mut declarator.attributes)?;
        let width = if self.eat(T::Colon) { Some(self.constant_expression()?) } else { None };
        self.attributes(&mut declarator.attributes)?;
        Ok(MemberDeclarator { declarator, width })
    }

    /// `enum`, a mention or a definition.
    pub(super) fn enumeration(&mut self) -> Parse<TypeSpecifier> {
        let start = self.here();
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag(&mut attributes)?;
        let mut underlying = None;
        if self.peek() == T::Colon && self.starts_type_name(self.at + 1) {
            self.bump();
            let start = self.here();
            let specifiers = self.owned(|p| p.specifiers(Place::TypeName, Vec::new()))?;
            let span = self.since(start);
            let declarator = Declarator { span, ..Declarator::default() };
            underlying = Some(Box::new(TypeName { specifiers, declarator, span }));
        }
        let mut constants = None;
        if self.peek() == T::LBrace {
            self.bump();
            constants = Some(self.owned(|p| p.measured(|p| p.enumerators()))?.0);
            self.expect(T::RBrace)?;
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.expected("a tag or '{'"));
        }
        let span = self.since(start);
        Ok(TypeSpecifier::Enum(Box::new(EnumSpecifier { tag, underlying, constants, attributes, span })))
    }

    /// Enumerators up to the closing brace, which stays.
    fn enumerators(&mut self) -> Parse<Vec<Enumerator>> {
        let mut constants = Vec::new();
        if self.peek() == T::RBrace {
            return Err(self.expected("an enumerator"));
        }
        while self.peek() != T::RBrace {
            let symbol = self.token().symbol;
            let ident = self.ident()?;
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            let value = if self.eat(T::Assign) { Some(self.constant_expression()?) } else { None };
            self.scopes.declare(symbol, Meaning::Other);
            constants.push(Enumerator { ident, value, attributes });
            if !self.eat(T::Comma) {
                if self.peek() != T::RBrace {
                    return Err(self.expected("',' or '}'"));
                }
                break;
            }
        }
        Ok(constants)
    }
}
