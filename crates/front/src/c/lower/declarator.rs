//! Declarators: what a name is, from its base type outwards; lengths that are computed.

use super::ctype::{CType, FunctionType, Length, MAX_LEVELS, PLAIN, Q};
use super::object::Value;
use super::{Lower, Result, Scope, Symbol, issue};
use crate::c::hir::{CmpOp, Expr, Storage};
use crate::c::syntax::ast::{
    ArrayDeclarator, ArrayLength, Declaration, Declarator, Derived, FunctionDeclarator, Name, Parameter,
    Parameters,
};
use bolide_model::Span;
use std::sync::Arc;

/// Where a declarator stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Of a variable or typedef in a block: lengths may be computed.
    Block,
    /// At file scope, or a member: all lengths are constant.
    Constant,
    /// A parameter of a prototype: nothing is evaluated.
    Prototype,
    /// A parameter of a function that has a body: evaluated when it is called.
    Parameter,
    /// A type name.
    Name,
}

impl<'a> Lower<'a> {
    /// The type that a declarator makes of a base type.
    pub(super) fn declared(&mut self, base: Q, d: &'a Declarator, context: Context) -> Result<Q> {
        self.refuse_attributes(&d.attributes)?;
        let mut q = base;
        for (n, layer) in d.derived.iter().enumerate().rev() {
            q = match layer {
                Derived::Pointer(quals, attributes) => {
                    self.refuse_attributes(attributes)?;
                    let align = self.asked_align(attributes, &[])?.map(|align| align as u32);
                    Q { ty: self.ctypes.pointer(q), quals: *quals, align }
                }
                Derived::Array(a) => {
                    // The length of a parameter itself is nothing but evaluated.
                    let is_parameter = n == 0 && matches!(context, Context::Parameter | Context::Prototype);
                    self.array(q, a, context, is_parameter)?
                }
                Derived::Function(f) => self.function_type(q, f)?,
            };
            if self.ctypes.is_deep(q.ty) {
                let message = format!("the type is nested too deeply (more than {MAX_LEVELS} levels)");
                return issue(d.span, message);
            }
        }
        Ok(q)
    }

    fn array(&mut self, of: Q, a: &'a ArrayDeclarator, context: Context, is_parameter: bool) -> Result<Q> {
        match self.ctypes.get(of.ty) {
            CType::Function(_) => return issue(a.span, "an array of functions"),
            CType::Void => return issue(a.span, "an array of void"),
            _ if self.ctypes.is_incomplete(of.ty) => {
                let name = self.ctypes.name(of);
                return issue(a.span, format!("an array of elements of the incomplete type '{name}'"));
            }
            _ => {}
        }
        if let (Some(align), Some(size)) = (of.align, self.ctypes.size_of(of.ty))
            && u64::from(align) > size
            && size > 0
        {
            return issue(a.span, "the alignment of the elements of an array is greater than their size");
        }
        let length = match a.length {
            ArrayLength::None => Length::Unknown,
            ArrayLength::Star => Length::Star,
            ArrayLength::Expr(e) => self.length_of(e, context, is_parameter)?,
        };
        if let (Length::Known(n), Some(size)) = (length, self.ctypes.size_of(of.ty))
            && n.checked_mul(size).is_none_or(|bytes| bytes >= 1 << (8 * self.ctypes.pointer_size() - 1))
        {
            return issue(a.span, "the array is too large");
        }
        let ty = self.ctypes.intern(CType::Array(Q { align: None, ..of }, length));
        Ok(Q { ty, quals: PLAIN, align: of.align })
    }

    fn length_of(
        &mut self,
        e: crate::c::syntax::ast::ExprId,
        context: Context,
        is_parameter: bool,
    ) -> Result<Length> {
        let span = self.span(e);
        let is_evaluated =
            self.body.is_some() && matches!(context, Context::Block | Context::Parameter | Context::Name);
        if is_evaluated && is_parameter && context == Context::Parameter {
            // Compilers evaluate it after all lengths that matter for types.
            self.parameter_lengths.push(e);
            return Ok(Length::Unknown);
        }
        let value = if is_evaluated && !self.is_unevaluated {
            self.value(e)?
        } else {
            let wanted = std::mem::replace(&mut self.wants_constant, true);
            let value = self.unevaluated_value(e);
            self.wants_constant = wanted;
            match value {
                // What is computed is computed where the function is called.
                Err(_) if context == Context::Prototype && is_parameter => return Ok(Length::Unknown),
                Err(_) if context == Context::Prototype => return Ok(Length::Star),
                value => value?,
            }
        };
        if self.ctypes.as_int(value.ty).is_none() {
            return issue(span, "the length of an array is not an integer");
        }
        match self.int_value(value.e) {
            Some(n) if n < 0 && is_parameter => Ok(Length::Unknown),
            Some(n) if n < 0 => issue(span, "the length of the array is negative"),
            Some(n) => match u64::try_from(n) {
                Ok(n) => Ok(Length::Known(n)),
                Err(_) => issue(span, "the array is too large"),
            },
            None if is_parameter => Ok(Length::Unknown),
            None if context == Context::Prototype => Ok(Length::Star),
            None if self.body.is_none() || context == Context::Constant => {
                issue(span, "the length of the array is not constant")
            }
            None => {
                self.check_length(value, span)?;
                let size_t = self.ctypes.size_t();
                let n = self.converted(value, size_t, span)?;
                let n = if self.is_unevaluated { n.e } else { self.saved(n.e, span)? };
                Ok(Length::Variable(self.ctypes.lengths.push(n)))
            }
        }
    }

    /// Checks, if asked to, that a computed length is positive, as C wants it.
    fn check_length(&mut self, length: Value, span: Span) -> Result<()> {
        if !self.properties_wanted.bounds || self.is_unevaluated {
            return Ok(());
        }
        let zero = self.int(0, self.ty(length.e), span);
        let int = self.types.int();
        let is_positive = self.make(Expr::Compare(CmpOp::Lt, zero, length.e), int, span);
        self.check(is_positive, "array of non-positive length", span)
    }

    fn function_type(&mut self, result: Q, f: &'a FunctionDeclarator) -> Result<Q> {
        match self.ctypes.get(result.ty) {
            CType::Function(_) => return issue(f.span, "a function that returns a function"),
            CType::Array(..) => return issue(f.span, "a function that returns an array"),
            _ => {}
        }
        let result = Q { align: None, ..result };
        let (params, variadic) = match &f.parameters {
            Parameters::Unspecified | Parameters::Identifiers(_) => (None, false),
            Parameters::Prototype(list, variadic) => {
                self.scopes.push(Scope::default());
                let params = self.prototype(list);
                self.scopes.pop();
                (Some(params?), *variadic)
            }
        };
        let ty = FunctionType { result, params, variadic };
        Ok(Q::plain(self.ctypes.intern(CType::Function(Arc::new(ty)))))
    }

    /// The types of the parameters of a prototype. Later ones may mention earlier ones.
    fn prototype(&mut self, list: &'a [Parameter]) -> Result<Vec<Q>> {
        let mut params = Vec::with_capacity(list.len());
        for p in list {
            let q = self.parameter(p, Context::Prototype)?;
            if let Some(ident) = &p.declarator.ident {
                let plain = self.hir(q.ty);
                let v = self.new_var(&ident.name, plain, Storage::Static, ident.span);
                self.cvars[v] = q;
                self.bind(&ident.name, Symbol::Var(v));
            }
            params.push(q);
        }
        Ok(params)
    }

    /// The type of a parameter; arrays and functions become pointers.
    pub(super) fn parameter(&mut self, p: &'a Parameter, context: Context) -> Result<Q> {
        let base = self.specified(&p.specifiers)?;
        let q = self.declared(base, &p.declarator, context)?;
        let mut q = self.in_mode(q, &p.declarator.attributes)?;
        if let Some(Derived::Array(a)) = p.declarator.derived.first() {
            q = self.adjusted(q).with(a.qualifiers);
        } else {
            q = self.adjusted(q);
        }
        if self.ctypes.is_void(q.ty) {
            return issue(p.specifiers.span, "a parameter of type void");
        }
        Ok(q)
    }

    /// The type of a parameter as a function sees it.
    pub(super) fn adjusted(&mut self, q: Q) -> Q {
        match self.ctypes.get(q.ty).clone() {
            CType::Array(of, _) => Q::plain(self.ctypes.pointer(of)),
            CType::Function(_) => Q::plain(self.ctypes.pointer(q)),
            _ => q,
        }
    }

    /// Types of the parameters of a definition in old style.
    pub(super) fn old_style(
        &mut self,
        names: &'a [crate::c::syntax::ast::Ident],
        declarations: &'a [Declaration],
    ) -> Result<Vec<(Name, Q, Span)>> {
        let mut declared: Vec<(Name, Q)> = Vec::new();
        for d in declarations {
            let base = self.specified(&d.specifiers)?;
            for item in &d.declarators {
                let q = self.declared(base, &item.declarator, Context::Parameter)?;
                let q = self.adjusted(q);
                if let Some(ident) = &item.declarator.ident {
                    if !names.iter().any(|n| n.name == ident.name) {
                        return issue(ident.span, format!("'{}' is not a parameter", ident.name));
                    }
                    declared.push((ident.name.clone(), q));
                }
            }
        }
        let int = Q::plain(self.ctypes.int());
        let find = |name: &Name| declared.iter().find(|d| d.0 == *name).map_or(int, |d| d.1);
        Ok(names.iter().map(|n| (n.name.clone(), find(&n.name), n.span)).collect())
    }

    /// The type of an object is complete, or the message that it is not.
    pub(super) fn require_complete(&mut self, q: Q, span: Span) -> Result<()> {
        if self.ctypes.is_incomplete(q.ty) {
            let name = self.ctypes.name(q);
            return issue(span, format!("the type '{name}' is incomplete"));
        }
        Ok(())
    }
}
