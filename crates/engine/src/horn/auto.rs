//! The way from a system to a checked verdict, and the engines that take part in it.

use super::linear::{self, Unwinder};
use super::{HornVerdict, annotate, bmc, check_interpretation, imc, kind, pdr, separate, tpa};
use crate::Verdict;
use crate::program::{impact, relax};
use bolide_base::{Budget, Stats};
use bolide_model::horn::pass::{Preparation, derivation_back, interpretation_back, prepare_with};
use bolide_model::horn::{Derivation, Horn, Interpretation};
use bolide_term::Store;

/// The engines for Horn clauses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Property-directed reachability.
    Pdr,
    /// Stratified inlining.
    Bmc,
    /// Lazy annotation.
    Annotate,
    /// Lazy abstraction with interpolants, on linear clauses.
    Impact,
    /// Lazy predicate abstraction, on linear clauses.
    Relax,
    /// Interpolation-based model checking, for linear clauses.
    Imc,
    /// Transition power abstraction, for linear clauses: finds long derivations.
    Tpa,
    /// k-induction, for linear clauses.
    Kind,
}

impl Engine {
    /// The engines that `auto` runs, the most successful first.
    pub const AUTO: &[Engine] = &[Engine::Pdr, Engine::Bmc, Engine::Annotate, Engine::Tpa, Engine::Imc];
    /// All names, for messages.
    pub const NAMES: &str = "auto, pdr, bmc, annotate, imc, tpa, kind, impact, relax";

    /// The name of the engine.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Pdr => "pdr",
            Engine::Bmc => "bmc",
            Engine::Annotate => "annotate",
            Engine::Impact => "impact",
            Engine::Relax => "relax",
            Engine::Imc => "imc",
            Engine::Tpa => "tpa",
            Engine::Kind => "kind",
        }
    }

    /// Its part of the time in `auto`, in proportion to the others: `pdr` decides almost all problems that any engine decides,
    /// `annotate` proves some more, `bmc` and `tpa` find derivations that are too long for both.
    fn weight(self) -> u32 {
        match self {
            Engine::Pdr => 8,
            Engine::Annotate => 3,
            Engine::Bmc | Engine::Tpa => 2,
            Engine::Impact | Engine::Relax | Engine::Imc | Engine::Kind => 1,
        }
    }

    /// The engine with a name.
    pub fn by_name(name: &str) -> Option<Engine> {
        match name {
            "pdr" => Some(Engine::Pdr),
            "bmc" => Some(Engine::Bmc),
            "annotate" => Some(Engine::Annotate),
            "impact" => Some(Engine::Impact),
            "relax" => Some(Engine::Relax),
            "imc" => Some(Engine::Imc),
            "tpa" => Some(Engine::Tpa),
            "kind" => Some(Engine::Kind),
            _ => None,
        }
    }
}

/// How the engines work.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What is done before an engine starts.
    pub preparation: Preparation,
    /// Property-directed reachability.
    pub pdr: pdr::Config,
    /// Lazy annotation.
    pub annotate: annotate::Config,
    /// Lazy abstraction with interpolants.
    pub impact: impact::Config,
    /// Lazy predicate abstraction.
    pub relax: relax::Config,
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
    let (prepared, maps) = match prepare_with(store, horn, settings.preparation, budget) {
        Ok(done) => done,
        Err(interrupt) => return Verdict::Unknown(interrupt.to_string()),
    };
    stats.count("clauses", horn.clauses.len() as u64);
    stats.count("clauses after preparation", prepared.clauses.len() as u64);
    let verdict = match engine {
        Engine::Pdr => pdr::solve(store, &prepared, &settings.pdr, budget, stats),
        Engine::Bmc => bmc::solve(store, &prepared, budget, stats),
        Engine::Annotate => annotate::solve(store, &prepared, &settings.annotate, budget, stats),
        Engine::Impact => linear::solve(store, &prepared, &Unwinder::Impact(&settings.impact), budget, stats),
        Engine::Relax => linear::solve(store, &prepared, &Unwinder::Relax(&settings.relax), budget, stats),
        Engine::Imc => imc::solve(store, &prepared, budget, stats),
        Engine::Tpa => tpa::solve(store, &prepared, budget, stats),
        Engine::Kind => kind::solve(store, &prepared, budget, stats),
    };
    match verdict {
        Verdict::Safe(mut i) => {
            i.formulas.resize(horn.preds.len(), store.tru());
            let back = interpretation_back(store, &maps, &mut |s, a, b| separate(s, a, b, budget), i);
            confirm(store, horn, back, budget)
        }
        Verdict::Unsafe(d) => match derivation_back(store, &maps, d) {
            Some(d) => match d.replay(store, horn) {
                Ok(_) => Verdict::Unsafe(d),
                Err(e) => Verdict::Unknown(format!("the derivation was rejected: {e}")),
            },
            None => Verdict::Unknown("the derivation could not be brought back".into()),
        },
        unknown => unknown,
    }
}

fn confirm(store: &mut Store, horn: &Horn, found: Option<Interpretation>, budget: &Budget) -> HornVerdict {
    let Some(i) = found else {
        return Verdict::Unknown("the interpretation could not be brought back".into());
    };
    match check_interpretation(store, horn, &i, budget) {
        Ok(()) => Verdict::Safe(i),
        Err(reason) => Verdict::Unknown(reason),
    }
}

/// The engines as candidates of a [`portfolio`](crate::portfolio).
pub fn candidates<'a>(
    horn: &'a Horn,
    engines: &[Engine],
    settings: &'a Settings,
) -> Vec<crate::Candidate<'a, Interpretation, Derivation>> {
    let candidate = |&engine: &Engine| crate::Candidate {
        name: engine.name(),
        weight: engine.weight(),
        run: Box::new(move |store: &mut Store, budget: &Budget, stats: &mut Stats| {
            solve_with(store, horn, engine, settings, budget, stats)
        }),
    };
    engines.iter().map(candidate).collect()
}
