//! Nested functions (GNU). They become functions of their own; variables of the function around them are reached through
//! static pointers, which that function sets before each call and puts back after it. So a call always finds the variables of
//! the activation that made it. Where the address of a nested function is taken, the pointers are set then; this is right as
//! long as the function around it is active once only, which is checked at the end.

use super::ctype::{Ct, Q};
use super::object::Object;
use super::{Lower, Name, Result, Symbol, UNSUPPORTED, issue, unsupported};
use crate::c::hir::{Callee, ExprId, FuncId, InstrKind, Place, Storage, VarId};
use crate::c::syntax::ast::FunctionDefinition;
use crate::c::syntax::source::Issue;
use bolide_model::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known about nested functions.
#[derive(Default)]
pub(super) struct Nested {
    /// The function around each.
    outer: FxHashMap<FuncId, FuncId>,
    /// The static pointers to variables that nested functions use.
    pointers: indexmap::IndexMap<VarId, VarId>,
    /// Those whose address is taken, and where.
    escaping: Vec<(FuncId, Span)>,
    /// Which variables of the function around it the body of each uses.
    uses: FxHashSet<(FuncId, VarId)>,
    /// Where pointers were set: the function that is called or pointed to, and the variables that were known to be used then.
    set: Vec<(FuncId, Vec<VarId>, Span)>,
}

impl<'a> Lower<'a> {
    /// Is a function nested in another one? Then it has a body there, perhaps further on.
    pub(super) fn is_nested(&self, f: FuncId) -> bool {
        self.nested.outer.contains_key(&f)
    }

    /// `auto int f(int);` in a function declares a nested one.
    pub(super) fn declare_nested(&mut self, name: &Name, ty: Ct, span: Span) -> Result<()> {
        if let Some(Symbol::Func(_)) = self.scopes.last().and_then(|s| s.names.get(name)) {
            return Ok(());
        }
        self.new_nested(name, ty, span);
        Ok(())
    }

    fn new_nested(&mut self, name: &Name, ty: Ct, span: Span) -> FuncId {
        let outer = self.body().func;
        let full = format!("{}::{name}", self.funcs[outer].name);
        let f = self.new_function(&full, ty, span);
        self.nested.outer.insert(f, outer);
        self.bind(name, Symbol::Func(f));
        f
    }

    pub(super) fn nested_function(&mut self, f: &'a FunctionDefinition) -> Result<()> {
        let base = self.specified(&f.specifiers)?;
        let q = self.declared(base, &f.declarator, super::declarator::Context::Block)?;
        let Some(ident) = &f.declarator.ident else {
            return issue(f.declarator.span, "a function without a name");
        };
        if self.ctypes.function(q.ty).is_none() {
            return issue(f.declarator.span, "a body for something that is not a function");
        }
        let known = match self.scopes.last().and_then(|s| s.names.get(&ident.name)) {
            Some(Symbol::Func(f)) if self.nested.outer.contains_key(f) => Some(*f),
            _ => None,
        };
        let id = match known {
            Some(id) => id,
            None => self.new_nested(&ident.name, q.ty, ident.span),
        };
        self.set_function_type(id, q.ty);
        self.define(id, f)?;
        let outer = self.body().func;
        if self.refused.iter().any(|r| r.0 == id) && !self.refused.iter().any(|r| r.0 == outer) {
            let message = format!("{UNSUPPORTED}what the nested function '{}' does", ident.name);
            self.refused.push((outer, Issue { span: ident.span, message }));
        }
        Ok(())
    }

    /// A variable of the function around the one under construction.
    pub(super) fn captured(&mut self, v: VarId, span: Span) -> Result<Object> {
        let own = self.body().func;
        let Storage::Auto(of) = self.vars[v].storage else { return Ok(self.variable(v, span)) };
        let mut at = own;
        let mut depth = 0;
        while let Some(&outer) = self.nested.outer.get(&at) {
            depth += 1;
            if outer == of {
                break;
            }
            at = outer;
        }
        if depth != 1 {
            return unsupported(span, "a variable of a function two levels up");
        }
        if self.variable_arrays.contains(&v) {
            return unsupported(span, "an array of variable length in a nested function");
        }
        self.nested.uses.insert((own, v));
        let pointer = match self.nested.pointers.get(&v) {
            Some(&p) => p,
            None => {
                let ty = self.types.pointer(self.vars[v].ty);
                let name = format!("frame::{}", self.vars[v].name);
                let p = self.new_var(&name, ty, Storage::Static, span);
                self.vars[p].is_slot = true;
                self.nested.pointers.insert(v, p);
                p
            }
        };
        let q: Q = self.cvars[v];
        let address = self.load_var(pointer, span);
        let plain = self.hir(q.ty);
        Ok(Object::new(Place::deref(address, plain), q))
    }

    /// The variables of a function that its nested functions use, with the pointers to them.
    fn frame_of(&self, outer: FuncId) -> Vec<(VarId, VarId)> {
        let is_own = |v: VarId| self.vars[v].storage == Storage::Auto(outer);
        self.nested.pointers.iter().filter(|(v, _)| is_own(**v)).map(|(v, p)| (*v, *p)).collect()
    }

    fn set_pointer(&mut self, v: VarId, p: VarId, span: Span) -> Result<()> {
        let (var_ty, ty) = (self.vars[v].ty, self.vars[p].ty);
        let address = self.address(Place::var(v, var_ty), span);
        let address = self.convert(address, ty, span)?;
        self.emit(InstrKind::Assign(Place::var(p, ty), address), span)
    }

    /// Before a call: sets the pointers if the function is nested in the one that calls it; gives what to put back.
    pub(super) fn enter_frame(&mut self, f: FuncId, span: Span) -> Result<Vec<(VarId, ExprId)>> {
        let own = self.body().func;
        if self.nested.outer.get(&f) != Some(&own) {
            return Ok(Vec::new());
        }
        let mut old = Vec::new();
        let frame = self.frame_of(own);
        for &(v, p) in &frame {
            let value = self.load_var(p, span);
            old.push((p, self.saved(value, span)?));
            self.set_pointer(v, p, span)?;
        }
        self.nested.set.push((f, frame.into_iter().map(|(v, _)| v).collect(), span));
        Ok(old)
    }

    pub(super) fn leave_frame(&mut self, old: Vec<(VarId, ExprId)>, span: Span) -> Result<()> {
        for (p, value) in old {
            let ty = self.vars[p].ty;
            self.emit(InstrKind::Assign(Place::var(p, ty), value), span)?;
        }
        Ok(())
    }

    /// Where the address of a nested function is taken, its pointers are set for good.
    pub(super) fn note_frame_address(&mut self, f: FuncId, span: Span) -> Result<()> {
        let Some(&outer) = self.nested.outer.get(&f) else { return Ok(()) };
        if self.body.as_ref().is_none_or(|b| b.func != outer) || self.funcs[f].blocks.is_empty() {
            return unsupported(span, "the address of a nested function, taken elsewhere");
        }
        let frame = self.frame_of(outer);
        for &(v, p) in &frame {
            self.set_pointer(v, p, span)?;
        }
        self.nested.set.push((f, frame.into_iter().map(|(v, _)| v).collect(), span));
        self.nested.escaping.push((f, span));
        Ok(())
    }

    /// Complains about nested functions that are declared and have no body.
    pub(super) fn require_bodies(&mut self) {
        let open = self.funcs.ids().filter(|f| self.is_nested(*f) && self.funcs[*f].blocks.is_empty());
        for f in open.collect::<Vec<_>>() {
            let name = self.funcs[f].name.rsplit("::").next().unwrap_or_default();
            let message = format!("the nested function '{name}' is declared and has no body");
            let span = self.funcs[f].span;
            self.report(Issue { span, message });
        }
    }

    /// Refuses what the pointers cannot represent.
    pub(super) fn refuse_frames(&mut self) {
        let sites = std::mem::take(&mut self.nested.set);
        for (f, known, span) in sites {
            let outer = self.nested.outer[&f];
            if !self.uses_only(f, outer, &known) {
                let message = format!("{UNSUPPORTED}a nested function before the body of one that it needs");
                self.refused.push((outer, Issue { span, message }));
            }
        }
        let escaping = std::mem::take(&mut self.nested.escaping);
        for (f, span) in escaping {
            let outer = self.nested.outer[&f];
            if self.may_be_active_twice(outer) && !self.frame_of(outer).is_empty() {
                let message = format!("{UNSUPPORTED}the address of a nested function in a recursive one");
                self.refused.push((outer, Issue { span, message }));
            }
        }
    }

    /// Do a nested function and those that it calls use no other variables of the function around them than these?
    fn uses_only(&self, f: FuncId, outer: FuncId, known: &[VarId]) -> bool {
        let frame = self.frame_of(outer);
        let (mut seen, mut open) = (FxHashSet::from_iter([f]), vec![f]);
        while let Some(g) = open.pop() {
            if frame.iter().any(|(v, _)| self.nested.uses.contains(&(g, *v)) && !known.contains(v)) {
                return false;
            }
            for i in self.funcs[g].blocks.iter().flat_map(|b| &b.instrs) {
                if let InstrKind::Call(_, Callee::Direct(h), _) = i.kind
                    && self.nested.outer.get(&h) == Some(&outer)
                    && seen.insert(h)
                {
                    open.push(h);
                }
            }
        }
        true
    }

    /// Can a function be called while it is active? Calls through pointers call every function whose address is taken.
    pub(super) fn may_be_active_twice(&self, f: FuncId) -> bool {
        let any: Vec<FuncId> = self.funcs.ids().filter(|&g| self.funcs[g].address_taken).collect();
        let (mut seen, mut open) = (FxHashSet::default(), vec![f]);
        while let Some(g) = open.pop() {
            for i in self.funcs[g].blocks.iter().flat_map(|b| &b.instrs) {
                let InstrKind::Call(_, callee, _) = &i.kind else { continue };
                let direct = match callee {
                    Callee::Direct(h) => std::slice::from_ref(h),
                    Callee::Indirect(..) => &any[..],
                };
                for &h in direct {
                    if h == f {
                        return true;
                    }
                    if seen.insert(h) {
                        open.push(h);
                    }
                }
            }
        }
        false
    }

    /// The number of a label that a static initialiser mentions; such initialisers are read outside of the function.
    pub(super) fn outer_label(&mut self, ident: &crate::c::syntax::ast::Ident) -> Option<i128> {
        let body = self.suspended.take()?;
        self.body = Some(body);
        let number = self.label_number(ident).ok();
        self.suspended = self.body.take();
        number
    }
}
