//! Type specifiers and type names.

use super::ctype::{CType, Ct, Floating, INT, INT128, LONG, LONG_LONG, Q};
use super::object::Lowered;
use super::{Lower, Result, Symbol, issue};
use crate::c::syntax::ast::{Basic, Specifiers, TypeName, TypeSpecifier};
use bolide_model::Span;

impl<'a> Lower<'a> {
    /// The type that specifiers name, with its qualifiers.
    pub(super) fn specified(&mut self, s: &'a Specifiers) -> Result<Q> {
        self.refuse_attributes(&s.attributes)?;
        let q = self.type_specifier(&s.ty, s.span)?;
        let q = self.in_mode(q, &s.attributes)?;
        Ok(self.qualified(q, s.qualifiers))
    }

    /// A type with further qualifiers; those of an array are those of its elements.
    pub(super) fn qualified(&mut self, q: Q, quals: crate::c::syntax::ast::Qualifiers) -> Q {
        match *self.ctypes.get(q.ty) {
            CType::Array(of, n) if quals != super::ctype::PLAIN => {
                let of = self.qualified(of, quals);
                Q { ty: self.ctypes.intern(CType::Array(of, n)), ..q }
            }
            _ => q.with(quals),
        }
    }

    fn type_specifier(&mut self, t: &'a TypeSpecifier, span: Span) -> Result<Q> {
        Ok(match t {
            TypeSpecifier::Implicit => Q::plain(self.ctypes.int()),
            TypeSpecifier::Basic(basic, is_complex) => {
                let ty = self.basic(*basic);
                Q::plain(if *is_complex { self.ctypes.intern(CType::Complex(ty)) } else { ty })
            }
            TypeSpecifier::Record(r) => Q::plain(self.record(r)?),
            TypeSpecifier::Enum(e) => Q::plain(self.enumeration(e)?),
            TypeSpecifier::Typedef(name) => match self.find(name) {
                Some(Symbol::Typedef(q)) => *q,
                Some(Symbol::Refused(message)) => return issue(span, &**message),
                _ => match &**name {
                    // Types that other verifiers know.
                    "__CPROVER_bool" => Q::plain(self.ctypes.intern(CType::Bool)),
                    "__CPROVER_size_t" => Q::plain(self.ctypes.size_t()),
                    "__CPROVER_ssize_t" => Q::plain(self.ctypes.ptrdiff_t()),
                    _ => return issue(span, format!("unknown type name '{name}'")),
                },
            },
            TypeSpecifier::TypeofExpr(e, is_plain) => {
                let q = self.typeof_expression(*e)?;
                if *is_plain { Q::plain(q.ty) } else { q }
            }
            TypeSpecifier::TypeofType(t, is_plain) => {
                let q = self.type_name(t)?;
                if *is_plain { Q::plain(q.ty) } else { q }
            }
            TypeSpecifier::Atomic(t) => {
                let mut q = self.type_name(t)?;
                q.quals.is_atomic = true;
                q
            }
            TypeSpecifier::Auto => return issue(span, "the type is not known without an initialiser"),
            TypeSpecifier::VaList => Q::plain(self.ctypes.intern(CType::VaList)),
            TypeSpecifier::Error => return issue(span, "the type is not known"),
        })
    }

    /// The type of an expression as `typeof` gives it: with qualifiers, and evaluated where it has a variable length.
    pub(super) fn typeof_expression(&mut self, e: crate::c::syntax::ast::ExprId) -> Result<Q> {
        let span = self.span(e);
        let lowered = self.unevaluated(e)?;
        if let Lowered::Object(o) = &lowered
            && o.field.is_some()
        {
            return issue(span, "'typeof' of a bit-field");
        }
        let q = self.type_of_lowered(&lowered);
        if self.ctypes.is_modified(q.ty) && self.body.is_some() && !self.is_unevaluated {
            self.lower(e)?;
        }
        Ok(q)
    }

    pub(super) fn basic(&mut self, basic: Basic) -> Ct {
        let float = |f| CType::Float(f);
        let ty = match basic {
            Basic::Void => CType::Void,
            Basic::Bool => CType::Bool,
            Basic::Char => CType::Char,
            Basic::SignedChar => CType::Int(1, true),
            Basic::UnsignedChar => CType::Int(1, false),
            Basic::Short => CType::Int(2, true),
            Basic::UnsignedShort => CType::Int(2, false),
            Basic::Int => CType::Int(INT, true),
            Basic::UnsignedInt => CType::Int(INT, false),
            Basic::Long => CType::Int(LONG, true),
            Basic::UnsignedLong => CType::Int(LONG, false),
            Basic::LongLong => CType::Int(LONG_LONG, true),
            Basic::UnsignedLongLong => CType::Int(LONG_LONG, false),
            Basic::Int128 => CType::Int(INT128, true),
            Basic::UnsignedInt128 => CType::Int(INT128, false),
            Basic::Float16 => float(Floating::Half),
            Basic::Float => float(Floating::Float),
            Basic::Float32 => float(Floating::Float32),
            Basic::Double => float(Floating::Double),
            Basic::Float64 => float(Floating::Float64),
            Basic::Float32x => float(Floating::Float32x),
            Basic::LongDouble => float(Floating::LongDouble),
            Basic::Float64x => float(Floating::Float64x),
            Basic::Float128 => float(Floating::Float128),
            Basic::Decimal32 => float(Floating::Decimal32),
            Basic::Decimal64 => float(Floating::Decimal64),
            Basic::Decimal128 => float(Floating::Decimal128),
        };
        self.ctypes.intern(ty)
    }

    /// The type that a type name names.
    pub(super) fn type_name(&mut self, t: &'a TypeName) -> Result<Q> {
        let base = self.specified(&t.specifiers)?;
        let mut q = self.declared(base, &t.declarator, super::declarator::Context::Name)?;
        q = self.in_mode(q, &t.declarator.attributes)?;
        if let Some(align) = self.specified_align(&t.specifiers)? {
            q.align = Some(align as u32);
        }
        Ok(q)
    }
}
