//! Where the members of structures and unions lie, by the System V ABIs of i386 and x86-64 as gcc reads them.

use super::Lower;
use super::ctype::{CField, CType, Q};
use crate::c::types::{Field, IntType, RecordId, Type, TypeId};
use std::sync::Arc;

/// A member before layout.
pub(super) struct Member {
    pub name: Option<Arc<str>>,
    pub ty: Q,
    /// Width of a bit-field.
    pub width: Option<u32>,
    /// The alignment that an attribute or `_Alignas` asks for.
    pub align: Option<u64>,
    pub packed: bool,
}

/// How a record is packed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packing {
    /// The attribute `packed`.
    pub packed: bool,
    /// The greatest alignment of members, by `#pragma pack`.
    pub limit: Option<u64>,
    /// The attribute `aligned`.
    pub align: Option<u64>,
}

/// A part of a record in which a bit-field or a part of it is read and written: offset, type of the unit, first bit, width.
pub(super) type Piece = (u64, TypeId, u32, u32);

/// A layout in progress; all in bits.
struct Cursor {
    at: u64,
    size: u64,
    align: u64,
    user_align: bool,
}

impl Lower<'_> {
    /// Completes a structure or union.
    pub(super) fn lay_out(&mut self, record: RecordId, members: Vec<Member>, packing: Packing) {
        let is_union = self.ctypes.records[record].is_union;
        let mut cursor = Cursor { at: 0, size: 0, align: 8, user_align: packing.align.is_some() };
        let mut fields = Vec::with_capacity(members.len());
        for m in members {
            if is_union {
                cursor.at = 0;
            }
            match m.width {
                Some(width) => self.place_bits(&mut cursor, m, width, packing, &mut fields),
                None => self.place_member(&mut cursor, m, packing, &mut fields),
            }
        }
        let align = (cursor.align / 8).max(packing.align.unwrap_or(1));
        let size = cursor.size.div_ceil(8).next_multiple_of(align);
        let plain = self.plain_fields(&fields, size);
        let r = &mut self.ctypes.records[record];
        r.fields = Some(Arc::new(fields));
        (r.size, r.align, r.user_align) = (size, align, cursor.user_align);
        let r = &mut self.types.records[record];
        (r.fields, r.size, r.align) = (Some(plain), size, align);
    }

    fn place_member(&self, cursor: &mut Cursor, m: Member, packing: Packing, fields: &mut Vec<CField>) {
        let bytes = self.ctypes.size_of(m.ty.ty).unwrap_or(0);
        let (natural, user) = self.ctypes.field_align(m.ty);
        let is_packed = packing.packed || m.packed;
        let align = match (is_packed, m.align) {
            (true, Some(align)) => align,
            (true, None) => 1,
            (false, Some(align)) => align.max(natural),
            (false, None) => natural,
        };
        let align = packing.limit.map_or(align, |limit| align.min(limit));
        cursor.user_align |= m.align.is_some() || (user && !is_packed);
        cursor.at = cursor.at.next_multiple_of(8 * align);
        fields.push(CField { name: m.name, ty: m.ty, offset: cursor.at / 8, bits: None, align });
        cursor.at = cursor.at.saturating_add(bytes.saturating_mul(8));
        cursor.size = cursor.size.max(cursor.at);
        cursor.align = cursor.align.max(8 * align);
    }

    fn place_bits(
        &self,
        cursor: &mut Cursor,
        m: Member,
        width: u32,
        packing: Packing,
        fields: &mut Vec<CField>,
    ) {
        let bytes = self.ctypes.size_of(m.ty.ty).unwrap_or(4);
        let (natural, _) = self.ctypes.field_align(m.ty);
        let is_packed = packing.packed || m.packed;
        let is_whole = matches!(width, 8 | 16 | 32 | 64)
            && (cursor.at == 0 || cursor.at.is_multiple_of(u64::from(width)))
            && !(width > 8 && is_packed);
        // The alignment of the field itself, which a bit-field has only if it is asked for.
        let mut align = 8 * m.align.unwrap_or(0);
        if width == 0 {
            // Neither packing nor a pragma has an effect on what closes a unit.
            align = align.max(8 * natural);
        } else {
            if is_whole && width > 8 {
                let own = if self.ctypes.pointer_size() == 4 { width.min(32) } else { width };
                align = align.max(u64::from(own));
            }
            if let Some(limit) = packing.limit {
                align = align.min(8 * limit);
            }
        }
        if align > 1 {
            cursor.at = cursor.at.next_multiple_of(align);
        }
        if width == 0 {
            // In a union, too, it has no size; a record that ends here is padded up to it.
            if !self.ctypes.records.is_empty() {
                cursor.size = cursor.size.max(cursor.at);
            }
            return;
        }
        let unit = 8 * natural;
        if packing.limit.is_none() && !is_packed {
            let spanned = (cursor.at % unit + u64::from(width)).div_ceil(unit);
            if spanned > (8 * bytes) / unit {
                cursor.at = cursor.at.next_multiple_of(unit);
            }
        }
        if m.name.is_some() {
            let of_type = match (packing.limit, is_packed) {
                (Some(limit), _) => unit.min(8 * limit),
                (None, true) => 8,
                (None, false) => unit,
            };
            cursor.align = cursor.align.max(of_type).max(align.max(8));
            cursor.user_align |= m.align.is_some();
        }
        let bits = Some((cursor.at, width));
        fields.push(CField { name: m.name, ty: m.ty, offset: cursor.at / 8, bits, align: 1 });
        cursor.at += u64::from(width);
        cursor.size = cursor.size.max(cursor.at);
    }

    /// The members for the typed program.
    fn plain_fields(&mut self, fields: &[CField], size: u64) -> Vec<Field> {
        let mut out = Vec::with_capacity(fields.len());
        for f in fields {
            let name = f.name.as_deref().map(str::to_owned);
            match f.bits {
                None => {
                    // A flexible array member takes no room.
                    let ty = match *self.ctypes.get(f.ty.ty) {
                        CType::Array(of, super::ctype::Length::Unknown) => {
                            let of = self.hir(of.ty);
                            self.types.intern(Type::Array(of, Some(0)))
                        }
                        _ => self.hir(f.ty.ty),
                    };
                    out.push(Field { name, ty, offset: f.offset, bits: None });
                }
                Some(_) if f.name.is_none() => {}
                Some((first, width)) => {
                    for (offset, ty, bit, width) in self.pieces(f.ty, first, width, size) {
                        out.push(Field { name: name.clone(), ty, offset, bits: Some((bit, width)) });
                    }
                }
            }
        }
        out
    }

    /// The units in which a bit-field is accessed: the one of its own type where it lies within the record, otherwise the
    /// smallest one that holds the field, otherwise its bytes one by one.
    pub(super) fn pieces(&mut self, ty: Q, first: u64, width: u32, size: u64) -> Vec<Piece> {
        let declared = self.ctypes.as_int(ty.ty).expect("a bit-field has an integer type");
        let own = u64::from(declared.bits);
        let last = first + u64::from(width) - 1;
        let fits = |unit: u64| first / unit == last / unit && (first / unit + 1) * unit <= 8 * size;
        if own <= 64 && fits(own) {
            let plain = self.hir(ty.ty);
            return vec![(first / own * own / 8, plain, (first % own) as u32, width)];
        }
        for unit in [8, 16, 32, 64] {
            if fits(unit) {
                let plain = self.unit_type(unit as u32, declared.signed);
                return vec![(first / unit * unit / 8, plain, (first % unit) as u32, width)];
            }
        }
        let byte = self.unit_type(8, false);
        let (mut at, mut left, mut out) = (first, width, Vec::new());
        while left > 0 {
            let here = left.min(8 - (at % 8) as u32);
            out.push((at / 8, byte, (at % 8) as u32, here));
            at += u64::from(here);
            left -= here;
        }
        out
    }

    fn unit_type(&mut self, bits: u32, signed: bool) -> TypeId {
        let rank = match bits {
            8 => 1,
            16 => 2,
            32 => 3,
            _ => 5,
        };
        self.types.intern(Type::Int(IntType { bits, signed, rank }))
    }
}
