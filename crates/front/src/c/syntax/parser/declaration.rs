//! Declarations and function definitions.

use super::super::ast::*;
use super::super::scope::Meaning;
use super::super::token::T;
use super::declarator::Declared;
use super::specifiers::Place;
use super::{Parse, Parser, Reported};

/// What a declaration turned out to be.
pub(super) enum Declares {
    Objects(Declaration),
    Function(Box<FunctionDefinition>),
}

impl Parser<'_> {
    /// Everything up to the end of the file.
    pub(super) fn translation_unit(&mut self) {
        let mut depth = 0;
        loop {
            self.peak = 0;
            match self.peek() {
                T::Eof => break,
                T::Semi | T::KwExtension => {
                    self.bump();
                }
                _ => {
                    let (checkpoint, first) = (self.checkpoint(), self.at);
                    match self.item() {
                        Ok(item) => self.tree.items.push(item),
                        Err(Reported) => {
                            self.restore(checkpoint);
                            self.skip_item(first);
                        }
                    }
                }
            }
            depth = depth.max(self.peak);
        }
        self.peak = depth;
    }

    /// Skips to the next declaration at file scope.
    fn skip_item(&mut self, first: usize) {
        self.skip_statement();
        if self.peek() == T::RBrace {
            // It closes what the error left open.
            self.bump();
        }
        if self.at == first {
            self.bump();
        }
    }

    fn item(&mut self) -> Parse<Item> {
        match self.peek() {
            T::KwAsm => {
                let asm = self.asm()?;
                self.expect_semicolon()?;
                Ok(Item::Asm(asm))
            }
            _ if self.at_static_assert() => Ok(Item::StaticAssert(self.static_assert()?)),
            T::RBrace => {
                let span = self.span();
                Err(self.report(span, "'}' without a '{' before it"))
            }
            _ => {
                let mut leading = Vec::new();
                self.attributes(&mut leading)?;
                let starts = self.starts_specifier(self.at)
                    || matches!(self.peek(), T::Ident | T::Star | T::LParen | T::Semi | T::KwExtension);
                if !starts {
                    return Err(self.expected("a declaration"));
                }
                Ok(match self.declaration(leading)? {
                    Declares::Objects(declaration) => Item::Declaration(declaration),
                    Declares::Function(function) => Item::Function(function),
                })
            }
        }
    }

    /// `_Static_assert` with its semicolon.
    pub(super) fn static_assert(&mut self) -> Parse<StaticAssert> {
        let start = self.here();
        self.bump();
        self.expect(T::LParen)?;
        let condition = self.constant_expression()?;
        let message = if self.eat(T::Comma) { Some(self.string()?) } else { None };
        self.expect(T::RParen)?;
        let span = self.since(start);
        self.expect_semicolon()?;
        Ok(StaticAssert { condition, message, span })
    }

    /// A declaration or a function definition.
    pub(super) fn declaration(&mut self, leading: Vec<Attribute>) -> Parse<Declares> {
        self.declaration_or(leading, true)
    }

    /// A declaration, or a function definition if one may stand here.
    fn declaration_or(&mut self, leading: Vec<Attribute>, allows_function: bool) -> Parse<Declares> {
        let start = leading.first().map_or(self.here(), |a| a.span.start);
        let outer = std::mem::take(&mut self.peak);
        let specifiers = self.specifiers(Place::Declaration, leading)?;
        let mut declarators = Vec::new();
        if self.peek() != T::Semi && !self.starts_specifier_keyword() {
            loop {
                let mut before = Vec::new();
                self.attributes(&mut before)?;
                let mut declared = self.declarator()?;
                declared.declarator.attributes.extend(before);
                if allows_function && declarators.is_empty() && self.starts_body(&mut declared)? {
                    let function = self.function_definition(start, specifiers, declared)?;
                    self.finish_height(outer, 1);
                    return Ok(Declares::Function(Box::new(function)));
                }
                let declarator = self.init_declarator(&specifiers, declared)?;
                declarators.push(declarator);
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        self.expect_semicolon()?;
        self.finish_height(outer, 1);
        Ok(Declares::Objects(Declaration { specifiers, declarators, span: self.since(start) }))
    }

    /// Does a declaration start here with a keyword, so that a semicolon is missing before it?
    fn starts_specifier_keyword(&self) -> bool {
        self.peek() != T::Ident && !self.at_attributes() && self.starts_specifier(self.at)
    }

    /// Does a function definition go on here? Takes attributes that stand between.
    fn starts_body(&mut self, declared: &mut Declared) -> Parse<bool> {
        let Some(Derived::Function(function)) = declared.declarator.derived.first() else { return Ok(false) };
        let is_old = matches!(function.parameters, Parameters::Identifiers(_));
        self.attributes(&mut declared.declarator.attributes)?;
        Ok(self.peek() == T::LBrace
            || (is_old && (self.starts_specifier(self.at) || self.peek() == T::KwExtension)))
    }

    /// What follows a declarator.
    fn init_declarator(&mut self, specifiers: &Specifiers, declared: Declared) -> Parse<InitDeclarator> {
        let Declared { mut declarator, symbol, .. } = declared;
        self.attributes(&mut declarator.attributes)?;
        let asm_label = self.asm_label()?;
        self.attributes(&mut declarator.attributes)?;
        if let Some(symbol) = symbol {
            self.scopes.declare(symbol, meaning(specifiers));
        }
        let initializer = if self.eat(T::Assign) { Some(self.initializer()?) } else { None };
        Ok(InitDeclarator { declarator, asm_label, initializer })
    }

    /// The rest of a function definition, from the declarations in old style on.
    fn function_definition(
        &mut self,
        start: u32,
        specifiers: Specifiers,
        declared: Declared,
    ) -> Parse<FunctionDefinition> {
        let Declared { declarator, symbol, parameters } = declared;
        if let Some(symbol) = symbol {
            self.scopes.declare(symbol, meaning(&specifiers));
        }
        self.scopes.open();
        for (symbol, meaning) in parameters {
            self.scopes.declare(symbol, meaning);
        }
        let mut old_style = Vec::new();
        while self.peek() != T::LBrace {
            while self.eat(T::KwExtension) {}
            if !self.starts_specifier(self.at) {
                return Err(self.expected("a declaration or '{'"));
            }
            match self.declaration_or(Vec::new(), false)? {
                Declares::Objects(declaration) => old_style.push(declaration),
                Declares::Function(_) => return Err(self.expected("a declaration of a parameter")),
            }
        }
        let body = self.nested(|p| p.compound())?;
        self.scopes.close();
        Ok(FunctionDefinition { specifiers, declarator, old_style, body, span: self.since(start) })
    }
}

fn meaning(specifiers: &Specifiers) -> Meaning {
    if specifiers.storage.is_typedef { Meaning::Type } else { Meaning::Other }
}
