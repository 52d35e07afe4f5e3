//! Reduction of circuits.

use super::stuck_latches;
use crate::circuit::back::{BackMap, Equality};
use crate::circuit::{Aig, Bit, Circuit, Copier, Latch, Node};

/// Removes latches that never change and everything that no property and no constraint depends on.
pub fn reduce(circuit: &Circuit) -> (Circuit, BackMap) {
    let stuck = stuck_latches(circuit);
    let equality = |(latch, value): (&Latch, &Option<bool>)| {
        value.map(|value| Equality { node: latch.node, is: Bit::constant(value) })
    };
    substitute(circuit, circuit.latches.iter().zip(&stuck).filter_map(equality).collect())
}

/// Replaces nodes by what they equal, and removes everything that no property and no constraint depends on.
/// The equalities together must be inductive.
pub fn substitute(circuit: &Circuit, equalities: Vec<Equality>) -> (Circuit, BackMap) {
    let (aig, image) = rebuild(&circuit.aig, &equalities);
    let at = |bit: Bit| image[bit.index()] ^ bit.is_negated();
    let bads: Vec<Bit> = circuit.bads.iter().map(|&bit| at(bit)).collect();
    let mut constraints: Vec<Bit> = circuit.constraints.iter().map(|&bit| at(bit)).collect();
    constraints.sort_unstable();
    constraints.dedup();
    constraints.retain(|&bit| bit != Bit::TRUE);
    let roots = bads.iter().chain(&constraints).copied();
    let next = |latch: &Latch| at(latch.next);
    let is_replaced = replaced(circuit, &equalities);
    let is_kept = |latch: &Latch| !is_replaced[latch.node.index()];
    let kept = circuit.latches.iter().filter(|latch| is_kept(latch));
    let needed = needed(&aig, &image, kept, roots, next);

    let mut new = Circuit::new();
    let mut copier = Copier::new(aig.len());
    let mut back = BackMap { inputs: Vec::new(), latches: Vec::new(), equalities };
    for (number, &input) in circuit.inputs.iter().enumerate() {
        let leaf = image[input.index()].node();
        if needed[leaf.index()] {
            copier.set(leaf, new.add_input());
            back.inputs.push(number);
        }
    }
    for (number, latch) in circuit.latches.iter().enumerate() {
        let leaf = image[latch.node.index()].node();
        if is_kept(latch) && needed[leaf.index()] {
            copier.set(leaf, new.add_latch(latch.reset));
            back.latches.push(number);
        }
    }
    let mut copy = |new: &mut Circuit, bit| copier.copy(&aig, bit, &mut new.aig, |_, _| Bit::FALSE);
    for (number, &old) in back.latches.iter().enumerate() {
        new.latches[number].next = copy(&mut new, next(&circuit.latches[old]));
    }
    new.bads = bads.into_iter().map(|bit| copy(&mut new, bit)).collect();
    new.constraints = constraints.into_iter().map(|bit| copy(&mut new, bit)).collect();
    (new, back)
}

/// Which nodes have an equality.
fn replaced(circuit: &Circuit, equalities: &[Equality]) -> Vec<bool> {
    let mut replaced = vec![false; circuit.aig.len()];
    for equality in equalities {
        replaced[equality.node.index()] = true;
    }
    replaced
}

/// The whole graph with nodes replaced, and what became of every node.
fn rebuild(aig: &Aig, equalities: &[Equality]) -> (Aig, Vec<Bit>) {
    let mut is = vec![None; aig.len()];
    for equality in equalities {
        is[equality.node.index()] = Some(equality.is);
    }
    let mut new = Aig::new();
    let mut image: Vec<Bit> = Vec::with_capacity(aig.len());
    image.push(Bit::FALSE);
    for node in aig.nodes().skip(1) {
        let bit = match (is[node.index()], aig.gate(node)) {
            (Some(bit), _) => image[bit.index()] ^ bit.is_negated(),
            (None, Some([a, b])) => {
                new.and(image[a.index()] ^ a.is_negated(), image[b.index()] ^ b.is_negated())
            }
            (None, None) => new.leaf().into(),
        };
        image.push(bit);
    }
    (new, image)
}

/// Marks the nodes that the roots depend on, also through latches.
fn needed<'a>(
    aig: &Aig,
    image: &[Bit],
    kept: impl Iterator<Item = &'a Latch>,
    roots: impl Iterator<Item = Bit>,
    next: impl Fn(&Latch) -> Bit,
) -> Vec<bool> {
    let mut next_of = vec![None; aig.len()];
    for latch in kept {
        next_of[image[latch.node.index()].index()] = Some(next(latch));
    }
    let mut needed = vec![false; aig.len()];
    let mut open: Vec<Node> = roots.map(Bit::node).collect();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut needed[node.index()], true) {
            continue;
        }
        open.extend(aig.gate(node).into_iter().flatten().map(Bit::node));
        open.extend(next_of[node.index()].map(Bit::node));
    }
    needed
}
