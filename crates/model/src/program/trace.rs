//! Traces: concrete executions of a program.

use crate::leap::{Course, Leap, SAMPLES};
use crate::{EdgeId, ProcId, VarId};
use bolide_term::Value;

/// One edge of a trace with the values of its inputs, in the order of the edge's inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// The procedure.
    pub proc: ProcId,
    /// The edge in it.
    pub edge: EdgeId,
    /// A value for each of its inputs.
    pub inputs: Vec<Value>,
}

/// A concrete execution from the entry: the edges in the order in which they are taken. A call edge is followed by the
/// edges of the callee.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// Values of globals before the first edge; those not listed have the default value of their sort, moved into
    /// their range.
    pub initial: Vec<(VarId, Value)>,
    /// The edges.
    pub steps: Vec<TraceStep>,
    /// Rounds that are not listed, in the order of their last steps. Only what made the trace from a derivation leaves rounds out; they are
    /// listed, or the trace becomes inputs for the interpreter, before anything else is done with it.
    pub leaps: Vec<Leap>,
}

impl Trace {
    /// A trace that lists all of its steps.
    pub fn new(initial: Vec<(VarId, Value)>, steps: Vec<TraceStep>) -> Trace {
        Trace { initial, steps, leaps: Vec::new() }
    }

    /// The trace that lists all of its steps; nothing if these are more than so many.
    pub fn listed(self, most: usize) -> Option<Trace> {
        if self.leaps.is_empty() {
            return Some(self);
        }
        let mut steps = Vec::with_capacity(self.steps.len());
        let mut next = 0;
        for leap in &self.leaps {
            steps.extend(self.steps.get(next..=leap.last)?.iter().cloned());
            next = leap.last + 1;
            let left_out = leap.times.checked_mul(leap.period as u64)?;
            if left_out.saturating_add(steps.len() as u64) > most as u64 {
                return None;
            }
            let courses = self.courses(leap)?;
            for round in (SAMPLES as u64..).take(leap.times as usize) {
                for (step, courses) in &courses {
                    let inputs: Option<Vec<Value>> = courses.iter().map(|c| c.at(round)).collect();
                    steps.push(TraceStep { inputs: inputs?, ..(*step).clone() });
                }
            }
        }
        steps.extend(self.steps.get(next..)?.iter().cloned());
        (steps.len() <= most).then(|| Trace::new(self.initial, steps))
    }

    /// The steps of a round that is left out, with the courses of their inputs; nothing if the listed rounds differ in more.
    pub fn courses(&self, leap: &Leap) -> Option<Vec<(&TraceStep, Vec<Course>)>> {
        let first = leap.first()?;
        let mut out = Vec::with_capacity(leap.period);
        for n in 0..leap.period {
            let samples: Option<Vec<&TraceStep>> =
                (0..SAMPLES).map(|k| self.steps.get(first + k * leap.period + n)).collect();
            let samples = samples?;
            let step = samples[0];
            if samples.iter().any(|s| (s.proc, s.edge) != (step.proc, step.edge)) {
                return None;
            }
            let course = |n: usize| {
                let values: Option<Vec<&Value>> = samples.iter().map(|s| s.inputs.get(n)).collect();
                Course::through(&values?)
            };
            let courses: Option<Vec<Course>> = (0..step.inputs.len()).map(course).collect();
            out.push((step, courses?));
        }
        Some(out)
    }
}
