//! Calls: functions of the program, functions that mean something to a verifier, and functions nobody defined.

use super::expr::Lowered;
use super::{Lower, Result, Symbol, issue, names, span_of, unsupported};
use crate::c::hir::{Callee, Expr, ExprId, FuncId, InstrKind, Operand, Place, Terminator};
use crate::c::types::{Signature, Type, TypeId};
use bolide_model::Span;
use lang_c::ast;
use lang_c::span::Node;

/// Library functions written in C, read along with the task.
pub(super) const MODELS: &str = include_str!("models.c");
/// The prefix of their names.
const MODEL: &str = "__bolide_model_";
/// The prefix of the functions that give them values from outside.
const FROM_OUTSIDE: &str = "__bolide_from_";
/// The signals that end a program that does not handle them: hang-up, interrupt, quit, illegal instruction, abort,
/// arithmetic error, kill, bad address, broken pipe, alarm and termination.
const DEADLY: [i128; 11] = [1, 2, 3, 4, 6, 8, 9, 11, 13, 14, 15];

/// The library function that a function is the model of.
pub(super) fn modelled(name: &str) -> Option<&str> {
    name.strip_prefix(MODEL)
}

impl Lower<'_> {
    pub(super) fn call(&mut self, c: &ast::CallExpression, span: Span) -> Result<Lowered> {
        if let ast::Expression::Identifier(i) = &c.callee.node
            && let Some(constant) = self.math_constant(&i.node.name, span)
        {
            return Ok(constant);
        }
        self.in_function(span)?;
        if let ast::Expression::Identifier(i) = &c.callee.node
            && self.find(&i.node.name).is_none()
        {
            // An implicit declaration, as in old C.
            let int = self.types.int();
            let ty =
                self.types.intern(Type::Function(Signature { result: int, params: None, variadic: false }));
            self.declare_function(&i.node.name, ty, span);
        }
        let lowered = match self.lower(&c.callee)? {
            Lowered::Function(f) => self.call_function(f, &c.arguments, span)?,
            lowered => {
                let operand = self.value_of(lowered, span)?;
                let pointer = self.scalar(operand, span)?;
                match self.exprs[pointer].expr {
                    Expr::Func(f) => self.call_function(f, &c.arguments, span)?,
                    _ => self.call_pointer(pointer, &c.arguments, span)?,
                }
            }
        };
        let is_about_lists = matches!(&c.callee.node, ast::Expression::Identifier(i)
            if i.node.name.trim_start_matches("__builtin_").starts_with("va_"));
        if !is_about_lists {
            self.pass_lists(&c.arguments);
        }
        Ok(lowered)
    }

    fn call_function(&mut self, f: FuncId, args: &[Node<ast::Expression>], span: Span) -> Result<Lowered> {
        let name = self.funcs[f].name.clone();
        let is_defined = self.defined.contains(&name);
        if self.properties_wanted.errors && names::is_error(&name, args.len(), is_defined) {
            for a in args {
                self.effect(a)?;
            }
            let property = self.property(&format!("call of {name}"), span);
            self.stop(Terminator::Error(property), span);
            let ty = self.signature_of(f, span)?.result;
            return self.never(ty, span);
        }
        if is_defined {
            return self.call_defined(f, args, span);
        }
        if let Some(model) = self.model_of(&name) {
            let result = self.call_defined(model, args, span)?;
            if names::is_reader(names::plain(&name)) {
                self.may_fail(span)?;
            }
            return Ok(result);
        }
        if let Some(lowered) = self.math_call(&name, f, args, span)? {
            return Ok(lowered);
        }
        if let Some(lowered) = self.known(&name, f, args, span)? {
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
        if self.endless.contains(&name) || names::ends(names::plain(&name)) {
            return self.halt(f, args, span);
        }
        self.call_unknown(&name, f, args, span)
    }

    /// A call that ends the program.
    fn halt(&mut self, f: FuncId, args: &[Node<ast::Expression>], span: Span) -> Result<Lowered> {
        for a in args {
            self.effect(a)?;
        }
        self.stop(Terminator::Halt, span);
        let result = self.signature_of(f, span)?.result;
        self.never(result, span)
    }

    pub(super) fn signature_of(&self, f: FuncId, span: Span) -> Result<Signature> {
        match self.types.get(self.funcs[f].ty) {
            Type::Function(s) => Ok(s.clone()),
            _ => issue(span, "a call of something that is not a function"),
        }
    }

    /// The model of a library function. Compilers have builtins of the same names.
    pub(super) fn model_of(&self, name: &str) -> Option<FuncId> {
        let names = [name, names::plain(name)];
        names.into_iter().find_map(|name| match self.scopes[0].names.get(&format!("{MODEL}{name}")) {
            Some(Symbol::Func(model)) => Some(*model),
            _ => None,
        })
    }

    /// The value of an expression that never returns.
    fn never(&mut self, ty: TypeId, span: Span) -> Result<Lowered> {
        if self.types.is_scalar(ty) {
            let t = self.temp(ty, span);
            let input = self.input("never", ty, span);
            self.emit(InstrKind::Input(Place::var(t, ty), input), span)?;
            return Ok(Lowered::Place(Place::var(t, ty)));
        }
        Ok(Lowered::Void)
    }

    fn call_defined(&mut self, f: FuncId, args: &[Node<ast::Expression>], span: Span) -> Result<Lowered> {
        let signature = self.signature_of(f, span)?;
        let slots = self.slots_of(f);
        let (operands, rest) = self.arguments(&signature, args, span)?;
        let mut values = Vec::with_capacity(operands.len() + 1);
        for (n, operand) in operands.into_iter().enumerate() {
            values.push(match operand {
                Operand::Scalar(e) => e,
                Operand::Record(p) => {
                    let Some(slot) = slots.params.get(n).copied().flatten() else {
                        return issue(
                            span_of(&args[n]),
                            "a structure is passed to a parameter of another type",
                        );
                    };
                    let ty = self.vars[slot].ty;
                    self.assign(Place::var(slot, ty), Operand::Record(p), span)?;
                    let int = self.types.int();
                    self.int(0, int, span)
                }
            });
        }
        values.extend(rest);
        let result = signature.result;
        if let Some(slot) = slots.result {
            self.emit(InstrKind::Call(None, Callee::Direct(f), values), span)?;
            // A copy, since the next call overwrites the slot.
            let t = self.temp(result, span);
            self.emit(InstrKind::Copy(Place::var(t, result), Place::var(slot, result)), span)?;
            return Ok(Lowered::Place(Place::var(t, result)));
        }
        self.emit_call(result, Callee::Direct(f), values, span)
    }

    /// The values of arguments, before any of them is handed over, and the pointer to those that follow the parameters of
    /// a function with a variable number of them.
    fn arguments(
        &mut self,
        signature: &Signature,
        args: &[Node<ast::Expression>],
        span: Span,
    ) -> Result<(Vec<Operand>, Option<ExprId>)> {
        let fixed = match (&signature.params, signature.variadic) {
            (Some(params), true) if args.len() < params.len() => {
                return issue(span, "a call with too few arguments");
            }
            (Some(params), true) => params.len(),
            _ => args.len(),
        };
        let mut operands = Vec::with_capacity(args.len());
        for (n, a) in args.iter().enumerate() {
            let param = signature.params.as_ref().and_then(|p| p.get(n)).copied();
            operands.push(match self.value(a)? {
                Operand::Scalar(e) => Operand::Scalar(self.argument(e, param, span_of(a))?),
                // The arguments that follow may change the original.
                Operand::Record(p) if n + 1 < args.len() => {
                    let t = self.temp(p.ty, span);
                    let copy = Place::var(t, p.ty);
                    self.emit(InstrKind::Fresh(t, None), span)?;
                    self.assign(copy.clone(), Operand::Record(p), span)?;
                    Operand::Record(copy)
                }
                operand => operand,
            });
        }
        let further = operands.split_off(fixed);
        let rest = signature.variadic.then(|| self.rest(&further, span)).transpose()?;
        Ok((operands, rest))
    }

    /// An argument converted to the type of its parameter, or promoted where that is not known.
    fn argument(&mut self, e: ExprId, param: Option<TypeId>, span: Span) -> Result<ExprId> {
        match param {
            Some(ty) if self.types.is_scalar(ty) => self.convert(e, ty, span),
            Some(_) => issue(span, "a scalar is passed to a parameter of another type"),
            None => match self.types.get(self.ty(e)) {
                Type::Float(4) => {
                    let double = self.types.intern(Type::Float(8));
                    self.convert(e, double, span)
                }
                _ => self.promoted(e, span),
            },
        }
    }

    fn emit_call(
        &mut self,
        result: TypeId,
        callee: Callee,
        args: Vec<ExprId>,
        span: Span,
    ) -> Result<Lowered> {
        if matches!(self.types.get(result), Type::Void) {
            self.emit(InstrKind::Call(None, callee, args), span)?;
            return Ok(Lowered::Void);
        }
        if !self.types.is_scalar(result) {
            return unsupported(span, "a call through a pointer that returns a structure");
        }
        let t = self.temp(result, span);
        let place = Place::var(t, result);
        self.emit(InstrKind::Call(Some(place.clone()), callee, args), span)?;
        Ok(Lowered::Place(place))
    }

    fn call_pointer(
        &mut self,
        pointer: ExprId,
        args: &[Node<ast::Expression>],
        span: Span,
    ) -> Result<Lowered> {
        let target = self.types.pointee(self.ty(pointer)).map(|t| self.types.get(t).clone());
        let Some(Type::Function(signature)) = target else {
            return issue(span, "a call of something that is not a function");
        };
        let pointer = self.saved(pointer, span)?;
        let (operands, rest) = self.arguments(&signature, args, span)?;
        let mut values = Vec::with_capacity(operands.len() + 1);
        for (operand, a) in operands.into_iter().zip(args) {
            match operand {
                Operand::Scalar(e) => values.push(e),
                Operand::Record(_) => {
                    return unsupported(span_of(a), "a structure passed through a function pointer");
                }
            }
        }
        values.extend(rest);
        let input = self
            .types
            .is_scalar(signature.result)
            .then(|| self.input("call through a pointer", signature.result, span));
        self.assume_that(
            "a function pointer that matches no function of its type calls one without effect".into(),
            span,
        );
        self.emit_call(signature.result, Callee::Indirect(pointer, input), values, span)
    }

    /// A function that nobody defined returns anything and does nothing else.
    fn call_unknown(
        &mut self,
        name: &str,
        f: FuncId,
        args: &[Node<ast::Expression>],
        span: Span,
    ) -> Result<Lowered> {
        if name.starts_with("__builtin_") {
            return unsupported(span, format_args!("'{name}'"));
        }
        let mut known = Vec::new();
        for a in args {
            if let Operand::Scalar(e) = self.value(a)?
                && self.types.pointee(self.ty(e)).is_some()
            {
                known.push(e);
            }
        }
        let has_pointer = !known.is_empty();
        if has_pointer {
            self.emit(InstrKind::Escape(known), span)?;
        }
        let result = self.signature_of(f, span)?.result;
        if let Some(name) = name.strip_prefix(FROM_OUTSIDE) {
            return self.arbitrary(name, result, span);
        }
        if !name.starts_with("__VERIFIER_nondet") {
            let on_what = if has_pointer { ", not even on what its arguments point to" } else { "" };
            self.assume_that(
                format!("the undefined function '{name}' returns any value and has no other effect{on_what}"),
                span,
            );
            self.may_fail(span)?;
        }
        match self.types.get(result) {
            Type::Void => Ok(Lowered::Void),
            _ => self.arbitrary(name, result, span),
        }
    }

    /// Functions that mean something to a verifier or to the memory model.
    fn known(
        &mut self,
        name: &str,
        f: FuncId,
        args: &[Node<ast::Expression>],
        span: Span,
    ) -> Result<Option<Lowered>> {
        if let Some(builtin) = name.strip_prefix("__builtin_")
            && let Some(lowered) = self.known_to_compilers(builtin, args, span)?
        {
            return Ok(Some(lowered));
        }
        Ok(Some(match (names::plain(name), args) {
            ("__VERIFIER_assume" | "assume", [c]) => {
                let c = self.scalar_value(c)?;
                let c = self.truth(c, span)?;
                self.emit(InstrKind::Assume(c), span)?;
                Lowered::Void
            }
            ("__VERIFIER_assert" | "assert", [c]) if self.properties_wanted.errors => {
                let c = self.scalar_value(c)?;
                let c = self.truth(c, span)?;
                self.check(c, "assertion", span)?;
                Lowered::Void
            }
            ("raise", [number]) => {
                let number = self.scalar_value(number)?;
                if !self.int_value(number).is_some_and(|n| DEADLY.contains(&n)) {
                    return unsupported(span, "'raise' of a signal that may be ignored");
                }
                return self.halt(f, &[], span).map(Some);
            }
            ("div" | "ldiv" | "lldiv", [a, b]) => self.divide(f, a, b, span)?,
            ("malloc" | "alloca" | "kmalloc" | "xmalloc" | "valloc", [size, ..]) => {
                self.allocate(size, None, f, span)?
            }
            ("calloc" | "kcalloc", [count, size, ..]) => self.allocate(size, Some(count), f, span)?,
            ("kzalloc", [size, ..]) => {
                let one = Node::new(ast::Expression::SizeOfTy(Box::new(char_size(size.span))), size.span);
                self.allocate(size, Some(&one), f, span)?
            }
            ("free" | "kfree" | "cfree", [p]) => {
                self.effect(p)?;
                Lowered::Void
            }
            ("memset", [p, v, n, ..]) => {
                let (p, v, n) = (self.scalar_value(p)?, self.scalar_value(v)?, self.length(n)?);
                let p = self.saved(p, span)?;
                self.emit(InstrKind::Fill(p, v, n), span)?;
                Lowered::Scalar(p)
            }
            ("bzero", [p, n]) => {
                let (p, n) = (self.scalar_value(p)?, self.length(n)?);
                let int = self.types.int();
                let zero = self.int(0, int, span);
                self.emit(InstrKind::Fill(p, zero, n), span)?;
                Lowered::Void
            }
            ("memcpy" | "memmove", [d, s, n, ..]) => {
                let (d, s, n) = (self.scalar_value(d)?, self.scalar_value(s)?, self.length(n)?);
                let d = self.saved(d, span)?;
                self.emit(InstrKind::Move(d, s, n), span)?;
                Lowered::Scalar(d)
            }
            ("mempcpy", [d, s, n, ..]) => {
                let (d, s, n) = (self.scalar_value(d)?, self.scalar_value(s)?, self.length(n)?);
                let (d, n) = (self.saved(d, span)?, self.saved(n, span)?);
                self.emit(InstrKind::Move(d, s, n), span)?;
                let void = self.types.void();
                let ty = self.types.pointer(void);
                let d = self.convert(d, ty, span)?;
                Lowered::Scalar(self.make(Expr::PtrAdd(d, n, 1), ty, span))
            }
            ("va_start", [list, ..]) => self.start_list(list, span)?,
            ("va_copy", [to, from]) => self.copy_list(to, from, span)?,
            ("va_end", _) => Lowered::Void,
            _ => return Ok(None),
        }))
    }

    /// Functions that exist in compilers only, by their names without the prefix.
    fn known_to_compilers(
        &mut self,
        name: &str,
        args: &[Node<ast::Expression>],
        span: Span,
    ) -> Result<Option<Lowered>> {
        Ok(Some(match (name, args) {
            ("trap" | "unreachable", []) => {
                self.stop(Terminator::Halt, span);
                Lowered::Void
            }
            ("expect" | "expect_with_probability", [value, hints @ ..]) => {
                let long = self.types.int_of(4, true);
                let e = self.scalar_value(value)?;
                let mut e = self.convert(e, long, span)?;
                if hints.iter().any(|h| !matches!(h.node, ast::Expression::Constant(_))) {
                    e = self.saved(e, span)?;
                    hints.iter().try_for_each(|h| self.effect(h))?;
                }
                Lowered::Scalar(e)
            }
            ("constant_p", [e]) => self.is_constant(e, span)?,
            ("prefetch", _) => {
                args.iter().try_for_each(|a| self.effect(a))?;
                Lowered::Void
            }
            _ => return Ok(None),
        }))
    }

    fn length(&mut self, n: &Node<ast::Expression>) -> Result<ExprId> {
        let e = self.scalar_value(n)?;
        let size_t = self.types.size_t();
        self.convert(e, size_t, span_of(n))
    }

    /// A new object; zeroed if there is a count.
    fn allocate(
        &mut self,
        size: &Node<ast::Expression>,
        count: Option<&Node<ast::Expression>>,
        f: FuncId,
        span: Span,
    ) -> Result<Lowered> {
        let mut bytes = self.length(size)?;
        let mut size_known = self.int_value(bytes);
        if let Some(count) = count {
            let count = self.length(count)?;
            size_known =
                size_known.zip(self.int_value(count)).map(|(size, count)| size.saturating_mul(count));
            bytes = self.binary(&ast::BinaryOperator::Multiply, bytes, count, span)?;
        }
        let most = 1 << (8 * self.types.pointer_size() - 1);
        if size_known.is_some_and(|n| n >= most) {
            return unsupported(span, "an object that is larger than the memory");
        }
        let declared = self.signature_of(f, span)?.result;
        let ty = if self.types.pointee(declared).is_some() {
            declared
        } else {
            let void = self.types.void();
            self.types.pointer(void)
        };
        self.assume_that("allocation of memory does not fail".into(), span);
        let t = self.temp(ty, span);
        self.emit(InstrKind::Alloc(Place::var(t, ty), bytes, count.is_some()), span)?;
        Ok(Lowered::Place(Place::var(t, ty)))
    }

    /// Makes the arguments of calls match the parameters, once all definitions are known.
    pub(super) fn match_arguments(&mut self) -> Result<()> {
        for f in self.funcs.ids() {
            for b in self.funcs[f].blocks.ids() {
                for n in 0..self.funcs[f].blocks[b].instrs.len() {
                    let instr = &self.funcs[f].blocks[b].instrs[n];
                    if let InstrKind::Call(_, Callee::Direct(callee), args) = &instr.kind {
                        let (callee, args, span) = (*callee, args.clone(), instr.span);
                        let args = self.matched(callee, &args, span)?;
                        if let InstrKind::Call(_, _, old) = &mut self.funcs[f].blocks[b].instrs[n].kind {
                            *old = args;
                        }
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
                Some(&e) => self.convert(e, ty, span)?,
                None => return issue(span, "a call with too few arguments"),
            });
        }
        Ok(out)
    }
}

fn char_size(span: lang_c::span::Span) -> Node<ast::SizeOfTy> {
    let char = Node::new(ast::TypeSpecifier::Char, span);
    let specifiers = vec![Node::new(ast::SpecifierQualifier::TypeSpecifier(char), span)];
    Node::new(ast::SizeOfTy(Node::new(ast::TypeName { specifiers, declarator: None }, span)), span)
}
