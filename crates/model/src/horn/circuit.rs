//! Linear Horn clauses over words and truth values as circuits.
//!
//! A latch for each predicate says that the last fact is one of it; latches that all predicates share hold the bits of its
//! arguments. In each step an input chooses a clause. If its constraint holds, its head is the next fact; if not, there is none from
//! then on. Constants of the chosen clause that stand in no body are inputs, too. The circuit is exact: its runs are
//! the derivations.

use super::{Derivation, DerivationStep, Horn, Interpretation};
use crate::circuit::{Aig, Bit, Circuit, Formula, Lanes, Node, Trace};
use bolide_base::{Budget, Interrupt, Rational};
use bolide_term::{BitBlaster, Model, Op, Sort, Store, Term, Value};
use rustc_hash::FxHashMap;

/// The way back from a circuit to the clauses.
#[derive(Clone, Debug)]
pub struct CircuitMap {
    /// For each predicate the number of the latch that says that the last fact is one of it.
    at: Vec<usize>,
    /// The numbers of the latches that hold arguments.
    data: Vec<usize>,
    /// For each clause when it is taken.
    taken: Vec<Bit>,
    /// For each clause its constants and their bits.
    values: Vec<Vec<(Term, Vec<Bit>)>>,
}

/// The bits of values of a sort; nothing if they are no words.
fn bits_of(store: &Store, sort: Sort) -> Option<usize> {
    if sort == Sort::BOOL { Some(1) } else { store.bv_width(sort).map(|w| w as usize) }
}

/// The circuit of linear clauses, whose only property is that no query can be derived; nothing if the clauses are not linear or about
/// something else than words and truth values.
pub fn to_circuit(
    store: &mut Store,
    horn: &Horn,
    budget: &Budget,
) -> Result<Option<(Circuit, CircuitMap)>, Interrupt> {
    if !horn.is_linear() {
        return Ok(None);
    }
    let mut sizes = Vec::with_capacity(horn.preds.len());
    for p in &horn.preds {
        let bits: Option<Vec<usize>> = p.params.iter().map(|&t| bits_of(store, store.sort_of(t))).collect();
        let Some(bits) = bits else { return Ok(None) };
        sizes.push(bits.iter().sum::<usize>());
    }
    let mut circuit = Circuit::new();
    let start = circuit.add_latch(Some(true));
    let at: Vec<Bit> = horn.preds.iter().map(|_| circuit.add_latch(Some(false))).collect();
    let data: Vec<Bit> =
        (0..sizes.iter().copied().max().unwrap_or(0)).map(|_| circuit.add_latch(Some(false))).collect();
    let choices = choices(&mut circuit, horn);
    let mut builder =
        Builder { store, circuit, blaster: BitBlaster::new(), inputs: Vec::new(), budget: budget.clone() };
    let (mut taken, mut values) = (Vec::new(), Vec::new());
    let mut next_at = vec![Bit::FALSE; at.len()];
    let mut next_data = vec![Bit::FALSE; data.len()];
    let mut bad = Bit::FALSE;
    for (n, clause) in horn.clauses.iter().enumerate() {
        let from = clause.body.first().map_or(start, |a| at[a.pred.index()]);
        let mut bits: FxHashMap<Term, Vec<Bit>> = FxHashMap::default();
        let mut used = 0;
        for &arg in clause.body.iter().flat_map(|a| &a.args) {
            let Some(width) = bits_of(builder.store, builder.store.sort_of(arg)) else { return Ok(None) };
            bits.insert(arg, data[used..used + width].to_vec());
            used += width;
        }
        let mut fresh = 0;
        for v in clause.variables(builder.store) {
            let Some(width) = bits_of(builder.store, builder.store.sort_of(v)) else { return Ok(None) };
            bits.entry(v).or_insert_with(|| builder.inputs(&mut fresh, width));
        }
        let mut gates = FxHashMap::default();
        let Some(holds) = builder.formula(clause.constraint, &bits, &mut gates)? else { return Ok(None) };
        let chosen = builder.circuit.aig.and(choices[n], from);
        let now = builder.circuit.aig.and(chosen, holds);
        taken.push(now);
        match &clause.head {
            None => bad = builder.circuit.aig.or(bad, now),
            Some(head) => {
                let to = &mut next_at[head.pred.index()];
                *to = builder.circuit.aig.or(*to, now);
                let mut place = 0;
                for &arg in &head.args {
                    let Some(word) = builder.word(arg, &bits, &mut gates)? else { return Ok(None) };
                    for bit in word {
                        let set = builder.circuit.aig.and(now, bit);
                        next_data[place] = builder.circuit.aig.or(next_data[place], set);
                        place += 1;
                    }
                }
            }
        }
        let mut constants: Vec<(Term, Vec<Bit>)> = bits.into_iter().collect();
        constants.sort_unstable_by_key(|c| c.0);
        values.push(constants);
    }
    let mut circuit = builder.circuit;
    circuit.latches[0].next = Bit::FALSE;
    for (latch, next) in circuit.latches[1..].iter_mut().zip(next_at.into_iter().chain(next_data)) {
        latch.next = next;
    }
    circuit.bads.push(bad);
    let map = CircuitMap {
        at: (1..1 + at.len()).collect(),
        data: (1 + at.len()..circuit.latches.len()).collect(),
        taken,
        values,
    };
    Ok(Some((circuit, map)))
}

/// For each clause the condition that it is chosen among those with the same body.
fn choices(circuit: &mut Circuit, horn: &Horn) -> Vec<Bit> {
    let mut groups: FxHashMap<Option<usize>, usize> = FxHashMap::default();
    let mut numbers = Vec::with_capacity(horn.clauses.len());
    for c in &horn.clauses {
        let count = groups.entry(c.body.first().map(|a| a.pred.index())).or_default();
        numbers.push(*count);
        *count += 1;
    }
    let most = groups.values().copied().max().unwrap_or(1);
    let width = usize::BITS - (most - 1).leading_zeros();
    let choice: Vec<Bit> = (0..width).map(|_| circuit.add_input()).collect();
    let is_chosen = |(c, number): (&super::Clause, usize)| {
        let count = groups[&c.body.first().map(|a| a.pred.index())];
        let width = usize::BITS - (count - 1).leading_zeros();
        let bits: Vec<Bit> =
            (0..width as usize).map(|i| if number >> i & 1 == 1 { choice[i] } else { !choice[i] }).collect();
        circuit.aig.and_all(&bits)
    };
    horn.clauses.iter().zip(numbers).map(is_chosen).collect()
}

/// Builds gates.
struct Builder<'a> {
    store: &'a mut Store,
    circuit: Circuit,
    blaster: BitBlaster,
    /// Inputs for constants of clauses, which clauses share.
    inputs: Vec<Bit>,
    budget: Budget,
}

impl Builder<'_> {
    /// Inputs that the clause at hand does not use yet.
    fn inputs(&mut self, used: &mut usize, width: usize) -> Vec<Bit> {
        while self.inputs.len() < *used + width {
            let input = self.circuit.add_input();
            self.inputs.push(input);
        }
        *used += width;
        self.inputs[*used - width..*used].to_vec()
    }

    /// The bits of an argument.
    fn word(
        &mut self,
        t: Term,
        leaves: &FxHashMap<Term, Vec<Bit>>,
        gates: &mut FxHashMap<Term, Bit>,
    ) -> Result<Option<Vec<Bit>>, Interrupt> {
        if self.store.sort_of(t) == Sort::BOOL {
            return Ok(self.formula(t, leaves, gates)?.map(|bit| vec![bit]));
        }
        let bits = self.blaster.bits(self.store, t).to_vec();
        let mut out = Vec::with_capacity(bits.len());
        for bit in bits {
            match self.formula(bit, leaves, gates)? {
                Some(bit) => out.push(bit),
                None => return Ok(None),
            }
        }
        Ok(Some(out))
    }

    /// The gate of a formula; nothing if there is something else than words and truth values in it.
    fn formula(
        &mut self,
        root: Term,
        leaves: &FxHashMap<Term, Vec<Bit>>,
        gates: &mut FxHashMap<Term, Bit>,
    ) -> Result<Option<Bit>, Interrupt> {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if gates.contains_key(&t) {
                stack.pop();
                continue;
            }
            self.budget.poll()?;
            let blasted = self.blaster.blast_atom(self.store, t);
            if blasted != t {
                match gates.get(&blasted) {
                    Some(&gate) => {
                        gates.insert(t, gate);
                    }
                    None => stack.push(blasted),
                }
                continue;
            }
            let is_gate = match self.store.op(t) {
                Op::And | Op::Or | Op::Not => true,
                Op::Ite | Op::Eq => self.store.sort_of(self.store.arg(t, 1)) == Sort::BOOL,
                _ => false,
            };
            if is_gate {
                let before = stack.len();
                stack.extend(self.store.args(t).iter().filter(|a| !gates.contains_key(a)));
                if stack.len() > before {
                    continue;
                }
            }
            let args: Vec<Bit> = match is_gate {
                true => self.store.args(t).iter().map(|a| gates[a]).collect(),
                false => Vec::new(),
            };
            let aig = &mut self.circuit.aig;
            let gate = match self.store.op(t) {
                Op::True => Bit::TRUE,
                Op::False => Bit::FALSE,
                Op::Not => !args[0],
                Op::And => aig.and_all(&args),
                Op::Or => aig.or_all(&args),
                Op::Ite if is_gate => aig.ite(args[0], args[1], args[2]),
                Op::Eq if is_gate => aig.iff(args[0], args[1]),
                Op::Bit(i) => match leaves.get(&self.store.arg(t, 0)) {
                    Some(bits) => bits[i as usize],
                    None => return Ok(None),
                },
                _ => match leaves.get(&t) {
                    Some(bits) => bits[0],
                    None => return Ok(None),
                },
            };
            gates.insert(t, gate);
            stack.pop();
        }
        Ok(Some(gates[&root]))
    }
}

impl CircuitMap {
    /// What an inductive invariant of the circuit says about the predicates; nothing if it speaks of inputs.
    pub fn interpretation(
        &self,
        store: &mut Store,
        horn: &Horn,
        invariant: &Formula,
    ) -> Option<Interpretation> {
        let mut formulas = Vec::with_capacity(horn.preds.len());
        for (n, p) in horn.preds.iter().enumerate() {
            let mut leaves: FxHashMap<Node, Term> = FxHashMap::default();
            let (tru, fls) = (store.tru(), store.fls());
            leaves.insert(invariant.latch(0).node(), fls);
            for (m, &latch) in self.at.iter().enumerate() {
                leaves.insert(invariant.latch(latch).node(), if m == n { tru } else { fls });
            }
            let mut places = self.data.iter();
            for &param in &p.params {
                let width = bits_of(store, store.sort_of(param))?;
                for i in 0..width {
                    let bit = if store.sort_of(param) == Sort::BOOL {
                        param
                    } else {
                        store.bv_bit(i as u32, param)
                    };
                    leaves.insert(invariant.latch(*places.next()?).node(), bit);
                }
            }
            for &rest in places {
                leaves.insert(invariant.latch(rest).node(), fls);
            }
            let formula = term_of(store, &invariant.aig, invariant.root, &mut leaves)?;
            formulas.push(bolide_term::bits_to_words(store, formula));
        }
        Some(Interpretation::new(formulas))
    }

    /// The derivation that a run into a bad state is.
    pub fn derivation(&self, store: &Store, circuit: &Circuit, trace: &Trace) -> Option<Derivation> {
        let mut out = Derivation::default();
        let mut lanes = Lanes::new(&circuit.aig);
        let lane = |value: bool| if value { u64::MAX } else { 0 };
        for (latch, &value) in circuit.latches.iter().zip(&trace.initial) {
            lanes.set(latch.node, lane(value));
        }
        for (n, inputs) in trace.inputs.iter().enumerate() {
            for (&input, &value) in circuit.inputs.iter().zip(inputs) {
                lanes.set(input, lane(value));
            }
            lanes.settle(&circuit.aig);
            let clause = self.taken.iter().position(|&bit| lanes.get(bit) & 1 == 1)?;
            let mut values = Model::new();
            for (constant, bits) in &self.values[clause] {
                let bits: Vec<bool> = bits.iter().map(|&bit| lanes.get(bit) & 1 == 1).collect();
                let value = match store.bv_width(store.sort_of(*constant)) {
                    Some(width) => {
                        let number = Rational::from_bits_le(&bits);
                        Value::Bv(width, number.to_ibig()?.try_into().ok()?)
                    }
                    None => Value::Bool(bits[0]),
                };
                values.set(store.as_var(*constant)?, value);
            }
            out.steps.push(DerivationStep {
                clause,
                values,
                premises: n.checked_sub(1).into_iter().collect(),
            });
            lanes.clock(circuit);
        }
        Some(out)
    }
}

/// A bit of a graph as a term over its leaves; nothing if it depends on a leaf that has none.
fn term_of(store: &mut Store, aig: &Aig, root: Bit, leaves: &mut FxHashMap<Node, Term>) -> Option<Term> {
    let fls = store.fls();
    leaves.insert(Bit::FALSE.node(), fls);
    let mut stack = vec![root.node()];
    while let Some(&node) = stack.last() {
        if leaves.contains_key(&node) {
            stack.pop();
            continue;
        }
        let [a, b] = aig.gate(node)?;
        // A disjunction reads better than the negation of a conjunction, and conjunctions of more than two stay together.
        let parts = aig.conjuncts(node.into());
        let parts = if parts.contains(&node.into()) { vec![a, b] } else { parts };
        let before = stack.len();
        stack.extend(parts.iter().map(|p| p.node()).filter(|n| !leaves.contains_key(n)));
        if stack.len() > before {
            continue;
        }
        let mut args = Vec::with_capacity(parts.len());
        for part in parts {
            let term = leaves[&part.node()];
            args.push(if part.is_negated() { store.not(term) } else { term });
        }
        let term = store.and(&args);
        leaves.insert(node, term);
        stack.pop();
    }
    let term = leaves[&root.node()];
    Some(if root.is_negated() { store.not(term) } else { term })
}
