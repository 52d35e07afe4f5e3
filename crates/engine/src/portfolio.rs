//! Several engines side by side on one task, until the first of them has an answer.

use crate::Verdict;
use bolide_base::{Budget, Stats};
use bolide_term::Store;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Deep proofs make the SAT solver recurse; a large stack costs nothing until it is used.
const STACK: usize = 1 << 30;

/// Decides a task on a store of its own.
pub type Run<'a, I, T> = dyn Fn(&mut Store, &Budget, &mut Stats) -> Verdict<I, T> + Sync + 'a;

/// An engine with everything it needs but a store of its own.
pub struct Candidate<'a, I, T> {
    /// The name of the engine.
    pub name: &'static str,
    /// Its part of the time, in proportion to the others that share a thread with it.
    pub weight: u32,
    /// Runs it.
    pub run: Box<Run<'a, I, T>>,
}

/// Makes an answer of the verdict of an engine, and says whether it settles the task.
pub type Finish<'a, I, T, R> =
    dyn Fn(&'static str, &mut Store, Verdict<I, T>, Stats, &Budget) -> (bool, R) + Sync + 'a;

/// The time for the `n`-th candidate: the first has a lane for itself or its part of the only one, the others share
/// the rest.
fn share(left: Duration, weights: &[u32], n: usize, lanes: usize) -> Duration {
    if n == 0 && lanes > 1 {
        return left;
    }
    let others = lanes.saturating_sub(1).max(1) as f64;
    let rest = weights[n..].iter().sum::<u32>().max(1) as f64 / others;
    left.mul_f64((f64::from(weights[n]) / rest).min(1.0))
}

/// Runs candidates side by side, at most `jobs` at a time, each on a copy of the store. The answer is the first one that
/// `finish`, on the thread of the candidate, says to be settled, or else the first one.
pub fn portfolio<I, T, R: Send>(
    store: &Store,
    candidates: &[Candidate<'_, I, T>],
    jobs: usize,
    budget: &Budget,
    finish: &Finish<'_, I, T, R>,
) -> R {
    let weights: Vec<u32> = candidates.iter().map(|c| c.weight).collect();
    let done = Arc::new(AtomicBool::new(false));
    let next = AtomicUsize::new(0);
    let best: Mutex<Option<(bool, R)>> = Mutex::new(None);
    let lanes = jobs.clamp(1, candidates.len().max(1));
    let lane = |budget: Budget| {
        while !done.load(Ordering::Relaxed) {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(candidate) = candidates.get(n) else { break };
            let own = match budget.remaining() {
                Some(time) => budget.child(share(time, &weights, n, lanes)),
                None => budget.clone(),
            };
            let own = own.phase(candidate.name);
            let (mut store, mut stats) = (store.clone(), Stats::new());
            let verdict = (candidate.run)(&mut store, &own, &mut stats);
            own.finish_phase();
            let (known, answer) = finish(candidate.name, &mut store, verdict, stats, &budget);
            let mut best = best.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if best.as_ref().is_none_or(|(k, _)| known && !k) {
                *best = Some((known, answer));
            }
            if known {
                done.store(true, Ordering::Relaxed);
            }
            // Terms need not be freed one by one.
            std::mem::forget(store);
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
        None => {
            let unknown = Verdict::Unknown("no engine could be run".into());
            finish("none", &mut store.clone(), unknown, Stats::new(), budget).1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_time() {
        let left = Duration::from_secs(20);
        assert_eq!(share(left, &[2, 1, 1], 0, 1), left / 2);
        assert_eq!(share(left / 2, &[2, 1, 1], 1, 1), left / 4);
        assert_eq!(share(left / 4, &[2, 1, 1], 2, 1), left / 4);
        assert_eq!(share(left, &[2, 1, 1], 0, 2), left);
        assert_eq!(share(left, &[2, 1, 1], 1, 2), left / 2);
        assert_eq!(share(left, &[2, 1, 1], 1, 3), left);
        assert_eq!(share(left, &[0], 0, 1), Duration::ZERO);
    }

    #[test]
    fn the_first_known_answer_wins() {
        let candidate = |verdict: Verdict<u8, u8>| Candidate {
            name: "test",
            weight: 1,
            run: Box::new(move |_: &mut Store, _: &Budget, _: &mut Stats| verdict.clone()),
        };
        let unknown = || candidate(Verdict::Unknown("no".into()));
        let finish = |_: &str, _: &mut Store, v: Verdict<u8, u8>, _: Stats, _: &Budget| (v.is_known(), v);
        let (store, budget) = (Store::new(), Budget::unlimited());
        for jobs in 1..4 {
            let some = [unknown(), candidate(Verdict::Safe(7)), unknown()];
            assert_eq!(portfolio(&store, &some, jobs, &budget, &finish), Verdict::Safe(7));
            let none = [unknown(), unknown()];
            assert!(!portfolio(&store, &none, jobs, &budget, &finish).is_known());
        }
        assert!(!portfolio(&store, &[], 1, &budget, &finish).is_known());
    }
}
