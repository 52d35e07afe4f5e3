//! What the process has used so far, where the system tells.

use bolide_base::Stats;
use std::time::Duration;

/// Clock ticks per second in `/proc`; Linux shows all programs this value.
const TICKS: f64 = 100.0;

/// Name of the statistic of processor time.
pub const CPU: &str = "processor time";
/// Name of the statistic of memory.
pub const MEMORY: &str = "peak memory in MiB";

/// Adds processor time and peak memory to statistics.
pub fn record(stats: &mut Stats) {
    if let Some(time) = cpu_time() {
        stats.time(CPU, time);
    }
    if let Some(mib) = status("VmHWM:") {
        stats.count(MEMORY, mib);
    }
}

/// The memory that the process has now, in MiB.
pub fn memory_mib() -> Option<u64> {
    status("VmRSS:")
}

fn status(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024)
}

fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the name of the program in parentheses; user and system time are fields 14 and 15.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some(Duration::from_secs_f64((ticks()? + ticks()?) / TICKS))
}
