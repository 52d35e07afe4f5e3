//! C types, their sizes and their layout.

use super::DataModel;
use super::float::Format;
use bolide_base::{IdVec, index_type};
use indexmap::IndexSet;

index_type! {
    /// An interned type.
    pub struct TypeId("t");
}
index_type! {
    /// A structure or union.
    pub struct RecordId("r");
}

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntType {
    /// Width in bits; the value bits of `_Bool` are one, its width in memory is eight.
    pub bits: u32,
    /// Does it have negative values?
    pub signed: bool,
    /// Conversion rank: `_Bool` 0, `char` 1, `short` 2, `int` 3, `long` 4, `long long` 5.
    pub rank: u8,
}

/// The rank of the representation of `float` and `double`: their values are no integers.
pub(super) const FLOAT_RANK: u8 = 10;

impl IntType {
    /// A type of no program, for exact results of operations on the others.
    pub const WIDE: IntType = IntType { bits: 128, signed: true, rank: u8::MAX };

    /// The format of a representation of floating values.
    pub(super) fn format(self) -> Option<Format> {
        Some(self).filter(|ty| ty.rank == FLOAT_RANK).and_then(|ty| Format::of(ty.bits / 8))
    }

    /// The least and the greatest value.
    pub fn range(self) -> (i128, i128) {
        match (self.rank, self.signed) {
            (0, _) => (0, 1),
            _ if self == IntType::WIDE => (i128::MIN, i128::MAX),
            (_, true) => (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1),
            (_, false) => (0, (1 << self.bits) - 1),
        }
    }

    /// The value of this type that an integer converts to.
    pub fn wrap(self, value: i128) -> i128 {
        if self.rank == 0 {
            return i128::from(value != 0);
        }
        if self == IntType::WIDE {
            return value;
        }
        let value = value & ((1 << self.bits) - 1);
        if self.signed && value >> (self.bits - 1) & 1 == 1 { value - (1 << self.bits) } else { value }
    }
}

/// The type of functions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// What is returned.
    pub result: TypeId,
    /// The parameters; `None` if the declaration does not say.
    pub params: Option<Vec<TypeId>>,
    /// May further arguments follow?
    pub variadic: bool,
}

/// A type, without qualifiers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`
    Void,
    /// Integers, `_Bool` and enumerations.
    Int(IntType),
    /// Floating point of so many bytes.
    Float(u32),
    /// Pointer.
    Pointer(TypeId),
    /// Array; `None` if the length is not known.
    Array(TypeId, Option<u64>),
    /// Structure or union.
    Record(RecordId),
    /// Function.
    Function(Signature),
}

/// A member of a structure or union.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; `None` for an anonymous structure or union, whose members belong to the outer one.
    pub name: Option<String>,
    /// Its type.
    pub ty: TypeId,
    /// Where it starts, in bytes. For a bit-field, where the unit of its type that holds it starts.
    pub offset: u64,
    /// First bit and width of a bit-field within that unit.
    pub bits: Option<(u32, u32)>,
}

/// A structure or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its tag, if it has one.
    pub name: Option<String>,
    /// Do its members share their storage?
    pub is_union: bool,
    /// Its members; `None` while only declared.
    pub fields: Option<Vec<Field>>,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub align: u64,
}

/// All types of a program.
#[derive(Debug)]
pub struct Types {
    types: IndexSet<Type>,
    /// Structures and unions.
    pub records: IdVec<RecordId, Record>,
    /// Widths.
    pub model: DataModel,
}

/// The rank of `int`.
const INT_RANK: u8 = 3;

impl Types {
    /// The basic types.
    pub fn new(model: DataModel) -> Types {
        Types { types: IndexSet::new(), records: IdVec::new(), model }
    }

    /// The type with this description.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        TypeId::new(self.types.insert_full(ty).0)
    }

    /// What a type is.
    pub fn get(&self, ty: TypeId) -> &Type {
        &self.types[ty.index()]
    }

    /// `void`.
    pub fn void(&mut self) -> TypeId {
        self.intern(Type::Void)
    }

    /// The integer type of a rank.
    pub fn int_of(&mut self, rank: u8, signed: bool) -> TypeId {
        let bits = match (rank, self.model) {
            (0 | 1, _) => 8,
            (2, _) => 16,
            (INT_RANK, _) | (4, DataModel::Ilp32) => 32,
            _ => 64,
        };
        self.intern(Type::Int(IntType { bits, signed, rank }))
    }

    /// `int`.
    pub fn int(&mut self) -> TypeId {
        self.int_of(INT_RANK, true)
    }

    /// `char`, which is signed.
    pub fn char(&mut self) -> TypeId {
        self.int_of(1, true)
    }

    /// `size_t`.
    pub fn size_t(&mut self) -> TypeId {
        match self.model {
            DataModel::Ilp32 => self.int_of(INT_RANK, false),
            DataModel::Lp64 => self.int_of(4, false),
        }
    }

    /// `ptrdiff_t`.
    pub fn ptrdiff_t(&mut self) -> TypeId {
        match self.model {
            DataModel::Ilp32 => self.int_of(INT_RANK, true),
            DataModel::Lp64 => self.int_of(4, true),
        }
    }

    /// Bytes of a pointer.
    pub fn pointer_size(&self) -> u64 {
        match self.model {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }

    /// The pointer to a type.
    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.intern(Type::Pointer(to))
    }

    /// The integer type, if it is one.
    pub fn as_int(&self, ty: TypeId) -> Option<IntType> {
        match self.get(ty) {
            Type::Int(i) => Some(*i),
            _ => None,
        }
    }

    /// The format of a floating type; none for `long double`.
    pub fn format(&self, ty: TypeId) -> Option<Format> {
        match self.get(ty) {
            Type::Float(bytes) => Format::of(*bytes),
            _ => None,
        }
    }

    /// A floating type, `long double` included?
    pub fn is_float(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Float(_))
    }

    /// What a pointer points to.
    pub fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match self.get(ty) {
            Type::Pointer(t) => Some(*t),
            _ => None,
        }
    }

    /// Integer, floating or pointer?
    pub fn is_scalar(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Int(_) | Type::Float(_) | Type::Pointer(_))
    }

    /// Integer or floating?
    pub fn is_arith(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Int(_) | Type::Float(_))
    }

    /// The values of a scalar as integers: of an integer itself, of a pointer its address, of a floating value its
    /// bit pattern.
    pub fn representation(&self, ty: TypeId) -> Option<IntType> {
        match self.get(ty) {
            Type::Int(i) => Some(*i),
            Type::Pointer(_) => {
                Some(IntType { bits: 8 * self.pointer_size() as u32, signed: false, rank: 9 })
            }
            Type::Float(bytes) => Some(IntType { bits: 8 * (*bytes).min(8), signed: false, rank: 9 }),
            _ => None,
        }
    }

    /// Size in bytes; `None` for incomplete types. `void` and functions count one byte, as in GNU C.
    pub fn size_of(&self, ty: TypeId) -> Option<u64> {
        // Types nest only as deep as their declarators, which the depth of the text bounds.
        let mut count: u64 = 1;
        let mut ty = ty;
        loop {
            return match self.get(ty) {
                Type::Void | Type::Function(_) => Some(count),
                Type::Int(i) => count.checked_mul(u64::from(i.bits / 8)),
                Type::Float(bytes) => count.checked_mul(u64::from(*bytes)),
                Type::Pointer(_) => count.checked_mul(self.pointer_size()),
                Type::Array(t, n) => {
                    count = count.checked_mul((*n)?)?;
                    ty = *t;
                    continue;
                }
                Type::Record(r) => {
                    let r = &self.records[*r];
                    r.fields.as_ref()?;
                    count.checked_mul(r.size)
                }
            };
        }
    }

    /// Alignment in bytes.
    pub fn align_of(&self, ty: TypeId) -> u64 {
        let mut ty = ty;
        while let Type::Array(t, _) = self.get(ty) {
            ty = *t;
        }
        let natural = match self.get(ty) {
            Type::Record(r) => self.records[*r].align,
            _ => self.size_of(ty).unwrap_or(1),
        };
        // The i386 ABI aligns long long and double inside structures to four bytes.
        match (self.model, self.get(ty)) {
            (DataModel::Ilp32, Type::Int(_) | Type::Float(_)) => natural.min(4),
            (_, Type::Float(16)) => 16,
            _ => natural,
        }
    }

    /// `int` for the narrow integer types, and for bit-fields that fit it.
    pub fn promote(&mut self, ty: TypeId, bit_width: Option<u32>) -> TypeId {
        let int = self.int();
        match (self.as_int(ty), bit_width) {
            (Some(i), _) if i.rank < INT_RANK => int,
            (Some(i), Some(w)) if i.rank == INT_RANK && !i.signed && w < 32 => int,
            _ => ty,
        }
    }

    /// The common type of two arithmetic operands that are already promoted.
    pub fn common(&mut self, a: TypeId, b: TypeId) -> TypeId {
        match (self.get(a).clone(), self.get(b).clone()) {
            (Type::Float(x), Type::Float(y)) => self.intern(Type::Float(x.max(y))),
            (Type::Float(_), _) => a,
            (_, Type::Float(_)) => b,
            (Type::Int(x), Type::Int(y)) => {
                if x.signed == y.signed {
                    return if x.rank >= y.rank { a } else { b };
                }
                let (u, s) = if x.signed { (y, x) } else { (x, y) };
                if u.rank >= s.rank {
                    self.intern(Type::Int(u))
                } else if s.bits > u.bits {
                    self.intern(Type::Int(s))
                } else {
                    self.int_of(s.rank, false)
                }
            }
            _ => a,
        }
    }

    /// Is a value of extended precision part of this type?
    pub fn has_long_double(&self, ty: TypeId) -> bool {
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            match self.get(ty) {
                Type::Float(bytes) if *bytes > 8 => return true,
                Type::Array(element, _) => open.push(*element),
                Type::Record(r) => {
                    open.extend(self.records[*r].fields.as_deref().unwrap_or_default().iter().map(|f| f.ty));
                }
                _ => {}
            }
        }
        false
    }

    /// The field of a name, searching anonymous members too, with its offset in the whole record.
    pub fn field(&self, record: RecordId, name: &str) -> Option<Field> {
        let mut work = vec![(record, 0)];
        while let Some((r, base)) = work.pop() {
            for f in self.records[r].fields.as_deref().unwrap_or_default() {
                match &f.name {
                    Some(n) if n == name => return Some(Field { offset: base + f.offset, ..f.clone() }),
                    None => {
                        if let Type::Record(inner) = self.get(f.ty) {
                            work.push((*inner, base + f.offset));
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// Completes a structure or union: members get their places by the rules of the System V ABI.
    pub fn lay_out(&mut self, record: RecordId, members: Vec<Member>, packing: Packing) {
        let is_union = self.records[record].is_union;
        let (mut bit, mut size, mut align) = (0u64, 0u64, 1u64);
        let mut fields = Vec::with_capacity(members.len());
        for m in members {
            if is_union {
                bit = 0;
            }
            let bytes = self.size_of(m.ty).unwrap_or(0);
            let natural = match (packing.packed || m.packed, packing.limit) {
                (true, _) => 1,
                (false, Some(limit)) => self.align_of(m.ty).min(limit),
                (false, None) => self.align_of(m.ty),
            }
            .max(m.align.unwrap_or(1));
            match m.bit_width {
                Some(0) => bit = bit.next_multiple_of(8 * self.align_of(m.ty)),
                Some(w) => {
                    let unit = 8 * bytes;
                    if natural > 1 && bit / unit != (bit + u64::from(w) - 1) / unit {
                        bit = bit.next_multiple_of(8 * natural);
                    }
                    // The unit that holds the field: aligned where it can be, otherwise starting at its first byte.
                    let start = if bit / unit == (bit + u64::from(w) - 1) / unit {
                        bit / unit * bytes
                    } else {
                        bit / 8
                    };
                    fields.push(Field {
                        name: m.name.clone(),
                        ty: m.ty,
                        offset: start,
                        bits: Some(((bit - 8 * start) as u32, w)),
                    });
                    bit += u64::from(w);
                    size = size.max(bit.div_ceil(8));
                    if m.name.is_some() {
                        align = align.max(natural);
                    }
                }
                None => {
                    bit = bit.next_multiple_of(8 * natural);
                    fields.push(Field { name: m.name, ty: m.ty, offset: bit / 8, bits: None });
                    bit += 8 * bytes;
                    size = size.max(bit / 8);
                    align = align.max(natural);
                }
            }
        }
        align = align.max(packing.align.unwrap_or(1));
        let r = &mut self.records[record];
        fields.retain(|f| f.name.is_some() || f.bits.is_none());
        r.fields = Some(fields);
        r.align = align;
        r.size = size.next_multiple_of(align);
    }
}

/// A member before layout.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: Option<String>,
    /// Its type.
    pub ty: TypeId,
    /// Width of a bit-field.
    pub bit_width: Option<u32>,
    /// Alignment asked for.
    pub align: Option<u64>,
    /// Declared with the attribute `packed`?
    pub packed: bool,
}

/// How a record is packed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packing {
    /// The attribute `packed`.
    pub packed: bool,
    /// The greatest alignment of members, by `#pragma pack`.
    pub limit: Option<u64>,
    /// The attribute `aligned`.
    pub align: Option<u64>,
}
