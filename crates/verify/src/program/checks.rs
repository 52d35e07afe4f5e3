//! Which checks a report lists: those that the user's code can reach.
//!
//! Checks in functions that are never called, or behind conditions that are constants, say nothing and are kept apart. Checks inside models of library functions are not
//! the user's: those of one kind in one function count as one, and where such a check fails is the call in the user's code.

use super::evidence::Run;
use crate::Verdict;
use crate::report::{Place, PropertyReport, Report};
use bolide_front::c::Task;
use bolide_model::{PropertyId, Span};
use rustc_hash::FxHashSet;

/// Where a property is stated in the user's text; nothing for one in a library function.
pub fn place(task: &Task, property: PropertyId) -> Option<Place> {
    let span = task.program.properties[property].span;
    task.source.is_own(span).then(|| task.source.position(span))
}

/// Where a run violates its property: there, or where the user's code calls the library function that does.
pub fn violation(task: &Task, run: &Run) -> Span {
    let span = task.program.properties[run.violated()].span;
    if task.source.is_own(span) {
        return span;
    }
    let mut own = run.events().iter().rev().map(|e| e.span).filter(|s| task.source.is_own(*s));
    own.next().unwrap_or(span)
}

/// Leaves the checks in a report that the user's code can reach. Their order before was that of the program's properties.
pub fn list(task: &Task, report: &mut Report) {
    let locations = task.program.procs.iter().flat_map(|p| p.locations.iter());
    let reachable: FxHashSet<PropertyId> = locations.filter_map(|l| l.error).collect();
    let all = std::mem::take(&mut report.properties);
    for (id, property) in task.program.properties.ids().zip(all) {
        let is_own = task.source.is_own(task.program.properties[id].span);
        let is_system =
            !is_own && property.name.ends_with(" in __arguments") && !property.verdict.is_unsafe();
        if task.unit.is_unsupported(id) || is_system {
            continue;
        }
        if !reachable.contains(&id) {
            report.unreachable.extend(is_own.then_some(property));
            continue;
        }
        let same = |p: &&mut PropertyReport| p.name == property.name;
        match report.properties.iter_mut().find(|p| !is_own && same(p)) {
            Some(known) => {
                if known.place.is_none() {
                    known.place = property.place;
                }
                known.verdict = worse(&known.verdict, &property.verdict);
            }
            None => report.properties.push(property),
        }
    }
}

/// Of two verdicts the one that counts for both checks.
fn worse(a: &Verdict, b: &Verdict) -> Verdict {
    let rank = |v: &Verdict| (v.is_unsafe(), !v.is_known());
    if rank(a) >= rank(b) { a.clone() } else { b.clone() }
}
