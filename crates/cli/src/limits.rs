//! Time and memory limits from the command line.

use bolide_base::Budget;
use std::time::Duration;

/// The budget that the options ask for, from now on.
pub fn budget(timeout: Option<f64>, memory_mib: Option<u64>) -> Result<Budget, &'static str> {
    let mut budget = Budget::unlimited();
    if let Some(seconds) = timeout {
        let time = Duration::try_from_secs_f64(seconds)
            .map_err(|_| "--timeout takes a number of seconds that is not negative")?;
        budget = budget.with_time(time);
    }
    if let Some(mib) = memory_mib {
        budget = budget.with_memory_mib(mib);
    }
    Ok(budget)
}
