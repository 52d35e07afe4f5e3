//! Text that is made from values: `sprintf` and its kin with a format that is written in the call.
//!
//! Each part of the format is a call of a model that writes it behind what is there already, as far as there is room. Formats
//! that are not literals are read by the models themselves.

use super::ctype::Ct;
use super::object::{Lowered, Value};
use super::{Lower, Result, issue, names, unsupported};
use crate::c::hir::{BinOp, Callee, CmpOp, Expr, ExprId, InstrKind, Place, Terminator};
use crate::c::syntax::ast::{self, ExprKind};
use bolide_model::Span;

/// Writing fails for inputs below this, which tests seldom choose.
const FAILURE: i128 = -2_000_000_000;
/// Longer formats are left to the models.
const LONGEST: usize = 200;

/// A conversion of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Conversion {
    /// `-` 1, `+` 2, space 4, `#` 8, `0` 16, upper case 32.
    flags: i128,
    width: Amount,
    precision: Amount,
    what: What,
}

/// A width or precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Amount {
    /// A number that is written, or what stands for nothing.
    Fixed(i128),
    /// The next argument.
    Argument,
}

/// What is converted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    /// A signed number of a rank.
    Signed(u8),
    /// An unsigned one, in a base.
    Unsigned(u8, i128),
    Char,
    String,
}

/// A part of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Text(Vec<u32>),
    Value(Conversion),
}

/// Reads a width or precision.
pub(super) fn amount(rest: &mut std::iter::Peekable<impl Iterator<Item = u32>>) -> Option<Amount> {
    if rest.next_if(|&u| u == '*' as u32).is_some() {
        return Some(Amount::Argument);
    }
    let mut n: i128 = 0;
    while let Some(digit) = rest.peek().and_then(|&u| char::from_u32(u)?.to_digit(10)) {
        n = 10 * n + i128::from(digit);
        rest.next();
        if n > 1 << 20 {
            return None;
        }
    }
    Some(Amount::Fixed(n))
}

/// The parts of a format, if all its conversions are known.
fn parts(format: &[u32]) -> Option<Vec<Part>> {
    let mut out = Vec::new();
    let mut text = Vec::new();
    let mut rest = format.iter().copied().take_while(|&u| u != 0).peekable();
    let is = |u: u32, c: char| u == c as u32;
    while let Some(u) = rest.next() {
        if !is(u, '%') {
            text.push(u);
            continue;
        }
        if rest.next_if(|&u| is(u, '%')).is_some() {
            text.push('%' as u32);
            continue;
        }
        let mut flags = 0;
        while let Some(flag) = rest.peek().and_then(|&u| "-+ #0".chars().position(|c| is(u, c))) {
            flags |= 1 << flag;
            rest.next();
        }
        let width = amount(&mut rest)?;
        let has_precision = rest.next_if(|&u| is(u, '.')).is_some();
        let precision = if has_precision { amount(&mut rest)? } else { Amount::Fixed(-1) };
        let mut length = String::new();
        while let Some(l) = rest.next_if(|&u| "hlLqjzt".chars().any(|c| is(u, c))) {
            length.extend(char::from_u32(l));
        }
        let rank = match length.as_str() {
            "hh" => 1,
            "h" => 2,
            "" => 3,
            "l" | "z" | "t" => 4,
            "ll" | "q" | "j" => 5,
            _ => return None,
        };
        let signs = 6;
        let (what, flags) = match char::from_u32(rest.next()?)? {
            'd' | 'i' => (What::Signed(rank), flags),
            'u' => (What::Unsigned(rank, 10), flags & !signs & !8),
            'x' => (What::Unsigned(rank, 16), flags & !signs),
            'X' => (What::Unsigned(rank, 16), (flags & !signs) | 32),
            'o' => (What::Unsigned(rank, 8), flags & !signs),
            'c' if rank == 3 => (What::Char, flags),
            's' if rank == 3 => (What::String, flags),
            _ => return None,
        };
        if !text.is_empty() {
            out.push(Part::Text(std::mem::take(&mut text)));
        }
        out.push(Part::Value(Conversion { flags, width, precision, what }));
    }
    if !text.is_empty() {
        out.push(Part::Text(text));
    }
    Some(out)
}

impl<'a> Lower<'a> {
    /// A call of `sprintf` or `snprintf` with a literal format whose conversions are known; nothing otherwise.
    pub(super) fn format_call(
        &mut self,
        name: &str,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        let (size_at, mut format_at) = match names::plain(name) {
            "sprintf" => (None, 1),
            "snprintf" => (Some(1), 2),
            _ => return Ok(None),
        };
        let is_hardened = names::is_hardened(name);
        if is_hardened {
            format_at += 2;
        }
        let Some(&format) = args.get(format_at) else {
            return issue(span, format!("a call of '{name}' with too few arguments"));
        };
        let parts = match &self.tree.exprs[format].kind {
            ExprKind::String(literal) if literal.units.len() <= LONGEST => parts(&literal.units),
            _ => None,
        };
        let Some(parts) = parts else {
            return if is_hardened { unsupported(span, format_args!("'{name}'")) } else { Ok(None) };
        };
        let others: Vec<ast::ExprId> = args.iter().copied().filter(|&a| a != format).collect();
        let mut values = self.values(&others, span)?;
        for v in &mut values {
            v.e = self.saved(v.e, span)?;
        }
        let mut rest = values.split_off(format_at).into_iter();
        let size_t = self.ctypes.size_t();
        let char = self.ctypes.char();
        let to = self.ctypes.pointer_to(char);
        let to = self.converted(values[0], to, span)?;
        let size = match size_at {
            Some(n) => Some(self.converted(values[n], size_t, span)?),
            None => None,
        };
        let limit = match size {
            Some(size) => self.room(size, size_t, span)?,
            None => {
                let most = self.ctypes.as_int(size_t).map_or(0, |i| i.range().1 >> 1);
                self.int_of(most, size_t, span)
            }
        };
        let mut at = self.int_of(0, size_t, span);
        for part in &parts {
            at = self.put(part, [to, limit, at], &mut rest, span)?;
        }
        self.terminate(to, size, limit, at, span)?;
        let int = self.ctypes.int();
        Ok(Some(Lowered::Value(self.converted(at, int, span)?)))
    }

    /// Does an argument name the terminal?
    fn is_terminal(&self, stream: ast::ExprId) -> bool {
        matches!(&self.tree.exprs[stream].kind, ExprKind::Name(name) if matches!(&**name, "stdout" | "stderr"))
    }

    /// The value of a call that writes to the terminal, where somebody wants it: how much was written, or what. Nothing if the
    /// call is another one, or if it cannot be told.
    pub(super) fn written(
        &mut self,
        name: &str,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        if self.unwanted == Some(span) || self.is_unevaluated {
            return Ok(None);
        }
        let int = self.ctypes.int();
        let (format, rest) = match (names::plain(name), args) {
            ("printf", &[format, ref rest @ ..]) => (format, rest),
            ("fprintf", &[stream, format, ref rest @ ..]) if self.is_terminal(stream) => (format, rest),
            ("putchar", &[c]) => return self.written_character(c, span).map(Some),
            ("putc" | "fputc", &[c, stream]) if self.is_terminal(stream) => {
                return self.written_character(c, span).map(Some);
            }
            _ => return Ok(None),
        };
        let parts = match &self.tree.exprs[format].kind {
            ExprKind::String(literal) if literal.units.len() <= LONGEST => parts(&literal.units),
            _ => None,
        };
        // The value of a statement in an expression is not known to be wanted when models are chosen.
        let Some(parts) = parts.filter(|_| self.model_of("__put_signed").is_some()) else { return Ok(None) };
        let mut values = self.values(rest, span)?;
        for v in &mut values {
            v.e = self.saved(v.e, span)?;
        }
        let char = self.ctypes.char();
        let to = self.ctypes.pointer_to(char);
        let size_t = self.ctypes.size_t();
        let (to, none) = (self.int_of(0, to, span), self.int_of(0, size_t, span));
        let mut rest = values.into_iter();
        let mut at = none;
        for part in &parts {
            at = self.put(part, [to, none, at], &mut rest, span)?;
        }
        let count = self.converted(at, int, span)?;
        self.or_failure(count, span).map(Some)
    }

    /// `putchar` and its kin give the character.
    fn written_character(&mut self, c: ast::ExprId, span: Span) -> Result<Lowered> {
        let (int, unsigned) = (self.ctypes.int(), self.ctypes.int_of(1, false));
        let c = self.value(c)?;
        let c = self.converted(c, int, span)?;
        let c = self.converted(c, unsigned, span)?;
        let c = self.converted(c, int, span)?;
        self.or_failure(c, span)
    }

    /// A result, or a negative one if writing fails. Proofs know both; an execution in which the terminal fails is no reason for an
    /// error, and is not followed.
    fn or_failure(&mut self, result: Value, span: Span) -> Result<Lowered> {
        let (int, c_int) = (self.types.int(), self.ctypes.int());
        let t = self.temp(int, span);
        self.emit(InstrKind::Assign(Place::var(t, int), result.e), span)?;
        // Not what the call returns.
        let inside = Span { start: span.start, end: span.start };
        let failure = self.arbitrary_scalar("failure of writing", c_int, inside)?;
        let most = self.int(FAILURE, int, span);
        let fails = self.make(Expr::Compare(CmpOp::Lt, failure, most), int, span);
        let (yes, next) = (self.block(), self.block());
        self.end(Terminator::Branch(fails, yes, next), inside, yes);
        let input = self.input("failure of writing", int, inside);
        self.inputs[input].is_computed = true;
        self.emit(InstrKind::Input(Place::var(t, int), input), inside)?;
        let (value, zero) = (self.load_var(t, span), self.int(0, int, span));
        let is_negative = self.make(Expr::Compare(CmpOp::Lt, value, zero), int, span);
        self.emit(InstrKind::Assume(is_negative), inside)?;
        self.end(Terminator::Goto(next), inside, next);
        let e = self.load_var(t, span);
        Ok(Lowered::Value(Value { e, ty: c_int }))
    }

    /// How many characters fit in front of the terminator.
    fn room(&mut self, size: Value, size_t: Ct, span: Span) -> Result<Value> {
        let plain = self.hir(size_t);
        let int = self.types.int();
        let (zero, one) = (self.int(0, plain, span), self.int(1, plain, span));
        let is_none = self.make(Expr::Compare(CmpOp::Eq, size.e, zero), int, span);
        let less = self.make(Expr::Binary(BinOp::Sub, size.e, one), plain, span);
        let room = self.make(Expr::Cond(is_none, zero, less), plain, span);
        Ok(Value { e: self.saved(room, span)?, ty: size_t })
    }

    /// Writes a part; where the next one goes.
    fn put(
        &mut self,
        part: &Part,
        [to, limit, at]: [Value; 3],
        rest: &mut impl Iterator<Item = Value>,
        span: Span,
    ) -> Result<Value> {
        let int = self.ctypes.int();
        let c = match part {
            Part::Text(units) => {
                let char = self.ctypes.char();
                let mut at = at;
                for &u in units {
                    let c = self.int_of(i128::from(u as u8 as i8), char, span);
                    at = self.call_model("__put", &[to, limit, at, c], span)?;
                }
                return Ok(at);
            }
            Part::Value(c) => *c,
        };
        let mut next = || match rest.next() {
            Some(v) => Ok(v),
            None => unsupported(span, "a format with more conversions than arguments"),
        };
        let width = match c.width {
            Amount::Argument => Some(next()?),
            Amount::Fixed(_) => None,
        };
        let precision = match c.precision {
            Amount::Argument => Some(next()?),
            Amount::Fixed(_) => None,
        };
        let value = next()?;
        let amount = |this: &mut Self, argument: Option<Value>, amount: Amount| match (argument, amount) {
            (Some(v), _) => this.argument(v, 3, true, span),
            (None, Amount::Fixed(n)) => Ok(this.int_of(n, int, span)),
            (None, Amount::Argument) => unsupported(span, "this format"),
        };
        let width = amount(self, width, c.width)?;
        let precision = amount(self, precision, c.precision)?;
        let flags = self.int_of(c.flags, int, span);
        match c.what {
            What::Signed(rank) => {
                let value = self.argument(value, rank, true, span)?;
                self.call_model("__put_signed", &[to, limit, at, value, flags, width, precision], span)
            }
            What::Unsigned(rank, base) => {
                let value = self.argument(value, rank, false, span)?;
                let (zero, base) = (self.int_of(0, int, span), self.int_of(base, int, span));
                let args = [to, limit, at, value, zero, base, flags, width, precision];
                self.call_model("__put_number", &args, span)
            }
            What::Char => {
                let value = self.argument(value, 3, true, span)?;
                self.call_model("__put_char", &[to, limit, at, value, flags, width], span)
            }
            What::String => {
                if !self.ctypes.is_pointer(value.ty) {
                    return unsupported(span, "a conversion of another type than that of the argument");
                }
                self.call_model("__put_string", &[to, limit, at, value, flags, width, precision], span)
            }
        }
    }

    /// An argument for a conversion of integers: it must have the size that the conversion reads.
    fn argument(&mut self, v: Value, rank: u8, signed: bool, span: Span) -> Result<Value> {
        let v = self.promoted(v, span)?;
        let read = self.ctypes.int_of(rank.max(3), signed);
        let bits = |this: &Self, ty: Ct| this.ctypes.as_int(ty).map(|i| i.bits);
        if bits(self, v.ty).is_none() || bits(self, v.ty) != bits(self, read) {
            return unsupported(span, "a conversion of another type than that of the argument");
        }
        let v = self.converted(v, read, span)?;
        if rank >= 3 {
            return Ok(v);
        }
        let narrow = self.ctypes.int_of(rank, signed);
        self.converted(v, narrow, span)
    }

    /// Writes the terminator.
    fn terminate(
        &mut self,
        to: Value,
        size: Option<Value>,
        limit: Value,
        at: Value,
        span: Span,
    ) -> Result<()> {
        let size = match size {
            Some(size) => size,
            None => limit,
        };
        self.call_model("__put_end", &[to, size, limit, at], span).map(|_| ())
    }

    /// Calls a model with values.
    pub(super) fn call_model(&mut self, name: &str, args: &[Value], span: Span) -> Result<Value> {
        let Some(f) = self.model_of(name) else {
            return unsupported(span, format_args!("the model '{name}'"));
        };
        let ty = self.function_type_of(f, span)?;
        let mut values: Vec<ExprId> = Vec::with_capacity(args.len());
        for (arg, q) in args.iter().zip(ty.params.iter().flatten()) {
            let v = self.converted(*arg, q.ty, span)?;
            values.push(v.e);
        }
        let plain = self.hir(ty.result.ty);
        let t = self.temp(plain, span);
        self.emit(InstrKind::Call(Some(Place::var(t, plain)), Callee::Direct(f), values), span)?;
        Ok(Value { e: self.load_var(t, span), ty: ty.result.ty })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str) -> Option<Vec<Part>> {
        parts(&format.chars().map(|c| c as u32).collect::<Vec<_>>())
    }

    #[test]
    fn formats() {
        let text = |s: &str| Part::Text(s.chars().map(|c| c as u32).collect());
        assert_eq!(read("a%%b"), Some(vec![text("a%b")]));
        let c = Conversion {
            flags: 17,
            width: Amount::Fixed(5),
            precision: Amount::Argument,
            what: What::Signed(4),
        };
        assert_eq!(read("%-05.*ldx"), Some(vec![Part::Value(c), text("x")]));
        assert_eq!(read("%f"), None);
        assert_eq!(read("%n"), None);
        assert_eq!(read("%"), None);
    }
}
