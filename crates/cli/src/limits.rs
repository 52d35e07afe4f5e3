//! Time and memory limits from the command line.

use crate::interrupt;
use bolide_base::Budget;
use std::time::Duration;

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
        assert_eq!(
            address_space("Max address space         unlimited            unlimited            bytes\n"),
            None
        );
        assert_eq!(address_space(""), None);
        assert_eq!(physical_memory("MemTotal:       10485760 kB\nMemFree: 5 kB\n"), Some(9216));
        assert_eq!(physical_memory("nothing"), None);
    }
}
