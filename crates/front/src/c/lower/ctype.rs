//! Types as C has them: with qualifiers, three kinds of `char`, enumerations, widths of bit-fields, variable lengths and
//! alignments that attributes ask for. The typed program knows plain types only; [`Lower::hir`] maps to them.

use super::Lower;
use crate::c::DataModel;
use crate::c::hir::ExprId;
use crate::c::syntax::ast::Qualifiers;
use crate::c::types::{Field, IntType, Record, RecordId, Signature, Type, TypeId};
use bolide_base::{IdVec, index_type};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use std::sync::Arc;

index_type! {
    /// An interned type of C, unqualified.
    pub(super) struct Ct("c");
}
index_type! {
    /// An enumeration.
    pub(super) struct EnumId("n");
}
index_type! {
    /// The length of an array that is computed where its type is declared.
    pub(super) struct LengthId("v");
}

/// A type with its qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Q {
    pub ty: Ct,
    pub quals: Qualifiers,
    /// The alignment that an attribute gives to this use of the type.
    pub align: Option<u32>,
}

/// The length of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Length {
    Unknown,
    Known(u64),
    Variable(LengthId),
    /// `[*]` in a prototype.
    Star,
}

/// A floating type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Floating {
    Half,
    Float,
    Float32,
    Double,
    Float64,
    Float32x,
    LongDouble,
    Float64x,
    Float128,
    Decimal32,
    Decimal64,
    Decimal128,
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct FunctionType {
    pub result: Q,
    /// Nothing if the declaration does not say.
    pub params: Option<Vec<Q>>,
    pub variadic: bool,
}

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum CType {
    Void,
    Bool,
    /// Plain `char`, which is distinct from both others.
    Char,
    /// Rank 1 is `signed char` or `unsigned char`, 6 is `__int128`.
    Int(u8, bool),
    /// The type of a bit-field whose width is that of no other type.
    Bits(u32, bool),
    Enum(EnumId),
    Float(Floating),
    Complex(Ct),
    Vector(Ct, u64),
    Pointer(Q),
    Array(Q, Length),
    Record(RecordId),
    Function(Arc<FunctionType>),
    VaList,
}

/// A member of a record.
#[derive(Clone, Debug)]
pub(super) struct CField {
    pub name: Option<Arc<str>>,
    pub ty: Q,
    pub offset: u64,
    /// First bit in the record and width of a bit-field.
    pub bits: Option<(u64, u32)>,
    /// Its alignment in bytes, which may be another one than that of its type.
    pub align: u64,
}

/// A structure or union as C sees it; it has the index of the plain one.
#[derive(Clone, Debug)]
pub(super) struct CRecord {
    pub tag: Option<Arc<str>>,
    pub is_union: bool,
    pub fields: Option<Arc<Vec<CField>>>,
    pub size: u64,
    pub align: u64,
    /// Did an attribute ask for the alignment, of the record or of a member?
    pub user_align: bool,
    /// Does its last member have no length of its own?
    pub is_flexible: bool,
    /// May an argument be given as one of its members?
    pub is_transparent: bool,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub(super) struct CEnum {
    pub tag: Option<Arc<str>>,
    /// The integer type that represents it; nothing while incomplete.
    pub underlying: Option<Ct>,
}

/// All types.
pub(super) struct CTypes {
    types: IndexSet<CType>,
    /// How many types are nested in each of them, members of records aside.
    levels: IdVec<Ct, u32>,
    pub records: IdVec<RecordId, CRecord>,
    pub enums: IdVec<EnumId, CEnum>,
    /// The computed lengths, as expressions of type `size_t` over variables that nothing changes.
    pub lengths: IdVec<LengthId, ExprId>,
    pub model: DataModel,
    plain: FxHashMap<Ct, TypeId>,
}

/// So many pointers, arrays and functions may be nested in a type: walks over types are recursive.
pub(super) const MAX_LEVELS: u32 = 1000;

/// The rank of `int`.
pub(super) const INT: u8 = 3;
/// The rank of `long`.
pub(super) const LONG: u8 = 4;
/// The rank of `long long`.
pub(super) const LONG_LONG: u8 = 5;
/// The rank of `__int128`.
pub(super) const INT128: u8 = 6;

/// No qualifiers.
pub(super) const PLAIN: Qualifiers =
    Qualifiers { is_const: false, is_volatile: false, is_restrict: false, is_atomic: false };

/// All qualifiers of two sets.
pub(super) fn join(a: Qualifiers, b: Qualifiers) -> Qualifiers {
    Qualifiers {
        is_const: a.is_const || b.is_const,
        is_volatile: a.is_volatile || b.is_volatile,
        is_restrict: a.is_restrict || b.is_restrict,
        is_atomic: a.is_atomic || b.is_atomic,
    }
}

impl Q {
    pub fn plain(ty: Ct) -> Q {
        Q { ty, quals: PLAIN, align: None }
    }

    pub fn with(self, quals: Qualifiers) -> Q {
        Q { quals: join(self.quals, quals), ..self }
    }
}

impl CTypes {
    pub fn new(model: DataModel) -> CTypes {
        CTypes {
            types: IndexSet::new(),
            levels: IdVec::new(),
            records: IdVec::new(),
            enums: IdVec::new(),
            lengths: IdVec::new(),
            model,
            plain: FxHashMap::default(),
        }
    }

    pub fn intern(&mut self, ty: CType) -> Ct {
        let (index, is_new) = self.types.insert_full(ty);
        let id = Ct::new(index);
        if is_new {
            let inner = match self.get(id) {
                CType::Pointer(of) | CType::Array(of, _) => self.levels[of.ty] + 1,
                CType::Complex(of) | CType::Vector(of, _) => self.levels[*of] + 1,
                CType::Function(f) => {
                    let params = f.params.iter().flatten().map(|q| self.levels[q.ty]);
                    params.max().max(Some(self.levels[f.result.ty])).unwrap_or(0) + 1
                }
                _ => 0,
            };
            self.levels.push(inner);
        }
        id
    }

    /// Are so many types nested in this one that nothing should go through them one by one?
    pub fn is_deep(&self, ty: Ct) -> bool {
        self.levels[ty] > MAX_LEVELS
    }

    pub fn get(&self, ty: Ct) -> &CType {
        &self.types[ty.index()]
    }

    pub fn void(&mut self) -> Ct {
        self.intern(CType::Void)
    }

    pub fn int(&mut self) -> Ct {
        self.intern(CType::Int(INT, true))
    }

    pub fn int_of(&mut self, rank: u8, signed: bool) -> Ct {
        self.intern(CType::Int(rank, signed))
    }

    pub fn char(&mut self) -> Ct {
        self.intern(CType::Char)
    }

    pub fn double(&mut self) -> Ct {
        self.intern(CType::Float(Floating::Double))
    }

    pub fn size_t(&mut self) -> Ct {
        let rank = if self.model == DataModel::Ilp32 { INT } else { LONG };
        self.int_of(rank, false)
    }

    pub fn uint64_t(&mut self) -> Ct {
        let rank = if self.model == DataModel::Ilp32 { LONG_LONG } else { LONG };
        self.int_of(rank, false)
    }

    pub fn ptrdiff_t(&mut self) -> Ct {
        let rank = if self.model == DataModel::Ilp32 { INT } else { LONG };
        self.int_of(rank, true)
    }

    pub fn pointer(&mut self, to: Q) -> Ct {
        self.intern(CType::Pointer(to))
    }

    pub fn pointer_to(&mut self, to: Ct) -> Ct {
        self.intern(CType::Pointer(Q::plain(to)))
    }

    pub fn array(&mut self, of: Q, n: u64) -> Ct {
        self.intern(CType::Array(of, Length::Known(n)))
    }

    pub fn pointee(&self, ty: Ct) -> Option<Q> {
        match self.get(ty) {
            CType::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    pub fn function(&self, ty: Ct) -> Option<Arc<FunctionType>> {
        match self.get(ty) {
            CType::Function(f) => Some(f.clone()),
            _ => None,
        }
    }

    pub fn pointer_size(&self) -> u64 {
        if self.model == DataModel::Ilp32 { 4 } else { 8 }
    }

    /// The integer type that an integer type is represented by: `_Bool`, `char`s, enumerations and bit-fields included.
    pub fn as_int(&self, ty: Ct) -> Option<IntType> {
        let bits = |rank: u8| match (rank, self.model) {
            (0 | 1, _) => 8,
            (2, _) => 16,
            (INT, _) | (LONG, DataModel::Ilp32) => 32,
            (INT128, _) => 128,
            _ => 64,
        };
        match self.get(ty) {
            CType::Bool => Some(IntType { bits: 8, signed: false, rank: 0 }),
            CType::Char => Some(IntType { bits: 8, signed: true, rank: 1 }),
            CType::Int(rank, signed) => Some(IntType { bits: bits(*rank), signed: *signed, rank: *rank }),
            CType::Bits(width, signed) => {
                let rank = match width {
                    ..=8 => 1,
                    ..=16 => 2,
                    ..=32 => INT,
                    _ => LONG_LONG,
                };
                Some(IntType { bits: bits(rank), signed: *signed, rank })
            }
            CType::Enum(e) => match self.enums[*e].underlying {
                Some(u) => self.as_int(u),
                None => Some(IntType { bits: 32, signed: false, rank: INT }),
            },
            _ => None,
        }
    }

    /// Value bits of an integer type.
    pub fn precision(&self, ty: Ct) -> Option<(u32, bool)> {
        match self.get(ty) {
            CType::Bits(width, signed) => Some((*width, *signed)),
            CType::Bool => Some((1, false)),
            _ => self.as_int(ty).map(|i| (i.bits, i.signed)),
        }
    }

    pub fn is_float(&self, ty: Ct) -> bool {
        matches!(self.get(ty), CType::Float(_))
    }

    pub fn is_arith(&self, ty: Ct) -> bool {
        self.is_float(ty) || self.as_int(ty).is_some() || matches!(self.get(ty), CType::Complex(_))
    }

    pub fn is_pointer(&self, ty: Ct) -> bool {
        matches!(self.get(ty), CType::Pointer(_))
    }

    /// Held in a single scalar of the typed program?
    pub fn is_scalar(&self, ty: Ct) -> bool {
        self.as_int(ty).is_some()
            || matches!(self.get(ty), CType::Float(_) | CType::Pointer(_) | CType::VaList)
    }

    /// Held in a record of the typed program?
    pub fn is_record(&self, ty: Ct) -> bool {
        matches!(self.get(ty), CType::Record(_) | CType::Complex(_) | CType::Vector(..))
    }

    pub fn is_void(&self, ty: Ct) -> bool {
        matches!(self.get(ty), CType::Void)
    }

    pub fn is_array(&self, ty: Ct) -> bool {
        matches!(self.get(ty), CType::Array(..))
    }

    pub fn is_variable(&self, ty: Ct) -> bool {
        let mut ty = ty;
        loop {
            match self.get(ty) {
                CType::Array(_, Length::Variable(_) | Length::Star) => return true,
                CType::Array(of, _) => ty = of.ty,
                _ => return false,
            }
        }
    }

    /// Does the type depend on a computed length anywhere?
    pub fn is_modified(&self, ty: Ct) -> bool {
        let mut ty = ty;
        loop {
            match self.get(ty) {
                CType::Array(_, Length::Variable(_) | Length::Star) => return true,
                CType::Array(of, _) | CType::Pointer(of) => ty = of.ty,
                CType::Function(f) => ty = f.result.ty,
                _ => return false,
            }
        }
    }

    /// Can nothing change an object of this type?
    pub fn innermost_is_const(&self, q: Q) -> bool {
        let mut q = q;
        while let CType::Array(of, _) = self.get(q.ty) {
            q = of.with(q.quals);
        }
        q.quals.is_const
    }

    /// The element below all dimensions.
    pub fn innermost(&self, ty: Ct) -> Ct {
        let mut ty = ty;
        while let CType::Array(of, _) = self.get(ty) {
            ty = of.ty;
        }
        ty
    }

    /// Is this a type of which there can be no object yet?
    pub fn is_incomplete(&self, ty: Ct) -> bool {
        let mut ty = ty;
        loop {
            match self.get(ty) {
                CType::Array(_, Length::Unknown) => return true,
                CType::Array(of, _) => ty = of.ty,
                CType::Record(r) => return self.records[*r].fields.is_none(),
                CType::Enum(e) => return self.enums[*e].underlying.is_none(),
                _ => return false,
            }
        }
    }

    pub fn float_size(&self, f: Floating) -> u64 {
        match f {
            Floating::Half => 2,
            Floating::Float | Floating::Float32 | Floating::Decimal32 => 4,
            Floating::Double | Floating::Float64 | Floating::Float32x | Floating::Decimal64 => 8,
            Floating::LongDouble | Floating::Float64x => {
                if self.model == DataModel::Ilp32 {
                    12
                } else {
                    16
                }
            }
            Floating::Float128 | Floating::Decimal128 => 16,
        }
    }

    /// Size in bytes; nothing for incomplete types and variable lengths. `void` and functions count one byte, as in GNU C.
    pub fn size_of(&self, ty: Ct) -> Option<u64> {
        let mut count: u64 = 1;
        let mut ty = ty;
        loop {
            return match self.get(ty) {
                CType::Void | CType::Function(_) => Some(count),
                CType::Float(f) => count.checked_mul(self.float_size(*f)),
                CType::Complex(part) => count.checked_mul(2 * self.size_of(*part)?),
                CType::Vector(element, n) => count.checked_mul(self.size_of(*element)?.checked_mul(*n)?),
                CType::Pointer(_) => count.checked_mul(self.pointer_size()),
                CType::Array(of, length) => {
                    let Length::Known(n) = length else { return None };
                    count = count.checked_mul(*n)?;
                    ty = of.ty;
                    continue;
                }
                CType::Record(r) => {
                    let r = &self.records[*r];
                    r.fields.as_ref()?;
                    count.checked_mul(r.size)
                }
                CType::VaList => count.checked_mul(if self.model == DataModel::Ilp32 { 4 } else { 24 }),
                CType::Enum(e) => {
                    self.enums[*e].underlying?;
                    count.checked_mul(u64::from(self.as_int(ty)?.bits / 8))
                }
                _ => count.checked_mul(u64::from(self.as_int(ty)?.bits / 8)),
            };
        }
    }

    /// Alignment in bytes, and does an attribute give it? That of an object outside of records.
    pub fn align_of(&self, q: Q) -> (u64, bool) {
        let mut q = q;
        loop {
            if let Some(align) = q.align {
                return (u64::from(align), true);
            }
            let size = self.size_of(q.ty);
            return match self.get(q.ty) {
                CType::Array(of, _) => {
                    q = *of;
                    continue;
                }
                CType::Record(r) => (self.records[*r].align, self.records[*r].user_align),
                CType::Complex(part) => {
                    q = Q::plain(*part);
                    continue;
                }
                CType::Float(Floating::LongDouble | Floating::Float64x) if self.model == DataModel::Ilp32 => {
                    (4, false)
                }
                CType::VaList => (self.pointer_size(), false),
                _ => (size.unwrap_or(1).max(1), false),
            };
        }
    }

    /// Alignment as a member of a record: the i386 ABI aligns integers and `double` to four bytes at most there.
    pub fn field_align(&self, q: Q) -> (u64, bool) {
        let (align, user) = self.align_of(q);
        let mut ty = self.innermost(q.ty);
        if let CType::Complex(part) = self.get(ty) {
            ty = *part;
        }
        // Without registers for them, vectors of eight bytes are integers.
        let is_integer = match *self.get(ty) {
            CType::Vector(of, _) => self.as_int(of).is_some() && self.size_of(ty) == Some(8),
            _ => self.as_int(ty).is_some(),
        };
        let is_limited = is_integer
            || matches!(
                self.get(ty),
                CType::Float(Floating::Double | Floating::Float64 | Floating::Float32x)
            );
        match self.model {
            DataModel::Ilp32 if is_limited && !user => (align.min(4), false),
            _ => (align, user),
        }
    }

    /// The type of a bit-field of a declared type and width.
    pub fn field_type(&mut self, declared: Ct, width: u32) -> Ct {
        let Some((precision, signed)) = self.precision(declared) else { return declared };
        if precision == width {
            return declared;
        }
        match (width, self.model) {
            (8, _) => self.int_of(1, signed),
            (16, _) => self.int_of(2, signed),
            (32, _) => self.int_of(INT, signed),
            (64, DataModel::Lp64) => self.int_of(LONG, signed),
            (64, DataModel::Ilp32) => self.int_of(LONG_LONG, signed),
            _ => self.intern(CType::Bits(width, signed)),
        }
    }

    /// The type after the integer promotions.
    pub fn promote(&mut self, ty: Ct) -> Ct {
        let Some((precision, signed)) = self.precision(ty) else { return ty };
        match self.get(ty) {
            CType::Enum(e) => {
                let underlying = self.enums[*e].underlying;
                match underlying {
                    Some(u) if precision >= 32 => u,
                    Some(_) => self.int(),
                    None => self.int_of(INT, false),
                }
            }
            CType::Int(rank, _) if *rank >= INT => ty,
            CType::Bits(..) if precision >= 32 => ty,
            _ if precision == 32 && !signed => self.int_of(INT, false),
            _ => self.int(),
        }
    }

    /// The common type of two real operands that are already promoted.
    pub fn common(&mut self, a: Ct, b: Ct) -> Ct {
        match (self.get(a).clone(), self.get(b).clone()) {
            (CType::Complex(x), CType::Complex(y)) => {
                let part = self.common(x, y);
                self.intern(CType::Complex(part))
            }
            (CType::Complex(x), _) => {
                let part = self.common(x, b);
                self.intern(CType::Complex(part))
            }
            (_, CType::Complex(_)) => self.common(b, a),
            (CType::Float(x), CType::Float(y)) => {
                if self.float_rank(x) >= self.float_rank(y) {
                    a
                } else {
                    b
                }
            }
            (CType::Float(_), _) => a,
            (_, CType::Float(_)) => b,
            (x, y) => {
                let (Some((p, s)), Some((q, t))) = (self.precision(a), self.precision(b)) else { return a };
                if p != q {
                    return if p > q { a } else { b };
                }
                for rank in [INT128, LONG_LONG, LONG] {
                    let is_rank = |t: &CType| matches!(t, CType::Int(r, _) if *r == rank);
                    if is_rank(&x) || is_rank(&y) {
                        return self.int_of(rank, s && t);
                    }
                }
                if s { b } else { a }
            }
        }
    }

    fn float_rank(&self, f: Floating) -> u8 {
        match f {
            Floating::Half => 0,
            Floating::Float => 1,
            Floating::Float32 => 2,
            Floating::Float32x => 4,
            Floating::Double => 3,
            Floating::Float64 => 5,
            Floating::LongDouble => 6,
            Floating::Float64x => 7,
            Floating::Float128 => 8,
            Floating::Decimal32 => 9,
            Floating::Decimal64 => 10,
            Floating::Decimal128 => 11,
        }
    }

    /// Are two types compatible, apart from the qualifiers of the types themselves?
    pub fn compatible(&self, a: Ct, b: Ct) -> bool {
        if a == b {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (CType::Enum(e), CType::Int(..)) => self.enums[*e].underlying == Some(b),
            (CType::Int(..), CType::Enum(e)) => self.enums[*e].underlying == Some(a),
            (CType::Pointer(x), CType::Pointer(y)) => x.quals == y.quals && self.compatible(x.ty, y.ty),
            (CType::Array(x, m), CType::Array(y, n)) => {
                let lengths = match (m, n) {
                    (Length::Known(m), Length::Known(n)) => m == n,
                    _ => true,
                };
                lengths && x.quals == y.quals && self.compatible(x.ty, y.ty)
            }
            (CType::Complex(x), CType::Complex(y)) => self.compatible(*x, *y),
            (CType::Vector(x, m), CType::Vector(y, n)) => m == n && self.compatible(*x, *y),
            (CType::Function(f), CType::Function(g)) => self.compatible_functions(f, g),
            _ => false,
        }
    }

    fn compatible_functions(&self, f: &FunctionType, g: &FunctionType) -> bool {
        if !self.compatible(f.result.ty, g.result.ty) {
            return false;
        }
        match (&f.params, &g.params) {
            (Some(x), Some(y)) => {
                x.len() == y.len()
                    && f.variadic == g.variadic
                    && x.iter().zip(y).all(|(a, b)| self.compatible(a.ty, b.ty))
            }
            _ => true,
        }
    }

    /// The type with what both declarations say.
    pub fn composite(&mut self, a: Ct, b: Ct) -> Ct {
        match (self.get(a).clone(), self.get(b).clone()) {
            _ if a == b => a,
            (CType::Array(x, m), CType::Array(y, n)) => {
                let of = Q { ty: self.composite(x.ty, y.ty), ..x };
                let length = match (m, n) {
                    (Length::Known(_), _) => m,
                    (_, Length::Known(_)) => n,
                    (Length::Unknown | Length::Star, _) => n,
                    _ => m,
                };
                self.intern(CType::Array(of, length))
            }
            (CType::Pointer(x), CType::Pointer(y)) => {
                let to = Q { ty: self.composite(x.ty, y.ty), ..x };
                self.pointer(to)
            }
            (CType::Function(f), CType::Function(g)) => {
                let result = Q { ty: self.composite(f.result.ty, g.result.ty), ..f.result };
                let params = match (&f.params, &g.params) {
                    (Some(x), Some(y)) => {
                        let each = x.iter().zip(y).map(|(a, b)| Q { ty: self.composite(a.ty, b.ty), ..*a });
                        Some(each.collect())
                    }
                    (Some(x), None) | (None, Some(x)) => Some(x.clone()),
                    (None, None) => None,
                };
                let variadic = f.variadic || g.variadic;
                self.intern(CType::Function(Arc::new(FunctionType { result, params, variadic })))
            }
            _ => a,
        }
    }

    /// The member of a name, searching anonymous members too: its type with the qualifiers of those, its offset in the whole
    /// record, its bits, and the record that it is directly a part of with that record's offset.
    pub fn field(&self, record: RecordId, name: &str) -> Option<(CField, RecordId, u64)> {
        let mut work = vec![(record, 0, PLAIN)];
        while let Some((r, base, quals)) = work.pop() {
            for f in self.records[r].fields.as_deref().into_iter().flatten() {
                match &f.name {
                    Some(n) if **n == *name => {
                        let ty = f.ty.with(quals);
                        return Some((CField { offset: base + f.offset, ty, ..f.clone() }, r, base));
                    }
                    None if f.bits.is_none() => {
                        if let CType::Record(inner) = self.get(f.ty.ty) {
                            work.push((*inner, base + f.offset, join(quals, f.ty.quals)));
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// A type in the words of C, for messages.
    pub fn name(&self, q: Q) -> String {
        let mut out = String::new();
        for (is, word) in [
            (q.quals.is_const, "const "),
            (q.quals.is_volatile, "volatile "),
            (q.quals.is_restrict, "restrict "),
            (q.quals.is_atomic, "_Atomic "),
        ] {
            if is {
                out.push_str(word);
            }
        }
        out + &self.unqualified_name(q.ty)
    }

    fn unqualified_name(&self, ty: Ct) -> String {
        let integer = |rank: u8, signed: bool| {
            let word = ["_Bool", "char", "short", "int", "long", "long long", "__int128"][usize::from(rank)];
            match (rank, signed) {
                (1, true) => "signed char".to_owned(),
                (_, true) => word.to_owned(),
                (_, false) => format!("unsigned {word}"),
            }
        };
        match self.get(ty) {
            CType::Void => "void".into(),
            CType::Bool => "_Bool".into(),
            CType::Char => "char".into(),
            CType::Int(rank, signed) => integer(*rank, *signed),
            CType::Bits(w, signed) => {
                format!("a bit-field of {w} {} bits", if *signed { "signed" } else { "unsigned" })
            }
            CType::Enum(e) => match &self.enums[*e].tag {
                Some(tag) => format!("enum {tag}"),
                None => "an enumeration".into(),
            },
            CType::Float(f) => match f {
                Floating::Half => "_Float16",
                Floating::Float => "float",
                Floating::Float32 => "_Float32",
                Floating::Double => "double",
                Floating::Float64 => "_Float64",
                Floating::Float32x => "_Float32x",
                Floating::LongDouble => "long double",
                Floating::Float64x => "_Float64x",
                Floating::Float128 => "_Float128",
                Floating::Decimal32 => "_Decimal32",
                Floating::Decimal64 => "_Decimal64",
                Floating::Decimal128 => "_Decimal128",
            }
            .into(),
            CType::Complex(part) => format!("_Complex {}", self.unqualified_name(*part)),
            CType::Vector(of, n) => format!("a vector of {n} {}", self.unqualified_name(*of)),
            CType::Pointer(to) => match self.get(to.ty) {
                CType::Function(_) => "a function pointer".into(),
                CType::Array(..) => "a pointer to an array".into(),
                _ => format!("{} *", self.name(*to)),
            },
            CType::Array(of, Length::Known(n)) => format!("{}[{n}]", self.name(*of)),
            CType::Array(of, _) => format!("{}[]", self.name(*of)),
            CType::Record(r) => {
                let word = if self.records[*r].is_union { "union" } else { "struct" };
                match &self.records[*r].tag {
                    Some(tag) => format!("{word} {tag}"),
                    None => format!("{word} without a tag"),
                }
            }
            CType::Function(_) => "a function".into(),
            CType::VaList => "va_list".into(),
        }
    }
}

impl Lower<'_> {
    /// The plain type of the typed program that represents a type. Arrays of variable length are represented by their
    /// innermost elements.
    pub(super) fn hir(&mut self, ty: Ct) -> TypeId {
        if let Some(&known) = self.ctypes.plain.get(&ty) {
            return known;
        }
        let plain = match self.ctypes.get(ty).clone() {
            CType::Void => Type::Void,
            CType::Float(f) => Type::Float(self.ctypes.float_size(f) as u32),
            CType::Complex(part) => {
                let size = self.ctypes.size_of(part).unwrap_or(8);
                let plain = self.hir(part);
                let field =
                    |name: &str, offset| Field { name: Some(name.into()), ty: plain, offset, bits: None };
                let fields = vec![field("real", 0), field("imag", size)];
                Type::Record(self.plain_record(fields, 2 * size, size))
            }
            CType::Vector(of, n) => {
                let size = self.ctypes.size_of(ty).unwrap_or(1);
                let element = self.hir(of);
                let array = self.types.intern(Type::Array(element, Some(n)));
                let field = Field { name: Some("elements".into()), ty: array, offset: 0, bits: None };
                Type::Record(self.plain_record(vec![field], size, size))
            }
            CType::Pointer(to) => Type::Pointer(self.hir(to.ty)),
            CType::Array(of, Length::Known(n)) if !self.ctypes.is_variable(of.ty) => {
                Type::Array(self.hir(of.ty), Some(n))
            }
            CType::Array(of, Length::Unknown) => Type::Array(self.hir(of.ty), None),
            CType::Array(of, _) => return self.hir(of.ty),
            CType::Record(r) => Type::Record(r),
            CType::Function(f) => {
                let result = self.hir(f.result.ty);
                let params = f.params.as_ref().map(|p| p.iter().map(|q| self.hir(q.ty)).collect());
                Type::Function(Signature { result, params, variadic: f.variadic })
            }
            CType::VaList => {
                let plain = self.argument_list();
                self.ctypes.plain.insert(ty, plain);
                return plain;
            }
            CType::Bool | CType::Char | CType::Int(..) | CType::Bits(..) | CType::Enum(_) => {
                // An enumeration may yet become complete.
                let int = self.ctypes.as_int(ty).expect("these are integer types");
                let plain = self.types.intern(Type::Int(int));
                if !self.ctypes.is_incomplete(ty) {
                    self.ctypes.plain.insert(ty, plain);
                }
                return plain;
            }
        };
        let plain = self.types.intern(plain);
        self.ctypes.plain.insert(ty, plain);
        plain
    }

    fn plain_record(&mut self, fields: Vec<Field>, size: u64, align: u64) -> RecordId {
        let tag = CRecord {
            tag: None,
            is_union: false,
            fields: None,
            size,
            align,
            user_align: false,
            is_flexible: false,
            is_transparent: false,
        };
        self.ctypes.records.push(tag);
        self.types.records.push(Record { name: None, is_union: false, fields: Some(fields), size, align })
    }

    /// The type of C that is represented by a plain type and is nothing else.
    pub(super) fn of_plain(&mut self, ty: TypeId) -> Ct {
        match self.types.get(ty).clone() {
            Type::Void => self.ctypes.void(),
            Type::Int(i) => match i.rank {
                0 => self.ctypes.intern(CType::Bool),
                1 if i.signed => self.ctypes.char(),
                rank => self.ctypes.int_of(rank.min(INT128), i.signed),
            },
            Type::Float(4) => self.ctypes.intern(CType::Float(Floating::Float)),
            Type::Float(8) => self.ctypes.double(),
            Type::Float(_) => self.ctypes.intern(CType::Float(Floating::LongDouble)),
            Type::Pointer(_) if self.list_type == Some(ty) => self.ctypes.intern(CType::VaList),
            Type::Pointer(to) => {
                let to = self.of_plain(to);
                self.ctypes.pointer_to(to)
            }
            Type::Array(of, n) => {
                let of = Q::plain(self.of_plain(of));
                self.ctypes.intern(CType::Array(of, n.map_or(Length::Unknown, Length::Known)))
            }
            Type::Record(r) => self.ctypes.intern(CType::Record(r)),
            Type::Function(s) => {
                let result = Q::plain(self.of_plain(s.result));
                let params = s.params.map(|p| p.into_iter().map(|t| Q::plain(self.of_plain(t))).collect());
                let ty = FunctionType { result, params, variadic: s.variadic };
                self.ctypes.intern(CType::Function(Arc::new(ty)))
            }
        }
    }
}
