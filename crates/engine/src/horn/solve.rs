//! The way from a system to a checked verdict.

use super::linear::{self, Unwinder};
use super::{
    HornVerdict, annotate, bits, bmc, check_derivation, check_interpretation, control, folds, imc, kind, pdr,
    separate, tpa,
};
use crate::board::Seat;
use crate::program::{impact, relax};
use crate::{Engine, Input, Reason, ReasonCode, Verdict};
use bolide_base::{Budget, Stats};
use bolide_model::horn::back::{BackMap, derivation_back, interpretation_back};
use bolide_model::horn::pass::{self, Preparation, prepare_with};
use bolide_model::horn::{Horn, Interpretation};
use bolide_smt::{Answer, Solver};
use bolide_term::{Store, Term};

/// What becomes of the program counter that a transition system keeps in the arguments of its only predicate.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Locations {
    /// It stays there.
    #[default]
    Inside,
    /// There is a predicate for each of its values, if it can be found.
    Split,
    /// The same; without one the engine does not start.
    MustSplit,
}

/// How the engines work.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What is done before an engine starts.
    pub preparation: Preparation,
    /// What becomes of the program counter of a transition system.
    pub locations: Locations,
    /// Let the engines for circuits work, on the bits of words.
    pub bits: bool,
    /// Read numbers that are only compared as values of a datatype.
    pub values: bool,
    /// Read datatypes as the values of folds; without datatypes the engine does not start.
    pub folds: bool,
    /// Add clauses for many rounds of loops at once; without any the engine does not start.
    pub accelerate: bool,
    /// Property-directed reachability.
    pub pdr: pdr::Config,
    /// Lazy annotation.
    pub annotate: annotate::Config,
    /// Lazy abstraction with interpolants.
    pub impact: impact::Config,
    /// Lazy predicate abstraction.
    pub relax: relax::Config,
    /// Where proved facts about the predicates are exchanged with others.
    pub board: Option<Seat>,
}

/// Prepares a system, runs an engine, and checks its evidence on the system that was given.
pub fn solve(
    store: &mut Store,
    horn: &Horn,
    engine: Engine,
    budget: &Budget,
    stats: &mut Stats,
) -> HornVerdict {
    solve_with(store, horn, engine, &Settings::default(), budget, stats)
}

/// Like [`solve`], with settings of one's own.
pub fn solve_with(
    store: &mut Store,
    horn: &Horn,
    engine: Engine,
    settings: &Settings,
    budget: &Budget,
    stats: &mut Stats,
) -> HornVerdict {
    if !engine.works_on(Input::Horn) {
        let text = format!("{engine} does not work on Horn clauses");
        return Verdict::Unknown(Reason::new(ReasonCode::Inapplicable, text));
    }
    let folded = match settings.folds {
        true => match read_as_folds(store, horn, budget, stats) {
            Ok(folded) => Some(folded),
            Err(reason) => return Verdict::Unknown(reason),
        },
        false => None,
    };
    let given = folded.as_ref().map_or(horn, |(folded, _)| folded);
    // Definitions are taken out of disjunctions when the location is known, as most disjuncts are gone then.
    let defines_later = settings.preparation.define && settings.locations != Locations::Inside;
    let first = if defines_later { Preparation::default() } else { settings.preparation };
    let (mut prepared, mut maps) = match prepare_with(store, given, first, budget) {
        Ok(done) => done,
        Err(interrupt) => return Verdict::unknown(interrupt),
    };
    maps.splice(0..0, folded.map(|(_, map)| map));
    if settings.locations != Locations::Inside {
        match control::locations(store, &prepared, budget) {
            Some(found) => {
                stats.count("locations", found.steps.len() as u64);
                let (split, map) = pass::split(store, &prepared, found);
                maps.push(map);
                let (simple, map) = match pass::simplify(store, &split, budget) {
                    Ok(done) => done,
                    Err(interrupt) => return Verdict::unknown(interrupt),
                };
                maps.push(map);
                let (pruned, map) = pass::prune(store, &simple);
                maps.push(map);
                let (sliced, map) = pass::slice(store, &pruned);
                maps.push(map);
                prepared = sliced;
            }
            None if settings.locations == Locations::MustSplit => {
                let text = "the clauses have no program counter to split by";
                return Verdict::Unknown(Reason::new(ReasonCode::Inapplicable, text));
            }
            None => {}
        }
    }
    if defines_later {
        match prepare_with(store, &prepared, settings.preparation, budget) {
            Ok((defined, more)) => {
                maps.extend(more);
                prepared = defined;
            }
            Err(interrupt) => return Verdict::unknown(interrupt),
        }
    }
    if settings.values {
        match pass::values(store, &prepared, budget) {
            Ok(Some((read, map))) => {
                maps.push(map);
                prepared = read;
            }
            Ok(None) => {}
            Err(interrupt) => return Verdict::unknown(interrupt),
        }
    }
    if settings.accelerate {
        let mut possible = |store: &mut Store, formula| is_possible(store, formula, budget);
        match pass::accelerate(store, &prepared, &mut possible, budget) {
            Ok(Some((accelerated, map))) => {
                stats.count("clauses after acceleration", accelerated.clauses.len() as u64);
                maps.push(map);
                prepared = accelerated;
            }
            Ok(None) => {
                let text = "the clauses have no loops with closed forms";
                return Verdict::Unknown(Reason::new(ReasonCode::Inapplicable, text));
            }
            Err(interrupt) => return Verdict::unknown(interrupt),
        }
    }
    stats.count("clauses", horn.clauses.len() as u64);
    stats.count("clauses after preparation", prepared.clauses.len() as u64);
    let is_guess = settings.preparation.without_wraps;
    // Elsewhere parameters mean something else.
    let board = settings.board.clone().filter(|_| maps.iter().all(BackMap::keeps_parameters));
    let verdict = match engine {
        _ if settings.bits => bits::solve(store, &prepared, engine, budget, stats),
        Engine::Pdr => {
            let config = pdr::Config { board, ..settings.pdr.clone() };
            pdr::solve(store, &prepared, &config, budget, stats)
        }
        Engine::Bmc => bmc::solve(store, &prepared, budget, stats),
        Engine::Annotate => annotate::solve(store, &prepared, &settings.annotate, budget, stats),
        Engine::Impact => {
            let config = impact::Config { board, ..settings.impact.clone() };
            linear::solve(store, &prepared, &Unwinder::Impact(&config), budget, stats)
        }
        Engine::Relax => linear::solve(store, &prepared, &Unwinder::Relax(&settings.relax), budget, stats),
        Engine::Imc => imc::solve(store, &prepared, budget, stats),
        Engine::Tpa => tpa::solve(store, &prepared, budget, stats),
        Engine::Kind | Engine::Itpseq | Engine::Approx => kind::solve(store, &prepared, budget, stats),
    };
    match verdict {
        Verdict::Safe(mut i) => {
            i.formulas.resize(prepared.preds.len(), store.tru());
            let back = interpretation_back(store, &maps, &mut |s, a, b| separate(s, a, b, budget), i);
            match confirm(store, horn, back, budget) {
                Verdict::Unknown(reason) if is_guess && is_rejection(reason.code) => {
                    Verdict::Unknown(wrong_guess("invariant"))
                }
                verdict => verdict,
            }
        }
        Verdict::Unsafe(d) => match derivation_back(store, &maps, d) {
            Some(d) => match check_derivation(store, horn, d) {
                Ok(d) => Verdict::Unsafe(d),
                Err(_) if is_guess => Verdict::Unknown(wrong_guess("derivation")),
                Err(reason) => Verdict::Unknown(reason),
            },
            None if is_guess => Verdict::Unknown(wrong_guess("derivation")),
            None if settings.folds => {
                let text = "the folds that were tried do not tell the values of datatypes apart";
                Verdict::Unknown(Reason::new(ReasonCode::Incomplete, text))
            }
            None => Verdict::Unknown(unmapped("derivation")),
        },
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
    }
}

/// May a formula hold?
fn is_possible(store: &mut Store, formula: Term, budget: &Budget) -> bool {
    let mut solver = Solver::default();
    solver.assert(formula);
    solver.check_unconfirmed(store, &[], budget) != Answer::Unsat
}

/// The system with folds in the place of datatypes.
fn read_as_folds(
    store: &mut Store,
    horn: &Horn,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<(Horn, BackMap), Reason> {
    let inapplicable = |text: &str| Reason::new(ReasonCode::Inapplicable, text);
    let found =
        folds::find(store, horn, budget).ok_or_else(|| inapplicable("the clauses have no datatypes"))?;
    stats.count("folds", found.folds.folds.len() as u64);
    stats.count("facts about folds", found.folds.facts.len() as u64);
    pass::folds(store, horn, found, budget)
        .map_err(Reason::from)?
        .ok_or_else(|| inapplicable("the clauses have datatypes in arrays or quantifiers"))
}

fn confirm(store: &mut Store, horn: &Horn, found: Option<Interpretation>, budget: &Budget) -> HornVerdict {
    let Some(i) = found else {
        return Verdict::Unknown(unmapped("interpretation"));
    };
    match check_interpretation(store, horn, i, budget) {
        Ok(i) => Verdict::Safe(i),
        Err(reason) => Verdict::Unknown(reason),
    }
}

fn is_rejection(code: ReasonCode) -> bool {
    matches!(code, ReasonCode::ProofRejected | ReasonCode::Internal)
}

/// The reason if what was found of integers that do not wrap around is not true of words.
fn wrong_guess(what: &str) -> Reason {
    let text = format!("the {what} that was found for integers that do not wrap around is none of the words");
    Reason::new(ReasonCode::Incomplete, text)
}

/// The reason if evidence about the prepared system says nothing about the one that was given.
fn unmapped(what: &str) -> Reason {
    Reason::new(ReasonCode::Internal, format!("internal: the {what} could not be mapped back to the clauses"))
}
