//! Where execution starts: parameters of the entry are values from outside, and `main` gets its arguments as a system gives
//! them.

use super::call::AT_EXIT;
use super::ctype::CType;
use super::{Lower, Result, UNSUPPORTED, unsupported};
use crate::c::hir::{
    Base, Block, BlockId, Callee, CmpOp, Expr, ExprId, FuncId, Instr, InstrKind, Place, Storage, Terminator,
    TypedExpr, VarId,
};
use crate::c::syntax::ast::{Derived, Item, Parameters};
use crate::c::syntax::source::Issue;
use crate::c::types::Type;
use bolide_base::{Id, IdVec};
use bolide_model::Span;
use rustc_hash::FxHashSet;

/// What an undefined array of unknown length occupies.
const UNKNOWN_BYTES: u64 = 1 << 16;

/// The model that makes the arguments of `main`.
pub(super) const ARGUMENTS: &str = "__bolide_model___arguments";

impl Lower<'_> {
    /// The function where execution starts: the entry itself, or one that calls it if others call it, too.
    pub(super) fn start(&mut self, entry: FuncId) -> Result<FuncId> {
        let params = self.funcs[entry].params.clone();
        let has_body = |f: &FuncId| !self.funcs[*f].blocks.is_empty();
        let mut first: Vec<(i128, FuncId)> = self
            .constructors
            .iter()
            .copied()
            .filter(|c| self.funcs[entry].name == "main" && has_body(&c.1))
            .collect();
        let is_main = self.funcs[entry].name == "main";
        let last = self.model_of(AT_EXIT).filter(|_| is_main);
        if let Some(model) = last.filter(|_| self.properties_wanted.leak || self.properties_wanted.cleanup) {
            return unsupported(self.funcs[model].span, "'atexit' where memory must not be lost");
        }
        if !first.is_empty() || last.is_some() {
            first.sort_by_key(|c| c.0);
            return self.caller_of(entry, &params, &first, last);
        }
        if params.is_empty() || self.refused.iter().any(|r| r.0 == entry) {
            return Ok(entry);
        }
        // The body takes records from their slots, which a caller fills.
        let has_slots = self.slots_of(entry).params.iter().any(Option::is_some);
        if !has_slots && !self.is_called(entry) {
            let instrs = self.argument_instrs(entry, &params)?;
            let first = &mut self.funcs[entry].blocks[BlockId::new(0)].instrs;
            first.splice(0..0, instrs);
            return Ok(entry);
        }
        self.caller_of(entry, &params, &[], None)
    }

    fn is_called(&self, f: FuncId) -> bool {
        let mut instrs = self.funcs.iter().flat_map(|g| &g.blocks).flat_map(|b| &b.instrs);
        self.funcs[f].address_taken
            || instrs.any(|i| matches!(i.kind, InstrKind::Call(_, Callee::Direct(g), _) if g == f))
    }

    /// A function that calls another one with arguments from outside, after some that have no parameters, and before the model that calls
    /// those for the end.
    fn caller_of(
        &mut self,
        entry: FuncId,
        params: &[VarId],
        first: &[(i128, FuncId)],
        last: Option<FuncId>,
    ) -> Result<FuncId> {
        let span = self.funcs[entry].span;
        let ty = self.unknown_function();
        let name = format!("start of {}", self.funcs[entry].name);
        let start = self.new_function(&name, ty, Span::default());
        self.funcs[start].span = span;
        let mut own = Vec::with_capacity(params.len());
        for &p in params {
            let name = self.short_name(p);
            let ty = self.vars[p].ty;
            let v = self.new_var(&name, ty, Storage::Auto(start), Span::default());
            self.vars[v].span = self.vars[p].span;
            own.push(v);
        }
        let mut instrs = Vec::with_capacity(first.len());
        for &(_, f) in first {
            if !self.funcs[f].params.is_empty() {
                return unsupported(self.funcs[f].span, "a constructor with parameters");
            }
            instrs.push(Instr { kind: InstrKind::Call(None, Callee::Direct(f), Vec::new()), span });
        }
        instrs.extend(self.argument_instrs(start, &own)?);
        let slots = self.slots_of(entry);
        let mut args = Vec::with_capacity(own.len());
        for (n, &v) in own.iter().enumerate() {
            let ty = self.vars[v].ty;
            if let Some(slot) = slots.params.get(n).copied().flatten() {
                let kind = InstrKind::Copy(Place::var(slot, ty), Place::var(v, ty));
                instrs.push(Instr { kind, span });
                let int = self.types.int();
                args.push(self.int(0, int, Span::default()));
            } else {
                args.push(self.load_var(v, Span::default()));
            }
        }
        let result = match self.types.get(self.funcs[entry].ty) {
            Type::Function(s) if self.types.is_scalar(s.result) => Some(s.result),
            _ => None,
        };
        let target = result.map(|ty| {
            let v = self.new_var("result", ty, Storage::Auto(start), Span::default());
            Place::var(v, ty)
        });
        instrs.push(Instr { kind: InstrKind::Call(target, Callee::Direct(entry), args), span });
        if let Some(model) = last {
            let none = self.no_handler(model, Span::default());
            instrs.push(Instr { kind: InstrKind::Call(None, Callee::Direct(model), vec![none]), span });
        }
        let block = Block { instrs, end: Terminator::Halt, span };
        self.funcs[start].blocks = IdVec::from_iter([block]);
        Ok(start)
    }

    pub(super) fn short_name(&self, v: VarId) -> String {
        let name = &self.vars[v].name;
        name.rsplit("::").next().unwrap_or(name).to_owned()
    }

    /// Gives parameters their values.
    fn argument_instrs(&mut self, f: FuncId, params: &[VarId]) -> Result<Vec<Instr>> {
        let mut instrs = Vec::new();
        let is_main = self.funcs[f].name == "main" || self.funcs[f].name == "start of main";
        let used = self.used();
        for (n, &v) in params.iter().enumerate() {
            let (ty, span) = (self.vars[v].ty, self.vars[v].span);
            let name = self.short_name(v);
            let is_list = is_main && n > 0 && self.is_string_list(v);
            if is_list {
                if n == 1 && used.contains(&v) {
                    self.make_arguments(params[0], v, &mut instrs)?;
                    continue;
                }
                if n == 2 && used.contains(&v) {
                    self.make_environment(f, v, &mut instrs)?;
                    continue;
                }
                if n > 2 && used.contains(&v) {
                    let issue = Issue { span, message: format!("{UNSUPPORTED}the fourth parameter of main") };
                    self.refused.push((f, issue));
                    continue;
                }
            }
            if !is_main {
                self.make_parameter(f, v, &name, &mut instrs);
                continue;
            }
            let input = self.input(&name, ty, Span::default());
            self.inputs[input].span = span;
            let kind = match self.types.is_scalar(ty) {
                true => InstrKind::Input(Place::var(v, ty), input),
                false => InstrKind::Fresh(v, Some(input)),
            };
            instrs.push(Instr { kind, span });
            if is_main && n == 0 {
                self.assume_not_negative(v, &mut instrs);
            }
        }
        Ok(instrs)
    }

    fn is_string_list(&self, v: VarId) -> bool {
        let Some(to) = self.ctypes.pointee(self.cvars[v].ty) else { return false };
        self.ctypes
            .pointee(to.ty)
            .is_some_and(|c| matches!(self.ctypes.get(c.ty), CType::Char | CType::Int(1, _)))
    }

    fn assume_not_negative(&mut self, v: VarId, instrs: &mut Vec<Instr>) {
        let (ty, span) = (self.vars[v].ty, self.vars[v].span);
        if self.types.as_int(ty).is_none() {
            return;
        }
        let (zero, value, int) =
            (self.int(0, ty, Span::default()), self.load_var(v, Span::default()), self.types.int());
        let is = self.make(Expr::Compare(CmpOp::Le, zero, value), int, Span::default());
        instrs.push(Instr { kind: InstrKind::Assume(is), span });
    }

    /// The arguments of `main` are strings, the name of the program among them, and a null pointer ends them.
    fn make_arguments(&mut self, count: VarId, list: VarId, instrs: &mut Vec<Instr>) -> Result<()> {
        let span = self.vars[list].span;
        let argument = self.load_var(count, Span::default());
        let int = self.types.int();
        let argument = self.convert(argument, int, Span::default())?;
        let text = "main is given at least the name of the program, and fewer than 2^24 arguments";
        self.assume_that(text.into(), span);
        self.make_strings(argument, 1, list, instrs)
    }

    /// The environment is a list of any number of strings that a null pointer ends, too.
    fn make_environment(&mut self, f: FuncId, list: VarId, instrs: &mut Vec<Instr>) -> Result<()> {
        let (span, int) = (self.vars[list].span, self.types.int());
        let name = format!("length of {}", self.short_name(list));
        let count = self.new_var("$length", int, Storage::Auto(f), span);
        let input = self.input(&name, int, span);
        instrs.push(Instr { kind: InstrKind::Input(Place::var(count, int), input), span });
        self.assume_that("the environment has fewer than 2^24 variables".into(), span);
        let count = self.load_var(count, Span::default());
        self.make_strings(count, 0, list, instrs)
    }

    /// So many strings, at least some and fewer than 2^24.
    fn make_strings(
        &mut self,
        count: ExprId,
        least: i128,
        list: VarId,
        instrs: &mut Vec<Instr>,
    ) -> Result<()> {
        let (span, int) = (self.vars[list].span, self.types.int());
        let Some(super::Symbol::Func(model)) = self.scopes[0].names.get(ARGUMENTS).cloned() else {
            return unsupported(span, "the arguments of main");
        };
        let [below, limit] = [least - 1, 1 << 24].map(|n| self.int(n, int, Span::default()));
        for (low, high) in [(below, count), (count, limit)] {
            let is_between = self.make(Expr::Compare(CmpOp::Lt, low, high), int, Span::default());
            instrs.push(Instr { kind: InstrKind::Assume(is_between), span });
        }
        let place = Place::var(list, self.vars[list].ty);
        let kind = InstrKind::Call(Some(place), Callee::Direct(model), vec![count]);
        instrs.push(Instr { kind, span });
        Ok(())
    }

    /// The variables that are mentioned.
    fn used(&self) -> FxHashSet<VarId> {
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

    /// The variables of the program that can be changed have any value when it starts.
    pub(super) fn open_globals(&mut self) {
        let slots = self.slots.values().flat_map(|s| s.params.iter().copied().chain([s.result]).flatten());
        let made: FxHashSet<VarId> =
            slots.chain(self.shared_slots.values().copied()).chain(self.strings.values().copied()).collect();
        for v in self.vars.ids() {
            let variable = &self.vars[v];
            let is_own = self.source.is_own(variable.span) && variable.span != Span::default();
            let is_constant = self.ctypes.innermost_is_const(self.cvars[v]);
            let is_made = made.contains(&v) || self.temps[v];
            if variable.storage == Storage::Static && is_own && !is_constant && !is_made {
                self.undefined.insert(v);
            }
        }
    }

    /// Arrays that are declared without a length and that nobody defines have as many elements as fit into some bytes. Where it matters what
    /// lies inside of objects, no length is right, and what uses such an array is refused.
    pub(super) fn complete_undefined_arrays(&mut self) {
        for v in self.undefined.clone() {
            let (ty, span) = (self.vars[v].ty, self.vars[v].span);
            let Type::Array(of, None) = *self.types.get(ty) else { continue };
            let name = self.vars[v].name.clone();
            match self.types.size_of(of).filter(|&size| size > 0 && !self.guards()) {
                Some(size) => {
                    let length = UNKNOWN_BYTES.div_ceil(size);
                    self.vars[v].ty = self.types.intern(Type::Array(of, Some(length)));
                    self.assume_that(format!("the undefined array '{name}' has {length} elements"), span);
                }
                None => {
                    let message =
                        format!("{UNSUPPORTED}the undefined array '{name}', whose length is not known");
                    self.refused_vars.push((v, Issue { span, message }));
                }
            }
        }
    }

    /// A variable that nobody defines under its own name, but that is the name of another one for the linker.
    pub(super) fn refuse_labels(&mut self) {
        for &v in &self.undefined {
            let (name, span) = (&*self.vars[v].name, self.vars[v].span);
            if self.labels.contains(name) {
                let message =
                    format!("{UNSUPPORTED}the variable '{name}', which is declared under another name");
                self.refused_vars.push((v, Issue { span, message }));
            }
        }
    }

    /// Variables that nobody defines have any value when the program starts.
    pub(super) fn open_undefined(&mut self, entry: FuncId, is_open: bool) {
        let mut instrs = Vec::new();
        let used = self.used();
        for v in std::mem::take(&mut self.undefined) {
            if !used.contains(&v) {
                continue;
            }
            let (name, ty, span) = (self.vars[v].name.clone(), self.vars[v].ty, self.vars[v].span);
            if self.types.size_of(ty).is_some() {
                let word = if is_open { "" } else { "undefined " };
                if !is_open {
                    self.assume_that(format!("the undefined variable '{name}' starts with any value"), span);
                }
                let input = self.input(&format!("{word}{name}"), ty, span);
                instrs.push(Instr { kind: InstrKind::Fresh(v, Some(input)), span });
            }
        }
        let first = &mut self.funcs[entry].blocks[BlockId::from_index(0)].instrs;
        first.splice(0..0, instrs);
    }

    /// Functions that use static objects whose initial values have no meaning here.
    pub(super) fn refuse_users(&mut self) {
        if self.refused_vars.is_empty() {
            return;
        }
        for f in self.funcs.ids() {
            let instrs = self.funcs[f].blocks.iter().flat_map(|b| &b.instrs);
            let ends = self.funcs[f].blocks.iter().filter_map(|b| match &b.end {
                Terminator::Branch(e, ..) | Terminator::Switch(e, ..) | Terminator::Return(Some(e)) => {
                    Some(*e)
                }
                _ => None,
            });
            let mut open: Vec<_> = ends.collect();
            let mut found = FxHashSet::default();
            for i in instrs {
                open.extend(i.kind.operands());
                found.extend(i.kind.places().into_iter().filter_map(|p| match p.base {
                    Base::Var(v) => Some(v),
                    Base::Deref(_) => None,
                }));
            }
            let mut seen = FxHashSet::default();
            while let Some(e) = open.pop() {
                if seen.insert(e) {
                    if let Expr::Load(Place { base: Base::Var(v), .. })
                    | Expr::Addr(Place { base: Base::Var(v), .. }) = &self.exprs[e].expr
                    {
                        found.insert(*v);
                    }
                    open.extend(self.exprs[e].expr.operands());
                }
            }
            if let Some((_, issue)) = self.refused_vars.iter().find(|(v, _)| found.contains(v)) {
                self.refused.push((f, issue.clone()));
            }
        }
    }
}

/// Is this a `main` with two parameters or more?
pub(super) fn takes_arguments(item: &Item) -> bool {
    let Item::Function(f) = item else { return false };
    let is_main = f.declarator.ident.as_ref().is_some_and(|i| &*i.name == "main");
    let count = match f.declarator.derived.first() {
        Some(Derived::Function(d)) => match &d.parameters {
            Parameters::Prototype(list, _) => list.len(),
            Parameters::Identifiers(names) => names.len(),
            Parameters::Unspecified => 0,
        },
        _ => 0,
    };
    is_main && count > 1
}
