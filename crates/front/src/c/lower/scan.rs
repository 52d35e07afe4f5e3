//! Values that are read from a text: `sscanf` with a format that is written in the call.
//!
//! Each directive of the format is a call of a model that says where the text goes on behind it, or that it does not match. The
//! other functions of this kind read input, and give anything.

use super::ctype::{CType, Floating, INT, LONG, LONG_LONG};
use super::object::{Lowered, Value, Whole};
use super::{Lower, Result, issue, names, unsupported};
use crate::c::hir::{BinOp, BlockId, CmpOp, Expr, InstrKind, Place, Terminator, VarId};
use crate::c::syntax::ast::{self, ExprKind};
use bolide_model::Span;

/// A directive of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Directive {
    /// Any amount of white space.
    Space,
    /// This character.
    Literal(u8),
    /// How much has been read is stored in an integer of a rank.
    Count(u8),
    /// A conversion: how many characters it takes at most, and is its result stored?
    Conversion(What, i128, bool),
}

/// What is converted.
#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    /// A number in a base, of a rank, with a sign or not.
    Number(i128, u8, bool),
    /// A floating value of so many bytes.
    Real(u32),
    /// A word.
    Word,
    /// Characters, white space among them.
    Characters,
    /// Characters of a set, a bit for each.
    Set([u64; 4]),
}

/// A width that does not limit anything.
pub(super) const UNLIMITED: i128 = i32::MAX as i128;

/// All characters but white space.
pub(super) const NO_SPACE: [u64; 4] = [!(1 << b' ' | 0x1f << 9), !0, !0, !0];

/// The characters of a set that starts behind its bracket.
pub(super) fn set(rest: &mut std::iter::Peekable<impl Iterator<Item = u8>>) -> Option<[u64; 4]> {
    let is_negated = rest.next_if_eq(&b'^').is_some();
    let mut bits = [0u64; 4];
    let mut put = |c: u8| bits[usize::from(c / 64)] |= 1 << (c % 64);
    let mut last: Option<u8> = None;
    if rest.next_if_eq(&b']').is_some() {
        put(b']');
        last = Some(b']');
    }
    loop {
        match (rest.next()?, last) {
            (b']', _) => break,
            (b'-', Some(low)) if rest.peek().is_some_and(|&c| c != b']') => {
                let high = rest.next()?;
                (low..=high).for_each(&mut put);
                last = None;
            }
            (c, _) => {
                put(c);
                last = Some(c);
            }
        }
    }
    if is_negated {
        bits = bits.map(|b| !b);
    }
    Some(bits)
}

/// The directives of a format, if all of them are known.
fn directives(format: &[u32]) -> Option<Vec<Directive>> {
    let bytes: Option<Vec<u8>> =
        format.iter().take_while(|&&u| u != 0).map(|&u| u8::try_from(u).ok()).collect();
    let mut rest = bytes?.into_iter().peekable();
    let mut out = Vec::new();
    while let Some(c) = rest.next() {
        if c.is_ascii_whitespace() || c == 11 {
            out.push(Directive::Space);
            continue;
        }
        if c != b'%' {
            out.push(Directive::Literal(c));
            continue;
        }
        if rest.next_if_eq(&b'%').is_some() {
            out.extend([Directive::Space, Directive::Literal(b'%')]);
            continue;
        }
        let is_stored = rest.next_if_eq(&b'*').is_none();
        let mut width: i128 = 0;
        while let Some(d) = rest.next_if(u8::is_ascii_digit) {
            width = (10 * width + i128::from(d - b'0')).min(UNLIMITED);
        }
        let limit = if width == 0 { UNLIMITED } else { width };
        let mut length = String::new();
        while let Some(l) = rest.next_if(|c| b"hlLqjzt".contains(c)) {
            length.push(char::from(l));
        }
        let rank = match length.as_str() {
            "hh" => 1,
            "h" => 2,
            "" => INT,
            "l" | "z" | "t" => LONG,
            "ll" | "q" | "j" | "L" => LONG_LONG,
            _ => return None,
        };
        let what = match rest.next()? {
            b'd' => What::Number(10, rank, true),
            b'i' => What::Number(0, rank, true),
            b'u' => What::Number(10, rank, false),
            b'x' | b'X' => What::Number(16, rank, false),
            b'o' => What::Number(8, rank, false),
            b'f' | b'e' | b'g' | b'F' | b'E' | b'G' if width == 0 && rank <= LONG => match rank {
                INT => What::Real(4),
                LONG => What::Real(8),
                _ => return None,
            },
            b's' if rank == INT => What::Word,
            b'c' if rank == INT => {
                out.push(Directive::Conversion(What::Characters, width.max(1), is_stored));
                continue;
            }
            b'[' if rank == INT => What::Set(set(&mut rest)?),
            b'n' if is_stored && width == 0 => {
                out.push(Directive::Count(rank));
                continue;
            }
            _ => return None,
        };
        out.push(Directive::Conversion(what, limit, is_stored));
    }
    Some(out)
}

/// A text that is being read.
struct Reading {
    /// Where it goes on.
    at: VarId,
    /// How many values have been stored.
    count: VarId,
    /// Where everything ends.
    done: BlockId,
}

impl<'a> Lower<'a> {
    /// A call of `sscanf` with a literal format whose directives are known; nothing if it is another function.
    pub(super) fn scan_text(
        &mut self,
        name: &str,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        if !names::is_text_scanner(name) {
            return Ok(None);
        }
        let &[_, format, ..] = args else {
            return issue(span, format!("a call of '{name}' with too few arguments"));
        };
        let directives = match &self.tree.exprs[format].kind {
            ExprKind::String(literal) => directives(&literal.units),
            _ => return unsupported(span, format_args!("'{name}' with a format that is not a literal")),
        };
        let Some(directives) = directives else {
            return unsupported(span, format_args!("the format of this '{name}'"));
        };
        let others: Vec<ast::ExprId> = args.iter().copied().filter(|&a| a != format).collect();
        let mut values = self.values(&others, span)?;
        for v in &mut values {
            v.e = self.saved(v.e, span)?;
        }
        let mut rest = values.into_iter();
        let Some(text) = rest.next() else { return unsupported(span, "this call") };
        let char = self.ctypes.char();
        let pointer = self.ctypes.pointer_to(char);
        let text = self.converted(text, pointer, span)?;
        let (c_int, plain) = (self.ctypes.int(), self.hir(pointer));
        let int = self.types.int();
        let reading = Reading { at: self.temp(plain, span), count: self.temp(int, span), done: self.block() };
        self.emit(InstrKind::Assign(Place::var(reading.at, plain), text.e), span)?;
        let zero = self.int(0, int, span);
        self.emit(InstrKind::Assign(Place::var(reading.count, int), zero), span)?;
        for d in &directives {
            self.directive(d, &reading, text, &mut rest, span)?;
        }
        self.end(Terminator::Goto(reading.done), span, reading.done);
        self.may_fail(span)?;
        let e = self.load_var(reading.count, span);
        Ok(Some(Lowered::Value(Value { e, ty: c_int })))
    }

    /// Where the text goes on.
    fn position(&mut self, r: &Reading, span: Span) -> Value {
        let char = self.ctypes.char();
        let ty = self.ctypes.pointer_to(char);
        Value { e: self.load_var(r.at, span), ty }
    }

    fn go_on(&mut self, r: &Reading, position: Value, span: Span) -> Result<()> {
        let plain = self.vars[r.at].ty;
        let e = self.convert(position.e, plain, span)?;
        self.emit(InstrKind::Assign(Place::var(r.at, plain), e), span)
    }

    /// Everything ends here if a directive did not match, that is, if there is no position behind it.
    fn require(&mut self, r: &Reading, behind: Value, skips: bool, span: Span) -> Result<()> {
        let (int, c_int) = (self.types.int(), self.ctypes.int());
        let null = self.int(0, self.ty(behind.e), span);
        let is_none = self.make(Expr::Compare(CmpOp::Eq, behind.e, null), int, span);
        let (fails, next) = (self.block(), self.block());
        self.end(Terminator::Branch(is_none, fails, next), span, fails);
        let at = self.position(r, span);
        let count = Value { e: self.load_var(r.count, span), ty: c_int };
        let skips = self.int_of(skips.into(), c_int, span);
        let result = self.call_model("__scan_fails", &[at, skips, count], span)?;
        self.emit(InstrKind::Assign(Place::var(r.count, int), result.e), span)?;
        self.end(Terminator::Goto(r.done), span, next);
        Ok(())
    }

    /// Stores a value where an argument points to.
    fn store_behind(&mut self, target: Value, value: Value, span: Span) -> Result<()> {
        let o = self.target(target, span)?;
        self.store(&o, Whole::Scalar(value), "argument", span)
    }

    fn directive(
        &mut self,
        d: &Directive,
        r: &Reading,
        text: Value,
        rest: &mut impl Iterator<Item = Value>,
        span: Span,
    ) -> Result<()> {
        let c_int = self.ctypes.int();
        let at = self.position(r, span);
        let mut next = || match rest.next() {
            Some(v) => Ok(v),
            None => issue(span, "there are more conversions than arguments"),
        };
        let (what, width, is_stored) = match d {
            Directive::Space => {
                let behind = self.call_model("__scan_skip", &[at], span)?;
                return self.go_on(r, behind, span);
            }
            Directive::Literal(c) => {
                let c = self.int_of((*c as i8).into(), c_int, span);
                let behind = self.call_model("__scan_char", &[at, c], span)?;
                self.require(r, behind, false, span)?;
                return self.go_on(r, behind, span);
            }
            Directive::Count(rank) => {
                let target = next()?;
                let ty = self.ctypes.int_of(*rank, true);
                self.require_target(target, &What::Number(10, *rank, true), span)?;
                let plain = self.types.ptrdiff_t();
                let read = self.make(Expr::PtrSub(at.e, text.e, 1), plain, span);
                let read = self.plain_value(read);
                let read = self.converted(read, ty, span)?;
                return self.store_behind(target, read, span);
            }
            Directive::Conversion(what, width, is_stored) => (what, *width, *is_stored),
        };
        let target = if is_stored { Some(next()?) } else { None };
        if let Some(target) = target {
            self.require_target(target, what, span)?;
        }
        let limit = self.int_of(width, c_int, span);
        match what {
            What::Number(base, rank, is_signed) => {
                let base = self.int_of(*base, c_int, span);
                let behind = self.call_model("__scan_number", &[at, base, limit], span)?;
                self.require(r, behind, true, span)?;
                if let Some(target) = target {
                    let of_library = self.ctypes.int_of((*rank).max(LONG), *is_signed);
                    let most = self.ctypes.as_int(of_library).map_or(0, |i| i.range().1);
                    let wide = self.ctypes.int_of(LONG_LONG, false);
                    let most = self.int_of(most, wide, span);
                    let is_signed_value = self.int_of((*is_signed).into(), c_int, span);
                    let args = [at, behind, base, most, is_signed_value];
                    let value = self.call_model("__scan_value", &args, span)?;
                    let ty = self.ctypes.int_of(*rank, *is_signed);
                    let value = self.converted(value, ty, span)?;
                    self.store_behind(target, value, span)?;
                }
                self.go_on(r, behind, span)?;
            }
            What::Real(bytes) => {
                let (ty, model) = match bytes {
                    4 => (self.ctypes.intern(CType::Float(Floating::Float)), "__scan_realf"),
                    _ => (self.ctypes.double(), "__scan_real"),
                };
                let plain = self.hir(ty);
                let t = self.temp(plain, span);
                self.emit(InstrKind::Fresh(t, None), span)?;
                let to = self.address(Place::var(t, plain), span);
                let to = self.plain_value(to);
                let behind = self.call_model(model, &[at, to], span)?;
                self.require(r, behind, true, span)?;
                if let Some(target) = target {
                    let value = Value { e: self.load_var(t, span), ty };
                    self.store_behind(target, value, span)?;
                }
                self.go_on(r, behind, span)?;
            }
            What::Word | What::Characters | What::Set(_) => {
                let to = match target {
                    Some(target) => target,
                    None => {
                        let char = self.ctypes.char();
                        let ty = self.ctypes.pointer_to(char);
                        self.int_of(0, ty, span)
                    }
                };
                let (model, skips) = match what {
                    What::Word => ("__scan_string", true),
                    What::Characters => ("__scan_chars", false),
                    _ => ("__scan_set", false),
                };
                let mut values = vec![at, to, limit];
                if let What::Set(bits) = what {
                    let wide = self.ctypes.int_of(LONG_LONG, false);
                    values.extend(bits.map(|b| self.int_of(b.into(), wide, span)));
                }
                let behind = self.call_model(model, &values, span)?;
                self.require(r, behind, skips, span)?;
                self.go_on(r, behind, span)?;
            }
        }
        if is_stored {
            let int = self.types.int();
            let (old, one) = (self.load_var(r.count, span), self.int(1, int, span));
            let new = self.make(Expr::Binary(BinOp::Add, old, one), int, span);
            self.emit(InstrKind::Assign(Place::var(r.count, int), new), span)?;
        }
        Ok(())
    }

    /// An argument must point to what a conversion writes.
    fn require_target(&mut self, target: Value, what: &What, span: Span) -> Result<()> {
        let pointee = self.ctypes.pointee(target.ty).map(|q| q.ty);
        let int = pointee.and_then(|ty| self.ctypes.as_int(ty));
        let is_right = match what {
            What::Number(_, rank, _) => {
                let wanted = self.ctypes.int_of(*rank, true);
                let wanted = self.ctypes.as_int(wanted);
                int.map(|i| i.bits) == wanted.map(|i| i.bits) && int.is_some()
            }
            What::Real(bytes) => pointee.is_some_and(|ty| {
                self.ctypes.is_float(ty) && self.ctypes.size_of(ty) == Some((*bytes).into())
            }),
            What::Word | What::Characters | What::Set(_) => int.is_some_and(|i| i.bits == 8),
        };
        match is_right {
            true => Ok(()),
            false => unsupported(span, "a conversion to another type than that of the variable"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str) -> Option<Vec<Directive>> {
        directives(&format.chars().map(|c| c as u32).collect::<Vec<_>>())
    }

    #[test]
    fn formats() {
        let number = Directive::Conversion(What::Number(10, INT, true), 3, true);
        assert_eq!(read("a %3d"), Some(vec![Directive::Literal(b'a'), Directive::Space, number]));
        let word = Directive::Conversion(What::Word, UNLIMITED, false);
        assert_eq!(read("%*s%n"), Some(vec![word, Directive::Count(INT)]));
        let read_set = read("%[]a-c-]").unwrap_or_default();
        let [Directive::Conversion(What::Set(bits), ..)] = &read_set[..] else { panic!("a set") };
        let expected = [b']', b'a', b'b', b'c', b'-'];
        assert!(
            (0..=255u8).all(|c| (bits[usize::from(c / 64)] >> (c % 64) & 1 == 1) == expected.contains(&c))
        );
        assert_eq!(read("%[a"), None);
        assert_eq!(read("%ls"), None);
        assert_eq!(read("%"), None);
    }
}
