//! Contracts, as the header `bolide.h` writes them: what a function requires of its callers, what it ensures, and what holds inside
//! of it.
//!
//! The clauses that a body begins with are the contract of the function. Its postconditions are checked at every return, where
//! `__result` is the result, parameters have the values that they were passed with, and `__old(e)` is the value that `e` had at
//! the call. A postcondition elsewhere is checked where it stands.
//!
//! Where functions are verified one by one, two more functions are made from each contract, as Floyd and Hoare have it: a *stand-in*
//! that checks the precondition, lets the function do anything, and takes the postcondition for granted; and a *proof* that
//! calls the function itself in any state that meets the precondition.

use super::ctype::{Ct, Q};
use super::object::{Lowered, Value};
use super::{Body, Lower, Name, Result, Slots, Symbol, issue};
use crate::c::hir::{
    Callee, Expr, ExprId, FuncId, Instr, InstrKind, Modular, Part, Place, Storage, Terminator, Unit, VarId,
};
use crate::c::syntax::ast::{self, BlockItem, ExprKind, FunctionDefinition, Parameters, StmtKind};
use bolide_base::{Id, IdVec};
use bolide_model::{Assumption, PropertyId, Span};
use rustc_hash::FxHashMap;

const REQUIRES: &str = "__bolide_requires";
const ENSURES: &str = "__bolide_ensures";
const OLD: &str = "__bolide_old";
/// The name of the result in postconditions.
const RESULT: &str = "__result";

/// The contract of the function under construction.
#[derive(Default)]
pub(super) struct Contract {
    requires: Vec<(ast::ExprId, Span)>,
    ensures: Vec<(ast::ExprId, Span)>,
    /// The scopes around the body.
    depth: usize,
    /// The parameters as they were passed.
    passed: Vec<(Name, VarId)>,
    /// The values of expressions at the call.
    old: FxHashMap<ast::ExprId, Value>,
    /// The properties that the clauses are, wherever they are checked.
    properties: FxHashMap<ast::ExprId, PropertyId>,
}

impl Contract {
    fn is_empty(&self) -> bool {
        self.requires.is_empty() && self.ensures.is_empty()
    }
}

impl<'a> Lower<'a> {
    /// The contract that a body begins with.
    fn contract_of(&self, body: ast::StmtId) -> Contract {
        let mut contract = Contract::default();
        let StmtKind::Compound(items) = &self.tree.stmts[body].kind else { return contract };
        for item in items {
            let BlockItem::Stmt(s) = item else { break };
            let StmtKind::Expr(e) = self.tree.stmts[*s].kind else { break };
            let ExprKind::Call(callee, args) = &self.tree.exprs[e].kind else { break };
            let (ExprKind::Name(name), [condition]) = (&self.tree.exprs[*callee].kind, args.as_slice())
            else {
                break;
            };
            let clause = (*condition, self.tree.exprs[e].span);
            match &**name {
                REQUIRES => contract.requires.push(clause),
                ENSURES => contract.ensures.push(clause),
                _ => break,
            }
        }
        contract
    }

    /// At the start of a function, with its parameters in scope: finds its contract and keeps what postconditions will want to know.
    pub(super) fn open_contract(&mut self, body: ast::StmtId) -> Result<()> {
        let mut contract = self.contract_of(body);
        contract.depth = self.scopes.len();
        self.body().contract = contract;
        if self.body().contract.ensures.is_empty() {
            return Ok(());
        }
        let func = self.body().func;
        for p in self.funcs[func].params.clone() {
            let named = |(name, symbol): (&Name, &Symbol)| match symbol {
                Symbol::Var(v) if *v == p => Some(name.clone()),
                _ => None,
            };
            let Some(name) = self.scopes.last().and_then(|s| s.names.iter().find_map(named)) else {
                continue;
            };
            let copy = self.kept_parameter(p)?;
            self.body().contract.passed.push((name, copy));
        }
        self.keep_old_values()
    }

    /// A copy of a parameter.
    fn kept_parameter(&mut self, p: VarId) -> Result<VarId> {
        let (ty, span) = (self.vars[p].ty, Span::default());
        let copy = self.temp(ty, span);
        self.cvars[copy] = self.cvars[p];
        let (to, from) = (Place::var(copy, ty), Place::var(p, ty));
        if self.types.is_scalar(ty) {
            let value = self.load(from, span);
            self.emit(InstrKind::Assign(to, value), span)?;
        } else {
            self.emit(InstrKind::Copy(to, from), span)?;
        }
        Ok(copy)
    }

    /// Evaluates what stands in `__old(…)`.
    fn keep_old_values(&mut self) -> Result<()> {
        let tree = self.tree;
        let clauses = self.body().contract.ensures.clone();
        let is_inside = |span: Span| clauses.iter().any(|(_, s)| s.start <= span.start && span.end <= s.end);
        let mut found: Vec<ast::ExprId> = Vec::new();
        for (_, e) in tree.exprs.iter_enumerated().filter(|(_, e)| is_inside(e.span)) {
            if let ExprKind::Call(callee, args) = &e.kind
                && matches!(&tree.exprs[*callee].kind, ExprKind::Name(name) if &**name == OLD)
                && let [argument] = args.as_slice()
            {
                found.push(*argument);
            }
        }
        for argument in found {
            let value = self.value(argument)?;
            let span = Span::default();
            let ty = self.ty(value.e);
            let t = self.temp(ty, span);
            self.emit(InstrKind::Assign(Place::var(t, ty), value.e), span)?;
            let e = self.load_var(t, span);
            self.body().contract.old.insert(argument, Value { e, ..value });
        }
        Ok(())
    }

    /// The value that an expression had when the function was called.
    pub(super) fn old_value(&mut self, e: ast::ExprId, span: Span) -> Result<Lowered> {
        match self.body.as_ref().and_then(|b| b.contract.old.get(&e)) {
            Some(&value) => Ok(Lowered::Value(value)),
            None => issue(span, "'__old' stands in no postcondition at the start of a function"),
        }
    }

    /// A precondition: callers must establish it. Where execution starts nobody calls, and it is taken for granted once.
    pub(super) fn requires(&mut self, clause: ast::ExprId, span: Span) -> Result<()> {
        let condition = self.condition(clause)?;
        let func = self.body().func;
        if !self.is_entry(func) {
            return self.check_clause(clause, condition, "precondition", span);
        }
        self.assume_that(
            format!("the precondition of {} holds where the program starts", self.entry_name),
            span,
        );
        let condition = self.saved(condition, span)?;
        let int = self.types.int();
        let name = format!("{}::$entered", self.entry_name);
        let entered = self.new_var(&name, int, Storage::Static, Span::default());
        let (again, first, next) = (self.block(), self.block(), self.block());
        let is_entered = self.load_var(entered, span);
        self.end(Terminator::Branch(is_entered, again, first), span, first);
        let one = self.int(1, int, span);
        self.emit(InstrKind::Assign(Place::var(entered, int), one), span)?;
        self.emit(InstrKind::Assume(condition), span)?;
        self.end(Terminator::Goto(next), span, again);
        self.check_clause(clause, condition, "precondition", span)?;
        self.end(Terminator::Goto(next), span, next);
        Ok(())
    }

    /// The check of a clause, which is one property wherever it is checked.
    fn check_clause(&mut self, clause: ast::ExprId, condition: ExprId, what: &str, span: Span) -> Result<()> {
        if self.int_value(condition).is_some_and(|v| v != 0) {
            return Ok(());
        }
        self.in_function(span)?;
        let property = match self.body().contract.properties.get(&clause) {
            Some(&property) => property,
            None => {
                let property = self.property(what, span);
                self.body().contract.properties.insert(clause, property);
                property
            }
        };
        self.check_property(condition, property, span)
    }

    /// A postcondition; one of the contract is checked where the function returns.
    pub(super) fn ensures(&mut self, clause: ast::ExprId, span: Span) -> Result<()> {
        if self.body().contract.ensures.iter().any(|(c, _)| *c == clause) {
            return Ok(());
        }
        self.holds(clause, "postcondition", span)
    }

    /// Something that holds where it is written.
    pub(super) fn holds(&mut self, condition: ast::ExprId, what: &str, span: Span) -> Result<()> {
        let condition = self.condition(condition)?;
        self.check(condition, what, span)
    }

    /// Checks the postconditions where a function is about to return a value.
    pub(super) fn returning(&mut self, value: Option<ExprId>, span: Span) -> Result<Option<ExprId>> {
        let clauses = self.body().contract.ensures.clone();
        if clauses.is_empty() {
            return Ok(value);
        }
        let value = value.map(|v| self.saved(v, span)).transpose()?;
        self.with_postconditions(value, |this| {
            for (clause, at) in clauses {
                let condition = this.condition(clause)?;
                this.check_clause(clause, condition, "postcondition", at)?;
            }
            Ok(())
        })?;
        Ok(value)
    }

    /// Does something where names mean what they mean in postconditions.
    fn with_postconditions(
        &mut self,
        value: Option<ExprId>,
        work: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let (depth, ty) = (self.body().contract.depth, self.body().result);
        let result = match (value, self.body().result_slot) {
            (Some(e), _) => {
                let (plain, span) = (self.ty(e), Span::default());
                let t = self.temp(plain, span);
                self.emit(InstrKind::Assign(Place::var(t, plain), e), span)?;
                Some(t)
            }
            (None, slot) => slot,
        };
        let inner = self.scopes.split_off(depth);
        let outcome = self.scoped(|this| {
            if let Some(v) = result {
                this.cvars[v] = Q::plain(ty);
                this.bind(&RESULT.into(), Symbol::Var(v));
            }
            for (name, v) in this.body().contract.passed.clone() {
                this.bind(&name, Symbol::Var(v));
            }
            work(this)
        });
        self.scopes.extend(inner);
        outcome
    }

    /// Makes the stand-in of a function that has just been lowered, and its proof, if it has a contract of which the whole meaning is
    /// known.
    pub(super) fn make_part(
        &mut self,
        f: &'a FunctionDefinition,
        subject: FuncId,
        contract: Contract,
    ) -> Result<()> {
        let is_old_style = match f.declarator.derived.first() {
            Some(ast::Derived::Function(d)) => !matches!(&d.parameters, Parameters::Prototype(_, false)),
            _ => true,
        };
        let has_no_parameters = self.funcs[subject].params.is_empty();
        let is_variadic = self.ctypes.function(self.cfuncs[subject]).is_some_and(|t| t.variadic);
        if contract.is_empty() || is_old_style && !has_no_parameters || is_variadic {
            return Ok(());
        }
        let stand_in = self.contract_function(f, subject, "by contract", &contract.properties, false)?;
        let proof = self.contract_function(f, subject, "in any state", &contract.properties, true)?;
        self.parts.push(Part { subject, stand_in, proof });
        Ok(())
    }

    /// A function with the parameters of another one, between its precondition and its postcondition.
    fn contract_function(
        &mut self,
        f: &'a FunctionDefinition,
        subject: FuncId,
        what: &str,
        properties: &FxHashMap<ast::ExprId, PropertyId>,
        is_proof: bool,
    ) -> Result<FuncId> {
        let span = f.declarator.span;
        let name = format!("{} {what}", self.funcs[subject].name);
        let ty = self.cfuncs[subject];
        let id = self.new_function(&name, ty, span);
        let slots = self.slots_of(subject);
        self.slots.insert(id, slots.clone());
        let result = self.body_result(subject);
        let scope = self.new_scope();
        self.scopes.push(scope);
        let outer = self.body.replace(Body::new(id, result));
        let outcome = self.contract_body(f, subject, properties, is_proof);
        self.end_lifetimes();
        let body = std::mem::replace(&mut self.body, outer);
        outcome?;
        self.funcs[id].blocks = body.map(|b| b.blocks).unwrap_or_default();
        if is_proof {
            self.funcs[id].params.clear();
            self.slots.remove(&id);
            let ty = self.unknown_function();
            self.set_function_type(id, ty);
        }
        Ok(id)
    }

    fn body_result(&mut self, f: FuncId) -> Ct {
        let ty = self.ctypes.function(self.cfuncs[f]);
        ty.map_or_else(|| self.ctypes.int(), |t| t.result.ty)
    }

    fn contract_body(
        &mut self,
        f: &'a FunctionDefinition,
        subject: FuncId,
        properties: &FxHashMap<ast::ExprId, PropertyId>,
        is_proof: bool,
    ) -> Result<()> {
        let span = f.declarator.span;
        let id = self.body().func;
        self.bind_parameters(f, id, span)?;
        let slots = self.slots_of(subject);
        self.body().result_slot = slots.result;
        self.receive_records(id, &slots, span, is_proof);
        self.open_contract(f.body)?;
        self.body().contract.properties.clone_from(properties);
        for (clause, at) in self.body().contract.requires.clone() {
            let condition = self.condition(clause)?;
            match is_proof {
                true => self.emit(InstrKind::Assume(condition), at)?,
                false => self.check_clause(clause, condition, "precondition", at)?,
            }
        }
        let result = self.call_subject(subject, &slots, span)?;
        if is_proof {
            self.stop(Terminator::Halt, span);
            return Ok(());
        }
        let clauses = self.body().contract.ensures.clone();
        self.with_postconditions(result, |this| {
            for (clause, at) in clauses {
                let condition = this.condition(clause)?;
                this.emit(InstrKind::Assume(condition), at)?;
            }
            Ok(())
        })?;
        self.stop(Terminator::Return(result), span);
        Ok(())
    }

    /// The first thing that a function does: gets its records from their slots, or everything from outside.
    fn receive_records(&mut self, id: FuncId, slots: &Slots, span: Span, is_proof: bool) {
        let mut first = Vec::new();
        for (n, p) in self.funcs[id].params.clone().into_iter().enumerate() {
            let ty = self.vars[p].ty;
            let kind = match slots.params.get(n).copied().flatten() {
                Some(slot) if !is_proof => InstrKind::Copy(Place::var(p, ty), Place::var(slot, ty)),
                None if !is_proof => continue,
                _ => {
                    let name = self.short_name(p);
                    let input = self.input(&name, ty, span);
                    match self.types.is_scalar(ty) {
                        true => InstrKind::Input(Place::var(p, ty), input),
                        false => InstrKind::Fresh(p, Some(input)),
                    }
                }
            };
            first.push(Instr { kind, span });
        }
        self.body().blocks[Id::from_index(0)].instrs.splice(0..0, first);
    }

    /// Calls the function that a contract is about with the parameters that it is about.
    fn call_subject(&mut self, subject: FuncId, slots: &Slots, span: Span) -> Result<Option<ExprId>> {
        let mut args = Vec::new();
        let func = self.body().func;
        for (n, p) in self.funcs[func].params.clone().into_iter().enumerate() {
            let ty = self.vars[p].ty;
            args.push(match slots.params.get(n).copied().flatten() {
                Some(slot) => {
                    self.emit(InstrKind::Copy(Place::var(slot, ty), Place::var(p, ty)), span)?;
                    let int = self.types.int();
                    self.int(0, int, span)
                }
                None => self.load_var(p, span),
            });
        }
        let result = self.body().result;
        let target = match self.ctypes.is_scalar(result) {
            true => {
                let plain = self.hir(result);
                Some(Place::var(self.temp(plain, span), plain))
            }
            false => None,
        };
        self.emit(InstrKind::Call(target.clone(), Callee::Direct(subject), args), span)?;
        Ok(target.map(|place| self.load(place, span)))
    }

    /// The function from which each part of a program is verified on its own: the entry, if there is one, and every contract.
    pub(super) fn modular(&mut self, entry: Option<FuncId>) -> Result<Option<Modular>> {
        let parts = std::mem::take(&mut self.parts);
        let has_records = |this: &Self, f: FuncId| {
            this.slots.get(&f).is_some_and(|s| s.result.is_some() || s.params.iter().any(Option::is_some))
        };
        // Records that are passed by calls through pointers go other ways.
        let parts: Vec<Part> = parts
            .into_iter()
            .filter(|p| Some(p.subject) != entry)
            .filter(|p| !(self.funcs[p.subject].address_taken && has_records(self, p.subject)))
            .filter(|p| {
                let all = [p.subject, p.stand_in, p.proof];
                !self.refused.iter().any(|(f, _)| all.contains(f))
            })
            .collect();
        if parts.is_empty() {
            return Ok(None);
        }
        if entry.is_none() {
            let text =
                "pointers that callers pass lead to different objects, unless the functions make them equal";
            self.assumptions.push((None, Assumption { text: text.into(), span: Span::default() }));
        }
        let span = self.funcs[parts[0].subject].span;
        let ty = self.unknown_function();
        let start = self.new_function("start of one part", ty, span);
        let int = self.ctypes.int();
        let outer = self.body.replace(Body::new(start, int));
        let plain = self.types.int();
        let choice = self.temp(plain, span);
        let input = self.input("part", plain, span);
        self.emit(InstrKind::Input(Place::var(choice, plain), input), span)?;
        let chosen = self.load_var(choice, span);
        let head = self.body().current;
        let mut cases = Vec::new();
        let all = entry.into_iter().chain(parts.iter().map(|p| p.proof));
        for (n, f) in all.enumerate() {
            let block = self.block();
            self.body().current = block;
            let mut args = Vec::new();
            for p in self.funcs[f].params.clone() {
                let zero = self.int(0, plain, span);
                let ty = self.vars[p].ty;
                args.push(if self.types.is_scalar(ty) { self.convert(zero, ty, span)? } else { zero });
            }
            self.emit(InstrKind::Call(None, Callee::Direct(f), args), span)?;
            cases.push((n as i128, n as i128, block));
        }
        let other = self.block();
        self.body().blocks[head].end = Terminator::Switch(chosen, cases, other);
        let body = std::mem::replace(&mut self.body, outer);
        self.funcs[start].blocks = body.map_or_else(IdVec::new, |b| b.blocks);
        Ok(Some(Modular { start, has_entry: entry.is_some(), parts }))
    }
}

/// Swaps the functions that have contracts with their stand-ins, wherever they are called or their addresses are taken, and the
/// entry with the start of the parts; doing so twice changes nothing.
pub(in crate::c) fn swap_stand_ins(unit: &mut Unit) {
    let Some(modular) = unit.modular.take() else { return };
    let mut other: FxHashMap<FuncId, FuncId> = FxHashMap::default();
    for p in &modular.parts {
        other.insert(p.subject, p.stand_in);
        other.insert(p.stand_in, p.subject);
        let taken = unit.funcs[p.subject].address_taken;
        unit.funcs[p.subject].address_taken = unit.funcs[p.stand_in].address_taken;
        unit.funcs[p.stand_in].address_taken = taken;
    }
    let is_own = |f: FuncId| modular.parts.iter().any(|p| p.stand_in == f || p.proof == f);
    for f in unit.funcs.ids().collect::<Vec<_>>() {
        if is_own(f) {
            continue;
        }
        for i in unit.funcs[f].blocks.iter_mut().flat_map(|b| b.instrs.iter_mut()) {
            if let InstrKind::Call(_, Callee::Direct(g), _) = &mut i.kind
                && let Some(h) = other.get(g)
            {
                *g = *h;
            }
        }
    }
    for e in unit.exprs.iter_mut() {
        if let Expr::Func(g) = &mut e.expr
            && let Some(h) = other.get(g)
        {
            *g = *h;
        }
    }
    let entry = unit.entry;
    unit.entry = modular.start;
    unit.modular = Some(Modular { start: entry, ..modular });
}
