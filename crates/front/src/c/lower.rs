//! From the syntax tree to the typed program.

mod atomic;
mod branch;
mod build;
mod builtin;
mod convert;
mod decl;
mod expr;
mod init;
mod library;
mod literal;
mod math;
mod names;
mod ops;
mod stmt;
mod tags;
mod variadic;

use super::hir::{
    Base, Block, BlockId, Expr, ExprId, FuncId, Function, InputSite, Instr, InstrKind, Place, StaticValue,
    Terminator, TypedExpr, Unit, VarId, Variable,
};
use super::source::{Issue, Source};
use super::types::{Field, RecordId, Type, TypeId, Types};
use super::{Options, Properties};
use bolide_base::IdVec;
use bolide_model::{Assumption, InputId, Property, PropertyId, Span};
use lang_c::driver::{Config, Flavor};
use rustc_hash::FxHashMap;

pub(super) use build::fold_int;

type Result<T> = std::result::Result<T, Issue>;

/// What a name means.
#[derive(Clone, Debug)]
enum Symbol {
    Var(VarId),
    Func(FuncId),
    Typedef(TypeId),
    Constant(i128, TypeId),
}

/// What a tag means.
#[derive(Clone, Copy, Debug)]
enum Tag {
    Record(RecordId),
    Enum(TypeId),
}

#[derive(Default)]
struct Scope {
    names: FxHashMap<String, Symbol>,
    tags: FxHashMap<String, Tag>,
}

/// A function under construction.
struct Body {
    func: FuncId,
    result: TypeId,
    /// Where a record result is left for the caller.
    result_slot: Option<VarId>,
    blocks: IdVec<BlockId, Block>,
    current: BlockId,
    labels: FxHashMap<String, BlockId>,
    /// Labels that were mentioned, with the first mention, and those that were placed.
    mentioned: Vec<(String, Span)>,
    placed: rustc_hash::FxHashSet<String>,
    breaks: Vec<BlockId>,
    continues: Vec<BlockId>,
    switches: Vec<stmt::Switch>,
}

/// Slots through which records travel into and out of a function.
#[derive(Clone, Default)]
struct Slots {
    params: Vec<Option<VarId>>,
    result: Option<VarId>,
}

/// The state of the lowering.
struct Lower<'a> {
    source: &'a Source,
    properties_wanted: Properties,
    types: Types,
    vars: IdVec<VarId, Variable>,
    funcs: IdVec<FuncId, Function>,
    exprs: IdVec<ExprId, TypedExpr>,
    statics: Vec<StaticValue>,
    inputs: IdVec<InputId, InputSite>,
    properties: IdVec<PropertyId, Property>,
    assumptions: Vec<(Option<FuncId>, Assumption)>,
    refused: Vec<(FuncId, Issue)>,
    /// Functions in old style with parameters of types that arguments are promoted from.
    promoted_params: Vec<FuncId>,
    scopes: Vec<Scope>,
    body: Option<Body>,
    slots: FxHashMap<FuncId, Slots>,
    strings: FxHashMap<Vec<u8>, VarId>,
    /// Variables that are declared and never defined.
    undefined: indexmap::IndexSet<VarId>,
    /// The functions that have a body somewhere.
    defined: rustc_hash::FxHashSet<String>,
    /// The functions that are declared under a name that is not that of their body.
    renamed: rustc_hash::FxHashSet<String>,
    /// The functions that are declared never to return.
    endless: rustc_hash::FxHashSet<String>,
    /// The type of lists of arguments.
    list_type: Option<TypeId>,
    /// The lists that were passed to a function since they were started: nobody knows where they are.
    passed_lists: rustc_hash::FxHashSet<VarId>,
    /// Arrays of variable length, which are pointers in disguise.
    variable_arrays: rustc_hash::FxHashSet<VarId>,
    /// The lengths of the rows of those that have two dimensions.
    row_lengths: FxHashMap<VarId, ExprId>,
}

fn issue<T>(span: Span, message: impl Into<String>) -> Result<T> {
    Err(Issue { span, message: message.into() })
}

/// How messages about constructs of C that are not supported begin.
const UNSUPPORTED: &str = "unsupported: ";

fn unsupported<T>(span: Span, what: impl std::fmt::Display) -> Result<T> {
    issue(span, format!("{UNSUPPORTED}{what}"))
}

fn span_of<T>(node: &lang_c::span::Node<T>) -> Span {
    if node.span.is_none() {
        return Span::default();
    }
    Span { start: node.span.start as u32, end: node.span.end as u32 }
}

/// Parses and types a text.
pub(super) fn lower(source: &Source, options: &Options) -> Result<Unit> {
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    let text = format!("{}\n{}", source.clean(), builtin::MODELS);
    let parsed = lang_c::driver::parse_preprocessed(&config, text).map_err(|e| {
        let mut expected: Vec<&str> =
            e.expected.iter().copied().filter(|t| !t.is_empty() && !t.starts_with('[')).collect();
        expected.sort_unstable();
        expected.truncate(6);
        let hint =
            if expected.is_empty() { String::new() } else { format!(", expected {}", expected.join(" or ")) };
        Issue {
            span: Span { start: e.offset as u32, end: e.offset as u32 + 1 },
            message: format!("syntax error{hint}"),
        }
    })?;
    let mut lower = Lower {
        source,
        properties_wanted: options.properties,
        types: Types::new(options.data_model),
        vars: IdVec::new(),
        funcs: IdVec::new(),
        exprs: IdVec::new(),
        statics: Vec::new(),
        inputs: IdVec::new(),
        properties: IdVec::new(),
        assumptions: Vec::new(),
        refused: Vec::new(),
        promoted_params: Vec::new(),
        scopes: vec![Scope::default()],
        body: None,
        slots: FxHashMap::default(),
        strings: FxHashMap::default(),
        undefined: indexmap::IndexSet::new(),
        defined: rustc_hash::FxHashSet::default(),
        renamed: rustc_hash::FxHashSet::default(),
        endless: rustc_hash::FxHashSet::default(),
        list_type: None,
        passed_lists: rustc_hash::FxHashSet::default(),
        variable_arrays: rustc_hash::FxHashSet::default(),
        row_lengths: FxHashMap::default(),
    };
    if options.properties.labels.is_none() {
        lower.properties_wanted.labels = Some(!names::mentions_error(source.clean()));
    }
    lower.predefine();
    lower.defined = parsed.unit.0.iter().filter_map(decl::defined_name).collect();
    lower.find_renamed(&parsed.unit.0);
    // The models come last in the text and are lowered first, so that calls find them; only those that are mentioned, by the
    // task or by a later model.
    let end = source.clean().len();
    let (models, own): (Vec<_>, Vec<_>) = parsed.unit.0.iter().partition(|i| i.span.start > end);
    let mut mentioned = Vec::new();
    let mut texts = vec![source.clean()];
    for item in models.into_iter().rev() {
        let name = decl::defined_name(item);
        let is_mentioned = |name: &str| texts.iter().any(|text| text.contains(name));
        if name.as_deref().and_then(builtin::modelled).is_none_or(is_mentioned) {
            texts.push(&parsed.source[item.span.start..item.span.end]);
            mentioned.push(item);
        }
    }
    for item in mentioned.into_iter().rev().chain(own) {
        lower.external(item)?;
    }
    lower.match_arguments()?;
    lower.finish(options.entry.as_deref().unwrap_or("main"))
}

impl Lower<'_> {
    /// Names that need no declaration.
    fn predefine(&mut self) {
        let list = self.argument_list();
        self.scopes[0].names.insert("__builtin_va_list".into(), Symbol::Typedef(list));
        // From the competition's assert.h, which its tasks include without carrying it.
        let int = self.types.int();
        self.scopes[0].names.insert("LARGE_INT".into(), Symbol::Constant(1_000_000, int));
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

    fn finish(mut self, entry: &str) -> Result<Unit> {
        self.mark_addresses();
        let entry = match self.scopes[0].names.get(entry) {
            Some(Symbol::Func(f)) if !self.funcs[*f].blocks.is_empty() => *f,
            _ => return issue(Span::default(), format!("there is no function '{entry}' to start from")),
        };
        for &f in &self.promoted_params {
            if self.funcs[f].address_taken {
                let what = "the address of a function in old style with parameters that are promoted";
                let message = format!("{UNSUPPORTED}{what}");
                self.refused.push((entry, Issue { span: self.funcs[f].span, message }));
            }
        }
        self.open_undefined(entry);
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
            entry,
        })
    }

    /// The variables that are mentioned.
    fn used(&self) -> rustc_hash::FxHashSet<VarId> {
        let of_place = |p: &Place| match p.base {
            Base::Var(v) => Some(v),
            Base::Deref(_) => None,
        };
        let of_expr = |e: &TypedExpr| match &e.expr {
            Expr::Load(p) | Expr::Addr(p) => of_place(p),
            _ => None,
        };
        let instrs = self.funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instrs);
        let places = instrs.flat_map(|i| i.kind.places()).filter_map(of_place);
        self.exprs.iter().filter_map(of_expr).chain(places).collect()
    }

    /// Variables that nobody defines have any value when the program starts.
    fn open_undefined(&mut self, entry: FuncId) {
        let mut instrs = Vec::new();
        let used = self.used();
        for v in std::mem::take(&mut self.undefined) {
            if !used.contains(&v) {
                continue;
            }
            let (name, ty, span) = (self.vars[v].name.clone(), self.vars[v].ty, self.vars[v].span);
            if self.types.size_of(ty).is_some() {
                self.assume_that(format!("the undefined variable '{name}' starts with any value"), span);
                let input = self.input(&format!("undefined {name}"), ty, span);
                instrs.push(Instr { kind: InstrKind::Fresh(v, Some(input)), span });
            }
        }
        let first = &mut self.funcs[entry].blocks[BlockId::new(0)].instrs;
        first.splice(0..0, instrs);
    }

    fn find(&self, name: &str) -> Option<&Symbol> {
        self.scopes.iter().rev().find_map(|s| s.names.get(name))
    }

    fn find_tag(&self, name: &str) -> Option<Tag> {
        self.scopes.iter().rev().find_map(|s| s.tags.get(name).copied())
    }

    fn bind(&mut self, name: &str, symbol: Symbol) {
        let scope = self.scopes.last_mut().expect("the file scope is always there");
        scope.names.insert(name.to_owned(), symbol);
    }

    /// Something that is taken for granted, said once in a function.
    fn assume_that(&mut self, text: String, span: Span) {
        let function = self.body.as_ref().map(|b| b.func);
        let same = self.assumptions.iter().rev().take_while(|(f, _)| *f == function);
        if !same.into_iter().any(|(_, a)| a.text == text) {
            self.assumptions.push((function, Assumption { text, span }));
        }
    }

    fn size(&self, ty: TypeId, span: Span) -> Result<u64> {
        match self.types.size_of(ty) {
            Some(n) if n < 1 << 31 => Ok(n),
            Some(_) => issue(span, "the type is too large"),
            None => issue(span, "the type is incomplete"),
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

    fn field(&self, ty: TypeId, name: &str, span: Span) -> Result<Field> {
        match self.types.get(ty) {
            Type::Record(r) => match self.types.field(*r, name) {
                Some(f) => Ok(f),
                None if self.types.records[*r].fields.is_none() => issue(span, "the structure is incomplete"),
                None => issue(span, format!("no member named '{name}'")),
            },
            _ => issue(span, format!("member '{name}' of something that is neither structure nor union")),
        }
    }
}
