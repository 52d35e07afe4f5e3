//! Taking turns: several computations, each on a thread of its own, of which only a few go on at a time.
//!
//! A computation holds a *baton* while it works. Its [`Budget`](crate::Budget) counts its effort, and when that of its turn is used
//! up, the one that has waited longest gets the baton. What it has used too much is taken from its next turns, which it lets pass. Nobody
//! starts again: a computation that waits goes on where it was. The turns of each grow geometrically, so that few of them are needed, and
//! what one of the computations finishes with some effort is finished after a small multiple of that effort. Work that is counted decides,
//! never a clock: with one baton the order of everything that happens is always the same.

use crate::effort;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// A turn has this part more effort than the one before.
const GROWTH: i64 = 4;

/// The batons and who waits for one.
#[derive(Debug)]
pub struct Turns {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Debug)]
struct State {
    /// Who waits, the longest first.
    waiting: VecDeque<usize>,
    /// Who has a baton.
    has_baton: Vec<bool>,
    /// Batons that nobody has.
    free: usize,
    stopped: bool,
}

impl State {
    /// Hands a baton to the one that has waited longest; it is free if there is none.
    fn pass(&mut self) {
        match self.waiting.pop_front() {
            Some(next) => self.has_baton[next] = true,
            None => self.free += 1,
        }
    }
}

impl Turns {
    /// Turns of some players with some batons; the first players have the first turns.
    pub fn new(players: usize, batons: usize) -> Arc<Turns> {
        let batons = batons.max(1);
        let state = State {
            waiting: (batons.min(players)..players).collect(),
            has_baton: (0..players).map(|n| n < batons).collect(),
            free: batons.saturating_sub(players),
            stopped: false,
        };
        Arc::new(Turns { state: Mutex::new(state), wake: Condvar::new() })
    }

    /// One of the players, whose first turn has so much effort.
    pub fn player(self: &Arc<Turns>, number: usize, effort: u64) -> Arc<Player> {
        let effort = i64::try_from(effort.max(1)).unwrap_or(i64::MAX);
        Arc::new(Player {
            turns: self.clone(),
            number,
            turn: AtomicI64::new(effort),
            left: AtomicI64::new(effort),
            spent: AtomicU64::new(0),
        })
    }

    /// Ends all waiting: everybody may go on, which is to find that there is nothing more to do.
    pub fn stop(&self) {
        self.lock().stopped = true;
        self.wake.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Waits for a baton; false if waiting has been ended.
    fn wait(&self, mut state: MutexGuard<'_, State>, player: usize) -> bool {
        while !state.has_baton[player] && !state.stopped {
            state = self.wake.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        !state.stopped
    }
}

/// A computation that takes turns with others.
#[derive(Debug)]
pub struct Player {
    turns: Arc<Turns>,
    number: usize,
    /// The effort of the present turn, and how much of it is left.
    turn: AtomicI64,
    left: AtomicI64,
    /// All effort so far.
    spent: AtomicU64,
}

impl Player {
    /// Waits for the first turn.
    pub fn begin(&self) {
        let state = self.turns.lock();
        self.turns.wait(state, self.number);
        effort::take();
    }

    /// Gives the baton back for good.
    pub fn end(&self) {
        let mut state = self.turns.lock();
        if std::mem::take(&mut state.has_baton[self.number]) {
            state.pass();
        }
        state.waiting.retain(|&n| n != self.number);
        drop(state);
        self.turns.wake.notify_all();
    }

    /// How much effort the player has spent.
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// From now on the turns of the player have so many times less effort.
    pub(crate) fn cede(&self, times: u32) {
        let turn = self.turn.load(Ordering::Relaxed) / i64::from(times.max(1));
        self.turn.store(turn.max(1), Ordering::Relaxed);
    }

    /// From now on the turns of the player have so many times more effort.
    pub(crate) fn claim(&self, times: u32) {
        let turn = self.turn.load(Ordering::Relaxed).saturating_mul(i64::from(times.max(1)));
        self.turn.store(turn, Ordering::Relaxed);
    }

    /// Takes a step. If the effort of the turn is used up, others have theirs before this returns. Says whether others had a turn.
    #[inline]
    pub(crate) fn step(&self) -> bool {
        // Only the thread of the player counts here.
        let cost = effort::LOOK + effort::take();
        self.spent.store(self.spent.load(Ordering::Relaxed) + cost, Ordering::Relaxed);
        let left = self.left.load(Ordering::Relaxed).saturating_sub_unsigned(cost);
        self.left.store(left, Ordering::Relaxed);
        left <= 0 && self.pass()
    }

    /// Ends the turn. Whoever has used the effort of several turns at once lets all others have as many turns.
    #[cold]
    fn pass(&self) -> bool {
        let mut waited = false;
        while self.left.load(Ordering::Relaxed) <= 0 {
            let turn = self.turn.load(Ordering::Relaxed);
            let next = turn.saturating_add(turn / GROWTH);
            self.turn.store(next, Ordering::Relaxed);
            self.left.store(self.left.load(Ordering::Relaxed).saturating_add(next), Ordering::Relaxed);
            let mut state = self.turns.lock();
            if state.waiting.is_empty() || !state.has_baton[self.number] {
                continue;
            }
            state.has_baton[self.number] = false;
            state.waiting.push_back(self.number);
            state.pass();
            self.turns.wake.notify_all();
            self.turns.wait(state, self.number);
            waited = true;
        }
        waited
    }
}

#[cfg(test)]
mod tests {
    use crate::{Budget, Turns, effort};
    use std::sync::Mutex;

    /// What players do in which order, each with so many steps.
    fn order(batons: usize, steps: &[u64]) -> Vec<usize> {
        let turns = Turns::new(steps.len(), batons);
        let log = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for (n, &steps) in steps.iter().enumerate().rev() {
                let (turns, log) = (&turns, &log);
                scope.spawn(move || {
                    let player = turns.player(n, 4 * effort::LOOK);
                    let budget = Budget::unlimited().with_turns(player.clone());
                    player.begin();
                    for _ in 0..steps {
                        log.lock().expect("no panics").push(n);
                        assert!(budget.poll().is_ok());
                    }
                    assert_eq!(player.spent(), steps * effort::LOOK);
                    player.end();
                });
            }
        });
        log.into_inner().expect("no panics")
    }

    #[test]
    fn turns_grow_and_are_always_the_same() {
        let expected = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        for _ in 0..20 {
            assert_eq!(order(1, &[17, 9, 2]), expected);
        }
        assert_eq!(order(1, &[9]), [0; 9]);
        let mut all = order(3, &[50, 60, 70]);
        all.sort_unstable();
        assert_eq!(all.len(), 180);
    }

    /// How many steps another player has taken when the first one is done with what it does.
    fn steps_of_the_other(first: impl FnOnce(&Budget)) -> u64 {
        let turns = Turns::new(2, 1);
        let players = [turns.player(0, 4 * effort::LOOK), turns.player(1, 4 * effort::LOOK)];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let budget = Budget::unlimited().with_turns(players[1].clone());
                players[1].begin();
                (0..5000).for_each(|_| assert!(budget.poll().is_ok()));
                players[1].end();
            });
            let budget = Budget::unlimited().with_turns(players[0].clone());
            players[0].begin();
            first(&budget);
            let others = players[1].spent() / effort::LOOK;
            players[0].end();
            others
        })
    }

    #[test]
    fn whoever_used_several_turns_waits_for_as_many() {
        let others = steps_of_the_other(|budget| {
            effort::spend(100 * effort::LOOK);
            assert!(budget.poll().is_ok());
        });
        assert!((80..=150).contains(&others), "{others}");
    }

    #[test]
    fn whoever_cedes_leaves_more_to_the_others() {
        let others = steps_of_the_other(|budget| {
            budget.cede(4);
            (0..400).for_each(|_| assert!(budget.poll().is_ok()));
        });
        assert!((1200..=2400).contains(&others), "{others}");
    }

    #[test]
    fn whoever_claims_more_leaves_less_to_the_others() {
        let others = steps_of_the_other(|budget| {
            budget.claim(4);
            (0..400).for_each(|_| assert!(budget.poll().is_ok()));
        });
        assert!((60..=200).contains(&others), "{others}");
    }

    #[test]
    fn those_that_wait_are_told_to_stop() {
        let turns = Turns::new(2, 1);
        let waiting = turns.player(1, 1);
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let budget = Budget::unlimited().with_turns(waiting.clone());
                waiting.begin();
                budget.poll().is_ok()
            });
            turns.stop();
            assert!(thread.join().is_ok());
        });
    }
}
