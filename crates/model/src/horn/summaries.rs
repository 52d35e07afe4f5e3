//! The way back of a solution of the clauses of a recursive program.
//!
//! In the clauses, what is said about a procedure holds whatever it is called with, and the predicate of its errors holds of
//! the inputs with which one can happen. So in the program a procedure *requires* that this predicate does not hold of its
//! inputs, and everywhere in it what its location's predicate says holds, and that it does not hold of the values at the
//! entry. Then no error can happen, every call is of inputs that the callee allows, because otherwise the caller's error
//! predicate would hold, and the predicate of the exit is a summary. See [`Recorded`] for the passes.

use super::{Horn, Interpretation, ProgramMap};
use crate::program::back::{Claims, NoWayBack, ProcLoc, Recorded, Separate, loop_heads};
use crate::program::pass::{EntryValues, can_err};
use crate::{Action, LocId, ProcId, Program};
use bolide_base::Budget;
use bolide_term::{Store, Term};
use rustc_hash::FxHashSet;

/// A solution of the clauses of a prepared program.
pub struct Solution<'a> {
    /// The clauses.
    pub horn: &'a Horn,
    /// The way back from the clauses to the prepared program.
    pub map: &'a ProgramMap,
    /// The solution.
    pub interpretation: &'a Interpretation,
}

impl Recorded {
    /// The formulas that a solution of the clauses of the prepared program stands for: at the loop heads of the inlined program
    /// and of the procedures that it calls, at the entries of these and at their exits. `entry` is the inlined program with
    /// variables for the values at entries.
    pub fn solution_back(
        &self,
        store: &mut Store,
        entry: &EntryValues,
        solution: &Solution<'_>,
        separate: &mut Separate<'_>,
        budget: &Budget,
    ) -> Result<Vec<(ProcLoc, Term)>, NoWayBack> {
        if self.in_blocks {
            return Err(NoWayBack::TooLarge);
        }
        let faulty = can_err(&self.inlined);
        let mut out = Vec::new();
        for proc in called(&self.inlined) {
            let p = &self.inlined.procs[proc];
            let mut cuts = loop_heads(p);
            if proc == self.inlined.entry {
                let claims = solution.about(store, &self.prepared.0, entry, proc);
                out.extend(self.back(store, proc, &claims, cuts, separate, budget)?);
                continue;
            }
            let start = entry.program.procs[proc].entry;
            cuts.push(p.exit);
            if self.is_dropped(proc) {
                // No call of it matters.
                let formula = if faulty[proc] { store.fls() } else { store.tru() };
                out.extend(cuts.into_iter().chain([start]).map(|l| ((proc, l), formula)));
            } else {
                let claims = solution.about(store, &self.prepared.0, entry, proc);
                out.push(((proc, start), claims.requires));
                out.extend(self.back(store, proc, &claims, cuts, separate, budget)?);
            }
        }
        Ok(out)
    }

    fn back(
        &self,
        store: &mut Store,
        proc: ProcId,
        about: &Contract,
        cuts: Vec<LocId>,
        separate: &mut Separate<'_>,
        budget: &Budget,
    ) -> Result<Vec<(ProcLoc, Term)>, NoWayBack> {
        let symbols = about.entry_values.iter().filter_map(|&t| store.as_var(t));
        let constants: FxHashSet<_> = symbols.collect();
        let claims = Claims { proc, at: &about.at, always: &about.always, constants: &constants };
        let formulas = self.formulas_back(store, &claims, cuts, separate, budget)?.formulas;
        Ok(formulas.into_iter().map(|(l, formula)| ((proc, l), formula)).collect())
    }
}

/// The procedure where execution starts and those that are called, each once.
fn called(program: &Program) -> Vec<ProcId> {
    let mut found = vec![program.entry];
    let mut seen = FxHashSet::from_iter([program.entry]);
    let mut next = 0;
    while let Some(&p) = found.get(next) {
        next += 1;
        for edge in &program.procs[p].edges {
            if let Action::Call(call) = &edge.action
                && seen.insert(call.callee)
            {
                found.push(call.callee);
            }
        }
    }
    found
}

/// What a solution says about a procedure of the prepared program.
pub struct Contract {
    /// The procedure.
    pub proc: ProcId,
    /// At its locations. At its exit that is its summary.
    pub at: Vec<(LocId, Term)>,
    /// Of its inputs, when it is called.
    pub requires: Term,
    /// At each location: the same of the values at the entry, and which variables still have these values.
    always: Vec<Term>,
    /// The terms for the values at the entry.
    entry_values: Vec<Term>,
}

impl Solution<'_> {
    /// What is said about each procedure that is called. `entry` has variables for the values at entries.
    pub fn procedures(&self, store: &mut Store, prepared: &Program, entry: &EntryValues) -> Vec<Contract> {
        let callees = called(prepared).into_iter().filter(|&proc| proc != prepared.entry);
        callees.map(|proc| self.about(store, prepared, entry, proc)).collect()
    }

    fn about(&self, store: &mut Store, prepared: &Program, entry: &EntryValues, proc: ProcId) -> Contract {
        let now = |v| prepared.vars[v].term;
        let inputs = self.map.inputs(proc);
        let current: Vec<Term> = inputs.iter().map(|&v| now(v)).collect();
        let entry_values: Vec<Term> = inputs.iter().map(|&v| entry.value(proc, v)).collect();
        let mut at = Vec::new();
        for l in prepared.procs[proc].locations.ids() {
            let here = self.map.formula_at(
                store,
                prepared,
                self.horn,
                self.interpretation,
                (proc, l),
                &entry_values,
            );
            at.push((l, here));
        }
        let excluded = |store: &mut Store, values: &[Term]| {
            let error = self.map.error_formula(store, self.horn, self.interpretation, proc, values);
            store.not(error)
        };
        let requires = excluded(store, &current);
        let excluded = excluded(store, &entry_values);
        let mut always = store.conjuncts(excluded);
        for v in self.map.unchanged(prepared, proc) {
            always.push(store.eq(now(v), entry.value(proc, v)));
        }
        Contract { proc, at, requires, always, entry_values }
    }
}
