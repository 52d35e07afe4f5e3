//! Progress: what engines tell while they work, for somebody who watches.
//!
//! A [`Board`] has a [`Lane`] for each engine that runs. Engines write through their budget
//! ([`Budget::note`](crate::Budget::note)), which costs one branch where nobody watches and one relaxed store where
//! somebody does; the watcher reads whenever it likes. Nothing that an engine decides may depend on a board.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What engines measure themselves by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gauge {
    /// How deep the search is: steps of an unrolling, frames, the depth of a tree.
    Depth,
    /// Vertices of a tree, goals, proof obligations: what has been looked at.
    Vertices,
    /// Refinements and lemmas: what has been learnt.
    Refinements,
}

impl Gauge {
    /// All gauges.
    pub const ALL: [Gauge; 3] = [Gauge::Depth, Gauge::Vertices, Gauge::Refinements];

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Gauge::Depth => "depth",
            Gauge::Vertices => "vertices",
            Gauge::Refinements => "refinements",
        }
    }
}

/// The progress of one engine.
#[derive(Debug)]
pub struct Lane {
    phase: &'static str,
    gauges: [AtomicU64; Gauge::ALL.len()],
    done: AtomicBool,
}

impl Lane {
    /// What is going on.
    pub fn phase(&self) -> &'static str {
        self.phase
    }

    /// The last value of a gauge; 0 if it was never set.
    pub fn get(&self, gauge: Gauge) -> u64 {
        self.gauges[gauge as usize].load(Ordering::Relaxed)
    }

    /// Sets a gauge.
    #[inline]
    pub fn set(&self, gauge: Gauge, value: u64) {
        self.gauges[gauge as usize].store(value, Ordering::Relaxed);
    }

    /// Says that this phase is over.
    pub fn finish(&self) {
        self.done.store(true, Ordering::Relaxed);
    }

    /// Is it over?
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }
}

/// The progress of all engines that work on a task.
#[derive(Debug, Default)]
pub struct Board {
    lanes: Mutex<Vec<Arc<Lane>>>,
}

impl Board {
    /// A board without lanes.
    pub fn new() -> Arc<Board> {
        Arc::default()
    }

    /// A lane for a phase or engine of this name.
    pub fn lane(&self, phase: &'static str) -> Arc<Lane> {
        let gauges = [const { AtomicU64::new(0) }; Gauge::ALL.len()];
        let lane = Arc::new(Lane { phase, gauges, done: AtomicBool::new(false) });
        self.lanes.lock().unwrap_or_else(|e| e.into_inner()).push(lane.clone());
        lane
    }

    /// The lanes in the order in which they were made.
    pub fn lanes(&self) -> Vec<Arc<Lane>> {
        self.lanes.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;

    #[test]
    fn budgets_write_to_the_board_that_they_belong_to() {
        let board = Board::new();
        let budget = Budget::unlimited().with_board(board.clone());
        budget.note(Gauge::Depth, 1);
        assert!(board.lanes().is_empty(), "there is no phase yet");
        let first = budget.phase("pdr");
        let second = budget.phase("bmc");
        first.note(Gauge::Depth, 3);
        first.clone().note(Gauge::Refinements, 7);
        second.note(Gauge::Depth, 40);
        first.finish_phase();
        let seen: Vec<_> =
            board.lanes().iter().map(|l| (l.phase(), l.get(Gauge::Depth), l.is_done())).collect();
        assert_eq!(seen, [("pdr", 3, true), ("bmc", 40, false)]);
        assert_eq!(board.lanes()[0].get(Gauge::Refinements), 7);
        Budget::unlimited().phase("pdr").note(Gauge::Depth, 1);
    }
}
