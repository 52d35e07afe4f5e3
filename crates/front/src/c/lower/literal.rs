//! Constants, characters and strings.

use super::expr::Lowered;
use super::{Lower, Result, issue, unsupported};
use crate::c::float::Format;
use crate::c::hir::{Expr, ExprId, Place, StaticValue, Storage, VarId};
use crate::c::types::{Type, TypeId};
use bolide_model::Span;
use lang_c::ast;

impl Lower<'_> {
    pub(super) fn literal(&mut self, c: &ast::Constant, span: Span) -> Result<ExprId> {
        match c {
            ast::Constant::Integer(i) => self.integer(i, span),
            ast::Constant::Float(f) => self.floating(f, span),
            ast::Constant::Character(text) => {
                let (wide, body) = unquote(text, '\'');
                let units = unescape(body, wide, span)?;
                let int = self.types.int();
                let value = match units[..] {
                    [one] if wide => one,
                    // A single character has the value of a char; several are packed as gcc does.
                    [one] => i128::from(one as u8 as i8),
                    _ => i128::from(units.iter().fold(0i32, |v, &u| (v << 8) | (u as u8 as i32))),
                };
                Ok(self.int(value, int, span))
            }
        }
    }

    fn integer(&mut self, i: &ast::Integer, span: Span) -> Result<ExprId> {
        let radix = match i.base {
            ast::IntegerBase::Decimal => 10,
            ast::IntegerBase::Octal => 8,
            ast::IntegerBase::Hexadecimal => 16,
            ast::IntegerBase::Binary => 2,
        };
        if i.suffix.imaginary {
            return unsupported(span, "complex numbers");
        }
        let digits = if i.number.is_empty() { "0" } else { &i.number };
        let Ok(value) = i128::from_str_radix(digits, radix) else {
            return issue(span, "the integer constant is too large");
        };
        let least = match i.suffix.size {
            ast::IntegerSize::Int => 3,
            ast::IntegerSize::Long => 4,
            ast::IntegerSize::LongLong => 5,
        };
        for rank in least..=5 {
            for signed in [true, false] {
                let allowed = if signed { !i.suffix.unsigned } else { i.suffix.unsigned || radix != 10 };
                let ty = self.types.int_of(rank, signed);
                if allowed && self.types.as_int(ty).is_some_and(|t| value <= t.range().1) {
                    return Ok(self.int(value, ty, span));
                }
            }
        }
        let ty = self.types.int_of(5, false);
        if value < 1 << 64 {
            Ok(self.int(value, ty, span))
        } else {
            issue(span, "the integer constant is too large")
        }
    }

    fn floating(&mut self, f: &ast::Float, span: Span) -> Result<ExprId> {
        if f.suffix.imaginary {
            return unsupported(span, "complex numbers");
        }
        let ty = match f.suffix.format {
            ast::FloatFormat::Float => Type::Float(4),
            ast::FloatFormat::Double => Type::Float(8),
            ast::FloatFormat::LongDouble => Type::Float(if self.types.pointer_size() == 4 { 12 } else { 16 }),
            ast::FloatFormat::TS18661Format(_) => return unsupported(span, "this floating suffix"),
        };
        let ty = self.types.intern(ty);
        let format = self.types.format(ty).unwrap_or(Format::Double);
        let is_hexadecimal = matches!(f.base, ast::FloatBase::Hexadecimal);
        let Some(pattern) = format.parse(&f.number, is_hexadecimal) else {
            return issue(span, "a malformed floating constant");
        };
        let value = format.value(pattern);
        Ok(self.make(Expr::Float(value), ty, span))
    }

    pub(super) fn string(&mut self, parts: &[String], span: Span) -> Result<Lowered> {
        let (units, element) = self.string_units(parts, span)?;
        let var = self.string_object(units, element, span);
        Ok(Lowered::Place(Place::var(var, self.vars[var].ty)))
    }

    /// The characters of a string without the terminating zero, and their type.
    pub(super) fn string_units(&mut self, parts: &[String], span: Span) -> Result<(Vec<i128>, TypeId)> {
        let wide = parts.iter().any(|p| unquote(p, '"').0);
        let mut units = Vec::new();
        for p in parts {
            units.extend(unescape(unquote(p, '"').1, wide, span)?);
        }
        Ok((units, if wide { self.types.int() } else { self.types.char() }))
    }

    /// The static object that holds a string.
    pub(super) fn string_object(&mut self, units: Vec<i128>, element: TypeId, span: Span) -> VarId {
        let key: Vec<u8> =
            units.iter().flat_map(|u| u.to_le_bytes()).chain([element.index() as u8]).collect();
        if let Some(&v) = self.strings.get(&key) {
            return v;
        }
        let ty = self.types.intern(Type::Array(element, Some(units.len() as u64 + 1)));
        let name = format!("string{}", self.strings.len());
        let var = self.new_var(&name, ty, Storage::Static, span);
        self.strings.insert(key, var);
        let size = self.types.size_of(element).unwrap_or(1);
        for (n, &u) in units.iter().enumerate() {
            let wrapped = self.types.as_int(element).map_or(u, |i| i.wrap(u));
            let value = self.int(wrapped, element, span);
            self.statics.push(StaticValue { var, offset: n as u64 * size, ty: element, bits: None, value });
        }
        var
    }
}

/// Is a literal wide, and what is between its quotes?
fn unquote(text: &str, quote: char) -> (bool, &str) {
    let start = text.find(quote).map_or(0, |n| n + 1);
    let end = text.rfind(quote).unwrap_or(text.len()).max(start);
    (matches!(text.chars().next(), Some('L' | 'U')), &text[start..end])
}

/// The character codes of a literal.
fn unescape(body: &str, wide: bool, span: Span) -> Result<Vec<i128>> {
    let mut out = Vec::new();
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            if wide {
                out.push(c as i128);
            } else {
                out.extend(c.to_string().bytes().map(i128::from));
            }
            continue;
        }
        let Some(e) = chars.next() else { return issue(span, "an unfinished escape sequence") };
        let mut number = |first: u32, radix: u32, most: usize| {
            let mut value = first as i128;
            for _ in 0..most {
                match chars.peek().and_then(|c| c.to_digit(radix)) {
                    Some(d) => {
                        value = (value * i128::from(radix) + i128::from(d)) & 0xffff_ffff;
                        chars.next();
                    }
                    None => break,
                }
            }
            value
        };
        let value = match e {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' => 27,
            '0'..='7' => number(e.to_digit(8).unwrap_or(0), 8, 2),
            'x' => number(0, 16, 8),
            'u' => number(0, 16, 4),
            'U' => number(0, 16, 8),
            other => other as i128,
        };
        out.push(if wide { value } else { value & 0xff });
    }
    Ok(out)
}
