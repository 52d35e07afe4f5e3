//! Expressions, with an explicit stack of operators and open parentheses.

use super::super::ast::*;
use super::super::token::T;
use super::{Parse, Parser};
use bolide_model::Span;

/// An operand with its place, parentheses included.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub id: ExprId,
    pub span: Span,
}

/// Where an expression ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Commas are operators.
    Comma,
    /// Commas are not ours.
    Assignment,
    /// Neither are assignments.
    Conditional,
}

/// Operators before their operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefix {
    Operator(UnaryOp),
    Sizeof,
    Alignof,
}

/// What waits for an operand.
pub(super) enum Frame {
    Prefix(Prefix, u32),
    Cast(Box<TypeName>, u32, u32),
    Paren(u32),
    Index(Operand),
    Call(Operand, Vec<ExprId>),
    Binary(BinaryOp, u8, Operand),
    Assign(Option<BinaryOp>, Operand),
    /// The condition; what follows `?` is being read.
    Then(Operand),
    /// The condition and the second operand; what follows `:` is being read.
    Else(Operand, Option<ExprId>),
    Comma(Operand),
}

/// What came of the start of an operand.
pub(super) enum Start {
    /// An operand that may be followed by `[`, `(`, `.` and the like.
    Operand(Operand),
    /// An operand that may not.
    Closed(Operand),
    /// A frame was pushed, and the operand is still to come.
    Pushed,
}

/// What came of the operators after an operand.
enum Next {
    /// The operand is complete for now: an operator or closing bracket decides.
    Operand(Operand),
    /// Another operand must follow.
    Wanted,
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Parse<ExprId> {
        self.nested(|p| p.expression_at(Level::Comma))
    }

    /// An expression without commas.
    pub(super) fn assignment_expression(&mut self) -> Parse<ExprId> {
        self.nested(|p| p.expression_at(Level::Assignment))
    }

    /// An expression without commas and assignments.
    pub(super) fn constant_expression(&mut self) -> Parse<ExprId> {
        self.nested(|p| p.expression_at(Level::Conditional))
    }

    fn expression_at(&mut self, level: Level) -> Parse<ExprId> {
        let mut frames: Vec<Frame> = Vec::new();
        loop {
            let mut operand = match self.operand(&mut frames)? {
                Start::Pushed => continue,
                Start::Closed(operand) => operand,
                Start::Operand(operand) => match self.postfix(&mut frames, operand)? {
                    Next::Operand(operand) => operand,
                    Next::Wanted => continue,
                },
            };
            // Operators, and closing brackets which make an operand again.
            loop {
                operand = self.reduce_prefixes(&mut frames, operand);
                match self.operator(&mut frames, &mut operand, level)? {
                    Operator::Pushed => break,
                    Operator::End => return Ok(operand.id),
                    Operator::Closed => match self.postfix(&mut frames, operand)? {
                        Next::Operand(next) => operand = next,
                        Next::Wanted => break,
                    },
                }
            }
        }
    }

    /// What may follow an operand directly.
    fn postfix(&mut self, frames: &mut Vec<Frame>, mut operand: Operand) -> Parse<Next> {
        loop {
            let start = operand.span.start;
            let (kind, height) = match self.peek() {
                T::LBracket => {
                    self.bump();
                    frames.push(Frame::Index(operand));
                    return Ok(Next::Wanted);
                }
                T::LParen => {
                    self.bump();
                    if self.peek() != T::RParen {
                        frames.push(Frame::Call(operand, Vec::new()));
                        return Ok(Next::Wanted);
                    }
                    self.bump();
                    (ExprKind::Call(operand.id, Vec::new()), self.height(operand.id))
                }
                kind @ (T::Dot | T::Arrow) => {
                    self.bump();
                    let member = self.ident()?;
                    (ExprKind::Member(operand.id, member, kind == T::Arrow), self.height(operand.id))
                }
                kind @ (T::Increment | T::Decrement) => {
                    self.bump();
                    let op =
                        if kind == T::Increment { UnaryOp::PostIncrement } else { UnaryOp::PostDecrement };
                    (ExprKind::Unary(op, operand.id), self.height(operand.id))
                }
                _ => return Ok(Next::Operand(operand)),
            };
            let span = self.since(start);
            operand = Operand { id: self.push(kind, span, height + 1), span };
        }
    }

    /// Applies the operators that stand before an operand.
    fn reduce_prefixes(&mut self, frames: &mut Vec<Frame>, mut operand: Operand) -> Operand {
        while let Some(Frame::Prefix(..) | Frame::Cast(..)) = frames.last() {
            let below = self.height(operand.id);
            let (kind, start, height) = match frames.pop() {
                Some(Frame::Prefix(prefix, start)) => {
                    let kind = match prefix {
                        Prefix::Operator(op) => ExprKind::Unary(op, operand.id),
                        Prefix::Sizeof => ExprKind::SizeofExpr(operand.id),
                        Prefix::Alignof => ExprKind::AlignofExpr(operand.id),
                    };
                    (kind, start, below + 1)
                }
                Some(Frame::Cast(ty, start, height)) => {
                    (ExprKind::Cast(ty, operand.id), start, below.max(height) + 1)
                }
                _ => break,
            };
            let span = Span { start, end: operand.span.end };
            operand = Operand { id: self.push(kind, span, height), span };
        }
        operand
    }

    /// Applies the operators on the stack that bind at least as tightly as a precedence.
    fn reduce(&mut self, frames: &mut Vec<Frame>, mut operand: Operand, precedence: u8) -> Operand {
        while frames.last().is_some_and(|f| binds(f) >= precedence) {
            let right = operand.id;
            let h = |id: ExprId| self.heights[id.index()];
            let (kind, left, height) = match frames.pop() {
                Some(Frame::Binary(op, _, left)) => {
                    (ExprKind::Binary(op, left.id, right), left, h(left.id).max(h(right)))
                }
                Some(Frame::Assign(op, left)) => {
                    (ExprKind::Assign(op, left.id, right), left, h(left.id).max(h(right)))
                }
                Some(Frame::Comma(left)) => (ExprKind::Comma(left.id, right), left, h(left.id).max(h(right))),
                Some(Frame::Else(condition, then)) => {
                    let height = h(condition.id).max(h(right)).max(then.map_or(0, h));
                    (ExprKind::Conditional(condition.id, then, right), condition, height)
                }
                _ => break,
            };
            let span = Span { start: left.span.start, end: operand.span.end };
            operand = Operand { id: self.push(kind, span, height + 1), span };
        }
        operand
    }

    /// What follows a complete operand.
    fn operator(&mut self, frames: &mut Vec<Frame>, operand: &mut Operand, level: Level) -> Parse<Operator> {
        let token = self.peek();
        if let Some((op, precedence)) = binary(token) {
            self.bump();
            let left = self.reduce(frames, *operand, precedence);
            frames.push(Frame::Binary(op, precedence, left));
            return Ok(Operator::Pushed);
        }
        if let Some(op) = assignment(token) {
            // The left side is all that is not itself an assignment, as in the compilers.
            *operand = self.reduce(frames, *operand, CONDITIONAL);
            if level == Level::Conditional && frames.is_empty() {
                return Ok(Operator::End);
            }
            self.bump();
            frames.push(Frame::Assign(op, *operand));
            return Ok(Operator::Pushed);
        }
        match token {
            T::Question => {
                *operand = self.reduce(frames, *operand, CONDITIONAL + 1);
                self.bump();
                frames.push(if self.eat(T::Colon) {
                    Frame::Else(*operand, None)
                } else {
                    Frame::Then(*operand)
                });
                return Ok(Operator::Pushed);
            }
            T::Comma => {
                *operand = self.reduce(frames, *operand, ASSIGNMENT);
                match frames.last_mut() {
                    Some(Frame::Call(_, arguments)) => arguments.push(operand.id),
                    None if level != Level::Comma => return Ok(Operator::End),
                    _ => {
                        *operand = self.reduce(frames, *operand, COMMA);
                        frames.push(Frame::Comma(*operand));
                    }
                }
                self.bump();
                return Ok(Operator::Pushed);
            }
            _ => {}
        }
        *operand = self.reduce(frames, *operand, COMMA);
        match (frames.pop(), token) {
            (None, _) => Ok(Operator::End),
            (Some(Frame::Then(condition)), T::Colon) => {
                self.bump();
                frames.push(Frame::Else(condition, Some(operand.id)));
                Ok(Operator::Pushed)
            }
            (Some(Frame::Paren(start)), T::RParen) => {
                self.bump();
                let span = self.since(start);
                // A string in parentheses initialises no array.
                if let ExprKind::String(_) = self.tree.exprs[operand.id].kind {
                    let height = self.height(operand.id);
                    operand.id = self.push(ExprKind::Parenthesised(operand.id), span, height + 1);
                }
                operand.span = span;
                Ok(Operator::Closed)
            }
            (Some(Frame::Index(base)), T::RBracket) => {
                self.bump();
                let height = self.height(base.id).max(self.height(operand.id)) + 1;
                let span = self.since(base.span.start);
                let id = self.push(ExprKind::Index(base.id, operand.id), span, height);
                *operand = Operand { id, span };
                Ok(Operator::Closed)
            }
            (Some(Frame::Call(callee, mut arguments)), T::RParen) => {
                self.bump();
                arguments.push(operand.id);
                let below = arguments.iter().map(|a| self.height(*a)).max().unwrap_or(0);
                let height = self.height(callee.id).max(below) + 1;
                let span = self.since(callee.span.start);
                let id = self.push(ExprKind::Call(callee.id, arguments), span, height);
                *operand = Operand { id, span };
                Ok(Operator::Closed)
            }
            (Some(frame), _) => Err(self.expected(match frame {
                Frame::Then(_) => "':'",
                Frame::Index(_) => "']'",
                Frame::Call(..) => "',' or ')'",
                _ => "')'",
            })),
        }
    }
}

/// What came of the token after an operand.
enum Operator {
    /// It wants another operand.
    Pushed,
    /// It closed a bracket, and the operand is what was in it.
    Closed,
    /// It does not belong to the expression.
    End,
}

const COMMA: u8 = 1;
const ASSIGNMENT: u8 = 2;
const CONDITIONAL: u8 = 3;

/// How tightly a frame binds what was read last; brackets do not.
fn binds(frame: &Frame) -> u8 {
    match frame {
        Frame::Binary(_, precedence, _) => *precedence,
        Frame::Else(..) => CONDITIONAL,
        Frame::Assign(..) => ASSIGNMENT,
        Frame::Comma(_) => COMMA,
        _ => 0,
    }
}

fn binary(token: T) -> Option<(BinaryOp, u8)> {
    Some(match token {
        T::Star => (BinaryOp::Mul, 13),
        T::Slash => (BinaryOp::Div, 13),
        T::Percent => (BinaryOp::Rem, 13),
        T::Plus => (BinaryOp::Add, 12),
        T::Minus => (BinaryOp::Sub, 12),
        T::Shl => (BinaryOp::Shl, 11),
        T::Shr => (BinaryOp::Shr, 11),
        T::Lt => (BinaryOp::Lt, 10),
        T::Gt => (BinaryOp::Gt, 10),
        T::Le => (BinaryOp::Le, 10),
        T::Ge => (BinaryOp::Ge, 10),
        T::EqEq => (BinaryOp::Eq, 9),
        T::Ne => (BinaryOp::Ne, 9),
        T::Amp => (BinaryOp::BitAnd, 8),
        T::Caret => (BinaryOp::BitXor, 7),
        T::Pipe => (BinaryOp::BitOr, 6),
        T::AndAnd => (BinaryOp::LogicAnd, 5),
        T::OrOr => (BinaryOp::LogicOr, 4),
        _ => return None,
    })
}

/// Assignments, with the operator that they apply.
fn assignment(token: T) -> Option<Option<BinaryOp>> {
    Some(match token {
        T::Assign => None,
        T::StarAssign => Some(BinaryOp::Mul),
        T::SlashAssign => Some(BinaryOp::Div),
        T::PercentAssign => Some(BinaryOp::Rem),
        T::PlusAssign => Some(BinaryOp::Add),
        T::MinusAssign => Some(BinaryOp::Sub),
        T::ShlAssign => Some(BinaryOp::Shl),
        T::ShrAssign => Some(BinaryOp::Shr),
        T::AmpAssign => Some(BinaryOp::BitAnd),
        T::CaretAssign => Some(BinaryOp::BitXor),
        T::PipeAssign => Some(BinaryOp::BitOr),
        _ => return None,
    })
}
