//! Programs that are verified part by part: every function that has a contract in any state that meets its precondition, and the rest
//! of the program with the contracts in place of these functions (Hoare, Procedures and parameters, 1971).
//!
//! The front end makes one program of all parts, so a proof of it, its confirmation and its certificate cover every contract. What
//! it allows is more than what the program does: an execution that violates something is no verdict. It tells that the contracts
//! are too weak, or wrong; whether the program is, the program as a whole decides.

use super::testing::Found;
use super::verify_program;
use crate::cache::Lookup;
use crate::report::ContractReport;
use crate::{Error, Options, Report, Task};
use bolide_base::Budget;
use bolide_engine::{Reason, ReasonCode};
use bolide_front::c;
use bolide_model::PropertyId;

/// Decides a program part by part, and then looks for an error in the whole of it if there is no proof.
pub fn verify(
    task: &Task,
    options: &Options,
    lookup: &mut Lookup<'_>,
    budget: &Budget,
    proofs: &dyn Fn() -> Budget,
) -> Result<Report, Error> {
    let half = match budget.remaining() {
        Some(time) => &budget.child(time / 2),
        None => budget,
    };
    let parts = verify_program(task, options, lookup, half, proofs)?;
    let is_open = parts.contracts.as_ref().is_some_and(|c| !c.has_entry);
    if parts.verdict.is_known() || is_open || budget.exhausted() {
        return Ok(parts);
    }
    let mut whole = options.clone();
    whole.program.modular = false;
    let whole = verify_program(task, &whole, &mut Lookup::new(None), budget, proofs)?;
    if whole.verdict.is_unsafe() {
        return Ok(whole);
    }
    Ok(Report { statistics: whole.statistics, ..parts })
}

/// Why an execution of the parts is no verdict.
pub fn too_weak(task: &c::Task, found: &Found) -> Reason {
    let text = match violated(task, found) {
        Some(property) => {
            let property = &task.program.properties[property];
            let place = task.source.position(property.span);
            format!("the contracts do not suffice: {} at {place} may be violated", property.name)
        }
        None => "the contracts do not suffice".into(),
    };
    Reason::new(ReasonCode::Incomplete, text)
}

/// The property that a trace of the parts violates.
fn violated(task: &c::Task, found: &Found) -> Option<PropertyId> {
    let Found::Trace(trace) = found else { return None };
    let last = trace.steps.last()?;
    let proc = &task.program.procs[last.proc];
    proc.locations[proc.edges[last.edge].to].error
}

/// Says which contracts a report is about.
pub fn list(task: &c::Task, report: &mut Report) {
    let Some(modular) = &task.unit.modular else { return };
    let contract = |f: c::hir::FuncId| {
        let function = &task.unit.funcs[f];
        (function.name.clone(), task.source.position(function.span))
    };
    let functions = modular.parts.iter().map(|p| contract(p.subject)).collect();
    report.contracts = Some(ContractReport { has_entry: modular.has_entry, functions });
}
