//! Arguments for an entry that has parameters: numbers are arbitrary, pointers are null or lead to objects of their own.
//!
//! An object that an argument leads to is new and has arbitrary contents; pointers in it are made in the same way, to a depth
//! of [`DEPTH`], and are null beyond. Characters are strings, other scalars are arrays of some length.

use super::Lower;
use super::ctype::{CField, CType, Ct, Length, Q};
use crate::c::hir::{BinOp, CmpOp, Expr, ExprId, FuncId, Guard, Instr, InstrKind, Lifetime, Place, Storage};
use crate::c::types::TypeId;
use bolide_model::Span;

/// How many pointers follow each other.
const DEPTH: usize = 2;
/// The most elements of arrays whose elements are made one by one.
const ELEMENTS: u64 = 8;
/// The most scalars that are inputs of their own; others are arbitrary contents of new objects.
const SCALARS: usize = 64;
/// Strings and arrays are shorter than this.
const LENGTH: i128 = 1 << 16;

/// What is made for one parameter.
pub(super) struct Maker<'a> {
    /// The function that makes it.
    pub func: FuncId,
    pub span: Span,
    pub instrs: &'a mut Vec<Instr>,
    scalars: usize,
}

impl<'a> Maker<'a> {
    pub fn new(func: FuncId, span: Span, instrs: &'a mut Vec<Instr>) -> Maker<'a> {
        Maker { func, span, instrs, scalars: 0 }
    }

    fn add(&mut self, kind: InstrKind) {
        self.instrs.push(Instr { kind, span: self.span });
    }
}

impl Lower<'_> {
    /// Gives a part of an argument its value. Its bytes are arbitrary before.
    pub(super) fn make_argument(
        &mut self,
        maker: &mut Maker<'_>,
        place: Place,
        ty: Ct,
        name: &str,
        depth: usize,
    ) {
        match self.ctypes.get(ty).clone() {
            CType::Pointer(to) => {
                let is_function = matches!(self.ctypes.get(to.ty), CType::Function(_));
                match is_function || maker.scalars >= SCALARS {
                    true => self.make_scalar(maker, place, name),
                    false => self.make_pointer(maker, place, to, name, depth),
                }
            }
            CType::Record(r) if !self.ctypes.records[r].is_union => {
                let fields = self.ctypes.records[r].fields.clone().unwrap_or_default();
                for CField { name: field, ty, offset, bits, .. } in fields.iter() {
                    if bits.is_some() {
                        continue;
                    }
                    let part = self.hir(ty.ty);
                    let place = Place { offset: place.offset + *offset as i64, ty: part, ..place.clone() };
                    let name = match field {
                        Some(field) if name.ends_with("->") => format!("{name}{field}"),
                        Some(field) => format!("{name}.{field}"),
                        None => name.to_owned(),
                    };
                    self.make_argument(maker, place, ty.ty, &name, depth);
                }
            }
            CType::Array(of, Length::Known(n)) if n <= ELEMENTS => {
                let size = self.ctypes.size_of(of.ty).unwrap_or(0);
                let part = self.hir(of.ty);
                for i in 0..n {
                    let place = Place { offset: place.offset + (i * size) as i64, ty: part, ..place.clone() };
                    self.make_argument(maker, place, of.ty, &format!("{name}[{i}]"), depth);
                }
            }
            _ if self.ctypes.is_scalar(ty) && maker.scalars < SCALARS => {
                self.make_scalar(maker, place, name);
            }
            _ => {}
        }
    }

    fn make_scalar(&mut self, maker: &mut Maker<'_>, place: Place, name: &str) {
        maker.scalars += 1;
        let input = self.input(name, place.ty, maker.span);
        maker.add(InstrKind::Input(place, input));
    }

    /// A pointer is null, or leads to a new object.
    fn make_pointer(&mut self, maker: &mut Maker<'_>, place: Place, to: Q, name: &str, depth: usize) {
        let span = maker.span;
        let plain = place.ty;
        if depth == 0 {
            let null = self.int(0, plain, span);
            maker.add(InstrKind::Assign(place, null));
            return;
        }
        let object = self.new_var("$object", plain, Storage::Auto(maker.func), span);
        let element = self.hir(to.ty);
        let is_text = matches!(self.ctypes.get(to.ty), CType::Char | CType::Int(1, _));
        let is_counted = is_text || self.ctypes.is_void(to.ty) || self.ctypes.is_arith(to.ty);
        let size_t = self.types.size_t();
        let size = self.ctypes.size_of(to.ty).unwrap_or(1).max(1);
        let count = match is_counted {
            true => Some(self.make_count(maker, &format!("length of {name}"))),
            false => None,
        };
        let bytes = match count {
            Some(count) => {
                let (one, size) = (self.int(1, size_t, span), self.int(size.into(), size_t, span));
                let count = self.make(Expr::Binary(BinOp::Add, count, one), size_t, span);
                self.make(Expr::Binary(BinOp::Mul, count, size), size_t, span)
            }
            None => self.int(size.into(), size_t, span),
        };
        maker.add(InstrKind::Alloc(Place::var(object, plain), bytes, false));
        if self.guards() {
            // It belongs to whoever calls the entry.
            let new = Guard::New(Place::var(object, plain), bytes, Lifetime::Program);
            maker.add(InstrKind::Guard(new));
        }
        let address = self.load_var(object, span);
        match count {
            Some(count) if is_text => {
                let end = self.make(Expr::PtrAdd(address, count, 1), plain, span);
                let zero = self.int(0, element, span);
                maker.add(InstrKind::Assign(Place::deref(end, element), zero));
            }
            _ if self.ctypes.is_void(to.ty) => {}
            _ => {
                let name = match self.ctypes.is_record(to.ty) {
                    true => format!("{name}->"),
                    false => format!("*{name}"),
                };
                self.make_argument(maker, Place::deref(address, element), to.ty, &name, depth - 1);
            }
        }
        let is_object = self.make_choice(maker, &format!("{name} is not null"));
        let null = self.int(0, plain, span);
        let value = self.make(Expr::Cond(is_object, address, null), plain, span);
        maker.add(InstrKind::Assign(place, value));
    }

    /// An arbitrary number below [`LENGTH`].
    fn make_count(&mut self, maker: &mut Maker<'_>, name: &str) -> ExprId {
        let size_t = self.types.size_t();
        let count = self.make_temporary(maker, name, size_t);
        let (limit, int) = (self.int(LENGTH, size_t, maker.span), self.types.int());
        let is_small = self.make(Expr::Compare(CmpOp::Lt, count, limit), int, maker.span);
        maker.add(InstrKind::Assume(is_small));
        count
    }

    /// Zero or something else.
    fn make_choice(&mut self, maker: &mut Maker<'_>, name: &str) -> ExprId {
        let bool = self.types.int_of(0, false);
        self.make_temporary(maker, name, bool)
    }

    fn make_temporary(&mut self, maker: &mut Maker<'_>, name: &str, ty: TypeId) -> ExprId {
        let v = self.new_var("$argument", ty, Storage::Auto(maker.func), maker.span);
        let input = self.input(name, ty, maker.span);
        maker.add(InstrKind::Input(Place::var(v, ty), input));
        self.load_var(v, maker.span)
    }

    /// Gives a parameter of an entry that is not `main` its value, if there are pointers in it.
    pub(super) fn make_parameter(
        &mut self,
        func: FuncId,
        v: crate::c::hir::VarId,
        name: &str,
        instrs: &mut Vec<Instr>,
    ) {
        let (plain, span, ty) = (self.vars[v].ty, self.vars[v].span, self.cvars[v].ty);
        let mut maker = Maker::new(func, span, instrs);
        if !self.ctypes.is_scalar(ty) {
            let input = self.input(name, plain, span);
            maker.add(InstrKind::Fresh(v, Some(input)));
        }
        if self.has_pointer(ty) {
            let text = "pointers in the arguments of the entry are null or lead to objects of their own, \
                        to a depth of 2";
            self.assume_that(text.into(), span);
        }
        self.make_argument(&mut maker, Place::var(v, plain), ty, name, DEPTH);
    }

    fn has_pointer(&self, ty: Ct) -> bool {
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            match self.ctypes.get(ty) {
                CType::Pointer(_) => return true,
                CType::Array(of, _) => open.push(of.ty),
                CType::Record(r) => {
                    open.extend(
                        self.ctypes.records[*r].fields.as_deref().into_iter().flatten().map(|f| f.ty.ty),
                    );
                }
                _ => {}
            }
        }
        false
    }
}
