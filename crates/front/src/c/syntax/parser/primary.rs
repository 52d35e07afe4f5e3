//! Where operands start: prefix operators, casts, parentheses, constants, names, and builtins that take types.

use super::super::ast::*;
use super::super::token::T;
use super::super::{number, string};
use super::expr::{Frame, Operand, Prefix, Start};
use super::{Constant, Parse, Parser, SoftKeyword};
use bolide_base::Message;

impl Parser<'_> {
    /// Reads up to the first operand, or pushes one thing that stands before it.
    pub(super) fn operand(&mut self, frames: &mut Vec<Frame>) -> Parse<Start> {
        let start = self.here();
        let kind = self.peek();
        let prefix = match kind {
            T::KwExtension => {
                self.bump();
                return Ok(Start::Pushed);
            }
            T::Plus => Prefix::Operator(UnaryOp::Plus),
            T::Minus => Prefix::Operator(UnaryOp::Minus),
            T::Tilde => Prefix::Operator(UnaryOp::Complement),
            T::Bang => Prefix::Operator(UnaryOp::Not),
            T::Star => Prefix::Operator(UnaryOp::Deref),
            T::Amp => Prefix::Operator(UnaryOp::Address),
            T::Increment => Prefix::Operator(UnaryOp::PreIncrement),
            T::Decrement => Prefix::Operator(UnaryOp::PreDecrement),
            T::KwReal => Prefix::Operator(UnaryOp::Real),
            T::KwImag => Prefix::Operator(UnaryOp::Imag),
            T::KwSizeof => Prefix::Sizeof,
            T::KwAlignof => Prefix::Alignof,
            T::LParen => return self.parenthesis(frames),
            T::Ident
                if self.peek_at(1) == T::LParen
                    && matches!(self.soft_keyword(self.at), Some(SoftKeyword::Alignof)) =>
            {
                Prefix::Alignof
            }
            _ => {
                let (kind, height) = self.primary()?;
                let span = self.since(start);
                return Ok(Start::Operand(Operand { id: self.push(kind, span, height), span }));
            }
        };
        self.bump();
        frames.push(Frame::Prefix(prefix, start));
        Ok(Start::Pushed)
    }

    /// A cast, a compound literal, a statement expression, or just parentheses.
    fn parenthesis(&mut self, frames: &mut Vec<Frame>) -> Parse<Start> {
        let start = self.here();
        self.bump();
        if self.peek() == T::LBrace {
            let (body, height) = self.nested(|p| p.measured(|p| p.compound()))?;
            self.expect(T::RParen)?;
            return Ok(Start::Operand(self.finish(ExprKind::Statement(body), start, height)));
        }
        if !self.starts_type_name(self.at) {
            frames.push(Frame::Paren(start));
            return Ok(Start::Pushed);
        }
        let (ty, height) = self.owned(|p| p.measured(|p| p.type_name()))?;
        self.expect(T::RParen)?;
        if self.peek() == T::LBrace {
            let (list, below) = self.measured(|p| p.initializer_list())?;
            let kind = ExprKind::CompoundLiteral(Box::new(ty), Box::new(list));
            return Ok(Start::Operand(self.finish(kind, start, height.max(below))));
        }
        match frames.last() {
            Some(&Frame::Prefix(prefix @ (Prefix::Sizeof | Prefix::Alignof), start)) => {
                frames.pop();
                let kind = match prefix {
                    Prefix::Sizeof => ExprKind::SizeofType(Box::new(ty)),
                    _ => ExprKind::AlignofType(Box::new(ty)),
                };
                Ok(Start::Closed(self.finish(kind, start, height)))
            }
            _ => {
                frames.push(Frame::Cast(Box::new(ty), start, height));
                Ok(Start::Pushed)
            }
        }
    }

    /// Adds an operand that ends here and has something of a height below it.
    fn finish(&mut self, kind: ExprKind, start: u32, below: u32) -> Operand {
        let span = self.since(start);
        Operand { id: self.push(kind, span, below + 1), span }
    }

    /// An operand without prefix and parentheses, with its height.
    fn primary(&mut self) -> Parse<(ExprKind, u32)> {
        let token = self.token();
        let kind = match token.kind {
            T::Ident if let Some(SoftKeyword::Constant(word)) = self.soft_keyword(self.at) => {
                self.bump();
                return Ok((self.word_constant(word), 2));
            }
            T::Ident if self.scopes.get(token.symbol) != super::Meaning::Type => {
                self.bump();
                ExprKind::Name(self.name(token))
            }
            T::Number => {
                let text =
                    String::from_utf8_lossy(&self.text.bytes[token.start as usize..token.end as usize]);
                let read = number::read(&text);
                self.literal(read)
            }
            T::Char => {
                let read = string::character(&self.text.bytes[token.start as usize..token.end as usize]);
                self.literal(read.map(ExprKind::Character))
            }
            T::Str => ExprKind::String(self.string_pieces()?),
            T::AndAnd => {
                self.bump();
                ExprKind::LabelAddress(self.ident()?)
            }
            T::KwGeneric
            | T::KwVaArg
            | T::KwOffsetof
            | T::KwTypesCompatible
            | T::KwConvertVector
            | T::KwBitCast => {
                self.bump();
                self.expect(T::LParen)?;
                let (kind, height) = self.nested(|p| p.measured(|p| p.builtin(token.kind)))?;
                self.expect(T::RParen)?;
                return Ok((kind, height + 1));
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok((kind, 1))
    }

    /// The constant that a word is: a number of type `_Bool`, or the null pointer.
    fn word_constant(&mut self, word: Constant) -> ExprKind {
        let token = self.tokens[self.at - 1];
        let span = self.place(token.start, token.end);
        let (basic, derived) = match word {
            Constant::True | Constant::False => (Basic::Bool, Vec::new()),
            Constant::Null => (Basic::Void, vec![Derived::Pointer(Qualifiers::default(), Vec::new())]),
        };
        let value = IntegerLiteral {
            value: matches!(word, Constant::True).into(),
            decimal: true,
            unsigned: false,
            longs: Longs::Zero,
            imaginary: false,
        };
        let inner = self.push(ExprKind::Integer(value), span, 1);
        let specifiers = Specifiers {
            storage: Storage::default(),
            qualifiers: Qualifiers::default(),
            ty: TypeSpecifier::Basic(basic, false),
            is_inline: false,
            is_noreturn: false,
            alignas: Vec::new(),
            attributes: Vec::new(),
            span,
        };
        let declarator = Declarator { ident: None, derived, attributes: Vec::new(), span };
        ExprKind::Cast(Box::new(TypeName { specifiers, declarator, span }), inner)
    }

    /// Takes the token of a constant; what is wrong with it is reported, and reading goes on.
    fn literal(&mut self, read: Result<ExprKind, Message>) -> ExprKind {
        let span = self.span();
        let kind = read.unwrap_or_else(|message| {
            self.report(span, message);
            ExprKind::Error
        });
        self.bump();
        kind
    }

    /// Strings that stand side by side.
    pub(super) fn string_pieces(&mut self) -> Parse<StringLiteral> {
        let (first, start) = (self.at, self.here());
        while self.eat(T::Str) {}
        let pieces = self.tokens[first..self.at].iter().map(|t| {
            let (from, to) = (t.start, t.end);
            let (written_from, written_to) = (self.text.start(from) as usize, self.text.end(to) as usize);
            (&self.text.bytes[from as usize..to as usize], &self.written[written_from..written_to])
        });
        match string::string(pieces) {
            Ok(literal) => Ok(literal),
            Err(message) => {
                let span = self.since(start);
                self.report(span, message);
                Ok(StringLiteral { encoding: Encoding::Plain, units: Vec::new() })
            }
        }
    }

    /// What stands in the parentheses of a builtin that takes types.
    fn builtin(&mut self, keyword: T) -> Parse<ExprKind> {
        match keyword {
            T::KwGeneric => self.generic(),
            T::KwOffsetof => {
                let ty = self.boxed_type()?;
                self.expect(T::Comma)?;
                Ok(ExprKind::Offsetof(ty, self.member_path()?))
            }
            T::KwTypesCompatible => {
                let first = self.boxed_type()?;
                self.expect(T::Comma)?;
                Ok(ExprKind::TypesCompatible(first, self.boxed_type()?))
            }
            T::KwBitCast => {
                let ty = self.boxed_type()?;
                self.expect(T::Comma)?;
                Ok(ExprKind::BitCast(ty, self.assignment_expression()?))
            }
            _ => {
                let value = self.assignment_expression()?;
                self.expect(T::Comma)?;
                let ty = self.boxed_type()?;
                Ok(if keyword == T::KwVaArg {
                    ExprKind::VaArg(value, ty)
                } else {
                    ExprKind::ConvertVector(value, ty)
                })
            }
        }
    }

    fn boxed_type(&mut self) -> Parse<Box<TypeName>> {
        if !self.starts_type_name(self.at) {
            return Err(self.expected("a type"));
        }
        Ok(Box::new(self.owned(|p| p.type_name())?))
    }

    /// `a.b[c]`; `a->b` is `a[0].b`.
    fn member_path(&mut self) -> Parse<Vec<Designator>> {
        let mut path = vec![Designator::Member(self.ident()?)];
        loop {
            match self.peek() {
                T::Dot => {
                    self.bump();
                }
                T::Arrow => {
                    let span = self.span();
                    self.bump();
                    let zero = IntegerLiteral {
                        value: 0,
                        decimal: true,
                        unsigned: false,
                        longs: Longs::Zero,
                        imaginary: false,
                    };
                    path.push(Designator::Index(self.push(ExprKind::Integer(zero), span, 1)));
                }
                T::LBracket => {
                    self.bump();
                    path.push(Designator::Index(self.expression()?));
                    self.expect(T::RBracket)?;
                    continue;
                }
                _ => {
                    self.finish_height(0, path.len());
                    return Ok(path);
                }
            }
            path.push(Designator::Member(self.ident()?));
        }
    }

    fn generic(&mut self) -> Parse<ExprKind> {
        let control = if self.starts_type_name(self.at) {
            GenericControl::Type(self.boxed_type()?)
        } else {
            GenericControl::Expr(self.assignment_expression()?)
        };
        let mut choices = Vec::new();
        while self.eat(T::Comma) {
            let ty = if self.eat(T::KwDefault) {
                None
            } else if self.starts_type_name(self.at) {
                Some(self.owned(|p| p.type_name())?)
            } else {
                return Err(self.expected("a type or 'default'"));
            };
            self.expect(T::Colon)?;
            let value = self.assignment_expression()?;
            choices.push((ty, value));
        }
        if choices.is_empty() {
            return Err(self.expected("','"));
        }
        Ok(ExprKind::Generic(control, choices))
    }
}
