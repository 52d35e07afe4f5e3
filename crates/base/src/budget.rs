//! Budgets: what a computation may spend in time, memory and steps, and the flag by which others stop it.
//!
//! Every loop that can run long takes a `&Budget`. Outer loops call [`Budget::check`], which looks at the clock each
//! time; inner loops call [`Budget::poll`] or [`Budget::exhausted`], which do so only once in a few hundred calls.

use crate::effort;
use crate::progress::{Board, Gauge, Lane};
use crate::turns::Player;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many polls pass between two looks at the clock.
const POLLS_PER_LOOK: u32 = 256;
/// How much time passes between two looks at the size of the process.
const MEMORY_INTERVAL: Duration = Duration::from_millis(20);

/// Why a computation had to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interrupt {
    /// The deadline has passed.
    Timeout,
    /// The process has outgrown its memory limit.
    Memory,
    /// The step limit is used up.
    Steps,
    /// Somebody raised the cancel flag.
    Cancelled,
}

impl fmt::Display for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Interrupt::Timeout => "timeout",
            Interrupt::Memory => "memory limit",
            Interrupt::Steps => "step limit",
            Interrupt::Cancelled => "cancelled",
        })
    }
}

impl std::error::Error for Interrupt {}

/// What a computation may spend.
///
/// Clones and children share the step pool and the cancel flags of the original; each thread works with its own
/// clone. Once a budget has reported an [`Interrupt`], it keeps reporting it.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    memory_kib: Option<u64>,
    steps: Option<Arc<StepPool>>,
    effort: Option<Arc<AtomicU64>>,
    cancel: Vec<Arc<AtomicBool>>,
    board: Option<Arc<Board>>,
    lane: Option<Arc<Lane>>,
    player: Option<Arc<Player>>,
    polls_until_look: Cell<u32>,
    last_memory_look: Cell<Option<Instant>>,
    tripped: Cell<Option<Interrupt>>,
}

#[derive(Debug)]
struct StepPool {
    used: AtomicU64,
    limit: u64,
    /// The pool that this is a part of.
    whole: Option<Arc<StepPool>>,
}

impl StepPool {
    /// Takes a step from this pool and from those that it is a part of; false if one of them is used up.
    fn take(&self) -> bool {
        let mut pool = Some(self);
        let mut is_left = true;
        while let Some(p) = pool {
            is_left &= p.used.fetch_add(1, Ordering::Relaxed) < p.limit;
            pool = p.whole.as_deref();
        }
        is_left
    }
}

impl Budget {
    /// A budget that never runs out.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// This budget, ending at most `time` from now.
    #[must_use]
    pub fn with_time(mut self, time: Duration) -> Self {
        if let Some(deadline) = Instant::now().checked_add(time) {
            self.deadline = Some(self.deadline.map_or(deadline, |old| old.min(deadline)));
        }
        self
    }

    /// This budget with a limit on the resident memory of the process. Where `/proc` is missing it has no effect.
    #[must_use]
    pub fn with_memory_mib(mut self, mib: u64) -> Self {
        let kib = mib.saturating_mul(1024);
        self.memory_kib = Some(self.memory_kib.map_or(kib, |old| old.min(kib)));
        self
    }

    /// This budget with a pool of `steps` polls and checks, which its clones and children share. If it has a pool already, the
    /// new one is a part of that.
    #[must_use]
    pub fn with_steps(mut self, steps: u64) -> Self {
        let whole = self.steps.take();
        self.steps = Some(Arc::new(StepPool { used: AtomicU64::new(0), limit: steps, whole }));
        self
    }

    /// This budget with so much effort (see [`spend`](crate::spend)) of this thread, which its clones and children share. It is for
    /// computations that take no turns with others.
    #[must_use]
    pub fn with_effort(mut self, effort: u64) -> Self {
        effort::take();
        self.effort = Some(Arc::new(AtomicU64::new(effort)));
        self
    }

    /// This budget for a computation that takes turns with others: its steps count, and at the end of a turn it waits.
    #[must_use]
    pub fn with_turns(mut self, player: Arc<Player>) -> Self {
        self.player = Some(player);
        self
    }

    /// This budget without its deadline, as for work that may take as long again.
    #[must_use]
    pub fn without_deadline(mut self) -> Self {
        self.deadline = None;
        if self.tripped.get() == Some(Interrupt::Timeout) {
            self.tripped.set(None);
        }
        self
    }

    /// This budget, which also stops as soon as `flag` is raised.
    #[must_use]
    pub fn with_cancel(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancel.push(flag);
        self
    }

    /// This budget, whose spenders tell their progress to `board`.
    #[must_use]
    pub fn with_board(mut self, board: Arc<Board>) -> Self {
        self.board = Some(board);
        self
    }

    /// This budget for a phase or an engine that has a lane of its own on the board, if there is one.
    #[must_use]
    pub fn phase(&self, name: &'static str) -> Self {
        let mut own = self.clone();
        own.lane = self.board.as_ref().map(|board| board.lane(name));
        own
    }

    /// Tells how far a phase has come.
    #[inline]
    pub fn note(&self, gauge: Gauge, value: u64) {
        if let Some(lane) = &self.lane {
            lane.set(gauge, value);
        }
    }

    /// Tells that a phase is over.
    pub fn finish_phase(&self) {
        if let Some(lane) = &self.lane {
            lane.finish();
        }
    }

    /// A part of this budget that lasts at most `time` from now.
    #[must_use]
    pub fn child(&self, time: Duration) -> Self {
        self.clone().with_time(time)
    }

    /// The time left until the deadline, if there is one.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The resident memory limit in MiB, if there is one.
    pub fn memory_limit_mib(&self) -> Option<u64> {
        self.memory_kib.map(|kib| kib / 1024)
    }

    /// The effort that a computation which takes turns has spent so far; 0 for others.
    pub fn spent(&self) -> u64 {
        self.player.as_ref().map_or(0, |player| player.spent())
    }

    /// Leaves more to the others that a computation takes turns with: from now on its share is so many times smaller.
    pub fn cede(&self, times: u32) {
        if let Some(player) = &self.player {
            player.cede(times);
        }
    }

    /// Takes more from the others that a computation takes turns with: from now on its share is so many times larger.
    pub fn claim(&self, times: u32) {
        if let Some(player) = &self.player {
            player.claim(times);
        }
    }

    /// Takes one step and looks at every limit at once: for loops whose rounds take long.
    pub fn check(&self) -> Result<(), Interrupt> {
        self.take_step()?;
        self.look()
    }

    /// Takes one step and looks at the clock and the memory only now and then: for hot loops.
    #[inline]
    pub fn poll(&self) -> Result<(), Interrupt> {
        self.take_step()?;
        match self.polls_until_look.get() {
            0 => self.look(),
            n => {
                self.polls_until_look.set(n - 1);
                Ok(())
            }
        }
    }

    /// Whether [`poll`](Self::poll) fails.
    #[inline]
    pub fn exhausted(&self) -> bool {
        self.poll().is_err()
    }

    #[inline]
    fn take_step(&self) -> Result<(), Interrupt> {
        if let Some(interrupt) = self.tripped.get() {
            return Err(interrupt);
        }
        if let Some(player) = &self.player
            && player.step()
        {
            // Much may have happened in the meantime.
            self.look()?;
        }
        if let Some(left) = &self.effort {
            let now = left.load(Ordering::Relaxed).saturating_sub(effort::LOOK + effort::take());
            left.store(now, Ordering::Relaxed);
            if now == 0 {
                return self.trip(Interrupt::Steps);
            }
        }
        match &self.steps {
            Some(pool) if !pool.take() => self.trip(Interrupt::Steps),
            _ => Ok(()),
        }
    }

    fn look(&self) -> Result<(), Interrupt> {
        self.polls_until_look.set(POLLS_PER_LOOK - 1);
        if self.cancel.iter().any(|flag| flag.load(Ordering::Relaxed)) {
            return self.trip(Interrupt::Cancelled);
        }
        if self.deadline.is_none() && self.memory_kib.is_none() {
            return Ok(());
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return self.trip(Interrupt::Timeout);
        }
        if self.memory_exceeded(now) { self.trip(Interrupt::Memory) } else { Ok(()) }
    }

    fn memory_exceeded(&self, now: Instant) -> bool {
        let Some(limit) = self.memory_kib else { return false };
        if self.last_memory_look.get().is_some_and(|last| now.duration_since(last) < MEMORY_INTERVAL) {
            return false;
        }
        self.last_memory_look.set(Some(now));
        resident_kib().is_some_and(|kib| kib > limit)
    }

    fn trip(&self, interrupt: Interrupt) -> Result<(), Interrupt> {
        self.tripped.set(Some(interrupt));
        Err(interrupt)
    }
}

/// The resident size of this process in KiB, where the system tells.
pub fn resident_kib() -> Option<u64> {
    // The second number is the resident size in pages, which have 4 KiB wherever Bolide runs on Linux; elsewhere there is no such file.
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    sizes.split_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| pages * 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unlimited_never_ends() {
        let budget = Budget::unlimited();
        assert!((0..10_000).all(|_| !budget.exhausted()));
        assert_eq!(budget.check(), Ok(()));
        assert_eq!(budget.remaining(), None);
    }

    #[test]
    fn deadline() {
        let budget = Budget::unlimited().with_time(Duration::from_secs(3600));
        assert_eq!(budget.check(), Ok(()));
        let child = budget.child(Duration::ZERO);
        assert_eq!(child.check(), Err(Interrupt::Timeout));
        assert!(child.exhausted());
        assert_eq!(budget.check(), Ok(()));
        assert!(budget.child(Duration::MAX).remaining() <= Some(Duration::from_secs(3600)));
    }

    #[test]
    fn steps_are_shared_with_children() {
        let budget = Budget::unlimited().with_steps(10);
        let child = budget.child(Duration::from_secs(3600));
        assert!((0..10).all(|_| child.poll().is_ok()));
        assert_eq!(child.poll(), Err(Interrupt::Steps));
        assert_eq!(budget.poll(), Err(Interrupt::Steps));
    }

    #[test]
    fn effort_is_counted() {
        let budget = Budget::unlimited().with_effort(1000);
        let child = budget.child(Duration::from_secs(3600));
        assert_eq!(child.poll(), Ok(()));
        crate::spend(2000);
        assert_eq!(child.poll(), Err(Interrupt::Steps));
        assert_eq!(budget.check(), Err(Interrupt::Steps));
    }

    #[test]
    fn cancel_reaches_other_threads() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_cancel(flag.clone());
        let worker = budget.clone();
        let thread = std::thread::spawn(move || {
            while !worker.exhausted() {
                std::thread::yield_now();
            }
            worker.check()
        });
        flag.store(true, Ordering::Relaxed);
        assert_eq!(thread.join().ok(), Some(Err(Interrupt::Cancelled)));
        assert_eq!(budget.check().map_err(|i| i.to_string()), Err("cancelled".to_string()));
    }

    #[test]
    fn memory() {
        assert_eq!(Budget::unlimited().with_memory_mib(1 << 40).check(), Ok(()));
        if resident_kib().is_some() {
            assert_eq!(Budget::unlimited().with_memory_mib(0).check(), Err(Interrupt::Memory));
        }
    }
}
