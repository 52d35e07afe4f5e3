//! Linear Horn clauses over words and truth values as circuits.
//!
//! A latch for each predicate says that the last fact is one of it; latches that all predicates share hold the bits of its
//! arguments. Where a clause hands an argument on as it is, it stays in its latches, if possible. In each step an input chooses a clause. If its constraint holds, its head is the next fact; if not, there is none from
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
    /// For each predicate and parameter the first of its places among them.
    places: Vec<Vec<usize>>,
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
    let mut widths = Vec::with_capacity(horn.preds.len());
    for p in &horn.preds {
        let bits: Option<Vec<usize>> = p.params.iter().map(|&t| bits_of(store, store.sort_of(t))).collect();
        let Some(bits) = bits else { return Ok(None) };
        widths.push(bits);
    }
    let (places, size) = places(horn, &widths);
    let mut circuit = Circuit::new();
    let start = circuit.add_latch(Some(true));
    let at: Vec<Bit> = horn.preds.iter().map(|_| circuit.add_latch(Some(false))).collect();
    let data: Vec<Bit> = (0..size).map(|_| circuit.add_latch(Some(false))).collect();
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
        for atom in &clause.body {
            let pred = atom.pred.index();
            for (&arg, (&place, &width)) in atom.args.iter().zip(places[pred].iter().zip(&widths[pred])) {
                bits.insert(arg, data[place..place + width].to_vec());
            }
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
                for (&arg, &place) in head.args.iter().zip(&places[head.pred.index()]) {
                    let Some(word) = builder.word(arg, &bits, &mut gates)? else { return Ok(None) };
                    for (bit, next) in word.into_iter().zip(&mut next_data[place..]) {
                        let set = builder.circuit.aig.and(now, bit);
                        *next = builder.circuit.aig.or(*next, set);
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
        places,
        taken,
        values,
    };
    Ok(Some((circuit, map)))
}

/// For each predicate the first place of each parameter, and how many places there are. What a clause hands on without a change keeps its
/// place, unless another parameter of the predicate has it already.
fn places(horn: &Horn, widths: &[Vec<usize>]) -> (Vec<Vec<usize>>, usize) {
    // For each predicate and parameter those of other predicates that have the same value in a clause.
    let mut same: Vec<Vec<Vec<(usize, usize)>>> =
        widths.iter().map(|widths| vec![Vec::new(); widths.len()]).collect();
    for clause in &horn.clauses {
        let ([body], Some(head)) = (&clause.body[..], &clause.head) else { continue };
        let (p, q) = (body.pred.index(), head.pred.index());
        let read: FxHashMap<Term, usize> = body.args.iter().enumerate().map(|(i, &arg)| (arg, i)).collect();
        for (j, arg) in head.args.iter().enumerate().filter(|_| p != q) {
            if let Some(&i) = read.get(arg) {
                same[p][i].push((q, j));
                same[q][j].push((p, i));
            }
        }
    }
    let mut slots: Vec<(usize, usize)> = Vec::new();
    let mut size = 0;
    let mut chosen: Vec<Vec<Option<usize>>> = widths.iter().map(|widths| vec![None; widths.len()]).collect();
    for (p, widths) in widths.iter().enumerate() {
        let mut is_taken = vec![false; slots.len()];
        for (i, others) in same[p].iter().enumerate() {
            let known = others.iter().find_map(|&(q, j)| chosen[q][j].filter(|&slot| !is_taken[slot]));
            if let Some(slot) = known {
                is_taken[slot] = true;
                chosen[p][i] = Some(slot);
            }
        }
        for (i, &width) in
            widths.iter().enumerate().filter(|(i, _)| chosen[p][*i].is_none()).collect::<Vec<_>>()
        {
            let free = (0..slots.len()).find(|&slot| slots[slot].1 == width && !is_taken[slot]);
            let slot = free.unwrap_or_else(|| {
                slots.push((size, width));
                is_taken.push(false);
                size += width;
                slots.len() - 1
            });
            is_taken[slot] = true;
            chosen[p][i] = Some(slot);
        }
    }
    let place = |slot: Option<usize>| slot.map_or(0, |slot| slots[slot].0);
    (chosen.into_iter().map(|slots| slots.into_iter().map(place).collect()).collect(), size)
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
            let mut rest = vec![true; self.data.len()];
            for (&param, &place) in p.params.iter().zip(&self.places[n]) {
                let width = bits_of(store, store.sort_of(param))?;
                for i in 0..width {
                    let bit = if store.sort_of(param) == Sort::BOOL {
                        param
                    } else {
                        store.bv_bit(i as u32, param)
                    };
                    leaves.insert(invariant.latch(self.data[place + i]).node(), bit);
                    rest[place + i] = false;
                }
            }
            for (&latch, _) in self.data.iter().zip(rest).filter(|(_, is_unused)| *is_unused) {
                leaves.insert(invariant.latch(latch).node(), fls);
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
