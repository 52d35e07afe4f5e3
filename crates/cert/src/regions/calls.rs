//! Calls of procedures that cannot be inlined, as Hoare's rule has it.
//!
//! A procedure that is called has a formula at its entry, which it *requires* of its parameters and of the globals, and one
//! at its exit, its *summary*. When it is called, what it requires must hold of the arguments and of the globals. When it
//! returns, the globals that it may assign and its result have new values, of which nothing is known but the ranges of
//! the variables and the summary. All other globals keep their values, and so do the variables of the caller: each activation of a
//! procedure has variables of its own.

use super::{Regions, State};
use crate::Flaw;
use bolide_base::IdVec;
use bolide_model::program::back::ProcLoc;
use bolide_model::program::pass::EntryValues;
use bolide_model::{Action, Call, Edge, EdgeId, ProcId, Procedure, Program, VarId, VarKind};
use bolide_term::{Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// What is known about the procedures of a program.
pub(super) struct Procedures<'a> {
    pub(super) program: &'a Program,
    entry: &'a EntryValues,
    /// The variables that the edges of a procedure may change, and the globals that its callees may change.
    changes: IdVec<ProcId, BTreeSet<VarId>>,
    /// Is there an error in a procedure or in what it calls?
    can_err: IdVec<ProcId, bool>,
    formulas: FxHashMap<ProcLoc, Term>,
}

impl<'a> Procedures<'a> {
    pub(super) fn new(entry: &'a EntryValues, formulas: &[(ProcLoc, Term)]) -> Procedures<'a> {
        let program = &entry.program;
        let own = |p: &Procedure| p.edges.iter().flat_map(assigned).collect::<BTreeSet<VarId>>();
        let errs = |p: &Procedure| p.locations.iter().any(|l| l.error.is_some());
        let mut all = Procedures {
            program,
            entry,
            changes: program.procs.iter().map(own).collect(),
            can_err: program.procs.iter().map(errs).collect(),
            formulas: formulas.iter().copied().collect(),
        };
        while all.grow() {}
        all
    }

    /// Adds what calls do; was there anything new?
    fn grow(&mut self) -> bool {
        let mut has_grown = false;
        for (caller, p) in self.program.procs.iter_enumerated() {
            for Call { callee, .. } in p.edges.iter().filter_map(call) {
                let globals = self.changes[*callee].iter().copied().filter(|&v| self.is_global(v));
                let globals: Vec<VarId> = globals.collect();
                let before = (self.changes[caller].len(), self.can_err[caller]);
                self.changes[caller].extend(globals);
                self.can_err[caller] |= self.can_err[*callee];
                has_grown |= before != (self.changes[caller].len(), self.can_err[caller]);
            }
        }
        has_grown
    }

    fn is_global(&self, v: VarId) -> bool {
        self.program.vars[v].kind == VarKind::Global
    }

    /// Can an error happen in a call?
    pub(super) fn is_faulty(&self, edge: &Edge) -> bool {
        call(edge).is_some_and(|call| self.can_err[call.callee])
    }

    fn formula(&self, place: ProcLoc) -> Option<Term> {
        self.formulas.get(&place).copied()
    }

    /// The call of an edge, with constants for the values that are new when it returns.
    pub(super) fn site(&self, store: &mut Store, call: &'a Call) -> Result<Site<'a>, Flaw> {
        let proc = &self.program.procs[call.callee];
        if call.callee == self.program.entry {
            return Err("the procedure where execution starts is called".into());
        }
        if call.args.len() != proc.params.len() {
            return Err(format!("{} is called with a wrong number of arguments", proc.name).into());
        }
        let missing = || format!("section `invariant`: {} is called and has no summary", proc.name);
        let summary = self.formula((call.callee, proc.exit)).ok_or_else(missing)?;
        let requires = self.formula((call.callee, proc.entry)).unwrap_or(store.tru());
        let vars = self.program.var_of_symbol(store);
        let spoken_of = |store: &Store, t: Term| -> Vec<VarId> {
            store.symbols([t]).iter().filter_map(|f| vars.get(f).copied()).collect()
        };
        let (required, told) = (spoken_of(store, requires), spoken_of(store, summary));
        if required.iter().any(|v| !self.is_global(*v) && !proc.params.contains(v)) {
            return Err(
                format!("section `invariant`: {} requires something of a local variable", proc.name).into()
            );
        }
        let changes = &self.changes[call.callee];
        let copies: FxHashMap<VarId, VarId> =
            self.entry.copies[call.callee].iter().map(|&(of, copy)| (copy, of)).collect();
        let is_handed_over = |v: &VarId| self.is_global(*v) || proc.params.contains(v);
        let is_old = |v: &VarId| is_handed_over(v) && !changes.contains(v) || copies.contains_key(v);
        let globals = changes.iter().copied().filter(|&v| self.is_global(v));
        let new: BTreeSet<VarId> =
            globals.chain(told.iter().copied()).chain(proc.result).filter(|v| !is_old(v)).collect();
        let mut fresh = BTreeMap::new();
        for v in new {
            let variable = &self.program.vars[v];
            fresh.insert(v, store.fresh_var(&variable.name, variable.sort));
        }
        Ok(Site { call, proc, requires, summary, required, told, copies, fresh })
    }
}

fn call(edge: &Edge) -> Option<&Call> {
    match &edge.action {
        Action::Step(_) => None,
        Action::Call(call) => Some(call),
    }
}

/// The variables that an edge assigns itself.
fn assigned(edge: &Edge) -> Vec<VarId> {
    match &edge.action {
        Action::Step(step) => step.assigns.iter().map(|a| a.0).collect(),
        Action::Call(call) => call.result.into_iter().collect(),
    }
}

/// A call.
pub(super) struct Site<'a> {
    call: &'a Call,
    proc: &'a Procedure,
    requires: Term,
    summary: Term,
    /// The variables that the callee requires something of.
    required: Vec<VarId>,
    /// The variables that the summary speaks of.
    told: Vec<VarId>,
    /// The variables with values at the entry, and what they are copies of.
    copies: FxHashMap<VarId, VarId>,
    /// Constants for the values that are new when the call returns: of globals, of the result, and of variables of the callee
    /// that the summary speaks of.
    fresh: BTreeMap<VarId, Term>,
}

impl Site<'_> {
    /// Is there anything to show when this call is made?
    pub(super) fn requires_something(&self, store: &Store) -> bool {
        self.requires != store.tru()
    }
}

/// The calls of a procedure.
pub(super) type Sites<'a> = FxHashMap<EdgeId, Site<'a>>;

/// The calls of a procedure among those of its edges that matter.
pub(super) fn sites<'a>(
    store: &mut Store,
    procedures: &Procedures<'a>,
    proc: &'a Procedure,
    matters: impl Fn(&Edge) -> bool,
) -> Result<Sites<'a>, Flaw> {
    let mut sites = Sites::default();
    for (id, edge) in proc.edges.iter_enumerated().filter(|(_, edge)| matters(edge)) {
        if let Some(call) = call(edge) {
            sites.insert(id, procedures.site(store, call)?);
        }
    }
    Ok(sites)
}

/// The procedure where execution starts and those that are called by way of some edges, each once.
pub(super) fn called(program: &Program, matters: impl Fn(ProcId, &Edge) -> bool) -> Vec<ProcId> {
    let mut found = vec![program.entry];
    let mut seen = FxHashSet::from_iter([program.entry]);
    let mut next = 0;
    while let Some(&p) = found.get(next) {
        next += 1;
        let edges = program.procs[p].edges.iter().filter(|edge| matters(p, edge));
        found.extend(edges.filter_map(call).map(|call| call.callee).filter(|&callee| seen.insert(callee)));
    }
    found
}

impl Regions<'_> {
    /// The values of variables in a state.
    fn current(&self, state: &State, v: VarId) -> Term {
        state.values.get(&v).copied().unwrap_or(self.program.vars[v].term)
    }

    /// The arguments of a call.
    fn arguments(&self, store: &mut Store, site: &Site<'_>, state: &State) -> FxHashMap<VarId, Term> {
        let mut subst = Substitution::new();
        state.values.iter().for_each(|(&v, &t)| subst.insert(self.program.vars[v].term, t));
        let both = site.proc.params.iter().zip(&site.call.args);
        both.map(|(&v, &t)| (v, subst.apply(store, t))).collect()
    }

    /// What a callee requires, of the arguments and globals in a state.
    pub(super) fn required(&self, store: &mut Store, site: &Site<'_>, state: &State) -> Term {
        let arguments = self.arguments(store, site, state);
        let mut subst = Substitution::new();
        for &v in &site.required {
            let value = arguments.get(&v).copied().unwrap_or_else(|| self.current(state, v));
            subst.insert(self.program.vars[v].term, value);
        }
        subst.apply(store, site.requires)
    }

    /// The state when a call has returned; `None` if it does not.
    pub(super) fn returned(&self, store: &mut Store, site: &Site<'_>, mut state: State) -> Option<State> {
        let arguments = self.arguments(store, site, &state);
        for (&v, t) in site.proc.params.iter().zip(&site.call.args) {
            self.keep_range(store, &mut state, v, *t, arguments[&v]);
        }
        let value = |state: &State, v: VarId| match site.fresh.get(&v) {
            Some(&new) => new,
            None => {
                let of = site.copies.get(&v).copied().unwrap_or(v);
                arguments.get(&of).copied().unwrap_or_else(|| self.current(state, of))
            }
        };
        let mut subst = Substitution::new();
        for &v in &site.told {
            subst.insert(self.program.vars[v].term, value(&state, v));
        }
        let summary = subst.apply(store, site.summary);
        if summary == store.fls() {
            return None;
        }
        let result = site.proc.result.map(|r| value(&state, r));
        for (&v, &new) in &site.fresh {
            let range = self.program.in_range(store, new, self.program.vars[v].range);
            state.conditions.extend(store.conjuncts(range));
            if self.program.vars[v].kind == VarKind::Global {
                state.values.insert(v, new);
            }
        }
        state.conditions.extend(store.conjuncts(summary));
        if let (Some(v), Some(value)) = (site.call.result, result) {
            state.values.insert(v, value);
        }
        Some(state)
    }
}

#[cfg(test)]
mod tests;
