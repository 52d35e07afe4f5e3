//! Functions with a variable number of arguments.
//!
//! The further arguments of a call are stored in an object of the caller, one after the other, each at a multiple of
//! [`SLOT`] bytes. Its address is passed behind the last parameter. A `va_list` is a pointer into that object, and `va_arg`
//! reads what it points to and moves it on. No program can see that compilers do it differently.

use super::expr::Lowered;
use super::{Lower, Result, Symbol, issue, span_of, unsupported};
use crate::c::hir::{Base, Expr, ExprId, FuncId, InstrKind, Operand, Place, Storage, VarId};
use crate::c::types::{Member, Packing, Record, Type, TypeId};
use bolide_model::Span;
use lang_c::ast;
use lang_c::span::Node;

/// Every argument starts at a multiple of so many bytes, which is the alignment of the scalar type that needs most.
const SLOT: u64 = 16;
/// The name of the parameter that points to them, which is no identifier of C.
const PARAMETER: &str = "...";

impl Lower<'_> {
    /// The type `va_list`: a pointer to a structure that nothing else points to.
    pub(super) fn argument_list(&mut self) -> TypeId {
        if let Some(ty) = self.list_type {
            return ty;
        }
        let tag = Record { name: None, is_union: false, fields: None, size: 0, align: 1 };
        let record = self.types.records.push(tag);
        let record = self.types.intern(Type::Record(record));
        let ty = self.types.pointer(record);
        self.list_type = Some(ty);
        ty
    }

    /// Remembers the lists among the arguments of a call: the function may have used them up.
    pub(super) fn pass_lists(&mut self, args: &[Node<ast::Expression>]) {
        for a in args {
            if let ast::Expression::Identifier(i) = &a.node
                && let Some(&Symbol::Var(v)) = self.find(&i.node.name)
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
        self.bind(PARAMETER, Symbol::Var(v));
    }

    /// Stores the further arguments of a call: the pointer to them.
    pub(super) fn rest(&mut self, args: &[Operand], span: Span) -> Result<ExprId> {
        let ty = self.argument_list();
        if args.is_empty() {
            return Ok(self.int(0, ty, span));
        }
        let mut members = Vec::with_capacity(args.len());
        for arg in args {
            let ty = match arg {
                Operand::Scalar(e) => self.ty(*e),
                Operand::Record(p) => p.ty,
            };
            self.fits_slot(ty, span)?;
            members.push(Member { name: None, ty, bit_width: None, align: Some(SLOT), packed: false });
        }
        let record =
            self.types.records.push(Record { name: None, is_union: false, fields: None, size: 0, align: 1 });
        self.types.lay_out(record, members, Packing::default());
        let object = self.types.intern(Type::Record(record));
        let v = self.temp(object, span);
        self.emit(InstrKind::Fresh(v, None), span)?;
        let fields = self.types.records[record].fields.clone().unwrap_or_default();
        for (arg, field) in args.iter().zip(fields) {
            let place = Place { offset: field.offset as i64, ty: field.ty, ..Place::var(v, object) };
            self.assign(place, arg.clone(), span)?;
        }
        let address = self.address(Place::var(v, object), span);
        self.convert(address, ty, span)
    }

    /// `va_start`: the list starts with the first of the further arguments.
    pub(super) fn start_list(&mut self, list: &Node<ast::Expression>, span: Span) -> Result<Lowered> {
        let Some(Symbol::Var(rest)) = self.find(PARAMETER).cloned() else {
            return issue(span, "va_start in a function with a fixed number of arguments");
        };
        self.set_list(list, rest, span)
    }

    /// `va_copy`: the first list goes on where the second one is.
    pub(super) fn copy_list(
        &mut self,
        to: &Node<ast::Expression>,
        from: &Node<ast::Expression>,
        span: Span,
    ) -> Result<Lowered> {
        let place = self.list(to)?;
        let from = self.list(from)?;
        self.refuse_passed(&from, span)?;
        if let Base::Var(v) = place.base {
            self.passed_lists.remove(&v);
        }
        let value = self.load(from, span);
        self.assign(place, Operand::Scalar(value), span)?;
        Ok(Lowered::Void)
    }

    fn set_list(&mut self, list: &Node<ast::Expression>, to: VarId, span: Span) -> Result<Lowered> {
        let place = self.list(list)?;
        if let Base::Var(v) = place.base {
            self.passed_lists.remove(&v);
        }
        let value = self.load_var(to, span);
        self.assign(place, Operand::Scalar(value), span)?;
        Ok(Lowered::Void)
    }

    /// `va_arg`: the next argument.
    pub(super) fn next_argument(&mut self, v: &ast::VaArgExpression, span: Span) -> Result<Lowered> {
        let ty = self.type_name(&v.type_name)?;
        self.fits_slot(ty, span)?;
        let size = self.size(ty, span)?.next_multiple_of(SLOT);
        let list = self.list(&v.va_list)?;
        self.refuse_passed(&list, span)?;
        let here = self.load(list.clone(), span);
        let here = self.saved(here, span)?;
        let one = self.types.int();
        let one = self.int(1, one, span);
        let next = self.make(Expr::PtrAdd(here, one, size as i64), list.ty, span);
        self.assign(list, Operand::Scalar(next), span)?;
        let to = self.types.pointer(ty);
        let here = self.convert(here, to, span)?;
        Ok(Lowered::Place(Place::deref(here, ty)))
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
    fn fits_slot(&self, ty: TypeId, span: Span) -> Result<()> {
        match self.types.align_of(ty) > SLOT {
            true => unsupported(span, "a further argument with this alignment"),
            false => Ok(()),
        }
    }

    fn list(&mut self, e: &Node<ast::Expression>) -> Result<Place> {
        let place = self.place(e)?;
        match place.ty == self.argument_list() {
            true => Ok(place),
            false => issue(span_of(e), "this is not a list of arguments (va_list)"),
        }
    }
}
