//! Signal correspondence (van Eijk, "Sequential Equivalence Checking without State Space Traversal", DATE 1998): nodes
//! that are equal, up to negation, in every reachable step.
//!
//! Simulation proposes classes of nodes. They are split until they are an inductive invariant: equal in all initial
//! states, and equal in a step if all of them were equal in the step before. Both steps are built with the equalities
//! that are supposed to hold, so that most pairs are the same node there and need no solver.
//!
//! The constraints of a step are used for the steps after it, but not for the step itself. So a constraint may itself be
//! rewritten with the equalities without becoming weaker.

mod classes;
mod frames;
#[cfg(test)]
mod tests;

use bolide_base::{Budget, Interrupt, spend};
use bolide_model::circuit::Circuit;
use bolide_model::circuit::back::Equality;
use classes::Classes;
use frames::{Failure, Frames, Start};

/// To look at so many nodes is a unit of effort.
const NODES_PER_UNIT: u64 = 8;

/// How much work is done at most.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often the classes are split.
    pub rounds: usize,
    /// How many questions are asked of the solver.
    pub queries: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { rounds: 500, queries: 100_000 }
    }
}

/// Equalities that hold in every reachable step and are inductive together. None if the limits are too tight.
pub fn correspondences(
    circuit: &Circuit,
    limits: Limits,
    budget: &Budget,
) -> Result<Vec<Equality>, Interrupt> {
    let mut classes = Classes::simulate(circuit);
    let mut queries = limits.queries;
    let mut start = Start::Reset;
    for _ in 0..limits.rounds {
        if classes.count() == 0 {
            break;
        }
        budget.check()?;
        // Both steps are built from the circuit, and looked at node by node.
        spend(circuit.aig.len() as u64 / NODES_PER_UNIT);
        let mut frames = Frames::new(circuit, &classes, start);
        let Some(failures) = frames.check(&classes, &mut queries, budget)? else { break };
        if !failures.is_empty() {
            refine(&mut classes, &frames, &failures, budget)?;
        } else if start == Start::Reset {
            // Finer classes hold in the initial states as well: from now on only the step matters.
            start = Start::Equal;
        } else {
            return Ok(equalities(circuit, &classes));
        }
    }
    Ok(Vec::new())
}

/// Splits the classes so that no failure is possible again.
fn refine(
    classes: &mut Classes,
    frames: &Frames<'_>,
    failures: &[Failure],
    budget: &Budget,
) -> Result<(), Interrupt> {
    let mut failed = vec![false; frames.node_count()];
    let mut unclear = vec![false; frames.node_count()];
    for failure in failures {
        match failure {
            Failure::Differs(node) => failed[node.index()] = true,
            Failure::Unclear(node) => unclear[node.index()] = true,
        }
    }
    classes.drop_nodes(|node| unclear[node.index()]);
    classes.split(|node, _| failed[node.index()]);
    frames.each_counterexample(|value, alive| {
        spend(frames.node_count() as u64 / NODES_PER_UNIT);
        classes.split(|node, phase| (value(node) ^ if phase { !0 } else { 0 }) & alive);
        budget.check()
    })
}

fn equalities(circuit: &Circuit, classes: &Classes) -> Vec<Equality> {
    let nodes = circuit.aig.nodes();
    nodes.filter_map(|node| Some(Equality { node, is: classes.candidate(node)? })).collect()
}
