//! Definitions of functions.

use super::ctype::{CType, FunctionType, Q};
use super::declarator::Context;
use super::{Body, Lower, Name, Result, Slots, Symbol, attribute, issue};
use crate::c::hir::{FuncId, InstrKind, Place, Storage, Terminator, VarId};
use crate::c::syntax::ast::{Derived, FunctionDefinition, Parameters};
use crate::c::types::{Type, TypeId};
use bolide_base::Id;
use bolide_model::Span;
use std::sync::Arc;

impl<'a> Lower<'a> {
    pub(super) fn function(&mut self, f: &'a FunctionDefinition) -> Result<()> {
        let span = f.declarator.span;
        let base = self.specified(&f.specifiers)?;
        let q = self.declared(base, &f.declarator, Context::Constant)?;
        let Some(ident) = &f.declarator.ident else { return issue(span, "a function without a name") };
        if self.ctypes.function(q.ty).is_none() {
            return issue(span, "a body for something that is not a function");
        }
        if f.specifiers.is_noreturn || attribute::has(&f.specifiers.attributes, "noreturn") {
            self.endless.insert(ident.name.clone());
        }
        let id = self.declare_function(&ident.name, q.ty, ident.span)?;
        if !self.counts(id, &ident.name, f)? {
            return Ok(());
        }
        self.set_function_type(id, q.ty);
        self.note_constructor(id, &f.specifiers.attributes)?;
        self.note_constructor(id, &f.declarator.attributes)?;
        self.define(id, f)
    }

    /// Lowers the body of a function that is declared.
    pub(super) fn define(&mut self, id: FuncId, f: &'a FunctionDefinition) -> Result<()> {
        let span = f.declarator.span;
        self.funcs[id].span = span;
        let Some(ty) = self.ctypes.function(self.cfuncs[id]) else {
            return issue(span, "a body for something that is not a function");
        };
        if !self.ctypes.is_void(ty.result.ty) {
            self.require_complete(ty.result, span)?;
        }
        let scope = self.new_scope();
        self.scopes.push(scope);
        let mut body = Body::new(id, ty.result.ty);
        if let Some(outer) = &self.body {
            body.labels = outer.labels.of_nested();
        }
        // A body that calls itself must be seen as defined.
        self.funcs[id].blocks = body.blocks.clone();
        let outer = self.body.replace(body);
        if let Err(e) = self.function_body(f, id, span) {
            self.report(e);
        }
        if let Err(e) = self.finish_labels(span) {
            self.report(e);
        }
        self.end_lifetimes();
        let mut body = std::mem::replace(&mut self.body, outer).expect("the body was set above");
        let contract = std::mem::take(&mut body.contract);
        if let Some(unsupported) = body.unsupported {
            // Blocks without an end are those that were left when the unsupported part was met.
            for block in body.blocks.iter_mut() {
                if matches!(block.end, Terminator::Halt) && block.span == Span::default() {
                    block.end = Terminator::Error(unsupported);
                }
            }
        }
        // A refused function keeps its first block, so that it counts as defined.
        if !self.refused.iter().any(|r| r.0 == id) {
            self.funcs[id].blocks = body.blocks;
        }
        if self.is_modular && self.body.is_none() {
            self.make_part(f, id, contract)?;
        }
        Ok(())
    }

    fn function_body(&mut self, f: &'a FunctionDefinition, id: FuncId, span: Span) -> Result<()> {
        self.bind_parameters(f, id, span)?;
        let is_variadic = self.ctypes.function(self.cfuncs[id]).is_some_and(|t| t.variadic);
        if is_variadic {
            self.add_rest(id, span);
        }
        let slots = self.slots_of(id);
        self.body().result_slot = slots.result;
        for (n, slot) in slots.params.iter().enumerate() {
            if let Some(slot) = *slot {
                let param = self.funcs[id].params[n];
                let ty = self.vars[param].ty;
                // The slot is read before anything else happens.
                let first = &mut self.body().blocks[Id::from_index(0)].instrs;
                let kind = InstrKind::Copy(Place::var(param, ty), Place::var(slot, ty));
                first.insert(0, crate::c::hir::Instr { kind, span });
            }
        }
        self.open_contract(f.body)?;
        self.function_statement(f.body);
        let result = self.body().result;
        let value = match self.ctypes.get(result) {
            CType::Void => None,
            _ if self.ctypes.is_record(result) => None,
            _ if self.funcs[id].name == "main" => {
                let int = self.types.int();
                let plain = self.hir(result);
                let zero = self.int(0, int, span);
                Some(self.convert(zero, plain, span)?)
            }
            // Falling off the end gives an arbitrary value.
            _ => {
                let plain = self.hir(result);
                let v = self.temp(plain, span);
                self.start_life(v, span)?;
                Some(self.load_var(v, span))
            }
        };
        let value = self.returning(value, span)?;
        self.stop(Terminator::Return(value), span);
        Ok(())
    }

    /// Declares the parameters, and evaluates what their types mention.
    pub(super) fn bind_parameters(
        &mut self,
        f: &'a FunctionDefinition,
        id: FuncId,
        span: Span,
    ) -> Result<()> {
        let Some(Derived::Function(d)) = f.declarator.derived.first() else {
            // The type comes from a typedef: such a function cannot have a body.
            return issue(span, "a function whose parameters are not written");
        };
        let mut types = Vec::new();
        match &d.parameters {
            Parameters::Prototype(list, _) => {
                for p in list {
                    let q = self.parameter(p, Context::Parameter)?;
                    let at = p.declarator.ident.as_ref().map_or(p.specifiers.span, |i| i.span);
                    self.require_complete(q, at)?;
                    let name = p.declarator.ident.as_ref().map(|i| i.name.clone());
                    self.add_parameter(id, name, q, at)?;
                    types.push(q);
                }
            }
            Parameters::Unspecified => {}
            Parameters::Identifiers(names) => {
                let params = self.old_style(names, &f.old_style)?;
                // gcc does not evaluate these lengths.
                self.parameter_lengths.clear();
                for (name, q, at) in params {
                    self.require_complete(q, at)?;
                    self.add_parameter(id, Some(name), q, at)?;
                    types.push(q);
                }
                if types.iter().any(|q| self.is_promoted(*q)) {
                    self.promoted_params.push(id);
                }
            }
        }
        for e in std::mem::take(&mut self.parameter_lengths) {
            let value = self.value(e)?;
            if self.ctypes.as_int(value.ty).is_none() {
                return issue(self.span(e), "the length of an array is not an integer");
            }
        }
        if let Some(ty) = self.ctypes.function(self.cfuncs[id]) {
            let ty = FunctionType { params: Some(types), ..(*ty).clone() };
            let ty = self.ctypes.intern(CType::Function(Arc::new(ty)));
            self.set_function_type(id, ty);
        }
        Ok(())
    }

    fn add_parameter(&mut self, id: FuncId, name: Option<Name>, q: Q, span: Span) -> Result<()> {
        if q.quals.is_const && self.ctypes.is_void(q.ty) {
            return issue(span, "a parameter of type void");
        }
        let plain = self.hir(q.ty);
        self.refuse_long_double(plain, span)?;
        let v = self.new_var(name.as_deref().unwrap_or("unnamed"), plain, Storage::Auto(id), span);
        self.cvars[v] = q;
        self.funcs[id].params.push(v);
        if let Some(name) = name {
            if self.scopes.last().is_some_and(|s| s.names.contains_key(&name)) {
                return issue(span, format!("two parameters are named '{name}'"));
            }
            self.bind(&name, Symbol::Var(v));
        }
        Ok(())
    }

    /// Does an argument of this type arrive as one of another type if there is no prototype?
    fn is_promoted(&mut self, q: Q) -> bool {
        let plain = self.hir(q.ty);
        let promoted = self.ctypes.promote(q.ty);
        matches!(self.types.get(plain), Type::Float(4)) || self.hir(promoted) != plain
    }

    /// The slots for records of a function. Later declarations may say more about parameters.
    pub(super) fn slots_of(&mut self, id: FuncId) -> Slots {
        let Type::Function(signature) = self.types.get(self.funcs[id].ty).clone() else {
            return Slots::default();
        };
        let mut slots = self.slots.remove(&id).unwrap_or_default();
        let params = signature.params.unwrap_or_default();
        if slots.result.is_none() {
            slots.result = self.slot(id, signature.result, "result".into());
        }
        for (n, &ty) in params.iter().enumerate().skip(slots.params.len()) {
            let slot = self.slot(id, ty, format!("argument{n}"));
            slots.params.push(slot);
        }
        self.slots.insert(id, slots.clone());
        slots
    }

    fn slot(&mut self, id: FuncId, ty: TypeId, what: String) -> Option<VarId> {
        if !matches!(self.types.get(ty), Type::Record(_)) {
            return None;
        }
        let name = format!("{}::{what}", self.funcs[id].name);
        let span = self.funcs[id].span;
        let v = self.new_var(&name, ty, Storage::Static, Span::default());
        self.vars[v].span = span;
        self.vars[v].is_slot = true;
        Some(v)
    }
}
