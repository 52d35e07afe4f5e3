//! Constants, characters and strings.

use super::ctype::{CType, Ct, Floating, INT, INT128, LONG, LONG_LONG, Q};
use super::object::{Lowered, Object, Value};
use super::{Lower, Result, issue, unsupported};
use crate::c::float::Format;
use crate::c::hir::{Base, Expr, ExprId, Place, StaticValue, Storage, VarId};
use crate::c::syntax::ast::{
    CharacterLiteral, Encoding, FloatingLiteral, FloatingSuffix, IntegerLiteral, Longs, StringLiteral,
};
use bolide_model::Span;

impl Lower<'_> {
    /// A value of an integer type.
    pub(super) fn int_of(&mut self, value: i128, ty: Ct, span: Span) -> Value {
        let plain = self.hir(ty);
        Value { e: self.int(value, plain, span), ty }
    }

    pub(super) fn integer(&mut self, i: &IntegerLiteral, span: Span) -> Result<Lowered> {
        let least = match i.longs {
            Longs::Zero => INT,
            Longs::One => LONG,
            Longs::Two => LONG_LONG,
        };
        let value = i128::try_from(i.value).unwrap_or(i128::MAX);
        let mut found = None;
        for rank in least..=LONG_LONG {
            for signed in [true, false] {
                let allowed = if signed { !i.unsigned } else { i.unsigned || !i.decimal };
                let ty = self.ctypes.int_of(rank, signed);
                if found.is_none() && allowed && self.ctypes.as_int(ty).is_some_and(|t| value <= t.range().1)
                {
                    found = Some(ty);
                }
            }
        }
        let ty = match found {
            Some(ty) => ty,
            // What fits no signed type is one of 128 bits where there is one, and unsigned otherwise.
            None if value < 1 << 64 && self.ctypes.pointer_size() == 8 => self.ctypes.int_of(INT128, true),
            None if value < 1 << 64 => self.ctypes.int_of(LONG_LONG, false),
            None => return issue(span, "the integer constant is too large"),
        };
        let value = if self.ctypes.as_int(ty).is_some_and(|t| t.bits > 64) {
            // Compilers give it the unsigned type of 64 bits when they have to choose.
            let ty = self.ctypes.int_of(LONG_LONG, false);
            self.int_of(value, ty, span)
        } else {
            self.int_of(value, ty, span)
        };
        if i.imaginary {
            return self.imaginary(value, span);
        }
        Ok(Lowered::Value(value))
    }

    pub(super) fn floating(&mut self, f: &FloatingLiteral, span: Span) -> Result<Lowered> {
        let kind = match f.suffix {
            FloatingSuffix::None => Floating::Double,
            FloatingSuffix::F => Floating::Float,
            FloatingSuffix::L => Floating::LongDouble,
            FloatingSuffix::Q => Floating::Float128,
            FloatingSuffix::W => Floating::Float64x,
            FloatingSuffix::F16 => Floating::Half,
            FloatingSuffix::F32 => Floating::Float32,
            FloatingSuffix::F64 => Floating::Float64,
            FloatingSuffix::F32x => Floating::Float32x,
            FloatingSuffix::Decimal => return unsupported(span, "decimal floating constants"),
        };
        let ty = self.ctypes.intern(CType::Float(kind));
        let plain = self.hir(ty);
        let format = self.types.format(plain).unwrap_or(Format::Double);
        let (text, is_hexadecimal) = match f.text.strip_prefix("0x").or_else(|| f.text.strip_prefix("0X")) {
            Some(digits) => (digits, true),
            None => (&*f.text, false),
        };
        let Some(pattern) = format.parse(text, is_hexadecimal) else {
            return issue(span, "a malformed floating constant");
        };
        let e = self.make(Expr::Float(format.value(pattern)), plain, span);
        let value = Value { e, ty };
        if f.imaginary {
            return self.imaginary(value, span);
        }
        Ok(Lowered::Value(value))
    }

    pub(super) fn character(&mut self, c: &CharacterLiteral, span: Span) -> Result<Lowered> {
        let unit = c.units.last().copied().unwrap_or(0);
        let (value, ty) = match c.encoding {
            // A single character has the value of a char; several are packed as gcc does.
            Encoding::Plain | Encoding::Utf8 => {
                let value = match c.units[..] {
                    [one] => i128::from(one as u8 as i8),
                    _ => i128::from(c.units.iter().fold(0i32, |v, &u| (v << 8) | (u as u8 as i32))),
                };
                let ty = match c.encoding {
                    Encoding::Utf8 => self.ctypes.int_of(1, false),
                    _ => self.ctypes.int(),
                };
                let value = if c.encoding == Encoding::Utf8 { i128::from(unit as u8) } else { value };
                (value, ty)
            }
            Encoding::Wide => (i128::from(unit as i32), self.wide_type()),
            Encoding::Char16 => (i128::from(unit as u16), self.ctypes.int_of(2, false)),
            Encoding::Char32 => (i128::from(unit), self.ctypes.int_of(INT, false)),
        };
        Ok(Lowered::Value(self.int_of(value, ty, span)))
    }

    /// `wchar_t`: `long` on i386, `int` on x86-64.
    fn wide_type(&mut self) -> Ct {
        match self.ctypes.pointer_size() {
            4 => self.ctypes.int_of(LONG, true),
            _ => self.ctypes.int(),
        }
    }

    /// The type of the characters of a string.
    pub(super) fn unit_of(&mut self, encoding: Encoding) -> Ct {
        match encoding {
            Encoding::Plain | Encoding::Utf8 => self.ctypes.char(),
            Encoding::Wide => self.wide_type(),
            Encoding::Char16 => self.ctypes.int_of(2, false),
            Encoding::Char32 => self.ctypes.int_of(INT, false),
        }
    }

    pub(super) fn string(&mut self, s: &StringLiteral, span: Span) -> Result<Lowered> {
        let element = self.unit_of(s.encoding);
        if s.units.len() >= 1 << 28 {
            return unsupported(span, "a string of this length");
        }
        let var = self.string_object(&s.units, element, span);
        let place = Place::var(var, self.vars[var].ty);
        Ok(Lowered::Object(Object::new(place, self.cvars[var])))
    }

    /// The static object that holds a string.
    pub(super) fn string_object(&mut self, units: &[u32], element: Ct, span: Span) -> VarId {
        let key: Vec<u8> = units
            .iter()
            .flat_map(|u| u.to_le_bytes())
            .chain((element.index() as u32).to_le_bytes())
            .collect();
        if let Some(&v) = self.strings.get(&key) {
            return v;
        }
        let ty = self.ctypes.array(Q::plain(element), units.len() as u64 + 1);
        let plain = self.hir(ty);
        let name = format!("string{}", self.strings.len());
        let var = self.new_var(&name, plain, Storage::Static, span);
        self.cvars[var] = Q::plain(ty);
        self.strings.insert(key, var);
        let size = self.ctypes.size_of(element).unwrap_or(1);
        let plain = self.hir(element);
        for (n, &u) in units.iter().enumerate().filter(|(_, u)| **u != 0) {
            let wrapped = self.ctypes.as_int(element).map_or(u.into(), |i| i.wrap(u.into()));
            let value = self.int(wrapped, plain, span);
            self.statics.push(StaticValue { var, offset: n as u64 * size, ty: plain, bits: None, value });
        }
        var
    }

    /// The constant at a place in the object of a string, which is not changed before the program runs.
    pub(super) fn string_element(&mut self, place: &Place, span: Span) -> Option<ExprId> {
        let Base::Var(v) = place.base else { return None };
        let end = self.types.size_of(self.vars[v].ty)?;
        let offset = u64::try_from(place.offset).ok().filter(|&o| o < end)?;
        let is_element = place.dynamic.is_empty() && place.bits.is_none();
        if !is_element || !self.strings.values().any(|&s| s == v) {
            return None;
        }
        let found = self.statics.iter().find(|s| s.var == v && s.offset == offset);
        match found {
            Some(s) if s.ty == place.ty => Some(s.value),
            Some(_) => None,
            None => Some(self.int(0, place.ty, span)),
        }
    }
}
