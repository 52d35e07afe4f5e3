//! Attributes: those that change types and layout, those that only help compilers, and those that mean more than is known here.

use super::ctype::{CType, Ct, Floating, INT128, LONG, LONG_LONG, Q};
use super::fields::Packing;
use super::{Lower, Result, issue, unsupported};
use crate::c::hir::FuncId;
use crate::c::syntax::ast::{Alignas, Attribute, AttributeArgument, ExprKind, Specifiers};
use bolide_model::Span;

/// Attributes that change what a program means in ways that are not represented.
const REFUSED: &[&str] = &[
    "destructor",
    "scalar_storage_order",
    "ms_struct",
    "vector_mask",
    "returns_twice",
    "naked",
    "interrupt",
    "designated_storage",
    "address_space",
    "btf_decl_tag_layout",
    "ext_vector_type",
    "neon_vector_type",
    "bnd_variable_size",
];

/// The priority of a constructor that has none of its own.
const LAST: i128 = 65_535;

impl<'a> Lower<'a> {
    /// Refuses attributes that would have to be obeyed.
    pub(super) fn refuse_attributes(&self, attributes: &[Attribute]) -> Result<()> {
        match attributes.iter().find(|a| REFUSED.contains(&&*a.name)) {
            Some(a) => unsupported(a.span, format_args!("the attribute '{}'", a.name)),
            None => Ok(()),
        }
    }

    /// Notes a function that is called before the program starts.
    pub(super) fn note_constructor(&mut self, f: FuncId, attributes: &'a [Attribute]) -> Result<()> {
        for a in attributes.iter().filter(|a| &*a.name == "constructor") {
            let priority = match a.arguments.first() {
                Some(AttributeArgument::Expr(e)) => self.constant(*e)?,
                Some(_) => return issue(a.span, "a priority is a constant"),
                None => LAST,
            };
            self.constructors.retain(|c| c.1 != f);
            self.constructors.push((priority, f));
        }
        Ok(())
    }

    /// The greatest alignment that attributes and `_Alignas` ask for.
    pub(super) fn asked_align(
        &mut self,
        attributes: &'a [Attribute],
        alignas: &'a [Alignas],
    ) -> Result<Option<u64>> {
        let mut out: Option<u64> = None;
        for a in attributes.iter().filter(|a| matches!(&*a.name, "aligned" | "align")) {
            let align = self.alignment(a)?;
            out = Some(out.unwrap_or(1).max(align));
        }
        for a in alignas {
            let align = match a {
                Alignas::Expr(e) => {
                    let n = self.constant(*e)?;
                    self.power(n, self.span(*e))?
                }
                Alignas::Type(t) => {
                    let q = self.type_name(t)?;
                    Some(self.ctypes.field_align(q).0)
                }
            };
            // Zero asks for nothing.
            if let Some(align) = align {
                out = Some(out.unwrap_or(1).max(align));
            }
        }
        Ok(out)
    }

    fn alignment(&mut self, a: &'a Attribute) -> Result<u64> {
        match a.arguments.first() {
            Some(AttributeArgument::Expr(e)) => {
                let n = self.constant(*e)?;
                Ok(self.power(n, a.span)?.unwrap_or(1))
            }
            Some(AttributeArgument::Type(t)) => {
                let q = self.type_name(t)?;
                Ok(self.ctypes.align_of(q).0)
            }
            Some(AttributeArgument::Other(span)) => issue(*span, "an alignment is a constant"),
            None => Ok(16),
        }
    }

    fn power(&self, n: i128, span: Span) -> Result<Option<u64>> {
        match u64::try_from(n) {
            Ok(0) => Ok(None),
            Ok(n) if n.is_power_of_two() && n <= 1 << 28 => Ok(Some(n)),
            _ => issue(span, "the alignment is not a positive power of 2"),
        }
    }

    /// What attributes say about the layout of a record.
    pub(super) fn packing(&mut self, attributes: &'a [Attribute]) -> Result<Packing> {
        Ok(Packing {
            packed: has(attributes, "packed"),
            limit: None,
            align: self.asked_align(attributes, &[])?,
        })
    }

    /// The type that the attributes `mode` and `vector_size` make of another one.
    pub(super) fn in_mode<'x>(
        &mut self,
        q: Q,
        attributes: impl IntoIterator<Item = &'x Attribute>,
    ) -> Result<Q> {
        let mut q = q;
        for a in attributes {
            q.ty = match &*a.name {
                "mode" => self.mode(q.ty, a)?,
                "vector_size" => self.vector_of(q.ty, a)?,
                _ => continue,
            };
        }
        Ok(q)
    }

    fn mode(&mut self, ty: Ct, a: &Attribute) -> Result<Ct> {
        let mode = match a.arguments.first() {
            Some(AttributeArgument::Expr(e)) => match &self.tree.exprs[*e].kind {
                ExprKind::Name(name) => name.trim_matches('_').to_owned(),
                _ => String::new(),
            },
            _ => String::new(),
        };
        let signed = self.ctypes.as_int(ty).map(|i| i.signed);
        let (is_float, is_pointer) = (self.ctypes.is_float(ty), self.ctypes.is_pointer(ty));
        let long = if self.ctypes.pointer_size() == 4 { LONG_LONG } else { LONG };
        Ok(match (mode.as_str(), signed) {
            ("QI" | "byte", Some(signed)) => self.ctypes.int_of(1, signed),
            ("HI", Some(signed)) => self.ctypes.int_of(2, signed),
            ("SI", Some(signed)) => self.ctypes.int_of(3, signed),
            ("DI", Some(signed)) => self.ctypes.int_of(long, signed),
            ("TI", Some(signed)) => self.ctypes.int_of(INT128, signed),
            ("word" | "pointer" | "unwind_word", Some(signed)) => self.ctypes.int_of(LONG, signed),
            ("SF", None) if is_float => self.ctypes.intern(CType::Float(Floating::Float)),
            ("DF", None) if is_float => self.ctypes.double(),
            ("XF", None) if is_float => self.ctypes.intern(CType::Float(Floating::LongDouble)),
            ("TF", None) if is_float => self.ctypes.intern(CType::Float(Floating::Float128)),
            ("SI" | "DI" | "pointer" | "word", None) if is_pointer => ty,
            _ => return unsupported(a.span, format_args!("the mode '{mode}'")),
        })
    }

    fn vector_of(&mut self, ty: Ct, a: &Attribute) -> Result<Ct> {
        let Some(AttributeArgument::Expr(e)) = a.arguments.first() else {
            return issue(a.span, "the attribute 'vector_size' needs a number of bytes");
        };
        let bytes = self.constant(*e)?;
        // The attribute belongs to what a pointer, array or function is made of.
        match self.ctypes.get(ty).clone() {
            CType::Pointer(to) => {
                let to = Q { ty: self.vector_of(to.ty, a)?, ..to };
                return Ok(self.ctypes.pointer(to));
            }
            CType::Array(of, n) => {
                let of = Q { ty: self.vector_of(of.ty, a)?, ..of };
                return Ok(self.ctypes.intern(CType::Array(of, n)));
            }
            CType::Function(f) => {
                let result = Q { ty: self.vector_of(f.result.ty, a)?, ..f.result };
                let f = super::ctype::FunctionType { result, ..(*f).clone() };
                return Ok(self.ctypes.intern(CType::Function(f.into())));
            }
            _ => {}
        }
        let size = self.ctypes.size_of(ty).filter(|&n| n > 0).map(i128::from);
        let is_number = self.ctypes.as_int(ty).is_some() || self.ctypes.is_float(ty);
        match size {
            Some(size) if is_number && bytes > 0 && bytes % size == 0 => {
                let n = (bytes / size) as u64;
                if !n.is_power_of_two() || n > 1 << 20 {
                    return issue(a.span, "the number of elements of a vector is not a power of 2");
                }
                Ok(self.ctypes.intern(CType::Vector(ty, n)))
            }
            _ => issue(a.span, "the size of a vector is not a multiple of the size of its elements"),
        }
    }

    /// Alignment that specifiers ask for.
    pub(super) fn specified_align(&mut self, s: &'a Specifiers) -> Result<Option<u64>> {
        self.asked_align(&s.attributes, &s.alignas)
    }
}

/// Is there an attribute of this name?
pub(super) fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|a| &*a.name == name)
}
