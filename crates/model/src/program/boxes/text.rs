//! Boxes as they are written: a line for each, with the number of its location and, for each variable with bounds, its number and these.

use super::{Bounds, Boxes};
use crate::program::pass::Interval;
use crate::{LocId, VarId};
use std::fmt::Write;

/// Stands for a bound that there is not.
const NONE: &str = "*";

/// Bounds are smaller, so that sums and products of a few of them can be computed.
const MOST: i128 = 1 << 100;

/// Writes boxes; those with bounds that are too large cannot be read again.
pub fn write(boxes: &Boxes) -> String {
    let mut out = String::new();
    let end = |end: Option<i128>| end.map_or_else(|| NONE.to_string(), |end| end.to_string());
    for (location, bounds) in &boxes.0 {
        let _ = write!(out, "{}", location.index());
        for (v, i) in bounds {
            let _ = write!(out, " {} {} {}", v.index(), end(i.low), end(i.high));
        }
        out.push('\n');
    }
    out
}

/// Reads what [`write()`] has written; `None` if it is something else.
pub fn read(text: &str) -> Option<Boxes> {
    text.lines().map(read_line).collect::<Option<Vec<_>>>().map(Boxes)
}

fn read_line(line: &str) -> Option<(LocId, Bounds)> {
    let mut words = line.split(' ');
    let location: u32 = words.next()?.parse().ok()?;
    let mut bounds = Bounds::new();
    while let Some(v) = words.next() {
        let v: u32 = v.parse().ok()?;
        let [low, high] = [words.next()?, words.next()?].map(|word| match word {
            NONE => Some(None),
            number => number.parse().ok().filter(|n| (-MOST..MOST).contains(n)).map(Some),
        });
        let interval = Interval { low: low?, high: high? };
        // Bounds that contradict each other are bounds of nothing.
        interval.meet(&Interval::ALL)?;
        bounds.push((VarId::new(v as usize), interval));
    }
    Some((LocId::new(location as usize), bounds))
}
