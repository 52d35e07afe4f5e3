//! Values at the entry of procedures, as variables.
//!
//! A summary of a procedure relates the values at its exit to those at its entry. So that a formula can speak of the latter,
//! each global and parameter that the procedure may change is copied to a variable of its own, which nothing else assigns, by
//! an edge in front of the procedure.

use super::NOWHERE;
use crate::program::live::{Uses, effects};
use crate::{ProcId, Program, Step, VarId, VarKind};
use bolide_base::IdVec;
use bolide_term::{Store, Term};

/// A program whose procedures remember values at their entry.
#[derive(Clone, Debug)]
pub struct EntryValues {
    /// The program. The entry of each procedure that has edges and can be called is a new location, the last one.
    pub program: Program,
    /// For each procedure the variables that it may change and their copies.
    pub copies: IdVec<ProcId, Vec<(VarId, VarId)>>,
}

/// Adds variables for values at the entry of the procedures that are called.
pub fn remember_entry(store: &mut Store, program: Program) -> EntryValues {
    let is_called = |id: ProcId| id != program.entry && !program.procs[id].edges.is_empty();
    if !program.procs.ids().any(is_called) {
        let copies = program.procs.iter().map(|_| Vec::new()).collect();
        return EntryValues { program, copies };
    }
    let effects = effects(&program, &mut Uses::new(store, &program));
    let mut new = program.clone();
    let mut copies = IdVec::new();
    for (id, p) in program.procs.iter_enumerated() {
        let mut own = Vec::new();
        if is_called(id) {
            let is_handed_over = |v: &VarId| p.params.contains(v) || program.vars[*v].kind == VarKind::Global;
            for v in effects[id].changes.iter().filter(is_handed_over) {
                let v_of = &program.vars[v];
                let name = format!("{} at entry of {}", v_of.name, p.name);
                own.push((v, new.variable(store, &name, v_of.sort, VarKind::Local(id), v_of.range)));
            }
            let mut step = Step::skip(store);
            step.assigns = own.iter().map(|&(v, copy)| (copy, program.vars[v].term)).collect();
            let proc = &mut new.procs[id];
            let entry = proc.location(p.locations[p.entry].span);
            proc.step(entry, p.entry, step, NOWHERE);
            proc.entry = entry;
        }
        copies.push(own);
    }
    EntryValues { program: new, copies }
}

impl EntryValues {
    /// The term for the value that a variable had at the entry of a procedure. What a procedure does not change still has it.
    pub fn value(&self, proc: ProcId, v: VarId) -> Term {
        let copy = self.copies[proc].iter().find(|(of, _)| *of == v).map_or(v, |&(_, copy)| copy);
        self.program.vars[copy].term
    }
}
