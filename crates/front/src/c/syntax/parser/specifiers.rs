//! Specifiers of declarations, and type names.

use super::super::ast::*;
use super::super::token::T;
use super::words::{Word, Words};
use super::{Parse, Parser, SoftKeyword};
use bolide_base::Message;

/// Where specifiers stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a declaration: everything is allowed.
    Declaration,
    /// Of a parameter.
    Parameter,
    /// Of a member: no storage class.
    Member,
    /// In a type name: no storage class.
    TypeName,
}

impl Parser<'_> {
    /// Can a type name start at a token?
    pub(super) fn starts_type_name(&self, at: usize) -> bool {
        match self.tokens[at].kind {
            T::Ident => {
                self.is_type_name(at)
                    || matches!(self.soft_keyword(at), Some(SoftKeyword::Basic(_) | SoftKeyword::Bool))
            }
            kind => starts_type(kind),
        }
    }

    /// Can a declaration start at a token?
    pub(super) fn starts_specifier(&self, at: usize) -> bool {
        let kind = self.tokens[at].kind;
        matches!(
            kind,
            T::KwAuto
                | T::KwRegister
                | T::KwStatic
                | T::KwExtern
                | T::KwTypedef
                | T::KwThreadLocal
                | T::KwInline
                | T::KwNoreturn
        ) || self.starts_type_name(at)
            || (kind == T::Ident
                && match self.soft_keyword(at) {
                    Some(SoftKeyword::Inline) => true,
                    Some(SoftKeyword::Constexpr | SoftKeyword::ThreadLocal) => {
                        self.goes_on_with_specifier(at + 1)
                    }
                    Some(SoftKeyword::Alignas) => {
                        self.tokens.get(at + 1).is_some_and(|t| t.kind == T::LParen)
                    }
                    _ => false,
                })
    }

    /// Reads specifiers, perhaps none. What does not go together is reported and read on.
    pub(super) fn specifiers(&mut self, place: Place, leading: Vec<Attribute>) -> Parse<Specifiers> {
        let start = leading.first().map_or(self.here(), |a| a.span.start);
        let first = self.at;
        let mut words = Words::default();
        let mut out = Specifiers {
            storage: Storage::default(),
            qualifiers: Qualifiers::default(),
            ty: TypeSpecifier::Implicit,
            is_inline: false,
            is_noreturn: false,
            alignas: Vec::new(),
            attributes: leading,
            span: self.since(start),
        };
        let allows_storage = matches!(place, Place::Declaration | Place::Parameter);
        let mut failed = false;
        loop {
            let token = self.token();
            if words.is_definition() && token.kind != T::Ident && is_type(token.kind) {
                // A semicolon is missing.
                break;
            }
            let result = match token.kind {
                T::KwTypedef | T::KwExtern | T::KwStatic | T::KwAuto | T::KwRegister | T::KwThreadLocal
                    if allows_storage =>
                {
                    self.bump();
                    add_storage(&mut out.storage, token.kind)
                }
                T::KwInline if allows_storage => {
                    self.bump();
                    out.is_inline = true;
                    Ok(())
                }
                T::KwNoreturn if allows_storage => {
                    self.bump();
                    out.is_noreturn = true;
                    Ok(())
                }
                T::KwAtomic if self.peek_at(1) == T::LParen => {
                    self.bump();
                    self.bump();
                    let ty = self.owned(|p| p.type_name())?;
                    self.expect(T::RParen)?;
                    words.add_other(TypeSpecifier::Atomic(Box::new(ty)))
                }
                T::KwAlignas => {
                    let alignas = self.alignas()?;
                    out.alignas.push(alignas);
                    Ok(())
                }
                T::KwAttribute | T::KwDeclspec => {
                    self.attributes(&mut out.attributes)?;
                    Ok(())
                }
                T::LBracket if self.at_brackets() && (place != Place::Declaration || !words.is_empty()) => {
                    self.attributes(&mut out.attributes)?;
                    Ok(())
                }
                T::KwExtension => {
                    self.bump();
                    Ok(())
                }
                T::Ident => match self.soft_keyword(self.at) {
                    Some(SoftKeyword::Basic(basic)) if words.is_empty() || words.is_sign() => {
                        self.bump();
                        words.add(Word::Base(basic))
                    }
                    Some(SoftKeyword::Bool) if words.is_empty() => {
                        self.bump();
                        words.add(Word::Base(Basic::Bool))
                    }
                    Some(SoftKeyword::Constexpr)
                        if allows_storage && self.goes_on_with_specifier(self.at + 1) =>
                    {
                        self.bump();
                        out.storage.is_constexpr = true;
                        out.qualifiers.is_const = true;
                        // At file scope it belongs to this unit.
                        out.storage.is_static |= self.scopes.depth() == 0;
                        Ok(())
                    }
                    Some(SoftKeyword::ThreadLocal)
                        if allows_storage && self.goes_on_with_specifier(self.at + 1) =>
                    {
                        self.bump();
                        add_storage(&mut out.storage, T::KwThreadLocal)
                    }
                    Some(SoftKeyword::Alignas) if self.peek_at(1) == T::LParen => {
                        let alignas = self.alignas()?;
                        out.alignas.push(alignas);
                        Ok(())
                    }
                    Some(SoftKeyword::Inline) => {
                        self.bump();
                        out.is_inline = true;
                        Ok(())
                    }
                    Some(SoftKeyword::Ignored) if self.goes_on_after_soft_keyword() => {
                        self.bump();
                        Ok(())
                    }
                    _ if !words.is_empty() => break,
                    _ if self.is_type_name(self.at) => {
                        self.bump();
                        words.add_other(TypeSpecifier::Typedef(self.name(token)))
                    }
                    _ if self.is_unknown_type(place == Place::Parameter && self.at == first) => {
                        self.unknown_type();
                        words.add_other(TypeSpecifier::Error)
                    }
                    _ => break,
                },
                kind => {
                    if self.qualifier(&mut out.qualifiers) {
                        Ok(())
                    } else if let Some(word) = word(kind) {
                        self.bump();
                        words.add(word)
                    } else if let Some(ty) = self.other_type()? {
                        words.add_other(ty)
                    } else {
                        break;
                    }
                }
            };
            if let Err(message) = result {
                if !failed {
                    let span = self.span_of(token);
                    self.report(span, message);
                }
                failed = true;
            }
        }
        out.ty = if failed { TypeSpecifier::Error } else { words.finish() };
        if self.at > first || !out.attributes.is_empty() {
            out.span = self.since(start);
        }
        Ok(out)
    }

    /// Takes a qualifier if there is one.
    pub(super) fn qualifier(&mut self, qualifiers: &mut Qualifiers) -> bool {
        match self.peek() {
            T::KwConst => qualifiers.is_const = true,
            T::KwVolatile => qualifiers.is_volatile = true,
            T::KwRestrict => qualifiers.is_restrict = true,
            T::KwAtomic => qualifiers.is_atomic = true,
            T::KwNullability => {}
            _ => return false,
        }
        self.bump();
        true
    }

    /// Is a calling convention followed by more of a declaration, so that it does not name what is declared?
    pub(super) fn goes_on_after_soft_keyword(&self) -> bool {
        matches!(self.peek_at(1), T::Ident | T::Star | T::KwAttribute | T::KwConst | T::KwVolatile)
            || (self.peek_at(1) == T::LParen && matches!(self.peek_at(2), T::Ident | T::Star))
            || starts_type(self.peek_at(1))
    }

    /// May a declaration go on at a token behind a word that is a storage class, or the name of what is declared?
    fn goes_on_with_specifier(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        matches!(
            token.kind,
            T::Ident
                | T::KwStatic
                | T::KwExtern
                | T::KwRegister
                | T::KwAuto
                | T::KwThreadLocal
                | T::KwAlignas
        ) || starts_type(token.kind)
    }

    /// Is an identifier that names no type written where only a type makes sense?
    fn is_unknown_type(&self, starts_parameter: bool) -> bool {
        match self.peek_at(1) {
            T::Ident | T::Star | T::KwConst | T::KwVolatile | T::KwRestrict => true,
            T::Comma | T::RParen | T::LBracket => starts_parameter,
            _ => false,
        }
    }

    /// Takes an identifier that should be a type, with one message for each name.
    pub(super) fn unknown_type(&mut self) {
        let token = self.token();
        if self.unknown_types.insert(token.symbol.0) {
            let span = self.span();
            let message = format!("unknown type name '{}'", self.name(token));
            self.report(span, message);
        }
        self.bump();
    }

    fn alignas(&mut self) -> Parse<Alignas> {
        self.bump();
        self.expect(T::LParen)?;
        let alignas = if self.starts_type_name(self.at) {
            Alignas::Type(Box::new(self.owned(|p| p.type_name())?))
        } else {
            Alignas::Expr(self.constant_expression()?)
        };
        self.expect(T::RParen)?;
        Ok(alignas)
    }

    /// A type that is not put together from words.
    fn other_type(&mut self) -> Parse<Option<TypeSpecifier>> {
        let token = self.token();
        Ok(Some(match token.kind {
            T::KwStruct | T::KwUnion => self.record()?,
            T::KwEnum => self.enumeration()?,
            T::KwTypeof | T::KwTypeofUnqual => {
                self.bump();
                self.expect(T::LParen)?;
                let unqualified = token.kind == T::KwTypeofUnqual;
                let ty = if self.starts_type_name(self.at) {
                    TypeSpecifier::TypeofType(Box::new(self.owned(|p| p.type_name())?), unqualified)
                } else {
                    TypeSpecifier::TypeofExpr(self.expression()?, unqualified)
                };
                self.expect(T::RParen)?;
                ty
            }
            T::KwAutoType => {
                self.bump();
                TypeSpecifier::Auto
            }
            T::KwVaList => {
                self.bump();
                TypeSpecifier::VaList
            }
            T::KwUint128Typedef => {
                self.bump();
                TypeSpecifier::Basic(Basic::UnsignedInt128, false)
            }
            T::KwInt128Typedef => {
                self.bump();
                TypeSpecifier::Basic(Basic::Int128, false)
            }
            T::KwImaginary | T::KwBitInt => {
                let span = self.span();
                let message = format!("unsupported: {}", self.describe());
                self.report(span, message);
                self.bump();
                if token.kind == T::KwBitInt && self.eat(T::LParen) {
                    self.skip_to_closing();
                }
                TypeSpecifier::Error
            }
            _ => return Ok(None),
        }))
    }

    /// A type name, as in casts.
    pub(super) fn type_name(&mut self) -> Parse<TypeName> {
        let start = self.here();
        let outer = std::mem::take(&mut self.peak);
        let specifiers = self.specifiers(Place::TypeName, Vec::new())?;
        let mut declarator = self.abstract_declarator()?;
        self.attributes(&mut declarator.attributes)?;
        self.finish_height(outer, 1);
        Ok(TypeName { specifiers, declarator, span: self.since(start) })
    }
}

/// Can a type name start with a token that is no identifier?
fn starts_type(kind: T) -> bool {
    is_type(kind)
        || matches!(
            kind,
            T::KwConst
                | T::KwVolatile
                | T::KwRestrict
                | T::KwAtomic
                | T::KwNullability
                | T::KwAlignas
                | T::KwAttribute
                | T::KwDeclspec
        )
}

/// Does a token start a type specifier?
fn is_type(kind: T) -> bool {
    word(kind).is_some()
        || matches!(
            kind,
            T::KwStruct
                | T::KwUnion
                | T::KwEnum
                | T::KwTypeof
                | T::KwTypeofUnqual
                | T::KwAutoType
                | T::KwVaList
                | T::KwInt128Typedef
                | T::KwUint128Typedef
                | T::KwImaginary
                | T::KwBitInt
        )
}

fn word(kind: T) -> Option<Word> {
    Some(match kind {
        T::KwSigned => Word::Signed,
        T::KwUnsigned => Word::Unsigned,
        T::KwShort => Word::Short,
        T::KwLong => Word::Long,
        T::KwComplex => Word::Complex,
        T::KwVoid => Word::Base(Basic::Void),
        T::KwBool => Word::Base(Basic::Bool),
        T::KwChar => Word::Base(Basic::Char),
        T::KwInt => Word::Base(Basic::Int),
        T::KwFloat => Word::Base(Basic::Float),
        T::KwDouble => Word::Base(Basic::Double),
        T::KwInt128 => Word::Base(Basic::Int128),
        T::KwFloat16 => Word::Base(Basic::Float16),
        T::KwFloat32 => Word::Base(Basic::Float32),
        T::KwFloat64 => Word::Base(Basic::Float64),
        T::KwFloat32x => Word::Base(Basic::Float32x),
        T::KwFloat64x => Word::Base(Basic::Float64x),
        T::KwFloat128 => Word::Base(Basic::Float128),
        T::KwDecimal32 => Word::Base(Basic::Decimal32),
        T::KwDecimal64 => Word::Base(Basic::Decimal64),
        T::KwDecimal128 => Word::Base(Basic::Decimal128),
        _ => return None,
    })
}

fn add_storage(storage: &mut Storage, kind: T) -> Result<(), Message> {
    let others =
        [storage.is_typedef, storage.is_extern, storage.is_static, storage.is_auto, storage.is_register];
    let has_other = others.contains(&true);
    let flag = match kind {
        T::KwTypedef => &mut storage.is_typedef,
        T::KwExtern => &mut storage.is_extern,
        T::KwStatic => &mut storage.is_static,
        T::KwAuto => &mut storage.is_auto,
        T::KwRegister => &mut storage.is_register,
        _ => &mut storage.is_thread_local,
    };
    if std::mem::replace(flag, true) {
        return Err(format!("duplicate '{}'", kind.shown()).into());
    }
    if kind != T::KwThreadLocal && has_other {
        return Err("multiple storage classes in a declaration".into());
    }
    let other = storage.is_typedef || storage.is_auto || storage.is_register;
    if storage.is_thread_local && other {
        return Err("'_Thread_local' with another storage class than 'static' or 'extern'".into());
    }
    Ok(())
}
