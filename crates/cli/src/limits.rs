//! Time and memory limits from the command line.
//!
//! Everything that can take long looks at its [`Budget`]. A single step that does not, such as a product of a hundred thousand digits,
//! is ended by a watchdog: a thread that says `unknown` a moment after the limit, if nothing has been said, and ends the process.

use crate::{exit, interrupt, subprocess};
use bolide_base::{Budget, Interrupt};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long after the time limit the watchdog acts: until then the budget has its chance, which gives a better answer.
pub const GRACE: Duration = Duration::from_millis(400);
/// By how many hundredths memory may exceed its limit.
const EXCESS: u64 = 5;
/// The fewest and most milliseconds between two looks of the watchdog, and how many KiB a process can fill in one of them.
const LOOKS: [u64; 2] = [4, 50];
const FASTEST: u64 = 4096;

/// What stacks and mappings may take of the address space besides the memory that is in use.
const RESERVED_MIB: u64 = 4096;

/// The budget that the options ask for, from now on. Without a memory limit, that of the system counts: it is better to say
/// `unknown` than to be stopped.
pub fn budget(timeout: Option<f64>, memory_mib: Option<u64>) -> Result<Budget, &'static str> {
    let mut budget = Budget::unlimited().with_cancel(interrupt::flag());
    if let Some(seconds) = timeout {
        let time = Duration::try_from_secs_f64(seconds)
            .map_err(|_| "--timeout takes a number of seconds that is not negative")?;
        budget = budget.with_time(time);
    }
    if let Some(mib) = memory_mib.or_else(of_the_system) {
        budget = budget.with_memory_mib(mib);
    }
    Ok(budget)
}

/// Has the answer been given? Held while it is printed.
static ANSWERED: Mutex<bool> = Mutex::new(false);

/// Prints the answer. From now on the watchdog is silent; whatever is left to do takes as long as it takes.
pub fn answer<T>(print: impl FnOnce() -> T) -> T {
    let mut answered = ANSWERED.lock().unwrap_or_else(PoisonError::into_inner);
    *answered = true;
    print()
}

/// Watches over limits from now on. If one of them is exceeded and nothing has been answered, `say` prints why, and the process ends,
/// unless `say` returns false: then it is asked again.
pub fn watch(timeout: Option<f64>, mib: Option<u64>, say: impl Fn(Interrupt) -> bool + Send + 'static) {
    let deadline = timeout
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .and_then(|time| Instant::now().checked_add(time.saturating_add(GRACE)));
    let memory = mib.or_else(of_the_system).map(|mib| mib.saturating_mul(1024 * (100 + EXCESS) / 100));
    let watchdog = move || {
        loop {
            let used = || bolide_base::resident_kib().unwrap_or(0);
            let free = memory.map_or(u64::MAX, |limit| limit.saturating_sub(used()));
            std::thread::sleep(Duration::from_millis((free / FASTEST).clamp(LOOKS[0], LOOKS[1])));
            let interrupt = match deadline {
                Some(deadline) if Instant::now() >= deadline => Interrupt::Timeout,
                _ if free == 0 => Interrupt::Memory,
                _ => continue,
            };
            let answered = ANSWERED.lock().unwrap_or_else(PoisonError::into_inner);
            if *answered {
                return;
            }
            if say(interrupt) {
                subprocess::end();
                // Nothing is freed: that could take long, and the lock keeps everybody else from answering.
                std::process::exit(exit::UNKNOWN.into());
            }
        }
    };
    // Without a thread there is still the budget.
    let _ = std::thread::Builder::new().name("watchdog".into()).spawn(watchdog);
}

/// How much memory the system lets a process have; `None` where it does not tell.
fn of_the_system() -> Option<u64> {
    let read = |path| std::fs::read_to_string(path).ok();
    let space = read("/proc/self/limits").and_then(|text| address_space(&text));
    let memory = read("/proc/meminfo").and_then(|text| physical_memory(&text));
    match (space, memory) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// What a limit on the address space leaves to use; nothing if there is no limit.
fn address_space(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|l| l.strip_prefix("Max address space"))?;
    let mib = line.split_whitespace().next()?.parse::<u64>().ok()? >> 20;
    Some(mib.saturating_sub(RESERVED_MIB).max(mib / 2))
}

/// Nine tenths of the memory there is.
fn physical_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024 * 9 / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_system_are_understood() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max address space         8589934592           8589934592           bytes\n";
        assert_eq!(address_space(limits), Some(4096));
        let unlimited = "Max address space         unlimited            unlimited            bytes\n";
        assert_eq!(address_space(unlimited), None);
        assert_eq!(address_space(""), None);
        assert_eq!(physical_memory("MemTotal:       10485760 kB\nMemFree: 5 kB\n"), Some(9216));
        assert_eq!(physical_memory("nothing"), None);
    }
}
