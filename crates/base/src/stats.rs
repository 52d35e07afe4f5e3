//! Named counters and timers that print in the order of their first use.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// One statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stat {
    /// Events that were counted.
    Count(u64),
    /// Seconds that were spent.
    Seconds(f64),
}

/// Named statistics. Hot code keeps plain fields and reports them here once, when it is done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    entries: Vec<(Cow<'static, str>, Stat)>,
}

impl Stats {
    /// No statistics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `n` to the counter `name`.
    pub fn count(&mut self, name: impl Into<Cow<'static, str>>, n: u64) {
        self.record(name.into(), Stat::Count(n));
    }

    /// Adds `time` to the timer `name`.
    pub fn time(&mut self, name: impl Into<Cow<'static, str>>, time: Duration) {
        self.record(name.into(), Stat::Seconds(time.as_secs_f64()));
    }

    /// The statistic called `name`, if it was recorded.
    pub fn get(&self, name: &str) -> Option<Stat> {
        self.entries.iter().find(|(n, _)| n == name).map(|&(_, stat)| stat)
    }

    /// All statistics, in the order of their first use.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Stat)> {
        self.entries.iter().map(|(name, stat)| (name.as_ref(), *stat))
    }

    /// Adds everything that `other` recorded.
    pub fn merge(&mut self, other: &Stats) {
        for (name, stat) in &other.entries {
            self.record(name.clone(), *stat);
        }
    }

    /// A statistic keeps the kind with which it was first recorded.
    fn record(&mut self, name: Cow<'static, str>, stat: Stat) {
        match self.entries.iter_mut().find(|(n, _)| *n == name) {
            None => self.entries.push((name, stat)),
            Some((_, Stat::Count(total))) => {
                *total = total.saturating_add(match stat {
                    Stat::Count(n) => n,
                    Stat::Seconds(s) => s as u64,
                });
            }
            Some((_, Stat::Seconds(total))) => {
                *total += match stat {
                    Stat::Count(n) => n as f64,
                    Stat::Seconds(s) => s,
                };
            }
        }
    }
}

impl fmt::Display for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stat::Count(n) => write!(f, "{n}"),
            Stat::Seconds(s) => write!(f, "{s:.3} s"),
        }
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.entries.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        self.entries.iter().try_for_each(|(name, stat)| writeln!(f, "{name:<width$}  {stat}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_and_printing() {
        let mut a = Stats::new();
        a.count("decisions", 3);
        a.time("solve", Duration::from_millis(1500));
        let mut b = Stats::new();
        b.count("conflicts", 1);
        b.count("decisions", 4);
        a.merge(&b);
        assert_eq!(a.get("decisions"), Some(Stat::Count(7)));
        assert_eq!(a.to_string(), "decisions  7\nsolve      1.500 s\nconflicts  1\n");
    }
}
