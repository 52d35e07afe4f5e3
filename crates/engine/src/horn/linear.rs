//! Linear Horn clauses through the engines that unwind programs.

use super::HornClaim;
use crate::program::{ProgramClaim, impact, relax};
use crate::{Reason, ReasonCode, Verdict};
use bolide_base::{Budget, Stats};
use bolide_model::Program;
use bolide_model::horn::{Horn, LinearMap, to_program};
use bolide_term::Store;

/// An engine that unwinds programs, with its configuration.
pub enum Unwinder<'a> {
    /// Lazy abstraction with interpolants.
    Impact(&'a impact::Config),
    /// Lazy predicate abstraction.
    Relax(&'a relax::Config),
}

impl Unwinder<'_> {
    /// What the engine claims. An invariant is checked as a solution of the clauses; checking it on the program as well would
    /// ask the same questions twice.
    fn run(
        &self,
        store: &mut Store,
        (horn, program, map): (&Horn, &Program, &LinearMap),
        budget: &Budget,
        stats: &mut Stats,
    ) -> ProgramClaim {
        let (claim, own) = match self {
            Unwinder::Impact(config) => {
                // Edges are whole clauses: a path is as hard to decide as to refute, and most are infeasible.
                let mut config = impact::Config { ask_first: false, ..(*config).clone() };
                let names = || {
                    let names = map.predicates(horn, program).into_iter();
                    names.map(|name| name.map(|(p, constants)| (p.index(), constants)))
                };
                config.board = config.board.map(|seat| seat.renamed(names()));
                impact::claim(store, program, &config, budget)
            }
            Unwinder::Relax(config) => relax::claim(store, program, config, budget),
        };
        stats.merge(&own);
        claim
    }
}

/// Decides a linear system as a program.
pub fn solve(
    store: &mut Store,
    horn: &Horn,
    engine: &Unwinder<'_>,
    budget: &Budget,
    stats: &mut Stats,
) -> HornClaim {
    let Some((program, map)) = to_program(store, horn) else {
        return Verdict::Unknown(Reason::new(
            ReasonCode::Inapplicable,
            "a clause with several predicates in its body cannot be unwound as a program",
        ));
    };
    match engine.run(store, (horn, &program, &map), budget, stats) {
        Verdict::Safe(invariant) => {
            Verdict::Safe(map.interpretation(store, horn, &program, &invariant.formulas))
        }
        Verdict::Unsafe(trace) => match map.derivation(store, horn, &trace) {
            Some(derivation) => Verdict::Unsafe(derivation),
            None => Verdict::Unknown("the execution that shows the error cannot be evaluated".into()),
        },
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
    }
}
