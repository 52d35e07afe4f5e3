//! Verification of what a program promises.

use crate::{Action, EdgeId, ProcId, Program, VarId};
use bolide_term::{Func, Sort, Store};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// A promise that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Defect {
    /// An edge is ill-formed.
    Edge(ProcId, EdgeId, &'static str),
    /// A procedure may read a local before it assigns it.
    Unassigned(ProcId, VarId),
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::Edge(p, e, what) => write!(f, "edge {e} of procedure {p}: {what}"),
            Defect::Unassigned(p, v) => write!(f, "procedure {p} may read {v} before it assigns it"),
        }
    }
}

impl Program {
    /// The first promise that this program breaks, if any.
    pub fn check(&self, store: &Store) -> Option<Defect> {
        let vars = self.var_of_symbol(store);
        let defect = |p| self.check_edges(store, &vars, p).or_else(|| self.check_locals(store, &vars, p));
        self.procs.ids().find_map(defect)
    }

    fn check_edges(&self, store: &Store, vars: &FxHashMap<Func, VarId>, proc: ProcId) -> Option<Defect> {
        let p = &self.procs[proc];
        for (id, e) in p.edges.iter_enumerated() {
            let fail = |what| Some(Defect::Edge(proc, id, what));
            if e.from.index() >= p.locations.len() || e.to.index() >= p.locations.len() {
                return fail("leaves its procedure");
            }
            let (terms, inputs): (Vec<_>, FxHashSet<_>) = match &e.action {
                Action::Step(s) => {
                    if store.sort_of(s.guard) != Sort::BOOL {
                        return fail("has a guard that is not a formula");
                    }
                    if !s.assigns.is_sorted_by(|a, b| a.0 < b.0) {
                        return fail("has assignments out of order");
                    }
                    if s.assigns.iter().any(|&(v, t)| self.vars[v].sort != store.sort_of(t)) {
                        return fail("assigns a term of another sort");
                    }
                    (s.terms().collect(), s.inputs.iter().filter_map(|i| store.as_var(i.0)).collect())
                }
                Action::Call(c) => {
                    if c.callee == self.entry {
                        return fail("calls the procedure where execution starts");
                    }
                    if c.args.len() != self.procs[c.callee].params.len() {
                        return fail("calls with a wrong number of arguments");
                    }
                    (c.args.clone(), FxHashSet::default())
                }
            };
            for f in store.symbols(terms) {
                let known = vars.contains_key(&f) || inputs.contains(&f) || !store.decl(f).args.is_empty();
                if !known {
                    return fail("mentions a symbol that is neither variable nor input");
                }
            }
        }
        None
    }

    fn check_locals(&self, store: &Store, vars: &FxHashMap<Func, VarId>, proc: ProcId) -> Option<Defect> {
        let params = &self.procs[proc].params;
        let unassigned = self.read_before_assigned(store, vars, proc);
        let unassigned = unassigned.into_iter().find(|v| !params.contains(v));
        unassigned.map(|v| Defect::Unassigned(proc, v))
    }
}
