//! Programs through Horn clauses: recursive procedures become summaries.

use super::{Engine, solve};
use crate::Verdict;
use crate::program::{Invariant, ProgramVerdict, check_invariant};
use bolide_base::{Budget, Stats};
use bolide_model::horn::{Horn, Interpretation, ProgramMap, from_program};
use bolide_model::{Action, Bias, Program};
use bolide_term::Store;

/// The clauses of a program and a solution of them.
pub struct Solution {
    /// The clauses.
    pub horn: Horn,
    /// The way back from them to the program.
    pub map: ProgramMap,
    /// A formula for each predicate.
    pub interpretation: Interpretation,
}

/// Decides with an engine for Horn clauses whether an error location of a program can be reached.
pub fn solve_program(
    store: &mut Store,
    program: &Program,
    engine: Engine,
    budget: &Budget,
    stats: &mut Stats,
) -> ProgramVerdict {
    solve_with_solution(store, program, engine, budget, stats).0
}

/// The same, with the solution of the clauses that shows `safe`: of a program with calls it says more than an invariant of
/// the main procedure.
pub fn solve_with_solution(
    store: &mut Store,
    program: &Program,
    engine: Engine,
    budget: &Budget,
    stats: &mut Stats,
) -> (ProgramVerdict, Option<Solution>) {
    let (horn, map) = from_program(store, program);
    match solve(store, &horn, engine, budget, stats) {
        Verdict::Safe(interpretation) => {
            let verdict = conclude(store, program, &horn, &map, &interpretation, budget);
            (verdict, Some(Solution { horn, map, interpretation }))
        }
        Verdict::Unsafe(d) => match map.trace(store, program, &d) {
            Some(trace) => (Verdict::Unsafe(trace), None),
            None => (Verdict::Unknown("the execution that shows the error is too long".into()), None),
        },
        Verdict::Unknown(reason) => (Verdict::Unknown(reason), None),
    }
}

/// The invariant that a solution of the clauses is.
fn conclude(
    store: &mut Store,
    program: &Program,
    horn: &Horn,
    map: &ProgramMap,
    interpretation: &Interpretation,
    budget: &Budget,
) -> ProgramVerdict {
    let edges = || program.procs.iter().flat_map(|p| &p.edges);
    let under = edges().flat_map(|e| &e.approximations).find(|a| a.bias == Bias::Under);
    if let Some(a) = under {
        return Verdict::Unknown(format!("the program is only partly represented: {}", a.what));
    }
    let mut formulas = Vec::new();
    for l in program.main().locations.ids() {
        formulas.push((l, map.formula(store, program, horn, interpretation, l)));
    }
    let invariant = Invariant { formulas };
    // The solution has been checked clause by clause; without calls the program itself can be asked as well.
    if edges().all(|e| matches!(e.action, Action::Step(_)))
        && let Err(flaw) = check_invariant(store, program, &invariant, budget)
    {
        return Verdict::Unknown(flaw.to_string());
    }
    Verdict::Safe(invariant)
}
