//! Declarations of variables, functions and types.

use super::ctype::{CType, Ct, Length, Q};
use super::declarator::Context;
use super::{Lower, Name, Result, Symbol, UNSUPPORTED, attribute, issue, names, unsupported};
use crate::c::hir::{BinOp, Expr, FuncId, Function, InstrKind, Place, Storage, VarId};
use crate::c::syntax::ast::{
    Attribute, AttributeArgument, Declaration, Declarator, Derived, ExprKind, InitDeclarator, Initializer,
    Item, Specifiers, StaticAssert, Tree, TypeSpecifier,
};
use crate::c::types::Type;
use bolide_base::IdVec;
use bolide_model::Span;
use rustc_hash::FxHashSet;

impl<'a> Lower<'a> {
    pub(super) fn static_assert(&mut self, a: &'a StaticAssert) -> Result<()> {
        if self.constant(a.condition)? != 0 {
            return Ok(());
        }
        let message = match &a.message {
            Some(s) => {
                let text: String = s.units.iter().map(|&u| char::from_u32(u).unwrap_or('?')).collect();
                format!("static assertion failed: {text}")
            }
            None => "static assertion failed".into(),
        };
        issue(a.span, message)
    }

    /// Finds the functions of a file that are declared under another name than that of their body, and those whose body
    /// has another name for the linker, under either name.
    pub(super) fn find_renamed(&mut self, tree: &Tree) {
        let own: FxHashSet<Name> = tree.items.iter().filter_map(defined_name).collect();
        let is_defined = |this: &Self, name: &str| this.defined.contains(name) || own.contains(name);
        for item in &tree.items {
            let Item::Declaration(d) = item else { continue };
            let in_front = has_alias(&d.specifiers.attributes);
            for item in &d.declarators {
                let Some(ident) = &item.declarator.ident else { continue };
                let name = ident.name.clone();
                let attributes = d.specifiers.attributes.iter().chain(&item.declarator.attributes);
                let targets = attributes.filter(|a| &*a.name == "alias").map(|a| target_of(tree, a));
                if let [Some(target)] = &targets.collect::<Vec<_>>()[..]
                    && item.asm_label.is_none()
                {
                    self.aliases.insert(name.clone(), target.as_str().into());
                }
                match item.asm_label.as_deref().filter(|label| **label != *name) {
                    Some(label) if is_defined(self, &name) => {
                        self.renamed.extend([name, label.into()]);
                    }
                    Some(label)
                        if is_defined(self, label)
                            || (names::means_something(label) && !is_version(label, &name)) =>
                    {
                        self.renamed.insert(name);
                    }
                    Some(_) => {}
                    None if in_front || has_alias(&item.declarator.attributes) => {
                        self.renamed.insert(name);
                    }
                    None => {}
                }
            }
        }
    }

    /// The function that another name of it stands for, if that has been declared.
    pub(super) fn aliased(&self, name: &Name) -> Option<FuncId> {
        let target = self.aliases.get(name)?;
        match self.scopes[0].names.get(target) {
            Some(Symbol::Func(f)) if self.defined.contains(target) && !self.renamed.contains(target) => {
                Some(*f)
            }
            _ => None,
        }
    }

    pub(super) fn declaration(&mut self, d: &'a Declaration) -> Result<()> {
        if let TypeSpecifier::Auto = d.specifiers.ty {
            for item in &d.declarators {
                self.inferred(&d.specifiers, item)?;
            }
            return Ok(());
        }
        if d.declarators.is_empty() {
            self.declare_tag(&d.specifiers);
        }
        let base = match self.specified(&d.specifiers) {
            Ok(base) => base,
            Err(e) => {
                self.give_up(d, &e.message);
                return Err(e);
            }
        };
        for item in &d.declarators {
            if let Err(e) = self.declarator_item(&d.specifiers, base, item) {
                let is_file = self.body.is_none();
                if let Some(ident) = &item.declarator.ident
                    && self.scopes.last().is_none_or(|s| !s.names.contains_key(&ident.name))
                {
                    self.bind(&ident.name, refused_symbol(&e.message));
                }
                if is_file && e.message.starts_with(UNSUPPORTED) {
                    self.refuse_uses(item, &e);
                    continue;
                }
                // What lives longer than the block may be used by executions that do not come here.
                match d.specifiers.storage.is_static && e.message.starts_with(UNSUPPORTED) {
                    true => self.refuse_function(e),
                    false => self.report(e),
                }
            }
        }
        Ok(())
    }

    /// Names of a declaration that could not be understood.
    fn give_up(&mut self, d: &'a Declaration, message: &str) {
        for item in &d.declarators {
            if let Some(ident) = &item.declarator.ident {
                self.bind(&ident.name, refused_symbol(message));
            }
        }
    }

    /// A static object whose initial value has no meaning here is a problem where it is used.
    fn refuse_uses(&mut self, item: &InitDeclarator, e: &crate::c::syntax::source::Issue) {
        let Some(ident) = &item.declarator.ident else { return };
        if let Some(Symbol::Var(v)) = self.scopes[0].names.get(&ident.name) {
            self.refused_vars.push((*v, e.clone()));
        }
    }

    /// `struct S;` alone declares a tag of its own scope.
    fn declare_tag(&mut self, s: &'a Specifiers) {
        if let TypeSpecifier::Record(r) = &s.ty
            && r.members.is_none()
            && let Some(tag) = &r.tag
            && self.scopes.len() > 1
            && !self.scopes.last().is_some_and(|s| s.tags.contains_key(&tag.name))
        {
            self.new_record(Some(tag.name.clone()), r.is_union);
        }
    }

    /// A variable that has the type of its initialiser.
    fn inferred(&mut self, s: &'a Specifiers, item: &'a InitDeclarator) -> Result<()> {
        let span = item.declarator.span;
        let (Some(ident), Some(Initializer::Expr(e))) = (&item.declarator.ident, &item.initializer) else {
            return issue(span, "'__auto_type' needs an initialiser");
        };
        let lowered = self.unevaluated(*e)?;
        let q = self.type_of_lowered(&lowered);
        let ty = self.value_type(q);
        let q = Q::plain(ty).with(s.qualifiers);
        let var = self.declare_variable(&ident.name, q, s, true, ident.span)?;
        self.initialise(var, item.initializer.as_ref(), ident.span)
    }

    fn declarator_item(&mut self, s: &'a Specifiers, base: Q, item: &'a InitDeclarator) -> Result<()> {
        let d = &item.declarator;
        let span = d.ident.as_ref().map_or(d.span, |i| i.span);
        let context = if self.body.is_some() { Context::Block } else { Context::Constant };
        let q = self.declared(base, d, context)?;
        let mut q = self.in_mode(q, &d.attributes)?;
        let Some(ident) = &d.ident else { return issue(span, "a declaration without a name") };
        let name = &ident.name;
        let mut align = self.specified_align(s)?;
        if let Some(own) = self.asked_align(&d.attributes, &[])? {
            align = Some(align.unwrap_or(1).max(own));
        }
        if s.storage.is_typedef {
            if attribute::has(&d.attributes, "transparent_union")
                && let CType::Record(r) = *self.ctypes.get(q.ty)
            {
                self.ctypes.records[r].is_transparent = true;
            }
            if let Some(align) = align {
                q.align = Some(align as u32);
            }
            return self.declare_typedef(name, q, span);
        }
        if let CType::Function(_) = self.ctypes.get(q.ty) {
            if self.body.is_some() && (has_alias(&d.attributes) || item.asm_label.is_some()) {
                return unsupported(span, "a function alias that is declared in a function");
            }
            if item.initializer.is_some() {
                return issue(span, format!("the function '{name}' is initialised like a variable"));
            }
            if s.is_noreturn
                || attribute::has(&s.attributes, "noreturn")
                || attribute::has(&d.attributes, "noreturn")
            {
                self.endless.insert(name.clone());
            }
            if s.storage.is_auto && self.body.is_some() {
                return self.declare_nested(name, q.ty, span);
            }
            let f = self.declare_function(name, q.ty, span)?;
            self.note_constructor(f, &s.attributes)?;
            return self.note_constructor(f, &d.attributes);
        }
        let cleanup = self.cleanup_function(s, d)?;
        let has_label = item.asm_label.as_deref().is_some_and(|label| *label != **name);
        if s.storage.is_extern && (has_alias(&d.attributes) || has_alias(&s.attributes) || has_label) {
            return unsupported(span, "an alias of a variable");
        }
        if has_label && self.body.is_none() {
            self.labels.extend(item.asm_label.as_deref().map(Name::from));
        }
        if q.quals.is_volatile {
            let text = format!("'{name}' is volatile: only the program itself changes what is there");
            self.assume_that(text, span);
        }
        if let Some(init) = &item.initializer {
            if self.ctypes.is_variable(q.ty) {
                return issue(span, "an array of variable length is initialised");
            }
            q = self.completed(q, init)?;
        }
        let var = self.declare_variable(name, q, s, item.initializer.is_some(), span)?;
        if let Some(align) = align.or(q.align.map(u64::from)) {
            self.vars[var].align = self.vars[var].align.max(align);
        }
        if self.ctypes.is_variable(self.cvars[var].ty) {
            self.allocate_array(var, span)?;
        } else {
            self.initialise(var, item.initializer.as_ref(), span)?;
        }
        if s.storage.is_constexpr {
            self.note_constant(var, item.initializer.as_ref(), span)?;
        }
        // The attribute means nothing for objects that live on.
        match (cleanup, self.vars[var].storage) {
            (Some(f), Storage::Auto(_)) => self.clean_up(var, f, span),
            _ => Ok(()),
        }
    }

    /// The function that is called at the end of the scope of what is declared.
    fn cleanup_function(&self, s: &Specifiers, d: &Declarator) -> Result<Option<FuncId>> {
        let behind_stars = d.derived.iter().filter_map(|layer| match layer {
            Derived::Pointer(_, attributes) => Some(attributes),
            _ => None,
        });
        let all = s.attributes.iter().chain(&d.attributes).chain(behind_stars.flatten());
        let mut found = None;
        for a in all.filter(|a| &*a.name == "cleanup") {
            let function = match a.arguments.first() {
                Some(AttributeArgument::Expr(e)) => match &self.tree.exprs[*e].kind {
                    ExprKind::Name(name) => self.find(name),
                    _ => None,
                },
                _ => None,
            };
            match function {
                Some(Symbol::Func(f)) => found = Some(*f),
                _ => return issue(a.span, "the argument of 'cleanup' is not a function"),
            }
        }
        Ok(found)
    }

    fn declare_typedef(&mut self, name: &Name, q: Q, span: Span) -> Result<()> {
        match self.scopes.last().and_then(|s| s.names.get(name)) {
            Some(Symbol::Typedef(old)) if self.ctypes.compatible(old.ty, q.ty) => {
                let ty = self.ctypes.composite(old.ty, q.ty);
                let q = Q { ty, ..q };
                self.bind(name, Symbol::Typedef(q));
                Ok(())
            }
            Some(Symbol::Refused(_)) | None => {
                self.bind(name, Symbol::Typedef(q));
                Ok(())
            }
            Some(_) => issue(span, format!("'{name}' is declared twice")),
        }
    }

    fn initialise(&mut self, var: VarId, init: Option<&'a Initializer>, span: Span) -> Result<()> {
        let init = init.filter(|_| !self.is_outdone(var));
        if init.is_some() {
            let is_static = self.vars[var].storage == Storage::Static;
            self.initialised.insert(var);
            if is_static {
                self.note_initialiser(var, span)?;
            }
        }
        match (init, self.vars[var].storage) {
            (Some(init), Storage::Static) => self.static_initializer(var, init),
            (Some(init), Storage::Auto(_)) => self.auto_initializer(var, init),
            (None, Storage::Auto(_)) => self.start_life(var, span),
            (None, Storage::Static) => Ok(()),
        }
    }

    /// `constexpr`: an integer is a constant from here on.
    fn note_constant(&mut self, var: VarId, init: Option<&'a Initializer>, span: Span) -> Result<()> {
        let Some(init) = init else { return issue(span, "a 'constexpr' object without a value") };
        let (Initializer::Expr(e), Some(ty)) = (init, self.ctypes.as_int(self.cvars[var].ty)) else {
            return Ok(());
        };
        let value = self.constant(*e)?;
        self.constants.insert(var, ty.wrap(value));
        Ok(())
    }

    /// An array of variable length is a pointer to a new object.
    fn allocate_array(&mut self, var: VarId, span: Span) -> Result<()> {
        let size_t = self.types.size_t();
        let (count, size) = self.elements(self.cvars[var].ty, span)?;
        let unit = self.int(size.into(), size_t, span);
        let bytes = self.make(Expr::Binary(BinOp::Mul, count, unit), size_t, span);
        let ty = self.vars[var].ty;
        self.assume_room_for_arrays(span);
        self.emit(InstrKind::Alloc(Place::var(var, ty), bytes, false), span)?;
        self.note_array(var, bytes, span)
    }

    pub(super) fn start_life(&mut self, var: VarId, span: Span) -> Result<()> {
        let ty = self.vars[var].ty;
        let name = format!("uninitialised {}", self.vars[var].name);
        let input = self.input(&name, ty, span);
        self.emit(InstrKind::Fresh(var, Some(input)), span)
    }

    pub(super) fn declare_function(&mut self, name: &Name, ty: Ct, span: Span) -> Result<FuncId> {
        // Functions have file scope wherever they are declared.
        match self.scopes[0].names.get(name).cloned() {
            Some(Symbol::Func(f)) => {
                let old = self.cfuncs[f];
                if self.implicit.remove(&f) {
                    self.set_function_type(f, ty);
                } else if self.ctypes.compatible(old, ty) {
                    let both = self.ctypes.composite(old, ty);
                    if self.funcs[f].blocks.is_empty() {
                        self.set_function_type(f, both);
                    }
                } else if self.funcs[f].blocks.is_empty() && names::is_library(name) {
                    // Compilers only warn about declarations that differ from what they know.
                    self.set_function_type(f, ty);
                } else {
                    return issue(span, format!("'{name}' is declared with another type before"));
                }
                self.bind(name, Symbol::Func(f));
                return Ok(f);
            }
            Some(Symbol::Refused(_)) | None => {}
            Some(_) => return issue(span, format!("'{name}' is declared as something else before")),
        }
        if self.scopes.last().is_some_and(|s| matches!(s.names.get(name), Some(Symbol::Var(_)))) {
            return issue(span, format!("'{name}' is declared as something else before"));
        }
        if let Some(f) = self.linked_function(name, ty, span)? {
            self.scopes[0].names.insert(name.clone(), Symbol::Func(f));
            self.bind(name, Symbol::Func(f));
            return Ok(f);
        }
        let f = self.new_function(super::builtin::modelled(name).unwrap_or(name), ty, span);
        self.scopes[0].names.insert(name.clone(), Symbol::Func(f));
        self.bind(name, Symbol::Func(f));
        Ok(f)
    }

    pub(super) fn new_function(&mut self, name: &str, ty: Ct, span: Span) -> FuncId {
        let plain = self.hir(ty);
        self.cfuncs.push(ty);
        self.funcs.push(Function {
            name: name.to_owned(),
            ty: plain,
            params: Vec::new(),
            blocks: IdVec::new(),
            address_taken: false,
            span,
        })
    }

    pub(super) fn set_function_type(&mut self, f: FuncId, ty: Ct) {
        self.cfuncs[f] = ty;
        self.funcs[f].ty = self.hir(ty);
    }

    fn declare_variable(
        &mut self,
        name: &Name,
        q: Q,
        s: &Specifiers,
        initialised: bool,
        span: Span,
    ) -> Result<VarId> {
        let is_extern = s.storage.is_extern;
        let is_global = self.scopes.len() == 1 || (is_extern && !initialised);
        if self.ctypes.is_void(q.ty) {
            return issue(span, format!("variable '{name}' of type void"));
        }
        if self.ctypes.size_of(q.ty).is_some_and(|n| n >= 1 << 31) {
            return unsupported(span, "an object of this size");
        }
        let plain = if self.ctypes.is_variable(q.ty) {
            let element = self.hir(q.ty);
            self.types.pointer(element)
        } else {
            self.hir(q.ty)
        };
        if is_global {
            if self.ctypes.is_modified(q.ty) {
                return issue(span, format!("the type of '{name}' depends on a value"));
            }
            self.refuse_long_double(plain, span)?;
            return self.global(name, q, is_extern && !initialised, span);
        }
        self.require_complete(q, span)?;
        self.refuse_long_double(plain, span)?;
        match self.scopes.last().and_then(|scope| scope.names.get(name)) {
            None | Some(Symbol::Refused(_)) => {}
            Some(_) => return issue(span, format!("'{name}' is declared twice")),
        }
        let func = self.body().func;
        let v = if s.storage.is_static {
            if self.ctypes.is_variable(q.ty) {
                return issue(span, "a static array of variable length");
            }
            let name = format!("{}::{name}", self.funcs[func].name);
            self.new_var(&name, plain, Storage::Static, span)
        } else {
            self.new_var(name, plain, Storage::Auto(func), span)
        };
        self.cvars[v] = q;
        if self.ctypes.is_variable(q.ty) {
            self.variable_arrays.insert(v);
        }
        self.bind(name, Symbol::Var(v));
        Ok(v)
    }

    fn global(&mut self, name: &Name, q: Q, is_only_declared: bool, span: Span) -> Result<VarId> {
        let v = self.declared_globally(name, q, is_only_declared, span)?;
        if !is_only_declared {
            self.note_object(v, name);
        }
        self.complete_variable(v, name, self.cvars[v].ty);
        Ok(v)
    }

    fn declared_globally(&mut self, name: &Name, q: Q, is_only_declared: bool, span: Span) -> Result<VarId> {
        match self.scopes[0].names.get(name).cloned() {
            Some(Symbol::Var(v)) => {
                let old = self.cvars[v];
                if !self.ctypes.compatible(old.ty, q.ty) {
                    return issue(span, format!("'{name}' is declared with another type before"));
                }
                // A later declaration may complete the type of an array.
                let ty = self.ctypes.composite(old.ty, q.ty);
                self.cvars[v] = Q { ty, ..old };
                if !is_only_declared {
                    self.undefined.shift_remove(&v);
                }
                self.bind(name, Symbol::Var(v));
                return Ok(v);
            }
            None | Some(Symbol::Refused(_)) => {}
            Some(_) => return issue(span, format!("'{name}' is declared as something else before")),
        }
        if let Some(v) = self.linked_variable(name, q, span)? {
            if !is_only_declared {
                self.undefined.shift_remove(&v);
            }
            self.scopes[0].names.insert(name.clone(), Symbol::Var(v));
            self.bind(name, Symbol::Var(v));
            return Ok(v);
        }
        let plain = self.hir(q.ty);
        let v = self.new_var(name, plain, Storage::Static, span);
        self.cvars[v] = q;
        if is_only_declared {
            self.undefined.insert(v);
        }
        self.scopes[0].names.insert(name.clone(), Symbol::Var(v));
        self.bind(name, Symbol::Var(v));
        Ok(v)
    }

    /// A later declaration, here or in another unit, may complete the type of an object.
    fn complete_variable(&mut self, v: VarId, name: &Name, ty: Ct) {
        if !self.initialised.contains(&v) {
            let ty = self.linked_type(name, ty);
            self.vars[v].ty = self.hir(ty);
        }
    }

    /// Static objects whose types were completed after they were declared get their plain types. Arrays that never got a
    /// length have one element.
    pub(super) fn complete_objects(&mut self) {
        for v in self.vars.ids() {
            let q = self.cvars[v];
            let is_open = matches!(self.ctypes.get(q.ty), CType::Array(_, Length::Unknown));
            if self.vars[v].storage != Storage::Static || !is_open || self.undefined.contains(&v) {
                continue;
            }
            let CType::Array(of, _) = *self.ctypes.get(q.ty) else { continue };
            let plain = self.hir(of.ty);
            self.vars[v].ty = self.types.intern(Type::Array(plain, Some(1)));
        }
    }
}

/// What a name means whose declaration could not be understood.
fn refused_symbol(message: &str) -> Symbol {
    Symbol::Refused(message.into())
}

/// Is something declared under the name of something else?
pub(super) fn has_alias(attributes: &[crate::c::syntax::ast::Attribute]) -> bool {
    ["alias", "ifunc", "weakref"].iter().any(|a| attribute::has(attributes, a))
}

/// The name in an attribute `alias`.
fn target_of(tree: &Tree, a: &Attribute) -> Option<String> {
    let [AttributeArgument::Expr(e)] = a.arguments[..] else { return None };
    match &tree.exprs[e].kind {
        ExprKind::String(s) => s.units.iter().map(|&u| char::from_u32(u)).collect(),
        _ => None,
    }
}

/// The name of a function definition.
pub(super) fn defined_name(item: &Item) -> Option<Name> {
    match item {
        Item::Function(f) => declared_name(&f.declarator),
        _ => None,
    }
}

fn declared_name(d: &Declarator) -> Option<Name> {
    d.ident.as_ref().map(|i| i.name.clone())
}

/// Headers rename functions of the library to other versions of them.
fn is_version(label: &str, of: &str) -> bool {
    let plain = label.trim_end_matches("64");
    let plain = ["__isoc99_", "__isoc23_", "__xpg_", "__xstat", "__"]
        .iter()
        .find_map(|p| plain.strip_prefix(p))
        .unwrap_or(plain);
    plain == of
}
