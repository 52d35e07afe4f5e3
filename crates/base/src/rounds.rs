//! Which loops of an execution go round in the same way again and again.
//!
//! A loop that has gone round often is watched for a few rounds. If they take the same way, or ways that repeat with a small period, that
//! period is worth an attempt to skip many of them at once; where that fails, the loop is left alone for longer and longer.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::rc::Rc;

/// A loop is watched after so many rounds.
const FIRST_WATCHED: u32 = 60;
/// So many rounds are watched.
const WATCHED: usize = 12;
/// The periods that are tried, divisors of the number of rounds that are watched.
const PERIODS: [usize; 5] = [1, 2, 3, 4, 6];
/// Ways with more jumps are not watched.
const LONGEST_WAY: usize = 2_000;

/// A period of rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way<J> {
    /// The jumps from the head of the loop and back to it.
    pub jumps: Vec<J>,
    /// The number of rounds.
    pub rounds: u64,
}

/// What is known of a loop.
struct Known<J> {
    /// How often its head was reached.
    visits: u32,
    /// When something is tried next.
    next: u32,
    /// How much longer it takes after the next failure.
    patience: u32,
    /// A period that could be skipped the last time.
    way: Option<Rc<Way<J>>>,
}

/// A loop that is watched.
struct Watch<H, J> {
    head: H,
    /// How many calls are active at the head.
    depth: usize,
    /// The jumps since the first time at the head.
    jumps: Vec<J>,
    /// Where rounds end among them.
    ends: Vec<usize>,
}

/// The loops of an execution, by their heads.
pub struct Rounds<H, J> {
    loops: FxHashMap<H, Known<J>>,
    watch: Option<Watch<H, J>>,
}

impl<H, J> Default for Rounds<H, J> {
    fn default() -> Self {
        Rounds { loops: FxHashMap::default(), watch: None }
    }
}

impl<H: Copy + Eq + Hash, J: Copy + Eq> Rounds<H, J> {
    /// A jump has led somewhere, at some depth of calls; it may lead back to where the execution has been. The periods that are to be tried
    /// now from here, the best one first; [`Rounds::succeed`] or [`Rounds::fail`] is to be told what came of them.
    pub fn jump(&mut self, to: H, depth: usize, jump: J, is_back: bool) -> Vec<Rc<Way<J>>> {
        if let Some(watch) = &mut self.watch {
            watch.jumps.push(jump);
            let head = watch.head;
            if depth == watch.depth && to == head {
                watch.ends.push(watch.jumps.len());
            } else if depth < watch.depth || watch.jumps.len() > LONGEST_WAY {
                self.watch = None;
                self.fail(head);
                return Vec::new();
            }
            if watch.ends.len() < WATCHED {
                return Vec::new();
            }
            let ways: Vec<Rc<Way<J>>> = watch.periods().map(Rc::new).collect();
            self.watch = None;
            if ways.is_empty() {
                self.fail(head);
            }
            return ways;
        }
        if !is_back {
            return Vec::new();
        }
        let first = Known { visits: 0, next: FIRST_WATCHED, patience: FIRST_WATCHED, way: None };
        let known = self.loops.entry(to).or_insert(first);
        known.visits = known.visits.saturating_add(1);
        if known.visits < known.next {
            return Vec::new();
        }
        if let Some(way) = &known.way {
            return vec![way.clone()];
        }
        self.watch = Some(Watch { head: to, depth, jumps: Vec::new(), ends: Vec::new() });
        Vec::new()
    }

    /// How many rounds of a loop are left alone after the next attempt, if that fails: more the more attempts in a row have failed.
    pub fn patience(&self, head: &H) -> u32 {
        self.loops.get(head).map_or(0, |known| known.patience)
    }

    /// Rounds were skipped: the same can be tried again soon.
    pub fn succeed(&mut self, head: H, way: Rc<Way<J>>) {
        if let Some(known) = self.loops.get_mut(&head) {
            known.way = Some(way);
            known.patience = FIRST_WATCHED;
            known.next = known.visits.saturating_add(2);
        }
    }

    /// Nothing could be skipped, so nothing is tried for a while.
    pub fn fail(&mut self, head: H) {
        if let Some(known) = self.loops.get_mut(&head) {
            known.way = None;
            known.next = known.visits.saturating_add(known.patience);
            known.patience = known.patience.saturating_mul(2);
        }
    }
}

impl<H, J: Copy + Eq> Watch<H, J> {
    /// The periods with which the rounds repeat, the shortest first. Each ends where the watched rounds do.
    fn periods(&self) -> impl Iterator<Item = Way<J>> + '_ {
        let round = |n: usize| {
            let start = if n == 0 { 0 } else { self.ends[n - 1] };
            &self.jumps[start..self.ends[n]]
        };
        PERIODS.into_iter().filter_map(move |p| {
            let repeats = (p..self.ends.len()).all(|n| round(n) == round(n - p));
            repeats.then(|| Way { jumps: self.jumps[..self.ends[p - 1]].to_vec(), rounds: p as u64 })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop with two ways in turn has a period of two rounds.
    #[test]
    fn ways_repeat_with_a_period() {
        let mut rounds: Rounds<u32, u32> = Rounds::default();
        let mut found = Vec::new();
        for n in 0..200 {
            assert!(rounds.jump(1, 1, n % 2, false).is_empty());
            let ways = rounds.jump(0, 1, 9, true);
            if !ways.is_empty() {
                found = ways;
                break;
            }
        }
        let first: Vec<u64> = found.iter().map(|w| w.rounds).collect();
        assert_eq!(first, [2, 4, 6]);
        assert_eq!(found[0].jumps.len(), 4);
        rounds.succeed(0, found[0].clone());
        assert!(rounds.jump(0, 1, 9, true).is_empty());
        assert_eq!(rounds.jump(0, 1, 9, true).len(), 1);
        rounds.fail(0);
        assert!(rounds.jump(0, 1, 9, true).is_empty());
    }
}
