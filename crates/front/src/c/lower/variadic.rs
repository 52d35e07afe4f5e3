//! Functions with a variable number of arguments.
//!
//! The further arguments of a call are stored in an object of the caller, one after the other, each at a multiple of
//! [`SLOT`] bytes. Its address is passed behind the last parameter. A `va_list` is a pointer into that object, and `va_arg`
//! reads what it points to and moves it on. No program can see that compilers do it differently.

use super::ctype::{CType, Ct, Q};
use super::fields::{Member, Packing};
use super::object::{Lowered, Object, Value, Whole};
use super::{Lower, Result, Symbol, issue, unsupported};
use crate::c::hir::{Base, Expr, ExprId, FuncId, InstrKind, Place, Storage, VarId};
use crate::c::syntax::ast::{self, ExprKind, TypeName};
use crate::c::types::{Type, TypeId};
use bolide_model::Span;

/// Every argument starts at a multiple of so many bytes, which is the alignment of the scalar type that needs most.
const SLOT: u64 = 16;
/// The name of the parameter that points to them, which is no identifier of C.
const PARAMETER: &str = "...";

impl<'a> Lower<'a> {
    /// The type `va_list`: a pointer to a structure that nothing else points to.
    pub(super) fn argument_list(&mut self) -> TypeId {
        if let Some(ty) = self.list_type {
            return ty;
        }
        let record = self.new_record(None, false);
        let record = self.types.intern(Type::Record(record));
        let ty = self.types.pointer(record);
        self.list_type = Some(ty);
        ty
    }

    /// Remembers the lists among the arguments of a call: the function may have used them up.
    pub(super) fn pass_lists(&mut self, args: &'a [ast::ExprId]) {
        for &a in args {
            if let ExprKind::Name(name) = &self.tree.exprs[a].kind
                && let Some(&Symbol::Var(v)) = self.find(name)
                && self.list_type == Some(self.vars[v].ty)
            {
                self.passed_lists.insert(v);
            }
        }
    }

    /// Adds the parameter for further arguments to a function.
    pub(super) fn add_rest(&mut self, f: FuncId, span: Span) {
        let ty = self.argument_list();
        let v = self.new_var(PARAMETER, ty, Storage::Auto(f), span);
        self.funcs[f].params.push(v);
        self.bind(&PARAMETER.into(), Symbol::Var(v));
    }

    /// Stores the further arguments of a call: the pointer to them.
    pub(super) fn rest(&mut self, args: &[Whole], span: Span) -> Result<ExprId> {
        let ty = self.argument_list();
        if args.is_empty() {
            return Ok(self.int(0, ty, span));
        }
        let mut members = Vec::with_capacity(args.len());
        for arg in args {
            let ty = match arg {
                Whole::Scalar(v) => v.ty,
                Whole::Record(_, ty) => *ty,
            };
            self.fits_slot(ty, span)?;
            members.push(Member {
                name: None,
                ty: Q::plain(ty),
                width: None,
                align: Some(SLOT),
                packed: false,
            });
        }
        let record = self.new_record(None, false);
        self.lay_out(record, members, Packing::default());
        let object = self.types.intern(Type::Record(record));
        let v = self.temp(object, span);
        self.emit(InstrKind::Fresh(v, None), span)?;
        let fields = self.ctypes.records[record].fields.clone().unwrap_or_default();
        for (arg, field) in args.iter().zip(fields.iter()) {
            let plain = self.hir(field.ty.ty);
            let place = Place { offset: field.offset as i64, ty: plain, ..Place::var(v, object) };
            self.store(&Object::new(place, field.ty), arg.clone(), "argument", span)?;
        }
        let address = self.address(Place::var(v, object), span);
        self.convert(address, ty, span)
    }

    /// `va_start`: the list starts with the first of the further arguments.
    pub(super) fn start_list(&mut self, list: ast::ExprId, span: Span) -> Result<Lowered> {
        let Some(&Symbol::Var(rest)) = self.find(PARAMETER) else {
            return issue(span, "va_start in a function with a fixed number of arguments");
        };
        self.set_list(list, rest, span)
    }

    /// `va_copy`: the first list goes on where the second one is.
    pub(super) fn copy_list(&mut self, to: ast::ExprId, from: ast::ExprId, span: Span) -> Result<Lowered> {
        let to = self.list(to)?;
        let from = self.list(from)?;
        self.refuse_passed(&from.place, span)?;
        if let Base::Var(v) = to.place.base {
            self.passed_lists.remove(&v);
        }
        let value = self.read(&from, span)?;
        self.write(&to, value.e, span)?;
        Ok(Lowered::Void)
    }

    fn set_list(&mut self, list: ast::ExprId, to: VarId, span: Span) -> Result<Lowered> {
        let o = self.list(list)?;
        if let Base::Var(v) = o.place.base {
            self.passed_lists.remove(&v);
        }
        let value = self.load_var(to, span);
        self.write(&o, value, span)?;
        Ok(Lowered::Void)
    }

    /// `va_arg`: the next argument.
    pub(super) fn next_argument(
        &mut self,
        list: ast::ExprId,
        t: &'a TypeName,
        span: Span,
    ) -> Result<Lowered> {
        let q = self.type_name(t)?;
        self.in_function(span)?;
        self.fits_slot(q.ty, span)?;
        let size = self.size(q.ty, span)?.next_multiple_of(SLOT);
        let list = self.list(list)?;
        self.refuse_passed(&list.place, span)?;
        let here = self.read(&list, span)?;
        let here = self.saved(here.e, span)?;
        let one = self.types.int();
        let one = self.int(1, one, span);
        let next = self.make(Expr::PtrAdd(here, one, size as i64), list.place.ty, span);
        self.write_unchecked(&list, next, span)?;
        let plain = self.hir(q.ty);
        let to = self.types.pointer(plain);
        let here = self.convert(here, to, span)?;
        let o = Object::rvalue(Place::deref(here, plain), q.ty);
        // The list may move on before the value is used.
        match self.whole(Lowered::Object(o), span)? {
            Whole::Scalar(v) => Ok(Lowered::Value(Value { e: self.saved(v.e, span)?, ..v })),
            Whole::Record(p, ty) => Ok(Lowered::Object(Object::rvalue(p, ty))),
        }
    }

    fn refuse_passed(&self, list: &Place, span: Span) -> Result<()> {
        match list.base {
            Base::Var(v) if self.passed_lists.contains(&v) => {
                unsupported(span, "a list of arguments that was passed to a function before")
            }
            _ => Ok(()),
        }
    }

    /// Arguments are found at multiples of [`SLOT`], so none may be aligned to more.
    fn fits_slot(&self, ty: Ct, span: Span) -> Result<()> {
        match self.ctypes.align_of(Q::plain(ty)).0 > SLOT {
            true => unsupported(span, "a further argument with this alignment"),
            false => Ok(()),
        }
    }

    fn list(&mut self, e: ast::ExprId) -> Result<Object> {
        let span = self.span(e);
        match self.lower(e)? {
            Lowered::Object(o) if matches!(self.ctypes.get(o.ty.ty), CType::VaList) => Ok(o),
            _ => issue(span, "this is not a list of arguments (va_list)"),
        }
    }
}
