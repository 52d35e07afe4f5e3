//! Calls of functions: their arguments, records that travel through slots, pointers to functions.

use super::builtin::modelled;
use super::ctype::{CType, Ct, Floating, FunctionType, Q};
use super::object::{Lowered, Object, Value, Whole};
use super::{Lower, Result, Symbol, UNSUPPORTED, issue, names, unsupported};
use crate::c::hir::{Callee, Expected, Expr, ExprId, FuncId, InstrKind, Place, Storage, Terminator, VarId};
use crate::c::syntax::ast::{self, ExprKind};
use crate::c::syntax::source::Issue;
use crate::c::types::{Type, TypeId};
use bolide_model::{Property, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The function that registers others for the end of the program; its model calls these if it is given none.
pub(super) const AT_EXIT: &str = "atexit";
/// The prefix of the functions that give the models values from outside.
const FROM_OUTSIDE: &str = "__bolide_from_";
/// The number of the slot for a result, which is behind those for arguments.
const RESULT: usize = usize::MAX;

impl<'a> Lower<'a> {
    pub(super) fn call(
        &mut self,
        callee: ast::ExprId,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Lowered> {
        let tree = self.tree;
        let name = match &tree.exprs[callee].kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        };
        if let Some(name) = name {
            if let Some(constant) = self.math_constant(name, args, span) {
                return Ok(constant);
            }
            if let Some(lowered) = self.compile_time(name, args, span)? {
                return Ok(lowered);
            }
            if self.find(name).is_none() {
                // An implicit declaration, as in old C.
                let ty = self.unknown_function();
                let f = self.declare_function(name, ty, span)?;
                self.implicit.insert(f);
            }
        }
        if self.body.is_none() {
            return issue(span, "the initialiser is not constant");
        }
        let lowered = match self.lower(callee)? {
            Lowered::Function(f) => self.call_function(f, args, span)?,
            lowered => {
                let whole = self.whole(lowered, span)?;
                let pointer = self.scalar(whole, span)?;
                match self.exprs[pointer.e].expr {
                    Expr::Func(f) => self.call_function(f, args, span)?,
                    _ => self.call_pointer(pointer, args, span)?,
                }
            }
        };
        let is_about_lists = name.is_some_and(|n| n.trim_start_matches("__builtin_").starts_with("va_"));
        if !is_about_lists {
            self.pass_lists(args);
        }
        Ok(lowered)
    }

    fn call_function(&mut self, f: FuncId, args: &'a [ast::ExprId], span: Span) -> Result<Lowered> {
        let name = self.funcs[f].name.clone();
        let is_defined =
            self.defined.contains(name.as_str()) || !self.funcs[f].blocks.is_empty() || self.is_nested(f);
        if self.properties_wanted.errors && names::is_error(&name, args.len(), is_defined) {
            for &a in args {
                self.effect(a)?;
            }
            let property = self.property(&format!("call of {name}"), span);
            self.stop(Terminator::Error(property), span);
            let ty = self.function_type_of(f, span)?.result.ty;
            return self.never(ty, span);
        }
        if is_defined {
            return self.call_defined(f, args, span);
        }
        if let Some(lowered) = self.format_call(&name, args, span)? {
            return Ok(lowered);
        }
        if let Some(lowered) = self.scan_text(&name, args, span)? {
            return Ok(lowered);
        }
        if let Some(lowered) = self.written(&name, args, span)? {
            return Ok(lowered);
        }
        if let Some(lowered) = self.calendar(&name, f, args, span)? {
            return Ok(lowered);
        }
        if let Some(model) = self.model_of(&name) {
            if names::is_curve(names::plain(&name)) {
                self.assume_that(format!("'{name}' returns any number of its range"), span);
            }
            // A twin that knows the size of its target has further arguments.
            let known = if names::is_hardened(&name) { self.funcs[model].params.len() } else { args.len() };
            let (args, sizes) = args.split_at(known.min(args.len()));
            sizes.iter().try_for_each(|&a| self.effect(a))?;
            let result = self.call_defined(model, args, span)?;
            if names::is_reader(names::plain(&name)) {
                self.may_fail(span)?;
            }
            return self.as_declared(&name, result, f, span);
        }
        if let Some(lowered) = self.math_call(&name, f, args, span)? {
            return Ok(lowered);
        }
        if let Some(lowered) = self.known(&name, f, args, span)? {
            return Ok(lowered);
        }
        if let Some(lowered) = self.other_tools(&name, f, args, span)? {
            return Ok(lowered);
        }
        if let Some(lowered) = self.overflow(&name, args, span)? {
            return Ok(lowered);
        }
        if let Some(lowered) = self.library(&name, f, args, span)? {
            return Ok(lowered);
        }
        if let Some(lowered) = self.atomic(&name, args, span)? {
            return Ok(lowered);
        }
        if self.endless.contains(name.as_str()) || names::ends(names::plain(&name)) {
            return self.halt(f, args, span);
        }
        self.call_unknown(&name, f, args, span)
    }

    /// The result of a model has the type that the program has declared, if that is another name for the same values: `size_t`
    /// and `wchar_t` are different types in different data models.
    fn as_declared(&mut self, name: &str, result: Lowered, f: FuncId, span: Span) -> Result<Lowered> {
        let ty = self.function_type_of(f, span)?;
        let declared = if ty.params.is_some() { Some(ty.result.ty) } else { self.result_of_builtin(name) };
        let from = self.type_of_lowered(&result).ty;
        let to = declared.unwrap_or(from);
        let is_same_pointer = self.ctypes.is_pointer(from) && self.ctypes.is_pointer(to);
        let values = |ty| self.ctypes.as_int(ty).map(|i| (i.bits, i.signed));
        let is_same_number = values(from).is_some() && values(from) == values(to);
        if from == to || !(is_same_pointer || is_same_number) {
            return Ok(result);
        }
        let whole = self.whole(result, span)?;
        let value = self.scalar(whole, span)?;
        Ok(Lowered::Value(self.converted(value, to, span)?))
    }

    /// The type of the results of functions that compilers know without a declaration, where it depends on the data model.
    fn result_of_builtin(&mut self, name: &str) -> Option<Ct> {
        match name.strip_prefix("__builtin_")? {
            "strlen" | "strnlen" | "strspn" | "strcspn" => Some(self.ctypes.size_t()),
            "bswap64" => Some(self.ctypes.uint64_t()),
            _ => None,
        }
    }

    /// A call that ends the program.
    pub(super) fn halt(&mut self, f: FuncId, args: &[ast::ExprId], span: Span) -> Result<Lowered> {
        for &a in args {
            let whole = self.whole_value(a)?;
            self.read_whole(&whole, span)?;
        }
        if names::ends_in_order(names::plain(&self.funcs[f].name)) {
            self.call_handlers(span)?;
        }
        self.check_exit(f, span)?;
        self.stop(Terminator::Halt, span);
        let result = self.function_type_of(f, span)?.result.ty;
        self.never(result, span)
    }

    /// The functions that `atexit` was given are called.
    fn call_handlers(&mut self, span: Span) -> Result<()> {
        let Some(model) = self.model_of(AT_EXIT).filter(|_| !self.is_unevaluated) else { return Ok(()) };
        if self.properties_wanted.leak || self.properties_wanted.cleanup {
            return unsupported(span, "'atexit' where memory must not be lost");
        }
        let none = self.no_handler(model, span);
        self.emit(InstrKind::Call(None, Callee::Direct(model), vec![none]), span)
    }

    /// What the model of `atexit` is called with at the end.
    pub(super) fn no_handler(&mut self, model: FuncId, span: Span) -> ExprId {
        let ty = self.vars[self.funcs[model].params[0]].ty;
        self.int(0, ty, span)
    }

    pub(super) fn function_type_of(&self, f: FuncId, span: Span) -> Result<Arc<FunctionType>> {
        match self.ctypes.function(self.cfuncs[f]) {
            Some(ty) => Ok(ty),
            None => issue(span, "a call of something that is not a function"),
        }
    }

    /// The model of a library function. Compilers have builtins of the same names.
    pub(super) fn model_of(&self, name: &str) -> Option<FuncId> {
        if names::refused(names::plain(name)).is_some() && !self.knows_sizes(names::plain(name)) {
            return None;
        }
        let names = [name, names::plain(name)];
        names.into_iter().find_map(|name| {
            match self.scopes[0].names.get(format!("{}{name}", super::builtin::MODEL).as_str()) {
                Some(Symbol::Func(model)) => Some(*model),
                _ => None,
            }
        })
    }

    /// The value of an expression that never returns.
    fn never(&mut self, ty: Ct, span: Span) -> Result<Lowered> {
        if self.ctypes.is_scalar(ty) {
            return self.arbitrary("never", ty, span);
        }
        if self.ctypes.is_void(ty) {
            return Ok(Lowered::Void);
        }
        let plain = self.hir(ty);
        let t = self.temp(plain, span);
        Ok(self.temporary(t, ty))
    }

    fn call_defined(&mut self, f: FuncId, args: &'a [ast::ExprId], span: Span) -> Result<Lowered> {
        let ty = self.function_type_of(f, span)?;
        let name = self.funcs[f].name.clone();
        let (wholes, rest) = self.arguments(&ty, args, Some(&name), span)?;
        let slots = self.slots_of(f);
        let mut values = Vec::with_capacity(wholes.len() + 1);
        let int = self.types.int();
        for (n, whole) in wholes.into_iter().enumerate() {
            values.push(match whole {
                Whole::Scalar(v) => v.e,
                Whole::Record(p, _) => {
                    let slot = match slots.params.get(n).copied().flatten() {
                        Some(slot) if self.same_record(self.vars[slot].ty, p.ty) => slot,
                        // Nothing is known about the parameters yet.
                        None if ty.params.is_none() => {
                            return unsupported(span, "a structure for a function without a prototype");
                        }
                        _ => {
                            return issue(
                                self.span(args[n]),
                                "a structure is passed to a parameter of another type",
                            );
                        }
                    };
                    self.emit(InstrKind::Copy(Place::var(slot, p.ty), p), span)?;
                    self.int(0, int, span)
                }
            });
        }
        values.extend(rest);
        let frames = self.enter_frame(f, span)?;
        let lowered = match slots.result {
            Some(slot) => {
                self.emit(InstrKind::Call(None, Callee::Direct(f), values), span)?;
                // A copy, since the next call overwrites the slot.
                let plain = self.hir(ty.result.ty);
                self.copied(Place::var(slot, plain), ty.result.ty, span)?
            }
            None => self.emit_call(ty.result.ty, Callee::Direct(f), values, span)?,
        };
        self.leave_frame(frames, span)?;
        Ok(lowered)
    }

    /// The values of arguments, before any of them is handed over, and the pointer to those that follow the parameters of
    /// a function with a variable number of them. The last one is evaluated first, as compilers for our machines do it.
    fn arguments(
        &mut self,
        ty: &FunctionType,
        args: &'a [ast::ExprId],
        name: Option<&str>,
        span: Span,
    ) -> Result<(Vec<Whole>, Option<ExprId>)> {
        let called = || name.map_or(String::new(), |n| format!(" of '{}'", modelled(n).unwrap_or(n)));
        let fixed = match &ty.params {
            Some(params) if args.len() < params.len() => {
                return issue(span, format!("a call{} with too few arguments", called()));
            }
            Some(params) if !ty.variadic && args.len() > params.len() => {
                return issue(span, format!("a call{} with too many arguments", called()));
            }
            Some(params) if ty.variadic => params.len(),
            _ => args.len(),
        };
        let mut wholes: Vec<Whole> = Vec::with_capacity(args.len());
        for (n, &a) in args.iter().enumerate().rev() {
            let at = self.span(a);
            let mark = self.mark();
            let whole = self.whole_value(a)?;
            let whole = match ty.params.as_ref().and_then(|p| p.get(n)) {
                Some(&q) => self.passed(whole, q, at)?,
                None => self.default_promoted(whole, at)?,
            };
            for later in &mut wholes {
                if let Whole::Scalar(v) = later {
                    v.e = self.as_of(mark, v.e, span);
                }
            }
            wholes.push(match whole {
                // The arguments that are evaluated after this one may change the original.
                Whole::Record(p, ty) if n > 0 => {
                    let lowered = self.copied(p, ty, span)?;
                    self.whole(lowered, span)?
                }
                whole => whole,
            });
        }
        wholes.reverse();
        let further = wholes.split_off(fixed);
        let rest = ty.variadic.then(|| self.rest(&further, span)).transpose()?;
        Ok((wholes, rest))
    }

    /// An argument for a parameter of a type.
    fn passed(&mut self, whole: Whole, q: Q, span: Span) -> Result<Whole> {
        if let CType::Record(r) = *self.ctypes.get(q.ty)
            && self.ctypes.records[r].is_transparent
            && let Whole::Scalar(_) = whole
        {
            let fields = self.ctypes.records[r].fields.clone();
            let Some(first) = fields.as_deref().and_then(|f| f.first()) else { return Ok(whole) };
            let plain = self.hir(q.ty);
            let t = self.temp(plain, span);
            self.emit(InstrKind::Fresh(t, None), span)?;
            let part = self.hir(first.ty.ty);
            let o = Object::new(Place { ty: part, ..Place::var(t, plain) }, Q::plain(first.ty.ty));
            self.store(&o, whole, "argument", span)?;
            return Ok(Whole::Record(Place::var(t, plain), q.ty));
        }
        self.assigned(whole, Q::plain(q.ty), "argument", span)
    }

    /// An argument for which there is no parameter.
    fn default_promoted(&mut self, whole: Whole, span: Span) -> Result<Whole> {
        let Whole::Scalar(v) = whole else { return Ok(whole) };
        let v = match self.ctypes.get(v.ty) {
            CType::Float(Floating::Float) => {
                let double = self.ctypes.double();
                self.converted(v, double, span)?
            }
            _ => self.promoted(v, span)?,
        };
        Ok(Whole::Scalar(v))
    }

    fn emit_call(&mut self, result: Ct, callee: Callee, args: Vec<ExprId>, span: Span) -> Result<Lowered> {
        if self.ctypes.is_void(result) {
            self.emit(InstrKind::Call(None, callee, args), span)?;
            return Ok(Lowered::Void);
        }
        self.refuse_wide(result, span)?;
        let plain = self.hir(result);
        let t = self.temp(plain, span);
        self.emit(InstrKind::Call(Some(Place::var(t, plain)), callee, args), span)?;
        Ok(self.temporary(t, result))
    }

    fn call_pointer(&mut self, pointer: Value, args: &'a [ast::ExprId], span: Span) -> Result<Lowered> {
        let target = self.ctypes.pointee(pointer.ty).map(|to| to.ty);
        let target = target.and_then(|to| self.ctypes.function(to).map(|ty| (to, ty)));
        let Some((to, ty)) = target else { return issue(span, "a call of something that is not a function") };
        let pointer = self.saved(pointer.e, span)?;
        let (wholes, rest) = self.arguments(&ty, args, None, span)?;
        self.check_not_null(pointer, span)?;
        let mut values = Vec::with_capacity(wholes.len() + 1);
        for (n, whole) in wholes.into_iter().enumerate() {
            values.push(match whole {
                Whole::Scalar(v) => v.e,
                Whole::Record(p, _) => {
                    let slot = self.shared_slot(p.ty, n);
                    let int = self.types.int();
                    self.emit(InstrKind::Copy(Place::var(slot, p.ty), p), span)?;
                    self.int(0, int, span)
                }
            });
        }
        values.extend(rest);
        let result = ty.result.ty;
        self.assume_that(
            "a function pointer that matches no function of its type calls one without effect".into(),
            span,
        );
        let message =
            format!("{UNSUPPORTED}a call of a function through a pointer to another kind of function");
        let misfit = self.properties.push(Property { name: message.clone(), span });
        self.unsupported.push((misfit, Issue { span, message }));
        let expected = Expected { ty: self.hir(to), misfit };
        let plain = self.hir(result);
        if self.ctypes.is_record(result) {
            let slot = self.shared_slot(plain, RESULT);
            let input = self.input("call through a pointer", plain, span);
            self.emit(InstrKind::Fresh(slot, Some(input)), span)?;
            self.emit(InstrKind::Call(None, Callee::Indirect(pointer, None, expected), values), span)?;
            return self.copied(Place::var(slot, plain), result, span);
        }
        let input = self.ctypes.is_scalar(result).then(|| self.input("call through a pointer", plain, span));
        self.emit_call(result, Callee::Indirect(pointer, input, expected), values, span)
    }

    /// Are two plain types the same structure or union, perhaps of different units?
    fn same_record(&mut self, a: TypeId, b: TypeId) -> bool {
        a == b || {
            let (a, b) = (self.of_plain(a), self.of_plain(b));
            self.ctypes.alike(a, b)
        }
    }

    /// The slot that calls through pointers use for a record, if there is one already.
    fn known_slot(&mut self, ty: TypeId, n: usize) -> Option<VarId> {
        if let Some(&v) = self.shared_slots.get(&(ty, n)) {
            return Some(v);
        }
        let others: Vec<(TypeId, VarId)> =
            self.shared_slots.iter().filter(|((_, m), _)| *m == n).map(|((t, _), v)| (*t, *v)).collect();
        // Whichever of them is found: they were one slot if they are the same type.
        let found = others.into_iter().filter(|(t, _)| self.same_record(*t, ty)).map(|o| o.1).min()?;
        self.shared_slots.insert((ty, n), found);
        Some(found)
    }

    /// The slot that calls through pointers use for a record.
    fn shared_slot(&mut self, ty: TypeId, n: usize) -> VarId {
        if let Some(v) = self.known_slot(ty, n) {
            return v;
        }
        let name = if n == RESULT { "any::result".into() } else { format!("any::argument{n}") };
        let v = self.new_var(&name, ty, Storage::Static, Span::default());
        self.vars[v].is_slot = true;
        self.shared_slots.insert((ty, n), v);
        v
    }

    /// Functions that can be called through pointers take their records from the slots that such calls use.
    pub(super) fn share_slots(&mut self) {
        let mut renamed: FxHashMap<VarId, VarId> = FxHashMap::default();
        for f in self.funcs.ids() {
            if !self.funcs[f].address_taken {
                continue;
            }
            let slots = self.slots_of(f);
            let params = slots.params.iter().enumerate().filter_map(|(n, s)| s.map(|s| (n, s)));
            for (n, slot) in params.chain(slots.result.map(|s| (RESULT, s))) {
                if let Some(shared) = self.known_slot(self.vars[slot].ty, n) {
                    renamed.insert(slot, shared);
                }
            }
        }
        if renamed.is_empty() {
            return;
        }
        let rename = |p: &mut Place| {
            if let crate::c::hir::Base::Var(v) = &mut p.base
                && let Some(&shared) = renamed.get(v)
            {
                *v = shared;
            }
        };
        for f in self.funcs.ids() {
            let blocks = self.funcs[f].blocks.iter_mut();
            for i in blocks.flat_map(|b| &mut b.instrs) {
                if let InstrKind::Copy(a, b) = &mut i.kind {
                    rename(a);
                    rename(b);
                }
            }
        }
    }

    /// A function that nobody defined returns anything and does nothing else.
    fn call_unknown(
        &mut self,
        name: &str,
        f: FuncId,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Lowered> {
        if name.starts_with("__builtin_") {
            return unsupported(span, format_args!("'{name}'"));
        }
        let ty = self.function_type_of(f, span)?;
        if let Some(params) = &ty.params
            && (args.len() < params.len() || (args.len() > params.len() && !ty.variadic))
        {
            let what = if args.len() < params.len() { "few" } else { "many" };
            return issue(span, format!("a call of '{name}' with too {what} arguments"));
        }
        let mut has_pointer = false;
        let mut known = Vec::new();
        for (n, &a) in args.iter().enumerate().rev() {
            let whole = self.whole_value(a)?;
            if let Whole::Record(..) = whole {
                self.read_whole(&whole, span)?;
            }
            if let Some(&q) = ty.params.as_ref().and_then(|p| p.get(n)) {
                let at = self.span(a);
                self.passed(whole.clone(), q, at)?;
            }
            match whole {
                Whole::Scalar(v) => {
                    has_pointer |= self.ctypes.is_pointer(v.ty);
                    known.push(v.e);
                }
                Whole::Record(place, _) => known.push(self.address(place, span)),
            }
        }
        self.emit(InstrKind::Escape(known), span)?;
        let result = ty.result.ty;
        if let Some(name) = name.strip_prefix(FROM_OUTSIDE) {
            return self.arbitrary_result(name, f, result, span);
        }
        if !name.starts_with("__VERIFIER_nondet") {
            let on_what = if has_pointer { ", not even on what its arguments point to" } else { "" };
            self.assume_that(
                format!("the undefined function '{name}' returns any value and has no other effect{on_what}"),
                span,
            );
            self.may_fail(span)?;
        }
        if self.ctypes.is_pointer(result) {
            self.assume_that(
                format!(
                    "a pointer that '{name}' returns leads to an object of the program only if the address of the object was \
                     handed out or is compared with such a pointer"
                ),
                span,
            );
        }
        match self.ctypes.is_void(result) {
            true => Ok(Lowered::Void),
            false => self.arbitrary_result(name, f, result, span),
        }
    }

    /// The result of a function of which nothing, or only the range, is known.
    fn arbitrary_result(&mut self, name: &str, f: FuncId, ty: Ct, span: Span) -> Result<Lowered> {
        let next = self.inputs.next_id();
        let result = self.arbitrary(name, ty, span)?;
        if names::is_computed(names::plain(name)) {
            self.inputs[next].is_computed = true;
        }
        self.limit_outcome(names::plain(name), f, None, result, span)
    }

    /// Makes the arguments of calls match the parameters, once all definitions are known.
    pub(super) fn match_arguments(&mut self) -> Result<()> {
        for f in self.funcs.ids() {
            for b in self.funcs[f].blocks.ids() {
                for n in 0..self.funcs[f].blocks[b].instrs.len() {
                    let instr = &self.funcs[f].blocks[b].instrs[n];
                    let InstrKind::Call(_, Callee::Direct(callee), args) = &instr.kind else { continue };
                    let (callee, args, span) = (*callee, args.clone(), instr.span);
                    match self.matched(callee, &args, span) {
                        Ok(args) => {
                            if let InstrKind::Call(_, _, old) = &mut self.funcs[f].blocks[b].instrs[n].kind {
                                *old = args;
                            }
                        }
                        Err(e) if e.message.starts_with(super::UNSUPPORTED) => {
                            let property = Property { name: e.message.clone(), span };
                            let property = self.properties.push(property);
                            self.unsupported.push((property, e));
                            let block = &mut self.funcs[f].blocks[b];
                            block.instrs.truncate(n);
                            block.end = Terminator::Error(property);
                            break;
                        }
                        Err(e) => return Err(e),
                    }
                }
            }
        }
        Ok(())
    }

    fn matched(&mut self, callee: FuncId, args: &[ExprId], span: Span) -> Result<Vec<ExprId>> {
        let params = self.funcs[callee].params.clone();
        let int = self.types.int();
        let mut out = Vec::with_capacity(params.len());
        for (n, p) in params.into_iter().enumerate() {
            let ty = self.vars[p].ty;
            out.push(match args.get(n) {
                _ if !self.types.is_scalar(ty) => self.int(0, int, span),
                Some(&e)
                    if matches!(self.types.get(self.ty(e)), Type::Float(_)) != self.types.is_float(ty) =>
                {
                    // Undefined in C: whatever the caller left there.
                    let what =
                        "an argument of another kind than the parameter of a function without a prototype";
                    return unsupported(span, what);
                }
                Some(&e) => self.convert(e, ty, span)?,
                None => {
                    return unsupported(span, "a call with fewer arguments than the function has parameters");
                }
            });
        }
        Ok(out)
    }
}
