//! Writing circuits.

use bolide_model::circuit::{Bit, Formula};
use std::fmt::Write;

/// The invariant as a combinational circuit in ASCII: its inputs are the latches and then the inputs of the circuit it
/// is an invariant of, its output says where it holds.
pub fn write_invariant(invariant: &Formula) -> String {
    let cone = invariant.aig.cone([invariant.root]);
    let leaves = invariant.latch_count() + invariant.input_count();
    // The leaves of a formula are its first nodes.
    let mut variable = vec![0; invariant.aig.len()];
    let mut count = 0;
    for node in invariant.aig.nodes().skip(1) {
        if node.index() <= leaves || cone[node.index()] {
            count += 1;
            variable[node.index()] = count;
        }
    }
    let literal = |bit: Bit| 2 * variable[bit.index()] + u32::from(bit.is_negated());
    let mut text = format!("aag {count} {leaves} 0 1 {}\n", count as usize - leaves);
    for leaf in 1..=leaves {
        let _ = writeln!(text, "{}", 2 * leaf);
    }
    let _ = writeln!(text, "{}", literal(invariant.root));
    for node in invariant.aig.nodes() {
        if let Some([a, b]) = invariant.aig.gate(node).filter(|_| cone[node.index()]) {
            let _ = writeln!(text, "{} {} {}", literal(node.into()), literal(b), literal(a));
        }
    }
    text
}
