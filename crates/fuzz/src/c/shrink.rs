//! Smaller programs that still show a difference: lines are left out as long as the compiler accepts what is left.

use super::compare::{Comparison, Difference};
use std::time::{Duration, Instant};

/// Leaves out lines of a program while the same kind of difference remains, for so long at most. The test compiles and compares.
pub fn shrink(
    text: &str,
    kind: &Difference,
    limit: Duration,
    mut test: impl FnMut(&str) -> Option<Comparison>,
) -> String {
    let start = Instant::now();
    let mut lines: Vec<&str> = text.lines().collect();
    let mut chunk = lines.len() / 2;
    while chunk > 0 {
        let (mut at, mut smaller) = (0, false);
        while at < lines.len() && start.elapsed() < limit {
            let end = (at + chunk).min(lines.len());
            let rest: Vec<&str> = lines[..at].iter().chain(&lines[end..]).copied().collect();
            match test(&(rest.join("\n") + "\n")) {
                Some(Comparison::Different(d)) if d.kind == kind.kind => {
                    lines = rest;
                    smaller = true;
                }
                _ => at = end,
            }
        }
        if !smaller || chunk > 1 {
            chunk /= 2;
        }
        if start.elapsed() >= limit {
            break;
        }
    }
    lines.join("\n") + "\n"
}
