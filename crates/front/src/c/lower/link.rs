//! Several files as one program: what a linker does, on C.
//!
//! Each unit has a file scope of its own. While a unit is lowered, its declarations give the types of what it mentions; a
//! name with external linkage means the same variable or function in all units, and the types that the units give it must
//! agree. Names that a unit declares `static` stay in it.
//!
//! Definitions follow the linkers of ELF systems: variables without an initialiser are tentative and share one object,
//! a second initialiser or body is an error, a weak body or variable gives way to another one. Bodies that are only for expansion
//! inline may stand in several units if they are written the same way.

use super::ctype::{CType, CTypes, Ct, Length, Q};
use super::{Lower, Name, Result, Scope, Symbol, attribute, decl, issue, names};
use crate::c::hir::{FuncId, VarId};
use crate::c::syntax::ast::{FunctionDefinition, Item, Specifiers};
use crate::c::types::RecordId;
use bolide_model::Span;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// How the names of the models and of what they use begin.
const OWN: &str = "__bolide_";

/// A name with external linkage.
struct External {
    symbol: Symbol,
    /// What all declarations so far say together.
    ty: Option<Ct>,
    /// Where it was declared first.
    span: Span,
}

/// How much a body counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Strength {
    /// It is the definition.
    Strong,
    /// Another one goes before it.
    Weak,
    /// It is for expansion inline only.
    Inline,
}

/// A body of a function.
#[derive(Clone, Copy)]
struct Definition {
    strength: Strength,
    /// Its name and the whole of it.
    name: Span,
    span: Span,
    unit: usize,
}

/// What the units know of each other.
#[derive(Default)]
pub(super) struct Links {
    /// The number of the unit that is being lowered.
    unit: usize,
    /// What every unit starts with: the models of library functions.
    base: Scope,
    externals: IndexMap<Name, External>,
    /// The names that this unit declares `static` at file scope.
    internal: FxHashSet<Name>,
    /// The names that this unit declares as more than inline functions.
    plain: FxHashSet<Name>,
    /// The names that this unit declares `weak`.
    weak: FxHashSet<Name>,
    /// Functions with internal linkage of all units.
    static_functions: Vec<(Name, FuncId)>,
    definitions: FxHashMap<FuncId, Definition>,
    /// The units that define variables, and whether other definitions go before these.
    objects: FxHashMap<VarId, Object>,
    /// The variables whose definitions in this unit give way to those of other units.
    outdone: FxHashSet<VarId>,
    initialisers: FxHashMap<VarId, Span>,
}

/// The definition of a variable, with an initialiser or tentative.
#[derive(Clone, Copy)]
struct Object {
    is_weak: bool,
    unit: usize,
}

/// The names that a unit declares `static` at file scope.
fn internal_names(items: &[Item]) -> FxHashSet<Name> {
    let mut out = FxHashSet::default();
    each_declared(items, |name, specifiers, _| {
        if specifiers.storage.is_static {
            out.insert(name.clone());
        }
    });
    out
}

/// Calls a function with every name that is declared at file scope, and whether it is defined as a function there.
fn each_declared<'t>(items: &'t [Item], mut visit: impl FnMut(&'t Name, &'t Specifiers, bool)) {
    for item in items {
        match item {
            Item::Function(f) => {
                if let Some(ident) = &f.declarator.ident {
                    visit(&ident.name, &f.specifiers, true);
                }
            }
            Item::Declaration(d) if !d.specifiers.storage.is_typedef => {
                for item in &d.declarators {
                    if let Some(ident) = &item.declarator.ident {
                        visit(&ident.name, &d.specifiers, false);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The functions with external linkage that units define.
pub(super) fn defined_externally(items: &[Item]) -> impl Iterator<Item = Name> {
    let internal = internal_names(items);
    items.iter().filter_map(decl::defined_name).filter(move |name| !internal.contains(name))
}

impl<'a> Lower<'a> {
    /// Remembers the file scope with the models, with which every unit starts.
    pub(super) fn keep_base(&mut self) {
        let mut base = std::mem::take(&mut self.scopes[0]);
        let mut called: Vec<(Name, Symbol)> = Vec::new();
        base.names.retain(|name, symbol| {
            let is_kept = name.starts_with(OWN) || !matches!(symbol, Symbol::Func(_));
            if !is_kept {
                called.push((name.clone(), symbol.clone()));
            }
            is_kept
        });
        // What the models call may be declared in any unit.
        called.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, symbol) in called {
            self.links.externals.insert(name, External { symbol, ty: None, span: Span::default() });
        }
        self.links.base = base;
    }

    /// Does this unit declare a name `weak`, so that it may have no definition anywhere?
    pub(super) fn is_weak(&self, name: &str) -> bool {
        self.links.weak.contains(name)
    }

    /// Starts a unit: nothing but the models is declared.
    pub(super) fn enter_unit(&mut self, unit: usize) {
        let items = &self.tree.items;
        self.links.unit = unit;
        self.links.internal = internal_names(items);
        self.links.plain.clear();
        self.links.weak = self.tree.weak.iter().cloned().collect();
        self.links.outdone.clear();
        each_declared(items, |name, s, is_body| {
            if !is_body && (!s.is_inline || s.storage.is_extern) {
                self.links.plain.insert(name.clone());
            }
        });
        for item in items {
            match item {
                Item::Function(f)
                    if attribute::has(&f.specifiers.attributes, "weak")
                        || attribute::has(&f.declarator.attributes, "weak") =>
                {
                    self.links.weak.extend(f.declarator.ident.as_ref().map(|i| i.name.clone()));
                }
                Item::Declaration(d) => {
                    let in_front = attribute::has(&d.specifiers.attributes, "weak");
                    let weak = d
                        .declarators
                        .iter()
                        .filter(|i| in_front || attribute::has(&i.declarator.attributes, "weak"));
                    self.links
                        .weak
                        .extend(weak.filter_map(|i| i.declarator.ident.as_ref()).map(|i| i.name.clone()));
                }
                _ => {}
            }
        }
        self.scopes[0] = self.links.base.clone();
        self.defined.extend(items.iter().filter_map(decl::defined_name));
    }

    /// Ends a unit: what it declares with external linkage is known to the others.
    pub(super) fn leave_unit(&mut self, externally_defined: &FxHashSet<Name>) {
        let mut names: Vec<(Name, Symbol)> =
            self.scopes[0].names.iter().map(|(name, symbol)| (name.clone(), symbol.clone())).collect();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, symbol) in names {
            if name.starts_with(OWN) {
                continue;
            }
            if self.links.internal.contains(&name) {
                if let Symbol::Func(f) = symbol {
                    self.links.static_functions.push((name, f));
                }
                continue;
            }
            let (ty, span) = match symbol {
                Symbol::Var(v) => (Some(self.cvars[v].ty), self.vars[v].span),
                Symbol::Func(f) => (Some(self.cfuncs[f]), self.funcs[f].span),
                Symbol::Refused(_) => (None, Span::default()),
                Symbol::Typedef(_) | Symbol::Constant(..) => continue,
            };
            match self.links.externals.get_mut(&name) {
                Some(known) => {
                    known.ty = match (known.ty, ty) {
                        (Some(a), Some(b)) => Some(self.ctypes.joined(a, b)),
                        (a, b) => a.or(b),
                    };
                }
                None => {
                    self.links.externals.insert(name, External { symbol, ty, span });
                }
            }
        }
        // Bodies with internal linkage belong to no other unit.
        self.defined.clone_from(externally_defined);
    }

    /// After the last unit: objects have the types that all units together give them.
    pub(super) fn leave_units(&mut self) {
        for (_, external) in std::mem::take(&mut self.links.externals) {
            let (Symbol::Var(v), Some(ty)) = (&external.symbol, external.ty) else { continue };
            self.cvars[*v].ty = ty;
            if !self.initialised.contains(v) {
                self.vars[*v].ty = self.hir(ty);
            }
        }
    }

    /// The function of a name where execution can start.
    pub(super) fn entry_function(&self, name: &str) -> Result<FuncId> {
        let missing = || issue(Span::default(), format!("there is no function '{name}' to start from"));
        let has_body = |f: &FuncId| !self.funcs[*f].blocks.is_empty();
        // A function of a file, where several have one of this name.
        let (file, name) = name.rsplit_once(':').map_or((None, name), |(file, name)| (Some(file), name));
        let is_there =
            |f: &FuncId| file.is_none_or(|file| self.source.position(self.funcs[*f].span).file == file);
        if let Some(External { symbol: Symbol::Func(f), .. }) = self.links.externals.get(name)
            && is_there(f)
        {
            return if has_body(f) { Ok(*f) } else { missing() };
        }
        let named =
            self.links.static_functions.iter().filter(|(n, f)| **n == *name && has_body(f) && is_there(f));
        match named.map(|(_, f)| *f).collect::<Vec<_>>().as_slice() {
            [] => missing(),
            [f] => Ok(*f),
            [f, g, ..] => {
                let (f, g) = (self.place(self.funcs[*f].span), self.place(self.funcs[*g].span));
                let message = format!("there are several functions '{name}' to start from: {f} and {g}");
                issue(Span::default(), message)
            }
        }
    }

    /// Is this function of the unit that is being lowered the one where execution starts? Others may have its name: those of other units
    /// that are `static`, and nested ones.
    pub(super) fn is_entry(&self, f: FuncId) -> bool {
        let name = &self.entry_name;
        let is_named = matches!(self.scopes[0].names.get(name), Some(Symbol::Func(named)) if *named == f);
        match &self.entry_file {
            Some(file) => is_named && *self.source.position(self.funcs[f].span).file == **file,
            None => is_named && !(self.entry_is_external && self.links.internal.contains(name)),
        }
    }

    /// A place in the words of messages.
    fn place(&self, span: Span) -> String {
        self.source.position(span).to_string()
    }

    /// What a name with external linkage means in the other units, if they mention it.
    fn linked(&self, name: &str) -> Option<&External> {
        match self.links.internal.contains(name) {
            true => None,
            false => self.links.externals.get(name),
        }
    }

    /// The variable of another unit that a declaration at file scope, or with `extern`, means.
    pub(super) fn linked_variable(&mut self, name: &Name, q: Q, span: Span) -> Result<Option<VarId>> {
        let Some(known) = self.linked(name) else { return Ok(None) };
        let at = known.span;
        let (v, ty) = match (&known.symbol, known.ty) {
            (Symbol::Var(v), Some(ty)) => (*v, ty),
            (Symbol::Refused(message), _) => return issue(span, message.to_string()),
            _ => {
                let at = self.place(at);
                return issue(span, format!("the variable '{name}' is declared as a function in {at}"));
            }
        };
        if !self.ctypes.alike(ty, q.ty) {
            let at = self.place(at);
            return issue(span, format!("'{name}' is declared with another type in {at}"));
        }
        self.cvars[v] = q;
        Ok(Some(v))
    }

    /// The type of a variable by all its declarations so far.
    pub(super) fn linked_type(&mut self, name: &str, ty: Ct) -> Ct {
        match self.linked(name).and_then(|known| known.ty) {
            Some(known) => self.ctypes.joined(known, ty),
            None => ty,
        }
    }

    /// The function of another unit that a declaration means.
    pub(super) fn linked_function(&mut self, name: &Name, ty: Ct, span: Span) -> Result<Option<FuncId>> {
        let Some(known) = self.linked(name) else { return Ok(None) };
        let at = known.span;
        let (f, old) = match (&known.symbol, known.ty) {
            (Symbol::Func(f), old) => (*f, old.unwrap_or(ty)),
            (Symbol::Refused(message), _) => return issue(span, message.to_string()),
            _ => {
                let at = self.place(at);
                return issue(span, format!("the function '{name}' is declared as a variable in {at}"));
            }
        };
        // Nobody defines these, and the units may declare them as they like.
        let is_free = names::is_library(name) || name.starts_with("__VERIFIER_");
        let is_free = is_free && !self.defined.contains(name);
        if !is_free && !self.ctypes.alike(old, ty) {
            let at = self.place(at);
            return issue(span, format!("'{name}' is declared with another type in {at}"));
        }
        self.implicit.remove(&f);
        if self.funcs[f].blocks.is_empty() {
            self.set_function_type(f, ty);
        } else {
            self.cfuncs[f] = ty;
        }
        Ok(Some(f))
    }

    /// Does this body of a function count? Then it is to be lowered, in place of any other.
    pub(super) fn counts(&mut self, id: FuncId, name: &Name, f: &FunctionDefinition) -> Result<bool> {
        let s = &f.specifiers;
        let is_gnu_inline = attribute::has(&s.attributes, "gnu_inline");
        let is_inline = match is_gnu_inline {
            true => s.is_inline && s.storage.is_extern,
            false => s.is_inline && !s.storage.is_extern && !self.links.plain.contains(name),
        };
        let strength = if is_inline && !s.storage.is_static {
            Strength::Inline
        } else if self.links.weak.contains(name) {
            Strength::Weak
        } else {
            Strength::Strong
        };
        let span = f.declarator.ident.as_ref().map_or(f.span, |i| i.span);
        let new = Definition { strength, name: span, span: f.span, unit: self.links.unit };
        let Some(&old) = self.links.definitions.get(&id).filter(|_| !self.funcs[id].blocks.is_empty()) else {
            self.links.definitions.insert(id, new);
            return Ok(true);
        };
        let twice = |this: &Self, what: &str| {
            let at = this.place(old.name);
            issue(span, format!("function '{name}' is {what}, here and in {at}"))
        };
        let counts = match (old.strength, strength) {
            // Within a unit, the definition follows the one for expansion.
            (Strength::Inline, Strength::Strong | Strength::Weak) if old.unit == new.unit => true,
            (Strength::Inline, _) | (_, Strength::Inline) if old.unit != new.unit => {
                if self.source.text(old.span) != self.source.text(new.span) {
                    return twice(self, "defined in different ways");
                }
                if old.strength == Strength::Inline {
                    self.links.definitions.insert(id, Definition { strength, ..old });
                }
                return Ok(false);
            }
            (Strength::Weak, Strength::Strong) if old.unit != new.unit => true,
            (_, Strength::Weak) if old.unit != new.unit => false,
            _ => return twice(self, "defined twice"),
        };
        if counts {
            self.links.definitions.insert(id, new);
            self.refused.retain(|r| r.0 != id);
            self.funcs[id].params.clear();
        }
        Ok(counts)
    }

    /// This unit defines a variable with external linkage: the definition gives way to those of other units, or they to it, if one of
    /// them is weak.
    pub(super) fn note_object(&mut self, v: VarId, name: &Name) {
        let new = Object { is_weak: self.links.weak.contains(name), unit: self.links.unit };
        match self.links.objects.get(&v) {
            Some(old) if old.unit == new.unit => {}
            Some(_) if new.is_weak => _ = self.links.outdone.insert(v),
            Some(old) => {
                if old.is_weak {
                    self.statics.retain(|s| s.var != v);
                    self.initialised.remove(&v);
                    self.links.initialisers.remove(&v);
                    self.links.objects.insert(v, new);
                }
            }
            None => _ = self.links.objects.insert(v, new),
        }
    }

    /// Does the definition of a variable in this unit give way to that of another one?
    pub(super) fn is_outdone(&self, v: VarId) -> bool {
        self.links.outdone.contains(&v)
    }

    /// A static object has one initialiser at most.
    pub(super) fn note_initialiser(&mut self, v: VarId, span: Span) -> Result<()> {
        match self.links.initialisers.insert(v, span) {
            None => Ok(()),
            Some(first) => {
                let (name, at) = (self.vars[v].name.clone(), self.place(first));
                issue(span, format!("'{name}' is initialised twice, here and in {at}"))
            }
        }
    }
}

impl CTypes {
    /// Are two types compatible that may come from different units? There, records and enumerations are the same type if
    /// they are declared alike.
    pub(super) fn alike(&self, a: Ct, b: Ct) -> bool {
        let mut open = vec![(a, b)];
        let mut seen: FxHashSet<(RecordId, RecordId)> = FxHashSet::default();
        while let Some((a, b)) = open.pop() {
            if a == b {
                continue;
            }
            match (self.get(a), self.get(b)) {
                (CType::Enum(x), CType::Enum(y)) => {
                    let (x, y) = (&self.enums[*x], &self.enums[*y]);
                    let is_open = x.underlying.is_none() || y.underlying.is_none();
                    if x.tag != y.tag || (!is_open && x.underlying != y.underlying) {
                        return false;
                    }
                }
                (CType::Enum(e), CType::Int(..)) if self.enums[*e].underlying == Some(b) => {}
                (CType::Int(..), CType::Enum(e)) if self.enums[*e].underlying == Some(a) => {}
                (CType::Pointer(x), CType::Pointer(y)) if x.quals == y.quals => open.push((x.ty, y.ty)),
                (CType::Array(x, m), CType::Array(y, n)) if x.quals == y.quals => {
                    if let (Length::Known(m), Length::Known(n)) = (m, n)
                        && m != n
                    {
                        return false;
                    }
                    open.push((x.ty, y.ty));
                }
                (CType::Complex(x), CType::Complex(y)) => open.push((*x, *y)),
                (CType::Vector(x, m), CType::Vector(y, n)) if m == n => open.push((*x, *y)),
                (CType::Function(f), CType::Function(g)) => {
                    open.push((f.result.ty, g.result.ty));
                    if let (Some(x), Some(y)) = (&f.params, &g.params) {
                        if x.len() != y.len() || f.variadic != g.variadic {
                            return false;
                        }
                        open.extend(x.iter().zip(y).map(|(a, b)| (a.ty, b.ty)));
                    }
                }
                (CType::Record(x), CType::Record(y)) => {
                    if seen.insert((*x, *y)) && !self.same_members(*x, *y, &mut open) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// Do two records have the same tag and the same members, provided that the types are the same that are left to compare?
    fn same_members(&self, a: RecordId, b: RecordId, open: &mut Vec<(Ct, Ct)>) -> bool {
        let (a, b) = (&self.records[a], &self.records[b]);
        if a.tag != b.tag || a.is_union != b.is_union {
            return false;
        }
        let (Some(x), Some(y)) = (&a.fields, &b.fields) else { return true };
        if (a.size, a.align, x.len()) != (b.size, b.align, y.len()) {
            return false;
        }
        open.extend(x.iter().zip(y.iter()).map(|(f, g)| (f.ty.ty, g.ty.ty)));
        x.iter()
            .zip(y.iter())
            .all(|(f, g)| (&f.name, f.offset, f.bits, f.ty.quals) == (&g.name, g.offset, g.bits, g.ty.quals))
    }

    /// What two types together say of an object.
    pub(super) fn joined(&mut self, a: Ct, b: Ct) -> Ct {
        match (self.get(a), self.get(b)) {
            (CType::Record(r), CType::Record(_)) if self.records[*r].fields.is_none() => b,
            _ => self.composite(a, b),
        }
    }
}
