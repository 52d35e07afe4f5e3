//! Two runs side by side.

use super::record::{Record, Status};
use bolide_base::counted;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// How many tasks are listed by name.
const LISTED: usize = 20;

/// The tasks that are in both runs, the old record first.
pub fn pairs<'a>(old: &'a [Record], new: &'a [Record]) -> Vec<(&'a Record, &'a Record)> {
    let by_path: FxHashMap<&str, &Record> = old.iter().map(|r| (r.path.as_str(), r)).collect();
    new.iter().filter_map(|n| by_path.get(n.path.as_str()).map(|o| (*o, n))).collect()
}

/// What changed from the old run to the new one.
pub fn text(old: &[Record], new: &[Record], name: &str) -> String {
    let pairs = pairs(old, new);
    let mut out = format!("compared with {name}: {} in both\n", counted(pairs.len(), "task", "tasks"));
    let count = |f: fn(&Record) -> bool| {
        (pairs.iter().filter(|(o, _)| f(o)).count(), pairs.iter().filter(|(_, n)| f(n)).count())
    };
    let wrong: fn(&Record) -> bool = |r| r.status() == Status::Wrong;
    for (what, (before, after)) in [("solved", count(Record::is_solved)), ("wrong", count(wrong))] {
        let _ = writeln!(out, "{what}: {before} -> {after}");
    }
    let mut list = |what: &str, fits: fn(&Record, &Record) -> bool| {
        let found: Vec<_> = pairs.iter().filter(|(o, n)| fits(o, n)).collect();
        if found.is_empty() {
            return;
        }
        let _ = writeln!(out, "{what}: {}", found.len());
        for (o, n) in found.iter().take(LISTED) {
            let _ = writeln!(
                out,
                "  {}: {} ({:.2} s) -> {} ({:.2} s)",
                n.path, o.verdict, o.seconds, n.verdict, n.seconds
            );
        }
        if found.len() > LISTED {
            let _ = writeln!(out, "  and {} more", found.len() - LISTED);
        }
    };
    list("wrong now", |o, n| n.status() == Status::Wrong && o.status() != Status::Wrong);
    list("lost", |o, n| o.is_solved() && !n.is_solved());
    list("newly solved", |o, n| !o.is_solved() && n.is_solved());
    let both: Vec<_> = pairs.iter().filter(|(o, n)| o.is_solved() && n.is_solved()).collect();
    let (before, after) = both.iter().fold((0.0, 0.0), |(b, a), (o, n)| (b + o.seconds, a + n.seconds));
    let _ = write!(out, "time on the {} that both solve: {before:.1} s -> {after:.1} s", both.len());
    match before > 0.0 {
        true => _ = writeln!(out, " (factor {:.2})", after / before),
        false => out.push('\n'),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_listed() {
        let record = |path: &str, verdict: &str, seconds| Record {
            path: path.into(),
            expected: "safe".into(),
            verdict: verdict.into(),
            seconds,
            ..Record::default()
        };
        let old = [
            record("a", "safe", 2.0),
            record("b", "unknown", 9.0),
            record("c", "safe", 1.0),
            record("e", "safe", 1.0),
        ];
        let new = [
            record("a", "safe", 1.0),
            record("b", "safe", 3.0),
            record("c", "unsafe", 1.0),
            record("d", "safe", 1.0),
        ];
        let text = text(&old, &new, "old.csv");
        for line in [
            "compared with old.csv: 3 tasks in both",
            "solved: 2 -> 2",
            "wrong: 0 -> 1",
            "wrong now: 1",
            "lost: 1",
            "newly solved: 1",
            "  b: unknown (9.00 s) -> safe (3.00 s)",
            "time on the 1 that both solve: 2.0 s -> 1.0 s (factor 0.50)",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
    }
}
