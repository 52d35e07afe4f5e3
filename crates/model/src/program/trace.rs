//! Traces: concrete executions of a program.

use crate::repetition::{ClosedForm, Repetition, SAMPLES};
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
    pub repetitions: Vec<Repetition>,
}

impl Trace {
    /// A trace that lists all of its steps.
    pub fn new(initial: Vec<(VarId, Value)>, steps: Vec<TraceStep>) -> Trace {
        Trace { initial, steps, repetitions: Vec::new() }
    }

    /// The trace that lists all of its steps; nothing if these are more than so many.
    pub fn listed(self, most: usize) -> Option<Trace> {
        if self.repetitions.is_empty() {
            return Some(self);
        }
        let mut steps = Vec::with_capacity(self.steps.len());
        let mut next = 0;
        for repetition in &self.repetitions {
            steps.extend(self.steps.get(next..=repetition.last)?.iter().cloned());
            next = repetition.last + 1;
            let left_out = repetition.times.checked_mul(repetition.period as u64)?;
            if left_out.saturating_add(steps.len() as u64) > most as u64 {
                return None;
            }
            let forms = self.forms(repetition)?;
            for round in (SAMPLES as u64..).take(repetition.times as usize) {
                for (step, forms) in &forms {
                    let inputs: Option<Vec<Value>> = forms.iter().map(|c| c.at(round)).collect();
                    steps.push(TraceStep { inputs: inputs?, ..(*step).clone() });
                }
            }
        }
        steps.extend(self.steps.get(next..)?.iter().cloned());
        (steps.len() <= most).then(|| Trace::new(self.initial, steps))
    }

    /// The steps of a round that is left out, with the closed forms of their inputs; nothing if the listed rounds differ in more.
    pub fn forms(&self, repetition: &Repetition) -> Option<Vec<(&TraceStep, Vec<ClosedForm>)>> {
        let first = repetition.first()?;
        let mut out = Vec::with_capacity(repetition.period);
        for n in 0..repetition.period {
            let samples: Option<Vec<&TraceStep>> =
                (0..SAMPLES).map(|k| self.steps.get(first + k * repetition.period + n)).collect();
            let samples = samples?;
            let step = samples[0];
            if samples.iter().any(|s| (s.proc, s.edge) != (step.proc, step.edge)) {
                return None;
            }
            let form = |n: usize| {
                let values: Option<Vec<&Value>> = samples.iter().map(|s| s.inputs.get(n)).collect();
                ClosedForm::through(&values?)
            };
            let forms: Option<Vec<ClosedForm>> = (0..step.inputs.len()).map(form).collect();
            out.push((step, forms?));
        }
        Some(out)
    }
}
