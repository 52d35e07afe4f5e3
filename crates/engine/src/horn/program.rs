//! Programs through Horn clauses: recursive procedures become summaries.

use super::{Settings, solve_with};
use crate::program::{Invariant, ProgramVerdict, check_invariant, partly_represented};
use crate::{Checked, Engine, Reason, Verdict};
use bolide_base::{Budget, Stats};
use bolide_model::Trace;
use bolide_model::horn::{Derivation, Horn, Interpretation, ProgramMap, from_program};
use bolide_model::{Bias, LocId, Program};
use bolide_term::{Store, Term};

/// The clauses of a program and a solution of them that was checked: of a program with calls it says more than an invariant of the
/// main procedure.
pub struct Solution {
    /// The clauses.
    pub horn: Horn,
    /// The way back from them to the program.
    pub map: ProgramMap,
    /// A formula for each predicate.
    pub interpretation: Checked<Interpretation>,
}

impl Solution {
    /// What the solution says about the locations of the main procedure.
    pub fn of_main(&self, store: &mut Store, program: &Program) -> Vec<(LocId, Term)> {
        let locations = program.main().locations.ids();
        let formula = |l| (l, self.map.formula(store, program, &self.horn, &self.interpretation, l));
        locations.map(formula).collect()
    }
}

/// Decides with an engine for Horn clauses whether an error location of a program without calls can be reached.
pub fn solve_program(
    store: &mut Store,
    program: &Program,
    engine: Engine,
    settings: &Settings,
    budget: &Budget,
    stats: &mut Stats,
) -> ProgramVerdict {
    let solution = match solve_with_summaries(store, program, engine, settings, budget, stats) {
        Verdict::Safe(solution) => solution,
        Verdict::Unsafe(trace) => return Verdict::Unsafe(trace),
        Verdict::Unknown(reason) => return Verdict::Unknown(reason),
    };
    let invariant = Invariant { formulas: solution.of_main(store, program) };
    match check_invariant(store, program, invariant, budget) {
        Ok(invariant) => Verdict::Safe(invariant),
        Err(flaw) => Verdict::Unknown(flaw.into()),
    }
}

/// The same for a program that may have calls.
pub fn solve_with_summaries(
    store: &mut Store,
    program: &Program,
    engine: Engine,
    settings: &Settings,
    budget: &Budget,
    stats: &mut Stats,
) -> Verdict<Solution, Trace> {
    let (horn, map) = from_program(store, program);
    let locations = || {
        let names = map.locations(program, &horn).into_iter();
        names.map(|name| name.map(|(l, constants)| (l.index(), constants)))
    };
    let board = settings.board.as_ref().map(|seat| seat.renamed(locations()));
    let settings = Settings { board, ..settings.clone() };
    match solve_with(store, &horn, engine, &settings, budget, stats) {
        Verdict::Safe(interpretation) => match under_approximation(program) {
            Some(reason) => Verdict::Unknown(reason),
            None => Verdict::Safe(Solution { horn, map, interpretation }),
        },
        Verdict::Unsafe(d) => {
            let derivation: &Derivation = &d;
            match map.trace(store, program, derivation) {
                Some(trace) => Verdict::Unsafe(trace),
                None => Verdict::unknown("the execution that shows the error is too long"),
            }
        }
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
    }
}

/// What stands in the way of proofs, if something is only partly represented.
fn under_approximation(program: &Program) -> Option<Reason> {
    let edges = program.procs.iter().flat_map(|p| &p.edges);
    let under = edges.flat_map(|e| &e.approximations).find(|a| a.bias == Bias::Under);
    under.map(|a| partly_represented(&a.what))
}
