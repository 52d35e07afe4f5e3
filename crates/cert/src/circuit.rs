//! Circuits: invariants over latches and inputs, and runs.
//!
//! The option `depth` says how far the induction looks back. The section `invariant-N` of property `N` is a combinational
//! circuit in AIGER's ASCII format: its inputs are the latches and then the inputs, its output says where it holds. For
//! `unsafe` the section `witness` is a run in AIGER's witness format, of the bits of the circuit.

use crate::{Certificate, Flaw, Kind, Obligations};
use bolide_base::{Budget, Interrupt};
use bolide_front::{aiger, btor2};
use bolide_model::circuit::{Aig, Bit, Circuit, Copier, Formula};
use bolide_term::{Sort, Store, Term};

/// Options that say how far an induction looks back begin with this; the number of the property follows.
pub(crate) const DEPTH: &str = "depth-";

pub(crate) fn load(task: &[u8], kind: Kind) -> Result<Circuit, Flaw> {
    let circuit = match kind {
        Kind::Btor2 => btor2::read(task).map(|design| design.circuit),
        _ => aiger::read(task),
    };
    circuit.map_err(|e| format!("line {}: {}", e.line, e.flaw).into())
}

/// Runs the witness.
pub(crate) fn replay(circuit: &Circuit, certificate: &Certificate, budget: &Budget) -> Result<(), Flaw> {
    let text = certificate.section("witness").ok_or("there is no section `witness`")?;
    let witness = aiger::read_witness(text.as_bytes())
        .map_err(|e| format!("section `witness`, line {}: {}", e.line, e.flaw))?;
    if witness.property >= circuit.bads.len() {
        return Err("there is no such property".into());
    }
    budget.check()?;
    circuit.replay(&witness.trace, witness.property).map_err(|e| e.to_string().into())
}

/// The obligations: for each property the invariant excludes bad states, holds in the first steps, and is kept.
pub fn obligations_of_circuit(
    circuit: &Circuit,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    let mut out = Obligations::new(Store::new());
    for property in 0..circuit.bads.len() {
        let (invariant, depth) = read_proof(circuit, certificate, property)?;
        let proof = Proof { circuit, invariant: &invariant, property, depth };
        proof.obligations(&mut out, budget)?;
    }
    Ok(out)
}

/// The invariant of a property as a combinational circuit, and how far its induction looks back.
fn read_proof(
    circuit: &Circuit,
    certificate: &Certificate,
    property: usize,
) -> Result<(Circuit, usize), Flaw> {
    let name = format!("invariant-{property}");
    let text = certificate.section(&name).ok_or_else(|| format!("there is no section `{name}`"))?;
    let invariant =
        aiger::read(text.as_bytes()).map_err(|e| format!("section `{name}`, line {}: {}", e.line, e.flaw))?;
    let fits = invariant.inputs.len() == circuit.latches.len() + circuit.inputs.len()
        && invariant.latches.is_empty()
        && invariant.constraints.is_empty()
        && invariant.bads.len() == 1;
    if !fits {
        return Err(format!("section `{name}`: the invariant does not fit the circuit").into());
    }
    let depth = match certificate.option(&format!("{DEPTH}{property}")) {
        Some(depth) => depth.parse().ok().filter(|d| (1..=10_000).contains(d)),
        None => Some(1),
    };
    Ok((invariant, depth.ok_or("the depth of an induction is a positive number")?))
}

/// The invariant of a property of the circuit, and how far its induction looks back.
pub fn read_invariant(
    circuit: &Circuit,
    certificate: &Certificate,
    property: usize,
) -> Result<(Formula, usize), Flaw> {
    let (invariant, depth) = read_proof(circuit, certificate, property)?;
    let mut formula = Formula::over(circuit);
    let mut copier = Copier::new(invariant.aig.len());
    let latches = circuit.latches.len();
    for (n, &leaf) in invariant.inputs.iter().enumerate() {
        copier.set(leaf, if n < latches { formula.latch(n) } else { formula.input(n - latches) });
    }
    formula.root = formula.import(&invariant.aig, &mut copier, invariant.bads[0]);
    Ok((formula, depth))
}

struct Proof<'a> {
    circuit: &'a Circuit,
    invariant: &'a Circuit,
    property: usize,
    depth: usize,
}

/// The state and the inputs of one step.
struct Step {
    latches: Vec<Term>,
    inputs: Vec<Term>,
    /// The value of every node.
    nodes: Vec<Term>,
}

impl Proof<'_> {
    fn obligations(&self, out: &mut Obligations, budget: &Budget) -> Result<(), Interrupt> {
        let name = |what: &str| format!("property {}: {what}", self.property);
        let anywhere = self.step(&mut out.store, 0, None);
        let parts = vec![
            self.holds(&mut out.store, &anywhere),
            self.constraint(&mut out.store, &anywhere),
            bit(&mut out.store, &anywhere.nodes, self.circuit.bads[self.property]),
        ];
        out.push(name("the invariant excludes bad states"), parts);

        let mut terms = self.first(&mut out.store);
        let mut constraints = Vec::new();
        for step in 0..self.depth {
            budget.check()?;
            if step > 0 {
                terms = self.step(&mut out.store, step, Some(&terms));
            }
            constraints.push(self.constraint(&mut out.store, &terms));
            let holds = self.holds(&mut out.store, &terms);
            let mut parts = constraints.clone();
            parts.push(out.store.not(holds));
            out.push(name("the invariant holds at first"), parts);
        }

        let mut terms = anywhere;
        let mut parts = Vec::new();
        for step in 0..self.depth {
            budget.check()?;
            parts.push(self.holds(&mut out.store, &terms));
            parts.push(self.constraint(&mut out.store, &terms));
            terms = self.step(&mut out.store, step + 1, Some(&terms));
        }
        parts.push(self.constraint(&mut out.store, &terms));
        let holds = self.holds(&mut out.store, &terms);
        parts.push(out.store.not(holds));
        out.push(name("the invariant is kept"), parts);
        Ok(())
    }

    /// The first step of a run.
    fn first(&self, store: &mut Store) -> Step {
        let start = |store: &mut Store, n: usize| match self.circuit.latches[n].reset {
            Some(value) => store.bool(value),
            None => store.var(&format!("latch {n} at 0"), Sort::BOOL),
        };
        let latches = (0..self.circuit.latches.len()).map(|n| start(store, n)).collect();
        self.with_latches(store, 0, latches)
    }

    /// A step with arbitrary inputs, from an arbitrary state or after another step.
    fn step(&self, store: &mut Store, step: usize, before: Option<&Step>) -> Step {
        let latches = match before {
            Some(m) => self.circuit.latches.iter().map(|l| bit(store, &m.nodes, l.next)).collect(),
            None => (0..self.circuit.latches.len())
                .map(|n| store.var(&format!("latch {n} at {step}"), Sort::BOOL))
                .collect(),
        };
        self.with_latches(store, step, latches)
    }

    fn with_latches(&self, store: &mut Store, step: usize, latches: Vec<Term>) -> Step {
        let inputs: Vec<Term> = (0..self.circuit.inputs.len())
            .map(|n| store.var(&format!("input {n} at {step}"), Sort::BOOL))
            .collect();
        let leaves = self.circuit.inputs.iter().copied().chain(self.circuit.latches.iter().map(|l| l.node));
        let values: Vec<Term> = inputs.iter().chain(&latches).copied().collect();
        let nodes = evaluate(store, &self.circuit.aig, leaves.zip(values));
        Step { latches, inputs, nodes }
    }

    fn constraint(&self, store: &mut Store, m: &Step) -> Term {
        let all: Vec<Term> = self.circuit.constraints.iter().map(|&c| bit(store, &m.nodes, c)).collect();
        store.and(&all)
    }

    fn holds(&self, store: &mut Store, m: &Step) -> Term {
        let values = m.latches.iter().chain(&m.inputs).copied();
        let leaves = self.invariant.inputs.iter().copied().zip(values);
        let nodes = evaluate(store, &self.invariant.aig, leaves);
        bit(store, &nodes, self.invariant.bads[0])
    }
}

/// The values of all nodes of a graph.
fn evaluate(
    store: &mut Store,
    aig: &Aig,
    leaves: impl Iterator<Item = (bolide_model::circuit::Node, Term)>,
) -> Vec<Term> {
    let mut values = vec![store.fls(); aig.len()];
    for (node, value) in leaves {
        values[node.index()] = value;
    }
    for node in aig.nodes() {
        if let Some([a, b]) = aig.gate(node) {
            let (a, b) = (bit(store, &values, a), bit(store, &values, b));
            values[node.index()] = store.and(&[a, b]);
        }
    }
    values
}

fn bit(store: &mut Store, values: &[Term], bit: Bit) -> Term {
    let value = values[bit.node().index()];
    if bit.is_negated() { store.not(value) } else { value }
}
