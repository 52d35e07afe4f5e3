//! The conditions of `#if`: integer expressions of 64 bits, signed or not.

use super::Flaw;
use super::token::{Kind, Token};

/// A number and whether it is unsigned.
type Number = (i128, bool);

/// Operators with their strength; all of them associate to the left.
const BINARY: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<", 7),
    (">", 7),
    ("<=", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];
/// Expressions may be nested so deeply.
const DEEPEST: usize = 200;

/// Is an expression, in which all macros are expanded, not zero?
pub(super) fn holds(tokens: &[Token]) -> Result<bool, Flaw> {
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let (value, _) = parser.expression()?;
    match parser.at == tokens.len() {
        true => Ok(value != 0),
        false => Err("malformed condition".into()),
    }
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", |t| &t.text)
    }

    fn take(&mut self, text: &str) -> bool {
        let is_next = self.peek() == text;
        self.at += usize::from(is_next);
        is_next
    }

    fn expression(&mut self) -> Result<Number, Flaw> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("a condition is nested too deeply".into());
        }
        let condition = self.binary(1)?;
        let value = match self.take("?") {
            false => condition,
            true => {
                let yes = self.expression()?;
                if !self.take(":") {
                    return Err("malformed condition".into());
                }
                let no = self.expression()?;
                let chosen = if condition.0 != 0 { yes } else { no };
                wrapped(chosen.0, yes.1 || no.1)
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, least: u8) -> Result<Number, Flaw> {
        let mut left = self.unary()?;
        while let Some(&(operator, strength)) = BINARY.iter().find(|(o, s)| *o == self.peek() && *s >= least)
        {
            self.at += 1;
            self.depth += 1;
            let right = self.binary(strength + 1)?;
            self.depth -= 1;
            left = apply(operator, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Number, Flaw> {
        let mut operators = Vec::new();
        while matches!(self.peek(), "-" | "+" | "!" | "~") {
            operators.push(self.peek().to_string());
            self.at += 1;
        }
        let mut value = self.primary()?;
        for operator in operators.iter().rev() {
            value = match operator.as_str() {
                "-" => wrapped(-value.0, value.1),
                "!" => ((value.0 == 0).into(), false),
                "~" => wrapped(!value.0, value.1),
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<Number, Flaw> {
        if self.take("(") {
            let value = self.expression()?;
            return self.take(")").then_some(value).ok_or_else(|| "a parenthesis is missing".into());
        }
        let token = self.tokens.get(self.at).ok_or("a condition ends too early")?;
        self.at += 1;
        match token.kind {
            // What is no macro is zero.
            Kind::Name => Ok((0, false)),
            Kind::Number => number(&token.text),
            _ => Err(format!("`{}` in a condition", token.text).into()),
        }
    }
}

/// The value modulo 2^64, as signed or unsigned as it is.
fn wrapped(value: i128, is_unsigned: bool) -> Number {
    match is_unsigned {
        true => (i128::from(value as u64), true),
        false => (i128::from(value as i64), false),
    }
}

fn number(text: &str) -> Result<Number, Flaw> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let (digits, base) = match digits.strip_prefix("0x") {
        Some(rest) => (rest, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    let value = u64::from_str_radix(digits, base).map_err(|_| format!("`{text}` is not an integer"))?;
    let is_unsigned = suffix.contains('u') || value > i64::MAX as u64;
    Ok((value.into(), is_unsigned))
}

fn apply(operator: &str, (a, a_unsigned): Number, (b, b_unsigned): Number) -> Result<Number, Flaw> {
    let is_unsigned = a_unsigned || b_unsigned;
    let ((left, _), (right, _)) = (wrapped(a, is_unsigned), wrapped(b, is_unsigned));
    let truth = |value: bool| Ok((i128::from(value), false));
    let value = match operator {
        "||" => return truth(a != 0 || b != 0),
        "&&" => return truth(a != 0 && b != 0),
        "==" => return truth(left == right),
        "!=" => return truth(left != right),
        "<" => return truth(left < right),
        ">" => return truth(left > right),
        "<=" => return truth(left <= right),
        ">=" => return truth(left >= right),
        "<<" | ">>" if !(0..64).contains(&b) => return Err("a shift in a condition".into()),
        "<<" => return Ok(wrapped(a << b, a_unsigned)),
        ">>" => return Ok(wrapped(a >> b, a_unsigned)),
        "/" | "%" if right == 0 => return Err("a division by zero in a condition".into()),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "+" => left + right,
        "-" => left - right,
        "*" => left.wrapping_mul(right),
        "/" => left / right,
        _ => left % right,
    };
    Ok(wrapped(value, is_unsigned))
}
