//! The words of a type specifier, put together.

use super::super::ast::{Basic, TypeSpecifier};
use bolide_base::Message;

/// A word that names a basic type or changes one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    Signed,
    Unsigned,
    Short,
    Long,
    Complex,
    /// `int`, `char`, `double`, and whatever else stands alone.
    Base(Basic),
}

/// The words that were read so far.
#[derive(Default)]
pub(super) struct Words {
    signed: bool,
    unsigned: bool,
    short: bool,
    longs: u8,
    complex: bool,
    base: Option<Basic>,
    /// A type that is not put together from words.
    other: Option<TypeSpecifier>,
}

impl Words {
    /// Has no type been written yet?
    pub fn is_empty(&self) -> bool {
        self.other.is_none() && self.base.is_none() && !self.is_modified() && !self.complex
    }

    /// Has a record or enumeration been defined?
    pub fn is_definition(&self) -> bool {
        match &self.other {
            Some(TypeSpecifier::Record(record)) => record.members.is_some(),
            Some(TypeSpecifier::Enum(e)) => e.constants.is_some(),
            _ => false,
        }
    }

    /// Has nothing but `signed` or `unsigned` been written?
    pub fn is_sign(&self) -> bool {
        self.other.is_none() && self.base.is_none() && !self.short && self.longs == 0 && !self.complex
    }

    fn is_modified(&self) -> bool {
        self.signed || self.unsigned || self.short || self.longs > 0
    }

    /// Adds a word.
    pub fn add(&mut self, word: Word) -> Result<(), Message> {
        if let Some(TypeSpecifier::Error) = self.other {
            return Ok(());
        }
        if self.other.is_some() {
            return Err("two or more types in a declaration".into());
        }
        let duplicate = |word: &str| Err(format!("duplicate '{word}'").into());
        let both = |a: &str, b: &str| Err(format!("both '{a}' and '{b}' in a declaration").into());
        match word {
            Word::Signed if self.unsigned => return both("signed", "unsigned"),
            Word::Unsigned if self.signed => return both("signed", "unsigned"),
            Word::Signed if self.signed => return duplicate("signed"),
            Word::Unsigned if self.unsigned => return duplicate("unsigned"),
            Word::Short if self.short => return duplicate("short"),
            Word::Short if self.longs > 0 => return both("long", "short"),
            Word::Long if self.short => return both("long", "short"),
            Word::Long if self.longs == 2 => return Err("'long long long' is too long".into()),
            Word::Complex if self.complex => return duplicate("_Complex"),
            Word::Base(_) if self.base.is_some() => return Err("two or more types in a declaration".into()),
            Word::Signed => self.signed = true,
            Word::Unsigned => self.unsigned = true,
            Word::Short => self.short = true,
            Word::Long => self.longs += 1,
            Word::Complex => self.complex = true,
            Word::Base(base) => self.base = Some(base),
        }
        self.check()
    }

    /// Adds a type that is not put together from words.
    pub fn add_other(&mut self, ty: TypeSpecifier) -> Result<(), Message> {
        let was_empty = self.is_empty();
        self.other = Some(ty);
        if was_empty { Ok(()) } else { Err("two or more types in a declaration".into()) }
    }

    /// Do the words go together?
    fn check(&self) -> Result<(), Message> {
        let Some(base) = self.base else { return Ok(()) };
        let (sign, length) = match base {
            Basic::Int => (true, true),
            Basic::Char | Basic::Int128 | Basic::Short | Basic::LongLong => (true, false),
            Basic::Double => (false, self.longs == 1 && !self.short),
            _ => (false, false),
        };
        let name = base_name(base);
        let both = |a: &str| Err(format!("both '{a}' and '{name}' in a declaration").into());
        if self.signed && !sign {
            return both("signed");
        }
        if self.unsigned && !sign {
            return both("unsigned");
        }
        if self.short && !length {
            return both("short");
        }
        if self.longs > 0 && !length {
            return both(if self.longs == 2 { "long long" } else { "long" });
        }
        let never_complex = matches!(
            base,
            Basic::Void | Basic::Bool | Basic::Decimal32 | Basic::Decimal64 | Basic::Decimal128
        );
        if self.complex && never_complex {
            return both("_Complex");
        }
        Ok(())
    }

    /// The type that they name.
    pub fn finish(self) -> TypeSpecifier {
        if let Some(other) = self.other {
            return other;
        }
        let unsigned = |yes: Basic, no: Basic| if self.unsigned { yes } else { no };
        let basic = match self.base {
            None | Some(Basic::Int) => {
                if self.base.is_none() && !self.is_modified() {
                    return if self.complex {
                        TypeSpecifier::Basic(Basic::Double, true)
                    } else {
                        TypeSpecifier::Implicit
                    };
                }
                match (self.short, self.longs) {
                    (true, _) => unsigned(Basic::UnsignedShort, Basic::Short),
                    (_, 0) => unsigned(Basic::UnsignedInt, Basic::Int),
                    (_, 1) => unsigned(Basic::UnsignedLong, Basic::Long),
                    _ => unsigned(Basic::UnsignedLongLong, Basic::LongLong),
                }
            }
            Some(Basic::Char) if self.signed => Basic::SignedChar,
            Some(Basic::Char) => unsigned(Basic::UnsignedChar, Basic::Char),
            Some(Basic::Int128) => unsigned(Basic::UnsignedInt128, Basic::Int128),
            Some(Basic::Short) => unsigned(Basic::UnsignedShort, Basic::Short),
            Some(Basic::LongLong) => unsigned(Basic::UnsignedLongLong, Basic::LongLong),
            Some(Basic::Double) if self.longs == 1 => Basic::LongDouble,
            Some(base) => base,
        };
        TypeSpecifier::Basic(basic, self.complex)
    }
}

fn base_name(base: Basic) -> &'static str {
    match base {
        Basic::Void => "void",
        Basic::Bool => "_Bool",
        Basic::Char => "char",
        Basic::Int => "int",
        Basic::Float => "float",
        Basic::Double => "double",
        Basic::Int128 | Basic::UnsignedInt128 => "__int128",
        Basic::Decimal32 => "_Decimal32",
        Basic::Decimal64 => "_Decimal64",
        Basic::Decimal128 => "_Decimal128",
        Basic::Float16 => "_Float16",
        Basic::Float32 => "_Float32",
        Basic::Float64 => "_Float64",
        Basic::Float32x => "_Float32x",
        Basic::Float64x => "_Float64x",
        Basic::Float128 => "_Float128",
        Basic::Short => "__int16",
        Basic::LongLong => "__int64",
        _ => "a type",
    }
}
