//! The inputs of a trace, served to the interpreter.

use super::{Oracle, Part};
use crate::c::encode::Encoding;
use crate::c::float::Format;
use bolide_model::Trace;
use bolide_model::{InputId, Program};
use bolide_term::Value;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt::Write;

/// An input that is a scalar, with a value that it has so many times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Given {
    /// Where it comes in.
    pub site: InputId,
    /// The value.
    pub value: i128,
    /// How many times, at least once; the execution asks for no other input between.
    pub times: u64,
}

impl From<(InputId, i128)> for Given {
    fn from((site, value): (InputId, i128)) -> Given {
        Given { site, value, times: 1 }
    }
}

impl From<&(InputId, i128)> for Given {
    fn from(&given: &(InputId, i128)) -> Given {
        given.into()
    }
}

impl From<&Given> for Given {
    fn from(&given: &Given) -> Given {
        given
    }
}

/// The inputs of a trace of the encoded program, in the order of their use at each site.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// Values, and how many times each of them is served, at least once.
    scalars: FxHashMap<InputId, VecDeque<(i128, u64)>>,
    objects: FxHashMap<InputId, VecDeque<Vec<Part>>>,
    memory: Vec<(i128, u32, i128)>,
}

impl Replay {
    /// Collects the inputs of a trace of the program that [`load`](crate::c::load) made.
    pub fn new(program: &Program, encoding: &Encoding, trace: &Trace) -> Replay {
        let mut replay = Replay::default();
        for (var, value) in &trace.initial {
            if let Some(&(_, size)) = encoding.memory.iter().find(|m| m.0 == *var)
                && let Value::Array(a) = value
            {
                let format = encoding.float_memory.get(var).copied();
                let value = |v| pattern(v, format, encoding);
                replay.memory.extend(a.entries.iter().map(|(i, v)| (number(i), size, value(v))));
            }
        }
        for t in &trace.steps {
            let Some(step) = program.procs[t.proc].edges[t.edge].step() else { continue };
            let mut objects: Vec<(InputId, Vec<Part>)> = Vec::new();
            for (&(_, input), value) in step.inputs.iter().zip(&t.inputs) {
                let format = encoding.floats.get(&input).copied();
                match encoding.parts.get(&input) {
                    Some(&(site, offset, size)) => {
                        let parts = parts_of(value, offset, size, &|v| pattern(v, format, encoding));
                        match objects.iter_mut().find(|o| o.0 == site) {
                            Some(o) => o.1.extend(parts),
                            None => objects.push((site, parts)),
                        }
                    }
                    None => {
                        let value = pattern(value, format, encoding);
                        push(replay.scalars.entry(input).or_default(), value, 1);
                    }
                }
            }
            for (site, parts) in objects {
                replay.objects.entry(site).or_default().push_back(parts);
            }
        }
        replay
    }
}

impl Replay {
    /// The same with other scalars, given in the order of their use.
    pub fn with_scalars<G: Into<Given>>(&self, values: impl IntoIterator<Item = G>) -> Replay {
        let mut scalars: FxHashMap<InputId, VecDeque<(i128, u64)>> = FxHashMap::default();
        for Given { site, value, times } in values.into_iter().map(Into::into) {
            push(scalars.entry(site).or_default(), value, times);
        }
        Replay { scalars, objects: self.objects.clone(), memory: self.memory.clone() }
    }

    /// The same with other contents of objects, given in the order of their use.
    pub fn with_objects(&self, contents: &[(InputId, Vec<Part>)]) -> Replay {
        let mut objects: FxHashMap<InputId, VecDeque<Vec<Part>>> = FxHashMap::default();
        for (site, parts) in contents {
            objects.entry(*site).or_default().push_back(parts.clone());
        }
        Replay { objects, ..self.clone() }
    }

    /// The inputs as text: a line for each place, with its values in the order of their use, and one for memory. A value that is used several
    /// times in a row may be written once, with a star and that number.
    pub fn write(&self) -> String {
        let mut out = String::new();
        let mut sites: Vec<InputId> = self.scalars.keys().copied().collect();
        sites.sort_unstable();
        for site in sites {
            let _ = write!(out, "scalar {}", site.index());
            for (value, times) in &self.scalars[&site] {
                let _ = write!(out, " {value}");
                if *times > 1 {
                    let _ = write!(out, "*{times}");
                }
            }
            out.push('\n');
        }
        let mut sites: Vec<InputId> = self.objects.keys().copied().collect();
        sites.sort_unstable();
        for site in sites {
            for parts in &self.objects[&site] {
                let _ = write!(out, "object {}", site.index());
                parts.iter().for_each(|(at, bytes, v)| _ = write!(out, " {at} {bytes} {v}"));
                out.push('\n');
            }
        }
        if !self.memory.is_empty() {
            out.push_str("memory");
            self.memory.iter().for_each(|(at, bytes, v)| _ = write!(out, " {at} {bytes} {v}"));
            out.push('\n');
        }
        out
    }

    /// Reads what [`Replay::write`] wrote; the number of the first bad line otherwise.
    pub fn read(text: &str) -> Result<Replay, usize> {
        let mut replay = Replay::default();
        for (n, line) in text.lines().enumerate() {
            replay.read_line(line).ok_or(n + 1)?;
        }
        Ok(replay)
    }

    fn read_line(&mut self, line: &str) -> Option<()> {
        let mut words = line.split_whitespace();
        let kind = words.next()?;
        if kind == "memory" {
            let values: Vec<i128> = words.map(|w| w.parse().ok()).collect::<Option<_>>()?;
            let cell = |p: &[i128]| {
                Some((
                    u64::try_from(p[0]).ok()?.into(),
                    u32::try_from(p[1]).ok().filter(|&bytes| bytes <= 16)?,
                    p[2],
                ))
            };
            let cells: Option<Vec<_>> = values.chunks_exact(3).map(cell).collect();
            self.memory.extend(cells?);
            return values.len().is_multiple_of(3).then_some(());
        }
        let site = InputId::new(words.next()?.parse::<u32>().ok()? as usize);
        if kind == "scalar" {
            let run = |w: &str| {
                let (value, times) = w.split_once('*').unwrap_or((w, "1"));
                Some((value.parse().ok()?, times.parse().ok().filter(|&n| n > 0)?))
            };
            let runs: Option<Vec<(i128, u64)>> = words.map(run).collect();
            let values = self.scalars.entry(site).or_default();
            runs?.into_iter().for_each(|(value, times)| push(values, value, times));
            return Some(());
        }
        let values: Option<Vec<i128>> = words.map(|w| w.parse().ok()).collect();
        let values = values?;
        match kind {
            "object" if values.len().is_multiple_of(3) => {
                let part = |p: &[i128]| Some((p[0].try_into().ok()?, p[1].try_into().ok()?, p[2]));
                let parts: Option<Vec<Part>> = values.chunks(3).map(part).collect();
                self.objects.entry(site).or_default().push_back(parts?);
            }
            _ => return None,
        }
        Some(())
    }
}

/// Adds a value that is served so many times.
fn push(values: &mut VecDeque<(i128, u64)>, value: i128, times: u64) {
    match values.back_mut() {
        Some((last, before)) if *last == value => *before = before.saturating_add(times),
        _ => values.push_back((value, times)),
    }
}

fn number(v: &Value) -> i128 {
    match v {
        Value::Num(n) => n.to_ibig().and_then(|n| i128::try_from(n).ok()).unwrap_or(0),
        Value::Bool(b) => i128::from(*b),
        Value::Bv(_, bits) => i128::try_from(bits).unwrap_or(0),
        _ => 0,
    }
}

/// An integer, or the bit pattern of a floating value: the nearest one to a real number.
fn pattern(v: &Value, format: Option<Format>, encoding: &Encoding) -> i128 {
    match (v, format) {
        (Value::Num(n), Some(format)) if *n >= encoding.nan => format.pattern(f64::NAN),
        (Value::Num(n), Some(format)) => format.from_rational(n),
        _ => number(v),
    }
}

/// An input that is an array of cells, or a single cell.
fn parts_of(v: &Value, offset: u64, size: u32, value: &dyn Fn(&Value) -> i128) -> Vec<Part> {
    match v {
        Value::Array(a) => a
            .entries
            .iter()
            .filter_map(|(i, v)| {
                let index = u64::try_from(number(i)).ok()?;
                Some((offset + index.checked_mul(u64::from(size))?, size, value(v)))
            })
            .collect(),
        v => vec![(offset, size, value(v))],
    }
}

impl Replay {
    /// Serves a value so many times, not more than it is there.
    fn take(&mut self, site: InputId, times: u64) -> i128 {
        // After the last value there are zeros.
        let Some(values) = self.scalars.get_mut(&site) else { return 0 };
        let Some((value, left)) = values.front_mut() else { return 0 };
        let value = *value;
        *left -= times.min(*left);
        if *left == 0 {
            values.pop_front();
        }
        value
    }
}

impl Oracle for Replay {
    fn scalar(&mut self, site: InputId) -> i128 {
        self.take(site, 1)
    }

    fn steady(&self, site: InputId) -> Option<(i128, u64)> {
        let next = self.scalars.get(&site).and_then(VecDeque::front);
        Some(next.copied().unwrap_or((0, u64::MAX)))
    }

    fn repeat(&mut self, site: InputId, times: u64) {
        self.take(site, times);
    }

    fn object(&mut self, site: InputId) -> Vec<Part> {
        self.objects.get_mut(&site).and_then(VecDeque::pop_front).unwrap_or_default()
    }

    fn memory(&mut self) -> Vec<(i128, u32, i128)> {
        std::mem::take(&mut self.memory)
    }
}
