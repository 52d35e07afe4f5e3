//! Several engines on one task, until the first of them has an answer.
//!
//! Each engine has a thread of its own, and at most so many go on at a time; they take turns as [`Turns`] says. How long a turn is, in
//! effort, is in proportion to the engine's share. No clock takes part: with one job the answer and its evidence are the same on a busy
//! machine and on an idle one, with a limit and without.

use bolide_base::{Budget, Player, Stats, Turns};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Deep proofs make the SAT solver recurse; a large stack costs nothing until it is used.
const STACK: usize = 1 << 27;

/// The effort of the first turn of a candidate for each unit of its share.
const FIRST_TURN: u64 = 20_000;

/// Decides a task on a copy of the context.
pub type Run<'a, C, V> = dyn Fn(&mut C, &Budget, &mut Stats) -> V + Sync + 'a;

/// An engine with everything it needs but a copy of the context.
pub struct Candidate<'a, C, V> {
    /// The name of the engine.
    pub name: &'static str,
    /// Its share of the effort, in proportion to the others.
    pub share: u32,
    /// Runs it.
    pub run: Box<Run<'a, C, V>>,
}

/// Makes an answer of the verdict of an engine, and says whether it settles the task.
pub type Finish<'a, C, V, R> = dyn Fn(&'static str, &mut C, V, Stats, &Budget) -> (bool, R) + Sync + 'a;

/// Gives the baton back whatever happens.
struct Turn(Arc<Player>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Runs candidates, at most `jobs` at a time, each on a copy of the context. The answer is the first one that `finish`, on the thread
/// of the candidate, says to be settled, or else that of the candidate that comes first in the list; none if no candidate came to its
/// end.
pub fn portfolio<C: Clone + Sync, V, R: Send>(
    context: &C,
    candidates: &[Candidate<'_, C, V>],
    jobs: usize,
    budget: &Budget,
    finish: &Finish<'_, C, V, R>,
) -> Option<R> {
    let turns = Turns::new(candidates.len(), jobs);
    let done = Arc::new(AtomicBool::new(false));
    // The answer of a candidate by its number, and whether it is settled.
    let best: Mutex<Option<(bool, usize, R)>> = Mutex::new(None);
    let work = |n: usize, player: Arc<Player>, budget: Budget| {
        let candidate = &candidates[n];
        let turn = Turn(player);
        turn.0.begin();
        // Whoever has not started when a limit is reached has nothing to add.
        let has_answer = || best.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).is_some();
        if done.load(Ordering::Relaxed) || budget.check().is_err() && has_answer() {
            return;
        }
        let own = budget.phase(candidate.name).with_turns(turn.0.clone());
        let (mut context, mut stats) = (context.clone(), Stats::new());
        let verdict = (candidate.run)(&mut context, &own, &mut stats);
        own.finish_phase();
        stats.count("effort", turn.0.spent());
        if done.load(Ordering::Relaxed) {
            std::mem::forget(context);
            return;
        }
        let (known, answer) = finish(candidate.name, &mut context, verdict, stats, &budget);
        let mut best = best.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if best.as_ref().is_none_or(|&(k, m, _)| !k && (known || n < m)) {
            *best = Some((known, n, answer));
        }
        drop(best);
        if known {
            done.store(true, Ordering::Relaxed);
            turns.stop();
            // Terms need not be freed one by one; others that go on need the memory.
            std::mem::forget(context);
        }
    };
    let work = &work;
    let panic = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (n, candidate) in candidates.iter().enumerate() {
            let player = turns.player(n, FIRST_TURN * u64::from(candidate.share));
            // Where address space is limited, a smaller stack is better than none.
            let spawned = (0..4).find_map(|smaller| {
                let (own, budget) = (player.clone(), budget.clone().with_cancel(done.clone()));
                std::thread::Builder::new()
                    // Tools that look at threads (`top -H`, `perf report --sort comm`) show who works.
                    .name(candidate.name.to_owned())
                    .stack_size(STACK >> smaller)
                    .spawn_scoped(scope, move || work(n, own, budget))
                    .ok()
            });
            match spawned {
                Some(thread) => threads.push(thread),
                None => player.end(),
            }
        }
        threads.into_iter().filter_map(|thread| thread.join().err()).next()
    });
    match (best.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()), panic) {
        (Some((true, _, answer)), _) => Some(answer),
        // A defect of an engine is in the way only if no other has an answer.
        (_, Some(panic)) => std::panic::resume_unwind(panic),
        (answer, None) => answer.map(|(.., answer)| answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;

    type Claim = Verdict<u8, u8>;

    fn after(steps: u64, verdict: Claim) -> Candidate<'static, (), Claim> {
        let run = move |_: &mut (), budget: &Budget, _: &mut Stats| {
            for _ in 0..steps {
                if let Err(interrupt) = budget.poll() {
                    return Verdict::unknown(interrupt);
                }
            }
            verdict.clone()
        };
        Candidate { name: "test", share: 1, run: Box::new(run) }
    }

    fn answer(candidates: &[Candidate<'_, (), Claim>], jobs: usize) -> Option<Claim> {
        let finish = |_: &str, _: &mut (), v: Claim, _: Stats, _: &Budget| (v.is_known(), v);
        portfolio(&(), candidates, jobs, &Budget::unlimited(), &finish)
    }

    #[test]
    fn the_first_known_answer_wins() {
        let unknown = || after(1, Verdict::unknown("no"));
        for jobs in 1..4 {
            let some = [unknown(), after(1, Verdict::Safe(7)), unknown()];
            assert_eq!(answer(&some, jobs), Some(Verdict::Safe(7)));
            assert!(answer(&[unknown(), unknown()], jobs).is_some_and(|v| !v.is_known()));
        }
        assert_eq!(answer(&[], 1), None);
    }

    #[test]
    fn the_one_with_less_effort_wins_with_one_job() {
        for _ in 0..10 {
            let both = [after(1_000_000, Verdict::Safe(1)), after(200_000, Verdict::Unsafe(2))];
            assert_eq!(answer(&both, 1), Some(Verdict::Unsafe(2)));
        }
        let endless = [after(u64::MAX, Verdict::Safe(1)), after(10_000, Verdict::Unsafe(2))];
        assert_eq!(answer(&endless, 1), Some(Verdict::Unsafe(2)));
        assert_eq!(answer(&endless, 2), Some(Verdict::Unsafe(2)));
    }
}
