//! The way from a system to a checked verdict, and several engines side by side.

use super::{HornVerdict, annotate, bmc, check_interpretation, pdr, separate};
use crate::Verdict;
use bolide_base::{Budget, Stats};
use bolide_model::horn::pass::{derivation_back, interpretation_back, prepare};
use bolide_model::horn::{Horn, Interpretation};
use bolide_term::Store;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Deep proofs make the SAT solver recurse; a large stack costs nothing until it is used.
const STACK: usize = 1 << 30;

/// The engines for Horn clauses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Property-directed reachability.
    Pdr,
    /// Stratified inlining.
    Bmc,
    /// Lazy annotation.
    Annotate,
}

impl Engine {
    /// The engines that `auto` runs, the most successful first.
    pub const AUTO: &[Engine] = &[Engine::Pdr, Engine::Bmc, Engine::Annotate];
    /// All names, for messages.
    pub const NAMES: &str = "auto, pdr, bmc, annotate";

    /// The engine with a name.
    pub fn by_name(name: &str) -> Option<Engine> {
        match name {
            "pdr" => Some(Engine::Pdr),
            "bmc" => Some(Engine::Bmc),
            "annotate" => Some(Engine::Annotate),
            _ => None,
        }
    }
}

/// Prepares a system, runs an engine, and checks its evidence on the system that was given.
pub fn solve(
    store: &mut Store,
    horn: &Horn,
    engine: Engine,
    budget: &Budget,
    stats: &mut Stats,
) -> HornVerdict {
    let (prepared, maps) = match prepare(store, horn, budget) {
        Ok(done) => done,
        Err(interrupt) => return Verdict::Unknown(interrupt.to_string()),
    };
    stats.count("clauses", horn.clauses.len() as u64);
    stats.count("clauses after preparation", prepared.clauses.len() as u64);
    let verdict = match engine {
        Engine::Pdr => pdr::solve(store, &prepared, &pdr::Config::default(), budget, stats),
        Engine::Bmc => bmc::solve(store, &prepared, budget, stats),
        Engine::Annotate => annotate::solve(store, &prepared, &annotate::Config::default(), budget, stats),
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

/// The time for the `n`-th engine: the first has a lane for itself or half of the only one; the others share the rest.
fn share(left: Duration, n: usize, engines: usize, lanes: usize) -> Duration {
    match (n, lanes) {
        (0, 1) => {
            if engines == 1 {
                left
            } else {
                left / 2
            }
        }
        (0, _) => left,
        _ => left / (engines - n).div_ceil(lanes.saturating_sub(1).max(1)).max(1) as u32,
    }
}

/// Runs engines side by side, at most `jobs` at a time, and hands the first verdict that is known, or else the last
/// one, to `finish` on the thread that found it.
pub fn portfolio<R: Send>(
    store: &Store,
    horn: &Horn,
    engines: &[Engine],
    jobs: usize,
    budget: &Budget,
    finish: &(dyn Fn(&mut Store, HornVerdict, Stats) -> R + Sync),
) -> R {
    let done = Arc::new(AtomicBool::new(false));
    let next = AtomicUsize::new(0);
    let best: Mutex<Option<(bool, R)>> = Mutex::new(None);
    let lanes = jobs.clamp(1, engines.len().max(1));
    let lane = |budget: Budget| {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(&engine) = engines.get(n) else { break };
            let own = match budget.remaining() {
                Some(time) => budget.child(share(time, n, engines.len(), lanes)),
                None => budget.clone(),
            };
            let (mut store, mut stats) = (store.clone(), Stats::new());
            let verdict = solve(&mut store, horn, engine, &own, &mut stats);
            let known = verdict.is_known();
            let answer = finish(&mut store, verdict, stats);
            let mut best = best.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if best.as_ref().is_none_or(|(k, _)| !k) {
                *best = Some((known, answer));
            }
            if known {
                done.store(true, Ordering::Relaxed);
            }
            // Terms need not be freed one by one.
            std::mem::forget(store);
            if done.load(Ordering::Relaxed) {
                break;
            }
        }
    };
    let lane = &lane;
    std::thread::scope(|scope| {
        for _ in 1..lanes {
            let budget = budget.clone().with_cancel(done.clone());
            let spawned =
                std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || lane(budget));
            drop(spawned);
        }
        lane(budget.clone().with_cancel(done.clone()));
    });
    match best.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        Some((_, answer)) => answer,
        None => finish(&mut store.clone(), Verdict::Unknown("there is no engine".into()), Stats::new()),
    }
}
