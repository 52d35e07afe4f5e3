//! Declarators: pointers, arrays, functions and parentheses around a name.

use super::super::ast::*;
use super::super::scope::Meaning;
use super::super::token::{Symbol, T};
use super::specifiers::Place;
use super::{Parse, Parser, SoftKeyword};

/// Does a declarator have a name?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Required,
    Optional,
    Forbidden,
}

/// A declarator, and what the parser needs besides.
pub(super) struct Declared {
    pub declarator: Declarator,
    /// The symbol of the name.
    pub symbol: Option<Symbol>,
    /// If the name is a function: what its parameter list declares.
    pub parameters: Vec<(Symbol, Meaning)>,
}

impl Parser<'_> {
    /// A declarator with a name.
    pub(super) fn declarator(&mut self) -> Parse<Declared> {
        self.any_declarator(Naming::Required)
    }

    /// A declarator without a name.
    pub(super) fn abstract_declarator(&mut self) -> Parse<Declarator> {
        Ok(self.any_declarator(Naming::Forbidden)?.declarator)
    }

    fn any_declarator(&mut self, naming: Naming) -> Parse<Declared> {
        let start = self.here();
        let outer = std::mem::take(&mut self.peak);
        let mut declarator = Declarator::default();
        let mut symbol = None;
        let mut parameters = Vec::new();
        // The pointers before each open parenthesis, and the innermost ones.
        let mut levels: Vec<Vec<Derived>> = Vec::new();
        let mut pointers = self.pointers()?;
        loop {
            match self.peek() {
                T::Ident if naming != Naming::Forbidden => {
                    let token = self.bump();
                    symbol = Some(token.symbol);
                    declarator.ident = Some(self.ident_of(token));
                    break;
                }
                T::LParen if naming == Naming::Required || self.is_nested_declarator(naming) => {
                    self.bump();
                    levels.push(std::mem::take(&mut pointers));
                    self.attributes(&mut declarator.attributes)?;
                    pointers = self.pointers()?;
                }
                _ if naming == Naming::Required => return Err(self.expected("an identifier or '('")),
                _ => break,
            }
        }
        loop {
            self.suffixes(&mut declarator, &mut parameters)?;
            declarator.derived.extend(pointers.into_iter().rev());
            let Some(outside) = levels.pop() else { break };
            self.attributes(&mut declarator.attributes)?;
            self.expect(T::RParen)?;
            pointers = outside;
        }
        declarator.span = if self.here() == start { self.place_of_nothing(start) } else { self.since(start) };
        self.finish_height(outer, declarator.derived.len() + 1);
        Ok(Declared { declarator, symbol, parameters })
    }

    fn place_of_nothing(&self, start: u32) -> bolide_model::Span {
        bolide_model::Span { start, end: start }
    }

    /// Does a parenthesis start a declarator in parentheses, and not a list of parameters?
    fn is_nested_declarator(&self, naming: Naming) -> bool {
        let mut at = self.at + 1;
        // Attributes may come first in both.
        while self.tokens[at].kind == T::KwAttribute {
            at += 1;
            let mut open = 0usize;
            loop {
                match self.tokens[at].kind {
                    T::Eof => return false,
                    T::LParen => open += 1,
                    T::RParen => open = open.saturating_sub(1),
                    _ => {}
                }
                at += 1;
                if open == 0 {
                    break;
                }
            }
        }
        match self.tokens[at].kind {
            T::Star | T::LParen => true,
            T::LBracket => self.tokens.get(at + 1).is_none_or(|t| t.kind != T::LBracket),
            T::Ident if matches!(self.soft_keyword(at), Some(SoftKeyword::Ignored)) => true,
            T::Ident => naming == Naming::Optional && !self.starts_type_name(at),
            _ => false,
        }
    }

    /// Pointers with their qualifiers, in the order of the text; calling conventions among them are left out.
    fn pointers(&mut self) -> Parse<Vec<Derived>> {
        let mut pointers = Vec::new();
        loop {
            if matches!(self.soft_keyword(self.at), Some(SoftKeyword::Ignored))
                && self.goes_on_after_soft_keyword()
            {
                self.bump();
                continue;
            }
            if !self.eat(T::Star) {
                return Ok(pointers);
            }
            let mut qualifiers = Qualifiers::default();
            let mut attributes = Vec::new();
            loop {
                if self.at_attributes() {
                    self.attributes(&mut attributes)?;
                } else if matches!(self.soft_keyword(self.at), Some(SoftKeyword::Ignored))
                    && (self.goes_on_after_soft_keyword() || self.peek_at(1) == T::RParen)
                {
                    self.bump();
                } else if !self.qualifier(&mut qualifiers) {
                    break;
                }
            }
            pointers.push(Derived::Pointer(qualifiers, attributes));
        }
    }

    /// Arrays and parameter lists.
    fn suffixes(&mut self, declarator: &mut Declarator, scope: &mut Vec<(Symbol, Meaning)>) -> Parse<()> {
        loop {
            match self.peek() {
                T::LBracket if self.at_brackets() => self.attributes(&mut declarator.attributes)?,
                T::LBracket => {
                    let array = self.nested(|p| p.array())?;
                    declarator.derived.push(Derived::Array(array));
                }
                T::LParen => {
                    let (function, names) = self.owned(|p| p.function())?;
                    if declarator.derived.is_empty() {
                        *scope = names;
                    }
                    declarator.derived.push(Derived::Function(function));
                }
                _ => return Ok(()),
            }
        }
    }

    fn array(&mut self) -> Parse<ArrayDeclarator> {
        let start = self.here();
        self.bump();
        let mut qualifiers = Qualifiers::default();
        let mut is_static = false;
        loop {
            if self.eat(T::KwStatic) {
                is_static = true;
            } else if self.peek() == T::KwAttribute {
                self.attributes(&mut Vec::new())?;
            } else if !self.qualifier(&mut qualifiers) {
                break;
            }
        }
        let length = match self.peek() {
            T::RBracket => ArrayLength::None,
            T::Star if self.peek_at(1) == T::RBracket => {
                self.bump();
                ArrayLength::Star
            }
            _ => ArrayLength::Expr(self.assignment_expression()?),
        };
        self.expect(T::RBracket)?;
        Ok(ArrayDeclarator { length, qualifiers, is_static, span: self.since(start) })
    }

    /// A parameter list, and what it declares.
    fn function(&mut self) -> Parse<(FunctionDeclarator, Vec<(Symbol, Meaning)>)> {
        let start = self.here();
        self.bump();
        let outer = std::mem::take(&mut self.peak);
        self.scopes.open();
        let parameters = self.parameters()?;
        let declared = self.scopes.declared();
        self.scopes.close();
        self.finish_height(outer, 2);
        Ok((FunctionDeclarator { parameters, span: self.since(start) }, declared))
    }

    fn parameters(&mut self) -> Parse<Parameters> {
        if self.eat(T::RParen) {
            return Ok(Parameters::Unspecified);
        }
        if self.peek() == T::KwVoid && self.peek_at(1) == T::RParen {
            self.bump();
            self.bump();
            return Ok(Parameters::Prototype(Vec::new(), false));
        }
        let is_list = self.peek() == T::Ident
            && !self.starts_type_name(self.at)
            && matches!(self.peek_at(1), T::Comma | T::RParen)
            && !self.unknown_types.contains(&self.token().symbol.0);
        if is_list {
            return self.identifier_list();
        }
        let mut list = Vec::new();
        loop {
            if self.eat(T::Ellipsis) {
                self.expect(T::RParen)?;
                return Ok(Parameters::Prototype(list, true));
            }
            let parameter = self.parameter()?;
            list.push(parameter);
            match self.peek() {
                T::RParen => {
                    self.bump();
                    return Ok(Parameters::Prototype(list, false));
                }
                // A forward declaration of a parameter (GNU): it is declared again.
                T::Semi => {
                    self.bump();
                    list.clear();
                }
                T::Comma => {
                    self.bump();
                }
                _ => return Err(self.expected("',' or ')'")),
            }
        }
    }

    fn identifier_list(&mut self) -> Parse<Parameters> {
        let mut names = Vec::new();
        loop {
            let symbol = self.token().symbol;
            names.push(self.ident()?);
            self.scopes.declare(symbol, Meaning::Other);
            if self.eat(T::RParen) {
                return Ok(Parameters::Identifiers(names));
            }
            self.expect(T::Comma)?;
        }
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        let mut leading = Vec::new();
        self.attributes(&mut leading)?;
        let first = self.at;
        let specifiers = self.specifiers(Place::Parameter, leading)?;
        if self.at == first {
            return Err(self.expected("a parameter"));
        }
        let mut declared = self.any_declarator(Naming::Optional)?;
        self.attributes(&mut declared.declarator.attributes)?;
        if let Some(symbol) = declared.symbol {
            self.scopes.declare(symbol, Meaning::Other);
        }
        Ok(Parameter { specifiers, declarator: declared.declarator })
    }
}
