//! From the syntax tree to the typed program: the semantic analysis of C.
//!
//! Types of C ([`ctype`]) keep qualifiers, kinds of `char`, enumerations and widths of bit-fields; what reaches the typed
//! program are plain types. An expression is lowered to what it denotes ([`object`]): an object with its pending checks, a
//! value, a function or nothing. Mistakes in the program are collected and reported together; what has no meaning here is
//! noted for the function that it is in, and refused if that function can be called.

mod arguments;
mod asm;
mod assign;
mod atomic;
mod attribute;
mod branch;
mod build;
mod builtin;
mod call;
mod complex;
mod contract;
mod convert;
mod ctype;
mod decl;
mod declarator;
mod entry;
mod expr;
mod fields;
mod format;
mod function;
mod init;
mod label;
mod library;
mod lifetime;
mod link;
mod literal;
mod math;
mod names;
mod nested;
mod object;
mod ops;
mod other_tools;
mod print;
mod redeclared;
mod scan;
mod size;
mod specifier;
mod stmt;
mod tags;
mod variadic;
mod vector;

use super::hir::{
    Base, Block, BlockId, Expr, ExprId, FuncId, Function, InputSite, Place, StaticValue, Terminator,
    TypedExpr, Unit, VarId, Variable,
};
use super::syntax::Parsed;
use super::syntax::ast::{self, Tree};
use super::syntax::source::{Issue, Source};
use super::types::{RecordId, TypeId, Types};
use super::{Options, Properties};
use bolide_base::IdVec;
use bolide_model::{Assumption, InputId, Property, PropertyId, Span};
use ctype::{CTypes, Ct, EnumId, Q};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub(super) use build::fold_int;
pub(super) use builtin::MODELS;
pub(super) use contract::swap_stand_ins;

type Result<T> = std::result::Result<T, Issue>;
type Name = Arc<str>;

/// What a name means.
#[derive(Clone, Debug)]
enum Symbol {
    Var(VarId),
    Func(FuncId),
    Typedef(Q),
    Constant(i128, Ct),
    /// Something whose declaration has a mistake, or no meaning here; the message about it.
    Refused(Arc<str>),
}

/// What a tag means.
#[derive(Clone, Copy, Debug)]
enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

#[derive(Clone, Default)]
struct Scope {
    names: FxHashMap<Name, Symbol>,
    tags: FxHashMap<Name, Tag>,
    /// A number that no other scope has, where lifetimes matter.
    id: usize,
    /// Variables whose lifetimes end with the scope, where that matters.
    lifetimes: Vec<VarId>,
    /// The scope is the rest of a block behind a variable with a function that is called at the end.
    cleanup: Option<(VarId, FuncId)>,
}

/// A function under construction.
struct Body {
    func: FuncId,
    result: Ct,
    /// Where a record result is left for the caller.
    result_slot: Option<VarId>,
    blocks: IdVec<BlockId, Block>,
    current: BlockId,
    labels: label::Labels,
    breaks: Vec<BlockId>,
    continues: Vec<BlockId>,
    switches: Vec<stmt::Switch>,
    lifetimes: lifetime::Lifetimes,
    /// The first thing in it that is unsupported.
    unsupported: Option<PropertyId>,
    contract: contract::Contract,
}

impl Body {
    /// An empty function with a result of a type.
    fn new(func: FuncId, result: Ct) -> Body {
        // A block has no span until it has an end.
        let block = Block { instrs: Vec::new(), end: Terminator::Halt, span: Span::default() };
        Body {
            func,
            result,
            result_slot: None,
            current: BlockId::new(0),
            blocks: std::iter::once(block).collect(),
            labels: label::Labels::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            lifetimes: lifetime::Lifetimes::default(),
            unsupported: None,
            contract: contract::Contract::default(),
        }
    }
}

/// Slots through which records travel into and out of a function.
#[derive(Clone, Default)]
struct Slots {
    params: Vec<Option<VarId>>,
    result: Option<VarId>,
}

/// The state of the lowering.
struct Lower<'a> {
    tree: &'a Tree,
    source: &'a Source,
    /// What the texts mention.
    texts: &'a [Parsed],
    properties_wanted: Properties,
    /// May allocations fail?
    malloc_fails: bool,
    /// Are lifetimes and sizes of objects followed?
    follows_objects: bool,
    /// The functions in which a jump may lead back to a label.
    jumps_back: FxHashSet<FuncId>,
    /// Does it matter which scopes a jump leaves?
    follows_scopes: bool,
    /// The call whose value nobody wants.
    unwanted: Option<Span>,
    /// The name of the function where execution starts.
    entry_name: Name,
    /// The file that it is in, where several have one of this name.
    entry_file: Option<Name>,
    /// Does some unit define it with external linkage?
    entry_is_external: bool,
    types: Types,
    ctypes: CTypes,
    vars: IdVec<VarId, Variable>,
    /// The types of the variables in C.
    cvars: IdVec<VarId, Q>,
    funcs: IdVec<FuncId, Function>,
    /// The types of the functions in C.
    cfuncs: IdVec<FuncId, Ct>,
    exprs: IdVec<ExprId, TypedExpr>,
    /// Is a variable one of the lowering, which nothing changes once it has been read?
    temps: IdVec<VarId, bool>,
    /// Does the value of an expression depend on memory that later instructions may change?
    reads: IdVec<ExprId, bool>,
    statics: Vec<StaticValue>,
    inputs: IdVec<InputId, InputSite>,
    properties: IdVec<PropertyId, Property>,
    assumptions: Vec<(Option<FuncId>, Assumption)>,
    refused: Vec<(FuncId, Issue)>,
    unsupported: Vec<(PropertyId, Issue)>,
    /// Static objects whose initial values have no meaning here.
    refused_vars: Vec<(VarId, Issue)>,
    /// Functions that were called before they were declared.
    implicit: FxHashSet<FuncId>,
    /// What is wrong with the program.
    issues: Vec<Issue>,
    /// Functions in old style with parameters of types that arguments are promoted from.
    promoted_params: Vec<FuncId>,
    scopes: Vec<Scope>,
    links: link::Links,
    body: Option<Body>,
    slots: FxHashMap<FuncId, Slots>,
    strings: FxHashMap<Vec<u8>, VarId>,
    /// Variables that are declared and never defined.
    undefined: indexmap::IndexSet<VarId>,
    /// Variables with an initialiser.
    initialised: FxHashSet<VarId>,
    /// The functions that have a body somewhere.
    defined: FxHashSet<Name>,
    /// The functions that are declared under a name that is not that of their body.
    renamed: FxHashSet<Name>,
    /// The names that variables have for the linker, where they are not their own.
    labels: FxHashSet<Name>,
    /// The names that stand for other functions of the same unit by an attribute.
    aliases: FxHashMap<Name, Name>,
    /// Functions that are called before the program starts, with their priorities, the lowest first.
    constructors: Vec<(i128, FuncId)>,
    /// The functions that are declared never to return.
    endless: FxHashSet<Name>,
    /// The type of lists of arguments.
    list_type: Option<TypeId>,
    /// The lists that were passed to a function since they were started: nobody knows where they are.
    passed_lists: FxHashSet<VarId>,
    /// Arrays of variable length, which are pointers to their objects.
    variable_arrays: FxHashSet<VarId>,
    /// Is a constant wanted, so that nothing may be evaluated?
    wants_constant: bool,
    /// Lengths that parameters of the current function are declared with and that are nothing but evaluated.
    parameter_lengths: Vec<crate::c::syntax::ast::ExprId>,
    /// Is an expression read for its type only?
    is_unevaluated: bool,
    /// Numbers of labels whose address is taken.
    next_label: i128,
    nested: nested::Nested,
    /// The values of integers that are declared `constexpr`.
    constants: FxHashMap<VarId, i128>,
    /// The date that functions of the library share.
    common_date: Option<VarId>,
    /// The function that stands for what is outside of all functions.
    scratch: Option<FuncId>,
    /// The function whose static initialiser is being read.
    suspended: Option<Body>,
    /// The slots for records that calls through pointers use, by type and number.
    shared_slots: FxHashMap<(TypeId, usize), VarId>,
    /// A name for what is local to a block: statics, local labels.
    next_unique: usize,
    /// The number of the next scope, where lifetimes matter.
    next_scope: usize,
    /// Is every function with a contract verified on its own?
    is_modular: bool,
    /// The functions with contracts, if so.
    parts: Vec<super::hir::Part>,
}

fn issue<T>(span: Span, message: impl Into<String>) -> Result<T> {
    Err(Issue { span, message: message.into() })
}

/// How messages about constructs of C that are not supported begin.
const UNSUPPORTED: &str = "unsupported: ";
/// After so many messages nothing more is said.
const MOST_ISSUES: usize = 20;

fn unsupported<T>(span: Span, what: impl std::fmt::Display) -> Result<T> {
    issue(span, format!("{UNSUPPORTED}{what}"))
}

/// Types a program of one or several units, together with the models of library functions.
pub(super) fn lower(
    source: &Source,
    units: &[Parsed],
    models: &Tree,
    options: &Options,
) -> std::result::Result<Unit, Vec<Issue>> {
    let follows_objects = options.properties.guard_memory() || units.iter().any(lifetime::needs_sizes);
    let mut lower = Lower {
        tree: models,
        source,
        texts: units,
        properties_wanted: options.properties,
        malloc_fails: options.malloc_fails,
        follows_objects,
        jumps_back: FxHashSet::default(),
        follows_scopes: follows_objects || units.iter().any(lifetime::cleans_up),
        unwanted: None,
        entry_name: options.entry.as_deref().and_then(|e| e.rsplit(':').next()).unwrap_or("main").into(),
        entry_file: options.entry.as_deref().and_then(|e| e.rsplit_once(':')).map(|(file, _)| file.into()),
        entry_is_external: false,
        types: Types::new(options.data_model),
        ctypes: CTypes::new(options.data_model),
        vars: IdVec::new(),
        cvars: IdVec::new(),
        funcs: IdVec::new(),
        cfuncs: IdVec::new(),
        exprs: IdVec::new(),
        reads: IdVec::new(),
        temps: IdVec::new(),
        statics: Vec::new(),
        inputs: IdVec::new(),
        properties: IdVec::new(),
        assumptions: Vec::new(),
        refused: Vec::new(),
        unsupported: Vec::new(),
        refused_vars: Vec::new(),
        implicit: FxHashSet::default(),
        issues: Vec::new(),
        promoted_params: Vec::new(),
        scopes: vec![Scope::default()],
        links: link::Links::default(),
        body: None,
        slots: FxHashMap::default(),
        strings: FxHashMap::default(),
        undefined: indexmap::IndexSet::new(),
        initialised: FxHashSet::default(),
        defined: FxHashSet::default(),
        renamed: FxHashSet::default(),
        labels: FxHashSet::default(),
        aliases: FxHashMap::default(),
        constructors: Vec::new(),
        endless: FxHashSet::default(),
        list_type: None,
        passed_lists: FxHashSet::default(),
        variable_arrays: FxHashSet::default(),
        wants_constant: false,
        parameter_lengths: Vec::new(),
        is_unevaluated: false,
        next_label: 1,
        nested: nested::Nested::default(),
        constants: FxHashMap::default(),
        common_date: None,
        scratch: None,
        suspended: None,
        shared_slots: FxHashMap::default(),
        next_unique: 0,
        next_scope: 1,
        is_modular: options.modular,
        parts: Vec::new(),
    };
    if options.properties.labels.is_none() {
        let mentions = names::error_names().any(|name| units.iter().any(|unit| unit.mentions(name)));
        lower.properties_wanted.labels = Some(!mentions);
    }
    lower.predefine();
    let external = units.iter().flat_map(|unit| link::defined_externally(&unit.tree.items));
    let external: FxHashSet<Name> =
        models.items.iter().filter_map(decl::defined_name).chain(external).collect();
    lower.entry_is_external = external.contains(&lower.entry_name);
    lower.defined.clone_from(&external);
    lower.models(models);
    lower.keep_base();
    for unit in units {
        lower.find_renamed(&unit.tree);
    }
    for (n, unit) in units.iter().enumerate() {
        lower.tree = &unit.tree;
        lower.enter_unit(n);
        for item in &unit.tree.items {
            lower.item(item);
        }
        lower.leave_unit(&external);
    }
    if lower.issues.is_empty()
        && let Err(e) = lower.match_arguments()
    {
        lower.report(e);
    }
    lower.finish(options.entry.as_deref().unwrap_or("main"), options.open_globals)
}

impl<'a> Lower<'a> {
    /// Names that need no declaration.
    fn predefine(&mut self) {
        // From the competition's assert.h, which its tasks include without carrying it.
        let int = self.ctypes.int();
        self.scopes[0].names.insert("LARGE_INT".into(), Symbol::Constant(1_000_000, int));
    }

    /// The names that the task uses otherwise than in calls: addresses of functions may be among them.
    fn names_as_values(&self) -> FxHashSet<&'a str> {
        let mut out = FxHashSet::default();
        for text in self.texts {
            let exprs = &text.tree.exprs;
            let called: FxHashSet<ast::ExprId> = exprs
                .iter()
                .filter_map(|e| match e.kind {
                    ast::ExprKind::Call(callee, _) => Some(callee),
                    _ => None,
                })
                .collect();
            for (id, e) in exprs.iter_enumerated() {
                if let ast::ExprKind::Name(name) = &e.kind
                    && !called.contains(&id)
                {
                    out.insert(names::plain(name));
                }
            }
        }
        out
    }

    /// Does the task use what `printf` or `fprintf` returns?
    fn wants_counts(&self) -> bool {
        self.texts.iter().any(|text| {
            let tree = &text.tree;
            let statements: FxHashSet<ast::ExprId> = tree
                .stmts
                .iter()
                .filter_map(|s| match s.kind {
                    ast::StmtKind::Expr(e) => Some(e),
                    _ => None,
                })
                .collect();
            tree.exprs.iter_enumerated().any(|(id, e)| {
                let ast::ExprKind::Call(callee, _) = e.kind else { return false };
                let ast::ExprKind::Name(name) = &tree.exprs[callee].kind else { return false };
                matches!(names::plain(name), "printf" | "fprintf") && !statements.contains(&id)
            })
        })
    }

    /// Lowers the models that are mentioned, by the task or by a later model, so that calls find them.
    fn models(&mut self, models: &'a Tree) {
        let has_arguments = self.texts.iter().any(|u| u.tree.items.iter().any(entry::takes_arguments));
        let prints = names::printers()
            .any(|name| names::variants(name).iter().any(|name| self.texts.iter().any(|t| t.mentions(name))));
        let scans = self.texts.iter().any(|t| names::is_scanned(|name| t.mentions(name)));
        let inputs = self.texts.iter().any(|t| names::is_input_scanned(|name| t.mentions(name)));
        let (values, counts) = (self.names_as_values(), self.wants_counts());
        let mut mentioned = Vec::new();
        let mut texts: Vec<&str> = Vec::new();
        for item in models.items.iter().rev() {
            let name = decl::defined_name(item);
            let is_mentioned = |name: &str| {
                names::variants(name).iter().any(|name| self.texts.iter().any(|t| t.mentions(name)))
                    || texts.iter().any(|text| text.contains(name))
            };
            let is_mentioned = |name: &str| match name {
                _ if name.starts_with(builtin::POINTED) => values.contains(&name[builtin::POINTED.len()..]),
                "__arguments" => has_arguments,
                "__put_stores" => prints,
                _ if name.starts_with(builtin::SCANNING) => scans,
                builtin::INPUT_TEXT => inputs,
                "__put" | "__put_string" | "__put_char" | "__put_number" | "__put_signed" if counts => true,
                // What library functions read is checked by it.
                "strlen" if self.checks_reads() => true,
                "strnlen" | "wcslen" if self.checks_reads() && prints => true,
                _ => is_mentioned(name),
            };
            if name.as_deref().and_then(builtin::modelled).is_none_or(is_mentioned) {
                if let ast::Item::Function(f) = item {
                    let base = super::models_base(self.source);
                    texts.push(&MODELS[(f.span.start - base) as usize..(f.span.end - base) as usize]);
                }
                mentioned.push(item);
            }
        }
        for item in mentioned.into_iter().rev() {
            // The arguments of `main` are made by the system, not by the program.
            let is_system = decl::defined_name(item).as_deref() == Some(entry::ARGUMENTS);
            let unchecked = Properties {
                overflow: false,
                div_by_zero: false,
                bounds: false,
                null: false,
                shift: false,
                ..self.properties_wanted
            };
            let wanted = self.properties_wanted;
            if is_system {
                self.properties_wanted = unchecked;
            }
            self.item(item);
            self.properties_wanted = wanted;
        }
    }

    fn item(&mut self, item: &'a ast::Item) {
        let outcome = match item {
            ast::Item::Declaration(d) => self.declaration(d),
            ast::Item::Function(f) => self.function(f),
            ast::Item::StaticAssert(a) => self.static_assert(a),
            ast::Item::Asm(a) => self.file_asm(a),
        };
        if let Err(e) = outcome {
            self.report(e);
        }
    }

    /// Notes what is wrong with the program, or what has no meaning here: that is only a problem where it can be executed.
    fn report(&mut self, issue: Issue) {
        match (&self.body, issue.message.starts_with(UNSUPPORTED)) {
            // Types that could not be found out may be wrong.
            (Some(_), true) if self.is_unevaluated => self.refuse_function(issue),
            (Some(_), true) => self.stop_here(issue),
            _ => {
                // A name that is not declared is said once.
                let is_same = |i: &Issue| {
                    i.message == issue.message && (i.span == issue.span || issue.message.starts_with('\''))
                };
                let is_new = !self.issues.iter().any(is_same);
                if is_new && self.issues.len() < MOST_ISSUES {
                    self.issues.push(issue);
                }
            }
        }
    }

    /// Refuses the function under construction, if it can be called.
    fn refuse_function(&mut self, issue: Issue) {
        let Some(func) = self.body.as_ref().map(|b| b.func) else { return };
        if !self.refused.iter().any(|r| r.0 == func) {
            self.refused.push((func, issue));
        }
    }

    /// No execution may come here, since what follows is unsupported. Blocks that are left without an end must not be reached
    /// either.
    fn stop_here(&mut self, issue: Issue) {
        let span = issue.span;
        let property = self.properties.push(Property { name: issue.message.clone(), span });
        self.unsupported.push((property, issue));
        self.body().unsupported.get_or_insert(property);
        self.stop(Terminator::Error(property), span);
    }

    fn span(&self, e: ast::ExprId) -> Span {
        self.tree.exprs[e].span
    }

    /// A variable's address is taken if a place of it stands under an address operator that is still in use.
    fn mark_addresses(&mut self) {
        let mut roots: Vec<ExprId> = self.statics.iter().map(|s| s.value).collect();
        for b in self.funcs.iter().flat_map(|f| f.blocks.iter()) {
            roots.extend(b.instrs.iter().flat_map(|i| i.kind.operands()));
            match &b.end {
                Terminator::Branch(e, ..) | Terminator::Switch(e, ..) | Terminator::Return(Some(e)) => {
                    roots.push(*e)
                }
                _ => {}
            }
        }
        let mut seen: IdVec<ExprId, bool> = self.exprs.iter().map(|_| false).collect();
        while let Some(e) = roots.pop() {
            if std::mem::replace(&mut seen[e], true) {
                continue;
            }
            let expr = &self.exprs[e].expr;
            if let Expr::Addr(Place { base: Base::Var(v), .. }) = expr {
                self.vars[*v].address_taken = true;
            }
            roots.extend(expr.operands());
        }
    }

    /// Strings in the text and static objects that are `const` must not be changed.
    fn note_constants(&mut self) {
        for v in self.vars.ids().collect::<Vec<_>>() {
            let is_constant = self.ctypes.innermost_is_const(self.cvars[v]);
            self.vars[v].is_constant = self.vars[v].storage == super::hir::Storage::Static && is_constant;
        }
        for v in self.strings.values() {
            self.vars[*v].is_constant = true;
        }
    }

    fn finish(mut self, entry: &str, open_globals: bool) -> std::result::Result<Unit, Vec<Issue>> {
        self.require_bodies();
        let entry = match self.entry_function(entry) {
            Ok(entry) => Some(entry),
            // Contracts can be verified without a program that uses them.
            Err(_) if entry == "main" && !self.parts.is_empty() => None,
            Err(issue) => {
                if self.issues.is_empty() {
                    self.report(issue);
                }
                None
            }
        };
        self.leave_units();
        if !self.issues.is_empty() {
            self.issues.sort_by_key(|i| i.span.start);
            return Err(self.issues);
        }
        let entry = match entry.map(|entry| self.start(entry)).transpose() {
            Ok(entry) => entry,
            Err(e) => return Err(vec![e]),
        };
        let modular = match self.modular(entry) {
            Ok(modular) => modular,
            Err(e) => return Err(vec![e]),
        };
        let Some(entry) = entry.or(modular.as_ref().map(|m| m.start)) else {
            let message = "unsupported: a program without 'main' whose contracts cannot be used".into();
            return Err(vec![Issue { span: Span::default(), message }]);
        };
        self.share_slots();
        self.complete_objects();
        self.complete_undefined_arrays();
        self.refuse_labels();
        self.mark_addresses();
        self.keep_addresses();
        self.note_constants();
        self.refuse_old_style(entry);
        self.refuse_frames();
        self.refuse_users();
        if open_globals {
            self.open_globals();
        }
        self.open_undefined(entry, open_globals);
        Ok(Unit {
            types: self.types,
            vars: self.vars,
            funcs: self.funcs,
            exprs: self.exprs,
            statics: self.statics,
            inputs: self.inputs,
            properties: self.properties,
            assumptions: self.assumptions,
            refused: self.refused,
            unsupported: self.unsupported,
            entry,
            guards_memory: self.follows_objects,
            tracks_contents: self.properties_wanted.uninit,
            modular,
        })
    }

    /// Calls through pointers know the types of parameters, but not that arguments of functions in old style are promoted.
    fn refuse_old_style(&mut self, entry: FuncId) {
        for &f in &self.promoted_params {
            if self.funcs[f].address_taken {
                let what = "the address of a function in old style with parameters that are promoted";
                let message = format!("{UNSUPPORTED}{what}");
                self.refused.push((entry, Issue { span: self.funcs[f].span, message }));
            }
        }
    }

    fn find(&self, name: &str) -> Option<&Symbol> {
        self.scopes.iter().rev().find_map(|s| s.names.get(name))
    }

    fn find_tag(&self, name: &str) -> Option<Tag> {
        self.scopes.iter().rev().find_map(|s| s.tags.get(name).copied())
    }

    fn bind(&mut self, name: &Name, symbol: Symbol) {
        let scope = self.scopes.last_mut().expect("the file scope is always there");
        scope.names.insert(name.clone(), symbol);
    }

    /// Something that is taken for granted, said once in a function.
    fn assume_that(&mut self, text: String, span: Span) {
        let function = self.body.as_ref().map(|b| b.func);
        let same = self.assumptions.iter().rev().take_while(|(f, _)| *f == function);
        if !same.into_iter().any(|(_, a)| a.text == text) {
            self.assumptions.push((function, Assumption { text, span }));
        }
    }

    fn ty(&self, e: ExprId) -> TypeId {
        self.exprs[e].ty
    }

    fn int_value(&self, e: ExprId) -> Option<i128> {
        match self.exprs[e].expr {
            Expr::Int(v) => Some(v),
            _ => None,
        }
    }

    /// A number that nothing else has.
    fn unique(&mut self) -> usize {
        self.next_unique += 1;
        self.next_unique
    }

    /// Does something in a scope of its own.
    fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let scope = self.new_scope();
        self.scopes.push(scope);
        let outcome = work(self);
        self.leave_scope();
        outcome
    }
}
