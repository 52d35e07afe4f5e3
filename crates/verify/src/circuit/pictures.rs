//! What a page shows of a circuit: its run as a waveform, and how large everything is.

use super::CircuitTask;
use crate::Task;
use crate::details::{Details, SourceText, Wave, Waveform};
use bolide_base::counted;
use bolide_engine::Verdict;
use bolide_engine::circuit::{CircuitVerdict, Proof};
use bolide_front::aiger::watch;
use bolide_model::circuit::Trace;

/// How many signals are shown, and how many steps: the first and the last ones.
const SIGNALS: usize = 150;
const FIRST_STEPS: usize = 50;
const LAST_STEPS: usize = 150;
/// Longer texts are not shown.
const LONGEST_TEXT: usize = 1 << 20;

/// What a page shows.
pub fn details(task: &CircuitTask, given: &Task, verdicts: &[CircuitVerdict]) -> Details {
    let circuit = task.circuit();
    let sizes = [
        counted(circuit.inputs.len(), "input", "inputs"),
        counted(circuit.latches.len(), "latch", "latches"),
        counted(circuit.aig.gate_count(), "gate", "gates"),
        counted(circuit.constraints.len(), "constraint", "constraints"),
    ];
    let size = sizes.join(", ");
    let mut figures = vec![("Circuit".into(), size)];
    let mut waveform = None;
    for (property, verdict) in verdicts.iter().enumerate() {
        match verdict {
            Verdict::Safe(proof) => figures.push((format!("Invariant of b{property}"), size_of(proof))),
            Verdict::Unsafe(trace) => {
                figures.push((format!("Run into b{property}"), counted(trace.inputs.len(), "step", "steps")));
                waveform.get_or_insert_with(|| wave(task, trace));
            }
            Verdict::Unknown(_) => {}
        }
    }
    let is_text = !given.name.ends_with(".aig") && given.text.len() <= LONGEST_TEXT;
    let source = is_text.then(|| std::str::from_utf8(&given.text).ok()).flatten();
    let sources = source.map(|text| SourceText::whole(&given.name, text));
    Details { sources: sources.into_iter().collect(), waveform, figures, ..Details::default() }
}

fn size_of(proof: &Proof) -> String {
    let invariant = &proof.invariant;
    let gates = invariant.aig.cone_size([invariant.root]);
    let induction = match proof.depth {
        1 => "inductive".into(),
        depth => format!("inductive over {depth} steps"),
    };
    format!("{}, {induction}", counted(gates, "node", "nodes"))
}

/// The run. Bad bits and signals that change come first.
fn wave(task: &CircuitTask, trace: &Trace) -> Waveform {
    let signals = task.signals();
    let total = trace.inputs.len();
    let hidden = total.saturating_sub(FIRST_STEPS + LAST_STEPS);
    let is_shown = |step: usize| hidden == 0 || step < FIRST_STEPS || step >= FIRST_STEPS + hidden;
    let mut values: Vec<Vec<String>> = vec![Vec::new(); signals.len()];
    watch(task.circuit(), trace, &signals, |step, number, value| {
        if is_shown(step) {
            values[number].push(if value.len() == 1 { value } else { hexadecimal(&value) });
        }
    });
    let observed = task.circuit().bads.len() + task.circuit().constraints.len();
    let mut order: Vec<usize> = (0..signals.len()).collect();
    order.sort_by_key(|&n| {
        let is_constant = values[n].windows(2).all(|pair| pair[0] == pair[1]);
        (n + observed < signals.len(), is_constant)
    });
    let shown = order.iter().take(SIGNALS).map(|&n| Wave {
        name: signals[n].name.clone(),
        width: signals[n].bits.len(),
        values: std::mem::take(&mut values[n]),
    });
    let mut notes = Vec::new();
    if signals.len() > SIGNALS {
        notes.push(format!("{} of {} signals are shown.", SIGNALS, signals.len()));
    }
    if hidden > 0 {
        let left_out = counted(hidden, "step in the middle is", "steps in the middle are");
        notes.push(format!("{left_out} left out."));
    }
    Waveform {
        signals: shown.collect(),
        steps: (0..total).filter(|&s| is_shown(s)).collect(),
        note: (!notes.is_empty()).then(|| notes.join(" ")),
    }
}

/// Binary digits as hexadecimal ones.
fn hexadecimal(bits: &str) -> String {
    let digit = |four: &[u8]| {
        let value = four.iter().fold(0, |v, &b| 2 * v + u32::from(b - b'0'));
        char::from_digit(value, 16).unwrap_or('?')
    };
    let (first, rest) = bits.as_bytes().split_at(bits.len() % 4);
    let first = (!first.is_empty()).then(|| digit(first));
    first.into_iter().chain(rest.chunks(4).map(digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_hexadecimal() {
        assert_eq!(hexadecimal("11111"), "1f");
        assert_eq!(hexadecimal("10100000"), "a0");
        assert_eq!(hexadecimal("01"), "1");
    }
}
